"""The cards of patterns, in the page and in a notebook: what the template needs of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup

from mining.assessment.evaluation import MotifRecovery
from mining.descriptions.shapes import describe_shape
from mining.html.page import mark_number
from mining.html.summary import CLEAR
from mining.html.tables import planted_as
from mining.plots.node_colors import NodeColors
from mining.plots.small_svg import PatternSketch, draw_chance
from mining.records.pattern import Pattern
from mining.runs.drawings import PatternDrawing, RunDrawings

_MOST_OCCURRENCES = 10
_MOST_FEATURES = 6
# of none, one, two or three drawn occurrences
_CAPTIONS: tuple[tuple[str, ...], ...] = (
    (),
    ("the only one",),
    ("most similar", "least similar"),
    ("most similar", "in the middle", "least similar"),
)


@dataclass(frozen=True)
class DrawnOccurrence:
    """A drawn occurrence: its caption, its drawing and the marked numbers below it."""

    caption: str
    svg: Markup
    similarity: Markup
    graph: Markup
    num_hidden: Markup | None


@dataclass(frozen=True)
class Card:
    """What the template shows of a pattern.

    ``number`` marks a number at a path of the pattern's entry in patterns.json; ``null_svgs`` draws
    the count beside those of each null model; ``columns`` are the features that are listed.
    """

    pattern: Pattern
    record: dict[str, Any]
    number: Callable[..., Markup]
    shape: str
    svg: Markup
    medoid_svg: Markup | None
    occurrences: list[DrawnOccurrence]
    legend: list[tuple[str, str]]
    null_svgs: dict[str, Markup]
    motifs: list[MotifRecovery]
    columns: list[int]
    is_collection: bool
    num_shown: int
    clear: float = CLEAR


def make_cards(
    patterns: Sequence[Pattern],
    drawings: RunDrawings | None = None,
    recovery: Sequence[MotifRecovery] | None = None,
    *,
    is_collection: bool = False,
) -> list[Card]:
    """Collect what the cards show, the colours of all patterns on one scale."""
    if not patterns:
        return []
    drawings = drawings or RunDrawings()
    rows = np.concatenate([pattern.features for pattern in patterns])
    columns, colors = _varying_columns(rows), NodeColors.of_patterns(rows)
    cards = []
    for at, pattern in enumerate(patterns):
        record = pattern.to_dict()
        entry = {"patterns": {at: record}}
        drawing = drawings.patterns[at] if drawings.patterns else None
        faces = colors.faces(pattern.features) if drawing is None else drawing.faces
        sketch = PatternSketch(pattern, faces)
        shown = set() if drawing is None else drawing.all_faces
        cards.append(
            Card(
                pattern=pattern,
                record=record,
                number=partial(mark_number, entry, "patterns.json", "patterns", at),
                shape=describe_shape(pattern),
                svg=sketch.draw(),
                medoid_svg=drawing and sketch.draw_place(drawing.medoid, neighbors=False),
                occurrences=[] if drawing is None else _draw_occurrences(at, sketch, drawing),
                legend=[(name, color) for name, color in drawings.legend if color in shown],
                null_svgs={
                    null: draw_chance(entry.observed, entry.mean, entry.std)
                    for null, entry in pattern.significance.items()
                },
                motifs=planted_as(pattern, recovery or []),
                columns=columns,
                is_collection=is_collection or _spans_graphs(record),
                num_shown=min(len(record["occurrences"]), _MOST_OCCURRENCES),
            )
        )
    return cards


def _spans_graphs(record: dict[str, Any]) -> bool:
    return any(place["graph"] for place in (record["medoid"], *record["occurrences"]))


def _draw_occurrences(
    at: int, sketch: PatternSketch, drawing: PatternDrawing
) -> list[DrawnOccurrence]:
    """The most similar occurrence, the middle one and the least similar one, with neighbours."""
    record = {"patterns": {at: drawing.to_dict()}}
    drawn = []
    for caption, (position, place) in zip(
        _CAPTIONS[len(drawing.occurrences)], drawing.occurrences.items(), strict=True
    ):
        path = "patterns", at, "occurrences", str(position)
        number = partial(mark_number, record, "drawings.json", *path)
        hidden = number("num_hidden") if place.num_hidden else None
        svg = sketch.draw_place(place)
        drawn.append(DrawnOccurrence(caption, svg, number("similarity"), number("graph"), hidden))
    return drawn


def _varying_columns(rows: np.ndarray) -> list[int]:
    """Columns of ``rows [n, D]`` where a node is furthest from the mean, in standard deviations."""
    if rows.shape[1] <= _MOST_FEATURES:
        return list(range(rows.shape[1]))
    spread = rows.std(axis=0)
    distance = np.abs(rows - rows.mean(axis=0)).max(axis=0)
    order = np.argsort(-distance / np.where(spread > 1e-6, spread, np.inf), kind="stable")
    return sorted(order[:_MOST_FEATURES].tolist())
