"""The record of how often a pattern is found again when mining is repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Stability:
    """In how many of several runs a pattern isomorphic to this one is found again.

    Attributes
    ----------
    returned, runs : int

    Examples
    --------
    >>> Stability(returned=9, runs=10).share
    0.9
    """

    returned: int
    runs: int

    @property
    def share(self) -> float:
        """Share of the runs, in [0, 1]."""
        return self.returned / self.runs

    def to_dict(self) -> dict[str, int]:
        """The record of ``patterns.json``."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, int]) -> Stability:
        """Read a record of ``patterns.json``; the inverse of :meth:`to_dict`."""
        return cls(**record)
