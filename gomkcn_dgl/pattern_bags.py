"""Whole graphs → bags of patterns: how many nodes of a graph have which k-hop subgraphs.

For graphs that are too large, or too many, to be matched node by node. Two nodes match where they
have the same pattern, so that the best matching of two graphs is a sum of minima of counts, without
a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import MiniBatchKMeans
from threadpoolctl import threadpool_limits

from gomkcn_dgl._torch import Tensor
from gomkcn_dgl.bounds import SEEDS_OF_SKLEARN
from gomkcn_dgl.runtime.compiled import compiled, run_blocks

# nodes whose embeddings are clustered
_MOST_CLUSTERED = 20_000
# embeddings that differ by less are rounding errors of one
_DIGITS = 4


@dataclass(frozen=True, eq=False)
class PatternCodebook:
    """The patterns of each depth t: ``centers[t]`` is float32 ``[P, (t + 1) D]``, levels 0 to t."""

    centers: tuple[np.ndarray, ...]

    @classmethod
    def fit(cls, graphs: Sequence[Tensor], num_patterns: int, seed: int) -> PatternCodebook:
        """Cluster the nodes of graphs, given as level embeddings ``[L, N, D]``, at each depth.

        Different embeddings count once, so that the most frequent ones do not take all patterns;
        there are fewer patterns than asked for where there are fewer embeddings.
        """
        # 1. a sample of all nodes
        ends = np.cumsum([graph.shape[1] for graph in graphs])
        rng = np.random.default_rng(seed)
        drawn = np.sort(rng.choice(ends[-1], min(_MOST_CLUSTERED, ends[-1]), replace=False))
        drawn_of_graphs = np.split(drawn, np.searchsorted(drawn, ends[:-1]))
        starts = ends - [graph.shape[1] for graph in graphs]
        sample = np.concatenate(
            [
                graph[:, nodes - start].numpy()
                for graph, nodes, start in zip(graphs, drawn_of_graphs, starts, strict=True)
            ],
            axis=1,
        )
        # 2. centres of each depth; by one thread, whose sums have one order
        centers = []
        for depth in range(len(sample)):
            points = np.unique(_side_by_side(sample, depth).round(_DIGITS), axis=0)
            if len(points) > num_patterns:
                clusters = MiniBatchKMeans(
                    num_patterns, n_init=1, batch_size=2048, random_state=seed % SEEDS_OF_SKLEARN
                )
                with threadpool_limits(1):
                    points = clusters.fit(points).cluster_centers_
            centers.append(points.astype(np.float32))
        return cls(tuple(centers))

    def count(self, graphs: Sequence[Tensor]) -> np.ndarray:
        """How many nodes of each graph have each pattern, depth by depth: int32 ``[G, all P]``."""
        lengths = [0.5 * (centers**2).sum(axis=1) for centers in self.centers]
        bags = []
        for graph in graphs:
            levels, counts = graph.numpy(), []
            for depth, (centers, length) in enumerate(zip(self.centers, lengths, strict=True)):
                nearest = (_side_by_side(levels, depth) @ centers.T - length).argmax(axis=1)
                counts.append(np.bincount(nearest, minlength=len(centers)))
            bags.append(np.concatenate(counts))
        return np.array(bags, np.int32)


def _side_by_side(levels: np.ndarray, depth: int) -> np.ndarray:
    """Level embeddings 0 to ``depth`` of each node: ``[L, N, D]`` → ``[N, (depth + 1) D]``."""
    return np.ascontiguousarray(levels[: depth + 1].transpose(1, 0, 2)).reshape(levels.shape[1], -1)


def match_bags(rows: np.ndarray, columns: np.ndarray, num_depths: int) -> np.ndarray:
    """Share of the nodes that match between graphs with these bags, float64 ``[G, H]`` in [0, 1].

    Nodes match where they have the same pattern; the mean over the depths, divided by the geometric
    mean of the numbers of nodes. It is positive semi-definite, as an optimal assignment of items
    that are alike or not is (Kriege et al., NeurIPS 2016).
    """
    sizes = [bags.sum(axis=1) / num_depths for bags in (rows, columns)]
    perfect = num_depths * np.sqrt(np.outer(*sizes))
    shared = np.empty((len(rows), len(columns)), np.int64)
    run_blocks(_intersect, len(rows), 0.3 * shared.size * rows.shape[1], rows, columns, shared)
    return np.asarray(shared / perfect)


@compiled()
def _intersect(
    first: int, last: int, rows: np.ndarray, columns: np.ndarray, shared: np.ndarray
) -> None:
    """Add up the minima of int32 counts ``[G, P]`` and ``[H, P]``: int64 ``[G, H]``."""
    for g in range(first, last):
        for h in range(len(columns)):
            total = np.int64(0)
            for p in range(rows.shape[1]):
                total += min(rows[g, p], columns[h, p])
            shared[g, h] = total
