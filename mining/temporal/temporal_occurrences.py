"""The occurrences of a pattern of events: how many there are, and the events of each.

An occurrence has an event for each edge of the pattern, all within a window; different nodes of the
pattern are different nodes of the graph. Those that differ by a symmetry of the pattern are one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import numpy as np

from gomkcn.mining.significance.temporal_draws import Timelines
from gomkcn.mining.significance.temporal_nulls import DEFAULT_TEMPORAL_NULL, NO_NULL, TEMPORAL_NULLS
from gomkcn.mining.significance.verdicts import compare_with_random
from gomkcn.mining.structures.number_text import expected, signed
from gomkcn.mining.structures.pattern import NullComparison, OccurrenceCount
from gomkcn.mining.temporal.event_pattern import EventPattern, read_event_pattern
from gomkcn.mining.temporal.event_search import Neighbors, PartCounts, PlacedEvents, Search
from gomkcn.mining.temporal.temporal_motifs import (
    LEAST_SAMPLES,
    check_temporal_options,
    notes_on,
    notes_on_null,
)
from gomkcn_dgl.bounds import MOST_LISTED
from gomkcn_dgl.checks import RandomState, as_seed, check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import Column
from gomkcn_dgl.graphs.pattern_text import PatternText
from gomkcn_dgl.graphs.shapes import count as counted
from gomkcn_dgl.io.temporal_edges import TIME_UNITS, TemporalEdges, Window, read_temporal_edges
from gomkcn_dgl.runtime.job import TimeUpError
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.runtime.tabular import Tabular

# occurrences that are listed where nothing is said: more than a person reads
USUAL_LISTED = 1000
# before the columns of the input; a column of the input that is called so has a word before it
_OWN_COLUMNS = ("occurrence", "edge", "row")
_OF_INPUT = "input "
# a unit of timestamps by its ticks in a second
_UNITS = {per_second: unit for unit, per_second in TIME_UNITS.items()}


@dataclass(frozen=True, eq=False, repr=False)
class TemporalOccurrences(Tabular):
    """How often a pattern of events occurs, and the events of its occurrences.

    As a table it has a row for each event: ``occurrence``, its number from 0 in the order of time;
    ``edge``, what the pattern calls it, or its number; ``row``, the row of the input, from 1; and
    all columns of the input by their names.

    Attributes
    ----------
    pattern : str
        Its text.
    count : OccurrenceCount
        All occurrences; an estimate where time was up before all were counted.
    num_listed : int
        How many of them are in the table: all, or those of some events drawn at random, which the
        search begins with; not each is drawn by itself.
    window : float
        The longest time from the first to the last event, in seconds, or in the unit of times that
        are numbers.
    num_nodes, num_edges : int
        What was searched; edges from a node to itself are none.
    edges : tuple of str
        What the pattern calls its edges, in its order.
    ends, time : tuple of str, str
        The columns of the table that hold who, whom and when.
    rows : numpy.ndarray
        int64 ``[K, m]``, the row of the input, from 1, of each event of K occurrences.
    times : numpy.ndarray
        Numbers or timestamps ``[K, m]``, of each event.
    cells : dict of str to list
        The other columns of the table.
    comparisons : tuple of NullComparison
        With the random graphs of a null model; empty where there are none.
    unit : str
        Of times that are numbers since 1970, ``"s"``, ``"ms"``, ``"us"`` or ``"ns"``; else empty.
    notes : tuple of str
        What says the order of events, and what is to be known of times.
    """

    pattern: str
    count: OccurrenceCount
    window: float
    num_nodes: int
    num_edges: int
    edges: tuple[str, ...]
    ends: tuple[str, str]
    time: str
    rows: np.ndarray
    times: np.ndarray
    cells: dict[str, list[Any]]
    comparisons: tuple[NullComparison, ...] = ()
    notes: tuple[str, ...] = ()
    unit: str = ""

    def __repr__(self) -> str:
        """The pattern, how often it occurs, and how many occurrences are listed."""
        return (
            f"TemporalOccurrences({self.pattern!r}, window {self.window:g}: {self.count} in "
            f"{counted(self.num_edges, 'edge')}; {self.num_listed:,} listed)"
        )

    @property
    def num_listed(self) -> int:
        """How many occurrences are in the table."""
        return len(self.rows)

    @property
    def number(self) -> str:
        """How often it occurs, in words."""
        if self.count.is_exact:
            return counted(int(self.count.value), "occurrence")
        if math.isinf(self.count.high):
            return "no occurrence in the part that was searched before time was up"
        return f"about {self.count} occurrences"

    @property
    def listed(self) -> str:
        """How many occurrences are in the table, and whether these are all."""
        are_all = self.count.is_exact and self.num_listed == self.count.value
        how = (
            "all"
            if are_all
            else "those of some events drawn at random"
            if self.num_listed
            else "as none is asked for"
        )
        return f"{self.num_listed:,} listed, {how}" if self.count.value else "none listed"

    @property
    def finding(self) -> str:
        """How often it occurs, and what the comparison says, in sentences."""
        parts = [f"{self.number}; {self.listed}."]
        for compared in self.comparisons:
            mean, sd = expected(compared.mean, compared.sd)
            z = "" if compared.z is None else f"z {signed(compared.z)}, "
            parts.append(
                f"In {compared.num_samples} random graphs of the null model {compared.null!r}: "
                f"{mean} ± {sd}, {z}p {compared.p_adjusted:.3f}: {compared.verdict}. "
                f"{TEMPORAL_NULLS[compared.null].keeps}."
            )
        return " ".join(parts)

    def columns(self) -> dict[str, Any]:
        """A row for each event of the listed occurrences, in the order of the pattern."""
        number, size = self.rows.shape
        times = self.times.reshape(-1)
        if times.dtype == "datetime64[ns]":
            # which Python's own dates do not have
            times = np.datetime_as_string(times)
        own = {
            "occurrence": np.repeat(np.arange(number), size),
            "edge": [*self.edges] * number,
            "row": self.rows.reshape(-1),
        }
        cells = {**self.cells, self.time: times}
        # who, whom and when first, then in the order of the input
        return own | {name: cells[name] for name in (*self.ends, self.time)} | cells


def window_of(
    pattern: PatternText, window: float | str | timedelta | np.timedelta64 | None
) -> float | str | timedelta | np.timedelta64:
    """The window that is given, or that stands in the text; refused where it is not given once."""
    if window is not None and pattern.within:
        raise InputError(
            "window",
            "must be given once",
            got=f"{window} and within {pattern.within}",
            way_out="leave one out",
        )
    if window is None and not pattern.within:
        raise InputError(
            "window",
            "must be given for a pattern without one",
            way_out="write within 7d behind the pattern",
        )
    return pattern.within if window is None else window


def temporal_occurrences(
    graph: Any,
    pattern: str,
    window: float | str | timedelta | np.timedelta64 | None = None,
    *,
    most: int = USUAL_LISTED,
    null: str = DEFAULT_TEMPORAL_NULL,
    null_samples: int = 199,
    seed: RandomState = 0,
    n_jobs: int | None = None,
    source: Column | None = None,
    target: Column | None = None,
    bipartite: bool | None = None,
    time: Column | None = None,
    time_unit: str | None = None,
    steps: Steps | None = None,
) -> TemporalOccurrences:
    """Count the occurrences of a pattern of events, list them, and compare with random graphs.

    The count is exact. An occurrence has an event for each edge; there may be others between.

    Parameters
    ----------
    graph : path, table, networkx.MultiDiGraph or TemporalEdges
        See :func:`gomkcn.read_temporal_edges`; a TemporalEdges must have its columns.
    pattern : str
        Two to six edges with a direction, and conditions, as :func:`gomkcn.count` takes them:
        ``"A -> B as x, B -> C as y, C -> A as z, y.amount >= .9 * x.amount"``. Edges follow each
        other in time as they are written, equal times in the order of the input, unless conditions
        compare times (``x.time < y.time``): then these alone say the order. ``time`` is the column
        of times whatever it is called; other attributes are columns of the input.
        ``A.name = "Acme"`` is of a node.
    window : float, str or timedelta, optional
        The longest time from the first to the last event, see :func:`gomkcn.temporal_census`. It
        may stand behind the pattern: ``"A -> B, B -> A within 7d"``.
    most : int
        List up to so many occurrences; if there are more, those of some events drawn at random.
        0 for none.
    null, null_samples, seed, n_jobs, source, target, bipartite, time, time_unit, steps
        As in :func:`gomkcn.temporal_census`. When time is up before all is counted, the count is
        an estimate.

    Returns
    -------
    TemporalOccurrences

    Raises
    ------
    InputError
        For a pattern that no events can have, with the character at fault, a column that there is
        not, or a window that is not given once.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("a", "b", 1, 9), ("b", "c", 3, 9), ("c", "a", 5, 8)]
    >>> paid = pd.DataFrame(rows, columns=["payer", "payee", "time", "sum"])
    >>> cycle = "A -> B as x, B -> C as y, C -> A as z, z.sum >= .8 * x.sum within 9"
    >>> found = temporal_occurrences(paid, cycle, null_samples=0)
    >>> found.count.value, found.rows.tolist()
    (1, [[1, 2, 3]])
    """
    text = read_event_pattern(pattern)
    window = window_of(text, window)
    check_temporal_options(window, null, null_samples, n_jobs)
    most = check_int("most", most, 0, MOST_LISTED)
    drawn_seed = as_seed("seed", seed)
    edges = read_temporal_edges(
        graph,
        source=source,
        target=target,
        bipartite=bipartite,
        time=time,
        time_unit=time_unit,
        with_columns=True,
    )
    has_unit, length = Window.read(window).has_unit, edges.window(window)
    steps = Steps(n_jobs=n_jobs) if steps is None else steps
    events = EventPattern.of(text, edges)
    notes = list(notes_on(edges, has_unit))
    if events.has_own_order:
        notes.insert(0, "conditions say the order of events, in place of the order of the pattern")
    search_in = _Searcher(events, length)
    search = search_in.search(np.arange(len(edges.times)), edges.times)

    def count() -> PartCounts:
        report = steps.stage("counting occurrences")
        rng = np.random.default_rng(drawn_seed)
        before = steps.kept(PartCounts)
        return search.run(rng, steps.is_late, report, most, before, steps.keep)

    parts = steps.once("counting occurrences", PartCounts, count)

    def count_drawn(number: int) -> int:
        rng = np.random.default_rng([drawn_seed, number])
        drawn = TEMPORAL_NULLS[null].draw(timelines, edges.times, rng)
        found = search_in.search(drawn.order, drawn.times)
        counts = found.run(rng, steps.is_late, lambda share: None)
        if not counts.all.is_exact:
            raise TimeUpError
        return counts.total

    comparisons: list[NullComparison] = []
    if null == NO_NULL:
        null_samples = 0
    if null_samples and parts.all.is_exact:
        timelines = Timelines.of(edges)
        notes += notes_on_null(null, timelines, have_attributes=True)
        found = steps.each(
            "counting in random graphs", int, count_drawn, range(null_samples), in_time=True
        )
        if len(found) < null_samples:
            notes.append(f"{len(found)} of {null_samples} random graphs were counted")
        if len(found) >= LEAST_SAMPLES:
            comparisons = compare_with_random(null, np.array([[parts.total], *zip(found)]))
    elif null_samples:
        notes.append(
            f"time was up when {len(parts.counts):,} of {parts.num_parts:,} parts were done; no "
            "random graph was counted"
        )
    in_a_unit = edges.ticks * (TIME_UNITS[edges.unit] if has_unit else 1)
    rows, times, cells = _events_at(edges, parts.places)
    return TemporalOccurrences(
        pattern=text.text,
        count=parts.all,
        window=length / in_a_unit,
        num_nodes=edges.num_nodes,
        num_edges=len(edges.times),
        edges=events.names,
        ends=(_called(edges.ends[0]), _called(edges.ends[1])),
        time=_called(edges.time),
        rows=rows,
        times=times,
        cells=cells,
        comparisons=tuple(comparisons),
        notes=tuple(notes),
        unit=edges.unit if edges.are_since_1970 else "",
    )


class _Searcher:
    """Makes the search for a pattern among the same edges in any order, at any times."""

    def __init__(self, events: EventPattern, window: float) -> None:
        self.events, self.window = events, window
        self.pattern = events.search_pattern()
        self.neighbors = Neighbors.of(events.edges)

    def search(self, order: np.ndarray, times: np.ndarray) -> Search:
        """The search where the edges have an order and ascending times."""
        edges = self.events.edges
        until = replace(edges, times=times).last_within(self.window)
        may_be = self.events.may_be(order, times)
        is_free = self.events.free_edges(self.pattern, may_be)
        return Search(
            self.pattern._replace(is_free=is_free),
            self.neighbors,
            PlacedEvents.of(edges, self.neighbors, order, times, until, may_be),
        )


def _events_at(
    edges: TemporalEdges, places: np.ndarray
) -> tuple[np.ndarray, np.ndarray, dict[str, list[Any]]]:
    """Rows of the input and times ``[K, m]`` at places in time, and the cells of these rows."""
    rows, ticks = edges.rows[places], edges.times[places]
    if edges.are_timestamps:
        times = ticks.astype(np.int64).view(f"datetime64[{_UNITS[edges.ticks]}]")
    else:
        times = ticks if edges.ticks == 1 else ticks / edges.ticks
    cells = {
        _called(name): [_plain(values[row - 1]) for row in rows.reshape(-1).tolist()]
        for name, values in edges.columns.items()
        if name != edges.time
    }
    return rows, times, cells


def _called(name: str) -> str:
    """The column of the table that has a column of the input."""
    return f"{_OF_INPUT}{name}" if name in _OWN_COLUMNS else name


def _plain(value: Any) -> Any:
    """A cell as a plain value."""
    return value if isinstance(value, (int, float, str, type(None))) else str(value)
