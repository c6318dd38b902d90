"""Discretisation: trained filters with edge weights between 0 and 1 become graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse.csgraph import connected_components

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import Relations

if TYPE_CHECKING:
    from gomkcn_dgl.filters import GraphFilters


@dataclass(frozen=True)
class DiscreteFilters:
    """F filters turned into graphs, on the CPU, each still padded to M nodes for the kernel.

    ``adj`` float32 ``[F, M, M]`` of zeros and ones, with the nodes of the pattern first, or
    ``[F, M, M, C]`` for the channels of several relations or directions; ``feat [F, M, D]`` scaled
    features, zero for padding; ``weights``, shaped as ``adj``, the learnt edge weights;
    ``num_nodes`` of each filter.
    """

    adj: Tensor
    feat: Tensor
    weights: Tensor
    num_nodes: tuple[int, ...]

    def structure(
        self, number: int, relations: Relations, categories: tuple[tuple[str, ...], ...] = ()
    ) -> Structure:
        """The structure of one filter, in the relations of the graph that it was trained on."""
        size = self.num_nodes[number]
        return Structure.of_channels(self.adj[number, :size, :size].numpy(), relations, categories)

    def structure_keys(self, relations: Relations) -> list[bytes]:
        """The key of the structure of each filter."""
        return [self.structure(number, relations).key for number in range(len(self.num_nodes))]


def discretize(filters: GraphFilters) -> DiscreteFilters:
    """Make a graph of each filter: its edges of weight above ½, without isolated parts.

    A subgraph is connected, so whatever is not in the largest component of a filter imitates
    padding and is pruned.
    """
    with torch.no_grad():
        weights = filters.adj().detach().cpu().clone()
        feat = filters.feat().detach().cpu().clone()
    adj = (weights > 0.5).float()
    sizes = []
    for number in range(len(adj)):
        joined = adj[number] if adj.dim() == 3 else adj[number].amax(dim=2)
        _, part = connected_components(joined.numpy(), directed=False)
        counts = np.bincount(part)
        size = int(counts.max())
        sizes.append(size)
        # the nodes of the component come first, and the others become padding
        order = torch.from_numpy(np.argsort(part != counts.argmax(), kind="stable"))
        for matrix in (adj, weights):
            matrix[number] = matrix[number][order][:, order]
            matrix[number, size:] = 0
            matrix[number, :, size:] = 0
        feat[number] = feat[number][order]
        feat[number, size:] = 0
    return DiscreteFilters(adj, feat, weights, tuple(sizes))
