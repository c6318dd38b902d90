"""Preferential attachment whose edges are computed one by one, so that a graph may be of any size.

A graph grown edge by edge must be held in memory, or on disk, for the draws. Here the draw of an
edge is a hash of its number, so that what an earlier edge drew can be computed again where it is
needed (P. Sanders and C. Schulz, "Scalable generation of scale-free graphs", Information Processing
Letters 116, 2016). An edge looks back about twice, and any part of the edges can be made alone.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.kernels.search_numba import finalize, mix64
from gomkcn_dgl.kernels.threads import run_blocks
from gomkcn_dgl.runtime.compiled import compiled

# edges of one block of work, and about what an edge takes
_EDGES_OF_A_BLOCK, _NANOSECONDS = 1 << 14, 60.0


def num_attachment_edges(num_nodes: int, num_edges_per_node: int) -> int:
    """Edges that :func:`attachment_edges` numbers: m (V - m)."""
    return num_edges_per_node * (num_nodes - num_edges_per_node)


def attachment_edges(
    first: int, last: int, num_nodes: int, num_edges_per_node: int, seed: int
) -> np.ndarray:
    """Edges ``first`` to ``last - 1`` of a graph grown by preferential attachment.

    A star on ``num_edges_per_node + 1`` nodes, then each new node links to as many nodes that were
    there before, drawn in proportion to their degree. A node may draw the same one twice, which
    hardly ever happens in a large graph: the edge is then there twice.

    Parameters
    ----------
    first, last : int
        Numbers of edges, from 0 to ``num_attachment_edges(num_nodes, num_edges_per_node)``.
    num_nodes, num_edges_per_node : int
        V and m of the whole graph.
    seed : int
        The same seed gives the same graph, in whatever parts it is made.

    Returns
    -------
    numpy.ndarray
        int64 ``[last - first, 2]``, rows with ``u < v``.

    Examples
    --------
    >>> attachment_edges(0, 3, 5, 1, seed=0).tolist()
    [[0, 1], [0, 2], [2, 3]]
    >>> attachment_edges(2, 4, 5, 1, seed=0).tolist()
    [[2, 3], [0, 4]]
    """
    per_node = check_int("num_edges_per_node", num_edges_per_node, 1)
    most = num_attachment_edges(check_int("num_nodes", num_nodes, per_node + 1), per_node)
    last = check_int("last", last, 0, most)
    first = check_int("first", first, 0, last)
    edges = np.empty((last - first, 2), np.int64)
    key = mix64(np.array([check_int("seed", seed, 0) + 1], np.uint64))[0]
    num_blocks = -(-len(edges) // _EDGES_OF_A_BLOCK)
    work = _NANOSECONDS * len(edges)
    run_blocks(_fill, num_blocks, work, edges, first, per_node, key)
    return edges


# Without fast mathematics: a seed gives the same graph on every machine.
@compiled(nogil=True, fastmath=False)
def _fill(first_block, last_block, edges, first, per_node, key):  # type: ignore[no-untyped-def]
    """Write the ends of each edge: the ends of all edges before it are a list without storage."""
    for row in range(
        first_block * _EDGES_OF_A_BLOCK, min(last_block * _EDGES_OF_A_BLOCK, len(edges))
    ):
        number = first + row
        source = _newer_end(number, per_node)
        while True:
            if number < per_node:
                # the star's centre is node 0
                target = 0
                break
            # a uniform entry of the list that was there before its newer node came
            num_before = 2 * (number - number % per_node)
            entry = np.int64(finalize(key ^ np.uint64(number)) % np.uint64(num_before))
            number = entry >> 1
            if entry & 1:
                target = _newer_end(number, per_node)
                break
            # the older end of an earlier edge, which is computed in the same way
        edges[row, 0], edges[row, 1] = target, source


@compiled(fastmath=False)
def _newer_end(number, per_node):  # type: ignore[no-untyped-def]
    """The node that an edge came with: leaves of the star first, then m edges a node."""
    if number < per_node:
        return number + 1
    return number // per_node + per_node
