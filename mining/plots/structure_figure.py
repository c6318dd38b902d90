"""Structures in a figure of Matplotlib, in the style of seaborn: for a notebook or a paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn.mining.plots.layout import structure_positions
from gomkcn.mining.plots.styles import INK, Kind, short_category
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# drawings in a row, which is as wide as a page
IN_A_ROW = 4
# width of a drawing, in inches, and its height with its title and its numbers
SIDE = 2.1
HEIGHT = 2.7
# of a node without a colour
PLAIN = "#c8ced5"
# how Matplotlib calls the lines of relations; all bonds are solid
_LINES = {"dashed": "--", "dotted": ":", "dash-dot": "-."}
# characters in a line of a title
_WIDTH = 26


def structures_figure(number: int, draw: Callable[[Axes, int], None], note: str) -> Figure:
    """A figure of so many drawings, each by a call of ``draw``; the ``note`` where there are none.

    Raises
    ------
    InputError
        If Matplotlib and seaborn are not installed.
    """
    sns, pyplot = plotting()
    rows = max(1, -(-number // IN_A_ROW))
    with sns.axes_style("white"), sns.plotting_context("paper"):
        size = (SIDE * IN_A_ROW, HEIGHT * rows if number else 1)
        figure: Figure = pyplot.figure(figsize=size, layout="constrained")
        # a notebook shows what a cell returns, and would show what is open once more
        pyplot.close(figure)
        if not number:
            figure.text(0.5, 0.5, fill(note, 4 * _WIDTH), ha="center", va="center", color=INK)
            return figure
        draw_all(figure, number, draw)
    return figure


def draw_all(part: Any, number: int, draw: Callable[[Axes, int], None]) -> None:
    """Draw so many structures in the rows of a figure or a part of it."""
    axes = part.subplots(-(-number // IN_A_ROW), IN_A_ROW, squeeze=False).ravel()
    for at, axis in enumerate(axes):
        if at < number:
            draw(axis, at)
        axis.set_axis_off()


def plotting() -> tuple[Any, Any]:
    """The packages seaborn and Matplotlib's pyplot, or refuse where they are not installed."""
    try:
        import seaborn as sns
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise InputError(f"a plot needs {error.name}; pip install gomkcn-dgl[notebooks].") from None
    return sns, pyplot


def draw_on_axis(
    axis: Axes,
    structure: Structure,
    lines: Mapping[Kind, str],
    *,
    title: str,
    note: str,
    color: str,
    fills: str | Sequence[str],
    weights: Sequence[float] | None = None,
) -> None:
    """A structure in the frame of its positions, a title above it and a note below it.

    ``weights`` in [0, 1] say how dark edges are.
    """
    points = structure_positions(structure)
    kinds = structure.relations.kinds
    shades = np.ones(len(structure.edges)) if weights is None else np.clip(weights, 0, 1)
    edges = zip(structure.edges, structure.edge_relations, shades.tolist(), strict=True)
    for (u, v), relation, shade in edges:
        kind = kinds[relation]
        look = {
            "color": INK,
            "alpha": shade,
            "linewidth": 1.6,
            "linestyle": _LINES.get(lines.get(kind, ""), "-"),
        }
        style = "-|>" if kind[1] else "-"
        axis.annotate(
            "", points[v], points[u], arrowprops={"arrowstyle": style, "shrinkB": 6, **look}
        )
    x_all, y_all = points.T
    axis.scatter(x_all, y_all, s=130, c=fills, edgecolors=INK, linewidths=0.9, zorder=3)
    for (x, y), names in zip(points.tolist(), structure.categories, strict=False):
        axis.text(x, y, short_category(names), ha="center", va="center", fontsize=7, zorder=4)
    # the note stands below the drawing, inside the frame, so that no row covers another
    axis.set(xlim=(-1.25, 1.25), ylim=(-1.75, 1.1), aspect="equal")
    axis.set_title(fill(title, _WIDTH, max_lines=2, placeholder=" …"), color=color)
    axis.text(0, -1.15, note, ha="center", va="top", color=INK)
