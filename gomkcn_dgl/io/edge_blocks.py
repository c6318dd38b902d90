"""A file of edges → tables of edges, one or more for each block of the file.

These are the rules of tables of edges, for a graph that is read into memory as well as for one that
is converted piece by piece. Arrow parses a block, because it is fast; where it cannot, the block
is read row by row in Python, which also tells the number of the line that is wrong.

Two rules need the whole file: all lines have the same number of columns, and ids are integers only
where all of them are. A file is read as integers first and, at the first other id, anew as text.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.edge_layout import EdgeLayout, EdgeOptions, read_layout
from gomkcn_dgl.io.edge_table import LONGEST_ID, EdgeTable, edge_row
from gomkcn_dgl.io.tables import Blocks, check_width, is_int64, parse_block, table_rows, text_blocks

T = TypeVar("T")

_ROWS_PER_TABLE = 2**16
# Text of these bytes is split and stripped by Arrow exactly as by Python.
_PLAIN = bytes([*b"\t\n\r", *range(32, 127)])


class _NotIntegersError(Exception):
    """A node id is no integer of 64 bits, so that all ids are text."""


def find_edge_layout(path: Path, format: str, options: EdgeOptions) -> EdgeLayout:
    """Tell the columns of an edge list, a CSV or a parquet file, and log them."""
    if format == "parquet":
        from gomkcn_dgl.io.parquet import parquet_layout

        layout = parquet_layout(path, options)
    else:
        layout = read_layout(path, format == "csv", options)
    layout.write_log()
    return layout


def consume_edges(
    path: Path,
    layout: EdgeLayout,
    consume: Callable[[Iterator[EdgeTable]], T],
    *,
    block_bytes: int = 2**24,
    block_rows: int = 2**16,
    progress: bool = False,
) -> T:
    """Return what a function makes of the edges of a file with this layout.

    It gets tables of edges whose ids are int64 or, in all of them, object arrays of str; it is
    called again, for text, where an id in the middle of a file is no integer. About ``block_bytes``
    of text or ``block_rows`` of parquet are read at once.
    """
    if layout.dialect is None:
        from gomkcn_dgl.io.parquet import parquet_blocks

        return consume(parquet_blocks(path, layout, block_rows))
    for as_text in (False, True):
        with contextlib.suppress(_NotIntegersError):
            return consume(_text_tables(text_blocks(path, block_bytes, progress), layout, as_text))
    raise AssertionError("every id is text")


def read_edges(path: Path, layout: EdgeLayout) -> EdgeTable:
    """Read all edges of a file."""
    return consume_edges(path, layout, _join_tables)


def _join_tables(tables: Iterator[EdgeTable]) -> EdgeTable:
    columns = zip(*(vars(table).values() for table in tables), strict=True)
    whole: Any = (None if part[0] is None else np.concatenate(part) for part in columns)
    joined = EdgeTable(*whole)
    if joined.source.dtype != object:
        return joined
    source, target = joined.source.astype(str), joined.target.astype(str)
    return replace(joined, source=source, target=target)


def _text_tables(blocks: Blocks, layout: EdgeLayout, as_text: bool) -> Iterator[EdgeTable]:
    num_edges = 0
    for number, block in blocks:
        fast = _parse(number, block, layout, as_text)
        rows = _rows(number, block, blocks, layout)
        for table in [fast] if fast is not None else _tables(rows, layout, as_text):
            num_edges += len(table.source)
            yield table
    if not num_edges:
        raise InputError("the file holds a header and no edge.")


def _rows(
    number: int, block: bytes, blocks: Blocks, layout: EdgeLayout
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a block; after a quote, which may hide ends of lines, of all blocks."""
    assert layout.dialect is not None, "parquet has no text"
    rest: Iterable[tuple[int, bytes]] = ()
    if layout.dialect.quotes and b'"' in block:
        rest = blocks
    pieces = itertools.chain([(number, block)], rest)
    like = layout.first_line, len(layout.names)
    for line, cells in _numbered_rows(pieces, layout):
        check_width(line, cells, like)
        if line > layout.header:
            yield line, cells


def _numbered_rows(
    pieces: Iterator[tuple[int, bytes]], layout: EdgeLayout
) -> Iterator[tuple[int, list[str]]]:
    assert layout.dialect is not None, "parquet has no text"
    first, block = next(pieces)
    yield from table_rows(
        itertools.chain([block], (piece for _, piece in pieces)), layout.dialect, first
    )


def _parse(number: int, block: bytes, layout: EdgeLayout, as_text: bool) -> EdgeTable | None:
    """Read a block with Arrow; None when some line does not fit."""
    assert layout.dialect is not None, "parquet has no text"
    if (as_text or layout.relation is not None) and block.translate(None, _PLAIN):
        return None
    kinds = dict.fromkeys(layout.used, "float64")
    kinds |= dict.fromkeys(layout.ends, "str" if as_text else "int64")
    if layout.relation is not None:
        kinds[layout.relation] = "str"
    skip = max(0, layout.header + 1 - number)
    columns = parse_block(block, layout.dialect, len(layout.names), kinds, skip)
    if columns is None:
        return None
    # in a block of many names, few are different
    names = {name for one in columns.values() if one.dtype == object for name in one.tolist()}
    if not all(1 <= len(name) <= LONGEST_ID for name in names):
        return None
    source, target = (columns[end] for end in layout.ends)
    relation = None if layout.relation is None else columns[layout.relation]
    weights = None if layout.weight is None else columns[layout.weight]
    if weights is not None and not (np.isfinite(weights) & (weights >= 0)).all():
        return None
    return EdgeTable(source, target, weights, relation)


def _tables(
    rows: Iterator[tuple[int, list[str]]], layout: EdgeLayout, as_text: bool
) -> Iterator[EdgeTable]:
    """Yield tables of rows that are read one by one."""
    while part := [edge_row(*row, layout) for row in itertools.islice(rows, _ROWS_PER_TABLE)]:
        source, target, weights, relation = zip(*part, strict=True)
        if not as_text and not all(map(is_int64, (*source, *target))):
            raise _NotIntegersError
        if as_text:
            ids = np.array([source, target], object)
        else:
            ids = np.array([[*map(int, source)], [*map(int, target)]], np.int64)
        yield EdgeTable(
            ids[0],
            ids[1],
            None if layout.weight is None else np.array(weights),
            None if layout.relation is None else np.array(relation, object),
        )
