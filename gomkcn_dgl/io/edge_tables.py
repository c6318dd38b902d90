"""Tables of edges, as text, CSV, parquet or in memory → Arrow columns → a GraphContent.

Two rules need the whole file: all lines have the same number of columns, and ids are integers only
where all of them are. So text is parsed as integers first and, where Arrow comes to a cell that is
none, anew as words.

A table says which edges have a direction by a column of relations or of the words directed and
undirected, by the names of its columns, or by its edges: those of a relation without direction are
there both ways.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from gomkcn_dgl.checks import as_float32
from gomkcn_dgl.csr import count_edges
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph_content import (
    ColumnChoice,
    GraphContent,
)
from gomkcn_dgl.io.edge_layout import EdgeLayout, EdgeOptions, find_layout, read_layout
from gomkcn_dgl.io.tables import (
    INTEGER,
    INTEGERS,
    NUMBERS,
    WORDS,
    Cell,
    check_names,
    is_int64,
    open_table,
    parse_columns,
    read_rows,
    refuse_null,
    table_rows,
    text_pieces,
    to_array,
    to_numbers,
    to_words,
)
from gomkcn_dgl.relations import MAX_RELATIONS, PLAIN
from gomkcn_dgl.runtime.files import file_problems, listed, open_file, reason_of

if TYPE_CHECKING:
    import pyarrow.parquet as pq

log = logging.getLogger("gomkcn_dgl")

_OWNER = "the edge table"
WEIGHT = "weight"
# of a text, which tell its columns
_HEAD_BYTES = 2**24
# what must be true of the columns of a table of edges
_CELLS = {
    **dict.fromkeys(
        ("source", "target"), Cell(WORDS, "a node id must have 1 to 1000 characters", longest=1000)
    ),
    "relation": Cell(WORDS, "a relation must have 1 to 1000 characters", longest=1000),
    "weight": Cell(NUMBERS, "an edge weight must be a finite number of at least 0", least=0),
}
NO_EDGE = "the file holds a header and no edge."
# share of the edges of an undirected relation that are there both ways
_NEARLY_ALL = 0.95
_DIRECTIONS = {"directed": True, "undirected": False}


def read_edges(path: Path, format: str, options: EdgeOptions) -> GraphContent:
    """Read an edge list, a CSV or a parquet file; nodes stand in ascending order of their ids."""
    layout, pieces = open_edges(path, format, options)
    tables: list[pa.Table | None] = [None]
    for ids in (INTEGERS, WORDS):
        if None in tables:
            tables = list(pieces(ids))
    if not tables:
        raise InputError(NO_EDGE)
    return _content(pa.concat_tables(tables), layout, options.directed)


def open_edges(
    path: Path, format: str, options: EdgeOptions, size: int = -1
) -> tuple[EdgeLayout, Callable[[pa.DataType], Iterator[pa.Table | None]]]:
    """Return the layout of a file of edges, and a function that yields its columns in pieces.

    The function takes the type of the ids; where a piece has others, it yields None. A piece has
    about ``size`` bytes of a text, or a row for each 64 of them; -1 is for all.
    """
    if format == "parquet":
        with _parquet_file(path) as file:
            names = file.schema_arrow.names
            rows = file.metadata.num_rows if size < 0 else size // 64
        check_names(1, names)
        layout = find_layout(names, options)
        layout.write_log()
        return layout, lambda ids: _parquet_tables(path, layout, max(rows, 1), ids)
    head = next(text_pieces(path, _HEAD_BYTES), b"")
    if not head.strip():
        raise InputError("the file is empty.")
    layout = read_layout(head, format == "csv", options)
    layout.write_log()
    quotes = layout.dialect is not None and layout.dialect.quotes
    return layout, lambda ids: _text_tables(text_pieces(path, size, quotes=quotes), layout, ids)


def from_edge_table(table: Any, choice: ColumnChoice) -> GraphContent:
    """Read a table of edges of any engine, batch by batch, by the rules of a file.

    Columns, directions and weights are told as those of a file, and nodes get rows in ascending
    order of their ids.

    >>> import pyarrow as pa
    >>> mail = pa.table({"sender": ["ann"], "recipient": ["bob"], "weight": [2]})
    >>> content = from_edge_table(mail, ColumnChoice())
    >>> content.directed, content.default_weight
    ((True,), 'weight')
    """
    for role in ("source", "target", "relation", "weight"):
        column = getattr(choice, role)
        if not isinstance(column, (str, int, type(None))):
            raise InputTypeError(
                f"{role} must name a column of {_OWNER}, got {type(column).__name__}."
            )
    names, _, batches = open_table(table, _OWNER)
    layout = find_layout(
        names,
        EdgeOptions(choice.directed, choice.source, choice.target, choice.relation, choice.weight),
    )
    tables, first = [], 0
    for batch in batches:
        tables.append(_edge_columns(batch, layout, first))
        first += len(batch)
    if not first:
        raise InputError("the graph is empty: it has no nodes.")
    if not all(map(_has_integers, tables)):
        tables = [*map(_with_words, tables)]
    return _content(pa.concat_tables(tables), layout, choice.directed)


def _content(table: pa.Table, layout: EdgeLayout, directed: bool | None) -> GraphContent:
    """Number the nodes, and tell the relations and directions of the edges.

    The columns of the table are those of the roles: ``source`` and ``target``, int64 or words,
    ``weight``, float64, and ``relation``, words.
    """
    if not len(table):
        raise InputError(NO_EDGE)
    table = table.unify_dictionaries().combine_chunks()
    columns = {name: table[name].chunk(0) for name in table.column_names}
    # 1. ids in ascending order; in a file of text, +7 and 07 are integers where all ids are
    ends = columns["source"], columns["target"]
    if ends[0].type == INTEGERS:
        ids, codes = _number_values(np.concatenate([*map(to_array, ends)]))
        source, target = codes.reshape(2, -1)
    else:
        names = sorted({word for end in ends for word in end.dictionary.to_pylist()})
        ids = np.array(names)
        if layout.dialect is not None and all(map(is_int64, names)):
            ids = np.array([*map(int, names)])
        ids, rows = np.unique(ids, return_inverse=True)
        row_of = dict(zip(names, rows.tolist(), strict=True))
        source, target = (
            np.array([row_of[word] for word in end.dictionary.to_pylist()])[to_array(end.indices)]
            for end in ends
        )
    plain = ids.dtype.kind == "i" and ids[0] == 0 and ids[-1] == len(ids) - 1
    # 2. relations and weights; an edge of weight 0 is none
    relation = kinds = None
    if "relation" in columns:
        words = columns["relation"].dictionary.to_pylist()
        kinds = sorted(set(words))
        code_of = {name: code for code, name in enumerate(kinds)}
        relation = np.array([code_of[word] for word in words])[
            to_array(columns["relation"].indices)
        ]
    weights = to_array(columns["weight"]) if "weight" in columns else None
    there = slice(None) if weights is None else as_float32("edge weights", weights) > 0
    kept = source[there], target[there], None if relation is None else relation[there]
    # 3. directions
    names, directions, notes = find_directions(
        layout, kinds, directed, lambda n: count_edges(*kept[:2], kept[2] if n > 1 else None, n)
    )
    if relation is not None and len(names) == 1:
        relation = np.zeros_like(relation)
    return GraphContent(
        owner=_OWNER,
        source=source,
        target=target,
        num_nodes=len(ids),
        edges={} if weights is None else {WEIGHT: weights},
        default_weight=None if weights is None else WEIGHT,
        directed=tuple(directions),
        relation=relation,
        relation_names=tuple(names),
        node_ids=None if plain else ids,
        notes=(*layout.notes, *notes),
    )


def _number_values(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Different integers in ascending order, and where each of the values stands among them."""
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * len(values):
        return np.unique(values, return_inverse=True)
    # a table of all integers between is faster than sorting
    known = np.zeros(high - low + 1, bool)
    known[values - low] = True
    return low + np.flatnonzero(known), (np.cumsum(known) - 1)[values - low]


# ---------------------------------------------------------------- directions


def find_directions(
    layout: EdgeLayout,
    found: Sequence[str] | None,
    directed: bool | None,
    count: Callable[[int], tuple[np.ndarray, np.ndarray]],
) -> tuple[list[str], list[bool], tuple[str, ...]]:
    """Return the relations of a table, whether they have a direction, and what is to be noted.

    ``found`` are the relations that a column names; the words directed and undirected alone are no
    types, they say the direction. A table without relations is undirected, unless the caller or the
    names of its columns say that it is not. ``count`` returns what :func:`count_edges` says of so
    many relations.
    """
    names, notes = list(found or [PLAIN]), tuple[str, ...]()
    directions: list[bool] | None = None
    if found is None and not layout.has_directed_ends:
        directions = [False]
    elif found is not None:
        if len(names) > MAX_RELATIONS:
            raise InputError(
                f"the column {layout.names[layout.roles['relation']]!r} holds more than "
                f"{MAX_RELATIONS} different relations, among them {names[0]!r}; relation must be "
                "another column, or none."
            )
        said = [_DIRECTIONS.get(name.lower()) for name in names]
        if None not in said:
            names = [PLAIN] if len(set(said)) == 1 else names
            directions = [bool(one) for one in said[: len(names)]]
    if directed is not None:
        directions = [directed] * len(names)
    if directions is None:
        directions, notes = seen_directions(names, *count(len(names)))
    if found is None and directed is None:
        notes += _direction_notes(layout, directions[0])
    return names, directions, notes


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


def _direction_notes(layout: EdgeLayout, is_directed: bool) -> tuple[str, ...]:
    """Say in the log why a table without relations has directions or none; note the names."""
    if layout.dialect is not None and not layout.header:
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


# ---------------------------------------------------------------- text


def _text_tables(
    pieces: Iterable[bytes], layout: EdgeLayout, ids: pa.DataType
) -> Iterator[pa.Table | None]:
    """Yield the columns of each piece of a text, whole lines; None where ids are no integers."""
    assert layout.dialect is not None, "this is text"
    cells = {at: _CELLS[role] for role, at in layout.roles.items()}
    parsed = {**cells, **dict.fromkeys(layout.ends, INTEGER)} if ids == INTEGERS else cells
    line = 1
    for data in pieces:
        skip = max(layout.header + 1 - line, 0)
        columns = parse_columns(data, layout.dialect, len(layout.names), parsed, skip)
        if columns is None and ids == WORDS:
            rows = table_rows(data, layout.dialect, line)
            rows = (row for row in rows if row[0] > layout.header)
            columns = read_rows(rows, cells, (layout.first_line, len(layout.names)))
        yield columns and pa.table({role: columns[at] for role, at in layout.roles.items()})
        line += data.count(b"\n")


# ---------------------------------------------------------------- parquet and tables in memory


@contextlib.contextmanager
def _parquet_file(path: Path) -> Iterator[pq.ParquetFile]:
    import pyarrow.parquet as pq

    with file_problems(path):
        open_file(path).close()
    try:
        # a word is read once, however often it is there
        words = [each.name for each in pq.read_schema(path) if _is_text(each.type)]
        with pq.ParquetFile(path, read_dictionary=words) as file:
            yield file
    # whatever a damaged file leads Arrow into
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"the parquet file cannot be read ({reason_of(error)}).") from None


def _parquet_tables(
    path: Path, layout: EdgeLayout, rows: int, ids: pa.DataType
) -> Iterator[pa.Table | None]:
    first, names = 0, [layout.names[at] for at in layout.used]
    with _parquet_file(path) as file:
        ends = [file.schema_arrow.field(layout.names[end]).type for end in layout.ends]
        if ids == INTEGERS and None in [to_numbers(pa.nulls(0, kind), INTEGERS) for kind in ends]:
            yield None
            return
        # by one thread: several wait forever at some damaged files
        for batch in file.iter_batches(rows, columns=names, use_threads=False):
            table = _edge_columns(batch, layout, first)
            if ids == INTEGERS and not _has_integers(table):
                yield None
                return
            yield table if ids == INTEGERS else _with_words(table)
            first += len(batch)


def _edge_columns(batch: pa.RecordBatch, layout: EdgeLayout, first: int = 0) -> pa.Table:
    """Bring the columns of a table into the types of :func:`_content`, or refuse them.

    An end has integers where all of its values are some of 64 bits. ``first`` is the number of rows
    before it.
    """
    found = {}
    for role, at in layout.roles.items():
        name, cell = layout.names[at], _CELLS[role]
        column = batch.column(name)
        refuse_null(column, name, first)
        if role == "weight":
            values = to_numbers(column, NUMBERS)
            if values is None:
                raise InputError(f"the column {name!r} must hold numbers, got {column.type}.")
        else:
            values = None if role == "relation" else to_numbers(column, INTEGERS)
            cell = cell if values is None else INTEGER
            values = to_words(column, name) if values is None else values
        wrong = cell.first_wrong(values)
        if wrong is not None:
            value = values[wrong].as_py()
            is_nul = isinstance(value, str) and "\0" in value
            rule = cell.rule + " and no NUL" * is_nul
            shown = repr(value[:40]) if isinstance(value, str) else f"{value:g}"
            raise InputError(f"row {first + wrong + 1}: {rule}, got {shown}.")
        found[role] = values
    return pa.table(found)


def _has_integers(table: pa.Table) -> bool:
    return {table["source"].type, table["target"].type} == {INTEGERS}


def _with_words(table: pa.Table) -> pa.Table:
    """The table with the text of ids that are integers."""
    columns = {
        name: to_words(column.combine_chunks(), name) if column.type == INTEGERS else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pa.table(columns)


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)
