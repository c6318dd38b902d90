"""Patterns with conditions on nodes and edges, and with self-loops, as queries.

The text is that of :mod:`gomkcn_dgl.graphs.pattern_text`. Edges that meet the tests of an edge of
the text become a relation of their own, beside the one that they are of; to have a self-loop is a
condition on a node. So a search knows of neither.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

import numpy as np

from gomkcn.mining.counting.edge_tests import (
    SIGNS,
    compared_columns,
    exact_products,
    meets_tests,
)
from gomkcn.mining.counting.query import (
    INDUCED,
    READINGS,
    Comparison,
    EdgeComparison,
    EdgeRows,
    Query,
)
from gomkcn.mining.structures.categories import find_category
from gomkcn.mining.structures.graph_relations import unlike_graph
from gomkcn.mining.structures.pattern_reading import as_structure, edges_of_text, is_alone
from gomkcn_dgl.checks import check_choice, nearest
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph, with_more_relations
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import with_attributes
from gomkcn_dgl.graph_content import EdgeTable
from gomkcn_dgl.graphs.pattern_text import (
    DEGREE,
    NAME,
    Condition,
    EdgePart,
    EdgeTest,
    PatternText,
    PatternTextError,
    Term,
)
from gomkcn_dgl.graphs.shapes import count as counted
from gomkcn_dgl.graphs.structure import Structure, node_letter, structure_of_text
from gomkcn_dgl.io.table_form import is_number
from gomkcn_dgl.relations import PLAIN, SIMPLE, Relations

log = logging.getLogger("gomkcn_dgl")

_MIRRORED = {">": "<", ">=": "<="}
# ways to choose edges that join the same nodes: each step of a search may look at so many
_MOST_WAYS = 100_000
# values that a message lists, and those among which it looks for a misspelt one
_MOST_LISTED = 20
_MOST_COMPARED = 10_000
# columns of attributes, a value for each node
Attributes = Mapping[str, Any]


class Column(NamedTuple):
    """An attribute of all nodes, ``[V]``, NaN where it is missing; text as numbers of ``words``."""

    values: np.ndarray
    words: list[str] | None = None


@dataclass(frozen=True, eq=False)
class TextQuery:
    """What a text says in terms of a graph.

    Attributes
    ----------
    graph : CSRGraph
        One graph or a collection.
    pattern : PatternText
        The text.
    columns : dict of str to Column
        The attributes of nodes that it names.
    edges : EdgeTable, optional
        The edges as they were given, where the text tests some or has self-loops.
    """

    graph: CSRGraph
    pattern: PatternText
    columns: dict[str, Column]
    edges: EdgeTable | None = None

    @classmethod
    def of(
        cls,
        graph: CSRGraph,
        pattern: PatternText,
        attributes: Attributes | None = None,
        edges: EdgeTable | None = None,
    ) -> TextQuery:
        """Read the attributes, and check that the edges of the text form a pattern."""
        structure_of_text(pattern)
        if all(
            term.attribute != NAME for condition in pattern.conditions for term in condition.terms
        ):
            warn_of_letters(graph, pattern.nodes)
        return cls(graph, pattern, _read_columns(graph, pattern, attributes), edges)

    def query(self, reading: str = INDUCED, *, needs_loops: bool = True) -> Query:
        """What is looked for; nodes may lack their self-loops where it does not need them.

        The query's structure has conditions in place of categories and relations, so that its
        symmetries are those of the pattern.
        """
        check_choice("reading", reading, READINGS)
        compared = self.compared_edges(needs_loops=needs_loops)
        edges = [self._rows_of(edge) for edge in compared]
        if edges:
            _check_ways(edges)
        return Query(
            self.tested,
            self.structure(reading),
            self.allowed(reading),
            self.eligible(needs_loops=needs_loops),
            self.comparisons(),
            tuple(edges),
            self.edge_comparisons(compared),
            self.structure(reading, compared) if edges else None,
        )

    @cached_property
    def tests(self) -> list[tuple[EdgeTest, ...]]:
        """What is asked of one edge at a time, each once."""
        parts = [*self.pattern.edges, *self.pattern.absent]
        return list(dict.fromkeys(part.tests for part in parts if part.tests))

    @cached_property
    def tested(self) -> CSRGraph:
        """The graph, with relations of the edges that meet the tests.

        Behind its own R relations are R for each test, of the edges of each that meet it.
        """
        if not self.tests:
            return self.graph
        edges = self._edges_of(self._tested_parts[0])
        kinds = self.graph.relations.kinds
        is_loop = edges.source == edges.target
        met = [np.flatnonzero(self._meets(part) & ~is_loop) for part in self._tested_parts]
        rows = np.concatenate(met)
        test = np.repeat(np.arange(len(met)), [len(rows_of_test) for rows_of_test in met])
        return with_more_relations(
            self.graph,
            edges.source[rows],
            edges.target[rows],
            edges.relation[rows] + test * len(kinds),
            [
                (f"{name} {number}", directed)
                for number in range(len(met))
                for name, directed in kinds
            ],
        )

    def allowed(self, reading: str) -> np.ndarray:
        """Links that may join each two nodes, bool ``[M, M, K]``."""
        relations = self.tested.relations
        size = len(self.pattern.nodes)
        named = np.zeros((size, size, len(relations.channels)), bool)
        allowed = np.ones((size, size, len(relations.links)), bool)
        for edge in [*self.pattern.edges, *self.pattern.absent]:
            ends = self._number(edge.first), self._number(edge.second)
            channels = self._channels_of(edge, self._tests_before(edge))
            plain = self._channels_of(edge, 0)
            for (i, j), opposite in ((ends, slice(None)), (ends[::-1], relations.opposite)):
                has = relations.links[:, channels[opposite]].any(axis=1)
                allowed[i, j] &= ~has if edge.is_absent else has
                if not edge.is_absent:
                    named[i, j] |= plain[opposite]
        if reading == INDUCED:
            # and nothing that no edge of the pattern asks for
            is_own = np.array([number < self._num_own for number, _ in relations.channels])
            allowed &= ~(relations.links & is_own & ~named[:, :, None]).any(axis=3)
        return allowed

    def eligible(self, *, needs_loops: bool = True) -> np.ndarray:
        """The nodes that each graph node can stand for by their own conditions, as bits ``[V]``."""
        names = self.graph.feature_names
        eligible = np.zeros(self.graph.num_nodes, np.int64)
        for node, (name, labels) in enumerate(self.pattern.nodes.items()):
            able = np.ones(self.graph.num_nodes, bool)
            for label in labels:
                column = find_category(label, range(len(names)), names)
                able &= self.graph.features[:, column] == 1
            for condition in self.pattern.conditions:
                if {term.node for term in condition.terms} == {name}:
                    able &= self._holds(condition)
            for loop in self.pattern.loops if needs_loops else []:
                if loop.first == name:
                    able &= self.has_loop(loop) != loop.is_absent
            eligible |= able.astype(np.int64) << node
        return eligible

    def has_loop(self, loop: EdgePart) -> np.ndarray:
        """The nodes with such a self-loop, bool ``[V]``, whether the text wants it or not."""
        edges = self._edges_of(loop)
        has = np.zeros(self.graph.num_nodes, bool)
        has[edges.source[self.edges_like(loop) & (edges.source == edges.target)]] = True
        return has

    def edges_like(self, loop: EdgePart) -> np.ndarray:
        """The edges of the relation of a self-loop that meet its tests, bool ``[E]``."""
        edges = self._edges_of(loop)
        if not edges.has_loops:
            self.pattern.refuse(
                "must have no self-loop where the graph has not kept its own, as a graph folder, "
                "nor attributes of edges beside it where a CSRGraph has kept none",
                loop.at,
                way_out="count in the file or the table of edges that the graph was made of",
            )
        names, directed = self.graph.relations.names, self.graph.relations.directed
        # an arrow asks for directions, as between two nodes; without one, they do not matter
        has_arrow = loop.has_direction and not loop.is_absent
        if not any(
            loop.relation in (PLAIN, name) and (is_directed or not has_arrow)
            for name, is_directed in zip(names, directed, strict=True)
        ):
            self._refuse_edge(loop)
        of_relation = np.array([loop.relation in (PLAIN, name) for name in names])
        return np.asarray(of_relation[edges.relation] & self._meets(loop))

    def comparisons(self) -> tuple[Comparison, ...]:
        """The conditions on two nodes."""
        comparisons = []
        for condition in self.pattern.conditions:
            left, sign, right = condition[:3]
            if isinstance(right, Term) and right.node != left.node:
                self._check_sign(condition)
                first, second = self._number(left.node), self._number(right.node)
                of_left, values = self._sides(condition)
                comparisons.append(Comparison(first, second, sign, of_left, values))
        return tuple(comparisons)

    def compared_edges(self, *, needs_loops: bool = True) -> list[EdgePart]:
        """The edges with a name that are compared; without self-loops where it needs none."""
        names = {term.node for one in self.pattern.edge_conditions for term in one.terms}
        edges = [edge for name, edge in self.pattern.named_edges.items() if name in names]
        return [edge for edge in edges if needs_loops or edge.first != edge.second]

    def edge_comparisons(self, edges: Sequence[EdgePart]) -> tuple[EdgeComparison, ...]:
        """The comparisons of two of some edges."""
        names = [edge.name for edge in edges]
        found = []
        for condition in self.pattern.edge_conditions:
            left, sign, right = condition[:3]
            assert isinstance(right, Term), "values are tests of the edge"
            if left.node != right.node and {left.node, right.node} <= {*names}:
                first, second = names.index(left.node), names.index(right.node)
                columns = [
                    self._columns_of(edges[number]).index(term.quantity)
                    for number, term in ((first, left), (second, right))
                ]
                found.append(EdgeComparison(first, columns[0], sign, second, columns[1]))
        return tuple(found)

    def _columns_of(self, edge: EdgePart) -> list[str]:
        """The attributes of an edge, with factors, that are compared with those of others."""
        used = dict.fromkeys(
            term.quantity
            for condition in self.pattern.edge_conditions
            if len({term.node for term in condition.terms}) == 2
            for term in condition.terms
            if term.node == edge.name
        )
        return [*used]

    def _rows_of(self, edge: EdgePart) -> EdgeRows:
        """The edges that an edge of the text may be, by itself, with what they are compared by."""
        table, relations = self._edges_of(edge), self.graph.relations
        if edge.first == edge.second:
            may_be = self.edges_like(edge) & (table.source == table.target)
        else:
            of_relation = [
                edge.relation in (PLAIN, name) and directed == edge.has_direction
                for name, directed in relations.kinds
            ]
            may_be = np.array(of_relation)[table.relation] & (table.source != table.target)
            may_be &= self._meets(edge)
        columns = self._columns_of(edge)
        values = np.stack([self._edge_columns[name] for name in columns] or [np.zeros(len(may_be))])
        # 1. what it says of the edge alone, and what is missing
        for condition in self.pattern.edge_conditions:
            left, sign, right = condition[:3]
            if isinstance(right, Term) and left.node == right.node == edge.name:
                sides = [self._edge_columns[term.quantity] for term in (left, right)]
                may_be &= ~np.isnan(sides).any(axis=0) & SIGNS[sign](*sides)
        rows = np.flatnonzero(may_be & ~np.isnan(values).any(axis=0))
        source, target, values = table.source[rows], table.target[rows], values[:, rows]
        # 2. from either end, where it has no direction
        if not edge.has_direction and edge.first != edge.second:
            source, target = np.concatenate([source, target]), np.concatenate([target, source])
            values = np.concatenate([values, values], axis=1)
        # 3. of several between two nodes, those that can differ in what they meet
        kept = self._different_rows(edge, source, target, values)
        first, second = self._number(edge.first), self._number(edge.second)
        return EdgeRows(first, second, source[kept], target[kept], values[:, kept])

    def _different_rows(
        self, edge: EdgePart, source: np.ndarray, target: np.ndarray, values: np.ndarray
    ) -> np.ndarray:
        """The rows that are looked at, by their ends: of those alike one, or the best one alone."""
        wanted = set[tuple[str, int]]()
        for condition in self.pattern.edge_conditions:
            for term, sign in zip(condition.terms, (1, -1), strict=True):
                # -1 where a smaller number meets all that a larger one does
                way = {"<": -1, ">": 1}.get(condition.operator[0], 0)
                if term.node == edge.name and len({one.node for one in condition.terms}) == 2:
                    wanted.add((term.quantity, way * sign))
        keys = [target, source]
        if len(wanted) == 1 and (way := next(iter(wanted))[1]):
            order = np.lexsort([-way * values[0], *keys])
            alike = np.stack([source, target])[:, order]
        else:
            order = np.lexsort([*values, *keys])
            alike = np.concatenate([[source, target], values])[:, order]
        is_first = np.ones(len(order), bool)
        is_first[1:] = (alike[:, 1:] != alike[:, :-1]).any(axis=0)
        return order[is_first]

    @cached_property
    def _edge_columns(self) -> dict[str, np.ndarray]:
        """The compared attributes of edges with their factors, NaN where one is missing."""
        assert self.edges is not None, "they are read with their attributes"
        return compared_columns(self.pattern, self.edges.columns)

    def structure(self, reading: str, compared: Sequence[EdgePart] = ()) -> Structure:
        """A structure with the symmetries of edges and conditions.

        Where edges are ``compared``, each is a node of it as well, behind those of the pattern.
        """
        node_of = self._number
        labels_of = [[*labels] for labels in self.pattern.nodes.values()]
        rows = set[tuple[int, int, str]]()
        directed = set[str]()
        # an induced occurrence lacks these edges anyway
        for edge in [*self.pattern.edges, *([] if reading == INDUCED else self.pattern.absent)]:
            kind = f"{'no ' * edge.is_absent}{edge.relation}{'>' * edge.has_direction}"
            kind += self._tests_in_words(edge)
            rows.add((node_of(edge.first), node_of(edge.second), kind))
            directed |= {kind} if edge.has_direction else set()
        for loop in self.pattern.loops:
            kind = f"{'no ' * loop.is_absent}loop {loop.relation}{self._tests_in_words(loop)}"
            labels_of[node_of(loop.first)].append(kind)
        for condition in self.pattern.conditions:
            left, sign, right = condition[:3]
            if not isinstance(right, Term) or right.node == left.node:
                other: Any = right.quantity if isinstance(right, Term) else None
                # 0.5 and .5 are the same
                other = other or sorted(self._literals(condition).tolist())
                labels_of[node_of(left.node)].append(f"{left.quantity} {sign} {other}")
                continue
            left, sign, right = _smaller_first(condition)
            kind = f"{left.quantity} {sign} {right.quantity}"
            rows.add((node_of(left.node), node_of(right.node), kind))
            directed |= {kind} if "<" in sign or left.quantity != right.quantity else set()
        names = [edge.name for edge in compared]
        for number, edge in enumerate(compared, len(labels_of)):
            labels_of.append([f"edge {edge.relation}{self._tests_in_words(edge)}"])
            ends = ("from", "to") if edge.has_direction else ("end", "end")
            for end, kind in dict.fromkeys(zip((edge.first, edge.second), ends, strict=True)):
                rows.add((node_of(end), number, kind))
        for condition in self.pattern.edge_conditions:
            left, sign, right = _smaller_first(condition)
            if not {left.node, right.node} <= {*names}:
                continue
            kind = f"edges {left.quantity} {sign} {right.quantity}"
            first, second = (len(self.pattern.nodes) + names.index(t.node) for t in (left, right))
            if first == second:
                labels_of[first].append(kind)
                continue
            rows.add((first, second, kind))
            directed |= {kind} if "<" in sign or left.quantity != right.quantity else set()
        each = sorted({(*((u, v) if k in directed else sorted((u, v))), k) for u, v, k in rows})
        return Structure.of_edges(
            len(labels_of),
            [(u, v) for u, v, _ in each],
            [kind for *_, kind in each],
            directed,
            categories=tuple(tuple(sorted({*labels})) for labels in labels_of),
            roles=(*self.pattern.nodes, *names),
        )

    @property
    def _num_own(self) -> int:
        """Number of relations of the graph, without those of tests."""
        return len(self.graph.relations.names)

    @property
    def _tested_parts(self) -> list[EdgePart]:
        """A part of the text for each of the tests."""
        parts = [*self.pattern.edges, *self.pattern.absent]
        return [next(part for part in parts if part.tests == tests) for tests in self.tests]

    def _tests_before(self, edge: EdgePart) -> int:
        """How many groups of relations come before that of an edge's tests: first, the graph's."""
        return 1 + self.tests.index(edge.tests) if edge.tests else 0

    def _channels_of(self, edge: EdgePart, test: int) -> np.ndarray:
        """The channels that an edge is in, as seen from its first node, bool [C].

        They are those of the graph for ``test`` 0, else of a test, numbered from 1.
        """
        relations = self.tested.relations
        names = self.graph.relations.names
        sides = {"out"} if edge.has_direction else {"both"}
        # nothing in either direction
        sides |= {"out", "in"} if edge.is_absent and not edge.has_direction else set()
        is_in = [
            number // self._num_own == test
            and edge.relation in (PLAIN, names[number % self._num_own])
            and side in sides
            for number, side in relations.channels
        ]
        if not any(is_in):
            self._refuse_edge(edge)
        return np.array(is_in)

    def _refuse_edge(self, edge: EdgePart) -> NoReturn:
        """Refuse an edge that the graph cannot have."""
        relations, has_direction = self.graph.relations, edge.has_direction
        message = unlike_graph(
            relations, edge.relation, has_direction=has_direction, given=edge.given
        )
        raise PatternTextError(message, self.pattern.text, edge.at)

    def _edges_of(self, part: EdgePart) -> EdgeTable:
        """The edges as they were given, which a part of the text asks for."""
        if self.edges is None:
            self.pattern.refuse(
                "must not test edges or have self-loops where a graph has been read without its "
                "edges' attributes",
                part.at,
            )
        return self.edges

    def _meets(self, part: EdgePart) -> np.ndarray:
        """The edges that meet all tests of a part of the text, bool ``[E]``."""
        edges = self._edges_of(part)
        return meets_tests(self.pattern, part, edges.columns, len(edges.source))

    def _tests_in_words(self, part: EdgePart) -> str:
        """The tests of an edge, 0.5 and .5 as the same."""
        return "".join(
            sorted(
                f" {name} {sign} "
                + ",".join(sorted(str(float(one)) if is_number(one) else one for one in values))
                for name, sign, values in part.tests
            )
        )

    def _holds(self, condition: Condition) -> np.ndarray:
        """Where a condition on one node holds, bool ``[V]``."""
        self._check_sign(condition)
        sign = condition.operator
        left = self.columns[condition.left.attribute].values
        known = ~np.isnan(left)
        if sign.endswith("in"):
            return np.asarray(known & (np.isin(left, self._literals(condition)) == (sign == "in")))
        if isinstance(condition.right, Term):
            left, right = self._sides(condition)
            known &= ~np.isnan(right)
        else:
            (right,) = self._literals(condition)
        return np.asarray(known & SIGNS[sign](left, right))

    def _check_sign(self, condition: Condition) -> None:
        """Refuse an order of text."""
        words = self.columns[condition.left.attribute].words
        if words is not None and condition.operator[0] in "<>":
            self._refuse(condition, "text, which is compared by =, != and in")

    def _literals(self, condition: Condition) -> np.ndarray:
        """The values of a condition as numbers in its column."""
        values, words = self.columns[condition.left.attribute]
        found: list[float] = []
        literals = () if isinstance(condition.right, Term) else condition.right
        for number_of_value, literal in enumerate(literals):
            number = float(literal) if is_number(literal) else math.nan
            if words is None:
                if not math.isfinite(number):
                    self._refuse(condition, f"a finite number, got {literal!r}")
                found.append(number)
                continue
            # 1.0 is the category 1, unless there is a category 1.0
            same = [word for word in words if word == literal]
            same = same or [word for word in words if is_number(word) and float(word) == number]
            if len(same) != 1:
                self._refuse_value(condition, number_of_value, words)
            found.append(words.index(same[0]))
        return np.array(found, values.dtype)

    def _sides(self, condition: Condition) -> tuple[np.ndarray, np.ndarray]:
        """The two sides of a comparison of two attributes, with their factors."""
        left, right = condition.terms
        words = [self.columns[term.attribute].words is not None for term in (left, right)]
        if any(words) and left.quantity != right.quantity:
            others = f"numbers, and {right.attribute} too, or compare it with itself"
            self._refuse(condition, others)
        first, second = (self.columns[term.attribute].values for term in (left, right))
        products = exact_products([first, second], [left.factor, right.factor])
        return products[0], products[1]

    def _number(self, name: str) -> int:
        """The number of a node of the pattern, in the order of the text."""
        return list(self.pattern.nodes).index(name)

    def _refuse_value(self, condition: Condition, number: int, words: list[str]) -> NoReturn:
        """Refuse a value that no node has."""
        assert not isinstance(condition.right, Term), "an attribute is no value"
        value = condition.right[number]
        like = nearest(value, words[:_MOST_COMPARED])
        listed = ", ".join(map(repr, words[:_MOST_LISTED])) + ", …" * (len(words) > _MOST_LISTED)
        known = f"one of {listed}" if like is None else "a value that some node has"
        self.pattern.refuse(
            f"must have {condition.left.attribute} as {known}",
            condition.right_at[number],
            got=repr(value),
            way_out="" if like is None else f"the nearest is {like!r}",
        )

    def _refuse(self, condition: Condition, rule: str) -> NoReturn:
        term = condition.left
        self.pattern.refuse(f"must have {term.attribute} as {rule}", term.at)


def _smaller_first(condition: Condition) -> tuple[Term, str, Term]:
    """A comparison of two terms with the smaller one first, whichever was written first."""
    left, sign, right = condition[:3]
    assert isinstance(right, Term), "two terms are compared"
    if sign in _MIRRORED or (sign in ("=", "!=") and left.quantity > right.quantity):
        return right, _MIRRORED.get(sign, sign), left
    return left, sign, right


def _check_ways(edges: Sequence[EdgeRows]) -> None:
    """Refuse edges of which so many join the same two nodes that choosing among them takes long."""
    ways = 1
    for rows in edges:
        if len(rows.source):
            is_next = (np.diff(rows.source) != 0) | (np.diff(rows.target) != 0)
            starts = np.flatnonzero(np.concatenate([[True], is_next, [True]]))
            ways *= int(np.diff(starts).max())
    if ways > _MOST_WAYS:
        raise InputError(
            "pattern",
            f"must compare edges of which at most {_MOST_WAYS:,} combinations join the same nodes",
            got=f"{ways:,}",
            way_out="compare fewer edges, or test them, as in [score >= 700]",
        )


def _read_columns(
    graph: CSRGraph, pattern: PatternText, attributes: Attributes | None
) -> dict[str, Column]:
    """The attributes that the conditions name; the log says where some are missing."""
    columns: dict[str, Column] = {}
    for term in (term for condition in pattern.conditions for term in condition.terms):
        name = term.attribute
        if name in columns:
            continue
        found = _given_column(graph, name, attributes) or feature_column(graph, name)
        if found is None and name == NAME:
            found = _names_column(graph)
        if found is None:
            families = (feature.partition("=")[0] for feature in graph.feature_names)
            known = dict.fromkeys([*families, *(attributes if attributes is not None else ())])
            known.pop(CONSTANT_FEATURE, None)
            pattern.refuse(
                "must have attributes of the graph's nodes, which are "
                f"{', '.join([NAME, DEGREE, *known])}",
                term.at,
                got=repr(name),
            )
        columns[name] = found
        missing = int(np.isnan(found.values).sum())
        if missing:
            where = counted(missing, "node")
            log.warning("%s is missing at %s, for which no condition holds", name, where)
    return columns


def _given_column(graph: CSRGraph, name: str, attributes: Attributes | None) -> Column | None:
    """The degree, or a column of numbers or text that was given."""
    if name == DEGREE:
        return Column(graph.degrees.astype(np.float64))
    if attributes is None or name not in attributes:
        return None
    import pandas as pd

    try:
        values = pd.Series(attributes[name]).reset_index(drop=True)
    except (TypeError, ValueError) as error:
        raise InputTypeError("attributes", f"must have a list for {name!r} ({error})") from None
    if len(values) != graph.num_nodes:
        raise InputError(
            "attributes",
            f"must have a value for each of the {graph.num_nodes} nodes",
            got=f"{len(values)} of {name!r}",
        )
    if pd.api.types.is_numeric_dtype(values):
        return Column(values.to_numpy(np.float64, na_value=np.nan))
    # a number among text is text
    codes, words = pd.factorize(values.map(str, na_action="ignore"))
    return Column(np.where(codes < 0, np.nan, codes), [str(word) for word in words])


def _names_column(graph: CSRGraph) -> Column:
    """What the input calls the nodes."""
    ids = np.array(graph.original_ids(np.arange(graph.num_nodes)))
    if ids.dtype.kind == "i":
        return Column(ids.astype(np.float64))
    words, codes = np.unique(ids, return_inverse=True)
    return Column(codes.astype(np.float64), words.tolist())


def warn_of_letters(graph: CSRGraph, letters: Collection[str]) -> None:
    """Say that a letter of a pattern stands for any node, where a node of the graph is called so.

    Numbers are letters that nobody takes for nodes if all of them are.
    """
    if all(letter.isdecimal() for letter in letters):
        return
    ids = graph.node_ids
    is_text = ids is not None and ids.dtype.kind == "U"
    numbers = np.arange(graph.num_nodes) if ids is None else ids
    same = [
        letter
        for letter in letters
        if (is_text or letter.isdecimal())
        and (numbers == (letter if is_text else int(letter))).any()
    ]
    if same:
        log.warning(
            "%r in the pattern is only a letter, for any node; the node of the graph that is "
            'called so is meant with the condition %s.name = "%s"',
            same[0],
            same[0],
            same[0],
        )


def feature_column(graph: CSRGraph, name: str) -> Column | None:
    """A feature of numbers, or one of text, which is a column for each value."""
    names, features = graph.feature_names, graph.features
    if name in names:
        return Column(features[:, names.index(name)])
    columns = [c for c, feature in enumerate(names) if feature.startswith(f"{name}=")]
    values = features[:, columns]
    if not columns or not np.isin(values, [0, 1]).all() or (values.sum(axis=1) > 1).any():
        return None
    codes = np.where(values.any(axis=1), values.argmax(axis=1), np.nan)
    return Column(codes, [names[c].removeprefix(f"{name}=") for c in columns])


def query_of_text(
    graph: Any,
    pattern: Structure | str,
    where: str | None,
    reading: str,
    attributes: Attributes | None,
) -> Query:
    """A pattern with conditions in terms of a graph of any library, and columns beside its own."""
    text = conditions_of(pattern, where)
    assert text is not None, "a pattern without conditions is a structure"
    graph, of_nodes, edges = with_attributes(graph, text.edge_attributes)
    if attributes is not None:
        of_nodes |= {name: attributes[name] for name in attributes}
    # a name has the words of the graph for its relations
    text = conditions_of(pattern, where, graph.relations)
    assert text is not None, "the graph decides what relations are called, and no more"
    return TextQuery.of(graph, text, of_nodes, edges).query(reading)


def conditions_of(
    pattern: Structure | str, where: str | None = None, relations: Relations = SIMPLE
) -> PatternText | None:
    """What a pattern and conditions beside it say; None where a structure says it all.

    Edges of which some alone have a relation, or nodes of which some alone have a category, are no
    structure. A name has the words of the ``relations`` of a graph, if they are given. The nodes of
    a structure, or of a text that is no list of edges, are A, B, C and so on.

    >>> conditions_of("triangle") is None, conditions_of("A -- B, A.degree > 2").conditions[0].right
    (True, ('2',))
    >>> path = Structure.of_edges(3, [(0, 2), (1, 2)])
    >>> list(conditions_of(path, "A.degree = 1").nodes)
    ['A', 'B', 'C']
    """
    is_text = isinstance(pattern, str) and not is_alone(pattern)
    if not is_text and where is None:
        return None
    conditions = "" if where is None else f", {where}"
    if is_text:
        text = PatternText.read(edges_of_text(f"{pattern}{conditions}", relations))
    else:
        structure = as_structure(pattern, relations)
        text = PatternText.read(f"{structure.to_text()}{conditions}")
        # in the order of the structure, and not in that of its edges
        letters = map(node_letter, range(structure.num_nodes))
        text = replace(text, nodes={letter: text.nodes[letter] for letter in letters})
    has_conditions = text.absent or text.conditions or text.loops or text.edge_attributes
    is_structure = not has_conditions and not text.is_mixed
    return None if is_structure else text
