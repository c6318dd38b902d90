"""Matching on the CPU: forward and backward that never hold the full table ``[S, F, N, M]``.

The table of one pair is computed into a scratch of one thread, matched there, and only the score
and the matching leave. The backward pass goes over matched nodes only. It runs twice: once with
threads over subgraphs, for their gradient, and once with threads over filters, for theirs, so that
every sum has one owner and one order, and the result does not depend on the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numba import njit, prange
from torch import Tensor

from gomkcn_dgl.kernels.compiled import JIT, PARALLEL_JIT, threads_for
from gomkcn_dgl.kernels.matching_reference import DICE_EPSILON, Matched

SOLID_CODES = {"rbf": 0, "dice": 1}
_RBF = SOLID_CODES["rbf"]


def match(
    x: Tensor,
    z: Tensor,
    bandwidth: list[float],
    rows: Tensor,
    solid: str,
    matching: str,
    anchor_root: bool,
) -> Matched:
    """Score every subgraph against every filter; ``matching_reference`` defines the result."""
    scores, assignment = _Match.apply(
        x, z, bandwidth, rows, SOLID_CODES[solid], matching == "optimal", anchor_root
    )
    return Matched(scores, assignment.long())


class _Match(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        z: Tensor,
        bandwidth: list[float],
        rows: Tensor,
        solid: int,
        optimal: bool,
        anchor_root: bool,
    ) -> tuple[Tensor, Tensor]:
        x, z = x.detach().contiguous(), z.detach().contiguous()
        widths = np.array(bandwidth, dtype=x.numpy().dtype)
        scores = torch.empty(len(x), len(z), dtype=x.dtype)
        assignment = torch.empty(len(x), len(z), x.shape[2], dtype=torch.int16)
        with threads_for(_work(x, z)):
            _match_fwd_kernel(
                x.numpy(), z.numpy(), widths, rows.numpy(), solid, optimal, anchor_root,
                scores.numpy(), assignment.numpy(),
            )  # fmt: skip
        ctx.save_for_backward(x, z, assignment)
        ctx.widths, ctx.solid = widths, solid
        ctx.mark_non_differentiable(assignment)
        return scores, assignment

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_scores: Tensor, _: Tensor) -> tuple[Any, ...]:
        x, z, assignment = ctx.saved_tensors
        grad = grad_scores.contiguous().numpy()
        arrays = (x.numpy(), z.numpy(), ctx.widths, assignment.numpy(), grad, ctx.solid)
        grad_x = grad_z = None
        # the backward pass looks at one partner of each node instead of M
        with threads_for(_work(x, z) // z.shape[2]):
            if ctx.needs_input_grad[0]:
                grad_x = torch.zeros_like(x)
                _subgraphs_bwd_kernel(*arrays, grad_x.numpy())
            if ctx.needs_input_grad[1]:
                grad_z = torch.zeros_like(z)
                _filters_bwd_kernel(*arrays, grad_z.numpy())
        return grad_x, grad_z, None, None, None, None, None


def _work(x: Tensor, z: Tensor) -> int:
    """Operations of the forward pass: a distance and an exponential for each table entry."""
    num_subgraphs, num_levels, num_nodes, width = x.shape
    return num_subgraphs * len(z) * num_nodes * z.shape[2] * num_levels * (width + 10)


@njit(**PARALLEL_JIT)
def _match_fwd_kernel(x, z, widths, rows, solid, optimal, anchor_root, scores, assignment):
    num_nodes, num_filter_nodes = x.shape[2], z.shape[2]
    pinned = 1 if anchor_root else 0
    for s in prange(x.shape[0]):
        table = np.empty((num_nodes, num_filter_nodes), x.dtype)  # [N, M]
        chosen = np.empty(num_nodes, np.int64)
        for f in range(z.shape[0]):
            _fill_table(x[s], z[f], widths, rows[s], solid, table)
            chosen[:] = -1
            if pinned and rows[s] > 0:
                chosen[0] = 0
            if optimal:
                _assign(table, pinned, rows[s], chosen)
            else:
                _choose_greedily(table, pinned, rows[s], chosen)
            total = 0.0
            for n in range(num_nodes):
                assignment[s, f, n] = chosen[n]
                if chosen[n] >= 0:
                    total += table[n, chosen[n]]
            scores[s, f] = total


@njit(**JIT)
def _fill_table(x, z, widths, num_rows, solid, table):
    """Similarities summed over levels: x [L, N, D], z [L, M, D] → table [N, M]."""
    for n in range(num_rows):
        for m in range(z.shape[1]):
            total = 0.0
            for level in range(x.shape[0]):
                total += _similarity(x[level, n], z[level, m], widths[level], solid)
            table[n, m] = total


@njit(**JIT)
def _similarity(x, z, width, solid):
    if solid == _RBF:
        # a zero of x's dtype; x[0] - x[0] would be NaN for an infinite x
        distance = width - width
        for d in range(len(x)):
            difference = x[d] - z[d]
            distance += difference * difference
        return np.exp(-distance / width)
    product, norms = width - width, width - width
    for d in range(len(x)):
        product += x[d] * z[d]
        norms += x[d] * x[d] + z[d] * z[d]
    return 1 + 2 * product / (norms + DICE_EPSILON)


@njit(**JIT)
def _choose_greedily(table, pinned, num_rows, chosen):
    num_columns = table.shape[1]
    taken = np.zeros(num_columns, np.bool_)
    taken[:pinned] = True
    for n in range(pinned, min(num_rows, num_columns)):
        best = -1
        for m in range(num_columns):
            if not taken[m] and (best < 0 or table[n, m] > table[n, best]):
                best = m
        chosen[n] = best
        taken[best] = True


@njit(**JIT)
def _assign(table, pinned, num_rows, chosen):
    """Largest-sum assignment by shortest augmenting paths (Jonker and Volgenant, 1987).

    Each row in turn is matched along the cheapest alternating path, with dual prices that keep
    reduced costs >= 0. The shorter side of the table plays the rows.
    """
    height, width = num_rows - pinned, table.shape[1] - pinned
    if height <= 0 or width <= 0:
        return
    flipped = height > width
    if flipped:
        height, width = width, height
    price_row = np.zeros(height + 1)
    price_column = np.zeros(width + 1)
    owner = np.zeros(width + 1, np.int64)  # row that holds the column, 0 = free
    came_from = np.zeros(width + 1, np.int64)
    slack = np.empty(width + 1)
    done = np.empty(width + 1, np.bool_)
    for row in range(1, height + 1):
        owner[0] = row
        slack[:] = np.inf
        done[:] = False
        column = 0
        while True:
            done[column] = True
            current = owner[column]
            step, following = np.inf, -1
            for other in range(1, width + 1):
                if done[other]:
                    continue
                if flipped:
                    cost = -table[other - 1 + pinned, current - 1 + pinned]
                else:
                    cost = -table[current - 1 + pinned, other - 1 + pinned]
                reduced = cost - price_row[current] - price_column[other]
                if reduced < slack[other]:
                    slack[other] = reduced
                    came_from[other] = column
                # `following < 0` keeps the loop going on a table that holds NaN
                if slack[other] < step or following < 0:
                    step, following = slack[other], other
            for other in range(width + 1):
                if done[other]:
                    price_row[owner[other]] += step
                    price_column[other] -= step
                else:
                    slack[other] -= step
            column = following
            if owner[column] == 0:
                break
        while column != 0:
            owner[column] = owner[came_from[column]]
            column = came_from[column]
    for column in range(1, width + 1):
        if owner[column] > 0:
            if flipped:
                chosen[column - 1 + pinned] = owner[column] - 1 + pinned
            else:
                chosen[owner[column] - 1 + pinned] = column - 1 + pinned


@njit(**PARALLEL_JIT)
def _subgraphs_bwd_kernel(x, z, widths, assignment, grad_scores, solid, grad_x):
    for s in prange(x.shape[0]):
        for f in range(z.shape[0]):
            for n in range(x.shape[2]):
                m = assignment[s, f, n]
                if m < 0:
                    continue
                for level in range(x.shape[1]):
                    _add_gradient(
                        x[s, level, n], z[f, level, m], widths[level], solid,
                        grad_scores[s, f], grad_x[s, level, n],
                    )  # fmt: skip


@njit(**PARALLEL_JIT)
def _filters_bwd_kernel(x, z, widths, assignment, grad_scores, solid, grad_z):
    for f in prange(z.shape[0]):
        for s in range(x.shape[0]):
            for n in range(x.shape[2]):
                m = assignment[s, f, n]
                if m < 0:
                    continue
                for level in range(x.shape[1]):
                    _add_gradient(
                        z[f, level, m], x[s, level, n], widths[level], solid,
                        grad_scores[s, f], grad_z[f, level, m],
                    )  # fmt: skip


@njit(**JIT)
def _add_gradient(x, z, width, solid, grad, out):
    """Add grad * ds(x, z)/dx to out; s is symmetric, so this serves both sides."""
    if solid == _RBF:
        factor = -2 * grad * _similarity(x, z, width, solid) / width
        for d in range(len(x)):
            out[d] += factor * (x[d] - z[d])
        return
    product, norms = width - width, width - width
    for d in range(len(x)):
        product += x[d] * z[d]
        norms += x[d] * x[d] + z[d] * z[d]
    norms += DICE_EPSILON
    for d in range(len(x)):
        out[d] += grad * (2 * z[d] / norms - 4 * product * x[d] / (norms * norms))
