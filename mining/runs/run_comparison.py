"""Two runs → the patterns that both have, and those that only one of them has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from gomkcn_dgl.runtime.notebook import html_of
from mining.records.pattern import Pattern
from mining.runs.mining_run import MiningRun


@dataclass(frozen=True)
class SharedPattern:
    """A structure that both runs have as a pattern.

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

    def _repr_html_(self) -> str | None:
        """The shared patterns and their counts, for a notebook."""
        return html_of(self)


def compare_runs(first: MiningRun, second: MiningRun) -> RunComparison:
    """Pair the patterns of two runs that are isomorphic.

    Where a run has several patterns of one structure, which differ in their features, the pairs are
    those whose features agree best in sum.

    Parameters
    ----------
    first, second : MiningRun
        As :func:`gomkcn.read_run` returns them.

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
    ranges = None
    if first.graph.feature_names == second.graph.feature_names:
        ranges = _feature_ranges([*first.patterns, *second.patterns])
    # pair within each isomorphism class, so that the features agree best in sum (an assignment)
    ours, theirs = _by_structure(first), _by_structure(second)
    # within each isomorphism class, the pairs whose features agree best in sum (an assignment)
    shared = []
    for key in ours.keys() & theirs.keys():
        mine, other = ours[key], theirs[key]
        similarity = np.array([[_feature_similarity(p, q, ranges) for q in other] for p in mine])
        for i, j in zip(*linear_sum_assignment(similarity, maximize=True), strict=True):
            score = None if ranges is None else float(similarity[i, j])
            shared.append(SharedPattern(mine[i], other[j], score))
    shared.sort(key=lambda pair: pair.first.id)
    paired = {pair.first.id for pair in shared}, {pair.second.id for pair in shared}
    return RunComparison(
        first,
        second,
        tuple(shared),
        tuple(pattern for pattern in first.patterns if pattern.id not in paired[0]),
        tuple(pattern for pattern in second.patterns if pattern.id not in paired[1]),
    )


def _by_structure(run: MiningRun) -> dict[bytes, list[Pattern]]:
    """Patterns by the key of their structure."""
    groups: dict[bytes, list[Pattern]] = {}
    for pattern in run.patterns:
        groups.setdefault(pattern.structure.key, []).append(pattern)
    return groups


def _feature_ranges(patterns: list[Pattern]) -> np.ndarray:
    """Range of each column, ``[D]``; infinity for a constant column, where nothing differs."""
    if not patterns:
        return np.empty(0)
    ranges: np.ndarray = np.ptp(np.concatenate([pattern.features for pattern in patterns]), axis=0)
    return np.where(ranges > 0, ranges, np.inf)


def _feature_similarity(first: Pattern, second: Pattern, ranges: np.ndarray | None) -> float:
    """Similarity of two isomorphic patterns; 0 where their features cannot be compared."""
    if ranges is None:
        return 0.0
    # one isomorphism, then all of them through the symmetries
    own, other = first.structure, second.structure
    isomorphisms = other.symmetries[:, own.isomorphism(other)]  # [P, M]
    # distance of each two nodes, then its mean under each isomorphism
    distance = np.abs(first.features[:, None] - second.features[None]) / ranges  # [M, M, D]
    mean_distance = distance.mean(axis=2)[np.arange(first.num_nodes), isomorphisms].mean(axis=1)
    return 1.0 - float(mean_distance.min())
