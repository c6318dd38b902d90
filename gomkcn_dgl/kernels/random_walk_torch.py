"""Random walk kernels by matrix products, some subgraphs at a time, without the product graph.

With a table ``Y [N, M]`` over the pairs of a subgraph's and a filter's nodes, a step on the product
graph is ``A Y B``, and ``S = X Z^T`` holds the similarities of the pairs.

- Walks compared at their ends. After p steps ``A^p S B^p = (A^p X) (B^p Z)^T``, so that the sum
  over p is one product of all levels side by side, ``[X, A X, ..] [Z, B Z, ..]^T``.
- Walks compared at every step. ``P = diag(s) (A x B) diag(s)`` takes ``u_j`` to ``u_{j+1}``, from
  ``u_0 = 1``, by ``v_j = A (S * u_j) B`` and ``u_{j+1} = S * v_j``; the score is the sum of
  ``u_1 .. u_T``. As P is symmetric, the derivative of ``1^T P^t 1`` is the sum of ``u_i^T dP u_j``
  over i + j = t - 1. Over all t it has, with ``U_k = u_0 + .. + u_k``,
  ``dS: 2 sum_j U_{T-1-j} * v_j`` and ``dB: sum_j (S * U_{T-1-j})^T A (S * u_j)``: the backward pass
  takes the steps of the forward pass again and no others.

Tables of all filters stand side by side, ``[s, N, F M]``, for as many subgraphs s as fit the cache.
Both passes go through them in the same order: the result is the same on every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

# of one table; some five are in use at a time
CHUNK_BYTES = 2**21


def random_walk(
    adj: Tensor,
    nodes: Tensor,
    feat: Tensor,
    filter_adj: Tensor,
    filter_feat: Tensor,
    num_steps: int,
    pair_weight: Tensor | None,
) -> Tensor:
    """As :func:`gomkcn_dgl.kernels.random_walk_reference.random_walk`, in the dtype of ``feat``."""
    levels = [filter_feat]
    for _ in range(num_steps):
        levels.append(filter_adj @ levels[-1])
    z = torch.cat(levels, dim=2)  # [F, M, (P + 1) D]
    return _RandomWalk.apply(adj, nodes, feat, z, pair_weight)


class _RandomWalk(torch.autograd.Function):
    """Walks compared at their ends; the filters come as their levels side by side."""

    @staticmethod
    def forward(
        ctx: Any, adj: Tensor, nodes: Tensor, feat: Tensor, z: Tensor, pair_weight: Tensor | None
    ) -> Tensor:
        ctx.save_for_backward(adj, nodes, feat, z, pair_weight)
        num_filters, filter_size, width = z.shape
        z = z.flatten(0, 1)  # [F M, (P + 1) D]
        weight = _beside(pair_weight, num_filters)
        scores = feat.new_empty(len(nodes), num_filters)
        for rows in _chunks(nodes, max(len(z), width), feat):
            # S * (S + A S B + A^2 S B^2 + ..), summed over the pairs of nodes of each filter
            x = _levels(adj[rows], _gather(feat, nodes[rows]), width)
            similarity, later = _tables(x, z, feat.shape[1])
            pairs = later.add_(similarity).mul_(similarity)
            if weight is not None:
                pairs *= weight
            scores[rows] = pairs.sum(dim=1).unflatten(1, (num_filters, filter_size)).sum(dim=2)
        return scores

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        adj, nodes, feat, z, pair_weight = ctx.saved_tensors
        num_filters, filter_size, width = z.shape
        depth = feat.shape[1]
        z = z.flatten(0, 1)
        weight = _beside(pair_weight, num_filters)
        grad_feat, grad_z = torch.zeros_like(feat), torch.zeros_like(z)
        grad_weight = None if weight is None else torch.zeros_like(weight)
        for rows in _chunks(nodes, max(len(z), width), feat):
            x = _levels(adj[rows], _gather(feat, nodes[rows]), width)  # [s, N, (P + 1) D]
            similarity, later = _tables(x, z, depth)  # [s, N, F M]
            # the derivative of w * S * (S + later) is w * (2 S + later) by S, and w * S by later
            share = upstream[rows].repeat_interleave(filter_size, dim=1).unsqueeze(1)
            if weight is not None and grad_weight is not None:
                grad_weight += ((similarity + later) * similarity * share).sum(dim=0)
                share = share * weight
            # in place, since the tables are the largest arrays here
            grad_similarity = later.add_(similarity, alpha=2).mul_(share)
            grad_later = similarity.mul_(share)
            parts = ((grad_similarity, slice(0, depth)), (grad_later, slice(depth, width)))
            for grad_table, part in parts:
                grad_z[:, part] += grad_table.flatten(0, 1).T @ x[:, :, part].flatten(0, 1)
            grad_x = torch.cat([table @ z[:, part] for table, part in parts], dim=2)
            # back through the levels A^p X, from the last to the first; A is symmetric
            levels = grad_x.split(depth, dim=2)
            grad_rows = levels[-1]
            for level in reversed(levels[:-1]):
                grad_rows = level + adj[rows] @ grad_rows
            _scatter(grad_feat, nodes[rows], grad_rows)
        if grad_weight is not None:
            grad_weight = grad_weight.unflatten(1, (num_filters, filter_size)).sum(dim=1)
        return None, None, grad_feat, grad_z.view(num_filters, filter_size, width), grad_weight


class _ImprovedRandomWalk(torch.autograd.Function):
    """Walks compared at every step."""

    @staticmethod
    def forward(
        ctx: Any,
        adj: Tensor,
        nodes: Tensor,
        feat: Tensor,
        filter_adj: Tensor,
        filter_feat: Tensor,
        num_steps: int,
    ) -> Tensor:
        ctx.save_for_backward(adj, nodes, feat, filter_adj, filter_feat)
        ctx.num_steps = num_steps
        num_filters, filter_size = filter_feat.shape[:2]
        z = filter_feat.flatten(0, 1)  # [F M, D]
        scores = feat.new_empty(len(nodes), num_filters)
        for rows in _chunks(nodes, max(z.shape), feat):
            similarity = _gather(feat, nodes[rows]) @ z.T  # [s, N, F M]
            # left is S * u_j, and each step adds u_{j+1} = S * (A left B) to the walks
            left, walks = similarity, torch.zeros_like(similarity)
            for step in range(num_steps):
                here = _filter_step(adj[rows] @ left, filter_adj).mul_(similarity)
                walks += here
                if step + 1 < num_steps:
                    left = here.mul_(similarity)
            scores[rows] = walks.sum(dim=1).unflatten(1, (num_filters, filter_size)).sum(dim=2)
        return scores

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        adj, nodes, feat, filter_adj, filter_feat = ctx.saved_tensors
        num_filters, filter_size = filter_feat.shape[:2]
        z = filter_feat.flatten(0, 1)
        tables = (num_filters, filter_size)
        grad_feat, grad_z = torch.zeros_like(feat), torch.zeros_like(z)
        grad_adj = torch.zeros_like(filter_adj)
        for rows in _chunks(nodes, max(z.shape), feat):
            x = _gather(feat, nodes[rows])
            similarity = x @ z.T  # [s, N, F M]
            share = upstream[rows].repeat_interleave(filter_size, dim=1).unsqueeze(1)
            moved, arrived, sums = _walk(adj[rows], filter_adj, similarity, ctx.num_steps)
            # with rest = U_{T-1-j}: dS adds 2 rest * v_j, dB adds (S * rest)^T A (S * u_j)
            grad_similarity, shared = torch.zeros_like(similarity), similarity * share
            for left, right, rest in zip(moved, arrived, reversed(sums), strict=True):
                grad_similarity.addcmul_(rest, right)
                pairs = (rest * shared).unflatten(2, tables)
                grad_adj += torch.einsum("snfm,snfk->fmk", pairs, left.unflatten(2, tables))
            grad_similarity.mul_(share).mul_(2)
            grad_z += grad_similarity.flatten(0, 1).T @ x.flatten(0, 1)
            _scatter(grad_feat, nodes[rows], grad_similarity @ z)
        return None, None, grad_feat, grad_adj, grad_z.view_as(filter_feat), None


# the reference's function of this name, in the dtype of ``feat``
improved_random_walk = _ImprovedRandomWalk.apply


def _walk(
    adj: Tensor, filter_adj: Tensor, similarity: Tensor, num_steps: int
) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
    """``A (S * u_j)``, ``v_j`` and ``U_j`` of the steps j = 0 .. T - 1."""
    moved, arrived, sums = [], [], [torch.ones_like(similarity)]
    left = similarity
    for step in range(num_steps):
        moved.append(adj @ left)
        arrived.append(_filter_step(moved[-1], filter_adj))
        if step + 1 < num_steps:
            here = arrived[-1] * similarity
            sums.append(sums[-1] + here)
            left = here * similarity
    return moved, arrived, sums


def _filter_step(table: Tensor, filter_adj: Tensor) -> Tensor:
    """One step in every filter, ``[s, N, F M]``."""
    tables = table.unflatten(2, filter_adj.shape[:2])
    return torch.einsum("snfk,fmk->snfm", tables, filter_adj).flatten(2)


def _levels(adj: Tensor, x: Tensor, width: int) -> Tensor:
    """``[X, A X, A A X, ..]`` up to ``width`` columns, ``[s, N, (P + 1) D]``."""
    levels = [x]
    for _ in range(width // x.shape[2] - 1):
        levels.append(adj @ levels[-1])
    return torch.cat(levels, dim=2)


def _tables(x: Tensor, z: Tensor, depth: int) -> tuple[Tensor, Tensor]:
    """Similarities of all pairs, and those summed over all walks of a step or more to them."""
    return x[:, :, :depth] @ z[:, :depth].T, x[:, :, depth:] @ z[:, depth:].T  # [s, N, F M]


def _beside(pair_weight: Tensor | None, num_filters: int) -> Tensor | None:
    """The weights once for each filter, ``[N, F M]``."""
    return None if pair_weight is None else pair_weight.repeat(1, num_filters)


def _gather(feat: Tensor, nodes: Tensor) -> Tensor:
    """Features of the nodes, zero for padding, ``[s, N, D]``."""
    rows = feat[nodes.clamp(min=0).long()]
    return rows.masked_fill_((nodes < 0).unsqueeze(2), 0.0)


def _scatter(grad_feat: Tensor, nodes: Tensor, grad_rows: Tensor) -> None:
    """Add the gradient of gathered rows to that of the features."""
    grad_rows = grad_rows.masked_fill((nodes < 0).unsqueeze(2), 0.0)
    grad_feat.index_add_(0, nodes.clamp(min=0).flatten(), grad_rows.flatten(0, 1))


def _chunks(nodes: Tensor, width: int, feat: Tensor) -> Iterator[slice]:
    """Rows of the subgraphs, a table of ``width`` columns of which takes ``CHUNK_BYTES``."""
    # one subgraph at least, even if its table is larger
    row_bytes = max(nodes.shape[1] * width * feat.element_size(), 1)
    size = max(CHUNK_BYTES // row_bytes, 1)
    for start in range(0, len(nodes), size):
        yield slice(start, start + size)
