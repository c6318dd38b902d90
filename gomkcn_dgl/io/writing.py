"""A CSRGraph → a file that the readers give back; every file is written whole or not at all."""

from __future__ import annotations

import os

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.io.formats import FORMATS
from gomkcn_dgl.runtime.files import as_path, named


def write_graph(path: str | os.PathLike[str], graph: CSRGraph) -> None:
    """Write a graph so that :func:`read_graph` gives it back.

    Parameters
    ----------
    path : path
        Ends in ``.graph`` for a graph folder, which keeps all of a graph but self-loops, or in
        ``.csv`` for a table of edges, which keeps one graph, without its name. Beside the table,
        features other than the constant go to ``<stem>.features.csv``; a node without an edge is
        written as a self-loop. Relations and directions become a column of their own, and nodes are
        read back in ascending order of their ids.
    graph : CSRGraph
        A graph or, for a folder, a collection.

    Raises
    ------
    InputError
        For another suffix, a folder that cannot be written, a graph that a table cannot hold.

    Examples
    --------
    >>> import tempfile
    >>> import networkx as nx
    >>> from gomkcn import as_csr, read_graph
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "ring.csv"
    >>> write_graph(path, as_csr(nx.cycle_graph(4)))
    >>> read_graph(path).num_edges
    4
    """
    path = as_path("path", path)
    if not isinstance(graph, CSRGraph):
        raise InputTypeError(
            "graph",
            "must be a CSRGraph",
            got=type(graph).__name__,
            way_out="gomkcn.as_csr makes one of a graph",
        )
    writers = {
        ending: row.write
        for row in FORMATS.values()
        for ending in row.endings
        if row.write is not None
    }
    with named(path):
        if path.suffix.lower() not in writers:
            endings = " or ".join(sorted(writers, reverse=True))
            raise InputError(f"a graph is written to a name that ends in {endings}.")
        writers[path.suffix.lower()](path, graph)
