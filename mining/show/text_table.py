"""Tables and sentences in a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from shutil import get_terminal_size
from textwrap import fill, wrap
from typing import Any

from gomkcn.mining.structures.table_column import (
    Medium,
    Row,
    TableColumn,
    columns_in,
    plain_text,
)
from gomkcn_dgl.runtime.files import visible
from gomkcn_dgl.runtime.tabular import Tabular, plain_columns

# characters in a line: those of the terminal, but no more and no fewer than these; as many as can
# be where there is no terminal
_MOST_WIDTH, _LEAST_WIDTH = 100, 60
# characters of a column that is made narrower, so that its words can be read
_LEAST = 20
# of what is not known
NOT_KNOWN = "-"
# columns whose numbers are names
_IDS = ("graph", "node")
# lines of a long cell; its end is left out
_MOST_LINES = 6


# a text, or several under one another
Cell = str | tuple[str, ...]


def text_table(columns: Iterable[TableColumn[Row]], rows: Sequence[Row]) -> TextTable:
    """The table of some records in a terminal."""
    shown = columns_in(Medium.TERMINAL, columns, rows)
    standing = [column for column in shown if not _is_below(column)]
    titles = {column.key: _title(column) for column in standing}
    return TextTable(
        {titles[column.key]: [_cell(column, shown, row) for row in rows] for column in standing},
        {titles[column.key] for column in standing if column.is_left},
    )


def plain_table(table: Tabular) -> TextTable:
    """The table in a terminal of what has columns and no list of them: a row for each node.

    >>> from gomkcn_dgl.runtime.tabular import Table
    >>> print(plain_table(Table({"node": [1000], "orbit0": [2000]})))
    node  orbit0
    1000   2,000
    """
    columns = plain_columns(table)
    return TextTable(
        {
            name: [(str(cell) if name in _IDS else plain_text(cell)) or NOT_KNOWN for cell in cells]
            for name, cells in columns.items()
        },
        {name for name, cells in columns.items() if any(isinstance(cell, str) for cell in cells)},
    )


def _title(column: TableColumn[Any]) -> str:
    """What stands above a column, in small letters but for the end of names such as SD."""
    title = column.title.replace("\n", " ")
    return title[0].lower() + title[1:]


def _is_below(column: TableColumn[Any]) -> bool:
    return column.below is not None and bool(column.below.media & Medium.TERMINAL)


def _cell(column: TableColumn[Row], columns: Iterable[TableColumn[Row]], row: Row) -> Cell:
    """The text of a cell, and of the columns that stand below it."""
    lines = [column.text_of(row) or NOT_KNOWN]
    for other in columns:
        below = other.below
        if below is None or below.key != column.key or not below.media & Medium.TERMINAL:
            continue
        if text := other.text_of(row):
            lines.append(below.label.format(text))
    return lines[0] if len(lines) == 1 else tuple(lines)


@dataclass(frozen=True)
class TextTable:
    """Cells by column; ``left`` names the columns that are aligned to the left.

    A cell is text, or a tuple of texts under one another. A line stands above the row number
    ``line_above``, if any.
    """

    columns: Mapping[str, Sequence[Cell]]
    left: Collection[str]
    line_above: int | None = None

    @property
    def rows(self) -> list[tuple[Cell, ...]]:
        """The cells by row."""
        return list(zip(*self.columns.values(), strict=True))

    def __str__(self) -> str:
        """Align the columns within the terminal; long cells on the left take several lines."""
        # a name of the data may hold line breaks or terminal codes
        cells = {
            title: [[visible(text) for text in _texts(cell)] for cell in (title, *column)]
            for title, column in self.columns.items()
        }
        widths = {
            title: max(len(text) for cell in column for text in cell)
            for title, column in cells.items()
        }
        if _too_wide(widths):
            # titles take several lines
            for title, (_, *below) in cells.items():
                texts = [*title.split(), *(text for cell in below for text in cell)]
                widths[title] = max(map(len, texts))
        while _too_wide(widths):
            longest = max(self.left, key=lambda title: widths.get(title, 0), default="")
            if widths.get(longest, 0) <= _LEAST:
                break
            widths[longest] -= 1
        aligned = []
        for title, column in cells.items():
            pad = str.ljust if title in self.left else str.rjust
            lines = [
                [line for text in cell for line in _lines(text, widths[title])] for cell in column
            ]
            aligned.append([[pad(line, widths[title]) for line in cell] for cell in lines])
        blank = [" " * width for width in widths.values()]
        # the last lines of titles stand side by side
        height = max((len(title) for title, *_ in aligned), default=0)
        for padded in aligned:
            padded[0] = [""] * (height - len(padded[0])) + padded[0]
        rows = [
            "\n".join(
                "  ".join(part or empty for part, empty in zip(line, blank, strict=True)).rstrip()
                for line in zip_longest(*row, fillvalue="")
            )
            for row in zip(*aligned, strict=True)
        ]
        if self.line_above is not None:
            # below the titles
            rows.insert(1 + self.line_above, "-" * (sum(widths.values()) + 2 * (len(widths) - 1)))
        return "\n".join(rows)


def _lines(text: str, width: int) -> list[str]:
    """A text in lines of a width, without the end of a very long one."""
    lines = wrap(text, width, max_lines=_MOST_LINES, placeholder=" …", break_on_hyphens=False)
    return lines or [""]


def _width() -> int:
    """Characters in a line."""
    width = get_terminal_size((_MOST_WIDTH, 1)).columns
    return min(max(width, _LEAST_WIDTH), _MOST_WIDTH)


def _too_wide(widths: Mapping[str, int]) -> bool:
    return sum(widths.values()) + 2 * (len(widths) - 1) > _width()


def _texts(cell: Cell) -> tuple[str, ...]:
    return (cell,) if isinstance(cell, str) else cell


def paragraphs(parts: Iterable[str]) -> str:
    """Sentences within the width of a terminal and tables, with a line between them."""
    # tables have their lines already
    width = _width()
    return "\n\n".join(part if "\n" in part else fill(visible(part), width) for part in parts)
