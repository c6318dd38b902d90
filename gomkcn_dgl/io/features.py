"""Tables of nodes, of a file or an engine → attributes of the nodes of a graph; names of labels."""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import NONE, READING, Columns, GraphContent, with_gaps
from gomkcn_dgl.io.column_names import ROW_NAMES
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.table_form import find_form
from gomkcn_dgl.io.tables import (
    UNNAMED_INDEX,
    InputTable,
    Source,
    open_stream,
    text_source,
    text_table,
    to_array,
    to_arrow,
)
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import (
    file_problems,
    listed,
    named,
    open_file,
    printable,
    reason_of,
)
from gomkcn_dgl.runtime.mapped import map_array

log = logging.getLogger("gomkcn_dgl")

# what columns of ids are called, and those of names, which may be labels beside them
_IDS = ("id", "node", "node_id")
_NAMES = (*_IDS, "name")
# words of other names of such columns, such as gene_id
_NAME_WORDS = {
    *("node", "vertex", "id", "name", "label", "key", "symbol"),
    *("gene", "protein", "user", "person"),
}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
SUFFIXES = (".features.npy", ".features.csv")
# what labels are called: a mapping, or a file of it
LabelNames = Mapping[str, str] | str | os.PathLike[str]


class NameColumn(NamedTuple):
    """A column of a table of nodes that may hold their names.

    Of columns that name as many nodes, the one of the least ``rank`` holds their names. ``values``
    reads int64 or text: of all rows, each of which must have a value, or of those that have one.
    """

    title: str
    rank: int
    values: Callable[[bool], pa.Array]

    def is_called(self, names: Sequence[str]) -> bool:
        """Whether it has one of some names."""
        return self.title.strip().lower() in names


@dataclass(frozen=True, eq=False)
class NodeTable:
    """Columns of numbers or text, with a row for each node.

    ``owner`` names the file or the table in messages, and ``names`` are the columns that may name
    the nodes: all of a table, none of an array.
    """

    owner: str
    columns: Columns
    num_rows: int
    names: Sequence[NameColumn] = ()


class JoinedRows(NamedTuple):
    """The rows of a table at the nodes of a graph.

    ``ids`` are the names of all nodes ``[V]``, ``place`` is where each node of the graph stands
    among them, and ``rows`` the row of the table of each, -1 where it has none. ``names`` is the
    column that joined them; None: rows are in the order of the nodes.
    """

    ids: np.ndarray
    place: np.ndarray
    rows: np.ndarray
    names: NameColumn | None = None


def feature_file_beside(folder: Path, stem: str) -> Path | None:
    """Return the feature file ``<stem>.features.npy`` or ``.csv`` in a folder, if there is one."""
    paths = [path for path in (folder / (stem + suffix) for suffix in SUFFIXES) if path.is_file()]
    if len(paths) > 1:
        names = " and ".join(path.name for path in paths)
        raise InputError(
            "one feature file was expected beside the graph",
            got=names,
            way_out=("give ", Argument("feature_file")),
        )
    return paths[0] if paths else None


def read_features(path: Path) -> NodeTable:
    """Read a ``.npy`` or ``.csv`` feature file."""
    owner = f"the feature file {path.name}"
    with named(owner):
        if path.suffix.lower() == ".npy":
            return _read_npy(path, owner)
        file = InputFile(path)
        if file.ending != ".csv":
            raise InputError("a feature file must end in .npy or .csv.")
        data = file.text
        source = text_source(data, find_form(data, is_csv=True, has_header=True))
        return _node_table(source, owner)


def read_node_table(nodes: Any) -> NodeTable:
    """Read a table of nodes of any engine by the rules of a file; an index is a column, too."""
    owner = "the node table"
    with named(owner):
        return _node_table(open_stream(nodes, owner), owner)


def _node_table(source: Source, owner: str) -> NodeTable:
    """Columns by name, each read when it is asked for; an index stands behind the others."""
    num_columns = len(source.names)
    table = source.read(range(num_columns + source.num_index))
    if not len(table):
        raise InputError("the file holds a header and no row.")
    # a column that is empty throughout, as Gephi writes timeset, says nothing of any node
    held = [
        at
        for at, name in enumerate(source.names)
        if name.strip().lower() in _NAMES or _has_value(table, at)
    ]
    empty = [source.names[at] for at in range(num_columns) if at not in held and source.names[at]]
    if empty:
        log.log(READING, "empty columns of %s are not used: %s", owner, listed(empty))
    names = []
    place = {}
    for at in [*held, *range(num_columns, len(table.names))]:
        is_index = at >= num_columns
        title = table.names[at] if is_index else source.names[at]
        words = {word.lower() for word in _WORD.findall(title)}
        says_so = is_index or not words.isdisjoint(_NAME_WORDS)
        column = NameColumn(title, 1 if says_so else 3, partial(_names_in, table, at))
        if column.is_called(_NAMES):
            column = column._replace(rank=0)
        # a first column or an index that names or numbers the rows goes before some other column
        is_of_rows = at in (*held[:1], num_columns) and column.is_called(ROW_NAMES)
        is_unnamed = title.startswith(UNNAMED_INDEX)
        if is_of_rows or is_unnamed:
            title = "index" if is_unnamed else title or "column 1"
            column = column._replace(title=title, rank=2)
        else:
            # and is no attribute
            column = column._replace(title=table.names[at])
            place[column.title] = at
        names.append(column)

    def column_of(name: str) -> np.ndarray:
        with named(owner):
            return table.values(place[name])

    columns = Columns(place, column_of, with_gaps=lambda name: table.values_or_none(place[name]))
    return NodeTable(owner, columns, len(table), names)


def _has_value(table: InputTable, at: int) -> bool:
    """Whether a column has a value in any row."""
    import pyarrow.compute as pc

    column = table.columns[at]
    is_empty = table.is_text and not pc.max(pc.binary_length(column)).as_py()
    return column.null_count < len(column) and not is_empty


def _names_in(table: InputTable, at: int, filled: bool) -> pa.Array:
    """Names as the ids of edges are read: 1.0 is 1, and 007 is a name."""
    table = table.where_filled(at) if filled else table
    whole = table.integers(at)
    return table.words(at).cast(pa.string()) if whole is None else to_arrow(whole)


def _read_npy(path: Path, owner: str) -> NodeTable:
    with file_problems(path):
        open_file(path).close()
    # a damaged header can raise nearly anything
    try:
        values: np.ndarray = map_array(path)
    except Exception as error:
        raise InputError(f"the array cannot be read ({reason_of(error)}).") from None
    if values.dtype.kind not in "biuf":
        raise InputError(f"the array must hold numbers, got {values.dtype}.")
    if values.ndim not in (1, 2) or 0 in values.shape:
        raise InputError(f"the array must have the shape [V, D], got {values.shape}.")
    values = values.reshape(len(values), -1)
    place = {f"x{column}": column for column in range(values.shape[1])}
    return NodeTable(owner, Columns(place, lambda name: values[:, place[name]]), len(values))


def with_node_table(
    content: GraphContent, table: NodeTable, *, gaps: bool = False, lists_nodes: bool = True
) -> GraphContent:
    """Give the nodes of a graph the columns of a table, which are features by default.

    Rows are joined by the column that holds the names of the nodes, whatever it is called. Where a
    node has no row, the columns are attributes and no features; with ``gaps``, so is a column that
    is empty somewhere. Rows of other nodes add these, unless the graph ``lists_nodes`` itself, or
    its nodes are of kinds, which a row does not tell.
    """
    with named(table.owner):
        joined = _join(table, content, lists_nodes)
    ids, place, rows, names = joined
    notes = _say_joined(joined, table, content)
    if len(ids) > content.num_nodes:
        # a graph that does not list its nodes has no attributes of them
        is_plain = ids.dtype.kind == "i" and ids[0] == 0 and ids[-1] == len(ids) - 1
        content = replace(
            content,
            source=place[content.source],
            target=place[content.target],
            num_nodes=len(ids),
            node_ids=None if is_plain else ids,
        )
    of_graph = [name for name in table.columns if names is None or name != names.title]
    others = content.nodes
    lacking = np.flatnonzero(rows < 0)

    def column(name: str) -> Any:
        if name not in of_graph:
            return others[name]
        if len(lacking):
            rule = f"{table.owner} must have a row for every node where {name!r} is a feature"
            got = f"none for {ids[lacking[0]].item()!r} ({len(lacking)} in all)"
            raise InputError(rule, got=got)
        return table.columns[name][rows]

    def column_with_gaps(name: str) -> Any:
        if name not in of_graph:
            return with_gaps(others, name)
        # the last value is that of a node without a row, whose number is -1
        values = [*with_gaps(table.columns, name), None]
        return [values[row] for row in rows.tolist()]

    features = () if len(lacking) else of_graph
    return replace(
        content,
        owner=f"{content.owner} with {table.owner}",
        nodes=Columns([*of_graph, *others], column, with_gaps=column_with_gaps),
        default_features=tuple(
            name for name in features if not gaps or None not in column_with_gaps(name)
        ),
        notes=(*content.notes, *notes),
    )


def _say_joined(joined: JoinedRows, table: NodeTable, content: GraphContent) -> list[str]:
    """Say in the log how rows were joined; return what a graph notes of it."""
    notes = []
    if joined.names is None:
        notes.append(f"rows of {table.owner} are taken in the order of the nodes")
    else:
        title = printable(joined.names.title)
        log.log(READING, 'nodes: named by the column "%s" of %s', title, table.owner)
    num_added = len(joined.ids) - content.num_nodes
    if num_added:
        nodes = "1 node" if num_added == 1 else f"{num_added} nodes"
        notes.append(f"{nodes} of {table.owner} without an edge")
    num_left = table.num_rows - len(joined.rows) if content.node_type is not None else 0
    num_lacking = int((joined.rows < 0).sum())
    num_left += num_lacking
    if num_left:
        rows = "1 row" if num_left == 1 else f"{num_left} rows"
        kind = f"{rows} of {table.owner} of nodes without an edge, whose {content.node_type!r}"
        notes.append(f"left out {kind} is not known")
    if num_lacking:
        notes.append(
            f"{num_lacking} of {content.num_nodes} nodes have no row in {table.owner}, so that its "
            "columns are no features"
        )
    for note in notes:
        log.log(READING, "%s", note)
    return notes


def _join(table: NodeTable, content: GraphContent, lists_nodes: bool) -> JoinedRows:
    """Join by the column of the names, or else in the order of nodes that have none."""
    import pyarrow.compute as pc

    ids = content.ids
    names = to_arrow(np.asarray(ids))
    column = _find_names(table, names)
    if column is None:
        return _join_in_order(table, ids, lists_nodes or content.node_type is not None)
    # a row without a name is refused with its line, and so is the second of a node
    values = column.values(False)
    counts = pc.value_counts(values)
    twice = np.flatnonzero(to_array(counts.field("counts")) > 1)
    if len(twice):
        got = f"{str(counts.field('values')[int(twice[0])])!r} twice"
        raise InputError(f"the column {column.title!r} must name each node once", got=got)
    rows = _rows_of(names, values)
    is_other = np.ones(len(values), bool)
    is_other[rows[rows >= 0]] = False
    others = np.flatnonzero(is_other)
    if not len(others):
        return JoinedRows(ids, np.arange(len(ids)), rows, column)
    added = np.array(values.take(to_arrow(others)).to_pylist())
    if lists_nodes:
        got = f"{str(added[0])!r} ({len(others)} in all)"
        raise InputError(f"{column.title!r} must hold nodes that the graph lists", got=got)
    if content.node_type is not None:
        # of a node without an edge nothing tells the kind
        return JoinedRows(ids, np.arange(len(ids)), rows, column)
    # those of a table of edges are in ascending order, by value only where all are integers
    if ids.dtype.kind != added.dtype.kind:
        ids, added = ids.astype(str), added.astype(str)
    every = np.concatenate([ids, added])
    order = np.argsort(every, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return JoinedRows(every[order], place[: len(ids)], np.append(rows, others)[order], column)


def _find_names(table: NodeTable, names: pa.Array) -> NameColumn | None:
    """The column that names most of the nodes; None where none does.

    It has the name of half of them, or holds such names by half. Numbers may be among the ids by
    chance, so that each node must have its own. A column that is called id or name needs one.
    """
    import pyarrow.compute as pc

    # those of several graphs
    if pc.count_distinct(names).as_py() < len(names):
        return None
    found = []
    for at, column in enumerate(table.names):
        # values of some types are no names
        with contextlib.suppress(InputError, pa.ArrowException):
            values = column.values(True)
            number = int((_rows_of(names, values) >= 0).sum())
            are_numbers = pa.types.is_integer(names.type) and pa.types.is_integer(values.type)
            least = len(names) if are_numbers else min(len(names), len(values)) / 2
            if number >= least or (number and column.is_called(_NAMES)):
                has_twice = pc.count_distinct(values).as_py() < len(values)
                found.append((-number, has_twice, column.rank, at))
    if not found:
        return None
    best = min(found)
    chosen = table.names[best[-1]]
    rows = _rows_of(names, chosen.values(True))
    for *evidence, at in found:
        # as good as the best, and it calls nodes otherwise
        is_as_good = tuple(evidence) == best[:-1]
        if is_as_good and not np.array_equal(rows, _rows_of(names, table.names[at].values(True))):
            titles = listed(printable(column.title) for column in (chosen, table.names[at]))
            rule = "one column alone may hold the names of the nodes"
            raise InputError(rule, got=titles, way_out="call the right one id")
    return chosen


def _rows_of(names: pa.Array, values: pa.Array) -> np.ndarray:
    """Where each name stands among some values, int64 ``[V]``; -1 for one that does not."""
    import pyarrow.compute as pc

    if not (pa.types.is_integer(names.type) and pa.types.is_integer(values.type)):
        names, values = (each.cast(pa.string()) for each in (names, values))
    rows = pc.index_in(names.cast(values.type), value_set=values)
    is_there = to_array(rows.is_valid().cast(pa.int8())) > 0
    return np.where(is_there, to_array(rows), -1).astype(np.int64)


def _join_in_order(table: NodeTable, ids: np.ndarray, lists_nodes: bool) -> JoinedRows:
    """Join rows in the order of nodes that have no names, but numbers from 0 or 1 on.

    Where not all have an edge, the first one shows where the numbers begin. An array has no column
    of names: it has a row for each node, or row i is node i.
    """
    number = table.num_rows
    rows = np.arange(number)
    are_numbered = ids.dtype.kind == "i" and bool((ids[1:] > ids[:-1]).all())
    low, high = (int(ids[0]), int(ids[-1])) if are_numbered else (-1, -1)
    if not table.names:
        if number == len(ids):
            return JoinedRows(ids, rows, rows)
        if low >= 0 and high < number and not lists_nodes:
            return JoinedRows(rows, ids, rows)
        raise InputError(f"it must have one row for each of the {len(ids)} nodes", got=number)
    example = repr(ids[0].item())
    called = next((column for column in table.names if column.is_called(_IDS)), None)
    if called is not None:
        rule = f"{called.title!r} must hold names of the nodes of the graph, such as {example}"
        raise InputError(rule, got=repr(str(called.values(False)[0])))
    begins_at_0 = low == 0 and high < number
    begins_at_1 = low == 1 and high == number
    if (begins_at_0 or begins_at_1) and (number == len(ids) or not lists_nodes):
        return JoinedRows(rows + low, ids - low, rows)
    or_order = f", or there must be a row for each of {len(ids)} nodes" if low in (0, 1) else ""
    raise InputError(
        f"a column must hold the names of the nodes of the graph, such as {example}{or_order}",
        got=f"{number} rows of {listed(printable(column.title) for column in table.names)}",
        way_out="call it id if it has some of them",
    )


def select_features(graph: CSRGraph, names: Sequence[str]) -> CSRGraph:
    """Return the graph with the named feature columns; "kind" names all of kind=kinase, ….

    ``["none"]`` leaves all out, where no column has that name.
    """
    known = graph.feature_names
    if list(names) == [NONE] and NONE not in known:
        constant = np.ones((graph.num_nodes, 1), np.float32)
        return replace(graph, features=constant, feature_names=(CONSTANT_FEATURE,))
    columns = list[int]()
    for name in names:
        places = [k for k, known_name in enumerate(known) if known_name == name]
        places = places or [
            k for k, known_name in enumerate(known) if known_name.startswith(f"{name}=")
        ]
        if not places:
            raise InputError("features", f"must name columns among {list(known)}", got=repr(name))
        columns += places
    chosen = tuple(known[column] for column in columns)
    return replace(graph, features=graph.features[:, columns], feature_names=chosen)


def take_features(graph: CSRGraph, names: tuple[str, ...], *, has_others: bool = False) -> CSRGraph:
    """The graph with the columns that were learnt from, by name: the rule of all estimators.

    As scikit-learn's ``OneHotEncoder`` has it: a category ``attribute=value`` that no node of new
    graphs has, is 0 at all of them, where they have the attribute; one that no training graph had
    is refused, as is any other column that is missing or unknown. With ``has_others`` a graph may
    have more columns, which are left out. Columns without names of their own, ``x0`` and so on, are
    taken as they stand where there are as many.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> ring = nx.cycle_graph(3)
    >>> nx.set_node_attributes(ring, {0: "C", 1: "N", 2: "N"}, "e")
    >>> take_features(as_csr(ring, features="e"), ("e=N", "e=C", "e=O")).features.tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    given = graph.feature_names
    if given == names:
        return graph
    is_unnamed = given == tuple(f"x{column}" for column in range(len(names)))
    if is_unnamed and names != (CONSTANT_FEATURE,) and not has_others:
        sentence = "features without names are taken in the order of the training graphs, %s"
        log.warning(sentence, listed(names))
        return replace(graph, feature_names=names)
    column_of = {name: column for column, name in enumerate(given)}
    attributes = {name.partition("=")[0] for name in given if "=" in name}
    missing = [
        name
        for name in names
        if name not in column_of and not ("=" in name and name.partition("=")[0] in attributes)
    ]
    if missing or not (has_others or set(given) <= set(names)):
        raise InputError(
            "features",
            (
                f"must be those of the training graphs, {listed(names)}, of which a category "
                "(with =) may be missing"
            ),
            got=listed(given),
        )
    # a missing category is 0 at all nodes
    features = np.zeros((graph.num_nodes, len(names)), np.float32)
    for column, name in enumerate(names):
        if name in column_of:
            features[:, column] = graph.features[:, column_of[name]]
    return replace(graph, features=features, feature_names=names)


def read_label_names(names: LabelNames) -> Mapping[str, str]:
    """Read the names of labels, or of other features, from a CSV file; a mapping is returned.

    The file has the header ``label,name``. A label is the code in the data, or the whole name of a
    column, such as ``"label=1"`` or ``"x0"``.
    """
    if isinstance(names, Mapping):
        return names
    path = Path(names)
    with named(path):
        data = InputFile(path).text
        table = text_table(data, find_form(data, is_csv=True, has_header=True))
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
