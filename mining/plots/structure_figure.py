"""Structures in a figure of Matplotlib, in the style of seaborn: for a notebook or a paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import fill
from typing import TYPE_CHECKING, Any

from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.plots.styles import INK, Kind
from gomkcn.mining.plots.svg_axes import draw_svg
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
# pixels of a drawing, and the share of its height between rows of drawings
_PIXELS = 120, 96
GAP = 0.12
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
        # what stands below a drawing keeps away from the title of the next one
        engine: Any = figure.get_layout_engine()
        engine.set(hspace=GAP)
    return figure


def draw_all(part: Any, number: int, draw: Callable[[Axes, int], None]) -> None:
    """Draw so many structures in the rows of a figure or a part of it."""
    axes = part.subplots(-(-number // IN_A_ROW), IN_A_ROW, squeeze=False).ravel()
    for at, axis in enumerate(axes):
        if at < number:
            draw(axis, at)
        else:
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
    style: Mapping[str, str],
    **looks: Any,
) -> None:
    """A structure as pages draw it, in the colours of a style, with a title and a note below it.

    ``looks`` are those of :func:`gomkcn.mining.plots.structure_drawing.draw_structure`.
    """
    draw_svg(axis, draw_structure(structure, *_PIXELS, lines=lines, **looks), style)
    axis.set_title(fill(title, _WIDTH, max_lines=2, placeholder=" …"), color=color)
    # the layout gives a label room, so that no row covers another
    axis.set_xlabel(note, color=INK)
