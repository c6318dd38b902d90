"""The compiled search behind exact counting: pattern nodes are placed one by one, none twice.

Each graph node remembers which placed nodes it is joined to, one bit for each, so that one
comparison says whether it fits. The node placed last has set no bits yet: most searches end right
after it, and looking up a few edges costs less. All state is in arrays, so that the search can be
left and taken up again.

Arguments are checked by ``counting.py``, where the plan is made, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled

# the bit of a node that is itself placed
_PLACED = 1 << 62
MOST_PATTERN_NODES = 62


class Plan(NamedTuple):
    """The pattern, its nodes in the order in which they are placed."""

    degrees: np.ndarray  # int64 [M]
    joined: np.ndarray  # int64 [M], bit j: joined to pattern node j, placed before
    above: np.ndarray  # int64 [M], bit j: takes a larger graph node than j, its mirror image


class Search(NamedTuple):
    """How far a search is."""

    place: np.ndarray  # int64 [2]: the root, that is the node in pattern node 0; the level
    joined: np.ndarray  # int64 [V], bit j: joined to the graph node in pattern node j
    chosen: np.ndarray  # int64 [M], graph node in each pattern node below the level
    marked: np.ndarray  # bool [M], whether `joined` knows of it
    base: np.ndarray  # int64 [M], the level whose graph node's row is gone through
    position: np.ndarray  # int64 [M], where in `indices`
    stop: np.ndarray  # int64 [M]


def new_search(num_nodes: int, pattern_size: int) -> Search:
    """Return a search that has not begun."""
    return Search(
        np.zeros(2, np.int64),
        np.zeros(num_nodes, np.int64),
        np.zeros(pattern_size, np.int64),
        np.zeros(pattern_size, np.bool_),
        np.zeros(pattern_size, np.int64),
        np.zeros(pattern_size, np.int64),
        np.zeros(pattern_size, np.int64),
    )


@compiled(**SEARCH_JIT)
def advance(indptr, indices, plan, search, found, steps):
    """Look at about ``steps`` more nodes; return whether any are left.

    What is found is added to ``found [V]`` by root. The pattern has two nodes or more.
    """
    last = len(plan.degrees) - 1
    num_nodes = len(indptr) - 1
    root, level = search.place[0], search.place[1]
    while steps > 0 and root < num_nodes:
        steps -= 1
        if level == 0:
            if indptr[root + 1] - indptr[root] >= plan.degrees[0]:
                search.chosen[0] = root
                level = 1
                _open(indptr, indices, plan, search, level)
            else:
                root += 1
        elif search.position[level] == search.stop[level]:
            level -= 1
            if search.marked[level]:
                _mark(indptr, indices, search, level)
            if level == 0:
                root += 1
        elif level == last:
            steps -= search.stop[level] - search.position[level]
            for place in range(search.position[level], search.stop[level]):
                if _fits(indptr, indices, plan, search, level, indices[place]):
                    found[root] += 1
            search.position[level] = search.stop[level]
        else:
            node = indices[search.position[level]]
            search.position[level] += 1
            if _fits(indptr, indices, plan, search, level, node):
                if not search.marked[level - 1]:
                    steps -= _mark(indptr, indices, search, level - 1)
                search.chosen[level] = node
                level += 1
                _open(indptr, indices, plan, search, level)
    search.place[0], search.place[1] = root, level
    return root < num_nodes


@compiled(**INLINE_JIT)
def _open(indptr, indices, plan, search, level):
    """Begin a level: the shortest row of a node that it is joined to, above its mirror images."""
    shortest, bound = len(indices) + 1, -1
    for before in range(level):
        node = search.chosen[before]
        length = indptr[node + 1] - indptr[node]
        if plan.joined[level] >> before & 1 and length < shortest:
            shortest = length
            search.base[level] = before
        if plan.above[level] >> before & 1:
            bound = max(bound, node)
    row = search.chosen[search.base[level]]
    search.position[level] = _first_at_least(indices, indptr[row], indptr[row + 1], bound + 1)
    search.stop[level] = indptr[row + 1]
    previous = search.chosen[level - 1]
    if search.stop[level] - search.position[level] > indptr[previous + 1] - indptr[previous]:
        _mark(indptr, indices, search, level - 1)


@compiled(**INLINE_JIT)
def _fits(indptr, indices, plan, search, level, node):
    """Whether a node of the base's row can stand in pattern node ``level``."""
    previous = level - 1
    wanted = plan.joined[level]
    known = search.marked[previous]
    if search.joined[node] != (wanted if known else wanted & ~(1 << previous)):
        return False
    if indptr[node + 1] - indptr[node] < plan.degrees[level]:
        return False
    if known or search.base[level] == previous:
        return True
    other = search.chosen[previous]
    if node == other:
        return False
    start, end = indptr[node], indptr[node + 1]
    if indptr[other + 1] - indptr[other] < end - start:
        node, other = other, node
        start, end = indptr[node], indptr[node + 1]
    place = _first_at_least(indices, start, end, other)
    return (place < end and indices[place] == other) == bool(wanted >> previous & 1)


@compiled(**INLINE_JIT)
def _mark(indptr, indices, search, level):
    """Tell the neighbours of a placed node, or take it back; return how many there are."""
    node = search.chosen[level]
    for place in range(indptr[node], indptr[node + 1]):
        search.joined[indices[place]] ^= 1 << level
    search.joined[node] ^= _PLACED
    search.marked[level] = not search.marked[level]
    return indptr[node + 1] - indptr[node]


@compiled(**INLINE_JIT)
def _first_at_least(indices, low, high, value):
    """First position in a sorted row whose node is not below ``value``."""
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
