"""The text of a pattern in terms of events in time: what each event may be, and what is compared.

The text is that of :mod:`gomkcn_dgl.graphs.pattern_text`, with two to six edges that have a
direction. Its edges follow each other in time as they are written, unless conditions compare times:
then these alone say the order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations
from typing import Any

import numpy as np

from gomkcn.mining.counting.edge_tests import SIGNS, compared_columns, meets_tests
from gomkcn.mining.temporal.event_search import (
    EQUAL,
    LESS,
    LESS_EQUAL,
    PLACE,
    SIGN_NUMBERS,
    UNEQUAL,
    SearchPattern,
)
from gomkcn_dgl.checks import nearest
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.pattern_text import (
    NAME,
    Condition,
    EdgePart,
    EdgeTest,
    PatternText,
    Term,
)
from gomkcn_dgl.io.table_form import is_number
from gomkcn_dgl.io.temporal_edges import TIME_UNITS, TemporalEdges
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import listed
from gomkcn_dgl.timestamps import read_date

# edges of a pattern of events; more have so many occurrences that nobody reads them
LEAST_EDGES, MOST_EDGES = 2, 6
# what times are called beside their column
_TIME = "time"
_ORDERS = {"<": LESS, "<=": LESS_EQUAL, "=": EQUAL, "!=": UNEQUAL}
_MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}


def read_event_pattern(text: str) -> PatternText:
    """Read the text of a pattern of events; what no pattern of events has is refused.

    >>> [edge.name for edge in read_event_pattern("A -> B as x, B -> C").edges]
    ['x', '']
    """
    if not isinstance(text, str):
        raise InputTypeError("pattern", "must be a text, as 'A -> B, B -> A'", got=repr(text))
    pattern = PatternText.read(text)
    for loop in pattern.loops:
        pattern.refuse("must have events between two nodes", loop.at, got=repr(loop.given))
    for edge in pattern.absent:
        rule = "must have no absent edges, since an occurrence is of events that are there"
        pattern.refuse(rule, edge.at, got=repr(edge.given))
    for edge in pattern.edges:
        if not edge.has_direction:
            rule = "must have arrows, as A -> B, since events have a direction"
            pattern.refuse(rule, edge.at, got=repr(edge.given))
        if edge.relation != PLAIN:
            way_out = f'test the column that has it, as in [type = "{edge.relation}"]'
            rule = "must have no relations, which events have not"
            pattern.refuse(rule, edge.at, got=repr(edge.given), way_out=way_out)
        labels = [node for node in edge[:2] if pattern.nodes[node]]
        if labels:
            rule = "must have no categories, which nodes of events have not"
            pattern.refuse(rule, edge.at, got=repr(edge.given))
    for condition in pattern.conditions:
        if condition.left.attribute != NAME or isinstance(condition.right, Term):
            rule = f'must compare of a node its {NAME} alone, with values, as in A.{NAME} = "x"'
            pattern.refuse(rule, condition.left.at)
        if condition.operator[0] in "<>":
            rule = f"must have {NAME} as text, which is compared by =, != and in"
            pattern.refuse(rule, condition.left.at)
    if not LEAST_EDGES <= len(pattern.edges) <= MOST_EDGES:
        raise InputError(
            "pattern",
            f"must have {LEAST_EDGES} to {MOST_EDGES} edges",
            got=str(len(pattern.edges)),
        )
    reached = {*pattern.edges[0][:2]}
    for _ in pattern.edges:
        for edge in pattern.edges:
            reached |= {*edge[:2]} if reached & {*edge[:2]} else set()
    apart = [edge for edge in pattern.edges if edge.first not in reached]
    if apart:
        rule = "must have edges that are joined to each other"
        pattern.refuse(rule, apart[0].at, got=repr(apart[0].given))
    return pattern


@dataclass(frozen=True, eq=False)
class EventPattern:
    """A text of a pattern, in terms of some events.

    Attributes
    ----------
    text : PatternText
        As :func:`read_event_pattern` returns it.
    edges : TemporalEdges
        The events, with their columns.
    """

    text: PatternText
    edges: TemporalEdges

    @classmethod
    def of(cls, text: PatternText, edges: TemporalEdges) -> EventPattern:
        """Check that the events have the attributes that the text names."""
        found = cls(text, edges)
        terms = [term for condition in text.edge_conditions for term in condition.terms]
        used = [(term.attribute, term.at) for term in terms]
        used += [(test.attribute, part.at) for part in text.edges for test in part.tests]
        for attribute, at in used:
            if attribute not in edges.columns and not found._is_time(attribute):
                known = listed([*edges.columns] or [_TIME])
                like = nearest(attribute, edges.columns)
                text.refuse(
                    f"must have attributes of the events, {known}",
                    at,
                    got=repr(attribute),
                    way_out=f"perhaps {like} is meant" if like else "",
                )
        for condition in text.edge_conditions:
            are_times = [found._is_time(term.attribute) for term in condition.terms]
            if any(are_times) and (
                not all(are_times) or any(term.factor != 1 for term in condition.terms)
            ):
                rule = "must compare times with times, without factors"
                text.refuse(rule, condition.left.at)
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """What each edge is called, or its number from 1."""
        parts = enumerate(self.text.edges, start=1)
        return tuple(part.name or str(number) for number, part in parts)

    @property
    def has_own_order(self) -> bool:
        """Whether conditions say the order of the edges in time, in place of the text."""
        return bool(self._time_conditions)

    def search_pattern(self) -> SearchPattern:
        """The pattern as compiled code takes it; no edge is free until the events are placed."""
        parts = self.text.edges
        nodes = [*self.text.nodes]
        comparisons = [one for one in self._comparisons if one.left.node != one.terms[1].node]
        number = len(self.edges.source)
        values = [
            np.array([self._quantities[one.terms[side].quantity] for one in comparisons])
            for side in (0, 1)
        ]
        symmetries = [turn for turn in self._symmetries if turn != tuple(range(len(parts)))]
        return SearchPattern(
            np.array([[nodes.index(node) for node in part[:2]] for part in parts], np.int64),
            len(nodes),
            int(np.argmin([meets.sum() for meets in self._meets])),
            np.array(self._orders, np.int64).reshape(-1, 3),
            np.array(
                [
                    (*map(self._number, one.terms), SIGN_NUMBERS[one.operator])
                    for one in comparisons
                ],
                np.int64,
            ).reshape(-1, 3),
            values[0].reshape(len(comparisons), number),
            values[1].reshape(len(comparisons), number),
            np.array(symmetries, np.int64).reshape(-1, len(parts)),
            np.zeros(len(parts), bool),
        )

    def may_be(self, order: np.ndarray, times: np.ndarray) -> np.ndarray:
        """What each event may be by itself, as bits, where edges have an order and times."""
        bits = np.zeros(len(order), np.int64)
        for number, (part, meets) in enumerate(zip(self.text.edges, self._meets, strict=True)):
            able = meets[order]
            for test in part.tests:
                if self._is_time(test.attribute):
                    able = able & self._time_meets(part, test, times)
            bits |= able.astype(np.int64) << number
        return bits

    def free_edges(self, pattern: SearchPattern, may_be: np.ndarray) -> np.ndarray:
        """The edges for which any event between their nodes and in their time fits, bool [m]."""
        free = np.zeros(len(pattern.ends), bool)
        compared = {*pattern.signs[:, :2].ravel().tolist()}
        compared |= {
            edge for row in pattern.orders.tolist() if row[2] == UNEQUAL for edge in row[:2]
        }
        ends = [*map(tuple, pattern.ends.tolist())]
        for edge in range(len(free)):
            is_alone = ends.count(ends[edge]) == 1 and not len(pattern.symmetries)
            fits = bool((may_be >> edge & 1).all())
            free[edge] = is_alone and fits and edge not in compared
        return free

    def _is_time(self, attribute: str) -> bool:
        is_meant = attribute == _TIME and _TIME not in self.edges.columns
        return attribute == self.edges.time or is_meant

    def _number(self, term: Term) -> int:
        return [part.name for part in self.text.edges].index(term.node)

    @cached_property
    def _time_conditions(self) -> list[Condition]:
        conditions = self.text.edge_conditions
        return [one for one in conditions if self._is_time(one.left.attribute)]

    @cached_property
    def _comparisons(self) -> list[Condition]:
        """The comparisons of other attributes than times."""
        conditions = self.text.edge_conditions
        return [one for one in conditions if not self._is_time(one.left.attribute)]

    @cached_property
    def _columns(self) -> dict[str, list[Any]]:
        """The columns that are tested or compared, a value for each edge."""
        names = [name for name in self.text.edge_attributes if not self._is_time(name)]
        return {name: self.edges.column(name) for name in names}

    @cached_property
    def _quantities(self) -> dict[str, np.ndarray]:
        text = replace(self.text, edge_conditions=self._comparisons)
        return compared_columns(text, self._columns)

    @cached_property
    def _orders(self) -> list[tuple[int, int, int]]:
        """How edges stand in time: each pair as written, or those that conditions compare."""
        if not self.has_own_order:
            return [(*pair, PLACE) for pair in combinations(range(len(self.text.edges)), 2)]
        found = []
        for condition in self._time_conditions:
            first, second = map(self._number, condition.terms)
            sign = condition.operator
            if sign in (">", ">="):
                first, second, sign = second, first, _MIRRORED[sign]
            if first == second and sign in ("<", "!="):
                self.text.refuse("must compare the times of two edges", condition.left.at)
            found += [(first, second, _ORDERS[sign])] if first != second else []
        return found

    @cached_property
    def _meets(self) -> list[np.ndarray]:
        """The events that each edge may be, whatever their times, bool ``[E]``."""
        number = len(self.edges.source)
        found = []
        for part in self.text.edges:
            tests = tuple(test for test in part.tests if not self._is_time(test.attribute))
            meets = meets_tests(self.text, part._replace(tests=tests), self._columns, number)
            for one in self._comparisons:
                terms = one.terms
                if {term.node for term in terms} == {part.name}:
                    left, right = (self._quantities[term.quantity] for term in terms)
                    are_known = ~np.isnan(left) & ~np.isnan(right)
                    meets &= are_known & SIGNS[one.operator](left, right)
            for one in self.text.conditions:
                for node, ends in zip(
                    part[:2], (self.edges.source, self.edges.target), strict=True
                ):
                    if node == one.left.node:
                        meets &= self._is_called(one)[ends]
            found.append(meets)
        return found

    def _is_called(self, condition: Condition) -> np.ndarray:
        """The nodes for which a condition on the name holds, bool ``[V]``."""
        assert not isinstance(condition.right, Term), "refused before"
        wanted = {*condition.right}
        is_wanted = condition.operator in ("=", "in")
        called = [(str(name) in wanted) == is_wanted for name in self.edges.names]
        return np.array(called, bool)

    def _time_meets(self, part: EdgePart, test: EdgeTest, times: np.ndarray) -> np.ndarray:
        """The places whose times meet a test, bool ``[E]``."""
        wanted = [self._ticks(part, literal) for literal in test.values]
        if test.operator.endswith("in"):
            found = np.zeros(len(times), bool)
            for ticks in wanted:
                found |= _compare_times(times, "=", ticks)
            return found == (test.operator == "in")
        return _compare_times(times, test.operator, wanted[0])

    def _ticks(self, part: EdgePart, literal: str) -> Fraction:
        """A date, or a number where times are numbers, in ticks."""
        if is_number(literal) and not self.edges.are_timestamps and math.isfinite(float(literal)):
            return Fraction(literal.replace("_", "")) * self.edges.ticks
        date = read_date(literal)
        if date is None:
            kind = "a date" if self.edges.are_timestamps else "a number or a date"
            self.text.refuse(f"must compare times with {kind}", part.at, got=repr(literal))
        since = Fraction((date - datetime(1970, 1, 1)) // timedelta(microseconds=1), 10**6)
        return since * TIME_UNITS[self.edges.unit] * self.edges.ticks

    @cached_property
    def _symmetries(self) -> list[tuple[int, ...]]:
        """The permutations of edges that leave the pattern as it is; edge i becomes another one."""
        numbers = range(len(self.text.edges))
        return [
            turn for turn in permutations(numbers) if self._turned(turn) == self._turned(numbers)
        ]

    def _turned(self, turn: Sequence[int]) -> tuple[Any, ...] | None:
        """All that the pattern says, where each edge has the number of another one.

        Nodes are numbered as they appear along the edges in this order.
        """
        parts = self.text.edges
        new = {old: number for number, old in enumerate(turn)}
        ordered = [parts[old] for old in turn]
        number_of: dict[str, int] = {}
        for part in ordered:
            for node in part[:2]:
                number_of.setdefault(node, len(number_of))
        edges = tuple(
            (number_of[part.first], number_of[part.second], frozenset(part.tests))
            for part in ordered
        )
        named = frozenset(
            (number_of[one.left.node], one.operator, one.right) for one in self.text.conditions
        )
        orders = frozenset(
            (*(sorted((new[i], new[j])) if how in (EQUAL, UNEQUAL) else (new[i], new[j])), how)
            for i, j, how in self._orders
        )
        compared = set()
        for one in self._comparisons:
            sides = [(new[self._number(term)], term.quantity) for term in one.terms]
            mirrored = _MIRRORED.get(one.operator, one.operator)
            compared.add(min((sides[0], one.operator, sides[1]), (sides[1], mirrored, sides[0])))
        return edges, named, orders, frozenset(compared)


def _compare_times(times: np.ndarray, sign: str, ticks: Fraction) -> np.ndarray:
    """Compare ascending times with a number of ticks, which may lie between two, exactly."""
    if times.dtype.kind == "f":
        return np.asarray(SIGNS[sign](times, float(ticks)))
    low, high = math.floor(ticks), math.ceil(ticks)
    if sign in ("=", "!="):
        are_equal = (times == low) & (low == high)
        return are_equal if sign == "=" else ~are_equal
    # below what lies between two is up to the lower one
    bound = {"<": high, "<=": low, ">": low, ">=": high}[sign]
    return np.asarray(SIGNS[sign](times, bound))
