"""Null models: a graph → a graph made by chance that keeps some of its properties.

``"degree"``
    edges are rewired; every node keeps its degree, and as many edges as before join nodes of each
    two degrees. Connected components stay connected and keep their nodes, so that nothing leaves
    its graph in a collection.
``"configuration"``
    the same without the second condition: the degrees alone. Graphs that grew, such as
    Barabási–Albert graphs, differ from this null model all by themselves, see
    ``benchmarks/results/significance.md``.
``"features"``
    the edges stay and the rows of the features are shuffled over all nodes.
"""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from mining.chance.rewiring import swap_edges

log = logging.getLogger("gomkcn_dgl")

NULL_MODELS = ("configuration", "degree", "features")

# swaps an edge; attempts are bounded, since in some graphs no swap is possible
_SWAPS = 10
_ATTEMPTS = 100


def sample_null(graph: CSRGraph, null: str, seed: int) -> CSRGraph:
    """Draw one graph of a null model.

    Parameters
    ----------
    graph : CSRGraph
        A graph or a collection. Edge weights are dropped when edges are rewired: patterns have
        none.
    null : {"configuration", "degree", "features"}
        What is kept, see above.
    seed : int
        The same seed gives the same sample.

    Returns
    -------
    CSRGraph
        With the nodes of ``graph`` in their order.

    Raises
    ------
    InputError
        For an unknown null model or a negative seed.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> graph = as_csr(nx.barabasi_albert_graph(50, 2, seed=0))
    >>> sample = sample_null(graph, "degree", seed=1)
    >>> (sample.degrees == graph.degrees).all(), sample.num_edges == graph.num_edges
    (np.True_, True)
    """
    check_choice("null", null, NULL_MODELS)
    rng = np.random.default_rng([check_int("seed", seed, 0), NULL_MODELS.index(null)])
    if null == "features":
        return shuffle_features(graph, rng)
    return rewire(graph, rng, keep_pairs=null == "degree")


def shuffle_features(graph: CSRGraph, rng: np.random.Generator) -> CSRGraph:
    """Shuffle the rows of the features over all nodes, of all graphs of a collection."""
    return replace(graph, features=graph.features[rng.permutation(graph.num_nodes)])


def rewire(graph: CSRGraph, rng: np.random.Generator, *, keep_pairs: bool) -> CSRGraph:
    """Rewire the edges by ten swaps an edge, keeping degrees and connected components.

    Parameters
    ----------
    graph : CSRGraph
    rng : numpy.random.Generator
    keep_pairs : bool
        Keep as well how many edges join nodes of each two degrees.
    """
    edges = graph.undirected_edges()
    if len(edges) == 0:
        return replace(graph, weights=None)
    group_of = _groups(graph, edges, keep_pairs)
    group_ptr = np.concatenate([[0], np.cumsum(np.bincount(group_of))])
    members = np.argsort(group_of, kind="stable")
    arrays = (edges, graph.indptr, graph.indices.astype(np.int64), group_of, group_ptr, members)
    swaps, attempts = _SWAPS * len(edges), _ATTEMPTS * len(edges)
    _, attempts = swap_edges(*arrays, swaps // 2, attempts // 2, rng)
    # a graph that allows few swaps must be stayed at for longer: to stop after so many swaps would
    # prefer the others, so the second half has as many attempts as the first half needed
    swap_edges(*arrays, attempts, attempts, rng)
    return csr_from_edges(
        edges[:, 0],
        edges[:, 1],
        graph.num_nodes,
        features=graph.features,
        graph_ptr=graph.graph_ptr,
        node_ids=graph.node_ids,
        feature_names=graph.feature_names,
        undirected=True,
    )


def _groups(graph: CSRGraph, edges: np.ndarray, keep_pairs: bool) -> np.ndarray:
    """Number of the group of each end, ``[2 E]``: those that may be exchanged."""
    whole = csr_array(
        (np.ones(len(graph.indices), np.int8), graph.indices, graph.indptr),
        shape=(graph.num_nodes, graph.num_nodes),
    )
    _, component = connected_components(whole, directed=False)
    # end 2 e leads to the second node of edge e, end 2 e + 1 to the first
    target = edges[:, ::-1].reshape(-1)
    degree = graph.degrees[target] if keep_pairs else np.zeros(len(target), np.int64)
    key = component[target].astype(np.int64) * (1 + graph.degrees.max()) + degree
    return np.unique(key, return_inverse=True)[1].reshape(-1)
