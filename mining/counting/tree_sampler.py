"""Mappings of a pattern's spanning tree into a graph, counted exactly and drawn uniformly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.graphs.structure import Structure, canonical_form
from gomkcn_dgl.runtime.compiled import run_blocks
from mining.counting.exact_search import links_or_none
from mining.counting.sought import Sought
from mining.counting.tree_loops import (
    DRAWS_OF_A_BLOCK,
    NODES_OF_A_BLOCK,
    NUM_RESULTS,
    STRIDE,
    Rows,
    Tree,
    Ways,
    draw_places,
    draw_shares,
    multiply_ways,
)

_NUM_TRIES = 200
# about what a draw takes, which decides whether threads are worth waking
_NANOSECONDS = 300.0


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
    trees = structure.recall("trees", partial(_random_trees, structure.joined))
    # by the nodes of each degree, which are far fewer than the nodes
    number = np.bincount(degrees)
    degree = np.arange(len(number), dtype=np.float64)
    moments = [number @ degree**k / number.sum() for k in range(structure.num_nodes)]
    expected = np.log(moments)[trees.sum(axis=2)].sum(axis=1)
    seen = set()
    for number in np.argsort(expected, kind="stable").tolist():
        tree = trees[number]
        # trees that an automorphism of the pattern maps to each other are one
        form, rooted = structure.recall(("tree", number), partial(_form_and_tree, structure, tree))
        if form not in seen:
            seen.add(form)
            yield rooted


def _form_and_tree(structure: Structure, tree: np.ndarray) -> tuple[tuple[int, ...], SpanningTree]:
    """The form of a tree in its pattern, and the tree as it is drawn."""
    rows = zip(structure.codes, tree.tolist(), strict=True)
    codes = [[2 * code + chosen for code, chosen in zip(*row, strict=True)] for row in rows]

    def early_edges(one: SpanningTree) -> list[int]:
        """Edges among the first 3, 4, … nodes: so many are compared early."""
        among = np.tril(structure.joined[np.ix_(one.nodes, one.nodes)]).sum(axis=1)
        return np.cumsum(among).tolist()

    rooted = [SpanningTree.rooted(structure, tree, root) for root in range(len(tree))]
    return canonical_form(codes, structure.colors).values, max(rooted, key=early_edges)


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
    """Uniform draws of the homomorphisms of a spanning tree, of which ``num_ways`` exist.

    Memory is O(M V + M E / 32) float64, and the graph itself is only read.
    """

    def __init__(
        self, graph: CSRGraph, sought: Sought, candidates: np.ndarray, tree: SpanningTree
    ) -> None:
        size = sought.structure.num_nodes
        self._rows = Rows(graph.indptr, graph.indices, links_or_none(graph), candidates)
        inner = np.full(size, -1)
        inner[tree.inner] = np.arange(len(tree.inner))
        links = sought.links[np.ix_(tree.nodes, tree.nodes)]
        # a leaf of the pattern can be any neighbour, if nodes and edges are all alike
        is_leaf = sought.structure.joined.sum(axis=1)[tree.nodes] == 1
        is_free = is_leaf & (graph.links is None) & (sought.colors is None) & (inner < 0)
        checks = np.tile(np.arange(size), (size, 1))
        for i in range(size):
            # edges first: most pairs of nodes are not joined
            checks[i, :i] = sorted(range(i), key=lambda j: not links[j, i])
        self._tree = Tree(tree.nodes, tree.parents, inner, is_free, links, checks)
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
            row[:] = self._rows.candidates >> tree.nodes[i] & 1
        work = 3.0 * (num_nodes + len(graph.indices))
        for child in range(len(tree.nodes) - 1, 0, -1):
            blocks = -(-num_nodes // NODES_OF_A_BLOCK)
            run_blocks(multiply_ways, blocks, work, self._rows, tree, ways, child)
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
            run_blocks(loop, num_blocks, work, self._rows, self._tree, self._ways, stream, out)
