"""Motifs of your own: from a networkx graph or from an edge-list file."""

from __future__ import annotations

import os
from pathlib import Path

import networkx as nx

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.runtime.file_bytes import read_file
from synthetic.motifs import Motif


def motif_from_networkx(graph: nx.Graph, name: str) -> Motif:
    """Turn a networkx graph into a motif; its node labels become the roles.

    Parameters
    ----------
    graph : networkx.Graph
        Undirected, connected, with at least one edge and no self-loop. Attributes are not used.
    name : str
        Name of the motif.

    Returns
    -------
    Motif
        Node i is the i-th node of ``graph.nodes``.

    Raises
    ------
    InputError
        When the graph is directed, a multigraph, empty, in pieces or has a self-loop.
    InputTypeError
        When it is not a networkx graph.

    Examples
    --------
    >>> motif_from_networkx(nx.path_graph(["a", "b", "c"]), "path").roles
    ('a', 'b', 'c')

    """
    if not isinstance(graph, nx.Graph):
        raise InputTypeError(f"graph must be a networkx.Graph, got {type(graph).__name__}.")
    if graph.is_directed() or graph.is_multigraph():
        raise InputError(
            f"Motif {name!r} must be an undirected simple graph, got a {type(graph).__name__}; "
            "convert it with networkx.Graph(graph)."
        )
    index = {node: i for i, node in enumerate(graph.nodes)}
    edges = sorted((min(index[u], index[v]), max(index[u], index[v])) for u, v in graph.edges)
    roles = tuple(str(node) for node in graph.nodes)
    return Motif(name, tuple(edges), roles, "given as a networkx graph")


def read_motif(path: str | os.PathLike[str], name: str | None = None) -> Motif:
    r"""Read a motif from a text file with one undirected edge a line.

    Parameters
    ----------
    path : str or path
        Each line holds two node names (integers or words) separated by spaces; ``#`` starts a
        comment; empty lines are skipped. The names become the roles.
    name : str, optional
        Name of the motif; the file name without its ending by default.

    Returns
    -------
    Motif
        Nodes in numerical order if all names are integers, else in order of appearance.

    Raises
    ------
    InputError
        When the file cannot be read or is not such a list, naming the line.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "triangle.txt"
    >>> _ = file.write_text("1 2\n2 3  # a comment\n3 1\n")
    >>> read_motif(file).edges
    ((0, 1), (0, 2), (1, 2))

    """
    path = Path(path)
    try:
        lines = read_file(path).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The motif file {path} cannot be read: {error}.") from None
    # Each edge with the line it stands on, to name both lines when one is repeated.
    line_of: dict[frozenset[str], int] = {}
    names: dict[str, None] = {}
    for number, line in enumerate(lines, start=1):
        tokens = line.split("#", maxsplit=1)[0].split()
        if not tokens:
            continue
        _check_edge_line(path, number, tokens, line_of)
        line_of[frozenset(tokens)] = number
        names.update(dict.fromkeys(tokens))
    if not line_of:
        raise InputError(f"The motif file {path} must hold at least one edge, got none.")
    # int() refuses numbers of thousands of digits
    all_integers = all(token.isdecimal() and len(token) < 20 for token in names)
    graph = nx.Graph()
    graph.add_nodes_from(sorted(names, key=int) if all_integers else names)
    graph.add_edges_from(line_of)
    motif = motif_from_networkx(graph, path.stem if name is None else name)
    return Motif(motif.name, motif.edges, motif.roles, f"read from {path.name}")


def _check_edge_line(
    path: Path, number: int, tokens: list[str], line_of: dict[frozenset[str], int]
) -> None:
    """Refuse a line that is not one new edge between two different nodes."""
    place = f"{path}, line {number}"
    if len(tokens) != 2:
        raise InputError(f"{place}: expected two node names, got {len(tokens)}: {tokens}.")
    if tokens[0] == tokens[1]:
        raise InputError(f"{place}: a motif must have no self-loop, got {' '.join(tokens)}.")
    if frozenset(tokens) in line_of:
        raise InputError(
            f"{place}: the edge {' '.join(tokens)} already stands on line "
            f"{line_of[frozenset(tokens)]}; edges are undirected, so list each one once."
        )
