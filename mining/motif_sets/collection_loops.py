"""Compiled loops over a collection: its code, its connected node sets, its blocks."""

from __future__ import annotations

from math import lgamma

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT, find_entry, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine
from mining.motif_sets.copy_loops import log_star

# of the nodes of a graph, to put each into the block where it costs least
_MOST_SWEEPS = 20


@compiled()
def code_sequence(symbols, graph_of, num_symbols, alphas):
    """Bits of a sequence of symbols [N] with each of alphas [A], float64 [A].

    A symbol is expected as often as in its graph so far, n of n_g, and with the weight of alpha as
    in all graphs so far: (n + alpha pi) / (n_g + alpha), pi = (N + 1/2) / (all + symbols / 2).
    """
    bits = np.zeros(len(alphas))
    seen = np.zeros(num_symbols)
    here = np.zeros(num_symbols)
    graph_of_count = np.full(num_symbols, -1)
    in_graph = 0
    for place in range(len(symbols)):
        symbol, graph = symbols[place], graph_of[place]
        if place > 0 and graph_of[place - 1] != graph:
            in_graph = 0
        if graph_of_count[symbol] != graph:
            here[symbol] = 0
            graph_of_count[symbol] = graph
        share = (seen[symbol] + 0.5) / (place + num_symbols / 2)
        for k in range(len(alphas)):
            bits[k] -= np.log2((here[symbol] + alphas[k] * share) / (in_graph + alphas[k]))
        seen[symbol] += 1
        here[symbol] += 1
        in_graph += 1
    return bits


@compiled()
def predict_sequence(symbols, graph_of, num_symbols, num_known, alpha):
    """Bits of each symbol [N] given all others, which are those below num_known."""
    bits = np.empty(len(symbols))
    in_all = np.zeros(num_known)
    here = np.zeros(num_known)
    for symbol in symbols:
        in_all[symbol] += 1
    first = 0
    while first < len(symbols):
        last = first
        while last < len(symbols) and graph_of[last] == graph_of[first]:
            here[symbols[last]] += 1
            last += 1
        for place in range(first, last):
            symbol = symbols[place]
            share = (in_all[symbol] + 0.5) / (len(symbols) + num_symbols / 2)
            likely = (here[symbol] - 1 + alpha * share) / (last - first - 1 + alpha)
            bits[place] = -np.log2(max(likely, 1e-9))
        for place in range(first, last):
            here[symbols[place]] = 0
        first = last
    return bits


@compiled()
def count_overlaps(degrees, opposite):  # int64 [L, N], [L]
    """Bits by which graphs are fewer in which no two links are between the same nodes.

    Two links meet as often as is expected: half the sum over i != j and over two layers a < b of
    a_i a'_j b_i b'_j / (A B), where a' is the layer that the other end of the link sees.
    """
    total = 0.0
    for a in range(len(degrees)):
        for b in range(a):
            size, both, opposed, alone = 0.0, 0.0, 0.0, 0.0
            other = 0.0
            for node in range(degrees.shape[1]):
                size += degrees[a, node]
                other += degrees[b, node]
                product = degrees[a, node] * degrees[b, node]
                reverse = degrees[opposite[a], node] * degrees[opposite[b], node]
                both += product
                opposed += reverse
                alone += product * reverse
            total += 0.5 * (both * opposed - alone) / max(size * other, 1.0)
    return total / np.log(2.0)


@compiled()
def split_bits(counts, sizes):  # int64 [G], [G]
    """Bits of the number of copies in each graph: the total, then how it is split.

    A bit says whether by its histogram or in proportion to the sizes of the graphs.
    """
    total, most, nodes = 0, 0, 0
    for graph in range(len(counts)):
        total += counts[graph]
        nodes += sizes[graph]
        most = max(most, counts[graph])
    bits = log_star(total)
    if len(counts) == 1:
        return bits
    # 1. the histogram of the counts
    histogram = np.zeros(most + 1)
    for count in counts:
        histogram[count] += 1
    half = (most + 1) / 2
    by_histogram = log_star(most) * np.log(2.0) + lgamma(len(counts) + half) - lgamma(half)
    for number in histogram:
        by_histogram -= lgamma(number + 0.5) - lgamma(0.5)
    # 2. in proportion
    by_size = -lgamma(total + 1.0)
    for graph in range(len(counts)):
        by_size += lgamma(counts[graph] + 1.0) - counts[graph] * np.log(sizes[graph] / nodes)
    return bits + 1.0 + min(by_histogram, by_size) / np.log(2.0)


@compiled()
def grow_rows(rows, sets, most):  # [K, M] -> int32 [K', M + 1], uint64 [K']
    """Each set with each of its neighbours, at most `most`, nodes ascending, and a hash of it."""
    size = sets.shape[1]
    grown = np.empty((most, size + 1), np.int32)
    keys = np.empty(most, np.uint64)
    count = 0
    for row in range(len(sets)):
        for place in range(size):
            node = sets[row, place]
            for entry in range(rows.indptr[node], rows.indptr[node + 1]):
                new = np.int32(rows.indices[entry])
                if not _is_new(rows, sets[row], place, new):
                    continue
                key, at = mix(np.uint64(new)), size
                for k in range(size):
                    key += mix(np.uint64(sets[row, k]))
                    grown[count, k + (sets[row, k] > new)] = sets[row, k]
                    if sets[row, k] > new:
                        at = min(at, k)
                grown[count, at] = new
                keys[count] = key
                count += 1
    return grown[:count], keys[:count]


@subroutine(**INLINE_JIT)
def _is_new(rows, nodes, place, node):
    """Whether a neighbour of a node of a set is outside, and of none before this one."""
    for k in range(len(nodes)):
        if nodes[k] == node:
            return False
        if k < place and find_entry(rows, np.uint64(nodes[k]), np.uint64(node)) >= 0:
            return False
    return True


@compiled(**SEARCH_JIT)
def describe_sets(rows, sets, codes):  # [K, M], uint64 [K]
    """Write a hash of the links and categories of each set, in the order of its nodes."""
    for row in range(len(sets)):
        code = np.uint64(0)
        for u in range(sets.shape[1]):
            node = np.uint64(sets[row, u])
            code = mix(code ^ np.uint64(rows.colors[node]))
            for v in range(u):
                entry = find_entry(rows, node, np.uint64(sets[row, v]))
                link = np.uint64(rows.links[entry]) if entry >= 0 else np.uint64(0)
                code = mix(code ^ link)
        codes[row] = code


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
