"""The edges among the kept nodes of a subgraph, compiled: as bits and as weights.

Edges are read off the rows of the kept nodes, short rows only, since an edge between a short row
and a hub's stands in the short one. Two hubs are tested by binary search.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.search_numba import (
    INLINE_JIT,
    SEARCH_JIT,
    degree,
    enter,
    find,
    find_edge,
    slot_of,
)
from gomkcn_dgl.runtime.compiled import subroutine

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_HALF, _LOW = np.uint64(32), np.uint64(2**32 - 1)
# a bit's word and its place there: j >> 6, j & 63
_WORD, _BIT = np.uint64(6), np.uint64(63)


@subroutine(**INLINE_JIT)
def induce(graph, kept, size, limit, grown, bits, scratch, era):
    """Write the adjacency among the kept nodes, and put grown nodes in breadth-first order."""
    table, pairs = scratch.table, scratch.pairs
    for i in range(size):
        enter(kept[i], i, scratch, era)
    # entries of the rows that may be kept nodes: the table's slot is taken
    count = _ZERO
    for i in range(size):
        node = kept[i]
        owner = np.uint64(i)
        if degree(graph, node) > limit:
            # its edges to short rows stand there
            for j in range(i):
                pairs[count] = (np.uint64(kept[j]) << _HALF) | owner
                if degree(graph, kept[j]) > limit and find_edge(graph, node, kept[j]) >= 0:
                    count += _ONE
            continue
        for edge in range(graph.indptr[node], graph.indptr[node + 1]):
            other = graph.indices[edge]
            pairs[count] = (np.uint64(other) << _HALF) | owner
            count += np.uint64(table[slot_of(other, scratch)] >= era)
    _clear(bits)
    edges = _ZERO
    for k in range(count):
        position = find(np.uint32(pairs[k] >> _HALF), scratch, era)
        if position >= 0:
            i, j = pairs[k] & _LOW, np.uint64(position)
            _join(bits, i, j)
            pairs[edges] = (j << _HALF) | i
            edges += _ONE
    if grown:
        _reorder(kept, size, edges, bits, scratch)


@subroutine(**SEARCH_JIT)
def _reorder(kept, size, edges, bits, scratch):
    """Put the kept nodes in breadth-first order inside their subgraph; grown order breaks ties."""
    grown, order, rank = scratch.met, scratch.row_depths, scratch.depths
    for k in range(size):
        rank[k] = -1
    order[0], rank[0], found, k = 0, 0, 1, 0
    while found < size:
        for other in range(1, size):
            joined = (bits[order[k], other >> 6] >> np.uint64(other & 63)) & _ONE
            if joined and rank[other] < 0:
                order[found], rank[other] = other, found
                found += 1
        k += 1
    for k in range(size):
        kept[rank[k]] = grown[k]
    _clear(bits)
    for k in range(edges):
        i, j = scratch.pairs[k] & _LOW, scratch.pairs[k] >> _HALF
        _join(bits, np.uint64(rank[i]), np.uint64(rank[j]))


@subroutine(**INLINE_JIT)
def _clear(bits):
    for i in range(bits.shape[0]):
        for word in range(bits.shape[1]):
            bits[i, word] = _ZERO


@subroutine(**INLINE_JIT)
def _join(bits, i, j):
    bits[i, j >> _WORD] |= _ONE << (j & _BIT)
    bits[j, i >> _WORD] |= _ONE << (i & _BIT)


@subroutine(**SEARCH_JIT)
def fill_weights(graph, weights, kept, size, bits, dense):
    """Write the weights of the edges in ``bits``."""
    for i in range(len(kept)):
        for j in range(len(kept)):
            dense[i, j] = np.float32(0)
    for i in range(size):
        for j in range(i):
            if (bits[i, j >> 6] >> np.uint64(j & 63)) & _ONE:
                weight = weights[find_edge(graph, kept[i], kept[j])]
                dense[i, j], dense[j, i] = weight, weight
