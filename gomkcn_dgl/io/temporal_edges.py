"""Edges with times: from a file, a table or a NetworkX graph to arrays in the order of the times.

Times are numbers, such as Unix seconds, or timestamps. A window is a number in their unit, or a
text such as "1h".
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph_content import NONE, Column, ColumnChoice
from gomkcn_dgl.io.edge_layout import EdgeLayout, find_layout, position_of
from gomkcn_dgl.io.edge_tables import open_edges
from gomkcn_dgl.io.tables import Source, is_table, open_stream, to_array
from gomkcn_dgl.runtime.files import listed, named

log = logging.getLogger("gomkcn_dgl")

_TIMES = ("time", "timestamp", "datetime", "date", "ts", "t", "unixts")
_WINDOW = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(s|min|h|d|w)?")
_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
_MICROSECONDS = 1_000_000


@dataclass(frozen=True, eq=False)
class TemporalEdges:
    """Edges in the order of their times, and where these are equal in the order of the input.

    Attributes
    ----------
    source, target : numpy.ndarray
        int64 ``[E]``, numbers of nodes from 0.
    times : numpy.ndarray
        int64 or float64 ``[E]``, ascending.
    num_nodes : int
        Nodes that have an edge to another node.
    unit : int
        Units of ``times`` in a second: 1 for numbers, 1,000,000 for timestamps.
    """

    source: np.ndarray
    target: np.ndarray
    times: np.ndarray
    num_nodes: int
    unit: int = 1

    def window(self, window: float | str | timedelta | np.timedelta64) -> float:
        """A window in the unit of the times.

        Numbers are in the unit of times that are numbers, and else seconds. A text may end in s,
        min, h, d or w; a timedelta of Python, NumPy or pandas is in seconds.
        """
        if isinstance(window, str):
            match = _WINDOW.fullmatch(window.strip())
            length = float(match[1]) * _SECONDS[match[2] or "s"] if match else -1.0
        elif isinstance(window, np.timedelta64):
            length = float(window / np.timedelta64(1, "s"))
        elif isinstance(window, (int, float, np.integer, np.floating)):
            length = float(window)
        elif isinstance(window, timedelta):
            length = window.total_seconds()
        else:
            length = -1.0
        if isinstance(window, bool) or not 0 <= length < np.inf:
            raise InputError(
                "window must be a number of at least 0, or one that ends in s, min, h, d or w, "
                f"such as '1h', got {window!r}."
            )
        length *= self.unit
        # whole times are compared as whole numbers
        return int(length) if self.times.dtype.kind == "i" else length


def read_temporal_edges(
    graph: Any,
    *,
    source: Column | None = None,
    target: Column | None = None,
    time: Column | None = None,
) -> TemporalEdges:
    """Read edges with times.

    Parameters
    ----------
    graph : path, table, networkx.Graph or TemporalEdges
        A text file (plain or .gz), CSV or parquet; a table that has columns as pandas, Polars,
        DuckDB or Arrow have them; or a directed graph of NetworkX whose edges have a ``time``.
    source, target, time : str or int, optional
        Columns, by name or by number from 1. By default they are told by the header; in a table
        without one they are the first three. Of a NetworkX graph, ``time`` is an attribute.

    Raises
    ------
    InputError
        For a column that is not there, and for a time that is none, with its row.

    Examples
    --------
    >>> import pandas as pd
    >>> mail = pd.DataFrame({"from": ["a", "b"], "to": ["b", "a"], "time": [7, 5]})
    >>> read_temporal_edges(mail).times.tolist()
    [5, 7]
    """
    if isinstance(graph, TemporalEdges):
        return graph
    choice = ColumnChoice(source=source, target=target, relation=NONE, weight=NONE)
    if isinstance(graph, (str, Path)):
        path, suffix = Path(graph), Path(str(graph).lower().removesuffix(".gz")).suffix
        format = suffix[1:] if suffix in (".csv", ".parquet") else "edges"
        with named(path):
            return _of_table(open_edges(path, format, choice), choice, time)
    if is_table(graph):
        return _of_table(open_stream(graph, "the table of edges"), choice, time)
    if hasattr(graph, "is_multigraph"):
        return _read_networkx(graph, "time" if time is None else time)
    raise InputTypeError(
        "graph must be a path, a table with __arrow_c_stream__ (pandas, Polars, DuckDB, Arrow) "
        f"or a NetworkX graph, got {type(graph).__name__}."
    )


def _of_table(source: Source, choice: ColumnChoice, time: Column | None) -> TemporalEdges:
    layout = find_layout(source, choice)
    at = _time_column(layout, time)
    table = replace(layout, roles={**layout.roles, "time": at}).read()
    times = table.columns[at].to_pandas()
    return _in_order([to_array(table.words(end)) for end in layout.ends], times, table.place)


def _in_order(
    ends: Sequence[Iterable[Any]], values: Any, place: Callable[[int], str]
) -> TemporalEdges:
    """Number the nodes, sort the edges by time, drop those from a node to itself."""
    numbers: dict[Any, int] = {}
    source, target = (
        np.array([numbers.setdefault(node, len(numbers)) for node in column], np.int64)
        for column in ends
    )
    times, unit = _as_times(values, place)
    apart = source != target
    loops = int((~apart).sum())
    if loops:
        log.info("dropped %d edge%s from a node to itself", loops, "s" * (loops != 1))
        source, target, times = source[apart], target[apart], times[apart]
    order = np.argsort(times, kind="stable")
    nodes, rows = np.unique(np.stack([source, target]), return_inverse=True)
    source, target = rows.reshape(2, -1)
    return TemporalEdges(source[order], target[order], times[order], len(nodes), unit)


def _as_times(values: Any, place: Callable[[int], str]) -> tuple[np.ndarray, int]:
    """Times as int64 or float64 and their units in a second; refuse the first that is none."""
    import pandas as pd

    column = pd.Series(values)
    if column.dtype == object or isinstance(column.dtype, pd.StringDtype):
        numbers = pd.to_numeric(column, errors="coerce")
        column = column if numbers.isna().mean() > 0.5 else numbers
    if pd.api.types.is_numeric_dtype(column) and column.dtype != bool:
        wrong, unit = ~np.isfinite(column.to_numpy(np.float64, na_value=np.nan)), 1
    else:
        format = None if pd.api.types.is_datetime64_any_dtype(column) else "ISO8601"
        column = pd.to_datetime(column, errors="coerce", utc=True, format=format)
        wrong, unit = column.isna().to_numpy(), _MICROSECONDS
    if wrong.any():
        row = int(wrong.argmax())
        got = list(values)[row]
        if pd.isna(got):
            raise InputError(f"{place(row)}: an edge must have a time, and it is null.")
        raise InputError(
            f"{place(row)}: a number or a timestamp was expected as time, such as "
            f"2024-01-31 10:00, got {str(got)!r}."
        )
    if unit > 1:
        return column.dt.tz_localize(None).to_numpy("datetime64[us]").astype(np.int64), unit
    is_whole = pd.api.types.is_integer_dtype(column)
    return column.to_numpy(np.int64 if is_whole else np.float64), unit


def _read_networkx(graph: Any, time: Column) -> TemporalEdges:
    if not graph.is_directed():
        raise InputError("graph must be directed for the order of events, got an undirected one.")
    rows = list(graph.edges(data=time))
    ends = [[row[end] for row in rows] for end in (0, 1)]
    return _in_order(ends, [row[2] for row in rows], lambda row: f"edge {row + 1}")


def _time_column(layout: EdgeLayout, time: Column | None) -> int:
    """The position of the times: as given, by its name, or the first that is no end."""
    names, is_unnamed = layout.table.names, not layout.table.has_names
    free = [at for at in range(len(names)) if at not in layout.ends]
    usual = [at for name in _TIMES for at in free if names[at].strip().lower() == name]
    if time is not None:
        return position_of("time", time, layout.table)
    if not usual and not (is_unnamed and free):
        raise InputError(
            "a table of edges must have a column of times, called time or named by time (--time); "
            f"got {listed(names)}."
        )
    return (usual or free)[0]
