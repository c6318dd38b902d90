"""The record of how often a pattern is found again when mining is repeated."""

from __future__ import annotations

from dataclasses import dataclass


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
