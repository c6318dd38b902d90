"""Edges as files name them: rows of text → ids and weights; a graph → the text of its edges."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gomkcn_dgl.checks import as_float32
from gomkcn_dgl.containers.edge_arrays import from_csr
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.edge_layout import EdgeLayout
from gomkcn_dgl.io.tables import check_weight, csv_text, line_error
from gomkcn_dgl.relations import MAX_RELATIONS, PLAIN, SIMPLE, Relations
from gomkcn_dgl.runtime.files import listed, printable

log = logging.getLogger("gomkcn_dgl")

LONGEST_ID = 1000
WEIGHT = "weight"
# all edges are of one relation, whose name says whether they have a direction
TYPE = "type"
RELATION = "relation"
# what the columns of the ends are called in files that are written
ARC, PAIR = ("source", "target"), ("node_1", "node_2")
# share of the edges of an undirected relation that are there both ways
_NEARLY_ALL = 0.95
_DIRECTIONS = {"directed": True, "undirected": False}

# the two ids as text, and the weight and the relation, if there are any
EdgeRow = tuple[str, str, float | None, str | None]


@dataclass(frozen=True)
class EdgeTable:
    """Edges as a file names them, E of them.

    Ids ``[E]`` are int64 or text, weights ``[E]`` float64 >= 0, ``relation [E]`` text.
    """

    source: np.ndarray
    target: np.ndarray
    weights: np.ndarray | None = None
    relation: np.ndarray | None = None


def edge_row(number: int, cells: Sequence[str], layout: EdgeLayout) -> EdgeRow:
    """Return the edge in the cells of line ``number``."""
    source, target = (_check_name(number, cells[column], "a node id") for column in layout.ends)
    weight = relation = None
    if layout.weight is not None:
        weight = check_weight(number, cells[layout.weight])
    if layout.relation is not None:
        relation = _check_name(number, cells[layout.relation], "a relation")
    return source, target, weight, relation


def _check_name(number: int, name: str, what: str) -> str:
    if not 1 <= len(name) <= LONGEST_ID:
        raise line_error(number, f"{what} must have 1 to {LONGEST_ID} characters", name)
    return name


def declared_directions(
    names: Sequence[str], directed: bool | None
) -> tuple[list[str], list[bool] | None]:
    """Return the relations that a column names, and whether they have a direction.

    The words directed and undirected alone are no types, they say the direction. None stands for a
    direction that is to be seen from the edges.

    >>> declared_directions(["Directed"], None)
    (['edge'], [True])
    >>> declared_directions(["binds", "directed"], None)
    (['binds', 'directed'], None)
    """
    said = [_DIRECTIONS.get(name.lower()) for name in names]
    if None not in said:
        names = [PLAIN] if len(set(said)) == 1 else list(names)
        found = [bool(one) for one in said[: len(names)]]
        return names, found if directed is None else [directed] * len(names)
    return list(names), None if directed is None else [directed] * len(names)


def table_directions(
    layout: EdgeLayout, relations: Sequence[str] | None, directed: bool | None
) -> tuple[list[str], list[bool] | None]:
    """Return the relations of a table and whether they have a direction: the rule for all tables.

    A table without relations is undirected, unless the caller or the names of its columns say that
    it is not. None stands for a direction that is to be seen from the edges.

    >>> from gomkcn_dgl.io.edge_layout import EdgeOptions, find_layout
    >>> for names in ("u", "v"), ("sender", "recipient"):
    ...     table_directions(find_layout(names, EdgeOptions()), None, None)
    (['edge'], [False])
    (['edge'], None)
    """
    if relations is not None:
        return declared_directions(relations, directed)
    if directed is None and layout.has_directed_ends:
        return [PLAIN], None
    return [PLAIN], [bool(directed)]


def direction_notes(
    layout: EdgeLayout, is_directed: bool, directed: bool | None
) -> tuple[str, ...]:
    """Say in the log why a table without relations has directions or none; note the names."""
    if directed is not None or (layout.dialect is not None and not layout.header):
        return ()
    ends = listed([layout.names[end] for end in layout.ends])
    if is_directed:
        note = f"directed, as its columns are called {ends}"
        log.info("%s; directed=False (--undirected) leaves the directions out", note)
        return (note,)
    why = "its edges are there both ways"
    if not layout.has_directed_ends:
        why = f"its columns are called {ends}"
    log.info("undirected, as %s; directed=True (--directed) gives edges a direction", why)
    return ()


@dataclass(frozen=True)
class EdgeKinds:
    """The relation of each edge ``[E]``, if there are any; their names, directions and notes."""

    relation: np.ndarray | None
    names: list[str]
    directed: list[bool]
    notes: tuple[str, ...] = ()


def find_kinds(edges: EdgeTable, layout: EdgeLayout, directed: bool | None) -> EdgeKinds:
    """Tell the relations and directions of edges between rows, whose relations are text."""
    found = codes = None
    if edges.relation is not None:
        found = sorted(set(edges.relation.tolist()))
        check_num_relations(
            found, "relation" if layout.relation is None else layout.names[layout.relation]
        )
        code_of = {name: code for code, name in enumerate(found)}
        codes = np.array([code_of[name] for name in edges.relation.tolist()], np.int64)
    names, directions = table_directions(layout, found, directed)
    if codes is None or len(names) == 1:
        codes = np.zeros(len(edges.source), np.int64)
    notes: tuple[str, ...] = ()
    if directions is None:
        # an edge of weight 0 is none
        weights = np.ones(1) if edges.weights is None else edges.weights
        here = np.broadcast_to(as_float32("edge weights", weights) > 0, len(codes))
        counts = count_both_ways(edges.source[here], edges.target[here], codes[here], len(names))
        directions, notes = seen_directions(names, *counts)
    if edges.relation is None:
        notes += direction_notes(layout, directions[0], directed)
    return EdgeKinds(None if edges.relation is None else codes, names, directions, notes)


def count_both_ways(
    source: np.ndarray, target: np.ndarray, relation: np.ndarray, num_relations: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return how many different edges each relation has, and how many of them are there both ways.

    >>> count_both_ways(np.array([0, 1, 1]), np.array([1, 0, 2]), np.zeros(3, int), 1)
    (array([3]), array([2]))
    """
    keep = source != target
    keys = np.stack([relation, source, target], axis=1)[keep]
    keys = keys[np.lexsort(keys.T[::-1])]
    new = np.ones(len(keys), dtype=bool)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    keys = keys[new]
    back = keys[:, [0, 2, 1]]
    # in one order, an edge and the opposite of its opposite follow one another
    both = np.concatenate([keys, back])
    both = both[np.lexsort(both.T[::-1])]
    paired = (both[1:] == both[:-1]).all(axis=1)
    edges = np.bincount(keys[:, 0], minlength=num_relations)
    return edges, np.bincount(both[1:][paired, 0], minlength=num_relations)


def seen_directions(
    names: Sequence[str], edges: np.ndarray, both_ways: np.ndarray
) -> tuple[list[bool], tuple[str, ...]]:
    """Tell which relations have a direction, and what is to be noted of that.

    A relation has none if nearly all of its edges are there both ways: a list of neighbours, or
    the part of one that was kept for training, lacks some.

    >>> seen_directions(["near", "in"], np.array([100, 50]), np.array([98, 0]))
    ([False, True], ('taken as undirected: near, 98 of whose 100 edges are there both ways',))
    """
    directed = (both_ways < _NEARLY_ALL * edges).tolist()
    notes = [
        f"taken as undirected: {name}, {both} of whose {num} edges are there both ways"
        for name, num, both, one in zip(names, edges, both_ways, directed, strict=True)
        if not one and both < num
    ]
    for note in notes:
        log.info("%s", note)
    return directed, tuple(notes)


def log_relations(relations: Relations) -> None:
    """Say which relations there are, and which of them have a direction."""
    if relations.names != (PLAIN,):
        words = [
            f"{printable(name)} ({'directed' if one else 'undirected'})"
            for name, one in relations.kinds
        ]
        log.info("relations: %s", listed(words))


def check_num_relations(names: Sequence[str], column: str) -> None:
    """Refuse a column of so many different relations that they must be something else."""
    if len(names) > MAX_RELATIONS:
        raise InputError(
            f"the column {column!r} holds more than {MAX_RELATIONS} different relations, among "
            f"them {names[0]!r}; relation must be another column, or none."
        )


def has_features(graph: CSRGraph) -> bool:
    """Whether a graph has other features than the constant 1."""
    return graph.feature_names != (CONSTANT_FEATURE,)


def edge_columns(graph: CSRGraph) -> list[tuple[str, list[Any]]]:
    """Name and values of each column of the edges; then each isolated node, as a self-loop.

    An edge of a graph without relations and directions comes once, between columns whose names say
    no direction. Else it has its relation, and one without direction comes both ways, by which it
    is known when the table is read.
    """
    content, plain = from_csr(graph), graph.relations == SIMPLE
    if not plain:
        refuse_unknown_direction(graph, "a table of edges")
    kept = content.source < content.target if plain else np.ones(len(content.source), bool)
    isolated = np.flatnonzero(graph.degrees == 0)
    columns: list[tuple[str, list[Any]]] = [
        (name, list(graph.original_ids(np.concatenate([nodes[kept], isolated]))))
        for name, nodes in zip(
            PAIR if plain else ARC, (content.source, content.target), strict=True
        )
    ]
    if graph.weights is not None:
        weights = np.append(content.edges[WEIGHT][kept], np.ones(len(isolated), np.float32))
        columns.append((WEIGHT, weights.astype(str).tolist()))
    if not plain:
        is_type = graph.relations.names == (PLAIN,)
        names = np.array(("directed",) if is_type else graph.relations.names, object)
        codes = np.zeros(len(kept), int) if content.relation is None else content.relation
        codes = np.append(codes, np.zeros(len(isolated), int))
        columns.append((TYPE if is_type else RELATION, names[codes].tolist()))
    return columns


def refuse_unknown_direction(graph: CSRGraph, file: str) -> None:
    """Refuse a relation with a direction all of whose edges are there both ways."""
    relations = graph.relations
    links = relations.links if graph.links is None else relations.links[np.unique(graph.links)]
    for channel, (number, side) in enumerate(relations.channels):
        if side == "out" and (links[:, channel] == links[:, channel + 1]).all():
            raise InputError(
                f"{file} cannot tell that the relation {relations.names[number]!r} has a "
                "direction, since each of its edges is there both ways; write a .graph folder."
            )


def edge_list_text(graph: CSRGraph) -> str:
    """Return the content of an edge list; it has a header where there are relations."""
    names, columns = zip(*edge_columns(graph), strict=True)
    rows: list[tuple[Any, ...]] = list(zip(*columns, strict=True))
    if not set(names) <= {*PAIR, WEIGHT}:
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


def edge_csv_text(graph: CSRGraph) -> str:
    """Return the content of a CSV file of edges."""
    return csv_text(edge_columns(graph))
