"""Figures of findings, in seaborn's style: similarities and tables of results in, Axes out.

As in ``mining/plots.py`` no pyplot is used, and each function imports matplotlib when it draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.errors import InputError
from mining.graph_map import MOST_COLORS, OTHERS_COLOR, pattern_palette
from mining.plots import INK, label_axes, new_figure, styled_axes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_NUM_BINS = 40


def draw_similarities(
    similarity: np.ndarray, ax: Axes | None = None, *, threshold: float | None = None
) -> Axes:
    r"""Draw how similar each node is to its best pattern, as a histogram coloured by that pattern.

    Parameters
    ----------
    similarity : numpy.ndarray
        ``[V, P]`` in [0, 1], as ``PatternMiner.transform`` gives it.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a figure of its own.
    threshold : float, optional
        Least similarity that counts; a dashed line with the number of nodes that reach it.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> ax = draw_similarities(np.array([[0.9, 0.2], [0.1, 0.7]]), threshold=0.8)
    >>> ax.texts[0].get_text()
    'at least 0.80:\n1 of 2 nodes'
    """
    import pandas as pd
    import seaborn as sns

    similarity = np.asarray(similarity, dtype=float)
    if similarity.ndim != 2:
        raise InputError(f"similarity must have the shape [V, P], got {similarity.shape}.")
    if 0 in similarity.shape:
        return empty_panel(ax, "There are no similarities to show.")
    best, nearest = similarity.max(axis=1), similarity.argmax(axis=1)
    names, colors = _pattern_names(nearest)
    ax = styled_axes(ax, 6.2, 3.2)
    table = pd.DataFrame({"similarity": best, "pattern": [names[n] for n in nearest.tolist()]})
    # rounding may leave a value a hair outside
    edges = np.linspace(min(0.0, float(best.min())), max(1.0, float(best.max())), _NUM_BINS + 1)
    sns.histplot(
        table,
        x="similarity",
        hue="pattern",
        hue_order=list(colors),
        palette=colors,
        multiple="stack",
        bins=edges.tolist(),
        alpha=1.0,
        edgecolor="white",
        linewidth=0.3,
        ax=ax,
    )
    sns.move_legend(
        ax, "center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9, title="Nearest"
    )
    _ink_legend(ax)
    if threshold is not None:
        reached = int((best >= threshold).sum())
        ax.axvline(threshold, color=INK, linestyle="--", linewidth=1.2)
        # beside the line, on the side with room
        left = threshold > 0.5
        ax.annotate(
            f"at least {threshold:.2f}:\n{reached} of {len(best)} nodes",
            (threshold, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(-5 if left else 5, -2),
            textcoords="offset points",
            ha="right" if left else "left",
            va="top",
            fontsize=8,
            color=INK,
        )
    ax.set_xlim(edges[0], edges[-1])
    whole_numbers(ax, "y")
    label_axes(ax, "How similar nodes are to their nearest pattern", "Similarity", "Nodes")
    return ax


def draw_heat_map(
    table: pd.DataFrame,
    ax: Axes | None = None,
    *,
    label: str,
    title: str = "",
    decimals: int = 2,
    limits: tuple[float, float] | None = None,
) -> Axes:
    """Draw a table of results over two settings, the number in each cell.

    Parameters
    ----------
    table : pandas.DataFrame
        One setting down, the other across, such as ``DataFrame.pivot`` gives it; the names of index
        and columns label the axes. A cell without a result stays empty.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a figure of its own.
    label : str
        What the numbers are, with their unit.
    title : str
    decimals : int
        Digits after the point.
    limits : (float, float), optional
        Values of the darkest and the brightest colour.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame([[0.5, 1.0]], index=pd.Index([5], name="copies"),
    ...                      columns=pd.Index([0.0, 0.1], name="noise"))
    >>> ax = draw_heat_map(table, label="F1")
    >>> ax.get_xlabel(), [text.get_text() for text in ax.texts]
    ('noise', ['0.50', '1.00'])
    """
    import seaborn as sns

    if table.empty:
        return empty_panel(ax, "There are no results to show.")
    rows, columns = table.shape
    ax = styled_axes(ax, 1.9 + 0.62 * columns, 1.3 + 0.42 * rows)
    low, high = (None, None) if limits is None else limits
    sns.heatmap(
        table.astype(float),
        ax=ax,
        annot=True,
        fmt=f".{decimals}f",
        annot_kws={"fontsize": 8},
        cmap="viridis",
        vmin=low,
        vmax=high,
        linewidths=0.6,
        linecolor="white",
        cbar_kws={"label": label},
    )
    bar = ax.collections[0].colorbar
    if bar is not None:
        bar.ax.yaxis.label.set(color=INK, fontsize=9)
        bar.ax.tick_params(color=INK, labelcolor=INK, labelsize=8)
    ax.tick_params(length=0)
    # the axes of a setting read upright
    ax.tick_params(axis="y", rotation=0)
    label_axes(ax, title, str(table.columns.name or ""), str(table.index.name or ""))
    return ax


def _pattern_names(nearest: np.ndarray) -> tuple[dict[int, str], dict[str, Any]]:
    """Legend name of each pattern, with its number of nodes, and colour of each name."""
    numbers, counts = np.unique(nearest, return_counts=True)
    shown = np.sort(numbers[np.argsort(-counts, kind="stable")][:MOST_COLORS]).tolist()
    count_of = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
    names = {number: f"Pattern {number} ({count_of[number]})" for number in shown}
    colors = dict(zip(names.values(), pattern_palette(), strict=False))
    rest = [number for number in count_of if number not in names]
    if rest:
        others = f"{len(rest)} others ({sum(count_of[number] for number in rest)})"
        names |= dict.fromkeys(rest, others)
        colors[others] = OTHERS_COLOR
    return names, colors


def _ink_legend(ax: Axes) -> None:
    legend = ax.get_legend()
    if legend is not None:
        for text in (legend.get_title(), *legend.get_texts()):
            text.set(color=INK, fontsize=9)


def whole_numbers(ax: Axes, axis: str) -> None:
    """Mark whole numbers only on the "x" or "y" axis."""
    from matplotlib.ticker import MaxNLocator

    getattr(ax, f"{axis}axis").set_major_locator(MaxNLocator(6, integer=True))


def empty_panel(ax: Axes | None, sentence: str) -> Axes:
    """A panel that says that there is nothing."""
    ax = new_figure(4, 1).add_subplot() if ax is None else ax
    ax.set_axis_off()
    ax.text(0.5, 0.5, sentence, ha="center", va="center", color=INK, transform=ax.transAxes)
    return ax
