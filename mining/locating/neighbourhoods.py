"""The neighbourhoods of nodes beside patterns: which pattern is nearest to each node.

A pattern of M nodes is compared with the subgraph of at most M nodes around a root, so that a
similarity of 1 means that the neighbourhood is the pattern, whatever its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.rooted_subgraphs import RootedSubgraphs
from mining.structures.subgraph_source import SubgraphSource

# for each node of a pattern that a neighbourhood is isomorphic to, a similarity counts as larger by
# this: between equals the structure decides, and the pattern that says most
TIE = 1e-5
# roots of one task
_TASK_SIZE = 16_384


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """R roots compared with F patterns.

    ``roots`` is int64 ``[R]``; ``similarity`` and ``ranking`` are float32 ``[R, F]``, the second
    with the structure to decide between equals; ``same`` bool ``[R, F]`` says which have exactly
    the structure of the pattern; ``truncated`` bool ``[R]`` whether the ball around a root had more
    nodes than the largest pattern.
    """

    roots: np.ndarray
    similarity: np.ndarray
    ranking: np.ndarray
    same: np.ndarray
    truncated: np.ndarray

    def of_patterns(self, num_profiles: Sequence[int]) -> Neighbourhoods:
        """The same beside patterns, each of which has so many of the profiles: the nearest one."""
        starts = np.cumsum([0, *num_profiles])[:-1]
        if not len(starts):
            return self
        columns = ("similarity", "ranking", "same")
        largest = {
            name: np.maximum.reduceat(getattr(self, name), starts, axis=1) for name in columns
        }
        return replace(self, **largest)

    def nearest(self) -> tuple[np.ndarray, np.ndarray]:
        """Position of the nearest pattern of each root, int32, and its similarity, ``[R]``."""
        if not self.ranking.shape[1]:
            return np.empty(0, np.int32), np.empty(0, np.float32)
        nearest = self.ranking.argmax(axis=1).astype(np.int32)
        return nearest, self.similarity[np.arange(len(nearest)), nearest]


def compare_neighbourhoods(
    source: SubgraphSource,
    graph: CSRGraph,
    filters: DiscreteFilters,
    roots: np.ndarray | None,
    steps: Steps | None = None,
) -> Neighbourhoods:
    """Compare the subgraphs around some roots, or around all nodes, with patterns of any sizes.

    All processes share the work, and all get the result.
    """
    steps = Steps() if steps is None else steps
    roots = np.arange(graph.num_nodes) if roots is None else roots
    size = min(_TASK_SIZE, source.budget.part_size)
    parts = steps.each(
        "comparing neighbourhoods",
        lambda start: _compare_part(source, graph, filters, roots[start : start + size]),
        range(0, max(1, len(roots)), size),
    )
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Neighbourhoods(roots, **joined)


def _compare_part(
    source: SubgraphSource, graph: CSRGraph, filters: DiscreteFilters, roots: np.ndarray
) -> dict[str, np.ndarray]:
    """The arrays of :class:`Neighbourhoods` for some roots."""
    shape = len(roots), len(filters.num_nodes)
    part: dict[str, np.ndarray] = {
        "similarity": np.zeros(shape, np.float32),
        "ranking": np.zeros(shape, np.float32),
        "same": np.zeros(shape, bool),
        "truncated": np.zeros(len(roots), bool),
    }
    for size in sorted(set(filters.num_nodes)):
        numbers = [i for i, own in enumerate(filters.num_nodes) if own == size]
        subgraphs = source.resized(size).subgraphs_around(graph, roots)
        columns = _compare(source, subgraphs, filters.take(numbers).trimmed(size))
        for name, column in columns.items():
            part[name][:, numbers] = column
        # the last size is the largest
        part["truncated"] = subgraphs.batch.truncated
    return part


def _compare(
    source: SubgraphSource, subgraphs: RootedSubgraphs, filters: DiscreteFilters
) -> dict[str, np.ndarray]:
    """Similarity, the same with ties decided, and equal structure."""
    similarity, size = subgraphs.similarity(filters), filters.adj.shape[1]
    same = _same_structure(source, subgraphs, filters)
    return {
        "similarity": similarity,
        "ranking": similarity + np.float32(TIE * size) * same,
        "same": same,
    }


def _same_structure(
    source: SubgraphSource, subgraphs: RootedSubgraphs, filters: DiscreteFilters
) -> np.ndarray:
    """Which subgraphs have the structure of which filter, categories included, bool ``[S, F]``."""
    same = subgraphs.same_structure(filters)
    if not source.categories:
        return same
    relations, size = subgraphs.batch.relations, filters.adj.shape[1]
    for number in range(same.shape[1]):
        colors = source.colors_of(filters.feat[number].numpy())
        key = filters.structure(number, relations, _as_names(colors)).key
        # of those with the edges of the pattern, each kind is compared once
        rows = np.flatnonzero(same[:, number])
        batch = subgraphs.batch.take(rows)
        nodes = source.categories.colors(subgraphs.graph.features[batch.nodes[:, :size]])
        known: dict[bytes, bool] = {}
        for row, adj, own in zip(rows.tolist(), batch.adjacency(), nodes, strict=True):
            kind = adj.tobytes() + own.tobytes()
            if kind not in known:
                known[kind] = Structure(adj > 0, relations, _as_names(own)).key == key
            same[row, number] = known[kind]
    return same


def _as_names(colors: np.ndarray | None) -> tuple[tuple[str, ...], ...]:
    return () if colors is None else tuple((str(color),) for color in colors.tolist())
