"""A CSRGraph → a file that the readers give back; every file is written whole or not at all."""

from __future__ import annotations

import io
import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.containers.graph_content import DEFAULT_FEATURE
from gomkcn_dgl.containers.graph_objects import from_csr
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph, split_graphs
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_folder import write_graph_folder
from gomkcn_dgl.io.feature_file import SUFFIXES
from gomkcn_dgl.io.tables import csv_text
from gomkcn_dgl.relations import PLAIN, SIMPLE
from gomkcn_dgl.runtime.files import atomic_write, listed, named, stem

_FORMATS = (".npz", ".graphml", ".txt", ".csv", ".bin", ".graph")
_WEIGHT = "weight"
# all edges are of one relation, whose name says whether they have a direction
_TYPE, _RELATION = "type", "relation"
# what the columns of the ends are called
_ARC, _PAIR = ("source", "target"), ("node_1", "node_2")


def write_graph(path: str | os.PathLike[str], graph: CSRGraph) -> None:
    """Write a graph so that :func:`read_graph` gives it back.

    Parameters
    ----------
    path : path
        Ends in ``.npz``, ``.graphml``, ``.txt``, ``.csv``, ``.bin``, or in ``.graph`` for a graph
        folder, see :func:`gomkcn_dgl.graph_folder.write_graph_folder`. Beside a ``.txt`` or
        ``.csv``, features other than the constant go to ``<stem>.features.csv``; a node without an
        edge is written as a self-loop. Relations and directions become a column of their own.
    graph : CSRGraph
        A collection can be written as ``.bin`` or ``.graph`` only. A ``.graph`` keeps all of a
        graph, its notes as well. A ``.npz`` is SciPy's matrix, for edges of one kind, with features
        and node ids beside it. In a ``.bin`` relations are edge types; it keeps neither node ids
        nor feature names. A GraphML file is read back with
        ``features=graph.feature_names`` and ``relation="relation"``; edges without direction
        stand in it both ways where others have one. Edge lists and CSV are read back in ascending
        order of the node ids.

    Raises
    ------
    InputError
        For an unknown suffix, a folder that cannot be written, a graph that the format cannot hold.

    Examples
    --------
    >>> import tempfile
    >>> import networkx as nx
    >>> from gomkcn_dgl.graph import as_csr
    >>> from gomkcn_dgl.io.reading import read_graph
    >>> path = Path(tempfile.mkdtemp()) / "ring.npz"
    >>> write_graph(path, as_csr(nx.cycle_graph(4)))
    >>> read_graph(path).num_edges
    4
    """
    path = Path(path)
    suffix = path.suffix.lower()
    with named(path):
        if suffix not in _FORMATS:
            raise InputError(f"a graph is written to a name that ends in {listed(_FORMATS)}.")
        if graph.num_graphs > 1 and suffix not in (".bin", ".graph"):
            raise InputError(
                f"one graph was expected, got a collection of {graph.num_graphs}; "
                "write it to a .bin file or a .graph folder."
            )
        if suffix == ".graph":
            write_graph_folder(path, graph, force=True)
            return
        content = _WRITERS[suffix](graph)
        if suffix in (".txt", ".csv"):
            _write_features_beside(path, graph)
        atomic_write(path, content)


def _has_features(graph: CSRGraph) -> bool:
    """Whether a graph has other features than the constant 1."""
    return graph.feature_names != (CONSTANT_FEATURE,)


def _write_features_beside(path: Path, graph: CSRGraph) -> None:
    """Write the features to the one file that goes with an edge list; refuse to leave another."""
    array, table = (path.with_name(stem(path) + suffix) for suffix in SUFFIXES)
    stale = [array] if _has_features(graph) else [array, table]
    for other in filter(Path.exists, stale):
        raise InputError(
            f"{other.name} lies beside it and would be read with it; remove that file first."
        )
    if _has_features(graph):
        ids = graph.original_ids(np.arange(graph.num_nodes))
        features = graph.features.T.astype(str).tolist()
        columns = [("id", ids), *zip(graph.feature_names, features, strict=True)]
        atomic_write(table, csv_text(columns))


def _edge_columns(graph: CSRGraph) -> list[tuple[str, list[Any]]]:
    """Name and values of each column of the edges; then each isolated node, as a self-loop.

    An edge of a graph without relations and directions comes once, between columns whose names say
    no direction. Else it has its relation, and one without direction comes both ways, by which it
    is known when the table is read.
    """
    content, plain = from_csr(graph), graph.relations == SIMPLE
    if not plain:
        _refuse_unknown_direction(graph, "a table of edges")
    kept = content.source < content.target if plain else np.ones(len(content.source), bool)
    isolated = np.flatnonzero(graph.degrees == 0)
    columns: list[tuple[str, list[Any]]] = [
        (name, list(graph.original_ids(np.concatenate([nodes[kept], isolated]))))
        for name, nodes in zip(
            _PAIR if plain else _ARC, (content.source, content.target), strict=True
        )
    ]
    if graph.weights is not None:
        weights = np.append(content.edges[_WEIGHT][kept], np.ones(len(isolated), np.float32))
        columns.append((_WEIGHT, weights.astype(str).tolist()))
    if not plain:
        is_type = graph.relations.names == (PLAIN,)
        names = np.array(("directed",) if is_type else graph.relations.names, object)
        codes = np.append(content.codes, np.zeros(len(isolated), int))
        columns.append((_TYPE if is_type else _RELATION, names[codes].tolist()))
    return columns


def _refuse_unknown_direction(graph: CSRGraph, file: str) -> None:
    """Refuse a relation with a direction all of whose edges are there both ways."""
    relations = graph.relations
    links = relations.links if graph.links is None else relations.links[np.unique(graph.links)]
    for channel, (number, side) in enumerate(relations.channels):
        if side == "out" and (links[:, channel] == links[:, channel + 1]).all():
            raise InputError(
                f"{file} cannot tell that the relation {relations.names[number]!r} has a "
                "direction, since each of its edges is there both ways; write a .graph folder."
            )


def _edge_list(graph: CSRGraph) -> str:
    """Return the content of an edge list; it has a header where there are relations."""
    names, columns = zip(*_edge_columns(graph), strict=True)
    rows: list[tuple[Any, ...]] = list(zip(*columns, strict=True))
    if not set(names) <= {*_PAIR, _WEIGHT}:
        rows.insert(0, names)
    for name in itertools.chain.from_iterable(rows):
        if isinstance(name, str) and (len(name.split()) != 1 or name[0] in "#%"):
            raise InputError(
                f"an edge list cannot hold the name {name!r}, which is empty, has a blank or "
                "starts like a comment; write a .csv file."
            )
    kind = "edges" if graph.is_directed else "undirected edges"
    lines = [f"# {graph.num_nodes} nodes, {graph.num_edges} {kind}"]
    lines += [" ".join(map(str, row)) for row in rows]
    return "\n".join(lines) + "\n"


def _npz(graph: CSRGraph) -> bytes:
    """What ``scipy.sparse.load_npz`` reads, with features, names and ids beside it."""
    import scipy.sparse as sp

    if graph.relations.names != (PLAIN,):
        raise InputError(
            "a .npz file holds edges of one kind, without a name; write a .graph folder."
        )
    _refuse_unknown_direction(graph, "a .npz file")
    content = from_csr(graph)
    weights = content.edges.get(_WEIGHT, np.ones(len(content.source), np.float32))
    shape = (graph.num_nodes, graph.num_nodes)
    matrix = sp.csr_array((weights, (content.source, content.target)), shape)
    arrays: dict[str, Any] = {name: getattr(matrix, name) for name in ("data", "indices", "indptr")}
    arrays |= {"format": b"csr", "shape": shape}
    if _has_features(graph):
        arrays |= {"features": graph.features, "feature_names": np.array(graph.feature_names)}
    if graph.node_ids is not None:
        arrays["node_ids"] = graph.node_ids
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _graphml(graph: CSRGraph) -> bytes:
    """GraphML with features as attributes of nodes, and relations as the attribute ``relation``.

    Where some edges have a direction, those without one stand in both directions.
    """
    import networkx as nx

    content, names = from_csr(graph), graph.relations.names
    keep = np.ones(len(content.source), bool)
    if not graph.is_directed:
        keep = content.source < content.target
    columns = {name: values[keep].tolist() for name, values in content.edges.items()}
    if names != (PLAIN,):
        codes = content.codes
        columns[_RELATION] = np.array(names)[codes[keep]].tolist()
    kind = nx.DiGraph if graph.is_directed else nx.Graph
    if len(names) > 1:
        kind = nx.MultiDiGraph if graph.is_directed else nx.MultiGraph
    result, ids = kind(), graph.original_ids(np.arange(graph.num_nodes))
    features = graph.features.tolist() if _has_features(graph) else [[]] * graph.num_nodes
    for name, row in zip(ids, features, strict=True):
        result.add_node(name, **dict(zip(graph.feature_names, row, strict=False)))
    rows = zip(*columns.values(), strict=True) if columns else itertools.repeat(())
    for u, v, row in zip(content.source[keep], content.target[keep], rows, strict=False):
        result.add_edge(ids[u], ids[v], **dict(zip(columns, row, strict=True)))
    file = io.BytesIO()
    nx.write_graphml_xml(result, file)
    return file.getvalue()


def _dgl(graph: CSRGraph) -> bytes:
    """A ``.bin`` with the graphs of a collection.

    Relations are edge types; an edge without direction is there both ways.
    """
    import torch

    from gomkcn_dgl._dgl import dgl
    from gomkcn_dgl.io.dgl_file import dgl_bytes

    _refuse_unknown_direction(graph, "a DGL file")
    names = graph.relations.names
    graphs = []
    for one in split_graphs(graph):
        content = from_csr(one)
        codes = content.codes
        kinds = {
            ("_N", "_E" if names == (PLAIN,) else name, "_N"): torch.from_numpy(codes == number)
            for number, name in enumerate(names)
        }
        source, target = torch.from_numpy(content.source), torch.from_numpy(content.target)
        ends = {kind: (source[here], target[here]) for kind, here in kinds.items()}
        graphs.append(dgl.heterograph(ends, {"_N": one.num_nodes}))
        if _has_features(graph):
            graphs[-1].ndata[DEFAULT_FEATURE] = torch.tensor(one.features)
        for name, values in content.edges.items():
            for kind, here in kinds.items():
                graphs[-1].edges[kind].data[name] = torch.from_numpy(values)[here]
    return dgl_bytes(graphs)


_WRITERS: dict[str, Callable[[CSRGraph], str | bytes]] = {
    ".txt": _edge_list,
    ".csv": lambda graph: csv_text(_edge_columns(graph)),
    ".npz": _npz,
    ".graphml": _graphml,
    ".bin": _dgl,
}
