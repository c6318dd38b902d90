"""A whole graph on one map: every node in the colour of its pattern."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.plots.axes import new_figure, pattern_legend
from mining.plots.colors import INK, NONE_COLOR, pattern_groups
from mining.plots.edge_shapes import bend, quadratic
from mining.plots.layout import map_positions
from mining.plots.relation_styles import RelationStyles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# graphs with more nodes have no map
MOST_NODES = 5000
# more lines are stored as a picture, since they would be too much for a page
_MAX_VECTOR_LINES = 5000
# heads, dashes and bends of more edges are dust
_MOST_HEADS = 2000
# length of a head; an edge is about 0.6 long
_HEAD_SIZE = 0.16


def draw_graph_map(
    graph: CSRGraph, pattern_of: np.ndarray, styles: RelationStyles | None = None
) -> Axes:
    """Draw a graph, or a collection.

    ``pattern_of`` is integer ``[V]``: the position of each node's pattern, -1 for none. The eight
    patterns with the most nodes have colours of their own; the legend counts nodes. Edges have the
    colours and dashes of ``styles``, and a head beyond their middle if they have a direction.
    """
    ax = new_figure(5.4, 5.0).add_subplot()
    # the axes keep their box, so that there is room for a legend below them
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    positions = map_positions(graph)
    kinds = graph.relations.kinds
    _draw_edges(ax, graph, positions, styles or RelationStyles.of([], kinds))
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


def _draw_edges(ax: Axes, graph: CSRGraph, positions: np.ndarray, styles: RelationStyles) -> None:
    """All edges as one collection of lines a relation, fainter the more there are."""
    from matplotlib.collections import LineCollection, PolyCollection

    source, target, relation = graph.edges()
    curves = list(positions[np.column_stack([source, target])])
    if graph.num_edges <= _MOST_HEADS:
        _bend_parallel(curves, source, target)
    many = graph.num_edges > _MAX_VECTOR_LINES
    alpha = float(np.clip(1500 / max(graph.num_edges, 1), 0.03, 0.7))
    for number, style in enumerate(styles.in_order(graph.relations)):
        # a picture cannot follow the text colour of the page; this grey is visible on any
        color = ("#808080" if many else INK) if style.color == "currentColor" else style.color
        some = [curves[row] for row in np.flatnonzero(relation == number)]
        look: dict[str, Any] = {"alpha": alpha, "zorder": 1, "rasterized": many}
        width = 1.0 if graph.num_nodes < 300 else 0.5
        dashes: Any = "solid"
        if style.dashes and graph.num_edges <= _MOST_HEADS:
            dashes = (0, tuple(0.6 * float(part) for part in style.dashes.split()))
        ax.add_collection(
            LineCollection(some, colors=color, linewidths=width, linestyles=dashes, **look)
        )
        if style.directed and graph.num_edges <= _MOST_HEADS:
            heads = [_head(curve) for curve in some]
            ax.add_collection(PolyCollection(heads, facecolors=color, linewidths=0, **look))


def _bend_parallel(curves: list[np.ndarray], source: np.ndarray, target: np.ndarray) -> None:
    """Bend the edges that join the same two nodes, in place, so that each of them is seen."""
    pairs = [frozenset(ends) for ends in zip(source.tolist(), target.tolist(), strict=True)]
    number, drawn = Counter(pairs), Counter[frozenset[int]]()
    for row, pair in enumerate(pairs):
        if number[pair] > 1:
            side = drawn[pair] - (number[pair] - 1) / 2
            drawn[pair] += 1
            ends = curves[row]
            middle = bend(ends, side, 0.25 * float(np.linalg.norm(ends[1] - ends[0])))
            share = np.linspace(0, 1, 9)[:, None]
            curves[row] = quadratic(ends, 2 * middle - ends.mean(axis=0), share)


def _head(curve: np.ndarray) -> np.ndarray:
    """A triangle beyond the middle of a curve, where no dot hides it, ``[3, 2]``."""
    at = len(curve) // 2
    way = curve[at] - curve[at - 1]
    way = way / max(float(np.linalg.norm(way)), 1e-9)
    length = np.linalg.norm(curve[-1] - curve[0])
    size = min(_HEAD_SIZE, 0.4 * float(length))
    middle = curve[at] if len(curve) > 2 else curve.mean(axis=0)
    tip = middle + (0.12 * length + 0.5 * size) * way
    across = 0.4 * size * np.array([-way[1], way[0]])
    return np.stack([tip, tip - size * way + across, tip - size * way - across])
