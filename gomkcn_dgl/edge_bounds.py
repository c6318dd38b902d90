"""The least and the most that attributes of edges may be: which edges of an input are kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.checks import to_numpy
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.timestamps import is_day, microseconds, microseconds_of, read_date

# bounds of edge attributes, as they are given: a mapping, or texts such as "score=700"
Bounds = Mapping[str, "float | str | date"] | Sequence[str]
# each argument, and what it says of an attribute
_SAYS = {"minimum": "least", "maximum": "most"}
_DAY = timedelta(days=1)


class EdgeBound(NamedTuple):
    """What an attribute must at least be, or at most, as the argument that gave it says.

    A day as the most is kept to its end.
    """

    argument: str
    name: str
    value: float | datetime
    is_day: bool = False

    @property
    def outside(self) -> str:
        """What a value outside is, in words."""
        is_least = self.argument == "minimum"
        if isinstance(self.value, datetime):
            shown = self.value.date() if self.is_day else self.value
            return f"{'before' if is_least else 'after'} {shown}"
        return f"{'below' if is_least else 'above'} {self.value:g}"

    def holds(self, given: Any) -> tuple[np.ndarray, np.ndarray]:
        """Whether each value of a column is inside, and whether it is missing, bool ``[E]``."""
        limit: float
        if isinstance(self.value, datetime):
            dates = microseconds_of(given)
            if dates is None:
                raise InputError(
                    self.argument,
                    f"must be a number, since {self.name!r} does not hold dates alone",
                    got=repr(f"{self.name}={self.value}"),
                )
            values, limit = dates, microseconds(self.value)
        else:
            values, limit = numbers_with_gaps(self.name, given), self.value
        # a value that is missing compares with none
        if self.argument == "minimum":
            inside = values >= limit
        elif self.is_day:
            assert isinstance(self.value, datetime), "a day is a date"
            inside = values < microseconds(self.value + _DAY)
        else:
            inside = values <= limit
        return inside, np.isnan(values)


@dataclass(frozen=True)
class EdgeBounds:
    """All bounds of the attributes of edges, in the order in which they are applied."""

    bounds: tuple[EdgeBound, ...] = ()

    @classmethod
    def read(cls, minimum: Bounds | None, maximum: Bounds | None) -> EdgeBounds:
        """The bounds that two arguments give, numbers or dates.

        >>> EdgeBounds.read(["score=700"], {"sent": "2024-01-31"}).names
        ('score', 'sent')
        """
        given = zip(_SAYS, (minimum, maximum), strict=True)
        return cls(tuple(bound for name, value in given for bound in _read(name, value)))

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.bounds)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that have bounds."""
        return tuple(bound.name for bound in self.bounds)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments that gave some."""
        return tuple(dict.fromkeys(bound.argument for bound in self.bounds))

    def keep(
        self, number: int, values_of: Callable[[str], Any]
    ) -> tuple[np.ndarray, tuple[str, ...]]:
        """The rows of the edges that are kept, int64 ``[K]``, and what is to be said of the others.

        ``values_of`` returns the values of an attribute at all edges, None or NaN where one is
        missing.

        >>> EdgeBounds.read({"p": 3}, None).keep(2, {"p": [1, 5]}.get)
        (array([1]), ("left out 1 of 2 edges, whose 'p' is below 3",))
        """
        rows = np.arange(number)
        notes = []
        for bound in self.bounds:
            inside, missing = bound.holds(values_of(bound.name))
            left = rows[inside[rows]]
            or_missing = " or missing" if missing.any() else ""
            notes.append(
                f"left out {len(rows) - len(left):,} of {number:,} edges, whose {bound.name!r} is "
                f"{bound.outside}{or_missing}"
            )
            if not len(left):
                raise InputError(
                    bound.argument, f"must leave an edge, and it leaves none of {len(rows):,}"
                )
            rows = left
        return rows, tuple(notes)


def _read(argument: str, given: Bounds | None) -> Iterable[EdgeBound]:
    """The bounds that an argument gives."""
    rule = (
        f"must say the {_SAYS[argument]} value of an edge attribute, such as score=700 or "
        "booked_at=2024-01-31"
    )
    if given is None:
        return
    if not isinstance(given, (Mapping, list, tuple)):
        raise InputTypeError(argument, rule, got=repr(given))
    pairs: Iterable[tuple[Any, Any]] = (
        given.items()
        if isinstance(given, Mapping)
        else (str(option).rpartition("=")[::2] for option in given)
    )
    read: dict[str, EdgeBound] = {}
    for name, value in pairs:
        number: float | datetime | None
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = read_date(value)
        if not name or number is None or (isinstance(number, float) and not math.isfinite(number)):
            raise InputError(argument, rule, got=repr(f"{name}={value}".strip("=")))
        called = str(name).strip()
        # of two values of one attribute in one argument the last counts
        read[called] = EdgeBound(argument, called, number, is_day(value))
    yield from read.values()


def numbers_with_gaps(name: str, values: Any) -> np.ndarray:
    """A column of numbers as float64, NaN where one is missing; text is refused.

    >>> numbers_with_gaps("p", [1, None, 0.5]).tolist()
    [1.0, nan, 0.5]
    """
    if not isinstance(values, (list, tuple)):
        values = to_numpy(values)
        if values.dtype.kind in "biuf":
            return np.asarray(values, np.float64).reshape(len(values))
        values = values.tolist()
    numbers = np.full(len(values), np.nan)
    for number, value in enumerate(values):
        if value in (None, ""):
            continue
        try:
            numbers[number] = float(value)
        except (TypeError, ValueError):
            raise InputError(
                f"the edge attribute {name!r} must hold numbers, such as 1000.5, got {value!r}."
            ) from None
    return numbers
