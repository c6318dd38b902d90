"""A whole graph on one map: every node in the colour of its pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining.plots.axes import new_figure
from mining.plots.colors import INK, NONE_COLOR, pattern_groups
from mining.plots.layout import map_positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NODES = 5000
# more lines are stored as a picture, since they would be too much for a page
_MAX_VECTOR_LINES = 5000


def draw_graph_map(graph: Any, pattern_of: np.ndarray, ax: Axes | None = None) -> Axes:
    """Draw a graph, or a collection, of at most 5000 nodes.

    ``pattern_of`` is integer ``[V]``: the position of each node's pattern, -1 for none. The eight
    patterns with the most nodes have colours of their own; the legend counts nodes.
    """
    csr = as_csr(graph)
    if csr.num_nodes > MOST_NODES:
        raise InputError(
            f"graph must have at most {MOST_NODES} nodes for a map, got {csr.num_nodes}; "
            "draw a part of it."
        )
    if np.shape(pattern_of) != (csr.num_nodes,):
        raise InputError(
            f"pattern_of must hold one value for each of the {csr.num_nodes} nodes, "
            f"got the shape {np.shape(pattern_of)}."
        )
    if ax is None:
        ax = new_figure(5.4, 5.0).add_subplot()
    # the axes keep their box, so that there is room for a legend below them
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    positions = map_positions(csr)
    _draw_edges(ax, csr, positions)
    # nodes without a pattern and the patterns without a colour are drawn first and listed last
    groups = pattern_groups(np.bincount(pattern_of[pattern_of >= 0]))
    if (pattern_of < 0).any():
        groups.append((f"none ({(pattern_of < 0).sum()})", [-1], NONE_COLOR))
    handles = [
        _draw_nodes(ax, positions[np.isin(pattern_of, patterns)], csr.num_nodes, color, name)
        for name, patterns, color in groups[::-1]
    ][::-1]
    ax.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=3,
        frameon=False,
        fontsize=9,
        labelcolor=INK,
        title="Nodes by pattern",
        title_fontproperties={"size": 9},
        markerscale=max(1.0, 5 / _dot_size(csr.num_nodes) ** 0.5),
    ).get_title().set_color(INK)
    return ax


def _dot_size(num_nodes: int) -> float:
    """Area of a dot in square points."""
    return float(np.clip(9000 / num_nodes, 3.0, 90.0))


def _draw_edges(ax: Axes, csr: CSRGraph, positions: np.ndarray) -> None:
    from matplotlib.collections import LineCollection

    many = csr.num_edges > _MAX_VECTOR_LINES
    lines = LineCollection(
        list(positions[csr.undirected_edges()]),
        # a picture cannot follow the text colour of the page; this grey is visible on any
        colors="#808080" if many else INK,
        alpha=float(np.clip(1500 / max(csr.num_edges, 1), 0.03, 0.7)),
        linewidths=1.0 if csr.num_nodes < 300 else 0.5,
        zorder=1,
        rasterized=many,
    )
    ax.add_collection(lines)


def _draw_nodes(ax: Axes, positions: np.ndarray, num_nodes: int, color: str, label: str) -> Any:
    return ax.scatter(
        *positions.T,
        s=_dot_size(num_nodes),
        color=color,
        label=label,
        linewidths=0.4 if num_nodes < 300 else 0.0,
        edgecolors=INK,
        zorder=2,
        rasterized=num_nodes > 2000,
    )
