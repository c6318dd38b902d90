"""Compiled loops that put each node of a graph into the block where it costs least."""

from __future__ import annotations

from math import lgamma

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled, subroutine

_MOST_SWEEPS = 20


@compiled()
def fit_blocks(indptr, indices, graph_ptr, begun, num_blocks, labels):  # begun: [S, V]; labels: [V]
    """Write the blocks of each graph that describe it alone, the best of several beginnings."""
    current = np.empty(len(labels), np.int64)
    near = np.empty(num_blocks, np.int64)
    for graph in range(len(graph_ptr) - 1):
        first, last = graph_ptr[graph], graph_ptr[graph + 1]
        best = np.inf
        for start in range(len(begun)):
            current[first:last] = begun[start, first:last]
            edges = np.zeros((num_blocks, num_blocks), np.int64)
            sizes = np.zeros(num_blocks, np.int64)
            for node in range(first, last):
                sizes[current[node]] += 1
                for entry in range(indptr[node], indptr[node + 1]):
                    # each edge is seen twice, so that those inside are even
                    edges[current[node], current[indices[entry]]] += 1
            nats = _nats(edges, sizes)
            for _ in range(_MOST_SWEEPS):
                before = nats
                for node in range(first, last):
                    _count_near(indptr, indices, node, current, near)
                    for to in range(num_blocks):
                        block = current[node]
                        if to == block:
                            continue
                        _move(edges, sizes, near, block, to)
                        moved = _nats(edges, sizes)
                        if moved < nats - 1e-9:
                            nats = moved
                            current[node] = to
                        else:
                            _move(edges, sizes, near, to, block)
                if nats == before:
                    break
            if nats < best - 1e-9:
                best = nats
                labels[first:last] = current[first:last]


@subroutine()
def _count_near(indptr, indices, node, labels, near):
    near[:] = 0
    for entry in range(indptr[node], indptr[node + 1]):
        near[labels[indices[entry]]] += 1


@subroutine()
def _move(edges, sizes, near, block, to):
    """Move a node with so many neighbours in each block."""
    for other in range(len(near)):
        edges[block, other] -= near[other]
        edges[other, block] -= near[other]
        edges[to, other] += near[other]
        edges[other, to] += near[other]
    sizes[block] -= 1
    sizes[to] += 1


@subroutine()
def _nats(edges, sizes):
    """The edges between each two blocks by their number, and the labels."""
    total, nodes = 0.0, 0
    for a in range(len(sizes)):
        nodes += sizes[a]
        total -= lgamma(sizes[a] + 1.0)
        for b in range(a + 1):
            pairs = sizes[a] * sizes[b] if a != b else sizes[a] * (sizes[a] - 1) // 2
            joined = edges[a, b] if a != b else edges[a, a] // 2
            total += lgamma(pairs + 1.0) - lgamma(joined + 1.0) - lgamma(pairs - joined + 1.0)
            total += np.log(pairs + 1.0)
    return total + lgamma(nodes + 1.0)


@compiled()
def refit_blocks(indptr, indices, graph_ptr, joined, apart, label_bits, labels):
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
