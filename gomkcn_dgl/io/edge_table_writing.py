"""A CSRGraph → a CSV table of edges that the readers give back, with its features beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_objects import from_csr
from gomkcn_dgl.io.edge_tables import read_ends
from gomkcn_dgl.io.features import SUFFIXES
from gomkcn_dgl.io.table_form import MARKS
from gomkcn_dgl.relations import PLAIN, SIMPLE
from gomkcn_dgl.runtime.files import atomic_write
from gomkcn_dgl.runtime.tabular import csv_text


def write_edge_table(path: Path, graph: CSRGraph) -> None:
    """Write the edges of one graph to a CSV file, and its features to ``<stem>.features.csv``.

    A node without an edge is written as a self-loop. Relations and directions become a column of
    their own, and nodes are read back in ascending order of their ids.

    Raises
    ------
    InputError
        For a collection, and for ids or directions that a table cannot keep.
    """
    if graph.num_graphs > 1:
        raise InputError(
            f"one graph was expected, got a collection of {graph.num_graphs}; "
            "write it to a .graph folder."
        )
    columns = _edge_columns(graph)
    # between quotes a mark begins no comment
    is_quoted = any(str(name)[:1] in MARKS for _, ids in columns[:2] for name in ids)
    content = csv_text(columns, is_quoted)
    _refuse_other_names(content, columns)
    _write_features_beside(path, graph)
    atomic_write(path, content)


def _write_features_beside(path: Path, graph: CSRGraph) -> None:
    """Write the features to the one file that goes with the edges; refuse to leave another."""
    array, table = (path.with_name(path.stem + suffix) for suffix in SUFFIXES)
    is_constant = graph.feature_names == (CONSTANT_FEATURE,)
    for other in filter(Path.exists, [array, table] if is_constant else [array]):
        raise InputError(
            f"{other.name} lies beside it and would be read with it; remove that file first."
        )
    if not is_constant:
        ids = graph.original_ids(np.arange(graph.num_nodes))
        features = graph.features.T.astype(str).tolist()
        columns = [("id", ids), *zip(graph.feature_names, features, strict=True)]
        atomic_write(table, csv_text(columns))


def _edge_columns(graph: CSRGraph) -> list[tuple[str, list[Any]]]:
    """Name and values of each column of the edges; then the self-loops, and isolated nodes as such.

    An edge of a graph without relations and directions comes once, between columns whose names say
    no direction. Else it has its relation, and one without direction comes both ways, by which it
    is known when the table is read.
    """
    content = from_csr(graph)
    plain = graph.relations == SIMPLE
    if not plain:
        _refuse_unknown_direction(graph)
    kept = content.source < content.target if plain else np.ones(len(content.source), bool)
    loops = np.empty((0, 2), np.int64) if graph.loops is None else graph.loops
    isolated = np.setdiff1d(np.flatnonzero(graph.degrees == 0), loops[:, 0])
    joined_to_itself = np.concatenate([loops[:, 0], isolated])
    names = ("node_a", "node_b") if plain else ("source", "target")
    columns: list[tuple[str, list[Any]]] = [
        (name, list(graph.original_ids(np.concatenate([nodes[kept], joined_to_itself]))))
        for name, nodes in zip(names, (content.source, content.target), strict=True)
    ]
    if graph.weights is not None:
        weights = np.append(
            content.edges["weight"][kept], np.ones(len(joined_to_itself), np.float32)
        )
        columns.append(("weight", weights.astype(str).tolist()))
    if not plain:
        # all edges are of one relation, whose name says whether they have a direction
        is_type = graph.relations.names == (PLAIN,)
        relations = np.array(("directed",) if is_type else graph.relations.names, object)
        codes = np.concatenate([content.codes, loops[:, 1], np.zeros(len(isolated), int)])
        columns.append(("type" if is_type else "relation", relations[codes].tolist()))
    return columns


def _refuse_other_names(content: str, columns: list[tuple[str, list[Any]]]) -> None:
    """Refuse ids that a reader would take for others, such as those with blanks at their ends."""
    given = [name for _, ids in columns[:2] for name in map(str, ids)]
    try:
        found = read_ends(content.encode())
    except InputError as error:
        raise InputError(
            f"a table cannot keep the ids of the nodes ({str(error).removesuffix('.')}); write a "
            ".graph folder."
        ) from None
    changed = [pair for pair in zip(given, found, strict=False) if pair[0] != pair[1]]
    if changed or len(given) != len(found):
        name, read_back = changed[0] if changed else (given[0], "")
        raise InputError(
            f"a table cannot keep the id {name!r}, which is read as {read_back!r}; write a .graph "
            "folder."
        )


def _refuse_unknown_direction(graph: CSRGraph) -> None:
    """Refuse a relation with a direction all of whose edges are there both ways."""
    relations = graph.relations
    links = relations.links if graph.links is None else relations.links[np.unique(graph.links)]
    for channel, (number, side) in enumerate(relations.channels):
        if side == "out" and (links[:, channel] == links[:, channel + 1]).all():
            raise InputError(
                f"a table of edges cannot tell that the relation {relations.names[number]!r} has a "
                "direction, since each of its edges is there both ways; write a .graph folder."
            )
