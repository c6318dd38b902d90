"""Tables of text, of files and of other engines → columns, by one set of rules for their cells.

Arrow cuts a text into cells, because it is fast. What it refuses, or would cut otherwise, is cut in
Python, which also finds the line of a row that is wrong. Messages start at the line or the row;
:func:`gomkcn_dgl.io.reading.read_graph` adds the name of the file.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import read_bytes, reason_of

NUMBER_RULE = "a finite number was expected"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_INTEGER = re.compile(r"-?[0-9]+")
# a mark at the start of a line or after a blank; "C#" and "50%" are names
_COMMENT = re.compile(rb"[#%](?<!\S[#%]).*")
_COMMENT_LINE = re.compile(rb"^[ \t]*[#%].*", re.MULTILINE)
# a quote that neither begins nor ends a cell, nor is doubled
_STRAY_QUOTE = re.compile(rb'(?<=[^,;\n"])"(?=[^,;\n"])')
_BLANKS = bytes.maketrans(b"\t\x0b\x0c", b"   ")
# lines that tell the separator
_SAMPLE = 1000
# bytes that Arrow parses at a time, of at most 2^31
_BLOCK_BYTES = 2**28


@dataclass(frozen=True)
class Dialect:
    """How the lines of a table are cut: at a separator, or at blanks (None).

    Cells between commas or semicolons may be quoted. With ``comments``, lines that start with # or
    % are left out, and between blanks all that follows such a mark.
    """

    separator: str | None
    comments: bool

    @property
    def quotes(self) -> bool:
        """Whether a cell may be quoted."""
        return self.separator in (",", ";")


@dataclass(frozen=True, eq=False)
class Table:
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
        column = self._complete(at)
        if not self._is_numeric(column.type, whole=True):
            return None
        values = _cast(column, pa.int64())
        # Arrow takes 0x10 for 16
        if values is None or (self.is_text and _has_letter(column, "x")):
            return None
        return to_array(values)

    def numbers(self, at: int, rule: str = NUMBER_RULE, least: float = -math.inf) -> np.ndarray:
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
        self, at: int, rule: str = "a value was expected", longest: int = 2**31 - 1
    ) -> pa.DictionaryArray:
        """The text of a column, each word stored once; of 1 to ``longest`` letters, none NUL."""
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
                texts, codes = texts.take(occurring), pc.index_in(codes, occurring)
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
            self.refuse(row, at, rule + " and no NUL" * bool(has_nul[wrong[0]]))
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
        column = self.columns[at]
        if self.is_text:
            column = pc.if_else(pc.equal(column, ""), None, column)
        numbers = _cast(column, pa.float64()) if self._is_numeric(column.type) else None
        found: list[Any] = (column if numbers is None else numbers).to_pylist()
        return found

    def refuse(self, row: int, at: int, rule: str) -> NoReturn:
        """Refuse the value in a row of a column."""
        value = self.columns[at][row].as_py()
        raise InputError(f"{self.place(row)}: {rule}, got {shown(value)}.")

    def _complete(self, at: int) -> pa.ChunkedArray:
        """A column without nulls, its numbers decoded."""
        column = self.columns[at]
        if column.null_count:
            row = column.is_null().index(True).as_py()
            raise InputError(
                f"{self.place(row)}: the column {self.names[at]!r} must hold a value, and it is "
                "null."
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
        column[:_SAMPLE].cast(kind, safe=safe)
        return column.cast(kind, safe=safe)
    except pa.ArrowInvalid:
        return None


def _first_that_fails(column: pa.ChunkedArray, kind: pa.DataType) -> int:
    """The first row that has no value in another type, by halves."""
    low, high = 0, len(column)
    while high - low > 1:
        middle = (low + high) // 2
        if _cast(column[low:middle], kind) is None:
            high = middle
        else:
            low = middle
    return low


def _has_letter(column: pa.ChunkedArray, letter: str) -> bool:
    """Whether a letter, small or large, is in a column of ASCII."""
    texts = (chunk.buffers()[2] for chunk in column.chunks)
    return any(
        bool((np.frombuffer(text, np.uint8) | 32 == ord(letter)).any()) for text in texts if text
    )


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


# ---------------------------------------------------------------- tables of other engines


def is_table(graph: Any) -> bool:
    """Whether this is a table of pandas, Polars, DuckDB, Arrow or another engine."""
    return hasattr(graph, "__arrow_c_stream__")


@dataclass(frozen=True, eq=False)
class Source:
    """A table that was opened: columns are read when it is known which positions are used.

    Behind the columns with ``names`` are those of an index, which only pandas has. ``header`` is
    the line of the header of a text, or 0. Of a text without one ``rows`` are the first rows;
    ``line`` is the first line that is not left out.
    """

    names: Sequence[str]
    read: Callable[[Iterable[int]], Table]
    header: int = 0
    rows: Sequence[Sequence[str]] | None = None
    line: int = 1
    num_index: int = 0


def open_stream(stream: Any, owner: str) -> Source:
    """Open a table of any engine, which is read batch by batch; ``owner`` names it in messages."""
    try:
        batches = pa.RecordBatchReader.from_stream(stream)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"{owner} cannot be read ({reason_of(error)}).") from None
    said = (batches.schema.pandas_metadata or {}).get("index_columns", [])
    # numbers of rows are no column
    index = [name for name in said if isinstance(name, str)]
    names = [name for name in batches.schema.names if name not in index]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"{owner} must have columns of different names, got {twice[0]!r} twice.")

    def read(used: Iterable[int]) -> Table:
        kept = {at: [*names, *index][at] for at in used}
        schema = pa.schema([batches.schema.field(name) for name in kept.values()])
        try:
            parts = [batch.select([*kept.values()]) for batch in batches]
        except pa.ArrowException as error:
            raise InputError(f"{owner} cannot be read ({reason_of(error)}).") from None
        return arrow_table(pa.Table.from_batches(parts, schema), [*names, *index], kept)

    return Source(names, read, num_index=len(index))


def arrow_table(table: pa.Table, names: Sequence[str], used: Iterable[int]) -> Table:
    """A table of Arrow, of which the columns in some positions are used."""
    columns = {at: table[names[at]] for at in used}
    return Table(names, columns, lambda row: f"row {row + 1}", is_text=False)


# ---------------------------------------------------------------- text


def read_text(path: Path) -> bytes:
    r"""Return the bytes of a text file, plain or .gz, whose lines end in ``\n``; never nothing."""
    data = read_bytes(path).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\0" in data:
        number = 1 + data[: data.index(b"\0")].count(b"\n")
        rule = "text was expected, got a NUL byte; the file seems to be binary"
        raise InputError(f"line {number}: {rule}.")
    return data.removeprefix(_BYTE_ORDER_MARK)


def find_dialect(data: bytes, is_csv: bool) -> Dialect:
    """Tell the separator from the first lines of a file; a CSV file has no comments."""
    if is_csv:
        first = next((line for line in data.splitlines() if line.strip()), b"")
        return Dialect(max(",;\t", key=lambda one: first.count(one.encode())), comments=False)
    lines = filter(bytes.strip, _COMMENT_LINE.sub(b"", data).splitlines())
    rows = list(itertools.islice(lines, _SAMPLE))
    # blanks separate numbers, and names that do not begin or end at another separator
    tokens = [row.split() for row in rows]
    even = len({len(row) for row in tokens}) == 1 and len(tokens[0]) > 1
    words = list(itertools.chain.from_iterable(tokens))
    if even and all(is_number(word.decode("utf-8", "replace")) for word in words):
        return Dialect(None, comments=True)
    for mark in (b"\t", b";", b","):
        counts = {row.strip(b" ").count(mark) for row in rows}
        apart = even and not any(mark in (word[:1], word[-1:]) for word in words)
        if len(counts) == 1 and counts != {0} and (mark == b"\t" or not apart):
            return Dialect(mark.decode(), comments=True)
    return Dialect(None, comments=True)


def table_rows(data: bytes, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row with the number of its line; rows without a cell are left out."""
    if dialect.separator is None:
        for number, line in enumerate(io.BytesIO(data), start=1):
            words = _COMMENT.sub(b"", line).split()
            if words:
                yield number, [_decode(word, number) for word in words]
        return
    text = _decode(_COMMENT_LINE.sub(b"", data) if dialect.comments else data)
    reader = csv.reader(
        io.StringIO(text, newline=""),
        strict=True,
        skipinitialspace=True,
        delimiter=dialect.separator,
        quoting=csv.QUOTE_MINIMAL if dialect.quotes else csv.QUOTE_NONE,
    )
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells) or len(cells) > 1:
                yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise InputError(f"line {reader.line_num}: the table is malformed ({error}).") from None


def text_table(data: bytes, dialect: Dialect, *, has_header: bool = True) -> Table:
    """Cut a whole text that has a header, or is of columns without names."""
    first = next(table_rows(data, dialect), None)
    if first is None:
        raise InputError("the file holds comments only.")
    source = text_source(data, dialect, first, has_header)
    table = source.read(range(len(source.names)))
    if not len(table):
        raise InputError("the file holds a header and no row.")
    return table


def text_source(
    data: bytes, dialect: Dialect, first: tuple[int, list[str]], has_header: bool
) -> Source:
    """A text, whose lines must all have as many cells as the first row, maybe its header."""
    line, cells = first
    names, header = [f"column {number}" for number in range(1, len(cells) + 1)], 0
    if has_header:
        check_names(line, cells)
        names, header = cells, line

    def rows() -> Iterator[tuple[int, list[str]]]:
        return (row for row in table_rows(data, dialect) if row[0] > header)

    def place(row: int) -> str:
        return f"line {next(itertools.islice(rows(), row, None))[0]}"

    def read(used: Iterable[int]) -> Table:
        used = [*used]
        columns = _cut_by_arrow(data, dialect, len(names), used, header)
        if columns is None:
            kept = []
            for number, row in rows():
                if len(row) != len(names):
                    rule = f"every line must have {len(names)} columns like line {line}"
                    raise line_error(number, rule, " ".join(row))
                kept.append(row)
            columns = [pa.chunked_array([[row[at] for row in kept]], pa.string()) for at in used]
        return Table(names, dict(zip(used, columns, strict=True)), place, is_text=True)

    return Source(names, read, header, line=line)


def _cut_by_arrow(
    data: bytes, dialect: Dialect, width: int, kept: Sequence[int], skip: int
) -> list[pa.ChunkedArray] | None:
    """Columns of the lines after the first ``skip``; None where Arrow might cut one otherwise."""
    quotes = dialect.quotes and b'"' in data
    if quotes and (data.count(b'"') % 2 or _STRAY_QUOTE.search(data)):
        return None
    if dialect.comments and (b"#" in data or b"%" in data):
        data = (_COMMENT if dialect.separator is None else _COMMENT_LINE).sub(b"", data)
    if dialect.separator is None:
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
                skip_rows=skip,
                column_names=names,
            ),
            arrow_csv.ParseOptions(
                delimiter=dialect.separator or " ",
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
    if dialect.separator is not None:
        columns = [pc.utf8_trim_whitespace(column) for column in columns]
    if width == 1:
        # a line of blanks is no row
        columns = [column.filter(pc.binary_length(column).cast(pa.bool_())) for column in columns]
    return columns


def line_error(number: int, rule: str, text: str) -> InputError:
    """Return the error for one line: its number, the rule, and the text, shortened."""
    return InputError(f"line {number}: {rule}, got {shown(text.strip())}.")


def shown(value: object) -> str:
    """A value in a message, shortened."""
    text = value if isinstance(value, str) else str(value)
    text = text if len(text) <= 40 else text[:39] + "…"
    return repr(text) if isinstance(value, str) else text


def check_names(number: int, header: Sequence[str]) -> None:
    """Refuse a header that has a name twice."""
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        rule = f"the columns must have different names, got {twice[0]!r} twice"
        raise InputError(f"line {number}: {rule}.")


def is_int64(text: str) -> bool:
    # int() refuses numbers of thousands of digits
    return bool(len(text) < 25 and _INTEGER.fullmatch(text) and -(2**63) <= int(text) < 2**63)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _decode(data: bytes, first: int = 1) -> str:
    """Return text in UTF-8, whose first line has the number ``first``."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = first + data.count(b"\n", 0, error.start)
        raise InputError(
            f"line {number}: text in UTF-8 was expected, got the byte 0x{data[error.start]:02x}."
        ) from None
