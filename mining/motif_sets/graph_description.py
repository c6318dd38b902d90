"""One graph that is described by some motifs and what their copies leave over.

The degrees are known, and no two copies share an edge. What each part costs is said in
:mod:`~gomkcn.mining.motif_sets.graph_code`; here the parts are added up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from gomkcn.mining.motif_sets.alignment_loops import FreeEdges, observe
from gomkcn.mining.motif_sets.copy_loops import Left
from gomkcn.mining.motif_sets.graph_code import GraphCode, Residual
from gomkcn.mining.motif_sets.integer_codes import log2_factorial, log2_factorials
from gomkcn.mining.motif_sets.kept_results import digest_of
from gomkcn.mining.motif_sets.placed_motif import PlacedMotif, edit_bits, edits_of, set_bits
from gomkcn.mining.structures.node_sets import PENDANT_BITS
from gomkcn.mining.structures.pattern import NO_EDITS
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure


@dataclass(frozen=True, eq=False)
class GraphDescription:
    """A graph with the motifs of a set, in the order in which they were added.

    A copy owns the edges among its nodes that no copy before it owns. It may lack some of its
    motif, and have others.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn.mining.structures.mined_graph import MinedGraph
    >>> empty = GraphDescription.of(GraphCode.of(MinedGraph.of(nx.cycle_graph(6))))
    >>> triangle = Structure.parse("triangle")
    >>> placed = empty.add(triangle, np.arange(6).reshape(2, 3))
    >>> edges_of_copies = 2 * 3 - (placed.motifs[0].edits[:, 3] < 0).sum()
    >>> bool(placed.degrees.sum() // 2 == 6 - edges_of_copies)
    True
    >>> bool(abs(placed.without(0).length - empty.length) < 1e-9)
    True
    """

    code: GraphCode
    motifs: tuple[PlacedMotif, ...]
    degrees: np.ndarray  # int64 [S, V], what the copies leave
    used: np.ndarray  # bool [num_edges], the edges of copies

    # whether copies share no node; here they share no edge
    nodes_apart: ClassVar[bool] = False

    @classmethod
    def of(cls, code: GraphCode) -> GraphDescription:
        """A graph without motifs."""
        return cls(code, (), code.degrees, np.zeros(code.num_edges, bool))

    @property
    def graph(self) -> CSRGraph:
        """The graph itself."""
        return self.code.mined.graph

    # its length

    @cached_property
    def residual(self) -> Residual:
        """The graph that the copies leave over."""
        code = self.code
        if not self.motifs:
            return code.whole

        def count() -> Residual:
            return code.residual(self.degrees, self.used, near=code.whole)

        # sets of other motifs may leave the same edges, of which all degrees follow
        return code.kept_residuals.find(self.used_key, count)

    @cached_property
    def used_key(self) -> bytes:
        """What tells the edges of the copies from those of other sets."""
        return digest_of(self.used)

    @cached_property
    def length(self) -> float:
        """Bits of the whole description."""
        return self.residual.bits + set_bits(self.motifs)

    @cached_property
    def edge_bits(self) -> np.ndarray:
        """What taking each edge out saves, to first order, float64 ``[num_edges]``."""
        return self.code.edge_bits(self.residual, self.degrees)

    @cached_property
    def left(self) -> Left:
        """What is left of the graph, as compiled code takes it."""
        most = int(self.degrees.max(initial=1))
        log_degree = np.log2(np.arange(most + 1).clip(1))
        return Left(self.edge_bits, self.degrees, log_degree, log2_factorials(most))

    # with other motifs

    def add(
        self, structure: Structure, copies: np.ndarray, sources: tuple[str, ...] = ("grown",)
    ) -> GraphDescription:
        """The same with copies ``[k, M]`` of one motif more."""
        code = self.code
        used = self.used.copy()
        links = observe(code.rows, self.graph.relations.reverse, code.edge_of, used, copies)
        # exact copies are all alike
        is_exact = np.array_equal(links, np.broadcast_to(structure.links, links.shape))
        inside = code.inside(structure.links[None] if is_exact else links, structure.colors)
        degrees = self.degrees.copy()
        for slot, degrees_of_slot in enumerate(degrees):
            np.subtract.at(degrees_of_slot, copies, inside[:, :, slot])
        bits_of = code.exact_bits if is_exact else code.motif_bits
        bits, address = bits_of(structure, copies, inside)
        edits = NO_EDITS if is_exact else edits_of(structure, links)
        motif = PlacedMotif(
            structure,
            copies,
            address=address,
            sources=sources,
            edits=edits,
            cost=bits,
            edit_cost=edit_bits(structure, len(copies), edits, self.num_links),
        )
        return GraphDescription(code, (*self.motifs, motif), degrees, used)

    def without(self, number: int) -> GraphDescription:
        """The same without one of its motifs, whose edges no other copy takes."""
        others = self.motifs[:number] + self.motifs[number + 1 :]
        if any(len(motif.edits) for motif in self.motifs):
            # a copy may own edges of this one as well, which it now has first
            description = GraphDescription.of(self.code)
            for motif in others:
                description = description.add(motif.structure, motif.copies, motif.sources)
            return description
        motif = self.motifs[number]
        used = self.used.copy()
        used[self.code.edge_numbers(motif.structure, motif.copies)] = False
        degrees = self.degrees.copy()
        inside = self.code.inside(motif.structure.links, motif.structure.colors)
        for node, slot in zip(*np.nonzero(inside), strict=True):
            np.add.at(degrees[slot], motif.copies[:, node], inside[node, slot])
        return GraphDescription(self.code, others, degrees, used)

    # what copies save

    @cached_property
    def free_edges(self) -> FreeEdges:
        """The edges that are left, and what each costs."""
        code = self.code
        reverse = np.asarray(self.graph.relations.reverse, np.int64)
        return FreeEdges(code.rows, reverse, ~self.used[code.edge_of], self.edge_bits[code.edge_of])

    @property
    def edge_of(self) -> np.ndarray:
        """The number of the edge of each entry of the graph, int64 ``[E]``."""
        return self.code.edge_of

    @property
    def num_links(self) -> int:
        """Links that an edge can have, as seen from one of its ends."""
        return self.code.num_links

    def copy_values(
        self, structure: Structure, copies: np.ndarray, links: np.ndarray, worth: np.ndarray
    ) -> np.ndarray:
        """About the bits that each of some copies saves, float64 ``[2, K]``.

        By two of the addresses, for copies with the ``links [K, M, M]`` whose edges, less their
        edits, are ``worth`` so many bits.
        """
        inside = self.code.inside(links, structure.colors)
        uniform, by_degree = self.code.address_bits(structure, copies, inside)
        log_factorials = log2_factorials(int(self.degrees.max(initial=1)))
        bits = worth + structure.automorphism_bits - PENDANT_BITS * structure.num_pendant
        for slot, degrees in enumerate(self.degrees):
            degree = degrees[copies]
            taken = inside[:, :, slot]
            falling = log_factorials[degree] - log_factorials[degree - taken]
            bits = bits + (taken * np.log2(np.maximum(degree, 1)) - falling).sum(axis=1)
        return np.stack([bits - uniform, bits - by_degree])

    def order_bits(self, numbers: np.ndarray) -> np.ndarray:
        """Bits that so many copies save beside those of each: their order is free."""
        return log2_factorial(numbers) - 2 * np.log2(numbers + 1) - 3

    def head_bits(self, structure: Structure) -> float:
        """Bits of a motif before its copies, about, where copies may differ."""
        return self.code.head_bits(structure) + 1
