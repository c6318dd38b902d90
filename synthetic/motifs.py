"""The table of motifs that can be planted: edges, the role of each node, and why that shape.

The GOMKCN paper (arXiv:2504.16360) draws its motifs without defining them, so the shapes here are
ours. All have minimum degree 2 and no bridge: joined by single edges to a tree, such as a
Barabási–Albert graph with 1 edge a node, no motif is completed by chance there or across copies.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.runtime.file_bytes import read_file


@dataclass(frozen=True)
class Motif:
    """A small connected graph to plant.

    Parameters
    ----------
    name : str
        What the truth and the reports call it.
    edges : tuple of (int, int)
        Undirected edges ``(i, j)``, each once, with ``i < j``.
    roles : tuple of str
        One role per node; its length M is the number of nodes.
    reason : str
        Why it has this shape, or where it came from.

    Raises
    ------
    InputError
        For no edges, a self-loop, a repeated or reversed edge, an unknown node, or several pieces.

    Examples
    --------
    >>> path = Motif("path", ((0, 1), (1, 2)), ("end", "middle", "end"), "a smallest example")
    >>> path.num_nodes
    3
    >>> path.adjacency().tolist()
    [[0, 1, 0], [1, 0, 1], [0, 1, 0]]

    """

    name: str
    edges: tuple[tuple[int, int], ...]
    roles: tuple[str, ...]
    reason: str

    def __post_init__(self) -> None:
        if not self.edges:
            raise InputError(f"Motif {self.name!r} must have at least one edge, got none.")
        if len(set(self.edges)) < len(self.edges):
            raise InputError(f"Motif {self.name!r} must have each edge once, got {self.edges}.")
        for i, j in self.edges:
            if i == j:
                raise InputError(
                    f"Motif {self.name!r} must have no self-loop, got one on node {i}."
                )
            if not 0 <= i < j < self.num_nodes:
                raise InputError(
                    f"Motif {self.name!r} must have edges (i, j) with 0 <= i < j < "
                    f"{self.num_nodes}, the number of roles, got ({i}, {j})."
                )
        num_parts = nx.number_connected_components(self.to_networkx())
        if num_parts > 1:
            raise InputError(f"Motif {self.name!r} must be connected, got {num_parts} pieces.")

    @property
    def num_nodes(self) -> int:
        """Number of nodes M."""
        return len(self.roles)

    def to_networkx(self) -> nx.Graph:
        """Return the motif as a networkx graph on ``0 .. M-1`` with a ``role`` at each node."""
        graph = nx.Graph(name=self.name)
        graph.add_nodes_from((i, {"role": role}) for i, role in enumerate(self.roles))
        graph.add_edges_from(self.edges)
        return graph

    def adjacency(self) -> np.ndarray:
        """Return the adjacency matrix, uint8 ``[M, M]``, symmetric with a zero diagonal."""
        adjacency = np.zeros((self.num_nodes, self.num_nodes), dtype=np.uint8)
        rows, columns = np.array(self.edges).T
        adjacency[rows, columns] = adjacency[columns, rows] = 1
        return adjacency


def get_motif(motif: str | Motif) -> Motif:
    """Return a motif of the table by name; a motif is returned as it is.

    Parameters
    ----------
    motif : str or Motif
        A key of ``MOTIFS``, or a motif of your own.

    Returns
    -------
    Motif

    Raises
    ------
    InputError
        For an unknown name; the message lists the known ones.
    InputTypeError
        For anything that is neither a name nor a motif.

    Examples
    --------
    >>> get_motif("circle").edges
    ((0, 1), (0, 5), (1, 2), (2, 3), (3, 4), (4, 5))

    """
    if isinstance(motif, Motif):
        return motif
    if not isinstance(motif, str):
        raise InputTypeError(f"motif must be a name or a Motif, got {motif!r}.")
    if motif not in MOTIFS:
        raise InputError(f"motif must be one of {', '.join(sorted(MOTIFS))}, got {motif!r}.")
    return MOTIFS[motif]


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
    edges: list[list[str]] = []
    for number, line in enumerate(lines, start=1):
        ends = line.split("#", maxsplit=1)[0].split()
        if not ends:
            continue
        if len(ends) != 2 or ends[0] == ends[1] or ends in edges or ends[::-1] in edges:
            raise InputError(
                f"{path}, line {number}: an edge must be two different node names that no earlier "
                f"line joins, got {' '.join(ends)!r}."
            )
        edges.append(ends)
    if not edges:
        raise InputError(f"The motif file {path} must hold at least one edge, got none.")
    names = list(dict.fromkeys(node for edge in edges for node in edge))
    # int() refuses numbers of thousands of digits.
    if all(node.isdecimal() and len(node) < 20 for node in names):
        names.sort(key=int)
    graph = nx.empty_graph(names)
    graph.add_edges_from(edges)
    motif = motif_from_networkx(graph, path.stem if name is None else name)
    return Motif(motif.name, motif.edges, motif.roles, f"read from {path.name}")


def _motif(name: str, edges: str, roles: str, reason: str) -> Motif:
    """Build a row of the table from compact text: ``"01 12"`` is the edges (0, 1) and (1, 2)."""
    pairs = sorted((int(edge[0]), int(edge[1])) for edge in edges.split())
    return Motif(name, tuple(pairs), tuple(roles.split()), reason)


_ROWS = (
    # Six nodes: the paper's eight.
    _motif(
        "house",
        "01 12 23 03 24 34 45 25",
        "floor floor eave eave ridge chimney",
        "Walls 0-1-2-3, roof 4 on 2 and 3, chimney 5 leaning on 4 and 2. With a chimney on one "
        "node only, any tree edge at a roof would complete it; with minimum degree 2 none can.",
    ),
    _motif(
        "cup",
        "01 12 23 03 14 45 25",
        "rim top bottom rim handle handle",
        "A body 0-1-2-3 with a handle 1-4-5-2. The same graph as book: two squares on one edge.",
    ),
    _motif(
        "wheel",
        "01 02 03 04 05 12 23 34 45 15",
        "hub rim rim rim rim rim",
        "A hub joined to a ring of five.",
    ),
    _motif(
        "crown",
        "01 12 02 03 13 14 24 25 05",
        "band band band tip tip tip",
        "The 3-sun: a band 0-1-2 with a tip over each of its edges.",
    ),
    _motif(
        "book",
        "01 12 23 03 14 45 25",
        "page spine spine page page page",
        "The domino: two square pages sharing the spine 1-2. The same graph as cup.",
    ),
    _motif(
        "diamond",
        "01 02 03 04 15 25 35 45 12 23 34 14",
        "apex girdle girdle girdle girdle apex",
        "The octahedron: a girdle 1-2-3-4 between two apexes, as a cut diamond; six nodes like the "
        "paper's filters, unlike the usual diamond of four, which is diamond4 here.",
    ),
    _motif("circle", "01 12 23 34 45 05", "ring " * 6, "A ring of six."),
    _motif(
        "email",
        "01 12 23 03 04 14 25 35",
        "top top bottom bottom flap fold",
        "An envelope 0-1-2-3 with a flap 4 on its upper edge and a fold 5 on its lower one.",
    ),
    # Four nodes.
    _motif("square", "01 12 23 03", "ring " * 4, "A ring of four."),
    _motif("diamond4", "01 02 12 13 23", "tip waist waist tip", "Two triangles on one edge."),
    _motif("clique4", "01 02 03 12 13 23", "member " * 4, "Four nodes, all joined."),
    # Five nodes.
    _motif("circle5", "01 12 23 34 04", "ring " * 5, "A ring of five."),
    _motif(
        "house5",
        "01 12 23 03 24 34",
        "floor floor eave eave ridge",
        "The house of the GNNExplainer data sets: a square and a roof.",
    ),
    _motif("bowtie", "01 02 12 03 04 34", "knot wing wing wing wing", "Two triangles on one node."),
    _motif("wheel5", "01 02 03 04 12 23 34 14", "hub rim rim rim rim", "A hub on a ring of four."),
    _motif(
        "basket", "02 03 04 12 13 14", "pole pole rib rib rib", "K(2,3): two poles, three ribs."
    ),
    _motif("clique5", "01 02 03 04 12 13 14 23 24 34", "member " * 5, "Five nodes, all joined."),
    # Seven nodes.
    _motif("circle7", "01 12 23 34 45 56 06", "ring " * 7, "A ring of seven."),
    _motif(
        "wheel7",
        "01 02 03 04 05 06 12 23 34 45 56 16",
        "hub rim rim rim rim rim rim",
        "A hub on a ring of six.",
    ),
    _motif(
        "fan7",
        "01 02 03 04 05 06 12 23 34 45 56",
        "hub edge blade blade blade blade edge",
        "wheel7 with one ring edge missing.",
    ),
    _motif(
        "windmill7",
        "01 02 12 03 04 34 05 06 56",
        "hub sail sail sail sail sail sail",
        "Three triangles on one node, the friendship graph.",
    ),
    _motif(
        "theta7",
        "02 12 03 34 14 05 56 16",
        "end end short long long long long",
        "Two ends joined by three paths; no triangle, no square.",
    ),
    # Eight nodes.
    _motif("circle8", "01 12 23 34 45 56 67 07", "ring " * 8, "A ring of eight."),
    _motif(
        "wheel8",
        "01 02 03 04 05 06 07 12 23 34 45 56 67 17",
        "hub rim rim rim rim rim rim rim",
        "A hub on a ring of seven.",
    ),
    _motif(
        "ladder8",
        "01 12 23 45 56 67 04 15 26 37",
        "end inner inner end end inner inner end",
        "Three squares in a row.",
    ),
    _motif("cube", "01 12 23 03 45 56 67 47 04 15 26 37", "corner " * 8, "The cube, 3-regular."),
    _motif(
        "sun8",
        "01 12 23 03 04 14 15 25 26 36 37 07",
        "band band band band tip tip tip tip",
        "A crown of four: a band 0-1-2-3 with a tip over each edge.",
    ),
    _motif(
        "antiprism8",
        "01 12 23 03 45 56 67 47 04 14 15 25 26 36 37 07",
        "upper upper upper upper lower lower lower lower",
        "Two squares, one turned by half a step, 4-regular.",
    ),
)

MOTIFS: dict[str, Motif] = {row.name: row for row in _ROWS}
