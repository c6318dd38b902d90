"""Node features: a file or a table → a matrix, its rows matched with the nodes; their names."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph_content import ColumnChoice, GraphContent, make_csr, pick_columns
from gomkcn_dgl.io.tables import (
    Table,
    find_dialect,
    open_stream,
    read_text,
    text_table,
    to_array,
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
    used, and ``owner`` names the file or table in messages. ``columns`` are those of numbers and
    text, ``[n]`` each, None where one is empty.
    """

    owner: str
    values: np.ndarray
    names: tuple[str, ...]
    ids: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def attributes(self, content: GraphContent) -> dict[str, list[Any]]:
        """The columns in the order of the nodes of a graph."""
        rows = _rows_of(self, content.ids)
        return {name: [column[row] for row in rows] for name, column in self.columns.items()}


def feature_file_beside(folder: Path, stem: str) -> Path | None:
    """Return the feature file ``<stem>.features.npy`` or ``.csv`` in a folder, if there is one."""
    paths = [path for path in (folder / (stem + suffix) for suffix in SUFFIXES) if path.is_file()]
    if len(paths) > 1:
        names = " and ".join(path.name for path in paths)
        raise InputError(
            f"one feature file was expected beside the graph, got {names}; give feature_file."
        )
    return paths[0] if paths else None


def read_features(path: Path, names: Sequence[str] | None, gaps: bool = False) -> FeatureTable:
    """Read a ``.npy`` or ``.csv`` feature file, all columns or those named.

    With ``gaps``, a column of a ``.csv`` that is empty somewhere is no feature.
    """
    try:
        if path.suffix.lower() == ".npy":
            table = _read_npy(path)
        elif path.name.lower().endswith((".csv", ".csv.gz")):
            table = _read_csv(path, names, gaps)
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
    owner = "the node table"
    header, index, read = open_stream(nodes, owner)
    ids = [name for name in header[:1] if name.lower() in _ID_COLUMNS] or index[:1]
    header = [*ids, *(name for name in header if name not in ids)]
    table = read(header, [*range(len(ids)), *_wanted(names, header, len(ids))])
    return _chosen(_feature_table(table, owner, len(ids)), names)


def _chosen(table: FeatureTable, names: Sequence[str] | None) -> FeatureTable:
    """The features of some names, or all; the log says what is not used."""
    columns = _positions(names, table.names)
    for note in table.notes:
        log.info("%s", note)
    chosen = tuple(table.names[column] for column in columns)
    return table if names is None else replace(table, values=table.values[:, columns], names=chosen)


def csr_with_features(
    content: GraphContent, choice: ColumnChoice, table: FeatureTable | None
) -> CSRGraph:
    """Build a graph whose nodes have the features of a file or a table, where there is one."""
    if table is not None:
        content = replace(content, notes=(*table.notes, *content.notes))
    if table is not None and table.names:
        values = table.values[_rows_of(table, content.ids)]
        choice = replace(choice, features=values, feature_names=table.names)
    return make_csr(content, choice)


def with_isolated_nodes(content: GraphContent, table: FeatureTable) -> GraphContent:
    """Add the nodes without an edge where row i of the features belongs to the integer id i."""
    ids, num_rows = content.ids, len(table.values)
    if table.ids is not None or ids.dtype.kind != "i" or ids[0] < 0 or ids[-1] >= num_rows:
        return content
    log.info("features: row i is node i; %d nodes have no edge", num_rows - len(ids))
    source, target = ids[content.source], ids[content.target]
    return replace(content, source=source, target=target, num_nodes=num_rows, node_ids=None)


def select_features(graph: CSRGraph, names: Sequence[str] | None) -> CSRGraph:
    """Return the graph with the named feature columns only, or with all."""
    if names is None:
        return graph
    columns = _positions(names, graph.feature_names)
    chosen = tuple(graph.feature_names[column] for column in columns)
    return replace(graph, features=graph.features[:, columns], feature_names=chosen)


def _rows_of(table: FeatureTable, ids: np.ndarray) -> np.ndarray:
    """The row of features of each of the node ids, int64 ``[V]``."""
    where = f"{table.owner} must"
    if table.ids is None:
        if len(table.values) != len(ids):
            raise InputError(
                f"{where} have one row for each of the {len(ids)} nodes, got {len(table.values)} "
                "rows."
            )
        return np.arange(len(ids))
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
    return rows


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


def _read_csv(path: Path, names: Sequence[str] | None, gaps: bool) -> FeatureTable:
    data = read_text(path)
    table = text_table(data, find_dialect(data, is_csv=True))
    first = int(table.names[0].lower() in _ID_COLUMNS)
    if len(table.names) == first:
        raise InputError("the file must have a feature column beside the ids.")
    wanted = _wanted(names, table.names, first)
    given = {}
    if gaps:
        given = {table.names[at]: table.values_or_none(at) for at in range(first, len(table.names))}
        wanted = [at for at in wanted if None not in given[table.names[at]]]
    columns = {at: table.columns[at] for at in (*range(first), *wanted)}
    found = _feature_table(replace(table, columns=columns), f"the feature file {path.name}", first)
    return replace(found, columns=given)


def _feature_table(table: Table, owner: str, first: int) -> FeatureTable:
    """Put columns of numbers as they are and one for each value of a column of text side by side.

    Columns before the ``first`` are ids.
    """
    wanted = {table.names[at]: table.values(at) for at in table.columns if at >= first}
    values, made = np.empty((len(table), 0), np.float32), tuple[str, ...]()
    if wanted:
        values, made = pick_columns(list(wanted), wanted, "the table")
    unused = [name for at, name in enumerate(table.names) if at not in table.columns]
    called = owner.removeprefix("the feature file ")
    notes = (f"columns of {called} that are not used: {listed(unused)}",) if unused else ()
    return FeatureTable(owner, values, made, to_array(table.words(0)) if first else None, notes)


def _wanted(names: Sequence[str] | None, header: Sequence[str], first: int) -> list[int]:
    """The columns that give some features: kind=kinase is one of those that kind gives."""
    own = header[first:]
    wanted = names and [name if name in own else name.partition("=")[0] for name in names]
    return [first + at for at in _positions(wanted and dict.fromkeys(wanted), own)]


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
        table = text_table(data, find_dialect(data, is_csv=True))
        if [name.lower() for name in table.names] != ["label", "name"]:
            raise InputError("the first line must be 'label,name'.")
        labels, called = (to_array(table.words(at)).tolist() for at in (0, 1))
        refuse_repeated(labels, "each label must have one name")
    return dict(zip(labels, called, strict=True))


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
