"""All connected sets of three and four nodes, compiled.

As in S. Wernicke's ESU (IEEE/ACM TCBB 3, 2006): a set is met at its lowest node and grows by
neighbours that no earlier node of it has, so that each is met once.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine
from mining.candidates.growth_loops import code_of


@compiled(**SEARCH_JIT)
def list_sets(graph, links, colors, marks, first, second, most, nodes, codes):
    """Write every set to a row of `nodes`, if there are any rows; return the number of sets.

    `marks` are 1 for a node and its neighbours, 2 for the neighbours of the next node beside these;
    `first` and `second` are lists of nodes on offer.
    """
    count = np.int64(0)
    for root in range(len(graph.indptr) - 1):
        # 1. a root, and its neighbours above it
        num_first = _mark(graph, np.uint32(root), np.uint32(root), np.int8(1), marks, first, 0)
        marks[root] = 1
        for i in range(num_first):
            # 2. one of these; on offer are those behind it, and what it alone leads to
            for k in range(i + 1, num_first):
                second[k - i - 1] = first[k]
            num_second = _mark(
                graph, first[i], np.uint32(root), np.int8(2), marks, second, num_first - i - 1
            )
            for j in range(num_second):
                # 3. one of these, and every fourth node: behind it, and what it alone leads to
                before, three = count, (np.uint32(root), first[i], second[j])
                for k in range(j + 1, num_second):
                    count = _write(graph, links, colors, three, second[k], count, nodes, codes)
                for edge in range(graph.indptr[second[j]], graph.indptr[second[j] + 1]):
                    other = graph.indices[edge]
                    if other > root and marks[other] == 0:
                        count = _write(graph, links, colors, three, other, count, nodes, codes)
                if count == before:
                    count = _write(graph, links, colors, three, -1, count, nodes, codes)
                # at a hub there may be far too many
                if count > most:
                    break
            _unmark(graph, first[i], np.int8(2), marks)
            if count > most:
                break
        _unmark(graph, np.uint32(root), np.int8(1), marks)
        marks[root] = 0
        if count > most:
            return count
    return count


@subroutine(**INLINE_JIT)
def _mark(graph, node, root, mark, marks, offered, count):
    """Mark the neighbours of a node that have no mark, and offer those above the root."""
    for edge in range(graph.indptr[node], graph.indptr[node + 1]):
        other = graph.indices[edge]
        if marks[other] == 0 and other != root:
            marks[other] = mark
            if other > root:
                offered[count] = other
                count += 1
    return count


@subroutine(**INLINE_JIT)
def _unmark(graph, node, mark, marks):
    for edge in range(graph.indptr[node], graph.indptr[node + 1]):
        if marks[graph.indices[edge]] == mark:
            marks[graph.indices[edge]] = 0


@subroutine(**INLINE_JIT)
def _write(graph, links, colors, three, fourth, count, nodes, codes):
    """Write one set with its codes, if there is a row for it; return the number of sets."""
    if count < len(nodes):
        for k in range(3):
            nodes[count, k] = np.int32(three[k])
        nodes[count, 3] = np.int32(fourth)
        code = np.uint64(0)
        for k in range(3 if fourth < 0 else 4):
            code = mix(code ^ code_of(graph, links, colors, nodes[count], k))
            codes[count, k] = code
    return count + 1
