"""A column of a table: its key, title, meaning, and the value and text of a row.

A list of columns stands beside each kind of record. Files, pages, the terminal, notebooks and the
documentation are made from these lists, so that a column is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Flag, auto
from typing import Any, Generic, TypeAlias, TypeVar, cast

from gomkcn_dgl.runtime.tabular import Table

Row = TypeVar("Row")
Outer = TypeVar("Outer")


class Medium(Flag):
    """Where a column is shown."""

    # CSV, Parquet, the table that a result returns, and what a page saves as CSV
    FILE = auto()
    PAGE = auto()
    TERMINAL = auto()
    NOTEBOOK = auto()


SHOWN = Medium.PAGE | Medium.TERMINAL | Medium.NOTEBOOK
EVERYWHERE = Medium.FILE | SHOWN


@dataclass(frozen=True)
class Number:
    """A number in a text: how it is written, and where it stands in the record of its row.

    A page writes the number with this place, see :class:`gomkcn.mining.show.page.Numbers`.
    """

    text: str
    path: tuple[str | int, ...]

    def __str__(self) -> str:
        return self.text


Part: TypeAlias = str | Number
# parts in a line; None where there is nothing to say
Text: TypeAlias = Part | tuple[Part, ...] | None


@dataclass(frozen=True)
class Below:
    """Where a column stands below the text of another one instead of in a place of its own.

    Attributes
    ----------
    key : str
        The column that it stands below.
    label : str
        What is written there, with ``{}`` for the text.
    media : Medium
        Where it stands there; elsewhere it is a column as others are.
    only_narrow : bool
        On a page, whether it stands there only where the page is too narrow for a column.
    """

    key: str
    label: str = "{}"
    media: Medium = SHOWN
    only_narrow: bool = False


@dataclass(frozen=True)
class TableColumn(Generic[Row]):
    """A column of a table whose rows are records.

    Attributes
    ----------
    key : str
        Its name in files and tables of Python.
    title : str
        What people read above it, as on a page; a line break is where its lines end there.
    meaning : str
        What it is, for the documentation.
    value : callable
        The value of a row; None for what is not known.
    text : callable or None
        The text of a row, whose numbers name their place in the record. None: the value.
    is_left : bool
        Whether it is aligned to the left, as words are.
    media : Medium
        Where it is shown.
    is_optional : bool
        Whether it is left out where no row has one.
    is_name : bool
        Whether it heads its row.
    is_main : bool
        Whether it is the number that a reader looks for first.
    bar : callable or None
        The length of a bar below the text on a page, from 0 to 1.
    hint : callable or None
        What a page says of a cell under the mouse.
    below : Below or None
        What it stands below in place of a column of its own.

    Examples
    --------
    >>> column = TableColumn[list[int]]("size", "Size", "number of entries", len)
    >>> column.text_of([7, 7]), column.value([7, 7])
    ('2', 2)
    """

    key: str
    title: str
    meaning: str
    value: Callable[[Row], Any]
    text: Callable[[Row], Text] | None = None
    is_left: bool = False
    media: Medium = EVERYWHERE
    is_optional: bool = False
    is_name: bool = False
    is_main: bool = False
    bar: Callable[[Row], float] | None = None
    hint: Callable[[Row], str] | None = None
    below: Below | None = None

    def parts(self, row: Row) -> tuple[Part, ...]:
        """The text of a row in parts; empty where there is nothing to say."""
        text = self.text(row) if self.text is not None else plain_text(self.value(row))
        if text is None:
            return ()
        return text if isinstance(text, tuple) else (text,)

    def text_of(self, row: Row) -> str:
        """The text of a row as a string; empty where there is nothing to say."""
        return "".join(map(str, self.parts(row)))

    def is_in(self, medium: Medium, rows: Sequence[Row]) -> bool:
        """Whether a table of these rows has the column."""
        if not self.media & medium:
            return False
        if not self.is_optional:
            return True
        if medium is Medium.FILE:
            return any(self.value(row) is not None for row in rows)
        return any(map(self.text_of, rows))

    def part_of(
        self, key: str, part: Callable[[Outer], Row | None], *path: str | int, **changes: Any
    ) -> TableColumn[Outer]:
        """The same column of a record that holds the row, or None, at a path.

        >>> column = TableColumn[int]("n", "N", "a number", lambda row: row)
        >>> column.part_of("first_n", lambda row: row[0]).value([5, 6])
        5
        """

        def value(outer: Outer) -> Any:
            row = part(outer)
            return None if row is None else self.value(row)

        def text(outer: Outer) -> Text:
            row = part(outer)
            if row is None:
                return None
            return tuple(
                replace(part, path=(*path, *part.path)) if isinstance(part, Number) else part
                for part in self.parts(row)
            )

        # a bar and a hint are of the record itself
        changes = {"bar": None, "hint": None, **changes}
        return cast(
            TableColumn[Outer],
            replace(self, **{"key": key, "value": value, "text": text, **changes}),
        )


def plain_text(value: Any) -> str | None:
    """A value as it is written where a column says no more of it.

    >>> plain_text(1234), plain_text(0.123456), plain_text(True), plain_text(None)
    ('1,234', '0.1235', 'yes', None)
    """
    if value is None or value != value:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def columns_in(
    medium: Medium, columns: Iterable[TableColumn[Row]], rows: Sequence[Row]
) -> list[TableColumn[Row]]:
    """The columns that a table of these rows has, those included that stand below others."""
    return [column for column in columns if column.is_in(medium, rows)]


def meanings(
    medium: Medium, columns: Iterable[TableColumn[Row]], rows: Sequence[Row], plain: Iterable[str]
) -> list[str]:
    """What each column of a table is, such as "Size: number of letters", but for ``plain`` ones.

    >>> size = TableColumn[str]("size", "Size", "number of letters", len)
    >>> meanings(Medium.PAGE, [size], ["a"], ())
    ['Size: number of letters']
    """
    return [
        f"{' '.join(column.title.split())}: {column.meaning}"
        for column in columns_in(medium, columns, rows)
        if column.key not in plain
    ]


def tabulate(columns: Iterable[TableColumn[Row]], rows: Sequence[Row]) -> Table:
    """The table of some records, for Python and for files.

    >>> size = TableColumn[str]("size", "Size", "number of letters", len)
    >>> tabulate([size], ["a", "bc"]).columns()
    {'size': [1, 2]}
    """
    shown = columns_in(Medium.FILE, columns, rows)
    return Table({column.key: [column.value(row) for row in rows] for column in shown})
