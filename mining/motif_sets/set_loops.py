"""Compiled loops over the connected node sets of a collection: growth, and what sets look like."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT, find_entry, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine


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
