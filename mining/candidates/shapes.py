"""Structures in the numbers of one graph, thousands at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log2
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import SEARCH_JIT, mix
from gomkcn_dgl.runtime.compiled import compiled, run_blocks, subroutine

# of each copy for each node outside the 2-core of a structure, in the code of one graph
PENDANT_BITS = 6.0
_NANOSECONDS = 3000
_HALF = np.uint64(32)


@dataclass(frozen=True, eq=False)
class Shape:
    """A structure of M nodes in the numbers of one graph.

    Attributes
    ----------
    links : numpy.ndarray
        uint16 ``[M, M]``, what joins each two nodes as seen from the first, 0 for nothing.
    colors, orbits : numpy.ndarray
        int64 ``[M]``, colour of each node, and number of its orbit, from 0 on.
    num_automorphisms : int
        How many there are, rounded beyond 2^53; they keep links and colours.
    """

    links: np.ndarray
    colors: np.ndarray
    orbits: np.ndarray
    num_automorphisms: int

    @classmethod
    def of(cls, links: np.ndarray, colors: np.ndarray) -> Shape:
        """The shape of nodes in the order that is given.

        >>> joined = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
        >>> path = Shape.of(joined, np.zeros(3, np.int64))
        >>> path.num_automorphisms, path.orbits.tolist(), path.num_pendant
        (2, [0, 1, 0], 3)
        """
        links = links.astype(np.uint16)
        _, (number,), (orbits,) = canonical_orders(links[None], colors[None])
        return cls(links, colors, orbits, int(number))

    @property
    def num_nodes(self) -> int:
        """Number of nodes M."""
        return len(self.colors)

    @cached_property
    def key(self) -> bytes:
        """In canonical order: equal for isomorphic structures of one graph, and for no others."""
        return key_of(self.links, self.colors)

    @cached_property
    def edges(self) -> np.ndarray:
        """``u < v`` and the link from u to v of each edge, int64 ``[P, 3]``."""
        u, v = np.nonzero(np.triu(self.links))
        return np.stack([u, v, self.links[u, v]], axis=1)

    @property
    def num_orbits(self) -> int:
        """Number of orbits."""
        return int(self.orbits.max()) + 1

    @property
    def automorphism_bits(self) -> float:
        """log2 of the number of automorphisms."""
        return log2(self.num_automorphisms)

    @cached_property
    def num_pendant(self) -> int:
        """Number of nodes outside the 2-core."""
        return int(count_pendant(self.links))


@dataclass(frozen=True, eq=False)
class Seen:
    """A structure in canonical order, and distinct sets that show it.

    ``copies`` is int32 ``[K, M]``, the nodes of each set in the order of the structure.
    """

    shape: Shape
    copies: np.ndarray


def key_of(links: np.ndarray, colors: np.ndarray) -> bytes:
    """Links ``[M, M]`` and colours ``[M]`` as bytes."""
    return np.concatenate([colors, links.reshape(-1)], dtype=np.int64).tobytes()


class Shapes(NamedTuple):
    """Distinct shapes in canonical order; of each graph, its nodes in this order, and its shape."""

    shapes: list[Shape]
    order: np.ndarray  # int64 [K, M]
    number: np.ndarray  # int64 [K]


def find_shapes(links: np.ndarray, colors: np.ndarray) -> Shapes:
    """The shapes of small graphs, uint16 ``[K, M, M]`` and int64 ``[K, M]``.

    >>> paths = np.array([[[0, 1, 0], [1, 0, 1], [0, 1, 0]], [[0, 1, 1], [1, 0, 0], [1, 0, 0]]])
    >>> found = find_shapes(paths.astype(np.uint16), np.zeros((2, 3), np.int64))
    >>> len(found.shapes), found.number.tolist()
    (1, [0, 0])
    """
    order, automorphisms, orbits = canonical_orders(links, colors)
    links = links[np.arange(len(links))[:, None, None], order[:, :, None], order[:, None, :]]
    colors, orbits = (np.take_along_axis(one, order, axis=1) for one in (colors, orbits))
    keys = np.concatenate([colors, links.reshape(-1, links.shape[1] ** 2)], axis=1, dtype=np.int64)
    _, first, number = np.unique(
        keys.view(f"V{8 * keys.shape[1]}").reshape(-1), return_index=True, return_inverse=True
    )
    shapes = [Shape(links[k], colors[k], orbits[k], int(automorphisms[k])) for k in first]
    return Shapes(shapes, order, number)


def count_pendant(links: np.ndarray) -> np.ndarray:
    """Nodes outside the 2-core of graphs ``[..., M, M]``, int64 ``[...]``."""
    joined = links > 0
    for _ in range(links.shape[-1]):
        kept = joined.sum(axis=-1) > 1
        joined &= kept[..., :, None] & kept[..., None, :]
    pendant: np.ndarray = (~joined.any(axis=-1)).sum(axis=-1)
    return pendant


def canonical_orders(
    links: np.ndarray, colors: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The node at each canonical place of many small graphs, and their symmetries.

    Parameters
    ----------
    links : numpy.ndarray
        uint16 ``[K, M, M]``, a number for what joins each two of up to 62 nodes as seen from the
        first, 0 for nothing.
    colors : numpy.ndarray
        int64 ``[K, M]``, numbers that an isomorphism keeps.

    Returns
    -------
    order, automorphisms, orbits : numpy.ndarray
        int64 ``[K, M]``, float64 ``[K]`` and int64 ``[K, M]``. Links and colours in this order are
        equal for isomorphic graphs, and for no others. Orbits of nodes are numbered from 0 on.

    Examples
    --------
    >>> paths = np.array([[[0, 1, 0], [1, 0, 1], [0, 1, 0]], [[0, 1, 1], [1, 0, 0], [1, 0, 0]]])
    >>> found = canonical_orders(paths.astype(np.uint16), np.zeros((2, 3), np.int64))
    >>> first, second = (one[np.ix_(own, own)] for one, own in zip(paths, found[0]))
    >>> (first == second).all().item(), found[1].tolist(), found[2].tolist()
    (True, [2.0, 2.0], [[0, 1, 0], [0, 1, 1]])
    """
    order, orbits = np.empty((2, *colors.shape), np.int64)
    # a star of 21 leaves has more than 64 bits hold
    automorphisms = np.empty(len(colors))
    work = len(colors) * _NANOSECONDS
    # as plain Python, 64-bit products wrap with a warning
    with np.errstate(over="ignore"):
        run_blocks(_order_block, len(colors), work, links, colors, order, automorphisms, orbits)
    # the number of an orbit, in place of its smallest node
    number = np.cumsum(orbits == np.arange(orbits.shape[1]), axis=1) - 1
    return order, automorphisms, np.take_along_axis(number, orbits, axis=1)


class Tree(NamedTuple):
    """A path in the tree of choices; what is refined at each depth of it."""

    cells: np.ndarray  # int64 [M + 1, M], number of nodes in the cells before that of each node
    singled: np.ndarray  # int64 [M + 1], the node that is singled out; -1 = none yet
    twins: np.ndarray  # int64 [M + 1], how many nodes it stands for
    ranks: np.ndarray  # int64 [M], cells that are being refined
    hashes: np.ndarray  # uint64 [M]
    order: np.ndarray  # int64 [M], at the end of a path


def _order_block(
    first: int, last: int, links: np.ndarray, colors: np.ndarray, *results: np.ndarray
) -> None:
    """Give each block a path of its own."""
    size = colors.shape[1]
    cells, (singled, twins) = np.empty((size + 1, size), np.int64), np.empty((2, size + 1), int)
    ranks, order = np.empty((2, size), np.int64)
    tree = Tree(cells, singled, twins, ranks, np.empty(size, np.uint64), order)
    order_graphs(first, last, links, colors, *results, tree)


@compiled(**SEARCH_JIT)
def order_graphs(first, last, links, colors, order, automorphisms, orbits, tree):
    """Write canonical orders of the graphs from `first` to `last`; an orbit is its first node."""
    size = colors.shape[1]
    cells, singled, twins = tree.cells, tree.singled, tree.twins
    for row in range(first, last):
        automorphisms[row] = 0
        # 1. cells by colour, refined
        for i in range(size):
            cells[0, i] = 0
            for j in range(size):
                cells[0, i] += colors[row, j] < colors[row, i]
        _refine(links[row], cells[0], tree)
        # no literal, of each of which Numba compiles a version
        depth, singled[0] = np.int64(0), -1
        while depth >= 0:
            # 2. all cells of one node: the path ends
            tied = _first_tie(cells[depth])
            if tied < 0:
                _compare(links[row], row, depth, order, automorphisms, orbits[row], tree)
                depth -= 1
                continue
            # 3. the next node of the first cell of several; of twins one stands for all
            node = singled[depth] + 1
            while node < size and not _is_first_twin(links[row], cells[depth], tied, node):
                node += 1
            if node == size:
                depth -= 1
                continue
            # 4. it is singled out: it stands before the others of its cell
            singled[depth], twins[depth] = node, 0
            for i in range(size):
                in_cell = cells[depth, i] == tied
                twins[depth] += in_cell and _are_twins(links[row], node, i)
                cells[depth + 1, i] = cells[depth, i] + (in_cell and i != node)
            depth += 1
            singled[depth] = -1
            _refine(links[row], cells[depth], tree)
        # 5. twins are in one orbit
        for i in range(size):
            for j in range(i):
                if colors[row, i] == colors[row, j] and _are_twins(links[row], i, j):
                    _join(orbits[row], i, j)


@subroutine(**SEARCH_JIT)
def _refine(links, cells, tree):
    """Tell nodes of one cell apart by links to the nodes of each cell, until nothing changes."""
    size = len(cells)
    number, before = _count_cells(cells), 0
    while before < number < size:
        before = number
        for i in range(size):
            total = np.uint64(0)
            for j in range(size):
                if links[i, j] > 0:
                    total += mix((np.uint64(links[i, j]) << _HALF) | np.uint64(cells[j]))
            tree.hashes[i] = total
        for i in range(size):
            tree.ranks[i] = cells[i]
            for j in range(size):
                tree.ranks[i] += cells[i] == cells[j] and tree.hashes[j] < tree.hashes[i]
        for i in range(size):
            cells[i] = tree.ranks[i]
        number = _count_cells(cells)


@subroutine(**SEARCH_JIT)
def _count_cells(cells):
    """How many cells there are."""
    seen, number = 0, 0
    for cell in cells:
        number += (seen >> cell & 1) == 0
        seen |= 1 << cell
    return number


@subroutine(**SEARCH_JIT)
def _first_tie(cells):
    """The first cell of several nodes, or -1."""
    size = len(cells)
    seen, tied = 0, size
    for cell in cells:
        if seen >> cell & 1:
            tied = min(tied, cell)
        seen |= 1 << cell
    return tied if tied < size else -1


@subroutine(**SEARCH_JIT)
def _is_first_twin(links, cells, tied, node):
    """Whether a node is in a cell, and no node before it there is its twin."""
    if cells[node] != tied:
        return False
    for other in range(node):
        if cells[other] == tied and _are_twins(links, other, node):
            return False
    return True


@subroutine(**SEARCH_JIT)
def _are_twins(links, i, j):
    """Whether two nodes can be exchanged, all others staying where they are."""
    for k in range(len(links)):
        if k != i and k != j and links[i, k] != links[j, k]:
            return False
    return links[i, j] == links[j, i]


@subroutine(**SEARCH_JIT)
def _compare(links, row, depth, order, automorphisms, orbits, tree):
    """Keep the order at the end of a path if its links read smaller; count it if they are equal.

    Nodes at the same place of equal orders are in one orbit.
    """
    size = len(links)
    number = 1.0
    for k in range(depth):
        number *= tree.twins[k]
    for i in range(size):
        tree.order[tree.cells[depth, i]] = i
    if automorphisms[row] > 0:
        for i in range(size):
            for j in range(size):
                own = links[tree.order[i], tree.order[j]]
                best = links[order[row, i], order[row, j]]
                if own > best:
                    return
                if own < best:
                    automorphisms[row] = 0
                    break
            if automorphisms[row] == 0:
                break
    if automorphisms[row] == 0:
        for i in range(size):
            order[row, i] = tree.order[i]
            orbits[i] = i
    for i in range(size):
        _join(orbits, order[row, i], tree.order[i])
    automorphisms[row] += number


@subroutine(**SEARCH_JIT)
def _join(orbits, i, j):
    """Make one of the orbits of two nodes."""
    low, high = min(orbits[i], orbits[j]), max(orbits[i], orbits[j])
    if low < high:
        for k in range(len(orbits)):
            if orbits[k] == high:
                orbits[k] = low
