"""A motif: a small connected graph to plant, whose edges may have directions and relations."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.relations import PLAIN, SIMPLE, Relations, edge_channels, relations_of
from gomkcn_dgl.runtime.files import read_file

# between the ends of an edge in a file: whether it has a direction
_ARROWS = {"->": True, "--": False}


@dataclass(frozen=True)
class Motif:
    """A small connected graph to plant.

    Parameters
    ----------
    name : str
        What the truth and the reports call it.
    edges : tuple of (int, int)
        Edges ``(i, j)``: from node i to node j, or with ``i < j`` where they have no direction.
    roles : tuple of str
        One role per node; its length M is the number of nodes.
    reason : str
        Why it has this shape, or where it came from.
    directed : bool or tuple of str
        Whether the edges have a direction, or the relations whose edges have one.
    edge_relations : tuple of str
        Name of the relation of each edge; ``"edge"`` for all when left out.

    Raises
    ------
    InputError
        For no edges, a self-loop, a repeated or reversed edge, an unknown node, several pieces, or
        relations that do not belong to the edges.

    Examples
    --------
    >>> path = Motif("path", ((0, 1), (1, 2)), ("end", "middle", "end"), "a smallest example")
    >>> path.num_nodes
    3
    >>> path.adjacency().tolist()
    [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    >>> signed = ("activates", "represses")
    >>> chain = Motif("chain", ((0, 1), (1, 2)), path.roles, "an example", True, signed)
    >>> chain.relations.names, chain.relations.directed
    (('activates', 'represses'), (True, True))

    """

    name: str
    edges: tuple[tuple[int, int], ...]
    roles: tuple[str, ...]
    reason: str
    directed: bool | tuple[str, ...] = False
    edge_relations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.edge_relations:
            object.__setattr__(self, "edge_relations", (PLAIN,) * len(self.edges))
        self._check_relations()
        if len({*zip(self.edges, self.edge_relations, strict=True)}) < len(self.edges):
            raise InputError(f"Motif {self.name!r} must have each edge once, got {self.edges}.")
        for (i, j), relation in zip(self.edges, self.edge_relations, strict=True):
            if i == j:
                raise InputError(
                    f"Motif {self.name!r} must have no self-loop, got one on node {i}."
                )
            has_direction = self.has_direction(relation)
            if min(i, j) < 0 or max(i, j) >= self.num_nodes or (i > j and not has_direction):
                rule = "0 <= i, j" if has_direction else "0 <= i < j"
                raise InputError(
                    f"Motif {self.name!r} must have edges (i, j) with {rule} < "
                    f"{self.num_nodes}, the number of roles, got ({i}, {j})."
                )
        num_parts = nx.number_connected_components(nx.from_numpy_array(self.adjacency()))
        if num_parts > 1:
            raise InputError(f"Motif {self.name!r} must be connected, got {num_parts} pieces.")

    def _check_relations(self) -> None:
        if not self.edges:
            raise InputError(f"Motif {self.name!r} must have at least one edge, got none.")
        if len(self.edge_relations) != len(self.edges):
            raise InputError(
                f"Motif {self.name!r} must have one relation for each of its {len(self.edges)} "
                f"edges, got {len(self.edge_relations)}."
            )
        unknown = set() if isinstance(self.directed, bool) else set(self.directed)
        unknown -= set(self.edge_relations)
        if unknown:
            raise InputError(
                f"Motif {self.name!r} must name relations of its edges as directed, "
                f"got {min(unknown)!r}."
            )
        # one way to say that all edges have a direction, or none
        if len({self.has_direction(relation) for relation in self.edge_relations}) == 1:
            object.__setattr__(self, "directed", self.has_direction(self.edge_relations[0]))

    @property
    def num_nodes(self) -> int:
        """Number of nodes M."""
        return len(self.roles)

    @property
    def relations(self) -> Relations:
        """The relations in the order of the edges, and which of them have a direction."""
        names = tuple(dict.fromkeys(self.edge_relations))
        if names == (PLAIN,) and not self.directed:
            return SIMPLE
        return relations_of(names, [self.has_direction(name) for name in names])

    def has_direction(self, relation: str) -> bool:
        """Whether the edges of this relation have a direction."""
        return self.directed if isinstance(self.directed, bool) else relation in self.directed

    def to_networkx(self) -> nx.Graph:
        """Return the motif as a networkx graph on ``0 .. M-1`` with a ``role`` at each node.

        It is a ``DiGraph`` where edges have a direction, and then those without go both ways; a
        multigraph whose edges have a ``relation`` where there are several relations.
        """
        relations, typed = self.relations, len(self.relations.names) > 1
        graph = empty_networkx(relations)
        graph.graph["name"] = self.name
        graph.add_nodes_from((i, {"role": role}) for i, role in enumerate(self.roles))
        for (i, j), relation in zip(self.edges, self.edge_relations, strict=True):
            attributes = {"relation": relation} if typed else {}
            graph.add_edge(i, j, **attributes)
            if relations.is_directed and not self.has_direction(relation):
                graph.add_edge(j, i, **attributes)
        return graph

    def adjacency(self) -> np.ndarray:
        """Return which nodes are joined, uint8 ``[M, M]``, symmetric with a zero diagonal."""
        adjacency = np.zeros((self.num_nodes, self.num_nodes), dtype=np.uint8)
        rows, columns = np.array(self.edges).T
        adjacency[rows, columns] = adjacency[columns, rows] = 1
        return adjacency

    def channels(self) -> np.ndarray:
        """Return the edges as a matrix for each channel of ``relations``, bool ``[M, M, C]``."""
        numbers = [self.relations.names.index(name) for name in self.edge_relations]
        return edge_channels(self.num_nodes, self.edges, numbers, self.relations)


def empty_networkx(relations: Relations) -> nx.Graph:
    """A NetworkX graph of the class that holds edges of these relations."""
    if len(relations.names) > 1:
        return nx.MultiDiGraph() if relations.is_directed else nx.MultiGraph()
    return nx.DiGraph() if relations.is_directed else nx.Graph()


def motif_from_networkx(graph: nx.Graph, name: str) -> Motif:
    """Turn a networkx graph into a motif; its node labels become the roles.

    Parameters
    ----------
    graph : networkx.Graph
        Connected, with at least one edge and no self-loop; a ``DiGraph`` gives edges with a
        direction. The edge attribute ``relation`` is used where all edges have it, and no other.
    name : str
        Name of the motif.

    Returns
    -------
    Motif
        Node i is the i-th node of ``graph.nodes``.

    Raises
    ------
    InputError
        When the graph is empty, in pieces, has a self-loop, or the same edge several times.
    InputTypeError
        When it is not a networkx graph.

    Examples
    --------
    >>> motif_from_networkx(nx.path_graph(["a", "b", "c"]), "path").roles
    ('a', 'b', 'c')
    >>> motif_from_networkx(nx.DiGraph([("a", "b"), ("c", "b")]), "join").edges
    ((0, 1), (2, 1))
    """
    if not isinstance(graph, nx.Graph):
        raise InputTypeError(f"graph must be a networkx.Graph, got {type(graph).__name__}.")
    index = {node: i for i, node in enumerate(graph.nodes)}
    directed = graph.is_directed()
    rows = []
    for u, v, relation in graph.edges(data="relation"):
        i, j = index[u], index[v]
        ends = (i, j) if directed else (min(i, j), max(i, j))
        rows.append((ends, None if relation is None else str(relation)))
    if any(relation is None for _, relation in rows):
        rows = [(ends, PLAIN) for ends, _ in rows]
    rows.sort(key=lambda row: (row[0], str(row[1])))
    return Motif(
        name,
        tuple(ends for ends, _ in rows),
        tuple(str(node) for node in graph.nodes),
        "given as a networkx graph",
        directed,
        tuple(str(relation) for _, relation in rows),
    )


def read_motif(path: str | os.PathLike[str], name: str | None = None) -> Motif:
    r"""Read a motif from a text file with one edge a line.

    Parameters
    ----------
    path : str or path
        Each line holds two node names (integers or words) separated by spaces, with ``->`` between
        them where the edge has a direction, and the name of its relation after them where there
        are several; ``#`` starts a comment; empty lines are skipped. The names become the roles.
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
    >>> _ = file.write_text("x -> y activates\ny -> z represses\n")
    >>> read_motif(file).edge_relations
    ('activates', 'represses')
    """
    path = Path(path)
    try:
        lines = read_file(path).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The motif file {path} cannot be read: {error}.") from None
    rows = _parse_edges(lines, path)
    if not rows:
        raise InputError(f"The motif file {path} must hold at least one edge, got none.")
    names = list(dict.fromkeys(node for ends, *_ in rows for node in ends))
    # int() refuses numbers of thousands of digits.
    if all(node.isdecimal() and len(node) < 20 for node in names):
        names.sort(key=int)
    index = {node: i for i, node in enumerate(names)}
    edges = []
    for (first, second), relation, has_direction in rows:
        i, j = index[first], index[second]
        edges.append(((i, j) if has_direction else (min(i, j), max(i, j)), relation))
    edges.sort()
    return Motif(
        path.stem if name is None else name,
        tuple(ends for ends, _ in edges),
        tuple(names),
        f"read from {path.name}",
        tuple(dict.fromkeys(relation for _, relation, has_direction in rows if has_direction)),
        tuple(relation for _, relation in edges),
    )


def _parse_edges(lines: list[str], path: Path) -> list[tuple[list[str], str, bool]]:
    """Ends, relation and direction of the edge of each line."""
    rows: list[tuple[list[str], str, bool]] = []
    direction: dict[str, bool] = {}
    for number, line in enumerate(lines, start=1):
        words = line.split("#", maxsplit=1)[0].split()
        if not words:
            continue
        given = " ".join(words)
        has_direction = False
        if len(words) > 2 and words[1] in _ARROWS:
            has_direction = _ARROWS[words.pop(1)]
        ends, relation = words[:2], words[2] if len(words) == 3 else PLAIN
        earlier = [row[:2] for row in rows]
        twice = (ends, relation) in earlier
        twice = twice or (not has_direction and (ends[::-1], relation) in earlier)
        if len(words) not in (2, 3) or ends[0] == ends[1] or twice:
            raise InputError(
                f"{path}, line {number}: an edge must be two different node names that no earlier "
                f"line joins, got {given!r}."
            )
        if direction.setdefault(relation, has_direction) != has_direction:
            raise InputError(
                f"{path}, line {number}: edges of one relation must all have a direction, or none; "
                f"got {given!r}."
            )
        rows.append((ends, relation, has_direction))
    return rows
