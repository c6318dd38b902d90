"""Distances of many graphs as a heat map with a dendrogram, by seaborn: for a page or a paper.

That of a page belongs to no window and needs no display. Squares are one picture in the drawing, so
that a thousand graphs take no more room than their pixels.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn.mining.plots.paper_figure import FigureSize
from gomkcn.mining.plots.structure_figure import plotting
from gomkcn.mining.plots.styles import INK
from gomkcn_dgl.runtime.files import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# inches: of the whole, and of the least height of a name in it
SIDE, _NAME = 7.2, 0.08
# of the figure: the dendrogram, and the scale of the colours
_TREE, _SCALE = 0.14, 0.025
# letters of a name, of which the middle is left out beyond
_MOST_LETTERS = 24
# points: of a name, at most and at least
_LARGE, _SMALL = 9.0, 5.0
# near is dark, and far is light; no colour is that of a light or a dark page
_COLORS = "viridis"
_DPI = 150
# of letters and lines in the drawing of a page, which are then those of the page
_OF_PAGE = "#010203"
# a drawing in a page says nothing of itself, and is the same each time
_NOT_WRITTEN = ("Date", "Creator", "Format", "Type")


def plot_heat_map(
    apart: np.ndarray, names: Sequence[str], merged: np.ndarray, title: str, size: FigureSize
) -> Figure:
    """The heat map of some graphs, in the order of the leaves of their dendrogram.

    Parameters
    ----------
    apart : numpy.ndarray
        float64 ``[K, K]``, the distances, of two graphs at least.
    names : sequence of str
        Left out where there is no room for them.
    merged : numpy.ndarray
        float64 ``[K - 1, 4]``, the clustering as SciPy has it.
    title : str
        What the distances are.
    size : FigureSize

    Examples
    --------
    >>> apart = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> merged = np.array([[0.0, 1.0, 1.0, 2.0]])
    >>> figure = plot_heat_map(apart, ["a", "b"], merged, "GCD-11", FigureSize())
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['a', 'b']
    """
    size.check()
    _, pyplot = plotting()
    figure: Figure = pyplot.figure(figsize=size.of(SIDE, SIDE), dpi=_DPI, layout="constrained")
    # a notebook shows what a cell returns, and would show what is open once more
    pyplot.close(figure)
    _fill(figure, apart, names, merged, title, INK)
    return size.write(figure)


def _fill(
    figure: Figure,
    apart: np.ndarray,
    names: Sequence[str],
    merged: np.ndarray,
    title: str,
    ink: str,
) -> None:
    """Draw the heat map into a figure, with letters and lines of a colour."""
    sns, _ = plotting()
    from matplotlib.collections import LineCollection
    from scipy.cluster.hierarchy import dendrogram

    wide, high = figure.get_size_inches()
    grid = figure.add_gridspec(
        2, 3, width_ratios=[_TREE, 1 - _TREE - _SCALE, _SCALE], height_ratios=[_TREE, 1 - _TREE]
    )
    axis = figure.add_subplot(grid[1, 1])
    # 1. the squares, which have about this share of the figure
    room = 0.72 * min(wide, high)
    has_names = room / len(names) >= _NAME
    with sns.axes_style("white", {"text.color": ink}):
        sns.heatmap(
            apart,
            ax=axis,
            vmin=0.0,
            cmap=_COLORS,
            square=False,
            rasterized=True,
            xticklabels=False,
            yticklabels=False,
            cbar_ax=figure.add_subplot(grid[1, 2]),
            cbar_kws={"label": title},
        )
    if has_names:
        # a name with dollars is no formula
        shown, middles = [_short(name) for name in names], np.arange(len(names)) + 0.5
        axis.set_xticks(middles, shown, parse_math=False)
        axis.set_yticks(middles, shown, parse_math=False)
    letters = min(_LARGE, max(_SMALL, 60 * room / len(names)))
    axis.tick_params(colors=ink, labelsize=letters, length=0)
    axis.tick_params(axis="x", labelrotation=90)
    axis.tick_params(axis="y", labelrotation=0)
    scale: Any = axis.collections[0].colorbar
    scale.ax.tick_params(colors=ink, labelsize=_LARGE - 1)
    scale.ax.yaxis.label.set(color=ink, fontsize=_LARGE)
    scale.outline.set_visible(False)
    # 2. the dendrogram, above and on the left: leaves are at 5, 15, 25 …, squares 1 wide
    tree = dendrogram(merged, no_plot=True)
    places = np.array(tree["icoord"]) / 10
    heights = np.array(tree["dcoord"])
    for position, is_above in ((grid[0, 1], True), (grid[1, 0], False)):
        drawn = figure.add_subplot(position)
        both = (places, heights) if is_above else (heights, places)
        drawn.add_collection(
            LineCollection(list(np.stack(both, axis=2)), colors=ink, linewidths=0.7, clip_on=False)
        )
        top = heights.max() * 1.02 or 1.0
        drawn.set_axis_off()
        if is_above:
            drawn.set(xlim=(0, len(names)), ylim=(0, top))
        else:
            drawn.set(xlim=(top, 0), ylim=(len(names), 0))


def draw_heat_map(
    apart: np.ndarray, names: Sequence[str], merged: np.ndarray, title: str, label: str
) -> str:
    """The same as SVG for a page, whose letters and lines have the colour of its text."""
    plotting()
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure((SIDE, SIDE), dpi=_DPI, layout="constrained")
    file = io.StringIO()
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": title}
    with rc_context(settings), warnings.catch_warnings():
        # letters are those of the browser's fonts
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        _fill(figure, apart, names, merged, title, _OF_PAGE)
        figure.patch.set_visible(False)
        figure.savefig(file, format="svg", metadata=dict.fromkeys(_NOT_WRITTEN))
    drawn = file.getvalue()
    drawn = drawn[drawn.index("<svg") :].replace(_OF_PAGE, "currentColor")
    # several drawings of a page have no names in common, and the size follows from the page
    drawn = re.sub(r'<g id="[^"]*"', "<g", drawn)
    drawn = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", drawn, count=1)
    drawn = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", drawn, count=1)
    return drawn.replace("<svg", f'<svg class="heat" role="img" aria-label="{label}"', 1)


def _short(name: str) -> str:
    """A name that is not too long: its middle is left out."""
    name = printable(name)
    if len(name) <= _MOST_LETTERS:
        return name
    half = (_MOST_LETTERS - 1) // 2
    return f"{name[:half]}…{name[-half:]}"
