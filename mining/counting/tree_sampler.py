"""Mappings of a pattern's spanning tree into a graph, counted exactly and drawn uniformly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gomkcn.mining.counting.query import Query
from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.graphs.canonical_form import canonical_forms
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph, bounds, degree, find_entry, link_at
from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT, mix
from gomkcn_dgl.runtime.compiled import compiled, run_blocks, subroutine

_NUM_TRIES = 200
# about what a draw takes, which decides whether threads are worth waking
_NANOSECONDS = 300.0
NODES_OF_A_BLOCK = 1024
DRAWS_OF_A_BLOCK = 1024
# a sum is stored at each entry whose position is a multiple of it
STRIDE = 32
# of a block of draws: sum of the shares, of their squares, draws with any, work
NUM_RESULTS = 4


@dataclass(frozen=True)
class SpanningTree:
    """A rooted spanning tree of a pattern.

    ``nodes [M]`` are the pattern's nodes in an order in which each follows its parent, whose place
    in the order is in ``parents [M]``, -1 for the root. The last node is a leaf.
    """

    nodes: np.ndarray
    parents: np.ndarray

    @classmethod
    def rooted(cls, structure: Structure, tree: np.ndarray, root: int) -> SpanningTree:
        """Order the nodes of ``tree [M, M]``: each next one has most edges to those before it."""
        joined, order, parents = structure.joined, [root], [-1]
        while len(order) < len(tree):
            next_to = [v for v in range(len(tree)) if v not in order and tree[v, order].any()]
            best = max(next_to, key=lambda v: (joined[v, order].sum(), joined[v].sum()))
            parents.append(int(np.flatnonzero(tree[best, order])[0]))
            order.append(best)
        return cls(np.array(order), np.array(parents))

    @property
    def inner(self) -> np.ndarray:
        """Nodes of the tree with children, by their place in the order."""
        return np.unique(self.parents[1:])


def spanning_trees(structure: Structure, degrees: np.ndarray) -> Iterator[SpanningTree]:
    """Different spanning trees of a pattern, the rarest ones in a graph of these degrees first.

    The number of mappings of a tree is judged by the graph's degrees alone, as if its edges were
    joined at random: the product of the moments of the degrees.
    """
    trees = _random_trees(structure.joined)
    # 1. by the nodes of each degree, which are far fewer than the nodes
    number = np.bincount(degrees)
    degree = np.arange(len(number), dtype=np.float64)
    moments = [number @ degree**k / number.sum() for k in range(structure.num_nodes)]
    expected = np.log(moments)[trees.sum(axis=2)].sum(axis=1)
    # 2. trees that an automorphism of the pattern maps to each other are one: their edges are links
    # of their own
    links = 2 * structure.links.astype(np.int64) + trees
    colors = np.tile(structure.colors, (len(trees), 1))
    order = canonical_forms(links, colors).order
    forms = links[np.arange(len(trees))[:, None, None], order[:, :, None], order[:, None, :]]
    seen = set[bytes]()
    for place in np.argsort(expected, kind="stable").tolist():
        form = forms[place].tobytes()
        if form not in seen:
            seen.add(form)
            yield _rooted(structure, trees[place])


def _rooted(structure: Structure, tree: np.ndarray) -> SpanningTree:
    """The tree as it is drawn: from the root with most edges among its first nodes."""

    def early_edges(tree: SpanningTree) -> list[int]:
        """Edges among the first 3, 4, … nodes: so many are compared early."""
        among = np.tril(structure.joined[np.ix_(tree.nodes, tree.nodes)]).sum(axis=1)
        return np.cumsum(among).tolist()

    rooted = [SpanningTree.rooted(structure, tree, root) for root in range(len(tree))]
    return max(rooted, key=early_edges)


def _random_trees(joined: np.ndarray) -> np.ndarray:
    """Different spanning trees of least weight for random weights, bool ``[T, M, M]``."""
    size = len(joined)
    weights = np.random.default_rng(0).random((_NUM_TRIES, size, size))
    weights = np.where(joined, weights, np.inf)
    trees = np.zeros(weights.shape, dtype=bool)
    number = np.arange(_NUM_TRIES)
    inside = np.zeros((_NUM_TRIES, size), dtype=bool)
    inside[:, 0] = True
    # Prim's algorithm, all trees at a time: the lightest edge that leaves what is inside
    for _ in range(size - 1):
        leaves = inside[:, :, None] & ~inside[:, None, :]
        lightest = np.where(leaves, weights, np.inf).reshape(_NUM_TRIES, -1).argmin(axis=1)
        u, v = np.divmod(lightest, size)
        trees[number, u, v] = trees[number, v, u] = inside[number, v] = True
    different: np.ndarray = np.unique(trees, axis=0)
    return different


class TreeSampler:
    """Uniform draws of the homomorphisms of a ``tree`` of ``size`` nodes; ``num_ways`` exist.

    Memory is O(M V + M E / 32) float64, and the graph itself is only read.
    """

    def __init__(self, query: Query, candidates: np.ndarray, tree: SpanningTree) -> None:
        assert query.joins_alone, "what is drawn is compared in nothing but links"
        graph, self.tree = query.graph, tree
        self.size = size = query.structure.num_nodes
        self._graph = CompiledGraph.of(graph)
        inner = np.full(size, -1)
        inner[tree.inner] = np.arange(len(tree.inner))
        allowed = np.ascontiguousarray(query.allowed[np.ix_(tree.nodes, tree.nodes)])
        is_free = np.asarray(allowed.all(axis=2))
        self._tree = Tree(tree.nodes, tree.parents, inner, allowed, is_free, candidates)
        self._ways = self._count_ways(graph)
        self.num_ways = float(self._ways.roots[-1])

    def _count_ways(self, graph: CSRGraph) -> Ways:
        """Ways of each subtree, leaves first."""
        tree, num_nodes = self._tree, graph.num_nodes
        inner = np.flatnonzero(tree.inner >= 0)
        numbers = np.empty((len(inner), num_nodes))
        ways = Ways(
            # those of the root, whose place is the first, which only their sums are asked for
            numbers[0],
            numbers,
            np.empty((len(tree.nodes), len(graph.indices) // STRIDE + 1)),
        )
        for row, i in zip(ways.ways, inner.tolist(), strict=True):
            row[:] = tree.candidates >> tree.nodes[i] & 1
        work = 3.0 * (num_nodes + len(graph.indices))
        for child in range(len(tree.nodes) - 1, 0, -1):
            blocks = -(-num_nodes // NODES_OF_A_BLOCK)
            run_blocks(multiply_ways, blocks, work, self._graph, tree, ways, child)
        np.cumsum(ways.roots, out=ways.roots)
        return ways

    def draw_shares(self, first: int, num_blocks: int, seed: int) -> np.ndarray:
        """Results of blocks of draws from number ``first`` on, float64 ``[B, 4]``."""
        results = np.empty((num_blocks, NUM_RESULTS))
        self._draw(draw_shares, first, num_blocks, seed, results)
        return results

    def draw_places(self, first: int, num_blocks: int, seed: int) -> np.ndarray:
        """Occurrences among blocks of draws, int32 ``[K, M]`` in the pattern's order."""
        places = np.empty((num_blocks * DRAWS_OF_A_BLOCK, len(self._tree.nodes)), np.int32)
        self._draw(draw_places, first, num_blocks, seed, places)
        return places[places[:, 0] >= 0]

    def _draw(
        self, loop: Callable[..., None], first: int, num_blocks: int, seed: int, out: np.ndarray
    ) -> None:
        if not self.num_ways:
            # nothing can be drawn, and nothing is: no shares, no places
            out[...] = 0 if out.dtype == np.float64 else -1
            return
        # where the numbers of these draws begin among those of the seed
        stream = np.uint64((seed * 0x9E3779B97F4A7C15 + first * DRAWS_OF_A_BLOCK) % 2**64)
        work = num_blocks * DRAWS_OF_A_BLOCK * _NANOSECONDS
        # as plain Python (NUMBA_DISABLE_JIT=1), 64-bit sums wrap with a warning
        with np.errstate(over="ignore"):
            run_blocks(loop, num_blocks, work, self._graph, self._tree, self._ways, stream, out)


class Tree(NamedTuple):
    """A spanning tree of the pattern, its nodes in the order in which they are drawn."""

    nodes: np.ndarray  # int64 [M], number in the pattern
    parents: np.ndarray  # int64 [M]
    inner: np.ndarray  # int64 [M], row in `ways`, -1 for a leaf
    allowed: np.ndarray  # bool [M, M, K], the links that may join the row's node to the column's
    is_free: np.ndarray  # bool [M, M], whether any may, or none
    candidates: np.ndarray  # int16 or int64 [V], bit i: can stand for the pattern's node i


class Ways(NamedTuple):
    """In how many ways subtrees can be mapped."""

    roots: np.ndarray  # float64 [V], ways of the whole tree, cumulated
    ways: np.ndarray  # float64 [I, V], of each inner node
    sums: np.ndarray  # float64 [M, E / STRIDE + 1], in a row before an entry, of each child


@compiled(**SEARCH_JIT)
def multiply_ways(first, last, graph, tree, ways, child):
    """Multiply the ways of a child's parent by those of the child, at some blocks of nodes."""
    parent_ways = ways.ways[tree.inner[tree.parents[child]]]
    for v in range(first * NODES_OF_A_BLOCK, min(last * NODES_OF_A_BLOCK, len(parent_ways))):
        if parent_ways[v] > 0:
            total = 0.0
            start, stop = bounds(graph, v)
            for k in range(start, stop):
                if k % STRIDE == 0:
                    ways.sums[child, k // STRIDE] = total
                total += _ways_at(graph, tree, ways, child, k)
            parent_ways[v] *= total


@compiled()
def draw_shares(first, last, graph, tree, ways, stream, results):
    """Draw blocks of mappings; ``results [.., 4]`` of each block begin at its number."""
    image = np.empty(len(tree.nodes), np.int64)
    size = len(image)
    for block in range(first, last):
        total, squares, hits, work = 0.0, 0.0, 0, 0
        for draw in range(block * DRAWS_OF_A_BLOCK, (block + 1) * DRAWS_OF_A_BLOCK):
            state = mix(stream + np.uint64(draw))
            fitting = _draw(graph, tree, ways, state, image, size - 1)
            work += fitting
            if fitting == size - 1:
                count, looked_at = _count_last(graph, tree, image)
                work += looked_at
                if count > 0:
                    share = count / _row_total(graph, tree, ways, size - 1, image[tree.parents[-1]])
                    total += share
                    squares += share * share
                    hits += 1
        results[block, 0] = total
        results[block, 1] = squares
        results[block, 2] = hits
        results[block, 3] = work


@compiled()
def draw_places(first, last, graph, tree, ways, stream, places):
    """Draw blocks of whole mappings to ``places``, in the pattern's order; -1 where none fits."""
    size = len(tree.nodes)
    image = np.empty(size, np.int64)
    for k in range(first * DRAWS_OF_A_BLOCK, last * DRAWS_OF_A_BLOCK):
        state = mix(stream + np.uint64(k))
        places[k, 0] = -1
        if _draw(graph, tree, ways, state, image, size) == size:
            for i in range(size):
                places[k, tree.nodes[i]] = image[i]


@subroutine(**SEARCH_JIT)
def _draw(graph, tree, ways, stream, image, size):
    """Map the first ``size`` nodes; return how many, up to one that does not fit."""
    # the first node at which the cumulated ways are above what was drawn
    drawn = uniform(stream, np.int64(0)) * ways.roots[-1]
    low, high = 0, len(ways.roots) - 1
    while low < high:
        middle = (low + high) >> 1
        if ways.roots[middle] <= drawn:
            low = middle + 1
        else:
            high = middle
    image[0] = low
    for i in range(1, size):
        k = _pick(graph, tree, ways, i, image[tree.parents[i]], uniform(stream, i))
        image[i] = graph.indices[k]
        if not _fits(graph, tree, image, i, image[i], tree.parents[i]):
            return i
    return size


@subroutine(**INLINE_JIT)
def uniform(stream, draw):
    """A number of a stream in [0, 1)."""
    return np.float64(mix(stream + np.uint64(draw)) >> np.uint64(11)) * 2.0**-53


@subroutine(**INLINE_JIT)
def _ways_at(graph, tree, ways, child, k):
    """Ways to map a child's subtree when it is mapped to the node of an entry."""
    if not tree.allowed[tree.parents[child], child, link_at(graph, k)]:
        return 0.0
    if tree.inner[child] < 0:
        return np.float64(tree.candidates[graph.indices[k]] >> tree.nodes[child] & 1)
    return ways.ways[tree.inner[child], graph.indices[k]]


@subroutine(**SEARCH_JIT)
def _row_total(graph, tree, ways, child, node):
    """Ways to map a child's subtree to the neighbours of a node, from the last stored sum on."""
    start, end = bounds(graph, node)
    k, total = start, 0.0
    if (end - 1) // STRIDE * STRIDE > start:
        k = (end - 1) // STRIDE * STRIDE
        total = ways.sums[child, k // STRIDE]
    while k < end:
        total += _ways_at(graph, tree, ways, child, k)
        k += 1
    return total


@subroutine(**SEARCH_JIT)
def _pick(graph, tree, ways, child, node, uniform):
    """An entry of a node's row, in proportion to the ways to map the child there."""
    start, end = bounds(graph, node)
    # 1. the last stored sum that is not above what was drawn
    x = uniform * _row_total(graph, tree, ways, child, node)
    low, high = start // STRIDE, (end - 1) // STRIDE
    while low < high:
        middle = (low + high + 1) >> 1
        if ways.sums[child, middle] <= x:
            low = middle
        else:
            high = middle - 1
    k, total = start, 0.0
    if low * STRIDE > start:
        k, total = low * STRIDE, ways.sums[child, low]
    # 2. the entry at which the sum exceeds it
    chosen = start
    while k < end and total <= x:
        more = _ways_at(graph, tree, ways, child, k)
        if more > 0:
            chosen = k
            total += more
        k += 1
    return chosen


@subroutine(**SEARCH_JIT)
def _fits(graph, tree, image, i, node, joined):
    """Whether a graph node differs from the first i, and is joined to them as the pattern says.

    To ``joined`` it is.
    """
    for j in range(i):
        if image[j] == node:
            return False
    for j in range(i):
        if j != joined and not tree.is_free[j, i]:
            # search the shorter row
            if degree(graph, image[j]) > degree(graph, node):
                fits = tree.allowed[i, j, link_between(graph, node, image[j])]
            else:
                fits = tree.allowed[j, i, link_between(graph, image[j], node)]
            if not fits:
                return False
    return True


@subroutine(**SEARCH_JIT)
def link_between(graph, u, v):
    """The link from u to v, 0 if there is none."""
    entry = find_entry(graph, np.uint64(u), np.uint64(v))
    return link_at(graph, entry) if entry >= 0 else 0


@subroutine(**SEARCH_JIT)
def _count_last(graph, tree, image):
    """How many nodes fit the last pattern node, and how many were looked at."""
    last = len(image) - 1
    # all are in the row of each node that it is joined to: take the shortest
    base = tree.parents[last]
    shortest = degree(graph, image[base])
    for j in range(last):
        length = degree(graph, image[j])
        if not tree.allowed[j, last, 0] and length < shortest:
            base, shortest = j, length
    count, start = 0, bounds(graph, image[base])[0]
    for k in range(start, start + shortest):
        node = graph.indices[k]
        if not tree.allowed[base, last, link_at(graph, k)]:
            continue
        if tree.candidates[node] >> tree.nodes[last] & 1:
            count += _fits(graph, tree, image, last, np.int64(node), base)
    return count, shortest
