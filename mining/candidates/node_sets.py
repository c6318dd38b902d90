"""Connected node sets of all sizes, as they are seen when sets grow from the edges of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.kernels.bfs_reference import hub_degree
from gomkcn_dgl.kernels.search_numba import Rows, mix64, new_scratch
from gomkcn_dgl.runtime.compiled import run_blocks
from mining.candidates.growth_loops import grow_sets
from mining.candidates.set_loops import links_among, mark_triangles

# about the time of one growth
_NANOSECONDS = 5000
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class NodeSets:
    """Growths: the first m of a row of ``nodes`` ``[K, M]``, -1 = none, are a connected set.

    Sets of m nodes with equal ``codes[:, m - 1]`` have the same links and colours in that order.
    """

    nodes: np.ndarray
    codes: np.ndarray

    @classmethod
    def join(cls, parts: list[NodeSets]) -> NodeSets:
        """All of them."""
        return cls(
            np.concatenate([part.nodes for part in parts]),
            np.concatenate([part.codes for part in parts]),
        )

    def spread(self, num_nodes: int, num_copies: int, rng: np.random.Generator) -> NodeSets:
        """The same sets in so many copies of a graph of ``num_nodes``, each in a random one.

        Node v of copy c is ``v + c * num_nodes``.
        """
        shift = rng.integers(num_copies, size=(len(self.nodes), 1)) * num_nodes
        return NodeSets(np.where(self.nodes < 0, -1, self.nodes + shift), self.codes)

    def of_size(self, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Distinct sets of a size ``[K', size]`` and their codes ``[K']``."""
        nodes = self.nodes[self.nodes[:, size - 1] >= 0, :size]
        codes = self.codes[self.nodes[:, size - 1] >= 0, size - 1]
        # a sum of hashes stands for a set
        keys = mix64((nodes + 1).astype(np.uint64) * _GOLDEN).sum(axis=1, dtype=np.uint64)
        _, first = np.unique(keys, return_index=True)
        return nodes[first], codes[first]


def rows_of(graph: CSRGraph) -> Rows:
    """The rows of a graph as the compiled functions take them."""
    return Rows(graph.indptr.view(np.uint64), graph.indices.view(np.uint32))


def without_triangles(graph: CSRGraph) -> Rows:
    """The rows of a graph without the edges of its triangles."""
    kept = np.ones(len(graph.indices), np.bool_)
    run_blocks(mark_triangles, graph.num_nodes, len(kept) * _NANOSECONDS, rows_of(graph), kept)
    ends = np.concatenate([[0], np.cumsum(kept)])[graph.indptr]
    return Rows(ends.view(np.uint64), graph.indices[kept].view(np.uint32))


def draw_pairs(
    rows: Rows, roots: np.ndarray | None, most: int, rng: np.random.Generator
) -> np.ndarray:
    """Pairs of joined nodes with one in ``roots``, int64 ``[K, 2]``: at most ``most``, at random.

    What it takes in memory does not grow with the graph.
    """
    indptr = rows.indptr.view(np.int64)
    # row entries numbered through: those of all nodes, or of the roots
    nodes = None if roots is None else np.unique(roots)
    ends = indptr[1:] if nodes is None else np.cumsum(indptr[nodes + 1] - indptr[nodes])
    total = int(ends[-1]) if len(ends) else 0
    place = np.arange(total) if total <= 2 * most else rng.integers(total, size=2 * most)
    number = np.searchsorted(ends, place, side="right")
    source = number if nodes is None else nodes[number]
    entry = place if nodes is None else indptr[source + 1] - (ends[number] - place)
    pairs = np.stack([source, rows.indices[entry].astype(np.int64)], axis=1)
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    if len(pairs) > most:
        pairs = pairs[np.sort(rng.choice(len(pairs), most, replace=False))]
    return pairs


def grow_from(
    graph: CSRGraph,
    search: Rows,
    colors: np.ndarray | None,
    starts: np.ndarray,
    max_nodes: int,
    at_random: bool,
    seed: int,
) -> NodeSets:
    """Grow each connected row of ``starts`` (int ``[K, s]``, -1 = none) to ``max_nodes`` nodes.

    ``search`` are the rows that sets grow along; their links are those of the graph.
    """
    nodes = np.empty((len(starts), max_nodes), np.int32)
    codes = np.empty((len(starts), max_nodes), np.uint64)
    color = np.empty(0, np.int64) if colors is None else colors
    arguments = (
        rows_of(graph), search, graph.links, color, starts.astype(np.int32), at_random,
        np.uint64(seed), hub_degree(max_nodes), nodes, codes,
    )  # fmt: skip
    # as plain Python (NUMBA_DISABLE_JIT=1), 64-bit products wrap with a warning
    with np.errstate(over="ignore"):
        run_blocks(_grow_block, len(starts), len(starts) * _NANOSECONDS, *arguments)
    return NodeSets(nodes, codes)


def _grow_block(first: int, last: int, graph: Rows, *arguments: Any) -> None:
    """Give each block a scratch of its own."""
    limit, nodes = arguments[-3], arguments[-2]
    scratch = new_scratch(nodes.shape[1], limit, len(graph.indptr) - 1)
    grow_sets(first, last, graph, *arguments, scratch)


def links_of_sets(graph: CSRGraph, nodes: np.ndarray) -> np.ndarray:
    """Link of each pair of nodes of some sets ``[K, M]``, uint16 ``[K, M, M]``; 0 = not joined."""
    out = np.zeros((*nodes.shape, nodes.shape[1]), np.uint16)
    links_among(rows_of(graph), graph.links, np.ascontiguousarray(nodes, np.int32), out)
    return out
