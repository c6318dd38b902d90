"""Graphs of NetworkX and igraph: edges, direction, names, and attributes of nodes and edges."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.containers.columns import DEFAULT_FEATURE, record_columns
from gomkcn_dgl.containers.graph_content import GraphContent
from gomkcn_dgl.errors import InputError

if TYPE_CHECKING:
    import networkx as nx

# attribute that igraph and others keep a node's name in
_NAME = "name"


def from_networkx(graph: nx.Graph) -> GraphContent:
    """Read a Graph, DiGraph, MultiGraph or MultiDiGraph, nodes in the order that it lists them."""
    nodes = list(graph.nodes)
    row_of = {node: row for row, node in enumerate(nodes)}
    source, target, records, keys = _list_edges(graph, row_of)
    # keys other than 0, 1, 2, … were given, and may be the type of an edge
    if any(not isinstance(key, int) for key in keys):
        records = [{"key": key, **data} for key, data in zip(keys, records, strict=True)]
    attributes = [data for _, data in graph.nodes(data=True)]
    has_default = bool(nodes) and all(DEFAULT_FEATURE in data for data in attributes)
    return GraphContent(
        owner=f"a networkx {type(graph).__name__}",
        source=np.array(source, dtype=np.int64),
        target=np.array(target, dtype=np.int64),
        num_nodes=len(nodes),
        nodes=record_columns(attributes, lambda row: nodes[row]),
        edges=record_columns(records, lambda edge: (nodes[source[edge]], nodes[target[edge]])),
        default_features=(DEFAULT_FEATURE,) if has_default else (),
        directed=(graph.is_directed(),),
        listed_once=not graph.is_directed(),
        node_ids=node_names(nodes),
    )


def _list_edges(
    graph: nx.Graph, row_of: dict[Any, int]
) -> tuple[list[int], list[int], list[dict[Any, Any]], list[Any]]:
    """Rows of the ends, attributes and keys of the edges, faster than by the views of NetworkX."""
    source: list[int] = []
    target: list[int] = []
    records: list[dict[Any, Any]] = []
    keys: list[Any] = []
    seen: set[Any] = set()
    several = graph.is_multigraph()
    for u, neighbors in graph.adjacency():
        row = row_of[u]
        for v, data in neighbors.items():
            # an edge without direction stands at both ends
            if v in seen:
                continue
            for key, record in data.items() if several else ((0, data),):
                source.append(row)
                target.append(row_of[v])
                records.append(record)
                keys.append(key)
        if not graph.is_directed():
            seen.add(u)
    return source, target, records, keys


def from_igraph(graph: Any) -> GraphContent:
    """Read an igraph.Graph; the attribute ``name``, where there is one, names the nodes."""
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    names = graph.vs[_NAME] if _NAME in graph.vs.attributes() else list(range(graph.vcount()))
    if len(set(names)) < len(names):
        raise InputError("the attribute 'name' of an igraph graph must differ for all nodes.")
    nodes = {name: graph.vs[name] for name in graph.vs.attributes() if name != _NAME}
    return GraphContent(
        owner="an igraph graph",
        source=ends[:, 0],
        target=ends[:, 1],
        num_nodes=graph.vcount(),
        nodes=nodes,
        edges={name: graph.es[name] for name in graph.es.attributes()},
        default_features=(DEFAULT_FEATURE,) if DEFAULT_FEATURE in nodes else (),
        directed=(graph.is_directed(),),
        listed_once=not graph.is_directed(),
        node_ids=node_names(names),
    )


def node_names(nodes: list[Any]) -> np.ndarray | None:
    """Return the nodes' own names, or None where they are 0, 1, 2, … anyway."""
    if nodes == list(range(len(nodes))):
        return None
    whole = all(isinstance(n, numbers.Integral) and not isinstance(n, bool) for n in nodes)
    if whole and all(-(2**63) <= n < 2**63 for n in nodes):
        return np.array(nodes, dtype=np.int64)
    # other ids, such as the pairs of a grid graph, are kept as text
    names = [str(node) for node in nodes]
    if len(set(names)) < len(names):
        raise InputError("nodes of a networkx graph must differ as text, got two that do not.")
    return np.array(names)
