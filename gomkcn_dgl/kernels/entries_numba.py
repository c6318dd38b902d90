"""The check of stored rows, compiled: range and order of the entries, their links, weights, graphs.

Each pair of nodes must be stored in both rows, with opposite links and, without directions, one
weight. This is tested by a sum of 64-bit fingerprints, positive above the diagonal and negative
below, in which the two cancel; other arrays have the sum zero with a probability of 2^-64.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.search_numba import finalize
from gomkcn_dgl.runtime.compiled import compiled

# what can be wrong with an entry, or with all of them
ORDER, GRAPH, WEIGHT, LINK, BALANCE = range(5)


@compiled()
def find_damage(indptr, indices, graph_ptr, weights, bits, links, reverse):
    """What is wrong with some rows, a number above, with the row and the entry; (-1, 0, 0) if none.

    ``indptr [V + 1]``, ``indices [E]`` and ``graph_ptr [G + 1]`` are those of a graph. ``weights``,
    ``bits`` (the weights as they are stored, where both entries of a pair have the same) and
    ``links [E]`` may be empty; ``reverse [K]`` is the link of each link from the other node.
    """
    balance, graph, num_nodes = np.uint64(0), 0, len(indptr) - 1
    for row in range(num_nodes):
        while graph_ptr[graph + 1] <= row:
            graph += 1
        before = np.int64(-1)
        for entry in range(indptr[row], indptr[row + 1]):
            column = np.int64(indices[entry])
            if column <= before or column >= num_nodes or column == row:
                return ORDER, row, entry
            if column < graph_ptr[graph] or column >= graph_ptr[graph + 1]:
                return GRAPH, row, entry
            before = column
            pair = (np.uint64(min(row, column)) << np.uint64(32)) | np.uint64(max(row, column))
            if len(weights) and not 0 < weights[entry] < np.inf:
                return WEIGHT, row, entry
            if len(bits):
                pair = finalize(pair) + np.uint64(bits[entry])
            if len(links):
                link = np.int64(links[entry])
                if link < 1 or link >= len(reverse):
                    return LINK, row, entry
                pair = finalize(pair) + np.uint64(link if row < column else reverse[link])
            if row < column:
                balance += finalize(pair)
            else:
                balance -= finalize(pair)
    if balance != 0:
        return BALANCE, 0, 0
    return -1, 0, 0
