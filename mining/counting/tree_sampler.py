"""Mappings of a pattern's spanning tree into a graph, counted exactly and drawn uniformly."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.runtime.compiled import run_blocks
from mining.counting.candidate_nodes import links_or_none
from mining.counting.sought import Sought
from mining.counting.spanning_trees import SpanningTree
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

# about what a draw takes, which decides whether threads are worth waking
_NANOSECONDS = 300.0


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
        stream = np.uint64(stream_of(seed, first * DRAWS_OF_A_BLOCK))
        work = num_blocks * DRAWS_OF_A_BLOCK * _NANOSECONDS
        # as plain Python (NUMBA_DISABLE_JIT=1), 64-bit sums wrap with a warning
        with np.errstate(over="ignore"):
            run_blocks(loop, num_blocks, work, self._rows, self._tree, self._ways, stream, out)


def stream_of(seed: int, first: int) -> int:
    """Where the numbers of the draws from ``first`` on begin among those of a seed."""
    return (seed * 0x9E3779B97F4A7C15 + first) % 2**64
