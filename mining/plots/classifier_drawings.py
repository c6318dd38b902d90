"""Drawings of a classifier: its filters as graphs, and graphs coloured by their responses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mining.explanation.classifier_explanation import LearntFilter, Response
from mining.plots.colors import PLANTED, filter_colors, response_colors
from mining.plots.layout import dot_radius, node_positions
from mining.plots.svg import (
    UNIT,
    Drawing,
    arrange,
    bar,
    dot,
    drawing_around,
    label,
    legend,
    line,
)

# graphs with more nodes are drawn larger
_MAX_SMALL = 60
_ROW = 19.0


def draw_filter(one: LearntFilter, faces: Sequence[str]) -> Drawing:
    """Draw a filter: its edges above ½ with their weights, its nodes in their colours."""
    positions = node_positions(len(one.features), one.edges) * [UNIT, -UNIT]
    radius = dot_radius(positions, 0.12 * UNIT, 0.42)
    edges = [
        (positions[list(edge)], weight)
        for edge, weight in zip(one.edges, one.edge_weights, strict=True)
    ]
    shapes = [line(ends, 5 * weight - 1, opacity=0.7) for ends, weight in edges]
    shapes += [dot(at, radius, face) for at, face in zip(positions, faces, strict=True)]
    for ends, weight in edges:
        # beside the middle, where the lines of a symmetric drawing cross
        spot = 0.58 * ends[0] + 0.42 * ends[1] + [0.0, 4.0]
        text = f"{weight:.2f}".lstrip("0") if weight < 0.995 else "1"
        halo = {"stroke": "#f2f2f2", "stroke_width": 5, "paint_order": "stroke"}
        shapes.append(label(spot, text, 12, "#202020", **halo))
    return drawing_around(shapes, positions, radius)


def draw_filters(filters: Sequence[LearntFilter]) -> Drawing:
    """Draw all filters in a grid."""
    colors = filter_colors(filters)
    drawings = [draw_filter(*pair) for pair in zip(filters, colors.faces, strict=True)]
    titles = [f"Filter {number}" for number in range(len(filters))]
    grid = arrange(drawings, 4, titles)
    return arrange([grid, legend(colors.legend, 5)], 1) if colors.legend else grid


def draw_response(response: Response, scale: tuple[float, float]) -> Drawing:
    """Draw a graph once for each filter, every node in the colour of its response.

    ``scale`` holds the responses of the darkest and the brightest colour.
    """
    positions = _response_positions(response)
    panels = [_draw_colored(response, positions, scores, scale) for scores in response.scores.T]
    highest = response.scores.max(axis=0)
    titles = [f"Filter {number}: up to {high:.2f}" for number, high in enumerate(highest)]
    grid = arrange(panels, 4, titles, bold=response.best_filter)
    return arrange([grid, _color_bar(scale)], 1)


def draw_root(response: Response, scale: tuple[float, float]) -> Drawing:
    """Draw the subgraph around a node, and the responses of this root as bars.

    Nodes have the colour of their own response to the filter that the root responds to most.
    """
    best, positions = response.best_filter, _response_positions(response)
    left = _draw_colored(response, positions, response.scores[:, best], scale, ring_root=True)
    titles = [f"Response to filter {best}", "Response of the root"]
    panels = arrange([left, _draw_bars(response.scores[0], scale)], 2, titles)
    return arrange([panels, _color_bar(scale)], 1)


def _response_positions(response: Response) -> np.ndarray:
    size = len(response.nodes)
    unit = UNIT if size <= _MAX_SMALL else 2 * UNIT
    return node_positions(size, response.edges) * [unit, -unit]


def _draw_colored(
    response: Response,
    positions: np.ndarray,
    scores: np.ndarray,
    scale: tuple[float, float],
    *,
    ring_root: bool = False,
) -> Drawing:
    """Draw a graph with nodes coloured by ``scores [V]``; planted nodes have a red ring."""
    radius = dot_radius(positions, 0.11 * UNIT, 0.42)
    shapes = [line(positions[list(edge)], 1.2, opacity=0.55) for edge in response.edges]
    planted = response.is_planted
    for node, face in enumerate(response_colors(scores, scale)):
        if planted is not None and planted[node]:
            shapes.append(dot(positions[node], radius, face, PLANTED, stroke_width=2.5))
        else:
            shapes.append(dot(positions[node], radius, face, stroke_width=0.8))
    if ring_root:
        shapes.append(dot(positions[0], 1.45 * radius, "none", stroke_width=1.5))
    return drawing_around(shapes, positions, 1.45 * radius)


def _draw_bars(scores: np.ndarray, scale: tuple[float, float]) -> Drawing:
    """A horizontal bar for the response to each filter, ``[F]``."""
    low, high = min(0.0, scale[0]), max(scale[1], 1e-6)
    unit = 160.0 / (high - low)
    zero = 60.0 - unit * low
    shapes = []
    for number, (score, color) in enumerate(
        zip(scores.tolist(), response_colors(scores, scale), strict=True)
    ):
        top = number * _ROW
        left, width = zero + unit * min(score, 0.0), unit * abs(score)
        shapes.append(bar(left, top + 2, width, _ROW - 4, color, stroke="currentColor"))
        shapes.append(label(np.array([54.0, top + 14]), f"filter {number}", 11, anchor="end"))
        at = np.array([left + width + 5, top + 14])
        shapes.append(label(at, f"{score:.2f}", 11, anchor="start"))
    return Drawing("".join(shapes), 0.0, 0.0, 260.0, len(scores) * _ROW)


def _color_bar(scale: tuple[float, float]) -> Drawing:
    """The colours of responses from the lowest to the highest."""
    steps, step = 40, 4.0
    colors = response_colors(np.linspace(*scale, steps), scale)
    shapes = [bar(60 + step * k, 0.0, step + 0.5, 12.0, color) for k, color in enumerate(colors)]
    shapes.append(label(np.array([54.0, 11.0]), f"{scale[0]:.2f}", 11, anchor="end"))
    shapes.append(label(np.array([226.0, 11.0]), f"{scale[1]:.2f}", 11, anchor="start"))
    shapes.append(label(np.array([140.0, 27.0]), "kernel response", 11))
    return Drawing("".join(shapes), 0.0, 0.0, 280.0, 32.0)
