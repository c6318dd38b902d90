"""What the subgraph of a node set looks like, compiled: an order of its nodes, and two hashes.

Nodes are told apart by colour refinement. Where several nodes have the same colour, one of them
gets a colour of its own, and the refinement goes on until all differ. Nodes in the order of their
colours make the subgraphs of most isomorphic sets equal, so that few canonical forms are needed.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT, find_entry, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# after so many rounds few small graphs look like another one
_ROUNDS = 3


@compiled(**SEARCH_JIT)
def describe_sets(
    first, last, graph, links, reverse, salts, colors, nodes, order, invariants, keys, near, color
):  # fmt: skip
    """Describe the rows of `nodes` from `first` to `last`, `[K, M]`.

    Of isomorphic sets the `invariants` are equal. The `keys` are equal for the same links in the
    same `order`. `near` `[M, M]` and `color` `[2, M]` are scratch.
    """
    size = nodes.shape[1]
    for row in range(first, last):
        for i in range(size):
            node = np.uint32(nodes[row, i])
            own = np.uint64(colors[node]) + np.uint64(1) if len(colors) > 0 else np.uint64(1)
            color[0, i] = mix(own * _GOLDEN)
            near[i, i] = 0
            for j in range(i):
                entry = find_entry(graph, node, np.uint32(nodes[row, j]))
                link = 0
                if entry >= 0:
                    link = np.int64(links[entry]) if links is not None else 1
                near[i, j], near[j, i] = salts[link], salts[reverse[link]]
        _refine(near, color)
        total = np.uint64(0)
        for i in range(size):
            total += mix(color[0, i])
        invariants[row] = total
        while True:
            tied = _first_tie(color[0])
            if tied < 0:
                break
            color[0, tied] = mix(color[0, tied])
            _refine(near, color)
        _sort(color[0], order[row])
        key = np.uint64(0)
        for i in range(size):
            for j in range(size):
                place = mix(np.uint64(i * size + j))
                key += mix(place + near[order[row, i], order[row, j]])
        keys[row] = mix(key) ^ total


@subroutine(**INLINE_JIT)
def _refine(near, color):
    """Replace each colour by a hash of itself and of the colours that it is joined to."""
    size = len(near)
    for _ in range(_ROUNDS):
        for i in range(size):
            total = np.uint64(0)
            for j in range(size):
                total += near[i, j] * color[0, j]
            color[1, i] = mix(color[0, i] * _GOLDEN + mix(total))
        for i in range(size):
            color[0, i] = color[1, i]


@subroutine(**INLINE_JIT)
def _first_tie(color):
    """A node with the least colour that several nodes have, or -1."""
    found = -1
    for i in range(len(color)):
        for j in range(i):
            if color[i] == color[j] and (found < 0 or color[i] < color[found]):
                found = i
    return found


@subroutine(**INLINE_JIT)
def _sort(color, order):
    """Write the nodes in ascending order of their colours."""
    for i in range(len(color)):
        place = i
        while place > 0 and color[order[place - 1]] > color[i]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
