"""Subgraphs as plain tensors: what travels to a device and through a compiler."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gomkcn_dgl.kernels.bfs_reference import WORD_BITS


class SubgraphTensors(NamedTuple):
    """A :class:`gomkcn_dgl.SubgraphBatch` as plain tensors.

    Attributes
    ----------
    nodes : Tensor
        int32 ``[S, N]``, root first, -1 = padding.
    num_nodes : Tensor
        int64 ``[S]`` nodes that are not padding.
    bits : Tensor or None
        int64 ``[S, N, ceil(N / 64)]``; bit ``j`` of row ``i`` says that nodes i and j are joined.
    weights : Tensor or None
        ``[S, N, N]`` edge weights, in place of ``bits``; ``[S, N, N, C]``, in place of ``links``,
        where edges of several channels have weights.
    links : Tensor or None
        ``[S, N, N]`` all that joins node i to node j, a row of ``channels``; 0 = not joined.
    channels : Tensor or None
        bool ``[K, C]``, the channels of each link.
    """

    nodes: Tensor
    num_nodes: Tensor
    bits: Tensor | None
    weights: Tensor | None
    links: Tensor | None = None
    channels: Tensor | None = None

    @property
    def has_channels(self) -> bool:
        """Whether nodes can be joined in several ways."""
        return self.links is not None or (self.weights is not None and self.weights.dim() == 4)

    @property
    def num_channels(self) -> int:
        """Ways in which nodes can be joined, each a direction of a relation."""
        if self.channels is not None:
            return self.channels.shape[1]
        return self.weights.shape[3] if self.has_channels else 1  # type: ignore[union-attr]

    @classmethod
    def of_matrices(cls, adj: Tensor, num_nodes: Tensor | None) -> SubgraphTensors:
        """Subgraphs with adjacency ``[S, N, N]`` that share no node; padding may hold anything."""
        batch, size = adj.shape[:2]
        nodes = torch.arange(batch * size, dtype=torch.int32, device=adj.device)
        nodes = nodes.reshape(batch, size)
        if num_nodes is None:
            num_nodes = torch.full((batch,), size, device=adj.device)
        else:
            nodes = nodes.masked_fill(nodes % size >= num_nodes.unsqueeze(1), -1)
        return cls(nodes, num_nodes, None, adj.detach())

    def select(self, rows: Tensor) -> SubgraphTensors:
        """Return some subgraphs, int64 ``[R]``."""
        return self._replace(
            nodes=self.nodes[rows],
            num_nodes=self.num_nodes[rows],
            bits=None if self.bits is None else self.bits[rows],
            weights=None if self.weights is None else self.weights[rows],
            links=None if self.links is None else self.links[rows],
        )

    def adjacency(self, dtype: torch.dtype) -> Tensor:
        """Edge weights, or 1 for an edge and 0 for none, ``[S, N, N]`` or ``[S, N, N, C]``."""
        if self.links is not None:
            return self.channels[self.links.long()].to(dtype)  # type: ignore[index]
        if self.bits is None:
            weights: Tensor = self.weights  # type: ignore[assignment]
            real = self.nodes >= 0
            both = real.unsqueeze(2) & real.unsqueeze(1)
            both = both if weights.dim() == 3 else both.unsqueeze(3)
            return torch.where(both, weights, 0.0).to(dtype)
        # bit j of a row is bit j % 64 of word j // 64
        column = torch.arange(self.nodes.shape[1], device=self.nodes.device)
        words = self.bits[:, :, column // WORD_BITS]
        return ((words >> (column % WORD_BITS)) & 1).to(dtype)

    def gather(self, feat: Tensor) -> Tensor:
        """Features of the nodes, zero for padding: ``[V, D]`` → ``[S, N, D]``, differentiable."""
        rows = feat[self.nodes.clamp(min=0).long()]
        return torch.where(self.nodes.unsqueeze(2) >= 0, rows, torch.zeros_like(rows))
