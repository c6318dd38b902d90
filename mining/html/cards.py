"""The cards of patterns, in the page and in a notebook: what the template needs of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup

from gomkcn_dgl.graphs.shapes import describe_shapes
from gomkcn_dgl.relations import PLAIN
from mining.html.page import mark_number
from mining.html.tables import planted_as
from mining.pattern import AS_EXPECTED, LESS, LEVEL, MORE, Pattern, digits
from mining.plots.graph_map import GraphMap
from mining.plots.structure_drawing import PatternSketch, draw_null_strip, draw_swatch
from mining.plots.styles import NodeColors, RelationStyle, RelationStyles
from mining.truth import MotifRecovery

_MOST_OCCURRENCES = 10
_MOST_FEATURES = 6
_VERDICTS = {
    MORE: "More frequent than in nearly all",
    LESS: "Less frequent than in nearly all",
    AS_EXPECTED: "As frequent as in many",
}


def make_cards(
    patterns: Sequence[Pattern],
    shown: GraphMap | None = None,
    recovery: Sequence[MotifRecovery] | None = None,
    *,
    is_collection: bool = False,
    styles: RelationStyles | None = None,
) -> list[dict[str, Any]]:
    """Collect what the cards show, the colours of all patterns on one scale.

    They are those of the map of the graph, where that is ``shown``.
    """
    if not patterns:
        return []
    styles, legend = styles or RelationStyles.of(patterns), shown.legend if shown else ()
    # features of all patterns, so that one scale of colours fits all cards
    rows = np.concatenate([pattern.features for pattern in patterns])
    columns, colors = _varying_columns(rows), NodeColors.of_patterns(rows)
    shapes = describe_shapes([pattern.structure for pattern in patterns])
    cards = []
    for at, pattern in enumerate(patterns):
        record = pattern.to_dict()
        entry = {"patterns": {at: record}}
        listed = record["occurrences"]
        faces = shown.faces[at] if shown else colors.faces(pattern.features)
        sketch = PatternSketch(pattern, faces, styles)
        # marks the number at a path of the record
        number = partial(mark_number, entry, "patterns.json", "patterns", at)
        card = {
            "pattern": pattern,
            "record": record,
            "number": number,
            "occurrence_count": _occurrence_count(pattern, number),
            "is_weighted": len(set(pattern.edge_weights)) > 1,
            "class_contrast": _class_contrast(pattern),
            "shape": shapes[at],
            "svg": sketch.draw(),
            "legend": [(name, color) for name, color in legend if color in faces],
            "relations": relation_key(sketch.shown_relations()),
            "edges": _edge_names(pattern),
            "null_svgs": {
                null: draw_null_strip(entry.observed, entry.mean, entry.sd)
                for null, entry in pattern.significance.items()
            },
            "motifs": planted_as(pattern, recovery or []),
            "columns": columns,
            "is_collection": is_collection or any(one["graph"] for one in listed),
            "num_shown": min(len(record["occurrences"]), _MOST_OCCURRENCES),
            "verdicts": _VERDICTS,
        }
        cards.append(card)
    return cards


def _occurrence_count(pattern: Pattern, number: Callable[..., Markup]) -> dict[str, Any]:
    """How often a pattern occurs: the number or its bound, and the interval of an estimate."""
    count = pattern.frequency.occurrences

    def end(name: str) -> Markup:
        return number("frequency", "occurrences", name, text=digits(getattr(count, name)))

    if count.state == "bounded":
        return {"state": count.state, "value": Markup("fewer than ") + end("high")}
    value = number("frequency", "occurrences", "value", text=count.short)
    return {"state": count.state, "value": value, "low": end("low"), "high": end("high")}


def _class_contrast(pattern: Pattern) -> dict[str, Any] | None:
    """The class that a pattern separates most from the others: its number, and what is said."""
    if pattern.classes is None:
        return None
    one = pattern.classes.strongest
    often = "more" if one.is_more_frequent else "less"
    verdict = f"Graphs of class {one.name} contain it {often} often than the others"
    if pattern.classes.p_adjusted > LEVEL:
        verdict = "No class contains it clearly more or less often than the others"
    return {"at": pattern.classes.contrasts.index(one), "verdict": verdict}


def relation_key(styles: Iterable[RelationStyle]) -> list[dict[str, Any]]:
    """Name and a short edge of each relation, for a legend."""
    return [{"name": style.name, "svg": draw_swatch(style)} for style in styles]


def _edge_names(pattern: Pattern) -> list[str]:
    """Such as "0–1", "0→1" with a direction, or "0→1 activates" with a relation."""
    relations, names = pattern.relations, []
    for (u, v), number in zip(pattern.edges, pattern.edge_relations, strict=True):
        relation = "" if relations.names == (PLAIN,) else f" {relations.names[number]}"
        names.append(f"{u}{'→' if relations.directed[number] else '–'}{v}{relation}")
    return names


def _varying_columns(rows: np.ndarray) -> list[int]:
    """Columns of ``rows [n, D]`` where a node is furthest from the mean, in standard deviations."""
    if rows.shape[1] <= _MOST_FEATURES:
        return list(range(rows.shape[1]))
    # a column that never varies comes last
    spread = rows.std(axis=0)
    distance = np.abs(rows - rows.mean(axis=0)).max(axis=0)
    order = np.argsort(-distance / np.where(spread > 1e-6, spread, np.inf), kind="stable")
    return sorted(order[:_MOST_FEATURES].tolist())
