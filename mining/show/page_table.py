"""A list of columns → the heads and cells of a table on a page, and its rows as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from markupsafe import Markup, escape

from gomkcn.mining.structures.table_column import (
    Medium,
    Number,
    Row,
    TableColumn,
    Text,
    columns_in,
)
from gomkcn_dgl.runtime.files import visible

# the longest bar, in pixels
_BAR = 56
# characters of a text below a number that stays in a line
_SHORT = 14
# of what is not known
_DASH = "–"
# writes a number with its source, from its path in the record of a row and its text
NumberOf = Callable[..., Markup]


def plain_number(*path: str | int, text: str) -> Markup:
    """A number without its source, where no file has it."""
    return escape(text)


@dataclass(frozen=True)
class Small:
    """What stands below the number of a cell."""

    classes: str
    content: Markup


@dataclass(frozen=True)
class PageCell:
    """A cell: its classes, its content, what stands below it, a bar in pixels, and a hint."""

    classes: str
    content: Markup
    below: list[Small]
    bar: int
    hint: str


@dataclass(frozen=True)
class PageTable(Generic[Row]):
    """The columns of a table on a page, and those of the file that a reader saves."""

    columns: list[TableColumn[Row]]
    saved: list[TableColumn[Row]]

    @classmethod
    def of(cls, columns: Iterable[TableColumn[Row]], rows: Sequence[Row]) -> PageTable[Row]:
        """The table of some rows."""
        every = list(columns)
        return cls(
            columns_in(Medium.PAGE, every, rows),
            columns_in(Medium.FILE, every, rows),
        )

    @property
    def heads(self) -> list[TableColumn[Row]]:
        """The columns that have a place of their own, at least on a wide page."""
        return [column for column in self.columns if not _is_always_below(column)]

    @property
    def width(self) -> int:
        """Columns of the table; a name has a drawing beside it."""
        return len(self.heads) + sum(column.is_name for column in self.heads)

    def classes(self, column: TableColumn[Row]) -> str:
        """How a column is aligned, and whether a narrow page has it elsewhere."""
        aligned = "" if column.is_left else "n"
        return f"{aligned} opt".strip() if column.below is not None else aligned

    def cells(self, row: Row, number: NumberOf) -> list[PageCell]:
        """The cells of a row beside its name, whose numbers have a source."""
        return [self._cell(column, row, number) for column in self.heads if not column.is_name]

    def below_name(self, row: Row, number: NumberOf) -> list[Small]:
        """What stands below the name of a row."""
        return [
            small
            for column in self.columns
            if column.is_name
            for small in self._below(column, row, number)
        ]

    @property
    def csv_head(self) -> str:
        """The keys of the file that a reader saves."""
        return "|".join(column.key for column in self.saved)

    def csv_row(self, row: Row) -> list[Any]:
        """The values of a row in that file; empty where they are not known."""
        values = (column.value(row) for column in self.saved)
        return ["" if value is None or value != value else value for value in values]

    def _cell(self, column: TableColumn[Row], row: Row, number: NumberOf) -> PageCell:
        below = self._below(column, row, number)
        length = column.bar(row) if column.bar is not None else 0.0
        return PageCell(
            classes=" ".join(filter(None, [self.classes(column), *_classes_of(column.key)])),
            content=_content(column, row, number),
            below=below,
            bar=max(2, round(_BAR * length)) if column.bar is not None else 0,
            hint="" if column.hint is None else column.hint(row),
        )

    def _below(self, column: TableColumn[Row], row: Row, number: NumberOf) -> list[Small]:
        """What other columns say below a cell, and in it where the page is narrow."""
        found = []
        for other in self.columns:
            below = other.below
            if below is None or below.key != column.key or not below.media & Medium.PAGE:
                continue
            parts = other.parts(row)
            if parts:
                start, _, end = below.label.partition("{}")
                text = Markup("{}{}{}").format(start, written(parts, number), end)
                is_short = len(text.striptags()) <= _SHORT
                wide = "ci nb" if is_short else "ci"
                found.append(Small("only-narrow" if below.only_narrow else wide, text))
        return found


def _classes_of(key: str) -> list[str]:
    """Classes by which a style finds a column, such as ``c-z`` for each null model."""
    return [f"c-{part}" for part in key.split("_")]


def _is_always_below(column: TableColumn[Any]) -> bool:
    below = column.below
    return below is not None and bool(below.media & Medium.PAGE) and not below.only_narrow


def _content(column: TableColumn[Row], row: Row, number: NumberOf) -> Markup:
    """The text of a cell: the number, and what follows it in small."""
    parts = column.parts(row)
    if not parts:
        return escape(_DASH)
    first = next((at for at, part in enumerate(parts) if isinstance(part, Number)), len(parts))
    content = written(parts[: first + 1], number)
    if column.is_main:
        content = Markup('<span class="big">{}</span>').format(content)
    if rest := parts[first + 1 :]:
        content += Markup(' <small class="sd">{}</small>').format(written(rest, number).lstrip())
    return content


def written(text: Text, number: NumberOf) -> Markup:
    """A text, its numbers with their source."""
    parts = () if text is None else text if isinstance(text, tuple) else (text,)
    return Markup("").join(
        number(*part.path, text=part.text) if isinstance(part, Number) else escape(visible(part))
        for part in parts
    )
