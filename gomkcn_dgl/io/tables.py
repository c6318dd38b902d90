"""Text files of rows → lines, cells and pandas columns, with every bad line named by its number.

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

import numpy as np
import pandas as pd

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.file_bytes import read_bytes, read_pieces

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_INTEGER = re.compile(r"[+-]?[0-9]+")
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
) -> pd.DataFrame | None:
    """Return the columns ``kinds`` names, parsed by pandas; None when some line does not fit.

    The first ``skip`` lines are left out.
    """
    if dialect.quotes and b'"' in data:
        return None
    if dialect.separator is None:
        if b"#" in data or b"%" in data:
            data = COMMENT.sub(b"", data)
        # all columns, so that a line that is too short is noticed
        every = {column: kinds.get(column, "str") for column in range(width)}
        frame = parse_table(data, r"\s+", every, skip=skip)
        if frame is None:
            return None
        unused = [column for column in range(width) if column not in kinds]
        return None if (frame[unused] == "").any(axis=None) else frame
    if dialect.comments and (b"#" in data or b"%" in data):
        data = COMMENT_LINE.sub(b"", data)
    # pandas drops the end of a row that is too long, so those are left to the slow path
    if not _is_even(data, dialect.separator.encode(), width - 1):
        return None
    return parse_table(data, dialect.separator, kinds, list(kinds), skip)


def read_matrix(path: Path, kind: str) -> np.ndarray:
    """Read lines of comma-separated numbers without a header, as in TU files, ``[rows, D]``."""
    data = read_text(path)
    first = next(data_lines(data), None)
    if first is None:
        raise InputError("the file holds comments only.")
    width = first[1].count(b",") + 1
    frame = parse_table(data, ",", dict.fromkeys(range(width), kind))
    if frame is not None and np.isfinite(frame.to_numpy()).all():
        return frame.to_numpy()
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


def _is_even(data: bytes, separator: bytes, times: int) -> bool:
    """Whether the separator comes so often in each line that is not blank."""
    letters = np.frombuffer(data, np.uint8)
    ends = np.append(np.flatnonzero(letters == ord("\n")), len(data))
    before = np.searchsorted(np.flatnonzero(letters == ord(separator)), ends)
    counts = np.diff(before, prepend=0)
    # the last line may be empty
    if b"\r" not in data and (counts[:-1] == times).all() and counts[-1] in (0, times):
        return counts[-1] == times or not data[data.rfind(b"\n") + 1 :].strip()
    return all(line.count(separator) == times for line in data.splitlines() if line.strip())


def parse_table(
    data: bytes,
    separator: str,
    kinds: Mapping[int, str],
    columns: Sequence[int] | None = None,
    skip: int = 0,
) -> pd.DataFrame | None:
    """Return all columns, or some, as pandas reads them, numbered; None when it cannot."""
    if b"\r" in data:
        # over some blank lines that end in \r pandas miscounts, and its version 2 takes all memory
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        frame = pd.read_csv(
            io.BytesIO(data),
            sep=separator,
            header=None,
            usecols=columns,
            skiprows=skip,
            # asked for an int64, pandas would take 1.0 for 1, so the type of a number is inferred
            dtype={column: kind for column, kind in kinds.items() if kind == "str"},
            skipinitialspace=True,
            quoting=csv.QUOTE_NONE,
            na_filter=False,
            low_memory=False,
        )
    # also pandas' ParserError and EmptyDataError
    except (ValueError, OverflowError):
        return None
    if columns is None and frame.shape[1] != len(kinds):
        return None
    fitting = {"str": list(frame.dtypes), "int64": ("int64",), "float64": ("int64", "float64")}
    if any(frame.dtypes[column] not in fitting[kind] for column, kind in kinds.items()):
        return None
    return frame.astype(dict(kinds))


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
