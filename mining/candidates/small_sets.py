"""All connected sets of three and four nodes, where there are few enough to look at each."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.candidates.node_sets import NodeSets, rows_of
from mining.candidates.small_set_loops import list_sets

SMALL_SIZES = (3, 4)
# sets that are looked at
_MOST_SETS = 1 << 21


def all_small_sets(
    graph: CSRGraph, colors: np.ndarray | None, most: int = _MOST_SETS
) -> NodeSets | None:
    """All connected sets of three and of four nodes, or None where there are more than ``most``.

    A row for each set of four, and for each of three in no row with them as its first nodes.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> all_small_sets(as_csr(nx.cycle_graph(5)), None).of_size(4)[0].shape
    (5, 4)
    """
    color = np.empty(0, np.int64) if colors is None else colors
    arguments = (rows_of(graph), graph.links, color, np.zeros(graph.num_nodes, np.int8))
    lists = np.empty((2, graph.num_nodes), np.uint32)
    number = list_sets(*arguments, *lists, most, _rows(0), _codes(0))
    if number > most:
        return None
    nodes, codes = _rows(number), _codes(number)
    # as plain Python (NUMBA_DISABLE_JIT=1), 64-bit products wrap with a warning
    with np.errstate(over="ignore"):
        list_sets(*arguments, *lists, most, nodes, codes)
    return NodeSets(nodes, codes)


def _rows(number: int) -> np.ndarray:
    return np.empty((number, SMALL_SIZES[-1]), np.int32)


def _codes(number: int) -> np.ndarray:
    return np.empty((number, SMALL_SIZES[-1]), np.uint64)
