"""The first screen of the page: a sentence on what was found, and a tile for each pattern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mining.descriptions.shapes import count
from mining.html.tables import partial_sentence, short_description
from mining.records.pattern import Pattern
from mining.records.significance import AS_EXPECTED, LESS, MORE, MORE_APART, UNDECIDED
from mining.runs.mining_run import MiningRun

# sign and words of each verdict, and the style of its words
_VERDICTS = {
    MORE: ("▲", "more often than by chance", "more"),
    MORE_APART: ("▲", "set apart more often than by chance", "more"),
    LESS: ("▼", "less often than by chance", "less"),
    AS_EXPECTED: ("●", "as often as by chance", "same"),
    UNDECIDED: ("?", "undecided: more random graphs might tell", "same"),
}
# of the second reading, where there are fewer occurrences in all than chance would make
_APART_AND_LESS = "set apart more often than by chance, in all less often"


def headline(run: MiningRun) -> str:
    """Say how many patterns there are, how many surprise, and which of them comes first."""
    patterns = run.patterns
    parts = [f"{count(len(patterns), 'pattern')}." if patterns else "No patterns were found."]
    nulls = list(patterns[0].significance) if patterns else []
    for null in nulls:
        labels = [pattern.significance[null].label for pattern in patterns]
        number, apart = labels.count(MORE), labels.count(MORE_APART)
        beside = f" (random graphs of the model “{null}”)" if len(nulls) > 1 else ""
        parts.append(
            f"{number or 'None'} of them {'occurs' if number < 2 else 'occur'} more often than by "
            f"chance{beside}."
        )
        if apart:
            verb = "is" if apart == 1 else "are"
            parts.append(f"{apart} {'more ' if number else ''}{verb} set apart more often.")
    if patterns:
        first = patterns[0]
        occurrences = first.frequency.occurrences
        times = "time" if occurrences.value == 1 and occurrences.is_exact else "times"
        parts.append(f"First: {short_description(first)}, {occurrences} {times}.")
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
        sign, words, kind = _VERDICTS[one.label]
        if one.label == MORE_APART and one.verdict == LESS:
            words = _APART_AND_LESS
        verdicts.append({"null": null, "sign": sign, "words": words, "kind": kind})
    names = [motif.name for motif in card["motifs"]]
    categories = [name for node in pattern.categories for name in node]
    relations = [pattern.relations.names[number] for number in pattern.edge_relations]
    said = [f"pattern {pattern.id}", pattern.description, card["shape"], *names]
    said += [verdict["words"] for verdict in verdicts]
    return {
        "at": at,
        "card": card,
        "name": short_description(pattern),
        "verdicts": verdicts,
        "words": " ".join(dict.fromkeys([*said, *categories, *relations])),
        "count_key": pattern.frequency.count,
        "surprise_key": max((one.z for one in pattern.significance.values()), default=0.0),
        "size_key": pattern.num_nodes,
        "classes_key": 0 if pattern.classes is None else -pattern.classes.q,
    }
