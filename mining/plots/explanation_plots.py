"""Figures of an explanation: filters as graphs, and graphs coloured by their response."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mining.explanation.classifier_explanation import LearntFilter, Response
from mining.plots.layout import dot_radius, place_nodes
from mining.plots.node_colors import PLAIN
from mining.plots.plots import INK, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RESPONSE_COLORS = "viridis"
_PLANTED = "#d1495b"
# columns of features that get a colour of their own
_MOST_COLUMNS = 9
_OTHER = "#9a9a9a"
# features that are this close are alike
_ALIKE = 0.05
_PANEL, _TITLE = 2.6, 0.3
# of the least distance between two nodes
_DOT_SHARE = 0.42


@dataclass(frozen=True)
class FilterColors:
    """Colours of the nodes of all filters.

    Attributes
    ----------
    faces : list of list of str
        A colour for each node of each filter.
    meaning : str
        What a colour says.
    legend : tuple of (str, str)
        Names and colours.
    """

    faces: list[list[str]]
    meaning: str
    legend: tuple[tuple[str, str], ...] = ()


def filter_colors(filters: Sequence[LearntFilter]) -> FilterColors:
    """Colour nodes by their features: as red, green and blue, or by their largest column."""
    from matplotlib.colors import to_hex

    rows = np.concatenate([one.features for one in filters])
    sizes = np.cumsum([len(one.features) for one in filters])[:-1]
    width = rows.shape[1]
    legend: tuple[tuple[str, str], ...] = ()
    if np.ptp(rows, axis=0).max() < _ALIKE:
        faces = [PLAIN] * len(rows)
        meaning = "The features of all nodes are alike."
    elif width <= 3:
        low, high = min(0.0, float(rows.min())), max(1.0, float(rows.max()))
        channels = np.full((len(rows), 3), 0.5)
        channels[:, :width] = (rows - low) / (high - low)
        faces = [to_hex(tuple(color)) for color in channels.tolist()]
        meaning = (
            "A node's feature is the red of its colour.",
            "A node's 2 features are the red and the green of its colour.",
            "A node's 3 features are the red, green and blue of its colour.",
        )[width - 1]
    else:
        faces, legend = _by_column(rows)
        meaning = f"A node's colour is the largest of its {width} feature columns."
    parts = np.split(np.array(faces), sizes)
    return FilterColors([part.tolist() for part in parts], meaning, legend)


def _by_column(rows: np.ndarray) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    import seaborn as sns
    from matplotlib.colors import to_hex

    largest = rows.argmax(axis=1)
    columns, counts = np.unique(largest, return_counts=True)
    kept = np.sort(columns[np.argsort(-counts, kind="stable")][:_MOST_COLUMNS])
    palette = sns.color_palette("husl", len(kept), desat=0.85)
    color_of = {int(c): to_hex(color) for c, color in zip(kept, palette, strict=True)}
    legend = [(f"column {column}", color) for column, color in color_of.items()]
    if len(columns) > len(kept):
        legend.append(("another", _OTHER))
    return [color_of.get(int(column), _OTHER) for column in largest], tuple(legend)


def draw_filter(one: LearntFilter, faces: Sequence[str], ax: Axes | None = None) -> Axes:
    """Draw a filter: its edges above 1/2 with their weights, its nodes in their colours.

    Parameters
    ----------
    one : LearntFilter
    faces : sequence of str
        A colour for each node.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a figure of its own.
    """
    if ax is None:
        ax = new_figure(2.9, 2.6).add_subplot()
    places = place_nodes(len(one.features), one.edges)
    radius = dot_radius(places, 0.12, _DOT_SHARE)
    widths = [4 * weight - 1 for weight in one.edge_weights]
    _draw_edges(ax, places, one.edges, widths, 0.7)
    _draw_dots(ax, places, radius, list(faces), [INK] * len(places))
    _label_edges(ax, places, one, radius)
    _frame(ax, radius)
    return ax


def draw_filters(filters: Sequence[LearntFilter]) -> Figure:
    """Draw all filters in a grid."""
    from matplotlib.patches import Patch

    columns = min(4, len(filters))
    rows = math.ceil(len(filters) / columns)
    colors = filter_colors(filters)
    figure = new_figure(2.9 * columns, 2.8 * rows + (0.5 if colors.legend else 0))
    for number, (one, faces) in enumerate(zip(filters, colors.faces, strict=True)):
        ax = draw_filter(one, faces, figure.add_subplot(rows, columns, number + 1))
        ax.set_title(f"Filter {number}", color=INK, fontsize=10)
    if colors.legend:
        figure.legend(
            handles=[Patch(facecolor=color, label=name) for name, color in colors.legend],
            loc="outside lower center",
            ncols=5 if columns > 2 else 2,
            frameon=False,
            fontsize=8,
            labelcolor=INK,
        )
    return figure


def draw_response(response: Response, scale: tuple[float, float]) -> Figure:
    """Draw a graph once for each filter, every node in the colour of its response.

    Parameters
    ----------
    response : Response
    scale : (float, float)
        Responses of the darkest and the brightest colour.
    """
    num_filters = response.scores.shape[1]
    columns = min(4, num_filters)
    rows = math.ceil(num_filters / columns)
    side = _PANEL if len(response.nodes) <= 60 else 1.5 * _PANEL
    figure = new_figure(side * columns + 0.8, (0.85 * side + _TITLE) * rows)
    places = place_nodes(len(response.nodes), response.edges)
    axes = []
    for number in range(num_filters):
        ax = figure.add_subplot(rows, columns, number + 1)
        _draw_colored(ax, response, places, response.scores[:, number], scale)
        high = response.scores[:, number].max()
        weight = "bold" if number == response.best_filter else "normal"
        title = f"Filter {number}: up to {high:.2f}"
        ax.set_title(title, color=INK, fontsize=9, fontweight=weight)
        axes.append(ax)
    _color_bar(figure, axes, scale)
    return figure


def draw_root(response: Response, scale: tuple[float, float]) -> Figure:
    """Draw the subgraph around a node, and the scores of its root as bars.

    Nodes have the colour of their own response to the filter that the root responds to most.
    """
    from matplotlib import colormaps
    from matplotlib.colors import Normalize

    num_filters = response.scores.shape[1]
    figure = new_figure(7.6, max(2.4, 0.6 + 0.24 * num_filters))
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.1))
    places = place_nodes(len(response.nodes), response.edges)
    best = response.best_filter
    _draw_colored(left, response, places, response.scores[:, best], scale, root=0)
    left.set_title(f"Response to filter {best}", color=INK, fontsize=9)
    shade = colormaps[RESPONSE_COLORS](Normalize(*_open(scale))(response.scores[0]))
    right.barh(range(num_filters), response.scores[0], color=shade, edgecolor=INK, linewidth=0.5)
    for number, score in enumerate(response.scores[0]):
        right.annotate(
            f"{score:.2f}",
            (max(score, 0), number),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color=INK,
        )
    right.set_yticks(range(num_filters), [f"filter {number}" for number in range(num_filters)])
    right.invert_yaxis()
    right.set_xlim(min(0, scale[0]), 1.18 * max(scale[1], 1e-6))
    right.tick_params(color=INK, labelcolor=INK, labelsize=8)
    right.set_facecolor("none")
    for side, spine in right.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(INK)
    right.set_title("Response of the root", color=INK, fontsize=9)
    _color_bar(figure, [left, right], scale)
    return figure


def _open(scale: tuple[float, float]) -> tuple[float, float]:
    """A scale with two ends, even where all responses are the same."""
    low, high = scale
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _draw_colored(
    ax: Axes,
    response: Response,
    places: np.ndarray,
    values: np.ndarray,
    scale: tuple[float, float],
    root: int | None = None,
) -> None:
    from matplotlib import colormaps
    from matplotlib.colors import Normalize, to_hex

    radius = dot_radius(places, 0.09 if root is None else 0.13, _DOT_SHARE)
    _draw_edges(ax, places, response.edges, 1.0, 0.55)
    shades = colormaps[RESPONSE_COLORS](Normalize(*_open(scale))(values))
    rings = [INK] * len(places)
    if response.is_planted is not None:
        rings = [_PLANTED if inside else INK for inside in response.is_planted]
    _draw_dots(ax, places, radius, [to_hex(shade) for shade in shades], rings)
    if root is not None:
        from matplotlib.patches import Circle

        ring = Circle(places[root], 1.45 * radius, fill=False, ec=INK, lw=1.2, clip_on=False)
        ax.add_patch(ring)
    _frame(ax, radius)


def _color_bar(figure: Figure, axes: list[Axes], scale: tuple[float, float]) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    shades = ScalarMappable(Normalize(*_open(scale)), RESPONSE_COLORS)
    bar = figure.colorbar(shades, ax=axes, fraction=0.05, pad=0.02, aspect=18)
    bar.set_label("kernel response", color=INK, fontsize=9)
    bar.ax.tick_params(color=INK, labelcolor=INK, labelsize=8)
    bar.outline.set_edgecolor(INK)


def _draw_edges(
    ax: Axes, places: np.ndarray, edges: Sequence[tuple[int, int]], widths: Any, alpha: float
) -> None:
    from matplotlib.collections import LineCollection

    lines = [places[list(edge)] for edge in edges]
    ax.add_collection(
        LineCollection(lines, linewidths=widths, colors=INK, alpha=alpha, clip_on=False)
    )


def _draw_dots(
    ax: Axes, places: np.ndarray, radius: float, faces: list[str], rings: list[str]
) -> None:
    from matplotlib.patches import Circle

    for place, face, ring in zip(places, faces, rings, strict=True):
        # a unit is about 75 points; the rim of a small dot must not hide its colour
        width = min(0.7 if ring == INK else 1.8, 25 * radius)
        ax.add_patch(
            Circle(place, radius, facecolor=face, edgecolor=ring, lw=width, zorder=2, clip_on=False)
        )


def _label_edges(ax: Axes, places: np.ndarray, one: LearntFilter, radius: float) -> None:
    """Write each weight where it is furthest from dots and from other weights."""
    taken = list(places)
    for (u, v), weight in zip(one.edges, one.edge_weights, strict=True):
        spots = [places[u] + share * (places[v] - places[u]) for share in (0.5, 0.35, 0.65)]
        room = [min(np.linalg.norm(spot - other) for other in taken) for spot in spots]
        # the middle, unless another spot is clearly better
        room[0] *= 1.3
        spot = spots[int(np.argmax(room))]
        taken.append(spot)
        ax.text(
            spot[0],
            spot[1],
            f"{weight:.2f}".lstrip("0") if weight < 0.995 else "1",
            fontsize=6.5,
            color="#202020",
            ha="center",
            va="center",
            zorder=4,
            bbox={"boxstyle": "round,pad=0.12", "facecolor": "#f2f2f2", "edgecolor": "none"},
        )


def _frame(ax: Axes, radius: float) -> None:
    margin = radius + 0.06
    ax.set_xlim(-1 - margin, 1 + margin)
    ax.set_ylim(-0.85 - margin, 0.85 + margin)
    ax.set_aspect("equal")
    ax.set_axis_off()
