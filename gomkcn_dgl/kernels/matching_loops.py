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
from gomkcn_dgl.kernels.matching_reference import DICE_EPSILON
from gomkcn_dgl.kernels.similarity_numba import RBF, fill_tables, squared_norm
from gomkcn_dgl.runtime.compiled import compiled, subroutine


class LeftSide(NamedTuple):
    """The left side: level embeddings, or features with a structure; what is not given is empty."""

    levels: np.ndarray  # [S, L, N, D]
    feat: np.ndarray  # [V, D]
    nodes: np.ndarray  # int [S, N], rows of feat, -1 = padding
    bits: np.ndarray  # uint64 [S, N, W]
    transition: np.ndarray  # [S, N, N], what a level takes from the one before
    links: np.ndarray  # uint8 or uint16 [S, N, N], all that joins two nodes
    matrices: np.ndarray  # [links, K, K]
    num_channels: np.ndarray  # int64 [links]


class ForwardScratch(NamedTuple):
    """What one thread needs; B filter nodes, of A filters, are worked on at once."""

    x: np.ndarray  # [L, N + 1, D], one row more, since nodes are worked on in pairs
    edges: Edges
    sums: np.ndarray  # [2, B]
    levels: np.ndarray  # [L, N + 1, B]
    own_levels: np.ndarray  # [L, N + 1, A, M], the same memory filter by filter
    table: np.ndarray  # [N + 1, B]
    own: np.ndarray  # [N + 1, A, M], the same memory filter by filter
    assignment: Scratch
    chosen: np.ndarray  # int64 [N], filter node of each node


def new_forward_scratch(num_nodes: int, num_filter_nodes: int, z: np.ndarray) -> ForwardScratch:
    """Allocate the scratch of one thread for chunks z [C, L, D, B]."""
    _, num_levels, width, columns = z.shape
    levels = np.empty((num_levels, num_nodes + 1, columns), z.dtype)
    table = np.empty((num_nodes + 1, columns), z.dtype)
    by_filter = (num_nodes + 1, columns // num_filter_nodes, num_filter_nodes)
    return ForwardScratch(
        np.zeros((num_levels, num_nodes + 1, width), z.dtype),
        new_edges(num_nodes, z.dtype),
        np.empty((2, columns), z.dtype),
        levels,
        levels.reshape(num_levels, *by_filter),
        table,
        table.reshape(by_filter),
        new_scratch(num_nodes, num_filter_nodes),
        np.empty(num_nodes, np.int64),
    )


@compiled(_nrt=False)
def match_fwd_kernel(
    first, last, left, z, z_norms, widths, rows, aggregation, scale, node_similarity, optimal,
    pinned, shift, fixed, scores, assignment, similarities, scratch,
):  # fmt: skip
    """Score the subgraphs from `first` to `last`.

    z [C, L, D, B] and z_norms [C, L, B] are C chunks of B filter nodes.
    """
    x, edges, sums, levels, own_levels, table, own, search, chosen = scratch
    cost, key, offset, parent, book = search
    _, num_filters, num_nodes = assignment.shape
    num_levels, at_once = own_levels.shape[0], own_levels.shape[2]
    for s in range(first, last):
        _load(left, s, aggregation, scale, edges, x)
        for f in range(num_filters):
            chunk, place = f // at_once, f % at_once
            # 1. at the first filter of a chunk: the similarity table of all its filters
            if place == 0:
                fill_tables(
                    x, z[chunk], z_norms[chunk], widths, rows[s], node_similarity,
                    sums, levels, table,
                )  # fmt: skip
            # 2. match the subgraph's nodes to the nodes of this filter
            for n in range(num_nodes):
                chosen[n] = -1
            if pinned and rows[s] > 0:
                chosen[0] = 0
            if optimal:
                match_optimally(
                    own, 0, place, pinned, rows[s], shift, fixed,
                    cost, key, offset, parent, book, chosen,
                )  # fmt: skip
            else:
                match_greedily(own, place, pinned, rows[s], shift, fixed, offset, chosen)
            # 3. the score is the sum over matched pairs; the backward pass needs their similarities
            total = 0.0
            for n in range(num_nodes):
                assignment[s, f, n] = chosen[n]
                if chosen[n] >= 0:
                    total += own[n, place, chosen[n]]
            scores[s, f] = total
            if similarities.shape[0] > 0:
                for level in range(num_levels):
                    for n in range(num_nodes):
                        m = max(chosen[n], 0)
                        similarities[s, f, level, n] = own_levels[level, n, place, m]


@subroutine(_nrt=False)
def _load(left, s, aggregation, scale, edges, x):
    """Put the level embeddings of subgraph s into x [L, N or more, D]; return its edges' number."""
    num_edges = 0
    # level embeddings are given: copy them
    if left.levels.shape[0] > 0:
        for level in range(x.shape[0]):
            for n in range(left.levels.shape[2]):
                for d in range(x.shape[2]):
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
            num_edges = edges_of_matrix(left.transition[s], edges)
        fill_levels(edges, num_edges, left.matrices, x)
    return num_edges


@subroutine(_nrt=False)
def _block_scale(left):
    """Factor of level 0: with K blocks of features the square root of K, see ``embeddings``."""
    return np.sqrt(left.feat.dtype.type(max(left.matrices.shape[1], 1)))


class BackwardScratch(NamedTuple):
    """What one thread needs."""

    x: np.ndarray  # [L, N, D]
    norms: np.ndarray  # [L, N]
    grad_x: np.ndarray  # [L, N, D]
    edges: Edges


def new_backward_scratch(num_nodes: int, z: np.ndarray) -> BackwardScratch:
    """Allocate the scratch of one thread for filters z [F, L, M, D]."""
    shape = (z.shape[1], num_nodes, z.shape[3])
    x, grad_x = np.zeros(shape, z.dtype), np.empty(shape, z.dtype)
    norms = np.zeros(shape[:2], z.dtype)
    return BackwardScratch(x, norms, grad_x, new_edges(num_nodes, z.dtype))


@compiled(_nrt=False)
def match_bwd_kernel(
    first, last, left, z, z_norms, widths, aggregation, scale, node_similarity, assignment,
    similarities, grad_scores, grad_left, grad_z, scratch,
):  # fmt: skip
    """Differentiate the blocks of subgraphs from `first` to `last`; each has its part of grad_z."""
    x, norms, grad_x, edges = scratch
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
            grad_x[:] = 0
            if node_similarity == RBF:
                _add_rbf_gradients(
                    x, z, widths, assignment[s], similarities[s], grad_scores[s], grad_x, own
                )
            else:
                for level in range(num_levels):
                    for n in range(num_nodes):
                        norms[level, n] = squared_norm(x[level, n])
                _add_dice_gradients(
                    x, z, norms, z_norms, assignment[s], similarities[s], grad_scores[s],
                    grad_x, own,
                )  # fmt: skip
            if grad_left.shape[0] > 0:
                # where only features were given, the gradients of all levels lead back to level 0
                factor = z.dtype.type(1)
                if grad_left.shape[1] < num_levels:
                    collect_levels(edges, num_edges, left.matrices, grad_x)
                    factor = _block_scale(left)
                for level in range(grad_left.shape[1]):
                    for n in range(num_nodes):
                        for d in range(width):
                            grad_left[s, level, n, d] = factor * grad_x[level, n, d]


@subroutine(_nrt=False)
def _add_rbf_gradients(x, z, widths, assignment, similarities, grad_scores, grad_x, grad_z):
    """Add the gradients of e = exp(-|x - z|^2 / w): -2 e (x - z) / w to x, its opposite to z."""
    for f in range(z.shape[0]):
        for level in range(z.shape[1]):
            slope = -(grad_scores[f] + grad_scores[f]) / widths[level]
            for n in range(x.shape[1]):
                m = assignment[f, n]
                if m < 0:
                    continue
                # the similarity is the exponential, which need not be computed again
                factor = slope * similarities[f, level, n]
                # where e underflows, an infinite difference must not become NaN
                if factor == 0:
                    continue
                for d in range(x.shape[2]):
                    step = factor * (x[level, n, d] - z[f, level, m, d])
                    grad_x[level, n, d] += step
                    grad_z[f, level, m, d] -= step


@subroutine(_nrt=False)
def _add_dice_gradients(
    x, z, norms, z_norms, assignment, similarities, grad_scores, grad_x, grad_z
):
    """Add the gradients of e = 1 + 2 <x, z> / w, w = |x|^2 + |z|^2: 2 (z - (e - 1) x) / w to x."""
    one, epsilon = z.dtype.type(1), z.dtype.type(DICE_EPSILON)
    for f in range(z.shape[0]):
        for level in range(z.shape[1]):
            for n in range(x.shape[1]):
                m = assignment[f, n]
                if m < 0:
                    continue
                # one part along the other node, one part along the node itself
                norm = norms[level, n] + z_norms[f, level, m] + epsilon
                across = (grad_scores[f] + grad_scores[f]) / norm
                along = -across * (similarities[f, level, n] - one)
                for d in range(x.shape[2]):
                    a, b = x[level, n, d], z[f, level, m, d]
                    grad_x[level, n, d] += across * b + along * a
                    grad_z[f, level, m, d] += across * a + along * b


@compiled()
def scatter_rows(rows, nodes, out):
    """Add rows [S, 1, N, D] to the rows of out [V, D] that they were read from, in order."""
    for s in range(rows.shape[0]):
        for n in range(rows.shape[2]):
            node = nodes[s, n]
            if node >= 0:
                for d in range(rows.shape[3]):
                    out[node, d] += rows[s, 0, n, d]
