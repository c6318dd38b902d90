"""Matching of arrays on the CPU, without PyTorch: from arrays to the compiled loops and back.

``matching_numba`` calls the same functions for tensors, whose memory they read and write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gomkcn_dgl._torch import threads_of_torch
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.kernels.assignment_numba import fixed_point
from gomkcn_dgl.kernels.matching_loops import (
    AGGREGATION_CODES,
    LeftSide,
    match_fwd_kernel,
    new_forward_scratch,
)
from gomkcn_dgl.kernels.vectors_numba import lanes_of, padded, zeros
from gomkcn_dgl.runtime.compiled import run_blocks

# entries of the tables that are in work at a time: they stay in the second cache
_TABLE_ENTRIES = 32768
# most subgraphs that are in work at a time: the last register of so many is hardly ever full
_MOST_SUBGRAPHS = 16
# of [S, L, N, D]
AXES_OF_LEVELS = 4


def match(
    x: np.ndarray,
    z: np.ndarray,
    bandwidth: list[float],
    rows: np.ndarray,
    matching: str,
    anchor_root: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Scores ``[S, F]`` and matching int16 ``[S, F, N]``, as ``matching_reference`` defines them.

    ``x [S, L, N, D]`` and ``z [F, L, M, D]`` are both float32 or both float64; ``rows`` is int64.
    """
    results = new_results(x, z, None)
    optimal = matching == "optimal"
    match_into(left_side(x), z, rows, bandwidth, "sum", 1.0, optimal, anchor_root, results)
    scores, assignment, _ = results
    return scores, assignment.transpose(0, 2, 1)


def match_subgraphs(
    feat: np.ndarray,
    z: np.ndarray,
    matrices: np.ndarray,
    rows: np.ndarray,
    aggregation: str,
    level_scale: float,
    bandwidth: list[float],
    matching: str,
    anchor_root: bool,
    *,
    nodes: np.ndarray,
    links: np.ndarray | None = None,
    num_channels: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Embed and score every subgraph at once; ``matching_numba`` says what each argument is."""
    side = left_side(feat, nodes, None, links, weights, matrices, num_channels)
    results = new_results(feat, z, nodes)
    optimal = matching == "optimal"
    match_into(side, z, rows, bandwidth, aggregation, level_scale, optimal, anchor_root, results)
    scores, assignment, _ = results
    return scores, assignment.transpose(0, 2, 1)


def result_shapes(left: Any, z: Any, nodes: Any, keep: bool) -> tuple[tuple[int, ...], ...]:
    """Shapes of scores ``[S, F]``, matching ``[S, N, F]`` and similarities ``[S, N, L, F]``.

    The last are those of matched nodes at each level, none unless a backward pass may follow. They
    are given by arrays or by tensors.
    """
    num_subgraphs, num_nodes = (left.shape[0], left.shape[-2]) if nodes is None else nodes.shape
    num_filters, num_levels = z.shape[:2]
    kept = num_subgraphs if keep else 0
    return (
        (num_subgraphs, num_filters),
        (num_subgraphs, num_nodes, num_filters),
        (kept, num_nodes, num_levels, num_filters),
    )


def new_results(
    left: np.ndarray, z: np.ndarray, nodes: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    scores, assignment, similarities = result_shapes(left, z, nodes, keep=False)
    return (
        np.empty(scores, z.dtype),
        np.empty(assignment, np.int16),
        np.empty(similarities, z.dtype),
    )


def left_side(
    left: np.ndarray,
    nodes: np.ndarray | None = None,
    sizes: np.ndarray | None = None,
    links: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    matrices: np.ndarray | None = None,
    num_channels: np.ndarray | None = None,
) -> LeftSide:
    """The arrays of the left side as compiled code takes them, empty ones for what is not given."""
    if weights is not None and weights.ndim == AXES_OF_LEVELS - 1:
        weights = weights[..., None]
    has_levels = left.ndim == AXES_OF_LEVELS
    given = {
        "levels": left if has_levels else None,
        "feat": None if has_levels else left.reshape(-1, left.shape[-1]),
        "nodes": nodes,
        "sizes": sizes,
        "links": links,
        "weights": weights,
        "matrices": matrices,
        "num_channels": num_channels,
    }
    kinds: dict[str, tuple[int, Any]] = {
        "levels": (4, left.dtype),
        "feat": (2, left.dtype),
        "nodes": (2, np.int32),
        "sizes": (1, np.int64),
        "links": (3, np.uint8),
        "weights": (4, left.dtype),
        "matrices": (3, left.dtype),
        "num_channels": (1, np.int64),
    }
    arrays = {}
    for name, (axes, dtype) in kinds.items():
        array = given[name]
        if array is None:
            array = np.empty([0] * axes, dtype)
        # contiguous and writable: of other arrays all would be compiled again
        elif not array.flags.carray:
            array = np.require(array, requirements=["C", "A", "W"])
        arrays[name] = array
    return LeftSide(**arrays)


def match_into(
    left: LeftSide,
    z: np.ndarray,
    rows: np.ndarray,
    bandwidth: list[float],
    aggregation: str,
    level_scale: float,
    optimal: bool,
    anchor_root: bool,
    results: Sequence[np.ndarray],
) -> None:
    """Score every subgraph against every filter; ``result_shapes`` says what is written."""
    scores, assignment, similarities = results
    num_subgraphs, num_nodes, _ = assignment.shape
    _, num_levels, num_filter_nodes, width = z.shape
    _check_references(left, rows, num_subgraphs, num_nodes)
    chunks, at_once = _in_chunks(z, num_nodes, optimal)
    group = subgraphs_at_once((num_levels + 1) * (num_nodes + 1) * num_filter_nodes * at_once)
    shift, fixed = fixed_point(num_nodes, num_filter_nodes, num_levels)
    # measured: 50 operations a nanosecond in the table, 3 ns an entry in the matching
    entries = scores.size * num_nodes * num_filter_nodes
    nanoseconds = entries * (num_levels * (3 * width + 20) / 50 + 3)

    dtype = scores.dtype
    run_blocks(
        match_fwd_kernel, num_subgraphs, nanoseconds,
        left, chunks, at_once, np.array(bandwidth, dtype), rows, AGGREGATION_CODES[aggregation],
        dtype.type(level_scale), optimal, int(anchor_root), shift, dtype.type(fixed),
        scores, assignment, similarities,
        most_threads=threads_of_torch(),
        scratch=lambda: new_forward_scratch(left, group, num_nodes, num_filter_nodes, chunks),
    )  # fmt: skip


def subgraphs_at_once(entries: int) -> int:
    """As many subgraphs as stay in cache with so many entries each."""
    return max(1, min(_MOST_SUBGRAPHS, _TABLE_ENTRIES // max(1, entries)))


def _check_references(left: LeftSide, rows: np.ndarray, num_subgraphs: int, num_nodes: int) -> None:
    """Refuse what would read outside an array; compiled code does not look."""
    if rows.shape != (num_subgraphs,) or bool(((rows < 0) | (rows > num_nodes)).any()):
        raise InputError("num_nodes", f"must be [{num_subgraphs}] numbers from 0 to {num_nodes}")
    last = int(left.nodes.max(initial=-1))
    if last >= len(left.feat):
        raise InputError(
            "feat",
            f"must have a row for each node of the subgraphs, up to {last}",
            got=f"{len(left.feat)} rows",
        )


def _in_chunks(z: np.ndarray, num_nodes: int, optimal: bool) -> tuple[np.ndarray, int]:
    """Filters that stay in cache side by side, ``[chunks, blocks, L, D, lanes]``, and how many."""
    num_filters, num_levels, num_filter_nodes, width = z.shape
    entries = (num_levels + 1) * (num_nodes + 1) * num_filter_nodes
    # as few chunks as keep a table in cache, all of the same size
    num_chunks = max(1, min(num_filters, -(-num_filters * entries // _TABLE_ENTRIES)))
    at_once = -(-num_filters // num_chunks)
    filled = np.zeros((num_chunks * at_once, *z.shape[1:]), z.dtype)
    filled[:num_filters] = z
    # [chunks, filters, L, M, D] -> [chunks, L, D, filters, M] or [chunks, L, D, M, filters]
    parts = filled.reshape(num_chunks, at_once, num_levels, num_filter_nodes, width)
    parts = parts.transpose(0, 2, 4, 1, 3) if optimal else parts.transpose(0, 2, 4, 3, 1)
    # whole vectors of columns
    columns, lanes = at_once * num_filter_nodes, lanes_of(z.dtype)
    num_blocks = padded(columns, z.dtype) // lanes
    flat = np.zeros((num_chunks, num_levels, width, num_blocks * lanes), z.dtype)
    flat[..., :columns] = parts.reshape(num_chunks, num_levels, width, columns)
    blocks = zeros((num_chunks, num_blocks, num_levels, width, lanes), z.dtype)
    split = flat.reshape(num_chunks, num_levels, width, num_blocks, lanes)
    blocks[:] = split.transpose(0, 3, 1, 2, 4)
    return blocks, at_once
