"""Which graph nodes can stand for each pattern node, as far as their neighbours show.

A node can stand for a pattern node if it has its colour, and if enough of its neighbours, joined to
it by the right links, can stand for the pattern node's neighbours. What is ruled out may rule out
others, so that this is asked several times (arc consistency). It leaves out the trees that hang on
a graph where the pattern is a ring, all but the 3-core where it is a clique of four, and so on.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, run_blocks
from mining.counting.sought import Sought

MOST_PASSES = 12
# a pass that rules out fewer is the last one
_LEAST_SHARE = 0.002
_NODES_OF_A_BLOCK = 1024


def find_candidates(graph: CSRGraph, sought: Sought, most_spare: int | None = None) -> np.ndarray:
    """Pattern nodes that each graph node can stand for, ``[V]``: bit i is node i.

    int16 for patterns of up to 15 nodes, which a graph of millions of nodes notices, else int64.

    With ``most_spare``, those that have at most so many neighbours more than the pattern node.
    """
    # 1. by colour, and by number of neighbours
    size, num_nodes = sought.structure.num_nodes, graph.num_nodes
    bits_type = np.int16 if size <= 15 else np.int64
    if sought.colors is None:
        candidates = np.full(num_nodes, (1 << size) - 1, bits_type)
    else:
        candidates = np.zeros(num_nodes, bits_type)
        for color in np.unique(sought.colors):
            bits = 1 << np.flatnonzero(sought.colors == color)
            candidates[sought.colors_of_graph == color] = bits.sum()
    degrees = sought.structure.joined.sum(axis=1)
    if most_spare is not None:
        is_able = graph.degrees[:, None] <= degrees + most_spare
        candidates &= (is_able @ (1 << np.arange(size))).astype(bits_type)
    # 2. by neighbours, again and again; bits of the neighbours of each pattern node, by link
    num_links = len(graph.relations.links)
    neighbors = np.zeros((size, num_links), np.int64)
    for i, j in np.argwhere(sought.links > 0):
        neighbors[i, sought.links[i, j]] |= 1 << j
    changes = np.zeros(-(-num_nodes // _NODES_OF_A_BLOCK), np.int64)
    asked, ask_next = np.ones((2, num_nodes), np.uint8)
    for _ in range(MOST_PASSES):
        before, candidates = candidates, np.empty_like(candidates)
        # after the first pass, only of those with a neighbour that was ruled out
        ask_next[:] = 0
        rows = graph.indptr, graph.indices, links_or_none(graph), neighbors, degrees
        work = 2.0 * (num_nodes + len(graph.indices))
        nodes = before, candidates, asked, ask_next, changes
        run_blocks(rule_out, len(changes), work, *rows, *nodes)
        asked, ask_next = ask_next, asked
        if changes.sum() <= _LEAST_SHARE * num_nodes:
            break
    return candidates


def links_or_none(graph: CSRGraph) -> np.ndarray:
    """The link of each entry of a graph; an empty array where all are link 1."""
    return np.empty(0, np.uint8) if graph.links is None else graph.links


@compiled(**SEARCH_JIT)
def rule_out(
    first, last, indptr, indices, links, neighbors, degrees,
    candidates, remaining, asked, ask_next, changes,
):  # fmt: skip
    """Keep the pattern nodes whose neighbours have candidates among the neighbours of a node."""
    for block in range(first, last):
        changes[block] = 0
        stop = min((block + 1) * _NODES_OF_A_BLOCK, len(candidates))
        for v in range(block * _NODES_OF_A_BLOCK, stop):
            kept = candidates[v]
            for i in range(len(degrees)):
                if asked[v] and candidates[v] >> i & 1:
                    missing = degrees[i]
                    k = indptr[v]
                    while missing > 0 and k < indptr[v + 1]:
                        link = links[k] if len(links) else 1
                        if candidates[indices[k]] & neighbors[i, link]:
                            missing -= 1
                        k += 1
                    if missing > 0:
                        kept ^= 1 << i
            remaining[v] = kept
            if kept != candidates[v]:
                changes[block] += 1
                for k in range(indptr[v], indptr[v + 1]):
                    ask_next[indices[k]] = 1
