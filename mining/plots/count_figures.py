"""Figures of counts: estimates with their intervals, and counts beside those of random graphs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.errors import InputError
from mining.plots.figures import empty_panel, whole_numbers
from mining.plots.plots import INK, label_axes, styled_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# value, lower and upper end; the ends are None where no interval is known
Estimate = tuple[float, float | None, float | None]

# counts further apart than this need a logarithmic axis
_WIDE_RANGE = 50
_MARKERS = "osD^v"
_OBSERVED = "#d55e00"
_GREY = "#8a8a8a"


def draw_intervals(
    names: Sequence[str],
    readings: Mapping[str, Sequence[Estimate | None]],
    ax: Axes | None = None,
    *,
    label: str = "Count",
    title: str = "How often each pattern occurs",
) -> Axes:
    """Draw estimates as points with their intervals, one row a pattern.

    Parameters
    ----------
    names : sequence of str
        One a row.
    readings : mapping of str to sequence
        For each reading and row: value and both ends of the interval; ends of None for no interval,
        None for no value at all.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a figure of its own.
    label : str
        What is counted, for the axis.
    title : str

    Returns
    -------
    matplotlib.axes.Axes
        Logarithmic where the largest value is more than 50 times the smallest.

    Raises
    ------
    InputError
        For a reading with another number of rows.

    Examples
    --------
    >>> ax = draw_intervals(["Pattern 0"], {"distinct": [(10, 8, 13)]})
    >>> ax.get_xlabel()
    'Count (bars: 95 % intervals)'
    """
    import seaborn as sns

    for reading, estimates in readings.items():
        if len(estimates) != len(names):
            raise InputError(
                f"readings must have one estimate for each of the {len(names)} rows, "
                f"got {len(estimates)} for {reading!r}."
            )
    if not names or not readings:
        return empty_panel(ax, "There are no frequencies to show.")
    ax = styled_axes(ax, 5.4, 1.4 + len(names) * (0.16 + 0.09 * len(readings)))
    colors = sns.color_palette("colorblind", len(readings))
    step = 0.7 / len(readings)
    values = [e for estimates in readings.values() for e in estimates if e is not None]
    for number, (reading, estimates) in enumerate(readings.items()):
        shift = (number - (len(readings) - 1) / 2) * step
        rows = [row for row, estimate in enumerate(estimates) if estimate is not None]
        known = [estimate for estimate in estimates if estimate is not None]
        ax.errorbar(
            [value for value, _, _ in known],
            [row + shift for row in rows],
            xerr=_bars(known),
            fmt=_MARKERS[number % len(_MARKERS)],
            color=colors[number],
            markersize=5,
            linewidth=1.8,
            capsize=2.5,
            label=reading,
        )
    _scale_counts(ax, values)
    _name_rows(ax, names)
    bars = any(low is not None for _, low, _ in values)
    label_axes(ax, title, f"{label} (bars: 95 % intervals)" if bars else label, "")
    _legend_above(ax, *ax.get_legend_handles_labels())
    return ax


def draw_null_distributions(
    names: Sequence[str],
    observed: Sequence[float],
    null_counts: Sequence[Sequence[float]],
    ax: Axes | None = None,
    *,
    z_scores: Sequence[float | None] | None = None,
    label: str = "Occurrences",
) -> Axes:
    """Draw the counts in random graphs as grey dots and the observed count as a mark, by pattern.

    Parameters
    ----------
    names : sequence of str
        One a row.
    observed : sequence of float
        Counts in the graph itself.
    null_counts : sequence of sequence of float
        Counts in the samples of the null model, for each row.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a figure of its own.
    z_scores : sequence of float or None, optional
        By default (observed - mean) / standard deviation of the samples, where that is not 0.
    label : str
        What is counted, for the axis.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> ax = draw_null_distributions(["Pattern 0"], [9], [[1, 2, 3]])
    >>> ax.texts[0].get_text()
    'z = +7.0'
    """
    import pandas as pd
    import seaborn as sns

    if not len(names) == len(observed) == len(null_counts):
        raise InputError(
            f"observed and null_counts must have one entry for each of the {len(names)} rows, "
            f"got {len(observed)} and {len(null_counts)}."
        )
    if not len(names):
        return empty_panel(ax, "There are no patterns to compare with chance.")
    ax = styled_axes(ax, 6.2, 1.3 + 0.34 * len(names))
    table = pd.DataFrame(
        [(row, float(count)) for row, counts in enumerate(null_counts) for count in counts],
        columns=["row", "count"],
    )
    spread = np.linspace(-0.22, 0.22, 9)
    # a fixed pattern of offsets and not chance: the same figure on every run
    offset = spread[(table.groupby("row").cumcount().to_numpy() * 4) % len(spread)]
    sns.scatterplot(
        x=table["count"], y=table["row"] + offset, color=_GREY, s=14, alpha=0.6, linewidth=0, ax=ax
    )
    rows = np.arange(len(names))
    ax.scatter(observed, rows, marker="D", s=38, color=_OBSERVED, edgecolors=INK, lw=0.6, zorder=4)
    if z_scores is None:
        z_scores = [_z_score(o, c) for o, c in zip(observed, null_counts, strict=True)]
    for row, score in enumerate(z_scores):
        ax.text(
            1.01,
            row,
            _z_text(score),
            transform=ax.get_yaxis_transform(),
            va="center",
            fontsize=8,
            color=INK,
        )
    everything = [(float(count), None, None) for count in [*observed, *table["count"]]]
    _scale_counts(ax, everything)
    _name_rows(ax, names)
    label_axes(ax, "Observed counts beside chance", label, "")
    _null_legend(ax, len(table) // max(1, len(names)))
    return ax


def _bars(estimates: Sequence[Estimate]) -> np.ndarray:
    """Lengths of the bars to both sides, ``[2, n]``; 0 where no interval is known."""
    sides = [
        (0.0, 0.0) if low is None or high is None else (max(value - low, 0), max(high - value, 0))
        for value, low, high in estimates
    ]
    return np.array(sides, dtype=float).reshape(-1, 2).T


def _scale_counts(ax: Axes, estimates: Sequence[Estimate]) -> None:
    """Choose a linear or a logarithmic axis for counts; 0 stays visible on both."""
    ends = [e for value, low, high in estimates for e in (value, low, high) if e is not None]
    counted = [end for end in ends if end > 0]
    if counted and max(counted) > _WIDE_RANGE * min(counted):
        ax.set_xscale("symlog", linthresh=1, linscale=0.4)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.set_xlim(-0.15 if min(ends) <= 0 else 0.7 * min(ends), 1.6 * max(counted))
    else:
        ax.set_xlim(
            min([0.0, *ends]) - 0.02 * max(counted, default=1), 1.08 * max(counted, default=1)
        )
        whole_numbers(ax, "x")


def _name_rows(ax: Axes, names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), list(names))
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", color=_GREY, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)


def _z_score(observed: float, counts: Sequence[float]) -> float | None:
    if len(counts) < 2 or np.std(counts, ddof=1) == 0:
        return None
    return float((observed - np.mean(counts)) / np.std(counts, ddof=1))


def _z_text(score: float | None) -> str:
    if score is None or not math.isfinite(score):
        return "z not defined"
    return f"z = {score:+.1f}".replace("-", "−")


def _null_legend(ax: Axes, num_samples: int) -> None:
    from matplotlib.lines import Line2D

    kinds: dict[str, dict[str, Any]] = {
        "observed": {"marker": "D", "color": _OBSERVED, "mec": INK, "ms": 6},
        f"{num_samples} random graphs": {"marker": "o", "color": _GREY, "ms": 4},
    }
    _legend_above(ax, [Line2D([], [], ls="none", **kind) for kind in kinds.values()], list(kinds))


def _legend_above(ax: Axes, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Put the legend between title and rows, where it covers neither."""
    ax.legend(
        handles=handles,
        labels=labels,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=len(labels),
        frameon=False,
        fontsize=9,
        labelcolor=INK,
        columnspacing=1.2,
        handletextpad=0.4,
    )
    ax.set_title(ax.get_title(), color=INK, fontsize=11, pad=26)
