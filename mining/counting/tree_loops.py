"""The compiled loops of the tree sampler: ways to map each subtree, and mappings drawn by them.

The *ways* of a tree node at a graph node are the mappings of its subtree that map it there. They
are computed leaves first; then a mapping is drawn root first, each child among the neighbours of
its parent's graph node in proportion to its ways, so that all mappings are equally likely. In a
long row the child is found by a binary search among sums that are stored at every 32nd entry.

A mapping shows the pattern if its nodes differ and if they are joined as the pattern says, also
where the tree is not. The last node is not drawn: what counts is the share of its candidates that
fit, which has the same mean and a smaller variance (Rao-Blackwell).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine
from mining.counting.search_loops import first_at_least

NODES_OF_A_BLOCK = 1024
DRAWS_OF_A_BLOCK = 1024
# a sum is stored at each entry whose position is a multiple of it
STRIDE = 32
# of a block of draws: sum of the shares, of their squares, draws with any, work
NUM_RESULTS = 4


class Rows(NamedTuple):
    """The graph."""

    indptr: np.ndarray  # int64 [V + 1]
    indices: np.ndarray  # int32 [E]
    links: np.ndarray  # [E], empty where all are 1
    candidates: np.ndarray  # int16 or int64 [V], bit i: can stand for the pattern's node i


class Tree(NamedTuple):
    """A spanning tree of the pattern, its nodes in the order in which they are drawn."""

    nodes: np.ndarray  # int64 [M], number in the pattern
    parents: np.ndarray  # int64 [M]
    inner: np.ndarray  # int64 [M], row in `ways`, -1 for a leaf
    is_free: np.ndarray  # bool [M], a leaf that all neighbours can be
    links: np.ndarray  # int64 [M, M], link from the row's node to the column's
    checks: np.ndarray  # int64 [M, M], the nodes before each, in the order of the comparisons


class Ways(NamedTuple):
    """In how many ways subtrees can be mapped."""

    roots: np.ndarray  # float64 [V], ways of the whole tree, cumulated
    ways: np.ndarray  # float64 [I, V], of each inner node
    sums: np.ndarray  # float64 [M, E / STRIDE + 1], in a row before an entry, of each child


@compiled(**SEARCH_JIT)
def multiply_ways(first, last, rows, tree, ways, child):
    """Multiply the ways of a child's parent by those of the child, at some blocks of nodes."""
    parent_ways = ways.ways[tree.inner[tree.parents[child]]]
    for v in range(first * NODES_OF_A_BLOCK, min(last * NODES_OF_A_BLOCK, len(parent_ways))):
        if parent_ways[v] > 0:
            total = 0.0
            for k in range(rows.indptr[v], rows.indptr[v + 1]):
                if k % STRIDE == 0:
                    ways.sums[child, k // STRIDE] = total
                total += _ways_at(rows, tree, ways, child, k)
            parent_ways[v] *= total


@compiled()
def draw_shares(first, last, rows, tree, ways, stream, results):
    """Draw blocks of mappings; ``results [.., 4]`` of each block begin at its number."""
    image = np.empty(len(tree.nodes), np.int64)
    size = len(image)
    for block in range(first, last):
        total, squares, hits, work = 0.0, 0.0, 0, 0
        for draw in range(block * DRAWS_OF_A_BLOCK, (block + 1) * DRAWS_OF_A_BLOCK):
            own = mix(stream + np.uint64(draw))
            fitting = _draw(rows, tree, ways, own, image, size - 1)
            work += fitting
            if fitting == size - 1:
                count, looked_at = _count_last(rows, tree, image)
                work += looked_at
                if count > 0:
                    share = count / _row_total(rows, tree, ways, size - 1, image)
                    total += share
                    squares += share * share
                    hits += 1
        results[block, 0] = total
        results[block, 1] = squares
        results[block, 2] = hits
        results[block, 3] = work


@compiled()
def draw_places(first, last, rows, tree, ways, stream, places):
    """Draw blocks of whole mappings to ``places``, in the pattern's order; -1 where none fits."""
    size = len(tree.nodes)
    image = np.empty(size, np.int64)
    for k in range(first * DRAWS_OF_A_BLOCK, last * DRAWS_OF_A_BLOCK):
        own = mix(stream + np.uint64(k))
        places[k, 0] = -1
        if _draw(rows, tree, ways, own, image, size) == size:
            for i in range(size):
                places[k, tree.nodes[i]] = image[i]


@subroutine(**SEARCH_JIT)
def _draw(rows, tree, ways, stream, image, size):
    """Map the first ``size`` nodes; return how many, up to one that does not fit."""
    image[0] = find_sum(ways.roots, uniform(stream, 0) * ways.roots[-1])
    for i in range(1, size):
        k = _pick(rows, tree, ways, i, image[tree.parents[i]], uniform(stream, i))
        image[i] = rows.indices[k]
        if not _fits(rows, tree, image, i, image[i], tree.parents[i]):
            return i
    return size


@subroutine(**SEARCH_JIT)
def find_sum(cumulated, x):
    """The first position whose cumulated sum is above ``x``."""
    low, high = 0, len(cumulated) - 1
    while low < high:
        middle = (low + high) >> 1
        if cumulated[middle] > x:
            high = middle
        else:
            low = middle + 1
    return low


@subroutine(**INLINE_JIT)
def uniform(stream, draw):
    """A number of a stream in [0, 1)."""
    return np.float64(mix(stream + np.uint64(draw)) >> np.uint64(11)) * 2.0**-53


@subroutine(**INLINE_JIT)
def _ways_at(rows, tree, ways, child, k):
    """Ways to map a child's subtree when it is mapped to the node of an entry."""
    if len(rows.links) and rows.links[k] != tree.links[tree.parents[child], child]:
        return 0.0
    if tree.inner[child] < 0:
        return np.float64(rows.candidates[rows.indices[k]] >> tree.nodes[child] & 1)
    return ways.ways[tree.inner[child], rows.indices[k]]


@subroutine(**SEARCH_JIT)
def _row_total(rows, tree, ways, child, image):
    """Ways to map a child's subtree beside its parent."""
    node = image[tree.parents[child]]
    start, end = rows.indptr[node], rows.indptr[node + 1]
    if tree.is_free[child]:
        return np.float64(end - start)
    return _sum_of_row(rows, tree, ways, child, start, end)


@subroutine(**SEARCH_JIT)
def _sum_of_row(rows, tree, ways, child, start, end):
    """Ways to map a child's subtree to the entries of a row, from the last stored sum on."""
    k, total = start, 0.0
    if (end - 1) // STRIDE * STRIDE > start:
        k = (end - 1) // STRIDE * STRIDE
        total = ways.sums[child, k // STRIDE]
    while k < end:
        total += _ways_at(rows, tree, ways, child, k)
        k += 1
    return total


@subroutine(**SEARCH_JIT)
def _pick(rows, tree, ways, child, node, uniform):
    """An entry of a node's row, in proportion to the ways to map the child there."""
    start, end = rows.indptr[node], rows.indptr[node + 1]
    if tree.is_free[child]:
        return start + np.int64(uniform * (end - start))
    # 1. the sum of the row
    total = _sum_of_row(rows, tree, ways, child, start, end)
    # 2. the last stored sum that is not above what was drawn
    x = uniform * total
    low, high = start // STRIDE, (end - 1) // STRIDE
    while low < high:
        middle = (low + high + 1) >> 1
        if ways.sums[child, middle] <= x:
            low = middle
        else:
            high = middle - 1
    k, total = start, 0.0
    if low * STRIDE > start:
        k, total = low * STRIDE, ways.sums[child, low]
    # 3. the entry at which the sum exceeds it
    chosen = start
    while k < end and total <= x:
        more = _ways_at(rows, tree, ways, child, k)
        if more > 0:
            chosen = k
            total += more
        k += 1
    return chosen


@subroutine(**SEARCH_JIT)
def _fits(rows, tree, image, i, node, joined):
    """Whether a graph node differs from the first i, and is joined to them as the pattern says.

    To ``joined`` it is.
    """
    for j in range(i):
        if image[j] == node:
            return False
    for n in range(i):
        j = tree.checks[i, n]
        if j != joined:
            # search the shorter row
            u, v, link = image[j], node, tree.links[j, i]
            if rows.indptr[u + 1] - rows.indptr[u] > rows.indptr[v + 1] - rows.indptr[v]:
                u, v, link = v, u, tree.links[i, j]
            if link_between(rows, u, v) != link:
                return False
    return True


@subroutine(**SEARCH_JIT)
def link_between(rows, u, v):
    """The link from u to v, 0 if there is none."""
    end = rows.indptr[u + 1]
    low = first_at_least(rows.indices, rows.indptr[u], end, v)
    if low == end or rows.indices[low] != v:
        return 0
    return np.int64(rows.links[low]) if len(rows.links) else 1


@subroutine(**SEARCH_JIT)
def _count_last(rows, tree, image):
    """How many nodes fit the last pattern node, and how many were looked at."""
    last = len(image) - 1
    # all are in the row of each node that it is joined to: take the shortest
    base = tree.parents[last]
    shortest = rows.indptr[image[base] + 1] - rows.indptr[image[base]]
    for j in range(last):
        length = rows.indptr[image[j] + 1] - rows.indptr[image[j]]
        if tree.links[j, last] != 0 and length < shortest:
            base, shortest = j, length
    count, start = 0, rows.indptr[image[base]]
    for k in range(start, start + shortest):
        node = rows.indices[k]
        if len(rows.links) and rows.links[k] != tree.links[base, last]:
            continue
        if rows.candidates[node] >> tree.nodes[last] & 1:
            count += _fits(rows, tree, image, last, node, base)
    return count, shortest
