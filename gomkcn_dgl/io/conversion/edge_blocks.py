"""A file of edges → tables of edges, one for each block of the file, in bounded memory.

The rules and the messages are those of ``io/edge_table.py``, whose functions read each block. What
they decide for a whole file is decided here over all blocks: the number of columns, and whether the
ids are integers. A file of integers is read as such; the first id that is none raises
:class:`NotIntegersError`, and the file is read anew as text.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.conversion.csv_blocks import Blocks, Rows, read_csv_blocks
from gomkcn_dgl.io.conversion.text_blocks import text_blocks
from gomkcn_dgl.io.edge_table import (
    LONGEST_ID,
    EdgeRow,
    EdgeTable,
    edge_columns,
    has_words,
    scan_edge_csv,
    scan_edge_list,
)
from gomkcn_dgl.io.tables import COMMENT, data_lines, is_int64, line_error, parse_table

# what pandas splits and strips as Python does: ASCII without control characters but \t \n \r
_PLAIN = bytes([*b"\t\n\r", *range(32, 127)])
_ROWS_AT_ONCE = 2**16


class NotIntegersError(Exception):
    """Some node id is no integer of 64 bits, so all ids are text."""


def edge_blocks(
    path: Path,
    format: str,
    block_bytes: int,
    as_text: bool,
    on_progress: Callable[[int], Any] = lambda position: None,
) -> Iterator[EdgeTable]:
    """Yield the edges of a file, block by block.

    Parameters
    ----------
    path : pathlib.Path
    format : {"edges", "csv"}
    block_bytes : int
        Bytes of the file read in one go, about.
    as_text : bool
        Take ids as text (object arrays of str) rather than as int64.
    on_progress : callable
        Told the position in the file after each block.

    Raises
    ------
    InputError
        As the readers of a whole file.
    NotIntegersError
        If an id is no integer and ``as_text`` is not set.
    """
    blocks = text_blocks(path, block_bytes, on_progress)
    return (_list_blocks if format == "edges" else _csv_blocks)(blocks, as_text)


def _list_blocks(blocks: Blocks, as_text: bool) -> Iterator[EdgeTable]:
    like: tuple[int, int] | None = None
    header = _HeaderCheck()
    for number, block in blocks:
        if like is None:
            first = next(data_lines(block, number), None)
            if first is None:
                continue
            like = (first[0], len(first[1].split()))
        table = _parse_list(block, like[1], as_text)
        if table is None:
            table = _gather(scan_edge_list(block, number, like), as_text)
        if table is None:
            continue
        if as_text:
            header.subgraphs_around(table)
        yield table
    if like is None:
        raise InputError("the file holds comments only, and no edge.")
    header.finish(like[0])


class _HeaderCheck:
    """Whether only the first row of an edge list is text: then it looks like a header."""

    def __init__(self) -> None:
        self.first: tuple[str, str] | None = None
        self.num_rows, self.may_be = 0, True

    def subgraphs_around(self, table: EdgeTable) -> None:
        start = 0
        if self.first is None:
            self.first, start = (table.source[0], table.target[0]), 1
            self.may_be = has_words(self.first)
        self.num_rows += len(table.source)
        self.may_be = self.may_be and all(
            all(map(is_int64, ids[start:])) for ids in (table.source, table.target)
        )

    def finish(self, line: int) -> None:
        if self.first is not None and self.may_be and self.num_rows > 1:
            rule = "the line looks like a header; put # before it or name the file .csv"
            raise line_error(line, rule, " ".join(self.first))


def _parse_list(block: bytes, width: int, as_text: bool) -> EdgeTable | None:
    """Read a block by pandas; None when some line does not fit."""
    if width not in (2, 3) or (as_text and not _is_plain(block)):
        return None
    if b"#" in block or b"%" in block:
        block = COMMENT.sub(b"", block)
    kinds = dict(enumerate(("str", "str") if as_text else ("int64", "int64")))
    if width == 3:
        kinds[2] = "float64"
    try:
        frame = parse_table(block, r"\s+", kinds)
    # the block has fewer columns
    except KeyError:
        return None
    if frame is None or frame.shape[1] != width:
        return None
    return _table_of(frame, range(width), as_text)


def _csv_blocks(blocks: Blocks, as_text: bool) -> Iterator[EdgeTable]:
    header, csv_blocks = read_csv_blocks(blocks)
    wanted = edge_columns(header)
    kinds = dict(zip(wanted, (*(["str" if as_text else "int64"] * 2), "float64"), strict=False))
    num_edges = 0
    for block in csv_blocks:
        is_plain = not as_text or (block.data is not None and _is_plain(block.data))
        frame = block.parse(len(header), kinds) if is_plain else None
        table = None if frame is None else _table_of(frame, wanted, as_text)
        pieces = _csv_rows(block.rows, wanted, as_text) if table is None else [table]
        for piece in pieces:
            num_edges += len(piece.source)
            yield piece
    if not num_edges:
        raise InputError("the file holds a header and no edge.")


def _csv_rows(rows: Rows, wanted: Sequence[int], as_text: bool) -> Iterator[EdgeTable]:
    edges = scan_edge_csv(rows, wanted)
    while True:
        table = _gather(itertools.islice(edges, _ROWS_AT_ONCE), as_text)
        if table is None:
            return
        yield table


def _is_plain(text: bytes) -> bool:
    return not text.translate(None, _PLAIN)


def _table_of(frame: pd.DataFrame, wanted: Sequence[int], as_text: bool) -> EdgeTable | None:
    """Return the columns of a block; None when a value breaks a rule."""
    weights = frame[wanted[2]].to_numpy() if len(wanted) == 3 else None
    if weights is not None and not (np.isfinite(weights) & (weights >= 0)).all():
        return None
    ends = [frame[column] for column in wanted[:2]]
    if as_text:
        ends = [names.str.strip(" \t") for names in ends]
        if not all(names.str.len().between(1, LONGEST_ID).all() for names in ends):
            return None
        ends = [names.astype(object) for names in ends]
    return EdgeTable(ends[0].to_numpy(), ends[1].to_numpy(), weights)


def _gather(edges: Iterable[EdgeRow], as_text: bool) -> EdgeTable | None:
    """Return edges that were read one by one; None for none."""
    rows = []
    for row in edges:
        if not (as_text or (is_int64(row[1]) and is_int64(row[2]))):
            raise NotIntegersError
        rows.append(row)
    if not rows:
        return None
    names = ([row[1] for row in rows], [row[2] for row in rows])
    if as_text:
        source, target = (np.array(ends, object) for ends in names)
    else:
        source, target = (np.array(list(map(int, ends)), np.int64) for ends in names)
    weights = None if rows[0][3] is None else np.array([row[3] for row in rows], np.float64)
    return EdgeTable(source, target, weights)
