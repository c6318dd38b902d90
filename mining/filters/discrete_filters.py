"""Filters as graphs: real subgraphs, or trained filters whose edge weights are rounded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import Relations

if TYPE_CHECKING:
    from gomkcn_dgl.filters import GraphFilters


@dataclass(frozen=True, eq=False)
class DiscreteFilters:
    """F filters as graphs, each padded to M nodes for the kernel.

    ``adj`` float32 ``[F, M, M]`` of zeros and ones, with the nodes of the pattern first, or
    ``[F, M, M, C]`` for the channels of several relations or directions; ``feat [F, M, D]`` scaled
    features, zero for padding; ``weights``, shaped as ``adj``, the learnt edge weights;
    ``num_nodes`` of each filter.
    """

    adj: np.ndarray
    feat: np.ndarray
    weights: np.ndarray
    num_nodes: tuple[int, ...]

    def __len__(self) -> int:
        """Number of filters F."""
        return len(self.num_nodes)

    def structure(
        self, number: int, relations: Relations, categories: tuple[tuple[str, ...], ...] = ()
    ) -> Structure:
        """The structure of one filter, in the relations of the graph that it was trained on."""
        size = self.num_nodes[number]
        return Structure.of_channels(self.adj[number, :size, :size], relations, categories)

    def structure_keys(self, relations: Relations) -> list[bytes]:
        """The key of the structure of each filter."""
        return [self.structure(number, relations).key for number in range(len(self))]

    def take(self, order: np.ndarray) -> DiscreteFilters:
        """Some filters, in an order."""
        sizes = tuple(self.num_nodes[number] for number in order.tolist())
        return DiscreteFilters(self.adj[order], self.feat[order], self.weights[order], sizes)

    def padded(self, size: int) -> DiscreteFilters:
        """The same filters, padded to more nodes, or to fewer where all have fewer."""
        kept = min(size, self.adj.shape[1])

        def resize(array: np.ndarray, axes: int) -> np.ndarray:
            shape = (len(array), *[size] * axes, *array.shape[1 + axes :])
            whole = np.zeros(shape, array.dtype)
            inside = (slice(None), *[slice(kept)] * axes)
            whole[inside] = array[inside]
            return whole

        return DiscreteFilters(
            resize(self.adj, 2), resize(self.feat, 1), resize(self.weights, 2), self.num_nodes
        )

    def replaced(self, rows: np.ndarray, others: DiscreteFilters) -> DiscreteFilters:
        """The same filters, but for some rows, which are others of at most as many nodes."""
        wide = others.padded(self.adj.shape[1])
        adj, feat, weights = self.adj.copy(), self.feat.copy(), self.weights.copy()
        adj[rows], feat[rows], weights[rows] = wide.adj, wide.feat, wide.weights
        sizes = np.array(self.num_nodes)
        sizes[rows] = wide.num_nodes
        return DiscreteFilters(adj, feat, weights, tuple(sizes.tolist()))

    @classmethod
    def join(cls, parts: list[DiscreteFilters]) -> DiscreteFilters:
        """The filters of several parts one after the other, all padded to the largest size."""
        size = max(part.adj.shape[1] for part in parts)
        wide = [part.padded(size) for part in parts]
        return cls(
            np.concatenate([part.adj for part in wide]),
            np.concatenate([part.feat for part in wide]),
            np.concatenate([part.weights for part in wide]),
            tuple(number for part in wide for number in part.num_nodes),
        )


def discretize(filters: GraphFilters) -> DiscreteFilters:
    """Make a graph of each filter: its edges of weight above ½, without isolated parts.

    A subgraph is connected, so whatever is not in the largest component of a filter imitates
    padding and is pruned.
    """
    # which takes as long to load as all that filters without a training need of SciPy
    from scipy.sparse.csgraph import connected_components

    weights = filters.adj().detach().cpu().numpy().copy()
    feat = filters.feat().detach().cpu().numpy().copy()
    adj = (weights > 0.5).astype(np.float32)
    sizes = []
    for number in range(len(adj)):
        joined = adj[number] if adj.ndim == 3 else adj[number].max(axis=2)
        _, part = connected_components(joined, directed=False)
        counts = np.bincount(part)
        size = int(counts.max())
        sizes.append(size)
        # the nodes of the component come first, and the others become padding
        order = np.argsort(part != counts.argmax(), kind="stable")
        for matrix in (adj, weights):
            matrix[number] = matrix[number][order][:, order]
            matrix[number, size:] = 0
            matrix[number, :, size:] = 0
        feat[number] = feat[number][order]
        feat[number, size:] = 0
    return DiscreteFilters(adj, feat, weights, tuple(sizes))
