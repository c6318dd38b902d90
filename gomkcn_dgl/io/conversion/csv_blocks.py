"""A CSV file → its header and blocks of rows, in bounded memory."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.tables import parse_csv, read_csv_header, rows_of_lines, text_lines

# number of the first line, and bytes
Blocks = Iterator[tuple[int, bytes]]
Rows = Iterator[tuple[int, list[str]]]


@dataclass(frozen=True)
class CsvBlock:
    """Some rows of a CSV file, to be read in one of two ways.

    Attributes
    ----------
    data : bytes or None
        The header and these rows, for pandas; None where there are quotes, which can hide commas
        and ends of lines.
    rows : iterator of (int, list of str)
        Line number and cells of each row, made when they are asked for.
    """

    data: bytes | None
    rows: Rows

    def parse(self, width: int, kinds: Mapping[int, str]) -> pd.DataFrame | None:
        """Return the columns of ``kinds``, parsed by pandas; None when some line does not fit."""
        if self.data is None:
            return None
        # the lines of a block are not numbered as those of the file: the rows say which is wrong
        with contextlib.suppress(InputError):
            return parse_csv(self.data, width, kinds)
        return None


def read_csv_blocks(blocks: Blocks) -> tuple[list[str], Iterator[CsvBlock]]:
    """Return the column names of a CSV file and its rows behind them.

    Parameters
    ----------
    blocks : iterator of (int, bytes)
        Of :func:`gomkcn_dgl.io.conversion.text_blocks.text_blocks`.

    Raises
    ------
    InputError
        If the first line is no header.
    """
    head = b""
    for _, block in blocks:
        head += block
        if head.strip():
            break
    if b'"' in head:
        rows = rows_of_lines(_lines([(1, head)], blocks))
        _, names = next(rows, (0, []))
        quoted = (name.replace('"', '""') for name in names)
        header = read_csv_header(",".join(f'"{name}"' for name in quoted).encode())
        return header, iter([CsvBlock(None, rows)])
    header = read_csv_header(head)
    return header, _csv_blocks(itertools.chain([_behind_header(head)], blocks), header)


def _behind_header(head: bytes) -> tuple[int, bytes]:
    """Return the lines behind the first that is not blank, with the number of the first of them."""
    lines = head.splitlines(keepends=True)
    before = next(k for k, line in enumerate(lines) if line.strip()) + 1
    return before + 1, b"".join(lines[before:])


def _csv_blocks(blocks: Blocks, header: list[str]) -> Iterator[CsvBlock]:
    first_line, width = ",".join(header).encode() + b"\n", len(header)
    for number, block in blocks:
        # a quoted cell may hold an end of line, so blocks mean nothing from here on
        if b'"' in block:
            lines = _lines([(number, block)], blocks)
            yield CsvBlock(None, rows_of_lines(lines, number, width))
            return
        if block.strip():
            yield CsvBlock(first_line + block, _rows_of(number, block, width))


def _rows_of(number: int, block: bytes, width: int) -> Rows:
    yield from rows_of_lines(text_lines(block, number), number, width)


def _lines(before: Iterable[tuple[int, bytes]], blocks: Blocks) -> Iterator[str]:
    for number, block in itertools.chain(before, blocks):
        yield from text_lines(block, number)
