"""Connected sets of nodes drawn from a graph, in proportion to their spanning trees.

The trees of all shapes are counted together. With ``f_s(v)`` the ways to map a tree of s nodes into
the graph, its root to v, each tree once whatever its shape (F = x exp(G) as generating functions),

    f_1(v) = 1,  g_a(v) = sum of f_a(u) over the neighbours u of v,
    (s - 1) f_s(v) = sum over a of a g_a(v) f_{s-a}(v),

a tree is drawn node by node: of s nodes at v, a subtree of a nodes at a neighbour, and the rest. A
mapping to different nodes is a subtree of the graph and one of its nodes; so each is as likely as
any other, and a set of nodes is drawn in proportion to the spanning trees of what it induces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT, mix
from gomkcn_dgl.kernels.threads import run_blocks
from gomkcn_dgl.runtime.compiled import compiled, subroutine
from mining.counting.tree_loops import NODES_OF_A_BLOCK, find_sum, uniform
from mining.counting.tree_sampler import stream_of

# trees that are tried for a set of nodes: most are mapped to different nodes, but in small pieces
_TRIES = 256
_NANOSECONDS = 500.0


class TreeWays(NamedTuple):
    """Ways to map the trees of s nodes, in row s - 1."""

    here: np.ndarray  # float64 [M, V], f_s: with the root at each node
    beside: np.ndarray  # float64 [M, V], g_s: at its neighbours


def draw_connected(
    graph: CSRGraph,
    num_nodes: int,
    num_draws: int,
    seed: int = 0,
    *,
    roots: np.ndarray | None = None,
) -> np.ndarray:
    """Draw connected sets of ``num_nodes`` nodes, int32 ``[K, M]``, each row ascending.

    Each draw is independent, with a probability in proportion to the spanning trees of the set.
    With ``roots``, int ``[R]``, it is ``num_draws`` sets that contain each of these nodes. There
    are fewer where there is no such set, or next to none (256 trees were tried). Memory is O(M V).

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> draw_connected(as_csr(nx.path_graph(3)), 3, num_draws=2).tolist()
    [[0, 1, 2], [0, 1, 2]]
    """
    check_int("num_nodes", num_nodes, 1, 62)
    check_int("num_draws", num_draws, 0)
    ways = _count_ways(graph, num_nodes)
    if roots is None:
        cumulated, starts = np.cumsum(ways.here[-1]), np.full(num_draws, -1)
    else:
        cumulated, starts = np.zeros(1), np.repeat(np.asarray(roots, np.int64), num_draws)
        if len(starts) and not 0 <= starts.min() <= starts.max() < graph.num_nodes:
            raise InputError(f"roots must be nodes of the graph, from 0 to {graph.num_nodes - 1}.")
    places = np.empty((len(starts), num_nodes), np.int32)
    stream = np.uint64(stream_of(seed, 0))
    work = _NANOSECONDS * num_nodes * len(starts)
    rows = graph.indptr, graph.indices
    # as plain Python (NUMBA_DISABLE_JIT=1), 64-bit sums wrap with a warning
    with np.errstate(over="ignore"):
        run_blocks(draw_sets, len(starts), work, *rows, ways, cumulated, starts, stream, places)
    return np.sort(places[places[:, 0] >= 0], axis=1)


def _count_ways(graph: CSRGraph, num_nodes: int) -> TreeWays:
    here, beside = np.zeros((2, num_nodes, graph.num_nodes))
    here[0] = 1
    blocks = -(-graph.num_nodes // NODES_OF_A_BLOCK)
    work = 3.0 * (graph.num_nodes + len(graph.indices))
    for size in range(2, num_nodes + 1):
        run_blocks(add_size, blocks, work, graph.indptr, graph.indices, here, beside, size)
    return TreeWays(here, beside)


@compiled(**SEARCH_JIT)
def add_size(first, last, indptr, indices, here, beside, size):
    """Ways of the trees of ``size`` nodes, from those of all smaller ones, at blocks of nodes."""
    for v in range(first * NODES_OF_A_BLOCK, min(last * NODES_OF_A_BLOCK, len(indptr) - 1)):
        # trees of one node less stand at the neighbours
        total = 0.0
        for k in range(indptr[v], indptr[v + 1]):
            total += here[size - 2, indices[k]]
        beside[size - 2, v] = total
        ways = 0.0
        for part in range(1, size):
            ways += part * beside[part - 1, v] * here[size - part - 1, v]
        here[size - 1, v] = ways / (size - 1)


@compiled()
def draw_sets(first, last, indptr, indices, ways, cumulated, starts, stream, places):
    """Draw the sets of some rows of ``places``; -1 where none is found."""
    nodes = np.empty(places.shape[1], np.int64)
    sizes = np.empty(len(nodes), np.int64)
    for row in range(first, last):
        places[row, 0] = -1
        for attempt in range(_TRIES):
            own = mix(stream + np.uint64(row * _TRIES + attempt))
            nodes[0] = starts[row]
            if starts[row] < 0:
                nodes[0] = find_sum(cumulated, uniform(own, 0) * cumulated[-1])
            if _draw_set(indptr, indices, ways, own, nodes, sizes):
                for i in range(len(nodes)):
                    places[row, i] = nodes[i]
                break


@subroutine(**SEARCH_JIT)
def _draw_set(indptr, indices, ways, stream, nodes, sizes):
    """Draw a tree from its root ``nodes[0]`` on; return whether its nodes differ."""
    num_nodes = len(nodes)
    if ways.here[num_nodes - 1, nodes[0]] == 0:
        return False
    # sizes: of the subtree that is still to be drawn at each node, itself included
    sizes[0] = num_nodes
    count, place, draw = 1, 0, 0
    while place < count:
        if sizes[place] == 1:
            place += 1
            continue
        # 1. the size of the subtree at the next child
        v, size = nodes[place], sizes[place]
        draw += 1
        x = uniform(stream, draw) * (size - 1) * ways.here[size - 1, v]
        part = 0
        while x >= 0 and part < size - 1:
            part += 1
            x -= part * ways.beside[part - 1, v] * ways.here[size - part - 1, v]
        # 2. the child
        draw += 1
        child = _draw_neighbor(indptr, indices, ways.here[part - 1], v, uniform(stream, draw))
        for i in range(count):
            if nodes[i] == child:
                return False
        nodes[count], sizes[count] = child, part
        sizes[place] -= part
        count += 1
    return count == num_nodes


@subroutine(**SEARCH_JIT)
def _draw_neighbor(indptr, indices, weights, node, number):
    """A neighbour of a node, in proportion to the weights, by a number in [0, 1)."""
    total = 0.0
    for k in range(indptr[node], indptr[node + 1]):
        total += weights[indices[k]]
    x, chosen = number * total, indices[indptr[node]]
    for k in range(indptr[node], indptr[node + 1]):
        if weights[indices[k]] > 0:
            chosen = indices[k]
            x -= weights[chosen]
            if x < 0:
                break
    return chosen
