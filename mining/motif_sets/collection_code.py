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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import comb, lgamma, log, log2, pi

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.compiled import compiled
from mining.candidates.shapes import Rows, Shape
from mining.motif_sets.copy_loops import log_star
from mining.motif_sets.graph_count import (
    REPORT_TOLERANCE,
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
    x = degrees / np.sqrt((degrees * counts).sum())
    new = np.empty_like(x)
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
    found = count_two_sided_graphs(out, into, True, tolerance=REPORT_TOLERANCE)
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
        self.nodes_of_color = np.zeros((graph.num_graphs, self.num_colors), np.int64)
        np.add.at(self.nodes_of_color, (self.graph_of, self.colors), 1)
        # 2. links, and the layer that each counts in
        self.rows = Rows.of(graph, self.colors)
        links = self.rows.links.astype(np.int64)
        self.reverse = np.asarray(graph.relations.reverse, np.int64)
        self.num_links = len(self.reverse) - 1
        self.layer_of = np.arange(self.num_links + 1) - 1
        if base == "total":
            self.layer_of = np.minimum(self.layer_of, 0)
        # 3. the degree of each node in each layer
        num_layers = int(self.layer_of.max(initial=0)) + 1
        row = np.repeat(np.arange(num_nodes), graph.degrees)
        places = self.layer_of[links] * num_nodes + row
        self.degrees = np.bincount(places, minlength=num_layers * num_nodes).reshape(num_layers, -1)
        # 4. for each layer the one that the other end sees
        self.opposite = np.zeros(num_layers, np.int64)
        if base == "typed":
            self.opposite = self.layer_of[self.reverse[1:]]
        # 5. the digits of a signature that is written as one number
        widths = self.degrees.max(axis=1, initial=0) + 1
        self.radix = np.concatenate([[1], np.cumprod(widths.astype(object))[:-1]])
        self.is_possible = bool(widths.astype(object).prod() < _MOST_SIGNATURES)
        self.radix = self.radix.astype(np.int64) if self.is_possible else widths
        # 6. how often each link joins two categories
        self.kinds = np.minimum(np.arange(self.num_links + 1), self.reverse)
        self.joints = np.zeros((self.num_colors, self.num_colors, self.num_links + 1), np.int64)
        once = row < graph.indices
        self._add_joints(
            self.joints, self.colors[row[once]], self.colors[graph.indices[once]],
            links[once], 1,
        )  # fmt: skip

    @property
    def two_bases(self) -> bool:
        """Whether the bases differ, so that a bit says which one is used."""
        return self.num_links > 1

    @cached_property
    def integers(self) -> np.ndarray:
        """L_N of the numbers up to the largest degree."""
        return integer_lengths(int(self.degrees.max(initial=0)))

    def drawing_bits_of(self, shape: Shape) -> float:
        """The drawing of a motif: its nodes with their categories, its edges with their links."""
        size, num_edges = shape.num_nodes, len(shape.edges)
        pairs = size * (size - 1) // 2
        named = size * log2(self.num_colors) + num_edges * log2(self.num_links)
        return (
            integer_bits(size) + integer_bits(num_edges) + log2_binomial(pairs, num_edges) + named
        )

    def inside(self, links: np.ndarray) -> np.ndarray:
        """Degrees inside copies with the links ``[k, M, M]``, int64 ``[L, k, M]``."""
        layer = np.where(links > 0, self.layer_of[links], -1)
        return np.stack([(layer == one).sum(axis=2) for one in range(len(self.degrees))])

    def without_motifs(self) -> Covering:
        """The collection before any node is covered."""
        nothing = np.zeros(0)
        covering = Covering(
            self, (), self.degrees, self.colors, np.ones(self.graph.num_nodes, bool),
            self.nodes_of_color, self.joints, 0.0, [], nothing, nothing, np.zeros(0, np.int64),
            nothing, nothing,
        )  # fmt: skip
        return covering.coded(np.arange(self.graph.num_graphs), range(self.num_colors))

    def cover(self, motifs: Sequence[tuple[Shape, np.ndarray]]) -> Covering:
        """The collection with these copies of motifs covered, in this order."""
        covering = self.without_motifs()
        for shape, copies in motifs:
            covering = covering.add(shape, copies)
        return covering

    def _add_joints(
        self,
        joints: np.ndarray,
        first: np.ndarray,
        second: np.ndarray,
        links: np.ndarray,
        number: int,
    ) -> None:
        """Count links between nodes of two categories, as seen from the smaller one."""
        swapped = first > second
        seen = np.where(swapped, self.reverse[links], links)
        alike = first == second
        seen = np.where(alike, self.kinds[seen], seen)
        np.add.at(joints, (np.minimum(first, second), np.maximum(first, second), seen), number)


@dataclass(frozen=True, eq=False)
class Covering:
    """A collection some of whose nodes are covered by copies of motifs.

    Nodes of one class have their signatures coded together: those of one category that are free, or
    of one orbit of a motif.
    """

    code: CollectionCode
    motifs: tuple[tuple[Shape, np.ndarray], ...]  # as they were covered, copies int64 [k, M]
    residual: np.ndarray  # int64 [L, V], degrees without the edges inside of copies
    class_of: np.ndarray  # int64 [V]
    is_free: np.ndarray  # bool [V]
    free_of_color: np.ndarray  # int64 [G, C], free nodes of each category
    joints: np.ndarray  # int64 [C, C, T + 1], residual edges by categories of ends, and link
    motif_bits: float  # drawings, counts and addresses of the motifs
    class_bits: list[float]  # signatures of each class
    graph_bits: np.ndarray  # float64 [G], the residual graphs
    multipliers: np.ndarray  # float64 [L, V], see `count_small_graphs`
    symbols: np.ndarray  # int64 [S], the signatures that occur
    symbol_of: np.ndarray  # int64 [V], which of them each node has
    signature_bits: np.ndarray  # float64 [V], what that costs, given all the others

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

    @cached_property
    def link_bits(self) -> float:
        """The links of the residual edges, which a base of total degrees leaves open."""
        if self.code.base == "typed":
            return 0.0
        total = 0.0
        for first, second in zip(*np.triu_indices(self.code.num_colors), strict=True):
            possible = self._possible_links(first, second)
            counts = self.joints[first, second]
            total += histogram_bits(counts[possible])
            if first == second:
                # between nodes of one category, a bit says where the edge begins
                total += float(counts[self.code.kinds != self.code.reverse].sum())
        return total

    @cached_property
    def joint_bits(self) -> np.ndarray:
        """Bits of a link from a node of one category to one of another, ``[C, C, T + 1]``."""
        code = self.code
        bits = np.zeros(self.joints.shape)
        if code.base == "typed":
            return bits
        for first, second in zip(*np.triu_indices(code.num_colors), strict=True):
            counts = self.joints[first, second]
            possible = self._possible_links(first, second)
            share = (counts + 0.5) / (counts[possible].sum() + len(possible) / 2)
            own = -np.log2(share)
            if first == second:
                own = own[code.kinds] + (code.kinds != code.reverse)
            bits[first, second] = own
            bits[second, first] = own[code.reverse]
        return bits

    def _possible_links(self, first: np.intp, second: np.intp) -> np.ndarray:
        links = np.arange(1, self.code.num_links + 1)
        return links[links == self.code.kinds[1:]] if first == second else links

    def motif_parts(self, shape: Shape, counts: np.ndarray) -> tuple[float, float, float]:
        """Drawing, counts and addresses of a motif with so many copies in each graph, [G]."""
        free, taken = (
            self.free_of_color,
            counts[:, None] * np.bincount(shape.colors, minlength=self.code.num_colors),
        )
        chosen = log2_factorial(free) - log2_factorial(free - taken)
        address = (
            float(chosen.sum() - log2_factorial(counts).sum())
            - float(counts.sum()) * shape.automorphism_bits
        )
        drawing = self.code.drawing_bits_of(shape)
        return drawing, float(split_bits(counts, self.code.sizes)), address

    def add(self, shape: Shape, copies: np.ndarray, links: np.ndarray | None = None) -> Covering:
        """Cover these copies of a motif too, free nodes ``[k, M]``.

        They are joined as it is, or by ``links [k, M, M]``, whose difference costs nothing here.
        """
        code, nodes = self.code, copies.ravel()
        counts = np.bincount(code.graph_of[copies[:, 0]], minlength=code.graph.num_graphs)
        # 1. what the motif costs
        motif_bits = sum(self.motif_parts(shape, counts))
        of_color = np.bincount(shape.colors, minlength=code.num_colors)
        # 2. its edges are known now
        residual, joints = self.residual.copy(), self.joints.copy()
        if links is None:
            links = np.broadcast_to(shape.links, (len(copies), *shape.links.shape))
        residual[:, nodes] -= code.inside(links).reshape(len(residual), -1)
        _, u, v = np.nonzero(np.triu(links))
        code._add_joints(joints, shape.colors[u], shape.colors[v], links[np.triu(links) > 0], -1)
        # 3. its orbits are classes of their own
        class_of, is_free = self.class_of.copy(), self.is_free.copy()
        first = len(self.class_bits)
        class_of[nodes] = first + np.tile(shape.orbits, len(copies))
        is_free[nodes] = False
        covering = replace(
            self,
            motifs=(*self.motifs, (shape, copies)),
            residual=residual,
            class_of=class_of,
            is_free=is_free,
            free_of_color=self.free_of_color - counts[:, None] * of_color,
            joints=joints,
            motif_bits=self.motif_bits + motif_bits,
            class_bits=self.class_bits + [0.0] * shape.num_orbits,
        )
        classes = [
            *np.unique(shape.colors).tolist(),
            *range(first, first + shape.num_orbits),
        ]
        return covering.coded(np.flatnonzero(counts), classes)

    def coded(self, graphs: np.ndarray, classes: Sequence[int]) -> Covering:
        """The same with the bits of these graphs and classes of nodes, which have changed."""
        signatures = self.code.radix @ self.residual
        symbols, symbol_of = np.unique(signatures, return_inverse=True)
        covering = replace(self, symbols=symbols, symbol_of=symbol_of)
        graph_bits, multipliers = covering._code_graphs(graphs)
        class_bits, signature_bits = covering._code_classes(classes)
        return replace(
            covering,
            graph_bits=graph_bits,
            multipliers=multipliers,
            class_bits=class_bits,
            signature_bits=signature_bits,
        )

    @cached_property
    def symbol_degrees(self) -> np.ndarray:
        """The degrees that a signature stands for, int64 ``[L, S]``."""
        widths = self.code.degrees.max(axis=1, initial=0) + 1
        return self.symbols // self.code.radix[:, None] % widths[:, None]

    def _code_classes(self, classes: Sequence[int]) -> tuple[list[float], np.ndarray]:
        """Bits of the signatures of each class, and of each node ``[V]``."""
        code = self.code
        class_bits = list(self.class_bits) or [0.0] * code.num_colors
        signature_bits = np.zeros(code.graph.num_nodes)
        signature_bits[: len(self.signature_bits)] = self.signature_bits
        order = np.argsort(self.class_of, kind="stable")
        bounds = np.searchsorted(self.class_of[order], np.arange(len(class_bits) + 1))
        for one in classes:
            nodes = order[bounds[one] : bounds[one + 1]]
            if not len(nodes):
                class_bits[one] = 0.0
                continue
            # 1. the alphabet: all degrees up to the largest, or the signatures that occur
            known, symbols = np.unique(self.symbol_of[nodes], return_inverse=True)
            degrees = self.symbol_degrees[:, known]
            if len(degrees) == 1:
                num_symbols = int(degrees.max()) + 1
                alphabet = integer_bits(num_symbols - 1)
            else:
                num_symbols = len(known)
                alphabet = integer_bits(num_symbols) + float(code.integers[degrees].sum())
            # 2. the sequence, with the alpha that makes it shortest
            graph_of = code.graph_of[nodes]
            bits = code_sequence(symbols, graph_of, num_symbols, _ALPHAS)
            best = int(bits.argmin())
            class_bits[one] = alphabet + float(bits[best]) + log2(len(_ALPHAS))
            signature_bits[nodes] = predict_sequence(
                symbols, graph_of, num_symbols, len(known), _ALPHAS[best]
            )
        return class_bits, signature_bits

    def _code_graphs(self, graphs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Bits of the residual graphs ``[G]``, of which some have changed, and multipliers."""
        code, residual = self.code, self.residual
        graph_bits = np.zeros(code.graph.num_graphs)
        multipliers = np.zeros(residual.shape)
        if len(self.graph_bits):
            graph_bits, multipliers = self.graph_bits.copy(), self.multipliers.copy()
        ptr = code.graph.graph_ptr
        for graph in graphs.tolist():
            here = slice(ptr[graph], ptr[graph + 1])
            bits = 0.0
            for layer, opposite in enumerate(code.opposite.tolist()):
                own = residual[layer, here]
                if opposite == layer:
                    number, x = count_small_graphs(tuple(np.bincount(own).tolist()))
                    multipliers[layer, here] = x[own]
                elif layer < opposite:
                    into = residual[opposite, here]
                    pairs = zip(own.tolist(), into.tolist(), strict=True)
                    number, x, y = count_small_digraphs(tuple(sorted(filter(any, pairs))))
                    multipliers[layer, here], multipliers[opposite, here] = x[own], y[into]
                else:
                    continue
                bits += number
            # links exclude each other, so that there are fewer graphs than of each link alone
            overlaps = count_overlaps(residual[:, here], code.opposite) if len(residual) > 1 else 0
            graph_bits[graph] = max(0.0, bits - overlaps)
        return graph_bits, multipliers


@compiled()
def code_sequence(symbols, graph_of, num_symbols, alphas):
    """Bits of a sequence of symbols [N] with each of alphas [A], float64 [A].

    A symbol is expected as often as in its graph so far, n of n_g, and with the weight of alpha as
    in all graphs so far: (n + alpha pi) / (n_g + alpha), pi = (N + 1/2) / (all + symbols / 2).
    """
    bits = np.zeros(len(alphas))
    seen = np.zeros(num_symbols)
    here = np.zeros(num_symbols)
    graph_of_count = np.full(num_symbols, -1)
    in_graph = 0
    for place in range(len(symbols)):
        symbol, graph = symbols[place], graph_of[place]
        if place > 0 and graph_of[place - 1] != graph:
            in_graph = 0
        if graph_of_count[symbol] != graph:
            here[symbol] = 0
            graph_of_count[symbol] = graph
        share = (seen[symbol] + 0.5) / (place + num_symbols / 2)
        for k in range(len(alphas)):
            bits[k] -= np.log2((here[symbol] + alphas[k] * share) / (in_graph + alphas[k]))
        seen[symbol] += 1
        here[symbol] += 1
        in_graph += 1
    return bits


@compiled()
def predict_sequence(symbols, graph_of, num_symbols, num_known, alpha):
    """Bits of each symbol [N] given all others, which are those below num_known."""
    bits = np.empty(len(symbols))
    in_all = np.zeros(num_known)
    here = np.zeros(num_known)
    for symbol in symbols:
        in_all[symbol] += 1
    first = 0
    while first < len(symbols):
        last = first
        while last < len(symbols) and graph_of[last] == graph_of[first]:
            here[symbols[last]] += 1
            last += 1
        for place in range(first, last):
            symbol = symbols[place]
            share = (in_all[symbol] + 0.5) / (len(symbols) + num_symbols / 2)
            likely = (here[symbol] - 1 + alpha * share) / (last - first - 1 + alpha)
            bits[place] = -np.log2(max(likely, 1e-9))
        for place in range(first, last):
            here[symbols[place]] = 0
        first = last
    return bits


@compiled()
def count_overlaps(degrees, opposite):  # int64 [L, N], [L]
    """Bits by which graphs are fewer in which no two links are between the same nodes.

    Two links meet as often as is expected: half the sum over i != j and over two layers a < b of
    a_i a'_j b_i b'_j / (A B), where a' is the layer that the other end of the link sees.
    """
    total = 0.0
    for a in range(len(degrees)):
        for b in range(a):
            size, both, opposed, alone = 0.0, 0.0, 0.0, 0.0
            other = 0.0
            for node in range(degrees.shape[1]):
                size += degrees[a, node]
                other += degrees[b, node]
                product = degrees[a, node] * degrees[b, node]
                reverse = degrees[opposite[a], node] * degrees[opposite[b], node]
                both += product
                opposed += reverse
                alone += product * reverse
            total += 0.5 * (both * opposed - alone) / max(size * other, 1.0)
    return total / np.log(2.0)


@compiled()
def split_bits(counts, sizes):  # int64 [G], [G]
    """Bits of the number of copies in each graph: the total, then how it is split.

    A bit says whether by its histogram or in proportion to the sizes of the graphs.
    """
    total, most, nodes = 0, 0, 0
    for graph in range(len(counts)):
        total += counts[graph]
        nodes += sizes[graph]
        most = max(most, counts[graph])
    bits = log_star(total)
    if len(counts) == 1:
        return bits
    # 1. the histogram of the counts
    histogram = np.zeros(most + 1)
    for count in counts:
        histogram[count] += 1
    half = (most + 1) / 2
    by_histogram = log_star(most) * np.log(2.0) + lgamma(len(counts) + half) - lgamma(half)
    for number in histogram:
        by_histogram -= lgamma(number + 0.5) - lgamma(0.5)
    # 2. in proportion
    by_size = -lgamma(total + 1.0)
    for graph in range(len(counts)):
        by_size += lgamma(counts[graph] + 1.0) - counts[graph] * np.log(sizes[graph] / nodes)
    return bits + 1.0 + min(by_histogram, by_size) / np.log(2.0)
