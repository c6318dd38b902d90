"""The order in which a depth-first search over a whole graph visits its nodes, compiled."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled


@compiled(**SEARCH_JIT)
def visit_nodes(indptr, indices, starts, num_known, visited, stack):
    """Write into `visited [V]` when each node is visited.

    The first `num_known` nodes of `starts [V]` count as visited. A search goes from each of
    `starts`, depth first, to nodes that are not. `stack [2, V]` is scratch.
    """
    count = np.int64(0)
    for node in range(len(visited)):
        visited[node] = -1
    for k in range(num_known):
        visited[starts[k]] = count
        count += 1
    for k in range(len(starts)):
        if k >= num_known and visited[starts[k]] >= 0:
            continue
        if k >= num_known:
            visited[starts[k]] = count
            count += 1
        # the nodes on the way, and the entry that each goes on with
        stack[0, 0], stack[1, 0] = starts[k], indptr[starts[k]]
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
