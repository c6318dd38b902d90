"""A CSRGraph → a file that the readers give back; every file is written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_folder import write_graph_folder
from gomkcn_dgl.io.edge_table import edge_csv_text, edge_list_text
from gomkcn_dgl.io.feature_file import write_features_beside
from gomkcn_dgl.runtime.files import atomic_write, listed, named

_SUFFIXES = (".npz", ".graphml", ".txt", ".csv", ".bin", ".graph")


def write_graph(path: str | os.PathLike[str], graph: CSRGraph) -> None:
    """Write a graph so that :func:`read_graph` gives it back.

    Parameters
    ----------
    path : path
        Ends in ``.npz``, ``.graphml``, ``.txt``, ``.csv``, ``.bin``, or in ``.graph`` for a graph
        folder, see :func:`gomkcn_dgl.graph_folder.write_graph_folder`. Beside a ``.txt`` or
        ``.csv``, features other than the constant go to ``<stem>.features.npy``, or to
        ``<stem>.features.csv`` where columns or nodes have names; a node without an edge is
        written as a self-loop. Relations and directions become a column of their own.
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
        if suffix not in _SUFFIXES:
            raise InputError(f"a graph is written to a name that ends in {listed(_SUFFIXES)}.")
        if graph.num_graphs > 1 and suffix not in (".bin", ".graph"):
            raise InputError(
                f"one graph was expected, got a collection of {graph.num_graphs}; "
                "write it to a .bin file or a .graph folder."
            )
        if suffix == ".graph":
            write_graph_folder(path, graph, force=True)
            return
        content = _content(graph, suffix)
        if suffix in (".txt", ".csv"):
            write_features_beside(path, graph)
        atomic_write(path, content)


def _content(graph: CSRGraph, suffix: str) -> str | bytes:
    """The content of the file; the library of a format is imported when it is written."""
    if suffix == ".txt":
        return edge_list_text(graph)
    if suffix == ".csv":
        return edge_csv_text(graph)
    if suffix == ".bin":
        from gomkcn_dgl.io.dgl_file import dgl_bytes

        return dgl_bytes(graph)
    if suffix == ".npz":
        from gomkcn_dgl.io.npz import npz_bytes

        return npz_bytes(graph)
    from gomkcn_dgl.io.networkx_formats import graphml_bytes

    return graphml_bytes(graph)
