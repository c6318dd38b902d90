"""A motif of a set with its copies, and the edges by which these differ from it.

A copy lacks an edge of its motif, or has one that the motif has not. Beside what a motif of k
copies, m edges and P pairs of nodes costs without any, its edits say

    1 + L_N(missing) + log2 C(k m, missing) + L_N(added) + log2 C(k (P - m), added)

and where edges have directions or relations, the link of each added one: an edge whose link differs
is missing, and another is added, so that also the pairs of missing edges can have one. A set none
of whose copies has an edit does without these bits altogether.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log2

import numpy as np

from gomkcn.mining.motif_sets.integer_codes import integer_bits, log2_binomial
from gomkcn.mining.structures.pattern import NO_EDITS
from gomkcn_dgl.graphs.structure import Structure


@dataclass(frozen=True, eq=False)
class PlacedMotif:
    """A structure whose copies are named in place of their edges."""

    structure: Structure
    copies: np.ndarray  # int64 [k, M], the node of the mined graph at each node
    bits: float = 0.0  # what the description of the set that was found grows by without it
    # what it shortens the description with the motifs before it by, in the order of the choice
    share: float = 0.0
    address: str = ""  # the code that says cheapest where the copies are
    sources: tuple[str, ...] = ("grown",)  # what saw it
    # of the starts of the search, those whose sets have it; None where it was looked for once
    starts: int | None = None
    edits: np.ndarray = field(default_factory=lambda: NO_EDITS)  # see `edits_of`
    cost: float = 0.0  # bits of the drawing, the copies and their addresses
    edit_cost: float = 1.0  # bits of the edits, in a set that has some

    @property
    def copies_exact(self) -> int:
        """Copies that do not differ from the structure."""
        return len(self.copies) - len(np.unique(self.edits[:, 0]))


def edits_of(structure: Structure, links: np.ndarray) -> np.ndarray:
    """Where copies with the links ``[k, M, M]`` differ from their structure, int64 ``[n, 4]``.

    Of each edit the copy, two nodes of the structure, the larger first, and -1 where an edge is
    missing, 1 where one was added; the missing ones first.

    >>> path = Structure.parse("a--b, b--c")
    >>> triangle = 1 - np.eye(3, dtype=int)
    >>> edits_of(path, np.stack([path.links, triangle])).tolist()
    [[1, 2, 0, 1]]
    """
    if not (links != structure.links).any():
        return NO_EDITS
    i, j = np.tril_indices(structure.num_nodes, -1)
    found, drawn = links[:, i, j], structure.links[i, j]
    differs = found != drawn
    missing, added = np.nonzero(differs & (drawn > 0)), np.nonzero(differs & (found > 0))
    copies, pairs = np.concatenate([missing, added], axis=1)
    signs = np.repeat([-1, 1], [len(missing[0]), len(added[0])])
    return np.stack([copies, i[pairs], j[pairs], signs], axis=1)


def edit_bits(structure: Structure, num_copies: int, edits: np.ndarray, num_links: int) -> float:
    """What says where the edits of a motif are, where edges can be of so many links."""
    missing = int(np.count_nonzero(edits[:, 3] < 0))
    added = len(edits) - missing
    if not len(edits):
        return 1.0
    size = structure.num_nodes
    num_edges = len(structure.pairs)
    joined = num_copies * num_edges
    apart = num_copies * (size * (size - 1) // 2 - num_edges)
    if num_links > 1:
        apart += missing
    missing_bits = integer_bits(missing) + log2_binomial(joined, missing)
    added_bits = integer_bits(added) + log2_binomial(apart, added) + added * log2(num_links)
    return 1 + missing_bits + added_bits


def set_bits(motifs: Sequence[PlacedMotif]) -> float:
    """Bits of the motifs of a set, and of how many there are."""
    bits = integer_bits(len(motifs)) + sum(motif.cost for motif in motifs)
    if any(len(motif.edits) for motif in motifs):
        bits += sum(motif.edit_cost for motif in motifs)
    return bits
