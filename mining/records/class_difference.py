"""The record of how much more often the graphs of one class contain a pattern than the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import log
from typing import Any

# strengths of two classes are equal but for rounding, of records too
_SAME = 1 - 1e-4


@dataclass(frozen=True)
class ClassContrast:
    """A pattern among the graphs of one class and among all others.

    Attributes
    ----------
    name : str
        Name of the class.
    containing, num_graphs : int
        Graphs of the class that contain the pattern, and all graphs of the class.
    others_containing, num_others : int
        The same of all other classes together.
    odds_ratio : float
        Odds that a graph of the class contains the pattern, over the odds of the others, with ½
        added to each of the four numbers of graphs (Haldane and Anscombe), so that it is finite.
    low, high : float
        Its 95 % interval, normal on the scale of the logarithm (Gart).
    """

    name: str
    containing: int
    num_graphs: int
    others_containing: int
    num_others: int
    odds_ratio: float
    low: float
    high: float

    @property
    def strength(self) -> float:
        """Distance of the odds ratio from 1 in widths of its interval, as logarithms."""
        return abs(log(self.odds_ratio)) / log(self.high / self.low)

    @property
    def is_more_frequent(self) -> bool:
        """Whether the share of the graphs that contain it is larger in the class."""
        return self.containing * self.num_others > self.others_containing * self.num_graphs

    def __str__(self) -> str:
        """Both shares and the odds ratio with its interval."""
        return (
            f"{_share(self.containing, self.num_graphs)} of class {self.name}, "
            f"{_share(self.others_containing, self.num_others)} of the others; "
            f"odds ratio {self.odds_ratio:.3g} ({self.low:.3g} to {self.high:.3g})"
        )


@dataclass(frozen=True)
class ClassDifference:
    """Whether classes of graphs differ in how many of their graphs contain a pattern.

    Attributes
    ----------
    contrasts : tuple of ClassContrast
        Each class beside all others, in the order of the classes.
    p_adjusted : float
        The probability that any of the patterns that were tested differs as much between any class
        and the others where labels are permuted (step-down max-T, Westfall and Young 1993).

    Examples
    --------
    >>> contrast = ClassContrast("toxic", 9, 10, 2, 20, 46.8, 5.7, 383.0)
    >>> shares, _, ratio = str(contrast).partition("; ")
    >>> shares
    '9 of 10 (90 %) of class toxic, 2 of 20 (10 %) of the others'
    >>> ratio
    'odds ratio 46.8 (5.7 to 383)'
    >>> ClassDifference((contrast,), 0.001).strongest.is_more_frequent
    True
    """

    contrasts: tuple[ClassContrast, ...]
    p_adjusted: float

    @property
    def strongest(self) -> ClassContrast:
        """The class that the pattern separates most from the others.

        Of two classes, which it separates alike, it is the one that contains it more often.
        """
        most = max(one.strength for one in self.contrasts) * _SAME
        equal = [one for one in self.contrasts if one.strength >= most]
        return max(equal, key=lambda one: one.is_more_frequent)

    def __str__(self) -> str:
        """The strongest contrast, and the adjusted p."""
        return f"{self.strongest}, adjusted p {self.p_adjusted:.3g}"

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``."""
        return {
            "contrasts": [_rounded(asdict(one)) for one in self.contrasts],
            "p_adjusted": round(self.p_adjusted, 6),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> ClassDifference:
        """Read a record of ``patterns.json``; the inverse of :meth:`to_dict`."""
        contrasts = tuple(ClassContrast(**one) for one in record["contrasts"])
        return cls(contrasts, record["p_adjusted"])


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.0%})".replace("%", " %")


def _rounded(record: dict[str, Any]) -> dict[str, Any]:
    """Six digits, however small a number is."""
    return {
        name: float(f"{value:.6g}") if isinstance(value, float) else value
        for name, value in record.items()
    }
