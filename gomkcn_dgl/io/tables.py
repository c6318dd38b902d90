"""Tables of text, of files and of other engines → columns, by one set of rules for their cells.

Arrow cuts a text into cells, because it is fast. What it refuses, or would cut otherwise, is cut in
Python, which also finds the line of a row that is wrong. Messages start at the line or the row;
:func:`gomkcn_dgl.io.reading.read_graph` adds the name of the file.
"""

from __future__ import annotations

import ast
import itertools
import logging
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.column_names import are_default
from gomkcn_dgl.io.table_form import (
    MARKS,
    NUM_FIRST,
    Row,
    TableForm,
    attribute_texts,
    find_form,
    is_number,
    rows_of,
    shown,
    without_attributes,
    without_comments,
)
from gomkcn_dgl.messages import Argument, Text
from gomkcn_dgl.runtime.files import reason_of

log = logging.getLogger("gomkcn_dgl")

# what Arrow calls an index of pandas without a name
UNNAMED_INDEX = "__index_level_"
NUMBER_RULE = "a finite number was expected"
_INTEGER = re.compile(r"-?[0-9]+")
# R writes 100000 as 1e+05
_WHOLE = r"^-?((0|[1-9][0-9]*)(\.0*)?|[1-9](\.[0-9]+)?e\+[0-9]+)$"
# numbers of NumPy, dates and the like in attributes that NetworkX wrote
_CALL = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*\(([^()]*)\)|(?<=[:\[,] )-?(?:nan|inf)\b")
_ZERO = r"^[-+]?(0+(\.0*)?|\.0+)$"
_BLANKS = bytes.maketrans(b"\t\x0b\x0c", b"   ")
# bytes that Arrow parses at a time, of at most 2^31
_BLOCK_BYTES = 2**28
# letters of the first cells of a column; a longer cell is no node
_LONGEST_FIRST = 10_000
# the first bytes of a text, by which it is told that it may be a matrix: 100 rows of 1,000
_HEAD_BYTES = 2**18
# of a line that is none of a table, the first letter
_MARKS = f"{MARKS} \t".encode()


@dataclass(frozen=True, eq=False)
class InputTable:
    """Columns of a table by their position, and where each row is from, such as "line 3".

    The cells of a text are words that may stand for numbers; other values have the types of Arrow.
    """

    names: Sequence[str]
    columns: Mapping[int, pa.ChunkedArray]
    place: Callable[[int], str]
    is_text: bool

    def __len__(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())))

    def integers(self, at: int) -> np.ndarray | None:
        """A column of integers of 64 bits, int64; None where it holds anything else."""
        import pyarrow.compute as pc

        column = self._complete(at)
        if pa.types.is_floating(column.type):
            return self._whole_numbers(at, to_array(column.cast(pa.float64())))
        if not self._is_numeric(column.type, whole=True):
            return None
        values = _cast(column, pa.int64())
        if values is None and self.is_text:
            # of a column with gaps, other tools write 1 as 1.0
            numbers = _cast(column, pa.float64())
            if numbers is None or not pc.all(pc.match_substring_regex(column, _WHOLE)).as_py():
                return None
            return self._whole_numbers(at, to_array(numbers))
        if values is None:
            return None
        array = to_array(values)
        # 007 is a name, and 0x10, which Arrow takes for 16
        return None if self.is_text and _has_other_forms(column, array) else array

    def with_whole_numbers(self, columns: Sequence[int]) -> InputTable:
        """The table, with 1 for 1.0 in columns of text that hold numbers only, as Arrow has them.

        Where one end of edges is a whole number throughout, other tools write the other as 1.0.
        """
        import pyarrow.compute as pc

        if not self.is_text or any(
            _cast(self._complete(at), pa.float64()) is None for at in columns
        ):
            return self
        whole = {
            at: pc.replace_substring_regex(self.columns[at], r"^(-?(?:0|[1-9][0-9]*))\.0+$", r"\1")
            for at in columns
        }
        return replace(self, columns={**self.columns, **whole})

    def where_filled(self, at: int) -> InputTable:
        """A column alone, of the rows that have a value in it."""
        import pyarrow.compute as pc

        column = self.columns[at]
        # of Polars, which Arrow does not filter
        if str(column.type) == "string_view":
            column = column.cast(pa.large_string())
        is_filled = column.is_valid()
        if self.is_text:
            # a comparison with "" would import pandas
            is_filled = pc.binary_length(column).cast(pa.bool_())
        if pa.types.is_floating(column.type):
            is_filled = pc.and_kleene(is_filled, pc.invert(pc.is_nan(column)))
        return replace(self, columns={at: column.filter(is_filled)})

    def count_zeros(self, at: int) -> int:
        """How many cells of a column are the number 0."""
        import pyarrow.compute as pc

        column = self.columns[at]
        if self.is_text:
            is_zero = pc.match_substring_regex(column, _ZERO)
        elif self._is_numeric(column.type):
            is_zero = pc.equal(column.cast(pa.float64(), safe=False), 0)
        else:
            return 0
        return int(pc.sum(is_zero).as_py() or 0)

    def _whole_numbers(self, at: int, values: np.ndarray) -> np.ndarray | None:
        """Numbers as integers; None where one of them is not whole, or not exact."""
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            self.refuse(int(missing[0]), at, "a value was expected")
        is_whole = bool((np.abs(values) < 2**53).all()) and bool((values == np.rint(values)).all())
        return values.astype(np.int64) if is_whole else None

    def numbers(self, at: int, rule: Text = NUMBER_RULE, least: float = -math.inf) -> np.ndarray:
        """A column of finite numbers of at least ``least``, float64; the first other is refused."""
        column = self._complete(at)
        if not self._is_numeric(column.type):
            raise InputError(f"the column {self.names[at]!r} must hold numbers, got {column.type}.")
        values = _cast(column, pa.float64())
        if values is None:
            self.refuse(_first_that_fails(column, pa.float64()), at, rule)
        array = to_array(values)
        wrong = np.flatnonzero(~(np.isfinite(array) & (array >= least)))
        if len(wrong):
            self.refuse(int(wrong[0]), at, rule)
        return array

    def words(
        self, at: int, rule: Text = "a value was expected", longest: int = 2**31 - 1
    ) -> pa.DictionaryArray:
        """The text of a column, each word stored once; of 1 to ``longest`` letters, none NUL."""
        import pyarrow.compute as pc

        column = self._complete(at)
        has_categories = pa.types.is_dictionary(column.type)
        try:
            if not has_categories:
                column = column if self.is_text else column.cast(pa.large_string())
                column = column.dictionary_encode()
            coded = pa.table([column], ["words"]).unify_dictionaries()["words"].combine_chunks()
            texts = coded.dictionary.cast(pa.string())
            # of a damaged file, which Arrow takes as it is
            texts.validate(full=True)
            codes = coded.indices.cast(pa.int32())
            if has_categories:
                # those that do not occur are no words
                occurring = pc.unique(codes)
                texts = texts.take(occurring)
                codes = pc.index_in(codes, occurring)
        except pa.ArrowException:
            raise InputError(
                f"the column {self.names[at]!r} must hold text, or what can be written as text, "
                f"got {column.type}."
            ) from None
        # a long word is refused while it is stored once, not in every row
        lengths = to_array(pc.utf8_length(texts))
        has_nul = to_array(pc.find_substring(texts, "\0")) >= 0
        wrong = np.flatnonzero((lengths < 1) | (lengths > longest) | has_nul)
        if len(wrong):
            row = codes.index(wrong[0]).as_py()
            self.refuse(row, at, (rule, " and no NUL" * bool(has_nul[wrong[0]])))
        return pa.DictionaryArray.from_arrays(codes, texts)

    def values(self, at: int) -> np.ndarray:
        """A column of numbers or flags, or of words where none of its cells is a number."""
        column = self._complete(at)
        if pa.types.is_boolean(column.type):
            return to_array(column.cast(pa.int8()))
        has_numbers = self._is_numeric(column.type)
        if self.is_text and _cast(column, pa.float64()) is None:
            has_numbers = any(map(is_number, column.to_pylist()))
        return self.numbers(at) if has_numbers else to_array(self.words(at))

    def values_or_none(self, at: int) -> list[Any]:
        """A column of numbers or words, None where a cell is empty or null."""
        import pyarrow.compute as pc

        column = self.columns[at]
        if self.is_text:
            column = pc.if_else(pc.equal(column, ""), None, column)
        numbers = _cast(column, pa.float64()) if self._is_numeric(column.type) else None
        found: list[Any] = (column if numbers is None else numbers).to_pylist()
        return found

    def values_with_gaps(self, at: int) -> np.ndarray | list[Any]:
        """The same, numbers as float64 with NaN for None, if there are numbers alone."""
        import pyarrow.compute as pc

        column = self.columns[at]
        if self.is_text:
            column = pc.if_else(pc.equal(column, ""), None, column)
        numbers = _cast(column, pa.float64()) if self._is_numeric(column.type) else None
        if numbers is None:
            return self.values_or_none(at)
        return to_array(pc.fill_null(numbers, math.nan))

    def cells(self, at: int) -> list[Any]:
        """A column as it was given, None where a cell is empty or null.

        Cells of text are whole numbers where all of them are written so, numbers, or else text.
        """
        import pyarrow.compute as pc

        column = self.columns[at]
        if not self.is_text:
            return column.to_pylist()
        column = pc.if_else(pc.equal(column, ""), None, column)
        filled = column.drop_null()
        whole = _cast(filled, pa.int64())
        if whole is not None and _has_other_forms(filled, to_array(whole)):
            return column.to_pylist()
        numbers = _cast(column, pa.float64() if whole is None else pa.int64())
        found: list[Any] = (column if numbers is None else numbers).to_pylist()
        return found

    def refuse(self, row: int, at: int, rule: Text) -> NoReturn:
        """Refuse the value in a row of a column."""
        value = self.columns[at][row].as_py()
        if value != "":
            raise InputError(rule, got=shown(value), place=self.place(row))
        raise InputError(
            (rule, ", and the cell is empty"),
            way_out="fill it in, or leave the row out",
            place=self.place(row),
        )

    def _complete(self, at: int) -> pa.ChunkedArray:
        """A column without nulls, its numbers decoded."""
        column = self.columns[at]
        if column.null_count:
            row = column.is_null().index(True).as_py()
            raise InputError(
                f"{self.place(row)}: the column {self.names[at]!r} must hold a value, and it is "
                "null; fill it in, or leave the row out."
            )
        if pa.types.is_dictionary(column.type) and self._is_numeric(column.type.value_type):
            column = column.cast(column.type.value_type)
        return column

    def _is_numeric(self, kind: pa.DataType, whole: bool = False) -> bool:
        """Whether values of a type are numbers, or may stand for some."""
        if self.is_text or pa.types.is_integer(kind):
            return True
        if pa.types.is_decimal(kind):
            return not whole or kind.scale == 0
        return not whole and pa.types.is_floating(kind)


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | None:
    """A column in another type; None where one of its values has none in that type."""
    try:
        # a column of words is refused at its head, before Arrow looks at all of them; integers of
        # over 53 bits may be rounded to numbers
        safe = kind == pa.int64()
        column[:NUM_FIRST].cast(kind, safe=safe)
        return column.cast(kind, safe=safe)
    except pa.ArrowInvalid:
        return None


def _first_that_fails(column: pa.ChunkedArray, kind: pa.DataType) -> int:
    """The first row that has no value in another type, by halves."""
    low = 0
    high = len(column)
    while high - low > 1:
        middle = (low + high) // 2
        if _cast(column[low:middle], kind) is None:
            high = middle
        else:
            low = middle
    return low


def _has_other_forms(column: pa.ChunkedArray, values: np.ndarray) -> bool:
    """Whether an integer of a column of text is written otherwise than by its digits, as 007 is."""
    import pyarrow.compute as pc

    # each other form is longer
    sizes = np.abs(values).view(np.uint64)
    digits = len(values) + int((values < 0).sum())
    power = 10
    while len(values) and power <= int(sizes.max()):
        digits += int((sizes >= np.uint64(power)).sum())
        power *= 10
    return int(pc.sum(pc.binary_length(column)).as_py() or 0) != digits


def to_array(column: Any) -> np.ndarray:
    """Return numbers without nulls as NumPy's, or words as an array of objects.

    Arrow's own conversion would import pandas.

    >>> to_array(pa.array(["b", "a", "b"]).dictionary_encode()).tolist()
    ['b', 'a', 'b']
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        return np.array(column.dictionary.to_pylist(), object)[to_array(column.indices)]
    kind = np.dtype(column.type.to_pandas_dtype())
    if not len(column):
        return np.empty(0, kind)
    return np.frombuffer(column.buffers()[1], kind, len(column), column.offset * kind.itemsize)


def to_arrow(values: np.ndarray) -> pa.Array:
    """Return whole numbers or words of NumPy as Arrow's, whose own conversion imports pandas.

    >>> to_arrow(np.array([3, 5])).to_pylist(), to_arrow(np.array(["a"])).to_pylist()
    ([3, 5], ['a'])
    """
    if values.dtype.kind in "iu":
        whole = np.ascontiguousarray(values, np.int64)
        return pa.Array.from_buffers(pa.int64(), len(whole), [None, pa.py_buffer(whole)])
    words = [str(word).encode() for word in values.tolist()]
    ends = np.cumsum([0, *map(len, words)], dtype=np.int64)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(words))]
    return pa.Array.from_buffers(pa.large_string(), len(words), buffers)


# ---------------------------------------------------------------- tables of other engines


def is_table(graph: Any) -> bool:
    """Whether this is a table of pandas, Polars, DuckDB, Arrow or another engine."""
    return hasattr(graph, "__arrow_c_stream__")


@dataclass(frozen=True, eq=False)
class Source:
    """A table that was opened: columns are read when it is known which positions are used.

    A column without a name has the name "", as those of a text without a header have, of which
    ``default_names`` are what a program called them; attributes in braces have names, and stand
    behind the ``num_cells`` columns of cells. Behind the columns with ``names`` are those of an
    index, which only pandas has, called ``index_names``, "" for one without a name. ``first``
    returns the first cells of a column as text, and ``square`` all rows, with the names as the
    first, of a table that may be a square of numbers; none of any other. ``header`` is the line of
    the header of a text, or 0, and ``line`` its first line that is not left out. ``num_nodes`` is
    what a first line says, or None, ``kind`` what a comment says of the edges, see
    :class:`~gomkcn_dgl.io.table_form.TableForm`; ``notes`` say what is left out.
    """

    names: Sequence[str]
    read: Callable[[Iterable[int]], InputTable]
    first: Callable[[int], list[str]]
    square: Callable[[], list[Row]]
    num_cells: int
    default_names: Sequence[str] = ()
    header: int = 0
    line: int = 1
    has_names: bool = True
    index_names: Sequence[str] = ()
    num_nodes: int | None = None
    kind: str = ""
    notes: tuple[str, ...] = ()

    @property
    def num_index(self) -> int:
        """The number of columns of an index."""
        return len(self.index_names)

    @property
    def place_of_names(self) -> str:
        """Where the columns get their names, for a message; "" where that is no line of a text."""
        return f"line {self.header}" if self.header else ""

    def name(self, at: int) -> str:
        """What a column is called in a message."""
        return self.names[at] or "".join(self.default_names[at : at + 1]) or f"column {at + 1}"


def open_stream(stream: Any, owner: str) -> Source:
    """Open a table of any engine, which is read batch by batch; ``owner`` names it in messages."""
    try:
        batches = pa.RecordBatchReader.from_stream(stream)
        head = next(iter(batches), None)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"{owner} cannot be read ({reason_of(error)}).") from None
    names, index = split_index(batches.schema)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"{owner} must have columns of different names, got {twice[0]!r} twice.")
    columns = [*names, *index]
    held = [] if head is None else [head]

    def read(used: Iterable[int]) -> InputTable:
        kept = {at: columns[at] for at in used}
        schema = pa.schema([batches.schema.field(name) for name in kept.values()])
        try:
            parts = [batch.select([*kept.values()]) for batch in itertools.chain(held, batches)]
        except pa.ArrowException as error:
            raise InputError(f"{owner} cannot be read ({reason_of(error)}).") from None
        return arrow_table(pa.Table.from_batches(parts, schema), columns, kept)

    def first(at: int) -> list[str]:
        return [] if head is None else first_texts(head[columns[at]])

    def square() -> list[Row]:
        num_rows = 0
        for batch in itertools.chain(held, batches):
            # what is read here stays to be read
            held.extend([batch] * all(batch is not other for other in held))
            num_rows += len(batch)
            if num_rows > len(columns):
                return []
        return rows_of_columns(names, len(index), read(range(len(columns))))

    levels = called_levels(index)
    return Source(names, read, first, square, len(names), index_names=levels)


def split_index(schema: pa.Schema) -> tuple[list[str], list[str]]:
    """The names of the columns, and those of the index that pandas has beside them."""
    index_columns = (schema.pandas_metadata or {}).get("index_columns", [])
    # numbers of rows are no column
    index = [name for name in index_columns if isinstance(name, str)]
    return [name for name in schema.names if name not in index], index


def called_levels(index: Sequence[str]) -> list[str]:
    """The names of the levels of an index, "" for one to which Arrow gave a name."""
    return ["" if name.startswith(UNNAMED_INDEX) else name for name in index]


def rows_of_columns(names: Sequence[str], num_index: int, table: InputTable) -> list[Row]:
    """The rows of a table of Arrow as the texts of a file, behind the names of its columns.

    An index stands before the other columns, as in a file of pandas.
    """
    shown_names = [""] * num_index + ["" if are_default(names) else name for name in names]
    order = [*range(len(names), len(names) + num_index), *range(len(names))]
    cells = [as_texts(table.columns[at]) for at in order]
    # of a damaged file, or of what is no value
    if any(len(column) < len(table) for column in cells):
        return []
    rows = [Row(number, list(row)) for number, row in enumerate(zip(*cells, strict=True), start=1)]
    # numbers that are those of the index are names
    if num_index == 1 and cells[0] == [*names]:
        return [Row(0, ["", *names]), *rows]
    return rows if are_default(names) else [Row(0, shown_names), *rows]


def first_texts(column: pa.Array) -> list[str]:
    """The first values of a column as text, whose ends are left out where they are long."""
    import pyarrow.compute as pc

    column = column[:NUM_FIRST]
    try:
        if pa.types.is_dictionary(column.type) and is_text(column.type.value_type):
            words = pc.utf8_slice_codeunits(column.dictionary, 0, _LONGEST_FIRST)
            column = pa.DictionaryArray.from_arrays(column.indices, words)
        elif is_text(column.type):
            column = pc.utf8_slice_codeunits(column, 0, _LONGEST_FIRST)
    except pa.ArrowException:
        return []
    return as_texts(column)


def is_text(kind: pa.DataType) -> bool:
    """Whether values of a type are text."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def as_texts(column: pa.Array) -> list[str]:
    """The values of a column as text, "" for a missing one; none of what is no value."""
    try:
        values = column.to_pylist()
    # of a damaged file, or a type or a date without values in Python
    except (pa.ArrowException, OverflowError, ValueError):
        return []
    return ["" if value is None else str(value) for value in values]


def arrow_table(table: pa.Table, names: Sequence[str], used: Iterable[int]) -> InputTable:
    """A table of Arrow, of which the columns in some positions are used."""
    columns = {at: table[names[at]] for at in used}
    return InputTable(names, columns, lambda row: f"row {row + 1}", is_text=False)


# ---------------------------------------------------------------- text


def text_table(data: bytes, form: TableForm) -> InputTable:
    """Cut a whole text into its columns."""
    source = text_source(data, form)
    table = source.read(range(len(source.names)))
    if not len(table):
        raise InputError("the file holds a header and no row.")
    return table


def text_source(data: bytes, form: TableForm, *, is_csv: bool = False) -> Source:
    """A text, whose lines must all have as many cells as it has columns."""
    attributes = _parse_attributes(data, form) if form.has_attributes else {}
    num_cells = len(form.names)
    names = [*form.names, *attributes]
    if form.header:
        check_names(form.header, [name for name in form.names if name])

    def rows() -> Iterator[Row]:
        return rows_of(data, form)

    # of a form that was told, not found, they are not asked for
    line = form.header or (form.rows[0].line if form.rows else 1)

    def place(row: int) -> str:
        return f"line {next(itertools.islice(rows(), row, None)).line}"

    def read(used: Iterable[int]) -> InputTable:
        used = [*used]
        cut = [at for at in used if at < num_cells]
        found = _cut_by_arrow(data, form, cut)
        if found is None:
            kept = []
            for row in rows():
                if len(row.cells) != num_cells:
                    rule = f"every line must have {num_cells} columns like line {line}"
                    way_out = (Argument("format", "adjlist"), " reads a node and its neighbours")
                    is_list = form.separator is None and not form.header
                    raise line_error(
                        row.line, rule, " ".join(row.cells), way_out if is_list else ""
                    )
                kept.append(row.cells)
            found = [pa.chunked_array([[row[at] for row in kept]], pa.string()) for at in cut]
        columns = dict(zip(cut, found, strict=True))
        for at in used:
            if at >= num_cells:
                columns[at] = pa.chunked_array([attributes[names[at]]], pa.string())
        called = [name or f"column {at}" for at, name in enumerate(names, start=1)]
        return InputTable(called, columns, place, is_text=True)

    def first(at: int) -> list[str]:
        if at >= num_cells:
            return attributes[names[at]][:NUM_FIRST]
        return [row.cells[at] for row in form.rows if len(row.cells) == num_cells]

    return Source(
        names,
        read,
        first,
        partial(_square_of_text, data, is_csv),
        num_cells,
        header=form.header,
        line=line,
        has_names=form.header > 0,
        num_nodes=form.num_nodes,
        kind=form.kind,
        notes=form.notes,
    )


def _square_of_text(data: bytes, is_csv: bool) -> list[Row]:
    """All rows of a text that has no more lines than its lines have cells, but for a header."""
    # of a long text the first lines tell it mostly
    for part in (data[:_HEAD_BYTES], data):
        lines = [line for line in part.splitlines() if line[:1].strip(_MARKS)]
        if len(lines) > 1 + max(map(_most_cells, lines[-2:]), default=0):
            return []
    return list(rows_of(data, find_form(data, is_csv=is_csv, has_header=False)))


def _most_cells(line: bytes) -> int:
    """The most cells that a line may have, by any separator."""
    return max(line.count(mark) + 1 for mark in (b"\t", b";", b",", b"|")) + len(line.split())


def _parse_attributes(data: bytes, form: TableForm) -> dict[str, list[str]]:
    """The attributes in braces at the ends of rows, a column each, "" where one is missing."""
    texts = attribute_texts(data, form)
    parsed = dict[str, dict[str, Any]]()
    for text in dict.fromkeys(texts):
        try:
            record = ast.literal_eval(_CALL.sub(_value_of_call, text))
        # of whatever is no dictionary of Python
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            record = None
        if not isinstance(record, dict):
            row = texts.index(text)
            line = next(itertools.islice(rows_of(data, form), row, None)).line
            raise line_error(line, "attributes in braces must be those of NetworkX", text)
        parsed[text] = {str(name): value for name, value in record.items()}
    names = dict.fromkeys(name for record in parsed.values() for name in record)
    return {name: [str(parsed[text].get(name, "")) for text in texts] for name in names}


def _value_of_call(match: re.Match[str]) -> str:
    """The number or the text that a constructor such as np.float64(0.5) is given."""
    inner = match[1] or ""
    return inner if is_number(inner) else repr(inner or match[0])


def _cut_by_arrow(
    data: bytes, form: TableForm, kept: Sequence[int]
) -> list[pa.ChunkedArray] | None:
    """Columns of the rows; None where Arrow might cut one otherwise."""
    import pyarrow.compute as pc

    width = len(form.names)
    quotes = form.has_quotes and b'"' in data
    # tuples hold blanks
    if form.has_quotes and form.separator is None and b"(" in data:
        return None
    if quotes and (form.separator is None or data.count(b'"') % 2 or _has_stray_quote(data, form)):
        return None
    data = without_comments(data, form)
    data = without_attributes(data, form)
    if form.separator is None:
        # a single blank between cells, and none around them
        data = data.translate(_BLANKS)
        while b"  " in data:
            data = data.replace(b"  ", b" ")
        data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
    names = [str(column) for column in range(width)]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(
                use_threads=False,
                block_size=min(len(data) + 1, _BLOCK_BYTES),
                skip_rows=form.num_skipped,
                column_names=names,
            ),
            arrow_csv.ParseOptions(
                delimiter=form.separator or " ",
                quote_char='"' if quotes else False,
                newlines_in_values=quotes,
            ),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                include_columns=[names[at] for at in kept],
                null_values=[],
            ),
        )
    except pa.ArrowInvalid:
        return None
    columns = table.columns
    if form.separator is not None:
        columns = [pc.utf8_trim_whitespace(column) for column in columns]
    if width == 1:
        # a line of blanks is no row
        columns = [column.filter(pc.binary_length(column).cast(pa.bool_())) for column in columns]
    return columns


def _has_stray_quote(data: bytes, form: TableForm) -> bool:
    """Whether a quote neither begins nor ends a cell, nor is doubled."""
    ends = (form.separator or "").encode()
    return re.search(rb'(?<=[^%b\n"])"(?=[^%b\n"])' % (ends, ends), data) is not None


def line_error(number: int, rule: Text, text: str, way_out: Text = "") -> InputError:
    """Return the error for one line: its number, the rule, and the text, shortened."""
    return InputError(rule, got=shown(text.strip()), way_out=way_out, place=f"line {number}")


def check_names(number: int, header: Sequence[str]) -> None:
    """Refuse a header that has a name twice."""
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        rule = f"the columns must have different names, got {twice[0]!r} twice"
        raise InputError(f"line {number}: {rule}.")


def is_int64(text: str) -> bool:
    # int() refuses numbers of thousands of digits
    return bool(len(text) < 25 and _INTEGER.fullmatch(text) and -(2**63) <= int(text) < 2**63)
