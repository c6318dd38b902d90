"""The kernels of KerGNN and RWK+CN, which :class:`gomkcn.GOMKConv` takes in place of ours.

Both compare a subgraph (features X, adjacency A) with a filter (Z, B) by the walks that both have.
``S = X Z^T [N, M]`` holds the similarities of pairs of nodes, one of each graph; ``A Y B`` takes a
table Y of pairs by a step in both. Scores grow with features and degrees and have no largest
value; a layer gives their mean over all pairs of nodes and all lengths, padding included, as the
authors' codes do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from gomkcn_dgl.embeddings import SubgraphTensors

# subgraphs whose tables are in memory at a time
_CHUNK = 2048


@dataclass(frozen=True)
class RandomWalkKernel:
    """The random walk kernel of KerGNN (Feng et al., AAAI 2022, arXiv:2201.00491).

    It sums over the walks of 0 to ``num_steps`` steps that both graphs have the similarity of their
    first two nodes times that of their last two. The authors' ``max_step`` is one more, and their
    code drops out entries of the table of walks while training.
    """

    num_steps: int = 2
    shortest: ClassVar[int] = 0

    def walks(self, similarity: Tensor, step: Callable[[Tensor], Tensor]) -> Tensor:
        """What the walks that start at each pair add to the score, in the shape of the table."""
        reached = total = similarity
        for _ in range(self.num_steps):
            reached = step(reached)
            total = total + reached
        return similarity * total

    def score(
        self, subgraphs: SubgraphTensors, feat: Tensor, filter_adj: Tensor, filter_feat: Tensor
    ) -> Tensor:
        """Return the mean of :meth:`sums` over all pairs of nodes and all lengths."""
        num_lengths = self.num_steps + 1 - self.shortest
        sums = self.sums(subgraphs, feat, filter_adj, filter_feat)
        return sums / (subgraphs.nodes.shape[1] * filter_feat.shape[1] * num_lengths)

    def sums(
        self, subgraphs: SubgraphTensors, feat: Tensor, filter_adj: Tensor, filter_feat: Tensor
    ) -> Tensor:
        """Return the scores ``[S, F]`` of subgraphs with features ``[V, D]`` against filters."""

        def score_some(adj: Tensor, feat: Tensor) -> Tensor:
            similarity = torch.einsum("snd,fmd->snfm", feat, filter_feat)
            walks = self.walks(
                similarity, lambda table: torch.einsum("sab,sbfm,fmk->safk", adj, table, filter_adj)
            )
            return walks.sum(dim=(1, 3))

        parts = (subgraphs.adjacency(feat.dtype), subgraphs.gather(feat))
        chunks = zip(*(part.split(_CHUNK) for part in parts), strict=True)
        return torch.cat([score_some(*chunk) for chunk in chunks])

    def score_pairs(
        self, adj: Tensor, feat: Tensor, other_adj: Tensor, other_feat: Tensor
    ) -> Tensor:
        """Return the scores ``[B]`` of graphs ``[B, N, N]``, each with one other graph."""
        walks = self.walks(feat @ other_feat.mT, lambda table: adj @ table @ other_adj)
        return walks.sum(dim=(1, 2))


@dataclass(frozen=True)
class ImprovedRandomWalkKernel(RandomWalkKernel):
    """RWK+, the kernel of RWK+CN (Lee, Zhao and Akoglu, WWW 2024, arXiv:2402.06087).

    It sums over the walks of 1 to ``num_steps`` steps that both graphs have, each step weighted by
    the similarities at both of its ends. The authors' network for counting subgraphs puts a batch
    norm and a sigmoid between the steps and their mean, which is no part of the kernel.
    """

    shortest: ClassVar[int] = 1

    def walks(self, similarity: Tensor, step: Callable[[Tensor], Tensor]) -> Tensor:
        """What the walks that start at each pair add to the score, in the shape of the table."""
        reached = total = similarity * step(similarity)
        for _ in range(self.num_steps - 1):
            reached = similarity * step(similarity * reached)
            total = total + reached
        return total
