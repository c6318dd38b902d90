"""What a text asks of the attributes of edges: tests with values, and columns that are compared.

Both are the same for patterns of a graph and of events in time. A column holds numbers, dates or
text; dates are compared as microseconds, and products of numbers exactly where these are decimals.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.checks import is_nan
from gomkcn_dgl.edge_bounds import numbers_with_gaps
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.pattern_text import EdgePart, PatternText, Term
from gomkcn_dgl.io.table_form import is_number
from gomkcn_dgl.timestamps import microseconds, microseconds_of, read_date

SIGNS: dict[str, Callable[[Any, Any], np.ndarray]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# digits behind the point of decimals that are multiplied exactly, and whole numbers that a float64
# tells from their neighbours
_MOST_DIGITS = 9
_EXACT_FLOAT = 2**53


class Kind(Enum):
    """What the values of a column are."""

    NUMBERS = "numbers"
    DATES = "dates"
    TEXT = "text"


class EdgeColumn(NamedTuple):
    """An attribute of edges: numbers, dates in microseconds, or words, where it is known."""

    kind: Kind
    values: np.ndarray  # float64 [E], NaN where it is missing; of text, "" there

    @classmethod
    def of(cls, name: str, given: Any) -> EdgeColumn:
        """A column as it was read.

        >>> EdgeColumn.of("when", ["1970-01-02", None])
        EdgeColumn(kind=<Kind.DATES: 'dates'>, values=array([8.64e+10,      nan]))
        """
        dates = microseconds_of(given)
        if dates is not None:
            return cls(Kind.DATES, dates)
        try:
            return cls(Kind.NUMBERS, numbers_with_gaps(name, given))
        except InputError:
            texts = ["" if value is None or is_nan(value) else str(value) for value in given]
            return cls(Kind.TEXT, np.array(texts, str))

    @property
    def is_known(self) -> np.ndarray:
        """Where there is a value, bool ``[E]``."""
        known = self.values != "" if self.kind is Kind.TEXT else ~np.isnan(self.values)
        return np.asarray(known, bool)


def meets_tests(
    pattern: PatternText, part: EdgePart, columns: Mapping[str, Any], num_edges: int
) -> np.ndarray:
    """The edges that meet all tests of a part of a text, bool ``[E]``."""
    meets = np.ones(num_edges, bool)
    for name, sign, literals in part.tests:
        column = EdgeColumn.of(name, columns[name])
        wanted: list[Any] = [*literals]
        if column.kind is Kind.TEXT and sign[0] in "<>":
            _refuse(pattern, part.at, f"{name} as text, which is compared by =, != and in")
        if column.kind is not Kind.TEXT:
            wanted = [_number(literal, column.kind) for literal in literals]
            for literal, number in zip(literals, wanted, strict=True):
                if math.isnan(number):
                    other = "a number" if column.kind is Kind.NUMBERS else "a date"
                    _refuse(pattern, part.at, f"{name} of edges as {other}, got {literal!r}")
        if sign.endswith("in"):
            holds = np.isin(column.values, wanted) == (sign == "in")
        else:
            holds = SIGNS[sign](column.values, wanted[0])
        meets &= column.is_known & holds
    return meets


def compared_columns(pattern: PatternText, columns: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The quantities of edges that are compared, float64 ``[E]``, NaN where one is missing.

    Text is numbered, the same one alike in all columns. An order of text is refused, and what is of
    one kind and compared with another.
    """
    conditions = pattern.edge_conditions
    terms = {term.quantity: term for condition in conditions for term in condition.terms}
    read = {
        name: EdgeColumn.of(name, columns[name])
        for name in dict.fromkeys(term.attribute for term in terms.values())
    }
    # 1. what can be compared
    for condition in conditions:
        left, right = condition.terms
        first, second = (read[term.attribute].kind for term in (left, right))
        if Kind.TEXT in (first, second) and condition.operator[0] in "<>":
            rule = f"{left.attribute} as text, which is compared by =, != and in"
            _refuse(pattern, left.at, rule)
        if first is not second:
            rule = f"{left.attribute} as {first.value}, and {right.attribute} too"
            _refuse(pattern, left.at, rule)
        for term in (left, right):
            if term.factor != 1 and first is not Kind.NUMBERS:
                _refuse(pattern, term.at, f"a factor before numbers, and {term.attribute} has none")
    # 2. as numbers; those that are multiplied together, so that all are in one unit
    number_of = dict[str, int]()
    found, products = dict[str, np.ndarray](), dict[str, Term]()
    for quantity, term in terms.items():
        column = read[term.attribute]
        if column.kind is Kind.NUMBERS:
            products[quantity] = term
        elif column.kind is Kind.DATES:
            found[quantity] = column.values
        else:
            codes = [
                number_of.setdefault(word, len(number_of)) if word else math.nan
                for word in column.values.tolist()
            ]
            found[quantity] = np.array(codes, np.float64)
    factors = [term.factor for term in products.values()]
    numbers = [read[term.attribute].values for term in products.values()]
    return found | dict(zip(products, exact_products(numbers, factors), strict=True))


def exact_products(columns: Sequence[np.ndarray], factors: Sequence[Fraction]) -> list[np.ndarray]:
    """Columns of numbers with their factors, all in one unit, so that they compare exactly.

    They do so as whole numbers, where all are decimals of up to nine digits behind the point and
    the products are not too large; else they are rounded.

    >>> factors = [Fraction(1), Fraction("1.1")]
    >>> left, right = exact_products([np.array([3.3]), np.array([3.0])], factors)
    >>> bool(left >= right), 3.3 >= 1.1 * 3
    (True, False)
    """
    if all(factor == 1 for factor in factors):
        return [*columns]
    shared = math.lcm(*(factor.denominator for factor in factors))
    whole = [int(factor * shared) for factor in factors]
    for digits in range(_MOST_DIGITS + 1):
        with np.errstate(over="ignore", invalid="ignore"):
            ticks = [np.rint(values * 10**digits) for values in columns]
            sizes = [
                np.nanmax(np.abs(tick), initial=0.0) * max(abs(factor), 1)
                for tick, factor in zip(ticks, whole, strict=True)
            ]
            are_exact = all(
                (np.isnan(values) | (tick / 10**digits == values)).all()
                for tick, values in zip(ticks, columns, strict=True)
            )
        if max(sizes) >= _EXACT_FLOAT:
            break
        if are_exact:
            return [tick * factor for tick, factor in zip(ticks, whole, strict=True)]
    return [values * float(factor) for values, factor in zip(columns, factors, strict=True)]


def _number(literal: str, kind: Kind) -> float:
    """A value as a number of a column; NaN where it is none."""
    if kind is Kind.NUMBERS:
        return float(literal) if is_number(literal) else math.nan
    date = read_date(literal)
    return math.nan if date is None else microseconds(date)


def _refuse(pattern: PatternText, at: int, rule: str) -> None:
    pattern.refuse(f"must have {rule}", at)
