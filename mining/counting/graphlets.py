"""The 30 connected graphs of two to five nodes, and the 73 orbits of their nodes.

They are numbered as by N. Pržulj (Biological network comparison using graphlet degree distribution,
Bioinformatics 23, 2007). What is here is plain, and what quicker functions are compared with.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.named_structures import SMALL
from gomkcn_dgl.graphs.structure import Structure

# the orbit of each node of each structure, in the order of SMALL
ORBITS = (
    (0, 0), (1, 1, 2), (3, 3, 3),
    (4, 4, 5, 5), (6, 6, 6, 7), (8, 8, 8, 8),
    (9, 10, 10, 11), (12, 12, 13, 13), (14, 14, 14, 14),
    (15, 15, 17, 16, 16), (19, 19, 18, 20, 21), (22, 22, 22, 22, 23),
    (24, 24, 25, 26, 26), (27, 29, 29, 30, 28), (31, 31, 32, 32, 33),
    (34, 34, 34, 34, 34), (35, 37, 37, 36, 38), (39, 40, 40, 41, 42),
    (43, 43, 43, 43, 44), (45, 46, 48, 48, 47), (49, 49, 49, 50, 50),
    (52, 51, 51, 53, 53), (54, 54, 54, 55, 55), (56, 57, 57, 57, 58),
    (59, 59, 60, 60, 61), (62, 64, 64, 63, 63), (65, 66, 66, 67, 67),
    (68, 68, 68, 68, 69), (70, 70, 71, 71, 71), (72, 72, 72, 72, 72),
)  # fmt: skip
NUM_ORBITS = {size: 1 + max(max(row) for row in ORBITS if len(row) <= size) for size in (4, 5)}


@cache
def graphlets() -> tuple[Structure, ...]:
    """The 30 structures, in the order of their numbers.

    >>> [one.name for one in graphlets() if one.num_nodes == 3]
    ['path of 3 nodes', 'triangle']
    """
    return tuple(map(Structure.parse, SMALL))


@cache
def _places(size: int) -> dict[int, tuple[int, tuple[int, ...]]]:
    """Number of the structure and orbit of each node, by the pairs that are joined, as bits."""
    pairs = list(combinations(range(size), 2))
    bit = {pair: 1 << k for k, pair in enumerate(pairs)}
    found = {}
    for number, graphlet in enumerate(graphlets()):
        if graphlet.num_nodes != size:
            continue
        for order in permutations(range(size)):
            code = sum(
                bit[min(order[u], order[v]), max(order[u], order[v])] for u, v in graphlet.edges
            )
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
            code = sum(is_joined << k for k, is_joined in enumerate(joined))
            for node, orbit in zip(nodes, _places(size)[code][1], strict=True):
                counts[node, orbit] += 1
    return counts
