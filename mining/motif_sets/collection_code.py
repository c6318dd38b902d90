"""The code of a collection of graphs: what the length of its description is made of.

Known to both sides are the number of nodes of each graph and the category of each node. A motif is
drawn once, and each copy says at which nodes of which graph it stands; copies are induced and share
no node. What is left of the edges is said by degrees: each node has a *signature*, its degrees
without the edges inside its copy, and each graph is one of those with these degrees. The gain of a
motif lies in the signatures, which are coded apart for each of its orbits: that the outer bond of a
ring's carbon is a single one becomes nearly certain.

There are two bases. "typed": a signature has a degree for each kind of link, as seen from the node,
so that of a single arc both ends are known. "total": it has one degree, the number of neighbours,
and each edge says its link, given the categories of its ends. Where all edges are alike both are
the same.

    L = L_N(motifs) + [two bases] + signatures + graphs + links
        + sum over motifs of (drawing + counts + addresses + edits)

The bits of edits are in :mod:`~gomkcn.mining.motif_sets.placed_motif`. The sum itself is that of a
:class:`~gomkcn.mining.motif_sets.collection_description.CollectionDescription`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from math import log2

import numpy as np
from scipy.special import gammaln

from gomkcn.mining.motif_sets.collection_loops import Lengths, Parts
from gomkcn.mining.motif_sets.integer_codes import (
    histogram_bits,
    integer_bits,
    integer_lengths,
    log2_binomial,
    log2_factorials,
)
from gomkcn.mining.motif_sets.small_graphs import CountedGraphs
from gomkcn.mining.structures.node_sets import Palette, palette_of_numbers, structure_of_nodes
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph

# signatures are numbers below this
_MOST_SIGNATURES = 2**62
# lengths that are kept, and bits of links: some megabytes
_MOST_KEPT = 1 << 16


class CollectionCode:
    """The code of one collection in one base, with the category ``[V]`` of each node, if any.

    Of each category that occurs, ascending, a ``palette`` has the names, if there are any.

    A signature has a degree for each link in the base "typed", or the number of neighbours in
    "total"; they are coded in the order of the nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> code = CollectionCode(as_csr([nx.path_graph(3), nx.cycle_graph(4)]), None, "total")
    >>> code.num_links, code.degrees.tolist(), code.two_bases
    (1, [[1, 2, 1, 2, 2, 2, 2]], False)
    """

    def __init__(
        self,
        graph: CSRGraph,
        colors: np.ndarray | None,
        base: str,
        palette: Palette | None = None,
    ) -> None:
        self.graph = graph
        self.base = base
        num_nodes = graph.num_nodes
        # 1. nodes: their graphs, and their categories by numbers without gaps
        self.graph_of = graph.graph_of(np.arange(num_nodes))
        self.sizes = np.diff(graph.graph_ptr)
        given = np.zeros(num_nodes, np.int64) if colors is None else colors
        self.color_names, self.colors = np.unique(given, return_inverse=True)
        self.num_colors = len(self.color_names)
        self.palette = palette_of_numbers(self.num_colors) if palette is None else palette
        # 2. links, and the layer that each counts in
        self.rows = CompiledGraph.of(graph, self.colors)
        self.links = self.rows.links_at(np.arange(len(graph.indices))).astype(np.int64)
        self.reverse = np.asarray(graph.relations.reverse, np.int64)
        self.num_links = len(self.reverse) - 1
        self.layer_of = np.arange(self.num_links + 1) - 1
        if base == "total":
            self.layer_of = np.minimum(self.layer_of, 0)
        # 3. the layer and node that each entry counts for, and how many do for each
        num_layers = int(self.layer_of.max(initial=0)) + 1
        self.source = np.repeat(np.arange(num_nodes), graph.degrees)
        self.places = self.layer_of[self.links] * num_nodes + self.source
        self.degrees = np.bincount(self.places, minlength=num_layers * num_nodes)
        self.degrees = self.degrees.reshape(num_layers, -1)
        # 4. for each layer the one that the other end sees
        self.opposite = np.zeros(num_layers, np.int64)
        if base == "typed":
            self.opposite = self.layer_of[self.reverse[1:]]
        # 5. the digits of a signature that is written as one number
        self.widths = self.degrees.max(axis=1, initial=0) + 1
        self.radix = np.concatenate([[1], np.cumprod(self.widths.astype(object))[:-1]])
        self.is_possible = bool(self.widths.astype(object).prod() < _MOST_SIGNATURES)
        self.radix = self.radix.astype(np.int64) if self.is_possible else self.widths
        # copies share no node, and so no edge
        self.edge_of = np.zeros(len(graph.indices), np.int64)
        self.every_entry = np.ones(len(graph.indices), bool)
        # what was found once of residual graphs, of structures, of the links between two categories
        # by their place and how many edges have each link, and of descriptions
        self.counted = CountedGraphs()
        self._parts: dict[bytes, Parts] = {}
        self._bits_of_links: dict[tuple[int, bytes], float] = {}
        self._lengths: dict[bytes, float] = {}

    @cached_property
    def first_bins(self) -> np.ndarray:
        """Where the degrees of each graph begin in a histogram of all, int64 ``[L, G + 1]``."""
        num_graphs = len(self.sizes)
        most = np.zeros((num_graphs, len(self.degrees)), np.int64)
        np.maximum.at(most, self.graph_of, self.degrees.T)
        ends = np.cumsum(most.T + 1, axis=1)
        return np.concatenate([np.zeros_like(ends[:, :1]), ends], axis=1)

    @cached_property
    def ranges_of_bins(self) -> list[list[tuple[int, int]]]:
        """Of each layer and graph, where its degrees begin and end in a histogram of all."""
        return [[*pairwise(row)] for row in self.first_bins.tolist()]

    @cached_property
    def facing(self) -> np.ndarray:
        """Of each entry, the layer and node that the other end counts for, int64 ``[E]``."""
        layers = self.layer_of[self.reverse[self.links]]
        return layers * self.graph.num_nodes + self.graph.indices

    @cached_property
    def kinds(self) -> np.ndarray:
        """Of each entry, the place of its link in ``[C, C, T + 1]`` by its ends, int64 ``[E]``."""
        ends = self.colors[self.source] * self.num_colors + self.colors[self.graph.indices]
        return ends * (self.num_links + 1) + self.links

    @property
    def two_bases(self) -> bool:
        """Whether the bases differ, so that a bit says which one is used."""
        return self.num_links > 1

    @cached_property
    def integers(self) -> np.ndarray:
        """L_N of the numbers up to the largest degree."""
        return integer_lengths(int(self.degrees.max(initial=0)))

    @cached_property
    def spread_bits(self) -> np.ndarray:
        """Bits of which graphs have a copy, where 0, 1, … of them have one, float64 ``[G + 1]``."""
        num_graphs = self.graph.num_graphs
        each = [histogram_bits(np.array([k, num_graphs - k])) for k in range(num_graphs + 1)]
        return np.array(each)

    @cached_property
    def joints(self) -> np.ndarray:
        """For each entry, the categories of its ends and its link as the smaller one sees it.

        It is a place in ``[C, C, T + 1]``; -1 for one of both entries of an edge.
        """
        target = self.graph.indices
        links = self.links
        first = self.colors[self.source]
        second = self.colors[target]
        seen = np.where(first > second, self.reverse[links], links)
        seen = np.where(first == second, np.minimum(seen, self.reverse[seen]), seen)
        shape = self.num_colors, self.num_colors, self.num_links + 1
        ends = np.minimum(first, second), np.maximum(first, second)
        return np.where(self.source < target, np.ravel_multi_index((*ends, seen), shape), -1)

    @cached_property
    def is_turned(self) -> np.ndarray:
        """Whether a link reads otherwise from its other end, bool ``[T + 1]``."""
        return self.reverse != np.arange(self.num_links + 1)

    @cached_property
    def possible(self) -> np.ndarray:
        """The links that two categories ``a <= b`` can have, seen from a, bool ``[C, C, T + 1]``.

        Within one category, a link and its reverse are one.
        """
        numbers = np.arange(self.num_links + 1)
        ordered = np.triu(np.ones((self.num_colors, self.num_colors), bool))
        possible = ordered[:, :, None] & (numbers > 0)
        possible[np.diag_indices(self.num_colors)] &= numbers <= self.reverse
        return possible

    def known_length(self, content: bytes, measure: Callable[[], float]) -> float:
        """The length of a description by a digest of it, measured where it is not known."""
        if content not in self._lengths:
            if len(self._lengths) > _MOST_KEPT:
                self._lengths.clear()
            self._lengths[content] = measure()
        return self._lengths[content]

    def link_bits(self, joints: np.ndarray) -> float:
        """Bits of the links of edges by the categories of their ends, int64 ``[C, C, T + 1]``."""
        # most pairs of categories have the edges that they had before
        content, width, known = joints.tobytes(), joints.strides[1], self._bits_of_links
        if len(known) > _MOST_KEPT:
            known.clear()
        bits = 0.0
        for pair in self._ordered_pairs:
            key = pair, content[pair * width : (pair + 1) * width]
            if key not in known:
                possible = self.possible.reshape(-1, self.num_links + 1)[pair]
                known[key] = histogram_bits(np.frombuffer(key[1], np.int64)[possible])
            bits += known[key]
        return bits

    @cached_property
    def _ordered_pairs(self) -> list[int]:
        """The places ``a C + b`` of two categories ``a <= b``."""
        first, second = np.triu_indices(self.num_colors)
        places: list[int] = (first * self.num_colors + second).tolist()
        return places

    def structure(self, links: np.ndarray, colors: np.ndarray) -> Structure:
        """The structure of nodes in the numbers of the collection, in the order that is given."""
        return structure_of_nodes(links, colors, self.graph.relations, self.palette)

    def named(self, structure: Structure) -> Structure:
        """A structure in the numbers of the collection, with its relations and palette."""
        return replace(structure, relations=self.graph.relations, palette=self.palette)

    def drawing_bits_of(self, structure: Structure) -> float:
        """The drawing of a motif: its nodes with their categories, its edges with their links."""
        size = structure.num_nodes
        num_edges = len(structure.pairs)
        pairs = size * (size - 1) // 2
        named = size * log2(self.num_colors) + num_edges * log2(self.num_links)
        return (
            integer_bits(size) + integer_bits(num_edges) + log2_binomial(pairs, num_edges) + named
        )

    @cached_property
    def lengths(self) -> Lengths:
        """What bits of copies are looked up in."""
        num_nodes, sizes = self.graph.num_nodes, self.sizes
        # copies of a collection, or a graph, and one more
        most = max(num_nodes, len(sizes)) + 1
        return Lengths(
            self.graph_of,
            integer_lengths(most),
            log2_factorials(int(sizes.max(initial=0))),
            np.log2(np.arange(most) + 1.0),
            gammaln(np.arange(3 * most + 2) / 2),
            np.log(np.maximum(sizes, 1) / sizes.sum()),
        )

    def parts_of(self, structure: Structure) -> Parts:
        """What a structure has in all descriptions."""
        # nodes in another order have their orbits in another one
        key = structure.colors.tobytes() + structure.links.tobytes()
        parts = self._parts.get(key)
        if parts is None:
            orbits = np.asarray(structure.orbits, np.int64)
            inside = np.empty((len(self.degrees), structure.num_orbits), np.int64)
            inside[:, orbits] = self.inside(structure.links)
            parts = self._parts[key] = Parts(
                orbits,
                inside,
                np.bincount(structure.colors, minlength=self.num_colors),
                structure.automorphism_bits,
                self.drawing_bits_of(structure),
            )
        return parts

    def inside(self, links: np.ndarray) -> np.ndarray:
        """Degrees inside copies with the links ``[..., M, M]``, int64 ``[L, ..., M]``."""
        # no link is in no layer
        layers = np.arange(len(self.degrees)).reshape(-1, *[1] * links.ndim)
        counts: np.ndarray = (self.layer_of[links] == layers).sum(axis=-1)
        return counts


def rank_in_group(group: np.ndarray) -> np.ndarray:
    """Place of each element among those of its group, which stand together.

    >>> rank_in_group(np.array([4, 4, 7, 7, 7])).tolist()
    [0, 1, 0, 1, 2]
    """
    place, is_first = np.arange(len(group)), np.diff(group, prepend=-1) != 0
    return place - np.maximum.accumulate(np.where(is_first, place, 0))
