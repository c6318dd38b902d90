"""Level embeddings of one subgraph on the CPU, and the way back: ``X_i = A X_{i-1} / c``.

A subgraph comes as bit rows, as a dense transition matrix or as links; all become a list of
weighted edges, so that a level costs one vector operation an edge. Over links, an edge also has a
matrix, the sum of those of the link's channels, and a row of features is K blocks of D numbers:
one vector operation an edge and an entry of the matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.bfs_reference import WORD_BITS
from gomkcn_dgl.kernels.vectors_numba import item, lanes_of, load, put, spread, store
from gomkcn_dgl.runtime.compiled import subroutine

AGGREGATION_CODES = {"sum": 0, "mean": 1, "sym": 2}
_MEAN, _SYM = AGGREGATION_CODES["mean"], AGGREGATION_CODES["sym"]


class Edges(NamedTuple):
    """The directed edges of one subgraph; only the first few are in use."""

    head: np.ndarray  # int64 [N * N], the node that receives
    tail: np.ndarray  # int64 [N * N], the node that gives
    weight: np.ndarray  # [N * N]
    link: np.ndarray  # int64 [N * N], where there are links
    degree: np.ndarray  # int64 [N]


def new_edges(num_nodes: int, dtype: np.dtype) -> Edges:
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
def edges_of_bits(bits, aggregation, scale, edges):
    """List the edges of bit rows [N, W]; return how many there are."""
    head, tail, _, _, degree = edges
    num_nodes = bits.shape[0]
    count = 0
    for i in range(num_nodes):
        before = count
        for j in range(num_nodes):
            # always written, kept only when the bit is set: no branch to guess
            head[count] = i
            tail[count] = j
            count += (bits[i, j // WORD_BITS] >> np.uint64(j % WORD_BITS)) & np.uint64(1)
        # edges of row i are those listed since it began
        degree[i] = count - before
    _weigh(edges, count, aggregation, scale)
    return count


@subroutine(_nrt=False)
def _weigh(edges, count, aggregation, scale):
    """Weigh each edge as the aggregation says, once all degrees are known."""
    head, tail, weight, _, degree = edges
    for k in range(count):
        divisor = scale
        if aggregation == _MEAN:
            divisor = scale * degree[head[k]]
        elif aggregation == _SYM:
            divisor = scale * np.sqrt(weight.dtype.type(degree[head[k]] * degree[tail[k]]))
        weight[k] = 1 / divisor


@subroutine(_nrt=False)
def edges_of_links(links, num_channels, aggregation, scale, edges):
    """List the edges of links [N, N]; return how many there are.

    `num_channels` [K] are those of each link: each of them counts in the degree of a node.
    """
    head, tail, _, link, degree = edges
    num_nodes = links.shape[0]
    count = 0
    for i in range(num_nodes):
        degree[i] = 0
        for j in range(num_nodes):
            head[count], tail[count], link[count] = i, j, links[i, j]
            degree[i] += num_channels[links[i, j]]
            count += links[i, j] != 0
    _weigh(edges, count, aggregation, scale)
    return count


@subroutine(_nrt=False)
def edges_of_matrix(transition, num_nodes, scale, edges):
    """List the non-zero entries of a matrix [N, N] between its first nodes; return their number."""
    head, tail, weight, _, _ = edges
    count = 0
    for i in range(num_nodes):
        for j in range(num_nodes):
            value = item(transition, i * transition.shape[1] + j)
            put(head, count, i)
            put(tail, count, j)
            put(weight, count, value / scale)
            count += value != 0
    return count


@subroutine(_nrt=False)
def fill_levels(edges, num_edges, matrices, width, x):
    """Fill all levels of x, [L, N, D] or with matrices [links, K, K] [L, N, K width], from level 0.

    Rows of x are padded to whole vectors.
    """
    rows, stride, lanes = matrices.shape[1], x.shape[2], lanes_of(x.dtype)
    size = x.shape[1] * stride
    for level in range(1, x.shape[0]):
        x[level] = 0
        # X_i = A X_{i-1}, one edge after the other
        for k in range(num_edges):
            head, tail, weight = edges.head[k], edges.tail[k], edges.weight[k]
            if rows == 0:
                to, place = level * size + head * stride, (level - 1) * size + tail * stride
                for d in range(0, stride, lanes):
                    store(x, to + d, load(x, to + d) + spread(weight) * load(x, place + d))
                continue
            # over links, block j of the neighbour goes to block i times entry (i, j)
            for i in range(rows):
                for j in range(rows):
                    factor = weight * matrices[edges.link[k], i, j]
                    for d in range(width):
                        x[level, head, i * width + d] += factor * x[level - 1, tail, j * width + d]


@subroutine(_nrt=False)
def collect_levels(edges, num_edges, matrices, width, grad):
    """Bring the gradient of all levels, shaped as in ``fill_levels``, down to level 0."""
    rows, stride, lanes = matrices.shape[1], grad.shape[2], lanes_of(grad.dtype)
    size = grad.shape[1] * stride
    for level in range(grad.shape[0] - 1, 0, -1):
        # the transposed step: what the head received goes back to the tail
        for k in range(num_edges):
            head, tail, weight = edges.head[k], edges.tail[k], edges.weight[k]
            if rows == 0:
                to, place = (level - 1) * size + tail * stride, level * size + head * stride
                for d in range(0, stride, lanes):
                    store(grad, to + d, load(grad, to + d) + spread(weight) * load(grad, place + d))
                continue
            for i in range(rows):
                for j in range(rows):
                    factor = weight * matrices[edges.link[k], i, j]
                    for d in range(width):
                        step = factor * grad[level, head, i * width + d]
                        grad[level - 1, tail, j * width + d] += step
