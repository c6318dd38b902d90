"""The record of how the count of a pattern compares with a null model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

# limit of q
LEVEL = 0.05
MORE, LESS, AS_EXPECTED, UNDECIDED = "more frequent", "less frequent", "as expected", "undecided"
MORE_APART = "more set apart"


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
