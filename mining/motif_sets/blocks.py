"""A partition of a graph into blocks between which its edges can be counted."""

from __future__ import annotations

import igraph
import numpy as np

from gomkcn_dgl.runtime.python_random import python_random_state
from mining.motif_sets.coded_graph import CodedGraph
from mining.motif_sets.integer_codes import integer_bits, log2_binomial, log2_factorial

# smaller graphs have none
_LEAST_EDGES = 21
# resolutions of the modularity, and rounds of the Leiden algorithm
_RESOLUTIONS, _NUM_ROUNDS = (0.3, 0.6, 1.0, 1.6, 3.0, 6.0), 5
_MOST_BLOCKS = 30


def find_blocks(graph: CodedGraph, seed: int = 0) -> np.ndarray | None:
    """The one partition that is tried, int64 ``[V]``, the block of each node, from 0.

    Of communities of the Leiden algorithm at several resolutions (V. A. Traag, L. Waltman and N. J.
    van Eck, Scientific Reports 9, 2019), and the two sides of a bipartite graph, the one in which
    multigraphs with these degrees and edges between blocks are fewest, its own bits included. None
    where there is more than one block in none of them, for 20 edges or fewer, and where edges have
    directions or relations or nodes have categories.

    Examples
    --------
    >>> import networkx as nx
    >>> from mining.mined_graph import MinedGraph
    >>> mined = MinedGraph.of(nx.barbell_graph(6, 0))
    >>> np.bincount(find_blocks(CodedGraph.of(mined))).tolist()
    [6, 6]
    """
    if not graph.is_plain or graph.num_edges < _LEAST_EDGES:
        return None
    drawn = igraph.Graph(len(graph.colors), graph.edges)
    with python_random_state(seed):
        found = [
            drawn.community_leiden("modularity", resolution=resolution, n_iterations=_NUM_ROUNDS)
            for resolution in _RESOLUTIONS
        ]
    partitions = [np.array(one.membership) for one in found]
    is_bipartite, sides = drawn.is_bipartite(return_types=True)
    if is_bipartite:
        partitions.append(np.array(sides, np.int64))
    merged = [_merge_small(blocks) for blocks in partitions]
    merged = [blocks for blocks in merged if blocks.max() > 0]
    return min(merged, key=lambda blocks: _multigraph_bits(graph.edges, blocks), default=None)


def _merge_small(blocks: np.ndarray) -> np.ndarray:
    """The same, with all blocks beyond the 30 largest as one with the 30th."""
    largest = np.argsort(-np.bincount(blocks), kind="stable")[:_MOST_BLOCKS]
    kept = np.where(np.isin(blocks, largest), blocks, largest[-1])
    merged: np.ndarray = np.unique(kept, return_inverse=True)[1]
    return merged


def _multigraph_bits(edges: np.ndarray, blocks: np.ndarray) -> float:
    """log2 of Π d_a! / (Π_{a<b} e_ab! Π_a e_aa! 2^e_aa), and the bits of the partition.

    Multigraphs of edges ``[E, 2]`` with the same degrees, but for a factor of the degrees alone.
    """
    between = edges_between(edges, blocks)
    inside, ends = np.diag(between), between.sum(axis=1) + np.diag(between)
    across = log2_factorial(np.triu(between, 1)).sum() + (log2_factorial(inside) + inside).sum()
    return float(log2_factorial(ends).sum() - across) + partition_bits(blocks, len(edges))


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
