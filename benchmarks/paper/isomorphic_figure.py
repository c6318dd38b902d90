"""The figures of isomorphic.py: one filter over time, and targets beside what was learnt of them.

A node's colour is its three features as red, green and blue; a line is drawn where the weight is
over ½, from 1 point wide at ½ to 3 points at 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from mining.plots.colors import INK
from mining.plots.layout import node_positions
from paper.isomorphic_learning import best_isomorphism

_CURVE = "#2a7fb8"


def draw_film(films: Sequence[Mapping[str, Any]]) -> Figure:
    """A row of frames for each kernel after the target, and each kernel's score below."""
    shown = films[0]["settings"]["film"]["epochs_shown"]
    columns = 1 + len(shown)
    heights = [1.5 * len(films) + 0.2, 2.6]
    figure = Figure(figsize=(1.55 * columns, sum(heights)), layout="constrained")
    top, bottom = figure.subfigures(2, 1, height_ratios=heights)
    axes = top.subplots(len(films), columns, squeeze=False)
    for ax, title in zip(axes[0], ["target", *(f"epoch {epoch}" for epoch in shown)], strict=True):
        ax.set_title(title, color=INK, fontsize=9)
    for row, film in zip(axes, films, strict=True):
        places = _places(film["target"])
        _name_row(row[0], film["film"])
        for ax, graph in zip(row, [film["target"], *film["frames"]], strict=True):
            draw_graph(ax, graph, places)
    with sns.axes_style("white"):
        panels = bottom.subplots(1, len(films), squeeze=False)[0]
    for ax, film in zip(panels, films, strict=True):
        _draw_score(ax, film)
    panels[0].set_ylabel("score over that of\nthe target itself", color=INK, fontsize=9)
    return figure


def _draw_score(ax: Axes, film: Mapping[str, Any]) -> None:
    """A filter's score over that of the target: past 1 it beats what it should become."""
    share = np.array(film["scores"]) / film["target_score"]
    ax.plot(share, color=_CURVE, lw=2)
    ax.axhline(1, color="#8b949e", lw=1, ls="--")
    if share.max() > 10:
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter("{x:g}")
    sns.despine(ax=ax)
    ax.set_xlim(0, len(share) - 1)
    ax.set_title(film["film"], color=INK, fontsize=10)
    ax.set_xlabel("epoch", color=INK, fontsize=9)
    ax.tick_params(color=INK, labelcolor=INK, labelsize=9)


def _name_row(ax: Axes, name: str) -> None:
    ax.text(
        -0.1,
        0.5,
        name,
        transform=ax.transAxes,
        rotation=90,
        ha="center",
        va="center",
        fontsize=9,
        color=INK,
    )


def draw_results(lines: Sequence[Mapping[str, Any]], kernel: str) -> Figure:
    """The first target of each edge probability above the filter learnt of it, by one kernel."""
    mine = [line for line in lines if line["kernel"] == kernel]
    kinds = list(dict.fromkeys(line["features"] for line in mine))
    columns = max([1, *(sum(line["features"] == kind for line in mine) for kind in kinds)])
    size = (1.3 * columns, 2.9 * max(1, len(kinds)))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(2 * max(1, len(kinds)), columns, squeeze=False)
    for ax in axes.flat:
        ax.set_axis_off()
    for k, kind in enumerate(kinds):
        rows = axes[2 * k : 2 * k + 2]
        own = [line for line in mine if line["features"] == kind]
        for column, line in enumerate(own):
            _draw_pair(rows[0, column], rows[1, column], line)
        for ax, word in zip(rows[:, 0], ("target", "learnt"), strict=True):
            _name_row(ax, f"{word}\n({kind})")
    return figure


def _draw_pair(upper: Axes, lower: Axes, line: Mapping[str, Any]) -> None:
    target, learnt = line["first"]["target"], line["first"]["learnt"]
    adj, feat = np.array(learnt["adj"]), np.array(learnt["feat"])
    order = best_isomorphism(np.array(target["adj"]), np.array(target["feat"]), adj, feat)
    if order is not None:
        learnt = {"adj": adj[np.ix_(order, order)], "feat": feat[order]}
    places = _places(target)
    draw_graph(upper, target, places)
    draw_graph(lower, learnt, places)
    upper.set_title(f"p = {line['probability']:g}", color=INK, fontsize=9)


def draw_graph(ax: Axes, graph: Mapping[str, Any], places: np.ndarray) -> None:
    """Draw a weighted graph with its nodes at ``places [N, 2]``."""
    adj, feat = np.array(graph["adj"]), np.array(graph["feat"])
    u, v = np.nonzero(np.triu(adj > 0.5))
    ax.add_collection(
        LineCollection(
            np.stack([places[u], places[v]], axis=1),
            linewidths=4 * adj[u, v] - 1,
            colors=INK,
            capstyle="round",
            zorder=1,
        )
    )
    # fewer than three features repeat the last one
    colors = feat[:, np.minimum(np.arange(3), feat.shape[1] - 1)]
    ax.scatter(*places.T, s=70, c=colors.clip(0, 1), edgecolors=INK, linewidths=1, zorder=2)
    ax.set_xlim(-1.4, 1.4)
    ax.set_ylim(-1.1, 1.1)
    ax.set_aspect("equal")
    ax.set_axis_off()


def _places(graph: Mapping[str, Any]) -> np.ndarray:
    edges = np.argwhere(np.triu(np.array(graph["adj"]) > 0.5)).tolist()
    return node_positions(len(graph["adj"]), [(u, v) for u, v in edges])
