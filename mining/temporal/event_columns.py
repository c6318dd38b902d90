"""The columns of listed occurrences and of their events: those of the input, as people read them.

Files keep the values of the input. What is shown has dates where times are numbers since 1970, and
the amounts of a column have the same decimals, and commas.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cached_property
from typing import Any

import numpy as np

from gomkcn.mining.structures.number_text import three_digits
from gomkcn.mining.structures.table_column import TableColumn
from gomkcn.mining.temporal.event_pattern import read_event_pattern
from gomkcn.mining.temporal.temporal_occurrences import TemporalOccurrences
from gomkcn_dgl.graphs.pattern_text import PatternText
from gomkcn_dgl.io.temporal_edges import TIME_UNITS
from gomkcn_dgl.runtime.tabular import plain_columns

# a row by the names of its columns
EventRow = dict[str, Any]

# digits behind the point that are shown; what has more, as a share, is written as it is
_MOST_DECIMALS = 6
# units of a duration in seconds, from the largest
_DURATIONS = {"d": 86_400, "h": 3600, "min": 60, "s": 1}


def event_rows(found: TemporalOccurrences, most: int) -> list[EventRow]:
    """The events of the first occurrences, up to ``most`` of these."""
    columns = plain_columns(found)
    number = most * len(found.edges)
    cells = zip(*(values[:number] for values in columns.values()), strict=True)
    rows = [dict(zip(columns, row, strict=True)) for row in cells]
    if found.unit:
        per_second = TIME_UNITS[found.unit]
        for row in rows:
            seconds = row[found.time] / per_second
            row[found.time] = datetime(1970, 1, 1) + timedelta(seconds=seconds)
    return rows


def event_columns(rows: list[EventRow], found: TemporalOccurrences) -> list[TableColumn[EventRow]]:
    """A column for each name; numbers that are compared have commas, as those with a point."""
    asked = {*_text_of(found).edge_attributes} - {found.time, *found.ends}
    return [_column(name, [row[name] for row in rows], name in asked) for name in found.columns()]


def _column(name: str, values: list[Any], is_quantity: bool) -> TableColumn[EventRow]:
    are_numbers = all(isinstance(value, (int, float, type(None))) for value in values)
    text = text_of_values(values, is_quantity)
    return TableColumn(
        name,
        name,
        "a column of the input",
        lambda row: row[name],
        lambda row: text(row[name]),
        is_left=not are_numbers,
    )


def text_of_values(values: list[Any], is_quantity: bool) -> Callable[[Any], str | None]:
    """How the values of a column are written, so that they line up.

    >>> [*map(text_of_values([1567.8, 12755.48], False), [1567.8, 12755.48])]
    ['1,567.80', '12,755.48']
    """
    # 1. what no date has is not written: the time of day, or seconds
    dates = [value for value in values if isinstance(value, datetime)]
    are_days = all(date.time() == time() for date in dates)
    unit = "seconds" if any(date.second for date in dates) else "minutes"
    unit = "auto" if any(date.microsecond for date in dates) else unit
    # 2. as many digits behind the point as one of the numbers has
    numbers = [value for value in values if isinstance(value, float) and np.isfinite(value)]
    written = [repr(value).partition(".")[2] for value in numbers]
    decimals = max((0 if digits == "0" else len(digits) for digits in written), default=0)
    are_plain = decimals <= _MOST_DECIMALS and all(map(str.isdigit, written))
    are_amounts = bool(numbers) or is_quantity

    def text(value: Any) -> str | None:
        if isinstance(value, datetime):
            return str(value.date()) if are_days else value.isoformat(" ", unit)
        if value is None or value != value:
            return None
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        # a number of an account has no commas
        if is_number and are_amounts and are_plain:
            return f"{value:,.{decimals}f}".replace("-", "−")
        return str(value)

    return text


def duration_text(length: float, in_seconds: bool) -> str:
    """A time between events, in the two largest units that it has.

    >>> duration_text(288_000, True), duration_text(0, True), duration_text(7, False)
    ('3 d 8 h', '0 s', '7')
    """
    if not in_seconds:
        return three_digits(length)
    if length and length < 1:
        return f"{length:.3g} s"
    left, parts = round(length), list[str]()
    for unit, seconds in _DURATIONS.items():
        number, left = divmod(left, seconds)
        if number:
            parts.append(f"{number} {unit}")
    return " ".join(parts[:2]) or "0 s"


@dataclass(frozen=True)
class OccurrenceRow:
    """A listed occurrence as a row: its number, who is each node, its events, its duration."""

    number: int
    nodes: tuple[str, ...]
    events: list[EventRow]
    since: list[float]
    duration: float


class ListedOccurrences:
    """The first listed occurrences, up to ``most``, as rows, with the columns of their table."""

    def __init__(self, found: TemporalOccurrences, most: int) -> None:
        self.found = found
        self.events = event_rows(found, most)
        self.event_columns = event_columns(self.events, found)
        self.pattern = _text_of(found)
        self.nodes = [*self.pattern.nodes]

    @property
    def are_in_seconds(self) -> bool:
        """Whether durations are in seconds, and not in the unit of numbers."""
        return self.found.times.dtype.kind == "M" or bool(self.found.unit)

    @cached_property
    def rows(self) -> list[OccurrenceRow]:
        """The occurrences, in the order of time."""
        size = len(self.found.edges)
        since = self._since
        return [
            OccurrenceRow(
                at,
                tuple(self._names(self.events[at * size : (at + 1) * size])),
                self.events[at * size : (at + 1) * size],
                since[at].tolist(),
                float(since[at].max()),
            )
            for at in range(len(self.events) // size)
        ]

    @cached_property
    def shared(self) -> list[tuple[str, int]]:
        """Who is in several of all listed occurrences, and in how many, the most first."""
        cells = self.found.columns()
        size = len(self.found.edges)
        first, second = (list(map(str, cells[name])) for name in self.found.ends)
        number: Counter[str] = Counter()
        for at in range(0, len(first), size):
            number.update({*first[at : at + size], *second[at : at + size]})
        return [(name, times) for name, times in number.most_common() if times > 1]

    @cached_property
    def value(self) -> str | None:
        """The column of amounts: the first number that the pattern asks for, else one with a point.

        None where there is none.
        """
        others = {self.found.time, *self.found.ends}
        named = dict.fromkeys([*self.pattern.edge_attributes, *self.found.cells])
        asked = {*self.pattern.edge_attributes}
        for name in named:
            values = [row.get(name) for row in self.events]
            numbers = [one for one in values if one is not None]
            are_numbers = numbers and all(isinstance(one, (int, float)) for one in numbers)
            is_float = any(isinstance(one, float) for one in numbers)
            if name not in others and are_numbers and (name in asked or is_float):
                return name
        return None

    @property
    def columns(self) -> list[TableColumn[OccurrenceRow]]:
        """Number, who, when, how long, and the first and the last amount."""
        by_name = {column.key: column for column in self.event_columns}
        columns: list[TableColumn[OccurrenceRow]] = [
            TableColumn("occurrence", "", "its number", lambda row: row.number)
        ]
        columns += [_node_column(at, node) for at, node in enumerate(self.nodes)]
        start = by_name[self.found.time]
        columns.append(
            TableColumn(
                "start",
                "start",
                "time of the first event",
                lambda row: start.value(_first(row)),
                lambda row: start.text_of(_first(row)),
                is_left=True,
            )
        )
        columns.append(
            TableColumn(
                "duration",
                "duration",
                "from the first to the last event",
                lambda row: row.duration,
                lambda row: duration_text(row.duration, self.are_in_seconds),
            )
        )
        if self.value is not None:
            amount = by_name[self.value]
            columns += [
                _amount_column("first", _first, amount),
                _amount_column("last", _last, amount),
            ]
        return columns

    def _names(self, events: list[EventRow]) -> list[str]:
        """Who is each node of the pattern."""
        named = {}
        for edge, event in zip(self.pattern.edges, events, strict=True):
            for node, end in zip(edge[:2], self.found.ends, strict=True):
                named[node] = str(event[end])
        return [named[node] for node in self.nodes]

    @property
    def _since(self) -> np.ndarray:
        """Seconds, or units of numbers, from the first event of each occurrence, float64 [K, m]."""
        times = self.found.times
        if not len(times):
            return np.empty(times.shape)
        since = times - times.min(axis=1, keepdims=True)
        if since.dtype.kind == "m":
            return np.asarray(since / np.timedelta64(1, "s"))
        return since / TIME_UNITS.get(self.found.unit, 1)


def _node_column(at: int, node: str) -> TableColumn[OccurrenceRow]:
    return TableColumn(node, node, "a node", lambda row: row.nodes[at], is_left=True)


def _amount_column(
    which: str, event: Callable[[OccurrenceRow], EventRow], amount: TableColumn[EventRow]
) -> TableColumn[OccurrenceRow]:
    """The amount of the first or the last event."""
    return TableColumn(
        f"{which} {amount.key}",
        f"{which}\n{amount.key}",
        f"of the {which} event",
        lambda row: amount.value(event(row)),
        lambda row: amount.text_of(event(row)) or None,
    )


def _text_of(found: TemporalOccurrences) -> PatternText:
    return read_event_pattern(found.pattern)


def _first(row: OccurrenceRow) -> EventRow:
    return row.events[int(np.argmin(row.since))]


def _last(row: OccurrenceRow) -> EventRow:
    # of several at the same time the last one
    return row.events[len(row.since) - 1 - int(np.argmax(row.since[::-1]))]
