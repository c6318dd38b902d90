"""The code of a collection of graphs: its length in bits, without motifs or with copies of some.

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
        + sum over motifs of (drawing + counts + addresses)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import comb, log, log2, pi
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph
from gomkcn_dgl.runtime.compiled import compiled
from mining.candidates.shapes import Shape
from mining.motif_sets.graph_count import (
    count_two_sided_graphs,
    degree_nats,
    peel,
)
from mining.motif_sets.integer_codes import (
    histogram_bits,
    integer_bits,
    integer_lengths,
    log2_binomial,
    log2_factorial,
)

# up to so many edges, or arcs, graphs are counted one by one
_MOST_EDGES, _MOST_ARCS = 9, 7
# a variance is taken to be at least this part of the degree
_LEAST_VARIANCE = 0.05
_MOST_ROUNDS = 400
# how much the signatures of one graph are alike: candidates for alpha, coded with each sequence
_ALPHAS = np.array([0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 1e9])
# signatures are numbers below this
_MOST_SIGNATURES = 2**62


@lru_cache(maxsize=1 << 18)
def count_small_graphs(nodes_of_degree: tuple[int, ...]) -> tuple[float, np.ndarray]:
    """Bits of a simple graph, given that ``nodes_of_degree[d]`` of its nodes have degree d.

    Returns also the multiplier x of the nodes of each degree, float64.

    Four nodes of degree 1 are joined in one of three ways:

    >>> bits, multipliers = count_small_graphs((0, 4))
    >>> round(2**bits), len(multipliers)
    (3, 2)
    """
    # 1. nodes that are joined to all others are forced, and so is what they leave without edges
    counts, multipliers = np.array(nodes_of_degree), np.zeros(len(nodes_of_degree))
    known = np.flatnonzero(counts[1:]) + 1
    left, forced = peel(known, counts[known])
    multipliers[known] = np.exp2(forced)
    free = forced == 0
    if not free.any():
        return 0.0, multipliers
    degrees, counts = left[free], counts[known[free]]
    # 2. the multipliers of the others
    x = fit_degrees(degrees, counts)
    multipliers[known[free]] = x
    # 3. the number of graphs
    if degrees @ counts <= 2 * _MOST_EDGES:
        histogram = np.bincount(degrees, counts).astype(np.int64)[1:]
        return log2(max(_list_graphs(tuple(histogram.tolist())), 1)), multipliers
    odds, others = np.outer(x, x), counts - np.eye(len(x))
    variance = (others * odds / (1 + odds) ** 2).sum(axis=1)
    nats = (others * np.log1p(odds)).sum(axis=1) / 2 - degrees * np.log(x)
    nats += degree_nats(degrees, np.maximum(variance / degrees, _LEAST_VARIANCE))
    # in place of ½
    return max(0.0, float(counts @ nats) / log(2) + log2(pi) / 2), multipliers


@compiled()
def fit_degrees(degrees, counts):  # int64 [K] each -> float64 [K]
    """The multipliers of so many nodes of each degree: each is set by the others in turn."""
    x, new = np.empty(len(degrees)), np.empty(len(degrees))
    total = 0.0
    for i in range(len(degrees)):
        total += degrees[i] * counts[i]
    for i in range(len(degrees)):
        x[i] = degrees[i] / np.sqrt(total)
    for _ in range(_MOST_ROUNDS):
        for i in range(len(x)):
            total = -x[i] / (1 + x[i] * x[i])
            for j in range(len(x)):
                total += counts[j] * x[j] / (1 + x[i] * x[j])
            new[i] = degrees[i] / max(total, 1e-12)
        change = 0.0
        for i in range(len(x)):
            change = max(change, abs(new[i] / x[i] - 1))
            x[i] = min(np.sqrt(x[i] * new[i]), 1e4)
        if change < 1e-12:
            break
    return x


@lru_cache(maxsize=1 << 18)
def _list_graphs(nodes_of_degree: tuple[int, ...]) -> int:
    """How many graphs there are with so many nodes of degree 1, 2, ...

    A node of the largest degree is joined to some others in every way, and left out.
    """
    top = len(nodes_of_degree)
    while top and not nodes_of_degree[top - 1]:
        top -= 1
    if not top:
        return 1
    number = list(nodes_of_degree[:top])
    number[-1] -= 1
    total = 0
    for taken in product(*(range(min(one, top) + 1) for one in number)):
        if sum(taken) == top:
            ways, left = 1, number.copy()
            for d, (one, many) in enumerate(zip(number, taken, strict=True)):
                ways *= comb(one, many)
                left[d] -= many
                if d:
                    left[d - 1] += many
            total += ways * _list_graphs(tuple(left))
    return total


@lru_cache(maxsize=1 << 16)
def count_small_digraphs(
    degrees: tuple[tuple[int, int], ...],
) -> tuple[float, np.ndarray, np.ndarray]:
    """Bits of a graph of single arcs, given out- and in-degree of each node that has any.

    Arcs may go both ways between two nodes. Returns also the multipliers x of the nodes of each
    out-degree and y of those of each in-degree, where the probability of an arc from i to j is
    ``x_i y_j / (1 + x_i y_j)``.

    A cycle of three nodes goes round in two ways:

    >>> round(2 ** count_small_digraphs(((1, 1), (1, 1), (1, 1)))[0])
    2
    """
    out, into = np.array(degrees, np.int64).reshape(-1, 2).T
    found = count_two_sided_graphs(out, into, True)
    num_arcs, others = int(out.sum()), len(out) - 1
    if num_arcs <= _MOST_ARCS:
        bits = log2(max(_list_digraphs(tuple(sorted(degrees))), 1))
    elif len(out) * others - num_arcs <= _MOST_ARCS:
        # as many as of the arcs that are left out
        left_out = sorted((others - one, others - other) for one, other in degrees)
        bits = log2(max(_list_digraphs(tuple(left_out)), 1))
    else:
        # ½ log2(π m / 2) in place of ½ log2(2π m)
        bits = max(0.0, found.bits - 1)
    x, y = (
        np.exp2(side.of(np.arange(own.max(initial=0) + 1)))
        for side, own in zip(found.sides, (out, into), strict=True)
    )
    return bits, x, y


@lru_cache(maxsize=1 << 16)
def _list_digraphs(degrees: tuple[tuple[int, int], ...]) -> int:
    """How many there are: the arcs of one node go to some others in every way."""
    node = next((node for node, (out, _) in enumerate(degrees) if out), None)
    if node is None:
        return 1
    ends = [other for other, (_, into) in enumerate(degrees) if into and other != node]
    total = 0
    for chosen in combinations(ends, degrees[node][0]):
        left = [
            (0 if other == node else out, into - (other in chosen))
            for other, (out, into) in enumerate(degrees)
        ]
        total += _list_digraphs(tuple(sorted(pair for pair in left if pair != (0, 0))))
    return total


class CollectionCode:
    """The code of one collection in one base, with the category ``[V]`` of each node, if any.

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

    def __init__(self, graph: CSRGraph, colors: np.ndarray | None, base: str) -> None:
        self.graph, self.base = graph, base
        num_nodes = graph.num_nodes
        # 1. nodes: their graphs, and their categories by numbers without gaps
        self.graph_of = graph.graph_of(np.arange(num_nodes))
        self.sizes = np.diff(graph.graph_ptr)
        given = np.zeros(num_nodes, np.int64) if colors is None else colors
        self.known_colors, self.colors = np.unique(given, return_inverse=True)
        self.num_colors = len(self.known_colors)
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

    @property
    def two_bases(self) -> bool:
        """Whether the bases differ, so that a bit says which one is used."""
        return self.num_links > 1

    @cached_property
    def integers(self) -> np.ndarray:
        """L_N of the numbers up to the largest degree."""
        return integer_lengths(int(self.degrees.max(initial=0)))

    @cached_property
    def joints(self) -> np.ndarray:
        """For each entry, the categories of its ends and its link as the smaller one sees it.

        It is a place in ``[C, C, T + 1]``; -1 for one of both entries of an edge.
        """
        target, links = self.graph.indices, self.links
        first, second = self.colors[self.source], self.colors[target]
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

    def drawing_bits_of(self, shape: Shape) -> float:
        """The drawing of a motif: its nodes with their categories, its edges with their links."""
        size, num_edges = shape.num_nodes, len(shape.edges)
        pairs = size * (size - 1) // 2
        named = size * log2(self.num_colors) + num_edges * log2(self.num_links)
        return (
            integer_bits(size) + integer_bits(num_edges) + log2_binomial(pairs, num_edges) + named
        )

    def inside(self, links: np.ndarray) -> np.ndarray:
        """Degrees inside copies with the links ``[..., M, M]``, int64 ``[L, ..., M]``."""
        layer = np.where(links > 0, self.layer_of[links], -1)
        return np.stack([(layer == one).sum(axis=-1) for one in range(len(self.degrees))])

    def without_motifs(self) -> Covering:
        """The collection before any node is covered."""
        num_nodes, num_graphs = self.graph.num_nodes, self.graph.num_graphs
        return Covering(
            self, (), self.colors, np.arange(num_nodes), 0.0, [_EMPTY] * self.num_colors,
            np.zeros(num_graphs), np.zeros(self.degrees.shape),
        ).coded(np.arange(num_graphs), np.arange(self.num_colors))  # fmt: skip


class ClassCode(NamedTuple):
    """The signatures of the nodes of one class."""

    bits: float
    alpha: float  # how much those of one graph are alike
    num_symbols: float


_EMPTY = ClassCode(0.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Covering:
    """A collection some of whose nodes are covered by copies of motifs.

    Nodes of one class have their signatures coded together: those of one category that are free, or
    of one orbit of a motif.
    """

    code: CollectionCode
    motifs: tuple[tuple[Shape, np.ndarray], ...]  # as they were covered, copies int64 [k, M]
    class_of: np.ndarray  # int64 [V], the category of a free node, else a number above these
    copy_of: np.ndarray  # int64 [V], the first node of the copy, or the node itself
    motif_bits: float  # drawings, counts and addresses of the motifs
    classes: list[ClassCode]
    layer_bits: np.ndarray  # float64 [G], the residual graphs, each layer by itself
    multipliers: np.ndarray  # float64 [L, V], see `count_small_graphs`

    @cached_property
    def length(self) -> float:
        """The length of the whole description in bits."""
        return (
            sum(self.class_bits)
            + float(self.graph_bits.sum())
            + self.link_bits
            + self.motif_bits
            + integer_bits(len(self.motifs))
            + self.code.two_bases
        )

    @property
    def class_bits(self) -> list[float]:
        """Bits of the signatures of each class."""
        return [one.bits for one in self.classes]

    @property
    def is_free(self) -> np.ndarray:
        """Whether a node is in no copy, bool ``[V]``."""
        return self.class_of < self.code.num_colors

    @cached_property
    def free_of_color(self) -> np.ndarray:
        """Free nodes of each category in each graph, int64 ``[G, C]``."""
        code, free = self.code, self.is_free
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
        places = code.places[self.is_residual]
        return np.bincount(places, minlength=code.degrees.size).reshape(code.degrees.shape)

    @cached_property
    def signatures(self) -> tuple[np.ndarray, np.ndarray]:
        """Those that occur, as degrees int64 ``[L, S]``, and which of them each node has, [V]."""
        radix = self.code.radix
        known, symbol_of = np.unique(radix @ self.residual, return_inverse=True)
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
        pairs = zip(*np.triu_indices(code.num_colors), strict=True)
        links = sum(histogram_bits(self.joints[pair][code.possible[pair]]) for pair in pairs)
        # between nodes of one category, a bit says where the edge begins
        alike = self.joints[np.diag_indices(code.num_colors)]
        return links + float(alike[:, code.is_turned].sum())

    @cached_property
    def joint_bits(self) -> np.ndarray:
        """Bits of a link from a node of one category to one of another, ``[C, C, T + 1]``."""
        code, bits = self.code, np.zeros(self.joints.shape)
        if code.base == "total":
            counts, numbers = self.joints.sum(axis=2), code.possible.sum(axis=2)
            share = (self.joints + 0.5) / np.maximum(counts + numbers / 2, 0.5)[:, :, None]
            bits = np.where(code.possible, -np.log2(share), 0.0)
            # as the larger one sees it; of one category, both ways in the same bin
            bits += bits.swapaxes(0, 1)[:, :, code.reverse]
            own = np.arange(code.num_colors)
            bits[own, own] /= 1 + (code.reverse == np.arange(code.num_links + 1))
            bits[own, own] += code.is_turned
        return bits

    @cached_property
    def entry_bits(self) -> np.ndarray:
        """Bits of an edge with the link of each entry of the collection, float64 ``[E]``."""
        code = self.code
        source, target, links = code.source, code.graph.indices, code.links
        odds = self.multipliers[code.layer_of[links], source]
        odds = odds * self.multipliers[code.layer_of[code.reverse[links]], target]
        bits: np.ndarray = np.log2((1 + odds) / np.maximum(odds, 1e-12))
        return bits + self.joint_bits[code.colors[source], code.colors[target], links]

    @cached_property
    def signature_bits(self) -> np.ndarray:
        """Bits of the signature of each node given all others, float64 ``[V]``."""
        degrees, symbol_of = self.signatures
        _, alpha, num_symbols = np.array(self.classes).T[:, self.class_of]
        symbol = self.class_of * degrees.shape[1] + symbol_of
        in_class, of_symbol = (np.bincount(keys)[keys] for keys in (self.class_of, symbol))
        num_graphs, graph_of = self.code.graph.num_graphs, self.code.graph_of
        in_graph, here = (_times(keys * num_graphs + graph_of) for keys in (self.class_of, symbol))
        share = (of_symbol + 0.5) / (in_class + num_symbols / 2)
        likely = (here - 1 + alpha * share) / (in_graph - 1 + alpha)
        bits: np.ndarray = -np.log2(np.maximum(likely, 1e-9))
        return bits

    @cached_property
    def graph_bits(self) -> np.ndarray:
        """The residual graphs, float64 ``[G]``.

        Links exclude each other, so that there are fewer graphs than of each link alone. Two links
        meet as often as is expected: half the sum over i != j and over two layers a < b of
        a_i a'_j b_i b'_j / (A B), where a' is the layer that the other end of the link sees.
        """
        code, number = self.code, self.code.graph.num_graphs
        overlaps = np.zeros(number)
        own = self.residual.astype(np.float64)
        other = own[code.opposite]
        for a, b in combinations(range(len(own)), 2):
            both, opposed, alone, first, second = (
                np.bincount(code.graph_of, weights, number)
                for weights in (own[a] * own[b], other[a] * other[b],
                                own[a] * own[b] * other[a] * other[b], own[a], own[b])
            )  # fmt: skip
            overlaps += (both * opposed - alone) / np.maximum(first * second, 1.0)
        bits: np.ndarray = np.maximum(0.0, self.layer_bits - overlaps / (2 * log(2)))
        return bits

    def motif_parts(self, shape: Shape, counts: np.ndarray) -> tuple[float, float, float]:
        """Drawing, counts and addresses of a motif with so many copies in each graph, [G]."""
        free = self.free_of_color
        taken = counts[:, None] * np.bincount(shape.colors, minlength=self.code.num_colors)
        chosen = log2_factorial(free) - log2_factorial(free - taken)
        address = (
            float(chosen.sum() - log2_factorial(counts).sum())
            - float(counts.sum()) * shape.automorphism_bits
        )
        drawing = self.code.drawing_bits_of(shape)
        return drawing, float(split_bits(counts[None], self.code.sizes)[0]), address

    def add(self, shape: Shape, copies: np.ndarray) -> Covering:
        """Cover copies of one more motif, free nodes ``[k, M]``, with all edges among them."""
        code, first = self.code, len(self.classes)
        counts = np.bincount(code.graph_of[copies[:, 0]], minlength=code.graph.num_graphs)
        class_of, copy_of = self.class_of.copy(), self.copy_of.copy()
        class_of[copies], copy_of[copies] = first + shape.orbits, copies[:, :1]
        covering = Covering(
            code,
            (*self.motifs, (shape, copies)),
            class_of,
            copy_of,
            self.motif_bits + sum(self.motif_parts(shape, counts)),
            [*self.classes, *[_EMPTY] * shape.num_orbits],
            self.layer_bits.copy(),
            self.multipliers.copy(),
        )
        classes = np.concatenate([np.unique(shape.colors), first + np.arange(shape.num_orbits)])
        return covering.coded(np.flatnonzero(counts), classes)

    def coded(self, graphs: np.ndarray, classes: np.ndarray) -> Covering:
        """Write down the bits of these graphs and classes of nodes, which have changed."""
        self._code_graphs(graphs)
        self._code_classes(classes)
        return self

    def _code_classes(self, classes: np.ndarray) -> None:
        """Code the signatures of classes that have changed, in the order of the nodes.

        A symbol is expected as often as in its graph so far, n of n_g, and with the weight of alpha
        as in all graphs so far: (n + α π) / (n_g + α), π = (N + ½) / (number so far + symbols / 2).
        """
        code, (degrees, symbol_of) = self.code, self.signatures
        # 1. the nodes of each class, and their symbols
        nodes = np.flatnonzero(np.isin(self.class_of, classes))
        nodes = nodes[np.argsort(self.class_of[nodes], kind="stable")]
        own, place = np.unique(self.class_of[nodes], return_inverse=True)
        symbols = place * degrees.shape[1] + symbol_of[nodes]
        # 2. the alphabet: all degrees up to the largest, or the signatures that occur
        known = np.unique(symbols)
        owner, symbol = np.divmod(known, degrees.shape[1])
        if len(degrees) == 1:
            num_symbols = np.zeros(len(own), np.int64)
            np.maximum.at(num_symbols, owner, degrees[0, symbol] + 1)
            alphabet = integer_lengths(int(num_symbols.max(initial=0)))[num_symbols - 1]
        else:
            num_symbols = np.bincount(owner, minlength=len(own))
            alphabet = integer_lengths(int(num_symbols.max(initial=0)))[num_symbols]
            said = code.integers[degrees[:, symbol]].sum(axis=0)
            alphabet = alphabet + np.bincount(owner, said, len(own))
        # 3. the sequence, with the alpha that makes it shortest
        graph_of, number = code.graph_of[nodes], code.graph.num_graphs
        order = np.argsort(symbols, kind="stable")
        here, of_symbol = np.empty((2, len(nodes)), np.int64)
        of_symbol[order] = rank_in_group(symbols[order])
        here[order] = rank_in_group(symbols[order] * number + graph_of[order])
        so_far, in_graph = rank_in_group(place), rank_in_group(place * number + graph_of)
        share = (of_symbol + 0.5) / (so_far + num_symbols[place] / 2)
        likely = (here + _ALPHAS[:, None] * share) / (in_graph + _ALPHAS[:, None])
        starts = np.flatnonzero(np.diff(place, prepend=-1))
        bits = -np.add.reduceat(np.log2(likely), starts, axis=1)
        best = bits.argmin(axis=0)
        lengths = alphabet + bits.min(axis=0) + log2(len(_ALPHAS))
        # 4. classes that have no node any more have no bits
        for one in classes.tolist():
            self.classes[one] = _EMPTY
        found = zip(lengths.tolist(), _ALPHAS[best].tolist(), num_symbols.tolist(), strict=True)
        for one, row in zip(own.tolist(), found, strict=True):
            self.classes[one] = ClassCode(*row)

    def _code_graphs(self, graphs: np.ndarray) -> None:
        """Count the residual graphs of which some have changed, each layer by itself."""
        code, residual, multipliers = self.code, self.residual, self.multipliers
        for graph in graphs.tolist():
            here = slice(*code.graph.graph_ptr[graph : graph + 2])
            self.layer_bits[graph] = 0.0
            for layer, opposite in enumerate(code.opposite.tolist()):
                own, into = residual[layer, here], residual[opposite, here]
                if opposite == layer:
                    bits, x = count_small_graphs(tuple(np.bincount(own).tolist()))
                    multipliers[layer, here] = x[own]
                elif layer < opposite:
                    pairs = zip(own.tolist(), into.tolist(), strict=True)
                    bits, x, y = count_small_digraphs(tuple(sorted(filter(any, pairs))))
                    multipliers[layer, here], multipliers[opposite, here] = x[own], y[into]
                else:
                    continue
                self.layer_bits[graph] += bits


def rank_in_group(group: np.ndarray) -> np.ndarray:
    """Place of each element among those of its group, which stand together.

    >>> rank_in_group(np.array([4, 4, 7, 7, 7])).tolist()
    [0, 1, 0, 1, 2]
    """
    place, is_first = np.arange(len(group)), np.diff(group, prepend=-1) != 0
    return place - np.maximum.accumulate(np.where(is_first, place, 0))


def _times(keys: np.ndarray) -> np.ndarray:
    """How often each key occurs."""
    _, number, times = np.unique(keys, return_inverse=True, return_counts=True)
    found: np.ndarray = times[number]
    return found


def split_bits(counts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Bits of the numbers of copies in each graph, int64 ``[J, G]``, of J motifs.

    The total, then how it is split: a bit says whether by its histogram or in proportion to the
    sizes of the graphs, ``[G]``.
    """
    total, most, num_graphs = counts.sum(axis=1), counts.max(axis=1, initial=0), len(sizes)
    lengths = integer_lengths(int(total.max(initial=0)))
    if num_graphs == 1:
        return lengths[total]
    # 1. the histogram of the counts
    half, times = (most + 1) / 2, histograms(counts, int(most.max(initial=0)) + 1)
    by_histogram = lengths[most] * log(2) + gammaln(num_graphs + half) - gammaln(half)
    by_histogram -= (gammaln(times + 0.5) - gammaln(0.5)).sum(axis=1)
    # 2. in proportion
    shares = np.log(np.maximum(sizes, 1) / sizes.sum())
    by_size = (gammaln(counts + 1.0) - counts * shares).sum(axis=1) - gammaln(total + 1.0)
    bits: np.ndarray = lengths[total] + 1.0 + np.minimum(by_histogram, by_size) / log(2)
    return bits


def histograms(counts: np.ndarray, bins: int) -> np.ndarray:
    """How often each row of ``[J, G]`` has each number below ``bins``, int64 ``[J, bins]``."""
    places = counts + np.arange(len(counts))[:, None] * bins
    return np.bincount(places.ravel(), minlength=len(counts) * bins).reshape(-1, bins)
