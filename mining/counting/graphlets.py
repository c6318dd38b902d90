"""The 30 connected graphs of two to five nodes, and the 73 orbits of their nodes.

They are numbered as by N. Pržulj (Biological network comparison using graphlet degree distribution,
Bioinformatics 23, 2007). What is here is plain, and what quicker functions are compared with.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure

# name, edges as pairs of digits, and the orbit of each node
_TABLE = (
    ("edge", "01", (0, 0)),
    ("path of 3 nodes", "02 12", (1, 1, 2)),
    ("triangle", "01 02 12", (3, 3, 3)),
    ("path of 4 nodes", "03 12 23", (4, 4, 5, 5)),
    ("star with 3 leaves", "03 13 23", (6, 6, 6, 7)),
    ("cycle of 4 nodes", "02 03 12 13", (8, 8, 8, 8)),
    ("paw", "03 12 13 23", (9, 10, 10, 11)),
    ("diamond", "02 03 12 13 23", (12, 12, 13, 13)),
    ("clique of 4 nodes", "01 02 03 12 13 23", (14, 14, 14, 14)),
    ("path of 5 nodes", "04 13 23 24", (15, 15, 17, 16, 16)),
    ("fork", "04 14 23 34", (19, 19, 18, 20, 21)),
    ("star with 4 leaves", "04 14 24 34", (22, 22, 22, 22, 23)),
    ("bull", "04 13 23 24 34", (24, 24, 25, 26, 26)),
    ("triangle with a tail", "04 12 13 23 34", (27, 29, 29, 30, 28)),
    ("cricket", "04 14 23 24 34", (31, 31, 32, 32, 33)),
    ("cycle of 5 nodes", "03 04 12 14 23", (34, 34, 34, 34, 34)),
    ("banner", "04 13 14 23 24", (35, 37, 37, 36, 38)),
    ("dart", "04 13 14 23 24 34", (39, 40, 40, 41, 42)),
    ("butterfly", "03 04 12 14 24 34", (43, 43, 43, 43, 44)),
    ("kite", "04 12 13 23 24 34", (45, 46, 48, 48, 47)),
    ("complete bipartite graph, 2 and 3 nodes", "03 04 13 14 23 24", (49, 49, 49, 50, 50)),
    ("house", "03 04 12 14 23 34", (52, 51, 51, 53, 53)),
    ("three triangles on an edge", "03 04 13 14 23 24 34", (54, 54, 54, 55, 55)),
    ("clique of 4 nodes with a pendant node", "04 12 13 14 23 24 34", (56, 57, 57, 57, 58)),
    ("gem", "03 04 12 14 23 24 34", (59, 59, 60, 60, 61)),
    ("K2,3 with an edge among the three", "03 04 12 13 14 23 24", (62, 64, 64, 63, 63)),
    ("clique of 5 nodes less 2 edges", "03 04 12 13 14 23 24 34", (65, 66, 66, 67, 67)),
    ("wheel with 4 spokes", "02 03 04 12 13 14 24 34", (68, 68, 68, 68, 69)),
    ("clique of 5 nodes less 1 edge", "02 03 04 12 13 14 23 24 34", (70, 70, 71, 71, 71)),
    ("clique of 5 nodes", "01 02 03 04 12 13 14 23 24 34", (72, 72, 72, 72, 72)),
)
ORBITS = tuple(orbits for *_, orbits in _TABLE)
NUM_ORBITS = {size: 1 + max(max(row) for row in ORBITS if len(row) <= size) for size in (4, 5)}


@cache
def graphlets() -> tuple[Structure, ...]:
    """The 30 structures, in the order of their numbers.

    >>> [one.name for one in graphlets() if one.num_nodes == 3]
    ['path of 3 nodes', 'triangle']
    """
    return tuple(
        Structure.of_edges(
            len(orbits), [(int(pair[0]), int(pair[1])) for pair in edges.split()], name=name
        )
        for name, edges, orbits in _TABLE
    )


@cache
def _places(size: int) -> dict[int, tuple[int, tuple[int, ...]]]:
    """Number of the structure and orbit of each node, by the pairs that are joined, as bits."""
    pairs = list(combinations(range(size), 2))
    bit = {pair: 1 << k for k, pair in enumerate(pairs)}
    found = {}
    for number, one in enumerate(graphlets()):
        if one.num_nodes != size:
            continue
        for order in permutations(range(size)):
            code = sum(bit[min(order[u], order[v]), max(order[u], order[v])] for u, v in one.edges)
            orbits = [0] * size
            for node, orbit in zip(order, ORBITS[number], strict=True):
                orbits[node] = orbit
            found[code] = number, tuple(orbits)
    return found


def orbits_by_enumeration(graph: CSRGraph) -> np.ndarray:
    """Induced occurrences with each node at each orbit, int64 ``[V, 73]``, by looking at all sets.

    >>> from gomkcn_dgl import as_csr
    >>> import networkx as nx
    >>> orbits_by_enumeration(as_csr(nx.path_graph(3)))[:, :4].tolist()
    [[1, 1, 0, 0], [2, 0, 1, 0], [1, 1, 0, 0]]
    """
    near = [set(row.tolist()) for row in np.split(graph.indices, graph.indptr[1:-1])]
    counts = np.zeros((graph.num_nodes, NUM_ORBITS[5]), np.int64)
    sets = {frozenset([node]) for node in range(graph.num_nodes)}
    for size in range(2, 6):
        # a connected set is a smaller one and a neighbour
        sets = {nodes | {other} for nodes in sets for node in nodes for other in near[node] - nodes}
        for nodes in map(sorted, sets):
            joined = [int(v in near[u]) for u, v in combinations(nodes, 2)]
            code = sum(one << k for k, one in enumerate(joined))
            for node, orbit in zip(nodes, _places(size)[code][1], strict=True):
                counts[node, orbit] += 1
    return counts


@cache
def subgraphs_inside() -> np.ndarray:
    """How many subgraphs isomorphic to each structure each other one has on all of its nodes.

    int64 ``[30, 30]``, from the structure to the one that has it inside.
    """
    inside = np.zeros((len(_TABLE), len(_TABLE)), np.int64)
    for number, one in enumerate(graphlets()):
        places = _places(one.num_nodes)
        bit = {pair: 1 << k for k, pair in enumerate(combinations(range(one.num_nodes), 2))}
        bits = [bit[pair] for pair in one.edges]
        for size in range(one.num_nodes - 1, len(bits) + 1):
            for chosen in combinations(bits, size):
                # a part in pieces is no structure
                if sum(chosen) in places:
                    inside[places[sum(chosen)][0], number] += 1
    return inside
