"""Occurrences that are set apart: out of which hardly an edge leads to the rest of the graph.

A motif that hangs on to a graph by an edge or two is a module. In a graph with hubs chance makes
the same structure a hundred times, but among the neighbours of hubs: set apart it is never seen.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from mining.counting.exact_counts import ExactSearch
from mining.counting.sought import Colors
from mining.structures.overlaps import pick_disjoint

# edges that may lead out of an occurrence that is set apart
MOST_LEAVING = 2
# of more, or after so many steps, none are listed
MOST_APART, _MOST_STEPS = 10_000, 1 << 20


def list_apart(
    graph: CSRGraph, structure: Structure, colors: Colors | None = None
) -> np.ndarray | None:
    """Occurrences out of which at most two edges lead and that share no node, int32 ``[K, M]``.

    None where there are too many to list. The arguments are those of :func:`count_exact`; edges
    between the same two nodes count as one.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> house = Structure.from_networkx(nx.house_graph())
    >>> graph = nx.disjoint_union(nx.complete_bipartite_graph(4, 6), nx.house_graph())
    >>> graph.add_edge(0, 10)
    >>> list_apart(as_csr(graph), house).tolist()
    [[10, 11, 12, 13, 14]]
    """
    search = ExactSearch(graph, structure, colors, most_spare=MOST_LEAVING)
    places = search.list_places(MOST_APART, None, _MOST_STEPS)
    if search.unfinished:
        return None
    leaving = graph.degrees[places].sum(axis=1) - search.structure.joined.sum()
    places = places[leaving <= MOST_LEAVING]
    return places[pick_disjoint(places, graph.num_nodes)]
