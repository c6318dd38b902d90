"""The pool: every structure that may be reported, once, whichever search found it.

Structures that recur among connected node sets, and those of the filters that were learnt, are
counted and judged alike. What the filters add is kept with them: features, edge weights, and the
mark of what noisy copies agree on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.checkpoint_store import Arrays, CheckpointStore
from mining.candidates.candidates import Candidate
from mining.counting.occurrence_counts import count_occurrences, count_roughly
from mining.counting.set_apart import list_apart
from mining.records.occurrence_count import OccurrenceCount
from mining.structures.categories import Categories
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.structure import Structure
from mining.structures.subgraph_source import SubgraphSource


@dataclass(frozen=True, eq=False)
class PooledStructure:
    """A structure, the filters that learnt it, if any, and whether its copies are noisy.

    The nodes of the filters are in the order of those of the structure. ``clump`` is how many of
    the places that were seen overlap, on average, itself included; ``example`` one of these places.
    """

    structure: Structure
    filters: DiscreteFilters | None = None
    noisy: bool = False
    clump: float = 1.0
    example: np.ndarray | None = None


def pool_structures(
    candidates: Sequence[Candidate],
    filters: DiscreteFilters,
    source: SubgraphSource,
    sizes: range,
) -> list[PooledStructure]:
    """Put the structures of filters and candidates together, each once.

    Candidates come first, in their order, then what filters alone have learnt.
    """
    pool: dict[bytes, PooledStructure] = {}
    smaller: dict[bytes, PooledStructure] = {}
    for number in range(len(filters.num_nodes)):
        size, own = filters.num_nodes[number], filters.take([number])
        structure = own.structure(0, source.colors_of(own.feat[0, :size].numpy()))
        # what is smaller than the sizes asked for is kept for a graph that has nothing larger
        group = pool if size >= sizes[0] else smaller
        known = group.get(structure.certificate)
        if known is None or known.filters is None:
            new = PooledStructure(structure, own, own.noisy[0])
        else:
            turned = _reordered(own, known.structure.isomorphism(structure))
            new = replace(known, filters=DiscreteFilters.join([known.filters, turned]))
        group[structure.certificate] = new
    seen = {}
    for one in candidates:
        structure = Structure(one.adjacency, one.colors)
        certificate = structure.certificate
        known = pool.get(certificate, PooledStructure(structure))
        seen[certificate] = replace(
            known,
            clump=one.num_seen / max(1, one.num_disjoint),
            example=one.example[known.structure.isomorphism(structure)],
        )
    rest = {key: one for key, one in pool.items() if key not in seen}
    return list((seen | rest or smaller).values())


def _reordered(pattern: DiscreteFilters, order: np.ndarray) -> DiscreteFilters:
    """One filter with its nodes in another order; padding stays last."""
    width = pattern.adj.shape[1]
    whole = torch.tensor([*order.tolist(), *range(len(order), width)])
    return replace(
        pattern,
        adj=pattern.adj[:, whole][:, :, whole],
        feat=pattern.feat[:, whole],
        weights=pattern.weights[:, whole][:, :, whole],
    )


@dataclass(frozen=True)
class StructureCounter:
    """Counts structures in whole graphs, exactly or to a relative error.

    ``seconds`` are the most to draw and ``exact_seconds`` the most to search; None: limits of work,
    so that the counts are the same on any machine.
    """

    categories: Categories
    error: float
    seed: int
    seconds: float | None = None
    exact_seconds: float = 0.1

    def count(
        self,
        graph: CSRGraph,
        structures: Sequence[Structure],
        known: Sequence[OccurrenceCount | None] | None = None,
    ) -> list[OccurrenceCount]:
        """Count each structure in a graph; those in a similar graph may be ``known``."""
        counts = []
        for one, similar in zip(structures, known or [None] * len(structures), strict=True):
            count: Callable[..., OccurrenceCount] = partial(count_roughly, known=similar)
            if self.seconds is not None:
                count = partial(
                    count_occurrences, seconds=self.seconds, exact_seconds=self.exact_seconds
                )
            colors = one.colors_in(graph, self.categories)
            counts.append(count(graph, one.adjacency, colors, error=self.error, seed=self.seed))
        return counts

    def list_apart(
        self, graph: CSRGraph, structures: Sequence[Structure]
    ) -> list[np.ndarray | None]:
        """Occurrences of each structure that are set apart, see :func:`list_apart`."""
        return [
            list_apart(graph, one.adjacency, one.colors_in(graph, self.categories))
            for one in structures
        ]

    def tasks(
        self, name: str, graph: CSRGraph, structures: Sequence[Structure]
    ) -> dict[str, Callable[[], Arrays]]:
        """A task for the count of each structure, by name, for :func:`count_together`."""

        def count_one(number: int) -> Arrays:
            (count,) = self.count(graph, structures[number : number + 1])
            return {key: np.array(value) for key, value in count.to_dict().items()}

        return {f"{name}-{i}": partial(count_one, i) for i in range(len(structures))}


def count_together(
    tasks: Mapping[str, Callable[[], Arrays]], checkpoints: CheckpointStore
) -> list[OccurrenceCount]:
    """Share the tasks of counters among all processes, which all get the counts."""
    return [
        OccurrenceCount(**{key: value.item() for key, value in count.items()})
        for count in checkpoints.finish(tasks)
    ]
