"""Edges with times: from a file, a table or a NetworkX graph to arrays in the order of the times.

Times are numbers, such as Unix seconds, or timestamps. They are kept as they are, as whole numbers
of ticks, a power of ten of which is a unit of the numbers, or a second of timestamps. A window is a
number in their unit, or a text such as "1h".
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.edge_bounds import Bounds, EdgeBounds
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph_content import (
    NONE,
    READING,
    Column,
    ColumnChoice,
    check_edge_attributes,
)
from gomkcn_dgl.io.column_names import TIMES, is_time
from gomkcn_dgl.io.dates import FIRST_NUMBERED, LAST_NUMBERED, are_dates
from gomkcn_dgl.io.edge_layout import EdgeLayout, find_layout, holds_data
from gomkcn_dgl.io.edge_tables import number_nodes, open_edges
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.parquet_tables import open_parquet
from gomkcn_dgl.io.table_form import shown
from gomkcn_dgl.io.tables import Source, is_table, open_stream
from gomkcn_dgl.messages import Argument, Message
from gomkcn_dgl.runtime.files import listed, named, printable, reason_of
from gomkcn_dgl.timestamps import stamps_of, with_year_first

log = logging.getLogger("gomkcn_dgl")

# dates as numbers, of which each unit of the first is so many: with minutes, or with seconds
_NUMBERED_FORMS = {"%Y%m%d": 1, "%Y%m%d%H%M": 10**4, "%Y%m%d%H%M%S": 10**6}
_WINDOW = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(s|min|h|d|w)?")
# the units of a window in seconds
_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
# units of NumPy's timedelta64 that have a fixed length, in seconds
_OF_NUMPY = {
    **{"W": Fraction(604_800), "D": Fraction(86_400), "h": Fraction(3600), "m": Fraction(60)},
    **{unit: Fraction(1, 1000**power) for power, unit in enumerate(("s", "ms", "us", "ns", "ps"))},
}
# units of times that are numbers: how many are in a second, and what they are called
TIME_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_UNIT_NAMES = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
# 1990 and 2100 in Unix seconds: the numbers of these dates in one unit are those of no date in
# another, so that the size of times tells their unit
_FIRST_DATE = 631_152_000
_LAST_DATE = 4_102_444_800
# what columns hold
_ROLES = ("source", "target", "time")
# digits behind the point of times that are kept as they are: nanoseconds of seconds
_MOST_DIGITS = 9
# whole numbers that a float64 tells from their neighbours
_EXACT_FLOAT = 2**53
# all digits that a float64 can have in decimals, before and behind the point
_DIGITS_OF_A_FLOAT = 1100
# letters of a number that has no more digits than a float64 tells apart, and a point
_FEW_LETTERS = 16
# digits behind those of nanoseconds
_BELOW_NANOSECONDS = re.compile(r"\.[0-9]{9}[0-9]*[1-9]")


@dataclass(frozen=True, eq=False)
class TemporalEdges:
    """Edges in the order of their times, and where these are equal in the order of the input.

    Attributes
    ----------
    source, target : numpy.ndarray
        int64 ``[E]``, numbers of nodes from 0.
    times : numpy.ndarray
        int64, or uint64 where one is over 2⁶³ - 1, ``[E]``, ascending, in ticks. float64 where
        numbers have more than nine digits behind the point.
    num_nodes : int
        Nodes that have an edge to another node.
    ticks : int
        Ticks in a unit of the times as they were given, which is a second of timestamps.
    unit : str
        The unit of times that are numbers, ``"s"``, ``"ms"``, ``"us"`` or ``"ns"``, where a window
        has a unit of its own.
    unit_note : str
        How ``unit`` is known; empty for timestamps.
    are_since_1970 : bool
        Whether times that are numbers are all dates from 1990 to 2099 in ``unit``.
    are_timestamps : bool
        Whether the times are timestamps, since 1970, and no numbers.
    rows : numpy.ndarray
        int64 ``[E]``, the row of each edge in the input, from 1; a header is none.
    names : sequence
        What the input calls each node, ``[V]``.
    ends, time : tuple of str, str
        What the input calls the columns of the two ends, and that of the times.
    columns : mapping of str to sequence
        All columns of the input by name, a value for each of its rows and None where there is none.
        Empty unless they were read.
    notes : tuple of str
        What was left out.
    """

    source: np.ndarray
    target: np.ndarray
    times: np.ndarray
    num_nodes: int
    ticks: int = 1
    unit: str = "s"
    unit_note: str = ""
    are_since_1970: bool = False
    are_timestamps: bool = False
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    names: Sequence[Any] = ()
    ends: tuple[str, str] = ("source", "target")
    time: str = "time"
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def column(self, name: str) -> list[Any]:
        """A column of the input, a value for each edge."""
        values = self.columns[name]
        return [values[row - 1] for row in self.rows.tolist()]

    def window(self, window: float | str | timedelta | np.timedelta64) -> int | float:
        """A window in ticks, exactly; rounded to a float where the times are floats.

        A number is in the unit of the times as they were given, that of timestamps is the second.
        A text may end in s, min, h, d or w; a timedelta of Python, NumPy or pandas has a unit, too.
        """
        length = Window.read(window)
        ticks = length.number * self.ticks * (TIME_UNITS[self.unit] if length.has_unit else 1)
        # whole times are compared as whole numbers
        return float(ticks) if self.times.dtype.kind == "f" else math.floor(ticks)

    def last_within(self, window: float) -> np.ndarray:
        """The last edge at most a window, in ticks, after each edge, int64 ``[E]``."""
        times: np.ndarray = self.times
        if not len(times) or times.dtype.kind == "f":
            with np.errstate(over="ignore"):
                return np.searchsorted(times, times + window, "right") - 1
        # since the first edge, which is less than 2**64 of any two whole numbers of 64 bits
        bits = times.astype(np.uint64)
        since = bits - bits[0]
        left = since[-1] - since
        reach = np.minimum(left, np.uint64(min(int(window), int(since[-1]))))
        return np.searchsorted(since, since + reach, "right") - 1


class Window(NamedTuple):
    """The length of a window, exactly, in seconds where it has a unit."""

    number: Fraction
    has_unit: bool

    @classmethod
    def read(cls, window: Any) -> Window:
        """Read what may be given as a window, or refuse it.

        >>> Window.read("1.5h")
        Window(number=Fraction(5400, 1), has_unit=True)
        """
        found = Fraction(-1)
        has_unit = True
        match = _WINDOW.fullmatch(window.strip()) if isinstance(window, str) else None
        if match is not None:
            found = Fraction(match[1]) * _SECONDS[match[2] or "s"]
            has_unit = bool(match[2])
        elif isinstance(window, timedelta):
            # a Timedelta of pandas has nanoseconds beside those of Python
            nanoseconds = getattr(window, "nanoseconds", 0)
            found = Fraction(window // timedelta(microseconds=1), 10**6)
            found += Fraction(nanoseconds, 10**9)
        elif isinstance(window, np.timedelta64):
            unit, step = np.datetime_data(window.dtype)
            if unit in _OF_NUMPY and not np.isnat(window):
                found = _OF_NUMPY[unit] * step * int(window.astype(np.int64))
        elif isinstance(window, (int, np.integer)) and not isinstance(window, bool):
            found = Fraction(int(window))
            has_unit = False
        elif isinstance(window, (float, np.floating)) and np.isfinite(window):
            found = Fraction(float(window))
            has_unit = False
        # longer ones are no float, and no window has use for them
        if not 0 <= found <= 10**280:
            raise InputError(
                "window",
                "must be a number of at least 0, or one that ends in s, min, h, d or w, such as "
                "'1h'",
                got=shown(window) if isinstance(window, str) else repr(window),
            )
        return cls(found, has_unit)


def read_temporal_edges(
    graph: Any,
    *,
    source: Column | None = None,
    target: Column | None = None,
    bipartite: bool | None = None,
    time: Column | None = None,
    time_unit: str | None = None,
    minimum: Bounds | None = None,
    maximum: Bounds | None = None,
    with_columns: bool = False,
) -> TemporalEdges:
    """Read edges with times.

    Parameters
    ----------
    graph : path, table, networkx.Graph or TemporalEdges
        A text file (plain or .gz), CSV or parquet; a table that has columns as pandas, Polars,
        DuckDB or Arrow have them; or a directed graph of NetworkX whose edges have a ``time``.
    source, target, time : str or int, optional
        Columns, by name or by number from 1. By default they are told by the header; in a table
        without one they are the first three, or times are the first if they ascend and the two
        columns behind them share nodes. Of a NetworkX graph, ``time`` is an attribute.
    bipartite : bool, optional
        Whether the two columns have nodes of their own, see :func:`gomkcn.read_graph`.
    time_unit : str, optional
        The unit of times that are numbers, ``"s"``, ``"ms"``, ``"us"`` or ``"ns"``, for windows
        that have a unit. None: the one in which all times are dates from 1990 to 2099, else the
        second. Numbers that all are dates as 20240131 is one are dates, unless a unit is given.
    minimum, maximum : mapping or sequence of str, optional
        The least and the most value of columns, or of attributes, see :func:`gomkcn.read_graph`.
    with_columns : bool
        Whether all columns of the input are kept, for conditions on them and to list them.

    Raises
    ------
    InputError
        For a column that is not there, and for a time that is none or cannot be kept as it is, with
        its row.

    Examples
    --------
    >>> import pandas as pd
    >>> mail = pd.DataFrame({"from": ["a", "b"], "to": ["b", "a"], "time": [7, 5]})
    >>> read_temporal_edges(mail).times.tolist()
    [5, 7]
    """
    if time_unit is not None:
        check_choice("time_unit", time_unit, TIME_UNITS)
    if isinstance(graph, TemporalEdges):
        given: dict[str, Any] = {"source": source, "target": target, "time": time}
        given |= {"bipartite": bipartite, "time_unit": time_unit}
        given |= {"minimum": minimum, "maximum": maximum}
        if with_columns and not graph.columns and len(graph.times):
            raise InputError(
                "graph",
                "must have all columns of its table",
                way_out="read_temporal_edges(table, with_columns=True) keeps them",
            )
        name = next((name for name, value in given.items() if value is not None), None)
        if name is not None:
            raise InputError(name, "is for edges that are still to be read", way_out="leave it out")
        return graph
    bounds = EdgeBounds.read(minimum, maximum)
    choice = ColumnChoice(
        source=source,
        target=target,
        bipartite=bipartite,
        relation=NONE,
        weight=NONE,
        bounds=bounds,
    )
    if isinstance(graph, (str, Path)):
        path = Path(graph)
        with named(path):
            file = InputFile(path)
            is_csv = file.ending in (".csv", ".tsv")
            is_parquet = file.ending == ".parquet"
            table = open_parquet(file) if is_parquet else open_edges(file, choice, is_csv=is_csv)
            return _of_table(table, choice, time, time_unit, with_columns=with_columns)
    if is_table(graph):
        table = open_stream(graph, "the table of edges")
        return _of_table(table, choice, time, time_unit, with_columns=with_columns)
    if hasattr(graph, "is_multigraph"):
        if bipartite is not None:
            raise InputError("bipartite", "is for a table of edges, and graph is none")
        found = _read_networkx(graph, "time" if time is None else time, time_unit, bounds)
        return (
            replace(found, columns=_attributes_of(graph), time=str(time or "time"))
            if with_columns
            else found
        )
    raise InputTypeError(
        "graph",
        (
            "must be a path, a table with __arrow_c_stream__ (pandas, Polars, DuckDB, Arrow) "
            "or a NetworkX graph"
        ),
        got=type(graph).__name__,
    )


def _of_table(
    source: Source,
    choice: ColumnChoice,
    time: Column | None,
    time_unit: str | None,
    *,
    with_columns: bool,
) -> TemporalEdges:
    layout = find_layout(source, choice, time)
    at = _time_column(layout)
    names = [layout.table.name(place) for place in range(len(layout.table.names))]
    for place, role in zip((*layout.ends, at), _ROLES, strict=True):
        # what has no name is called as what it holds
        if names[place] == f"column {place + 1}" and not layout.table.names[place]:
            names[place] = role if role not in names else names[place]
    kept = {
        names[place]: place
        for place in range(len(names))
        if with_columns and holds_data(layout.table, place)
    }
    attributes = {**layout.attributes, **kept}
    table = replace(layout, roles={**layout.roles, "time": at}, attributes=attributes).read()
    kept_rows = _rows_within(
        choice.bounds,
        len(table.columns[at]),
        lambda name: table.values_with_gaps(layout.attributes[name]),
    )
    column = table.columns[at]
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        times = column.to_pandas()
    # of a time of day, a date beyond those of Python, or a zone that there is not
    except (pa.ArrowException, ValueError) as error:
        raise InputError(
            f"the column {table.names[at]!r} must hold times, and its {column.type} cannot be "
            f"read ({reason_of(error)})."
        ) from None
    ids, ends_of_edges, _, notes = number_nodes(layout, table, choice)
    found = _in_order(ends_of_edges, times, table.place, time_unit, kept_rows)
    return replace(
        found,
        names=[ids[code] for code in found.names],
        ends=(names[layout.ends[0]], names[layout.ends[1]]),
        time=names[at],
        columns={name: table.cells(place) for name, place in kept.items()},
        notes=(*notes, *found.notes),
    )


def _in_order(
    ends: Sequence[Iterable[Any]],
    values: Any,
    place: Callable[[int], str],
    time_unit: str | None,
    kept_rows: tuple[np.ndarray, tuple[str, ...]],
) -> TemporalEdges:
    """Number the nodes, sort the edges by time, drop those from a node to itself.

    Those of the rows that are not kept are left out before all that, and noted.
    """
    kept, notes = kept_rows
    called, source, target = _numbered([_at(end, kept) for end in ends])
    found = _Times.read(
        _at(values, kept), lambda row: place(int(kept[row])), dates_as_numbers=time_unit is None
    )
    times = found.ticks
    apart = source != target
    loops = int((~apart).sum())
    if loops:
        log.info("dropped %d edge%s from a node to itself", loops, "s" * (loops != 1))
        source = source[apart]
        target = target[apart]
        times = times[apart]
    given = 1 + kept[apart]
    order = np.argsort(times, kind="stable")
    nodes, rows = np.unique(np.stack([source, target]), return_inverse=True)
    source, target = rows.reshape(2, -1)
    times = times[order]
    unit, note, are_since_1970 = _unit_of(times, found, time_unit)
    return TemporalEdges(
        source[order],
        target[order],
        times,
        len(nodes),
        found.in_a_unit,
        unit,
        note,
        are_since_1970,
        found.are_timestamps,
        given[order],
        [called[node] for node in nodes.tolist()],
        notes=notes,
    )


def _rows_within(
    bounds: EdgeBounds, number: int, values_of: Callable[[str], Any]
) -> tuple[np.ndarray, tuple[str, ...]]:
    """The rows within the bounds, and what is noted of the others; the log says it, too."""
    rows, notes = bounds.keep(number, values_of)
    for note in notes:
        log.log(READING, "%s", note)
    return rows, notes


def _at(values: Any, rows: np.ndarray) -> Any:
    """Some rows of a column, in their order."""
    if len(rows) == len(values):
        return values
    if isinstance(values, list):
        return [values[row] for row in rows.tolist()]
    if isinstance(values, np.ndarray):
        return values[rows]
    return values.iloc[rows].reset_index(drop=True)


def _numbered(ends: Sequence[Iterable[Any]]) -> tuple[list[Any], np.ndarray, np.ndarray]:
    """The nodes in the order in which they appear, and their numbers at the two ends of edges."""
    arrays = [column for column in ends if isinstance(column, np.ndarray)]
    if len(arrays) == len(ends):
        # numbers of a table, which are many
        nodes, first, rows = np.unique(
            np.concatenate(arrays), return_index=True, return_inverse=True
        )
        order = np.argsort(first)
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        source, target = number[rows].reshape(2, -1)
        return nodes[order].tolist(), source, target
    numbers: dict[Any, int] = {}
    source, target = (
        np.array([numbers.setdefault(node, len(numbers)) for node in column], np.int64)
        for column in ends
    )
    return [*numbers], source, target


def _unit_of(times: np.ndarray, found: _Times, given: str | None) -> tuple[str, str, bool]:
    """The unit of ascending times, how it is known, and whether all are dates in it."""
    if found.are_timestamps:
        if given is not None:
            raise InputError(
                "time_unit",
                "is for times that are numbers, and these are timestamps",
                got=repr(given),
                way_out="leave it out",
            )
        return "s", "", False
    are_given = f"times are {_UNIT_NAMES[given]}, as it is given" if given is not None else ""
    if not len(times):
        return given or "s", are_given, False
    first, last = (Fraction(times[end].item()) / found.in_a_unit for end in (0, -1))
    for unit, per_second in TIME_UNITS.items():
        if given not in (None, unit):
            continue
        if _FIRST_DATE * per_second <= first and last < _LAST_DATE * per_second:
            dates = [
                datetime.fromtimestamp(int(time / per_second), timezone.utc).strftime("%Y-%m-%d")
                for time in (first, last)
            ]
            days = " to ".join(dict.fromkeys(dates))
            by_size = f"times are {_UNIT_NAMES[unit]} since 1970, as their size says: {days}"
            return unit, are_given or by_size, True
    by_default = (
        "times are taken as seconds, since not all are dates from 1990 to 2099 in one unit, and "
        "no unit is given"
    )
    return given or "s", are_given or by_default, False


class _Times(NamedTuple):
    """Times in ticks, how many are in a unit of what was given, and whether it has a unit."""

    ticks: np.ndarray
    in_a_unit: int
    are_timestamps: bool

    @classmethod
    def read(cls, values: Any, place: Callable[[int], str], *, dates_as_numbers: bool) -> _Times:
        """Read numbers or timestamps; refuse the first that is none, or cannot be kept."""
        import pandas as pd

        column = numbers = pd.Series(values)
        _refuse_time(column.isna().to_numpy(bool), values, place)
        is_text = column.dtype == object or isinstance(column.dtype, pd.StringDtype)
        if is_text:
            numbers = pd.to_numeric(column, errors="coerce")
        if column.dtype != bool and pd.api.types.is_numeric_dtype(numbers):
            wrong = ~np.isfinite(numbers.to_numpy(np.float64, na_value=np.nan))
            if not is_text or 2 * wrong.sum() <= len(wrong):
                _refuse_time(wrong, values, place)
                dates = _numbered_dates(numbers) if dates_as_numbers else None
                if dates is not None:
                    return cls(*_exact_stamps(dates), True)
                return cls(*_exact_numbers(numbers, column if is_text else None, place), False)
        if pd.api.types.is_datetime64_any_dtype(column):
            stamps = pd.to_datetime(column, utc=True)
        else:
            given = column.astype(str)
            text, order = with_year_first(given, place)
            if order:
                first = printable(given.iloc[0])
                log.log(READING, "dates such as %s are read as %s", first, order)
            stamps = stamps_of(text)
            below = text.str.contains(_BELOW_NANOSECONDS).to_numpy(bool)
            _refuse_time(below, values, place, "a timestamp of at most nanoseconds was expected")
            _refuse_time(stamps.isna().to_numpy(bool), values, place)
        return cls(*_exact_stamps(stamps), True)


def _numbered_dates(numbers: Any) -> Any:
    """Dates that numbers are, such as 20240131 and 20240131100000; None where one is none."""
    import pandas as pd

    forms = [
        form
        for form, units in _NUMBERED_FORMS.items()
        if numbers.between(FIRST_NUMBERED * units, (LAST_NUMBERED + 1) * units).all()
    ]
    if not len(numbers) or not forms:
        return None
    whole = numbers.astype(np.int64)
    if (whole != numbers).any():
        return None
    dates = pd.to_datetime(whole.astype(str), format=forms[0], errors="coerce", utc=True)
    if dates.isna().any():
        return None
    sentence = f"times are dates written as numbers, such as {whole.iloc[0]}"
    way_out = (Argument("time_unit", "s"), " takes them as numbers")
    log.log(READING, "%s", Message(sentence, way_out=way_out))
    return dates


def _refuse_time(
    wrong: np.ndarray,
    values: Any,
    place: Callable[[int], str],
    rule: str = "a number or a timestamp was expected as time, such as 2024-01-31 10:00",
) -> None:
    """Refuse the first time that is wrong, if there is one."""
    if not wrong.any():
        return
    import pandas as pd

    row = int(wrong.argmax())
    got = list(values)[row]
    if pd.isna(got):
        raise InputError(f"{place(row)}: an edge must have a time, and it is null.")
    raise InputError(f"{place(row)}: {rule}, got {shown(str(got))}.")


def _exact_stamps(stamps: Any) -> tuple[np.ndarray, int]:
    """Timestamps as whole microseconds, or as what they have where that does not hold them."""
    ticks = stamps.dt.tz_localize(None).to_numpy()
    in_a_second = TIME_UNITS[np.datetime_data(ticks.dtype)[0]]
    ticks = ticks.astype(np.int64)
    microsecond = TIME_UNITS["us"]
    if in_a_second > microsecond:
        if (ticks % (in_a_second // microsecond) == 0).all():
            return ticks // (in_a_second // microsecond), microsecond
        return ticks, in_a_second
    factor = microsecond // in_a_second
    if len(ticks) and max(abs(int(ticks.min())), abs(int(ticks.max()))) >= 2**63 // factor:
        return ticks, in_a_second
    return ticks * factor, microsecond


def _exact_numbers(numbers: Any, text: Any, place: Callable[[int], str]) -> tuple[np.ndarray, int]:
    """Numbers as whole ticks, and the ticks in one; as float64 where these are no decimals."""
    values = numbers.to_numpy()
    if values.dtype.kind == "i":
        return values.astype(np.int64), 1
    if values.dtype.kind == "u":
        fits = not len(values) or int(values.max()) < 2**63
        return values.astype(np.int64 if fits else np.uint64), 1
    values = numbers.to_numpy(np.float64)
    # 1. decimals of up to 15 digits, which a float tells from each other
    few = text is None or not len(text) or text.astype(str).str.len().max() <= _FEW_LETTERS
    for digits in range(_MOST_DIGITS + 1 if few else 0):
        with np.errstate(over="ignore"):
            ticks = np.rint(values * 10**digits)
        if (np.abs(ticks) >= _EXACT_FLOAT).any():
            break
        if (ticks / 10**digits == values).all():
            return ticks.astype(np.int64), 10**digits
    # 2. whole floats
    if text is None:
        is_whole = (values == np.rint(values)).all() and (np.abs(values) < 2**63).all()
        return (values.astype(np.int64) if is_whole else values), 1
    # 3. text of more digits
    with localcontext() as context:
        context.prec = _DIGITS_OF_A_FLOAT
        exact = [Decimal(str(number).strip()) for number in text]
        shifted = [exact_number.scaleb(_MOST_DIGITS) for exact_number in exact]
        whole = [int(exact_number) for exact_number in shifted]
    if any(
        exact_number != whole_number
        for exact_number, whole_number in zip(shifted, whole, strict=True)
    ):
        floats = map(Decimal, map(repr, values.tolist()))
        lost = np.array(
            [rounded != exact_number for rounded, exact_number in zip(floats, exact, strict=True)]
        )
        rule = "a time of at most nine digits behind the point, or of 15 digits, was expected"
        _refuse_time(lost, text, place, rule)
        return values, 1
    shared = math.gcd(10**_MOST_DIGITS, *whole)
    unused = next(10**n for n in range(_MOST_DIGITS, -1, -1) if shared % 10**n == 0)
    scale = 10**_MOST_DIGITS // unused
    whole = [number // unused for number in whole]
    low, high = (0, 2**64) if min(whole) >= 0 else (-(2**63), 2**63)
    outside = np.array([not low <= number < high for number in whole])
    rule = (
        "a time of 64 bits was expected, from -2⁶³ to 2⁶³ - 1, or up to 2⁶⁴ - 1 where none is "
        "negative, in units of the last digit of any time"
    )
    _refuse_time(outside, text, place, rule)
    return np.array(whole, np.int64 if max(whole) < 2**63 else np.uint64), scale


def _read_networkx(
    graph: Any, time: Column, time_unit: str | None, bounds: EdgeBounds
) -> TemporalEdges:
    if not graph.is_directed():
        raise InputError(
            "graph", "must be directed for the order of events", got="an undirected one"
        )
    rows = list(graph.edges(data=time))
    ends = [[row[end] for row in rows] for end in (0, 1)]
    attributes = _attributes_of(graph) if bounds else {}
    check_edge_attributes(bounds.names, attributes, "the graph")
    kept_rows = _rows_within(bounds, len(rows), attributes.__getitem__)
    times = [row[2] for row in rows]
    return _in_order(ends, times, lambda row: f"edge {row + 1}", time_unit, kept_rows)


def _attributes_of(graph: Any) -> dict[str, list[Any]]:
    """The attributes of the edges of a NetworkX graph, and their ends."""
    rows = list(graph.edges(data=True))
    names = dict.fromkeys(str(name) for *_, attributes in rows for name in attributes)
    found = {name: [attributes.get(name) for *_, attributes in rows] for name in names}
    return {"source": [row[0] for row in rows], "target": [row[1] for row in rows], **found}


def _time_column(layout: EdgeLayout) -> int:
    """The position of the times: as given, by its name, or by values."""
    table = layout.table
    if layout.time is not None:
        return layout.time
    free = [at for at in range(len(table.names)) if at not in layout.ends and holds_data(table, at)]
    found = [at for name in TIMES for at in free if table.names[at].strip().lower() == name][:1]
    if not table.has_names:
        # beside other numbers, such as ratings, times are told by their size
        found = [at for at in free if len(free) == 1 or are_dates(table.first(at))]
    elif not found:
        # under another name, dates tell themselves, and so does the end of the name
        called = [at for at in free if is_time(table.names[at])]
        dated = [at for at in free if are_dates(table.first(at), as_text=True)]
        both = [at for at in dated if at in called]
        found = next((some for some in (both, dated, called) if len(some) == 1), dated)
    if len(found) != 1:
        names = listed(table.name(at) for at in free)
        rule = "a table of edges must have a column of times, called time or named by "
        likely = found or [at for at in free if are_dates(table.first(at))]
        way_out = ("name one, such as ", Argument("time", table.name(likely[0]))) if likely else ""
        raise InputError((rule, Argument("time")), got=names or "none", way_out=way_out)
    return found[0]
