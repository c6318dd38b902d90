"""The compiled loops of ``matching_numba``: they never hold the full table ``[S, F, N, M]``.

Forward, for one subgraph after the other: its level embeddings, its similarities to the nodes of as
many filters as stay in cache, the matching of each pair. Only the scores, the matching and the
similarity of matched nodes at each level leave. Backward touches matched nodes only: the saved
similarities spare it the distances and the exponentials.

Threads split the subgraphs. The gradient of the filters is summed for each of a fixed number of
blocks of subgraphs, and the blocks are added in order, so that the result does not depend on the
number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.assignment_numba import (
    Scratch,
    match_greedily,
    match_optimally,
    new_scratch,
)
from gomkcn_dgl.kernels.levels_numba import (
    Edges,
    collect_levels,
    edges_of_bits,
    edges_of_links,
    edges_of_matrix,
    fill_levels,
    new_edges,
)
from gomkcn_dgl.kernels.similarity_numba import (
    ROWS,
    Tables,
    count_distinct,
    fill_tables,
    fill_zero_row,
    new_tables,
)
from gomkcn_dgl.kernels.vectors_numba import (
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


class LeftSide(NamedTuple):
    """The left side: level embeddings, or features with a structure; what is not given is empty."""

    levels: np.ndarray  # [S, L, N, D]
    feat: np.ndarray  # [V, D]
    nodes: np.ndarray  # int [S, N], rows of feat, -1 = padding
    bits: np.ndarray  # uint64 [S, N, W]
    transition: np.ndarray  # [S, N, N], scale times what a level takes from the one before
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
        new_edges(num_nodes, z.dtype),
        new_tables(num_nodes, z),
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
        distinct = count_distinct(x, rows[s])
        for n in range(num_nodes):
            starts[n] = columns * (n if n < distinct else zero_row)
        for f in range(scores.shape[1]):
            chunk, place = f // num_filters, f % num_filters
            # 1. at the first filter of a chunk: the similarity tables of all its filters
            if place == 0:
                if chunk != filled:
                    fill_zero_row(x, z[chunk], widths, tables)
                    filled = chunk
                fill_tables(x, z[chunk], widths, distinct, tables)
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
        # level 0 holds the features, zero for padding; over links they stand in the first block
        width, factor = left.feat.shape[1], _block_scale(left)
        for n in range(left.nodes.shape[1]):
            node = left.nodes[s, n]
            for d in range(width):
                x[0, n, d] = factor * left.feat[node, d] if node >= 0 else 0
            for d in range(width, x.shape[2]):
                x[0, n, d] = 0
        # the edges give the other levels
        if left.links.shape[0] > 0:
            num_edges = edges_of_links(left.links[s], left.num_channels, aggregation, scale, edges)
        elif left.bits.shape[0] > 0:
            num_edges = edges_of_bits(left.bits[s], aggregation, scale, edges)
        else:
            num_nodes = 0
            for node in left.nodes[s]:
                num_nodes += node >= 0
            num_edges = edges_of_matrix(left.transition[s], num_nodes, scale, edges)
        fill_levels(edges, num_edges, left.matrices, width, x)
    return num_edges


@subroutine(_nrt=False)
def _block_scale(left):
    """Factor of level 0: with K blocks of features the square root of K, see ``embeddings``."""
    return np.sqrt(left.feat.dtype.type(max(left.matrices.shape[1], 1)))


class BackwardScratch(NamedTuple):
    """What one thread needs."""

    x: np.ndarray  # [L, N, D]
    grad_x: np.ndarray  # [L, N, D]
    edges: Edges


def new_backward_scratch(num_nodes: int, z: np.ndarray) -> BackwardScratch:
    """Allocate the scratch of one thread for filters z [F, L, M, D], padded to whole vectors."""
    shape = (z.shape[1], num_nodes, z.shape[3])
    x, grad_x = zeros(shape, z.dtype), zeros(shape, z.dtype)
    return BackwardScratch(x, grad_x, new_edges(num_nodes, z.dtype))


@compiled(_nrt=False)
def match_bwd_kernel(
    first, last, left, z, widths, aggregation, scale, assignment, similarities, grad_scores,
    grad_left, grad_z, scratch,
):  # fmt: skip
    """Differentiate the blocks of subgraphs from `first` to `last`; each has its part of grad_z."""
    x, grad_x, edges = scratch
    num_subgraphs, _, num_nodes = assignment.shape
    num_levels, width = z.shape[1], grad_left.shape[3]
    num_blocks = grad_z.shape[0]
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
                if grad_left.shape[1] < num_levels:
                    collect_levels(edges, num_edges, left.matrices, width, grad_x)
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
