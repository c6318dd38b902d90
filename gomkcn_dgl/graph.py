"""Step 1: a graph in any of the usual containers → one CSRGraph, undirected and simple.

Every reader and every container ends in :func:`csr_from_edges`, so directed edges, self-loops,
duplicates and missing features are handled in one place and in one way: mirrored, dropped, merged
and replaced by the constant 1, each with one line in the log ``gomkcn_dgl`` (one line for a whole
collection, too).
"""

from __future__ import annotations

import numbers
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.checks import as_float32, check_features, check_int, to_numpy
from gomkcn_dgl.csr import CSRGraph, concatenate, csr_from_edges, log_repairs
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.runtime.file_names import named
from gomkcn_dgl.storage.graph_folder import is_graph_folder, read_graph_folder

__all__ = ["CSRGraph", "as_csr", "concatenate", "csr_from_edges"]

DEFAULT_FEATURE = "feat"


def as_csr(
    graph: Any,
    *,
    features: str | Sequence[str] | np.ndarray | None = None,
    edge_weight: str | None = None,
) -> CSRGraph:
    """Convert a graph, or a list of graphs, to one :class:`CSRGraph`.

    Parameters
    ----------
    graph : CSRGraph, DGLGraph, networkx.Graph, SciPy sparse matrix, (edge_index, num_nodes), list
        A batched DGLGraph, a list or a data set of graphs (labels are ignored) becomes a
        collection. A path names a graph folder, which is opened memory-mapped, see
        :mod:`gomkcn_dgl.storage.graph_folder`. ``edge_index`` is an integer array ``[2, E]``. The
        values of a SciPy matrix are edge weights unless all are 1; an entry of value 0 is no edge.
        A PyG ``Data`` or ``Batch`` is taken, too, with the edges given both ways or one way.
    features : str, sequence of str, array or None
        Names of node attributes (DGL ``ndata``, NetworkX node attributes, PyG node tensors) that
        are put side by side, or an array ``[V, D]`` in the order of the nodes. None takes the
        attribute ``feat``, ``x`` for PyG, when every node has one.
    edge_weight : str, optional
        Name of the edge attribute (DGL ``edata``, NetworkX, PyG such as ``"edge_attr"``) that holds
        the weights, one number an edge and all >= 0; an edge of weight 0 is no edge. None:
        unweighted.

    Returns
    -------
    CSRGraph
        Directed edges mirrored, self-loops dropped, duplicates merged (the largest weight stays),
        missing features replaced by the constant 1; the log says so.

    Raises
    ------
    InputError
        For an empty graph, an id out of range, features that are not finite or not ``[V, D]``,
        negative weights.
    InputTypeError
        For any other kind of object.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = as_csr(nx.path_graph(3))
    >>> graph.num_nodes, graph.num_edges, graph.indices.tolist()
    (3, 2, [1, 0, 2, 1])
    """
    repairs: Counter[str] = Counter()
    converted = _convert(graph, features, edge_weight, repairs)
    log_repairs(repairs)
    return converted


def _convert(graph: Any, features: Any, edge_weight: str | None, repairs: Counter[str]) -> CSRGraph:
    """Do the work of :func:`as_csr`, with the repairs counted instead of logged."""
    if isinstance(graph, (str, os.PathLike)):
        graph = _open_folder(graph)
    if isinstance(graph, CSRGraph):
        _refuse_names("a CSRGraph", features, edge_weight)
        if features is None:
            return graph
        matrix, names = check_features(features, graph.num_nodes, None)
        return replace(graph, features=matrix, feature_names=names)
    if _is_collection(graph):
        return _from_collection(graph, features, edge_weight, repairs)
    # each kind of graph becomes arguments of csr_from_edges, which does the rest for all
    return csr_from_edges(**_arguments(graph, features, edge_weight), repairs=repairs)


def _open_folder(path: str | os.PathLike[str]) -> CSRGraph:
    if not is_graph_folder(path):
        raise InputTypeError(
            f"graph must be a graph, got the path {str(path)!r}; "
            "read a file with gomkcn.read_graph."
        )
    with named(Path(path)):
        return read_graph_folder(path)


def _arguments(graph: Any, features: Any, edge_weight: str | None) -> dict[str, Any]:
    """Read one graph of any other library into arguments of :func:`csr_from_edges`."""
    if isinstance(graph, dgl.DGLGraph):
        return _from_dgl(graph, features, edge_weight)
    if isinstance(graph, nx.Graph):
        return _from_networkx(graph, features, edge_weight)
    if sp.issparse(graph):
        _refuse_names("a SciPy matrix", features, edge_weight)
        return {**_from_scipy(graph), "features": features}
    if _is_edge_index(graph):
        _refuse_names("an edge index", features, edge_weight)
        return {**_from_edge_index(*graph), "features": features}
    if _is_pyg(graph):
        return _from_pyg(graph, features, edge_weight)
    if hasattr(graph, "node_types") and hasattr(graph, "edge_types"):
        raise InputTypeError(
            f"graph must be homogeneous, got a {type(graph).__name__} with the node types "
            f"{list(graph.node_types)}; convert it with its method to_homogeneous first."
        )
    raise InputTypeError(
        "graph must be a DGLGraph, a networkx.Graph, a SciPy sparse matrix, a PyG Data, a pair "
        f"(edge_index [2, E], num_nodes) or a list of those, got {type(graph).__name__}."
    )


def _from_dgl(graph: Any, features: Any, edge_weight: str | None) -> dict[str, Any]:
    if not graph.is_homogeneous:
        raise InputTypeError(
            "graph must be homogeneous, got a DGLGraph with the node types "
            f"{graph.ntypes}; convert it with dgl.to_homogeneous first."
        )
    if graph.num_nodes() == 0:
        raise InputError("the graph is empty: it has no nodes.")
    # a graph that is restricted to CSR or CSC cannot list its edges by id
    if not any("coo" in layouts for layouts in graph.formats().values()):
        graph = graph.formats("coo")
    # in the order of the edge ids, in which DGL stores the weights
    source, target = graph.edges(order="eid")
    matrix, names = pick_columns(features, graph.ndata, "ndata")
    weights = None
    if edge_weight is not None:
        weights = _column(edge_weight, graph.edata, "edata").reshape(-1)
    # asked of a copy: DGL stores the answer, and graph.remove_nodes fails after that
    sizes = graph.local_var().batch_num_nodes().cpu().numpy()
    return {
        "source": source.cpu().numpy(),
        "target": target.cpu().numpy(),
        "num_nodes": graph.num_nodes(),
        "weights": weights,
        "features": matrix,
        "graph_ptr": np.concatenate([[0], np.cumsum(sizes)]),
        "feature_names": names,
    }


def _from_networkx(graph: nx.Graph, features: Any, edge_weight: str | None) -> dict[str, Any]:
    nodes = list(graph.nodes)
    if not nodes:
        raise InputError("the graph is empty: it has no nodes.")
    # nodes become rows in the order in which the graph lists them
    row_of = {node: row for row, node in enumerate(nodes)}
    ends = [(row_of[u], row_of[v]) for u, v in graph.edges()]
    edge_index = np.array(ends, dtype=np.int64).reshape(-1, 2)
    weights = None
    if edge_weight is not None:
        values = [data.get(edge_weight) for _, _, data in graph.edges(data=True)]
        if any(value is None for value in values):
            raise InputError(f"edge_weight {edge_weight!r} must be set on every edge of the graph.")
        weights = as_float32(f"edge_weight {edge_weight!r}", values)
    if features is None and all(DEFAULT_FEATURE in graph.nodes[n] for n in nodes):
        features = DEFAULT_FEATURE
    attributes = _networkx_columns(graph, features)
    matrix, names = pick_columns(features, attributes, "node attributes")
    return {
        "source": edge_index[:, 0],
        "target": edge_index[:, 1],
        "num_nodes": len(nodes),
        "weights": weights,
        "features": matrix,
        "node_ids": _node_ids(nodes),
        "feature_names": names,
        "undirected": not graph.is_directed(),
    }


def _networkx_columns(graph: nx.Graph, features: Any) -> dict[str, np.ndarray]:
    """Return the named node attributes as arrays; a name that is missing on a node is refused."""
    if isinstance(features, str):
        features = [features]
    if not _all_text(features):
        return {}
    columns = {}
    for name in features:
        values = [data.get(name) for _, data in graph.nodes(data=True)]
        missing = [node for node, value in zip(graph.nodes, values, strict=True) if value is None]
        if missing:
            known = sorted({str(key) for _, data in graph.nodes(data=True) for key in data})
            raise InputError(
                f"features names the node attribute {name!r}, which node {missing[0]!r} does not "
                f"have; the attributes here are {known}."
            )
        try:
            columns[name] = np.array([to_numpy(value) for value in values])
        except ValueError:
            raise InputError(
                f"the node attribute {name!r} must have the same shape on every node."
            ) from None
    return columns


def _node_ids(nodes: list[Any]) -> np.ndarray | None:
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


def _from_scipy(matrix: Any) -> dict[str, Any]:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix must be square, got the shape {matrix.shape}.")
    # a matrix that lists an entry twice means their sum, which only the compressed formats form
    entries = matrix.tocsr().tocoo()
    values = np.asarray(entries.data)
    stored = values != 0
    row, column, values = entries.row[stored], entries.col[stored], values[stored]
    weights = None if (values == 1).all() else values
    return {"source": row, "target": column, "num_nodes": matrix.shape[0], "weights": weights}


def _is_edge_index(graph: Any) -> bool:
    if not (isinstance(graph, tuple) and len(graph) == 2):
        return False
    is_array = isinstance(graph[0], (list, np.ndarray)) or hasattr(graph[0], "detach")
    return is_array and isinstance(graph[1], numbers.Integral)


def _from_edge_index(edge_index: Any, num_nodes: Any) -> dict[str, Any]:
    try:
        edge_index = to_numpy(edge_index)
    except ValueError:
        raise InputError("edge_index must have the shape [2, E], got rows that differ.") from None
    if edge_index.ndim != 2 or len(edge_index) != 2:
        raise InputError(f"edge_index must have the shape [2, E], got {edge_index.shape}.")
    num_nodes = check_int("num_nodes", num_nodes, 0)
    return {"source": edge_index[0], "target": edge_index[1], "num_nodes": num_nodes}


def _is_pyg(graph: Any) -> bool:
    return hasattr(graph, "edge_index") and hasattr(graph, "num_nodes")


def _from_pyg(graph: Any, features: Any, edge_weight: str | None) -> dict[str, Any]:
    """Read a PyG ``Data``, or a ``Batch`` of them, by their attributes: PyG need not be there."""
    if graph.edge_index is None:
        raise InputError("edge_index of a PyG graph must be set, got None.")
    num_nodes = check_int("num_nodes", graph.num_nodes, 0)
    stored = graph.to_dict() if hasattr(graph, "to_dict") else vars(graph)
    if features is None:
        matrix, names = stored.get("x"), None
    else:
        matrix, names = pick_columns(features, stored, "a PyG graph")
    weights = None
    if edge_weight is not None:
        weights = _column(edge_weight, stored, "a PyG graph")
        # edge_attr has one column or several
        weights = weights.reshape(-1) if weights.shape[1:] == (1,) else weights
    ptr = stored.get("ptr")
    source, target = to_numpy(graph.edge_index)
    return {
        "source": source,
        "target": target,
        "num_nodes": num_nodes,
        "weights": weights,
        "features": matrix,
        "graph_ptr": None if ptr is None else to_numpy(ptr),
        "feature_names": names,
    }


def _is_collection(graph: Any) -> bool:
    """Whether this is a list or a data set of graphs: it has a length and takes a number."""
    if isinstance(graph, (dgl.DGLGraph, nx.Graph, bytes, Mapping)) or hasattr(graph, "ndim"):
        return False
    # a data set of PyG may have an edge_index, but it has no num_nodes
    if _is_edge_index(graph) or _is_pyg(graph) or hasattr(graph, "node_types"):
        return False
    return hasattr(graph, "__len__") and hasattr(graph, "__getitem__")


def _from_collection(
    graphs: Any, features: Any, edge_weight: str | None, repairs: Counter[str]
) -> CSRGraph:
    if features is not None and not isinstance(features, str) and not _all_text(features):
        raise InputError("features must be attribute names when graph is a list of graphs.")
    parts = []
    # one graph after the other, since a data set may load each of them
    for number in range(len(graphs)):
        item = graphs[number]
        # a labelled data set yields (graph, label)
        if isinstance(item, tuple) and item and not _is_edge_index(item):
            item = item[0]
        try:
            parts.append(_convert(item, features, edge_weight, repairs))
        except (InputError, InputTypeError) as error:
            raise type(error)(f"graph {number} of the list: {error}") from None
    return concatenate(parts)


def pick_columns(
    features: Any, table: Any, table_name: str
) -> tuple[np.ndarray | None, tuple[str, ...] | None]:
    """Return the chosen columns of a table of node attributes, side by side, with their names."""
    if features is None:
        if DEFAULT_FEATURE not in table:
            return None, None
        features = DEFAULT_FEATURE
    if isinstance(features, str):
        features = [features]
    if not _all_text(features):
        return features, None
    if not features:
        raise InputError("features must name at least one attribute, got none.")
    # each attribute gives one column or several, named x0, x1, .. or by the attribute
    blocks, names = [], []
    for name in features:
        block = _column(name, table, table_name)
        block = block.reshape(len(block), -1)
        blocks.append(block)
        width = block.shape[1]
        plain = "x" if name == DEFAULT_FEATURE else name
        names += [name] if width == 1 else [f"{plain}{column}" for column in range(width)]
    return np.concatenate(blocks, axis=1), tuple(names)


def _column(name: str, table: Any, table_name: str) -> np.ndarray:
    if name not in table:
        raise InputError(f"{table_name} has no {name!r}; it holds {sorted(map(str, table))}.")
    values = to_numpy(table[name])
    if values.dtype.kind not in "biuf":
        raise InputTypeError(f"{table_name} {name!r} must hold numbers, got {values.dtype}.")
    return values


def _all_text(features: Any) -> bool:
    return isinstance(features, (list, tuple)) and all(isinstance(name, str) for name in features)


def _refuse_names(kind: str, features: Any, edge_weight: str | None) -> None:
    if isinstance(features, str) or (_all_text(features) and features):
        raise InputError(f"features must be an array [V, D] for {kind}, which has no names.")
    if edge_weight is not None:
        raise InputError(f"edge_weight cannot be given for {kind}, which has no edge attributes.")
