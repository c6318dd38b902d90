"""A CSRGraph → a file that the readers give back; every file is written whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import torch

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import DEFAULT_FEATURE
from gomkcn_dgl.io.dgl_file import read_dgl_columns
from gomkcn_dgl.runtime.atomic_files import atomic_write
from gomkcn_dgl.runtime.file_names import listed, named, stem
from gomkcn_dgl.storage.graph_folder import write_graph_folder

_WRITTEN = (".npz", ".graphml", ".txt", ".csv", ".bin", ".graph")


def write_graph(path: str | os.PathLike[str], graph: CSRGraph) -> None:
    """Write a graph so that :func:`read_graph` gives it back.

    Parameters
    ----------
    path : path
        Ends in ``.npz``, ``.graphml``, ``.txt``, ``.csv``, ``.bin``, or in ``.graph`` for a graph
        folder, see :func:`gomkcn_dgl.storage.graph_folder.write_graph_folder`. Beside a ``.txt`` or
        ``.csv``, features other than the constant go to ``<stem>.features.npy``, or to
        ``<stem>.features.csv`` where columns or nodes have names; a node without an edge is
        written as a self-loop.
    graph : CSRGraph
        A collection can be written as ``.bin`` or ``.graph`` only. A ``.bin`` keeps neither node
        ids nor feature names; a GraphML file is read back with ``features=graph.feature_names``;
        edge lists and CSV are read back in ascending order of the node ids.

    Raises
    ------
    InputError
        For an unknown suffix, a folder that cannot be written, a graph that the format cannot hold.

    Examples
    --------
    >>> import tempfile
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
        if suffix not in _WRITTEN:
            raise InputError(f"a graph is written to a name that ends in {listed(_WRITTEN)}.")
        if graph.num_graphs > 1 and suffix not in (".bin", ".graph"):
            raise InputError(
                f"one graph was expected, got a collection of {graph.num_graphs}; "
                "write it to a .bin file or a .graph folder."
            )
        if suffix == ".npz":
            atomic_write(path, _to_npz(graph))
        elif suffix == ".graphml":
            atomic_write(path, _to_graphml(graph))
        elif suffix == ".graph":
            write_graph_folder(path, graph, force=True)
        elif suffix == ".bin":
            atomic_write(path, _to_dgl(graph))
        else:
            text = _to_edge_list(graph) if suffix == ".txt" else _to_edge_csv(graph)
            _write_features_beside(path, graph)
            atomic_write(path, text)


def _has_features(graph: CSRGraph) -> bool:
    return graph.feature_names != (CONSTANT_FEATURE,)


def _ids(graph: CSRGraph) -> list[int | str]:
    return graph.original_ids(np.arange(graph.num_nodes))


def _edge_rows(graph: CSRGraph) -> list[list[int | str | float]]:
    """Return each edge as ``u, v`` or ``u, v, weight``; a node without an edge as a self-loop."""
    ids = _ids(graph)
    edges = graph.undirected_edges()
    rows: list[list[int | str | float]] = [[ids[u], ids[v]] for u, v in edges.tolist()]
    rows += [[ids[node], ids[node]] for node in np.flatnonzero(graph.degrees == 0)]
    if graph.weights is not None:
        once = np.repeat(np.arange(graph.num_nodes), graph.degrees) < graph.indices
        weights = [*graph.weights[once].tolist(), *[1.0] * (len(rows) - len(edges))]
        rows = [[*row, weight] for row, weight in zip(rows, weights, strict=True)]
    return rows


def _to_edge_list(graph: CSRGraph) -> str:
    for name in _ids(graph) if graph.node_ids is not None else []:
        if isinstance(name, str) and (not name or len(name.split()) != 1 or name[0] in "#%"):
            raise InputError(
                f"an edge list cannot hold the node id {name!r}, which is empty, has a blank or "
                "starts like a comment; write a .csv file."
            )
    lines = [f"# {graph.num_nodes} nodes, {graph.num_edges} undirected edges"]
    lines += [" ".join(str(cell) for cell in row) for row in _edge_rows(graph)]
    return "\n".join(lines) + "\n"


def _to_edge_csv(graph: CSRGraph) -> str:
    header = ["source", "target"] + ([] if graph.weights is None else ["weight"])
    return _csv_text([header, *_edge_rows(graph)])


def _csv_text(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _write_features_beside(path: Path, graph: CSRGraph) -> None:
    """Write the features to the one file that goes with the graph; refuse to leave another."""
    width = graph.features.shape[1]
    unnamed = graph.feature_names == tuple(f"x{column}" for column in range(width))
    wanted = None
    if _has_features(graph):
        kind = "npy" if unnamed and graph.node_ids is None else "csv"
        wanted = path.with_name(f"{stem(path)}.features.{kind}")
    for kind in ("npy", "csv"):
        other = path.with_name(f"{stem(path)}.features.{kind}")
        if other != wanted and other.exists():
            raise InputError(
                f"{other.name} lies beside it and would be read with it; remove that file first."
            )
    if wanted is None:
        return
    if wanted.suffix == ".npy":
        content = io.BytesIO()
        np.save(content, graph.features, allow_pickle=False)
        atomic_write(wanted, content.getvalue())
    else:
        rows = zip(_ids(graph), graph.features.tolist(), strict=True)
        table = [["id", *graph.feature_names], *([name, *values] for name, values in rows)]
        atomic_write(wanted, _csv_text(table))


def _to_npz(graph: CSRGraph) -> bytes:
    """Return the arrays that ``scipy.sparse.load_npz`` reads, and those that are ours."""
    weights = graph.weights
    arrays: dict[str, Any] = {
        "indices": graph.indices,
        "indptr": graph.indptr,
        "format": np.array(b"csr"),
        "shape": np.array([graph.num_nodes, graph.num_nodes]),
        "data": np.ones(len(graph.indices), np.float32) if weights is None else weights,
    }
    if _has_features(graph):
        arrays["features"] = graph.features
        arrays["feature_names"] = np.array(graph.feature_names)
    if graph.node_ids is not None:
        arrays["node_ids"] = graph.node_ids
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    return content.getvalue()


def _to_graphml(graph: CSRGraph) -> bytes:
    ids = _ids(graph)
    result = nx.Graph()
    result.add_nodes_from(ids)
    result.add_edges_from((ids[u], ids[v]) for u, v in graph.undirected_edges().tolist())
    if _has_features(graph):
        for name, values in zip(ids, graph.features.tolist(), strict=True):
            result.nodes[name].update(zip(graph.feature_names, values, strict=True))
    if graph.weights is not None:
        for u, v, weight in _edge_rows(graph)[: graph.num_edges]:
            result.edges[u, v]["weight"] = weight
    content = io.BytesIO()
    nx.write_graphml_xml(result, content)
    return content.getvalue()


def _to_dgl(graph: CSRGraph) -> bytes:
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    result = dgl.graph(
        (torch.from_numpy(source), torch.from_numpy(graph.indices.astype(np.int64))),
        num_nodes=graph.num_nodes,
    )
    if _has_features(graph):
        result.ndata[DEFAULT_FEATURE] = torch.tensor(graph.features)
    if graph.weights is not None:
        result.edata["weight"] = torch.tensor(graph.weights)
    result.set_batch_num_nodes(torch.from_numpy(np.diff(graph.graph_ptr)))
    result.set_batch_num_edges(torch.from_numpy(np.diff(graph.indptr[graph.graph_ptr])))
    return _serialized(dgl.unbatch(result))


def write_dgl_graphs(
    path: str | os.PathLike[str], graphs: Sequence[Any], labels: torch.Tensor | None = None
) -> None:
    """Write DGLGraphs with all their node and edge data to a ``.bin`` file, whole or not at all.

    Parameters
    ----------
    path : path
        Ends in ``.bin``.
    graphs : sequence of DGLGraph
    labels : Tensor, optional
        ``[G]`` class of each graph; ``dgl.load_graphs`` gives it back as ``labels["labels"]``.
    """
    path = Path(path)
    if path.suffix.lower() != ".bin":
        raise InputError(f"DGL graphs are written to a name that ends in .bin, got {path.name!r}.")
    atomic_write(path, _serialized(graphs, labels))


def _serialized(graphs: Sequence[Any], labels: torch.Tensor | None = None) -> bytes:
    """Return what DGL writes, which it can only write to a file."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "graphs.bin"
            dgl.save_graphs(str(file), list(graphs), None if labels is None else {"labels": labels})
            # where a disk fills up at the very end, DGL cuts the file short and does not say so
            read_dgl_columns(file)
            return file.read_bytes()
    except (dgl.DGLError, InputError, OSError) as error:
        raise InputError(
            f"the folder for temporary files cannot take the graphs ({_first_line(error)}); make "
            "room there, or name another in TMPDIR."
        ) from None


def _first_line(error: Exception) -> str:
    # DGL puts a time and a trace of its calls around the reason
    return str(error).strip().splitlines()[0].rpartition("] ")[2]
