"""Text files of rows → lines, CSV rows and pandas columns, with every bad line named by its number.

Messages start at the line; :func:`gomkcn_dgl.io.reading.read_graph` adds the name of the file.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.file_bytes import read_bytes

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_INTEGER = re.compile(r"[+-]?[0-9]+")
# a mark at the start of a line or after a blank; "C#" and "50%" are names
COMMENT = re.compile(rb"[#%](?<!\S[#%])[^\r\n]*")


def read_text(path: Path) -> bytes:
    """Return the bytes of a text file without a byte-order mark; NUL bytes are refused."""
    data = read_bytes(path).removeprefix(BYTE_ORDER_MARK)
    refuse_nul(data)
    return data


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


def read_csv_header(data: bytes) -> list[str]:
    """Return the column names in the first line of a CSV file."""
    _, header = next(csv_rows(data), (0, None))
    if header is None:
        raise InputError("the file holds blank lines and no header.")
    if all(is_number(name) for name in header):
        raise line_error(1, "the first line must name the columns", ",".join(header))
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise InputError(f"line 1: the columns must have different names, got {twice[0]!r} twice.")
    return header


def csv_rows(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file, header first, all of one width, with their line numbers."""
    yield from rows_of_lines(text_lines(data))


def text_lines(data: bytes, first: int = 1) -> Iterable[str]:
    """Return the lines of a text, each with its end; ``first`` is the number of the first one."""
    return io.StringIO(decode(data, first=first), newline="")


def rows_of_lines(
    lines: Iterable[str], first: int = 1, width: int | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of CSV lines, numbered from ``first``; ``width`` is that of the header."""
    reader = csv.reader(lines, strict=True, skipinitialspace=True)
    before = first - 1
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells) and len(cells) < 2:
                continue
            if width is None:
                width = len(cells)
            if len(cells) != width:
                rule = f"a row must have {width} columns like the header"
                raise line_error(before + reader.line_num, rule, ",".join(cells))
            yield before + reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        number = before + reader.line_num
        raise InputError(f"line {number}: the CSV is malformed ({error}).") from None


def parse_csv(data: bytes, width: int, kinds: Mapping[int, str]) -> pd.DataFrame | None:
    """Return the columns ``kinds`` names, parsed by pandas; None when some line does not fit."""
    if b'"' in data:
        return None
    # pandas drops the end of a row that is too long, so those are left to the slow path
    lines = data.splitlines(keepends=True)
    if any(line.count(b",") != width - 1 for line in lines if line.strip()):
        return None
    header, _ = next(csv_rows(data))
    return parse_table(data, ",", kinds, skiprows=header)


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


def parse_table(
    data: bytes, separator: str, kinds: Mapping[int, str], skiprows: int = 0
) -> pd.DataFrame | None:
    """Return the columns as pandas reads them, numbered; None when it cannot."""
    if b"\r" in data:
        # over some blank lines that end in \r pandas miscounts, and its version 2 takes all memory
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        frame = pd.read_csv(
            io.BytesIO(data),
            sep=separator,
            header=None,
            usecols=list(kinds) if skiprows else None,
            # asked for an int64, pandas would take 1.0 for 1, so the type of a number is inferred
            dtype={column: kind for column, kind in kinds.items() if kind == "str"},
            skiprows=skiprows,
            skipinitialspace=True,
            quoting=csv.QUOTE_NONE,
            na_filter=False,
            low_memory=False,
        )
    # also pandas' ParserError and EmptyDataError
    except (ValueError, OverflowError):
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
