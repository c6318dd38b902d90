"""A whole graph on one map: every node in the colour of its pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.plots.axes import new_figure, pattern_legend
from mining.plots.colors import INK, NONE_COLOR, pattern_groups
from mining.plots.layout import map_positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# graphs with more nodes have no map
MOST_NODES = 5000
# more lines are stored as a picture, since they would be too much for a page
_MAX_VECTOR_LINES = 5000


def draw_graph_map(graph: CSRGraph, pattern_of: np.ndarray) -> Axes:
    """Draw a graph, or a collection.

    ``pattern_of`` is integer ``[V]``: the position of each node's pattern, -1 for none. The eight
    patterns with the most nodes have colours of their own; the legend counts nodes.
    """
    ax = new_figure(5.4, 5.0).add_subplot()
    # the axes keep their box, so that there is room for a legend below them
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    positions = map_positions(graph)
    ax.add_collection(_edge_lines(graph, positions))
    groups = pattern_groups(np.bincount(pattern_of[pattern_of >= 0]))
    if (pattern_of < 0).any():
        groups.append((f"none ({(pattern_of < 0).sum()})", [-1], NONE_COLOR))
    size = float(np.clip(9000 / graph.num_nodes, 3.0, 90.0))
    handles: list[Any] = []
    # the last groups are drawn first, below the others, and listed last
    for name, patterns, color in groups[::-1]:
        x, y = positions[np.isin(pattern_of, patterns)].T
        points = ax.scatter(
            x,
            y,
            s=size,
            color=color,
            label=name,
            linewidths=0.4 if graph.num_nodes < 300 else 0.0,
            edgecolors=INK,
            zorder=2,
            rasterized=graph.num_nodes > 2000,
        )
        handles.insert(0, points)
    scale = max(1.0, 5 / size**0.5)
    pattern_legend(ax, "Nodes by pattern", 0.0, handles=handles, markerscale=scale)
    return ax


def _edge_lines(graph: CSRGraph, positions: np.ndarray) -> Any:
    """All edges as one collection of lines, fainter the more there are."""
    from matplotlib.collections import LineCollection

    many = graph.num_edges > _MAX_VECTOR_LINES
    return LineCollection(
        list(positions[graph.adjacent_pairs()]),
        # a picture cannot follow the text colour of the page; this grey is visible on any
        colors="#808080" if many else INK,
        alpha=float(np.clip(1500 / max(graph.num_edges, 1), 0.03, 0.7)),
        linewidths=1.0 if graph.num_nodes < 300 else 0.5,
        zorder=1,
        rasterized=many,
    )
