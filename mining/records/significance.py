"""The record of how the count of a pattern compares with a null model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

# limit of q
LEVEL = 0.05
MORE, LESS, AS_EXPECTED, UNDECIDED = "more frequent", "less frequent", "as expected", "undecided"
MORE_APART = "more set apart"


@dataclass(frozen=True)
class NullComparison:
    """The count of a structure in a graph beside those in random graphs; nothing is modelled.

    Attributes
    ----------
    null : str
        Name of the null model.
    num_samples : int
        Random graphs N.
    observed : float
        Count in the graph.
    mean, sd, largest : float
        Of the counts in the random graphs; ``sd`` divides by N - 1.
    z : float or None
        ``(observed - mean) / sd``; None where ``sd`` is 0.
    p : float
        Rank of the graph in the direction in which it lies out, among itself and the random graphs.
    p_adjusted : float
        Corrected for all structures that were counted, in both directions: see
        :mod:`mining.significance`.
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

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``, beside the name of the null model; six decimals."""
        record = {name: value for name, value in asdict(self).items() if name != "null"}
        return {
            name: round(value, 6) if isinstance(value, float) else value
            for name, value in record.items()
        }

    @classmethod
    def from_dict(cls, null: str, record: dict[str, Any]) -> NullComparison:
        """Read what :meth:`to_dict` gave, beside the name of the null model."""
        return cls(null, **record)


@dataclass(frozen=True)
class Significance:
    """How the number of occurrences of a pattern compares with graphs of a null model.

    Attributes
    ----------
    null : str
        Name of the null model, see ``mining/null_models/null_models.py``.
    num_samples : int
        Graphs of the null model that the pattern was counted in.
    observed : float
        Occurrences in the graph, by the count that was used for the samples as well.
    mean, std : float
        Of the same count over the samples. Where these hold hardly any occurrence, ``std`` is at
        least that of rare independent events.
    z : float
        ``(observed - mean) / std``.
    p : float
        Probability under the null model of a count as far from its mean, on either side: from a
        t distribution, see :func:`mining.judging.verdicts.judge`.
    q : float
        False discovery rate (Benjamini–Hochberg) if all patterns with at most this p are called
        different; it accounts for the number of structures that the pattern was chosen from.
    verdict : {"more frequent", "less frequent", "as expected", "undecided"}
        The first two where q is at most .05; "undecided" where more samples might change it.
    apart : Significance or None
        The same of another count: occurrences that share no node and are set apart, so that at most
        two edges lead out of each. None for trees, and where hardly any is.
    """

    null: str
    num_samples: int
    observed: float
    mean: float
    std: float
    z: float
    p: float
    q: float
    verdict: str
    apart: Significance | None = None

    @property
    def stands_out(self) -> bool:
        """Whether there are more occurrences than the null model explains, or more set apart."""
        return self.verdict == MORE or (self.apart is not None and self.apart.verdict == MORE)

    @property
    def label(self) -> str:
        """The verdict, or ``"more set apart"`` where only those set apart are more."""
        return MORE_APART if self.stands_out and self.verdict != MORE else self.verdict

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``; p and q, which can be tiny, to four digits."""
        record = asdict(self)
        if self.apart is None:
            del record["apart"]
        else:
            record["apart"] = self.apart.to_dict()
        for name, value in record.items():
            if isinstance(value, float):
                record[name] = float(f"{value:.4g}") if name in ("p", "q") else round(value, 6)
        return record

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Significance:
        """Read what :meth:`to_dict` gave."""
        apart = record.get("apart")
        return cls(**record | {"apart": None if apart is None else cls.from_dict(apart)})
