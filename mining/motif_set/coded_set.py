"""A set of motifs with their copies, and how many bits the graph takes with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gomkcn_dgl.graphs.structure import Structure


@dataclass(frozen=True, eq=False)
class CodedMotif:
    """A structure whose copies are named instead of their edges.

    Attributes
    ----------
    structure : Structure
        Its nodes and edges.
    copies : numpy.ndarray
        int64 ``[k, M]``, the node of the mined graph at each of its M nodes.
    bits : float
        What the description grows by when it is dropped.
    address : str
        The code that says cheapest where the copies are.
    sources : tuple of str
        What saw it: "grown" sets, trained "filters", or the user ("given").
    """

    structure: Structure
    copies: np.ndarray
    bits: float = 0.0
    address: str = ""
    sources: tuple[str, ...] = ("grown",)


@dataclass(frozen=True, eq=False)
class CodedSet:
    """What a search finds in one base, in nodes of the mined graph.

    Attributes
    ----------
    motifs : tuple of CodedMotif
        In the order in which their copies are covered.
    bits_base, bits_total : float
        Length of the description without motifs, and with these.
    base : {"degrees", "blocks", "typed", "total"}
        What the bits are given: the degrees; the degrees and a partition into blocks; for
        collections, the degrees of each type of edge, or all together.
    blocks : numpy.ndarray or None
        int64 ``[V]``, the block of each node.
    complete, cut : bool, str
        Whether the search ended by itself; else a sentence that says where it was cut.
    closest : CodedMotif or None
        Where there is no motif, the structure that comes closest to saving bits.
    missing : mapping from bytes to float
        Bits that the total would grow by with each given structure that is not in the set, by key;
        infinite where it has fewer copies than a motif must have.
    """

    motifs: tuple[CodedMotif, ...]
    bits_base: float
    bits_total: float
    base: str = "degrees"
    blocks: np.ndarray | None = None
    complete: bool = True
    cut: str = ""
    closest: CodedMotif | None = None
    missing: Mapping[bytes, float] = field(default_factory=dict)

    @property
    def bits_saved(self) -> float:
        """How much shorter the description is with the motifs."""
        return self.bits_base - self.bits_total
