"""A list of graphs ↔ one collection, as CSRGraphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.relations import unite


def concatenate(parts: Sequence[CSRGraph]) -> CSRGraph:
    """Join graphs and collections, in this order; all need the same features, and weights or none.

    >>> from gomkcn_dgl.csr import csr_from_edges
    >>> edge = csr_from_edges(np.array([0]), np.array([1]), 2)
    >>> path = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3)
    >>> concatenate([edge, path]).graph_ptr.tolist()
    [0, 2, 5]
    """
    _check_same_columns(parts)
    if len(parts) == 1:
        return parts[0]
    nodes = np.cumsum([0] + [part.num_nodes for part in parts])
    edges = np.cumsum([0] + [len(part.indices) for part in parts])
    if nodes[-1] >= 2**31:
        raise InputError(f"a collection must have fewer than 2^31 nodes, got {nodes[-1]}.")
    # nodes and edges of a part are numbered after those of all parts before it
    indptr = [part.indptr[1:] + start for part, start in zip(parts, edges[:-1], strict=True)]
    indices = [part.indices + start for part, start in zip(parts, nodes[:-1], strict=True)]
    graph_ptr = [part.graph_ptr[1:] + start for part, start in zip(parts, nodes[:-1], strict=True)]
    weights = [part.weights for part in parts if part.weights is not None]
    relations, numbers = unite([part.relations for part in parts])
    links: np.ndarray | None = None
    if not relations.is_simple:
        links = np.concatenate(
            [_renumbered(part, new) for part, new in zip(parts, numbers, strict=True)]
        ).astype(relations.code_type)
    ids = None
    if any(part.node_ids is not None for part in parts):
        ids = [np.array(part.original_ids(np.arange(part.num_nodes))) for part in parts]
    return CSRGraph(
        indptr=np.concatenate([[0], *indptr]).astype(np.int64),
        indices=np.concatenate(indices).astype(np.int32),
        features=np.concatenate([part.features for part in parts]),
        weights=np.concatenate(weights) if weights else None,
        graph_ptr=np.concatenate([[0], *graph_ptr]).astype(np.int64),
        node_ids=None if ids is None else np.concatenate(ids),
        feature_names=parts[0].feature_names,
        relations=relations,
        links=links,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def split_graphs(graph: CSRGraph) -> list[CSRGraph]:
    """The graphs of a collection, each by itself, as views; the inverse of ``concatenate``.

    A list is what scikit-learn divides into parts for training and validation.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> both = as_csr([nx.path_graph(2), nx.cycle_graph(3)])
    >>> [(one.num_nodes, one.num_edges) for one in split_graphs(both)]
    [(2, 1), (3, 3)]
    """
    return [_take_graph(graph, number) for number in range(graph.num_graphs)]


def _take_graph(graph: CSRGraph, number: int) -> CSRGraph:
    """One graph of a collection."""
    first, last = graph.graph_ptr[number : number + 2].tolist()
    nodes, entries = slice(first, last), slice(*graph.indptr[[first, last]].tolist())
    edge_arrays: dict[str, Any] = {
        name: None if array is None else array[entries]
        for name in ("weights", "links")
        for array in (getattr(graph, name),)
    }
    return replace(
        graph,
        indptr=graph.indptr[first : last + 1] - graph.indptr[first],
        indices=graph.indices[entries] - np.int32(first),
        features=graph.features[nodes],
        graph_ptr=np.array([0, last - first]),
        node_ids=None if graph.node_ids is None else graph.node_ids[nodes],
        **edge_arrays,
    )


def _renumbered(part: CSRGraph, new: np.ndarray) -> np.ndarray:
    """Links of a graph under new numbers; without links, all are the one link of its relation."""
    return np.full(len(part.indices), new[1]) if part.links is None else new[part.links]


def _check_same_columns(parts: Sequence[CSRGraph]) -> None:
    """Refuse graphs that cannot be joined."""
    if not parts:
        raise InputError("the collection is empty: it has no graphs.")
    widths = sorted({part.features.shape[1] for part in parts})
    if len(widths) > 1:
        raise InputError(f"all graphs must have the same feature width, got {widths}.")
    names = parts[0].feature_names
    for number, part in enumerate(parts):
        if part.feature_names != names:
            raise InputError(
                f"all graphs must have the same features, got {list(names)} in graph 0 and "
                f"{list(part.feature_names)} in graph {number}."
            )
    if len({part.weights is None for part in parts}) > 1:
        raise InputError("either all graphs must have edge weights or none.")
