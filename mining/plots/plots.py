"""Figures of a run: patterns and loss in, matplotlib Axes or Figure out.

No pyplot: a figure belongs to whoever asked for it, and no backend is chosen. matplotlib and
seaborn take seconds to import, so each function imports them when it draws. Names from the input
(features, nodes, files) are never drawn, since a font may lack their letters.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.errors import InputError
from mining.plots.layout import dot_radius, place_nodes
from mining.plots.node_colors import PLAIN, FeatureScale
from mining.records.pattern import Pattern

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# on a page this colour becomes the colour of the page's text, so that dark pages work as well
INK = "#1f2328"
# stands out from white and from black
_CURVE = "#2a7fb8"
_NO_PATTERNS = "No patterns were found."
# inches
_PATTERN_WIDTH, _PATTERN_HEIGHT = 2.6, 2.3


def draw_pattern(
    pattern: Pattern, ax: Axes | None = None, *, colors: np.ndarray | None = None
) -> Axes:
    """Draw a pattern as dots and lines.

    A line is 1 point wide for a learnt weight of ½ and 3 points for 1. A dot carries the number of
    the pattern node.

    Parameters
    ----------
    pattern : Pattern
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a figure of its own, ``draw_pattern(…).figure``.
    colors : numpy.ndarray, optional
        ``[M]`` in [0, 1], the place of each node on the colour scale, as :func:`feature_colors`
        gives them for several patterns at once; by default from this pattern alone.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from mining.records.frequency import Frequency
    >>> from mining.records.pattern import Medoid
    >>> pattern = Pattern(0, ((0, 1),), (0.9,), np.ones((2, 1)), ("constant",),
    ...                   Medoid((5, 7), 0.98, root=5), Frequency(4, 2, 2), 0.8, ())
    >>> draw_pattern(pattern).get_title()
    'Pattern 0: 2 occurrences'
    """
    from matplotlib.collections import LineCollection

    if ax is None:
        ax = new_figure(_PATTERN_WIDTH, _PATTERN_HEIGHT + 0.25).add_subplot()
    if colors is None:
        (colors,) = feature_colors([pattern])
    places = place_nodes(pattern.num_nodes, pattern.edges)
    radius = dot_radius(places, 0.17, 0.36) if len(places) > 1 else 0.2
    lines = [places[list(edge)] for edge in pattern.edges]
    widths = [4 * weight - 1 for weight in pattern.edge_weights]
    ax.add_collection(
        LineCollection(lines, linewidths=widths, colors=INK, capstyle="round", clip_on=False)
    )
    _draw_nodes(ax, places, radius, colors)
    margin = radius + 0.06
    ax.set_xlim(-1 - margin, 1 + margin)
    ax.set_ylim(-0.85 - margin, 0.85 + margin)
    ax.set_aspect("equal")
    ax.set_axis_off()
    distinct = pattern.frequency.distinct
    counted = "1 occurrence" if distinct == 1 else f"{distinct} occurrences"
    ax.set_title(f"Pattern {pattern.id}: {counted}", color=INK, fontsize=10)
    return ax


def draw_patterns(patterns: Sequence[Pattern], columns: int = 4) -> Figure:
    """Draw all patterns in a grid, their colours on one scale.

    Parameters
    ----------
    patterns : sequence of Pattern
    columns : int
        Most patterns side by side.

    Returns
    -------
    matplotlib.figure.Figure
    """
    check_int("columns", columns, 1)
    if not patterns:
        figure = new_figure(4, 1)
        figure.text(0.5, 0.5, _NO_PATTERNS, ha="center", va="center", color=INK)
        return figure
    columns = min(columns, len(patterns))
    rows = math.ceil(len(patterns) / columns)
    figure = new_figure(_PATTERN_WIDTH * columns, (_PATTERN_HEIGHT + 0.3) * rows)
    colors = feature_colors(patterns)
    for position, (pattern, shades) in enumerate(zip(patterns, colors, strict=True)):
        draw_pattern(pattern, figure.add_subplot(rows, columns, position + 1), colors=shades)
    return figure


def draw_loss(loss_curve: Sequence[float], ax: Axes | None = None) -> Axes:
    """Draw how the misfit between subgraphs and filters went down.

    Parameters
    ----------
    loss_curve : sequence of float
        1 - mean similarity of a subgraph to its best filter: at the start, then after each epoch.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a figure of its own.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        For an empty curve.
    """
    from matplotlib.ticker import MaxNLocator

    if not len(loss_curve):
        raise InputError("loss_curve must hold at least one value, got none.")
    ax = styled_axes(ax, 5.0, 2.8)
    ax.plot(range(len(loss_curve)), loss_curve, color=_CURVE, linewidth=2)
    for epoch in {0, len(loss_curve) - 1}:
        ax.plot(epoch, loss_curve[epoch], "o", color=_CURVE, markersize=5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    # from 0, so that the eye reads how much of the misfit went away
    ax.set_ylim(0, 1.1 * max(*loss_curve, 1e-6))
    if len(loss_curve) == 1:
        ax.set_xlim(-0.5, 0.5)
    label_axes(ax, "Loss during training", "Epoch (0 is the start)", "Loss: 1 − mean similarity")
    return ax


def feature_colors(patterns: Sequence[Pattern]) -> list[np.ndarray | None]:
    """Place the nodes of all patterns on one colour scale: nodes with similar features, close by.

    The place is the first principal component of the standardised features, or the feature itself
    where there is only one.

    Parameters
    ----------
    patterns : sequence of Pattern
        With the same features.

    Returns
    -------
    list of numpy.ndarray or None
        ``[M]`` in [0, 1] for each pattern; None for each where all nodes have the same features.
    """
    scale = FeatureScale.fit(np.concatenate([pattern.features for pattern in patterns]))
    return [None if scale is None else scale.place(pattern.features) for pattern in patterns]


def figure_to_svg(
    figure: Figure | SubFigure, *, name: str | None = None, inline: bool = False
) -> str:
    """Return a figure as SVG text, the same for the same figure on every run.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Such as ``draw_loss(…).figure``; of a part of a figure the whole is taken.
    name : str, optional
        Start of every id in the text, so that several figures can stand in one page; by default a
        digest of the figure.
    inline : bool
        For a page: no XML header and no background, and the ink takes the page's text colour.
    """
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "gomkcn", "svg.fonttype": "none"}):
        buffer = io.StringIO()
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        face = "none" if inline else "white"
        whole = figure.get_figure(root=True)
        whole.savefig(buffer, format="svg", metadata=nothing, facecolor=face, edgecolor="none")
    svg = buffer.getvalue()
    start = name or "f" + hashlib.sha256(svg.encode()).hexdigest()[:12]
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{start}-", svg)
    if inline:
        svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    return svg


def new_figure(width: float, height: float) -> Figure:
    """Make a figure of so many inches, without a background."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", facecolor="none")


def styled_axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return axes without a box, in seaborn's white style where they are ours."""
    import seaborn as sns

    if ax is None:
        with sns.axes_style("white"):
            ax = new_figure(width, height).add_subplot(facecolor="none")
    sns.despine(ax=ax)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(INK)
    ax.tick_params(which="both", color=INK, labelcolor=INK, labelsize=9)
    return ax


def label_axes(ax: Axes, title: str, x: str, y: str) -> None:
    ax.set_title(title, color=INK, fontsize=11)
    ax.set_xlabel(x, color=INK, fontsize=9)
    ax.set_ylabel(y, color=INK, fontsize=9)


def _draw_nodes(ax: Axes, places: np.ndarray, radius: float, colors: np.ndarray | None) -> None:
    """Draw numbered dots; a number is black on a light dot and white on a dark one."""
    import seaborn as sns
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Circle

    scale = sns.color_palette("crest", as_cmap=True)
    # a figure's axes are about this many points wide for the 2.4 units of a drawing
    font_size = min(10.0, 95 * radius)
    for node, place in enumerate(places):
        face = to_rgb(PLAIN) if colors is None else scale(float(colors[node]))[:3]
        light = np.dot(face, (0.299, 0.587, 0.114)) > 0.5
        ax.add_patch(
            Circle(place, radius, facecolor=face, edgecolor=INK, lw=1, zorder=2, clip_on=False)
        )
        ax.text(
            place[0],
            place[1],
            str(node),
            color="black" if light else "white",
            fontsize=font_size,
            ha="center",
            va="center_baseline",
            zorder=3,
        )
