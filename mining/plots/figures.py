"""Figures of a run as a whole: counts with intervals, similarities, and the loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mining.plots.axes import pattern_legend, styled_axes, whole_numbers
from mining.plots.colors import GREY, INK, pattern_groups

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NUM_BINS = 40
# counts with a larger ratio need a logarithmic axis
_MAX_LINEAR_RATIO = 50
_MARKERS = "osD^v"


def draw_intervals(
    names: Sequence[str], counts: Mapping[str, Sequence[tuple[float, float, float]]]
) -> Axes:
    """Draw counts as points with their intervals, one row per name, one colour per kind of count.

    Each count is a value with the lower and upper end of its interval, NaN where unknown. The axis
    is logarithmic where the largest count is more than 50 times the smallest.
    """
    import seaborn as sns

    tables = {name: np.array(rows, dtype=float) for name, rows in counts.items()}  # [rows, 3] each
    ends = np.concatenate(list(tables.values()))
    bars = " (bars: 95 % intervals)" if np.isfinite(ends[:, 1]).any() else ""
    height = 1.4 + len(names) * (0.16 + 0.09 * len(tables))
    ax = styled_axes(5.4, height, "", f"Count{bars}", "")
    # the legend is between title and rows
    ax.set_title("How often each pattern occurs", color=INK, fontsize=11, pad=26)
    colors = sns.color_palette("colorblind", len(tables))
    for number, (name, table) in enumerate(tables.items()):
        value, low, high = table.T
        # the counts of one row lie side by side
        shift = 0.7 * ((number + 0.5) / len(tables) - 0.5)
        ax.errorbar(
            value,
            np.arange(len(names)) + shift,
            xerr=np.maximum([value - low, high - value], 0),
            fmt=_MARKERS[number % len(_MARKERS)],
            color=colors[number],
            markersize=5,
            linewidth=1.8,
            capsize=2.5,
            label=name,
        )
    _scale_counts(ax, ends[np.isfinite(ends)])
    ax.set_yticks(range(len(names)), list(names))
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", color=GREY, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    place: dict[str, Any] = {
        "loc": "lower center",
        "bbox_to_anchor": (0.5, 1.0),
        "ncols": len(tables),
    }
    ax.legend(frameon=False, columnspacing=1.2, fontsize=9, labelcolor=INK, **place)
    return ax


def _scale_counts(ax: Axes, ends: np.ndarray) -> None:
    """Choose a linear or a logarithmic axis for counts; 0 stays visible on both."""
    from matplotlib.ticker import EngFormatter

    positive = ends[ends > 0]
    highest = positive.max(initial=1)
    if highest > _MAX_LINEAR_RATIO * positive.min(initial=highest):
        ax.set_xscale("symlog", linthresh=1, linscale=0.4)
        # 10k, 10M and so on, which have room between the decades
        ax.xaxis.set_major_formatter(EngFormatter(sep=""))
        ax.set_xlim(-0.15 if ends.min() <= 0 else 0.7 * ends.min(), 1.6 * highest)
    else:
        ax.set_xlim(-0.02 * highest, 1.08 * highest)
        whole_numbers(ax, "x")


def count_similarities(best: np.ndarray, nearest: np.ndarray, num_patterns: int) -> np.ndarray:
    """Count nodes by nearest pattern and by similarity in 40 equal parts of [0, 1], ``[P, 40]``.

    ``best [V]`` is the similarity of each node to its nearest pattern ``nearest [V]``.
    """
    # rounding may leave a value slightly outside
    part = np.clip((best * NUM_BINS).astype(np.int64), 0, NUM_BINS - 1)
    cell = nearest * NUM_BINS + part
    return np.bincount(cell, minlength=num_patterns * NUM_BINS).reshape(num_patterns, NUM_BINS)


def draw_similarity_counts(counts: np.ndarray) -> Axes:
    """Draw how similar nodes are to their nearest pattern, from ``counts [P, 40]``."""
    title = "How similar nodes are to their nearest pattern"
    ax = styled_axes(5.4, 3.8, title, "Similarity", "Nodes")
    left, bottom = np.arange(NUM_BINS) / NUM_BINS, np.zeros(NUM_BINS)
    for name, patterns, color in pattern_groups(counts.sum(axis=1)):
        height = counts[patterns].sum(axis=0)
        style: dict[str, Any] = {"color": color, "edgecolor": "white", "linewidth": 0.3}
        ax.bar(left, height, 1 / NUM_BINS, bottom, align="edge", label=name, **style)
        bottom += height
    pattern_legend(ax, "Nearest", -0.2)
    ax.set_xlim(0, 1)
    whole_numbers(ax, "y")
    return ax


def draw_loss(loss_curve: Sequence[float]) -> Axes:
    """Draw the loss, 1 - mean similarity of a subgraph to its best filter, after each epoch."""
    import seaborn as sns

    title, y = "Loss during training", "Loss: 1 − mean similarity"
    ax = styled_axes(5.0, 2.8, title, "Epoch (0: initial filters)", y)
    (color,) = sns.color_palette("colorblind", 1)
    last = len(loss_curve) - 1
    ax.plot(range(last + 1), loss_curve, "o-", color=color, lw=2, ms=5, markevery=[0, last])
    whole_numbers(ax, "x")
    # from 0, so that the share of the loss that went away can be read
    ax.set_ylim(0, 1.1 * max(*loss_curve, 1e-6))
    if last == 0:
        ax.set_xlim(-0.5, 0.5)
    return ax
