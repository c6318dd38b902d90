"""The compiled loops behind the background graphs: sizes and a random state in, edge arrays out.

Arguments are checked by the callers in ``base_graphs.py``; the definitions stand there too.
"""

from __future__ import annotations

import math

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled
from synthetic.random_state import EXACT, next_index, next_uniform


@compiled(**EXACT)
def grow_by_attachment(num_graphs, num_nodes, per_node, state):
    """Fill the flat list of edge ends ``[G, 2 m (V - m)]``."""
    num_ends = 2 * per_node * (num_nodes - per_node)
    ends = np.empty((num_graphs, num_ends), dtype=np.int64)
    for g in range(num_graphs):
        first = g * num_nodes
        filled = 0
        for leaf in range(1, per_node + 1):
            ends[g, filled], ends[g, filled + 1] = first, first + leaf
            filled += 2
        for source in range(first + per_node + 1, first + num_nodes):
            # A node stands in the list once per edge, so a uniform entry is a draw by degree.
            num_choices = filled
            start = filled
            while filled < start + 2 * per_node:
                target = ends[g, next_index(state, num_choices)]
                is_new = True
                for k in range(start, filled, 2):
                    is_new = is_new and ends[g, k] != target
                if is_new:
                    ends[g, filled], ends[g, filled + 1] = target, source
                    filled += 2
    return ends


@compiled(**EXACT)
def skip_absent_pairs(num_pairs, log_absent, edges, state):
    """Walk over the pairs (0,1), (0,2), (1,2), (0,3), ...; write and count those that are edges."""
    num_edges = 0
    pairs_left = num_pairs
    low, high = -1, 1
    while pairs_left > 0:
        log_draw = math.log(1.0 - next_uniform(state))
        # Compare before dividing: for a tiny probability the quotient is beyond any integer.
        if log_draw <= log_absent * pairs_left:
            break
        step = min(1 + int(log_draw / log_absent), pairs_left)
        pairs_left -= step
        low += step
        while low >= high:
            low -= high
            high += 1
        if num_edges < edges.shape[0]:
            edges[num_edges, 0], edges[num_edges, 1] = low, high
        num_edges += 1
    return num_edges


@compiled(**EXACT)
def rewire_ring(num_nodes, reach, rewire_prob, state):
    """Build the ring ``[V reach, 2]`` and rewire it edge by edge, nearest neighbours first."""
    edges = np.empty((num_nodes * reach, 2), dtype=np.int64)
    degree = np.full(num_nodes, 2 * reach, dtype=np.int64)
    present = set()
    for j in range(1, reach + 1):
        for u in range(num_nodes):
            v = (u + j) % num_nodes
            edges[(j - 1) * num_nodes + u] = u, v
            present.add(min(u, v) * num_nodes + max(u, v))
    for e in range(num_nodes * reach):
        u, v = edges[e]
        # A node that is joined to all others has nowhere to move an edge to.
        if next_uniform(state) >= rewire_prob or degree[u] == num_nodes - 1:
            continue
        w = next_index(state, num_nodes)
        while w == u or min(u, w) * num_nodes + max(u, w) in present:
            w = next_index(state, num_nodes)
        present.remove(min(u, v) * num_nodes + max(u, v))
        present.add(min(u, w) * num_nodes + max(u, w))
        edges[e, 1] = w
        degree[v] -= 1
        degree[w] += 1
    return edges


@compiled(**EXACT)
def pair_half_edges(num_nodes, degree, state):
    """Return the edges and True, or part of them and False at a dead end."""
    edges = np.empty((num_nodes * degree // 2, 2), dtype=np.int64)
    neighbors = np.full((num_nodes, degree), -1, dtype=np.int64)
    filled = np.zeros(num_nodes, dtype=np.int64)
    stubs = np.repeat(np.arange(num_nodes), degree)
    num_stubs, num_edges = stubs.shape[0], 0
    while num_stubs > 0:
        for i in range(num_stubs - 1, 0, -1):
            j = next_index(state, i + 1)
            stubs[i], stubs[j] = stubs[j], stubs[i]
        kept = 0
        for i in range(0, num_stubs, 2):
            u, v = min(stubs[i], stubs[i + 1]), max(stubs[i], stubs[i + 1])
            if u == v or _contains(neighbors[u], v):
                stubs[kept], stubs[kept + 1] = u, v
                kept += 2
                continue
            neighbors[u, filled[u]], neighbors[v, filled[v]] = v, u
            filled[u] += 1
            filled[v] += 1
            edges[num_edges, 0], edges[num_edges, 1] = u, v
            num_edges += 1
        if kept == num_stubs and not _some_pair_is_free(stubs[:kept], neighbors):
            return edges[:num_edges], False
        num_stubs = kept
    return edges, True


@compiled(**EXACT)
def _contains(values, wanted):
    """Whether a value is in a short array."""
    # Numba compiles no generator expression, so no any().
    for value in values:  # noqa: SIM110
        if value == wanted:
            return True
    return False


@compiled(**EXACT)
def _some_pair_is_free(stubs, neighbors):
    """Whether two of the half-edges left could still be joined."""
    for i in range(stubs.shape[0]):
        for j in range(i):
            if stubs[i] != stubs[j] and not _contains(neighbors[stubs[i]], stubs[j]):
                return True
    return False


@compiled(**EXACT)
def decode_prufer(sequence):
    """Join each entry to the smallest leaf left; linear, since leaves are met in rising order."""
    num_nodes = sequence.shape[0] + 2
    edges = np.empty((num_nodes - 1, 2), dtype=np.int64)
    degree = np.ones(num_nodes, dtype=np.int64)
    for node in sequence:
        degree[node] += 1
    pointer = 0
    while degree[pointer] != 1:
        pointer += 1
    leaf = pointer
    for i in range(sequence.shape[0]):
        parent = sequence[i]
        edges[i, 0], edges[i, 1] = leaf, parent
        degree[parent] -= 1
        if degree[parent] == 1 and parent < pointer:
            leaf = parent
            continue
        pointer += 1
        while degree[pointer] != 1:
            pointer += 1
        leaf = pointer
    # The last node is never removed, so it is the other end of the last edge.
    edges[num_nodes - 2, 0], edges[num_nodes - 2, 1] = leaf, num_nodes - 1
    return edges
