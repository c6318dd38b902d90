"""Drawings of events: arrows between nodes, with their places in the order of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from markupsafe import Markup, escape

Node = TypeVar("Node", bound=Hashable)

# of a node
RADIUS = 8.0
# distance between parallel edges, whose numbers stand between them
_GAP = 17.0
# length of an arrow head, and half of its width
_HEAD = 6.0
_HALF_HEAD = 3.2
# size of the drawing of a pattern, and half the axes of the ellipse on which its nodes stand: names
# of 18 letters have room beside it
_WIDTH, _MARGIN = 440, 40
_ACROSS, _DOWN = 88.0, 82.0
# from a node to its name
_TO_NAME = 15.0
# of the number of an arrow to the text beside it, which is on the outer side, and below or above it
_BESIDE, _BELOW, _ABOVE = 11.0, 19.0, -10.0


def draw_arrows(
    events: Sequence[tuple[Node, Node]],
    points: Mapping[Node, np.ndarray],
    labels: Sequence[str] | None = None,
) -> str:
    """Arrows between points, numbered as they follow each other, with a text at each number."""
    center = np.mean([*points.values()], axis=0)
    used = Counter(frozenset(event) for event in events)
    drawn: Counter[frozenset[Node]] = Counter()
    shapes = ""
    for order, (u, v) in enumerate(events):
        # edges between the same nodes lie beside each other, in the order of time
        pair = frozenset((u, v))
        shift = (drawn[pair] - (used[pair] - 1) / 2) * _GAP * (1 if labels is None else 2)
        drawn[pair] += 1
        first, second = (points[node] for node in sorted(pair, key=list(points).index))
        along = (second - first) / np.linalg.norm(second - first)
        across = np.array([-along[1], along[0]]) * shift
        label = None if labels is None else labels[order]
        shapes += _arrow(points[u], points[v], across, order, label, center)
    return shapes


def draw_pattern(nodes: Sequence[str], events: Sequence[tuple[str, str]], labels: list[str]) -> str:
    """A pattern of events: nodes on an ellipse, named, and arrows with their labels.

    A script finds the text of node i by ``data-node="i"`` and that of edge i by ``data-edge="i"``.

    >>> drawn = draw_pattern(["A", "B"], [("A", "B"), ("B", "A")], ["x", "y"])
    >>> drawn.count('data-node="'), drawn.count('data-edge="')
    (2, 2)
    """
    # two stand beside each other, others begin at the top
    angles = np.linspace(0, 2 * np.pi, len(nodes), endpoint=False)
    angles += np.pi if len(nodes) == 2 else -np.pi / 2
    unit = np.column_stack([np.cos(angles), np.sin(angles)])
    places = unit * [_ACROSS, _DOWN]
    top, bottom = places[:, 1].min(), places[:, 1].max()
    places += [_WIDTH / 2, _MARGIN - top]
    height = int(bottom - top + 2 * _MARGIN)
    shapes = draw_arrows(events, dict(zip(nodes, places, strict=True)), labels)
    for number, (name, (x, y), (right, down)) in enumerate(zip(nodes, places, unit, strict=True)):
        shapes += f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS - 1}" fill="var(--m0)"/>'
        # beside the node, or above or below the one in the middle
        is_middle = abs(right) < 0.2
        anchor = "middle" if is_middle else "start" if right > 0 else "end"
        at_x = x if is_middle else x + np.sign(right) * _TO_NAME
        at_y = y + 4.5 + (np.sign(down) * (_TO_NAME + 2) if is_middle else 0)
        shapes += (
            f'<text x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="{anchor}" font-size="13" '
            f'font-weight="650" fill="var(--ink)" data-node="{number}">{escape(name)}</text>'
        )
    told = ", then ".join(f"{u} to {v}" for u, v in events)
    return Markup(
        '<svg class="events" role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}" '
        'height="{}">{}</svg>'
    ).format(told, _WIDTH, height, _WIDTH, height, Markup(shapes))


def _arrow(
    start: np.ndarray,
    end: np.ndarray,
    across: np.ndarray,
    order: int,
    label: str | None,
    center: np.ndarray,
) -> str:
    """A curve from rim to rim with its head, beside the straight line by ``across``."""
    # 1. through the middle
    bend = (start + end) / 2 + 2 * across
    begin = start + (bend - start) * RADIUS / np.linalg.norm(bend - start)
    toward = (end - bend) / np.linalg.norm(end - bend)
    tip = end - toward * (RADIUS + 1)
    base = tip - toward * _HEAD
    side = np.array([-toward[1], toward[0]]) * _HALF_HEAD
    # 2. its place in the order of time
    x, y = (begin + 2 * bend + base) / 4
    shapes = (
        f'<path d="M{_at(begin)} Q{_at(bend)} {_at(base)}" fill="none" stroke="var(--ink)" '
        f'stroke-width="1.4"/><path d="M{_at(tip)} L{_at(base + side)} L{_at(base - side)}z" '
        'fill="var(--ink)"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6.5" fill="var(--paper)"/>'
        f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" font-size="11.5" '
        f'font-weight="650" fill="var(--ink)">{order + 1}</text>'
    )
    if label is None:
        return shapes
    # 3. its text, on the outer side
    right, down = x - center[0], y - center[1]
    is_middle = abs(right) < 2 * _BESIDE
    anchor = "middle" if is_middle else "start" if right > 0 else "end"
    x += 0 if is_middle else np.sign(right) * _BESIDE
    y += 4 if not is_middle else _BELOW if down >= -1 else _ABOVE
    return shapes + (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12" '
        'fill="var(--ink)" stroke="var(--paper)" stroke-width="3" paint-order="stroke" '
        f'data-edge="{order}">{escape(label)}</text>'
    )


def _at(point: np.ndarray) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
