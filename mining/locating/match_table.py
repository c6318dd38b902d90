"""The match table: every subgraph of a graph compared with filters, part by part.

The parts are extracted, compared and dropped one after the other; what stays of a subgraph is one
row of numbers. Several processes share the parts, and a part that is in the checkpoint folder is
not computed again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from gomkcn_dgl.runtime.processes import is_first
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.rooted_subgraphs import RootedSubgraphs
from mining.structures.subgraph_source import SubgraphStream

# the columns that differ from one set of filters to the next; the others are stored once
_COLUMNS_OF_FILTERS = ("similarity", "structure")


@dataclass(frozen=True)
class MatchTable:
    """S subgraphs of a graph compared with F filters, one row per subgraph.

    ``similarity`` float32 ``[S, F]`` are normalised scores; ``structure`` int16 ``[S]`` is the
    first filter that is isomorphic to the subgraph, features aside, or -1; ``nodes [S, N]`` and
    ``truncated [S]`` are as in ``SubgraphBatch``.
    """

    similarity: np.ndarray
    structure: np.ndarray
    nodes: np.ndarray
    truncated: np.ndarray

    def __len__(self) -> int:
        """Return the number of subgraphs S."""
        return len(self.nodes)

    @classmethod
    def of(cls, subgraphs: RootedSubgraphs, filters: DiscreteFilters) -> MatchTable:
        """Compare subgraphs with filters."""
        batch = subgraphs.batch
        structure = np.full(len(batch), -1, np.int16)
        certificates = filters.certificates()
        for certificate in set(certificates):
            structure[subgraphs.forms.has(certificate)] = certificates.index(certificate)
        return cls(subgraphs.similarity(filters), structure, batch.nodes, batch.truncated)


def match_all(
    stream: SubgraphStream,
    filter_sets: Sequence[DiscreteFilters],
    checkpoints: CheckpointStore,
    other_tasks: Mapping[str, Callable[[], Mapping[str, np.ndarray]]] | None = None,
) -> list[MatchTable]:
    """Compare all subgraphs of a graph with several sets of filters; one table for each set.

    All processes share the parts, and one of them does ``other_tasks`` in the meantime. If time is
    up before the last part, the tables end before the first part that is missing. Of several
    processes the first one gets the tables, the others an empty list.
    """

    def match(number: int) -> dict[str, np.ndarray]:
        subgraphs, columns = stream.part(number), {}
        for i, filters in enumerate(filter_sets):
            for name, column in vars(MatchTable.of(subgraphs, filters)).items():
                if name in _COLUMNS_OF_FILTERS:
                    columns[f"{name}{i}"] = column
                else:
                    columns[name] = column
        return columns

    names = [f"matches-{number:06d}" for number in range(stream.num_parts)]
    parts = {name: partial(match, number) for number, name in enumerate(names)}
    tasks: dict[str, Any] = {**(other_tasks or {}), **parts}
    # at least one part is compared, even when time is up
    checkpoints.share(tasks, least=len(tasks) - len(parts) + 1)
    if not is_first():
        return []
    missing = (i for i, name in enumerate(names) if not checkpoints.has(name))
    table = _concatenate(stream, names[: next(missing, len(names))], checkpoints)
    return [
        MatchTable(
            table[f"similarity{i}"], table[f"structure{i}"], table["nodes"], table["truncated"]
        )
        for i in range(len(filter_sets))
    ]


def _concatenate(
    stream: SubgraphStream, names: Sequence[str], checkpoints: CheckpointStore
) -> dict[str, np.ndarray]:
    """One table of all parts, in memory or in a temporary file."""
    if len(names) == 1:
        return dict(checkpoints.take(names[0], dict))
    size = stream.rows_of(len(names) - 1).stop
    table: dict[str, np.ndarray] = {}
    for number, name in enumerate(names):
        part = checkpoints.take(name, dict)
        if number == 0:
            row_bytes = sum(column.nbytes for column in part.values()) / stream.rows_of(0).stop
            in_memory = row_bytes * size <= stream.source.budget.table_bytes
            for key, column in part.items():
                shape = (size, *column.shape[1:])
                table[key] = _allocate(shape, column.dtype, in_memory, checkpoints)
        for key, column in part.items():
            table[key][stream.rows_of(number)] = column
        checkpoints.drop(name)
    return table


def _allocate(
    shape: tuple[int, ...], dtype: np.dtype[Any], in_memory: bool, checkpoints: CheckpointStore
) -> np.ndarray:
    """An array in memory, or in a file that is deleted with the array."""
    if in_memory:
        return np.empty(shape, dtype)
    with tempfile.TemporaryFile(dir=checkpoints.folder) as file:
        return np.memmap(file, dtype, "w+", shape=shape)
