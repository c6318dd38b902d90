"""The record of how often a pattern occurs, in readings that do not replace each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from mining.records.occurrence_count import OccurrenceCount

UNCOUNTED = OccurrenceCount(0.0, 0.0, inf, is_exact=False)


@dataclass(frozen=True)
class Frequency:
    """How often a pattern occurs.

    Attributes
    ----------
    occurrences : OccurrenceCount
        Induced occurrences in the whole graph: node sets that have the structure of the pattern,
        directions and types of the edges and categories of the nodes included.
    graphs : int
        Graphs of the collection that hold a place of the pattern.
    roots : int
        Nodes whose neighbourhood of as many nodes has exactly the structure of the pattern,
        directions, types and categories included.
    assigned : int
        Nodes whose neighbourhood is more similar to the pattern than to any other: the size of its
        cluster, which the GOMKCN paper calls its frequency (section VI-B).
    listed : int
        Places that are listed: all, or a random sample of very many.
    disjoint : int
        Listed places that share no node, selected greedily; a lower bound.

    Examples
    --------
    >>> Frequency(OccurrenceCount.exact(2), graphs=1, roots=6, assigned=9, listed=2, disjoint=2)
    Frequency(occurrences=..., graphs=1, roots=6, assigned=9, listed=2, disjoint=2)
    """

    occurrences: OccurrenceCount = UNCOUNTED
    graphs: int = 0
    roots: int = 0
    assigned: int = 0
    listed: int = 0
    disjoint: int = 0

    @property
    def count(self) -> float:
        """The number of occurrences, or the estimate of it."""
        return self.occurrences.value

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``."""
        return {**vars(self), "occurrences": self.occurrences.to_dict()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Frequency:
        """Read a record of ``patterns.json``; the inverse of :meth:`to_dict`."""
        occurrences = OccurrenceCount.from_dict(record["occurrences"])
        return cls(**{**record, "occurrences": occurrences})
