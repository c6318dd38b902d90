"""The figure of isomorphic.py: targets beside what was learnt of them.

A node's colour is its three features as red, green and blue; an edge is drawn where the weight is
over ½, from 1 point wide at ½ to 3 points at 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mining.plots.layout import node_positions
from mining.plots.styles import INK
from paper.graph_axes import draw_edges, draw_nodes, name_row, strong_edges
from paper.isomorphic_learning import best_isomorphism


def draw_results(lines: Sequence[Mapping[str, Any]]) -> Figure:
    """The first target of each edge probability above the filter learnt of it, by one kernel."""
    kinds = list(dict.fromkeys(line["features"] for line in lines))
    columns = max(sum(line["features"] == kind for line in lines) for kind in kinds)
    figure = Figure(figsize=(1.3 * columns, 2.9 * len(kinds)), layout="constrained")
    axes = figure.subplots(2 * len(kinds), columns, squeeze=False)
    for ax in axes.flat:
        ax.set_axis_off()
    for upper, lower, kind in zip(axes[::2], axes[1::2], kinds, strict=True):
        own = [line for line in lines if line["features"] == kind]
        for column, line in enumerate(own):
            _draw_pair(upper[column], lower[column], line)
        name_row(upper[0], f"target\n({kind})")
        name_row(lower[0], f"learnt\n({kind})")
    return figure


def _draw_pair(upper: Axes, lower: Axes, line: Mapping[str, Any]) -> None:
    (target_adj, target_feat), (adj, feat) = (
        (np.array(line["first"][name]["adj"]), np.array(line["first"][name]["feat"]))
        for name in ("target", "learnt")
    )
    # isomorphic nodes are drawn at the same position
    order = best_isomorphism(target_adj, target_feat, adj, feat)
    if order is not None:
        adj, feat = adj[np.ix_(order, order)], feat[order]
    edges, _ = strong_edges(target_adj)
    positions = node_positions(len(target_adj), [(u, v) for u, v in edges.tolist()])
    _draw_graph(upper, positions, target_adj, target_feat)
    _draw_graph(lower, positions, adj, feat)
    upper.set_title(f"p = {line['probability']:g}", color=INK, fontsize=9)


def _draw_graph(ax: Axes, positions: np.ndarray, adj: np.ndarray, feat: np.ndarray) -> None:
    draw_edges(ax, positions, *strong_edges(adj))
    # fewer than three features repeat the last one
    colors = feat[:, np.minimum(np.arange(3), feat.shape[1] - 1)]
    draw_nodes(ax, positions, colors.clip(0, 1), 70, half_width=1.4)
