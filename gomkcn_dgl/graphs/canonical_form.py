"""The canonical form of a small graph: an order of its nodes that isomorphic graphs share.

This is the definition. Nodes are told apart in cells, which have an order: by their colours, and
then by what they are joined to, link by link and cell by cell, until nothing changes. While some
cell has several nodes, each of those of the first such cell is in turn singled out, to stand before
the others of its cell, and cells are told apart again. Each way to do so ends with an order of all
nodes. The one in which the matrix of links reads smallest is canonical, the first such one if nodes
are singled out in the order of their numbers.

Two orders in which the links read the same differ by an automorphism, which saves looking at what
lies behind it (B. D. McKay and A. Piperno, Practical graph isomorphism II, Journal of Symbolic
Computation 60, 2014). :func:`canonical_form` is plain Python, for one graph, and lists
automorphisms; :func:`canonical_forms` is compiled, for many, and counts them. The orders are the
same.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import NamedTuple

import numpy as np

Permutation = list[int]


class CanonicalForm(NamedTuple):
    """The canonical form of one graph, and its automorphisms.

    ``order`` has the node at each canonical position, ``num_automorphisms`` says how many there
    are, and the ``generators`` make up all of them.
    """

    order: list[int]
    num_automorphisms: int
    generators: list[Permutation]

    @property
    def orbits(self) -> list[int]:
        """The first of the nodes that automorphisms carry each node to."""
        size = len(self.order)
        return [min(find_orbit(self.generators, node, size)) for node in range(size)]


class CanonicalForms(NamedTuple):
    """Those of K graphs of M nodes.

    Attributes
    ----------
    order : numpy.ndarray
        int64 ``[K, M]``, the node at each canonical position.
    num_automorphisms : numpy.ndarray
        float64 ``[K]``, exact up to 2^53.
    orbits : numpy.ndarray
        int64 ``[K, M]``, the first of the nodes that automorphisms carry each node to.
    """

    order: np.ndarray
    num_automorphisms: np.ndarray
    orbits: np.ndarray


def canonical_forms(links: np.ndarray, colors: np.ndarray) -> CanonicalForms:
    """The canonical forms of many small graphs.

    ``links [K, M, M]`` and ``colors [K, M]`` are whole numbers, as for :func:`canonical_form`.

    >>> paths = np.array([[[0, 1, 0], [1, 0, 1], [0, 1, 0]], [[0, 1, 1], [1, 0, 0], [1, 0, 0]]])
    >>> order, number, orbits = canonical_forms(paths, np.zeros((2, 3), int))
    >>> order.tolist(), number.tolist(), orbits.tolist()
    ([[0, 2, 1], [1, 2, 0]], [2.0, 2.0], [[0, 1, 0], [0, 1, 1]])
    """
    # compiled, which one structure does without
    from gomkcn_dgl.kernels.canonical_numba import find_orders

    # of one type, so that one function is compiled
    links, colors = np.ascontiguousarray(links, np.int64), np.ascontiguousarray(colors, np.int64)
    return CanonicalForms(*find_orders(links, colors))


def canonical_form(links: list[list[int]], colors: list[int]) -> CanonicalForm:
    """The canonical form of a graph.

    ``links [M][M]`` are numbers for what joins each two nodes as seen from the first, 0 for
    nothing; from the other they are joined by what follows from that. ``colors [M]`` are numbers, 0
    or more, that an isomorphism keeps. Only the order of the numbers counts.

    >>> canonical_form([[0, 1, 0], [1, 0, 1], [0, 1, 0]], [0, 0, 0])
    CanonicalForm(order=[0, 2, 1], num_automorphisms=2, generators=[[2, 1, 0]])
    """
    nodes, size = range(len(links)), len(links)
    near = [[(other, code) for other, code in enumerate(row) if code] for row in links]
    # the order of the nodes and the path to it of each reading of the links
    leaves: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
    generators: list[Permutation] = []
    # how many choices along the first path are alike, each times
    num_automorphisms = 1

    def explore(color: list[int], path: list[int]) -> int:
        """Look at all orders behind a path; return the length of the path to go back to."""
        nonlocal num_automorphisms
        is_first = not leaves
        color = _refine_colors(near, color)
        cell = _first_tie(color)
        if not cell:
            order = sorted(nodes, key=color.__getitem__)
            values = tuple([links[u][v] for u in order for v in order])
            known, known_path = leaves.setdefault(values, (order, path))
            if known_path is path:
                return len(path)
            generators.append([image for _, image in sorted(zip(known, order, strict=True))])
            # what lies behind the node at which both paths part is what lay behind the other
            return next(at for at, node in enumerate(path) if node != known_path[at])
        swaps = _swaps(cell, size)
        if all([links[cell[0]][to] for to in swap] == links[swap[cell[0]]] for swap in swaps):
            # any two can be exchanged, so any order of them will do
            generators.extend(swaps)
            num_automorphisms *= factorial(len(cell)) if is_first else 1
            color = [size * number for number in color]
            for place, node in enumerate(cell):
                color[node] += place
            return explore(color, [*path, *cell])
        done: set[int] = set()
        for node in cell:
            if node in done:
                continue
            back = explore([2 * color[v] + (v != node) for v in nodes], [*path, node])
            if back < len(path):
                return back
            fixing = [generator for generator in generators if all(generator[v] == v for v in path)]
            done = {to for v in (*done, node) for to in find_orbit(fixing, v, size)}
        if is_first:
            # all automorphisms found so far keep the nodes of this path
            num_automorphisms *= len(find_orbit(generators, cell[0], size))
        return len(path)

    explore(colors, [])
    _, (order, _) = min(leaves.items())
    return CanonicalForm(order, num_automorphisms, generators)


def _first_tie(color: list[int]) -> list[int]:
    """The nodes of the first colour that several have; empty where all are told apart."""
    cells: dict[int, list[int]] = {}
    for node, number in enumerate(color):
        cells.setdefault(number, []).append(node)
    return min((item for item in cells.items() if len(item[1]) > 1), default=(0, []))[1]


def _swaps(cell: list[int], size: int) -> list[Permutation]:
    """Permutations that exchange the first node of a cell with one of the others, and no more."""
    swaps = [list(range(size)) for _ in cell[1:]]
    for swap, node in zip(swaps, cell[1:], strict=True):
        swap[cell[0]], swap[node] = node, cell[0]
    return swaps


def _refine_colors(near: list[list[tuple[int, int]]], color: list[int]) -> list[int]:
    """Tell nodes apart by the links and colours of their neighbours, until nothing changes."""
    number = len(set(color))
    while number < len(color):
        width = max(color) + 1
        keys = [
            (node_color, tuple(sorted([width * code + color[other] for other, code in row])))
            for node_color, row in zip(color, near, strict=True)
        ]
        ranks = {key: rank for rank, key in enumerate(sorted(set(keys)))}
        color = [ranks[key] for key in keys]
        if len(ranks) == number:
            break
        number = len(ranks)
    return color


def find_orbit(generators: Sequence[Permutation], node: int, size: int) -> dict[int, Permutation]:
    """Nodes to which a group of permutations can carry ``node``, and a permutation for each."""
    orbit, stack = {node: list(range(size))}, [node]
    while stack:
        current = stack.pop()
        for permutation in generators:
            reached = permutation[current]
            if reached not in orbit:
                orbit[reached] = [permutation[to] for to in orbit[current]]
                stack.append(reached)
    return orbit
