"""Step 5, first half: every subgraph of a graph beside some filters, part by part.

The parts are extracted, compared and forgotten one after the other; what is kept of a subgraph is a
row of numbers. Several processes share the parts, and a part that is on disk is not done again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from gomkcn_dgl.runtime.processes import is_first
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.rooted_subgraphs import RootedSubgraphs

# subgraphs of a part, unless memory allows less
PART_SIZE = 65_536
# what differs from one set of filters to the next
_OWN = ("similarity", "structure")


@dataclass(frozen=True)
class MatchTable:
    """What the subgraphs of a graph have in common with F filters, a row a subgraph.

    Attributes
    ----------
    similarity : numpy.ndarray
        float32 ``[S, F]`` normalised scores.
    structure : numpy.ndarray
        int16 ``[S]`` first filter with exactly the structure of the subgraph, -1 if none.
    nodes : numpy.ndarray
        int32 ``[S, N]`` as in ``SubgraphBatch``.
    truncated : numpy.ndarray
        bool ``[S]`` as in ``SubgraphBatch``.
    """

    similarity: np.ndarray
    structure: np.ndarray
    nodes: np.ndarray
    truncated: np.ndarray

    def __len__(self) -> int:
        """Return the number of subgraphs S."""
        return len(self.nodes)

    @classmethod
    def of(cls, around: RootedSubgraphs, snapped: DiscreteFilters) -> MatchTable:
        """Look at the subgraphs around some roots."""
        structure = np.full(len(around.batch), -1, np.int16)
        certificates = snapped.certificates()
        for certificate in set(certificates):
            structure[around.forms.has(certificate)] = certificates.index(certificate)
        return cls(
            around.similarity(snapped), structure, around.batch.nodes, around.batch.truncated
        )


def first_of_structure(snapped: DiscreteFilters) -> np.ndarray:
    """Return the first filter of the structure of each filter, int64 ``[F]``."""
    certificates = snapped.certificates()
    return np.array([certificates.index(one) for one in certificates], dtype=np.int64)


@dataclass(frozen=True)
class SubgraphStream:
    """All subgraphs of a graph, in parts.

    Attributes
    ----------
    graph : CSRGraph
    subgraphs_around : callable
        The neighborhoods of some roots, int64 ``[R]``.
    num_views : int
        Subgraphs a root, which stand next to each other.
    part_size : int
        Roots of a part.
    whole : RootedSubgraphs or None
        Those of all roots, where they are at hand: then they are the only part.
    """

    graph: CSRGraph
    subgraphs_around: Callable[[np.ndarray], RootedSubgraphs]
    num_views: int
    part_size: int
    whole: RootedSubgraphs | None = None

    def __len__(self) -> int:
        """Return the number of subgraphs S."""
        return self.graph.num_nodes * self.num_views

    @property
    def num_parts(self) -> int:
        """How many parts there are."""
        return 1 if self.whole is not None else -(-self.graph.num_nodes // self.part_size)

    def rows_of(self, part: int) -> slice:
        """Subgraphs of a part."""
        if self.whole is not None:
            return slice(0, len(self))
        step = self.part_size * self.num_views
        return slice(part * step, min((part + 1) * step, len(self)))

    def part(self, number: int) -> RootedSubgraphs:
        """Return the neighborhoods of a part."""
        rows = self.rows_of(number)
        first, last = rows.start // self.num_views, rows.stop // self.num_views
        return (
            self.whole if self.whole is not None else self.subgraphs_around(np.arange(first, last))
        )

    def at(self, rows: np.ndarray) -> tuple[RootedSubgraphs, np.ndarray]:
        """Return neighborhoods that hold the subgraphs ``rows``, and where these stand in them."""
        if self.whole is not None:
            return self.whole, rows
        roots, position = np.unique(rows // self.num_views, return_inverse=True)
        return self.subgraphs_around(roots), position * self.num_views + rows % self.num_views


def match_all(
    stream: SubgraphStream,
    filters: Sequence[DiscreteFilters],
    steps: CheckpointStore,
    memory: float,
    beside: Mapping[str, Callable[[], Mapping[str, np.ndarray]]] | None = None,
) -> list[MatchTable]:
    """Look at all subgraphs of a graph with several sets of filters at once.

    Parameters
    ----------
    stream : SubgraphStream
        Its parts are shared by all processes.
    filters : sequence of DiscreteFilters
    steps : CheckpointStore
        Keeps each part.
    memory : float
        Bytes that the rows of all subgraphs may take before they go to a temporary file.
    beside : mapping of str to callable, optional
        Other steps, made by one process while the others begin with the parts.

    Returns
    -------
    list of MatchTable
        One for each set of filters. If time is up before the last part, they end before the first
        one that is missing. Of several processes the first one gets them, the others nothing.
    """

    def see(number: int) -> dict[str, np.ndarray]:
        around, found = stream.part(number), {}
        for i, snapped in enumerate(filters):
            for name, column in vars(MatchTable.of(around, snapped)).items():
                # the nodes are the same beside all filters
                if i == 0 or name in _OWN:
                    found[f"{name}{i if name in _OWN else ''}"] = column
        return found

    names = [f"sightings-{number:06d}" for number in range(stream.num_parts)]
    makers = {name: partial(see, number) for number, name in enumerate(names)}
    first = beside or {}
    # something is always seen
    steps.share({**first, **makers}, least=len(first) + 1)
    if not is_first():
        return []
    known = next((i for i, name in enumerate(names) if not steps.has(name)), len(names))
    table = _join(stream, names[:known], steps, memory)
    return [
        MatchTable(
            table[f"similarity{i}"], table[f"structure{i}"], table["nodes"], table["truncated"]
        )
        for i in range(len(filters))
    ]


def _join(
    stream: SubgraphStream, names: Sequence[str], steps: CheckpointStore, memory: float
) -> dict[str, np.ndarray]:
    """One table of all parts."""
    if len(names) == 1:
        return dict(steps.take(names[0], dict))
    size = stream.rows_of(len(names) - 1).stop
    table: dict[str, np.ndarray] = {}
    for number, name in enumerate(names):
        part = steps.take(name, dict)
        if number == 0:
            total = sum(column.nbytes for column in part.values()) / stream.rows_of(0).stop * size
            for key, column in part.items():
                table[key] = _allocate(
                    (size, *column.shape[1:]), column.dtype, total <= memory, steps
                )
        for key, column in part.items():
            table[key][stream.rows_of(number)] = column
        steps.drop(name)
    return table


def _allocate(
    shape: tuple[int, ...], dtype: np.dtype[Any], in_memory: bool, steps: CheckpointStore
) -> np.ndarray:
    """An array, or one in a file that is gone when the array is."""
    if in_memory:
        return np.empty(shape, dtype)
    with tempfile.TemporaryFile(dir=steps.folder) as file:
        return np.memmap(file, dtype, "w+", shape=shape)
