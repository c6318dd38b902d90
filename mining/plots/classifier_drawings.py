"""Drawings of a classifier: its filters as graphs, and graphs coloured by their responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.relations import PLAIN
from mining.explanation.classifier_explanation import ComparedGraph, LearntFilter, Place, Response
from mining.plots.charts import new_figure, styled_axes, whole_numbers
from mining.plots.layout import adjacent_pairs, dot_radius, node_positions
from mining.plots.structure_drawing import DrawnEdge, edge_middles, edge_shapes
from mining.plots.styles import (
    GREY,
    INK,
    OTHERS_COLOR,
    PLANTED,
    NodeColors,
    RelationStyle,
    pattern_palette,
    response_colors,
)
from mining.plots.svg import (
    UNIT,
    Drawing,
    arrange,
    bar,
    dot,
    drawing_around,
    label,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# of edges without direction and relation
PLAIN_STYLES = (RelationStyle(PLAIN, False),)
# graphs with more nodes are drawn larger
_MAX_SMALL = 60


def draw_filter(
    learnt: LearntFilter, faces: Sequence[str], styles: Sequence[RelationStyle] = PLAIN_STYLES
) -> Drawing:
    """Draw a filter: its edges above ½ with their weights, its nodes in their colours.

    ``styles`` are those of the relations, by number.
    """
    size = len(learnt.features)
    positions = node_positions(size, adjacent_pairs(learnt.edges)) * [UNIT, -UNIT]
    radius = dot_radius(positions, 0.12 * UNIT, 0.42)
    edges = [
        DrawnEdge.of(styles[relation], ends, 5 * weight - 1, opacity=0.7)
        for ends, relation, weight in zip(
            learnt.edges, learnt.edge_relations, learnt.edge_weights, strict=True
        )
    ]
    shapes = edge_shapes(positions, np.full(size, radius), edges)
    shapes += [dot(position, radius, face) for position, face in zip(positions, faces, strict=True)]
    middles = edge_middles(positions, edges)
    for edge, weight, middle in zip(edges, learnt.edge_weights, middles, strict=True):
        # beside the middle, where the lines of a symmetric drawing cross
        spot = middle + 0.08 * (positions[edge.ends[0]] - positions[edge.ends[1]]) + [0.0, 4.0]
        text = f"{weight:.2f}".lstrip("0") if weight < 0.995 else "1"
        halo: dict[str, Any] = {"stroke": "#f2f2f2", "stroke_width": 5, "paint_order": "stroke"}
        shapes.append(label(spot, text, 12, "#202020", **halo))
    return drawing_around(shapes, np.vstack([positions, middles]), radius)


def draw_filters(
    filters: Sequence[LearntFilter],
    styles: Sequence[RelationStyle] = PLAIN_STYLES,
    labels: Sequence[str] = (),
) -> Drawing:
    """Draw all filters in a grid; ``labels`` are those of the explanation."""
    pairs = zip(filters, filter_faces(filters, labels), strict=True)
    titles = [f"Filter {number}" for number in range(len(filters))]
    return arrange([draw_filter(*pair, styles) for pair in pairs], 4, titles)


def draw_place(
    place: Place, faces: Sequence[str], styles: Sequence[RelationStyle] = PLAIN_STYLES
) -> Drawing:
    """Draw a place of a filter, its nodes in their colours, its root with a second ring."""
    shapes, positions, radius = _draw_graph(place, faces, styles)
    shapes.append(dot(positions[0], 1.4 * radius, "none", stroke_width=1.5))
    return drawing_around(shapes, positions, 1.4 * radius)


def draw_compared(
    graph: ComparedGraph, faces: Sequence[str], styles: Sequence[RelationStyle] = PLAIN_STYLES
) -> Drawing:
    """Draw a whole graph, its nodes in their colours."""
    shapes, positions, radius = _draw_graph(graph, faces, styles)
    return drawing_around(shapes, positions, radius)


def _draw_graph(
    graph: Place | ComparedGraph, faces: Sequence[str], styles: Sequence[RelationStyle]
) -> tuple[list[str], np.ndarray, float]:
    """The shapes of a graph, the positions of its nodes and their radius."""
    shapes, positions, radius = _draw_edges(graph, styles, 0.12, width=2.0, opacity=0.7)
    shapes += [dot(position, radius, face) for position, face in zip(positions, faces, strict=True)]
    return shapes, positions, radius


def _draw_edges(
    graph: Place | ComparedGraph | Response,
    styles: Sequence[RelationStyle],
    largest: float,
    width: float,
    opacity: float,
) -> tuple[list[str], np.ndarray, float]:
    """The edges of a graph, the positions of its nodes, and a radius for them below the largest."""
    size = len(graph.nodes)
    unit = UNIT if size <= _MAX_SMALL else 2 * UNIT
    positions = node_positions(size, adjacent_pairs(graph.edges)) * [unit, -unit]
    radius = dot_radius(positions, largest * UNIT, 0.42)
    edges = [
        DrawnEdge.of(styles[relation], ends, width, opacity=opacity)
        for ends, relation in zip(graph.edges, graph.edge_relations, strict=True)
    ]
    return edge_shapes(positions, np.full(size, radius), edges), positions, radius


def label_colors(labels: Sequence[str]) -> NodeColors:
    """The colours of labels, the most frequent first; rows of features are one-hot."""
    legend = list(zip(labels, pattern_palette(), strict=False))
    columns = tuple(range(len(legend)))
    if len(labels) > len(legend):
        legend.append(("another label", OTHERS_COLOR))
    return NodeColors(tuple(legend), columns)


def label_faces(codes: Sequence[int], labels: Sequence[str]) -> tuple[str, ...]:
    """Colours of nodes with these labels."""
    return label_colors(labels).faces(np.eye(len(labels))[list(codes)])


def draw_learning_curve(
    history: Mapping[str, Sequence[float]], best_epoch: int, baseline: float
) -> Axes:
    """Draw losses and validation accuracy by epoch; the best epoch and the baseline as lines."""
    import seaborn as sns

    figure = new_figure(6.4, 2.8)
    left, right = figure.subplots(1, 2)
    epochs = np.arange(1, len(history["train_loss"]) + 1)
    blue, orange = sns.color_palette("colorblind", 2)
    styled_axes(0, 0, "Loss", "Epoch", "", left)
    left.plot(epochs, history["train_loss"], color=blue, lw=2, label="training")
    left.plot(epochs, history["val_loss"], color=orange, lw=2, label="validation")
    styled_axes(0, 0, "Accuracy in validation", "Epoch", "", right)
    right.plot(epochs, history["val_accuracy"], color=orange, lw=2)
    right.axhline(baseline, color=GREY, lw=1.2, ls="--", label="baseline")
    right.set_ylim(0, 1.03)
    for ax in (left, right):
        ax.axvline(best_epoch, color=GREY, lw=1, ls=":", label="best epoch")
        ax.set_facecolor("none")
        whole_numbers(ax, "x")
        ax.legend(frameon=False, fontsize=8, labelcolor=INK)
    return right


def filter_faces(
    filters: Sequence[LearntFilter], labels: Sequence[str] = ()
) -> list[tuple[str, ...]]:
    """Colours of the nodes of each filter: by label, or similar ones for similar features."""
    if labels:
        return [label_faces(one.labels, labels) for one in filters]
    colors = NodeColors.of_patterns(np.concatenate([one.features for one in filters]))
    return [colors.faces(one.features) for one in filters]


def draw_response(
    response: Response,
    scale: tuple[float, float],
    styles: Sequence[RelationStyle] = PLAIN_STYLES,
) -> Drawing:
    """Draw a graph once for each filter, every node in the colour of its response.

    ``scale`` holds the responses of the darkest and the brightest colour. Planted nodes have a red
    ring, and the root of a node's subgraph has a second ring.
    """
    is_graph = response.task == "graph"
    lines, positions, radius = _draw_edges(response, styles, 0.11, width=1.2, opacity=0.55)
    panels = [
        _draw_colored(response, positions, radius, lines, response_colors(scores, scale))
        for scores in response.scores.T
    ]
    titles = [
        f"Filter {number}: {'up to ' if is_graph else ''}{value:.2f}"
        for number, value in enumerate(response.highest)
    ]
    grid = arrange(panels, 4, titles, bold=response.best_filter)
    return arrange([grid, _color_bar(scale)], 1)


def _draw_colored(
    response: Response,
    positions: np.ndarray,
    radius: float,
    lines: Sequence[str],
    faces: Sequence[str],
) -> Drawing:
    shapes, planted = list(lines), response.is_planted
    for node, face in enumerate(faces):
        is_planted = planted is not None and planted[node]
        ring, width = (PLANTED, 2.5) if is_planted else ("currentColor", 0.8)
        shapes.append(dot(positions[node], radius, face, ring, stroke_width=width))
    if response.task == "node":
        shapes.append(dot(positions[0], 1.45 * radius, "none", stroke_width=1.5))
    return drawing_around(shapes, positions, 1.45 * radius)


def _color_bar(scale: tuple[float, float]) -> Drawing:
    """The colours of responses from the lowest to the highest."""
    steps, step = 40, 4.0
    colors = response_colors(np.linspace(*scale, steps), scale)
    shapes = [bar(60 + step * k, 0.0, step + 0.5, 12.0, color) for k, color in enumerate(colors)]
    shapes.append(label(np.array([54.0, 11.0]), f"{scale[0]:.2f}", 11, anchor="end"))
    shapes.append(label(np.array([226.0, 11.0]), f"{scale[1]:.2f}", 11, anchor="start"))
    shapes.append(label(np.array([140.0, 27.0]), "kernel response", 11))
    return Drawing("".join(shapes), 0.0, 0.0, 280.0, 32.0)
