"""Matching on the CPU as a function of torch: from tensors to the compiled loops and back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.kernels.assignment_numba import fixed_point
from gomkcn_dgl.kernels.matching_loops import (
    AGGREGATION_CODES,
    LeftSide,
    match_bwd_kernel,
    match_fwd_kernel,
    new_backward_scratch,
    new_forward_scratch,
    scatter_rows,
)
from gomkcn_dgl.kernels.matching_reference import Matched
from gomkcn_dgl.kernels.vectors_numba import lanes_of, padded
from gomkcn_dgl.runtime.compiled import run_blocks

# entries of the tables of one subgraph that are in work at a time: they stay in the second cache
_TABLE_ENTRIES = 32768
# most blocks, and most numbers in all of them, that the filters' gradient is summed in
_GRAD_BLOCKS, _GRAD_NUMBERS = 64, 2**24


def match(
    x: Tensor,
    z: Tensor,
    bandwidth: list[float],
    rows: Tensor,
    matching: str,
    anchor_root: bool,
) -> Matched:
    """Score every subgraph against every filter; ``matching_reference`` defines the result."""
    sides = _left_side(z, levels=x), (x.shape[0], x.shape[2])
    call = _Call(*sides, bandwidth, 1.0, 0, rows, matching == "optimal", anchor_root, _keeps(x, z))
    scores, assignment = _Match.apply(x, z, call)
    return Matched(scores, assignment.long())


def match_subgraphs(
    feat: Tensor,
    nodes: Tensor,
    links: Tensor,
    matrices: Tensor,
    num_channels: Tensor,
    aggregation: str,
    level_scale: float,
    rows: Tensor,
    z: Tensor,
    bandwidth: list[float],
    matching: str,
    anchor_root: bool,
) -> Matched:
    """Embed and score every subgraph at once: the level embeddings never exist in memory.

    ``feat [V, D]``, ``nodes [S, N]`` (rows of ``feat``, -1 = padding), and ``links [S, N, N]`` with
    ``matrices`` and ``num_channels`` of each link, which ``aggregation`` and ``level_scale`` weigh.
    """
    left = _left_side(
        z, feat=feat, nodes=nodes, links=links, matrices=matrices, num_channels=num_channels
    )
    call = _Call(
        left, (nodes.shape[0], nodes.shape[1]), bandwidth, level_scale,
        AGGREGATION_CODES[aggregation], rows, matching == "optimal", anchor_root, _keeps(feat, z),
    )  # fmt: skip
    return Matched(*_Match.apply(feat, z, call))


def _keeps(left: Tensor, z: Tensor) -> bool:
    """Whether a backward pass may follow."""
    return torch.is_grad_enabled() and (left.requires_grad or z.requires_grad)


def _left_side(z: Tensor, **given: Tensor | None) -> LeftSide:
    """The arrays of the left side, empty ones for what is not given."""
    kinds = {
        "levels": (4, z.dtype),
        "feat": (2, z.dtype),
        "nodes": (2, torch.int32),
        "links": (3, torch.uint8),
        "matrices": (3, z.dtype),
        "num_channels": (1, torch.int64),
    }
    arrays = {}
    for name, (axes, dtype) in kinds.items():
        tensor = given.get(name)
        tensor = torch.empty([0] * axes, dtype=dtype) if tensor is None else tensor
        arrays[name] = tensor.detach().contiguous().numpy()
    return LeftSide(**arrays)


class _Call(NamedTuple):
    """What both directions take beside the tensors that may have gradients."""

    left: LeftSide
    sizes: tuple[int, int]  # S and N
    bandwidth: list[float]
    level_scale: float
    aggregation: int
    rows: Tensor  # int64 [S]
    optimal: bool
    anchor_root: bool
    keep: bool  # whether the matched similarities are kept for the way back


class _Match(torch.autograd.Function):
    """Scores and matching of a left side, levels or features, and filters z [F, L, M, D]."""

    @staticmethod
    def forward(ctx: Any, left: Tensor, z: Tensor, call: _Call) -> tuple[Tensor, Tensor]:
        num_filters, num_levels, num_filter_nodes, width = z.shape
        num_subgraphs, num_nodes = call.sizes
        _check_references(call)
        scores = z.new_empty(num_subgraphs, num_filters)
        assignment = z.new_empty(num_subgraphs, num_filters, num_nodes, dtype=torch.int16)
        kept = num_subgraphs if call.keep else 0
        similarities = z.new_empty(kept, num_filters, num_levels, num_nodes)
        chunks, at_once = _in_chunks(z.detach(), num_nodes, call.optimal)
        shift, fixed = fixed_point(num_nodes, num_filter_nodes, num_levels)
        # measured: 50 operations a nanosecond in the table, 3 ns an entry in the matching
        entries = scores.numel() * num_nodes * num_filter_nodes
        nanoseconds = entries * (num_levels * (3 * width + 20) / 50 + 3)

        def match_block(first: int, last: int, left: LeftSide, z: np.ndarray, *others: Any) -> None:
            scratch = new_forward_scratch(num_nodes, num_filter_nodes, z)
            match_fwd_kernel(first, last, left, z, *others, scratch)

        dtype = scores.numpy().dtype
        run_blocks(
            match_block, num_subgraphs, nanoseconds,
            call.left, chunks.numpy(), at_once, np.array(call.bandwidth, dtype),
            call.rows.numpy(), call.aggregation, dtype.type(call.level_scale),
            call.optimal, int(call.anchor_root), shift, dtype.type(fixed),
            scores.numpy(), assignment.numpy(), similarities.numpy(),
        )  # fmt: skip
        ctx.call = call
        ctx.save_for_backward(left, z, assignment, similarities)
        ctx.mark_non_differentiable(assignment)
        return scores, assignment

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_scores: Tensor, _: Any) -> tuple[Tensor | None, Tensor, None]:
        """Return the gradients of the left side and of z."""
        call, (feat, z, assignment, similarities) = ctx.call, ctx.saved_tensors
        left, needs_left = call.left, ctx.needs_input_grad[0]
        num_subgraphs, _, num_nodes = assignment.shape
        num_levels, width = z.shape[1], z.shape[3]
        dtype = similarities.numpy().dtype
        z = torch.nn.functional.pad(z, (0, padded(width, dtype) - width)).contiguous()
        # each block sums its own gradient of z, and the blocks are added in order
        blocks = max(1, min(_GRAD_BLOCKS, num_subgraphs // 8, _GRAD_NUMBERS // max(1, z.numel())))
        grad_z = z.new_empty(blocks, *z.shape)
        # of all levels where they are given, else of level 0
        depth = num_levels if feat.dim() == 4 else 1
        kept = num_subgraphs if needs_left else 0
        grad_rows = z.new_empty(kept, depth, num_nodes, feat.shape[-1])
        # measured: about 10 ns for 16 features
        nanoseconds = assignment.numel() * num_levels * (width / 2 + 4)

        def differentiate_block(
            first: int, last: int, left: LeftSide, z: np.ndarray, *others: Any
        ) -> None:
            scratch = new_backward_scratch(num_nodes, z)
            match_bwd_kernel(first, last, left, z, *others, scratch)

        run_blocks(
            differentiate_block, blocks, nanoseconds,
            left, z.numpy(), np.array(call.bandwidth, dtype), call.aggregation,
            dtype.type(call.level_scale), assignment.numpy(), similarities.numpy(),
            grad_scores.contiguous().numpy(), grad_rows.numpy(), grad_z.numpy(),
        )  # fmt: skip
        grad_left = grad_rows if needs_left else None
        # subgraphs overlap: their rows are added to the features that they were read from
        if needs_left and feat.dim() == 2:
            grad_left = torch.zeros_like(feat, memory_format=torch.contiguous_format)
            scatter_rows(grad_rows.numpy(), left.nodes, grad_left.numpy())
        return grad_left, grad_z[..., :width].sum(dim=0), None


def _check_references(call: _Call) -> None:
    """Refuse what would read outside an array; compiled code does not look."""
    left, rows, (num_subgraphs, num_nodes) = call.left, call.rows, call.sizes
    if rows.shape != (num_subgraphs,) or bool(((rows < 0) | (rows > num_nodes)).any()):
        raise InputError(f"num_nodes must be [{num_subgraphs}] numbers from 0 to {num_nodes}.")
    last = int(left.nodes.max(initial=-1))
    if last >= len(left.feat):
        raise InputError(
            f"feat must have a row for each node of the subgraphs, up to {last}, "
            f"got {len(left.feat)} rows."
        )


def _in_chunks(z: Tensor, num_nodes: int, optimal: bool) -> tuple[Tensor, int]:
    """Filters that stay in cache side by side, ``[chunks, blocks, L, D, lanes]``, and how many."""
    num_filters, num_levels, num_filter_nodes, width = z.shape
    entries = (num_levels + 1) * (num_nodes + 1) * num_filter_nodes
    # as few chunks as keep a table in cache, all of the same size
    num_chunks = max(1, min(num_filters, -(-num_filters * entries // _TABLE_ENTRIES)))
    at_once = -(-num_filters // num_chunks)
    filled = torch.nn.functional.pad(z, (0, 0, 0, 0, 0, 0, 0, num_chunks * at_once - num_filters))
    # [chunks, filters, L, M, D] -> [chunks, L, D, filters, M] or [chunks, L, D, M, filters]
    parts = filled.reshape(num_chunks, at_once, num_levels, num_filter_nodes, width)
    parts = parts.permute(0, 2, 4, 1, 3) if optimal else parts.permute(0, 2, 4, 3, 1)
    # whole vectors of columns
    columns = at_once * num_filter_nodes
    dtype = z.numpy().dtype
    flat = parts.reshape(num_chunks, num_levels, width, columns)
    flat = torch.nn.functional.pad(flat, (0, padded(columns, dtype) - columns))
    blocks = flat.unflatten(3, (-1, lanes_of(dtype))).permute(0, 3, 1, 2, 4)
    return blocks.contiguous(), at_once
