"""Adjacency matrices, edge indices and CSRGraphs, which are plain arrays."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from gomkcn_dgl.checks import check_int, to_numpy
from gomkcn_dgl.containers.graph_content import GraphContent
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError

_WEIGHT = "weight"


def from_matrix(matrix: Any) -> GraphContent:
    """Read a SciPy matrix or a square NumPy array; values are weights unless all are 1."""
    import scipy.sparse as sp

    owner = "a SciPy matrix" if sp.issparse(matrix) else "an adjacency matrix"
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"an adjacency matrix must be square, got the shape {tuple(matrix.shape)}; give an "
            "edge index as (edge_index, num_nodes)."
        )
    # a matrix that lists an entry twice means their sum, which only the compressed formats form
    entries = sp.csr_array(matrix if sp.issparse(matrix) else to_numpy(matrix)).tocoo()
    values = np.asarray(entries.data)
    stored = values != 0
    row, column, values = entries.row[stored], entries.col[stored], values[stored]
    is_weighted = not (values == 1).all()
    return GraphContent(
        owner=owner,
        source=row,
        target=column,
        num_nodes=matrix.shape[0],
        edges={_WEIGHT: values} if is_weighted else {},
        default_weight=_WEIGHT if is_weighted else None,
    )


def is_edge_index(graph: Any) -> bool:
    """Whether this is a pair ``(edge_index, num_nodes)``."""
    if not (isinstance(graph, tuple) and len(graph) == 2):
        return False
    is_array = isinstance(graph[0], (list, np.ndarray)) or hasattr(graph[0], "detach")
    return is_array and isinstance(graph[1], numbers.Integral)


def from_edge_index(graph: tuple[Any, Any]) -> GraphContent:
    """Read a pair ``(edge_index, num_nodes)``."""
    try:
        edge_index = to_numpy(graph[0])
    except ValueError:
        raise InputError("edge_index must have the shape [2, E], got rows that differ.") from None
    if edge_index.ndim != 2 or len(edge_index) != 2:
        raise InputError(f"edge_index must have the shape [2, E], got {edge_index.shape}.")
    num_nodes = check_int("num_nodes", graph[1], 0)
    return GraphContent("an edge index", edge_index[0], edge_index[1], num_nodes)


def from_csr(graph: CSRGraph) -> GraphContent:
    """Read a CSRGraph, each edge without direction in both directions."""
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    links = graph.relations.links
    of_entry = np.ones(len(row), np.int64) if graph.links is None else graph.links
    # the entry of the same two nodes as seen from the other
    back = np.arange(len(row)) if graph.weights is None else graph.opposite_entries
    entries: list[np.ndarray] = []
    others: list[np.ndarray] = []
    relation: list[np.ndarray] = []
    for channel in graph.relations.outgoing.tolist():
        entries.append(np.flatnonzero(links[:, channel][of_entry]))
        both = graph.relations.channels[channel][1] == "both"
        others.append(back[entries[-1]] if both else entries[-1])
        relation.append(np.full(len(entries[-1]), len(relation)))
    entry, other = np.concatenate(entries), np.concatenate(others)
    edges = {}
    if graph.weights is not None:
        # an entry has the largest weight of its edges: one without direction has no more than both
        edges[_WEIGHT] = np.minimum(graph.weights[entry], graph.weights[other])
    has_features = graph.feature_names != (CONSTANT_FEATURE,)
    names = graph.feature_names if has_features else ()
    return GraphContent(
        owner="a CSRGraph",
        source=row[entry],
        target=graph.indices[entry].astype(np.int64),
        num_nodes=graph.num_nodes,
        nodes={name: graph.features[:, column] for column, name in enumerate(names)},
        edges=edges,
        default_features=names,
        default_weight=None if graph.weights is None else _WEIGHT,
        directed=graph.relations.directed,
        relation=None if graph.relations.is_simple else np.concatenate(relation),
        relation_names=graph.relations.names,
        graph_ptr=graph.graph_ptr,
        node_ids=graph.node_ids,
        notes=graph.notes,
    )
