"""The figure of interpretability.py: graphs, motifs, the filters learnt, and the response maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from mining.plots.layout import node_positions
from mining.plots.styles import INK
from paper.graph_axes import draw_edges, draw_nodes, name_row, strong_edges

_PALE = "#c9d1d9"
_MOTIF = "#e08a3c"
# of the lower rows, so that all are about as wide and their names stand in line
_HALF_WIDTH = 1.65
_RESPONSES = sns.color_palette("viridis", as_cmap=True)


def draw_responses(lines: Sequence[Mapping[str, Any]]) -> Figure:
    """A column for each class: its graph and motif, then each run's filter and response to it."""
    columns = len(lines[0]["classes"])
    rows = 2 + 2 * len(lines)
    heights = [2.1, 1.2] + [1.4, 2.2] * len(lines)
    figure = Figure(figsize=(2.5 * columns + 0.5, sum(heights) + 0.6), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, height_ratios=heights)
    positions = [_graph_positions(own["graph"]) for own in lines[0]["classes"]]
    for column, own in enumerate(lines[0]["classes"]):
        axes[0, column].set_title(own["name"], color=INK, fontsize=11)
        _draw_truth(axes[0, column], own["graph"], positions[column])
        _draw_small(axes[1, column], own["motif"], len(own["adj"]), 2, _MOTIF)
    name_row(axes[0, 0], "test graph,\nits motif in orange")
    name_row(axes[1, 0], "motif")
    for number, line in enumerate(lines):
        above, below = axes[2 + 2 * number : 4 + 2 * number]
        for column, own in enumerate(line["classes"]):
            _draw_filter(above[column], own)
            _draw_response(below[column], own["graph"], positions[column])
        name_row(above[0], f"filter\n({line['run']})")
        name_row(below[0], f"response\n({line['run']})")
    scale = ScalarMappable(Normalize(0, 1), _RESPONSES)
    bar = figure.colorbar(
        scale, ax=axes, location="bottom", shrink=0.4, aspect=40, pad=0.02, ticks=[0, 1]
    )
    bar.ax.set_xticklabels(["lowest response in the graph", "highest"])
    bar.ax.tick_params(color=INK, labelcolor=INK, labelsize=9)
    bar.outline.set_visible(False)
    return figure


def _draw_truth(ax: Axes, graph: Mapping[str, Any], positions: np.ndarray) -> None:
    inside = np.array(graph["mask"], dtype=bool)
    edges = np.array(graph["edges"])
    of_motif = inside[edges].all(axis=1)
    draw_edges(ax, positions, edges[~of_motif], 1, _PALE)
    draw_edges(ax, positions, edges[of_motif], 2, _MOTIF)
    draw_nodes(ax, positions, [_MOTIF if own else _PALE for own in inside], 28)


def _draw_response(ax: Axes, graph: Mapping[str, Any], positions: np.ndarray) -> None:
    """Each graph has its own scale."""
    response, inside = np.array(graph["response"]), np.array(graph["mask"], dtype=bool)
    shade = (response - response.min()) / max(np.ptp(response), 1e-12)
    edges = np.array(graph["edges"])
    of_motif = inside[edges].all(axis=1)
    draw_edges(ax, positions, edges[~of_motif], 1, _PALE)
    draw_edges(ax, positions, edges[of_motif], 1.5, INK)
    draw_nodes(ax, positions, _RESPONSES(shade), 42)
    ax.set_title(
        f"{response.min():.2f} to {response.max():.2f}", color=INK, fontsize=8, y=-0.04, va="top"
    )


def _draw_filter(ax: Axes, own: Mapping[str, Any]) -> None:
    """Edges over ½, as wide as their weight."""
    edges, widths = strong_edges(np.array(own["adj"]))
    _draw_small(ax, edges, len(own["adj"]), widths, "white")
    verdict = "isomorphic" if own["is_motif"] else "not isomorphic"
    ax.set_title(f"filter {own['filter']}, {verdict}", color=INK, fontsize=8)


def _draw_small(ax: Axes, edges: Any, num_nodes: int, widths: Any, color: str) -> None:
    positions = node_positions(num_nodes, [(u, v) for u, v in edges])
    draw_edges(ax, positions, edges, widths)
    draw_nodes(ax, positions, color, 50, _HALF_WIDTH)


def _graph_positions(graph: Mapping[str, Any]) -> np.ndarray:
    return node_positions(len(graph["mask"]), [(u, v) for u, v in graph["edges"]])
