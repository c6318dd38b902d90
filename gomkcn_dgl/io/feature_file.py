"""A file of node features → a matrix, its rows matched with the nodes of a graph."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from gomkcn_dgl.checks import check_features
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.io.edge_table import has_features
from gomkcn_dgl.io.tables import (
    csv_rows,
    line_error,
    parse_cell,
    parse_csv,
    read_csv_header,
    read_text,
)
from gomkcn_dgl.runtime.atomic_files import atomic_write
from gomkcn_dgl.runtime.file_bytes import file_problems, open_file, reason_of
from gomkcn_dgl.runtime.file_names import stem

_ID_COLUMNS = ("id", "node", "node_id", "name")
_SUFFIXES = (".features.npy", ".features.csv")


@dataclass(frozen=True)
class FeatureTable:
    """Features in a file: ``values [n, D]``, a name per column, and the node of each row.

    ``ids`` is text ``[n]``, or None where the file has no column of ids.
    """

    path: Path
    values: np.ndarray
    names: tuple[str, ...]
    ids: np.ndarray | None


def feature_file_beside(folder: Path, stem: str) -> Path | None:
    """Return the feature file ``<stem>.features.npy`` or ``.csv`` in a folder, if there is one."""
    paths = [path for path in (folder / (stem + suffix) for suffix in _SUFFIXES) if path.is_file()]
    if len(paths) > 1:
        names = " and ".join(path.name for path in paths)
        raise InputError(
            f"one feature file was expected beside the graph, got {names}; give feature_file."
        )
    return paths[0] if paths else None


def read_features(path: Path, names: Sequence[str] | None) -> FeatureTable:
    """Read a ``.npy`` or ``.csv`` feature file, all columns or those named."""
    try:
        if path.suffix.lower() == ".npy":
            table = _read_npy(path)
        elif path.name.lower().endswith((".csv", ".csv.gz")):
            table = _read_csv(path)
        else:
            raise InputError("a feature file must end in .npy or .csv.")
        if names is None:
            return table
        values = table.values[:, _column_positions(names, table.names)]
        return replace(table, values=values, names=tuple(names))
    except (InputError, InputTypeError) as error:
        raise InputError(f"the feature file {path.name}: {error}") from None


def select_features(graph: CSRGraph, names: Sequence[str] | None) -> CSRGraph:
    """Return the graph with the named feature columns only, or with all."""
    if names is None:
        return graph
    columns = _column_positions(names, graph.feature_names)
    return replace(graph, features=graph.features[:, columns], feature_names=tuple(names))


def attach_features(graph: CSRGraph, table: FeatureTable) -> CSRGraph:
    """Return the graph with the features of a file, matched by node id or by row."""
    ids = np.array(graph.original_ids(np.arange(graph.num_nodes)))
    matrix, names = check_features(match_rows(table, ids), graph.num_nodes, table.names)
    return replace(graph, features=matrix, feature_names=names)


def match_rows(table: FeatureTable, ids: np.ndarray) -> np.ndarray:
    """Return the rows of a feature file in the order of the node ids, ``[V, D]``."""
    if table.ids is None:
        if len(table.values) != len(ids):
            raise InputError(
                f"the feature file {table.path.name} must have one row for each of the "
                f"{len(ids)} nodes, got {len(table.values)} rows."
            )
        return table.values
    # the node of each row of the file, -1 for an id that is not in the graph
    nodes = pd.Index([str(name) for name in ids.tolist()]).get_indexer(pd.Index(table.ids))
    rule, bad = "must name nodes of the graph only, got", nodes < 0
    if not bad.any():
        rule, bad = "must have one row for each node, got two for", pd.Series(nodes).duplicated()
    if bad.any():
        raise InputError(f"the feature file {table.path.name} {rule} {table.ids[bad.argmax()]!r}.")
    rows = np.full(len(ids), -1)
    rows[nodes] = np.arange(len(nodes))
    missing = np.flatnonzero(rows < 0)
    if len(missing):
        raise InputError(
            f"the feature file {table.path.name} must have a row for every node, got none for "
            f"{ids.tolist()[missing[0]]!r} ({len(missing)} in all)."
        )
    return table.values[rows]


def _read_npy(path: Path) -> FeatureTable:
    with file_problems(path):
        open_file(path).close()
    # a damaged header can raise nearly anything
    try:
        values: np.ndarray = np.lib.format.open_memmap(path, mode="r")
    except Exception as error:
        raise InputError(f"the array cannot be read ({reason_of(error)}).") from None
    if values.dtype.kind not in "biuf":
        raise InputError(f"the array must hold numbers, got {values.dtype}.")
    if values.ndim not in (1, 2) or 0 in values.shape:
        raise InputError(f"the array must have the shape [V, D], got {values.shape}.")
    values = values.reshape(len(values), -1)
    return FeatureTable(path, values, tuple(f"x{c}" for c in range(values.shape[1])), None)


def _read_csv(path: Path) -> FeatureTable:
    data = read_text(path)
    header = read_csv_header(data)
    first = int(header[0].lower() in _ID_COLUMNS)
    if len(header) == first:
        raise InputError("line 1: the header must name a feature column.")
    kinds = dict.fromkeys(range(first), "str")
    kinds |= dict.fromkeys(range(first, len(header)), "float64")
    frame = parse_csv(data, len(header), kinds)
    names = tuple(header[first:])
    if frame is not None:
        values = frame.iloc[:, first:].to_numpy()
        ids = frame[0].str.strip().to_numpy(dtype=object) if first else None
        if np.isfinite(values).all() and (ids is None or (ids != "").all()):
            return FeatureTable(path, values, names, ids)
    # quoted cells, or a line that is wrong
    values, ids = _scan_features(itertools.islice(csv_rows(data), 1, None), header, first)
    if not len(values):
        raise InputError("the file holds a header and no row.")
    return FeatureTable(path, values, names, ids)


def _scan_features(
    lines: Iterable[tuple[int, list[str]]], header: Sequence[str], first: int
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return features and ids in rows of a CSV file; ``first`` is the first column of features."""
    rows, ids = [], []
    for number, cells in lines:
        if first and not cells[0]:
            raise line_error(number, f"the column {header[0]!r} must name a node", ",".join(cells))
        ids.append(cells[0])
        rows.append([parse_cell(number, cell, "float64") for cell in cells[first:]])
    return np.array(rows), np.array(ids, dtype=object) if first else None


def _column_positions(names: Sequence[str], known: Sequence[str]) -> list[int]:
    """Return the position of each name among the known ones."""
    for name in names:
        if name not in known:
            raise InputError(f"features must name columns among {list(known)}, got {name!r}.")
    return [list(known).index(name) for name in names]


def write_features_beside(path: Path, graph: CSRGraph) -> None:
    """Write the features to the one file that goes with an edge list; refuse to leave another."""
    width = graph.features.shape[1]
    unnamed = graph.feature_names == tuple(f"x{column}" for column in range(width))
    suffix = None
    if has_features(graph):
        suffix = _SUFFIXES[0 if unnamed and graph.node_ids is None else 1]
    for other in _SUFFIXES:
        stale = path.with_name(stem(path) + other)
        if other != suffix and stale.exists():
            raise InputError(
                f"{stale.name} lies beside it and would be read with it; remove that file first."
            )
    if suffix == ".features.npy":
        content = io.BytesIO()
        np.save(content, graph.features, allow_pickle=False)
        atomic_write(path.with_name(stem(path) + suffix), content.getvalue())
    elif suffix is not None:
        frame = pd.DataFrame(graph.features, columns=list(graph.feature_names))
        frame.insert(0, "id", graph.original_ids(np.arange(graph.num_nodes)), allow_duplicates=True)
        text = frame.to_csv(index=False, lineterminator="\n")
        atomic_write(path.with_name(stem(path) + suffix), text)
