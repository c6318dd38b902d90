"""Tables of edges, as text, CSV, parquet or in memory → Arrow columns → a GraphContent.

These are the rules of tables of edges, for a graph that is read into memory as well as for one that
is sorted on disk: which text is an id, a weight or a relation. Two rules need the whole file: all
lines have the same number of columns, and ids are integers only where all of them are. So a file is
read as integers first and, where Arrow comes to a cell that is none, anew as text.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from gomkcn_dgl.checks import as_float32
from gomkcn_dgl.containers.graph_content import (
    ColumnChoice,
    GraphContent,
    column_values,
    is_from,
    relation_codes,
)
from gomkcn_dgl.edges import count_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.edge_directions import find_directions
from gomkcn_dgl.io.edge_layout import EdgeLayout, EdgeOptions, find_layout, read_layout
from gomkcn_dgl.io.tables import (
    INTEGERS,
    NUMBERS,
    WORDS,
    check_names,
    check_width,
    is_int64,
    is_number,
    line_error,
    parse_block,
    table_rows,
    text_blocks,
    to_array,
)
from gomkcn_dgl.runtime.files import file_problems, open_file, reason_of

_OWNER = "the edge table"
WEIGHT = "weight"
_LONGEST_ID = 1000
# what must be true of the columns of a table of edges
_WORD_RULE = "{} must have 1 to 1000 characters"
_WEIGHT_RULE = "an edge weight must be a finite number of at least 0"
_NO_EDGE = "the file holds a header and no edge."
_CALLED = {"source": "a node id", "target": "a node id", "relation": "a relation"}


class _NotIntegersError(Exception):
    """Some cell may not be what it should, so that ids are read as text."""


def find_edge_layout(path: Path, format: str, options: EdgeOptions) -> EdgeLayout:
    """Tell the columns of an edge list, a CSV or a parquet file, and log them."""
    if format == "parquet":
        with _parquet_file(path) as file:
            names, num_rows = list(file.schema_arrow.names), file.metadata.num_rows
        check_names(1, names)
        layout = find_layout(names, options)
        if not num_rows:
            raise InputError(_NO_EDGE)
    else:
        layout = read_layout(path, format == "csv", options)
    layout.write_log()
    return layout


def consume_edges(
    path: Path,
    layout: EdgeLayout,
    consume: Callable[[Iterator[pa.Table]], Any],
    *,
    block_bytes: int = 2**24,
    progress: bool = False,
) -> Any:
    """Return what a function makes of the edges of a file with this layout.

    It gets tables with the columns ``source`` and ``target``, int64 or, in all tables, words, and
    where the layout has them ``weight``, float64, and ``relation``, words. It is called again, for
    words, where a cell in the middle of a file is no number. About ``block_bytes`` are read at
    once.
    """
    if layout.dialect is None:
        return consume(_parquet_tables(path, layout, block_bytes // 256))
    for as_text in (False, True):
        with contextlib.suppress(_NotIntegersError):
            return consume(_text_tables(path, layout, as_text, block_bytes, progress))
    raise AssertionError("every id is text")


def read_edges(path: Path, layout: EdgeLayout, directed: bool | None) -> GraphContent:
    """Read all edges of a file; nodes get rows in ascending order of their ids."""
    table = consume_edges(path, layout, lambda tables: pa.concat_tables(list(tables)))
    return _content(table, layout, directed)


def is_table(graph: Any) -> bool:
    """Whether this is a table of pandas or Arrow."""
    return is_from("pandas", "DataFrame", graph) or is_from("pyarrow", "Table", graph)


def from_edge_table(table: Any, choice: ColumnChoice) -> GraphContent:
    """Read a table of edges; its columns, directions and weights are told as those of a file.

    Nodes get rows in ascending order of their ids.

    >>> import pandas as pd
    >>> mail = pd.DataFrame({"sender": ["ann"], "recipient": ["bob"], "weight": [2]})
    >>> content = from_edge_table(mail, ColumnChoice())
    >>> content.directed, content.default_weight
    ((True,), 'weight')
    """
    names = list(map(str, getattr(table, "column_names", table.columns)))
    if len(set(names)) < max(2, len(names)):
        raise InputError(
            "an edge table must have two columns of nodes, and columns of different names, got "
            f"{names}."
        )
    if not len(table):
        raise InputError("the graph is empty: it has no nodes.")
    relation, added = choice.edge_type, {}
    if relation is not None and not isinstance(relation, str):
        # an array in place of a column has the relations
        codes, kinds = relation_codes("edge_type", column_values("edge_type", vars(choice), _OWNER))
        relation, added = "edge_type", {"edge_type": np.array(kinds, object)[codes]}
        names = [*dict.fromkeys([*names, relation])]
    options = EdgeOptions(choice.directed, None, None, relation, choice.edge_weight)
    layout = find_layout(names, options)
    used = {name: table[name] for name in (names[at] for at in layout.used) if name not in added}
    try:
        columns = pa.table({**used, **added})
    except (pa.ArrowException, TypeError) as error:
        raise InputError(f"{_OWNER} cannot be read ({reason_of(error)}).") from None
    return _content(_edge_columns(columns, layout), layout, choice.directed)


def _content(table: pa.Table, layout: EdgeLayout, directed: bool | None) -> GraphContent:
    """Number the nodes, and tell the relations and directions of the edges."""
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
    # 2. relations, weights and directions
    found, codes = None, np.zeros(len(source), np.int64)
    if "relation" in columns:
        words = columns["relation"].dictionary.to_pylist()
        found = sorted(set(words))
        code_of = {name: code for code, name in enumerate(found)}
        codes = np.array([code_of[word] for word in words])[to_array(columns["relation"].indices)]
    weights = to_array(columns["weight"]) if "weight" in columns else None
    # an edge of weight 0 is none
    there = slice(None) if weights is None else as_float32("edge weights", weights) > 0

    def count(num_relations: int) -> tuple[np.ndarray, np.ndarray]:
        numbers = codes[there] if num_relations > 1 else None
        return count_edges(source[there], target[there], numbers, num_relations)

    kinds, directions, notes = find_directions(layout, found, directed, count)
    relation = None if found is None else codes if len(kinds) > 1 else np.zeros_like(codes)
    return GraphContent(
        owner=_OWNER,
        source=source,
        target=target,
        num_nodes=len(ids),
        edges={} if weights is None else {WEIGHT: weights},
        default_weight=None if weights is None else WEIGHT,
        directed=tuple(directions),
        relation=relation,
        relation_names=tuple(kinds),
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


def _first_wrong(column: pa.Array, role: str) -> tuple[int, str, Any] | None:
    """The position of the first bad value of a column, the rule that it breaks, and the value."""
    if role == "weight":
        values = to_array(column)
        bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
        return (int(bad[0]), _WEIGHT_RULE, f"{values[bad[0]]:g}") if len(bad) else None
    if column.type != WORDS:
        return None
    # a long word is refused while it is stored once, not in every row
    for code, word in enumerate(column.dictionary.to_pylist()):
        if not 1 <= len(word) <= _LONGEST_ID or "\0" in word:
            found = column.indices.index(code).as_py()
            if found >= 0:
                rule = _WORD_RULE.format(_CALLED[role]) + " and no NUL" * ("\0" in word)
                return found, rule, repr(word[:40])
    return None


# ---------------------------------------------------------------- text


def _text_tables(
    path: Path, layout: EdgeLayout, as_text: bool, block_bytes: int, progress: bool
) -> Iterator[pa.Table]:
    assert layout.dialect is not None, "parquet has no text"
    kinds = {at: NUMBERS if role == "weight" else WORDS for role, at in layout.roles.items()}
    if not as_text:
        kinds |= dict.fromkeys(layout.ends, INTEGERS)
    is_empty, quotes = True, layout.dialect.quotes
    for number, block in text_blocks(path, block_bytes, quotes=quotes, progress=progress):
        skip = max(0, layout.header + 1 - number)
        columns = parse_block(block, layout.dialect, len(layout.names), kinds, skip)
        if columns is not None and not any(
            _first_wrong(columns[at], role) for role, at in layout.roles.items()
        ):
            table = pa.table({role: columns[at] for role, at in layout.roles.items()})
        elif as_text:
            table = _table_of_rows(number, block, layout)
        else:
            raise _NotIntegersError
        if len(table):
            is_empty = False
            yield table
    if is_empty:
        raise InputError(_NO_EDGE)


def _table_of_rows(number: int, block: bytes, layout: EdgeLayout) -> pa.Table:
    """Read a block row by row, and name the first line that is wrong."""
    assert layout.dialect is not None, "parquet has no text"
    roles, rows = layout.roles, []
    for line, cells in table_rows(block, layout.dialect, number):
        check_width(line, cells, (layout.first_line, len(layout.names)))
        if line <= layout.header:
            continue
        for role, column in roles.items():
            cell = cells[column]
            if role == "weight":
                if not (is_number(cell) and 0 <= float(cell) < math.inf):
                    raise line_error(line, _WEIGHT_RULE, cell)
            elif not 1 <= len(cell) <= _LONGEST_ID:
                raise line_error(line, _WORD_RULE.format(_CALLED[role]), cell)
        rows.append(cells)
    table = {role: [row[column] for row in rows] for role, column in roles.items()}
    weights = {"weight": pa.array(map(float, table.pop("weight")))} if "weight" in table else {}
    return pa.table({role: pa.array(cells, WORDS) for role, cells in table.items()} | weights)


# ---------------------------------------------------------------- parquet and tables in memory


@contextlib.contextmanager
def _parquet_file(path: Path, words: list[str] | None = None) -> Iterator[Any]:
    """Open a parquet file; columns of ``words`` stay in a dictionary."""
    import pyarrow.parquet as pq

    with file_problems(path):
        open_file(path).close()
    try:
        yield pq.ParquetFile(path, read_dictionary=words, buffer_size=2**20)
    # whatever a damaged file leads Arrow into
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(f"the parquet file cannot be read ({lines[0].rstrip('.')}).") from None


def _parquet_tables(path: Path, layout: EdgeLayout, num_rows: int) -> Iterator[pa.Table]:
    """Yield the edges of a parquet file, some rows at a time."""
    done = 0
    names = [layout.names[column] for column in layout.used]
    with _parquet_file(path) as file:
        stored = {file.schema.column(column).path for column in range(len(file.schema))}
        # columns of records and lists are stored under other names
        if not stored.issuperset(names):
            raise InputError("the parquet file cannot be read (its columns have other names).")
        words = [name for name in names if _is_text(file.schema_arrow.field(name).type)]
    # text is read into a dictionary, of which a long word is refused while it is there once
    with _parquet_file(path, words) as file:
        # in batches by one thread: read_table waits forever at some damaged files
        for batch in file.iter_batches(max(1, num_rows), columns=names, use_threads=False):
            if batch.num_rows:
                yield _edge_columns(pa.Table.from_batches([batch]), layout, done)
            done += batch.num_rows


def _edge_columns(table: pa.Table, layout: EdgeLayout, done: int = 0) -> pa.Table:
    """Bring the columns of a table into the types of :func:`consume_edges`, or refuse them.

    ``done`` rows of the file come before the table.
    """
    names = {role: layout.names[column] for role, column in layout.roles.items()}
    ends = [table.schema.field(names[role]).type for role in ("source", "target")]
    if not (all(map(_is_text, ends)) or all(map(_is_integer, ends))):
        raise InputError(
            f"the columns {names['source']!r} and {names['target']!r} must both hold integers or "
            f"both text, got {ends[0]} and {ends[1]}."
        )
    found = {}
    for role, name in names.items():
        column = table[name].combine_chunks()
        if column.null_count:
            row = done + column.is_null().index(True).as_py() + 1
            raise InputError(f"row {row}: the column {name!r} must hold a value, and it is null.")
        column = _converted(column, role, name)
        wrong = _first_wrong(column, role)
        if wrong is not None:
            row, rule, value = wrong
            raise InputError(f"row {done + row + 1}: {rule}, got {value}.")
        found[role] = column
    return pa.table(found)


def _converted(column: pa.Array, role: str, name: str) -> pa.Array:
    kind = column.type
    is_number = _is_integer(kind) or (role == "weight" and pa.types.is_floating(kind))
    if role != "weight" and _is_text(kind):
        column = column if pa.types.is_dictionary(kind) else column.dictionary_encode()
        return column.cast(WORDS)
    if not is_number:
        what = "numbers" if role == "weight" else "text or integers"
        raise InputError(f"the column {name!r} must hold {what}, got {kind}.")
    try:
        column = _plain(column).cast(NUMBERS if role == "weight" else INTEGERS)
    except pa.ArrowInvalid as error:
        raise InputError(f"the column {name!r} must hold numbers of 64 bits ({error}).") from None
    return column.cast(pa.string()).dictionary_encode() if role == "relation" else column


def _plain(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _is_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _is_integer(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind.value_type if pa.types.is_dictionary(kind) else kind)
