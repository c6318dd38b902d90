"""Canonical forms of many small graphs, compiled; ``graphs/canonical_form.py`` defines them.

The choices are searched depth first, on one path at a time. Behind the first path, its *spine*, all
automorphisms are met: at each of its depths, from the deepest up, every other choice is tried that
no automorphism found so far carries an earlier choice to. Those found by then keep what the spine
singles out above, so that the orbit of its own choice tells by how much there are more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, run_blocks, subroutine

# nanoseconds of a small graph, about: whether threads are worth waking
_NANOSECONDS = 3000


class Paths(NamedTuple):
    """The path that is searched, and the two that others are compared with."""

    cells: np.ndarray  # int64 [M + 1, M], at each depth the number of nodes in cells before one's
    singled: np.ndarray  # int64 [M + 1], the node that is singled out at each depth; -1: none yet
    order: np.ndarray  # int64 [M], the node at each place, at the end of the path
    spine: np.ndarray  # int64 [M], what is singled out on the first path
    first: np.ndarray  # int64 [M], the order at its end
    best: np.ndarray  # int64 [M], what is singled out on the path to the least order
    keys: np.ndarray  # int64 [M, M], what each node is joined to, ascending; -1 behind the last
    ranks: np.ndarray  # int64 [M], cells that are being refined


def find_orders(links: np.ndarray, colors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Order, number of automorphisms and orbits of each graph, see ``canonical_forms``."""
    order, orbits = np.empty(colors.shape, np.int64), np.empty(colors.shape, np.int64)
    # a star of 21 leaves has more automorphisms than 64 bits hold
    automorphisms = np.empty(len(colors))
    work = len(colors) * _NANOSECONDS
    run_blocks(_find_block, len(colors), work, links, colors, order, automorphisms, orbits)
    return order, automorphisms, orbits


def _find_block(
    first: int, last: int, links: np.ndarray, colors: np.ndarray, *results: np.ndarray
) -> None:
    """Give each block paths of its own."""
    size = colors.shape[1]
    cells, keys = np.empty((size + 1, size), np.int64), np.empty((size, size), np.int64)
    singled = np.empty(size + 1, np.int64)
    order, spine, before, best, ranks = np.empty((5, size), np.int64)
    paths = Paths(cells, singled, order, spine, before, best, keys, ranks)
    order_graphs(first, last, links, colors, *results, paths)


@compiled(**SEARCH_JIT)
def order_graphs(first, last, links, colors, order, automorphisms, orbits, paths):
    """Write the canonical forms of graphs from `first` to `last`; an orbit is its first node."""
    size = colors.shape[1]
    cells, singled = paths.cells, paths.singled
    for row in range(first, last):
        # 1. cells by colour, refined
        for i in range(size):
            orbits[row, i] = i
            cells[0, i] = 0
            for j in range(size):
                cells[0, i] += colors[row, j] < colors[row, i]
        _refine_cells(links[row], cells[0], paths)
        automorphisms[row] = 1.0
        # no literals, of each of which Numba compiles a version; the spine has no depth yet
        depth, spine, singled[0] = np.int64(0), np.int64(-2), -1
        while depth >= 0:
            tied = _first_tie(cells[depth])
            if tied < 0:
                # 2. all cells are of one node: the path ends
                is_first = spine == -2
                depth = _end_path(links[row], depth, spine, order[row], orbits[row], paths)
                if is_first:
                    spine = depth
                continue
            # 3. the next node of the first cell of several
            node = singled[depth] + 1
            while node < size and _is_like_earlier(
                links[row], cells[depth], tied, node, depth == spine, orbits[row]
            ):
                node += 1
            if node == size:
                if depth == spine:
                    automorphisms[row] *= _orbit_size(orbits[row], paths.spine[depth])
                    spine -= 1
                depth -= 1
                continue
            # 4. it is singled out: it stands before the others of its cell
            singled[depth] = node
            for i in range(size):
                cells[depth + 1, i] = cells[depth, i] + (cells[depth, i] == tied and i != node)
            depth += 1
            singled[depth] = -1
            _refine_cells(links[row], cells[depth], paths)


@subroutine(**SEARCH_JIT)
def _refine_cells(links, cells, paths):
    """Tell nodes of one cell apart by what they are joined to, until nothing changes."""
    size, keys, ranks = len(cells), paths.keys, paths.ranks
    has_changed = True
    while has_changed:
        # 1. link and cell of each neighbour, ascending
        for i in range(size):
            number = 0
            for j in range(size):
                if links[i, j] > 0:
                    key, k = np.int64(links[i, j]) * size + cells[j], number
                    while k > 0 and keys[i, k - 1] > key:
                        keys[i, k] = keys[i, k - 1]
                        k -= 1
                    keys[i, k] = key
                    number += 1
            for k in range(number, size):
                keys[i, k] = -1
        # 2. nodes of a cell in the order of these
        has_changed = False
        for i in range(size):
            ranks[i] = cells[i]
            for j in range(size):
                if cells[j] == cells[i] and j != i and _is_less(keys[j], keys[i]):
                    ranks[i] += 1
                    has_changed = True
        for i in range(size):
            cells[i] = ranks[i]


@subroutine(**SEARCH_JIT)
def _is_less(first, second):
    """Whether a row of keys comes before another."""
    for k in range(len(first)):
        if first[k] != second[k]:
            return first[k] < second[k]
    return False


@subroutine(**SEARCH_JIT)
def _first_tie(cells):
    """The first cell of several nodes, or -1."""
    size = len(cells)
    tied = size
    for i in range(size):
        for j in range(i):
            if cells[i] == cells[j] and cells[i] < tied:
                tied = cells[i]
    return tied if tied < size else -1


@subroutine(**SEARCH_JIT)
def _is_like_earlier(links, cells, tied, node, on_spine, orbits):
    """Whether a node is outside a cell, or an automorphism carries an earlier one of it there."""
    if cells[node] != tied:
        return True
    for other in range(node):
        if cells[other] == tied:
            if on_spine and orbits[other] == orbits[node]:
                return True
            if _are_twins(links, other, node):
                if on_spine:
                    _join(orbits, other, node)
                return True
    return False


@subroutine(**SEARCH_JIT)
def _are_twins(links, i, j):
    """Whether two nodes of a cell can be exchanged, all others staying where they are."""
    for k in range(len(links)):
        if k != i and k != j and (links[i, k] != links[j, k] or links[k, i] != links[k, j]):
            return False
    return links[i, j] == links[j, i]


@subroutine(**SEARCH_JIT)
def _end_path(links, depth, spine, order, orbits, paths):
    """Compare the order at the end of a path with those known; return the depth to go on at.

    Two orders in which the links read the same differ by an automorphism. What lies behind the
    node at which their paths part is then what lay behind the other one.
    """
    size = len(links)
    for i in range(size):
        paths.order[paths.cells[depth, i]] = i
    if spine == -2:
        # the first path
        for i in range(size):
            paths.first[i] = order[i] = paths.order[i]
        for k in range(depth):
            paths.spine[k] = paths.best[k] = paths.singled[k]
        return depth - 1
    if _compare(links, paths.order, paths.first) == 0:
        _join_all(orbits, paths.first, paths.order)
        return spine
    sign = _compare(links, paths.order, order)
    if sign == 0:
        _join_all(orbits, order, paths.order)
        parted = np.int64(0)
        while paths.singled[parted] == paths.best[parted]:
            parted += 1
        return parted
    if sign < 0:
        for i in range(size):
            order[i] = paths.order[i]
        for k in range(depth):
            paths.best[k] = paths.singled[k]
    return depth - 1


@subroutine(**SEARCH_JIT)
def _compare(links, first, second):
    """-1, 0 or 1: links in one order read smaller than in another, the same, or larger."""
    for i in range(len(first)):
        for j in range(len(first)):
            link, other_link = links[first[i], first[j]], links[second[i], second[j]]
            if link != other_link:
                return -1 if link < other_link else 1
    return 0


@subroutine(**SEARCH_JIT)
def _join_all(orbits, first, second):
    """Nodes at the same place of two orders are in one orbit."""
    for k in range(len(first)):
        _join(orbits, first[k], second[k])


@subroutine(**SEARCH_JIT)
def _join(orbits, i, j):
    """Make one of the orbits of two nodes."""
    low, high = min(orbits[i], orbits[j]), max(orbits[i], orbits[j])
    if low < high:
        for k in range(len(orbits)):
            if orbits[k] == high:
                orbits[k] = low


@subroutine(**SEARCH_JIT)
def _orbit_size(orbits, node):
    """How many nodes are in the orbit of one."""
    number = 0
    for k in range(len(orbits)):
        number += orbits[k] == orbits[node]
    return number
