"""A pattern and a place that shows it, side by side: what agrees alike, what differs marked.

Colour never stands alone: a missing edge is dashed, an edge beyond the pattern is dotted, and a
node that differs has a dashed ring.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mining.explanation.occurrence_explanation import PlaceExplanation
from mining.plots.layout import dot_radius, place_nodes
from mining.plots.plots import INK, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# stands out from blues and greens for every kind of colour vision, on white and on black
WARNING = "#d55e00"
_BEYOND = "#d9d9d9"
_DASHED, _DOTTED = (0, (4, 2)), (0, (1, 1.5))
# the middles of the two drawings are this far apart; each is 2 wide
_APART = 3.0
_LONGEST_ID = 7


def draw_alignment(explanation: PlaceExplanation, ax: Axes | None = None) -> Axes:
    """Draw the pattern on the left and the place on the right.

    A node of the place stands where the pattern node stands that it plays, has its colour and
    number, and its own id beside it where that is a whole number.

    Parameters
    ----------
    explanation : PlaceExplanation
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a figure of its own.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import networkx as nx
    >>> from mining import PatternMiner
    >>> from mining.explanation.occurrence_alignment import explain_node
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 6)
    >>> miner = PatternMiner(num_patterns=1, pattern_size=5, num_epochs=2).fit(rings)
    >>> draw_alignment(explain_node(miner, rings, 7)).get_title()
    'Similarity 1.00'
    """
    if ax is None:
        ax = new_figure(6.4, 3.8).add_subplot()
    places = _place_slots(explanation)
    radius = dot_radius(places, 0.16, 0.36)
    size = len(explanation.pairs)
    faces = _faces(size)
    right = places + np.array([_APART, 0.0])
    shared, missing = explanation.shared_edges, explanation.missing_edges
    _draw_lines(ax, places, shared + missing, INK, "node_similarity", 1.8)
    _draw_lines(ax, right, shared, INK, "node_similarity", 1.8)
    _draw_lines(ax, right, missing, WARNING, _DASHED, 2.0)
    _draw_lines(ax, right, explanation.extra_edges, WARNING, _DOTTED, 2.4)
    for slot in range(size):
        pair = explanation.pairs[slot]
        _draw_dot(ax, places[slot], radius, faces[slot], str(slot))
        absent = pair.node is None
        differs = pair.first_difference == 0 or absent
        face = "none" if absent else faces[slot]
        _draw_dot(ax, right[slot], radius, face, str(slot), warn=differs)
    for slot in range(size, len(places)):
        _draw_dot(ax, right[slot], radius, _BEYOND, "+", warn=True)
    _write_ids(ax, explanation, right, radius)
    for center, text in ((0.0, f"Pattern {explanation.pattern.id}"), (_APART, "Place")):
        ax.text(center, 1.34, text, ha="center", va="bottom", fontsize=10, color=INK)
    _add_legend(ax, explanation)
    ax.set_xlim(-1.25, _APART + 1.25)
    ax.set_ylim(-1.25, 1.55)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_title(f"Similarity {explanation.similarity:.2f}", color=INK, fontsize=11)
    return ax


def _place_slots(explanation: PlaceExplanation) -> np.ndarray:
    """Places of the pattern's nodes and then of those beyond it, ``[M + extra, 2]``."""
    size, beyond = len(explanation.pairs), len(explanation.extra_nodes)
    edges = explanation.pattern.edges
    if beyond:
        edges += tuple(edge for edge in explanation.extra_edges if edge[1] >= size)
    return place_nodes(size + beyond, edges)


def _faces(size: int) -> list[Any]:
    """Cool colours, far from the colour of a warning."""
    import seaborn as sns

    return list(sns.color_palette("crest", size))


def _draw_lines(
    ax: Axes,
    places: np.ndarray,
    edges: Sequence[tuple[int, int]],
    color: str,
    style: Any,
    width: float,
) -> None:
    from matplotlib.collections import LineCollection

    lines = LineCollection(
        [places[list(edge)] for edge in edges], colors=color, linestyles=[style], linewidths=width
    )
    ax.add_collection(lines)


def _draw_dot(
    ax: Axes, place: np.ndarray, radius: float, face: Any, text: str, warn: bool = False
) -> None:
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Circle

    ring: dict[str, Any] = {"ec": INK, "lw": 1.0}
    if warn:
        ring = {"ec": WARNING, "lw": 2.2, "ls": (0, (2.5, 1.2))}
    if face == "none":
        # a missing node hides the lines that would end in it
        ax.add_patch(
            Circle((place[0], place[1]), radius, fc="white", ec="none", alpha=0.75, zorder=2)
        )
        color = INK
    else:
        light = np.dot(to_rgb(face), (0.299, 0.587, 0.114)) > 0.5
        color = "black" if light else "white"
    ax.add_patch(Circle((place[0], place[1]), radius, fc=face, zorder=2, **ring))
    ax.text(place[0], place[1], text, color=color, fontsize=min(10.0, 75 * radius), ha="center",
            va="center_baseline", zorder=3)  # fmt: skip


def _write_ids(ax: Axes, explanation: PlaceExplanation, places: np.ndarray, radius: float) -> None:
    """Write each id outside its dot, on the side with the most room."""
    names = [*(pair.node for pair in explanation.pairs), *explanation.extra_nodes]
    edges = explanation.shared_edges + explanation.missing_edges + explanation.extra_edges
    angles = np.pi * np.arange(16) / 8
    around = np.column_stack([np.cos(angles), np.sin(angles)])
    taken = [*places, *(places[list(e)].mean(axis=0) for e in edges)]
    for slot, name in enumerate(names):
        # a font may lack the letters of other ids; the table beside the drawing has them
        if not isinstance(name, int) or len(str(name)) > _LONGEST_ID:
            continue
        reach = radius + 0.10 + 0.02 * len(str(name))
        spots = places[slot] + reach * around
        away = np.array([u for e in edges if slot in e for u in e if u != slot], dtype=np.int64)
        lines = places[away] - places[slot]
        lines /= np.maximum(np.linalg.norm(lines, axis=1, keepdims=True), 1e-9)
        room = np.min([np.linalg.norm(spots - other, axis=1) for other in taken], axis=0)
        blocked = (around @ lines.T).max(axis=1, initial=-1.0)
        spot = spots[int((np.minimum(room, 0.5) - 0.5 * blocked).argmax())]
        taken.append(spot)
        ax.text(
            spot[0], spot[1], str(name), fontsize=8, color=INK, ha="center", va="center", zorder=4
        )


def _add_legend(ax: Axes, explanation: PlaceExplanation) -> None:
    """Explain the marks that are there."""
    from matplotlib.lines import Line2D

    entries = []
    if explanation.missing_edges:
        entries.append(Line2D([], [], color=WARNING, ls=_DASHED, lw=2, label="missing edge"))
    if explanation.extra_edges:
        entries.append(Line2D([], [], color=WARNING, ls=_DOTTED, lw=2.4, label="edge beyond"))
    ring: dict[str, Any] = {"ls": "none", "marker": "o", "ms": 9, "mec": WARNING, "mew": 2}
    if any(pair.first_difference == 0 and pair.node is not None for pair in explanation.pairs):
        entries.append(Line2D([], [], mfc="#9bc1bc", label="node differs", **ring))
    if explanation.missing_nodes:
        entries.append(Line2D([], [], mfc="none", label="missing node", **ring))
    if explanation.extra_nodes:
        entries.append(
            Line2D([], [], ls="none", marker="$+$", ms=7, color=WARNING, label="node beyond")
        )
    if entries:
        ax.legend(
            handles=entries,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.02),
            ncols=len(entries),
            frameon=False,
            fontsize=9,
            labelcolor=INK,
        )
