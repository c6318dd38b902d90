"""The neighbourhoods of nodes beside patterns: which pattern is nearest to each node.

A pattern of M nodes is compared with the subgraph of at most M nodes around a root, so that a
similarity of 1 means that the neighbourhood is the pattern, whatever its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.overlaps import set_keys
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
    with the structure to decide between equals; ``node_sets`` uint64 ``[R, F]`` is a hash of the
    nodes that were compared with each pattern; ``truncated`` bool ``[R]`` says whether the ball
    around a root had more nodes than the largest pattern.
    """

    roots: np.ndarray
    similarity: np.ndarray
    ranking: np.ndarray
    node_sets: np.ndarray
    truncated: np.ndarray

    def take(self, numbers: Sequence[int]) -> Neighbourhoods:
        """The same beside the patterns with these numbers."""
        columns = ("similarity", "ranking", "node_sets")
        return replace(self, **{name: getattr(self, name)[:, numbers] for name in columns})

    def nearest(self) -> tuple[np.ndarray, np.ndarray]:
        """Position of the nearest pattern of each root, int32, and its similarity, ``[R]``."""
        if not self.ranking.shape[1]:
            return np.empty(0, np.int32), np.empty(0, np.float32)
        nearest = self.ranking.argmax(axis=1).astype(np.int32)
        return nearest, self.similarity[np.arange(len(nearest)), nearest]

    def rows_of(self, number: int, least: float) -> np.ndarray:
        """Rows of the roots that are nearest to a pattern, and at least so similar to it."""
        nearest = self.ranking.argmax(axis=1)
        return np.flatnonzero((nearest == number) & (self.similarity[:, number] >= least))

    def count_sets(self, number: int, rows: np.ndarray) -> int:
        """How many different node sets some rows compared with a pattern."""
        return len(np.unique(self.node_sets[rows, number]))


def compare_neighbourhoods(
    source: SubgraphSource,
    graph: CSRGraph,
    filters: DiscreteFilters,
    roots: np.ndarray | None,
    checkpoints: CheckpointStore | None = None,
) -> Neighbourhoods:
    """Compare the subgraphs around some roots, or around all nodes, with patterns of any sizes.

    All processes share the work, and all get the result.
    """
    checkpoints = CheckpointStore() if checkpoints is None else checkpoints
    roots = np.arange(graph.num_nodes) if roots is None else roots
    step = min(_TASK_SIZE, source.part_size)
    tasks = {
        f"neighbourhoods-{start:09d}": partial(
            _compare_part, source, graph, filters, roots[start : start + step]
        )
        for start in range(0, max(1, len(roots)), step)
    }
    parts = checkpoints.finish(tasks)
    for name in tasks:
        checkpoints.drop(name)
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
        "node_sets": np.zeros(shape, np.uint64),
        "truncated": np.zeros(len(roots), bool),
    }
    for size in sorted(set(filters.num_nodes)):
        numbers = [i for i, own in enumerate(filters.num_nodes) if own == size]
        subgraphs = source.resized(size).subgraphs_around(graph, roots)
        columns = _compare(subgraphs, filters.take(numbers).trimmed(size))
        for name, column in columns.items():
            part[name][:, numbers] = column
        # the last size is the largest
        part["truncated"] = subgraphs.batch.truncated[:: source.num_views]
    return part


def _compare(subgraphs: RootedSubgraphs, filters: DiscreteFilters) -> dict[str, np.ndarray]:
    """Similarity, the same with ties decided, and node sets; of several views the best."""
    similarity, size = subgraphs.similarity(filters), filters.adj.shape[1]
    columns = {
        "similarity": similarity,
        "ranking": similarity + np.float32(TIE * size) * subgraphs.same_structure(filters),
        "node_sets": np.broadcast_to(set_keys(subgraphs.batch.nodes)[:, None], similarity.shape),
    }
    shape = -1, subgraphs.batch.num_views, similarity.shape[1]
    view = columns["ranking"].reshape(shape).argmax(axis=1)[:, None]
    return {
        name: np.take_along_axis(column.reshape(shape), view, axis=1)[:, 0]
        for name, column in columns.items()
    }
