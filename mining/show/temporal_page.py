"""The page of a temporal census: a grid of 36 motifs, as in the figure of Paranjape and others."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup

from gomkcn.mining.plots.event_drawing import RADIUS, draw_arrows
from gomkcn.mining.show.page import Numbers, render_page
from gomkcn.mining.show.page_table import PageTable
from gomkcn.mining.significance.temporal_nulls import TEMPORAL_NULLS
from gomkcn.mining.temporal.temporal_columns import TEMPORAL_COLUMNS
from gomkcn.mining.temporal.temporal_motifs import TemporalCensus, motif_events

# where the nodes 1, 2 and 3 of a drawing stand, in its pixels
_POINTS = {1: np.array([16.0, 18.0]), 2: np.array([104.0, 18.0]), 3: np.array([60.0, 80.0])}
# of two nodes alone, which leaves room for three arrows above each other
_PAIR_POINTS = {1: np.array([16.0, 47.0]), 2: np.array([104.0, 47.0])}
# size of a drawing, six of which are in a row
_WIDTH = 120
_HEIGHT = 94


def render_temporal_page(census: TemporalCensus, source: str, window: str) -> str:
    """Return the page of a census of the graph in a file ``source``."""
    cells = _cells(census)
    comparison = census.comparisons[0] if census.comparisons else None
    return render_page(
        "temporal.html.jinja",
        source=source,
        window=window,
        census=census,
        grid=[cells[row * 6 : row * 6 + 6] for row in range(6)],
        num_samples=comparison.num_samples if comparison else 0,
        null=comparison.null if comparison else "",
        keeps=TEMPORAL_NULLS[comparison.null].keeps if comparison else "",
        total=f"{int(census.counts.sum()):,}",
        verdicts=Counter(result.verdict for result in census.comparisons),
    )


def _cells(census: TemporalCensus) -> list[dict[str, Any]]:
    """What the grid shows of each motif: its drawing, its numbers, and a shade by its count."""
    rows = census.rows
    table = PageTable.of(TEMPORAL_COLUMNS, rows)
    columns = census.columns()
    record = [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
    numbers = Numbers(record, "table")
    logs = np.log(np.maximum(census.counts, 1)).reshape(-1)
    least = logs[census.counts.reshape(-1) > 0].min(initial=logs.max())
    span = logs.max() - least
    return [
        {
            "svg": draw_events(row.row, row.column),
            "cells": table.cells(row, partial(numbers, at)),
            "shade": round(5 + 45 * (logs[at] - least) / span) if span > 0 else 0,
            "is_called": row.result is not None and row.result.is_called,
        }
        for at, row in enumerate(rows)
    ]


def draw_events(row: int, column: int) -> Markup:
    """Draw the motif of a row and a column: three arrows with their places in the order of time.

    >>> print(draw_events(5, 0)[:60])
    <svg role="img" aria-label="1 to 2, then 1 to 2, then 1 to 2
    """
    events = motif_events(row, column)
    nodes = sorted({node for event in events for node in event})
    points = _POINTS if len(nodes) == 3 else _PAIR_POINTS
    shapes = draw_arrows(events, points)
    for node in nodes:
        x, y = points[node]
        shapes += f'<circle cx="{x}" cy="{y}" r="{RADIUS - 1}" fill="var(--m0)"/>'
    label = ", then ".join(f"{u} to {v}" for u, v in events)
    return Markup(
        f'<svg role="img" aria-label="{label}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}">{shapes}</svg>'
    )
