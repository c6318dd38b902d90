"""Matrices as tables, of text, of files and of other engines: adjacency and two-mode matrices.

A square table of numbers is taken for an adjacency matrix only where it cannot be a list of edges:

1. names of columns that are those of the rows, in any order, and none above the latter: a matrix
   of any size, of which cells that are no numbers are refused;
2. names of columns or of rows alone, or none: at least four rows, and numbers that are symmetric,
   or 0 and 1 alone. Names that are those of columns of edges, such as source, are none of nodes.

Another square table of numbers is a list of edges, which the log says; ``format="matrix"`` reads it
as a matrix.

Numbers of any shape, whose rows and columns have names that have nothing in common, and none above
those of the rows, are a two-mode matrix, such as of persons and events: its nodes are of two kinds.

A last row or column that is called as totals are, and holds the sums of the others, is no node.
"""

from __future__ import annotations

import contextlib
import logging
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import READING, GraphContent
from gomkcn_dgl.graph_objects import NODE_TYPE, from_matrix
from gomkcn_dgl.io.column_names import ROW_NAMES, are_default, names_edges
from gomkcn_dgl.io.table_form import Row, counts_rows, is_number
from gomkcn_dgl.io.tables import InputTable, Source, check_names, line_error
from gomkcn_dgl.messages import Argument, Message
from gomkcn_dgl.runtime.files import printable

log = logging.getLogger("gomkcn_dgl")

# of fewer rows, edges with weights are a square of numbers as well; of fewer than three, any are
_LEAST_ROWS = 4
_LEAST_LIKE_EDGES = 3
# what other programs write for a number that is missing, which is no edge
_MISSING = {"", "na", "nan", "null", "none"}
# what a table of truth values holds
_TRUTH = {"false": 0.0, "true": 1.0}
# what sums at the end of rows and columns are called
_TOTALS = {"total", "totals", "sum", "all", "grand total"}
# the two kinds of nodes of a two-mode matrix
_KINDS = ("row", "column")


@dataclass(frozen=True, eq=False)
class AdjacencyTable:
    """Numbers ``[V, V]``, the names of the nodes if there are any, and whether it can be edges."""

    numbers: np.ndarray
    names: tuple[str, ...] | None
    may_be_edges: bool

    @classmethod
    def of(cls, rows: Sequence[Row]) -> AdjacencyTable:
        """A square table of numbers; whatever else rows are, is refused.

        >>> rows = [Row(1, ["", "a", "b"]), Row(2, ["a", "0", "1"]), Row(3, ["b", "1", "0"])]
        >>> table = AdjacencyTable.of(rows)
        >>> table.names, table.numbers.tolist(), table.may_be_edges
        (('a', 'b'), [[0.0, 1.0], [1.0, 0.0]], False)
        >>> AdjacencyTable.of([Row(at, ["0", str(at), "1"]) for at in (1, 2, 3)]).may_be_edges
        True
        """
        if not rows:
            raise InputError("an adjacency matrix must have as many rows as columns.")
        header, index = _names_of(rows)
        body = rows if header is None else rows[1:]
        for names in (header, index):
            check_names(rows[0].line, names or ())
        are_both = header is not None and index is not None
        if are_both or _has_names_of_rows(rows):
            above = header or rows[0].cells[1:]
            beside = index or [row.cells[0] for row in rows[1:]]
            strange = {*above} ^ {*beside}
            if strange or not are_both:
                rule = "the columns of a matrix must have the names of its rows, each once"
                got = next((name for name in [*above, *beside] if name in strange), above[0])
                raise line_error(rows[0].line, rule, got)
        numbers = _numbers_of(body, has_index=index is not None)
        if header is not None and index is not None and header != index:
            place = {name: at for at, name in enumerate(header)}
            header, numbers = index, numbers[:, [place[name] for name in index]]
        _refuse_totals(numbers, index or (), header or ())
        # where a word stands above the names of two rows, these may be lines of edges
        has_corner = index is not None and rows[0].cells[: -len(index)] not in ([], [""])
        is_certain = not has_corner or len(numbers) >= _LEAST_LIKE_EDGES
        is_named = are_both and is_certain
        is_plain = np.isin(numbers, [0, 1]).all() or np.array_equal(numbers, numbers.T)
        # numbers that are not whole are no nodes
        are_nodes = not (numbers[:, :2] % 1).any()
        is_large = len(numbers) >= (_LEAST_ROWS if are_nodes else _LEAST_LIKE_EDGES)
        may_be_edges = not (is_named or (is_plain and is_large and not names_edges(header or ())))
        return cls(numbers, header or index, may_be_edges)


def is_matrix(source: Source) -> bool:
    """Whether a table is a matrix, and no list of edges; the log says if it may be both.

    Few rows of a list of edges are read: it has more than it has columns.
    """
    rows = list[Row]()
    # what cannot be read is no matrix
    with contextlib.suppress(InputError):
        rows = source.square()
        if rows and _is_adjacency(AdjacencyTable.of(rows)):
            return True
    # of one that has the names of its rows above the columns, the reader says what is wrong
    if _has_names_of_rows(rows):
        return True
    return _two_mode_columns(source) is not None


def read_matrix(source: Source) -> GraphContent:
    """Read a table as a matrix; nodes are in the order of its rows, then in that of its columns."""
    found = _two_mode_columns(source)
    return _read_adjacency(source) if found is None else _read_two_mode(source, *found)


def _has_names_of_rows(rows: Sequence[Row]) -> bool:
    """Whether most names above the columns, two or more, are those of rows."""
    corner, *header = rows[0].cells if rows else [""]
    index = {row.cells[0] for row in rows[1:] if row.cells}
    num_shared = len(index.intersection(header))
    least = 2 if corner.strip().lower() in ROW_NAMES else _LEAST_LIKE_EDGES
    are_words = not any(map(is_number, header))
    return are_words and num_shared >= least and 2 * num_shared > len(header)


def _refuse_totals(numbers: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse a last row or column of sums, which is called so."""
    for names, array, what in ((rows, numbers, "row"), (columns, numbers.T, "column")):
        is_called = len(names) > 2 and names[-1].strip().lower() in _TOTALS
        # the total of a column of totals is that of the others as well
        if is_called and np.allclose(array[:-1].sum(axis=0), array[-1]):
            raise InputError(
                f"the {what} {printable(names[-1])} holds the sums of the others, and is no node",
                way_out="leave out the totals",
            )


def _is_adjacency(table: AdjacencyTable) -> bool:
    """Whether a table can be no list of edges; the log says where it can be both."""
    if table.may_be_edges and len(table.numbers) >= _LEAST_LIKE_EDGES:
        size = len(table.numbers)
        fact = f"a table of {size} × {size} numbers is read as a list of edges"
        way_out = (Argument("format", "matrix"), " reads it as an adjacency matrix")
        log.log(READING, "%s", Message(fact, way_out=way_out))
    return not table.may_be_edges


def _read_adjacency(source: Source) -> GraphContent:
    table = AdjacencyTable.of(source.square())
    names = table.names
    with_names = "without names" if names is None else "with names"
    log.log(READING, "adjacency matrix of %d nodes, %s", len(table.numbers), with_names)
    if names is not None and all(
        str(name).isdecimal() and str(int(name)) == name for name in names
    ):
        ids: np.ndarray | None = np.array(names, np.int64)
    else:
        ids = None if names is None else np.array(names)
    return replace(from_matrix(table.numbers), owner="the matrix", node_ids=ids)


def _two_mode_columns(source: Source) -> tuple[int, list[int]] | None:
    """The column of the names of the rows, and those of the numbers; None of any other table."""
    names = source.names
    if not source.has_names:
        return None
    of_rows = len(names) if source.num_index == 1 else 0
    columns = [at for at in range(len(names)) if at != of_rows]
    called = [names[at] for at in columns]
    is_corner_empty = of_rows == len(names) or names[0].strip().lower() in ROW_NAMES
    if not is_corner_empty or len(columns) < 2 or names_edges(called) or "" in called:
        return None
    rows = source.first(of_rows)
    are_names = len(set(rows)) == len(rows) > 1 and not any(map(is_number, [*rows, *called]))
    shared = {*rows, *map(_in_r, rows)} & set(called)
    # totals of both are refused when they are read
    are_totals = shared == {rows[-1]} == {called[-1]} and called[-1].strip().lower() in _TOTALS
    if not are_names or (shared and not are_totals):
        return None
    are_numbers = all(_is_entry(cell) for at in columns for cell in source.first(at))
    return (of_rows, columns) if are_numbers else None


def _read_two_mode(source: Source, of_rows: int, columns: Sequence[int]) -> GraphContent:
    import scipy.sparse as sp

    table = source.read([of_rows, *columns])
    rows = table.words(of_rows).to_pylist()
    called = [source.names[at] for at in columns]
    numbers = np.stack([_entries_of(table, at) for at in columns], axis=1)
    _refuse_totals(numbers, rows, called)
    check_names(source.line, [*rows, *called])
    log.log(READING, "two-mode matrix of %d rows and %d columns, with names", *numbers.shape)
    size = sum(numbers.shape)
    row, column = numbers.nonzero()
    ends = row, len(rows) + column
    content = from_matrix(sp.coo_array((numbers[row, column], ends), shape=(size, size)))
    return replace(
        content,
        owner="the matrix",
        node_ids=np.array([*rows, *called]),
        nodes={NODE_TYPE: np.repeat(_KINDS, numbers.shape)},
        node_type=NODE_TYPE,
        directed=(False,),
        listed_once=True,
    )


def _entries_of(table: InputTable, at: int) -> np.ndarray:
    """A column of numbers of a matrix; what is missing is 0."""
    numbers = np.zeros(len(table))
    for row, cell in enumerate(table.columns[at].to_pylist()):
        text = "" if cell is None else str(cell)
        if not _is_entry(text):
            table.refuse(row, at, "a matrix must hold finite numbers")
        numbers[row] = _entry(text)
    return numbers


def _names_of(rows: Sequence[Row]) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """The names of the columns in the first row, and those of the rows in the first column."""
    first, rest = rows[0].cells, [row.cells for row in rows[1:]]
    width = len(rest[0]) if rest else len(first)
    # 1. names of both; R leaves out the cell above those of the rows
    if len(rest) == width - 1 > 0 and len(first) in (width - 1, width):
        header = tuple(first[1 - width :])
        index = tuple(row[0] for row in rest)
        corner = first[: 1 - width]
        are_words = not any(map(is_number, header))
        # R calls columns without names V1, V2, and others by letters and points
        if (are_default(header) and counts_rows(index)) or header == tuple(map(_in_r, index)):
            return index, index
        # of a symmetric matrix without a diagonal, the first line and column are alike, too
        has_diagonal = rest[0][1:2] not in ([], [""])
        are_numbers = header == index and corner in ([], [""])
        if are_words or (are_numbers and (has_diagonal or counts_rows(header))):
            return header, index
    # 2. of columns alone, which pandas numbers, of rows alone, or none
    is_numbered = counts_rows(first) and width >= _LEAST_ROWS
    if len(rest) == width and (is_numbered or not all(map(_is_entry, first))):
        return tuple(first), None
    if len(rows) == width - 1 and not any(is_number(row.cells[0]) for row in rows):
        return None, tuple(row.cells[0] for row in rows)
    return None, None


def _in_r(name: str) -> str:
    """What R makes of the name of a column: ``X10`` of 10, ``a.b`` of a b."""
    letters = re.sub(r"[^\w.]", ".", name)
    return letters if letters[:1].isalpha() or letters[:1] == "." else f"X{letters}"


def _numbers_of(body: Sequence[Row], *, has_index: bool) -> np.ndarray:
    """The numbers of a square table; what is missing is 0."""
    size = len(body)
    numbers = np.zeros((size, size))
    for number, row in enumerate(body):
        cells = row.cells[has_index:]
        if len(cells) != size:
            rule = f"a matrix of {size} rows must have {size} columns"
            raise line_error(row.line, rule, str(len(cells)))
        for column, cell in enumerate(cells):
            if not _is_entry(cell):
                raise line_error(row.line, "a matrix must hold finite numbers", cell)
            numbers[number, column] = _entry(cell)
    return numbers


def _entry(cell: str) -> float:
    """The number of a cell; what is missing is 0."""
    word = cell.lower()
    return 0.0 if word in _MISSING else _TRUTH[word] if word in _TRUTH else float(cell)


def _is_entry(cell: str) -> bool:
    """Whether a cell is a finite number, a truth value, or one that is missing."""
    is_word = cell.lower() in _MISSING or cell.lower() in _TRUTH
    return is_word or (is_number(cell) and math.isfinite(float(cell)))
