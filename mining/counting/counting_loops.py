"""The compiled search behind exact counting: a backtracking search, pattern node by pattern node.

Each graph node stores the mapped nodes that it is adjacent to, one bit for each. One comparison
then tells whether it fits the next pattern node. The node that was mapped last has not set its bits
yet: most branches end right after it, and checking a few edges costs less. All state is in arrays,
so that the search can be interrupted and continued.

Edges with directions or types are compared after that; where there are none, ``labels`` is None and
the comparison is not compiled. ``exact_counts.py`` makes the plan.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, subroutine

# the bit of a node that is itself mapped
_MAPPED = 1 << 62


class Plan(NamedTuple):
    """The pattern, its nodes in the order of the search."""

    nodes: np.ndarray  # int64 [M], number of each node in the pattern
    adjacent: np.ndarray  # int64 [M], bit j: adjacent to pattern node j, which comes before
    above: np.ndarray  # int64 [M], bit j: mapped to a larger graph node than the symmetric node j
    candidates: np.ndarray  # int64 [V], bit i: the graph node can stand for the pattern's node i


class Labels(NamedTuple):
    """What joins the nodes of graph and pattern."""

    links: np.ndarray  # [E], beside `indices`
    pattern_links: np.ndarray  # int64 [M, M], in the order of the search


class Search(NamedTuple):
    """The state of a search."""

    position: np.ndarray  # int64 [4]: root, level, the root to end before, places listed
    adjacent: np.ndarray  # int64 [V], bit j: adjacent to the graph node of pattern node j
    mapped: np.ndarray  # int64 [M], graph node of each pattern node below the level
    is_marked: np.ndarray  # bool [M], whether `adjacent` has the bits of this pattern node
    base: np.ndarray  # int64 [M], the level whose graph node's row holds the candidates
    next: np.ndarray  # int64 [M], position of the next candidate in `indices`
    stop: np.ndarray  # int64 [M], where that row ends


def new_search(num_nodes: int, pattern_size: int) -> Search:
    """Return the state of a search that has not begun."""
    mapped, base, following, stop = np.zeros((4, pattern_size), np.int64)
    is_marked = np.zeros(pattern_size, np.bool_)
    adjacent = np.zeros(num_nodes, np.int64)
    position = np.array([0, 0, num_nodes, 0])
    return Search(position, adjacent, mapped, is_marked, base, following, stop)


@compiled(**SEARCH_JIT)
def advance(indptr, indices, plan, labels, search, count, places, steps):
    """Check about ``steps`` more nodes; return whether any are left.

    Occurrences are added to ``count [V]`` by root, and listed in ``places [K, M]`` until it is
    full. The pattern has at least two nodes.
    """
    last = len(plan.nodes) - 1
    root, level = search.position[0], search.position[1]
    end, listed = search.position[2], search.position[3]
    while steps > 0 and root < end:
        steps -= 1
        if level == 0:
            # the next root
            if plan.candidates[root] >> plan.nodes[0] & 1:
                search.mapped[0] = root
                level = 1
                _open(indptr, indices, plan, search, level)
            else:
                root += 1
        elif search.next[level] == search.stop[level]:
            # no candidates are left: backtrack
            level -= 1
            if search.is_marked[level]:
                _mark(indptr, indices, search, level)
            if level == 0:
                root += 1
        elif level == last:
            # each candidate that fits the last pattern node is an occurrence
            steps -= search.stop[level] - search.next[level]
            for k in range(search.next[level], search.stop[level]):
                if _fits(indptr, indices, plan, labels, search, level, k):
                    count[root] += 1
                    if listed < len(places):
                        for before in range(last):
                            places[listed, plan.nodes[before]] = search.mapped[before]
                        places[listed, plan.nodes[last]] = indices[k]
                        listed += 1
            search.next[level] = search.stop[level]
        else:
            k = search.next[level]
            search.next[level] += 1
            if _fits(indptr, indices, plan, labels, search, level, k):
                if not search.is_marked[level - 1]:
                    steps -= _mark(indptr, indices, search, level - 1)
                search.mapped[level] = indices[k]
                level += 1
                _open(indptr, indices, plan, search, level)
    search.position[0], search.position[1], search.position[3] = root, level, listed
    return root < end


@subroutine(**INLINE_JIT)
def _open(indptr, indices, plan, search, level):
    """Begin a level: its candidates are the shortest row of a mapped node that it is adjacent to.

    Candidates are above the graph nodes of the symmetric pattern nodes.
    """
    shortest, bound = len(indices) + 1, -1
    for before in range(level):
        node = search.mapped[before]
        length = indptr[node + 1] - indptr[node]
        if plan.adjacent[level] >> before & 1 and length < shortest:
            shortest = length
            search.base[level] = before
        if plan.above[level] >> before & 1:
            bound = max(bound, node)
    row = search.mapped[search.base[level]]
    search.next[level] = _first_at_least(indices, indptr[row], indptr[row + 1], bound + 1)
    search.stop[level] = indptr[row + 1]
    previous = search.mapped[level - 1]
    # to mark the previous node pays when there are more candidates than it has neighbours
    if search.stop[level] - search.next[level] > indptr[previous + 1] - indptr[previous]:
        _mark(indptr, indices, search, level - 1)


@subroutine(**INLINE_JIT)
def _fits(indptr, indices, plan, labels, search, level, k):
    """Whether the candidate at ``k`` can be mapped to the pattern node ``level``."""
    if not plan.candidates[indices[k]] >> plan.nodes[level] & 1:
        return False
    if labels is None:
        return _is_adjacent(indptr, indices, plan, search, level, indices[k])
    # the edge to the base is at hand, and rules most candidates out
    if labels.links[k] != labels.pattern_links[search.base[level], level]:
        return False
    return _is_adjacent(indptr, indices, plan, search, level, indices[k]) and _has_links(
        indptr, indices, plan, labels, search, level, indices[k]
    )


@subroutine(**SEARCH_JIT)
def _has_links(indptr, indices, plan, labels, search, level, node):
    """Whether a node is joined to the mapped nodes as the pattern says; it is adjacent to them."""
    start, end = indptr[node], indptr[node + 1]
    for before in range(level):
        if plan.adjacent[level] >> before & 1 and before != search.base[level]:
            other = search.mapped[before]
            # search the shorter row
            if indptr[other + 1] - indptr[other] < end - start:
                k = _first_at_least(indices, indptr[other], indptr[other + 1], node)
                link = labels.pattern_links[before, level]
            else:
                k = _first_at_least(indices, start, end, other)
                link = labels.pattern_links[level, before]
            if labels.links[k] != link:
                return False
    return True


@subroutine(**INLINE_JIT)
def _is_adjacent(indptr, indices, plan, search, level, node):
    """Whether a candidate is adjacent to the mapped nodes that it should be, and to no others."""
    previous = level - 1
    adjacent = plan.adjacent[level]
    is_marked = search.is_marked[previous]
    if search.adjacent[node] != (adjacent if is_marked else adjacent & ~(1 << previous)):
        return False
    if is_marked or search.base[level] == previous:
        return True
    # search the edge to the previous node in the shorter row
    other = search.mapped[previous]
    if node == other:
        return False
    start, end = indptr[node], indptr[node + 1]
    if indptr[other + 1] - indptr[other] < end - start:
        node, other = other, node
        start, end = indptr[node], indptr[node + 1]
    k = _first_at_least(indices, start, end, other)
    return (k < end and indices[k] == other) == bool(adjacent >> previous & 1)


@subroutine(**INLINE_JIT)
def _mark(indptr, indices, search, level):
    """Set or unset the bits of a mapped node at its neighbours; return how many there are."""
    node = search.mapped[level]
    for k in range(indptr[node], indptr[node + 1]):
        search.adjacent[indices[k]] ^= 1 << level
    search.adjacent[node] ^= _MAPPED
    search.is_marked[level] = not search.is_marked[level]
    return indptr[node + 1] - indptr[node]


@subroutine(**INLINE_JIT)
def _first_at_least(indices, low, high, value):
    """First position in a sorted row whose node is not below ``value``."""
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
