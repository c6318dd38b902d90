"""The record of how often a pattern occurs, in readings that do not replace each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Frequency:
    """How often a pattern occurs.

    Attributes
    ----------
    assigned : int
        Roots whose subgraph is nearest to the pattern and similar enough to it.
    distinct : int
        Different node sets that show the pattern.
    disjoint : int
        Occurrences that share no node, selected greedily; a lower bound.
    exact : int or None
        Induced occurrences of the structure in the whole graph; None where it is not known.
    exact_state : {"not asked", "not finished", "counted"}
        Why ``exact`` is what it is.
    num_graphs : int
        Graphs that hold an occurrence.
    intervals : mapping from str to (int, int)
        By name, for each reading that was estimated, the 95 % bootstrap interval of its mean over
        graphs of the same kind; (0, 0) where there is no occurrence.

    Examples
    --------
    >>> Frequency(assigned=12, distinct=2, disjoint=2).exact_state
    'not asked'
    """

    assigned: int
    distinct: int
    disjoint: int
    exact: int | None = None
    exact_state: str = "not asked"
    num_graphs: int = 1
    intervals: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``."""
        intervals = {name: list(bounds) for name, bounds in self.intervals.items()}
        return {**vars(self), "intervals": intervals}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Frequency:
        """Read a record of ``patterns.json``; the inverse of :meth:`to_dict`."""
        intervals = {name: (low, high) for name, (low, high) in record["intervals"].items()}
        return cls(**{**record, "intervals": intervals})
