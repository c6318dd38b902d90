"""Two runs → the patterns that both have, and those that one has alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from gomkcn_dgl.runtime.file_names import printable
from mining.descriptions.shapes import describe_shape
from mining.html.run_table import align_columns
from mining.records.pattern import Pattern
from mining.runs.mining_run import MiningRun
from mining.structures.canonical_forms import CanonicalForm, automorphisms, canonical_form

_READINGS = ("distinct", "disjoint", "assigned", "exact")


@dataclass(frozen=True)
class SharedPattern:
    """A topology that a pattern of each run has.

    Attributes
    ----------
    first, second : Pattern
        The pattern of each run.
    feature_similarity : float or None
        In [0, 1]: 1 less the mean distance of their features, each column divided by its range over
        all patterns of both runs, under the isomorphism that makes it smallest. None where the runs
        have different features.
    """

    first: Pattern
    second: Pattern
    feature_similarity: float | None


@dataclass(frozen=True)
class RunComparison:
    """What two runs have in common.

    Attributes
    ----------
    first, second : MiningRun
        The runs.
    shared : tuple of SharedPattern
        In the order of the first run; a pattern has at most one partner.
    only_first, only_second : tuple of Pattern
        Patterns without a partner.
    """

    first: MiningRun
    second: MiningRun
    shared: tuple[SharedPattern, ...]
    only_first: tuple[Pattern, ...]
    only_second: tuple[Pattern, ...]

    @property
    def agreement(self) -> float:
        """Share of the patterns that have a partner, in [0, 1]; 1 for two runs without any."""
        total = len(self.first.patterns) + len(self.second.patterns)
        return 2 * len(self.shared) / total if total else 1.0


def compare_runs(first: MiningRun, second: MiningRun) -> RunComparison:
    """Pair the patterns of two runs whose topologies are isomorphic.

    Where a run has several patterns of one topology, which differ in their features, those are
    paired so that the features agree best over all of them.

    Parameters
    ----------
    first, second : MiningRun
        As :func:`mining.read_run` gives them.

    Returns
    -------
    RunComparison

    Examples
    --------
    >>> from mining import GraphSummary
    >>> summary = GraphSummary("graph.txt", 1, 9, 9, ("constant",), 9, 0.0)
    >>> empty = MiningRun(summary, [], [], {}, {})
    >>> compare_runs(empty, empty).agreement
    1.0
    """
    alike = first.graph.feature_names == second.graph.feature_names
    ranges = _feature_ranges([*first.patterns, *second.patterns]) if alike else None
    ours, theirs = _by_topology(first), _by_topology(second)
    shared = []
    for certificate in ours.keys() & theirs.keys():
        mine, other = ours[certificate], theirs[certificate]
        similarity = np.array([[_similarity(p, q, ranges) for q in other] for p in mine])
        for i, j in zip(*linear_sum_assignment(similarity, maximize=True), strict=True):
            found = None if ranges is None else float(similarity[i, j])
            shared.append(SharedPattern(mine[i][0], other[j][0], found))
    shared.sort(key=lambda pair: pair.first.id)
    paired = {pair.first.id for pair in shared}, {pair.second.id for pair in shared}
    return RunComparison(
        first,
        second,
        tuple(shared),
        tuple(pattern for pattern in first.patterns if pattern.id not in paired[0]),
        tuple(pattern for pattern in second.patterns if pattern.id not in paired[1]),
    )


def format_comparison(comparison: RunComparison) -> str:
    """Lay out a comparison for a terminal.

    Parameters
    ----------
    comparison : RunComparison

    Returns
    -------
    str
        A line a run and a line a pattern, of at most 100 characters; two numbers belong to the
        first and the second run, and "-" stands for a pattern that a run does not have.
    """
    runs = comparison.first, comparison.second
    rows = [_row(pair.first, pair.second, pair.feature_similarity) for pair in comparison.shared]
    rows += [_row(pattern, None, None) for pattern in comparison.only_first]
    rows += [_row(None, pattern, None) for pattern in comparison.only_second]
    lines = [_headline("first", runs[0]), _headline("second", runs[1])]
    header = ["patterns", "shape", "features", *_READINGS]
    if rows:
        lines += ["", align_columns(header, rows, left={1})]
    total = max(len(run.patterns) for run in runs)
    lines += ["", f"{len(comparison.shared)} of {total} patterns in both runs"]
    if runs[0].graph.feature_names != runs[1].graph.feature_names:
        lines.append("features are not compared: the runs have different ones")
    return "\n".join(lines)


def _headline(name: str, run: MiningRun) -> str:
    count = len(run.patterns)
    return (
        f"{name:<7} {printable(run.graph.source)}: {run.graph.num_nodes} nodes, "
        f"{count} {'pattern' if count == 1 else 'patterns'}"
    )


def _row(first: Pattern | None, second: Pattern | None, similarity: float | None) -> list[str]:
    pair = first, second
    known = first or second
    assert known is not None
    counts = [
        " | ".join("-" if p is None else _count(getattr(p.frequency, name)) for p in pair)
        for name in _READINGS
    ]
    ids = " | ".join("-" if p is None else str(p.id) for p in pair)
    return [ids, describe_shape(known), "-" if similarity is None else f"{similarity:.2f}", *counts]


def _count(value: int | None) -> str:
    return "?" if value is None else str(value)


def _by_topology(run: MiningRun) -> dict[bytes, list[tuple[Pattern, CanonicalForm]]]:
    groups: dict[bytes, list[tuple[Pattern, CanonicalForm]]] = {}
    for pattern in run.patterns:
        form = canonical_form(pattern.adjacency())
        groups.setdefault(form.certificate, []).append((pattern, form))
    return groups


def _feature_ranges(patterns: list[Pattern]) -> np.ndarray:
    """Range of each column, ``[D]``; infinity for a constant column, where nothing differs."""
    if not patterns:
        return np.empty(0)
    ranges: np.ndarray = np.ptp(np.concatenate([pattern.features for pattern in patterns]), axis=0)
    return np.where(ranges > 0, ranges, np.inf)


def _similarity(
    mine: tuple[Pattern, CanonicalForm],
    other: tuple[Pattern, CanonicalForm],
    ranges: np.ndarray | None,
) -> float:
    """Feature similarity of two patterns of one topology; 0 where features cannot be compared."""
    if ranges is None:
        return 0.0
    (pattern, form), (partner, its_form) = mine, other
    # the node of the partner at each node's canonical place, up to the symmetries of the partner
    counterpart = np.argsort(its_form.place)[form.place]
    maps = automorphisms(partner.adjacency())[:, counterpart]  # [P, M]
    distance = np.abs(pattern.features[:, None] - partner.features[None]) / ranges  # [M, M, D]
    table = distance.mean(axis=2)
    return 1.0 - float(table[np.arange(pattern.num_nodes), maps].mean(axis=1).min())
