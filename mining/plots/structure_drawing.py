"""Drawings of patterns: alone, in a grid, and beside an occurrence that is explained.

The pattern nodes of an occurrence have the same positions as in the drawing of the pattern; other
nodes lie on an ellipse outside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gomkcn_dgl.runtime.files import visible
from mining.explanation.occurrence_explanation import OccurrenceExplanation
from mining.pattern import Pattern
from mining.plots.layout import adjacent_pairs, dot_radius, node_positions
from mining.plots.styles import GREY, MARK, PLAIN, NodeColors, RelationStyle, RelationStyles
from mining.plots.svg import (
    DASHED,
    DOTTED,
    UNIT,
    Drawing,
    arrange,
    bar,
    dot,
    drawing_around,
    label,
    line,
    numbered_dot,
    path,
    triangle,
)

# distance of parallel edges in pixels, at most, and as a share of their length
_LARGEST_GAP, _GAP_SHARE = 26.0, 0.3
_NUM_SAMPLES = 129
# half axes of the ellipse on which other nodes lie, and their radius, in pixels
_HALO = np.array([140.0, 120.0])
_NEIGHBOR_RADIUS = 6.0
# characters of a relation's name in a legend
_LONGEST_NAME = 40


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


@dataclass(frozen=True)
class DrawnOccurrence:
    """An occurrence as it is drawn.

    ``node_mapping`` holds the pattern node of each node, None for one that is not mapped; ``edges``
    are pairs of positions in it, from the first to the second where they have a direction, and
    ``edge_relations`` their relations, by number.
    """

    node_mapping: tuple[int | None, ...]
    edges: tuple[tuple[int, int], ...]
    edge_relations: tuple[int, ...]


class PatternSketch:
    """The drawings of one pattern with a colour ``#rrggbb`` for each node; they share a layout.

    ``styles`` are those of the relations on the page; by default of this pattern alone.
    """

    def __init__(
        self, pattern: Pattern, faces: Sequence[str], styles: RelationStyles | None = None
    ) -> None:
        self.pattern, self.faces = pattern, faces
        self.styles = styles or RelationStyles.of([pattern])
        self._style_of = self.styles.in_order(pattern.relations)
        # pixels; y points down
        layout = node_positions(pattern.num_nodes, adjacent_pairs(pattern.edges))
        self.positions = layout * [UNIT, -UNIT]
        self.radius = dot_radius(self.positions, 0.17 * UNIT, 0.36)

    def draw(self) -> Drawing:
        """Draw the pattern; a line is 1.5 pixels wide for a learnt weight of ½ and 6 for 1.

        Where edges have directions or relations, the widest line has 4 pixels.
        """
        pattern, simple = self.pattern, self.pattern.relations.is_simple
        rows = zip(pattern.edges, pattern.edge_relations, pattern.edge_weights, strict=True)
        edges = [
            self._edge(edge, relation, 9 * weight - 3 if simple else 5 * weight - 1)
            for edge, relation, weight in rows
        ]
        shapes = edge_shapes(self.positions, np.full(pattern.num_nodes, self.radius), edges)
        shapes += [
            numbered_dot(position, self.radius, face, number)
            for number, (position, face) in enumerate(zip(self.positions, self.faces, strict=True))
        ]
        extent = np.vstack([self.positions, edge_middles(self.positions, edges)])
        return drawing_around(shapes, extent, self.radius)

    def draw_occurrence(self, occurrence: DrawnOccurrence, marked: Sequence[int] = ()) -> Drawing:
        """Draw an occurrence.

        An edge that the pattern does not have is dashed and orange, or has an orange shade where
        colours stand for relations; one that the occurrence does not have is dotted, and so is the
        ring of a pattern node without a graph node. Pattern nodes that are ``marked`` have an
        orange ring.
        """
        mapping = occurrence.node_mapping
        points = self._points(occurrence)
        edges = self._occurrence_edges(occurrence)
        radius = [_NEIGHBOR_RADIUS if node is None else self.radius for node in mapping]
        shapes = edge_shapes(points, np.array(radius), edges)
        for point, node in zip(points, mapping, strict=True):
            if node is None:
                shapes.append(dot(point, _NEIGHBOR_RADIUS, PLAIN, opacity=0.8))
            else:
                color = MARK if node in marked else "currentColor"
                shapes.append(numbered_dot(point, self.radius, self.faces[node], node, color))
        for node in set(range(self.pattern.num_nodes)) - set(mapping):
            ring: dict[str, Any] = {"stroke_width": 2, "stroke_dasharray": "3 4"}
            shapes.append(dot(self.positions[node], self.radius, "none", **ring))
        extent = np.vstack([self.positions, edge_middles(points, edges), points])
        return drawing_around(shapes, extent, self.radius)

    def shown_relations(self, others: Sequence[int] = ()) -> list[RelationStyle]:
        """Styles that a legend of the pattern and of other relations has to explain."""
        numbers = {*self.pattern.edge_relations, *others}
        return self.styles.legend(self._style_of[number] for number in numbers)

    def _edge(self, ends: tuple[int, int], relation: int, width: float, **more: Any) -> DrawnEdge:
        return DrawnEdge.of(self._style_of[relation], ends, width, **more)

    def _occurrence_edges(self, occurrence: DrawnOccurrence) -> list[DrawnEdge]:
        """The edges of an occurrence, and dotted ones where the pattern has one that it lacks."""
        mapping = occurrence.node_mapping
        at = {node: n for n, node in enumerate(mapping) if node is not None}
        expected = {self._key(*row) for row in self._pattern_edges()}
        extra: dict[str, Any] = {"halo": MARK}
        if self.styles.is_plain:
            extra = {"color": MARK, "dashes": DASHED}
        drawn, edges = set(), []
        for (u, v), relation in zip(occurrence.edges, occurrence.edge_relations, strict=True):
            first, second = mapping[u], mapping[v]
            if first is None or second is None:
                edges.append(self._edge((u, v), relation, 1.2, opacity=0.45))
                continue
            key = self._key(first, second, relation)
            drawn.add(key)
            look = {"width": 3.5 if self.pattern.relations.is_simple else 2.8}
            if key not in expected:
                look = {"width": 3, **extra}
            edges.append(self._edge((u, v), relation, **look))
        edges += [
            self._edge((at[u], at[v]), relation, 2, dashes=DOTTED, opacity=0.8)
            for u, v, relation in self._pattern_edges()
            if self._key(u, v, relation) not in drawn and {u, v} <= at.keys()
        ]
        return edges

    def _pattern_edges(self) -> list[tuple[int, int, int]]:
        rows = zip(self.pattern.edges, self.pattern.edge_relations, strict=True)
        return [(u, v, relation) for (u, v), relation in rows]

    def _key(self, u: int, v: int, relation: int) -> tuple[int, int, int]:
        """An edge between pattern nodes, the same from both sides where it has no direction."""
        swap = u > v and not self._style_of[relation].directed
        return (v, u, relation) if swap else (u, v, relation)

    def _points(self, occurrence: DrawnOccurrence) -> np.ndarray:
        """Positions of the nodes of an occurrence, ``[n, 2]``."""
        mapping = occurrence.node_mapping
        points = np.array(
            [[0.0, 0.0] if node is None else self.positions[node] for node in mapping]
        )
        # other nodes lie in the direction of the pattern nodes that they are joined to
        direction = np.zeros_like(points)
        for u, v in occurrence.edges:
            for node, other in ((u, v), (v, u)):
                if mapping[node] is None and mapping[other] is not None:
                    direction[node] += points[other]
        outside = [n for n, node in enumerate(mapping) if node is None]
        angle = _spread_angles(direction[outside] / _HALO)
        points[outside] = 0.95 * _HALO * np.column_stack([np.cos(angle), np.sin(angle)])
        return points


def _spread_angles(directions: np.ndarray) -> np.ndarray:
    """Angles near ``directions [n, 2]`` that keep a least distance, ``[n]``."""
    number = len(directions)
    angle = np.arctan2(directions[:, 1], directions[:, 0])
    # a node that pulls from all sides has no direction of its own
    vague = np.linalg.norm(directions, axis=1) < 0.05
    angle[vague] = 2 * np.pi * np.arange(vague.sum()) / max(vague.sum(), 1)
    if number < 2:
        return angle
    order = np.argsort(angle, kind="stable")
    angle = angle[order]
    least = 2 * np.pi / max(number, 14)
    # neighbours on the circle that are too close push each other away by half of what is missing
    for _ in range(200):
        distance = np.append(angle[1:], angle[0] + 2 * np.pi) - angle
        push = np.clip(least - distance, 0, None) / 2
        angle = angle + np.roll(push, 1) - push
    return angle[np.argsort(order, kind="stable")]


def draw_patterns(patterns: Sequence[Pattern]) -> Drawing:
    """Draw all patterns, four in a row, their colours on one scale."""
    if not patterns:
        text = label(np.array([120.0, 20.0]), "No patterns were found.", 14)
        return Drawing(text, 0.0, 0.0, 240.0, 32.0)
    colors = NodeColors.of_patterns(np.concatenate([pattern.features for pattern in patterns]))
    titles = []
    for pattern in patterns:
        count = pattern.frequency.occurrences
        titles.append(f"Pattern {pattern.id}: {count.short} occurrence{'s' * (count.value != 1)}")
    styles = RelationStyles.of(patterns)
    drawings = [
        PatternSketch(pattern, colors.faces(pattern.features), styles).draw()
        for pattern in patterns
    ]
    return _with_legend(arrange(drawings, 4, titles), styles.legend())


def _with_legend(drawing: Drawing, legend: Sequence[RelationStyle]) -> Drawing:
    """Put the relations that a drawing shows below it, if they need an explanation."""
    if not legend:
        return drawing
    names = [visible(style.name)[:_LONGEST_NAME] for style in legend]
    # letters are at most as wide as this
    width = 60.0 + 8.5 * max(map(len, names))
    entries = []
    for style, text in zip(legend, names, strict=True):
        name = label(np.array([50.0, 4.0]), text, 13, anchor="start")
        entries.append(Drawing(draw_swatch(style).shapes + name, -2.0, -9.0, width, 18.0))
    return arrange([drawing, arrange(entries, max(1, int(drawing.width / width)))], 1)


def draw_explanation(explanation: OccurrenceExplanation) -> Drawing:
    """Draw the pattern and, beside it, the occurrence with its nodes where the pattern nodes are.

    Pattern nodes whose graph node has other features have an orange ring.
    """
    pattern, pairs = explanation.pattern, explanation.pairs
    slots = [pair.pattern_node for pair in pairs if pair.node is not None]
    mapping = (*slots, *(None for _ in explanation.extra_nodes))
    slots += range(len(pairs), len(pairs) + len(explanation.extra_nodes))
    position = {slot: number for number, slot in enumerate(slots)}
    relations = explanation.shared_relations + explanation.extra_relations
    occurrence = DrawnOccurrence(
        mapping,
        tuple(
            (position[u], position[v])
            for u, v in explanation.shared_edges + explanation.extra_edges
        ),
        relations,
    )
    sketch = PatternSketch(pattern, [PLAIN] * pattern.num_nodes)
    marked = [pair.pattern_node for pair in pairs if pair.first_difference == 0]
    right = sketch.draw_occurrence(occurrence, marked)
    both = arrange([sketch.draw(), right], 2, [f"Pattern {pattern.id}", "Occurrence"])
    return _with_legend(both, sketch.shown_relations(relations))


def draw_null_strip(observed: float, mean: float, sd: float) -> Drawing:
    """Draw a count beside those of random graphs, on a strip that starts at 0.

    The grey bar is the mean ± 2 standard deviations, the tick the mean, the diamond the count.
    """
    width, middle = 240.0, 12.0
    low, high = max(mean - 2 * sd, 0.0), mean + 2 * sd
    scale = (width - 16) / max(observed, high, 1e-9)
    axis = np.array([[8, middle], [width - 8, middle]])
    zero = np.array([[8.0, 6.0], [8.0, 18.0]])
    tick = np.array([[8 + scale * mean, 3.0], [8 + scale * mean, 21.0]])
    size = max(scale * (high - low), 2.0)
    shapes = [
        line(axis, 1, opacity=0.5),
        line(zero, 1, opacity=0.5),
        bar(8 + scale * low, 7.0, size, 10.0, GREY, opacity=0.75),
        line(tick, 2),
        label(np.array([8.0, 33.0]), "0", 11),
        f'<path d="M{8 + scale * observed:.1f} 4l7 8l-7 8l-7 -8z" fill="{MARK}" '
        'stroke="currentColor" stroke-width=".8"/>',
    ]
    return Drawing("".join(shapes), 0.0, 0.0, width, 35.0)
