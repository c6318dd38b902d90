"""A collection of graphs that is described by some motifs and what their copies leave over.

Each node is paid for by its degrees, and no two copies share a node. What each part costs is said
in :mod:`~gomkcn.mining.motif_sets.collection_code`; here the parts are added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from math import log, log2
from typing import ClassVar, NamedTuple

import numpy as np

from gomkcn.mining.motif_sets.alignment_loops import FreeEdges, describe_free
from gomkcn.mining.motif_sets.collection_code import CollectionCode
from gomkcn.mining.motif_sets.collection_loops import (
    Uncovered,
    count_in_graphs,
    count_residual,
    expect_overlaps,
    rate_signatures,
    split_bits,
)
from gomkcn.mining.motif_sets.placed_motif import PlacedMotif, edit_bits, edits_of, set_bits
from gomkcn.mining.motif_sets.small_graphs import count_small_digraphs
from gomkcn.mining.structures.distinct_numbers import distinct_numbers
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure

# how much the signatures of one graph are alike: candidates for alpha, coded with each sequence
_ALPHAS = np.array([0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 1e9])
# the probability of a signature, and the odds of an edge, are at least this
_LEAST_LIKELY = 1e-9
_LEAST_ODDS = 1e-12
# times that the costs of signatures in a motif are worked out from the copies that save most
_ROUNDS_OF_VALUES = 2
# of a digest, too many for two sets to have the same one
_DIGEST_BYTES = 16
# bits of the signatures of an orbit before any is named, about
_ORBIT_BITS = 8.0


class ClassCode(NamedTuple):
    """The signatures of the nodes of one class."""

    bits: float
    alpha: float  # how much those of one graph are alike
    num_symbols: float


_EMPTY = ClassCode(0.0, 1.0, 1.0)


class Coded(NamedTuple):
    """What was coded of a description: its classes of nodes, and what is left of its graphs."""

    classes: tuple[ClassCode, ...]
    layer_bits: np.ndarray  # float64 [G], the residual graphs, each layer by itself
    overlaps: np.ndarray  # float64 [G], see `expect_overlaps`
    multipliers: np.ndarray  # float64 [L, V], see `count_small_graphs`


class Changed(NamedTuple):
    """The graphs and the classes of nodes in which a description differs from one before it."""

    graphs: np.ndarray
    classes: np.ndarray


@dataclass(frozen=True, eq=False)
class CollectionDescription:
    """A collection some of whose nodes are covered by copies of motifs.

    Nodes of one class have their signatures coded together: those of one category that are free, or
    of one orbit of a motif. What does not change when a motif is added is not coded again.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> graphs = as_csr([nx.cycle_graph(3), nx.cycle_graph(3), nx.path_graph(4)])
    >>> empty = CollectionDescription.of(CollectionCode(graphs, None, "total"))
    >>> triangle = Structure.parse("triangle")
    >>> covered = empty.add(triangle, np.arange(6).reshape(2, 3))
    >>> covered.is_free.tolist()
    [False, False, False, False, False, False, True, True, True, True]
    >>> bool(abs(covered.without(0).length - empty.length) < 1e-9)
    True
    """

    code: CollectionCode
    motifs: tuple[PlacedMotif, ...]
    class_of: np.ndarray  # int64 [V], the category of a free node, else a number above these
    copy_of: np.ndarray  # int64 [V], the first node of the copy, or the node itself
    before: Coded
    changed: Changed
    content: bytes = b""  # a digest of the motifs and their copies

    # whether copies share no node
    nodes_apart: ClassVar[bool] = True

    @classmethod
    def of(cls, code: CollectionCode) -> CollectionDescription:
        """The collection before any node is covered."""
        num_graphs = code.graph.num_graphs
        nothing = Coded(
            (_EMPTY,) * code.num_colors,
            np.zeros(num_graphs),
            np.zeros(num_graphs),
            np.zeros(code.degrees.shape),
        )
        everything = Changed(np.arange(num_graphs), np.arange(code.num_colors))
        return cls(code, (), code.colors, np.arange(code.graph.num_nodes), nothing, everything)

    @property
    def graph(self) -> CSRGraph:
        """The collection itself."""
        return self.code.graph

    # its length

    @cached_property
    def length(self) -> float:
        """The length of the whole description in bits."""
        # a search comes to a third of all sets more than once
        return self.code.known_length(self.content, self._measure)

    def _measure(self) -> float:
        return (
            sum(self.class_bits)
            + float(self.graph_bits.sum())
            + self.link_bits
            + set_bits(self.motifs)
            + self.code.two_bases
        )

    @property
    def class_bits(self) -> list[float]:
        """Bits of the signatures of each class."""
        return [coded.bits for coded in self.coded.classes]

    @cached_property
    def is_free(self) -> np.ndarray:
        """Whether a node is in no copy, bool ``[V]``."""
        return self.class_of < self.code.num_colors

    @property
    def used(self) -> np.ndarray:
        """Whether a node is in a copy, bool ``[V]``."""
        return ~self.is_free

    @cached_property
    def free_of_color(self) -> np.ndarray:
        """Free nodes of each category in each graph, int64 ``[G, C]``."""
        code = self.code
        free = self.is_free
        shape = code.graph.num_graphs, code.num_colors
        places = code.graph_of[free] * code.num_colors + self.class_of[free]
        return np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape)

    @cached_property
    def is_residual(self) -> np.ndarray:
        """Whether the ends of an entry are not in one copy, bool ``[E]``."""
        return self.copy_of[self.code.source] != self.copy_of[self.code.graph.indices]

    @cached_property
    def residual(self) -> np.ndarray:
        """Degrees without the edges inside of copies, int64 ``[L, V]``."""
        code = self.code
        degrees = np.zeros(code.degrees.size, np.int64)
        count_residual(self.copy_of, code.source, code.graph.indices, code.places, degrees)
        return degrees.reshape(code.degrees.shape)

    @cached_property
    def signatures(self) -> tuple[np.ndarray, np.ndarray]:
        """Those that occur, as degrees int64 ``[L, S]``, and which of them each node has, [V]."""
        radix = self.code.radix
        known, symbol_of = distinct_numbers(radix @ self.residual)
        return known // radix[:, None] % self.code.widths[:, None], symbol_of

    @cached_property
    def joints(self) -> np.ndarray:
        """Residual edges by the categories of their ends, and link, int64 ``[C, C, T + 1]``."""
        code = self.code
        places = code.joints[self.is_residual & (code.joints >= 0)]
        return np.bincount(places, minlength=code.possible.size).reshape(code.possible.shape)

    @cached_property
    def link_bits(self) -> float:
        """The links of the residual edges, which a base of total degrees leaves open."""
        code = self.code
        if code.base == "typed":
            return 0.0
        links = code.link_bits(self.joints)
        # between nodes of one category, a bit says where the edge begins
        alike = self.joints[np.diag_indices(code.num_colors)]
        return links + float(alike[:, code.is_turned].sum())

    @cached_property
    def joint_bits(self) -> np.ndarray:
        """Bits of a link from a node of one category to one of another, ``[C, C, T + 1]``."""
        code = self.code
        bits = np.zeros(code.possible.shape)
        if code.base == "total":
            counts, numbers = self.joints.sum(axis=2), code.possible.sum(axis=2)
            share = (self.joints + 0.5) / np.maximum(counts + numbers / 2, 0.5)[:, :, None]
            bits = np.where(code.possible, -np.log2(share), 0.0)
            # as the larger one sees it; of one category, both ways in the same bin
            bits += bits.swapaxes(0, 1)[:, :, code.reverse]
            same = np.arange(code.num_colors)
            bits[same, same] /= 1 + (code.reverse == np.arange(code.num_links + 1))
            bits[same, same] += code.is_turned
        return bits

    @cached_property
    def entry_bits(self) -> np.ndarray:
        """Bits of an edge with the link of each entry of the collection, float64 ``[E]``."""
        code = self.code
        multipliers = self.coded.multipliers.reshape(-1)
        odds = multipliers[code.places] * multipliers[code.facing]
        bits: np.ndarray = np.log2((1 + odds) / np.maximum(odds, _LEAST_ODDS))
        return bits + self.joint_bits.reshape(-1)[code.kinds]

    @cached_property
    def signature_bits(self) -> np.ndarray:
        """Bits of the signature of each node given all others, float64 ``[V]``."""
        degrees, symbol_of = self.signatures
        _, alpha, num_symbols = np.array(self.coded.classes).T[:, self.class_of]
        symbol = self.class_of * degrees.shape[1] + symbol_of
        in_class, of_symbol = (np.bincount(keys)[keys] for keys in (self.class_of, symbol))
        graph_ptr = self.code.graph.graph_ptr
        in_graph, here = (
            count_in_graphs(keys, int(keys.max(initial=0)) + 1, graph_ptr)
            for keys in (self.class_of, symbol)
        )
        share = (of_symbol + 0.5) / (in_class + num_symbols / 2)
        likely = (here - 1 + alpha * share) / (in_graph - 1 + alpha)
        bits: np.ndarray = -np.log2(np.maximum(likely, _LEAST_LIKELY))
        return bits

    @cached_property
    def graph_bits(self) -> np.ndarray:
        """The residual graphs, float64 ``[G]``.

        Links exclude each other, so that there are fewer graphs than of each link alone. Two links
        meet as often as is expected: half the sum over i != j and over two layers a < b of
        a_i a'_j b_i b'_j / (A B), where a' is the layer that the other end of the link sees.
        """
        coded = self.coded
        bits: np.ndarray = np.maximum(0.0, coded.layer_bits - coded.overlaps / (2 * log(2)))
        return bits

    @cached_property
    def coded(self) -> Coded:
        """What was coded before, with the graphs and classes that have changed."""
        classes = self._code_classes(self.changed.classes)
        graphs = self.changed.graphs
        layer_bits, multipliers = self._code_graphs(graphs)
        code = self.code
        overlaps = self.before.overlaps.copy()
        overlaps[graphs] = expect_overlaps(
            self.residual, code.opposite, code.graph.graph_ptr, graphs
        )
        return Coded(classes, layer_bits, overlaps, multipliers)

    def _code_classes(self, changed: np.ndarray) -> tuple[ClassCode, ...]:
        """Code the signatures of classes that have changed, in the order of the nodes.

        A symbol is expected as often as in its graph so far, n of n_g, and with the weight of alpha
        as in all graphs so far: (n + α π) / (n_g + α), π = (N + ½) / (number so far + symbols / 2).
        """
        degrees, symbol_of = self.signatures
        code = self.code
        num_classes = max(int(self.class_of.max(initial=-1)), int(changed.max(initial=-1))) + 1
        is_changed = np.zeros(num_classes, bool)
        is_changed[changed] = True
        # 1. alphabets, and the sequences with each alpha
        numbers, starts, num_symbols, alphabets, likely = rate_signatures(
            self.class_of, is_changed, symbol_of, degrees, _ALPHAS, code.lengths
        )
        # 2. the alpha that makes each shortest
        bits = -np.add.reduceat(np.log2(likely), starts, axis=1)
        best = bits.argmin(axis=0)
        lengths = alphabets + bits.min(axis=0) + log2(len(_ALPHAS))
        # 3. classes that have no node any more have no bits
        classes = [*self.before.classes]
        classes += [_EMPTY] * (int(self.class_of.max(initial=-1)) + 1 - len(classes))
        for number in changed.tolist():
            classes[number] = _EMPTY
        rows = zip(lengths.tolist(), _ALPHAS[best].tolist(), num_symbols.tolist(), strict=True)
        for number, row in zip(numbers.tolist(), rows, strict=True):
            classes[number] = ClassCode(*row)
        return tuple(classes)

    def _code_graphs(self, changed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Count the residual graphs of which some have changed, each layer by itself."""
        code = self.code
        layer_bits = self.before.layer_bits.copy()
        multipliers = self.before.multipliers.copy()
        layer_bits[changed] = 0.0
        is_changed = np.zeros(code.graph.num_graphs, bool)
        is_changed[changed] = True
        nodes = np.flatnonzero(is_changed[code.graph_of])
        for layer, opposite in enumerate(code.opposite.tolist()):
            if opposite == layer:
                layer_bits[changed] += self._count_graphs(layer, changed, nodes, multipliers)
            elif layer < opposite:
                layer_bits[changed] += self._count_digraphs(layer, opposite, changed, multipliers)
        return layer_bits, multipliers

    def _count_graphs(
        self, layer: int, graphs: np.ndarray, nodes: np.ndarray, multipliers: np.ndarray
    ) -> np.ndarray:
        """Bits of some graphs in a layer without directions; multipliers of their ``nodes``."""
        code = self.code
        # 1. how many nodes of each graph have each degree
        graph_of, degrees = code.graph_of[nodes], self.residual[layer, nodes]
        first_bins, ranges = code.first_bins[layer], code.ranges_of_bins[layer]
        times = np.bincount(first_bins[graph_of] + degrees, minlength=first_bins[-1])
        # 2. the same graphs were counted before, most of them
        counted = code.counted
        numbers = counted.numbers_of(times, [ranges[graph] for graph in graphs.tolist()])
        first = np.empty(code.graph.num_graphs, np.int64)
        first[graphs] = counted.first[numbers]
        multipliers[layer, nodes] = counted.multipliers[first[graph_of] + degrees]
        return counted.bits[numbers]

    def _count_digraphs(
        self, layer: int, opposite: int, graphs: np.ndarray, multipliers: np.ndarray
    ) -> list[float]:
        """Bits of some graphs of arcs out of nodes in a layer, and into them in the opposite."""
        all_bits = []
        for graph in graphs.tolist():
            here = slice(*self.code.graph.graph_ptr[graph : graph + 2])
            out = self.residual[layer, here]
            into = self.residual[opposite, here]
            pairs = zip(out.tolist(), into.tolist(), strict=True)
            bits, x, y = count_small_digraphs(tuple(sorted(filter(any, pairs))))
            multipliers[layer, here] = x[out]
            multipliers[opposite, here] = y[into]
            all_bits.append(bits)
        return all_bits

    # with other motifs

    def add(
        self, structure: Structure, copies: np.ndarray, sources: tuple[str, ...] = ("grown",)
    ) -> CollectionDescription:
        """Cover copies of one more motif, free nodes ``[k, M]``, with all edges among them."""
        edits = edits_of(structure, self._links_of(copies))
        edit_cost = edit_bits(structure, len(copies), edits, self.num_links)
        return self._covered_by(
            PlacedMotif(structure, copies, sources=sources, edits=edits, edit_cost=edit_cost)
        )

    def _covered_by(self, motif: PlacedMotif) -> CollectionDescription:
        """The same with the copies of a motif, which costs what is free before it."""
        code = self.code
        structure = motif.structure
        copies = motif.copies
        # 1. what the motif costs
        counts = np.bincount(code.graph_of[copies[:, 0]], minlength=code.graph.num_graphs)
        motif = replace(motif, cost=sum(self.motif_parts(structure, counts)))
        # 2. its nodes are of a class for each orbit
        first = code.num_colors + _num_orbits(self.motifs)
        class_of = self.class_of.copy()
        class_of[copies] = first + structure.orbits
        copy_of = self.copy_of.copy()
        copy_of[copies] = copies[:, :1]
        classes = np.concatenate(
            [np.unique(structure.colors), first + np.arange(structure.num_orbits)]
        )
        changed = Changed(np.flatnonzero(counts), classes)
        before = self.before
        if "coded" in self.__dict__:
            before = self.coded
        else:
            # most have motifs added to them before anything is coded
            changed = Changed(*map(np.union1d, self.changed, changed))
        motifs = (*self.motifs, motif)
        content = digest_of_motif(self.content, structure, copies)
        return CollectionDescription(code, motifs, class_of, copy_of, before, changed, content)

    def without(self, number: int) -> CollectionDescription:
        """The same without one of its motifs, whose nodes no other copy takes."""
        code = self.code
        left_out = self.motifs[number]
        fewer = CollectionDescription.of(code)
        for motif in self.motifs[:number] + self.motifs[number + 1 :]:
            fewer = fewer._covered_by(motif)
        # only the graphs of its copies change, and the free nodes of its categories
        first = code.num_colors + _num_orbits(self.motifs[:number])
        last = first + left_out.structure.num_orbits
        classes = self.coded.classes
        graphs = np.unique(code.graph_of[left_out.copies[:, 0]])
        return replace(
            fewer,
            before=self.coded._replace(classes=classes[:first] + classes[last:]),
            changed=Changed(graphs, np.unique(left_out.structure.colors)),
        )

    def motif_parts(self, structure: Structure, counts: np.ndarray) -> tuple[float, float, float]:
        """Drawing, counts and addresses of a motif with so many copies in each graph, [G]."""
        free = self.free_of_color
        taken = counts[:, None] * np.bincount(structure.colors, minlength=self.code.num_colors)
        factorials = self.code.lengths.factorials
        chosen = factorials[free] - factorials[free - taken]
        address = float(chosen.sum() - factorials[counts].sum())
        address -= float(counts.sum()) * structure.automorphism_bits
        drawing = self.code.drawing_bits_of(structure)
        return drawing, float(split_bits(counts, self.code.lengths)), address

    # what copies save

    @cached_property
    def uncovered(self) -> Uncovered:
        """What copies of one motif more are chosen by."""
        degrees, symbol_of = self.signatures
        return Uncovered(
            self.is_free,
            self.entry_bits,
            self.signature_bits,
            symbol_of,
            degrees,
            self.free_of_color,
        )

    @cached_property
    def free_edges(self) -> FreeEdges:
        """The edges between free nodes, and what each costs."""
        code = self.code
        is_free = self.is_free[code.source] & self.is_free[self.graph.indices]
        return FreeEdges(code.rows, code.reverse, is_free, self.entry_bits)

    @property
    def edge_of(self) -> np.ndarray:
        """A number for each entry; copies share no node, and so no edge."""
        return self.code.edge_of

    @property
    def num_links(self) -> int:
        """Links that an edge can have."""
        return self.code.num_links

    def _links_of(self, copies: np.ndarray) -> np.ndarray:
        """What is left among the nodes of copies, int64 ``[k, M, M]``."""
        code = self.code
        links, _ = describe_free(code.rows, code.reverse, code.every_entry, code.edge_of, copies)
        return links

    def copy_values(
        self, structure: Structure, copies: np.ndarray, links: np.ndarray, worth: np.ndarray
    ) -> np.ndarray:
        """About the bits that each of some copies saves, float64 ``[1, K]``.

        Their edges and edits are ``worth`` so many bits; the signatures of their nodes are coded
        among those of their orbits, as the copies that save most have them.
        """
        code = self.code
        free = self.is_free[copies].all(axis=1)
        # 1. one of the nodes of each category
        graphs = code.graph_of[copies[:, 0]]
        number = np.maximum(self.free_of_color[graphs[:, None], structure.colors], 1)
        saved = worth + self.signature_bits[copies].sum(axis=1) + structure.automorphism_bits
        saved = np.where(free, saved - np.log2(number).sum(axis=1), -np.inf)
        # 2. the signatures that are left
        left = self.residual[:, copies] - code.inside(links)
        keys = np.einsum("l,lkm->km", code.radix, left)
        _, symbols = np.unique(keys, return_inverse=True)
        symbols = symbols.reshape(keys.shape) + (int(symbols.max(initial=0)) + 1) * structure.orbits
        likely = np.argsort(-saved, kind="stable")[: max(1, len(saved) // 2)]
        for _ in range(_ROUNDS_OF_VALUES):
            counts = np.bincount(symbols[likely].reshape(-1), minlength=int(symbols.max()) + 1)
            of_orbit = np.bincount(structure.orbits)[structure.orbits] * len(likely)
            cost = -np.log2((counts[symbols] + 0.5) / (of_orbit + 1.0)).sum(axis=1)
            _, best = np.unique(graphs[np.argsort(cost - saved)], return_index=True)
            likely = np.argsort(cost - saved)[best]
        value = saved - cost
        return value[None]

    def order_bits(self, numbers: np.ndarray) -> np.ndarray:
        """Bits of so many copies beside those of each: how many graphs have one, about."""
        return -self.code.spread_bits[np.minimum(numbers, self.graph.num_graphs)]

    def head_bits(self, structure: Structure) -> float:
        """Bits of a motif before its copies, about, where copies may differ."""
        return self.code.drawing_bits_of(structure) + 1 + _ORBIT_BITS * structure.num_orbits


def _num_orbits(motifs: Sequence[PlacedMotif]) -> int:
    """The classes of nodes in copies of some motifs."""
    return sum(motif.structure.num_orbits for motif in motifs)


def digest_of_motif(content: bytes, structure: Structure, copies: np.ndarray) -> bytes:
    """A digest of some motifs with one more, of what follows from these and their order."""
    digest = blake2b(content, digest_size=_DIGEST_BYTES)
    digest.update(repr(copies.shape).encode())
    for part in (structure.links, structure.colors, copies):
        digest.update(part.tobytes())
    return digest.digest()
