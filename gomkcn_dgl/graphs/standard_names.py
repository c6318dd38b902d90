"""What the literature calls a structure: its triad, its number in mfinder, its graphlet."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.graphs.named_structures import GRAPHLET, SMALL
from gomkcn_dgl.graphs.standard_numbers import MFINDER, SIZES, smallest_number, triad_of_number
from gomkcn_dgl.graphs.structure import Structure

# of undirected structures
_GRAPHLET_SIZES = range(2, 6)


class StandardNames(NamedTuple):
    """Standard names of a structure, of its edges alone; None where it has none.

    ``triad`` is of directed structures of three nodes, ``mfinder`` of those of three and four, see
    :mod:`gomkcn_dgl.graphs.standard_numbers`; ``graphlet`` of undirected ones of two to five, "G0"
    to "G29" as by N. Pržulj (Bioinformatics 23, 2007).
    """

    triad: str | None = None
    mfinder: int | None = None
    graphlet: str | None = None

    def __str__(self) -> str:
        """Those that it has, such as "030T, mfinder 38"."""
        number = None if self.mfinder is None else f"{MFINDER} {self.mfinder}"
        return ", ".join(filter(None, (self.triad, number, self.graphlet)))


def standard_names(structure: Structure) -> StandardNames:
    """The standard names of a structure, whatever its relations and categories.

    Where some edges have a direction and some have none there are none.

    >>> print(standard_names(Structure.parse("feed-forward-loop")))
    030T, mfinder 38
    >>> standard_names(Structure.parse("clique-4")).graphlet
    'G8'
    """
    ways = {structure.relations.directed[number] for number in structure.edge_relations}
    if len(ways) != 1:
        return StandardNames()
    arcs = np.zeros((structure.num_nodes, structure.num_nodes), bool)
    arcs[tuple(np.array(structure.edges).T)] = True
    if True in ways and len(arcs) in SIZES:
        number = smallest_number(arcs)
        triad = triad_of_number()[number] if len(arcs) == SIZES[0] else None
        return StandardNames(triad, number)
    if False in ways and len(arcs) in _GRAPHLET_SIZES:
        return StandardNames(graphlet=_graphlets()[len(arcs), smallest_number(arcs | arcs.T)])
    return StandardNames()


@cache
def _graphlets() -> dict[tuple[int, int], str]:
    """The graphlet of each number of nodes and smallest number."""
    found = {}
    for at, name in enumerate(SMALL):
        joined = Structure.parse(name).joined
        found[len(joined), smallest_number(joined)] = f"{GRAPHLET}{at}"
    return found
