"""Matching in plain PyTorch: the definition of the scores, with gradients from autograd.

The table of similarities ``[S, F, N, M]`` between all nodes of all subgraphs and all filters is
laid out in full; a matching picks at most one entry from each row and column; the score of a pair
is the sum of the picked entries. The matching itself is found without gradient: for the optimal one
the gradient of the maximum is the gradient of the maximiser wherever it is unique.
"""

from __future__ import annotations

from typing import NamedTuple

from gomkcn_dgl._torch import Tensor, torch


class Matched(NamedTuple):
    """What every matching backend returns."""

    scores: Tensor  # [S, F]
    matching: Tensor  # int16 or int64 [S, F, N], -1 = unmatched


class BestFilters(NamedTuple):
    """The filter that each subgraph is most similar to, the first of several."""

    filters: Tensor  # int64 [S]
    scores: Tensor  # [S]
    matching: Tensor  # int16 or int64 [S, N], -1 = unmatched


def rbf(x: Tensor, z: Tensor, bandwidth: float) -> Tensor:
    """Similarity of level embeddings ``[..., D]``, in [0, 1]: the paper's solid function."""
    # beyond this the square is infinite, and 0 times infinity would be the gradient
    limit = torch.finfo(x.dtype).max ** 0.5
    difference = (x - z).clamp(-limit, limit)
    return torch.exp(-difference.square().sum(dim=-1) / bandwidth)


def match(
    x: Tensor,
    z: Tensor,
    bandwidth: list[float],
    rows: Tensor,
    matching: str,
    anchor_root: bool,
) -> Matched:
    """Score every subgraph against every filter.

    ``x [S, L, N, D]`` and ``z [F, L, M, D]`` are level embeddings, ``bandwidth [L]`` the divisors
    ``D * tau_i`` inside the exponential. Only the first ``rows[s]`` nodes of subgraph s may be
    matched; with ``anchor_root`` node 0 is matched to filter node 0 whatever it costs.
    """
    table = similarity_table(x, z, bandwidth)
    find = _optimal if matching == "optimal" else _greedy
    with torch.no_grad():
        # a NaN is as bad as can be: it must not decide anything
        assignment = find(table.detach().nan_to_num(), rows, anchor_root)
    picked = table.gather(3, assignment.clamp(min=0).unsqueeze(3)).squeeze(3)  # [S, F, N]
    return Matched((picked * (assignment >= 0)).sum(dim=2), assignment)


def match_best(
    x: Tensor,
    z: Tensor,
    bandwidth: list[float],
    rows: Tensor,
    matching: str,
    anchor_root: bool,
) -> BestFilters:
    """The best of F >= 1 filters for every subgraph; the arguments are those of ``match``."""
    with torch.no_grad():
        return best_of(match(x, z, bandwidth, rows, matching, anchor_root))


def best_of(matched: Matched) -> BestFilters:
    """Keep of ``[S, F]`` scores the largest, the first of equal ones; NaN counts as 0.

    >>> scores = torch.tensor([[1.0, 3.0, 3.0], [torch.nan, 0.0, 2.0]])
    >>> best_of(Matched(scores, torch.arange(6).reshape(2, 3, 1)))[::2]
    (tensor([1, 2]), tensor([[1],
            [5]]))
    """
    scores, matching = matched
    best = scores.nan_to_num(nan=0.0).argmax(dim=1)
    rows = torch.arange(len(best), device=best.device)
    return BestFilters(best, scores[rows, best], matching[rows, best])


def similarity_table(x: Tensor, z: Tensor, bandwidth: list[float]) -> Tensor:
    """Similarity of every node to every filter node, summed over levels: ``[S, F, N, M]``."""
    left = x[:, None, :, :, None, :]  # [S, 1, L, N, 1, D]
    right = z[None, :, :, None, :, :]  # [1, F, L, 1, M, D]
    levels = [rbf(left[:, :, i], right[:, :, i], width) for i, width in enumerate(bandwidth)]
    return torch.stack(levels).sum(dim=0)


def matched_similarity(x: Tensor, z: Tensor, matching: Tensor, bandwidth: list[float]) -> Tensor:
    """Score pairs ``[P]`` whose matching ``[P, N]`` is known; differentiable in x and z."""
    matching = matching.long()
    # laid out in full: over an expanded index, the threads of the backward pass wait for each other
    place = matching.clamp(min=0)[:, None, :, None].expand(*x.shape).contiguous()
    # gather and not indexing, whose backward pass adds up in no fixed order
    partner = z.gather(2, place)  # [P, L, N, D]
    levels = [rbf(x[:, i], partner[:, i], width) for i, width in enumerate(bandwidth)]
    return (torch.stack(levels).sum(dim=0) * (matching >= 0)).sum(dim=1)


def _optimal(table: Tensor, rows: Tensor, anchor_root: bool) -> Tensor:
    """Exact assignment."""
    # here, since it imports PyTorch
    from gomkcn_dgl.kernels.assignment_scipy import match_optimally

    return match_optimally(table, rows, anchor_root)


def _greedy(table: Tensor, rows: Tensor, anchor_root: bool) -> Tensor:
    """Nodes choose in order, each the most similar filter node left (the paper's Algorithm 1)."""
    num_nodes, num_filter_nodes = table.shape[2:]
    out = torch.full(table.shape[:3], -1, dtype=torch.int64, device=table.device)
    left = table.clone()
    for n in range(min(num_nodes, num_filter_nodes)):
        choice = left[:, :, n].argmax(dim=2)  # [S, F]
        if anchor_root and n == 0:
            choice = torch.zeros_like(choice)
        takes_part = (n < rows).unsqueeze(1)  # [S, 1]
        out[:, :, n] = torch.where(takes_part, choice, -1)
        # a node that does not take part displaces nothing, but no node after it does either
        left.scatter_(3, choice[:, :, None, None].expand(-1, -1, num_nodes, 1), -torch.inf)
    return out
