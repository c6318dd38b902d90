"""The compiled loops of ``matching_numba``: they never hold the full table ``[S, F, N, M]``.

Forward, for one group of subgraphs after the other: their level embeddings, their similarities to
the nodes of as many filters as stay in cache, the matching of each pair. Only the scores, the
matching and the similarity of matched nodes at each level leave. Backward touches matched nodes
only: the saved similarities spare it the distances and the exponentials.

A group is a few subgraphs whose nodes stand below each other, so that no vector register waits at
the end of each: forward leaves their padding out. Backward adds the gradients of a group at one
level, in one vector of features, so that these of all filters stay in the first cache.

Threads split the subgraphs. The gradient of the filters is summed for each of a fixed number of
blocks of subgraphs, and the blocks are added in order, so that the result does not depend on the
number of threads.

*Levels*, ``X_i = A X_{i-1} / c``, and the way back: the links or the weights of a group become a
list of edges, each with a weight and a matrix: that of its channel, or the sum of those of the
link's channels. A row of features is K blocks of D numbers, and a level costs D operations an edge
and an entry of the matrix.

*Similarities* of a group's nodes to those of many filters: the nodes of as many filters as
stay in cache stand side by side, a block of them in the lanes of a vector, so that the work is the
same whatever the sizes are. Squared distances are sums of squared differences: ``|x|^2 + |z|^2 - 2
<x, z>`` would lose all digits for equal nodes whose level sums are large, and gains a seventh of
the time alone. Rows of zeros, which padding has, are alike: a table holds one for all of them.

*Results* have the filters last, as the lanes of a vector have them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from llvmlite import binding

from gomkcn_dgl.kernels.assignment_numba import (
    Scratch,
    match_greedily,
    match_optimally,
    new_scratch,
)
from gomkcn_dgl.kernels.vectors_numba import (
    exp2,
    gather,
    item,
    lanes_of,
    load,
    load_few,
    padded,
    pick_greater,
    spread,
    store,
    store_few,
    zeros,
)
from gomkcn_dgl.runtime.compiled import compiled, subroutine

AGGREGATION_CODES = {"sum": 0, "mean": 1, "sym": 2}
_MEAN, _SYM = AGGREGATION_CODES["mean"], AGGREGATION_CODES["sym"]
# nodes that are worked on at a time, so that a filter node is loaded once for all of them; a row of
# zeros stands behind as many rows more
ROWS = 4
# whether two times as many are, where that is possible: their sums fill 8 of the 32 registers of
# AVX-512, but 16 of the 16 of AVX2
_TWICE = bool(binding.get_host_cpu_features().get("avx512f"))
_LOG2_E = 1 / math.log(2)


class LeftSide(NamedTuple):
    """The left side: level embeddings, or features and edges; what is not given is empty."""

    levels: np.ndarray  # [S, L, N, D]
    feat: np.ndarray  # [V, D], or [S * N, D] where each subgraph has its own
    nodes: np.ndarray  # int [S, N], rows of feat, -1 = padding
    sizes: np.ndarray  # int64 [S], nodes of each subgraph that has its own features
    links: np.ndarray  # uint8 or uint16 [S, N, N], all that joins two nodes
    weights: np.ndarray  # [S, N, N, C], weight of the edge in each channel
    matrices: np.ndarray  # [links or C, K, K]
    num_channels: np.ndarray  # int64 [links]


class ForwardScratch(NamedTuple):
    """What one thread needs for G subgraphs at a time, R = G * N rows."""

    x: np.ndarray  # [L, R + ROWS, D or more], the last row is zero
    edges: Edges
    tables: Tables
    assignment: Scratch
    starts: np.ndarray  # int64 [G, N], where the row of each node begins in a table
    chosen: np.ndarray  # [N, lanes], filter node of each node, a lane for each filter; -1 = none
    taken: np.ndarray  # [M, lanes]
    begins: np.ndarray  # [lanes], where the first node of each filter stands in a row of a table


def new_forward_scratch(
    left: LeftSide, group: int, num_nodes: int, num_filter_nodes: int, z: np.ndarray
) -> ForwardScratch:
    """Allocate the scratch of one thread for chunks z [chunks, P / lanes, L, D, lanes]."""
    _, _, num_levels, width, lanes = z.shape
    num_rows = group * num_nodes
    return ForwardScratch(
        zeros((num_levels, num_rows + ROWS, padded(width, z.dtype)), z.dtype),
        _new_edges(left, group, num_nodes, z.dtype),
        _new_tables(num_rows, z),
        new_scratch(num_nodes, num_filter_nodes),
        np.empty((group, num_nodes), np.int64),
        zeros((num_nodes, lanes), z.dtype),
        zeros((num_filter_nodes, lanes), z.dtype),
        zeros((lanes,), z.dtype),
    )


@compiled(_nrt=False)
def match_fwd_kernel(
    first, last, left, z, num_filters, widths, rows, aggregation, scale, optimal, pinned, shift,
    fixed, scores, assignment, similarities, scratch,
):  # fmt: skip
    """Score the subgraphs from `first` to `last`.

    z [chunks, P / lanes, L, D, lanes] are chunks of the nodes of `num_filters` filters: for optimal
    matching one filter after the other, else the first nodes of all filters, then the second ones.
    """
    x, edges, tables, search, starts, chosen, taken, begins = scratch
    cost, key, offset, parent, book = search
    group, num_nodes = starts.shape
    num_filter_nodes, lanes, columns = len(taken), lanes_of(x.dtype), tables.total.shape[1]
    step, filter_step = (1, num_filter_nodes) if optimal else (num_filters, 1)
    for lane in range(lanes):
        begins[lane] = lane * filter_step
    filled = -1
    for start in range(first, last, group):
        of_group = min(group, last - start)
        num_rows, _ = _load(left, start, of_group, True, aggregation, scale, edges, x, starts)
        for g in range(of_group):
            for n in range(num_nodes):
                starts[g, n] *= columns
        for before in range(0, scores.shape[1], max(1, num_filters)):
            # 1. the similarity tables of all filters of a chunk
            chunk = before // num_filters
            if chunk != filled:
                _fill_zero_row(x, z[chunk], widths, tables)
                filled = chunk
            _fill_tables(x, z[chunk], widths, num_rows, tables)
            # 2. match each subgraph's nodes to those of as many filters as a vector has lanes
            count = min(num_filters, scores.shape[1] - before)
            for g in range(of_group):
                s = start + g
                for place in range(0, count, lanes):
                    begin, several = place * filter_step, min(lanes, count - place)
                    for n in range(num_nodes):
                        pinned_here = pinned > 0 and n == 0 and rows[s] > 0
                        store(chosen, n * lanes, spread(x.dtype.type(0 if pinned_here else -1)))
                    if optimal:
                        for lane in range(several):
                            match_optimally(
                                tables.total, begin + lane * filter_step, num_filter_nodes, pinned,
                                rows[s], starts[g], shift, fixed, cost, key, offset, parent, book,
                                lane, chosen,
                            )  # fmt: skip
                    else:
                        match_greedily(
                            tables.total, begin, step, num_filter_nodes, pinned, rows[s],
                            starts[g], taken, chosen,
                        )  # fmt: skip
                    # 3. write the result
                    _write(
                        s, before + place, several, chosen, starts[g], begin, step, begins, tables,
                        scores, assignment, similarities,
                    )  # fmt: skip


@subroutine(_nrt=False)
def _write(
    s, f, several, chosen, starts, begin, step, begins, tables, scores, assignment, similarities
):  # fmt: skip
    """Write the matching of `several` filters from f on, their scores, sums over matched nodes.

    And the similarities of matched nodes at each level, if the backward pass needs them.
    """
    num_nodes, lanes, num_filters = chosen.shape[0], chosen.shape[1], scores.shape[1]
    num_levels, size = tables.levels.shape[0], tables.levels.shape[1] * tables.levels.shape[2]
    zero, none = spread(begins.dtype.type(0)), spread(begins.dtype.type(-1))
    total = zero
    for n in range(num_nodes):
        row, place = s * num_nodes + n, starts[n] + begin
        choice = load_few(chosen, n * lanes, several, none)
        # where the chosen nodes stand in a row; a lane that has none reads where the row begins
        columns = load(begins, 0) + choice * spread(begins.dtype.type(step))
        columns = pick_greater(choice, none, columns, zero)
        similarity = gather(tables.total, place, columns)
        total = total + pick_greater(choice, none, similarity, zero)
        store_few(assignment, row * num_filters + f, several, choice)
        if similarities.shape[0] > 0:
            for level in range(num_levels):
                similarity = gather(tables.levels, level * size + place, columns)
                to = (row * num_levels + level) * num_filters + f
                store_few(similarities, to, several, similarity)
    store_few(scores, s * num_filters + f, several, total)


@subroutine(_nrt=False)
def _load(left, start, count, is_packed, aggregation, scale, edges, x, places):
    """Put the level embeddings of `count` subgraphs into x; return the rows and edges in use.

    x is [L, rows or more, D], and places [G, N] get the row of each node. If `is_packed`, nodes
    behind those of a subgraph share the last row, which is zero; else each has a row of zeros.
    """
    num_nodes = places.shape[1]
    num_rows, num_edges = np.int64(0), np.int64(0)
    for g in range(count):
        s, size = start + g, np.int64(num_nodes)
        if left.levels.shape[0] > 0:
            # level embeddings are given: copy them
            for level in range(x.shape[0]):
                for n in range(num_nodes):
                    for d in range(left.levels.shape[3]):
                        x[level, num_rows + n, d] = left.levels[s, level, n, d]
            real = _count_distinct(x, num_rows, size) if is_packed else size
        else:
            real = _load_features(left, s, num_nodes, num_rows, x)
            num_edges = _list_edges(
                left, s, num_nodes, real, num_rows, num_edges, aggregation, scale, edges
            )
        size = real if is_packed else size
        for n in range(num_nodes):
            places[g, n] = num_rows + n if n < size else x.shape[1] - 1
        num_rows += size
    if left.levels.shape[0] == 0:
        # the edges give the other levels
        _fill_levels(edges, num_edges, num_rows, left.matrices, left.feat.shape[1], x)
    return num_rows, num_edges


@subroutine(_nrt=False)
def _load_features(left, s, num_nodes, first_row, x):
    """Fill the rows of subgraph s at level 0, zeros where none are; return its number of nodes."""
    width, size = left.feat.shape[1], np.int64(0)
    # they stand in the first block of the row
    factor = _block_scale(left)
    for n in range(num_nodes):
        if left.nodes.shape[0] > 0:
            node = np.int64(left.nodes[s, n])
        else:
            node = s * num_nodes + n if n < left.sizes[s] else np.int64(-1)
        size = n + 1 if node >= 0 else size
        row = first_row + n
        for d in range(width if node >= 0 else 0):
            x[0, row, d] = factor * left.feat[node, d]
        for d in range(width if node >= 0 else 0, x.shape[2]):
            x[0, row, d] = 0
    return size


@subroutine(_nrt=False)
def _block_scale(left):
    """Factor of level 0: with K blocks of features the square root of K, see ``embeddings``."""
    return np.sqrt(left.feat.dtype.type(left.matrices.shape[1]))


class BackwardScratch(NamedTuple):
    """What one thread needs for G subgraphs at a time, R = G * N rows."""

    x: np.ndarray  # [L, R + 1, D], a row behind the last one, since a vector may begin in that
    grad_x: np.ndarray  # [L, R + 1, D]
    edges: Edges
    rows: np.ndarray  # int64 [G, N], the row of each node
    slopes: np.ndarray  # [R, F or more], what a difference is multiplied by
    places: np.ndarray  # int32 [R, F or more], where the matched node of each filter stands
    begins: np.ndarray  # [F or more], where the first node of each filter stands


def new_backward_scratch(
    left: LeftSide, group: int, num_nodes: int, num_filters: int, z: np.ndarray
) -> BackwardScratch:
    """Allocate the scratch of one thread for filters z [L, D / lanes, F * M, lanes]."""
    num_levels, num_blocks, _, lanes = z.shape
    num_rows, columns = group * num_nodes, padded(num_filters, z.dtype)
    shape = (num_levels, num_rows + 1, num_blocks * lanes)
    return BackwardScratch(
        zeros(shape, z.dtype),
        zeros(shape, z.dtype),
        _new_edges(left, group, num_nodes, z.dtype),
        np.empty((group, num_nodes), np.int64),
        zeros((num_rows, columns), z.dtype),
        np.empty((num_rows, columns), np.int32),
        zeros((columns,), z.dtype),
    )


@compiled(_nrt=False)
def match_bwd_kernel(
    first, last, left, z, widths, aggregation, scale, assignment, similarities, grad_scores,
    grad_left, grad_z, scratch,
):  # fmt: skip
    """Differentiate the blocks of subgraphs from `first` to `last`; each has its part of grad_z."""
    x, grad_x, edges, rows, slopes, places, begins = scratch
    num_subgraphs, num_nodes, _ = assignment.shape
    num_blocks, width, group = grad_z.shape[0], grad_left.shape[3], len(rows)
    for block in range(first, last):
        of_block = grad_z[block]
        of_block[:] = 0
        # the bounds of a block depend on the numbers alone, not on the threads
        end = (block + 1) * num_subgraphs // num_blocks
        for start in range(block * num_subgraphs // num_blocks, end, group):
            # embed the subgraphs again, add the gradients of their matched pairs at every level
            count = min(group, end - start)
            _, num_edges = _load(left, start, count, False, aggregation, scale, edges, x, rows)
            _add_gradients(
                start, count, x, z, widths, assignment, similarities, grad_scores, slopes, places,
                begins, grad_x, of_block,
            )  # fmt: skip
            if grad_left.shape[0] > 0:
                # where only features were given, the gradients of all levels lead back to level 0
                factor = z.dtype.type(1)
                if left.levels.shape[0] == 0:
                    _collect_levels(edges, num_edges, left.matrices, left.feat.shape[1], grad_x)
                    factor = _block_scale(left)
                for g in range(count):
                    s, size = start + g, np.int64(num_nodes)
                    if left.sizes.shape[0] > 0:
                        # padding has no features
                        size = min(left.sizes[s], size)
                    for level in range(grad_left.shape[1]):
                        for n in range(size):
                            for d in range(width):
                                row = g * num_nodes + n
                                grad_left[s, level, n, d] = factor * grad_x[level, row, d]
                        grad_left[s, level, size:] = 0


@subroutine(_nrt=False)
def _add_gradients(
    start, count, x, z, widths, assignment, similarities, grad_scores, slopes, places, begins,
    grad_x, grad_z,
):  # fmt: skip
    """Fill grad_x and add to grad_z, of e = exp(-|x - z|^2 / w): -2 e (x - z) / w, its opposite."""
    _, num_nodes, num_filters = assignment.shape
    num_levels, num_blocks, size, lanes = z.shape
    height, stride, columns = x.shape[1], x.shape[2], slopes.shape[1]
    zero, none = spread(x.dtype.type(0)), spread(x.dtype.type(-1))
    # 1. where the matched node of each filter stands; float32 holds all numbers up to 2^24
    for f in range(num_filters):
        begins[f] = f * (size // num_filters)
    for row in range(count * num_nodes):
        for f in range(0, num_filters, lanes):
            before = (start * num_nodes + row) * num_filters + f
            choice = load_few(assignment, before, num_filters - f, none)
            place = load(begins, f) + pick_greater(choice, none, choice, zero)
            store_few(places, row * columns + f, lanes, place)
    for level in range(num_levels):
        # 2. the similarity is the exponential, which need not be computed again
        rate = spread(x.dtype.type(-2) / widths[level])
        for row in range(count * num_nodes):
            for f in range(0, num_filters, lanes):
                left = num_filters - f
                before = (start * num_nodes + row) * num_filters
                choice = load_few(assignment, before + f, left, none)
                before = (start * num_nodes + row) * num_levels + level
                similarity = load_few(similarities, before * num_filters + f, left, zero)
                before = (start + row // num_nodes) * num_filters
                factor = load_few(grad_scores, before + f, left, zero)
                slope = pick_greater(choice, none, similarity * factor * rate, zero)
                store(slopes, row * columns + f, slope)
        # 3. the gradients, a vector of features after the other
        for block in range(num_blocks):
            tile = (level * num_blocks + block) * size * lanes
            for row in range(count * num_nodes):
                place = (level * height + row) * stride + block * lanes
                node, total = load(x, place), zero
                for f in range(num_filters):
                    slope = item(slopes, row * columns + f)
                    to = tile + np.int64(item(places, row * columns + f)) * lanes
                    # where e underflows, an infinite difference must not become NaN
                    if slope != 0:
                        change = spread(slope) * (node - load(z, to))
                        total = total + change
                        store(grad_z, to, load(grad_z, to) - change)
                store(grad_x, place, total)


@compiled()
def scatter_rows(rows, nodes, out):
    """Add rows [S, 1, N, D] to the rows of out [V, D] that they were read from, in order."""
    for s in range(rows.shape[0]):
        for n in range(rows.shape[2]):
            node = nodes[s, n]
            if node >= 0:
                for d in range(rows.shape[3]):
                    out[node, d] += rows[s, 0, n, d]


class Edges(NamedTuple):
    """The directed edges of G subgraphs; only the first few are in use."""

    head: np.ndarray  # int64 [G * N * N * C], the row that receives
    tail: np.ndarray  # int64 [G * N * N * C], the row that gives
    weight: np.ndarray  # [G * N * N * C]
    matrix: np.ndarray  # int64 [G * N * N * C], the number of its matrix
    degree: np.ndarray  # [G * N]
    in_block: np.ndarray  # [D of a block or more], 1 within the block, 0 behind it


def _new_edges(left: LeftSide, group: int, num_nodes: int, dtype: np.dtype) -> Edges:
    """Allocate room for all edges of so many subgraphs."""
    most = max(1, group * num_nodes * num_nodes * max(1, left.weights.shape[3]))
    width = left.feat.shape[1]
    in_block = zeros((padded(width, dtype),), dtype)
    in_block[:width] = 1
    return Edges(
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, dtype),
        np.empty(most, np.int64),
        np.empty(group * num_nodes, dtype),
        in_block,
    )


@subroutine(_nrt=False)
def _list_edges(left, s, num_nodes, size, first_row, begin, aggregation, scale, edges):
    """List the edges of subgraph s behind the first `begin`; return how many they are then.

    Its `size` nodes that are not padding stand in the rows from `first_row` on.
    """
    head, tail, weight, matrix, degree, _ = edges
    num_channels, count = left.weights.shape[3], begin
    # an entry is always written, and kept only where there is an edge: no branch to guess
    for i in range(size):
        entry = (s * num_nodes + i) * num_nodes
        if left.weights.shape[0] > 0:
            for channel in range(num_channels):
                for j in range(size):
                    value = item(left.weights, (entry + j) * num_channels + channel)
                    head[count], tail[count] = first_row + i, first_row + j
                    weight[count], matrix[count] = value, channel
                    count += value != 0
        else:
            for j in range(size):
                link = np.int64(item(left.links, entry + j))
                head[count], tail[count] = first_row + i, first_row + j
                weight[count], matrix[count] = 1, link
                count += link != 0
    # what an edge gives is divided by the scale and by the degrees of its nodes
    if aggregation in (_MEAN, _SYM):
        for row in range(first_row, first_row + size):
            degree[row] = 0
        for k in range(begin, count):
            is_link = left.weights.shape[0] == 0
            degree[head[k]] += left.num_channels[matrix[k]] if is_link else weight[k]
        # a node without edges gives nothing and gets nothing, whatever it is divided by
        for row in range(first_row, first_row + size):
            degree[row] = degree[row] if degree[row] > 0 else 1
    for k in range(begin, count):
        divisor = scale
        if aggregation == _MEAN:
            divisor = scale * degree[head[k]]
        elif aggregation == _SYM:
            divisor = scale * np.sqrt(degree[head[k]] * degree[tail[k]])
        weight[k] = weight[k] / divisor
    return count


@subroutine(_nrt=False)
def _fill_levels(edges, num_edges, num_rows, matrices, width, x):
    """Fill all levels of x from level 0, in blocks of `width`; matrices [links, K, K].

    x is [L, rows or more, K width or more]: vectors reach into the next block or row, and add zeros
    there.
    """
    num_levels, height, _ = x.shape
    for level in range(1, num_levels):
        x[level, :num_rows] = 0
        # X_i = A X_{i-1}, one edge after the other
        for k in range(num_edges):
            to, place = level * height + edges.head[k], (level - 1) * height + edges.tail[k]
            _add_row(x, to, place, edges, k, matrices, width, False)


@subroutine(_nrt=False)
def _collect_levels(edges, num_edges, matrices, width, grad):
    """Bring the gradient of all levels, shaped as in ``_fill_levels``, down to level 0."""
    num_levels, height, _ = grad.shape
    for level in range(num_levels - 1, 0, -1):
        # the transposed step: what the head received goes back to the tail
        for k in range(num_edges):
            to, place = (level - 1) * height + edges.tail[k], level * height + edges.head[k]
            _add_row(grad, to, place, edges, k, matrices, width, True)


@subroutine(_nrt=False, forceinline=True)
def _add_row(x, to, place, edges, k, matrices, width, is_transposed):
    """Add to the row `to` of x what edge k gives of the row `place`: block j to block i."""
    blocks, stride = matrices.shape[1], x.shape[2]
    to, place = to * stride, place * stride
    if blocks == 1:
        # nothing but padding stands behind the only block
        factor = spread(edges.weight[k] * matrices[edges.matrix[k], 0, 0])
        for d in range(0, stride, lanes_of(x.dtype)):
            store(x, to + d, load(x, to + d) + factor * load(x, place + d))
    else:
        for i in range(blocks):
            for j in range(blocks):
                entry = matrices[edges.matrix[k], i, j]
                factor = edges.weight[k] * entry
                high, low = (j, i) if is_transposed else (i, j)
                _add_block(x, to + high * width, place + low * width, factor, width, edges.in_block)


@subroutine(_nrt=False, forceinline=True)
def _add_block(x, to, place, factor, width, in_block):
    """Add `factor` times the `width` numbers from `place` on to those from `to` on."""
    zero = spread(x.dtype.type(0))
    for d in range(0, width, lanes_of(x.dtype)):
        given = pick_greater(load(in_block, d), zero, load(x, place + d), zero)
        store(x, to + d, load(x, to + d) + spread(factor) * given)


class Tables(NamedTuple):
    """What one thread needs; B filter nodes are worked on at once, P of them with padding."""

    levels: np.ndarray  # [L, R + ROWS, P], similarities
    total: np.ndarray  # [R + ROWS + 1, P], their sum


def _new_tables(num_rows: int, z: np.ndarray) -> Tables:
    """Allocate the tables of R rows for chunks z [chunks, P / lanes, L, D, lanes]."""
    _, num_blocks, num_levels, _, lanes = z.shape
    height, columns = num_rows + ROWS, num_blocks * lanes
    return Tables(
        zeros((num_levels, height, columns), z.dtype),
        # one more, since a vector may begin at the last filter of the last row
        zeros((height + 1, columns), z.dtype),
    )


@subroutine(_nrt=False)
def _count_distinct(x, first_row, num_rows):
    """Return how many rows of x [L, R, D] from `first_row` on stand before those of zeros alone."""
    while num_rows > 0:
        for level in range(x.shape[0]):
            for d in range(x.shape[2]):
                # NaN is not zero
                if x[level, first_row + num_rows - 1, d] != 0:
                    return num_rows
        num_rows -= 1
    return num_rows


@subroutine(_nrt=False)
def _fill_zero_row(x, z, widths, tables):
    """Fill what only depends on the filters: the similarities of rows of zeros."""
    for block in range(z.shape[0]):
        _fill_tile(x, z, widths, x.shape[1] - ROWS, block, tables)


@subroutine(_nrt=False)
def _fill_tables(x, z, widths, num_rows, tables):
    """Fill the similarities of the first `num_rows` nodes at each level, and their sum."""
    for block in range(z.shape[0]):
        n = np.int64(0)
        if _TWICE:
            while num_rows - n > ROWS:
                _fill_two_tiles(x, z, widths, n, block, tables)
                n += 2 * ROWS
        while n < num_rows:
            _fill_tile(x, z, widths, n, block, tables)
            n += ROWS


@subroutine(_nrt=False)
def _fill_tile(x, z, widths, n, block, tables):
    """Fill the four rows from n on against a block of columns."""
    _, num_levels, width, lanes = z.shape
    _, height, columns = tables.levels.shape
    stride, zero = x.shape[2], spread(x.dtype.type(0))
    total = zero, zero, zero, zero
    for level in range(num_levels):
        row, column = (level * height + n) * stride, (block * num_levels + level) * width * lanes
        squares = zero, zero, zero, zero
        for k in range(width):
            node = load(z, column + k * lanes)
            squares = _add_squares(squares, x, row + k, stride, node)
        rate = spread(x.dtype.type(-_LOG2_E) / widths[level])
        place = (level * height + n) * columns + block * lanes
        total = _add_level(total, squares, rate, tables.levels, place, columns)
    _store_rows(tables.total, n * columns + block * lanes, columns, total)


@subroutine(_nrt=False)
def _fill_two_tiles(x, z, widths, n, block, tables):
    """Fill the eight rows from n on: while a row's sum waits, another one is added to."""
    _, num_levels, width, lanes = z.shape
    _, height, columns = tables.levels.shape
    stride, zero = x.shape[2], spread(x.dtype.type(0))
    total = zero, zero, zero, zero
    total_below = zero, zero, zero, zero
    for level in range(num_levels):
        row, column = (level * height + n) * stride, (block * num_levels + level) * width * lanes
        squares = zero, zero, zero, zero
        squares_below = zero, zero, zero, zero
        for k in range(width):
            node = load(z, column + k * lanes)
            squares = _add_squares(squares, x, row + k, stride, node)
            squares_below = _add_squares(squares_below, x, row + k + ROWS * stride, stride, node)
        rate = spread(x.dtype.type(-_LOG2_E) / widths[level])
        place = (level * height + n) * columns + block * lanes
        total = _add_level(total, squares, rate, tables.levels, place, columns)
        place += ROWS * columns
        total_below = _add_level(total_below, squares_below, rate, tables.levels, place, columns)
    place = n * columns + block * lanes
    _store_rows(tables.total, place, columns, total)
    _store_rows(tables.total, place + ROWS * columns, columns, total_below)


@subroutine(_nrt=False, forceinline=True)
def _add_squares(squares, x, place, stride, node):
    """Add to |z - x|^2 a feature of four nodes x and of a vector of filter nodes."""
    # x on the right, where an instruction reads it from memory for all lanes
    a = node - spread(item(x, place))
    b = node - spread(item(x, place + stride))
    c = node - spread(item(x, place + 2 * stride))
    d = node - spread(item(x, place + 3 * stride))
    return squares[0] + a * a, squares[1] + b * b, squares[2] + c * c, squares[3] + d * d


@subroutine(_nrt=False, forceinline=True)
def _add_level(total, squares, rate, levels, place, columns):
    """Write exp(-|z - x|^2 / w) of four nodes, and add it to their totals."""
    a, b, c, d = (
        exp2(squares[0] * rate),
        exp2(squares[1] * rate),
        exp2(squares[2] * rate),
        exp2(squares[3] * rate),
    )
    _store_rows(levels, place, columns, (a, b, c, d))
    return total[0] + a, total[1] + b, total[2] + c, total[3] + d


@subroutine(_nrt=False, forceinline=True)
def _store_rows(table, place, columns, vectors):
    for k in range(ROWS):
        store(table, place + k * columns, vectors[k])
