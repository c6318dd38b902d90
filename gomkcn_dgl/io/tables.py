"""Text files of rows → lines, cells and columns, with every bad line named by its number.

Messages start at the line; :func:`gomkcn_dgl.io.reading.read_graph` adds the name of the file.
"""

from __future__ import annotations

import csv
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

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import read_bytes, read_pieces

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_INTEGER = re.compile(r"[+-]?[0-9]+")
_HEXADECIMAL = re.compile(rb"0[xX]")
# a mark at the start of a line or after a blank; "C#" and "50%" are names
COMMENT = re.compile(rb"[#%](?<!\S[#%])[^\r\n]*")
COMMENT_LINE = re.compile(rb"^[ \t]*[#%][^\r\n]*|(?<=\r)[ \t]*[#%][^\r\n]*", re.MULTILINE)
# lines that tell the separator
_SAMPLE = 1000
# The number of its first line and the bytes of each block of whole lines.
Blocks = Iterator[tuple[int, bytes]]
_LONGEST_LINE = 2**24


def read_text(path: Path) -> bytes:
    """Return the bytes of a text file without a byte-order mark; NUL bytes are refused."""
    data = read_bytes(path).removeprefix(BYTE_ORDER_MARK)
    refuse_nul(data)
    return data


def text_blocks(path: Path, size: int, progress: bool = False) -> Blocks:
    """Cut a file, plain or ``.gz``, at ends of lines; skip blank blocks, refuse what is no text."""
    number, rest, is_blank = 1, b"", True
    for piece in itertools.chain(read_pieces(path, size, progress), [b""]):
        block, rest = _split_lines(rest + piece, is_end=not piece)
        content = block.removeprefix(BYTE_ORDER_MARK) if number == 1 else block
        if content.strip():
            is_blank = False
            refuse_nul(content, number)
            yield number, content
        number += count_lines(block)
    if is_blank:
        raise InputError("the file is empty.")


def _split_lines(data: bytes, is_end: bool) -> tuple[bytes, bytes]:
    """Return the complete lines and the beginning of the next line."""
    if is_end:
        return data, b""
    # A "\r" as the last byte may be half of "\r\n".
    cut = max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1
    if not cut and len(data) >= _LONGEST_LINE:
        raise InputError(f"a line must have fewer than {_LONGEST_LINE} bytes, got a longer one.")
    return data[:cut], data[cut:]


def refuse_nul(data: bytes, first: int = 1) -> None:
    """Refuse text with a NUL byte; ``first`` is the number of its first line."""
    position = data.find(b"\0")
    if position >= 0:
        line = first - 1 + len(data[: position + 1].splitlines())
        raise InputError(
            f"line {line}: text was expected, got a NUL byte; the file seems to be binary."
        )


def line_error(number: int, rule: str, text: str | bytes) -> InputError:
    """Return the error for one line: its number, the rule, and the text, shortened."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    text = text.strip()
    shown = text if len(text) <= 40 else text[:39] + "…"
    return InputError(f"line {number}: {rule}, got {shown!r}.")


def data_lines(data: bytes, first: int = 1) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are neither blank nor a comment, numbered from ``first``."""
    for number, line in enumerate(data.splitlines(), start=first):
        content = COMMENT.sub(b"", line).strip()
        if content:
            yield number, content


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


def find_dialect(data: bytes, is_csv: bool) -> Dialect:
    """Tell the separator from the first lines of a file; a CSV file has no comments."""
    lines = [text for text in COMMENT_LINE.sub(b"", data).splitlines() if text.strip()][:_SAMPLE]
    if is_csv:
        first = next((line for line in data.splitlines() if line.strip()), b"")
        counts = [first.count(separator.encode()) for separator in ",;\t"]
        return Dialect(",;\t"[counts.index(max(counts))], comments=False)
    # blanks separate numbers, and names that do not begin or end at another separator
    tokens = [line.split() for line in lines]
    even = len({len(row) for row in tokens}) == 1 and len(tokens[0]) > 1
    if even and all(is_number(cell.decode("utf-8", "replace")) for row in tokens for cell in row):
        return Dialect(None, comments=True)
    for separator in (b"\t", b";", b","):
        counts = [line.strip(b" ").count(separator) for line in lines]
        inside = even and not any(
            cell.startswith(separator) or cell.endswith(separator) for row in tokens for cell in row
        )
        if counts and min(counts) == max(counts) > 0 and (separator == b"\t" or not inside):
            return Dialect(separator.decode(), comments=True)
    return Dialect(None, comments=True)


def table_rows(
    lines: Iterable[bytes], dialect: Dialect, first: int = 1
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row with the number of its line, counted from ``first``.

    ``lines`` are pieces of text that each hold whole lines. Rows without a cell are left out.
    """
    if dialect.separator is None:
        for piece in lines:
            for number, line in data_lines(piece, first):
                yield number, [decode(cell, number) for cell in line.split()]
            first += count_lines(piece)
        return
    reader = csv.reader(
        _text_lines(lines, dialect.comments, first),
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


def _text_lines(pieces: Iterable[bytes], comments: bool, first: int) -> Iterator[str]:
    for piece in pieces:
        content = COMMENT_LINE.sub(b"", piece) if comments else piece
        yield from io.StringIO(decode(content, first=first), newline="")
        first += count_lines(piece)


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


def count_lines(data: bytes) -> int:
    """Return how many lines end in some text."""
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def parse_block(
    data: bytes, dialect: Dialect, width: int, kinds: Mapping[int, str], skip: int = 0
) -> dict[int, np.ndarray] | None:
    """Return the columns that ``kinds`` names, parsed by Arrow; None when some line does not fit.

    The first ``skip`` lines are left out.
    """
    if dialect.quotes and b'"' in data:
        return None
    if dialect.separator is not None:
        if dialect.comments and (b"#" in data or b"%" in data):
            data = COMMENT_LINE.sub(b"", data)
        return parse_table(data, dialect.separator, width, kinds, skip)
    if b"#" in data or b"%" in data:
        data = COMMENT.sub(b"", data)
    # a single blank between cells, and none around them
    data = _with_newlines(data).replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
    return parse_table(data, " ", width, kinds, skip)


def read_matrix(path: Path, kind: str) -> np.ndarray:
    """Read lines of comma-separated numbers without a header, as in TU files, ``[rows, D]``."""
    data = read_text(path)
    first = next(data_lines(data), None)
    if first is None:
        raise InputError("the file holds comments only.")
    width = first[1].count(b",") + 1
    columns = parse_table(data, ",", width, dict.fromkeys(range(width), kind))
    if columns is not None and all(np.isfinite(column).all() for column in columns.values()):
        return np.stack([*columns.values()], axis=1)
    rows = []
    for number, line in data_lines(data):
        cells = line.split(b",")
        if len(cells) != width:
            raise line_error(number, f"every line must have {width} columns like the first", line)
        rows.append([parse_cell(number, decode(cell, number).strip(), kind) for cell in cells])
    return np.array(rows, dtype=kind)


def line_of_row(path: Path, row: int) -> int:
    """Return the number of the line that holds the given row of a table without a header."""
    number, _ = next(itertools.islice(data_lines(read_text(path)), row, None))
    return number


def _with_newlines(data: bytes) -> bytes:
    r"""Text whose lines end in \n."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def parse_table(
    data: bytes, separator: str, width: int, kinds: Mapping[int, str], skip: int = 0
) -> dict[int, np.ndarray] | None:
    """Return some columns of lines of so many cells; None where a line or a cell does not fit.

    ``kinds`` are "int64" and "float64", or "str" for object arrays of text without blanks around.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    # Arrow takes 0x10 for 16
    if "int64" in kinds.values() and _HEXADECIMAL.search(data):
        return None
    data = _with_newlines(data)
    text = pa.dictionary(pa.int32(), pa.string())
    types = {"int64": pa.int64(), "float64": pa.float64(), "str": text}
    names = list(map(str, range(width)))
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            # one block, so that a column is one array
            arrow_csv.ReadOptions(
                use_threads=False, block_size=len(data) + 1, skip_rows=skip, column_names=names
            ),
            arrow_csv.ParseOptions(delimiter=separator, quote_char=False),
            arrow_csv.ConvertOptions(
                column_types={str(column): types[kind] for column, kind in kinds.items()},
                include_columns=list(map(str, kinds)),
                null_values=[],
            ),
        )
    except pa.ArrowException:
        return None
    return {column: _to_numpy(table[str(column)].chunk(0), kind) for column, kind in kinds.items()}


def _to_numpy(column: Any, kind: str) -> np.ndarray:
    """An Arrow array without nulls; its own conversion would import pandas."""
    if kind == "str":
        words = np.array([word.strip() for word in column.dictionary.to_pylist()], object)
        return np.asarray(words[_to_numpy(column.indices, "int32")])
    start = column.offset * np.dtype(kind).itemsize
    return np.frombuffer(column.buffers()[1], kind, len(column), start)


def csv_text(columns: Sequence[tuple[str, Sequence[Any]]]) -> str:
    """Return the content of a CSV file with these columns, each with its name."""
    file = io.StringIO()
    names, values = zip(*columns, strict=True)
    csv.writer(file, lineterminator="\n").writerows([names, *zip(*values, strict=True)])
    return file.getvalue()


def is_int64(text: str) -> bool:
    # int() refuses numbers of thousands of digits
    return bool(len(text) < 25 and _INTEGER.fullmatch(text) and -(2**63) <= int(text) < 2**63)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def check_weight(number: int, text: str) -> float:
    """Return an edge weight, or name its line."""
    weight = _finite(text)
    if weight is None or weight < 0:
        raise line_error(number, "an edge weight must be a finite number of at least 0", text)
    return weight


def parse_cell(number: int, text: str, kind: str) -> float:
    """Return one cell as an ``int64`` or a finite ``float64``, or name its line."""
    value = (int(text) if is_int64(text) else None) if kind == "int64" else _finite(text)
    if value is None:
        rule = "an integer was expected" if kind == "int64" else "a finite number was expected"
        raise line_error(number, rule, text)
    return value


def _finite(text: str) -> float | None:
    return float(text) if is_number(text) and math.isfinite(float(text)) else None


def decode(data: bytes, number: int | None = None, first: int = 1) -> str:
    """Return text in UTF-8, all of it in line ``number``, or its first line numbered ``first``."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if number is None:
            number = first - 1 + len(data[: error.start + 1].splitlines())
        raise InputError(
            f"line {number}: text in UTF-8 was expected, got the byte 0x{data[error.start]:02x}."
        ) from None
