"""What a search for motifs asks of the graph that it describes, be it one graph or a collection.

A *description* is a graph with the motifs of a set, and has a length in bits; it never changes, and
gives a new one where a motif is added or left out. There are two: a
:class:`~gomkcn.mining.motif_sets.graph_description.GraphDescription`, whose copies share no edge
while the degrees are known, and a
:class:`~gomkcn.mining.motif_sets.collection_description.CollectionDescription`, whose copies share
no node while the degrees are paid for. Both are needed: as a collection of one, a graph of 1,280
bits to save loses 685 with the wrong motifs; and by the code of one graph, the molecules of MUTAG
read as 300 rings.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from gomkcn.mining.motif_sets.alignment_loops import FreeEdges
from gomkcn.mining.motif_sets.placed_motif import PlacedMotif
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure


class Description(Protocol):
    """A graph or a collection with the motifs of a set."""

    def __hash__(self) -> int:
        """Descriptions are told apart by identity, so that what follows from one can be kept."""

    @property
    def code(self) -> Any:
        """What is known to both sides."""

    @property
    def motifs(self) -> tuple[PlacedMotif, ...]:
        """The motifs, in the order in which they were added."""

    @property
    def graph(self) -> CSRGraph:
        """The graph itself."""

    @property
    def nodes_apart(self) -> bool:
        """Whether copies share no node; else they share no edge."""

    @property
    def length(self) -> float:
        """Bits of the whole description."""

    def add(
        self, structure: Structure, copies: np.ndarray, sources: tuple[str, ...] = ...
    ) -> Description:
        """The same with copies ``[k, M]`` of one motif more."""

    def without(self, number: int) -> Description:
        """The same without one of its motifs."""

    @property
    def used(self) -> np.ndarray:
        """Which edges, or of a collection nodes, are in copies, bool."""

    @property
    def free_edges(self) -> FreeEdges:
        """The edges that are left, and what each costs."""

    @property
    def edge_of(self) -> np.ndarray:
        """The number of the edge of each entry of the graph, int64 ``[E]``."""

    @property
    def num_links(self) -> int:
        """Links that an edge can have, as seen from one of its ends."""

    def copy_values(
        self, structure: Structure, copies: np.ndarray, links: np.ndarray, worth: np.ndarray
    ) -> np.ndarray:
        """About the bits that each of some copies saves, float64 ``[A, K]``, by A addresses."""

    def order_bits(self, numbers: np.ndarray) -> np.ndarray:
        """Bits that so many copies save beside those of each."""

    def head_bits(self, structure: Structure) -> float:
        """Bits of a motif before its copies, about, where copies may differ."""
