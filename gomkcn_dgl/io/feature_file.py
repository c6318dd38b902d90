"""A file of node features → a matrix, its rows matched with the nodes of a graph."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.io.tables import (
    NUMBERS,
    WORDS,
    check_names,
    check_width,
    find_dialect,
    is_number,
    line_error,
    parse_block,
    parse_cell,
    table_rows,
    text_blocks,
    to_array,
)
from gomkcn_dgl.runtime.files import file_problems, listed, open_file, printable, reason_of

log = logging.getLogger("gomkcn_dgl")

_ID_COLUMNS = ("id", "node", "node_id", "name")
# of a column of text
_MAX_VALUES = 1000
SUFFIXES = (".features.npy", ".features.csv")


@dataclass(frozen=True)
class FeatureTable:
    """Features in a file: ``values [n, D]``, a name per column, and the node of each row.

    ``ids`` is text ``[n]``, or None where the file has no column of ids; ``notes`` says what of the
    file is not used.
    """

    path: Path
    values: np.ndarray
    names: tuple[str, ...]
    ids: np.ndarray | None
    notes: tuple[str, ...] = ()


def feature_file_beside(folder: Path, stem: str) -> Path | None:
    """Return the feature file ``<stem>.features.npy`` or ``.csv`` in a folder, if there is one."""
    paths = [path for path in (folder / (stem + suffix) for suffix in SUFFIXES) if path.is_file()]
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
            table = _read_csv(path, names)
        else:
            raise InputError("a feature file must end in .npy or .csv.")
        for note in table.notes:
            log.info("%s", note)
        if names is None:
            return table
        positions = [position for name in names for position in _features_of(name, table.names)]
        chosen = tuple(table.names[position] for position in positions)
        return replace(table, values=table.values[:, positions], names=chosen)
    except (InputError, InputTypeError) as error:
        raise InputError(f"the feature file {path.name}: {error}") from None


def select_features(graph: CSRGraph, names: Sequence[str] | None) -> CSRGraph:
    """Return the graph with the named feature columns only, or with all."""
    if names is None:
        return graph
    columns = _column_positions(names, graph.feature_names)
    return replace(graph, features=graph.features[:, columns], feature_names=tuple(names))


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
    row_of = {str(name): row for row, name in enumerate(ids.tolist())}
    nodes = np.array([row_of.get(name, -1) for name in table.ids.tolist()], np.int64)
    rule, bad = "must name nodes of the graph only, got", nodes < 0
    if not bad.any():
        rule, bad = "must have one row for each node, got two for", np.ones(len(nodes), bool)
        bad[np.unique(nodes, return_index=True)[1]] = False
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


def _read_csv(path: Path, names: Sequence[str] | None) -> FeatureTable:
    """Read columns of numbers as they are, and one column for each value of a column of text."""
    ((_, data),) = text_blocks(path)
    dialect = find_dialect(data, is_csv=True)
    number, header = next(table_rows(data, dialect))
    check_names(number, header)
    first = int(header[0].lower() in _ID_COLUMNS)
    if len(header) == first:
        raise InputError(f"line {number}: the header must name a feature column.")
    chosen = list(range(first, len(header)))
    if names is not None:
        chosen = list(dict.fromkeys(_column_of(name, header[first:]) + first for name in names))
    kinds = dict.fromkeys(range(first), WORDS) | dict.fromkeys(chosen, NUMBERS)
    parsed = parse_block(data, dialect, len(header), kinds, number) or {}
    columns = {at: to_array(column) for at, column in parsed.items()}
    if not columns or not all(
        np.isfinite(column).all() if at in chosen else all(column) for at, column in columns.items()
    ):
        # text, or a line that is wrong
        columns = _parse_rows(table_rows(data, dialect), kinds)
    blocks, made = [], []
    for at in chosen:
        block, its_names = _numeric_or_one_hot(header[at], columns[at])
        blocks.append(block)
        made += its_names
    unused = [name for at, name in enumerate(header[first:], first) if at not in chosen]
    notes = (f"columns of {path.name} that are not used: {listed(unused)}",) if unused else ()
    ids = columns[0] if first else None
    return FeatureTable(path, np.concatenate(blocks, axis=1), tuple(made), ids, notes)


def _parse_rows(
    rows: Iterator[tuple[int, list[str]]], kinds: Mapping[int, pa.DataType]
) -> dict[int, np.ndarray]:
    """Return columns that are read row by row; where some cell is a number, all must be."""
    line, header = next(rows)
    table = list(rows)
    if not table:
        raise InputError("the file holds a header and no row.")
    for number, cells in table:
        check_width(number, cells, (line, len(header)))
    columns = {}
    for at, kind in kinds.items():
        is_text = kind == WORDS or not any(is_number(cells[at]) for _, cells in table)
        for number, cells in table:
            if is_text and not cells[at]:
                rule = "a value was expected"
                if kind == WORDS:
                    rule = f"the column {header[at]!r} must name a node"
                raise line_error(number, rule, ",".join(cells))
        if is_text:
            columns[at] = np.array([cells[at] for _, cells in table], object)
        else:
            columns[at] = np.array([parse_cell(n, cells[at], NUMBERS) for n, cells in table])
    return columns


def _numeric_or_one_hot(name: str, values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return the features that a column gives, ``[n, D]``, and their names."""
    if values.dtype != object:
        return values[:, None], [name]
    words, codes = np.unique(values, return_inverse=True)
    if len(words) > _MAX_VALUES:
        raise InputError(
            f"the column {name!r} of text must have at most {_MAX_VALUES} different values, which "
            f"become one feature each, got {len(words)}; name the columns to use with features."
        )
    log.info("features: %s has %d values, one column each", printable(name), len(words))
    one_hot = (codes[:, None] == np.arange(len(words))).astype(np.float32)
    return one_hot, [f"{name}={word}" for word in words]


def _column_of(name: str, known: Sequence[str]) -> int:
    """Return the position of a column, or of the one that has a feature such as kind=kinase."""
    if name not in known and name.partition("=")[0] in known:
        name = name.partition("=")[0]
    return _column_positions([name], known)[0]


def _features_of(name: str, made: Sequence[str]) -> list[int]:
    """Return the positions of the feature of this name, or of those that its column gives."""
    values = [position for position, one in enumerate(made) if one.startswith(f"{name}=")]
    return values if values and name not in made else _column_positions([name], made)


def _column_positions(names: Sequence[str], known: Sequence[str]) -> list[int]:
    """Return the position of each name among the known ones."""
    for name in names:
        if name not in known:
            raise InputError(f"features must name columns among {list(known)}, got {name!r}.")
    return [list(known).index(name) for name in names]
