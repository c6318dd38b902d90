"""Graphs of NetworkX, igraph, DGL and PyG, matrices, edge indices and CSRGraphs → GraphContent.

PyG is read by the attributes of its objects and need not be installed. Types of nodes become a
feature, types of edges become relations.
"""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gomkcn_dgl.checks import check_int, to_numpy
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph_content import (
    DEFAULT_FEATURE,
    NONE,
    ColumnChoice,
    Columns,
    EdgeTable,
    GraphContent,
    joined_columns,
    record_columns,
    relation_codes,
    with_gaps,
)
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.relations import MAX_RELATIONS, PLAIN
from gomkcn_dgl.runtime.files import printable

if TYPE_CHECKING:
    import networkx as nx

_WEIGHT = "weight"
# attribute that igraph and others keep a node's name in
_NAME = "name"
# name of the features in PyG
_PYG_FEATURE = "x"
# attribute that holds the type of each node of a graph with several types
NODE_TYPE = "type"
# why the edges of an object that does not say it have a direction
_ONE_WAY = "not all its edges are there both ways"
# what DGL calls the types of a graph that has one of each
_NODES, _EDGES = "_N", "_E"
# what a PyG graph stores beside attributes
_STRUCTURE = ("edge_index", "num_nodes", "ptr", "batch", "adj_t")


def from_networkx(graph: nx.Graph) -> GraphContent:
    """Read a Graph, DiGraph, MultiGraph or MultiDiGraph, nodes in the order that it lists them."""
    nodes = list(graph.nodes)
    row_of = {node: row for row, node in enumerate(nodes)}
    listed = graph.edges(data=True)
    if graph.is_multigraph():
        listed = graph.edges(data=True, keys=True)
    source, target, records, keys = [], [], [], []
    for u, v, *key, data in listed:
        source.append(row_of[u])
        target.append(row_of[v])
        records.append(data)
        keys += key
    # keys other than 0, 1, 2, … were given, and may be the type of an edge
    if any(not isinstance(key, int) for key in keys):
        records = [{"key": key, **data} for key, data in zip(keys, records, strict=True)]
    attributes = [data for _, data in graph.nodes(data=True)]
    has_default = bool(nodes) and all(DEFAULT_FEATURE in data for data in attributes)
    owner = f"a networkx {type(graph).__name__}"
    content = from_records(owner, nodes, attributes, (source, target), records, graph.is_directed())
    return replace(content, default_features=(DEFAULT_FEATURE,) if has_default else ())


def from_records(
    owner: str,
    ids: Sequence[Any],
    nodes: Sequence[Mapping[Any, Any]],
    ends: tuple[Sequence[int], Sequence[int]],
    edges: Sequence[Mapping[Any, Any]],
    one_way: bool | Sequence[bool],
    relation: Sequence[str] | None = None,
    directed: bool | None = None,
) -> GraphContent:
    """Read nodes and edges that have a record of attributes each.

    ``ends`` are the rows of the two nodes of each edge, and ``one_way`` says for all edges or for
    each whether it has a direction. A relation whose edges differ in that is refused, unless
    ``directed`` says how to take them: an edge without direction as one each way, or all without.
    """
    source, target = (np.array(rows, np.int64) for rows in ends)
    has_way = np.broadcast_to(np.array(one_way, bool), source.shape)
    codes = np.zeros(len(source), np.int64)
    names: tuple[str, ...] = (PLAIN,)
    if relation is not None and len(relation):
        codes, names = relation_codes("relation", np.array(relation))
    if len(names) > MAX_RELATIONS:
        raise InputError(
            f"{owner} must have at most {MAX_RELATIONS} relations",
            got=f"{len(names)}, among them {names[0]!r}",
            way_out=(Argument("relation", NONE), " leaves them out"),
        )
    directions: list[bool] = []
    for number, name in enumerate(names):
        ways = has_way[codes == number]
        mixed = ways.any() and not ways.all()
        if mixed and directed is None:
            of = "" if name == PLAIN else f" of the relation {printable(name)!r}"
            raise InputError(
                f"edges{of} must have a direction all or none",
                got=f"{ways.sum()} with and {(~ways).sum()} without",
                way_out=(
                    Argument("directed", True),
                    " takes the latter as one each way, ",
                    Argument("directed", False),
                    " leaves directions out",
                ),
            )
        directions.append(bool(directed if mixed else np.any(ways if len(ways) else one_way)))
    listed_once = not any(directions)
    if not listed_once:
        # the other way of each edge without direction
        back = np.flatnonzero(~has_way)
        source, target = np.append(source, target[back]), np.append(target, source[back])
        codes, edges = (
            np.append(codes, codes[back]),
            [*edges, *(edges[row] for row in back.tolist())],
        )
    return GraphContent(
        owner=owner,
        source=source,
        target=target,
        num_nodes=len(ids),
        nodes=record_columns(nodes, lambda row: ids[row]),
        edges=record_columns(edges, lambda edge: (ids[source[edge]], ids[target[edge]])),
        directed=tuple(directions),
        listed_once=listed_once,
        relation=None if names == (PLAIN,) else codes,
        relation_names=names,
        node_ids=node_names(list(ids)),
    )


def from_igraph(graph: Any) -> GraphContent:
    """Read an igraph.Graph; the attribute ``name`` names the nodes, where it differs for all."""
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    nodes = {name: graph.vs[name] for name in graph.vs.attributes()}
    names = list(range(graph.vcount()))
    if len({str(name) for name in nodes.get(_NAME, ())}) == len(names):
        names = nodes.pop(_NAME, names)
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


class EdgesOfType(NamedTuple):
    """Edges of one type: its name, types of their ends, ends, and attributes."""

    type: tuple[str, str, str]
    source: np.ndarray
    target: np.ndarray
    columns: Mapping[str, Any]


class TypedGraph(NamedTuple):
    """A graph type by type: number of nodes, attributes of nodes, and edges with theirs."""

    sizes: Mapping[str, int]
    nodes: Mapping[str, Mapping[str, Any]]
    edges: Sequence[EdgesOfType]

    @classmethod
    def of_one_type(
        cls,
        ends: tuple[np.ndarray, np.ndarray],
        num_nodes: int,
        nodes: Mapping[str, Any],
        edges: Mapping[str, Any],
    ) -> TypedGraph:
        """Return a graph with one type of nodes and one of edges, called as DGL calls them."""
        typed = EdgesOfType((_NODES, _EDGES, _NODES), *ends, edges)
        return cls({_NODES: num_nodes}, {_NODES: nodes}, [typed])


def from_dgl(graph: Any) -> GraphContent:
    """Read a DGLGraph, or a batch of graphs with one type of nodes."""
    # a graph that is restricted to CSR or CSC cannot list its edges by id
    if not any("coo" in layouts for layouts in graph.formats().values()):
        graph = graph.formats("coo")
    edges = []
    for kind in graph.canonical_etypes:
        # in the order of the edge ids, in which DGL stores attributes
        source, target = graph.edges(order="eid", etype=kind)
        ends = source.cpu().numpy(), target.cpu().numpy()
        edges.append(EdgesOfType(kind, *ends, dict(graph.edges[kind].data)))
    sizes = {kind: graph.num_nodes(kind) for kind in graph.ntypes}
    nodes = {kind: dict(graph.nodes[kind].data) for kind in graph.ntypes}
    # asked of a copy: DGL stores the answer, and graph.remove_nodes fails after that
    counts = graph.local_var().batch_num_nodes(graph.ntypes[0]).cpu().numpy()
    return join_types("a DGLGraph", TypedGraph(sizes, nodes, edges), DEFAULT_FEATURE, counts)


class SparseEdges(NamedTuple):
    """The edges of a sparse matrix of PyG, as tensors: ``[2, E]``, and ``[E]`` or None."""

    edge_index: Any
    weight: Any


def is_sparse(matrix: Any) -> bool:
    """Whether this is a sparse tensor of PyTorch, or a ``SparseTensor`` of torch_sparse."""
    layout = str(getattr(matrix, "layout", "torch.strided"))
    return hasattr(matrix, "sparse_sizes") or layout.startswith("torch.sparse")


def edges_of_adj_t(adj_t: Any, num_nodes: int | None = None) -> SparseEdges:
    """The edges of ``adj_t``, the transposed adjacency of PyG: rows are targets.

    Values that are not all 1 are weights. Where the number of nodes is known, it must be of them.
    """
    from gomkcn_dgl._torch import torch

    size = tuple(adj_t.sparse_sizes()) if hasattr(adj_t, "sparse_sizes") else tuple(adj_t.shape)
    if len(size) < 2 or size[0] != size[1]:
        raise InputError("adj_t", "must be square, [V, V]", got=list(size))
    if num_nodes is not None and size[0] != num_nodes:
        raise InputError(
            "adj_t", f"must have a row for each of the {num_nodes} nodes", got=list(size)
        )
    if hasattr(adj_t, "sparse_sizes"):
        target, source, values = adj_t.coo()
    else:
        # blocks, and columns in place of rows, become single entries in rows
        if adj_t.layout not in (torch.sparse_coo, torch.sparse_csr):
            adj_t = adj_t.to_sparse_coo()
        if adj_t.layout == torch.sparse_coo:
            (target, source), values = adj_t.coalesce().indices(), adj_t.coalesce().values()
        else:
            source, values = adj_t.col_indices(), adj_t.values()
            rows = torch.arange(size[0], device=source.device)
            target = rows.repeat_interleave(adj_t.crow_indices().diff())
    if values is not None and values.dim() != 1:
        raise InputError("adj_t", "must hold one number for each edge", got=list(values.shape))
    if values is not None and bool((values == 1).all()) and not values.requires_grad:
        values = None
    return SparseEdges(torch.stack([source, target]).long(), values)


def pyg_edges(graph: Any) -> SparseEdges:
    """The edges of a PyG ``Data``, which has them as ``edge_index`` or as ``adj_t``."""
    if graph.edge_index is not None:
        return SparseEdges(graph.edge_index, None)
    adj_t = getattr(graph, "adj_t", None)
    if adj_t is None:
        raise InputError("edge_index or adj_t of a PyG graph must be set, got None.")
    return edges_of_adj_t(adj_t, graph.num_nodes)


def from_pyg(graph: Any) -> GraphContent:
    """Read a PyG ``Data``, or a ``Batch`` of them; ``batch`` tells graphs apart, too."""
    edge_index, weight = pyg_edges(graph)
    edges = from_edge_index((edge_index, graph.num_nodes))
    stored = graph.to_dict() if hasattr(graph, "to_dict") else vars(graph)
    columns = _attributes(stored)
    if weight is not None:
        columns["edge_weight"] = weight
    return replace(
        edges,
        owner="a PyG graph",
        nodes=columns,
        edges=columns,
        default_features=(_PYG_FEATURE,) if _PYG_FEATURE in columns else (),
        graph_ptr=_graph_ptr(stored, edges.num_nodes),
    )


def _graph_ptr(stored: Mapping[str, Any], num_nodes: int) -> np.ndarray | None:
    """First node of each graph, by ``ptr`` or by ``batch``; None for a single graph."""
    if stored.get("ptr") is not None:
        return to_numpy(stored["ptr"])
    if stored.get("batch") is None:
        return None
    batch = to_numpy(stored["batch"])
    if (
        batch.shape != (num_nodes,)
        or batch.dtype.kind not in "iu"
        or (np.diff(batch, prepend=0) < 0).any()
    ):
        raise InputError(
            "batch",
            f"must number the graph of each of the {num_nodes} nodes in ascending order",
            way_out="sort the nodes by graph, or leave batch out",
        )
    return np.concatenate([[0], np.cumsum(np.bincount(batch))])


def from_hetero_data(graph: Any) -> GraphContent:
    """Read a PyG ``HeteroData``."""
    stores = {kind: dict(graph[kind].items()) for kind in graph.node_types}
    sizes = {kind: check_int("num_nodes", graph[kind].num_nodes, 0) for kind in graph.node_types}
    edges = []
    for kind in graph.edge_types:
        source, target = to_numpy(graph[kind].edge_index)
        columns = _attributes(dict(graph[kind].items()))
        edges.append(EdgesOfType(tuple(kind), source, target, columns))
    nodes = {kind: _attributes(store) for kind, store in stores.items()}
    return join_types("a PyG HeteroData", TypedGraph(sizes, nodes, edges), _PYG_FEATURE)


def _attributes(stored: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: values
        for name, values in stored.items()
        if name not in _STRUCTURE and values is not None
    }


def join_types(
    owner: str, graph: TypedGraph, default: str, counts: np.ndarray | None = None
) -> GraphContent:
    """Number the nodes of all types one after the other; types of edges become relations."""
    sizes, nodes, edges = graph
    kinds = list(sizes)
    start = dict(zip(kinds, np.cumsum([0, *sizes.values()]).tolist(), strict=False))
    labels = [owner] if len(kinds) == 1 else [f"the node type {kind!r}" for kind in kinds]
    table: Mapping[str, Any] = joined_columns(
        [nodes[kind] for kind in kinds], labels, [*sizes.values()]
    )
    has_default = any(default in nodes[kind] for kind in kinds)
    if len(kinds) > 1:
        # the type of each node stands beside its attributes
        of_node, columns = np.repeat(kinds, list(sizes.values())), table
        names = [NODE_TYPE, *columns]
        table = Columns(
            names,
            lambda name: of_node if name == NODE_TYPE else columns[name],
            with_gaps=lambda name: of_node if name == NODE_TYPE else with_gaps(columns, name),
        )
    # a relation is called by its edge type, and by those of its ends where that is not enough
    uses = Counter(each.type[1] for each in edges)
    names = [each.type[1] if uses[each.type[1]] == 1 else ":".join(each.type) for each in edges]
    labels = [owner] if len(edges) == 1 else [f"the edge type {name!r}" for name in names]
    types: dict[str, Any] = {}
    if edges and (len(edges) > 1 or len(kinds) > 1):
        lengths = [len(each.source) for each in edges]
        types = {
            "relation": np.repeat(np.arange(len(edges)), lengths),
            "relation_names": tuple(names),
            # edges within one type of nodes may be there in both directions, others lead one way
            "directed": tuple(None if each.type[0] == each.type[2] else True for each in edges),
        }
    return GraphContent(
        owner=owner,
        source=_concatenated([each.source + start[each.type[0]] for each in edges]),
        target=_concatenated([each.target + start[each.type[2]] for each in edges]),
        num_nodes=sum(sizes.values()),
        nodes=table,
        edges=joined_columns(
            [each.columns for each in edges], labels, [len(each.source) for each in edges]
        ),
        default_features=(default,) if has_default else (),
        node_type=NODE_TYPE if len(kinds) > 1 else None,
        graph_ptr=None if counts is None or len(kinds) > 1 else np.cumsum([0, *counts]),
        why_directed=_ONE_WAY if len(edges) == 1 else "",
        **types,
    )


def _concatenated(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.empty(0, np.int64), *parts])


def from_matrix(matrix: Any) -> GraphContent:
    """Read a SciPy matrix or a square NumPy array; values are weights unless all are 1."""
    import scipy.sparse as sp

    if is_sparse(matrix):
        # rows of an adjacency are sources
        edges = edges_of_adj_t(matrix)
        column, row = to_numpy(edges.edge_index)
        values = np.ones(len(row)) if edges.weight is None else to_numpy(edges.weight)
        matrix = sp.coo_array((values, (row, column)), tuple(matrix.shape))
    owner = "a SciPy matrix" if sp.issparse(matrix) else "an adjacency matrix"
    plain = matrix if sp.issparse(matrix) else to_numpy(matrix)
    if plain.dtype.kind not in "biuf":
        raise InputTypeError(
            f"{owner} must hold numbers, the weights of edges, got {plain.dtype}; "
            "give several graphs as a list."
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"an adjacency matrix must be square, got the shape {tuple(matrix.shape)}; give an "
            "edge index as (edge_index, num_nodes)."
        )
    # a matrix that lists an entry twice means their sum, which only the compressed formats form
    entries = sp.csr_array(plain).tocoo()
    values = np.asarray(entries.data)
    stored = values != 0
    row, column, values = entries.row[stored], entries.col[stored], values[stored]
    is_weighted = not (values == 1).all()
    zeros = int((~stored).sum())
    return GraphContent(
        owner=owner,
        source=row,
        target=column,
        num_nodes=matrix.shape[0],
        edges={_WEIGHT: values} if is_weighted else {},
        default_weight=_WEIGHT if is_weighted else None,
        notes=(f"left out stored entries of 0, which are no edges: {zeros}",) if zeros else (),
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
        raise InputError(
            "edge_index", "must have the shape [2, E]", got="rows that differ"
        ) from None
    if edge_index.ndim != 2 or len(edge_index) != 2:
        raise InputError("edge_index", "must have the shape [2, E]", got=edge_index.shape)
    num_nodes = check_int("num_nodes", graph[1], 0)
    ends = edge_index[0], edge_index[1]
    return GraphContent("an edge index", *ends, num_nodes, why_directed=_ONE_WAY)


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
        graph_names=graph.graph_names,
        has_loops=False,
        atoms=graph.atoms,
    )


def edge_table_of_csr(graph: CSRGraph, edge_attributes: tuple[str, ...] = ()) -> EdgeTable:
    """The edges of a CSRGraph, whose self-loops have no attributes."""
    choice = ColumnChoice(edge_attributes=edge_attributes)
    table = EdgeTable.of(from_csr(graph), choice)
    if graph.loops is None or edge_attributes:
        return table
    nodes, relation = graph.loops.T
    return EdgeTable(
        np.concatenate([table.source, nodes]),
        np.concatenate([table.target, nodes]),
        np.concatenate([table.relation, relation]),
        {},
    )
