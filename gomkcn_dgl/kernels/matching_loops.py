"""The compiled loops of ``matching_numba``: they never hold the full table ``[S, F, N, M]``.

Forward, for one subgraph after the other: its level embeddings, its similarities to the nodes of as
many filters as stay in cache, the matching of each pair. Only the scores, the matching and the
similarity of matched nodes at each level leave. Backward touches matched nodes only: the saved
similarities spare it the distances and the exponentials.

Threads split the subgraphs. The gradient of the filters is summed for each of a fixed number of
blocks of subgraphs, and the blocks are added in order, so that the result does not depend on the
number of threads.

*Levels*, ``X_i = A X_{i-1} / c``, and the way back: the links of a subgraph become a list of edges,
each with a weight and a matrix, the sum of those of the link's channels. A row of features is K
blocks of D numbers, and a level costs D operations an edge and an entry of the matrix.

*Similarities* of one subgraph's nodes to those of many filters: the nodes of as many filters as
stay in cache stand side by side, a block of them in the lanes of a vector, so that the work is the
same whatever the sizes are. Squared distances are sums of squared differences: ``|x|^2 + |z|^2 - 2
<x, z>`` would lose all digits for equal nodes whose level sums are large, and gains a seventh of
the time alone. Rows of zeros, which padding has, are alike: a table holds one for all of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

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
_LOG2_E = 1 / math.log(2)


class LeftSide(NamedTuple):
    """The left side: level embeddings, or features with a structure; what is not given is empty."""

    levels: np.ndarray  # [S, L, N, D]
    feat: np.ndarray  # [V, D]
    nodes: np.ndarray  # int [S, N], rows of feat, -1 = padding
    links: np.ndarray  # uint8 or uint16 [S, N, N], all that joins two nodes
    matrices: np.ndarray  # [links, K, K]
    num_channels: np.ndarray  # int64 [links]


class ForwardScratch(NamedTuple):
    """What one thread needs."""

    x: np.ndarray  # [L, N + ROWS, D or more], rows from N on are zero
    edges: Edges
    tables: Tables
    assignment: Scratch
    chosen: np.ndarray  # int64 [N], filter node of each node
    starts: np.ndarray  # int64 [N], where the row of each node begins in a table
    several: np.ndarray  # [N, lanes], filter node of each node in a vector of filters
    taken: np.ndarray  # [M, lanes]


def new_forward_scratch(num_nodes: int, num_filter_nodes: int, z: np.ndarray) -> ForwardScratch:
    """Allocate the scratch of one thread for chunks z [chunks, P / lanes, L, D, lanes]."""
    _, _, num_levels, width, lanes = z.shape
    return ForwardScratch(
        zeros((num_levels, num_nodes + ROWS, padded(width, z.dtype)), z.dtype),
        _new_edges(num_nodes, z.dtype),
        _new_tables(num_nodes, z),
        new_scratch(num_nodes, num_filter_nodes),
        np.empty(num_nodes, np.int64),
        np.empty(num_nodes, np.int64),
        zeros((num_nodes, lanes), z.dtype),
        zeros((num_filter_nodes, lanes), z.dtype),
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
    x, edges, tables, search, chosen, starts, several, taken = scratch
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
        for f in range(scores.shape[1]):
            chunk, place = f // num_filters, f % num_filters
            # 1. at the first filter of a chunk: the similarity tables of all its filters
            if place == 0:
                if chunk != filled:
                    _fill_zero_row(x, z[chunk], widths, tables)
                    filled = chunk
                _fill_tables(x, z[chunk], widths, distinct, tables)
            # 2. match the subgraph's nodes to the nodes of this filter
            begin, lane = place * filter_step, place & (lanes - 1)
            for n in range(num_nodes):
                chosen[n] = -1
            if pinned and rows[s] > 0:
                chosen[0] = 0
            if optimal:
                match_optimally(
                    tables.total, begin, num_filter_nodes, pinned, rows[s], starts,
                    shift, fixed, cost, key, offset, parent, book, chosen,
                )  # fmt: skip
            else:
                if lane == 0:
                    match_greedily(
                        tables.total, begin, step, num_filter_nodes, pinned, rows[s], starts,
                        taken, several,
                    )  # fmt: skip
                for n in range(pinned, min(rows[s], num_filter_nodes)):
                    put(chosen, n, np.int64(item(several, n * lanes + lane)))
            # 3. write the result
            pair = s * scores.shape[1] + f
            put(scores, pair, _write(chosen, starts, begin, step, pair, tables.total, assignment))
            if similarities.shape[0] > 0:
                _keep(chosen, starts, begin, step, pair, tables.levels, similarities)


@subroutine(_nrt=False)
def _write(chosen, starts, begin, step, pair, total, assignment):
    """Write the matching of one pair; return its score, the sum over matched nodes."""
    score = 0.0
    for n in range(len(chosen)):
        m = chosen[n]
        put(assignment, pair * len(chosen) + n, m)
        if m >= 0:
            score += item(total, starts[n] + begin + m * step)
    return score


@subroutine(_nrt=False)
def _keep(chosen, starts, begin, step, pair, levels, similarities):
    """Write the similarities of matched nodes at each level, which the backward pass needs."""
    num_levels, size, num_nodes = levels.shape[0], levels.shape[1] * levels.shape[2], len(chosen)
    for n in range(num_nodes):
        place = starts[n] + begin + max(chosen[n], 0) * step
        to = pair * num_levels * num_nodes + n
        for level in range(num_levels):
            put(similarities, to + level * num_nodes, item(levels, level * size + place))


@subroutine(_nrt=False)
def _load(left, s, aggregation, scale, edges, x):
    """Put the level embeddings of subgraph s into x [L, N or more, D]; return its edges' number."""
    num_edges = 0
    # level embeddings are given: copy them
    if left.levels.shape[0] > 0:
        for level in range(x.shape[0]):
            for n in range(left.levels.shape[2]):
                for d in range(left.levels.shape[3]):
                    x[level, n, d] = left.levels[s, level, n, d]
    else:
        # level 0 holds the features in the first block, zero for padding
        width, factor = left.feat.shape[1], _block_scale(left)
        for n in range(left.nodes.shape[1]):
            node = left.nodes[s, n]
            for d in range(width):
                x[0, n, d] = factor * left.feat[node, d] if node >= 0 else 0
            for d in range(width, x.shape[2]):
                x[0, n, d] = 0
        # the edges give the other levels
        num_edges = _list_edges(left.links[s], left.num_channels, aggregation, scale, edges)
        _fill_levels(edges, num_edges, left.matrices, width, x)
    return num_edges


@subroutine(_nrt=False)
def _block_scale(left):
    """Factor of level 0: with K blocks of features the square root of K, see ``embeddings``."""
    return np.sqrt(left.feat.dtype.type(left.matrices.shape[1]))


class BackwardScratch(NamedTuple):
    """What one thread needs."""

    x: np.ndarray  # [L, N, D]
    grad_x: np.ndarray  # [L, N, D]
    edges: Edges


def new_backward_scratch(num_nodes: int, z: np.ndarray) -> BackwardScratch:
    """Allocate the scratch of one thread for filters z [F, L, M, D], padded to whole vectors."""
    shape = (z.shape[1], num_nodes, z.shape[3])
    x, grad_x = zeros(shape, z.dtype), zeros(shape, z.dtype)
    return BackwardScratch(x, grad_x, _new_edges(num_nodes, z.dtype))


@compiled(_nrt=False)
def match_bwd_kernel(
    first, last, left, z, widths, aggregation, scale, assignment, similarities, grad_scores,
    grad_left, grad_z, scratch,
):  # fmt: skip
    """Differentiate the blocks of subgraphs from `first` to `last`; each has its part of grad_z."""
    x, grad_x, edges = scratch
    num_subgraphs, _, num_nodes = assignment.shape
    num_blocks, width = grad_z.shape[0], grad_left.shape[3]
    for block in range(first, last):
        own = grad_z[block]
        own[:] = 0
        # the bounds of a block depend on the numbers alone, not on the threads
        start = block * num_subgraphs // num_blocks
        for s in range(start, (block + 1) * num_subgraphs // num_blocks):
            # embed the subgraph again, add the gradients of its matched pairs at every level
            num_edges = _load(left, s, aggregation, scale, edges, x)
            _add_gradients(
                x, z, widths, assignment[s], similarities[s], grad_scores[s], grad_x, own
            )
            if grad_left.shape[0] > 0:
                # where only features were given, the gradients of all levels lead back to level 0
                factor = z.dtype.type(1)
                if left.levels.shape[0] == 0:
                    _collect_levels(edges, num_edges, left.matrices, width, grad_x)
                    factor = _block_scale(left)
                for level in range(grad_left.shape[1]):
                    for n in range(num_nodes):
                        for d in range(width):
                            grad_left[s, level, n, d] = factor * grad_x[level, n, d]


@subroutine(_nrt=False)
def _add_gradients(x, z, widths, assignment, similarities, grad_scores, grad_x, grad_z):
    """Fill grad_x and add to grad_z, of e = exp(-|x - z|^2 / w): -2 e (x - z) / w, its opposite."""
    num_filters, num_levels, num_filter_nodes, stride = z.shape
    num_nodes = x.shape[1]
    for level in range(num_levels):
        slope = z.dtype.type(-2) / widths[level]
        for n in range(num_nodes):
            place = (level * num_nodes + n) * stride
            for d in range(0, stride, lanes_of(x.dtype)):
                node, total = load(x, place + d), spread(x.dtype.type(0))
                for f in range(num_filters):
                    m = item(assignment, f * num_nodes + n)
                    # the similarity is the exponential, which need not be computed again
                    factor = item(similarities, (f * num_levels + level) * num_nodes + n)
                    factor *= item(grad_scores, f) * slope
                    # where e underflows, an infinite difference must not become NaN
                    if m < 0 or factor == 0:
                        continue
                    to = ((f * num_levels + level) * num_filter_nodes + m) * stride + d
                    change = spread(factor) * (node - load(z, to))
                    total = total + change
                    store(grad_z, to, load(grad_z, to) - change)
                store(grad_x, place + d, total)


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

    head: np.ndarray  # int64 [N * N], the node that receives
    tail: np.ndarray  # int64 [N * N], the node that gives
    weight: np.ndarray  # [N * N]
    link: np.ndarray  # int64 [N * N]
    degree: np.ndarray  # int64 [N]


def _new_edges(num_nodes: int, dtype: np.dtype) -> Edges:
    """Allocate room for all edges of a subgraph."""
    most = max(1, num_nodes * num_nodes)
    return Edges(
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, dtype),
        np.empty(most, np.int64),
        np.empty(max(1, num_nodes), np.int64),
    )


@subroutine(_nrt=False)
def _list_edges(links, num_channels, aggregation, scale, edges):
    """List the edges of links [N, N], of `num_channels` [K] each; return how many there are."""
    head, tail, weight, link, degree = edges
    count = 0
    for i in range(len(links)):
        degree[i] = 0
        for j in range(len(links)):
            # always written, kept only where there is an edge: no branch to guess
            head[count], tail[count], link[count] = i, j, links[i, j]
            degree[i] += num_channels[links[i, j]]
            count += links[i, j] != 0
    # weights follow from the degrees
    for k in range(count):
        divisor = scale
        if aggregation == _MEAN:
            divisor = scale * degree[head[k]]
        elif aggregation == _SYM:
            divisor = scale * np.sqrt(weight.dtype.type(degree[head[k]] * degree[tail[k]]))
        weight[k] = 1 / divisor
    return count


@subroutine(_nrt=False)
def _fill_levels(edges, num_edges, matrices, width, x):
    """Fill all levels of x, [L, N, K width or more], from level 0; matrices [links, K, K]."""
    rows = matrices.shape[1]
    for level in range(1, x.shape[0]):
        x[level] = 0
        # X_i = A X_{i-1}, one edge after the other
        for k in range(num_edges):
            head, tail = edges.head[k], edges.tail[k]
            # block j of the neighbour goes to block i times entry (i, j)
            for i in range(rows):
                for j in range(rows):
                    factor = edges.weight[k] * matrices[edges.link[k], i, j]
                    for d in range(width):
                        x[level, head, i * width + d] += factor * x[level - 1, tail, j * width + d]


@subroutine(_nrt=False)
def _collect_levels(edges, num_edges, matrices, width, grad):
    """Bring the gradient of all levels, shaped as in ``_fill_levels``, down to level 0."""
    rows = matrices.shape[1]
    for level in range(grad.shape[0] - 1, 0, -1):
        # the transposed step: what the head received goes back to the tail
        for k in range(num_edges):
            head, tail = edges.head[k], edges.tail[k]
            for i in range(rows):
                for j in range(rows):
                    factor = edges.weight[k] * matrices[edges.link[k], i, j]
                    for d in range(width):
                        step = factor * grad[level, head, i * width + d]
                        grad[level - 1, tail, j * width + d] += step


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
        for n in range(0, num_rows, ROWS):
            _fill_tile(x, z, widths, n, block, tables)


@subroutine(_nrt=False)
def _fill_tile(x, z, widths, n, block, tables):
    """Fill the four rows from n on against a block of columns."""
    _, num_levels, width, lanes = z.shape
    _, height, columns = tables.levels.shape
    stride, zero = x.shape[2], spread(x.dtype.type(0))
    total = zero, zero, zero, zero
    for level in range(num_levels):
        row, column = (level * height + n) * stride, (block * num_levels + level) * width * lanes
        # |x - z|^2
        a, b, c, d = zero, zero, zero, zero
        for k in range(width):
            node, place = load(z, column + k * lanes), row + k
            a = _add_square(a, x, place, node)
            b = _add_square(b, x, place + stride, node)
            c = _add_square(c, x, place + 2 * stride, node)
            d = _add_square(d, x, place + 3 * stride, node)
        # exp(-|x - z|^2 / w)
        rate, place = spread(x.dtype.type(-_LOG2_E) / widths[level]), block * lanes
        result = exp2(a * rate), exp2(b * rate), exp2(c * rate), exp2(d * rate)
        _store_rows(tables.levels, (level * height + n) * columns + place, columns, result)
        total = (
            total[0] + result[0], total[1] + result[1], total[2] + result[2], total[3] + result[3]
        )  # fmt: skip
    _store_rows(tables.total, n * columns + block * lanes, columns, total)


@subroutine(_nrt=False, forceinline=True)
def _add_square(total, x, place, node):
    difference = spread(item(x, place)) - node
    return total + difference * difference


@subroutine(_nrt=False, forceinline=True)
def _store_rows(table, place, columns, vectors):
    for k in range(ROWS):
        store(table, place + k * columns, vectors[k])
