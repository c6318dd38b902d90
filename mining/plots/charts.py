"""Figures of a run as a whole: counts with intervals, and the loss."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mining.plots.styles import INK
from mining.plots.svg import Drawing, bar, dot, label, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# counts with a larger ratio need a logarithmic axis
_MAX_LINEAR_RATIO = 50
_WIDTH, _TOP = 560.0, 48.0
# left and right end of what is drawn
_LEFT, _RIGHT = 90.0, 545.0
_PREFIXES = ("", "k", "M")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def new_figure(width: float, height: float) -> Figure:
    """Make a figure of a width and height in inches, without a background."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", facecolor="none")


def styled_axes(
    width: float, height: float, title: str, x: str, y: str, ax: Axes | None = None
) -> Axes:
    """Return axes without a box, with a title and axis labels; new ones where ``ax`` is None."""
    import seaborn as sns

    if ax is None:
        with sns.axes_style("white"):
            ax = new_figure(width, height).add_subplot(facecolor="none")
    sns.despine(ax=ax)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(INK)
    ax.tick_params(which="both", color=INK, labelcolor=INK, labelsize=9)
    ax.set_title(title, color=INK, fontsize=11)
    ax.set_xlabel(x, color=INK, fontsize=9)
    ax.set_ylabel(y, color=INK, fontsize=9)
    return ax


def whole_numbers(ax: Axes, axis: str) -> None:
    """Put ticks at whole numbers only on the "x" or "y" axis."""
    from matplotlib.ticker import MaxNLocator

    locator = MaxNLocator(6, integer=True, min_n_ticks=1)
    getattr(ax, f"{axis}axis").set_major_locator(locator)


def figure_to_svg(
    figure: Figure | SubFigure, *, name: str | None = None, inline: bool = False
) -> str:
    """Return a figure as SVG text, the same for the same figure on every run.

    ``name`` is the start of every id in the text, so that a page can contain several figures; by
    default a digest of the figure. With ``inline`` there is neither XML header nor background, and
    the ink takes the text colour of the page.
    """
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "gomkcn", "svg.fonttype": "none"}):
        buffer = io.StringIO()
        no_metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        face = "none" if inline else "white"
        whole = figure.get_figure(root=True)
        whole.savefig(buffer, format="svg", metadata=no_metadata, facecolor=face, edgecolor="none")
    svg = buffer.getvalue()
    start = name or "f" + hashlib.sha256(svg.encode()).hexdigest()[:12]
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{start}-", svg)
    if inline:
        svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    return svg


def draw_intervals(
    names: Sequence[str], counts: Mapping[str, Sequence[tuple[float, float, float]]]
) -> Drawing:
    """Draw counts as points with their intervals, one row per name, one sign per kind of count.

    Each count is a value with the lower and upper end of its interval, NaN where unknown. The axis
    is logarithmic where the largest count is more than 50 times the smallest.
    """
    tables = {name: np.array(rows, dtype=float) for name, rows in counts.items()}  # [rows, 3] each
    ends = np.concatenate(list(tables.values()))
    place, ticks = _count_axis(ends[np.isfinite(ends)])
    step, height = 11.0, 11.0 * len(tables) + 8
    bottom = _TOP + height * len(names)
    bars = " (lines: 95 % intervals)" if np.isfinite(ends[:, 1]).any() else ""
    shapes = [*_title("How often each pattern occurs"), *_ticks(place, ticks, bottom)]
    shapes.append(label(np.array([(_LEFT + _RIGHT) / 2, bottom + 34]), f"Count{bars}", 12))
    for kind, (name, table) in enumerate(tables.items()):
        # the legend between title and rows
        at = _LEFT + 115.0 * kind
        shapes += [_sign(kind, at, 34.0), label(np.array([at + 10, 38]), name, 12, anchor="start")]
        for row, (value, low, high) in enumerate(table.tolist()):
            y = _TOP + height * row + step * (kind + 0.9)
            if np.isfinite(low):
                shapes.append(line(np.array([[place(low), y], [place(high), y]]), 1.6))
            if np.isfinite(value):
                shapes.append(_sign(kind, place(value), y))
    for row, name in enumerate(names):
        y = _TOP + height * row
        shapes.append(label(np.array([_LEFT - 8, y + height / 2 + 4]), name, 12, anchor="end"))
        shapes.append(line(np.array([[_LEFT, y], [_RIGHT, y]]), 0.6, opacity=0.25))
    return Drawing("".join(shapes), 0.0, 0.0, _WIDTH, bottom + 42)


def draw_loss(loss_curve: Sequence[float]) -> Drawing:
    """Draw the loss, 1 - mean similarity of a subgraph to its best filter, after each epoch."""
    bottom, last = 200.0, max(len(loss_curve) - 1, 1)
    # from 0, so that the share of the loss that went away can be read
    up, marks = _vertical(max(*loss_curve, 1e-6), bottom)

    def across(epoch: float) -> float:
        return _LEFT + 8 + epoch / last * (_RIGHT - _LEFT - 16)

    epochs = [tick for tick in _even_ticks(0.0, float(last)) if tick == int(tick)]
    shapes = [*_title("Loss during training"), *_ticks(across, epochs, bottom), *marks]
    points = np.array([[across(epoch), up(loss)] for epoch, loss in enumerate(loss_curve)])
    shapes += [line(points[at : at + 2], 2) for at in range(len(points) - 1)]
    shapes += [dot(point, 4.0, "currentColor") for point in (points[0], points[-1])]
    shapes.append(
        label(np.array([(_LEFT + _RIGHT) / 2, bottom + 34]), "Epoch (0: initial filters)", 12)
    )
    shapes.append(label(np.array([8.0, _TOP - 14]), "1 − mean similarity", 12, anchor="start"))
    return Drawing("".join(shapes), 0.0, 0.0, _WIDTH, bottom + 42)


def _count_axis(ends: np.ndarray) -> tuple[Callable[[float], float], list[float]]:
    """Where a count lies, and the ticks of its axis; 0 is visible on a logarithmic one as well."""
    positive = ends[ends > 0]
    highest = float(positive.max(initial=1))
    logarithmic = highest > _MAX_LINEAR_RATIO * float(positive.min(initial=highest))
    measure: Callable[[float], float] = np.log1p if logarithmic else float
    scale = (_RIGHT - _LEFT - 8) / measure(highest)
    ticks = _even_ticks(0.0, highest)
    if logarithmic:
        decades = int(np.log10(highest))
        ticks = [0.0, *(10.0**power for power in range(1, decades + 1, 1 + decades // 7))]
    return lambda count: float(_LEFT + scale * measure(count)), ticks


def _even_ticks(low: float, high: float) -> list[float]:
    """At most seven round numbers from ``low`` to ``high``."""
    rough = (high - low) / 6
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(step for step in (power, 2 * power, 5 * power, 10 * power) if step >= rough)
    return [round(float(tick), 12) for tick in np.arange(low, high + step / 1e6, step)]


def _ticks(place: Callable[[float], float], ticks: Sequence[float], bottom: float) -> list[str]:
    """A horizontal axis with numbers below it."""
    shapes = [line(np.array([[_LEFT, bottom], [_RIGHT, bottom]]), 1)]
    for tick in ticks:
        x = place(tick)
        shapes.append(line(np.array([[x, bottom], [x, bottom + 4]]), 1))
        shapes.append(label(np.array([x, bottom + 17]), _short(tick), 11))
    return shapes


def _vertical(highest: float, bottom: float) -> tuple[Callable[[float], float], list[str]]:
    """Where a value from 0 to ``highest`` lies, and the shapes of its vertical axis."""
    scale = (bottom - _TOP) / highest
    shapes = [line(np.array([[_LEFT, _TOP], [_LEFT, bottom]]), 1)]
    for tick in _even_ticks(0.0, highest):
        y = bottom - scale * tick
        shapes.append(line(np.array([[_LEFT - 4, y], [_LEFT, y]]), 1))
        shapes.append(label(np.array([_LEFT - 7, y + 4]), _short(tick), 11, anchor="end"))
    return lambda value: bottom - scale * value, shapes


def _short(value: float) -> str:
    """Such as 20, 0.5, 10k, 3M or 10¹²."""
    power = 0 if value < 1000 else int(np.log10(value) // 3)
    if power < len(_PREFIXES):
        return f"{value / 1000**power:g}{_PREFIXES[power]}"
    exponent = int(np.log10(value))
    ahead = f"{value / 10.0**exponent:g}"
    return f"{'' if ahead == '1' else f'{ahead} · '}10{str(exponent).translate(_RAISED)}"


def _sign(kind: int, x: float, y: float) -> str:
    """A filled or empty circle, a filled or empty square."""
    face = "currentColor" if kind % 2 == 0 else "none"
    if kind < 2:
        return dot(np.array([x, y]), 3.5, face, stroke_width=1.5)
    return bar(x - 3.5, y - 3.5, 7.0, 7.0, face, stroke="currentColor", stroke_width=1.5)


def _title(text: str) -> list[str]:
    return [label(np.array([(_LEFT + _RIGHT) / 2, 16]), text, 14)]
