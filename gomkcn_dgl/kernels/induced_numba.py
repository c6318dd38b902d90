"""The edges among the selected nodes of a subgraph, compiled: as bits, as weights and as links.

Edges are read off the rows of the selected nodes, short rows only, since an edge between a short
row and a hub's stands in the short one. Two hubs are tested by binary search. Where there are
links, the position of each edge in ``indices`` is kept until the links are written.
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
    find_entry,
    slot_of,
)
from gomkcn_dgl.runtime.compiled import subroutine

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_HALF, _LOW = np.uint64(32), np.uint64(2**32 - 1)
# a bit's word and its place there: j >> 6, j & 63
_WORD, _BIT = np.uint64(6), np.uint64(63)


@subroutine(**INLINE_JIT)
def induce(graph, selected, size, limit, grown, links, bits, scratch, era):
    """Write the adjacency among the selected nodes, and put grown nodes in breadth-first order.

    Return how many edge ends stand in ``scratch.pairs``. With `links`, else None, their entries in
    `indices` stand in ``scratch.entries``.
    """
    # 1. enter the selected nodes into the hash table
    table, pairs = scratch.table, scratch.pairs
    for i in range(size):
        enter(selected[i], i, scratch, era)
    # 2. list the row entries that may be selected nodes: those whose slot of the table is taken
    count = _ZERO
    for i in range(size):
        node = selected[i]
        owner = np.uint64(i)
        if degree(graph, node) > limit:
            # its edges to short rows stand there
            for j in range(i):
                pairs[count] = (np.uint64(selected[j]) << _HALF) | owner
                if degree(graph, selected[j]) > limit:
                    entry = find_entry(graph, node, selected[j])
                    if links is not None:
                        scratch.entries[count] = entry
                    count += np.uint64(entry >= 0)
            continue
        for edge in range(graph.indptr[node], graph.indptr[node + 1]):
            other = graph.indices[edge]
            pairs[count] = (np.uint64(other) << _HALF) | owner
            if links is not None:
                scratch.entries[count] = edge
            count += np.uint64(table[slot_of(other, scratch)] >= era)
    # 3. look each of them up, and set both bits of an edge
    _clear(bits)
    edges = _ZERO
    for k in range(count):
        position = find(np.uint32(pairs[k] >> _HALF), scratch, era)
        if position >= 0:
            i, j = pairs[k] & _LOW, np.uint64(position)
            _join(bits, i, j)
            pairs[edges] = (j << _HALF) | i
            if links is not None:
                scratch.entries[edges] = scratch.entries[k]
            edges += _ONE
    if grown:
        _reorder(selected, size, edges, bits, scratch)
    return edges


@subroutine(**SEARCH_JIT)
def _reorder(selected, size, edges, bits, scratch):
    """Put the selected nodes in breadth-first order of their subgraph; grown order breaks ties."""
    grown, order, rank = scratch.met, scratch.row_depths, scratch.depths
    # 1. breadth-first search over the bits: rank[k] is the new position of the k-th grown node
    for k in range(size):
        rank[k] = -1
    order[0], rank[0], num_ordered, k = 0, 0, 1, 0
    while num_ordered < size:
        for other in range(1, size):
            joined = (bits[order[k], other >> 6] >> np.uint64(other & 63)) & _ONE
            if joined and rank[other] < 0:
                order[num_ordered], rank[other] = other, num_ordered
                num_ordered += 1
        k += 1
    # 2. move the nodes and their bits to the new positions
    for k in range(size):
        selected[rank[k]] = grown[k]
    _clear(bits)
    for k in range(edges):
        i = np.uint64(rank[scratch.pairs[k] & _LOW])
        j = np.uint64(rank[scratch.pairs[k] >> _HALF])
        scratch.pairs[k] = (j << _HALF) | i
        _join(bits, i, j)


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
def fill_weights(graph, weights, links, selected, size, bits, dense):
    """Write the weights of the edges in ``bits``; with links, each direction has its own."""
    for i in range(len(selected)):
        for j in range(len(selected)):
            dense[i, j] = np.float32(0)
    for i in range(size):
        for j in range(i):
            if (bits[i, j >> 6] >> np.uint64(j & 63)) & _ONE:
                if links is None:
                    weight = weights[find_edge(graph, selected[i], selected[j])]
                    dense[i, j], dense[j, i] = weight, weight
                else:
                    dense[i, j] = weights[find_entry(graph, selected[i], selected[j])]
                    dense[j, i] = weights[find_entry(graph, selected[j], selected[i])]


@subroutine(**SEARCH_JIT)
def fill_links(links, reverse, num_ends, dense, scratch):
    """Write the links of the edge ends that ``induce`` has left, seen from both nodes."""
    for i in range(dense.shape[0]):
        for j in range(dense.shape[1]):
            dense[i, j] = 0
    for k in range(num_ends):
        i, j = scratch.pairs[k] & _LOW, scratch.pairs[k] >> _HALF
        link = links[scratch.entries[k]]
        dense[i, j], dense[j, i] = link, reverse[link]
