"""Structures in the numbers of one graph, thousands at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log2
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.graphs.canonical_form import canonical_forms

# of each copy for each node outside the 2-core of a structure, in the code of one graph
PENDANT_BITS = 6.0


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
        _, (number,), orbits = canonical_forms(links[None], colors[None])
        return cls(links, colors, _number_orbits(orbits)[0], int(number))

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
    order, automorphisms, orbits = canonical_forms(links, colors)
    orbits = _number_orbits(orbits)
    links = links[np.arange(len(links))[:, None, None], order[:, :, None], order[:, None, :]]
    colors, orbits = (np.take_along_axis(one, order, axis=1) for one in (colors, orbits))
    keys = np.concatenate([colors, links.reshape(-1, links.shape[1] ** 2)], axis=1, dtype=np.int64)
    _, first, number = np.unique(
        keys.view(f"V{8 * keys.shape[1]}").reshape(-1), return_index=True, return_inverse=True
    )
    shapes = [Shape(links[k], colors[k], orbits[k], int(automorphisms[k])) for k in first]
    return Shapes(shapes, order, number)


def _number_orbits(orbits: np.ndarray) -> np.ndarray:
    """The number of an orbit from 0 on, in place of its first node, int64 ``[K, M]``."""
    number = np.cumsum(orbits == np.arange(orbits.shape[1]), axis=1) - 1
    return np.take_along_axis(number, orbits, axis=1)


def count_pendant(links: np.ndarray) -> np.ndarray:
    """Nodes outside the 2-core of graphs ``[..., M, M]``, int64 ``[...]``."""
    joined = links > 0
    for _ in range(links.shape[-1]):
        kept = joined.sum(axis=-1) > 1
        joined &= kept[..., :, None] & kept[..., None, :]
    pendant: np.ndarray = (~joined.any(axis=-1)).sum(axis=-1)
    return pendant
