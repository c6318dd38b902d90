"""Text files of rows → lines, cells and Arrow columns, with every bad line named by its number.

Arrow parses the text, because it is fast. What it refuses, and what it would take for something
else, is read row by row in Python, which also tells the number of the line that is wrong.
Messages start at the line; :func:`gomkcn_dgl.io.reading.read_graph` adds the name of the file.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import file_problems, open_file, reason_of

INTEGERS, NUMBERS = pa.int64(), pa.float64()
# each word is stored once
WORDS = pa.dictionary(pa.int32(), pa.string())
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_INTEGER = re.compile(r"[+-]?[0-9]+")
# Arrow takes 0x10 for 16
_HEXADECIMAL = re.compile(rb"0[xX]")
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


@dataclass(frozen=True)
class Cell:
    """What each cell of a column must be: a kind and bounds, and the rule for a message.

    Numbers are finite and at least ``least``; words have 1 to ``longest`` characters, none NUL.
    """

    kind: pa.DataType
    rule: str
    least: float = -math.inf
    longest: float = math.inf

    def read(self, line: int, text: str) -> float | str:
        """The value of a cell, or a refusal that names its line."""
        if self.kind == WORDS:
            fits = 1 <= len(text) <= self.longest
        elif self.kind == INTEGERS:
            fits = is_int64(text)
        else:
            fits = is_number(text) and math.isfinite(float(text)) and float(text) >= self.least
        if not fits:
            raise line_error(line, self.rule, text)
        return text if self.kind == WORDS else int(text) if self.kind == INTEGERS else float(text)

    def first_wrong(self, column: pa.Array) -> int | None:
        """The position of the first value that breaks the rule."""
        if self.kind == WORDS:
            # a long word is refused while it is stored once, not in every row
            for code, word in enumerate(column.dictionary.to_pylist()):
                if not 1 <= len(word) <= self.longest or "\0" in word:
                    found: int = column.indices.index(code).as_py()
                    if found >= 0:
                        return found
            return None
        values = to_array(column)
        bad = np.flatnonzero(~(np.isfinite(values) & (values >= self.least)))
        return int(bad[0]) if len(bad) else None


INTEGER = Cell(INTEGERS, "an integer was expected")
NUMBER = Cell(NUMBERS, "a finite number was expected")
WORD = Cell(WORDS, "a value was expected")


def read_text(path: Path) -> bytes:
    r"""Return the bytes of a text file, plain or .gz, whose lines end in ``\n``; never nothing."""
    data = b"".join(text_pieces(path))
    if not data.strip():
        raise InputError("the file is empty.")
    return data


def text_pieces(path: Path, size: int = -1, *, quotes: bool = False) -> Iterator[bytes]:
    """Yield the bytes of a text file in pieces of about a size, which end with a line.

    With ``quotes``, a quoted cell of several lines is not divided.
    """
    first = 1
    with file_problems(path), open_file(path) as raw:
        file = gzip.GzipFile(fileobj=raw) if path.suffix.lower() == ".gz" else raw
        # each byte as a letter, so that all ends of lines become one
        text = io.TextIOWrapper(file, "latin-1")
        while data := (text.read(size) + text.readline()).encode("latin-1"):
            while quotes and data.count(b'"') % 2 and (more := text.read(size) + text.readline()):
                data += more.encode("latin-1")
            if b"\0" in data:
                number = first + data[: data.index(b"\0")].count(b"\n")
                rule = "text was expected, got a NUL byte; the file seems to be binary"
                raise InputError(f"line {number}: {rule}.")
            yield data.removeprefix(_BYTE_ORDER_MARK) if first == 1 else data
            first += data.count(b"\n")


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


def table_rows(data: bytes, dialect: Dialect, first: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row with the number of its line; rows without a cell are left out.

    ``first`` is the number of the first line.
    """
    if dialect.separator is None:
        for number, line in enumerate(io.BytesIO(data), start=first):
            words = _COMMENT.sub(b"", line).split()
            if words:
                yield number, [_decode(word, number) for word in words]
        return
    text = _decode(_COMMENT_LINE.sub(b"", data) if dialect.comments else data, first)
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
                yield first - 1 + reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        number = first - 1 + reader.line_num
        raise InputError(f"line {number}: the table is malformed ({error}).") from None


def parse_columns(
    data: bytes, dialect: Dialect, width: int, cells: Mapping[int, Cell], skip: int = 0
) -> dict[int, pa.Array] | None:
    """Return the columns that ``cells`` names; None where a line or a cell may not fit.

    Blanks around words are left out, and so are the first ``skip`` lines.
    """
    quotes = dialect.quotes and b'"' in data
    if quotes and (data.count(b'"') % 2 or _STRAY_QUOTE.search(data)):
        return None
    if any(cell.kind == INTEGERS for cell in cells.values()) and _HEXADECIMAL.search(data):
        return None
    if dialect.comments and (b"#" in data or b"%" in data):
        data = (_COMMENT if dialect.separator is None else _COMMENT_LINE).sub(b"", data)
    if dialect.separator is None:
        # a single blank between cells, and none around them
        data = data.translate(_BLANKS)
        while b"  " in data:
            data = data.replace(b"  ", b" ")
        data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(
                use_threads=False,
                block_size=min(len(data) + 1, _BLOCK_BYTES),
                skip_rows=skip,
                column_names=[str(column) for column in range(width)],
            ),
            arrow_csv.ParseOptions(
                delimiter=dialect.separator or " ",
                quote_char='"' if quotes else False,
                newlines_in_values=quotes,
            ),
            arrow_csv.ConvertOptions(
                column_types={str(column): cell.kind for column, cell in cells.items()},
                include_columns=[str(column) for column in cells],
                null_values=[],
            ),
        )
    except pa.ArrowInvalid:
        return None
    if not len(table):
        return None
    table = table.unify_dictionaries().combine_chunks()
    columns = {column: _stripped(table[str(column)].chunk(0)) for column in cells}
    wrong = (cells[column].first_wrong(values) for column, values in columns.items())
    return columns if all(row is None for row in wrong) else None


def read_rows(
    rows: Iterable[tuple[int, list[str]]], cells: Mapping[int, Cell], like: tuple[int, int]
) -> dict[int, pa.Array]:
    """Read columns row by row, and name the first line that is wrong; ``like`` as check_width."""
    found: dict[int, list[float | str]] = {column: [] for column in cells}
    for line, row in rows:
        check_width(line, row, like)
        for column, cell in cells.items():
            found[column].append(cell.read(line, row[column]))
    return {column: pa.array(found[column], cell.kind) for column, cell in cells.items()}


def _stripped(column: pa.Array) -> pa.Array:
    """Words without blanks around them; other columns as they are."""
    if column.type != WORDS:
        return column
    words = [word.strip() for word in column.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(column.indices, pa.array(words, pa.string()))


def to_array(column: pa.Array) -> np.ndarray:
    """Return numbers without nulls as NumPy's, or words as an array of objects.

    Arrow's own conversion would import pandas.

    >>> to_array(pa.array(["b", "a", "b"]).dictionary_encode()).tolist()
    ['b', 'a', 'b']
    """
    if pa.types.is_dictionary(column.type):
        return np.array(column.dictionary.to_pylist(), object)[to_array(column.indices)]
    kind = np.dtype(column.type.to_pandas_dtype())
    if not len(column):
        return np.empty(0, kind)
    return np.frombuffer(column.buffers()[1], kind, len(column), column.offset * kind.itemsize)


def is_table(graph: Any) -> bool:
    """Whether this is a table of pandas, Polars, DuckDB, Arrow or another engine."""
    return hasattr(graph, "__arrow_c_stream__")


def open_table(table: Any, owner: str) -> tuple[list[str], list[str], Iterator[pa.RecordBatch]]:
    """Return the names of the columns of a table of any engine, those of its index, and batches.

    Only pandas has an index; row numbers are none. ``owner`` names the table in messages.
    """
    try:
        reader = pa.RecordBatchReader.from_stream(table)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"{owner} cannot be read ({reason_of(error)}).") from None
    said = (reader.schema.pandas_metadata or {}).get("index_columns", [])
    index = [name for name in said if isinstance(name, str)]
    names = [name for name in reader.schema.names if name not in index]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"{owner} must have columns of different names, got {twice[0]!r} twice.")

    def batches() -> Iterator[pa.RecordBatch]:
        try:
            yield from reader
        except pa.ArrowException as error:
            raise InputError(f"{owner} cannot be read ({reason_of(error)}).") from None

    return names, index, batches()


def refuse_null(column: pa.Array, name: str, first: int = 0) -> None:
    """Refuse a column with a null, after a number of rows, and name its row from 1."""
    if column.null_count:
        row = first + column.is_null().index(True).as_py() + 1
        raise InputError(f"row {row}: the column {name!r} must hold a value, and it is null.")


def to_words(column: pa.Array, name: str) -> pa.Array:
    """Return the text of a column of any type, each word stored once."""
    try:
        if not pa.types.is_dictionary(column.type):
            column = column.cast(pa.large_string()).dictionary_encode()
        words = column.dictionary.cast(pa.string())
    except pa.ArrowException:
        raise InputError(
            f"the column {name!r} must hold text, or what can be written as text, got "
            f"{column.type}."
        ) from None
    return pa.DictionaryArray.from_arrays(column.indices.cast(pa.int32()), words)


def to_numbers(column: pa.Array, kind: pa.DataType) -> pa.Array | None:
    """Return a column as integers or numbers of 64 bits; None where it holds or has others."""
    is_coded = pa.types.is_dictionary(column.type)
    own = column.type.value_type if is_coded else column.type
    is_number = pa.types.is_integer(own) or (kind == NUMBERS and pa.types.is_floating(own))
    if not is_number and not (pa.types.is_decimal(own) and (kind == NUMBERS or own.scale == 0)):
        return None
    try:
        return (column.dictionary_decode() if is_coded else column).cast(kind)
    except pa.ArrowInvalid:
        return None


def read_matrix(path: Path, cell: Cell) -> np.ndarray:
    """Read lines of comma-separated numbers without a header, as in TU files, ``[rows, D]``."""
    data, dialect = read_text(path), Dialect(",", comments=True)
    _, first = next(table_rows(data, dialect), (0, None))
    if first is None:
        raise InputError("the file holds comments only.")
    columns = read_columns(data, dialect, dict.fromkeys(range(len(first)), cell))
    return np.stack(list(columns.values()), axis=1)


def read_columns(
    data: bytes, dialect: Dialect, cells: Mapping[int, Cell], *, header: bool = False
) -> dict[int, np.ndarray]:
    """Return the columns that ``cells`` names.

    In a table with a header, a column of numbers none of whose cells is one has words.
    """
    rows = table_rows(data, dialect)
    line, first = next(rows)
    columns = parse_columns(data, dialect, len(first), cells, line if header else 0)
    if columns is None:
        table = list(rows) if header else [(line, first), *rows]
        if not table:
            raise InputError("the file holds a header and no row.")
        for number, row in table:
            check_width(number, row, (line, len(first)))
        if header:
            texts = [at for at in cells if not any(is_number(row[at]) for _, row in table)]
            cells = {**cells, **dict.fromkeys(texts, WORD)}
        columns = read_rows(table, cells, (line, len(first)))
    return {at: to_array(column) for at, column in columns.items()}


def line_of_row(path: Path, row: int) -> int:
    """Return the number of the line that holds the given row of a matrix."""
    rows = table_rows(read_text(path), Dialect(",", comments=True))
    return next(itertools.islice(rows, row, None))[0]


def line_error(number: int, rule: str, text: str) -> InputError:
    """Return the error for one line: its number, the rule, and the text, shortened."""
    text = text.strip()
    shown = text if len(text) <= 40 else text[:39] + "…"
    return InputError(f"line {number}: {rule}, got {shown!r}.")


def check_width(number: int, cells: Sequence[str], like: tuple[int, int]) -> None:
    """Refuse a row of another width than that of the first row, given by its line and width."""
    if len(cells) != like[1]:
        rule = f"every line must have {like[1]} columns like line {like[0]}"
        raise line_error(number, rule, " ".join(cells))


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


def _decode(data: bytes, first: int) -> str:
    """Return text in UTF-8, whose first line has the number ``first``."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = first + data.count(b"\n", 0, error.start)
        raise InputError(
            f"line {number}: text in UTF-8 was expected, got the byte 0x{data[error.start]:02x}."
        ) from None
