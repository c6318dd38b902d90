"""Figures of findings, in seaborn's style: similarities and tables of results in, Axes out.

As in ``mining/plots/plots.py`` no pyplot is used, and each function imports matplotlib when it
draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.errors import InputError
from mining.plots.node_colors import MOST_COLORS, OTHERS_COLOR, pattern_palette
from mining.plots.plots import INK, label_axes, new_figure, styled_axes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

NUM_BINS = 40


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
    similarity = np.asarray(similarity, dtype=float)
    if similarity.ndim != 2:
        raise InputError(f"similarity must have the shape [V, P], got {similarity.shape}.")
    if 0 in similarity.shape:
        return empty_panel(ax, "There are no similarities to show.")
    best, nearest = similarity.max(axis=1), similarity.argmax(axis=1)
    ax = draw_similarity_counts(count_similarities(best, nearest, similarity.shape[1]), ax)
    if threshold is not None:
        reached = int((best >= threshold).sum())
        said = f"at least {threshold:.2f}:\n{reached} of {len(best)} nodes"
        mark_value(ax, threshold, said, left=threshold > 0.5)
    return ax


def count_similarities(best: np.ndarray, nearest: np.ndarray, num_patterns: int) -> np.ndarray:
    """Count nodes by nearest pattern and by similarity, in 40 equal parts of [0, 1].

    Parameters
    ----------
    best : numpy.ndarray
        ``[V]`` similarity of each node to its nearest pattern.
    nearest : numpy.ndarray
        Integer ``[V]`` that pattern.
    num_patterns : int
        Number of patterns P.

    Returns
    -------
    numpy.ndarray
        int64 ``[P, 40]``.

    Examples
    --------
    >>> counts = count_similarities(np.array([0.0, 0.5, 1.0]), np.array([0, 1, 1]), 2)
    >>> counts.shape, counts.sum(axis=1).tolist(), counts[1, [20, 39]].tolist()
    ((2, 40), [1, 2], [1, 1])
    """
    # rounding may leave a value a hair outside
    part = np.clip((best * NUM_BINS).astype(np.int64), 0, NUM_BINS - 1)
    cell = nearest * NUM_BINS + part
    return np.bincount(cell, minlength=num_patterns * NUM_BINS).reshape(num_patterns, NUM_BINS)


def draw_similarity_counts(counts: np.ndarray, ax: Axes | None = None) -> Axes:
    """Draw how similar nodes are to their nearest pattern, from counts.

    Parameters
    ----------
    counts : numpy.ndarray
        Integer ``[P, 40]``, as :func:`count_similarities` gives them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a figure of its own.

    Returns
    -------
    matplotlib.axes.Axes
    """
    import pandas as pd
    import seaborn as sns
    from matplotlib.patches import Patch

    counts = np.asarray(counts)
    if not counts.sum():
        return empty_panel(ax, "There are no similarities to show.")
    pattern, part = np.nonzero(counts)
    names, colors = _pattern_names(counts.sum(axis=1))
    ax = styled_axes(ax, 5.4, 3.8)
    table = pd.DataFrame(
        {
            "similarity": (part + 0.5) / NUM_BINS,
            "pattern": [names[number] for number in pattern.tolist()],
            "nodes": counts[pattern, part],
        }
    )
    sns.histplot(
        table,
        x="similarity",
        weights="nodes",
        hue="pattern",
        hue_order=list(colors),
        palette=colors,
        multiple="stack",
        bins=np.linspace(0, 1, NUM_BINS + 1).tolist(),
        alpha=1.0,
        edgecolor="white",
        linewidth=0.3,
        legend=False,
        ax=ax,
    )
    # not sns.move_legend, through which matplotlib keeps every figure for good
    ax.legend(
        handles=[Patch(facecolor=color, label=name) for name, color in colors.items()],
        title="Nearest", loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3, frameon=False,
    )  # fmt: skip
    _ink_legend(ax)
    ax.set_xlim(0, 1)
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


def _pattern_names(counts: np.ndarray) -> tuple[dict[int, str], dict[str, Any]]:
    """Legend name of each pattern with nodes, with their number, and colour of each name."""
    numbers = np.flatnonzero(counts)
    ranked = numbers[np.argsort(-counts[numbers], kind="stable")]
    shown = np.sort(ranked[:MOST_COLORS]).tolist()
    count_of = dict(zip(numbers.tolist(), counts[numbers].tolist(), strict=True))
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


def mark_value(ax: Axes, value: float, text: str, left: bool) -> None:
    """Draw a dashed line at a value of the x axis, with words on the side that has room."""
    ax.axvline(value, color=INK, linestyle="--", linewidth=1.2)
    ax.annotate(
        text,
        (value, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(-5 if left else 5, -2),
        textcoords="offset points",
        ha="right" if left else "left",
        va="top",
        fontsize=8,
        color=INK,
    )


def empty_panel(ax: Axes | None, sentence: str) -> Axes:
    """A panel that says that there is nothing."""
    ax = new_figure(4, 1).add_subplot() if ax is None else ax
    ax.set_axis_off()
    ax.text(0.5, 0.5, sentence, ha="center", va="center", color=INK, transform=ax.transAxes)
    return ax
