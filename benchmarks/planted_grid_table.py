"""Runs of planted_grid.py → one row for each cell and rule, the requirements, the tables.

A motif counts as found if a pattern is isomorphic to it; of several such patterns, told apart by
their features, the one with most occurrences is taken ("together": all of them). What is true
depends on the rule:

``isomorphic`` (the default) counts copies that are intact.
    True are all induced occurrences in the graph, listed by igraph, whether or not they were
    planted; for `disjoint` a largest set of them that share no node. A motif with fewer than
    ``min_support`` (5) of them was not asked for and is left out. Where the pattern is marked as
    one of which few copies are intact, which counts damaged ones, true are the planted copies.
``similar`` counts damaged copies as well.
    True are the planted copies.

F1 is over occurrences, of the four motifs of a graph at once, then the mean over the graphs: a
reported node set is right if it is that of a true occurrence ("near", of all patterns together: if
two thirds of the nodes are, one to one). "Of all planted" is the share of all planted copies,
damaged ones and rare motifs among them, that are near a reported one. Errors are
|reported - true| / true, the mean over motifs and graphs, 100 % for a motif that was not found;
with the sign in brackets. An interval that was not given, for a motif that was not found, does not
cover. "Expected" is the mean over such graphs: of 15 pairs none has flipped, where intact copies
are counted. "Other patterns" have a cycle and are no motif: parts of a copy with its surroundings,
damaged copies. The base graph is a tree.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from record import Table

RULES = ("isomorphic", "similar")
CELL = ("copies", "noise", "flipped")
COPIES, NOISES, FLIPS = (5, 10, 20, 40), (0.0, 0.05, 0.1, 0.2), (0.0, 0.02, 0.05)
GRID = [
    (copies, noise, flipped) for flipped, noise, copies in itertools.product(FLIPS, NOISES, COPIES)
]
# pairs of nodes of a copy, each of which may flip
_PAIRS = 15
_MIN_SUPPORT = 5


@dataclass(frozen=True)
class Row:
    """What the runs of a cell say under one rule; shares and errors are means.

    Attributes
    ----------
    asked, found : int
        Motifs over all graphs with enough true occurrences, and those that were recovered.
    f1, f1_together, f1_near : float
        Over occurrences.
    of_planted : float
        Share of the planted copies that were reported, nearly.
    error, bias : mapping from str to float
        Of `distinct` and `disjoint`, without and with the sign.
    exact_error : float
        Of `exact` against igraph's number; of the motifs that were found.
    exact_to_planted : float
        Induced occurrences over planted copies.
    covered : mapping from str to float
        Share of the intervals of `distinct` and `disjoint` that hold the true number.
    covered_expected : float
        Share of those of `distinct` that hold what is expected of such graphs.
    others : float
        Patterns with a cycle that are no motif, a graph.
    seconds : float
        Median of a run.
    """

    cell: tuple[Any, ...]
    rule: str
    asked: int
    found: int
    f1: float
    f1_together: float
    f1_near: float
    of_planted: float
    error: Mapping[str, float]
    bias: Mapping[str, float]
    exact_error: float
    exact_to_planted: float
    covered: Mapping[str, float]
    covered_expected: float
    others: float
    seconds: float


def summarise(lines: Sequence[Mapping[str, Any]]) -> list[Row]:
    """One row for each rule and cell, in the order of the lines."""
    cells: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for line in lines:
        cells.setdefault(tuple(line[name] for name in CELL), []).append(line)
    return [_row(cell, rule, some) for rule in RULES for cell, some in cells.items()]


def _row(cell: tuple[Any, ...], rule: str, lines: Sequence[Mapping[str, Any]]) -> Row:
    motifs = [motif for line in lines for motif in _asked(line, rule)]
    found = [motif for motif in motifs if motif["isomorphic_patterns"]]
    difference = {
        name: np.array([motif[name] / motif[f"true_{name}"] - 1 for motif in motifs])
        for name in ("distinct", "disjoint")
    }
    copies, _, flipped = cell
    exact = [abs(m["exact"] / m["occurring"] - 1) for m in found if m["occurring"] and m["exact"]]
    occurring = [count for line in lines for count in line["occurring"]]
    near = [count for line in lines for count in line[rule]["together_near_planted"]]
    intact = copies * (1 - flipped) ** _PAIRS
    return Row(
        cell=cell,
        rule=rule,
        asked=len(motifs),
        found=len(found),
        f1=_f1(lines, rule, "distinct", "same"),
        f1_together=_f1(lines, rule, "together", "together_same"),
        f1_near=_f1(lines, rule, "together", "together_near"),
        of_planted=float(np.mean(near) / copies),
        error={name: _mean(np.abs(values)) for name, values in difference.items()},
        bias={name: _mean(values) for name, values in difference.items()},
        exact_error=_mean(exact),
        exact_to_planted=float(np.mean(occurring) / copies),
        covered={
            name: _mean([_holds(m[f"{name}_interval"], m[f"true_{name}"]) for m in motifs])
            for name in difference
        },
        covered_expected=_mean(
            [_holds(m["distinct_interval"], copies if m["tolerant"] else intact) for m in motifs]
        ),
        others=_mean([line[rule]["with_cycle"] - _num_motifs(line[rule]) for line in lines]),
        seconds=float(np.median([line[rule]["seconds"] for line in lines])),
    )


def _asked(line: Mapping[str, Any], rule: str) -> Iterator[dict[str, Any]]:
    """What a line says of each motif that has enough true occurrences."""
    said = line[rule]
    lists = {name: values for name, values in said.items() if isinstance(values, list)}
    for number, occurring in enumerate(line["occurring"]):
        motif = {name: values[number] for name, values in lists.items()}
        tolerant = rule == "similar" or motif["noisy"]
        kind = "planted" if tolerant else "occurring"
        true = line["copies"] if tolerant else occurring
        if true < _MIN_SUPPORT:
            continue
        for name in ("same", "near", "together_same", "together_near"):
            motif[name] = motif[f"{name}_{kind}"]
        yield motif | {
            "tolerant": tolerant,
            "occurring": occurring,
            "true_distinct": true,
            "true_disjoint": true if tolerant else line["occurring_disjoint"][number],
        }


def _f1(lines: Sequence[Mapping[str, Any]], rule: str, reported: str, matched: str) -> float:
    """Mean over the graphs, of those with a motif to find."""
    scores = []
    for line in lines:
        motifs = list(_asked(line, rule))
        if motifs:
            total = sum(motif[reported] + motif["true_distinct"] for motif in motifs)
            scores.append(2 * sum(motif[matched] for motif in motifs) / total)
    return _mean(scores)


def _num_motifs(said: Mapping[str, Any]) -> int:
    return sum(said["isomorphic_patterns"])


def _holds(interval: Sequence[int] | None, number: float) -> bool:
    return interval is not None and interval[0] <= number <= interval[1]


def _mean(values: Any) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def unmet(rows: Sequence[Row]) -> list[str]:
    """A sentence for each miss: default rule, nothing flipped, noise at most .05."""
    sentences = []
    for row in rows:
        copies, noise, flipped = row.cell
        if row.rule != "isomorphic" or flipped > 0 or noise > 0.05:
            continue
        where = f"{copies} copies, noise {noise:g}"
        if row.f1 < 0.95:
            sentences.append(f"{where}: F1 {row.f1:.3f}, not .95")
        for name, error in row.error.items():
            if error > 0.1:
                sentences.append(f"{where}: {name} is {error:.0%} off, more than 10 %")
        for name, share in row.covered.items():
            if share < 0.9:
                sentences.append(f"{where}: {share:.0%} of the intervals of {name} cover, not 90 %")
    return sentences


def tables(rows: Sequence[Row], num_seeds: int) -> list[str]:
    """Markdown: what is compared, then a table for each rule."""
    explained = (__doc__ or "").split("\n", 2)[2]
    return [explained, *(_table(rule, rows, num_seeds) for rule in RULES)]


def _table(rule: str, rows: Sequence[Row], num_seeds: int) -> str:
    columns = {
        "copies": "",
        "noise": "g",
        "flipped": ".0%",
        "motifs found": "",
        "F1": ".3f",
        "F1, together": ".3f",
        "F1, near": ".3f",
        "of all planted": ".0%",
        "`distinct` off": "",
        "`disjoint` off": "",
        "`exact` off": ".0%",
        "occurring / planted": ".2f",
        "covers, `distinct`": ".0%",
        "covers, `disjoint`": ".0%",
        "covers expected": ".0%",
        "other patterns": ".1f",
        "s": ".2f",
    }
    table = Table(f"Rule `{rule}`, {num_seeds} graphs a cell", columns)
    for row in rows:
        if row.rule == rule:
            off = [f"{row.error[n]:.1%} ({row.bias[n]:+.1%})" for n in ("distinct", "disjoint")]
            if not row.asked:
                off = ["–", "–"]
            shares = (
                row.f1,
                row.f1_together,
                row.f1_near,
                row.of_planted,
                *off,
                row.exact_error,
                row.exact_to_planted,
                *row.covered.values(),
                row.covered_expected,
            )
            table.add(
                *row.cell,
                f"{row.found}/{row.asked}",
                *map(_known, shares),
                row.others,
                row.seconds,
            )
    return table.markdown()


def _known(value: str | float) -> str | float | None:
    return None if value != value else value
