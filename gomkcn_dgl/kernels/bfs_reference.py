"""Rooted subgraphs of at most N nodes, in plain Python: the definition of all three policies.

A subgraph starts at its root. Breadth-first search adds one hop after the other while they fit.
When they all fit, that is the subgraph whatever the policy. When a hop does not fit, the subgraph
is truncated, and the policy decides which nodes stay:

``bfs``
    the whole hops that fit, then a uniform sample of the hop that does not (the paper's choice).
``dense``
    grown from the root; the next node is the one with most edges into the kept set, then the one of
    lower degree, then a random one.
``random``
    grown from the root; the next node is a random one among those with an edge into the kept set.

Growing never leaves the ball of ``num_hops``: a node's depth is one more than the least depth among
its kept neighbours.

Randomness is counter-based: ``(seed, root, view)`` names a stream, and the stream gives each node
its priority, so nothing depends on the order in which roots are visited. A hub, a node with more
than ``hub_degree(N)`` neighbours, offers a random sample of that many draws. Since the ball then
holds more than N nodes, the subgraph is truncated for certain; what changes is only that the
neighbours of a hub and those of a small node in the same hop are not drawn with the same
probability.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

POLICIES = {"bfs": 0, "dense": 1, "random": 2}
WORD_BITS = 64

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


class ExtractedArrays(NamedTuple):
    """What every extraction backend returns; S = roots x views, root-major."""

    nodes: np.ndarray  # int32 [S, N], -1 = padding
    num_nodes: np.ndarray  # int32 [S]
    truncated: np.ndarray  # bool [S]
    bits: np.ndarray  # uint64 [S, N, ceil(N / 64)]
    weights: np.ndarray | None  # float32 [S, N, N]


def hub_degree(max_nodes: int) -> int:
    """Degree above which a node's neighbours are sampled instead of listed."""
    return max(64, 4 * max_nodes)


def extract(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray | None,
    roots: np.ndarray,
    num_hops: int,
    max_nodes: int,
    policy: str,
    num_views: int,
    seed: int,
) -> ExtractedArrays:
    """Extract ``num_views`` subgraphs around every root; see the module's docstring."""
    words = -(-max_nodes // WORD_BITS)
    total = len(roots) * num_views
    out = ExtractedArrays(
        nodes=np.full((total, max_nodes), -1, np.int32),
        num_nodes=np.zeros(total, np.int32),
        truncated=np.zeros(total, bool),
        bits=np.zeros((total, max_nodes, words), np.uint64),
        weights=None if weights is None else np.zeros((total, max_nodes, max_nodes), np.float32),
    )
    for row in range(total):
        root, view = int(roots[row // num_views]), row % num_views
        search = _Search(indptr, indices, stream(seed, root, view), num_hops, max_nodes)
        kept, truncated = search.breadth_first(root)
        if truncated and policy != "bfs":
            kept = search.grow(root, dense=policy == "dense")
        out.nodes[row, : len(kept)] = kept
        out.num_nodes[row] = len(kept)
        out.truncated[row] = truncated
        _induce(indptr, indices, weights, kept, row, out)
    return out


class _Search:
    """One subgraph's view of the graph: its rows, its random stream and its limits."""

    def __init__(
        self, indptr: np.ndarray, indices: np.ndarray, stream: int, num_hops: int, max_nodes: int
    ) -> None:
        self.indptr, self.indices = indptr, indices
        self.stream, self.num_hops, self.max_nodes = stream, num_hops, max_nodes
        self.limit = hub_degree(max_nodes)

    def degree(self, node: int) -> int:
        return int(self.indptr[node + 1] - self.indptr[node])

    def offered(self, node: int) -> list[int]:
        """Return the neighbours of a node, or a random sample of a hub's."""
        row = self.indices[self.indptr[node] : self.indptr[node + 1]].tolist()
        if len(row) <= self.limit:
            return row
        own = mix(self.stream ^ mix(node))
        return [row[bounded(mix(own + draw), len(row))] for draw in range(self.limit)]

    def priority(self, node: int) -> int:
        return mix(self.stream + _GOLDEN * (node + 1))

    def breadth_first(self, root: int) -> tuple[list[int], bool]:
        """Whole hops while they fit, then a sample of the hop that does not."""
        kept, layer, truncated = [root], [root], False
        for _ in range(self.num_hops):
            if not layer:
                break
            truncated |= any(self.degree(node) > self.limit for node in layer)
            found = dict.fromkeys(v for node in layer for v in self.offered(node) if v not in kept)
            room = self.max_nodes - len(kept)
            if len(found) > room:
                return kept + sorted(found, key=self.priority)[:room], True
            layer = list(found)
            kept += layer
        return kept, truncated

    def grow(self, root: int, dense: bool) -> list[int]:
        """Add one frontier node at a time; return the nodes in breadth-first order."""
        depth = {root: 0}
        frontier: set[int] = set()
        newest = root
        while len(depth) < self.max_nodes:
            if depth[newest] < self.num_hops:
                frontier.update(v for v in self.offered(newest) if v not in depth)
            if not frontier:
                break
            newest = min(frontier, key=lambda node: self._rank(node, depth, dense))
            frontier.remove(newest)
            depth[newest] = 1 + min(depth[v] for v in depth if self.has_edge(newest, v))
        return self.reordered(list(depth))

    def reordered(self, kept: list[int]) -> list[int]:
        """Breadth-first order from the first node, inside the subgraph of the kept nodes."""
        order = kept[:1]
        for node in order:
            order += [v for v in kept if v not in order and self.has_edge(node, v)]
        return order

    def _rank(self, node: int, kept: dict[int, int], dense: bool) -> tuple[int, ...]:
        if not dense:
            return (self.priority(node),)
        links = sum(self.has_edge(node, other) for other in kept)
        return (-links, self.degree(node), self.priority(node))

    def has_edge(self, u: int, v: int) -> bool:
        return v in self.indices[self.indptr[u] : self.indptr[u + 1]]


def _induce(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray | None,
    kept: list[int],
    row: int,
    out: ExtractedArrays,
) -> None:
    """Write the adjacency among the kept nodes, as bits and as weights."""
    for i, u in enumerate(kept):
        neighbours = indices[indptr[u] : indptr[u + 1]].tolist()
        for j, v in enumerate(kept):
            if v not in neighbours:
                continue
            out.bits[row, i, j // WORD_BITS] |= np.uint64(1 << (j % WORD_BITS))
            if weights is not None and out.weights is not None:
                out.weights[row, i, j] = weights[indptr[u] + neighbours.index(v)]


def stream(seed: int, root: int, view: int) -> int:
    """Name of the random stream of one subgraph."""
    return mix(mix(mix(seed) + root) + view)


def mix(value: int) -> int:
    """Scramble 64 bits: the finaliser of SplitMix64 (Steele, Lea and Flood, 2014)."""
    value = (value + _GOLDEN) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def bounded(bits: int, size: int) -> int:
    """Map 64 random bits to ``[0, size)``, for sizes below 2^32."""
    return ((bits >> 32) * size) >> 32
