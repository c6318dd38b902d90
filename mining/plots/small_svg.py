"""Lean SVG of small graphs for a page: a pattern, and a place of the graph with its surroundings.

The pattern nodes of a place stand where they stand in the drawing of the pattern, so that the eye
finds them again; neighbours lie around them. Lines take the text colour of the page.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup, escape

from mining.plots.layout import dot_radius, place_nodes
from mining.plots.node_colors import is_light
from mining.plots.surroundings import Surroundings
from mining.records.pattern import Pattern

# pixels a unit of a layout, which is 2 wide and at most 1.7 high
_UNIT = 80.0
# pixels around a drawing
_MARGIN = 4.0
# half axes of the ellipse on which neighbours lie
_HALO = np.array([1.75, 1.5])
_NEIGHBOR_RADIUS = 0.075
# an edge that the pattern does not have
_FOREIGN = "#d55e00"


class PatternSketch:
    """The drawings of one pattern, which share their layout.

    Parameters
    ----------
    pattern : Pattern
    faces : sequence of str
        Colour of each node, ``#rrggbb``.

    Examples
    --------
    >>> from mining.records.frequency import Frequency
    >>> from mining.records.pattern import Medoid
    >>> edge = Pattern(0, ((0, 1),), (0.9,), np.ones((2, 1)), ("constant",),
    ...                Medoid((5, 7), 0.98, root=5), Frequency(4, 2, 2), 0.8, ())
    >>> PatternSketch(edge, ["#4c72b0"] * 2).draw().count("<circle")
    2
    """

    def __init__(self, pattern: Pattern, faces: Sequence[str]) -> None:
        self.pattern, self.faces = pattern, faces
        self.places = place_nodes(pattern.num_nodes, pattern.edges)
        self.radius = dot_radius(self.places, 0.17, 0.36)

    def draw(self) -> Markup:
        """Draw the pattern; a line is 1.5 pixels wide for a learnt weight of ½ and 6 for 1."""
        weights = zip(self.pattern.edges, self.pattern.edge_weights, strict=True)
        parts = [_line(self.places[[u, v]], 9 * weight - 3) for (u, v), weight in weights]
        parts += self._dots(range(self.pattern.num_nodes), self.faces)
        return _svg(parts, self.places, self.radius)

    def draw_place(self, place: Surroundings, *, neighbors: bool = True) -> Markup:
        """Draw a place of the graph, with or without the nodes around it.

        An edge that the pattern does not have is dashed and orange; one of the pattern that the
        place does not have is dotted.
        """
        points = self._points(place)
        drawn = [n for n, role in enumerate(place.roles) if role is not None or neighbors]
        own = set(self.pattern.edges)
        parts = []
        for u, v in place.edges:
            first, second = place.roles[u], place.roles[v]
            if first is None or second is None:
                if neighbors:
                    parts.append(_line(points[[u, v]], 1.2, 'opacity=".45"'))
            elif (min(first, second), max(first, second)) in own:
                parts.append(_line(points[[u, v]], 3.5))
            else:
                parts.append(_line(points[[u, v]], 3, 'stroke-dasharray="7 4"', _FOREIGN))
        for u, v in self._missing(place):
            parts.append(_line(self.places[[u, v]], 2, 'stroke-dasharray="1 6" opacity=".8"'))
        around = [n for n in drawn if place.roles[n] is None]
        parts += [_dot(points[n], _NEIGHBOR_RADIUS, place.faces[n], 'opacity=".8"') for n in around]
        inside = [n for n in drawn if place.roles[n] is not None]
        parts += self._dots(
            [int(place.roles[n] or 0) for n in inside], [place.faces[n] for n in inside]
        )
        if not neighbors:
            return _svg(parts, self.places, self.radius)
        # all places of all patterns are as wide
        side = [[_HALO[0], 0.0]]
        return _svg(parts, np.vstack([points, side]), self.radius)

    def _missing(self, place: Surroundings) -> list[tuple[int, int]]:
        """Edges of the pattern between nodes that are played but not joined."""
        played = {role for role in place.roles if role is not None}
        joined = {frozenset((place.roles[u], place.roles[v])) for u, v in place.edges}
        return [
            edge
            for edge in self.pattern.edges
            if played.issuperset(edge) and frozenset(edge) not in joined
        ]

    def _points(self, place: Surroundings) -> np.ndarray:
        """Where the nodes of a place are drawn, ``[n, 2]``."""
        points = np.zeros((len(place.roles), 2))
        inside = np.array([role is not None for role in place.roles])
        for number, role in enumerate(place.roles):
            if role is not None:
                points[number] = self.places[role]
        wanted = np.zeros_like(points)
        for u, v in place.edges:
            for node, other in ((u, v), (v, u)):
                if not inside[node] and inside[other]:
                    wanted[node] += points[other]
        around = np.flatnonzero(~inside)
        angle = _spread_angles(wanted[around] / _HALO)
        points[around] = 0.95 * _HALO * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return points

    def _dots(self, roles: Sequence[int], faces: Sequence[str]) -> list[str]:
        """Dots with the numbers of pattern nodes."""
        parts = []
        for role, face in zip(roles, faces, strict=True):
            x, y = _pixels(self.places[role])
            size = min(15.0, 1.25 * _UNIT * self.radius)
            ink = "#000" if is_light(face) else "#fff"
            parts.append(_dot(self.places[role], self.radius, face))
            parts.append(
                f'<text x="{x:.1f}" y="{y + 0.36 * size:.1f}" font-size="{size:.1f}" '
                f'text-anchor="middle" fill="{ink}">{role}</text>'
            )
        return parts


def draw_chance(observed: float, mean: float, std: float) -> Markup:
    """Draw a count beside those of random graphs, as a strip that starts at 0.

    The grey bar is the mean ± 2 standard deviations, the tick the mean, the diamond the count.
    """
    width, middle = 240.0, 12.0
    low, high = max(mean - 2 * std, 0.0), mean + 2 * std
    scale = (width - 16) / max(observed, high, 1e-9)

    def at(value: float) -> float:
        return 8 + scale * value

    x = at(observed)
    parts = [
        f'<path d="M8 {middle}H{width - 8}M8 6v12" stroke="currentColor" opacity=".5"/>',
        f'<rect x="{at(low):.1f}" y="7" width="{max(scale * (high - low), 2):.1f}" height="10" '
        f'fill="#8a8a8a" opacity=".75"/>',
        f'<path d="M{at(mean):.1f} 3v18" stroke="currentColor" stroke-width="2"/>',
        '<text x="8" y="33" font-size="11" text-anchor="middle" fill="currentColor">0</text>',
        f'<path d="M{x:.1f} 4l7 8l-7 8l-7 -8z" fill="{_FOREIGN}" stroke="currentColor" '
        'stroke-width=".8"/>',
    ]
    return Markup(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} 35" width="{width:g}" '
        f'height="35" fill="none">{"".join(parts)}</svg>'
    )


def _spread_angles(directions: np.ndarray) -> np.ndarray:
    """Angles near ``directions [n, 2]`` that keep apart, ``[n]``."""
    number = len(directions)
    if not number:
        return np.zeros(0)
    angle = np.arctan2(directions[:, 1], directions[:, 0])
    # a direction from the middle says nothing
    vague = np.linalg.norm(directions, axis=1) < 0.05
    angle[vague] = 2 * np.pi * np.arange(vague.sum()) / max(vague.sum(), 1)
    order = np.argsort(angle, kind="stable")
    angle = angle[order]
    gap = 2 * np.pi / max(number, 14)
    for _ in range(200):
        ahead = np.append(angle[1:], angle[0] + 2 * np.pi) - angle
        push = np.clip(gap - ahead, 0, None) / 2 if number > 1 else np.zeros(1)
        angle = angle + np.roll(push, 1) - push
    spread = np.empty(number)
    spread[order] = angle
    return spread


def _pixels(point: np.ndarray) -> tuple[float, float]:
    return float(point[0] * _UNIT), float(-point[1] * _UNIT)


def _line(ends: np.ndarray, width: float, more: str = "", color: str = "currentColor") -> str:
    (x1, y1), (x2, y2) = _pixels(ends[0]), _pixels(ends[1])
    return (
        f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{color}" '
        f'stroke-width="{width:.1f}" {more}/>'
    )


def _dot(point: np.ndarray, radius: float, face: str, more: str = "") -> str:
    x, y = _pixels(point)
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius * _UNIT:.1f}" fill="{escape(face)}" '
        f'stroke="currentColor" {more}/>'
    )


def _svg(parts: list[str], points: np.ndarray, radius: float) -> Markup:
    """Wrap parts; the box holds dots at ``points`` and is at least as wide as a whole layout."""
    half = max(float(np.abs(points[:, 0]).max()) + radius, 1.17) * _UNIT + _MARGIN
    top = -(float(points[:, 1].max()) + radius) * _UNIT - _MARGIN
    bottom = -(float(points[:, 1].min()) - radius) * _UNIT + _MARGIN
    return Markup(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-half:.1f} {top:.1f} {2 * half:.1f} '
        f'{bottom - top:.1f}" width="{2 * half:.0f}" height="{bottom - top:.0f}" fill="none" '
        f'stroke-linecap="round">{"".join(parts)}</svg>'
    )
