"""All connected sets of three or four nodes, counted by what joins their nodes, compiled.

As in S. Wernicke's ESU (IEEE/ACM TCBB 3, 2006): a set is met at its lowest node and grows by
neighbours that no earlier node of it has, so that each is met once.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine


@compiled()
def count_sets(first, last, graph, kinds, size, marks, offered, keys, counts):
    """Count the sets whose lowest node is in [first, last), by a code; return the table.

    `graph` is (indptr, indices, links, colors), `kinds` the numbers of links and of colours. `marks
    [3, V]` are 0, and are left so; `offered [2, V]` are lists of nodes. `keys [H]`, -1 where free,
    and `counts [H]` are a hash table, which grows; H is a power of two.

    A code has the digits c0 | l01 c1 | l02 l12 c2 | l03 l13 l23 c3: the link from an earlier node
    to a later one, and the colour of the later one.
    """
    indptr, indices, links, colors = graph
    num_links, num_colors = kinds
    used = (keys >= 0).sum()
    for root in range(first, last):
        # 1. a root, and its neighbours above it
        num_first = 0
        for entry in range(indptr[root], indptr[root + 1]):
            node = indices[entry]
            marks[0, node] = links[entry]
            if node > root:
                offered[0, num_first] = node
                num_first += 1
        for i in range(num_first):
            # 2. one of these; on offer are those behind it, and what it alone leads to
            a, num_second = offered[0, i], 0
            for k in range(i + 1, num_first):
                offered[1, num_second] = offered[0, k]
                num_second += 1
            for entry in range(indptr[a], indptr[a + 1]):
                node = indices[entry]
                marks[1, node] = links[entry]
                if node > root and marks[0, node] == 0:
                    offered[1, num_second] = node
                    num_second += 1
            code_a = (colors[root] * num_links + marks[0, a]) * num_colors + colors[a]
            for j in range(num_second):
                # 3. one of these
                b = offered[1, j]
                code_b = (code_a * num_links + marks[0, b]) * num_links + marks[1, b]
                code_b = code_b * num_colors + colors[b]
                if size == 3:
                    used += _count(code_b, keys, counts)
                else:
                    # 4. and every fourth node: behind it, and what it alone leads to
                    code_b *= num_links
                    for entry in range(indptr[b], indptr[b + 1]):
                        node = indices[entry]
                        marks[2, node] = links[entry]
                        if node > root and marks[0, node] == 0 and marks[1, node] == 0:
                            code = code_b * num_links * num_links + links[entry]
                            used += _count(code * num_colors + colors[node], keys, counts)
                            if 2 * used > len(keys):
                                keys, counts = _grow(keys, counts)
                    for k in range(j + 1, num_second):
                        node = offered[1, k]
                        code = (code_b + marks[0, node]) * num_links + marks[1, node]
                        code = code * num_links + marks[2, node]
                        used += _count(code * num_colors + colors[node], keys, counts)
                        if 2 * used > len(keys):
                            keys, counts = _grow(keys, counts)
                    for entry in range(indptr[b], indptr[b + 1]):
                        marks[2, indices[entry]] = 0
                if 2 * used > len(keys):
                    keys, counts = _grow(keys, counts)
            for entry in range(indptr[a], indptr[a + 1]):
                marks[1, indices[entry]] = 0
        for entry in range(indptr[root], indptr[root + 1]):
            marks[0, indices[entry]] = 0
    return keys, counts


@subroutine(**INLINE_JIT)
def _count(code, keys, counts):
    """Count one more set with this code; return 1 if it is new, else 0."""
    place = _find(code, keys)
    is_new = np.int64(keys[place] < 0)
    keys[place] = code
    counts[place] += 1
    return is_new


@subroutine(**INLINE_JIT)
def _find(code, keys):
    """Where a code stands in the table, or may be put."""
    place = np.int64(mix(np.uint64(code)) & np.uint64(len(keys) - 1))
    while keys[place] >= 0 and keys[place] != code:
        place = (place + 1) & (len(keys) - 1)
    return place


@subroutine()
def _grow(keys, counts):
    """A table of four times the size with the same content."""
    more_keys, more_counts = np.full(4 * len(keys), -1, np.int64), np.zeros(4 * len(keys), np.int64)
    for place in range(len(keys)):
        if keys[place] >= 0:
            found = _find(keys[place], more_keys)
            more_keys[found], more_counts[found] = keys[place], counts[place]
    return more_keys, more_counts
