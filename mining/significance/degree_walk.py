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

import numpy as np

from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, subroutine

# share of steps that turn a cycle or a path
TURNS = 0.1
_FREE = -1
# a pair of nodes is a number: the smaller one, then 31 bits of the larger one
_BITS = 31
_LOW = (1 << _BITS) - 1
# odd numbers of 29 bits: products with a node and their sum fit into an int64
_FACTORS = 0x1E3779B1, 0x05EBCA77


def new_table(edges: np.ndarray) -> np.ndarray:
    """The table of the pairs that edges join: keys and edges in the slots of open addressing.

    At most half of the slots are in use.
    """
    pairs = np.full((2, 1 << max(2, int(2 * len(edges) - 1).bit_length())), _FREE)
    fill_table(edges, pairs)
    return pairs


@compiled(**SEARCH_JIT)
def fill_table(edges, pairs):
    """Put all edges into an empty table of pairs, int64 ``[2, H]``, H a power of two."""
    for edge in range(len(edges)):
        _put(pairs, edges[edge, 0], edges[edge, 1], edge)


@compiled(**SEARCH_JIT)
def walk(edges, kinds, one_way, group_of, group_ptr, members, pairs, numbers):
    """Make an attempt for each row of ``numbers [A, 3]``, which are random in [0, 1).

    Changes ``edges`` and their table ``pairs`` in place; returns how many were not refused. Reading
    ``2 e + s`` of edge e leads from ``edges[e, s]`` to ``edges[e, 1 - s]``. It is of kind ``kinds[2
    e + s]``, never 0, and of the group ``group_of[2 e + s]``, whose readings are
    ``members[group_ptr[g]:group_ptr[g + 1]]``; neither ever changes. ``one_way [K]`` says which
    kinds read otherwise from the other end; where there are none it is None, and what turns them is
    not compiled. No two edges may join the same nodes.
    """
    # edges int64 [E, 2], kinds, group_of and members int64 [2 E], group_ptr int64 [number + 1]
    count = 0
    for k in range(len(numbers)):
        first = int(numbers[k, 0] * len(group_of))
        start, stop = group_ptr[group_of[first]], group_ptr[group_of[first] + 1]
        second = members[start + int(numbers[k, 1] * (stop - start))]
        if one_way is None:
            count += _swap(edges, kinds, pairs, first, second)
        elif numbers[k, 2] < TURNS and one_way[kinds[first]]:
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
    if there == _FREE:
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
    if third == _FREE:
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
    if there == _FREE:
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
    if edge == _FREE:
        return np.int64(0)
    return kinds[2 * edge + (edges[edge, 0] != node)]


@subroutine(**SEARCH_JIT)
def _replace(edges, pairs, edge, node, new):
    """Let an edge of a node, if there is one, lead to another node from now on."""
    if edge != _FREE:
        edges[edge, np.int64(edges[edge, 0] == node)] = new
        _put(pairs, node, new, edge)


@subroutine(**SEARCH_JIT)
def _home(key, last):
    mixed = (key >> _BITS) * _FACTORS[0] + (key & _LOW) * _FACTORS[1]
    return (mixed ^ (mixed >> _BITS)) & last


@subroutine(**SEARCH_JIT)
def _slot(pairs, u, v):
    """The slot of a pair of nodes, or the free one where it is to come."""
    last = pairs.shape[1] - 1
    key = (min(u, v) << _BITS) | max(u, v)
    slot = _home(key, last)
    while pairs[0, slot] != key and pairs[0, slot] != _FREE:
        slot = (slot + 1) & last
    return slot


@subroutine(**SEARCH_JIT)
def _edge_between(pairs, u, v):
    """The edge that joins two nodes, or ``_FREE``."""
    slot = _slot(pairs, u, v)
    return _FREE if pairs[0, slot] == _FREE else pairs[1, slot]


@subroutine(**SEARCH_JIT)
def _put(pairs, u, v, edge):
    slot = _slot(pairs, u, v)
    pairs[0, slot], pairs[1, slot] = (min(u, v) << _BITS) | max(u, v), edge


@subroutine(**SEARCH_JIT)
def _remove(pairs, u, v):
    """Free the slot of a pair, and move up those behind it that would no longer be found."""
    last = pairs.shape[1] - 1
    free = _slot(pairs, u, v)
    slot = (free + 1) & last
    while pairs[0, slot] != _FREE:
        # it may move up unless it would come before its home
        if ((slot - _home(pairs[0, slot], last)) & last) >= ((slot - free) & last):
            pairs[0, free], pairs[1, free] = pairs[0, slot], pairs[1, slot]
            free = slot
        slot = (slot + 1) & last
    pairs[0, free] = _FREE


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
