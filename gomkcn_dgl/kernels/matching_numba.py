"""Matching on the CPU as a torch operator: from tensors to the compiled loops and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, library

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
    scores, assignment, _ = torch.ops.gomkcn.match_numba(
        x, *[None] * 7, z, bandwidth, 1.0, 0,
        rows, matching == "optimal", anchor_root, _needs_grad(x, z),
    )  # fmt: skip
    return Matched(scores, assignment.long())


def match_subgraphs(
    feat: Tensor,
    nodes: Tensor,
    bits: Tensor | None,
    transition: Tensor | None,
    links: Tensor | None,
    matrices: Tensor | None,
    num_channels: Tensor | None,
    aggregation: str,
    level_scale: float,
    rows: Tensor,
    z: Tensor,
    bandwidth: list[float],
    matching: str,
    anchor_root: bool,
) -> Matched:
    """Embed and score every subgraph at once: the level embeddings never exist in memory.

    ``feat [V, D]``, ``nodes [S, N]`` (rows of ``feat``, -1 = padding), and either ``bits``, int64
    ``[S, N, ceil(N / 64)]`` with a bit for each edge, or ``links [S, N, N]`` with ``matrices`` and
    ``num_channels`` of each link, or ``transition [S, N, N]``, whose padding is not read. The level
    scale is divided by here; ``aggregation`` turns bits and links into a transition matrix.
    """
    scores, assignment, _ = torch.ops.gomkcn.match_numba(
        None, feat, nodes, bits, transition, links, matrices, num_channels, z, bandwidth,
        level_scale, AGGREGATION_CODES[aggregation],
        rows, matching == "optimal", anchor_root, _needs_grad(feat, z),
    )  # fmt: skip
    return Matched(scores, assignment)


def _needs_grad(left: Tensor, z: Tensor) -> bool:
    return torch.is_grad_enabled() and (left.requires_grad or z.requires_grad)


class _Inputs(NamedTuple):
    """What both directions take; the left side is `levels`, or `feat` with a structure."""

    levels: Tensor | None  # [S, L, N, D]
    feat: Tensor | None  # [V, D]
    nodes: Tensor | None  # int [S, N]
    bits: Tensor | None  # int64 [S, N, W]
    transition: Tensor | None  # [S, N, N]
    links: Tensor | None  # uint8 or uint16 [S, N, N]
    matrices: Tensor | None  # [links, K, K]
    num_channels: Tensor | None  # int64 [links]
    z: Tensor  # [F, L, M, D]
    bandwidth: Sequence[float]
    level_scale: float
    aggregation: int

    def left(self) -> Tensor:
        """Return the differentiable tensor of the left side."""
        return self.levels if self.feat is None else self.feat  # type: ignore[return-value]

    def sizes(self) -> tuple[int, int]:
        """Return S and N."""
        if self.nodes is None:
            return self.levels.shape[0], self.levels.shape[2]  # type: ignore[union-attr]
        return self.nodes.shape[0], self.nodes.shape[1]

    def left_side(self) -> LeftSide:
        """Return the arrays of the left side, empty ones for what is not given."""

        def array(tensor: Tensor | None, axes: int, dtype: torch.dtype) -> np.ndarray:
            if tensor is None:
                tensor = torch.empty([0] * axes, dtype=dtype)
            return tensor.contiguous().numpy()

        real = self.z.dtype
        return LeftSide(
            array(self.levels, 4, real),
            array(self.feat, 2, real),
            array(self.nodes, 2, torch.int32),
            array(self.bits, 3, torch.int64).view(np.uint64),
            array(self.transition, 3, real),
            array(self.links, 3, torch.uint8),
            array(self.matrices, 3, real),
            array(self.num_channels, 1, torch.int64),
        )


_SCHEMA = (
    "Tensor? levels, Tensor? feat, Tensor? nodes, Tensor? bits, Tensor? transition, "
    "Tensor? links, Tensor? matrices, Tensor? num_channels, Tensor z, "
    "float[] bandwidth, float level_scale, int aggregation"
)
_NUM_INPUTS = len(_Inputs._fields)
_NUM_TENSORS = _Inputs._fields.index("z") + 1
# not library.custom_op, whose functions load the compiler of torch, a second, at their first call
library.define(
    "gomkcn::match_numba",
    f"({_SCHEMA}, Tensor rows, bool optimal, bool anchor_root, bool keep) "
    "-> (Tensor scores, Tensor matching, Tensor similarities)",
    tags=torch.Tag.pt2_compliant_tag,
)
library.define(
    "gomkcn::match_numba_backward",
    f"({_SCHEMA}, Tensor matching, Tensor similarities, Tensor grad_scores, bool needs_left) "
    "-> (Tensor grad_left, Tensor grad_z)",
    tags=torch.Tag.pt2_compliant_tag,
)


@library.impl("gomkcn::match_numba", "cpu")
def _match(*arguments: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return scores, matching and, when they are to be kept, the matched similarities."""
    inputs = _Inputs(*arguments[:_NUM_INPUTS])
    rows, optimal, anchor_root, _ = arguments[_NUM_INPUTS:]
    _check_references(inputs, rows)
    outputs = scores, assignment, _ = _match_fake(*arguments)
    z, dtype = inputs.z, scores.numpy().dtype
    num_nodes = assignment.shape[2]
    _, num_levels, num_filter_nodes, width = z.shape
    chunks, at_once = _in_chunks(z, num_nodes, optimal)
    shift, fixed = fixed_point(num_nodes, num_filter_nodes, num_levels)
    # measured: 50 operations a nanosecond in the table, 3 ns an entry in the matching
    entries = scores.numel() * num_nodes * num_filter_nodes
    nanoseconds = entries * (num_levels * (3 * width + 20) / 50 + 3)

    def match_block(first: int, last: int, left: LeftSide, z: np.ndarray, *others: Any) -> None:
        scratch = new_forward_scratch(num_nodes, num_filter_nodes, z)
        match_fwd_kernel(first, last, left, z, *others, scratch)

    run_blocks(
        match_block, len(rows), nanoseconds,
        inputs.left_side(), chunks.numpy(), at_once, np.array(inputs.bandwidth, dtype),
        rows.numpy(), inputs.aggregation, dtype.type(inputs.level_scale),
        optimal, int(anchor_root), shift, dtype.type(fixed),
        *(output.numpy() for output in outputs),
    )  # fmt: skip
    return outputs


def _check_references(inputs: _Inputs, rows: Tensor) -> None:
    """Refuse what would read outside an array; compiled code does not look."""
    num_subgraphs, num_nodes = inputs.sizes()
    if rows.shape != (num_subgraphs,) or bool(((rows < 0) | (rows > num_nodes)).any()):
        raise InputError(f"num_nodes must be [{num_subgraphs}] numbers from 0 to {num_nodes}.")
    if inputs.nodes is not None and inputs.nodes.numel():
        last = int(inputs.nodes.max())
        if last >= len(inputs.left()):
            raise InputError(
                f"feat must have a row for each node of the subgraphs, up to {last}, "
                f"got {len(inputs.left())} rows."
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


@library.register_fake("gomkcn::match_numba")
def _match_fake(*arguments: Any) -> tuple[Tensor, Tensor, Tensor]:
    inputs, keep = _Inputs(*arguments[:_NUM_INPUTS]), arguments[-1]
    num_subgraphs, num_nodes = inputs.sizes()
    z = inputs.z
    num_filters, num_levels = z.shape[:2]
    return (
        z.new_empty(num_subgraphs, num_filters),
        z.new_empty(num_subgraphs, num_filters, num_nodes, dtype=torch.int16),
        z.new_empty(num_subgraphs if keep else 0, num_filters, num_levels, num_nodes),
    )


@library.impl("gomkcn::match_numba_backward", "cpu")
def _match_backward(*arguments: Any) -> tuple[Tensor, Tensor]:
    """Return the gradients of the left side, levels or features, and of z."""
    inputs = _Inputs(*arguments[:_NUM_INPUTS])
    assignment, similarities, grad_scores, needs_left = arguments[_NUM_INPUTS:]
    left, z = inputs.left_side(), inputs.z
    num_subgraphs, _, num_nodes = assignment.shape
    num_levels, width = z.shape[1], z.shape[3]
    left_width = inputs.left().shape[-1]
    dtype = z.numpy().dtype
    z = torch.nn.functional.pad(z, (0, padded(width, dtype) - width)).contiguous()
    # each block sums its own gradient of z, and the blocks are added in order
    blocks = max(1, min(_GRAD_BLOCKS, num_subgraphs // 8, _GRAD_NUMBERS // max(1, z.numel())))
    grad_z = z.new_empty(blocks, *z.shape)
    # of all levels where they are given, else of level 0
    depth = num_levels if inputs.feat is None else 1
    grad_rows = z.new_empty(num_subgraphs if needs_left else 0, depth, num_nodes, left_width)
    # measured: about 10 ns for 16 features
    nanoseconds = assignment.numel() * num_levels * (width / 2 + 4)

    def differentiate_block(
        first: int, last: int, left: LeftSide, z: np.ndarray, *others: Any
    ) -> None:
        scratch = new_backward_scratch(num_nodes, z)
        match_bwd_kernel(first, last, left, z, *others, scratch)

    run_blocks(
        differentiate_block, blocks, nanoseconds,
        left, z.numpy(), np.array(inputs.bandwidth, dtype), inputs.aggregation,
        dtype.type(inputs.level_scale), assignment.numpy(), similarities.numpy(),
        grad_scores.contiguous().numpy(), grad_rows.numpy(), grad_z.numpy(),
    )  # fmt: skip
    # subgraphs overlap: their rows are added to the features that they were read from
    if inputs.feat is not None and needs_left:
        grad_left = torch.zeros_like(inputs.feat, memory_format=torch.contiguous_format)
        scatter_rows(grad_rows.numpy(), left.nodes, grad_left.numpy())
        return grad_left, grad_z[..., :width].sum(dim=0)
    return grad_rows, grad_z[..., :width].sum(dim=0)


@library.register_fake("gomkcn::match_numba_backward")
def _(*arguments: Any) -> tuple[Tensor, Tensor]:
    inputs, needs_left = _Inputs(*arguments[:_NUM_INPUTS]), arguments[-1]
    num_subgraphs, num_nodes = inputs.sizes()
    z = inputs.z
    width = inputs.left().shape[-1]
    shape = [num_subgraphs if needs_left else 0, 1, num_nodes, width]
    if inputs.feat is None:
        shape[1] = z.shape[1]
    elif needs_left:
        shape = list(inputs.feat.shape)
    return z.new_empty(shape), z.new_empty(z.shape)


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]) -> None:
    kept = _Inputs(*inputs[:_NUM_INPUTS])
    # the tensors come first, then plain numbers
    ctx.save_for_backward(*kept[:_NUM_TENSORS], *output[1:])
    ctx.settings = kept[_NUM_TENSORS:]
    # else autograd fills gradients of zeros for the matching and the similarities
    ctx.set_materialize_grads(False)


def _differentiate(ctx: Any, grad_scores: Tensor | None, *_: Any) -> tuple[Tensor | None, ...]:
    if grad_scores is None:
        return (None,) * len(ctx.needs_input_grad)
    *tensors, assignment, similarities = ctx.saved_tensors
    needs = dict(zip(_Inputs._fields, ctx.needs_input_grad, strict=False))
    needs_left = needs["levels"] or needs["feat"]
    grad_left, grad_z = torch.ops.gomkcn.match_numba_backward(
        *tensors, *ctx.settings, assignment, similarities, grad_scores, needs_left
    )
    # a gradient for each tensor that may need one, None for all other arguments
    grads = {"levels": grad_left, "feat": grad_left, "z": grad_z}
    return tuple(
        grads[name] if wanted and name in grads else None
        for name, wanted in zip((*_Inputs._fields, *"...."), ctx.needs_input_grad, strict=True)
    )


library.register_autograd("gomkcn::match_numba", _differentiate, setup_context=_save)
