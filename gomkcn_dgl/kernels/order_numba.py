"""The order in which a depth-first search over a whole graph visits its nodes, compiled."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled


@compiled(**SEARCH_JIT)
def visit_nodes(indptr, indices, starts, visited, stack):
    """Write into `visited [V]`, where it is -1, when each node is visited.

    A search goes from each of `starts`, depth first, to nodes that are not visited yet.
    `stack [2, V]` is scratch: the nodes on the way, and the entry that each goes on with.
    """
    count = np.int64(0)
    for start in starts:
        if visited[start] < 0:
            visited[start] = count
            count += 1
        stack[0, 0], stack[1, 0] = start, indptr[start]
        depth = 0
        while depth >= 0:
            node, entry = stack[0, depth], stack[1, depth]
            if entry == indptr[node + 1]:
                depth -= 1
                continue
            stack[1, depth] += 1
            other = indices[entry]
            if visited[other] < 0:
                visited[other] = count
                count += 1
                depth += 1
                stack[0, depth], stack[1, depth] = other, indptr[other]
