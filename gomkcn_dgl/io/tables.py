"""Text files of rows → NumPy columns, with every bad line named by its number.

Each table is read twice at most: pandas first, because it is fast, and only when pandas refuses (or
the values break a rule) line by line, to say which line is wrong. The messages start at the line;
:func:`gomkcn_dgl.io.reading.read_graph` puts the name of the file in front.
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
from gomkcn_dgl.runtime.file_bytes import most_bytes, read_bytes

_NODE_COLUMNS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("u", "v"),
    ("id_1", "id_2"),
    ("node_1", "node_2"),
)
_WEIGHT_COLUMN = "weight"
LONGEST_ID = 1000

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_INTEGER = re.compile(r"[+-]?[0-9]+")
# a mark at the start of a line or after a blank; "C#" and "50%" are names
COMMENT = re.compile(rb"[#%](?<!\S[#%])[^\r\n]*")


# number of the line, the two ids as text, and the weight, if there are weights
EdgeRow = tuple[int, str, str, float | None]


@dataclass(frozen=True)
class EdgeTable:
    """Edges as a file names them.

    Attributes
    ----------
    source, target : numpy.ndarray
        ``[E]`` node ids, int64 or text.
    weights : numpy.ndarray or None
        float64 ``[E]``, finite and >= 0.
    """

    source: np.ndarray
    target: np.ndarray
    weights: np.ndarray | None


def read_text(path: Path) -> bytes:
    """Return the bytes of a text file without a byte-order mark; NUL bytes are refused."""
    data = read_bytes(path).removeprefix(BYTE_ORDER_MARK)
    refuse_nul(data)
    return data


def refuse_nul(data: bytes, first: int = 1) -> None:
    """Refuse text with a NUL byte; ``first`` is the number of its first line."""
    where = data.find(b"\0")
    if where >= 0:
        line = first - 1 + len(data[: where + 1].splitlines())
        raise InputError(
            f"line {line}: text was expected, got a NUL byte; the file seems to be binary."
        )


def line_error(number: int, rule: str, found: str | bytes) -> InputError:
    """Return the error for one line: its number, the rule, and the text, shortened."""
    if isinstance(found, bytes):
        found = found.decode("utf-8", "replace")
    found = found.strip()
    shown = found if len(found) <= 40 else found[:39] + "…"
    return InputError(f"line {number}: {rule}, got {shown!r}.")


def data_lines(data: bytes, first: int = 1) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are neither blank nor a comment, numbered from ``first``."""
    for number, line in enumerate(data.splitlines(), start=first):
        content = COMMENT.sub(b"", line).strip()
        if content:
            yield number, content


def read_edge_list(path: Path) -> EdgeTable:
    """Read lines ``u v [weight]`` separated by blanks, with ``#`` and ``%`` comments."""
    data = read_text(path)
    first = next(data_lines(data), None)
    if first is None:
        raise InputError("the file holds comments only, and no edge.")
    width = len(first[1].split())
    if width in (2, 3):
        kinds = {0: "int64", 1: "int64", 2: "float64"}
        frame = parse_table(
            COMMENT.sub(b"", data), r"\s+", {column: kinds[column] for column in range(width)}
        )
        table = None if frame is None else _edge_table(frame, *range(width))
        if table is not None:
            return table
    return _scan_edge_list(data)


def read_edge_csv(path: Path) -> EdgeTable:
    """Read a CSV file with a header that has two node columns and maybe ``weight``."""
    data = read_text(path)
    header = read_csv_header(data)
    wanted = edge_columns(header)
    kinds = dict(zip(wanted, ("int64", "int64", "float64"), strict=False))
    frame = parse_csv(data, len(header), kinds)
    table = None if frame is None else _edge_table(frame, *wanted)
    return _scan_edge_csv(data, wanted) if table is None else table


def read_csv_header(data: bytes) -> list[str]:
    """Return the column names in the first line of a CSV file."""
    found = next(csv_rows(data), None)
    if found is None:
        raise InputError("the file holds blank lines and no header.")
    header = found[1]
    if all(_is_number(name) for name in header):
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


def _edge_table(frame: pd.DataFrame, u: int, v: int, weight: int | None = None) -> EdgeTable | None:
    """Return the edges of a parsed file, or None when a weight breaks the rule."""
    weights = None if weight is None else frame[weight].to_numpy()
    if weights is not None and not (np.isfinite(weights) & (weights >= 0)).all():
        return None
    return EdgeTable(frame[u].to_numpy(), frame[v].to_numpy(), weights)


def _scan_edge_list(data: bytes) -> EdgeTable:
    """Read an edge list line by line: text ids, or a line that is wrong."""
    rows = list(scan_edge_list(data))
    source, target = _as_ids([(u, v) for _, u, v, _ in rows], rows[0][0])
    return EdgeTable(source, target, _weights_of(rows))


def scan_edge_list(
    data: bytes, first: int = 1, like: tuple[int, int] | None = None
) -> Iterator[EdgeRow]:
    """Yield the edges of an edge list whose first line has the number ``first``.

    ``like`` is the number and the width of the file's first edge, if that comes before.
    """
    for number, line in data_lines(data, first):
        tokens = [decode(token, number) for token in line.split()]
        like = like or (number, len(tokens))
        if not 2 <= len(tokens) <= 3:
            raise line_error(number, "an edge must have the form 'u v' or 'u v weight'", line)
        if len(tokens) != like[1]:
            rule = f"every line must have {like[1]} columns like line {like[0]}"
            raise line_error(number, rule, line)
        u, v = _check_id(number, tokens[0]), _check_id(number, tokens[1])
        yield number, u, v, check_weight(number, tokens[2]) if len(tokens) == 3 else None


def _scan_edge_csv(data: bytes, wanted: Sequence[int]) -> EdgeTable:
    """Read an edge CSV row by row: text ids, quoted cells, or a line that is wrong."""
    lines = csv_rows(data)
    next(lines)
    rows = list(scan_edge_csv(lines, wanted))
    if not rows:
        raise InputError("the file holds a header and no edge.")
    source, target = _as_ids([(u, v) for _, u, v, _ in rows], None)
    return EdgeTable(source, target, _weights_of(rows))


def scan_edge_csv(
    lines: Iterable[tuple[int, list[str]]], wanted: Sequence[int]
) -> Iterator[EdgeRow]:
    """Yield the edges in rows of a CSV file; ``wanted`` are its columns of nodes and weight."""
    for number, cells in lines:
        u, v = _check_id(number, cells[wanted[0]]), _check_id(number, cells[wanted[1]])
        yield number, u, v, check_weight(number, cells[wanted[2]]) if len(wanted) == 3 else None


def _weights_of(rows: Sequence[EdgeRow]) -> np.ndarray | None:
    return None if rows[0][3] is None else np.array([weight for *_, weight in rows])


def edge_columns(header: list[str]) -> list[int]:
    """Return the positions of the two node columns and of ``weight``, if there is one."""
    names = [name.lower() for name in header]
    weight = [names.index(_WEIGHT_COLUMN)] if _WEIGHT_COLUMN in names else []
    for u, v in _NODE_COLUMNS:
        if u in names and v in names:
            return [names.index(u), names.index(v), *weight]
    others = [column for column in range(len(names)) if column not in weight]
    if len(others) < 2:
        rule = "the header must name two node columns, such as source,target"
        raise line_error(1, rule, ",".join(header))
    return [*others[:2], *weight]


def _as_ids(rows: list[tuple[str, str]], start: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return node ids as int64 where all are integers, else as text; a header is refused."""
    whole = [all(is_int64(name) for name in row) for row in rows]
    if all(whole):
        ids = np.array([[int(u), int(v)] for u, v in rows], dtype=np.int64)
    elif start is not None and len(rows) > 1 and has_words(rows[0]) and all(whole[1:]):
        rule = "the line looks like a header; put # before it or name the file .csv"
        raise line_error(start, rule, " ".join(rows[0]))
    else:
        lengths = [len(name) for row in rows for name in row]
        refuse_wide(lengths, sum(lengths))
        ids = np.array(rows)
    return ids[:, 0], ids[:, 1]


def refuse_wide(lengths: Sequence[int], size: int) -> None:
    """Refuse a long id among many short ones, in a file with so many bytes of ids.

    In an array of text each has the room of the longest.
    """
    # 4 bytes a letter
    if 4 * max(lengths) * len(lengths) > most_bytes(size):
        raise InputError(
            f"the longest node id, of {max(lengths)} characters, is too long beside the others of "
            f"{len(lengths) // 2} edges; give that node a shorter id."
        )


def _check_id(number: int, name: str) -> str:
    if not 1 <= len(name) <= LONGEST_ID:
        raise line_error(number, f"a node id must have 1 to {LONGEST_ID} characters", name)
    return name


def has_words(row: tuple[str, str]) -> bool:
    """Whether not all of a row are numbers, as in a header; a number too large for int64 is one."""
    return not all(map(_is_number, row))


def is_int64(text: str) -> bool:
    # int() refuses numbers of thousands of digits
    return bool(len(text) < 25 and _INTEGER.fullmatch(text) and -(2**63) <= int(text) < 2**63)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def check_weight(number: int, text: str) -> float:
    """Return an edge weight, or name its line."""
    weight = float(text) if _is_number(text) else math.nan
    if not (math.isfinite(weight) and weight >= 0):
        raise line_error(number, "an edge weight must be a finite number of at least 0", text)
    return weight


def parse_cell(number: int, text: str, kind: str) -> float:
    """Return one cell as an ``int64`` or a finite ``float64``, or name its line."""
    if kind == "int64":
        if not is_int64(text):
            raise line_error(number, "an integer was expected", text)
        return int(text)
    value = float(text) if _is_number(text) else math.nan
    if not math.isfinite(value):
        raise line_error(number, "a finite number was expected", text)
    return value


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
