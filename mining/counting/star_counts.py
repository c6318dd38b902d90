"""How often a star occurs around nodes of any degree, by binomial coefficients.

A search would take as long as there are occurrences, and a draw as long as the hub has neighbours.
"""

from __future__ import annotations

from itertools import pairwise
from math import comb

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from mining.categories import Colors
from mining.counting.census_formulas import count_orbits

# of the orbits of graphlets, a corner of the triangle
_CORNER = 3


def count_stars(
    graph: CSRGraph, structure: Structure, colors: Colors | None = None
) -> list[int] | None:
    """Induced occurrences of a star in each graph of a collection.

    A node of degree d without triangles is the centre of C(d, k) stars with k leaves, since no two
    of its neighbours are joined. None where the structure is no star, edges have directions or
    kinds, nodes have colours, or a node of at least k neighbours is in a triangle.

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> star, wheel = as_csr(nx.star_graph(100)), as_csr(nx.wheel_graph(100))
    >>> count_stars(star, Structure.parse("star-9")), count_stars(wheel, Structure.parse("star-9"))
    ([186087894300], None)
    """
    leaves, degrees = structure.num_nodes - 1, graph.degrees
    is_plain = graph.links is None and structure.relations.is_simple and colors is None
    is_star = leaves >= 2 and structure.joined.sum(axis=1).max() == leaves
    if not is_plain or not is_star or structure.joined.sum() != 2 * leaves:
        return None
    # the quick look first: few graphs have no node that is large enough
    hubs = np.flatnonzero(degrees >= leaves)
    if len(hubs) and count_orbits(graph, 4)[hubs, _CORNER].any():
        return None
    kinds, kind_of = np.unique(degrees, return_inverse=True)
    around = np.array([comb(int(degree), leaves) for degree in kinds], object)[kind_of]
    return [sum(around[first:last].tolist()) for first, last in pairwise(graph.graph_ptr)]
