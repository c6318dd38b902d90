"""Drawings of a classifier: its filters as graphs, and graphs coloured by their responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mining.explanation.classifier_explanation import LearntFilter, Response
from mining.plots.colors import PLANTED, NodeColors, response_colors
from mining.plots.layout import dot_radius, node_positions
from mining.plots.svg import (
    UNIT,
    Drawing,
    arrange,
    bar,
    dot,
    drawing_around,
    label,
    line,
)

# graphs with more nodes are drawn larger
_MAX_SMALL = 60


def draw_filter(learnt: LearntFilter, faces: Sequence[str]) -> Drawing:
    """Draw a filter: its edges above ½ with their weights, its nodes in their colours."""
    positions = node_positions(len(learnt.features), learnt.edges) * [UNIT, -UNIT]
    radius = dot_radius(positions, 0.12 * UNIT, 0.42)
    edges = [
        (positions[list(edge)], weight)
        for edge, weight in zip(learnt.edges, learnt.edge_weights, strict=True)
    ]
    shapes = [line(ends, 5 * weight - 1, opacity=0.7) for ends, weight in edges]
    shapes += [dot(position, radius, face) for position, face in zip(positions, faces, strict=True)]
    for ends, weight in edges:
        # beside the middle, where the lines of a symmetric drawing cross
        spot = 0.58 * ends[0] + 0.42 * ends[1] + [0.0, 4.0]
        text = f"{weight:.2f}".lstrip("0") if weight < 0.995 else "1"
        halo: dict[str, Any] = {"stroke": "#f2f2f2", "stroke_width": 5, "paint_order": "stroke"}
        shapes.append(label(spot, text, 12, "#202020", **halo))
    return drawing_around(shapes, positions, radius)


def draw_filters(filters: Sequence[LearntFilter]) -> Drawing:
    """Draw all filters in a grid."""
    pairs = zip(filters, filter_faces(filters), strict=True)
    titles = [f"Filter {number}" for number in range(len(filters))]
    return arrange([draw_filter(*pair) for pair in pairs], 4, titles)


def filter_faces(filters: Sequence[LearntFilter]) -> list[tuple[str, ...]]:
    """Colours of the nodes of each filter: similar features have similar colours."""
    colors = NodeColors.of_patterns(np.concatenate([one.features for one in filters]))
    return [colors.faces(one.features) for one in filters]


def draw_response(response: Response, scale: tuple[float, float]) -> Drawing:
    """Draw a graph once for each filter, every node in the colour of its response.

    ``scale`` holds the responses of the darkest and the brightest colour. Planted nodes have a red
    ring, and the root of a node's subgraph has a second ring.
    """
    size, is_graph = len(response.nodes), response.task == "graph"
    unit = UNIT if size <= _MAX_SMALL else 2 * UNIT
    positions = node_positions(size, response.edges) * [unit, -unit]
    panels = [_draw_colored(response, positions, scores, scale) for scores in response.scores.T]
    titles = [
        f"Filter {number}: {'up to ' if is_graph else ''}{value:.2f}"
        for number, value in enumerate(response.highest)
    ]
    grid = arrange(panels, 4, titles, bold=response.best_filter)
    return arrange([grid, _color_bar(scale)], 1)


def _draw_colored(
    response: Response, positions: np.ndarray, scores: np.ndarray, scale: tuple[float, float]
) -> Drawing:
    radius = dot_radius(positions, 0.11 * UNIT, 0.42)
    shapes = [line(positions[list(edge)], 1.2, opacity=0.55) for edge in response.edges]
    planted = response.is_planted
    for node, face in enumerate(response_colors(scores, scale)):
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
