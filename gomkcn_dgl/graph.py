"""Step 1: a graph in any of the usual containers → one CSRGraph, with direction and types.

Each container is read into a :class:`~gomkcn_dgl.graph_content.GraphContent`, and all of
them end in :func:`csr_from_edges`, so self-loops, duplicates and missing features are handled in
one place and in one way: dropped, merged and replaced by the constant 1, each with one line in the
log ``gomkcn_dgl`` (one line for a whole collection, too) and one of ``notes``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gomkcn_dgl.checks import check_features, to_numpy
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph_content import (
    NONE,
    ColumnChoice,
    EdgeTable,
    GraphContent,
    is_from,
    is_text,
    join_contents,
    make_csr,
)
from gomkcn_dgl.graph_objects import (
    edge_table_of_csr,
    from_csr,
    from_dgl,
    from_edge_index,
    from_hetero_data,
    from_igraph,
    from_matrix,
    from_networkx,
    from_pyg,
    is_edge_index,
)
from gomkcn_dgl.io.edge_tables import from_edge_table
from gomkcn_dgl.io.features import (
    read_node_table,
    select_features,
    with_node_table,
)
from gomkcn_dgl.io.molecules import from_molecules
from gomkcn_dgl.io.tables import is_table
from gomkcn_dgl.messages import Argument

__all__ = ["CSRGraph", "as_csr", "as_unweighted"]


def as_csr(
    graph: Any,
    *,
    features: str | Sequence[str] | np.ndarray | None = None,
    weight: str | np.ndarray | None = None,
    directed: bool | None = None,
    relation: str | np.ndarray | None = None,
    source: str | None = None,
    target: str | None = None,
    bipartite: bool | None = None,
    nodes: Any = None,
) -> CSRGraph:
    """Convert a graph, or a list of graphs, to one :class:`CSRGraph`.

    Parameters
    ----------
    graph : DGLGraph, networkx.Graph, table of edges, list or another of these
        PyG's ``Data``, ``HeteroData`` and ``Batch``, igraph's graphs, matrices, ``CSRGraph`` and
        RDKit's ``Mol`` as well:

        * A DGLGraph or a PyG ``HeteroData`` with several types: node types become the features
          ``type=...``, edge types become relations, called by their name, or by
          ``source:name:target`` where the name is used twice. One that joins nodes of one type and
          has each edge both ways is undirected.
        * A SciPy sparse matrix or a square NumPy array: values are edge weights unless all are 1;
          an entry of value 0 is no edge.
        * A pair ``(edge_index, num_nodes)`` with an integer array ``[2, E]``.
        * A table of edges of pandas, Polars, DuckDB, Ibis, Arrow or any other engine that offers
          ``__arrow_c_stream__``. It is read batch by batch, by the rules of :func:`read_graph` for
          a file: columns, relations, weights and directions, unless it is a matrix or holds
          molecules. ``"none"`` for ``weight`` or ``relation``: that column is not used.
        * A ``PlantedGraph`` of this package.
        * A molecule of RDKit, or a list of them: features are ``"element"`` (by default),
          ``"charge"`` and ``"aromatic"``, relations the types of bonds. What is sanitised by RDKit
          before is aromatic where RDKit says so.
        * A batched DGLGraph, a PyG ``Batch``, a list, a data set, an object array or a Series of
          graphs, whose labels are ignored: a collection. A relation of a collection has a direction
          if it has one in any of the graphs.
    features : str, sequence of str or array, optional
        Names of node attributes or of columns of ``nodes`` that are put side by side, or an array
        ``[V, D]`` in the order of the nodes. Text becomes one column for each of
        its values, such as ``kind=kinase``, at most 1000. None takes all columns of ``nodes``, or
        the attribute ``feat``, ``x`` for PyG, when every node has one.
    weight : str or array, optional
        Name of the edge attribute that holds the weights, or an array ``[E]`` in the order of the
        edges: one number an edge and all >= 0; an edge of weight 0 is no edge. None: unweighted,
        except for matrices and for tables with a column ``weight``.
    directed : bool, optional
        Whether edges have a direction. None: as the object says (NetworkX, igraph, tables), or else
        undirected when each edge is there both ways, with one weight. False mirrors edges that are
        there one way.
    relation : str or array, optional
        Name of the edge attribute that tells the relation, text or integers, or an array ``[E]``
        in the order of the edges. Several edges of different types may join two nodes.
    source, target : str, optional
        Columns of a table of edges. None: told by their names or values, or refused, as in a file.
    bipartite : bool, optional
        Whether the two columns of a table of edges have nodes of their own, as in
        :func:`read_graph`.
    nodes : table, optional
        A table of any engine with a row for each node, joined by the column, or index, that has
        their names, by the rules of :func:`read_graph` for a feature file.

    Returns
    -------
    CSRGraph
        Self-loops are none of its edges, and stand aside in ``loops`` for patterns that ask for
        them; duplicates are merged (the largest weight stays), missing features replaced
        by the constant 1. ``notes`` and the log say so, and which attributes are not used.

    Raises
    ------
    InputError
        For an empty graph, an id out of range, features that are not finite or not ``[V, D]``,
        negative weights, an attribute that is missing somewhere, a column that is not there, a null
        in a table (with its row, from 1), node types whose features have
        different widths, more than 1000 relations.
    InputTypeError
        For any other kind of object.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = as_csr(nx.path_graph(3))
    >>> graph.num_nodes, graph.num_edges, graph.indices.tolist()
    (3, 2, [1, 0, 2, 1])
    >>> signed = nx.DiGraph()
    >>> signed.add_edge("crp", "araC", sign="activates")
    >>> signed.add_edge("araC", "araB", sign="represses")
    >>> as_csr(signed, relation="sign").relations.names
    ('activates', 'represses')
    >>> import pyarrow as pa
    >>> edges = pa.table({"who": ["ann", "bob"], "whom": ["bob", "cy"]})
    >>> people = pa.table({"name": ["cy", "bob", "ann"], "age": [30, 20, 10]})
    >>> as_csr(edges, source="who", target="whom", nodes=people).features.tolist()
    [[10.0], [20.0], [30.0]]
    """
    choice = ColumnChoice(
        features, weight, directed, relation, source=source, target=target, bipartite=bipartite
    )
    graph = _opened(graph)
    read = partial(_content, choice=choice)
    if is_table(graph) or (isinstance(graph, (list, tuple)) and any(map(is_table, graph))):
        # reading a table takes the choice of its columns into account
        if not isinstance(weight, str | int | None):
            raise InputError("weight", "must name a column of a table of edges", got="an array")
        choice = replace(choice, weight=None, relation=None)
    elif source is not None or target is not None:
        named = (Argument("source"), " and ", Argument("target"))
        raise InputError((*named, " name columns of a table of edges, and graph is none"))
    elif bipartite is not None:
        raise InputError("bipartite", "is for a table of edges, and graph is none")
    if nodes is not None:
        return _with_nodes(graph, nodes, choice, read)
    if isinstance(graph, CSRGraph) and not _changes_edges(graph, choice):
        return _with_features(graph, features)
    if _reader(graph, choice) is not None:
        return make_csr(read(graph), choice)
    graphs = [_without_label(graph[number]) for number in range(len(graph))]
    if not graphs:
        raise InputError("the collection is empty: it has no graphs.")
    content = _join(graphs, read)
    if features is not None or not all(isinstance(part, CSRGraph) for part in graphs):
        return make_csr(content, choice)
    matrix = np.concatenate([part.features for part in graphs])
    names = graphs[0].feature_names
    return make_csr(content, replace(choice, features=matrix, feature_names=names))


def as_unweighted(graph: Any, features: Sequence[str] | None = None) -> CSRGraph:
    """Convert as :func:`as_csr` does, without the weights, which no count and no search uses.

    So an edge of weight 0 is an edge, and weights may be missing or negative.

    >>> import pyarrow as pa
    >>> signed = pa.table({"source": ["a", "b"], "target": ["b", "c"], "weight": [-1.0, 0.0]})
    >>> graph = as_unweighted(signed)
    >>> graph.num_edges, graph.notes[2]
    (2, '1 edge of weight 0 stays an edge, since weights are not used')
    """
    if not isinstance(graph, CSRGraph):
        return as_csr(graph, features=features, weight=NONE)
    return _with_features(graph, features).without_weights()


def with_attributes(
    graph: Any, edge_attributes: tuple[str, ...] = ()
) -> tuple[CSRGraph, dict[str, Any], EdgeTable]:
    """Convert as :func:`as_unweighted` does; return what a CSRGraph does not hold, too.

    These are the attributes of nodes, which may be missing at some, as those of a file are read,
    and the edges as they were given.

    >>> import networkx as nx
    >>> pair = nx.DiGraph([("a", "a"), ("a", "b")])
    >>> pair.nodes["b"]["size"] = 3
    >>> graph, attributes, edges = with_attributes(pair)
    >>> graph.num_edges, attributes, edges.source.tolist(), edges.target.tolist()
    (1, {'size': [None, 3]}, [0, 0], [0, 1])
    """
    graph = _opened(graph)
    if isinstance(graph, CSRGraph):
        # what is asked for is used
        plain = replace(graph, weights=None) if edge_attributes else as_unweighted(graph)
        return plain, {}, edge_table_of_csr(graph, edge_attributes)
    choice = ColumnChoice(weight=NONE, edge_attributes=edge_attributes)
    read = partial(_content, choice=choice)
    if _reader(graph, choice) is None:
        content = _join([_without_label(graph[number]) for number in range(len(graph))], read)
    else:
        content = read(graph)
    return make_csr(content, choice), content.attributes(), EdgeTable.of(content, choice)


def ends_of_edges(graph: Any) -> tuple[np.ndarray, np.ndarray]:
    """Source and target of all edges of a graph or a batch, int64 ``[E]``, as they are listed.

    >>> ends_of_edges((np.array([[2, 0], [0, 2]]), 3))
    (array([2, 0]), array([0, 2]))
    """
    content = _content(_opened(graph), ColumnChoice(weight=NONE))
    return np.asarray(content.source, np.int64), np.asarray(content.target, np.int64)


def graph_labels(graph: Any) -> np.ndarray | None:
    """The label of each graph ``[G]`` that a collection holds itself, None where it holds none.

    It is ``y`` of the graphs of a list, a data set or a ``Batch`` of PyG, or the second of each
    pair (graph, label), as data sets of DGL yield them: one number or text a graph.

    >>> import networkx as nx
    >>> graph_labels([(nx.path_graph(2), "short"), (nx.path_graph(9), "long")]).tolist()
    ['short', 'long']
    """
    graphs = graph.to_data_list() if hasattr(graph, "to_data_list") else _opened(graph)
    if _reader(graphs, ColumnChoice()) is not None:
        return None
    labels = []
    for number in range(len(graphs)):
        item = graphs[number]
        is_pair = item is not _without_label(item)
        label = np.asarray(to_numpy(item[1] if is_pair else getattr(item, "y", None)))
        if is_table(item) or label.size != 1 or label.dtype.kind not in "biufU":
            return None
        labels.append(label.item())
    return np.array(labels)


def _changes_edges(graph: CSRGraph, choice: ColumnChoice) -> bool:
    """Whether the edges of a CSRGraph have to be read anew."""
    same_direction = choice.directed is None or set(graph.relations.directed) == {choice.directed}
    return not same_direction or bool(replace(choice, directed=None).given)


def _with_nodes(
    graph: Any, nodes: Any, choice: ColumnChoice, read: Callable[[Any], GraphContent]
) -> CSRGraph:
    """Build one graph with a table of its nodes."""
    if not is_table(nodes):
        raise InputTypeError(
            "nodes",
            "must be a table with __arrow_c_stream__ (pandas, Polars, DuckDB, Arrow)",
            got=type(nodes).__name__,
        )
    if choice.features is not None and not is_text(choice.features):
        raise InputError("features", "must name columns of nodes, or be None")
    table, content = read_node_table(nodes), read(graph)
    return make_csr(with_node_table(content, table, lists_nodes=not is_table(graph)), choice)


def _with_features(graph: CSRGraph, features: Any) -> CSRGraph:
    if features is None:
        return graph
    if is_text(features):
        return select_features(graph, [features] if isinstance(features, str) else features)
    matrix, names = check_features(features, graph.num_nodes, None)
    return replace(graph, features=matrix, feature_names=names)


def _opened(graph: Any) -> Any:
    """Open a batch whose nodes of each type stand together as a list."""
    if isinstance(graph, (str, os.PathLike)):
        raise InputTypeError(
            "graph",
            "must be a graph",
            got=f"the path {str(graph)!r}",
            way_out="read a file with gomkcn.read_graph",
        )
    _refuse_edges(graph)
    # graphs as the values of an array, or of a Series of pandas
    if getattr(graph, "ndim", None) == 1 and str(getattr(graph, "dtype", "")) == "object":
        return graph.tolist()
    # a planted graph of this package
    if hasattr(graph, "to_csr"):
        return graph.to_csr()
    if is_from("dgl", "DGLGraph", graph) and len(graph.ntypes) > 1 and graph.batch_size > 1:
        from gomkcn_dgl._dgl import dgl

        return dgl.unbatch(graph)
    is_hetero_data = hasattr(graph, "node_types") and hasattr(graph, "to_data_list")
    if is_hetero_data and not hasattr(graph, "edge_index"):
        return graph.to_data_list()
    return graph


def _refuse_edges(graph: Any) -> None:
    """Refuse edges or neighbours that are no graph yet, and do not say if they have directions.

    >>> try:
    ...     _refuse_edges([(0, 1), (1, 2)])
    ... except InputTypeError as error:
    ...     print(str(error)[:65])
    graph must be a graph, got a list of edges; networkx.Graph(edges)
    """
    # a matrix of SciPy may be a dict, too
    if isinstance(graph, dict) and not hasattr(graph, "ndim"):
        what, name = "a dict of neighbours", "neighbours"
    elif isinstance(graph, (list, tuple, set, frozenset)) and graph and all(map(_is_edge, graph)):
        what, name = f"a {type(graph).__name__} of edges", "edges"
    else:
        return
    way_out = f"networkx.Graph({name}) or, where edges have a direction, networkx.DiGraph({name})"
    if name == "edges" and any(len(edge) == 3 for edge in graph):
        way_out = 'pandas.DataFrame(edges, columns=["source", "target", "weight"])'
    raise InputTypeError(
        "graph", "must be a graph", got=what, way_out=f"{way_out} makes one of them"
    )


def _is_edge(item: Any) -> bool:
    """Whether this is an edge in a list: two names or numbers, and perhaps a weight."""
    is_pair = isinstance(item, (tuple, list)) and len(item) in (2, 3)
    return is_pair and all(isinstance(end, (str, int, float, np.number)) for end in item)


def _reader(graph: Any, choice: ColumnChoice) -> Callable[[Any], GraphContent] | None:
    """The function that reads one graph of a library; None for a collection."""
    if isinstance(graph, CSRGraph):
        return from_csr
    if is_from("dgl", "DGLGraph", graph):
        return from_dgl
    if is_from("networkx", "Graph", graph):
        return from_networkx
    if is_table(graph):
        return partial(from_edge_table, choice=choice)
    # matrices of NumPy and SciPy
    if hasattr(graph, "ndim") and hasattr(graph, "dtype"):
        return from_matrix
    if is_edge_index(graph):
        return from_edge_index
    if is_from("rdkit.Chem", "Mol", graph):
        return lambda mol: from_molecules([mol])
    if _are_molecules(graph):
        return from_molecules
    if hasattr(graph, "get_edgelist") and hasattr(graph, "vs"):
        return from_igraph
    # a data set of PyG has the attributes of its graphs, too
    if is_from("torch_geometric.data", "Dataset", graph):
        return None
    if hasattr(graph, "edge_index") and hasattr(graph, "num_nodes"):
        return from_pyg
    if hasattr(graph, "node_types") and hasattr(graph, "edge_types"):
        return from_hetero_data
    if (
        hasattr(graph, "__len__")
        and hasattr(graph, "__getitem__")
        and not isinstance(graph, (bytes, Mapping))
    ):
        return None
    raise InputTypeError(
        "graph",
        (
            "must be a DGLGraph, a networkx.Graph, an igraph.Graph, a PyG Data or HeteroData, "
            "a SciPy or NumPy adjacency matrix, a table of edges, a pair (edge_index [2, E], "
            "num_nodes), a molecule of RDKit or a list of those"
        ),
        got=type(graph).__name__,
    )


def _are_molecules(graph: Any) -> bool:
    is_list = isinstance(graph, (list, tuple)) and len(graph) > 0
    return is_list and all(is_from("rdkit.Chem", "Mol", molecule) for molecule in graph)


def _content(graph: Any, choice: ColumnChoice) -> GraphContent:
    reader = _reader(graph, choice)
    if reader is None:
        raise InputTypeError("graph", "must be a graph", got="a list")
    content = reader(graph)
    if content.num_nodes == 0:
        raise InputError("the graph is empty: it has no nodes.")
    return content


def _without_label(item: Any) -> Any:
    """A labelled data set yields (graph, label)."""
    return item[0] if isinstance(item, tuple) and item and not is_edge_index(item) else item


def _join(graphs: Sequence[Any], read: Callable[[Any], GraphContent]) -> GraphContent:
    labels = [f"graph {number} of the list" for number in range(len(graphs))]
    contents = []
    for graph, label in zip(graphs, labels, strict=True):
        try:
            contents.append(read(graph))
        except (InputError, InputTypeError) as error:
            raise error.at(label) from None
    return join_contents(contents, labels)
