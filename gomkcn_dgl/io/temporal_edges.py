"""Edges with times: from a file, a table or a NetworkX graph to arrays in the order of the times.

Times are numbers, such as Unix seconds, or timestamps. A window is a number in their unit, or a
text such as "1h".
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.runtime.files import listed

log = logging.getLogger("gomkcn_dgl")

Column = str | int

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

    def window(self, window: float | str) -> float:
        """A window in the unit of the times.

        Numbers are in the unit of times that are numbers, and else seconds. A text may end in s,
        min, h, d or w.
        """
        if isinstance(window, str):
            match = _WINDOW.fullmatch(window.strip())
            length = float(match[1]) * _SECONDS[match[2] or "s"] if match else -1.0
        elif isinstance(window, (int, float, np.integer, np.floating)):
            length = float(window)
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
    if isinstance(graph, (str, Path)):
        columns = _read_file(Path(graph), source, target, time)
    elif hasattr(graph, "__arrow_c_stream__"):
        columns = _read_table(graph, source, target, time)
    elif hasattr(graph, "is_multigraph"):
        columns = _read_networkx(graph, "time" if time is None else time)
    else:
        raise InputTypeError(
            "graph must be a path, a table with __arrow_c_stream__ (pandas, Polars, DuckDB, Arrow) "
            f"or a NetworkX graph, got {type(graph).__name__}."
        )
    return _in_order(*columns)


def _in_order(ends: Sequence[Iterable[Any]], values: Any) -> TemporalEdges:
    """Number the nodes, sort the edges by time, drop those from a node to itself."""
    numbers: dict[Any, int] = {}
    source, target = (
        np.array([numbers.setdefault(node, len(numbers)) for node in column], np.int64)
        for column in ends
    )
    times, unit = _as_times(values)
    apart = source != target
    loops = int((~apart).sum())
    if loops:
        log.info("dropped %d edge%s from a node to itself", loops, "s" * (loops != 1))
        source, target, times = source[apart], target[apart], times[apart]
    order = np.argsort(times, kind="stable")
    nodes, rows = np.unique(np.stack([source, target]), return_inverse=True)
    source, target = rows.reshape(2, -1)
    return TemporalEdges(source[order], target[order], times[order], len(nodes), unit)


def _as_times(values: Any) -> tuple[np.ndarray, int]:
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
        raise InputError(
            f"row {row + 1}: a number or a timestamp was expected as time, got "
            f"{str(list(values)[row])!r}."
        )
    if unit > 1:
        return column.dt.tz_localize(None).to_numpy("datetime64[us]").astype(np.int64), unit
    is_whole = pd.api.types.is_integer_dtype(column)
    return column.to_numpy(np.int64 if is_whole else np.float64), unit


def _read_file(
    path: Path, source: Column | None, target: Column | None, time: Column | None
) -> tuple[Sequence[Iterable[Any]], Any]:
    from gomkcn_dgl.io.edge_layout import EdgeOptions, read_layout
    from gomkcn_dgl.io.tables import WORD, read_columns, read_text
    from gomkcn_dgl.runtime.files import file_problems

    name = path.name.lower().removesuffix(".gz")
    if name.endswith(".parquet"):
        import pyarrow.parquet as pq

        with file_problems(path):
            return _read_table(pq.read_table(path), source, target, time)
    data = read_text(path)
    layout = read_layout(
        data, name.endswith(".csv"), EdgeOptions(None, source, target, "none", "none")
    )
    assert layout.dialect is not None
    names = layout.names if layout.header else None
    at = _time_column(names, len(layout.names), layout.ends, time)
    kinds = dict.fromkeys((*layout.ends, at), WORD)
    columns = read_columns(data, layout.dialect, kinds, header=bool(layout.header))
    first, second = layout.ends
    return (columns[first], columns[second]), columns[at]


def _read_table(
    table: Any, source: Column | None, target: Column | None, time: Column | None
) -> tuple[Sequence[Iterable[Any]], Any]:
    import pyarrow as pa

    from gomkcn_dgl.io.edge_layout import EdgeOptions, find_layout
    from gomkcn_dgl.io.tables import refuse_null

    arrow = pa.table(table)
    names = arrow.column_names
    layout = find_layout(names, EdgeOptions(None, source, target, "none", "none"))
    at = _time_column(names, len(names), layout.ends, time)
    for end in layout.ends:
        refuse_null(arrow.column(end), names[end])
    ends = [arrow.column(end).to_pylist() for end in layout.ends]
    return ends, arrow.column(at).to_pandas()


def _read_networkx(graph: Any, time: Column) -> tuple[Sequence[Iterable[Any]], Any]:
    if not graph.is_directed():
        raise InputError("graph must be directed for the order of events, got an undirected one.")
    rows = list(graph.edges(data=time))
    return [[row[0] for row in rows], [row[1] for row in rows]], [row[2] for row in rows]


def _time_column(
    names: Sequence[str] | None, width: int, ends: tuple[int, int], time: Column | None
) -> int:
    """Position of the column of times: as given, by its name, or the first that is no end."""
    from gomkcn_dgl.io.edge_layout import position_of

    if time is not None:
        numbered = [f"column {number}" for number in range(1, width + 1)]
        return position_of("time", time, names or numbered, names is None)
    for usual in _TIMES:
        for column, name in enumerate(names or ()):
            if name.strip().lower() == usual and column not in ends:
                return column
    free = [column for column in range(width) if column not in ends]
    if names is not None or not free:
        raise InputError(
            "a table of edges must have a column of times, such as time, to be named by time; "
            f"got {listed(names) if names else f'{width} columns'}."
        )
    return free[0]
