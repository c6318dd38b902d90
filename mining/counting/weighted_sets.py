"""Intensity and coherence of structures: J.-P. Onnela et al., Phys. Rev. E 71, 065103(R), 2005.

With w the weights of the edges of an occurrence, its intensity I is their geometric mean, and its
coherence Q that mean over the arithmetic one, in (0, 1]. A structure has the sum of I and the mean
of Q over its induced occurrences. An edge between the nodes of an occurrence is an edge of its
structure, so that both follow from the pairs of its nodes: with the product and the sum of the
weights between each two of them,

    I = product over pairs of (product of weights)^(1 / edges),
    Q = edges I / sum over pairs of (sum of weights).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gomkcn.mining.counting.census import edge_subsets
from gomkcn.mining.counting.listed_sets import ListedSets
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, run_blocks

# the rows of what is added up of each structure
INTENSITY, COHERENCE = range(2)
# nanoseconds to look at a set
_NANOSECONDS = 10.0


def weigh_sets(sets: ListedSets, pair_of_edge: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Add up intensities and coherences of listed sets, for each of some weights of the edges.

    Parameters
    ----------
    sets : ListedSets
    pair_of_edge : numpy.ndarray
        int64 ``[A]``, the pair of nodes that each edge joins.
    weights : numpy.ndarray
        float64 ``[W, A]``, positive: a row for each draw.

    Returns
    -------
    numpy.ndarray
        float64 ``[W, 2, S]``, sums over the occurrences of each structure.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import as_csr
    >>> from gomkcn.mining.counting.listed_sets import list_sets
    >>> sets = list_sets(as_csr(nx.path_graph(3)), 3)
    >>> weigh_sets(sets, np.array([0, 1]), np.array([[1.0, 4.0]])).tolist()
    [[[2.0], [0.8]]]
    """
    num_edges = np.array([len(structure.edges) for structure in sets.structures], np.int64)
    used, root_of = np.unique(num_edges, return_inverse=True)
    num_pairs = 1 + int(pair_of_edge.max(initial=-1))
    # 1. product and sum of the weights between each two nodes, in units in which none overflows
    unit = float(weights.max(initial=0.0)) or 1.0
    roots = np.empty((len(weights), len(used), num_pairs))
    totals = np.empty((len(weights), num_pairs))
    for row, values in enumerate(weights):
        logs = np.bincount(pair_of_edge, np.log(values) - np.log(unit), num_pairs)
        totals[row] = np.bincount(pair_of_edge, values / unit, num_pairs)
        roots[row] = np.exp(logs / used[:, None])
    # 2. over all sets
    sums = np.zeros((len(weights), 2, len(num_edges)))
    run_blocks(
        add_weights,
        len(weights),
        _NANOSECONDS * len(weights) * len(sets.number),
        *(sets.pairs, sets.number, root_of.reshape(-1), num_edges, roots, totals, sums),
    )
    sums[:, INTENSITY] *= unit
    return sums


def weigh_subgraphs(
    sets: ListedSets, edge_of: Callable[..., np.ndarray], values: np.ndarray
) -> dict[Structure, tuple[float, float]]:
    """Intensity and coherence of the subgraphs within listed sets, which need not be induced.

    ``edge_of`` finds edges by their ends and relation, whose weights are ``values [A]``. A subgraph
    is some of the edges of a set that connect all of its nodes.

    >>> import networkx as nx
    >>> from gomkcn_dgl.graph import with_attributes
    >>> from gomkcn.mining.counting.listed_sets import list_sets
    >>> from gomkcn.mining.structures.edge_weights import EdgeWeights
    >>> triangle = nx.Graph([(0, 1, {"w": 1}), (1, 2, {"w": 4}), (0, 2, {"w": 16})])
    >>> graph, _, table = with_attributes(triangle, ("w",))
    >>> edges = EdgeWeights.of(graph, table, "w")
    >>> found = weigh_subgraphs(list_sets(graph, 3), edges.finder(graph), edges.values)
    >>> [(len(one.edges), round(intensity, 9)) for one, (intensity, _) in found.items()]
    [(2, 14.0), (3, 4.0)]
    """
    sums: dict[bytes, np.ndarray] = {}
    known: dict[bytes, Structure] = {}
    order = np.argsort(sets.number, kind="stable")
    ends = np.cumsum(sets.counts)
    for structure, start, end in zip(sets.structures, ends - sets.counts, ends, strict=True):
        nodes = sets.nodes[order[start:end]]
        # [K, E], of each occurrence the weights of the edges of the structure
        edges = zip(structure.edges, structure.edge_relations, strict=True)
        found = [edge_of(nodes[:, u], nodes[:, v], relation) for (u, v), relation in edges]
        weights = values[np.stack(found, axis=1)]
        logs = np.log(weights)
        parts, position, chosen = edge_subsets(structure)
        for number, row in zip(position.tolist(), chosen, strict=True):
            part = known.setdefault(parts[number].key, parts[number])
            means = np.exp(logs[:, row].mean(axis=1))
            added = np.array(
                [means.sum(), (means / weights[:, row].mean(axis=1)).sum(), end - start]
            )
            sums[part.key] = sums.get(part.key, np.zeros(3)) + added
    return {
        known[key]: (intensity, coherence / number)
        for key, (intensity, coherence, number) in (
            (key, row.tolist()) for key, row in sums.items()
        )
    }


@compiled(**SEARCH_JIT)
def add_weights(first, last, pairs, number, root_of, num_edges, roots, totals, sums):
    """Add to `sums [W, 2, S]` the intensity and the coherence of each set, with some weights."""
    for row in range(first, last):
        for place in range(len(pairs)):
            structure = number[place]
            root = root_of[structure]
            intensity, total = 1.0, 0.0
            for column in range(pairs.shape[1]):
                pair = pairs[place, column]
                if pair >= 0:
                    intensity *= roots[row, root, pair]
                    total += totals[row, pair]
            sums[row, 0, structure] += intensity
            sums[row, 1, structure] += num_edges[structure] * intensity / total
