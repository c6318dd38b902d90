"""The compiled search for the occurrences whose highest node is given, in rows that may be on disk.

A node is *higher* than another if it has more neighbours, or as many and a larger number. Each
occurrence has one highest node, its *top*; all of its other nodes have no more neighbours, so that
a search that begins at the top reads short rows only. State is O(M), whatever the graph.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine
from mining.counting.tree_loops import link_between, uniform


class Rows(NamedTuple):
    """The graph."""

    indptr: np.ndarray  # int64 [V + 1]
    indices: np.ndarray  # int32 [E]
    links: np.ndarray  # [E], empty where all are 1
    colors: np.ndarray  # int64 [V], empty where all are alike


class Plans(NamedTuple):
    """The pattern, in one order for each kind of node that can be the top."""

    orders: np.ndarray  # int64 [O, M], pattern nodes; the first is mapped to the top
    shares: np.ndarray  # float64 [O], one in so many mappings with this top is an occurrence
    links: np.ndarray  # int64 [M, M], 0 where nodes are not joined
    colors: np.ndarray  # int64 [M], empty where all are alike
    degrees: np.ndarray  # int64 [M], neighbours of each node


class Search(NamedTuple):
    """What one thread needs: the state of each level."""

    image: np.ndarray  # int64 [M], graph node of each pattern node
    next: np.ndarray  # int64 [M], position in `indices` of the next candidate of each level
    stop: np.ndarray  # int64 [M], where these end
    base: np.ndarray  # int64 [M], the pattern node whose image has them as neighbours
    left: np.ndarray  # int64 [M], candidates that are still to be drawn, -1 where all are taken
    weight: np.ndarray  # float64 [M], the inverse of the probability of what is drawn so far
    kept: np.ndarray  # float64 [2], what the places stand for, and how many there are


class Tops(NamedTuple):
    """The roots, and what is found at them."""

    roots: np.ndarray  # int64 [R]
    values: np.ndarray  # float64 [R], occurrences with this top, or an estimate
    variances: np.ndarray  # float64 [R], of the estimate
    steps: np.ndarray  # int64 [R]
    places: np.ndarray  # int64 [R, P, M], some mappings in the pattern's order
    weights: np.ndarray  # float64 [R, P], how many occurrences each stands for


# searches of a part, each of fewer steps than a whole one
_NUM_PARTS = 8
_ENDLESS = 1 << 62


def new_search(size: int) -> Search:
    """Return the state of a search for a pattern of so many nodes."""
    image, following, stop, base, left = np.zeros((5, size), np.int64)
    return Search(image, following, stop, base, left, np.zeros(size), np.zeros(2))


@compiled(**SEARCH_JIT)
def count_at_tops(first, last, rows, plans, search, limit, stream, tops):
    """Count the occurrences with each root as their top, or estimate them.

    All mappings are searched for in ``limit`` steps. Else parts of them are: of a long row a few
    random candidates are taken, which stand for all. How few, a search of its own tells.
    """
    room = tops.places.shape[1]
    for row in range(first, last):
        root = tops.roots[row]
        own = mix(stream ^ mix(np.uint64(root)))
        value, variance, filled, steps = 0.0, 0.0, 0, 0
        for number in range(len(plans.orders)):
            order, share = plans.orders[number], plans.shares[number]
            if not _can_be(rows, plans, order[0], root):
                continue
            search.image[order[0]] = root
            places = tops.places[row, filled:]
            search.kept[:] = 0.0
            total, spent, _ = _search(rows, plans, search, order, 0, limit, own, places)
            if spent > limit:
                search.kept[:] = 0.0
                total, spread, more = _search_parts(rows, plans, search, order, limit, own, places)
                variance += share * share * spread
                spent += more
            value += share * total
            steps += spent
            kept = np.int64(search.kept[1])
            for place in range(filled, filled + kept):
                tops.weights[row, place] = share * total / kept
            filled += kept
        for place in range(filled, room):
            tops.weights[row, place] = 0.0
        tops.values[row], tops.variances[row], tops.steps[row] = value, variance, steps


@subroutine(**SEARCH_JIT)
def _search_parts(rows, plans, search, order, limit, stream, places):
    """Estimate the mappings with a given top: their number, its variance, and the steps."""
    # 1. how much of a row: as much as a search in fewer steps can take
    width, most, spent, steps = 1, limit // _NUM_PARTS, 0, 0
    while spent <= most:
        width <<= 1
        _, spent, _ = _search(rows, plans, search, order, width, most, ~stream, places[:0])
        steps += spent
    width >>= 1
    # 2. several such parts, which show how much they vary
    total, squares, missed = 0.0, 0.0, 0.0
    for part in range(_NUM_PARTS):
        own = mix(stream + np.uint64(part + 1))
        found, spent, weight = _search(rows, plans, search, order, width, _ENDLESS, own, places)
        steps += spent
        total += found
        squares += found * found
        missed = max(missed, weight)
    mean = total / _NUM_PARTS
    if mean == 0:
        # as if one part had missed one
        return 0.0, (missed / _NUM_PARTS) ** 2, steps
    variance = max(squares / _NUM_PARTS - mean * mean, 0.0) / (_NUM_PARTS - 1)
    return mean, variance, steps


@subroutine(**SEARCH_JIT)
def _search(rows, plans, search, order, width, limit, stream, places):
    """Mappings with a given top: their number, the steps, and the weight of one that is missed.

    Of rows longer than ``width`` so many candidates are drawn, each of which stands for several; 0:
    all are taken. The search ends after ``limit`` steps. Places are kept in proportion to what they
    stand for (M. T. Chao, Biometrika 69, 1982).
    """
    last, steps, found = len(order) - 1, 0, 0.0
    deepest, missed = 0, 0.0
    search.weight[0] = 1.0
    level = 1
    _open(rows, plans, search, order, level, width)
    while level > 0:
        if search.left[level] == 0 or search.next[level] == search.stop[level]:
            level -= 1
            continue
        steps += 1
        if steps > limit:
            break
        k = search.next[level]
        if search.left[level] > 0:
            # the candidates of the row stay, and one of them is drawn
            search.left[level] -= 1
            k += np.int64(uniform(stream, steps) * (search.stop[level] - k))
        else:
            search.next[level] += 1
        weight = search.weight[level]
        if level > deepest:
            deepest, missed = level, weight
        elif level == deepest:
            missed = max(missed, weight)
        if not _fits(rows, plans, search, order, level, k):
            continue
        search.image[order[level]] = rows.indices[k]
        if level < last:
            level += 1
            _open(rows, plans, search, order, level, width)
            continue
        found += weight
        if len(places) > 0:
            _keep(search, order, places, weight, uniform(~stream, steps))
    return found, steps, missed


@subroutine(**SEARCH_JIT)
def _keep(search, order, places, weight, at_random):
    """Keep a mapping, perhaps in the place of another."""
    search.kept[0] += weight
    held = np.int64(search.kept[1])
    slot = held
    if held == len(places):
        chance = held * weight / search.kept[0]
        if at_random >= chance:
            return
        # what is left of the random number is uniform, too
        slot = min(np.int64(at_random / chance * held), held - 1)
    else:
        search.kept[1] += 1
    for i in range(len(order)):
        places[slot, i] = search.image[i]


@subroutine(**SEARCH_JIT)
def _open(rows, plans, search, order, level, width):
    """Begin a level: its candidates are the shortest row of a mapped neighbour."""
    own, shortest = order[level], len(rows.indices) + 1
    for before in range(level):
        other = order[before]
        if plans.links[own, other] != 0:
            node = search.image[other]
            length = rows.indptr[node + 1] - rows.indptr[node]
            if length < shortest:
                shortest = length
                search.base[level] = other
                search.next[level] = rows.indptr[node]
                search.stop[level] = rows.indptr[node + 1]
    search.left[level], search.weight[level] = -1, search.weight[level - 1]
    if 0 < width < shortest:
        search.left[level] = width
        search.weight[level] *= shortest / width


@subroutine(**INLINE_JIT)
def _can_be(rows, plans, own, node):
    """Whether a graph node has the colour of a pattern node."""
    return len(plans.colors) == 0 or rows.colors[node] == plans.colors[own]


@subroutine(**SEARCH_JIT)
def _fits(rows, plans, search, order, level, k):
    """Whether the candidate at ``k`` is below the top, and joined to the others as it should be."""
    own, node = order[level], np.int64(rows.indices[k])
    top = search.image[order[0]]
    start, stop = rows.indptr[node], rows.indptr[node + 1]
    highest = rows.indptr[top + 1] - rows.indptr[top]
    if stop - start > highest or (stop - start == highest and node >= top):
        return False
    if stop - start < plans.degrees[own]:
        return False
    if not _can_be(rows, plans, own, node):
        return False
    if len(rows.links) > 0 and rows.links[k] != plans.links[search.base[level], own]:
        return False
    for before in range(level):
        other = order[before]
        if other == search.base[level]:
            continue
        image = search.image[other]
        if image == node:
            return False
        if link_between(rows, node, image) != plans.links[own, other]:
            return False
    return True
