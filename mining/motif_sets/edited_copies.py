"""The code of a graph or a collection whose copies may lack edges of their motif, or have others.

A motif of k copies, m edges and P pairs of nodes then says, beside what the code of
``code_length.py`` has,

    1 + L_N(missing) + log2 C(k m, missing) + L_N(added) + log2 C(k (P - m), added)

and where edges have directions or relations, the link of each added one: an edge whose link differs
is missing, and another is added, so that also the pairs of missing edges can have one. The edits
are decoded before the addresses, so that these are by the degrees inside each copy. A copy's edges
are those among its nodes that no copy before it owns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log2
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.candidates.shapes import PENDANT_BITS, Shape
from mining.motif_sets.alignment_loops import View, describe_free, observe
from mining.motif_sets.code_length import ADDRESSES, GraphCode, Residual
from mining.motif_sets.collection_code import CollectionCode, Covering
from mining.motif_sets.integer_codes import (
    histogram_bits,
    integer_bits,
    log2_binomial,
    log2_factorial,
    log2_factorials,
)

# times that the costs of signatures in a motif are worked out from the copies that save most
_ROUNDS = 2


class Edits(NamedTuple):
    """Where copies differ from their motif: edges that they lack, and others that they have."""

    missing: np.ndarray  # bool [k, M, M], each pair once, i > j
    added: np.ndarray

    @classmethod
    def of(cls, shape: Shape, links: np.ndarray) -> Edits:
        """The edits of copies with the links ``[k, M, M]``."""
        differs = np.tril(links != shape.links)
        return cls(differs & (shape.links > 0), differs & (links > 0))

    def bits(self, shape: Shape, num_links: int) -> float:
        """What says where they are, of which the code without edits has nothing."""
        number, missing, added = len(self.missing), int(self.missing.sum()), int(self.added.sum())
        if not missing + added:
            return 1.0
        size, edges = shape.num_nodes, len(shape.edges)
        others = number * (size * (size - 1) // 2 - edges) + (missing if num_links > 1 else 0)
        return (
            1 + integer_bits(missing) + log2_binomial(number * edges, missing)
            + integer_bits(added) + log2_binomial(others, added) + added * log2(num_links)
        )  # fmt: skip


class Placed(NamedTuple):
    """A motif of a set, with what its copies have of its edges."""

    shape: Shape
    copies: np.ndarray  # int64 [k, M]
    edits: Edits
    bits: float
    address: str = ""


@dataclass(frozen=True, eq=False)
class EditedGraph:
    """A graph with the motifs of a set, in the order in which their copies are covered.

    Examples
    --------
    >>> import networkx as nx
    >>> from mining.mined_graph import MinedGraph
    >>> from mining.motif_sets.code_length import CodedGraph
    >>> graph = CodedGraph.of(MinedGraph.of(nx.cycle_graph(6)))
    >>> triangle = Shape.of(1 - np.eye(3, dtype=int), np.zeros(3, int))
    >>> placed = EditedGraph.of(GraphCode(graph)).add(triangle, np.arange(6).reshape(2, 3))
    >>> edges_of_copies = 2 * 3 - placed.motifs[0].edits.missing.sum()
    >>> bool(placed.degrees.sum() // 2 == graph.num_edges - edges_of_copies)
    True
    """

    code: GraphCode
    motifs: tuple[Placed, ...]
    degrees: np.ndarray  # int64 [S, V], what the copies leave
    used: np.ndarray  # bool [num_edges], the edges of copies
    residual: Residual

    # copies share no edge, but may share nodes
    nodes_apart = False

    @property
    def joined_blocks(self) -> int:
        """Pairs of blocks that edges join."""
        return self.code.joined_blocks

    @classmethod
    def of(cls, code: GraphCode) -> EditedGraph:
        """A graph without motifs."""
        used = np.zeros(code.graph.num_edges, bool)
        degrees = code.graph.degrees
        return cls(code, (), degrees, used, code.residual(degrees, used))

    @property
    def graph(self) -> CSRGraph:
        """The graph itself."""
        return self.code.graph.mined.graph

    @property
    def length(self) -> float:
        """Bits of the whole description."""
        motifs = sum(one.bits for one in self.motifs)
        return self.residual.bits + motifs + integer_bits(len(self.motifs))

    def add(self, shape: Shape, copies: np.ndarray) -> EditedGraph:
        """The same with copies ``[k, M]`` of one motif more."""
        code, graph, used = self.code, self.code.graph, self.used.copy()
        reverse = graph.mined.graph.relations.reverse
        links = observe(graph.rows, reverse, graph.edge_of, used, copies)
        inside = self._inside(shape, links)
        edits = Edits.of(shape, links)
        bits, address = code.motif_bits(shape, copies, inside)
        bits += edits.bits(shape, self.num_links)
        degrees = self.degrees.copy()
        for slot in range(len(degrees)):
            np.subtract.at(degrees[slot], copies, inside[:, :, slot])
        residual = code.residual(degrees, used)
        placed = Placed(shape, copies, edits, bits, address)
        return EditedGraph(code, (*self.motifs, placed), degrees, used, residual)

    @cached_property
    def num_links(self) -> int:
        """Links that an edge can have, as seen from one of its ends."""
        return int((self.code.graph.slots >= 0).any(axis=1).sum())

    def _inside(self, shape: Shape, links: np.ndarray) -> np.ndarray:
        """Edges of each node inside its copy, in each slot, int64 ``[K, M, S]``."""
        slots = self.code.graph.slots[links, shape.colors]
        slots[links == 0] = -1
        return np.stack([(slots == one).sum(axis=2) for one in range(len(self.degrees))], axis=2)

    @cached_property
    def view(self) -> View:
        """The edges that are left, and what each costs."""
        graph = self.code.graph
        bits = self.code.edge_bits(self.residual, self.degrees)
        reverse = np.asarray(graph.mined.graph.relations.reverse, np.int64)
        return View(graph.rows, reverse, ~self.used[graph.edge_of], bits[graph.edge_of])

    def links_and_edges(self, copies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is left among the nodes of sets, see :func:`describe_free`."""
        view = self.view
        edge_of = self.code.graph.edge_of
        return describe_free(view.rows, view.reverse, view.is_free, edge_of, copies)

    def values(
        self, shape: Shape, copies: np.ndarray, links: np.ndarray, worth: np.ndarray
    ) -> np.ndarray:
        """About the bits that each of some copies saves, float64 ``[2, K]``.

        By two of the addresses, for copies whose edges and edits are ``worth`` so many bits.
        """
        inside = self._inside(shape, links)
        uniform, by_degree = self.code.address_bits(shape, copies, inside)
        table = log2_factorials(int(self.degrees.max(initial=1)))
        more = worth + shape.automorphism_bits - PENDANT_BITS * shape.num_pendant
        for slot, degrees in enumerate(self.degrees):
            degree, own = degrees[copies], inside[:, :, slot]
            falling = table[degree] - table[degree - own]
            more = more + (own * np.log2(np.maximum(degree, 1)) - falling).sum(axis=1)
        return np.stack([more - uniform, more - by_degree])

    def order_bits(self, numbers: np.ndarray) -> np.ndarray:
        """Bits that so many copies save beside those of each: their order is free."""
        return log2_factorial(numbers) - 2 * np.log2(numbers + 1) - 3

    def head(self, shape: Shape) -> float:
        """Bits of a motif before its copies, about."""
        return self.code.head(shape) + log2(len(ADDRESSES)) + 1


@dataclass(frozen=True, eq=False)
class EditedCollection:
    """A collection with the motifs of a set, in the order in which their copies are covered.

    The signatures of nodes are their degrees without the edges that each copy really has. Copies
    share no node. The ``bits`` of a motif are those of its edits; the others are in ``covering``.
    """

    covering: Covering
    motifs: tuple[Placed, ...] = ()

    nodes_apart = True
    # it is described without blocks
    joined_blocks = 0

    @property
    def code(self) -> CollectionCode:
        """The code of the collection."""
        return self.covering.code

    @property
    def graph(self) -> CSRGraph:
        """The collection itself."""
        return self.code.graph

    @property
    def num_links(self) -> int:
        """Links that an edge can have."""
        return self.code.num_links

    @property
    def length(self) -> float:
        """Bits of the whole description."""
        return self.covering.length + sum(one.bits for one in self.motifs)

    def add(self, shape: Shape, copies: np.ndarray) -> EditedCollection:
        """The same with copies ``[k, M]`` of one motif more, of free nodes."""
        links, _ = self.links_and_edges(copies)
        edits = Edits.of(shape, links)
        placed = Placed(shape, copies, edits, edits.bits(shape, self.num_links))
        return EditedCollection(self.covering.add(shape, copies), (*self.motifs, placed))

    @cached_property
    def view(self) -> View:
        """The edges between free nodes, and what each costs."""
        code, is_free = self.code, self.covering.is_free
        is_free = is_free[code.source] & is_free[self.graph.indices]
        return View(code.rows, code.reverse, is_free, self.covering.entry_bits)

    def links_and_edges(self, copies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is left among the nodes of sets, see :func:`describe_free`."""
        number = np.zeros(len(self.graph.indices), np.int64)
        view = self.view
        return describe_free(view.rows, view.reverse, view.is_free, number, copies)

    def values(
        self, shape: Shape, copies: np.ndarray, links: np.ndarray, worth: np.ndarray
    ) -> np.ndarray:
        """About the bits that each of some copies saves, float64 ``[1, K]``.

        Their edges and edits are ``worth`` so many bits; the signatures of their nodes are coded
        among those of their orbits, as the copies that save most have them.
        """
        code, covering = self.code, self.covering
        free = covering.is_free[copies].all(axis=1)
        # 1. one of the nodes of each category
        graphs = code.graph_of[copies[:, 0]]
        number = np.maximum(covering.free_of_color[graphs[:, None], shape.colors], 1)
        saved = worth + covering.signature_bits[copies].sum(axis=1) + shape.automorphism_bits
        saved = np.where(free, saved - np.log2(number).sum(axis=1), -np.inf)
        # 2. the signatures that are left
        left = covering.residual[:, copies] - code.inside(links)
        keys = np.einsum("l,lkm->km", code.radix, left)
        _, symbols = np.unique(keys, return_inverse=True)
        symbols = symbols.reshape(keys.shape) + (int(symbols.max(initial=0)) + 1) * shape.orbits
        likely = np.argsort(-saved, kind="stable")[: max(1, len(saved) // 2)]
        for _ in range(_ROUNDS):
            counts = np.bincount(symbols[likely].reshape(-1), minlength=int(symbols.max()) + 1)
            of_orbit = np.bincount(shape.orbits)[shape.orbits] * len(likely)
            cost = -np.log2((counts[symbols] + 0.5) / (of_orbit + 1.0)).sum(axis=1)
            _, best = np.unique(graphs[np.argsort(cost - saved)], return_index=True)
            likely = np.argsort(cost - saved)[best]
        value = saved - cost
        return value[None]

    def order_bits(self, numbers: np.ndarray) -> np.ndarray:
        """Bits of so many copies beside those of each: how many graphs have one, about."""
        num_graphs = self.graph.num_graphs
        some = np.minimum(numbers, num_graphs)
        each = [histogram_bits(np.array([one, num_graphs - one])) for one in range(num_graphs + 1)]
        return -np.array(each)[some]

    def head(self, shape: Shape) -> float:
        """Bits of a motif before its copies, about."""
        return self.code.drawing_bits_of(shape) + 1 + 8 * shape.num_orbits
