"""The columns of the events of listed occurrences: those of the input, which only a run knows."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any

from gomkcn.mining.structures.table_column import TableColumn
from gomkcn.mining.temporal.temporal_occurrences import TemporalOccurrences
from gomkcn_dgl.runtime.tabular import plain_columns

# a row by the names of its columns
EventRow = dict[str, Any]


def event_rows(found: TemporalOccurrences, most: int) -> list[EventRow]:
    """The events of the first occurrences, up to ``most`` of these."""
    columns = plain_columns(found)
    number = most * len(found.edges)
    cells = zip(*(values[:number] for values in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in cells]


def event_columns(rows: list[EventRow]) -> list[TableColumn[EventRow]]:
    """A column for each name, as the values are written in the input."""
    names = list(rows[0]) if rows else []
    return [_column(name, [row[name] for row in rows]) for name in names]


def _column(name: str, values: list[Any]) -> TableColumn[EventRow]:
    are_numbers = all(isinstance(value, (int, float, type(None))) for value in values)
    # what no date has is not written: the time of day, or seconds
    dates = [value for value in values if isinstance(value, datetime)]
    are_days = all(date.time() == time() for date in dates)
    unit = "seconds" if any(date.second for date in dates) else "minutes"
    unit = "auto" if any(date.microsecond for date in dates) else unit

    def text(row: EventRow) -> str | None:
        value = row[name]
        if isinstance(value, datetime):
            return str(value.date()) if are_days else value.isoformat(" ", unit)
        # a number of an account has no commas
        return None if value is None or value != value else str(value)

    return TableColumn(
        name, name, "a column of the input", lambda row: row[name], text, is_left=not are_numbers
    )
