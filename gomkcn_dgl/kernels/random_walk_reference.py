"""Random walk kernels on the product graph itself, in float64: the definition.

A node of the direct product of a subgraph and a filter is a pair (n, m), and two pairs are joined
where n is joined to n' and m to m': its adjacency is the Kronecker product of the two, here laid
out in full as ``[S, F, N M, N M]``. A walk on it is a pair of walks taken at the same time, one in
each graph. The similarity of a pair is the inner product of its nodes' features. Padding
has zero features and no edges, so that nothing starts, ends or passes there.
"""

from __future__ import annotations

import torch
from torch import Tensor


def random_walk(
    adj: Tensor,
    nodes: Tensor,
    feat: Tensor,
    filter_adj: Tensor,
    filter_feat: Tensor,
    num_steps: int,
    pair_weight: Tensor | None,
) -> Tensor:
    """Sum of similarity(first pair) * similarity(last pair) * weight over walks of 0.. steps.

    ``adj [S, N, N]`` and ``filter_adj [F, M, M]`` are symmetric, ``nodes [S, N]`` are rows of
    ``feat [V, D]`` with -1 for padding, ``pair_weight [N, M]`` weighs a walk by its first pair
    (None: all 1). Scores ``[S, F]``, differentiable in all but ``adj``.
    """
    similarity = _pair_similarity(nodes, feat, filter_feat)  # [S, F, N M]
    step = _product_graph(adj, filter_adj)
    start = similarity if pair_weight is None else similarity * pair_weight.double().flatten()
    score = torch.zeros_like(similarity[:, :, 0])
    arrived = similarity
    # after p steps `arrived` sums, for each pair, the similarity of the pair that p steps lead to
    for num_taken in range(num_steps + 1):
        if num_taken > 0:
            arrived = _times(step, arrived)
        score = score + (start * arrived).sum(dim=2)
    return score.to(feat.dtype)


def improved_random_walk(
    adj: Tensor,
    nodes: Tensor,
    feat: Tensor,
    filter_adj: Tensor,
    filter_feat: Tensor,
    num_steps: int,
) -> Tensor:
    """Sum over the walks of 1 to ``num_steps`` steps, where each step compares both of its ends."""
    similarity = _pair_similarity(nodes, feat, filter_feat)  # [S, F, N M]
    step = _product_graph(adj, filter_adj) * similarity.unsqueeze(2) * similarity.unsqueeze(3)
    score = torch.zeros_like(similarity[:, :, 0])
    # `walks` weighs the walks that start at each pair, one step longer every time
    walks = torch.ones_like(similarity)
    for _ in range(num_steps):
        walks = _times(step, walks)
        score = score + walks.sum(dim=2)
    return score.to(feat.dtype)


def _pair_similarity(nodes: Tensor, feat: Tensor, filter_feat: Tensor) -> Tensor:
    """Inner products of the features of all pairs, ``[S, F, N M]``."""
    rows = feat.double()[nodes.clamp(min=0).long()]  # [S, N, D]
    rows = torch.where(nodes.unsqueeze(2) >= 0, rows, torch.zeros_like(rows))
    return torch.einsum("snd,fmd->sfnm", rows, filter_feat.double()).flatten(2)


def _product_graph(adj: Tensor, filter_adj: Tensor) -> Tensor:
    """Kronecker products of all subgraphs and filters, ``[S, F, N M, N M]``."""
    product = torch.einsum("sab,fij->sfaibj", adj.double(), filter_adj.double())
    return product.flatten(4, 5).flatten(2, 3)


def _times(matrix: Tensor, vector: Tensor) -> Tensor:
    return (matrix @ vector.unsqueeze(3)).squeeze(3)
