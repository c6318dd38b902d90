"""``matching_arrays`` as an operator of PyTorch, for tensors on the CPU, and its gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl._torch import threads_of_torch
from gomkcn_dgl.kernels.matching_arrays import (
    AXES_OF_LEVELS,
    left_side,
    match_into,
    result_shapes,
    subgraphs_at_once,
)
from gomkcn_dgl.kernels.matching_loops import (
    AGGREGATION_CODES,
    match_bwd_kernel,
    new_backward_scratch,
    scatter_rows,
)
from gomkcn_dgl.kernels.matching_reference import Matched
from gomkcn_dgl.kernels.operators import define_operator
from gomkcn_dgl.kernels.vectors_numba import lanes_of, padded, zeros
from gomkcn_dgl.runtime.compiled import run_blocks

# the filters' gradient is summed in blocks: at most so many, and so many numbers in all of them,
# and each of so much work, beside which adding the blocks is little
_GRAD_BLOCKS, _GRAD_NUMBERS = 64, 2**24
_GRAD_NANOSECONDS = 250_000


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
    results = _new_results(left, z, nodes, keep)
    side = left_side(*_arrays(left, nodes, sizes, links, weights, matrices, num_channels))
    match_into(
        side, z.detach().numpy(), rows.numpy(), bandwidth, aggregation, level_scale, optimal,
        anchor_root, _arrays(*results),
    )  # fmt: skip
    return results


def _fake_match(
    left: Tensor, z: Tensor, nodes: Tensor | None, *others: Any
) -> tuple[Tensor, Tensor, Tensor]:
    return _new_results(left, z, nodes, keep=others[-1])


def _new_results(
    left: Tensor, z: Tensor, nodes: Tensor | None, keep: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Memory for scores ``[S, F]``, matching ``[S, N, F]`` and similarities ``[S, N, L, F]``."""
    scores, assignment, similarities = result_shapes(left, z, nodes, keep)
    return (
        z.new_empty(scores),
        z.new_empty(assignment, dtype=torch.int16),
        z.new_empty(similarities),
    )


def _arrays(*tensors: Tensor | None) -> list[Any]:
    """Tensors as arrays of the same memory; None stays."""
    return [None if tensor is None else tensor.detach().numpy() for tensor in tensors]


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    *tensors, _, bandwidth, aggregation, level_scale, _, _, _ = inputs
    _, assignment, similarities = output
    ctx.save_for_backward(*tensors, assignment, similarities)
    ctx.settings = bandwidth, aggregation, level_scale
    ctx.mark_non_differentiable(assignment, similarities)
    # else there would be zeros for the gradients of these, which are as large as they are
    ctx.set_materialize_grads(False)


def _backward(ctx: Any, grad_scores: Tensor | None, *_: Any) -> tuple[Tensor | None, ...]:
    if grad_scores is None:
        return (None,) * len(ctx.needs_input_grad)
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
    side = left_side(*_arrays(left, nodes, sizes, links, weights, matrices, num_channels))
    num_subgraphs, num_nodes, _ = assignment.shape
    num_filters, num_levels, num_filter_nodes, width = z.shape
    dtype = similarities.numpy().dtype
    tiles = _in_tiles(z.detach().numpy())
    # measured: about 10 ns for 16 features
    nanoseconds = assignment.numel() * num_levels * (width / 2 + 4)
    # each block sums its own gradient of z, and the blocks are added in order
    most = min(_GRAD_BLOCKS, _GRAD_NUMBERS // max(1, tiles.size))
    blocks = max(1, min(most, int(nanoseconds / _GRAD_NANOSECONDS)))
    grad_tiles = z.new_empty(blocks, *tiles.shape)
    # of all levels where they are given, else of level 0
    depth = num_levels if left.dim() == AXES_OF_LEVELS else 1
    kept = num_subgraphs if needs_left else 0
    grad_rows = z.new_empty(kept, depth, num_nodes, left.shape[-1])
    group = subgraphs_at_once(2 * num_levels * num_nodes * padded(width, dtype))
    run_blocks(
        match_bwd_kernel, blocks, nanoseconds,
        side, tiles, np.array(bandwidth, dtype), AGGREGATION_CODES[aggregation],
        dtype.type(level_scale), assignment.numpy(), similarities.numpy(),
        grad_scores.detach().contiguous().numpy(), grad_rows.numpy(), grad_tiles.numpy(),
        most_threads=threads_of_torch(),
        scratch=lambda: new_backward_scratch(side, group, num_nodes, num_filters, tiles),
    )  # fmt: skip
    grad_left = grad_rows
    # subgraphs overlap: their rows are added to the features that they were read from
    if needs_left and nodes is not None:
        grad_left = left.new_zeros(left.shape)
        scatter_rows(grad_rows.numpy(), side.nodes, grad_left.numpy())
    if not needs_left:
        grad_left = left.new_empty(0)
    elif left.dim() == AXES_OF_LEVELS - 1:
        # each subgraph has features of its own
        grad_left = grad_rows.squeeze(1)
    grad_z = grad_tiles.sum(dim=0).unflatten(2, (num_filters, num_filter_nodes))
    # [L, D / lanes, F, M, lanes] -> [F, L, M, D]
    grad_z = grad_z.permute(2, 0, 3, 1, 4).flatten(3)[..., :width]
    return grad_left, grad_z.contiguous()


def _in_tiles(z: np.ndarray) -> np.ndarray:
    """Filters by level and vector of features: ``[F, L, M, D]`` to ``[L, D / lanes, F M, lanes]``.

    A tile, a vector of each node, stays in the first cache, with its gradient.
    """
    num_filters, num_levels, num_filter_nodes, width = z.shape
    lanes = lanes_of(z.dtype)
    num_blocks = padded(width, z.dtype) // lanes
    tiles = zeros((num_levels, num_blocks, num_filters, num_filter_nodes, lanes), z.dtype)
    for block in range(num_blocks):
        part = z[..., block * lanes : (block + 1) * lanes]
        tiles[:, block, ..., : part.shape[3]] = part.swapaxes(0, 1)
    return tiles.reshape(num_levels, num_blocks, -1, lanes)


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
