"""Adjacency matrices as text: a square table of numbers, with the names of nodes or without.

A table is taken for a matrix only where it cannot be a list of edges:

1. names of columns that are those of the rows, in their order, and none above the latter: a matrix
   of any size;
2. names of columns or of rows alone, or none: at least four rows, and numbers that are symmetric,
   or 0 and 1 alone. Names that are those of columns of edges, such as source, are none of nodes.

Another square table of numbers is a list of edges, which the log says; ``format="matrix"`` reads it
as a matrix.
"""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import READING, GraphContent
from gomkcn_dgl.graph_objects import from_matrix
from gomkcn_dgl.io.edge_layout import names_edges
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.table_form import MARKS, Row, counts_rows, find_form, is_number, rows_of
from gomkcn_dgl.io.tables import check_names, line_error
from gomkcn_dgl.messages import Argument, Message

log = logging.getLogger("gomkcn_dgl")

# of fewer rows, edges with weights are a square of numbers as well; of fewer than three, any are
_LEAST_ROWS = 4
_LEAST_LIKE_EDGES = 3
# what other programs write for a number that is missing, which is no edge
_MISSING = {"", "na", "nan", "null", "none"}
# of a line that is none of a table, the first letter
_MARKS = f"{MARKS} \t".encode()


@dataclass(frozen=True, eq=False)
class AdjacencyTable:
    """Numbers ``[V, V]``, the names of the nodes if there are any, and whether it can be edges."""

    numbers: np.ndarray
    names: tuple[str, ...] | None
    may_be_edges: bool

    @classmethod
    def read(cls, data: bytes, is_csv: bool) -> AdjacencyTable:
        r"""Read a square table of numbers; whatever else a text is, is refused.

        >>> table = AdjacencyTable.read(b",a,b\na,0,1\nb,1,0\n", is_csv=True)
        >>> table.names, table.numbers.tolist(), table.may_be_edges
        (('a', 'b'), [[0.0, 1.0], [1.0, 0.0]], False)
        >>> AdjacencyTable.read(b"0 1 1\n1 2 1\n0 2 1\n", is_csv=False).may_be_edges
        True
        """
        form = find_form(data, is_csv=is_csv, has_header=False)
        rows = list(rows_of(data, form))
        if not rows:
            raise InputError("a matrix must have a row, got none.")
        header, index = _names_of(rows)
        body = rows if header is None else rows[1:]
        numbers = _numbers_of(body, has_index=index is not None)
        for names in (header, index):
            check_names(rows[0].line, names or ())
        if header is not None and index is not None and header != index:
            rule = "the columns of a matrix must have the names of its rows, in their order"
            raise line_error(rows[0].line, rule, ", ".join(header[:5]))
        # where a word stands above the names of rows, these may be a few lines of edges
        has_corner = index is not None and rows[0].cells[: -len(index)] not in ([], [""])
        is_named = header is not None and index is not None and not has_corner
        is_plain = np.isin(numbers, [0, 1]).all() or np.array_equal(numbers, numbers.T)
        is_large = len(numbers) >= _LEAST_ROWS
        may_be_edges = not (is_named or (is_plain and is_large and not names_edges(header or ())))
        return cls(numbers, header or index, may_be_edges)


def is_adjacency_table(file: InputFile) -> bool:
    """Whether a text is an adjacency matrix, and no list of edges; the log says if it may be both.

    Few bytes of a list of edges are read: it has more lines than its lines have cells.
    """
    # what is no text is no matrix
    with contextlib.suppress(InputError):
        lines = [line for line in file.head.splitlines() if line[:1].strip(_MARKS)]
        if len(lines) <= 1 + max(map(_most_cells, lines[-2:]), default=0):
            return _is_matrix(AdjacencyTable.read(file.text, _is_csv(file)))
    return False


def _is_matrix(table: AdjacencyTable) -> bool:
    """Whether a table can be no list of edges; the log says where it can be both."""
    if table.may_be_edges and len(table.numbers) >= _LEAST_LIKE_EDGES:
        size = len(table.numbers)
        fact = f"a table of {size} × {size} numbers is read as a list of edges"
        way_out = (Argument("format", "matrix"), " reads it as an adjacency matrix")
        log.log(READING, "%s", Message(fact, way_out=way_out))
    return not table.may_be_edges


def read_adjacency_table(file: InputFile) -> GraphContent:
    """Read a text as an adjacency matrix; nodes are in the order of its rows."""
    table = AdjacencyTable.read(file.text, _is_csv(file))
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


def _is_csv(file: InputFile) -> bool:
    """Whether blanks separate no cells of a file."""
    return file.ending in (".csv", ".tsv")


def _most_cells(line: bytes) -> int:
    """The most cells that a line may have, by any separator."""
    return max(line.count(mark) + 1 for mark in (b"\t", b";", b",", b"|")) + len(line.split())


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
        # of a symmetric matrix without a diagonal, the first line and column are alike, too
        has_diagonal = rest[0][1:2] not in ([], [""])
        are_numbers = header == index and corner in ([], [""])
        if are_words or (are_numbers and (has_diagonal or counts_rows(header))):
            return header, index
    # 2. of columns alone, of rows alone, or none
    if len(rest) == width and not all(map(_is_entry, first)):
        return tuple(first), None
    if len(rows) == width - 1 and not any(is_number(row.cells[0]) for row in rows):
        return None, tuple(row.cells[0] for row in rows)
    return None, None


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
            numbers[number, column] = 0.0 if cell.lower() in _MISSING else float(cell)
    return numbers


def _is_entry(cell: str) -> bool:
    """Whether a cell is a finite number, or one that is missing."""
    return cell.lower() in _MISSING or (is_number(cell) and math.isfinite(float(cell)))
