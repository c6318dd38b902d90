"""What the card of a pattern shows, in the page and in Jupyter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup

from mining.assessment.evaluation import MotifRecovery
from mining.descriptions.shapes import describe_shape
from mining.html.page import mark_number
from mining.html.report_words import CLEAR, NULLS, READINGS, STABILITIES, UNCOUNTED
from mining.html.run_table import planted_as
from mining.plots.node_colors import NodeColors
from mining.plots.small_svg import PatternSketch, draw_chance
from mining.records.pattern import Pattern
from mining.runs.drawings import PatternDrawing, RunDrawings

_MOST_OCCURRENCES = 10
_MOST_FEATURES = 6
_PATTERNS_FILE, _DRAWINGS_FILE = "patterns.json", "drawings.json"


@dataclass(frozen=True)
class Card:
    """What the template needs of one pattern."""

    record: dict[str, Any]
    number: Any
    shape: str
    svg: Markup
    medoid_svg: Markup | None
    places: list[dict[str, Any]]
    readings: list[dict[str, Any]]
    chances: list[dict[str, Any]]
    stabilities: list[dict[str, Any]]
    motifs: list[MotifRecovery]
    columns: list[int]
    names: tuple[str, ...]
    same: bool
    num_shown: int
    show_graph: bool
    legend: tuple[tuple[str, str], ...]


def make_cards(
    patterns: Sequence[Pattern],
    drawings: RunDrawings | None = None,
    recovery: Sequence[MotifRecovery] | None = None,
    *,
    collection: bool = False,
) -> list[Card]:
    """Collect what the cards show, the colours of all patterns on one scale."""
    if not patterns:
        return []
    rows = np.concatenate([pattern.features for pattern in patterns])
    columns, colors = _telling_columns(rows), NodeColors.of_patterns(rows)
    known: Sequence[PatternDrawing | None] = [None] * len(patterns)
    if drawings is not None and len(drawings.patterns) == len(patterns):
        known = drawings.patterns
    cards = []
    for at, (pattern, drawing) in enumerate(zip(patterns, known, strict=True)):
        record = pattern.to_dict()
        number = partial(mark_number, {"patterns": {at: record}}, _PATTERNS_FILE, "patterns", at)
        faces = colors.faces(pattern.features) if drawing is None else drawing.faces
        sketch = PatternSketch(pattern, faces)
        places = [record["medoid"], *record["occurrences"]]
        cards.append(
            Card(
                record=record,
                number=number,
                shape=describe_shape(pattern),
                svg=sketch.draw(),
                medoid_svg=None
                if drawing is None
                else sketch.draw_place(drawing.medoid, neighbors=False),
                places=[] if drawing is None else _places(at, sketch, drawing),
                readings=_readings(record, number, collection),
                chances=_chances(record),
                stabilities=[
                    {"name": name, "words": STABILITIES[name]} for name in record["stability"]
                ],
                motifs=planted_as(pattern, recovery),
                columns=columns,
                names=pattern.feature_names,
                same=_same_for_all(record["features"]),
                num_shown=min(len(record["occurrences"]), _MOST_OCCURRENCES),
                show_graph=collection or any(place["graph"] for place in places),
                legend=() if drawing is None or drawings is None else _used(drawings, drawing),
            )
        )
    return cards


def _places(at: int, sketch: PatternSketch, drawing: PatternDrawing) -> list[dict[str, Any]]:
    """The drawn occurrences: most similar, middle, least similar."""
    captions = {1: ["the only one"], 2: ["most similar", "least similar"]}
    numbers = list(drawing.occurrences)
    names = captions.get(len(numbers), ["most similar", "in the middle", "least similar"])
    record = {"patterns": {at: drawing.to_dict()}}

    def number(place: int, name: str) -> Markup:
        return mark_number(record, _DRAWINGS_FILE, "patterns", at, "occurrences", str(place), name)

    return [
        {
            "caption": name,
            "svg": sketch.draw_place(place),
            "similarity": number(position, "similarity"),
            "graph": number(position, "graph"),
            "hidden": place.num_hidden and number(position, "num_hidden"),
        }
        for (position, place), name in zip(drawing.occurrences.items(), names, strict=True)
    ]


def _readings(record: dict[str, Any], number: Any, collection: bool) -> list[dict[str, Any]]:
    """The frequencies in words, each with its interval where there is one."""
    frequency = record["frequency"]
    found = []
    for name, (title, note) in READINGS.items():
        if name == "num_graphs" and not collection:
            continue
        known = frequency[name] is not None
        interval = frequency["intervals"].get(name)
        found.append(
            {
                "name": name,
                "title": title,
                "note": note,
                "count": number("frequency", name) if known else None,
                "why": UNCOUNTED.get(frequency["exact_state"], "") if not known else "",
                "interval": interval
                and [number("frequency", "intervals", name, end) for end in (0, 1)],
            }
        )
    return found


def _chances(record: dict[str, Any]) -> list[dict[str, Any]]:
    """What is said about each null model."""
    return [
        {
            "name": name,
            "title": NULLS[name][0],
            "note": NULLS[name][1],
            "svg": draw_chance(entry["observed"], entry["mean"], entry["std"]),
            "is_clear": entry["q"] <= CLEAR,
            "is_below": entry["z"] < 0,
        }
        for name, entry in record["significance"].items()
    ]


def _used(drawings: RunDrawings, drawing: PatternDrawing) -> tuple[tuple[str, str], ...]:
    """The labels whose colours a card shows."""
    places = [drawing.medoid, *drawing.occurrences.values()]
    shown = {*drawing.faces, *(face for place in places for face in place.faces)}
    return tuple((name, color) for name, color in drawings.legend if color in shown)


def _same_for_all(features: list[list[float]]) -> bool:
    """Whether there is a single feature with a single value, which one line can say."""
    return len(features[0]) == 1 and all(row == features[0] for row in features)


def _telling_columns(rows: np.ndarray) -> list[int]:
    """Return the columns where a node differs most from the mean over all nodes, in spreads."""
    if rows.shape[1] <= _MOST_FEATURES:
        return list(range(rows.shape[1]))
    spread = rows.std(axis=0)
    far = np.abs(rows - rows.mean(axis=0)).max(axis=0) / np.where(spread > 1e-6, spread, np.inf)
    return sorted(np.argsort(-far, kind="stable")[:_MOST_FEATURES].tolist())
