"""The compiled loops of ``matching_numba``: they never hold the full table ``[S, F, N, M]``.

Forward, for one subgraph after the other: its level embeddings, its similarities to the nodes of as
many filters as stay in cache, the matching of each pair. Only the scores, the matching and the
similarity of matched nodes at each level leave. Backward touches matched nodes only: the saved
similarities spare it the distances and the exponentials.

Threads split the subgraphs. The gradient of the filters is summed for each of a fixed number of
blocks of subgraphs, and the blocks are added in order, so that the result does not depend on the
number of threads.

*Levels*, ``X_i = A X_{i-1} / c``, and the way back: the links or the weights of a subgraph become a
list of edges, each with a weight and a matrix: that of its channel, or the sum of those of the
link's channels. A row of features is K blocks of D numbers, and a level costs D operations an edge
and an entry of the matrix.

*Similarities* of one subgraph's nodes to those of many filters: the nodes of as many filters as
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
    item,
    lanes_of,
    load,
    padded,
    pick_greater,
    put,
    spread,
    store,
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
    """What one thread needs."""

    x: np.ndarray  # [L, N + ROWS, D or more], rows from N on are zero
    edges: Edges
    tables: Tables
    assignment: Scratch
    starts: np.ndarray  # int64 [N], where the row of each node begins in a table
    chosen: np.ndarray  # [N, lanes], filter node of each node, a lane for each filter; -1 = none
    taken: np.ndarray  # [M, lanes]
    places: np.ndarray  # int64 [lanes], where the chosen nodes stand in a table


def new_forward_scratch(
    left: LeftSide, num_nodes: int, num_filter_nodes: int, z: np.ndarray
) -> ForwardScratch:
    """Allocate the scratch of one thread for chunks z [chunks, P / lanes, L, D, lanes]."""
    _, _, num_levels, width, lanes = z.shape
    return ForwardScratch(
        zeros((num_levels, num_nodes + ROWS, padded(width, z.dtype)), z.dtype),
        _new_edges(left, num_nodes, z.dtype),
        _new_tables(num_nodes, z),
        new_scratch(num_nodes, num_filter_nodes),
        np.empty(num_nodes, np.int64),
        zeros((num_nodes, lanes), z.dtype),
        zeros((num_filter_nodes, lanes), z.dtype),
        np.empty(lanes, np.int64),
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
    x, edges, tables, search, starts, chosen, taken, places = scratch
    cost, key, offset, parent, book = search
    num_nodes, num_filter_nodes, lanes = len(chosen), len(taken), lanes_of(x.dtype)
    step, filter_step = (1, num_filter_nodes) if optimal else (num_filters, 1)
    zero_row, columns = x.shape[1] - 1, tables.total.shape[1]
    filled = -1
    for s in range(first, last):
        _load(left, s, aggregation, scale, edges, x)
        distinct = _count_distinct(x, rows[s])
        for n in range(num_nodes):
            starts[n] = columns * (n if n < distinct else zero_row)
        for before in range(0, scores.shape[1], max(1, num_filters)):
            # 1. the similarity tables of all filters of a chunk
            chunk = before // num_filters
            if chunk != filled:
                _fill_zero_row(x, z[chunk], widths, tables)
                filled = chunk
            _fill_tables(x, z[chunk], widths, distinct, tables)
            # 2. match the subgraph's nodes to the nodes of as many filters as a vector has lanes
            count = min(num_filters, scores.shape[1] - before)
            for place in range(0, count, lanes):
                begin, several = place * filter_step, min(lanes, count - place)
                for n in range(num_nodes):
                    pinned_here = pinned > 0 and n == 0 and rows[s] > 0
                    store(chosen, n * lanes, spread(x.dtype.type(0 if pinned_here else -1)))
                if optimal:
                    for lane in range(several):
                        match_optimally(
                            tables.total, begin + lane * filter_step, num_filter_nodes, pinned,
                            rows[s], starts, shift, fixed, cost, key, offset, parent, book,
                            lane, chosen,
                        )  # fmt: skip
                else:
                    match_greedily(
                        tables.total, begin, step, num_filter_nodes, pinned, rows[s], starts,
                        taken, chosen,
                    )  # fmt: skip
                # 3. write the result
                _write(
                    s, before + place, several, chosen, starts, begin, step, filter_step, tables,
                    scores, assignment, similarities, places,
                )  # fmt: skip


@subroutine(_nrt=False)
def _write(
    s, f, several, chosen, starts, begin, step, filter_step, tables, scores, assignment,
    similarities, places,
):  # fmt: skip
    """Write the matching of `several` filters from f on, their scores, sums over matched nodes.

    And the similarities of matched nodes at each level, if the backward pass needs them.
    """
    num_nodes, lanes, num_filters = chosen.shape[0], chosen.shape[1], scores.shape[1]
    num_levels, size = tables.levels.shape[0], tables.levels.shape[1] * tables.levels.shape[2]
    for lane in range(several):
        scores[s, f + lane] = 0
    for n in range(num_nodes):
        row = s * num_nodes + n
        for lane in range(several):
            m = np.int64(item(chosen, n * lanes + lane))
            place = starts[n] + begin + max(m, 0) * step + lane * filter_step
            places[lane] = place
            put(assignment, row * num_filters + f + lane, m)
            if m >= 0:
                scores[s, f + lane] += item(tables.total, place)
        if similarities.shape[0] > 0:
            for level in range(num_levels):
                to = (row * num_levels + level) * num_filters + f
                for lane in range(several):
                    put(similarities, to + lane, item(tables.levels, level * size + places[lane]))


@subroutine(_nrt=False)
def _load(left, s, aggregation, scale, edges, x):
    """Put the level embeddings of subgraph s into x [L, N or more, D]; return its edges' number."""
    num_nodes, width = len(edges.degree), left.feat.shape[1]
    num_edges = 0
    if left.levels.shape[0] > 0:
        # level embeddings are given: copy them
        for level in range(x.shape[0]):
            for n in range(num_nodes):
                for d in range(left.levels.shape[3]):
                    x[level, n, d] = left.levels[s, level, n, d]
    else:
        # level 0 holds the features in the first block
        factor, size = _block_scale(left), np.int64(0)
        for n in range(num_nodes):
            if left.nodes.shape[0] > 0:
                node = np.int64(left.nodes[s, n])
            else:
                node = s * num_nodes + n if n < left.sizes[s] else -1
            size = n + 1 if node >= 0 else size
            for d in range(width):
                x[0, n, d] = factor * left.feat[node, d] if node >= 0 else 0
            for d in range(width, x.shape[2]):
                x[0, n, d] = 0
        # the edges give the other levels
        num_edges = _list_edges(left, s, size, aggregation, scale, edges)
        _fill_levels(edges, num_edges, left.matrices, width, x)
    return num_edges


@subroutine(_nrt=False)
def _block_scale(left):
    """Factor of level 0: with K blocks of features the square root of K, see ``embeddings``."""
    return np.sqrt(left.feat.dtype.type(left.matrices.shape[1]))


class BackwardScratch(NamedTuple):
    """What one thread needs."""

    x: np.ndarray  # [L, N + 1, D]
    grad_x: np.ndarray  # [L, N + 1, D]
    edges: Edges
    slopes: np.ndarray  # [F], what a difference is multiplied by
    places: np.ndarray  # int64 [F], where the matched node of each filter stands


def new_backward_scratch(left: LeftSide, num_nodes: int, z: np.ndarray) -> BackwardScratch:
    """Allocate the scratch of one thread for filters z [F, L, M, D], padded to whole vectors."""
    # a row behind the last one, since a vector may begin in that
    shape = (z.shape[1], num_nodes + 1, z.shape[3])
    return BackwardScratch(
        zeros(shape, z.dtype),
        zeros(shape, z.dtype),
        _new_edges(left, num_nodes, z.dtype),
        np.empty(z.shape[0], z.dtype),
        np.empty(z.shape[0], np.int64),
    )


@compiled(_nrt=False)
def match_bwd_kernel(
    first, last, left, z, widths, aggregation, scale, assignment, similarities, grad_scores,
    grad_left, grad_z, scratch,
):  # fmt: skip
    """Differentiate the blocks of subgraphs from `first` to `last`; each has its part of grad_z."""
    x, grad_x, edges, slopes, places = scratch
    num_subgraphs, num_nodes, _ = assignment.shape
    num_blocks, width = grad_z.shape[0], grad_left.shape[3]
    for block in range(first, last):
        of_block = grad_z[block]
        of_block[:] = 0
        # the bounds of a block depend on the numbers alone, not on the threads
        start = block * num_subgraphs // num_blocks
        for s in range(start, (block + 1) * num_subgraphs // num_blocks):
            # embed the subgraph again, add the gradients of its matched pairs at every level
            num_edges = _load(left, s, aggregation, scale, edges, x)
            _add_gradients(
                x, z, widths, assignment[s], similarities[s], grad_scores[s], slopes, places,
                grad_x, of_block,
            )  # fmt: skip
            if grad_left.shape[0] > 0:
                # where only features were given, the gradients of all levels lead back to level 0
                factor, size = z.dtype.type(1), num_nodes
                if left.levels.shape[0] == 0:
                    _collect_levels(edges, num_edges, left.matrices, left.feat.shape[1], grad_x)
                    factor = _block_scale(left)
                    # padding has no features
                    size = min(left.sizes[s], num_nodes) if left.sizes.shape[0] > 0 else size
                for level in range(grad_left.shape[1]):
                    for n in range(size):
                        for d in range(width):
                            grad_left[s, level, n, d] = factor * grad_x[level, n, d]
                    grad_left[s, level, size:] = 0


@subroutine(_nrt=False)
def _add_gradients(
    x, z, widths, assignment, similarities, grad_scores, slopes, places, grad_x, grad_z
):  # fmt: skip
    """Fill grad_x and add to grad_z, of e = exp(-|x - z|^2 / w): -2 e (x - z) / w, its opposite."""
    num_filters, num_levels, num_filter_nodes, stride = z.shape
    num_nodes, height = len(assignment), x.shape[1]
    for level in range(num_levels):
        rate = z.dtype.type(-2) / widths[level]
        for n in range(num_nodes):
            # the similarity is the exponential, which need not be computed again
            row = (n * num_levels + level) * num_filters
            for f in range(num_filters):
                m = np.int64(item(assignment, n * num_filters + f))
                slope = item(similarities, row + f) * item(grad_scores, f) * rate
                put(slopes, f, slope if m >= 0 else z.dtype.type(0))
                put(places, f, ((f * num_levels + level) * num_filter_nodes + max(m, 0)) * stride)
            for d in range(0, stride, lanes_of(x.dtype)):
                place = (level * height + n) * stride + d
                node, total = load(x, place), spread(x.dtype.type(0))
                for f in range(num_filters):
                    slope, to = item(slopes, f), item(places, f) + d
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
    """The directed edges of one subgraph; only the first few are in use."""

    head: np.ndarray  # int64 [N * N * C], the node that receives
    tail: np.ndarray  # int64 [N * N * C], the node that gives
    weight: np.ndarray  # [N * N * C]
    matrix: np.ndarray  # int64 [N * N * C], the number of its matrix
    degree: np.ndarray  # [N]
    in_block: np.ndarray  # [D of a block or more], 1 within the block, 0 behind it


def _new_edges(left: LeftSide, num_nodes: int, dtype: np.dtype) -> Edges:
    """Allocate room for all edges of a subgraph."""
    most = max(1, num_nodes * num_nodes * max(1, left.weights.shape[3]))
    width = left.feat.shape[1]
    in_block = zeros((padded(width, dtype),), dtype)
    in_block[:width] = 1
    return Edges(
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, dtype),
        np.empty(most, np.int64),
        np.empty(num_nodes, dtype),
        in_block,
    )


@subroutine(_nrt=False)
def _list_edges(left, s, size, aggregation, scale, edges):
    """List the edges of subgraph s, of `size` nodes that are not padding; return their number."""
    head, tail, weight, matrix, degree, _ = edges
    num_nodes, num_channels = len(degree), left.weights.shape[3]
    count = 0
    # an entry is always written, and kept only where there is an edge: no branch to guess
    for i in range(size):
        row = (s * num_nodes + i) * num_nodes
        if left.weights.shape[0] > 0:
            for j in range(size):
                for channel in range(num_channels):
                    value = item(left.weights, (row + j) * num_channels + channel)
                    head[count] = i
                    tail[count] = j
                    weight[count] = value
                    matrix[count] = channel
                    count += value != 0
        else:
            for j in range(size):
                link = np.int64(item(left.links, row + j))
                head[count], tail[count], weight[count], matrix[count] = i, j, 1, link
                count += link != 0
    # what an edge gives is divided by the scale and by the degrees of its nodes
    if aggregation in (_MEAN, _SYM):
        for n in range(num_nodes):
            degree[n] = 0
        for k in range(count):
            is_link = left.weights.shape[0] == 0
            degree[head[k]] += left.num_channels[matrix[k]] if is_link else weight[k]
        # a node without edges gives nothing and gets nothing, whatever it is divided by
        for n in range(num_nodes):
            degree[n] = degree[n] if degree[n] > 0 else 1
    for k in range(count):
        divisor = scale
        if aggregation == _MEAN:
            divisor = scale * degree[head[k]]
        elif aggregation == _SYM:
            divisor = scale * np.sqrt(degree[head[k]] * degree[tail[k]])
        weight[k] = weight[k] / divisor
    return count


@subroutine(_nrt=False)
def _fill_levels(edges, num_edges, matrices, width, x):
    """Fill all levels of x from level 0, in blocks of `width`; matrices [links, K, K].

    x is [L, more than N, K width or more]: vectors reach into the next block or row, and add zeros
    there.
    """
    num_levels, height, stride = x.shape
    blocks = matrices.shape[1]
    for level in range(1, num_levels):
        x[level] = 0
        # X_i = A X_{i-1}, one edge after the other
        for k in range(num_edges):
            to, place = level * height + edges.head[k], (level - 1) * height + edges.tail[k]
            # block j of the neighbour goes to block i times entry (i, j)
            for i in range(blocks):
                for j in range(blocks):
                    factor = edges.weight[k] * matrices[edges.matrix[k], i, j]
                    _add_block(
                        x, to * stride + i * width, place * stride + j * width, factor, width,
                        edges.in_block,
                    )  # fmt: skip


@subroutine(_nrt=False)
def _collect_levels(edges, num_edges, matrices, width, grad):
    """Bring the gradient of all levels, shaped as in ``_fill_levels``, down to level 0."""
    num_levels, height, stride = grad.shape
    blocks = matrices.shape[1]
    for level in range(num_levels - 1, 0, -1):
        # the transposed step: what the head received goes back to the tail
        for k in range(num_edges):
            to, place = (level - 1) * height + edges.tail[k], level * height + edges.head[k]
            for i in range(blocks):
                for j in range(blocks):
                    factor = edges.weight[k] * matrices[edges.matrix[k], i, j]
                    _add_block(
                        grad, to * stride + j * width, place * stride + i * width, factor,
                        width, edges.in_block,
                    )  # fmt: skip


@subroutine(_nrt=False, forceinline=True)
def _add_block(x, to, place, factor, width, in_block):
    """Add `factor` times the `width` numbers from `place` on to those from `to` on."""
    zero = spread(x.dtype.type(0))
    for d in range(0, width, lanes_of(x.dtype)):
        given = pick_greater(load(in_block, d), zero, load(x, place + d), zero)
        store(x, to + d, load(x, to + d) + spread(factor) * given)


class Tables(NamedTuple):
    """What one thread needs; B filter nodes are worked on at once, P of them with padding."""

    levels: np.ndarray  # [L, N + ROWS, P], similarities
    total: np.ndarray  # [N + ROWS + 1, P], their sum


def _new_tables(num_nodes: int, z: np.ndarray) -> Tables:
    """Allocate the tables for chunks z [chunks, P / lanes, L, D, lanes]."""
    _, num_blocks, num_levels, _, lanes = z.shape
    rows, columns = num_nodes + ROWS, num_blocks * lanes
    return Tables(
        zeros((num_levels, rows, columns), z.dtype),
        # one more, since a vector may begin at the last filter of the last row
        zeros((rows + 1, columns), z.dtype),
    )


@subroutine(_nrt=False)
def _count_distinct(x, num_rows):
    """Return how many of the first rows of x [L, N, D] there are before those of zeros alone."""
    while num_rows > 0:
        for level in range(x.shape[0]):
            for d in range(x.shape[2]):
                # NaN is not zero
                if x[level, num_rows - 1, d] != 0:
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
