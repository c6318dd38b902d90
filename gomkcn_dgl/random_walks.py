r"""Random walk kernels of other papers, for :class:`gomkcn.GraphKernelConv`.

All compare a subgraph with features X and adjacency A to a filter with Z and B by the walks that
both have: with :math:`S = X Z^T`, :math:`s = \mathrm{vec}(S)` and the adjacency
:math:`A_\times = A \otimes B` of their direct product, whose walks are pairs of walks.

Their scores grow with the features and with degree^steps and have no largest value. What a layer
with ``normalize=True`` returns instead is said for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

import torch
from torch import Tensor

from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.kernels import random_walk_reference, random_walk_torch

BACKENDS = {
    "auto": random_walk_torch,
    "torch": random_walk_torch,
    "reference": random_walk_reference,
}
NORMALIZATIONS = ("cosine", "mean")
# longer walks say nothing about a small graph, and their number overflows
MAX_STEPS = 64


@dataclass(frozen=True)
class _WalkKernel:
    """What the kernels below have in common: a number of steps, backends, a scale."""

    num_steps: int = 2
    normalization: str = "mean"

    def __post_init__(self) -> None:
        check_int("num_steps", self.num_steps, self._first_length(), MAX_STEPS)
        check_choice("normalization", self.normalization, NORMALIZATIONS)

    def prepare(self, backend: str, device: str) -> None:
        """Refuse a backend that there is not; every one runs on every device."""
        self._module(backend)

    def initial_weight(self, max_nodes: int, filter_size: int) -> Tensor | None:
        """First value of what a layer learns beside its filters: nothing."""
        return None

    def score(
        self,
        subgraphs: SubgraphTensors,
        feat: Tensor,
        filter_adj: Tensor,
        filter_feat: Tensor,
        backend: str = "auto",
        pair_weight: Tensor | None = None,
    ) -> Tensor:
        """Return the scores ``[S, F]``, differentiable in the features and the filters.

        ``"torch"`` multiplies matrices on any device, ``"reference"`` walks on the product graph.
        ``pair_weight [N, M]`` is for :class:`DeepRandomWalkKernel` only; None: all 1.
        """
        tensors = _tensors(subgraphs, feat, filter_adj, filter_feat)
        return self._walk(self._module(backend), tensors, pair_weight)

    def normalize(
        self,
        scores: Tensor,
        subgraphs: SubgraphTensors,
        feat: Tensor,
        filter_adj: Tensor,
        filter_feat: Tensor,
    ) -> Tensor:
        """Bring scores to a range that does not depend on the sizes, see ``normalization``."""
        if self.normalization == "cosine":
            adj, _, feat, *filters = _tensors(subgraphs, feat, filter_adj, filter_feat)
            of_subgraphs = self._self_score(adj, subgraphs.gather(feat))
            return _cosine(scores, of_subgraphs, self._self_score(*filters))
        num_lengths = self.num_steps + 1 - self._first_length()
        return scores / (subgraphs.nodes.shape[1] * filter_feat.shape[1] * num_lengths)

    def _first_length(self) -> int:
        """Steps of the shortest walk that counts."""
        return 0

    def _walk(
        self, module: ModuleType, tensors: tuple[Tensor, ...], pair_weight: Tensor | None
    ) -> Tensor:
        """Scores by one backend, ``[S, F]``."""
        raise NotImplementedError

    def _self_score(self, adj: Tensor, feat: Tensor) -> Tensor:
        """Score of each graph of a batch with itself, ``[B]``."""
        raise NotImplementedError

    def _module(self, backend: str) -> ModuleType:
        return BACKENDS[check_choice("backend", backend, BACKENDS)]


@dataclass(frozen=True)
class RandomWalkKernel(_WalkKernel):
    r"""The random walk kernel of KerGNN (Feng et al., AAAI 2022, arXiv:2201.00491).

    .. math:: k(G, H) = \sum_{p=0}^{P} s^T A_\times^p s

    counts the walks of up to P steps that both graphs have, each weighted by
    the similarity of its first two nodes times that of its last two; the nodes between are not
    compared. It is the P-step kernel
    of Random Walk Graph Neural Networks (NeurIPS 2020) with equal weights for all steps.

    Attributes
    ----------
    num_steps : int
        P, steps of the longest walk, at least 0.
    normalization : {"mean", "cosine"}
        What a layer with ``normalize=True`` returns. ``"mean"``: the score over N M (P + 1), the
        mean over all pairs of nodes and all lengths, padding included, as the authors' code has it.
        ``"cosine"``: :math:`k(G, H) / \sqrt{k(G, G)\, k(H, H)}`, in [-1, 1] and 1 for a filter that
        is the subgraph; 0 where either is 0.

    Notes
    -----
    The authors' ``max_step`` is P + 1, and their code drops out entries of the table of walks while
    training; put a dropout behind the layer instead.
    """

    def _walk(
        self, module: ModuleType, tensors: tuple[Tensor, ...], pair_weight: Tensor | None
    ) -> Tensor:
        return module.random_walk(*tensors, self.num_steps, pair_weight)

    def _self_score(self, adj: Tensor, feat: Tensor) -> Tensor:
        # with both graphs equal, the levels of one side are enough
        levels = [feat]
        for _ in range(self.num_steps):
            levels.append(adj @ levels[-1])
        walks = torch.cat(levels, dim=2)  # [B, N, (P + 1) D]
        return ((feat @ feat.mT) * (walks @ walks.mT)).sum(dim=(1, 2))


@dataclass(frozen=True)
class DeepRandomWalkKernel(RandomWalkKernel):
    r"""The deep random walk kernel of KerGNN (Feng et al., AAAI 2022, arXiv:2201.00491).

    .. math:: k(G, H) = \sum_{p=0}^{P} s^T \mathrm{diag}(w)\, A_\times^p s

    is the random walk kernel with a learnt weight for each pair of a subgraph's node and a filter's
    node, after the deep graph kernels :math:`\phi(G)^T M \phi(H)` of Yanardag and Vishwanathan
    (KDD 2015). All filters and lengths share the N x M weights; they start at 1, where this is
    :class:`RandomWalkKernel`.

    The weights go by the position in the subgraph, the root first, so that this kernel, unlike the
    others, depends on the order of the nodes; and it is no inner product, so that it has no cosine.
    ``normalize=True`` divides by N M (P + 1) as the authors' code does.

    Attributes
    ----------
    num_steps : int
        P, steps of the longest walk, at least 0.

    Notes
    -----
    The authors' code differs for walks of two steps and more: it moves the subgraph by one step
    only, :math:`A X (B^p Z)^T`. Here both move p steps, as walks on the product graph do. It also
    adds a bias, which the layer after this one may have.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.normalization != "mean":
            raise InputError(
                f"normalization of the deep kernel must be 'mean', got {self.normalization!r}."
            )

    def initial_weight(self, max_nodes: int, filter_size: int) -> Tensor:
        """First value of the weights that a layer learns beside its filters, ``[N, M]``."""
        return torch.ones(max_nodes, filter_size)


@dataclass(frozen=True)
class ImprovedRandomWalkKernel(_WalkKernel):
    r"""RWK+, the kernel of RWK+CN (Lee, Zhao and Akoglu, WWW 2024, arXiv:2402.06087).

    .. math:: k(G, H) = \sum_{t=1}^{T} 1^T \left( (s s^T) \circ A_\times \right)^t 1

    counts the walks of 1 to T steps that both graphs have, *colour-matching*: each step is weighted
    by the similarities at both of its ends, so that with one-hot features only walks whose colours
    agree all along are counted; with others, a node that a walk passes counts twice. A single
    node has no step and scores 0.

    Attributes
    ----------
    num_steps : int
        T, steps of the longest walk, at least 1.
    normalization : {"mean", "cosine"}
        As in :class:`RandomWalkKernel`; the mean is over N M T, as in the authors' code.

    Notes
    -----
    The authors' network for counting subgraphs puts a batch norm and a sigmoid between the steps
    and their mean. That is no part of the kernel and not here.
    """

    def _first_length(self) -> int:
        return 1

    def _walk(
        self, module: ModuleType, tensors: tuple[Tensor, ...], pair_weight: Tensor | None
    ) -> Tensor:
        return module.improved_random_walk(*tensors, self.num_steps)

    def _self_score(self, adj: Tensor, feat: Tensor) -> Tensor:
        similarity = feat @ feat.mT  # [B, N, N]
        # the same steps as in the kernel, on the product of the graph with itself
        walks, score = torch.ones_like(similarity), feat.new_zeros(len(feat))
        for _ in range(self.num_steps):
            walks = similarity * (adj @ (similarity * walks) @ adj)
            score = score + walks.sum(dim=(1, 2))
        return score


def _tensors(
    subgraphs: SubgraphTensors, feat: Tensor, filter_adj: Tensor, filter_feat: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """What the kernels take; bfloat16 is widened."""
    if subgraphs.has_channels:
        raise InputError(
            "kernel must be a GOMKKernel where edges have directions, types or features, got a "
            "random walk kernel; leave relations out."
        )
    if feat.dtype == torch.bfloat16:
        feat, filter_adj, filter_feat = feat.float(), filter_adj.float(), filter_feat.float()
    return subgraphs.adjacency(feat.dtype), subgraphs.nodes, feat, filter_adj, filter_feat


def _cosine(scores: Tensor, of_subgraphs: Tensor, of_filters: Tensor) -> Tensor:
    # a graph that scores 0 with itself scores 0 with all
    left, right = (torch.where(own > 0, own, 1.0).rsqrt() for own in (of_subgraphs, of_filters))
    return scores * left.unsqueeze(1) * right
