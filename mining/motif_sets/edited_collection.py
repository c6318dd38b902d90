"""A collection some of whose copies lack edges of their motif, or have others.

A motif says where its copies differ as in ``edited_graph.py``; the signatures of its nodes are
their degrees without the edges that each copy really has. Copies share no node.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.candidates.shapes import Shape
from mining.motif_sets.alignment_loops import View, describe_free
from mining.motif_sets.collection_code import CollectionCode, Covering
from mining.motif_sets.edited_graph import Edits, Placed
from mining.motif_sets.integer_codes import histogram_bits

# times that the costs of signatures in a motif are worked out from the copies that save most
_ROUNDS = 2


@dataclass(frozen=True, eq=False)
class EditedCollection:
    """A collection with the motifs of a set, in the order in which their copies are covered.

    Attributes
    ----------
    covering : Covering
        The collection whose nodes are covered in part.
    motifs : tuple of Placed
        ``bits`` are those of the edits alone; the others are in ``covering``.
    """

    covering: Covering
    motifs: tuple[Placed, ...] = ()

    nodes_apart = True

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
        return EditedCollection(self.covering.add(shape, copies, links), (*self.motifs, placed))

    @cached_property
    def view(self) -> View:
        """The edges between free nodes, and what each costs."""
        code, covering = self.code, self.covering
        rows = code.rows
        source = np.repeat(np.arange(len(rows.colors)), self.graph.degrees)
        target, links = self.graph.indices, rows.links.astype(np.int64)
        back = code.reverse[links]
        odds = covering.multipliers[code.layer_of[links], source]
        odds = odds * covering.multipliers[code.layer_of[back], target]
        bits = np.log2((1 + odds) / np.maximum(odds, 1e-12))
        bits += covering.joint_bits[rows.colors[source], rows.colors[target], links]
        is_free = covering.is_free[source] & covering.is_free[target]
        return View(rows, code.reverse, is_free, bits)

    def links_and_edges(self, copies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What is left among the nodes of sets, see :func:`describe_free`."""
        number = np.zeros(len(self.graph.indices), np.int64)
        links, edges = describe_free(self.view, number, copies)
        return links, edges

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
