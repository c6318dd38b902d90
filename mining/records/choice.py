"""The record of how a parameter that the user left open was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Choice:
    """What was tried, how good each was, and what was chosen.

    Attributes
    ----------
    parameter : {"pattern_size", "num_patterns"}
    candidates : tuple of int
    criterion : tuple of float
        Cycles that structures close beyond the null model: at each size, or of those structures
        that the first so many filters start from.
    error : tuple of float
        Standard error of each.
    chosen : int
    decided : bool
        False where no structure exceeds the null model and the default was taken.
    """

    parameter: str
    candidates: tuple[int, ...]
    criterion: tuple[float, ...]
    error: tuple[float, ...]
    chosen: int
    decided: bool

    def to_dict(self) -> dict[str, Any]:
        """The record of ``run.json``."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Choice:
        """Read a record of ``run.json``; the inverse of :meth:`to_dict`."""
        curve = {name: tuple(record[name]) for name in ("candidates", "criterion", "error")}
        return cls(**{**record, **curve})
