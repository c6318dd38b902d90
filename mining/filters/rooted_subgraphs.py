"""The rooted subgraphs that filters are trained on by gradients, as tensors on a device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gomkcn.mining.filters.filter_bank import refuse_overflow
from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.subgraphs import SubgraphBatch


@dataclass(frozen=True)
class RootedSubgraphs:
    """U subgraphs of at most N nodes on a device, without weights of edges, with their embeddings.

    ``adj`` is ``[U, N, N]``, or ``[U, N, N, C]`` for several channels, ``feat [U, N, D]`` are
    scaled features, ``levels [U, L, N, D]`` the embeddings, and ``num_nodes [U]`` the sizes.
    """

    adj: Tensor
    feat: Tensor
    levels: Tensor
    num_nodes: Tensor
    relations: Relations

    @property
    def device(self) -> torch.device:
        """Where the tensors are."""
        return self.feat.device

    @classmethod
    def of(
        cls,
        batch: SubgraphBatch,
        feat: np.ndarray,
        kernel: GOMKKernel,
        device: torch.device | str = "cpu",
    ) -> RootedSubgraphs:
        """The subgraphs of a batch with scaled features ``[U, N, D]``, zero for padding."""
        adj = torch.from_numpy(batch.adjacency()).to(device)
        on_device = torch.from_numpy(feat).to(device)
        levels = kernel.embed(adj, on_device)
        refuse_overflow(bool(levels.isfinite().all()), kernel)
        num_nodes = torch.from_numpy(batch.num_nodes.astype(np.int64)).to(device)
        return cls(adj, on_device, levels, num_nodes, batch.relations)
