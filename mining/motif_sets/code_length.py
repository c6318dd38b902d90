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
from functools import cached_property
from math import log2
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph
from gomkcn_dgl.kernels.search_numba import mix64
from mining.candidates.shapes import PENDANT_BITS, Shape
from mining.graph_relations import links_in
from mining.mined_graph import MinedGraph
from mining.motif_sets.copy_loops import Places
from mining.motif_sets.graph_count import (
    GraphCount,
    count_graphs,
    count_graphs_of_blocks,
    count_two_sided_graphs,
)
from mining.motif_sets.integer_codes import (
    histogram_bits,
    integer_bits,
    log2_binomial,
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


class Layer(NamedTuple):
    """Edges of one link between nodes of two colours, which have degrees of their own.

    Nodes of the colour ``first`` have their degrees in the slot ``first_slot``, and those at the
    other end likewise. A link that reads alike from both ends, between nodes of one colour, has one
    side, and both are the same.
    """

    first: int
    first_slot: int
    second: int
    second_slot: int


@dataclass(frozen=True, eq=False)
class CodedGraph:
    """One graph, with the numbers of its edges and the degrees of its nodes in each slot.

    All that joins two nodes is one edge, which is of one *link*, see
    :mod:`gomkcn_dgl.relations`. A *slot* is a link as a node sees it, and the colour of the node at
    the other end: S of them occur.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = CodedGraph.of(MinedGraph.of(nx.DiGraph([(0, 1), (1, 0), (1, 2)])))
    >>> graph.degrees.shape, len(graph.layers), graph.num_kinds
    ((3, 3), 2, 2)
    """

    mined: MinedGraph  # its nodes keep their numbers
    rows: CompiledGraph  # colours are from 0, and all are 0 where nodes have no categories
    edge_of: np.ndarray  # int64 [2 num_edges], the number of the edge of each entry
    edges: np.ndarray  # int64 [num_edges, 2], the ends of each edge, the smaller node first
    edge_slots: np.ndarray  # int64 [num_edges, 2], the slot in which either end counts the edge
    color_names: np.ndarray  # int64 [num_colors], which of the colours of `mined` each is
    slots: np.ndarray  # int64 [links, num_colors], the slot of a link to a colour, or -1
    layers: tuple[Layer, ...]  # those that occur
    degrees: np.ndarray  # int64 [S, V], neighbours of each node in each slot

    @classmethod
    def of(cls, mined: MinedGraph) -> CodedGraph:
        """Number the edges, slots and layers of a graph."""
        graph = mined.graph
        number, num_links = graph.num_nodes, len(graph.relations.links)
        # 1. colours and links as numbers from 0 and 1
        colors, names = np.zeros(number, np.int64), np.zeros(1, np.int64)
        if mined.colors is not None:
            names, colors = np.unique(mined.colors, return_inverse=True)
        own = CompiledGraph.of(graph, colors)
        links = own.links_at(np.arange(len(graph.indices))).astype(np.int64)
        # 2. edges are numbered as their smaller end meets them; the other way has the same number
        rows = np.repeat(np.arange(number), graph.degrees)
        ahead = rows < graph.indices
        edge_of, back = np.cumsum(ahead) - 1, graph.opposite_entries
        edge_of[back[ahead]] = edge_of[ahead]
        edges = np.stack([rows[ahead], graph.indices[ahead]], axis=1).astype(np.int64)
        # 3. slots, and how many neighbours there are in each
        pairs = links * len(names) + colors[graph.indices]
        known = np.flatnonzero(np.bincount(pairs))
        slots = np.full((num_links, len(names)), -1)
        slots.reshape(-1)[known] = np.arange(len(known))
        slot_of = slots.reshape(-1)[pairs]
        degrees = np.bincount(slot_of * number + rows, minlength=len(known) * number)
        # 4. layers: each edge as that end sees it whose link, then colour, is the larger
        seen = links * len(names) + colors[rows]
        leads = np.flatnonzero(seen >= seen[back])
        found = np.unique(seen[leads] * len(known) + slot_of[leads])
        layers = []
        for one in found.tolist():
            end, slot = divmod(one, len(known))
            link, first = divmod(end, len(names))
            second = int(known[slot]) % len(names)
            other = int(slots[graph.relations.reverse[link], first])
            layers.append(Layer(first, slot, second, other))
        return cls(
            mined=mined,
            rows=own,
            edge_of=edge_of,
            edges=edges,
            edge_slots=np.stack([slot_of[ahead], slot_of[back[ahead]]], axis=1),
            color_names=names,
            slots=slots,
            layers=tuple(layers),
            degrees=degrees.reshape(len(known), number),
        )

    @property
    def colors(self) -> np.ndarray:
        """The colour of each node, int64 ``[V]``."""
        return self.rows.colors

    @property
    def num_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    @property
    def num_colors(self) -> int:
        """Number of colours that occur."""
        return len(self.color_names)

    @property
    def is_plain(self) -> bool:
        """Whether edges have no directions or relations, and nodes no categories."""
        return self.num_colors == 1 and self.num_kinds == 1 and not self.has_direction.any()

    @cached_property
    def kind_of(self) -> np.ndarray:
        """The kind of each link, int64: a link that occurs and its reverse are one, from 0."""
        reverse = self.mined.graph.relations.reverse
        occur = np.flatnonzero((self.slots >= 0).any(axis=1))
        kinds = np.full(len(reverse), -1)
        kinds[occur] = np.unique(np.minimum(occur, reverse[occur]), return_inverse=True)[1]
        return kinds

    @cached_property
    def has_direction(self) -> np.ndarray:
        """Whether edges of a kind read otherwise from their other end, bool ``[num_kinds]``."""
        reverse = self.mined.graph.relations.reverse
        kinds = np.zeros(self.num_kinds, bool)
        links = np.flatnonzero((self.kind_of >= 0) & (reverse != np.arange(len(reverse))))
        kinds[self.kind_of[links]] = True
        return kinds

    @cached_property
    def num_kinds(self) -> int:
        """Number of kinds; where edges have a direction two at least, of arcs and mutual pairs."""
        least = 2 if self.mined.graph.is_directed else 1
        return max(least, int(self.kind_of.max()) + 1)

    @cached_property
    def nodes_of(self) -> tuple[np.ndarray, ...]:
        """The nodes of each colour."""
        return tuple(np.flatnonzero(self.colors == color) for color in range(self.num_colors))

    @cached_property
    def num_neighbors(self) -> np.ndarray:
        """Neighbours of each node in all slots, int64 ``[V]``."""
        return np.diff(self.mined.graph.indptr)

    @cached_property
    def degree_classes(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """For each colour, the degrees ``[S, Q]`` that its nodes have, and how many have each."""
        return tuple(
            np.unique(self.degrees[:, nodes], axis=1, return_counts=True) for nodes in self.nodes_of
        )

    @cached_property
    def class_of(self) -> np.ndarray:
        """The class of each node by its colour and number of neighbours, int64 ``[V]``."""
        keys = self.colors * (int(self.num_neighbors.max()) + 1) + self.num_neighbors
        found: np.ndarray = np.unique(keys, return_inverse=True)[1]
        return found

    @cached_property
    def class_sizes(self) -> np.ndarray:
        """Number of nodes in each class, int64."""
        return np.bincount(self.class_of)

    def roles(self, shape: Shape) -> np.ndarray:
        """Neighbours of each node of a shape in each slot, int64 ``[M, S]``."""
        rows, columns = np.nonzero(shape.links)
        roles = np.zeros((shape.num_nodes, len(self.degrees)), np.int64)
        np.add.at(roles, (rows, self.slots[shape.links[rows, columns], shape.colors[columns]]), 1)
        return roles

    def shape_of(self, structure: Structure) -> Shape | None:
        """The shape of a structure, or None where a link or colour does not occur in the graph."""
        graph = self.mined.graph
        links, colors = links_in(graph.relations, structure), np.zeros(structure.num_nodes, int)
        if self.mined.colors is not None:
            known = self.mined.colors_of(structure)
            if known is None:
                raise InputError("structure must have the categories of its nodes, got none.")
            colors = np.searchsorted(self.color_names, known[0]).clip(max=self.num_colors - 1)
            if (self.color_names[colors] != known[0]).any():
                return None
        rows, columns = np.nonzero(links)
        if (links < 0).any() or (self.slots[links[rows, columns], colors[columns]] < 0).any():
            return None
        return Shape.of(links, colors)

    def structure_of(self, shape: Shape) -> Structure:
        """The structure of a shape."""
        channels = self.mined.graph.relations.links[shape.links]
        colors = None if self.mined.colors is None else self.color_names[shape.colors]
        return self.mined.structure(channels, colors)

    def edge_numbers(self, shape: Shape, copies: np.ndarray) -> np.ndarray:
        """The edge at each pair that is joined of each copy ``[K, M]``, int32 ``[K, P]``."""
        entries = self.rows.entries_of(copies, shape.edges[:, :2])
        return self.edge_of[entries].astype(np.int32)


def terms_of(roles: np.ndarray) -> np.ndarray:
    """Node, slot and number of what is not 0 in ``roles [M, S]``, int64 ``[T, 3]``."""
    return np.column_stack([*np.nonzero(roles), roles[roles > 0]])


def move_copies(degrees: np.ndarray, copies: np.ndarray, terms: np.ndarray, sign: int) -> None:
    """Take the edges of copies ``[K, M]`` from ``degrees [S, V]``; give them back with sign 1."""
    roles, slots, numbers = terms.T
    np.add.at(degrees, (slots, copies[:, roles]), sign * numbers)


class Length(NamedTuple):
    """Bits of a description, and what the grouping of degrees changes them by at most, about."""

    total: float
    error: float


class Residual(NamedTuple):
    """The graph that copies leave over."""

    bits: float  # log2 of the number of graphs like it, with the partition where there is one
    counts: tuple[GraphCount, ...]  # one for each layer


class GraphCode:
    """Lengths of the descriptions of a graph.

    With ``blocks``, int64 ``[V]`` from 0, its edges are given the degrees *and* how many there are
    between blocks; only where ``graph.is_plain``, else this is an InputError.

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
        # bits of the partition, and how many pairs of blocks edges join, those inside one too
        self.partition, self.joined_blocks = 0.0, 0
        if blocks is not None:
            # one bit more says that there are blocks
            self.partition = partition_bits(blocks, graph.num_edges) + 1
            self.joined_blocks = int(np.triu(edges_between(graph.edges, blocks) > 0).sum())
        self._ascending = np.sort(graph.degrees[0])
        self._roles: dict[tuple[int, bytes], tuple[float, float]] = {}

    def residual(self, degrees: np.ndarray, used: np.ndarray) -> Residual:
        """The bits of what copies leave over, of degrees ``[S, V]`` and edges that are not used.

        Layers are multiplied, an upper bound where edges of two layers may join the same nodes.
        """
        graph, counts = self.graph, []
        for layer in graph.layers:
            first = degrees[layer.first_slot, graph.nodes_of[layer.first]]
            second = degrees[layer.second_slot, graph.nodes_of[layer.second]]
            if self.blocks is not None:
                edges = edges_between(graph.edges[~used], self.blocks)
                one = count_graphs_of_blocks(first, self.blocks, edges)
            elif layer[:2] == layer[2:]:
                one = count_graphs(first)
            else:
                same = layer.first == layer.second
                one = count_two_sided_graphs(first, second, same)
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
            between = residual.counts[0].between
            assert between is not None, "blocks are counted with what lies between them"
            bits -= between[tuple(self.blocks[graph.edges].T)]
        return bits

    def head(self, shape: Shape) -> float:
        """Bits of the size of a motif and of its drawing: which pairs are joined, and how.

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
        drawing = len(numbers) * log2(num_pairs + 1) + which + turned + names - same
        return integer_bits(size) + drawing

    def places(self, shape: Shape, copies: np.ndarray) -> Places:
        """Where the nodes of a motif can be, and the bits by degree of copies ``[K, M]``.

        Uniformly, the node of a role is one of those with its colour and, in each slot, no smaller
        degree. By degree, it is drawn from these in proportion to w = Π (D)_r over the slots, so
        that a copy costs -log2 of the number of such copies that is expected at random.
        """
        graph, roles = self.graph, self.graph.roles(shape)
        (uniform,), by_degree = self.address_bits(shape, copies, roles[None])
        eligible = np.zeros(0, np.int64)
        if graph.is_plain:
            # the nodes of a role could all play those of smaller degree
            able = np.searchsorted(self._ascending, np.sort(roles[:, 0])[::-1])
            eligible = len(self._ascending) - able
        return Places(
            terms_of(roles), by_degree, uniform, eligible, roles.sum(axis=1),
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

        ``inside``, the demand of each node, is int64 ``[K, M, S]``, or ``[1, M, S]`` where all
        copies are alike; so are the bits by the first one.
        """
        # 1. the roles that differ: a sum of hashes stands for a colour and a demand
        factors = mix64(np.arange(1, inside.shape[2] + 2, dtype=np.uint64))
        keys = (
            shape.colors.astype(np.uint64) * factors[-1] + inside.astype(np.uint64) @ factors[:-1]
        )
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        colors = np.broadcast_to(shape.colors, keys.shape).reshape(-1)[first]
        demands = inside.reshape(-1, inside.shape[2])[first]
        pairs = zip(colors.tolist(), demands, strict=True)
        uniform, weight = np.array([self._role(*pair) for pair in pairs]).reshape(-1, 2).T
        which = which.reshape(keys.shape)
        # 2. by degree, the share that each node has of the weights
        table = log2_factorials(int(self.graph.num_neighbors.max()))
        by_degree = weight[which].sum(axis=1)
        for slot, degrees in enumerate(self.graph.degrees):
            nodes = np.flatnonzero(inside[:, :, slot].any(axis=0))
            degree = degrees[copies[:, nodes]]
            falling = table[degree] - table[degree - inside[:, nodes, slot]]
            by_degree = by_degree - falling.sum(axis=1)
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

    def motif_bits(
        self, shape: Shape, copies: np.ndarray, inside: np.ndarray | None = None
    ) -> tuple[float, str]:
        """The bits of a motif and its copies ``[K, M]``, and the name of the cheapest address.

        The order of the copies, and which symmetric mapping each has, are first said, then taken
        off. Where copies differ, ``inside`` is the demand of each node, int64 ``[K, M, S]``.
        """
        number = len(copies)
        if inside is None:
            inside = np.tile(self.graph.roles(shape), (number, 1, 1))
        address, name = self.address_of(shape, copies, inside)
        bits = self.head(shape) + integer_bits(number) + log2(len(ADDRESSES)) + address
        bits += number * (PENDANT_BITS * shape.num_pendant - shape.automorphism_bits)
        return bits - float(log2_factorial(number)), name

    def length(self, motifs: Motifs) -> Length:
        """The complete length of the graph with motifs and copies ``[K, M]`` that share no edge."""
        graph = self.graph
        degrees, used = graph.degrees.copy(), np.zeros(graph.num_edges, bool)
        for shape, copies in motifs:
            used[graph.edge_numbers(shape, copies)] = True
            move_copies(degrees, copies, terms_of(graph.roles(shape)), -1)
        rest = self.residual(degrees, used)
        bits = rest.bits + integer_bits(len(motifs))
        bits += sum(self.motif_bits(*one)[0] for one in motifs)
        return Length(bits, sum(one.error for one in rest.counts))


def edges_between(edges: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """How many of the edges ``[E, 2]`` join each two blocks, symmetric int64 ``[B, B]``.

    >>> edges_between(np.array([[0, 1], [1, 2]]), np.array([0, 0, 1])).tolist()
    [[1, 1], [1, 0]]
    """
    number = int(blocks.max()) + 1
    first, second = blocks[edges].T
    found = np.bincount(first * number + second, minlength=number**2).reshape(number, number)
    both: np.ndarray = found + found.T
    both[np.diag_indices(number)] //= 2
    return both


def partition_bits(blocks: np.ndarray, num_edges: int) -> float:
    """Bits of the block of each node ``[V]``, and of the numbers of edges between blocks.

    L_N(B) + log2 [ C(V - 1, B - 1) · V! / Π n_b! · C(B (B + 1) / 2 + E - 1, E) ].
    """
    sizes = np.bincount(blocks)
    number, num_nodes = len(sizes), len(blocks)
    which = float(log2_factorial(num_nodes) - log2_factorial(sizes).sum())
    counts = log2_binomial(number * (number + 1) // 2 + num_edges - 1, num_edges)
    return integer_bits(number) + log2_binomial(num_nodes - 1, number - 1) + which + counts
