"""Which nodes and edges of a graph speak for its class: by leaving out one after the other.

A classifier says how sure it is of a class by the logarithm of the odds, log p / (1 - p). The score
of an edge is by how much these fall in the graph without it, and that of a node by how much they
fall in the graph without the node and its edges. So it asks nothing of the classifier but its
answers, and is the same for a kernel machine and a network.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import logsumexp

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr, ends_of_edges

# logits [G, C] of a collection, up to a number that all classes of a graph share
Decide = Callable[[CSRGraph], np.ndarray]
# graphs that are made and classified at a time: their memory is that of so many copies
_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class GraphExplanation:
    """How much each node and each edge of a graph speaks for a class.

    Attributes
    ----------
    class_index : int
        The number of the class in ``classes_``, or in ``class_names`` of a run.
    log_odds : float
        Of the class, log p / (1 - p), of the whole graph.
    node_scores : numpy.ndarray
        float64 ``[V]``, by how much they fall without the node; below 0 it speaks against the
        class.
    edge_scores : numpy.ndarray
        float64 ``[E]`` in the order of the edges as they were given; listings of one edge, such as
        its two directions, have one score, and self-loops have 0.
    """

    class_index: int
    log_odds: float
    node_scores: np.ndarray
    edge_scores: np.ndarray


def explain_graph(
    decide: Decide, graph: Any, csr: CSRGraph, class_index: int | None = None
) -> GraphExplanation:
    """Explain the class of a graph, by default the one that is decided for.

    ``csr`` is ``graph`` as the classifier takes it.
    """
    if csr.num_graphs != 1:
        raise InputError("graph", "must be a single graph", got=f"{csr.num_graphs} graphs")
    scores = decide(csr)[0]
    index = int(scores.argmax()) if class_index is None else class_index
    whole = float(_log_odds(scores[None], index)[0])
    pairs = csr.adjacent_pairs()
    source, target = ends_of_edges(graph) if not isinstance(graph, CSRGraph) else csr.edges()[:2]
    # 1. without each node: a graph of one node becomes one without edges, whose class says nothing
    node_scores = np.zeros(csr.num_nodes)
    if csr.num_nodes > 1:
        nodes = [without_node(csr, node) for node in range(csr.num_nodes)]
        node_scores = whole - _odds_of(decide, nodes, index)
    # 2. without each pair of joined nodes
    of_pair = whole - _odds_of(decide, [without_pair(csr, *pair) for pair in pairs.tolist()], index)
    # 3. pairs as they were listed
    low, high = np.minimum(source, target), np.maximum(source, target)
    keys = pairs[:, 0] * csr.num_nodes + pairs[:, 1]
    wanted = low * csr.num_nodes + high
    place = np.searchsorted(keys, wanted).clip(max=max(0, len(keys) - 1))
    edge_scores = np.zeros(len(source))
    if len(keys):
        # a loop, and an edge of weight 0, are none of the pairs
        edge_scores = np.where(keys[place] == wanted, of_pair[place], 0.0)
    return GraphExplanation(index, whole, node_scores, edge_scores)


def _odds_of(decide: Decide, graphs: list[CSRGraph], index: int) -> np.ndarray:
    """The log odds of a class in some graphs, float64 ``[G]``."""
    parts = [
        _log_odds(decide(as_csr(graphs[first : first + _AT_ONCE])), index)
        for first in range(0, len(graphs), _AT_ONCE)
    ]
    return np.concatenate([np.empty(0), *parts])


def _log_odds(scores: np.ndarray, index: int) -> np.ndarray:
    others = np.delete(scores, index, axis=1)
    return np.asarray(scores[:, index] - logsumexp(others, axis=1), np.float64)


def without_pair(csr: CSRGraph, u: int, v: int) -> CSRGraph:
    """The graph without what joins two nodes.

    >>> path = as_csr((np.array([[0, 1], [1, 2]]), 3), directed=False)
    >>> without_pair(path, 0, 1).adjacent_pairs().tolist()
    [[1, 2]]
    """
    row = np.repeat(np.arange(csr.num_nodes), csr.degrees)
    kept = ~(((row == u) & (csr.indices == v)) | ((row == v) & (csr.indices == u)))
    return _with_entries(csr, row, kept)


def without_node(csr: CSRGraph, node: int) -> CSRGraph:
    """The graph without a node; later ones move down.

    >>> path = as_csr((np.array([[0, 1], [1, 2]]), 3), directed=False)
    >>> without_node(path, 0).adjacent_pairs().tolist()
    [[0, 1]]
    """
    row = np.repeat(np.arange(csr.num_nodes), csr.degrees)
    rest = _with_entries(csr, row, (row != node) & (csr.indices != node))
    others = np.arange(csr.num_nodes) != node
    return replace(
        rest,
        indptr=np.delete(rest.indptr, node + 1),
        indices=(rest.indices - (rest.indices > node)).astype(np.int32),
        features=csr.features[others],
        node_ids=None if csr.node_ids is None else csr.node_ids[others],
        graph_ptr=np.array([0, csr.num_nodes - 1]),
    )


def _with_entries(csr: CSRGraph, row: np.ndarray, kept: np.ndarray) -> CSRGraph:
    """The graph with some of its entries, bool ``[E]``."""
    counts = np.bincount(row[kept], minlength=csr.num_nodes)
    return replace(
        csr,
        indptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        indices=csr.indices[kept],
        weights=None if csr.weights is None else csr.weights[kept],
        links=None if csr.links is None else csr.links[kept],
        loops=None,
    )
