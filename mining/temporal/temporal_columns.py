"""The columns of the table of temporal motifs, a row for each motif."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from gomkcn.mining.structures.number_text import expected, signed
from gomkcn.mining.structures.pattern import MORE, NullComparison
from gomkcn.mining.structures.table_column import SHOWN, Below, Medium, Number, TableColumn, Text

Events = tuple[tuple[int, int], ...]
_FILE = Medium.FILE


class TemporalRow(NamedTuple):
    """A motif of three events: its place in the grid from 0, its count, and its comparison."""

    row: int
    column: int
    events: Events
    total: int
    result: NullComparison | None


def _result(name: str) -> Callable[[TemporalRow], Any]:
    """A value of the comparison with random graphs; None where it was not made."""
    return lambda row: getattr(row.result, name, None)


def _expected_text(row: TemporalRow) -> Text:
    if row.result is None:
        return None
    mean, sd = expected(row.result.mean, row.result.sd)
    return Number(mean, ("mean",)), " ± ", Number(sd, ("sd",))


def _z_text(row: TemporalRow) -> Text:
    """z, and whether the test says more or fewer."""
    if row.result is None or row.result.z is None:
        return None
    z = Number(signed(row.result.z), ("z",))
    if not row.result.is_called:
        return z
    return z, " · more" if row.result.verdict == MORE else " · less"


TEMPORAL_COLUMNS: tuple[TableColumn[TemporalRow], ...] = (
    TableColumn(
        "row",
        "Row",
        "row of the grid, which has the same second edge",
        lambda row: row.row + 1,
        media=Medium.FILE | Medium.TERMINAL,
    ),
    TableColumn(
        "column",
        "Column",
        "column of the grid, which has the same third edge",
        lambda row: row.column + 1,
        media=Medium.FILE | Medium.TERMINAL,
    ),
    TableColumn(
        "events",
        "Events",
        "the three edges in the order of time",
        lambda row: ", ".join(f"{u}->{v}" for u, v in row.events),
        is_left=True,
        media=Medium.FILE | Medium.TERMINAL,
    ),
    TableColumn(
        "num_nodes",
        "Nodes",
        "number of nodes",
        lambda row: max(map(max, row.events)),
        media=_FILE,
    ),
    TableColumn(
        "count",
        "Count",
        "occurrences: ordered triples of edges within the window",
        lambda row: row.total,
        lambda row: Number(f"{row.total:,}", ("count",)),
        is_main=True,
    ),
    TableColumn(
        "expected",
        "Expected",
        "mean ± standard deviation of the counts in random graphs",
        lambda row: None,
        _expected_text,
        media=SHOWN,
        is_optional=True,
        below=Below("count", media=Medium.PAGE),
    ),
    TableColumn(
        "mean",
        "Mean",
        "mean of the counts in random graphs",
        _result("mean"),
        media=_FILE,
        is_optional=True,
    ),
    TableColumn(
        "sd",
        "SD",
        "standard deviation of the counts in random graphs",
        _result("sd"),
        media=_FILE,
        is_optional=True,
    ),
    TableColumn(
        "z",
        "z",
        "distance of the count from this mean, in standard deviations",
        _result("z"),
        _z_text,
        is_optional=True,
        below=Below("count", "z {}", Medium.PAGE),
    ),
    TableColumn(
        "p_adjusted",
        "Adjusted p",
        "p of all motifs together",
        _result("p_adjusted"),
        lambda row: None if row.result is None else f"{row.result.p_adjusted:.3f}",
        media=Medium.FILE | Medium.TERMINAL,
        is_optional=True,
    ),
    TableColumn(
        "verdict",
        "Result",
        "`more frequent`, `less frequent`, `not shown to differ`",
        _result("verdict"),
        media=_FILE,
        is_optional=True,
    ),
)
