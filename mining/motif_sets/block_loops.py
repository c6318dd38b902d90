"""Compiled loops that put each node of a graph into the block where it costs least."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled, subroutine

_MOST_SWEEPS = 20


@compiled()
def fit_blocks(indptr, indices, graph_ptr, joined, apart, label_bits, labels):
    """Move nodes [V] to where they cost least, given the bits of an edge, of none, of a label."""
    num_blocks = len(label_bits)
    near, sizes = np.empty(num_blocks, np.int64), np.empty(num_blocks, np.int64)
    for graph in range(len(graph_ptr) - 1):
        first, last = graph_ptr[graph], graph_ptr[graph + 1]
        sizes[:] = 0
        for node in range(first, last):
            sizes[labels[node]] += 1
        for _ in range(_MOST_SWEEPS):
            has_moved = False
            for node in range(first, last):
                _count_near(indptr, indices, node, labels, near)
                sizes[labels[node]] -= 1
                best, least = labels[node], np.inf
                for block in range(num_blocks):
                    bits = label_bits[block] - (1e-9 if block == labels[node] else 0.0)
                    for other in range(num_blocks):
                        bits += near[other] * joined[block, other]
                        bits += (sizes[other] - near[other]) * apart[block, other]
                    if bits < least:
                        best, least = block, bits
                has_moved = has_moved or best != labels[node]
                labels[node] = best
                sizes[best] += 1
            if not has_moved:
                break


@subroutine()
def _count_near(indptr, indices, node, labels, near):
    near[:] = 0
    for entry in range(indptr[node], indptr[node + 1]):
        near[labels[indices[entry]]] += 1
