"""The compiled search behind exact counting: a backtracking search, pattern node by pattern node.

Each graph node stores the mapped nodes that it is adjacent to, one bit for each. One comparison
then tells whether it fits the next pattern node. The node that was mapped last has not set its bits
yet: most branches end right after it, and checking a few edges costs less. All state is in arrays,
so that the search can be interrupted and continued.

Which pattern node comes next is decided on the way: one that is adjacent to two mapped nodes or
more, if there is one, and of these the one with the shortest row of candidates. In a graph with
hubs a fixed order would walk their rows again and again.

Edges with directions or types are compared after that; where there are none, ``labels`` is None and
the comparison is not compiled. ``exact_search.py`` makes the plan.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, subroutine

# nodes whose candidates are ruled out at once
NODES_OF_A_BLOCK = 1024
# the bit of a node that is itself mapped
_MAPPED = 1 << 62


class Plan(NamedTuple):
    """The pattern; a bit stands for each of its nodes."""

    order: np.ndarray  # int64 [M], roots are mapped to the first; else it decides between equals
    adjacent: np.ndarray  # int64 [M], the neighbours of each node
    above: np.ndarray  # int64 [M], symmetric nodes that are mapped to smaller graph nodes
    below: np.ndarray  # int64 [M], and to larger ones
    candidates: np.ndarray  # int16 or int64 [V], the pattern nodes that a graph node can stand for


class Labels(NamedTuple):
    """What joins the nodes of graph and pattern."""

    links: np.ndarray  # [E], beside `indices`
    pattern_links: np.ndarray  # int64 [M, M]


class Search(NamedTuple):
    """The state of a search: a pattern node at each level, and what it is mapped to."""

    position: np.ndarray  # int64 [5]: root, level, the root to end before, places listed, steps
    adjacent: np.ndarray  # int64 [V], the pattern nodes that are mapped to a neighbour, and marked
    mapped: np.ndarray  # int64 [M], graph node of each pattern node
    is_marked: np.ndarray  # bool [M], whether `adjacent` has the bit of this pattern node
    order: np.ndarray  # int64 [M], pattern node of each level
    before: np.ndarray  # int64 [M], the pattern nodes of the levels before each
    base: np.ndarray  # int64 [M], the pattern node whose graph node's row holds the candidates
    next: np.ndarray  # int64 [M], position of the next candidate in `indices`
    stop: np.ndarray  # int64 [M], where the candidates end


def new_search(num_nodes: int, pattern_size: int) -> Search:
    """Return the state of a search that has not begun."""
    mapped, order, before, base, following, stop = np.zeros((6, pattern_size), np.int64)
    is_marked = np.zeros(pattern_size, np.bool_)
    adjacent = np.zeros(num_nodes, np.int64)
    position = np.array([0, 0, num_nodes, 0, 0])
    return Search(position, adjacent, mapped, is_marked, order, before, base, following, stop)


@compiled(**SEARCH_JIT)
def rule_out(
    first, last, indptr, indices, links, neighbors, degrees,
    candidates, remaining, asked, ask_next, changes,
):  # fmt: skip
    """Keep the pattern nodes whose neighbours have candidates among the neighbours of a node."""
    for block in range(first, last):
        changes[block] = 0
        stop = min((block + 1) * NODES_OF_A_BLOCK, len(candidates))
        for v in range(block * NODES_OF_A_BLOCK, stop):
            kept = candidates[v]
            for i in range(len(degrees)):
                if asked[v] and candidates[v] >> i & 1:
                    missing = degrees[i]
                    k = indptr[v]
                    while missing > 0 and k < indptr[v + 1]:
                        link = links[k] if len(links) else 1
                        if candidates[indices[k]] & neighbors[i, link]:
                            missing -= 1
                        k += 1
                    if missing > 0:
                        kept ^= 1 << i
            remaining[v] = kept
            if kept != candidates[v]:
                changes[block] += 1
                for k in range(indptr[v], indptr[v + 1]):
                    ask_next[indices[k]] = 1


@compiled(**SEARCH_JIT)
def advance(indptr, indices, plan, labels, search, count, places, steps):
    """Check about ``steps`` more nodes; return whether any are left.

    Occurrences are added to ``count [V]`` by root, and listed in ``places [K, M]`` until it is
    full. The pattern has at least two nodes.
    """
    last = len(plan.adjacent) - 1
    root, level = search.position[0], search.position[1]
    end, listed = search.position[2], search.position[3]
    first, given = plan.order[0], steps
    search.order[0] = first
    while steps > 0 and root < end:
        steps -= 1
        if level == 0:
            # the next root
            if plan.candidates[root] >> first & 1:
                search.mapped[first] = root
                # no literal, of each of which Numba compiles a version
                level = np.int64(1)
                _open(indptr, indices, plan, search, level)
            else:
                # not a step: how many there are depends on the pieces that threads search
                root += 1
                steps += 1
        elif search.next[level] == search.stop[level]:
            # no candidates are left: backtrack
            level -= 1
            if search.is_marked[search.order[level]]:
                _mark(indptr, indices, search, search.order[level])
            if level == 0:
                root += 1
        elif level == last:
            # each candidate that fits the last pattern node is an occurrence
            steps -= search.stop[level] - search.next[level]
            for k in range(search.next[level], search.stop[level]):
                if _fits(indptr, indices, plan, labels, search, level, k):
                    count[root] += 1
                    if listed < len(places):
                        search.mapped[search.order[last]] = indices[k]
                        for i in range(last + 1):
                            places[listed, i] = search.mapped[i]
                        listed += 1
            search.next[level] = search.stop[level]
        else:
            k = search.next[level]
            search.next[level] += 1
            if _fits(indptr, indices, plan, labels, search, level, k):
                if not search.is_marked[search.order[level - 1]]:
                    steps -= _mark(indptr, indices, search, search.order[level - 1])
                search.mapped[search.order[level]] = indices[k]
                level += 1
                _open(indptr, indices, plan, search, level)
    search.position[0], search.position[1], search.position[3] = root, level, listed
    search.position[4] += given - steps
    return root < end


@subroutine(**SEARCH_JIT)
def _open(indptr, indices, plan, search, level):
    """Begin a level: choose its pattern node, whose candidates are the row of a mapped neighbour.

    Candidates are above or below the graph nodes of symmetric pattern nodes.
    """
    previous = search.order[level - 1]
    mapped = search.before[level - 1] | 1 << previous
    # 1. the pattern node: adjacent to two mapped nodes or more, and the row a short one
    chosen, base, best, shortest = -1, -1, False, len(indices) + 1
    for i in plan.order:
        near = plan.adjacent[i] & mapped
        if near and not mapped >> i & 1:
            closes = near & (near - 1) != 0
            if closes >= best:
                for j in range(len(plan.adjacent)):
                    if near >> j & 1:
                        node = search.mapped[j]
                        length = indptr[node + 1] - indptr[node]
                        if length < shortest or closes > best:
                            chosen, base, best, shortest = i, j, closes, length
    search.order[level], search.base[level], search.before[level] = chosen, base, mapped
    # 2. its candidates
    low, high = -1, len(indptr) - 1
    for j in range(len(plan.adjacent)):
        if mapped >> j & 1:
            if plan.above[chosen] >> j & 1:
                low = max(low, search.mapped[j])
            if plan.below[chosen] >> j & 1:
                high = min(high, search.mapped[j])
    row = search.mapped[base]
    start, end = indptr[row], indptr[row + 1]
    search.next[level] = first_at_least(indices, start, end, low + 1)
    search.stop[level] = first_at_least(indices, search.next[level], end, high)
    # 3. to mark the previous node pays when there are more candidates than it has neighbours
    node = search.mapped[previous]
    if search.stop[level] - search.next[level] > indptr[node + 1] - indptr[node]:
        _mark(indptr, indices, search, previous)


@subroutine(**INLINE_JIT)
def _fits(indptr, indices, plan, labels, search, level, k):
    """Whether the pattern node of a level can be mapped to the candidate at ``k``."""
    if not plan.candidates[indices[k]] >> search.order[level] & 1:
        return False
    if labels is None:
        return _is_adjacent(indptr, indices, plan, search, level, indices[k])
    # the edge to the base is at hand, and rules most candidates out
    if labels.links[k] != labels.pattern_links[search.base[level], search.order[level]]:
        return False
    return _is_adjacent(indptr, indices, plan, search, level, indices[k]) and _has_links(
        indptr, indices, plan, labels, search, level, indices[k]
    )


@subroutine(**SEARCH_JIT)
def _has_links(indptr, indices, plan, labels, search, level, node):
    """Whether a node is joined to the mapped nodes as the pattern says; it is adjacent to them."""
    start, end = indptr[node], indptr[node + 1]
    own = search.order[level]
    for before in range(level):
        i = search.order[before]
        if plan.adjacent[own] >> i & 1 and i != search.base[level]:
            other = search.mapped[i]
            # search the shorter row
            if indptr[other + 1] - indptr[other] < end - start:
                k = first_at_least(indices, indptr[other], indptr[other + 1], node)
                link = labels.pattern_links[i, own]
            else:
                k = first_at_least(indices, start, end, other)
                link = labels.pattern_links[own, i]
            if labels.links[k] != link:
                return False
    return True


@subroutine(**INLINE_JIT)
def _is_adjacent(indptr, indices, plan, search, level, node):
    """Whether a candidate is adjacent to the mapped nodes that it should be, and to no others."""
    previous = search.order[level - 1]
    adjacent = plan.adjacent[search.order[level]] & search.before[level]
    is_marked = search.is_marked[previous]
    if search.adjacent[node] != (adjacent if is_marked else adjacent & ~(1 << previous)):
        return False
    if is_marked or search.base[level] == previous:
        return True
    # search the edge to the previous node in the shorter row
    other = search.mapped[previous]
    if node == other:
        return False
    is_wanted = bool(adjacent >> previous & 1)
    start, end = indptr[node], indptr[node + 1]
    if indptr[other + 1] - indptr[other] < end - start:
        node, other = other, node
        start, end = indptr[node], indptr[node + 1]
    k = first_at_least(indices, start, end, other)
    return (k < end and indices[k] == other) == is_wanted


@subroutine(**SEARCH_JIT)
def _mark(indptr, indices, search, i):
    """Set or unset the bit of a mapped pattern node at its neighbours; return their number."""
    node = search.mapped[i]
    for k in range(indptr[node], indptr[node + 1]):
        search.adjacent[indices[k]] ^= 1 << i
    search.adjacent[node] ^= _MAPPED
    search.is_marked[i] = not search.is_marked[i]
    return indptr[node + 1] - indptr[node]


@subroutine(**INLINE_JIT)
def first_at_least(indices, low, high, value):
    """First position in a sorted row whose node is not below ``value``."""
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
