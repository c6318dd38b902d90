"""The sampler in plain Python, for the eye: what ``gomkcn_dgl/kernels/bfs_numba.py`` describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from colors_reference import GOLDEN, MASK, mix, plain_colored_rows

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.kernels import bfs_numba
from gomkcn_dgl.kernels.bfs_numba import MOST_RANKED_DEGREE, ExtractedArrays, hub_degree
from gomkcn_dgl.kernels.colors_numba import FEATURE_BITS, MARK, NODE, ColoredRows
from gomkcn_dgl.subgraphs import SubgraphBatch, SubgraphSettings, extract_subgraphs

# rounds of refinement of the nodes that were met
_ROUNDS = 4


def extract(
    indptr, indices, weights, links, reverse, colored, roots, keys, *settings: Any
) -> ExtractedArrays:
    """Extract the subgraph around each of S roots.

    ``links [E]`` and ``weights [E]`` go along with ``indices``; ``reverse [K]`` is each link seen
    from the other node. ``colored`` are the colours of nodes and the rows in their order. ``keys
    [S]`` are numbers of the roots' random streams; ``settings`` are num_hops, max_nodes, policy
    and seed.
    """
    num_hops, max_nodes, policy, seed = settings
    total, code_type = len(roots), np.uint8 if links is None else links.dtype
    out = ExtractedArrays(
        nodes=np.full((total, max_nodes), -1, np.int32),
        num_nodes=np.zeros(total, np.int32),
        truncated=np.zeros(total, bool),
        links=np.zeros((total, max_nodes, max_nodes), code_type),
        weights=None if weights is None else np.zeros((total, max_nodes, max_nodes), np.float32),
    )
    for row in range(total):
        # whole hops first; where one does not fit, the policy decides which nodes stay
        name = stream(seed, int(keys[row]))
        search = _Search(
            indptr, indices, links, colored, name, int(roots[row]), num_hops, max_nodes
        )
        selected, layer = search.whole_hops()
        if layer and policy == "bfs":
            selected = search.sample_next_hop(selected, layer)
        elif layer:
            selected = search.reordered(search.grow_dense())
        out.nodes[row, : len(selected)] = selected
        out.num_nodes[row] = len(selected)
        out.truncated[row] = bool(layer)
        search.induce(selected, weights, links, row, out)
    return out


def plain_subgraphs(
    graph: CSRGraph, settings: SubgraphSettings, roots: np.ndarray | None = None
) -> SubgraphBatch:
    """What ``extract_subgraphs`` returns."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bfs_numba, "extract", extract)
        patch.setattr(CSRGraph, "colored_rows", property(plain_colored_rows))
        return extract_subgraphs(graph, settings, roots)


@dataclass
class _Search:
    """One subgraph's view of the graph: its rows, its random stream and its limits."""

    indptr: np.ndarray
    indices: np.ndarray
    links: np.ndarray | None
    colored: ColoredRows
    stream: int
    root: int
    num_hops: int
    max_nodes: int
    draws: int = 0

    @property
    def limit(self) -> int:
        return hub_degree(self.max_nodes)

    def row(self, node: int) -> list[int]:
        return self.indices[self.indptr[node] : self.indptr[node + 1]].tolist()

    def walk(self, node: int) -> list[int]:
        """The row of a node in the order of colours, the root first among those of its own."""
        entries = self.colored.rows[self.indptr[node] : self.indptr[node + 1]] & NODE
        return sorted(entries.tolist(), key=lambda v: (self.color(v), v != self.root))

    def has_marks(self, node: int) -> bool:
        """Whether nodes of a row are alike, so that their order says nothing."""
        return bool((self.colored.rows[self.indptr[node] : self.indptr[node + 1]] & MARK).any())

    def color(self, node: int) -> int:
        return int(self.colored.colors[node])

    def structure(self, node: int) -> int:
        """The bits of the colour that are those of the structure."""
        return self.color(node) >> FEATURE_BITS

    def link(self, u: int, v: int) -> int:
        if self.links is None:
            return 1
        return int(self.links[self.indptr[u] + self.row(u).index(v)])

    def has_edge(self, u: int, v: int) -> bool:
        return v in self.indices[self.indptr[u] : self.indptr[u + 1]]

    def is_hub(self, node: int) -> bool:
        return len(self.row(node)) > self.limit

    def random(self, size: int) -> int:
        """Next number of the stream, in ``[0, size)``."""
        self.draws += 1
        return mix((self.stream + self.draws - 1) & MASK) % size

    def take(self, nodes: list[int]) -> int:
        """Take a random node out of a list; the last one moves into its place."""
        pick = self.random(len(nodes))
        nodes[pick], nodes[-1] = nodes[-1], nodes[pick]
        return nodes.pop()

    def draw(self, rows: list[int], selected: Collection[int]) -> int:
        """Draw an unselected node of these rows; it counts in the first row that holds it."""
        entries = [(owner, node) for owner in rows for node in self.walk(owner)]
        while True:
            owner, node = entries[self.random(len(entries))]
            if node not in selected and owner == next(v for v in rows if self.has_edge(v, node)):
                return node

    def next_hop(self, selected: list[int], layer: list[int]) -> list[int]:
        return list(
            dict.fromkeys(v for node in layer for v in self.walk(node) if v not in selected)
        )

    def whole_hops(self) -> tuple[list[int], list[int]]:
        """Whole hops while they fit, and the layer whose next hop does not; empty if all fit."""
        selected, layer = [self.root], [self.root]
        for _ in range(self.num_hops):
            if not layer:
                break
            # a hop is added as a whole or not at all
            hop = self.next_hop(selected, layer)
            if len(selected) + len(hop) > self.max_nodes:
                return selected, layer
            selected, layer = selected + hop, hop
        return selected, []

    def sample_next_hop(self, selected: list[int], layer: list[int]) -> list[int]:
        """Fill up with a uniform sample of the hop that does not fit."""
        hop = self.next_hop(selected, layer)
        # next to a hub, positions of its row are drawn; otherwise the hop is listed
        drawn = any(self.is_hub(node) for node in layer)
        walked = selected[: selected.index(layer[-1]) + 1]
        if not drawn and any(self.has_marks(node) for node in walked):
            return self.take_alike(selected, hop)
        while len(selected) < self.max_nodes:
            selected = [*selected, self.draw(layer, selected) if drawn else self.take(hop)]
        return selected

    def take_alike(self, whole: list[int], hop: list[int]) -> list[int]:
        """Fill up with random ones of the next hop, in the order of what each is beside others."""
        taken: list[int] = []
        while len(whole) + len(taken) < self.max_nodes:
            # of the whole hops the root alone is told from the others
            places = {**dict.fromkeys(whole, 1), self.root: 0}
            places |= {node: len(whole) + k for k, node in enumerate(taken)}
            marks = self.marks([*whole, *hop], places)
            left = sorted((v for v in hop if v not in taken), key=lambda v: (marks[v], v))
            taken.append(left[self.random(len(left))])
        return whole + taken

    def marks(self, met: Collection[int], places: dict[int, int]) -> dict[int, int]:
        """Colours of the nodes that were met, refined among them, where some have places."""
        marks = {node: self.color(node) for node in met}
        for node, place in places.items():
            marks[node] ^= mix(place)
        for _ in range(_ROUNDS):
            marks = {node: mix((marks[node] + self._around(node, marks)) & MASK) for node in met}
        return marks

    def _around(self, node: int, marks: dict[int, int]) -> int:
        if self.is_hub(node):
            return 0
        return sum(mix(marks[v] ^ self.link(node, v)) for v in self.row(node) if v in marks)

    def grow_dense(self) -> list[int]:
        """Add the best-linked node one at a time; then leaves give way to better-linked ones."""
        depth = {self.root: 0}
        selected = [self.root]
        among = self.links_among(self.offered(self.root))
        frontier: set[int] = set()
        met = {self.root}

        def offer(node: int) -> None:
            # the row of a hub is not read where it offers nothing
            if depth[node] < self.num_hops or not self.is_hub(node):
                met.update(self.offered(node))
            if depth[node] < self.num_hops:
                frontier.update(v for v in self.offered(node) if v not in depth)

        def select(node: int) -> None:
            frontier.remove(node)
            depth[node] = 1 + min(depth[v] for v in depth if self.has_edge(v, node))
            selected.append(node)
            offer(node)

        offer(self.root)
        while frontier and len(selected) < self.max_nodes:
            select(self.best_of(frontier, selected, selected, among, met))
        if len(selected) < self.max_nodes:
            return selected
        grown = list(selected)
        # leaves are looked for from the last one on, anew after each exchange
        place = len(selected) - 1
        while place > 0:
            leaf = selected[place]
            others = [v for v in selected if v != leaf]
            if self.links_to(leaf, others) == 1 and len(self.row(leaf)) <= self.limit and frontier:
                better = self.best_of(frontier, others, selected, among, met)
                if self.links_to(better, others) >= 2 and len(self.row(better)) <= self.limit:
                    selected.remove(leaf)
                    select(better)
                    place = len(selected)
            place -= 1
        # a root that is a leaf hangs from what came in, and is no part of it
        return grown if self.links_to(self.root, selected) == 1 else selected

    def links_to(self, node: int, others: Collection[int]) -> int:
        """How many of some nodes a node is joined to."""
        return sum(self.has_edge(other, node) for other in others)

    def offered(self, node: int) -> list[int]:
        """Return the neighbours of a node, or a random sample of a hub's."""
        row = self.walk(node)
        if len(row) <= self.limit:
            return row
        # the draws of a hub have a stream of their own, so that they do not depend on the order
        own = mix(self.stream ^ mix(self.structure(node)))
        return [row[bounded(mix(own + draw), len(row))] for draw in range(self.limit)]

    def links_among(self, nodes: list[int]) -> Counter[int]:
        """How many of the other nodes each is joined to; hubs are not asked for their rows."""
        rows = [self.row(node) for node in set(nodes)]
        ends = [v for row in rows if len(row) <= self.limit for v in row]
        return Counter(v for v in ends if v in nodes)

    def best_of(self, frontier, counted, selected, among, met) -> int:
        """The node of the least rank, where links to some nodes count; of several a random one."""
        ranks = {node: self._rank(node, counted, among) for node in frontier}
        best = [node for node in frontier if ranks[node] == min(ranks.values())]
        if len(best) == 1:
            return best[0]
        marks = self.marks(met, {node: place for place, node in enumerate(selected)})
        best.sort(key=lambda node: (marks[node], node))
        return best[mix((self.stream + len(selected)) & MASK) % len(best)]

    def _rank(self, node: int, selected: Collection[int], among: Counter[int]) -> tuple[int, ...]:
        # compared in this order: most links, most links among the root's neighbours, least degree,
        # random bits
        links = self.links_to(node, selected)
        priority = mix((self.stream + GOLDEN * (self.structure(node) + 1)) & MASK) >> 45
        degree = min(len(self.row(node)), MOST_RANKED_DEGREE)
        return (-links, -among[node], degree, priority)

    def reordered(self, selected: list[int]) -> list[int]:
        """Breadth-first order from the first node, inside the subgraph of the selected nodes."""
        order = selected[:1]
        for node in order:
            order += [v for v in selected if v not in order and self.has_edge(node, v)]
        return order

    def induce(self, selected: list[int], weights, links, row: int, out: ExtractedArrays) -> None:
        """Write the links and weights among the selected nodes."""
        for i, u in enumerate(selected):
            neighbours = self.row(u)
            for j, v in enumerate(selected):
                if v not in neighbours:
                    continue
                entry = self.indptr[u] + neighbours.index(v)
                out.links[row, i, j] = 1 if links is None else links[entry]
                if weights is not None:
                    out.weights[row, i, j] = weights[entry]


def stream(seed: int, key: int) -> int:
    """Name of the random stream of one subgraph."""
    return mix(mix(mix(seed) + key))


def bounded(bits: int, size: int) -> int:
    """Map 64 random bits to ``[0, size)``, for sizes below 2^32."""
    return ((bits >> 32) * size) >> 32
