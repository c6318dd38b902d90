"""The first screen of the page: a sentence on what was found, and a tile for each pattern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gomkcn_dgl.graphs.shapes import count
from mining.html.tables import (
    nothing_sentence,
    partial_sentence,
    verdict_sentence,
)
from mining.mining_run import MiningRun
from mining.pattern import AS_EXPECTED, LESS, MORE, Pattern

# sign and words of each verdict, and the style of its words
_VERDICTS = {
    MORE: ("▲", "more frequent than in random graphs", "more"),
    LESS: ("▼", "less frequent than in random graphs", "less"),
    AS_EXPECTED: ("●", "as frequent as in random graphs", "same"),
}


def headline(run: MiningRun) -> str:
    """Say how many patterns there are, how many differ from random graphs, and which is first."""
    patterns = run.patterns
    parts = [f"{count(len(patterns), 'pattern')}." if patterns else nothing_sentence(run)]
    nulls = dict.fromkeys(null for pattern in patterns for null in pattern.significance)
    for null in nulls:
        parts.append(verdict_sentence(patterns, null, is_only=len(nulls) == 1))
    if patterns:
        first = patterns[0]
        occurrences = first.frequency.occurrences
        times = "time" if occurrences.value == 1 and occurrences.is_exact else "times"
        parts.append(f"First: {first.name}, {occurrences} {times}.")
    if run.recovery:
        recovered = sum(motif.recovered for motif in run.recovery)
        parts.append(f"{recovered} of {count(len(run.recovery), 'planted motif')} recovered.")
    if run.is_partial:
        parts.append(partial_sentence())
    return " ".join(parts)


def make_tiles(cards: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Collect what the tiles show, from what the cards show, and what they are sorted by."""
    return [_make_tile(at, card) for at, card in enumerate(cards)]


def _make_tile(at: int, card: dict[str, Any]) -> dict[str, Any]:
    pattern: Pattern = card["pattern"]
    verdicts = []
    for null, one in pattern.significance.items():
        sign, words, kind = _VERDICTS[one.verdict]
        verdicts.append({"null": null, "sign": sign, "words": words, "kind": kind})
    names = [motif.name for motif in card["motifs"]]
    categories = [name for node in pattern.categories for name in node]
    relations = [pattern.relations.names[number] for number in pattern.edge_relations]
    said = [f"pattern {pattern.id}", pattern.description, card["shape"], *names]
    said += [verdict["words"] for verdict in verdicts]
    return {
        "at": at,
        "card": card,
        "name": pattern.name,
        "verdicts": verdicts,
        "words": " ".join(dict.fromkeys([*said, *categories, *relations])),
        "count_key": pattern.frequency.count,
        "surprise_key": max(
            (round(one.z or 0.0, 6) for one in pattern.significance.values()), default=0.0
        ),
        "size_key": pattern.num_nodes,
        "classes_key": 0 if pattern.classes is None else -pattern.classes.p_adjusted,
    }
