"""The walk among graphs that keep the degrees of a graph, one attempted swap after another.

All that joins two nodes is one edge of one *kind*: a link, see :mod:`gomkcn_dgl.relations`. A step
draws an edge read from one of its ends, u–v, and another, x–y, of the same *group*: of the same
kind as read, in the same graph, with ends of the same categories. Then

- **swap**: u–y and x–v become edges in their place. It is refused where an end is shared, or where
  u and y are joined by another kind than x and v; joined by the same kind (both not at all, mostly)
  that kind comes to u–v and x–y. Both readings of an edge without direction may be drawn, so that
  the second is turned round as often as not.
- **turn**, for edges with a direction, one step in ten: the cycle u→v→y→u is reversed, where x is
  v; or the path u→v→x→y becomes u→x→v→y, where all three edges are of the group and u–x and v–y
  are both not joined or both by one kind without direction.

Each node keeps how many neighbours it has by each kind and category of these: its degree; with
directions how many edges only lead out, only come in and do both. A step and its opposite are
equally likely, and a refused step counts, so that the chain is symmetric: it visits all graphs that
it reaches equally often, and a walk of a fixed number of attempts may be read backwards (J. Besag
and P. Clifford, Generalized Monte Carlo significance tests, Biometrika 76, 1989).

Swaps reach all simple graphs of given degrees. Directed cycles of three nodes need the turn (A. R.
Rao, R. Jana and S. Bandyopadhyay, Sankhya A 58, 1996). Where pairs that are joined both ways stay
so, the space can still fall apart. Of all directed graphs of 4 nodes with at least two graphs of
the same degrees (48 sequences of degrees) none falls apart, of 5 nodes 247 of 3,210. Without the
turn of a path it were 6 and 595; without kinds that change places either, 15 and 1,402; without
any turn 34 and 2,323. A graph is compared with those that can be reached from it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn.mining.significance.pair_tables import (
    FREE,
    free_slot,
    free_slots,
    pair_of,
    slot_of,
)
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, subroutine

# share of steps that turn a cycle or a path
TURNS = 0.1


class EdgeOfPairs(NamedTuple):
    """The pairs of nodes that are joined, int64 ``[H]`` in slots, and the edge that joins each."""

    slots: np.ndarray
    edges: np.ndarray

    @classmethod
    def of(cls, edges: np.ndarray) -> EdgeOfPairs:
        """What edges ``[E, 2]`` join."""
        slots = free_slots(len(edges))
        dtype = np.int32 if len(edges) <= np.iinfo(np.int32).max else np.int64
        pairs = cls(slots, np.empty(len(slots), dtype))
        put_all(edges, pairs)
        return pairs


@compiled(**SEARCH_JIT)
def put_all(edges, pairs):
    """Put all edges into an empty table of pairs."""
    for edge in range(len(edges)):
        _put(pairs, edges[edge, 0], edges[edge, 1], edge)


@compiled(**SEARCH_JIT)
def draw_readings(group_of, group_ptr, members, numbers, readings):
    """Draw a reading, and another one of its group, by each row of ``numbers [A, 3]`` in [0, 1).

    Reading r is of the group ``group_of[r]``, whose readings are
    ``members[group_ptr[g]:group_ptr[g + 1]]``. ``readings [A, 2]`` are written. None depends on
    what is done with those before it, so that a processor looks up many at a time.
    """
    size = len(group_of)
    # of one group all are members
    is_grouped = len(group_ptr) > 2
    for k in range(len(numbers)):
        first, second = int(numbers[k, 0] * size), int(numbers[k, 1] * size)
        if is_grouped:
            start, stop = group_ptr[group_of[first]], group_ptr[group_of[first] + 1]
            second = members[start + int(numbers[k, 1] * (stop - start))]
        readings[k, 0], readings[k, 1] = first, second


@compiled(**SEARCH_JIT)
def walk(edges, kinds, one_way, group_of, pairs, readings, numbers):
    """Make an attempt for each row of ``readings [A, 2]`` and ``numbers [A, 3]``.

    Changes ``edges`` and their table ``pairs`` in place; returns how many were not refused. Reading
    ``2 e + s`` of edge e leads from ``edges[e, s]`` to ``edges[e, 1 - s]``. It is of kind ``kinds[2
    e + s]``, never 0, and of the group ``group_of[2 e + s]``; neither ever changes. ``one_way [K]``
    says which kinds read otherwise from the other end. No two edges may join the same nodes.
    """
    # edges int32 [E, 2], kinds and group_of [2 E]
    count = 0
    for k in range(len(readings)):
        first, second = readings[k, 0], readings[k, 1]
        if numbers[k, 2] < TURNS and one_way[kinds[first]]:
            count += _turn(edges, kinds, one_way, group_of, pairs, first, second)
        else:
            count += _swap(edges, kinds, pairs, first, second)
    return count


@subroutine(**SEARCH_JIT)
def _swap(edges, kinds, pairs, first, second):
    """Exchange the ends of two readings; return whether it was done."""
    e, side, f, other = first >> 1, first & 1, second >> 1, second & 1
    u, v, x, y = edges[e, side], edges[e, 1 - side], edges[f, other], edges[f, 1 - other]
    if u in (x, y) or v in (x, y):
        return False
    # what joins the nodes that will be joined
    there, back = _edge_between(pairs, u, y), _edge_between(pairs, x, v)
    kind = _kind(edges, kinds, there, u)
    if kind != _kind(edges, kinds, back, x) or kind == kinds[first]:
        return False
    _replace(edges, pairs, there, u, v)
    _replace(edges, pairs, back, x, y)
    if there == FREE:
        _remove(pairs, u, v)
        _remove(pairs, x, y)
    edges[e, 1 - side], edges[f, 1 - other] = y, v
    _put(pairs, u, y, e)
    _put(pairs, x, v, f)
    return True


@subroutine(**SEARCH_JIT)
def _turn(edges, kinds, one_way, group_of, pairs, first, second):
    """Turn the cycle or the path that two readings lie on; return whether it was done."""
    e, side, f, other = first >> 1, first & 1, second >> 1, second & 1
    u, v, x, y = edges[e, side], edges[e, 1 - side], edges[f, other], edges[f, 1 - other]
    # 1. the third edge: y–u closes a cycle, v–x lies in the middle of a path
    is_cycle = v == x
    source, target = (y, u) if is_cycle else (v, x)
    third = _edge_between(pairs, source, target)
    if third == FREE:
        return False
    reading = 2 * third + (edges[third, 0] != source)
    if group_of[reading] != group_of[first]:
        return False
    # 2. reversing a cycle joins the same pairs of nodes
    if is_cycle:
        for edge in (e, f, third):
            edges[edge, 0], edges[edge, 1] = edges[edge, 1], edges[edge, 0]
        return True
    # 3. on a path the nodes in the middle change places
    there, back = _edge_between(pairs, x, u), _edge_between(pairs, v, y)
    kind = _kind(edges, kinds, there, x)
    if kind != _kind(edges, kinds, back, v) or one_way[kind]:
        return False
    _replace(edges, pairs, there, u, v)
    _replace(edges, pairs, back, y, x)
    if there == FREE:
        _remove(pairs, u, v)
        _remove(pairs, x, y)
    edges[e, 1 - side], edges[f, other] = x, v
    edges[third, 0], edges[third, 1] = edges[third, 1], edges[third, 0]
    _put(pairs, u, x, e)
    _put(pairs, v, y, f)
    return True


@subroutine(**SEARCH_JIT)
def _kind(edges, kinds, edge, node):
    """Kind of an edge as read from a node; 0 where there is no edge."""
    if edge == FREE:
        return np.int64(0)
    return kinds[2 * edge + (edges[edge, 0] != node)]


@subroutine(**SEARCH_JIT)
def _replace(edges, pairs, edge, node, new):
    """Let an edge of a node, if there is one, lead to another node from now on."""
    if edge != FREE:
        edges[edge, np.int64(edges[edge, 0] == node)] = new
        _put(pairs, node, new, edge)


@subroutine(**SEARCH_JIT)
def _edge_between(pairs, u, v):
    """The edge that joins two nodes, or ``FREE``."""
    slot = slot_of(pairs.slots, pair_of(u, v))
    return np.int64(FREE) if pairs.slots[slot] == FREE else np.int64(pairs.edges[slot])


@subroutine(**SEARCH_JIT)
def _put(pairs, u, v, edge):
    pair = pair_of(u, v)
    slot = slot_of(pairs.slots, pair)
    pairs.slots[slot], pairs.edges[slot] = pair, edge


@subroutine(**SEARCH_JIT)
def _remove(pairs, u, v):
    free_slot(pairs.slots, pairs.edges, slot_of(pairs.slots, pair_of(u, v)))


@compiled()
def split_sides(indptr, indices, order, sides, waiting):
    """Give neighbours different `sides [V]`, -1 before; return how many components there are.

    It ends at the first odd cycle, with -1. The first node of a component, in the `order [V]`, is
    on side 0. `waiting [V]` is a list.
    """
    components = 0
    for start in order:
        if sides[start] >= 0:
            continue
        components += 1
        sides[start], waiting[0] = 0, start
        first, count = 0, 1
        while first < count:
            node = waiting[first]
            first += 1
            for entry in range(indptr[node], indptr[node + 1]):
                other = indices[entry]
                if sides[other] == sides[node]:
                    return -1
                if sides[other] < 0:
                    sides[other] = 1 - sides[node]
                    waiting[count] = other
                    count += 1
    return components


@compiled()
def sort_readings(edges, indptr, by_target, order):
    """Put readings of ``edges`` in ``order [2 E]``: by where they lead from, then where they lead.

    ``indptr [V + 1]`` is where those from each node begin, and ``by_target [2 E]`` scratch. They
    are put in rows by where they lead, and from there, row by row, into those by where from.
    """
    placed = indptr[:-1].copy()
    for reading in range(2 * len(edges)):
        target = edges[reading >> 1, 1 - (reading & 1)]
        by_target[placed[target]] = reading
        placed[target] += 1
    # not in one assignment: what that would say of other lengths takes a second to compile
    for node in range(len(placed)):
        placed[node] = indptr[node]
    for reading in by_target:
        source = edges[reading >> 1, reading & 1]
        order[placed[source]] = reading
        placed[source] += 1
