"""A peer of the kernel: PyTorch as one would write it for speed, distances as matrix products."""

from __future__ import annotations

import torch
from inputs import LEVEL_SCALE, MatchingInputs
from torch import Tensor

from gomkcn_dgl.embeddings import level_embeddings

NAME = "PyTorch, matrix products, greedy"


def forward_backward(inputs: MatchingInputs) -> tuple[Tensor, ...]:
    """Scores by greedy matching and the gradients of their sum, as in ``MatchingInputs``."""
    levels = inputs.num_levels
    nodes = torch.arange(inputs.feat.shape[1], device=inputs.feat.device)
    real = nodes < inputs.num_nodes.unsqueeze(1)  # [S, N]
    feat = inputs.feat * real.unsqueeze(2)
    x = level_embeddings(inputs.adj, feat, levels, level_scale=LEVEL_SCALE)
    z = level_embeddings(inputs.filter_adj, inputs.filter_feat, levels, level_scale=LEVEL_SCALE)
    table = sum(_similarity(x[:, i], z[:, i]) for i in range(levels + 1))
    assert isinstance(table, Tensor)
    with torch.no_grad():
        choices = _greedy(table)
    scores = table.gather(3, choices.unsqueeze(3)).sum(dim=(2, 3))
    parameters = (inputs.feat, inputs.filter_adj, inputs.filter_feat)
    return (scores, *torch.autograd.grad(scores.sum(), parameters))


def _similarity(x: Tensor, z: Tensor) -> Tensor:
    """RBF of ``[S, N, D]`` and ``[F, M, D]``, by |x - z|² = |x|² + |z|² - 2 x z."""
    (S, N, D), (F, M, _) = x.shape, z.shape
    products = x.reshape(S * N, D) @ z.reshape(F * M, D).T
    norms = x.square().sum(dim=2).reshape(-1, 1) + z.square().sum(dim=2).reshape(1, -1)
    table = torch.exp((2 * products - norms) / D)
    return table.reshape(S, N, F, M).transpose(1, 2)  # [S, F, N, M]


def _greedy(table: Tensor) -> Tensor:
    """Each node in turn takes the most similar filter node left: int64 ``[S, F, N]``, N = M."""
    left = table.clone()
    choices = []
    for n in range(table.shape[2]):
        choice = left[:, :, n].argmax(dim=2)
        choices.append(choice)
        left.scatter_(3, choice[:, :, None, None].expand(*table.shape[:3], 1), -torch.inf)
    return torch.stack(choices, dim=2)
