"""The record of how the count of a pattern compares with a null model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Significance:
    """How a pattern's count compares with a null model.

    Attributes
    ----------
    null : str
        Name of the null model, see ``mining/null_models/null_models.py``.
    num_samples, num_decoys : int
        Samples counted in; patterns of the null model that p compares with.
    observed : int
        Distinct occurrences in the graph at least as similar as nine tenths of all; or the exact
        count, where it is known and all nodes have the same features.
    mean, std : float
        Of the same count over the samples.
    z : float
        ``(observed - mean) / max(std, 1)``.
    p_count : float
        ``(1 + samples with at least as many) / (1 + samples)``: right for a pattern that was fixed
        beforehand, too small for one that was mined.
    p : float
        ``(1 + decoys with at least this z) / (1 + decoys)``: right for mined patterns.
    q : float
        Benjamini–Hochberg over the p of all patterns.
    """

    null: str
    num_samples: int
    num_decoys: int
    observed: int
    mean: float
    std: float
    z: float
    p_count: float
    p: float
    q: float

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``."""
        return {
            name: round(value, 6) if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }
