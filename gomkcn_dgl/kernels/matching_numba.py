"""Matching on the CPU as an operator of torch: from tensors to the compiled loops and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

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
from gomkcn_dgl.kernels.operators import define_operator
from gomkcn_dgl.kernels.vectors_numba import lanes_of, padded
from gomkcn_dgl.runtime.compiled import run_blocks

# entries of the tables of one subgraph that are in work at a time: they stay in the second cache
_TABLE_ENTRIES = 32768
# of [S, L, N, D]
_AXES_OF_LEVELS = 4
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
    scores, assignment, _ = torch.ops.gomkcn.match_numba(
        x, z, None, None, None, None, None, None, rows, bandwidth, "sum", 1.0,
        matching == "optimal", anchor_root, _keeps(x, z),
    )  # fmt: skip
    return Matched(scores, assignment.transpose(1, 2))


def match_subgraphs(
    feat: Tensor,
    z: Tensor,
    matrices: Tensor,
    rows: Tensor,
    aggregation: str,
    level_scale: float,
    bandwidth: list[float],
    matching: str,
    anchor_root: bool,
    *,
    nodes: Tensor | None = None,
    sizes: Tensor | None = None,
    links: Tensor | None = None,
    num_channels: Tensor | None = None,
    weights: Tensor | None = None,
) -> Matched:
    """Embed and score every subgraph at once: the level embeddings never exist in memory.

    Nodes are given by ``feat [V, D]`` and ``nodes [S, N]`` (rows of ``feat``, -1 = padding); or,
    where each subgraph has features of its own, by ``feat [S, N, D]`` and ``sizes [S]``, how many
    are not padding. Edges are given by ``links [S, N, N]``, with ``matrices`` and ``num_channels``
    of each link; or by ``weights [S, N, N]`` or ``[S, N, N, C]``, which get no gradient, with
    ``matrices`` of each channel. ``aggregation`` and ``level_scale`` weigh them.
    """
    scores, assignment, _ = torch.ops.gomkcn.match_numba(
        feat, z, nodes, sizes, links, weights, matrices, num_channels, rows, bandwidth, aggregation,
        level_scale, matching == "optimal", anchor_root, _keeps(feat, z),
    )  # fmt: skip
    return Matched(scores, assignment.transpose(1, 2))


def _keeps(left: Tensor, z: Tensor) -> bool:
    """Whether a backward pass may follow."""
    return torch.is_grad_enabled() and (left.requires_grad or z.requires_grad)


def _match(
    left: Tensor,
    z: Tensor,
    nodes: Tensor | None,
    sizes: Tensor | None,
    links: Tensor | None,
    weights: Tensor | None,
    matrices: Tensor | None,
    num_channels: Tensor | None,
    rows: Tensor,
    bandwidth: list[float],
    aggregation: str,
    level_scale: float,
    optimal: bool,
    anchor_root: bool,
    keep: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Scores ``[S, F]`` and matching ``[S, N, F]``.

    And, to ``keep``, the similarities of matched nodes at each level, ``[S, N, L, F]``.
    """
    side = _left_side(left, nodes, sizes, links, weights, matrices, num_channels)
    scores, assignment, similarities = _new_results(left, z, nodes, keep)
    num_subgraphs, num_nodes, _ = assignment.shape
    _, num_levels, num_filter_nodes, width = z.shape
    _check_references(side, rows, num_subgraphs, num_nodes)
    chunks, at_once = _in_chunks(z.detach(), num_nodes, optimal)
    shift, fixed = fixed_point(num_nodes, num_filter_nodes, num_levels)
    # measured: 50 operations a nanosecond in the table, 3 ns an entry in the matching
    entries = scores.numel() * num_nodes * num_filter_nodes
    nanoseconds = entries * (num_levels * (3 * width + 20) / 50 + 3)

    def match_block(first: int, last: int, side: LeftSide, z: np.ndarray, *others: Any) -> None:
        scratch = new_forward_scratch(side, num_nodes, num_filter_nodes, z)
        match_fwd_kernel(first, last, side, z, *others, scratch)

    dtype = scores.numpy().dtype
    run_blocks(
        match_block, num_subgraphs, nanoseconds,
        side, chunks.numpy(), at_once, np.array(bandwidth, dtype),
        rows.numpy(), AGGREGATION_CODES[aggregation], dtype.type(level_scale),
        optimal, int(anchor_root), shift, dtype.type(fixed),
        scores.numpy(), assignment.numpy(), similarities.numpy(),
        most_threads=torch.get_num_threads(),
    )  # fmt: skip
    return scores, assignment, similarities


def _fake_match(
    left: Tensor, z: Tensor, nodes: Tensor | None, *others: Any
) -> tuple[Tensor, Tensor, Tensor]:
    return _new_results(left, z, nodes, keep=others[-1])


def _new_results(
    left: Tensor, z: Tensor, nodes: Tensor | None, keep: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Memory for scores ``[S, F]``, matching ``[S, N, F]`` and similarities ``[S, N, L, F]``."""
    num_subgraphs, num_nodes = (left.shape[0], left.shape[-2]) if nodes is None else nodes.shape
    num_filters, num_levels = z.shape[:2]
    kept = num_subgraphs if keep else 0
    return (
        z.new_empty(num_subgraphs, num_filters),
        z.new_empty(num_subgraphs, num_nodes, num_filters, dtype=torch.int16),
        z.new_empty(kept, num_nodes, num_levels, num_filters),
    )


def _left_side(
    left: Tensor,
    nodes: Tensor | None,
    sizes: Tensor | None,
    links: Tensor | None,
    weights: Tensor | None,
    matrices: Tensor | None,
    num_channels: Tensor | None,
) -> LeftSide:
    """The arrays of the left side, empty ones for what is not given."""
    if weights is not None and weights.dim() == _AXES_OF_LEVELS - 1:
        weights = weights.unsqueeze(3)
    has_levels = left.dim() == _AXES_OF_LEVELS
    given = {
        "levels": left if has_levels else None,
        "feat": None if has_levels else left.flatten(0, -2),
        "nodes": nodes,
        "sizes": sizes,
        "links": links,
        "weights": weights,
        "matrices": matrices,
        "num_channels": num_channels,
    }
    kinds = {
        "levels": (4, left.dtype),
        "feat": (2, left.dtype),
        "nodes": (2, torch.int32),
        "sizes": (1, torch.int64),
        "links": (3, torch.uint8),
        "weights": (4, left.dtype),
        "matrices": (3, left.dtype),
        "num_channels": (1, torch.int64),
    }
    arrays = {}
    for name, (axes, dtype) in kinds.items():
        tensor = given[name]
        tensor = torch.empty([0] * axes, dtype=dtype) if tensor is None else tensor
        arrays[name] = tensor.detach().contiguous().numpy()
    return LeftSide(**arrays)


def _check_references(left: LeftSide, rows: Tensor, num_subgraphs: int, num_nodes: int) -> None:
    """Refuse what would read outside an array; compiled code does not look."""
    if rows.shape != (num_subgraphs,) or bool(((rows < 0) | (rows > num_nodes)).any()):
        raise InputError(f"num_nodes must be [{num_subgraphs}] numbers from 0 to {num_nodes}.")
    last = int(left.nodes.max(initial=-1))
    if last >= len(left.feat):
        raise InputError(
            f"feat must have a row for each node of the subgraphs, up to {last}, "
            f"got {len(left.feat)} rows."
        )


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    *tensors, _, bandwidth, aggregation, level_scale, _, _, _ = inputs
    _, assignment, similarities = output
    ctx.save_for_backward(*tensors, assignment, similarities)
    ctx.settings = bandwidth, aggregation, level_scale
    ctx.mark_non_differentiable(assignment, similarities)


def _backward(ctx: Any, grad_scores: Tensor, *_: Any) -> tuple[Tensor | None, ...]:
    needs_left, needs_z = ctx.needs_input_grad[:2]
    grad_left, grad_z = torch.ops.gomkcn.match_backward_numba(
        *ctx.saved_tensors, grad_scores, *ctx.settings, needs_left
    )
    return (grad_left if needs_left else None, grad_z if needs_z else None, *[None] * 13)


def _match_backward(
    left: Tensor,
    z: Tensor,
    nodes: Tensor | None,
    sizes: Tensor | None,
    links: Tensor | None,
    weights: Tensor | None,
    matrices: Tensor | None,
    num_channels: Tensor | None,
    assignment: Tensor,
    similarities: Tensor,
    grad_scores: Tensor,
    bandwidth: list[float],
    aggregation: str,
    level_scale: float,
    needs_left: bool,
) -> tuple[Tensor, Tensor]:
    """Gradients of the left side, empty where it needs none, and of z."""
    assert len(similarities) == len(assignment), "the forward pass did not keep the similarities"
    side = _left_side(left, nodes, sizes, links, weights, matrices, num_channels)
    num_subgraphs, num_nodes, _ = assignment.shape
    num_levels, width = z.shape[1], z.shape[3]
    dtype = similarities.numpy().dtype
    z = torch.nn.functional.pad(z.detach(), (0, padded(width, dtype) - width)).contiguous()
    # each block sums its own gradient of z, and the blocks are added in order
    blocks = max(1, min(_GRAD_BLOCKS, num_subgraphs // 32, _GRAD_NUMBERS // max(1, z.numel())))
    grad_z = z.new_empty(blocks, *z.shape)
    # of all levels where they are given, else of level 0
    depth = num_levels if left.dim() == _AXES_OF_LEVELS else 1
    kept = num_subgraphs if needs_left else 0
    grad_rows = z.new_empty(kept, depth, num_nodes, left.shape[-1])
    # measured: about 10 ns for 16 features
    nanoseconds = assignment.numel() * num_levels * (width / 2 + 4)

    def differentiate_block(
        first: int, last: int, side: LeftSide, z: np.ndarray, *others: Any
    ) -> None:
        scratch = new_backward_scratch(side, num_nodes, z)
        match_bwd_kernel(first, last, side, z, *others, scratch)

    run_blocks(
        differentiate_block, blocks, nanoseconds,
        side, z.numpy(), np.array(bandwidth, dtype), AGGREGATION_CODES[aggregation],
        dtype.type(level_scale), assignment.numpy(), similarities.numpy(),
        grad_scores.detach().contiguous().numpy(), grad_rows.numpy(), grad_z.numpy(),
        most_threads=torch.get_num_threads(),
    )  # fmt: skip
    grad_left = grad_rows
    # subgraphs overlap: their rows are added to the features that they were read from
    if needs_left and nodes is not None:
        grad_left = left.new_zeros(left.shape)
        scatter_rows(grad_rows.numpy(), side.nodes, grad_left.numpy())
    if not needs_left:
        grad_left = left.new_empty(0)
    elif left.dim() == _AXES_OF_LEVELS - 1:
        # each subgraph has features of its own
        grad_left = grad_rows.squeeze(1)
    return grad_left, grad_z[..., :width].sum(dim=0)


def _fake_match_backward(left: Tensor, z: Tensor, *others: Any) -> tuple[Tensor, Tensor]:
    needs_left = others[-1]
    return left.new_empty(left.shape if needs_left else 0), z.new_empty(z.shape)


_SIDES = (
    "Tensor left, Tensor z, Tensor? nodes, Tensor? sizes, Tensor? links, Tensor? weights, "
    "Tensor? matrices, Tensor? num_channels"
)
define_operator(
    f"match_numba({_SIDES}, Tensor rows, float[] bandwidth, str aggregation, float level_scale, "
    "bool optimal, bool anchor_root, bool keep) -> (Tensor, Tensor, Tensor)",
    _match,
    _fake_match,
    save=_save,
    backward=_backward,
)
define_operator(
    f"match_backward_numba({_SIDES}, Tensor assignment, Tensor similarities, Tensor grad_scores, "
    "float[] bandwidth, str aggregation, float level_scale, bool needs_left) -> (Tensor, Tensor)",
    _match_backward,
    _fake_match_backward,
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
