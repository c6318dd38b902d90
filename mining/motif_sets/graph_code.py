"""The code of one graph: what the length of its description with some motifs is made of.

The degrees are known to both sides. What is sent is the number of motifs, each motif (its size, a
drawing of it, how many copies there are, where these are), and which of all simple graphs with the
degrees that the copies leave over is the rest. No two copies share an edge.

    L = L_N(J) + Σ_j [ L_N(n_j) + drawing_j + L_N(k_j) + log2 5 + address_j
                       - log2 k_j! - k_j log2 |Aut_j| + 6 k_j p_j + edits_j ] + residual

with J motifs, k_j copies of the n_j nodes of motif j, and p_j of these outside its 2-core, which
the degrees explain: 6 bits each are a prior against trees. L_N is the code of whole numbers, see
:func:`~gomkcn.mining.motif_sets.integer_codes.integer_bits`; the bits of edits are in
:mod:`~gomkcn.mining.motif_sets.placed_motif`, and none where all copies are exact. The sum itself
is that of a :class:`~gomkcn.mining.motif_sets.graph_description.GraphDescription`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import log2
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.motif_sets.graph_count import (
    MOST_CLASSES,
    GraphCount,
    count_graphs,
    count_graphs_of_blocks,
    count_two_sided_graphs,
)
from gomkcn.mining.motif_sets.integer_codes import (
    histogram_bits,
    integer_bits,
    log2_binomial,
    log2_factorial,
    log2_factorials,
)
from gomkcn.mining.motif_sets.kept_results import KeptResults, digest_of
from gomkcn.mining.structures.graph_relations import links_in
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.node_sets import PENDANT_BITS, Palette, structure_of_nodes
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph
from gomkcn_dgl.kernels.search_numba import mix64

# the codes that say where the copies are, in the order in which they are compared
ADDRESSES = (
    "uniform",
    "by degree",
    "by residual degree",
    "without replacement",
    "by residual degree without replacement",
)

# bytes of the counts of what copies left over that are kept: of thousands of them in most graphs
_MOST_KEPT = 32 << 20
# … of the copies that were listed: of some hundred structures in a large graph
_MOST_LISTED = 64 << 20
# … and of the bits of exact copies: of more than are ever measured in most graphs
_MOST_COSTS = 4 << 20


class MotifBits(NamedTuple):
    """The bits of a motif and its copies, and the name of the cheapest address."""

    bits: float
    address: str

    @property
    def num_bytes(self) -> int:
        """It has no arrays."""
        return 0


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

    @property
    def has_one_side(self) -> bool:
        """Whether both sides are the same nodes and degrees."""
        return (self.first, self.first_slot) == (self.second, self.second_slot)


@dataclass(frozen=True, eq=False)
class GraphCode:
    """The code of one graph: the numbers of its edges, and the degrees of its nodes in each slot.

    All that joins two nodes is one edge, which is of one *link*, see
    :mod:`gomkcn_dgl.relations`. A *slot* is a link as a node sees it, and the colour of the node at
    the other end: S of them occur.

    Examples
    --------
    >>> import networkx as nx
    >>> code = GraphCode.of(MinedGraph.of(nx.DiGraph([(0, 1), (1, 0), (1, 2)])))
    >>> code.degrees.shape, len(code.layers), code.num_kinds
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
    # int64 [V], from 0: the edges are then given how many there are between blocks as well
    blocks: np.ndarray | None = None
    # different degrees, beyond which some are grouped where graphs are counted
    most_classes: int = MOST_CLASSES
    # what was listed of the graph, which blocks change nothing of
    listed: KeptResults[Any] = field(default_factory=lambda: KeptResults(_MOST_LISTED), repr=False)

    @classmethod
    def of(cls, mined: MinedGraph) -> GraphCode:
        """Number the edges, slots and layers of a graph."""
        graph = mined.graph
        number = graph.num_nodes
        num_links = len(graph.relations.links)
        # 1. colours and links as numbers from 0 and 1
        colors = np.zeros(number, np.int64)
        names = np.zeros(1, np.int64)
        if mined.colors is not None:
            names, colors = np.unique(mined.colors, return_inverse=True)
        arrays = CompiledGraph.of(graph, colors)
        links = arrays.links_at(np.arange(len(graph.indices))).astype(np.int64)
        # 2. edges are numbered as their smaller end meets them; the other way has the same number
        rows = np.repeat(np.arange(number), graph.degrees)
        ahead = rows < graph.indices
        edge_of = np.cumsum(ahead) - 1
        back = graph.opposite_entries
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
        codes = np.unique(seen[leads] * len(known) + slot_of[leads])
        layers = []
        for code in codes.tolist():
            end, slot = divmod(code, len(known))
            link, first = divmod(end, len(names))
            second = int(known[slot]) % len(names)
            other = int(slots[graph.relations.reverse[link], first])
            layers.append(Layer(first, slot, second, other))
        return cls(
            mined=mined,
            rows=arrays,
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

    @cached_property
    def num_links(self) -> int:
        """Links that an edge can have, as seen from one of its ends."""
        return int((self.slots >= 0).any(axis=1).sum())

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
    def ascending_degrees(self) -> np.ndarray:
        """The degrees of a plain graph, ascending, int64 ``[V]``."""
        return np.sort(self.degrees[0])

    @cached_property
    def class_of(self) -> np.ndarray:
        """The class of each node by its colour and number of neighbours, int64 ``[V]``."""
        keys = self.colors * (int(self.num_neighbors.max()) + 1) + self.num_neighbors
        classes: np.ndarray = np.unique(keys, return_inverse=True)[1]
        return classes

    @cached_property
    def class_sizes(self) -> np.ndarray:
        """Number of nodes in each class, int64."""
        return np.bincount(self.class_of)

    def inside(self, links: np.ndarray, colors: np.ndarray) -> np.ndarray:
        """Neighbours of each node inside its set, in each slot, int64 ``[..., M, S]``.

        ``links [..., M, M]`` are what joins the nodes of sets, and ``colors [M]`` their colours.
        """
        slots = np.where(links > 0, self.slots[links, colors], -1)
        numbers = np.arange(len(self.degrees))
        return (slots[..., None] == numbers).sum(axis=-2)

    @cached_property
    def palette(self) -> Palette:
        """The categories that each colour stands for."""
        return self.mined.palette_of(self.color_names)

    def structure(self, links: np.ndarray, colors: np.ndarray) -> Structure:
        """The structure of nodes in the numbers of the graph, in the order that is given."""
        return structure_of_nodes(links, colors, self.mined.graph.relations, self.palette)

    def named(self, structure: Structure) -> Structure:
        """A structure in the numbers of the graph, with its relations and palette."""
        return replace(structure, relations=self.mined.graph.relations, palette=self.palette)

    def shape_of(self, structure: Structure) -> Structure | None:
        """A given structure in the numbers of the graph, its nodes in the same order.

        None where one of its links or colours does not occur in the graph.
        """
        graph = self.mined.graph
        links, colors = links_in(graph.relations, structure), np.zeros(structure.num_nodes, int)
        if self.mined.colors is not None:
            known = self.mined.colors_of(structure)
            if known is None:
                raise InputError("structure", "must have the categories of its nodes", got="none")
            colors = np.searchsorted(self.color_names, known[0]).clip(max=self.num_colors - 1)
            if (self.color_names[colors] != known[0]).any():
                return None
        rows, columns = np.nonzero(links)
        if (links < 0).any() or (self.slots[links[rows, columns], colors[columns]] < 0).any():
            return None
        return self.structure(links, colors)

    def edge_numbers(self, structure: Structure, copies: np.ndarray) -> np.ndarray:
        """The edge at each pair that is joined of each copy ``[K, M]``, int32 ``[K, P]``."""
        entries = self.rows.entries_of(copies, structure.pairs)
        return self.edge_of[entries].astype(np.int32)

    def given(self, blocks: np.ndarray) -> GraphCode:
        """The code of the same graph, given how many edges there are between blocks as well.

        ``blocks`` is int64 ``[V]``, the block of each node, from 0. A graph whose edges have
        directions or relations, or whose nodes have categories, has no such code: an InputError.
        """
        if not self.is_plain:
            raise InputError(
                "blocks",
                "must be None where edges have directions or relations, or nodes categories",
            )
        return replace(self, blocks=blocks)

    @cached_property
    def partition_bits(self) -> float:
        """Bits of the blocks, and a bit more that says that there are some; 0 without any."""
        if self.blocks is None:
            return 0.0
        return partition_bits(self.blocks, self.num_edges) + 1

    @cached_property
    def whole(self) -> Residual:
        """The graph itself, of which no copy has taken anything."""
        return self.residual(self.degrees, np.zeros(self.num_edges, bool))

    @cached_property
    def kept_residuals(self) -> KeptResults[Residual]:
        """What copies left over before, by the edges that they have."""
        return KeptResults(_MOST_KEPT)

    def residual(
        self, degrees: np.ndarray, used: np.ndarray, near: Residual | None = None
    ) -> Residual:
        """The graph that copies leave over, of degrees ``[S, V]`` and edges that are not used.

        Layers are multiplied, an upper bound where edges of two layers may join the same nodes. The
        search for the multipliers starts at those of what is ``near``.
        """
        counts = []
        for number, layer in enumerate(self.layers):
            first = degrees[layer.first_slot, self.nodes_of[layer.first]]
            if self.blocks is not None:
                between = edges_between(self.edges[~used], self.blocks)
                start = None if near is None else near.counts[number]
                count = count_graphs_of_blocks(
                    first, self.blocks, between, start, self.most_classes
                )
            elif layer.has_one_side:
                count = count_graphs(first, self.most_classes)
            else:
                second = degrees[layer.second_slot, self.nodes_of[layer.second]]
                same = layer.first == layer.second
                count = count_two_sided_graphs(first, second, same, self.most_classes)
            counts.append(count)
        bits = self.partition_bits + sum(count.bits for count in counts)
        return Residual(bits, sum(count.error for count in counts), tuple(counts))

    def edge_bits(self, residual: Residual, degrees: np.ndarray) -> np.ndarray:
        """-log2 of the odds of each edge of the whole graph in what is left, ``[num_edges]``."""
        # 1. log2 x of each slot and node
        logs = np.zeros(degrees.shape)
        blocks = 0 if self.blocks is None else self.blocks
        for layer, count in zip(self.layers, residual.counts, strict=True):
            ends = (layer.first, layer.first_slot), (layer.second, layer.second_slot)
            for (color, slot), side in zip(ends, count.sides, strict=False):
                nodes = self.nodes_of[color]
                logs[slot, nodes] = side.of(degrees[slot, nodes], blocks)
        # 2. the odds are x_i x_j ω_ab
        first, second = self._ends_in_slots
        bits = -logs.take(first) - logs.take(second)
        if self.blocks is not None:
            first_ends, second_ends = self.edges.T
            between = residual.counts[0].between
            assert between is not None, "blocks are counted with what lies between them"
            bits -= between[self.blocks[first_ends], self.blocks[second_ends]]
        return bits

    @cached_property
    def _ends_in_slots(self) -> np.ndarray:
        """The place of both ends of each edge in degrees ``[S, V]``, int64 ``[2, num_edges]``."""
        return np.ascontiguousarray((self.edge_slots * len(self.colors) + self.edges).T)

    # the bits of a motif

    def exact_bits(self, structure: Structure, copies: np.ndarray, inside: np.ndarray) -> MotifBits:
        """:meth:`motif_bits` of copies that are all alike: sets have them beside many others."""
        key = structure.code, digest_of(copies)
        return self._kept_bits.find(key, partial(self.motif_bits, structure, copies, inside))

    @cached_property
    def _kept_bits(self) -> KeptResults[MotifBits]:
        return KeptResults(_MOST_COSTS)

    def motif_bits(self, structure: Structure, copies: np.ndarray, inside: np.ndarray) -> MotifBits:
        """The bits of a motif and its copies ``[K, M]``, and the name of the cheapest address.

        ``inside``, int64 ``[K, M, S]``, are the edges that each node has inside its copy, or
        ``[1, M, S]`` where all copies are alike. The order of the copies, and which symmetric
        mapping each has, are first said, then taken off.
        """
        number = len(copies)
        address_bits, address = self.address_of(structure, copies, inside)
        bits = self.head_bits(structure) + integer_bits(number) + address_bits
        bits += number * (PENDANT_BITS * structure.num_pendant - structure.automorphism_bits)
        return MotifBits(bits - float(log2_factorial(number)), address)

    def head_bits(self, structure: Structure) -> float:
        """Bits of a motif before its copies: its size, its drawing, and the choice of an address.

        They are kept: a search asks for those of a structure each time that it chooses its copies.
        """
        known = self._heads.get(structure.code)
        if known is None:
            known = self._heads[structure.code] = self._find_head_bits(structure)
        return known

    @cached_property
    def _heads(self) -> dict[bytes, float]:
        return {}

    def _find_head_bits(self, structure: Structure) -> float:
        """The head bits of a structure.

        The drawing says how many of the P pairs are of each kind, which these are, a bit for the
        direction of each pair of a kind that has one, and the categories; the order of the nodes is
        not said.
        """
        size = structure.num_nodes
        num_pairs = size * (size - 1) // 2
        numbers = np.bincount(self.kind_of[structure.pair_links], minlength=self.num_kinds)
        num_apart = num_pairs - int(numbers.sum())
        ways_to_choose = log2_factorial(num_pairs) - log2_factorial([num_apart, *numbers]).sum()
        turned = float(numbers[self.has_direction].sum())
        names = size * log2(self.num_colors)
        orders = float(log2_factorial(size)) - structure.automorphism_bits
        drawing = len(numbers) * log2(num_pairs + 1) + float(ways_to_choose) + turned + names
        return integer_bits(size) + drawing - orders + log2(len(ADDRESSES))

    def address_of(
        self, structure: Structure, copies: np.ndarray, inside: np.ndarray
    ) -> tuple[float, str]:
        """The bits and the name of the cheapest address of copies ``[K, M]``.

        - *uniform*: the node of a role is one of those with its colour and, in each slot, no
          smaller degree.
        - *by degree*: it is drawn from these in proportion to Π (D)_r over the slots, so that a
          copy costs -log2 of the number of such copies that is expected at random.
        - *by residual degree*: the degrees that are left, by a histogram of all of them together,
          and then one of the nodes with this degree.
        - *without replacement*, where copies share no node: the first or the third of these, among
          the nodes that are left.
        """
        nodes = copies.reshape(-1)
        left = self.num_neighbors[copies] - inside.sum(axis=2)
        histogram = integer_bits(int(left.max())) + histogram_bits(np.bincount(left.reshape(-1)))
        class_of = self.class_of[nodes]
        uniform, by_degree = self.address_bits(structure, copies, inside)
        bits = np.full(len(ADDRESSES), np.inf)
        bits[0] = np.repeat(uniform, len(copies) // len(uniform)).sum()
        bits[1] = by_degree.sum()
        bits[2] = histogram + np.log2(self.class_sizes[class_of]).sum()
        ascending = np.sort(nodes)
        if (ascending[1:] != ascending[:-1]).all():
            if self.is_plain:
                demand = np.sort(np.repeat(inside, len(copies) // len(inside)))[::-1]
                able = len(self.colors) - np.searchsorted(self.ascending_degrees, demand)
                bits[3] = np.log2(np.maximum(1, able - np.arange(len(able)))).sum()
            taken = np.bincount(class_of, minlength=len(self.class_sizes))
            factorials = log2_factorials(len(self.colors))
            falling = factorials[self.class_sizes] - factorials[self.class_sizes - taken]
            bits[4] = histogram + falling.sum()
        best = int(np.argmin(bits))
        return float(bits[best]), ADDRESSES[best]

    def address_bits(
        self, structure: Structure, copies: np.ndarray, inside: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Bits of copies ``[K, M]`` by the first two addresses, ``[K]`` each.

        ``inside`` is int64 ``[K, M, S]``, or ``[1, M, S]`` where all copies are alike; so are the
        bits by the first one.
        """
        # 1. the roles that differ: a sum of hashes stands for a colour and a demand
        which = np.arange(len(structure.colors))[None]
        first = which[0]
        if len(inside) != 1:
            factors = mix64(np.arange(1, inside.shape[2] + 2, dtype=np.uint64))
            keys = (
                structure.colors.astype(np.uint64) * factors[-1]
                + inside.astype(np.uint64) @ factors[:-1]
            )
            _, first, which = np.unique(keys, return_index=True, return_inverse=True)
            which = which.reshape(keys.shape)
        colors = structure.colors[first % len(structure.colors)]
        demands = inside.reshape(-1, inside.shape[2])[first]
        roles = [
            self._role_bits(color, tuple(demand))
            for color, demand in zip(colors.tolist(), demands.tolist(), strict=True)
        ]
        uniform, weight = np.array(roles).reshape(-1, 2).T
        # 2. by degree, the share that each node has of the weights
        log_factorials = log2_factorials(int(self.num_neighbors.max()))
        by_degree = weight[which].sum(axis=1)
        for slot, degrees in enumerate(self.degrees):
            nodes = np.flatnonzero(inside[:, :, slot].any(axis=0))
            degree = degrees[copies[:, nodes]]
            falling = log_factorials[degree] - log_factorials[degree - inside[:, nodes, slot]]
            by_degree = by_degree - falling.sum(axis=1)
        return uniform[which].sum(axis=1), by_degree

    def _role_bits(self, color: int, demand: tuple[int, ...]) -> tuple[float, float]:
        """log2 of the nodes that can play a role, and of their weights; few roles differ."""
        known = self._roles.get((color, demand))
        if known is None:
            known = self._roles[color, demand] = self._find_role_bits(color, np.array(demand))
        return known

    @cached_property
    def _roles(self) -> dict[tuple[int, tuple[int, ...]], tuple[float, float]]:
        return {}

    def _find_role_bits(self, color: int, demand: np.ndarray) -> tuple[float, float]:
        """log2 of the nodes that have the edges of a role, and of their weights."""
        vectors, counts = self.degree_classes[color]
        fits = (vectors >= demand[:, None]).all(axis=0)
        if not fits.any():
            return np.inf, np.inf
        vectors, counts = vectors[:, fits], counts[fits]
        falling = log2_factorial(vectors) - log2_factorial(vectors - demand[:, None])
        logs = falling.sum(axis=0)
        top = float(logs.max())
        weight = float((counts * np.exp2(logs - top)).sum())
        return log2(int(counts.sum())), top + log2(weight)


class Residual(NamedTuple):
    """The graph that copies leave over."""

    bits: float  # log2 of the number of graphs like it, with the partition where there is one
    error: float  # what the grouping of degrees changes the bits by at most, about
    counts: tuple[GraphCount, ...]  # one for each layer

    @property
    def num_bytes(self) -> int:
        """Bytes of its arrays."""
        return sum(count.num_bytes for count in self.counts)


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
