"""Node features: a file or a table → a matrix, its rows matched with the nodes; their names."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph_content import ColumnChoice, GraphContent, make_csr, pick_columns
from gomkcn_dgl.io.tables import (
    NUMBER,
    NUMBERS,
    WORD,
    check_names,
    find_dialect,
    open_table,
    read_columns,
    read_text,
    refuse_null,
    table_rows,
    to_array,
    to_numbers,
    to_words,
)
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import file_problems, listed, named, open_file, reason_of

log = logging.getLogger("gomkcn_dgl")

_ID_COLUMNS = ("id", "node", "node_id", "name")
SUFFIXES = (".features.npy", ".features.csv")
# what labels are called: a mapping, or a file of it
LabelNames = Mapping[str, str] | str | os.PathLike[str]


@dataclass(frozen=True)
class FeatureTable:
    """Features of nodes: ``values [n, D]``, a name per column, and the node of each row.

    ``ids`` is text ``[n]``, or None where there is no column of ids; ``notes`` says what is not
    used, and ``owner`` names the file or table in messages.
    """

    owner: str
    values: np.ndarray
    names: tuple[str, ...]
    ids: np.ndarray | None = None
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
        return _chosen(table, names)
    except (InputError, InputTypeError) as error:
        raise InputError(f"the feature file {path.name}: {error}") from None


def read_node_table(nodes: Any, names: Sequence[str] | None) -> FeatureTable:
    """Read a table of nodes of any engine, all columns or those named, by the rules of a file.

    The nodes are named by a first column ``id``, ``node``, ``node_id`` or ``name``, or by the index
    of pandas.
    """
    header, index, batches = open_table(nodes, "the node table")
    table = pa.Table.from_batches(batches)
    ids = [name for name in header[:1] if name.lower() in _ID_COLUMNS] or index[:1]
    columns = {}
    own = [name for name in header if name not in ids]
    for name in [*ids, *_wanted(names, own)]:
        column = table[name].combine_chunks()
        refuse_null(column, name)
        is_flag = pa.types.is_boolean(column.type)
        values = to_numbers(column.cast(pa.int8()) if is_flag else column, NUMBERS)
        words = values is None or name in ids
        columns[name] = to_array(to_words(column, name) if words else values)
    rows = [columns.pop(name) for name in ids]
    found = _feature_table("the node table", columns, own, rows[0] if rows else None)
    return _chosen(found, names)


def _chosen(table: FeatureTable, names: Sequence[str] | None) -> FeatureTable:
    """The features of some names, or all; the log says what is not used."""
    columns = _positions(names, table.names)
    for note in table.notes:
        log.info("%s", note)
    chosen = tuple(table.names[column] for column in columns)
    return table if names is None else replace(table, values=table.values[:, columns], names=chosen)


def csr_with_features(content: GraphContent, choice: ColumnChoice, table: FeatureTable) -> CSRGraph:
    """Build a graph whose nodes have the features of a file or a table."""
    values = match_rows(table, content.ids)
    content = replace(content, notes=(*table.notes, *content.notes))
    return make_csr(content, replace(choice, features=values, feature_names=table.names))


def with_isolated_nodes(content: GraphContent, table: FeatureTable) -> GraphContent:
    """Add the nodes without an edge where row i of the features belongs to the integer id i."""
    ids = content.ids
    if not rows_are_ids(table, ids):
        return content
    source, target = ids[content.source], ids[content.target]
    num_rows = len(table.values)
    return replace(content, source=source, target=target, num_nodes=num_rows, node_ids=None)


def rows_are_ids(table: FeatureTable | None, ids: np.ndarray) -> bool:
    """Whether row i of the features belongs to the integer id i; ``ids`` are ascending."""
    if table is None or table.ids is not None or ids.dtype.kind != "i":
        return False
    if ids[0] < 0 or ids[-1] >= len(table.values):
        return False
    log.info("features: row i is node i; %d nodes have no edge", len(table.values) - len(ids))
    return True


def select_features(graph: CSRGraph, names: Sequence[str] | None) -> CSRGraph:
    """Return the graph with the named feature columns only, or with all."""
    if names is None:
        return graph
    columns = _positions(names, graph.feature_names)
    chosen = tuple(graph.feature_names[column] for column in columns)
    return replace(graph, features=graph.features[:, columns], feature_names=chosen)


def match_rows(table: FeatureTable, ids: np.ndarray) -> np.ndarray:
    """Return the rows of features in the order of the node ids, ``[V, D]``."""
    where = f"{table.owner} must"
    if table.ids is None:
        if len(table.values) != len(ids):
            raise InputError(
                f"{where} have one row for each of the {len(ids)} nodes, got {len(table.values)} "
                "rows."
            )
        return table.values
    row_of = {name: row for row, name in enumerate(table.ids.tolist())}
    if len(row_of) < len(table.ids):
        ((twice, _),) = Counter(table.ids.tolist()).most_common(1)
        raise InputError(f"{where} have one row for each node, got two for {twice!r}.")
    rows = np.array([row_of.pop(str(name), -1) for name in ids.tolist()])
    if row_of:
        raise InputError(f"{where} name nodes of the graph only, got {next(iter(row_of))!r}.")
    missing = np.flatnonzero(rows < 0)
    if len(missing):
        raise InputError(
            f"{where} have a row for every node, got none for {ids[missing[0]].item()!r} "
            f"({len(missing)} in all)."
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
    names = tuple(f"x{column}" for column in range(values.shape[1]))
    return FeatureTable(f"the feature file {path.name}", values, names)


def _read_csv(path: Path, names: Sequence[str] | None) -> FeatureTable:
    """Read columns of numbers as they are, and one column for each value of a column of text."""
    data = read_text(path)
    dialect = find_dialect(data, is_csv=True)
    number, header = next(table_rows(data, dialect))
    check_names(number, header)
    first = int(header[0].lower() in _ID_COLUMNS)
    if len(header) == first:
        raise InputError(f"line {number}: the header must name a feature column.")
    chosen = [header.index(name, first) for name in _wanted(names, header[first:])]
    cells = dict.fromkeys(range(first), WORD) | dict.fromkeys(chosen, NUMBER)
    columns = read_columns(data, dialect, cells, header=True)
    table = {header[at]: columns[at] for at in chosen}
    ids = columns[0] if first else None
    return _feature_table(f"the feature file {path.name}", table, header[first:], ids)


def _feature_table(
    owner: str, table: Mapping[str, np.ndarray], header: Sequence[str], ids: np.ndarray | None
) -> FeatureTable:
    """Put the chosen columns side by side, and say which columns are not used."""
    values, made = pick_columns(list(table), table, "the table")
    unused = [name for name in header if name not in table]
    called = owner.removeprefix("the feature file ")
    notes = (f"columns of {called} that are not used: {listed(unused)}",) if unused else ()
    return FeatureTable(owner, values, made, ids, notes)


def _wanted(names: Sequence[str] | None, header: Sequence[str]) -> list[str]:
    """The columns that give some features: kind=kinase is one of those that kind gives."""
    if names is None:
        return list(header)
    wanted = [name if name in header else name.partition("=")[0] for name in names]
    return [header[column] for column in _positions(dict.fromkeys(wanted), header)]


def _positions(names: Iterable[str] | None, known: Sequence[str]) -> list[int]:
    """Return the positions of some columns, or of the features that a column of text gave."""
    if names is None:
        return list(range(len(known)))
    found = []
    for name in names:
        own = [k for k, one in enumerate(known) if one == name]
        own = own or [k for k, one in enumerate(known) if one.startswith(f"{name}=")]
        if not own:
            raise InputError(f"features must name columns among {list(known)}, got {name!r}.")
        found += own
    return found


def read_label_names(names: LabelNames) -> Mapping[str, str]:
    """Read the names of labels, or of other features, from a CSV file; a mapping is returned.

    The file has the header ``label,name``. A label is the code in the data, or the whole name of a
    column, such as ``"label=1"`` or ``"x0"``.
    """
    if isinstance(names, Mapping):
        return names
    path = Path(names)
    with named(path):
        data = read_text(path)
        dialect = find_dialect(data, is_csv=True)
        if [cell.lower() for cell in next(table_rows(data, dialect))[1]] != ["label", "name"]:
            raise InputError("the first line must be 'label,name'.")
        columns = read_columns(data, dialect, {0: WORD, 1: WORD}, header=True)
        labels = columns[0].tolist()
        refuse_repeated(labels, "each label must have one name")
    return dict(zip(labels, columns[1].tolist(), strict=True))


def name_columns(graph: CSRGraph, names: Mapping[str, str]) -> CSRGraph:
    """Rename feature columns by code or by name: ``label=1`` becomes ``label=helix``.

    Relations are renamed by their whole name.
    """
    # a value may have the sign "=" in it
    codes = [column.partition("=")[2] or column for column in graph.feature_names]
    types = [name for name in graph.relations.names if name != PLAIN]
    known = dict.fromkeys([*codes, *graph.feature_names, *types])
    unknown = [label for label in names if label not in known]
    if unknown:
        raise InputError(
            f"label names must be of features or relations that are used, {listed(known)}; "
            f"got {unknown[0]!r}."
        )
    renamed = [
        column.removesuffix(code) + names.get(column, names.get(code, code))
        for column, code in zip(graph.feature_names, codes, strict=True)
    ]
    refuse_repeated(renamed, "each feature must have a name of its own")
    relations = [names.get(name, name) for name in graph.relations.names]
    refuse_repeated(relations, "each relation must have a name of its own")
    return replace(
        graph,
        feature_names=tuple(renamed),
        relations=replace(graph.relations, names=tuple(relations)),
    )


def refuse_repeated(names: Sequence[str], rule: str) -> None:
    """Refuse names of which one comes twice, with the rule that it breaks."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(f"{rule}, got {repeated[0]!r} twice.")
