"""Structures that sets of nodes of one graph show, thousands of sets at a time.

They are in the numbers of the graph, whose relations and palette they carry, and each knows its
canonical form.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.graphs.canonical_form import canonical_forms
from gomkcn_dgl.graphs.structure import Form, Structure, color_ranks
from gomkcn_dgl.relations import Relations

Palette = tuple[tuple[str, ...], ...]

# of each copy for each node outside the 2-core of a structure, in the code of one graph
PENDANT_BITS = 6.0


class DistinctStructures(NamedTuple):
    """Structures, of each set its nodes in the order of its structure, and which one this is.

    The order is the canonical one by numbers, which is that of names where numbers ascend with
    these.
    """

    structures: list[Structure]
    order: np.ndarray  # int64 [K, M]
    number: np.ndarray  # int64 [K]


def distinct_structures(
    links: np.ndarray, colors: np.ndarray, relations: Relations, palette: Palette
) -> DistinctStructures:
    """The structures of small graphs, uint16 ``[K, M, M]`` and int64 ``[K, M]``.

    >>> from gomkcn_dgl.relations import SIMPLE
    >>> paths = np.array([[[0, 1, 0], [1, 0, 1], [0, 1, 0]], [[0, 1, 1], [1, 0, 0], [1, 0, 0]]])
    >>> links, colors = paths.astype(np.uint16), np.zeros((2, 3), np.int64)
    >>> found = distinct_structures(links, colors, SIMPLE, ((),))
    >>> len(found.structures), found.number.tolist()
    (1, [0, 0])
    """
    order, automorphisms, orbits = canonical_forms(links, colors)
    links = links[np.arange(len(links))[:, None, None], order[:, :, None], order[:, None, :]]
    colors, orbits = (np.take_along_axis(of_sets, order, axis=1) for of_sets in (colors, orbits))
    # the codes of the structures, all of one width
    codes = np.concatenate([colors, links.reshape(-1, links.shape[1] ** 2)], axis=1, dtype=np.int64)
    _, first, number = np.unique(
        codes.view(f"V{8 * codes.shape[1]}").reshape(-1), return_index=True, return_inverse=True
    )
    links = links[first]
    colors = colors[first]
    # of each node the first one of its orbit, in the canonical order
    is_same = orbits[first][:, :, None] == orbits[first][:, None, :]
    orbits = _number_orbits(is_same.argmax(axis=2))
    by_name = _orders_by_name(links, colors, relations, palette)
    structures = []
    for k, automorphisms_of in enumerate(automorphisms[first].tolist()):
        form = Form(by_name[k], orbits[k], int(automorphisms_of))
        structures.append(Structure.of_links(links[k], colors[k], relations, palette, form))
    return DistinctStructures(structures, order, number)


def structure_of_nodes(
    links: np.ndarray, colors: np.ndarray, relations: Relations, palette: Palette
) -> Structure:
    """The structure of some nodes in the order that is given, with its canonical form.

    >>> from gomkcn_dgl.relations import SIMPLE
    >>> joined = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> path = structure_of_nodes(joined, np.zeros(3, np.int64), SIMPLE, ((),))
    >>> path.num_automorphisms, path.orbits.tolist(), path.num_pendant
    (2, [0, 1, 0], 3)
    """
    (order,), (automorphisms,), orbits = canonical_forms(
        relations.ranks[links][None], color_ranks(palette)[colors][None]
    )
    form = Form(order, _number_orbits(orbits)[0], int(automorphisms))
    return Structure.of_links(links, colors, relations, palette, form)


def palette_of_numbers(num_colors: int) -> Palette:
    """A palette for colours that have no names: they are called by their numbers.

    >>> palette_of_numbers(1), palette_of_numbers(2)
    (((),), (('000000000',), ('000000001',)))
    """
    if num_colors == 1:
        return ((),)
    # of one width, so that the names are in the order of the numbers
    return tuple((f"{number:09d}",) for number in range(num_colors))


def _orders_by_name(
    links: np.ndarray, colors: np.ndarray, relations: Relations, palette: Palette
) -> np.ndarray:
    """The canonical order by names of graphs that stand in that by numbers, int64 ``[K, M]``."""
    link_ranks = relations.ranks
    ranks = color_ranks(palette)
    if (np.diff(link_ranks) > 0).all() and (np.diff(ranks) > 0).all():
        return np.tile(np.arange(links.shape[1]), (len(links), 1))
    return canonical_forms(link_ranks[links], ranks[colors]).order


def _number_orbits(orbits: np.ndarray) -> np.ndarray:
    """The number of an orbit from 0 on, in place of its first node, int64 ``[K, M]``."""
    number = np.cumsum(orbits == np.arange(orbits.shape[1]), axis=1) - 1
    return np.take_along_axis(number, orbits, axis=1)
