"""The record of how the count of a structure compares with random graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

# the largest adjusted p at which a structure is called more or less frequent
LEVEL = 0.05
MORE, LESS, AS_EXPECTED = "more frequent", "less frequent", "as expected"


@dataclass(frozen=True)
class NullComparison:
    """How often a structure occurs in a graph, and in random graphs of a null model.

    All numbers but ``p_adjusted`` are of this structure alone, and none is modelled: they are those
    of the counts in the graphs that were drawn.

    Attributes
    ----------
    null : str
        Name of the null model.
    num_samples : int
        Random graphs that were drawn, N.
    observed : float
        Occurrences in the graph.
    mean, sd, largest : float
        Mean, standard deviation (over N - 1) and maximum of the counts in the random graphs.
    z : float or None
        ``(observed - mean) / sd``; None where all random graphs have the same count.
    p : float
        ``(1 + random graphs with at least as many) / (N + 1)``, or with at most as many where the
        graph has fewer than is usual; so at least 1 / (N + 1).
    p_adjusted : float
        The probability that any structure of the family differs as much in either direction, from
        the same ranks (step-down max-T, Westfall and Young 1993).
    verdict : {"more frequent", "less frequent", "as expected"}
        The first two where ``p_adjusted`` is at most .05.
    """

    null: str
    num_samples: int
    observed: float
    mean: float
    sd: float
    largest: float
    z: float | None
    p: float
    p_adjusted: float
    verdict: str

    @property
    def is_called(self) -> bool:
        """Whether the graph has clearly more or fewer than the random graphs."""
        return self.verdict != AS_EXPECTED

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``, beside the name of the null model; six decimals."""
        record = {name: value for name, value in asdict(self).items() if name != "null"}
        return {
            name: round(value, 6) if isinstance(value, float) else value
            for name, value in record.items()
        }

    @classmethod
    def from_dict(cls, null: str, record: Mapping[str, Any]) -> NullComparison:
        """Read what :meth:`to_dict` gave."""
        return cls(null, **record)
