"""Figures of a run as a whole: counts with intervals, similarities, the loss, and choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mining.plots.axes import label_axes, styled_axes, whole_numbers
from mining.plots.colors import GREY, INK, pattern_groups
from mining.records.choice import Choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# value, lower and upper end; the ends are None where no interval is known
Estimate = tuple[float, float | None, float | None]

NUM_BINS = 40
# counts with a larger ratio need a logarithmic axis
_MAX_LINEAR_RATIO = 50
_MARKERS = "osD^v"
_CHOICE_TITLES = {
    "pattern_size": "How large patterns are",
    "num_patterns": "How many patterns there are",
}
_CHOICE_AXES = {"pattern_size": "Most nodes of a pattern", "num_patterns": "Patterns"}


def draw_intervals(
    names: Sequence[str],
    readings: Mapping[str, Sequence[Estimate | None]],
    ax: Axes | None = None,
) -> Axes:
    """Draw counts as points with their intervals, one row per name, one colour per reading.

    ``readings`` holds one estimate per row, None where there is none. The axis is logarithmic where
    the largest count is more than 50 times the smallest.
    """
    import seaborn as sns

    ax = styled_axes(ax, 5.4, 1.4 + len(names) * (0.16 + 0.09 * len(readings)))
    colors = sns.color_palette("colorblind", len(readings))
    step = 0.7 / len(readings)
    for number, (reading, estimates) in enumerate(readings.items()):
        shift = (number - (len(readings) - 1) / 2) * step
        known = [(row, one) for row, one in enumerate(estimates) if one is not None]
        ax.errorbar(
            [value for _, (value, _, _) in known],
            [row + shift for row, _ in known],
            xerr=_bar_lengths([one for _, one in known]),
            fmt=_MARKERS[number % len(_MARKERS)],
            color=colors[number],
            markersize=5,
            linewidth=1.8,
            capsize=2.5,
            label=reading,
        )
    everything = [one for estimates in readings.values() for one in estimates if one is not None]
    _scale_counts(ax, [end for one in everything for end in one if end is not None])
    ax.set_yticks(range(len(names)), list(names))
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", color=GREY, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    has_bars = any(low is not None for _, low, _ in everything)
    label_axes(ax, "", "Count (bars: 95 % intervals)" if has_bars else "Count", "")
    # between title and rows, where the legend covers neither
    ax.set_title("How often each pattern occurs", color=INK, fontsize=11, pad=26)
    place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": len(readings)}
    ax.legend(frameon=False, fontsize=9, labelcolor=INK, columnspacing=1.2, **place)
    return ax


def _bar_lengths(estimates: Sequence[Estimate]) -> np.ndarray:
    """Lengths of the bars to both sides, ``[2, n]``; 0 where no interval is known."""
    lengths = [
        (0.0, 0.0) if low is None or high is None else (max(value - low, 0), max(high - value, 0))
        for value, low, high in estimates
    ]
    return np.array(lengths, dtype=float).reshape(-1, 2).T


def _scale_counts(ax: Axes, ends: Sequence[float]) -> None:
    """Choose a linear or a logarithmic axis for counts; 0 stays visible on both."""
    positive = [end for end in ends if end > 0]
    highest = max(positive, default=1)
    if positive and highest > _MAX_LINEAR_RATIO * min(positive):
        ax.set_xscale("symlog", linthresh=1, linscale=0.4)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.set_xlim(-0.15 if min(ends) <= 0 else 0.7 * min(ends), 1.6 * highest)
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


def draw_similarity_counts(counts: np.ndarray, ax: Axes | None = None) -> Axes:
    """Draw how similar nodes are to their nearest pattern, from ``counts [P, 40]``."""
    ax = styled_axes(ax, 5.4, 3.8)
    left, bottom = np.arange(NUM_BINS) / NUM_BINS, np.zeros(NUM_BINS)
    for name, patterns, color in pattern_groups(counts.sum(axis=1)):
        height = counts[patterns].sum(axis=0)
        style = {"color": color, "edgecolor": "white", "linewidth": 0.3}
        ax.bar(left, height, 1 / NUM_BINS, bottom, align="edge", label=name, **style)
        bottom += height
    title = ax.legend(
        title="Nearest", loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3, frameon=False,
        fontsize=9, title_fontsize=9, labelcolor=INK,
    ).get_title()  # fmt: skip
    title.set_color(INK)
    ax.set_xlim(0, 1)
    whole_numbers(ax, "y")
    label_axes(ax, "How similar nodes are to their nearest pattern", "Similarity", "Nodes")
    return ax


def draw_loss(loss_curve: Sequence[float], ax: Axes | None = None) -> Axes:
    """Draw the loss, 1 - mean similarity of a subgraph to its best filter, after each epoch."""
    import seaborn as sns

    ax = styled_axes(ax, 5.0, 2.8)
    (color,) = sns.color_palette("colorblind", 1)
    last = len(loss_curve) - 1
    ax.plot(range(last + 1), loss_curve, "o-", color=color, lw=2, ms=5, markevery=[0, last])
    whole_numbers(ax, "x")
    # from 0, so that the share of the loss that went away can be read
    ax.set_ylim(0, 1.1 * max(*loss_curve, 1e-6))
    if last == 0:
        ax.set_xlim(-0.5, 0.5)
    label_axes(ax, "Loss during training", "Epoch (0 is the start)", "Loss: 1 − mean similarity")
    return ax


def draw_choice(choice: Choice, ax: Axes | None = None) -> Axes:
    """Draw the criterion of each candidate with its standard error, and mark the chosen one.

    Parameters
    ----------
    choice : Choice
        Of ``PatternMiner.choices_`` or ``MiningRun.choices``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a figure of its own.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> choice = Choice("pattern_size", (3, 4, 5), (0.0, 9.0, 4.0), (0.0, 3.0, 2.0), 4, True)
    >>> draw_choice(choice).texts[0].get_text()
    '4 chosen'
    """
    import seaborn as sns

    ax = styled_axes(ax, 5.0, 2.9)
    candidates, criterion = choice.candidates, np.array(choice.criterion)
    error = np.array(choice.error)
    (color,) = sns.color_palette("colorblind", 1)
    ax.plot(candidates, criterion, "o-", color=color, linewidth=2)
    ax.fill_between(
        candidates, criterion - error, criterion + error, color=color, alpha=0.2, linewidth=0
    )
    text = f"{choice.chosen} chosen"
    if not choice.decided:
        text = f"none stands out:\n{choice.chosen} taken"
    # the text stands on the side of the line that has more room
    left = choice.chosen > (candidates[0] + candidates[-1]) / 2
    ax.axvline(choice.chosen, color=INK, linestyle="--", linewidth=1.2)
    ax.annotate(
        text,
        (choice.chosen, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(-5 if left else 5, -2),
        textcoords="offset points",
        ha="right" if left else "left",
        va="top",
        fontsize=8,
        color=INK,
    )
    # room for the text above the curve
    ax.set_ylim(0, 1.25 * max(float((criterion + error).max()), 1.0))
    whole_numbers(ax, "x")
    title, axis = _CHOICE_TITLES[choice.parameter], _CHOICE_AXES[choice.parameter]
    label_axes(ax, title, axis, "Cycles closed beyond chance")
    return ax
