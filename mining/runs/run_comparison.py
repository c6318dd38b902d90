"""Two runs → the patterns that both have, and those that only one of them has."""

from __future__ import annotations

from dataclasses import dataclass

from gomkcn_dgl.runtime.notebook import html_of
from mining.records.pattern import Pattern
from mining.runs.mining_run import MiningRun
from mining.structures.graph_relations import certificate_by_name


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

    Where a run has several patterns of one structure, which differ in numeric features, they are
    paired in their order.

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
    left: dict[object, list[Pattern]] = {}
    for pattern in second.patterns:
        left.setdefault(_key(pattern), []).append(pattern)
    shared, only_first = [], []
    for pattern in first.patterns:
        partners = left.get(_key(pattern))
        if partners:
            shared.append((pattern, partners.pop(0)))
        else:
            only_first.append(pattern)
    rest = {pattern.id for partners in left.values() for pattern in partners}
    only_second = tuple(pattern for pattern in second.patterns if pattern.id in rest)
    return RunComparison(first, second, tuple(shared), tuple(only_first), only_second)


def _key(pattern: Pattern) -> object:
    """Equal for patterns of the same structure, in any graph."""
    names = sorted(set(pattern.categories))
    colors = [names.index(one) for one in pattern.categories] or None
    return *names, certificate_by_name(pattern.channels(), pattern.relations, colors)
