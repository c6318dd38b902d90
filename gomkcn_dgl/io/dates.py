"""Dates and times as cells of a table: what tells them from nodes and measurements."""

from __future__ import annotations

from collections.abc import Sequence

from gomkcn_dgl.io.table_form import is_number
from gomkcn_dgl.timestamps import DATE

# of 1973; numbers of nodes, ratings and weights are smaller
_LEAST_UNIX_TIME = 10**8
# dates written as numbers, such as 20240131
FIRST_NUMBERED = 1900_01_01
LAST_NUMBERED = 2099_12_31


def are_dates(cells: Sequence[str], *, as_text: bool = False) -> bool:
    """Whether cells are dates as text, or numbers as large as those of Unix times or dates.

    >>> are_dates(["2024-01-31 10:00", "31/01/2024"]), are_dates(["20240131"]), are_dates(["7"])
    (True, True, False)
    """
    if all(map(is_number, cells)):
        numbers = [float(cell) for cell in cells]
        low, high = min(numbers, default=0), max(numbers, default=0)
        is_date = FIRST_NUMBERED <= low <= high <= LAST_NUMBERED
        return not as_text and (is_date or low >= _LEAST_UNIX_TIME)
    return all(map(DATE.match, cells))
