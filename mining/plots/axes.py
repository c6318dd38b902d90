"""What the matplotlib figures share: axes in one style, and a figure as SVG text.

No pyplot: a figure belongs to whoever asked for it, and no backend is chosen. matplotlib and
seaborn take seconds to import, so each function imports them when it draws. Names from the input
(features, nodes, files) are never drawn, since a font may lack their letters.
"""

from __future__ import annotations

import hashlib
import io
import re
from typing import TYPE_CHECKING

from mining.plots.colors import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


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
