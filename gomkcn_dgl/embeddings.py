"""Step 3: adjacency and features of subgraphs or filters → t-level subtree embeddings."""

from __future__ import annotations

import torch
from torch import Tensor

from gomkcn_dgl.errors import InputError

AGGREGATIONS = ("mean", "sum", "sym")


def level_embeddings(
    adj: Tensor,
    feat: Tensor,
    num_levels: int,
    aggregation: str = "sum",
    level_scale: float = 1.0,
) -> Tensor:
    """Embed every node of every subgraph by its subtree: ``X_0 = X``, ``X_i = A X_{i-1} / c``.

    This is the paper's t-SE (section IV-B, the level embedding): level i holds the features at the
    end of all walks of length i, summed. The sums grow like degree^i, which drives the RBF to an
    exact 0 and its gradient with it, so ``level_scale`` divides level i by c^i, alike for
    subgraphs and filters. The paper has c = 1.

    Parameters
    ----------
    adj : Tensor
        ``[B, N, N]`` symmetric, weights >= 0.
    feat : Tensor
        ``[B, N, D]``.
    num_levels : int
        The paper's t; L = t + 1 levels come back.
    aggregation : {"sum", "mean", "sym"}
        ``A`` itself (the paper), ``A`` divided by the degree of its row, or divided by the square
        roots of both degrees. A node without edges gets 0.
    level_scale : float
        The divisor c of each step.

    Returns
    -------
    Tensor
        ``[B, L, N, D]``, differentiable in both inputs.

    Examples
    --------
    >>> path = torch.tensor([[[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]])
    >>> level_embeddings(path, torch.ones(1, 3, 1), num_levels=2)[0, :, :, 0].tolist()
    [[1.0, 1.0, 1.0], [1.0, 2.0, 1.0], [2.0, 2.0, 2.0]]
    """
    transition = transition_matrix(adj, aggregation) / level_scale
    # each level applies the transition matrix once more
    levels = [feat]
    for _ in range(num_levels):
        levels.append(transition @ levels[-1])
    return torch.stack(levels, dim=1)


def transition_matrix(adj: Tensor, aggregation: str) -> Tensor:
    """Turn an adjacency ``[B, N, N]`` into what a level takes from the one before."""
    if aggregation == "sum":
        return adj
    degree = adj.sum(dim=-1, keepdim=True)
    # a node without edges has a zero row whatever it is divided by
    degree = torch.where(degree > 0, degree, torch.ones_like(degree))
    if aggregation == "mean":
        return adj / degree
    # D^-1/2 A D^-1/2
    root = degree.rsqrt()
    return root * adj * root.transpose(-1, -2)


def refuse_overflow(scores: Tensor, *inputs: Tensor) -> None:
    """Refuse scores that are not finite where all inputs are; a NaN in the input stays one.

    Only on the CPU and outside ``torch.compile``: elsewhere the question would stop the device.
    """
    if torch.compiler.is_compiling() or scores.device.type != "cpu" or scores.isfinite().all():
        return
    if all(bool(tensor.isfinite().all()) for tensor in inputs):
        largest = max(tensor.detach().abs().max().item() for tensor in inputs)
        raise InputError(
            f"features and edge weights must be small enough for {scores.dtype} to hold their "
            f"level sums, products and squares, got numbers up to {largest:g}; scale them down, or "
            "use fewer levels."
        )
