"""A file of edges → tables of edges, one or more for each block of the file.

These are the rules of edge lists and CSV files, for a graph that is read into memory as well as for
one that is converted piece by piece. pandas parses a block, because it is fast; where it cannot,
the block is read row by row in Python, which also tells the number of the line that is wrong.

Two rules need the whole file: all lines have the same number of columns, and ids are integers only
where all of them are. A file is read as integers first and, at the first other id, anew as text.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.edge_table import (
    LONGEST_ID,
    EdgeRow,
    EdgeTable,
    edge_columns,
    edge_row,
    refuse_wide,
    scan_edge_list,
)
from gomkcn_dgl.io.parquet import parquet_blocks
from gomkcn_dgl.io.tables import (
    BYTE_ORDER_MARK,
    COMMENT,
    data_lines,
    is_int64,
    is_number,
    line_error,
    parse_csv,
    parse_table,
    read_csv_header,
    refuse_nul,
    rows_of_lines,
    text_lines,
)
from gomkcn_dgl.runtime.file_bytes import read_pieces

T = TypeVar("T")
# The number of its first line and the bytes of each block of whole lines.
Blocks = Iterator[tuple[int, bytes]]

_LONGEST_LINE = 2**24
_ROWS_PER_TABLE = 2**16
# Text of these bytes is split and stripped by pandas exactly as by Python.
_PLAIN = bytes([*b"\t\n\r", *range(32, 127)])


class _NotIntegersError(Exception):
    """A node id is no integer of 64 bits, so that all ids are text."""


def consume_edges(
    path: Path,
    format: str,
    consume: Callable[[Iterator[EdgeTable]], T],
    *,
    block_bytes: int = 2**24,
    block_rows: int = 2**16,
    progress: bool = False,
) -> T:
    """Return what a function makes of the edges of an edge list, a CSV or a parquet file.

    It gets tables of edges whose ids are int64 or, in all of them, object arrays of str; it is
    called again, for text, where an id in the middle of a file is no integer. About ``block_bytes``
    of text or ``block_rows`` of parquet are read at once.
    """
    if format == "parquet":
        return consume(parquet_blocks(path, block_rows))
    tables = _edge_list_tables if format == "edges" else _csv_tables
    for as_text in (False, True):
        with contextlib.suppress(_NotIntegersError):
            return consume(tables(_text_blocks(path, block_bytes, progress), as_text))
    raise AssertionError("every id is text")


def read_edges(path: Path, format: str) -> EdgeTable:
    """Read all edges of a file."""
    return consume_edges(path, format, lambda tables: _join_tables(tables, path, format))


def _join_tables(tables: Iterator[EdgeTable], path: Path, format: str) -> EdgeTable:
    sources, targets, weights = zip(
        *((table.source, table.target, table.weights) for table in tables), strict=True
    )
    source, target = np.concatenate(sources), np.concatenate(targets)
    if source.dtype == object:
        lengths = [len(name) for name in (*source, *target)]
        # equal ids are stored once in a parquet file
        refuse_wide(lengths, path.stat().st_size if format == "parquet" else sum(lengths))
        source, target = source.astype(str), target.astype(str)
    return EdgeTable(source, target, None if weights[0] is None else np.concatenate(weights))


def _text_blocks(path: Path, size: int, progress: bool) -> Blocks:
    """Cut a file, plain or ``.gz``, at ends of lines; skip blank blocks, refuse what is no text."""
    number, rest, is_blank = 1, b"", True
    for piece in itertools.chain(read_pieces(path, size, progress), [b""]):
        block, rest = _split_lines(rest + piece, is_end=not piece)
        content = block.removeprefix(BYTE_ORDER_MARK) if number == 1 else block
        if content.strip():
            is_blank = False
            refuse_nul(content, number)
            yield number, content
        number += block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n")
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


def _edge_list_tables(blocks: Blocks, as_text: bool) -> Iterator[EdgeTable]:
    first, width, num_edges, header = None, 0, 0, None
    for number, block in blocks:
        if first is None:
            first = next(data_lines(block, number), None)
            if first is None:
                continue
            width = len(first[1].split())
            _, u, v, _ = next(scan_edge_list(first[1], first[0]))
            if not as_text and not (is_number(u) and is_number(v)):
                # A header, or the first of many text ids: the other lines, read as integers, tell.
                header = f"{u} {v}"
                lines = block.splitlines(keepends=True)
                lines[first[0] - number] = b"\n"
                block = b"".join(lines)
        fast = _parse(block, range(width), as_text, _parse_edge_list)
        edges = scan_edge_list(block, number, (first[0], width))
        for table in _tables(fast, edges, as_text):
            num_edges += len(table.source)
            yield table
    if first is None:
        raise InputError("the file holds comments only, and no edge.")
    if header is not None:
        if not num_edges:
            raise _NotIntegersError
        rule = "the line looks like a header; put # before it or name the file .csv"
        raise line_error(first[0], rule, header)


def _csv_tables(blocks: Blocks, as_text: bool) -> Iterator[EdgeTable]:
    first = next(blocks)
    header = read_csv_header(first[1])
    columns, width = edge_columns(header), len(header)
    header_line = ",".join(header).encode() + b"\n"
    num_edges, header_rows = 0, 1
    for number, block in itertools.chain([first], blocks):
        data = block if header_rows else header_line + block
        fast = _parse(data, columns, as_text, lambda data, kinds: parse_csv(data, width, kinds))
        rows = itertools.islice(_csv_rows(number, block, blocks, width), header_rows, None)
        edges = (edge_row(line, [cells[column] for column in columns]) for line, cells in rows)
        for table in _tables(fast, edges, as_text):
            num_edges += len(table.source)
            yield table
        header_rows = 0
    if not num_edges:
        raise InputError("the file holds a header and no edge.")


def _csv_rows(
    number: int, block: bytes, blocks: Blocks, width: int
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a block; after a quote, which may hide ends of lines, of all blocks."""
    rest = blocks if b'"' in block else iter(())
    all_blocks = itertools.chain([(number, block)], rest)
    lines = itertools.chain.from_iterable(text_lines(data, first) for first, data in all_blocks)
    yield from rows_of_lines(lines, number, width)


def _parse_edge_list(block: bytes, kinds: dict[int, str]) -> pd.DataFrame | None:
    text = COMMENT.sub(b"", block) if b"#" in block or b"%" in block else block
    return parse_table(text, r"\s+", kinds)


def _parse(
    block: bytes,
    columns: Sequence[int],
    as_text: bool,
    parse: Callable[[bytes, dict[int, str]], pd.DataFrame | None],
) -> EdgeTable | None:
    """Read a block with pandas; None when some line does not fit."""
    if as_text and block.translate(None, _PLAIN):
        return None
    id_kind = "str" if as_text else "int64"
    try:
        frame = parse(block, dict(zip(columns, (id_kind, id_kind, "float64"), strict=False)))
    # The block has too few columns, or its lines are to be numbered from the start of the file.
    except (KeyError, InputError):
        return None
    if frame is None or frame.shape[1] != len(columns):
        return None
    weights = frame[columns[2]].to_numpy() if len(columns) == 3 else None
    if weights is not None and not (np.isfinite(weights) & (weights >= 0)).all():
        return None
    ends = [frame[column] for column in columns[:2]]
    if as_text:
        ends = [names.str.strip(" \t") for names in ends]
        if not all(names.str.len().between(1, LONGEST_ID).all() for names in ends):
            return None
        ends = [names.astype(object) for names in ends]
    return EdgeTable(ends[0].to_numpy(), ends[1].to_numpy(), weights)


def _tables(fast: EdgeTable | None, edges: Iterator[EdgeRow], as_text: bool) -> Iterator[EdgeTable]:
    """Yield what pandas read or, without that, tables of the edges that are read one by one."""
    if fast is not None:
        yield fast
        return
    while rows := list(itertools.islice(edges, _ROWS_PER_TABLE)):
        _, source, target, weights = zip(*rows, strict=True)
        if not as_text and not all(map(is_int64, (*source, *target))):
            raise _NotIntegersError
        if as_text:
            ids = np.array([source, target], object)
        else:
            ids = np.array([[*map(int, source)], [*map(int, target)]], np.int64)
        yield EdgeTable(ids[0], ids[1], None if weights[0] is None else np.array(weights))
