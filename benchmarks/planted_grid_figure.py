"""The figure of planted_grid.py: heat maps of copies by noise, a measure by the share flipped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from planted_grid_table import Row

Measure = tuple[str, str, Callable[[Row], float], str]
_GOOD, _BAD = "viridis", "viridis_r"
_MEASURES: tuple[Measure, ...] = (
    ("isomorphic", "F1 of\nintact copies, %", lambda row: row.f1, _GOOD),
    ("isomorphic", "mean error\nof distinct, %", lambda row: row.error["distinct"], _BAD),
    ("isomorphic", "intervals of it\nthat cover, %", lambda row: row.covered["distinct"], _GOOD),
    ("similar", "F1 of planted\ncopies (near), %", lambda row: row.f1_near, _GOOD),
    ("similar", "mean error\nof distinct, %", lambda row: row.error["distinct"], _BAD),
    ("similar", "intervals of it\nthat cover, %", lambda row: row.covered["distinct"], _GOOD),
)


def draw_grid(rows: Sequence[Row], path: Path) -> None:
    """Draw all measures and write them as SVG, the same for the same numbers."""
    flips = sorted({row.cell[2] for row in rows})
    figure = Figure(figsize=(3.2 * len(flips) + 2.2, 2.3 * len(_MEASURES)), layout="constrained")
    axes = figure.subplots(len(_MEASURES), len(flips), squeeze=False)
    for line, (rule, name, measure, colors) in zip(axes, _MEASURES, strict=True):
        for ax, flipped in zip(line, flips, strict=True):
            some = [row for row in rows if row.rule == rule and row.cell[2] == flipped]
            table = pd.DataFrame(
                [(row.cell[1], row.cell[0], 100 * measure(row)) for row in some],
                columns=["noise", "copies", "value"],
            ).pivot(index="noise", columns="copies", values="value")
            sns.heatmap(
                table, annot=True, fmt=".0f", vmin=0, vmax=100, cmap=colors, ax=ax,
                cbar=ax is line[-1], cbar_kws={"label": name},
            )  # fmt: skip
            ax.set(
                title=f"{rule}, {100 * flipped:g} % flipped",
                xlabel="copies of each motif",
                ylabel="feature noise (s.d.)",
            )
            ax.tick_params(axis="y", rotation=0)
            # where there is no number
            ax.set_facecolor("#c9cdd1")
    figure.supxlabel("grey: in no graph had a motif five intact copies", fontsize="small")
    with matplotlib.rc_context({"svg.hashsalt": "planted_grid", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})
