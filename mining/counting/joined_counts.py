"""How often a given structure occurs in a small graph, by joins of arrays and without a compiler.

Loading the compiled search takes longer than a join of some ten thousand rows. The join is its
plain reference, too: row by row a table of mappings grows by one pattern node at a time.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from mining.counting.sought import Colors, Sought

# numbers in the largest table, which takes about as long as to load the compiled search
_MOST_NUMBERS = 1 << 21


def join_by_graph(
    graph: CSRGraph, structure: Structure, colors: Colors | None = None
) -> np.ndarray | None:
    """Occurrences in each graph of a collection, int64 ``[G]``; None if the table grew too large.

    The same as :func:`~mining.counting.exact_counts.count_by_graph`, which explains the parameters.

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> rings = as_csr([nx.cycle_graph(3), nx.complete_graph(4), nx.path_graph(3)])
    >>> join_by_graph(rings, Structure.parse("triangle")).tolist()
    [1, 4, 0]
    """
    sought = Sought.of(graph, structure, colors)
    order, orbits = sought.structure.order, sought.structure.stabilizers
    nodes, size = np.arange(graph.num_nodes), graph.num_nodes
    if 2 * len(graph.indices) > _MOST_NUMBERS:
        return None
    # the entries of the graph as one number each, ascending
    entries = np.repeat(nodes, graph.degrees) * size + graph.indices
    links = np.ones(len(entries), np.int64) if graph.links is None else graph.links
    # 1. a row for each node that the first pattern node can be mapped to
    rows = nodes[_has_color(sought, order[0], nodes)][:, None]
    for level in range(1, len(order)):
        node, before = order[level], order[:level]
        # 2. beside each row the neighbours of a mapped one: of those that the pattern node is
        # joined to, the one with fewest
        joined = np.flatnonzero(sought.links[before, node])
        smallest = graph.degrees[rows[:, joined]].argmin(axis=1)
        base = np.take_along_axis(rows[:, joined], smallest[:, None], axis=1)[:, 0]
        degrees = graph.degrees[base]
        if degrees.sum() * (level + 1) > _MOST_NUMBERS:
            return None
        starts = np.repeat(graph.indptr[base] - (np.cumsum(degrees) - degrees), degrees)
        new = graph.indices[starts + np.arange(len(starts))].astype(np.int64)
        rows = np.column_stack([np.repeat(rows, degrees, axis=0), new])
        rows = rows[_has_color(sought, node, new)]
        # 3. those that are joined to all mapped ones as in the pattern, and of the mappings that
        # differ by a symmetry the one with the smallest node first
        for position, other in enumerate(before):
            first, second = rows[:, position], rows[:, level]
            pair = first * size + second
            place = np.minimum(np.searchsorted(entries, pair), len(entries) - 1)
            link = np.where(entries[place] == pair, links[place], 0)
            is_symmetric = node in orbits[position]
            differ = first < second if is_symmetric else first != second
            rows = rows[differ & (link == sought.links[other, node])]
    return np.bincount(graph.graph_of(rows[:, 0]), minlength=graph.num_graphs)


def _has_color(sought: Sought, node: int, nodes: np.ndarray) -> np.ndarray:
    """Which graph nodes have the colour of a pattern node."""
    if sought.colors is None or sought.colors_of_graph is None:
        return np.ones(len(nodes), np.bool_)
    return np.asarray(sought.colors_of_graph[nodes] == sought.colors[node])
