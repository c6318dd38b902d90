"""The edges among the nodes of many sets, compiled: their links, and which are in other sets."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.search_numba import SEARCH_JIT, degree, find_entry
from gomkcn_dgl.runtime.compiled import compiled


@compiled(**SEARCH_JIT)
def links_among(graph, links, nodes, out):
    """Write the link of each pair of nodes of each row, 0 where they are not joined."""
    for row in range(nodes.shape[0]):
        for i in range(nodes.shape[1]):
            for j in range(nodes.shape[1]):
                entry = find_entry(graph, np.uint32(nodes[row, i]), np.uint32(nodes[row, j]))
                if entry >= 0:
                    out[row, i, j] = links[entry] if links is not None else 1


@compiled(**SEARCH_JIT)
def mark_triangles(first, last, graph, kept):
    """Write False for each entry of the rows from `first` to `last` that is in a triangle."""
    for node in range(first, last):
        start, stop = graph.indptr[node], graph.indptr[node + 1]
        for edge in range(start, stop):
            # of two sorted rows, the longer one is searched for the nodes of the shorter one
            other = np.int64(graph.indices[edge])
            short, long = (
                (node, other) if degree(graph, node) < degree(graph, other) else (other, node)
            )
            for place in range(graph.indptr[short], graph.indptr[short + 1]):
                if find_entry(graph, np.uint32(long), graph.indices[place]) >= 0:
                    kept[edge] = False
                    break


@compiled()
def mostly_uncovered(graph, nodes, is_covered):
    """Whether at least half of the edges among the nodes of each row are not covered."""
    out = np.empty(len(nodes), np.bool_)
    for row in range(len(nodes)):
        free = 0
        for i in range(nodes.shape[1]):
            for j in range(i):
                entry = find_entry(graph, np.uint32(nodes[row, i]), np.uint32(nodes[row, j]))
                if entry >= 0:
                    free += -1 if is_covered[entry] else 1
        out[row] = free >= 0
    return out


@compiled(**SEARCH_JIT)
def cover_edges(graph, nodes, is_covered):
    """Cover the edges among the nodes of each row, both ways."""
    for row in range(len(nodes)):
        for i in range(nodes.shape[1]):
            for j in range(nodes.shape[1]):
                entry = find_entry(graph, np.uint32(nodes[row, i]), np.uint32(nodes[row, j]))
                if entry >= 0:
                    is_covered[entry] = True
