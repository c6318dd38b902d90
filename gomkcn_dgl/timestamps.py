"""Dates and times as people and programs write them → timestamps, which are ordered and compared.

The same forms are read wherever a table has dates: as times of events, in conditions on edges, and
as the least value of an attribute.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError

# how a text begins that may be a date
DATE = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}"
    r"|\d{1,2}(?:-\d{1,2}-|/\d{1,2}/|\.\d{1,2}\.)\d{4}\b"
)
# dates that end in the year; which of the others is the day is told by all of them
_YEAR_LAST = r"^\s*(\d{1,2})([-/.])(\d{1,2})[-/.](\d{4})(?!\d)(.*)$"
# forms with names of months, of mails, Twitter, web servers and Oracle, and those of Excel with 12
# hours, behind the year
_FORMS = (
    *("%a, %d %b %Y %H:%M:%S %z", "%d %b %Y %H:%M:%S %z", "%a %b %d %H:%M:%S %z %Y"),
    *("%d/%b/%Y:%H:%M:%S %z", "%d-%b-%Y", "%d-%b-%Y %H:%M", "%d-%b-%Y %H:%M:%S"),
    *("%Y-%m-%d %I:%M %p", "%Y-%m-%d %I:%M:%S %p"),
)
# what is written behind times, which are taken as such anyway
_ZONE_NAME = r"\s+(?:UTC|GMT)$"
_EPOCH = datetime(1970, 1, 1)
# letters of a date in a message
_SHOWN = 40


def stamps_of(text: Any) -> Any:
    """A series of text as timestamps in UTC, as the first of them is written; missing if none."""
    import pandas as pd

    text = text.str.replace(_ZONE_NAME, "", regex=True)

    def read(cells: Any, form: str) -> Any:
        return pd.to_datetime(cells, errors="coerce", utc=True, format=form)

    known = (form for form in ("ISO8601", *_FORMS) if read(text[:1], form).notna().all())
    return read(text, next(known, "ISO8601"))


def with_year_first(text: Any, place: Callable[[int], str] = lambda row: "") -> tuple[Any, str]:
    """Dates such as 31/01/2024 as 2024-01-31, and what that order was taken to be, "" for none.

    Between points the day stands first, and else where no month fits it. Dates that do not tell the
    day from the month are refused, with the ``place`` of the first.
    """
    parts = text.str.extract(_YEAR_LAST)
    if parts[0].isna().any():
        return text, ""
    first, second = (parts[column].astype(np.int64) for column in (0, 2))
    is_day_first = bool((first > 12).any()) or bool((parts[1] == ".").all())
    is_month_first = bool((second > 12).any())
    if is_day_first == is_month_first:
        rule = "dates must tell the day from the month, as 31/01/2024 or 2024-01-31 do"
        raise InputError(rule, got=repr(text.iloc[0][:_SHOWN]), place=place(0))
    day, month = (first, second) if is_day_first else (second, first)
    digits = (part.astype(str).str.zfill(2) for part in (month, day))
    order = "day, month, year" if is_day_first else "month, day, year"
    return parts[3].str.cat(list(digits), sep="-") + parts[4].str.rstrip(), order


def microseconds_of(values: Iterable[Any]) -> np.ndarray | None:
    """A column of dates as microseconds since 1970, float64, NaN where one is missing.

    None where one of the values is no date, or none is there. A float64 has all microseconds from
    1685 to 2255.

    >>> microseconds_of(["1970-01-02", None]), microseconds_of(["1970-01-02", "soon"])
    (array([8.64e+10,      nan]), None)
    """
    import pandas as pd

    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        return None
    # what is missing differs from itself, NaN and NaT
    cells = [None if value == "" or value != value else value for value in values]
    known = [cell for cell in cells if cell is not None]
    are_dates = all(isinstance(cell, (date, np.datetime64)) for cell in known)
    are_texts = all(isinstance(cell, str) and DATE.match(cell) for cell in known)
    if not known or not (are_dates or are_texts):
        return None
    column = pd.Series([str(cell) for cell in known])
    stamps = stamps_of(with_year_first(column)[0])
    if stamps.isna().any():
        return None
    found = np.full(len(cells), np.nan)
    ticks = stamps.dt.tz_localize(None).to_numpy().astype("datetime64[us]").astype(np.int64)
    found[[cell is not None for cell in cells]] = ticks
    return found


def read_date(given: Any) -> datetime | None:
    """A date, in UTC where it has a zone; None for what is none.

    >>> read_date("1970-01-01 00:00:01"), read_date("700")
    (datetime.datetime(1970, 1, 1, 0, 0, 1), None)
    """
    found = microseconds_of([given])
    return None if found is None else _EPOCH + timedelta(microseconds=int(found[0]))


def is_day(given: Any) -> bool:
    """Whether what is given as a date is a day, without a time.

    >>> is_day("2024-01-31"), is_day("2024-01-31 00:00"), is_day(date(2024, 1, 31))
    (True, False, True)
    """
    if isinstance(given, str):
        return DATE.fullmatch(re.sub(_ZONE_NAME, "", given.strip())) is not None
    if isinstance(given, np.datetime64):
        return np.datetime_data(given.dtype)[0] == "D"
    return isinstance(given, date) and not isinstance(given, datetime)


def microseconds(date: datetime) -> float:
    """Microseconds since 1970 of a date in UTC."""
    return float((date - _EPOCH) // timedelta(microseconds=1))
