"""The figure of scaling.py: one log-log panel an axis, medians with their range."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib
import matplotlib.ticker as ticker
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from measure import Timing

_COLORS = {
    "sampler, bfs": "#2a7fb8",
    "sampler, dense": "#7cb7d9",
    "matching, greedy": "#e08a3c",
    "matching, optimal": "#a8501a",
}
_MARKERS = {
    "sampler, bfs": "o",
    "sampler, dense": "s",
    "matching, greedy": "^",
    "matching, optimal": "D",
}
# the panel in which a doubling should halve the time
_FALLING = "threads"


def draw_curves(panels: Mapping[str, Mapping[str, Mapping[int, Timing]]], path: Path) -> None:
    """Draw the curves of each axis and write them as SVG, the same for the same numbers."""
    figure = Figure(figsize=(9, 6.6), layout="constrained")
    with sns.axes_style("whitegrid"):
        axes = figure.subplots(2, 2).flatten()
    for ax, (axis, curves) in zip(axes, panels.items(), strict=True):
        _draw_panel(ax, axis, curves)
    handles, labels = axes[0].get_legend_handles_labels()
    for ax in axes:
        ax.get_legend().remove()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    with matplotlib.rc_context({"svg.hashsalt": "scaling", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})


def _draw_panel(ax: Axes, axis: str, curves: Mapping[str, Mapping[int, Timing]]) -> None:
    rows = [
        (curve, value, second)
        for curve, points in curves.items()
        for value, timing in points.items()
        for second in timing.seconds
    ]
    frame = pd.DataFrame(rows, columns=["curve", axis, "seconds"])
    ax.set_xscale("log")
    ax.set_yscale("log")
    sns.lineplot(
        frame,
        x=axis,
        y="seconds",
        hue="curve",
        style="curve",
        palette=_COLORS,
        markers=_MARKERS,
        dashes=False,
        estimator="median",
        errorbar=("pi", 100),
        ax=ax,
    )
    values = sorted(frame[axis].unique())
    ax.xaxis.set_major_locator(ticker.FixedLocator(values))
    ax.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: _short(value)))
    ax.xaxis.set_minor_locator(ticker.NullLocator())
    _draw_guide(ax, frame.rename(columns={axis: "value"}), -1 if axis == _FALLING else 1)


def _draw_guide(ax: Axes, frame: pd.DataFrame, slope: int) -> None:
    """A dashed line below all curves, of the slope that they would have in proportion."""
    first, last = frame["value"].min(), frame["value"].max()
    start = (frame["seconds"] / (frame["value"] / first) ** slope).min() / 1.6
    end = start * (last / first) ** slope
    ax.plot([first, last], [start, end], "--", color="#8b949e", lw=1)
    rising = slope > 0
    # under the lower end
    ax.annotate(
        "in proportion" if rising else "in inverse proportion",
        (first, start) if rising else (last, end),
        xytext=(6 if rising else -6, -3),
        textcoords="offset points",
        ha="left" if rising else "right",
        va="top",
        color="#57606a",
        fontsize=8,
    )
    ax.margins(y=0.1)


def _short(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"
