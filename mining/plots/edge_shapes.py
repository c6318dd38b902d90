"""Edges of a drawing as SVG: lines, arrows, and bent ones where several join the same two nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mining.plots.relation_styles import RelationStyle
from mining.plots.svg import Drawing, path, triangle

# distance of parallel edges in pixels, at most, and as a share of their length
_LARGEST_GAP, _GAP_SHARE = 26.0, 0.3
_NUM_SAMPLES = 129


@dataclass(frozen=True)
class DrawnEdge:
    """An edge between the points ``ends``; ``halo`` is the colour of a shade below it."""

    ends: tuple[int, int]
    width: float
    color: str = "currentColor"
    dashes: str | None = None
    opacity: float | None = None
    arrow: bool = False
    halo: str | None = None

    @classmethod
    def of(
        cls, style: RelationStyle, ends: tuple[int, int], width: float, **more: Any
    ) -> DrawnEdge:
        """An edge in the style of its relation; ``more`` replaces parts of it."""
        look = {"color": style.color, "dashes": style.dashes, "arrow": style.directed}
        return cls(ends, width, **{**look, **more})


def edge_shapes(points: np.ndarray, radius: np.ndarray, edges: Sequence[DrawnEdge]) -> list[str]:
    """Draw edges between dots of a ``radius [n]`` at ``points [n, 2]``; arrows end at the dots."""
    return [
        shape
        for edge, side in zip(edges, _sides(edges), strict=True)
        for shape in _draw(edge, points[list(edge.ends)], float(radius[edge.ends[1]]), side)
    ]


def edge_middles(points: np.ndarray, edges: Sequence[DrawnEdge]) -> np.ndarray:
    """Where the middles of the edges are, bent ones outside of the straight line, ``[E, 2]``."""
    middles = [
        _middle(points[list(edge.ends)], side)
        for edge, side in zip(edges, _sides(edges), strict=True)
    ]
    return np.array(middles).reshape(-1, 2)


def _sides(edges: Sequence[DrawnEdge]) -> list[float]:
    """How far each edge is from the straight line, in units of the gap of parallel edges."""
    number = Counter(frozenset(edge.ends) for edge in edges)
    drawn: Counter[frozenset[int]] = Counter()
    sides = []
    for edge in edges:
        pair = frozenset(edge.ends)
        sides.append(drawn[pair] - (number[pair] - 1) / 2)
        drawn[pair] += 1
    return sides


def _middle(ends: np.ndarray, side: float) -> np.ndarray:
    length = float(np.linalg.norm(ends[1] - ends[0]))
    return bend(ends, side, min(_LARGEST_GAP, _GAP_SHARE * length))


def bend(ends: np.ndarray, side: float, gap: float) -> np.ndarray:
    """The middle of an edge ``[2, 2]``, moved to its side by a share of ``gap``, ``[2]``."""
    along = ends[1] - ends[0]
    # the side is that of the pair of nodes, whichever of them the edge begins at
    if tuple(ends[1]) < tuple(ends[0]):
        along = -along
    normal = np.array([-along[1], along[0]]) / max(float(np.linalg.norm(along)), 1e-9)
    return np.asarray(ends.mean(axis=0) + side * gap * normal)


def _draw(edge: DrawnEdge, ends: np.ndarray, radius: float, side: float) -> list[str]:
    """An edge with its shade below and its head, if it has them."""
    length = float(np.linalg.norm(ends[1] - ends[0]))
    style = {"stroke_dasharray": edge.dashes, "opacity": edge.opacity}
    # the curve through the middle: a quadratic one, whose control point is twice as far away
    control = 2 * _middle(ends, side) - ends.mean(axis=0)
    stop, end, head = 1.0, ends[1], ""
    if edge.arrow:
        size = min(6.0 + 2.2 * edge.width, 0.55 * max(length - 2 * radius, 6.0))
        stop, head = _head(edge, ends, control, radius + 1, size)
        end = quadratic(ends, control, stop)
    inner = ends[0] + stop * (control - ends[0])
    ends, bent = np.stack([ends[0], end]), inner if side else None
    curve = path(list(ends), edge.width, edge.color, bent, **style)
    halo = path(list(ends), edge.width + 7, edge.halo, bent, opacity=0.4) if edge.halo else ""
    return [shape for shape in (halo, curve, head) if shape]


def _head(
    edge: DrawnEdge, ends: np.ndarray, control: np.ndarray, radius: float, size: float
) -> tuple[float, str]:
    """Where the line of an arrow stops, as a share of its way, and the head from there on."""
    share = np.linspace(0, 1, _NUM_SAMPLES)
    points = quadratic(ends, control, share[:, None])
    # the tip touches the dot, the base is where the curve is as far from the tip as the head long
    touches = np.linalg.norm(points - ends[1], axis=1) >= radius
    last = int(np.flatnonzero(touches).max(initial=0))
    tip = points[last]
    before = np.flatnonzero(np.linalg.norm(points[: last + 1] - tip, axis=1) >= 0.8 * size)
    base = int(before.max(initial=0))
    way = tip - points[base]
    way = way / max(float(np.linalg.norm(way)), 1e-9)
    return float(share[base]), triangle(tip, way, size, edge.color, opacity=edge.opacity)


def quadratic(ends: np.ndarray, control: np.ndarray, share: np.ndarray | float) -> np.ndarray:
    """Points of a quadratic curve at a share of its way."""
    return np.asarray(
        (1 - share) ** 2 * ends[0] + 2 * share * (1 - share) * control + share**2 * ends[1]
    )


def draw_swatch(style: RelationStyle) -> Drawing:
    """A short edge in the style of a relation, for a legend."""
    edge = DrawnEdge.of(style, (0, 1), 2.2)
    shapes = edge_shapes(np.array([[0.0, 0.0], [40.0, 0.0]]), np.zeros(2), [edge])
    return Drawing("".join(shapes), -2.0, -7.0, 44.0, 14.0)
