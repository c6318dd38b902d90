"""The code of one graph: a few motifs with their copies, and the graph that is left.

The degrees are known to both sides. What is sent is the number of motifs, each motif (its size, a
drawing of it, how many copies there are, where these are), and which of all simple graphs with the
degrees that the copies leave over is the rest. Copies are induced, and no two share an edge.

    L = L_N(J) + Σ_j [ L_N(n_j) + drawing_j + L_N(k_j) + log2 5 + address_j
                       - log2 k_j! - k_j log2 |Aut_j| + 6 k_j p_j ] + residual

with J motifs, k_j copies of the n_j nodes of motif j, and p_j of these outside its 2-core, which
the degrees explain: 6 bits each are a prior against trees. L_N is the code of whole numbers, see
:func:`~mining.motif_sets.integer_codes.integer_bits`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.kernels.search_numba import mix64
from mining.candidates.shapes import PENDANT_BITS, Shape
from mining.motif_sets.blocks import edges_between, partition_bits
from mining.motif_sets.coded_graph import CodedGraph, terms_of
from mining.motif_sets.copy_loops import Places, move_copies, prefix_addresses
from mining.motif_sets.graph_count import (
    REPORT_TOLERANCE,
    SEARCH_TOLERANCE,
    GraphCount,
    count_graphs,
    count_graphs_of_blocks,
    count_two_sided_graphs,
)
from mining.motif_sets.integer_codes import (
    histogram_bits,
    integer_bits,
    log2_factorial,
    log2_factorials,
)

# the codes that say where the copies are, in the order in which they are compared
ADDRESSES = (
    "uniform",
    "by degree",
    "by residual degree",
    "without replacement",
    "by residual degree without replacement",
)

Motifs = Sequence[tuple[Shape, np.ndarray]]


class MotifBits(NamedTuple):
    """The parts of the length of one motif, in bits, and the name of its address code."""

    size: float
    drawing: float
    number: float
    choice: float
    address: float
    order: float
    pendant: float
    code: str

    @property
    def total(self) -> float:
        """All parts together."""
        return sum(self[:-1])


class CodeBits(NamedTuple):
    """The parts of a complete length, in bits; the partition into blocks is in ``residual``.

    ``error`` is what the grouping of degrees changes it by at most, about.
    """

    number_of_motifs: float
    motifs: tuple[MotifBits, ...]
    residual: float
    partition: float
    error: float

    @property
    def total(self) -> float:
        """All parts together."""
        return self.number_of_motifs + sum(one.total for one in self.motifs) + self.residual


@dataclass(frozen=True, eq=False)
class Residual:
    """The graph that copies leave over.

    Attributes
    ----------
    bits : float
        log2 of the number of graphs like it, with the partition where there is one.
    counts : tuple of GraphCount
        One for each layer.
    """

    bits: float
    counts: tuple[GraphCount, ...]


class GraphCode:
    """Lengths of the descriptions of a graph.

    Parameters
    ----------
    graph : CodedGraph
        The graph.
    blocks : numpy.ndarray, optional
        int64 ``[V]``, the block of each node, from 0: its edges are then given the degrees *and*
        how many there are between blocks. Only where ``graph.is_plain``.

    Raises
    ------
    InputError
        If blocks are given for a graph with directions, relations or categories.

    Examples
    --------
    >>> import networkx as nx
    >>> from mining.mined_graph import MinedGraph
    >>> cliques = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(30)])
    >>> code = GraphCode(CodedGraph.of(MinedGraph.of(cliques)))
    >>> round(code.length([]).total, 6)
    277.32951
    """

    def __init__(self, graph: CodedGraph, blocks: np.ndarray | None = None) -> None:
        self.graph, self.blocks = graph, blocks
        if blocks is not None and not graph.is_plain:
            raise InputError(
                "blocks must be None where edges have directions or relations, or nodes categories."
            )
        self.partition = 0.0
        if blocks is not None:
            # one bit more says that there are blocks
            self.partition = partition_bits(blocks, graph.num_edges) + 1
        self._ascending = np.sort(graph.degrees[0])
        self._roles: dict[tuple[int, bytes], tuple[float, float]] = {}

    def residual(
        self,
        degrees: np.ndarray,
        used: np.ndarray,
        near: Residual | None = None,
        tolerance: float = SEARCH_TOLERANCE,
    ) -> Residual:
        """The bits of what copies leave over.

        Layers are multiplied, an upper bound where edges of two layers may join the same nodes.

        Parameters
        ----------
        degrees : numpy.ndarray
            int64 ``[S, V]``, what is left of ``graph.degrees``.
        used : numpy.ndarray
            bool ``[num_edges]``, the edges that copies use; looked at where there are blocks.
        near : Residual, optional
            Of a similar graph, from which the search for multipliers starts.
        tolerance : float, default: 1e-6
            See :func:`~mining.motif_sets.graph_count.count_graphs`.
        """
        graph, counts = self.graph, []
        for place, layer in enumerate(graph.layers):
            last = None if near is None else near.counts[place]
            first = degrees[layer.first_slot, graph.nodes_of[layer.first]]
            second = degrees[layer.second_slot, graph.nodes_of[layer.second]]
            if self.blocks is not None:
                edges = edges_between(graph.edges[~used], self.blocks)
                one = count_graphs_of_blocks(first, self.blocks, edges, last, tolerance)
            elif layer.is_one_sided:
                one = count_graphs(first, last, tolerance)
            else:
                same = layer.first == layer.second
                one = count_two_sided_graphs(first, second, same, last, tolerance)
            counts.append(one)
        bits = self.partition + sum(one.bits for one in counts)
        return Residual(bits, tuple(counts))

    def edge_bits(self, residual: Residual, degrees: np.ndarray) -> np.ndarray:
        """-log2 of the odds of each edge of the whole graph in what is left, ``[num_edges]``."""
        graph, logs = self.graph, np.zeros(degrees.shape)
        # 1. log2 x of each slot and node
        for layer, count in zip(graph.layers, residual.counts, strict=True):
            ends = (layer.first, layer.first_slot), (layer.second, layer.second_slot)
            for (color, slot), side in zip(ends, count.sides, strict=False):
                nodes = graph.nodes_of[color]
                blocks = 0 if self.blocks is None else self.blocks
                logs[slot, nodes] = side.of(degrees[slot, nodes], blocks)
        # 2. the odds are x_i x_j ω_ab
        slots = graph.edge_slots
        bits = -logs[slots[:, 0], graph.edges[:, 0]] - logs[slots[:, 1], graph.edges[:, 1]]
        if self.blocks is not None:
            ends = self.blocks[graph.edges]
            bits -= residual.counts[0].between[ends[:, 0], ends[:, 1]]
        return bits

    def head(self, shape: Shape) -> float:
        """Bits of the size of a motif and of its drawing."""
        return integer_bits(shape.num_nodes) + self.drawing(shape)

    def drawing(self, shape: Shape) -> float:
        """Bits that say which pairs of a motif's nodes are joined, and how.

        How many of the P pairs are of each kind, which these are, a bit for the direction of each
        pair of a kind that has one, and the categories; the order of the nodes is not said.
        """
        graph, size = self.graph, shape.num_nodes
        num_pairs = size * (size - 1) // 2
        numbers = np.bincount(graph.kind_of[shape.edges[:, 2]], minlength=graph.num_kinds)
        parts = log2_factorial([num_pairs, num_pairs - numbers.sum(), *numbers, size])
        which = float(parts[0] - parts[1:-1].sum())
        turned = float(numbers[graph.has_direction].sum())
        names = size * log2(graph.num_colors)
        same = float(parts[-1]) - shape.automorphism_bits
        return len(numbers) * log2(num_pairs + 1) + which + turned + names - same

    def places(self, shape: Shape, copies: np.ndarray) -> Places:
        """Where the nodes of a motif can be, and the bits by degree of copies ``[K, M]``.

        Uniformly, the node of a role is one of those with its colour and, in each slot, no smaller
        degree. By degree, it is drawn from these in proportion to w = Π (D)_r over the slots, so
        that a copy costs -log2 of the number of such copies that is expected at random.
        """
        graph, roles = self.graph, self.graph.roles(shape)
        pairs = zip(shape.colors.tolist(), roles, strict=True)
        found = [self._role(color, role) for color, role in pairs]
        uniform, weight = (sum(column) for column in zip(*found, strict=True))
        table = log2_factorials(int(graph.num_neighbors.max()))
        terms = terms_of(roles)
        by_degree = np.full(len(copies), weight)
        for role, slot, r in terms.tolist():
            degrees = graph.degrees[slot, copies[:, role]]
            by_degree -= table[degrees] - table[degrees - r]
        eligible = np.zeros(0, np.int64)
        if graph.is_plain:
            # the nodes of a role could all play those of smaller degree
            able = np.searchsorted(self._ascending, np.sort(roles[:, 0])[::-1])
            eligible = len(self._ascending) - able
        return Places(
            terms, by_degree, uniform, eligible, roles.sum(axis=1),
            graph.num_neighbors, graph.class_of, graph.class_sizes,
        )  # fmt: skip

    def _role(self, color: int, demand: np.ndarray) -> tuple[float, float]:
        """log2 of the nodes that can play a role, and of their weights."""
        key = color, demand.tobytes()
        if key not in self._roles:
            vectors, counts = self.graph.degree_classes[color]
            fits = (vectors >= demand[:, None]).all(axis=0)
            vectors, counts = vectors[:, fits], counts[fits]
            falling = log2_factorial(vectors) - log2_factorial(vectors - demand[:, None])
            logs = falling.sum(axis=0)
            top = float(logs.max(initial=0.0))
            weight = float((counts * np.exp2(logs - top)).sum())
            number = int(counts.sum())
            self._roles[key] = (
                log2(number) if number else np.inf,
                top + log2(weight) if number else np.inf,
            )
        return self._roles[key]

    def address_bits(
        self, shape: Shape, copies: np.ndarray, inside: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Bits of copies ``[K, M]`` by the first two addresses, ``[K]`` each.

        Where copies differ, ``inside`` is the demand of each node, int64 ``[K, M, S]``.
        """
        # a sum of hashes stands for a colour and a demand
        factors = mix64(np.arange(1, inside.shape[2] + 2, dtype=np.uint64))
        keys = (
            shape.colors.astype(np.uint64) * factors[-1] + inside.astype(np.uint64) @ factors[:-1]
        )
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        colors = np.broadcast_to(shape.colors, copies.shape).reshape(-1)[first]
        demands = inside.reshape(-1, inside.shape[2])[first]
        pairs = zip(colors.tolist(), demands, strict=True)
        uniform, weight = np.array([self._role(*pair) for pair in pairs]).reshape(-1, 2).T
        which = which.reshape(copies.shape)
        table = log2_factorials(int(self.graph.num_neighbors.max()))
        by_degree = weight[which].sum(axis=1)
        for slot, degrees in enumerate(self.graph.degrees):
            degree = degrees[copies]
            by_degree -= (table[degree] - table[degree - inside[:, :, slot]]).sum(axis=1)
        return uniform[which].sum(axis=1), by_degree

    def address_of(self, shape: Shape, copies: np.ndarray, inside: np.ndarray) -> tuple[float, str]:
        """The cheapest address of some copies whose nodes have such demands, and its name."""
        graph, nodes = self.graph, copies.reshape(-1)
        left = graph.num_neighbors[copies] - inside.sum(axis=2)
        histogram = integer_bits(int(left.max())) + histogram_bits(np.bincount(left.reshape(-1)))
        sizes, own = graph.class_sizes, graph.class_of[nodes]
        uniform, by_degree = self.address_bits(shape, copies, inside)
        bits = [uniform.sum(), by_degree.sum(), histogram + np.log2(sizes[own]).sum(), np.inf]
        bits.append(np.inf)
        if len(np.unique(nodes)) == len(nodes):
            if graph.is_plain:
                demand = np.sort(inside.reshape(-1))[::-1]
                able = len(graph.colors) - np.searchsorted(self._ascending, demand)
                bits[3] = np.log2(np.maximum(1, able - np.arange(len(able)))).sum()
            taken = np.bincount(own, minlength=len(sizes))
            without = log2_factorial(sizes) - log2_factorial(sizes - taken)
            bits[4] = histogram + without.sum()
        best = int(np.argmin(bits))
        return float(bits[best]), ADDRESSES[best]

    def motif_bits(self, shape: Shape, copies: np.ndarray) -> MotifBits:
        """The bits of a motif and its copies ``[K, M]``, by the cheapest address code.

        The order of the copies, and which symmetric mapping each has, are first said, then taken
        off.
        """
        copies, number = copies.astype(np.int32), len(copies)
        marks = np.zeros(len(self.graph.colors), np.int64)
        places, table = self.places(shape, copies), log2_factorials(max(len(marks), number))
        addresses, codes = prefix_addresses(np.arange(number), copies, places, table, marks, 1)
        order = float(log2_factorial(number)) + number * shape.automorphism_bits
        return MotifBits(
            size=integer_bits(shape.num_nodes),
            drawing=self.drawing(shape),
            number=integer_bits(number),
            choice=log2(len(ADDRESSES)),
            address=float(addresses[-1]),
            order=-order,
            pendant=PENDANT_BITS * number * shape.num_pendant,
            code=ADDRESSES[codes[-1]],
        )

    def length(self, motifs: Motifs) -> CodeBits:
        """The complete length of the graph with some motifs, in parts.

        Parameters
        ----------
        motifs : sequence of (MotifShape, numpy.ndarray)
            Each motif and its copies, int64 ``[K, M]``, in the order of its nodes.

        Raises
        ------
        InputError
            If a copy is not induced, or two copies share an edge.
        """
        graph = self.graph
        degrees, used = graph.degrees.copy(), np.zeros(graph.num_edges, bool)
        for shape, copies in motifs:
            graph.check_copies(shape, copies)
            edges = graph.edge_numbers(shape, copies).reshape(-1)
            if used[edges].any() or len(np.unique(edges)) < len(edges):
                raise InputError("copies must share no edge, got two that do.")
            used[edges] = True
            move_copies(degrees, copies.astype(np.int32), terms_of(graph.roles(shape)), -1)
        parts = tuple(self.motif_bits(shape, copies) for shape, copies in motifs)
        rest = self.residual(degrees, used, tolerance=REPORT_TOLERANCE)
        error = sum(one.error for one in rest.counts)
        return CodeBits(integer_bits(len(motifs)), parts, rest.bits, self.partition, error)
