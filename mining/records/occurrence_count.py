"""The record of how often a pattern occurs in a whole graph: exactly, estimated, or a bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

# estimates from here on are given in units of a power of ten
_LARGE = 1e9
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class OccurrenceCount:
    """Induced occurrences of a pattern in a whole graph: node sets, each counted once.

    Attributes
    ----------
    value : float
        The number, or the unbiased estimate of it.
    low, high : float
        The 95 % interval of an estimate; the number itself where it is exact.
    is_exact : bool
        Whether all occurrences were counted.

    Examples
    --------
    >>> OccurrenceCount.exact(1612010).state
    'exact'
    >>> OccurrenceCount(0.0, 0.0, 31.5, is_exact=False).state
    'bounded'
    """

    value: float
    low: float
    high: float
    is_exact: bool

    @classmethod
    def exact(cls, number: int) -> OccurrenceCount:
        """The count of all occurrences."""
        return cls(number, number, number, is_exact=True)

    @property
    def state(self) -> str:
        """How the number is known: "exact", "estimated", or "bounded" where no draw found one."""
        if self.is_exact:
            return "exact"
        return "estimated" if self.value else "bounded"

    def __str__(self) -> str:
        """The number in words and digits; an estimate with its interval."""
        if self.is_exact:
            return f"{int(self.value):,}"
        if not self.value:
            return f"fewer than {digits(self.high)}"
        if self.value < _LARGE:
            return f"{digits(self.value)} ({digits(self.low)} to {digits(self.high)})"
        power = _power_of_ten(self.value)
        value, low, high = (f"{one / 10**power:.4g}" for one in (self.value, self.low, self.high))
        return f"{value} ({low} to {high}) · 10{str(power).translate(_RAISED)}"

    @property
    def short(self) -> str:
        """The number alone."""
        if self.is_exact:
            return f"{int(self.value):,}"
        return digits(self.value) if self.value else f"fewer than {digits(self.high)}"

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> OccurrenceCount:
        """Read a record of ``patterns.json``; the inverse of :meth:`to_dict`."""
        return cls(**record)


def digits(number: float) -> str:
    """Four digits of an estimate; a large one in units of a power of ten.

    >>> digits(61250), digits(9286.4e9)
    ('61,250', '9.286 · 10¹²')
    """
    if number < _LARGE:
        return f"{float(f'{number:.4g}'):,.0f}" if number >= 100 else f"{number:.3g}"
    power = _power_of_ten(number)
    return f"{number / 10**power:.4g} · 10{str(power).translate(_RAISED)}"


def _power_of_ten(number: float) -> int:
    return int(f"{number:.3e}".partition("e")[2])
