"""Two runs → the patterns that both have, and those that only one of them has."""

from __future__ import annotations

from dataclasses import dataclass

from gomkcn_dgl.runtime import html_of
from mining.records.pattern import Pattern
from mining.runs.mining_run import MiningRun


@dataclass(frozen=True)
class RunComparison:
    """What two runs have in common.

    Attributes
    ----------
    first, second : MiningRun
        The runs.
    shared : tuple of (Pattern, Pattern)
        In the order of the first run; a pattern has at most one partner.
    only_first, only_second : tuple of Pattern
        Patterns without a partner.
    """

    first: MiningRun
    second: MiningRun
    shared: tuple[tuple[Pattern, Pattern], ...]
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
    """Pair the patterns of two runs that have the same structure, categories included.

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
    left = {pattern.key: pattern for pattern in second.patterns}
    shared = [(one, left[one.key]) for one in first.patterns if one.key in left]
    keys = {one.key for one, _ in shared}
    only_first = tuple(pattern for pattern in first.patterns if pattern.key not in keys)
    only_second = tuple(pattern for pattern in second.patterns if pattern.key not in keys)
    return RunComparison(first, second, tuple(shared), only_first, only_second)
