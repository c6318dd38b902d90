"""Patterns with conditions on their nodes and edges that must be absent, as queries.

The text is that of :mod:`gomkcn_dgl.graphs.pattern_text`.
"""

from __future__ import annotations

import logging
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np

from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.graphs.pattern_text import DEGREE, Condition, EdgePart, PatternText, Term
from gomkcn_dgl.graphs.structure import Structure, structure_of_text
from gomkcn_dgl.io.table_form import is_number
from gomkcn_dgl.relations import PLAIN
from mining.categories import find_category
from mining.counting.counter import count_query, list_query
from mining.counting.query import INDUCED, READINGS, Comparison, Query
from mining.counting.watching import STEPS_PER_SECOND
from mining.graph_relations import in_words, other_directions
from mining.pattern import OccurrenceCount

log = logging.getLogger("gomkcn_dgl")

_SIGNS: dict[str, Callable[[Any, Any], np.ndarray]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MIRRORED = {">": "<", ">=": "<="}
# columns of attributes, a value for each node
Attributes = Mapping[str, Any]


class Column(NamedTuple):
    """An attribute of all nodes, ``[V]``, NaN where it is missing; text as numbers of ``words``."""

    values: np.ndarray
    words: list[str] | None = None


def query_of_text(
    graph: CSRGraph,
    said: PatternText,
    reading: str = INDUCED,
    attributes: Attributes | None = None,
) -> Query:
    """What a text says in terms of a graph.

    The query's structure has conditions in place of categories and relations, so that its
    symmetries are those of the pattern.
    """
    check_choice("reading", reading, READINGS)
    structure_of_text(said)
    reader = _Reader(graph, said, _read_columns(graph, said, attributes))
    return Query(
        graph,
        reader.structure(reading),
        reader.allowed(reading),
        reader.eligible(),
        reader.comparisons(),
    )


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads a text in terms of a graph, whose attributes are ``columns``."""

    graph: CSRGraph
    said: PatternText
    columns: dict[str, Column]

    def allowed(self, reading: str) -> np.ndarray:
        """Links that may join each two nodes, bool ``[M, M, K]``."""
        relations = self.graph.relations
        size = len(self.said.nodes)
        asked = np.zeros((size, size, len(relations.channels)), bool)
        allowed = np.ones((size, size, len(relations.links)), bool)
        for edge in [*self.said.edges, *self.said.absent]:
            ends = self._number(edge.first), self._number(edge.second)
            channels = self._channels_of(edge)
            for (i, j), own in ((ends, channels), (ends[::-1], channels[relations.opposite])):
                has = relations.links[:, own].any(axis=1)
                allowed[i, j] &= ~has if edge.is_absent else has
                if not edge.is_absent:
                    asked[i, j] |= own
        if reading == INDUCED:
            # and nothing that no edge of the pattern asks for
            allowed &= ~(relations.links & ~asked[:, :, None]).any(axis=3)
        return allowed

    def eligible(self) -> np.ndarray:
        """The nodes that each graph node can stand for by their own conditions, as bits ``[V]``."""
        names = self.graph.feature_names
        eligible = np.zeros(self.graph.num_nodes, np.int64)
        for node, (name, labels) in enumerate(self.said.nodes.items()):
            able = np.ones(self.graph.num_nodes, bool)
            for label in labels:
                column = find_category(label, range(len(names)), names)
                able &= self.graph.features[:, column] == 1
            for condition in self.said.conditions:
                if {term.node for term in condition.terms} == {name}:
                    able &= self._holds(condition)
            eligible |= able.astype(np.int64) << node
        return eligible

    def comparisons(self) -> tuple[Comparison, ...]:
        """The conditions on two nodes."""
        comparisons = []
        for condition in self.said.conditions:
            left, sign, right = condition
            if isinstance(right, Term) and right.node != left.node:
                self._check_sign(condition)
                first, second = self._number(left.node), self._number(right.node)
                values = self._compared_with(condition, right)
                of_left = self.columns[left.attribute].values
                comparisons.append(Comparison(first, second, sign, of_left, values))
        return tuple(comparisons)

    def structure(self, reading: str) -> Structure:
        """A structure with the symmetries of edges and conditions."""
        node_of = self._number
        own = [[*labels] for labels in self.said.nodes.values()]
        rows = set[tuple[int, int, str]]()
        directed = set[str]()
        # an induced occurrence lacks these edges anyway
        for edge in [*self.said.edges, *([] if reading == INDUCED else self.said.absent)]:
            kind = f"{'no ' * edge.is_absent}{edge.relation}{'>' * edge.has_direction}"
            rows.add((node_of(edge.first), node_of(edge.second), kind))
            directed |= {kind} if edge.has_direction else set()
        for one in self.said.conditions:
            left, sign, right = one
            if not isinstance(right, Term) or right.node == left.node:
                other: Any = right.attribute if isinstance(right, Term) else None
                # 0.5 and .5 are the same
                other = other or sorted(self._literals(one).tolist())
                own[node_of(left.node)].append(f"{left.attribute} {sign} {other}")
                continue
            # the smaller one first, whichever was written first
            if sign in _MIRRORED or (sign in ("=", "!=") and left.attribute > right.attribute):
                left, sign, right = right, _MIRRORED.get(sign, sign), left
            kind = f"{left.attribute} {sign} {right.attribute}"
            rows.add((node_of(left.node), node_of(right.node), kind))
            directed |= {kind} if "<" in sign or left.attribute != right.attribute else set()
        each = sorted({(*((u, v) if k in directed else sorted((u, v))), k) for u, v, k in rows})
        return Structure.of_edges(
            len(own),
            [(u, v) for u, v, _ in each],
            [kind for *_, kind in each],
            directed,
            categories=tuple(tuple(sorted({*labels})) for labels in own),
            roles=tuple(self.said.nodes),
        )

    def _channels_of(self, edge: EdgePart) -> np.ndarray:
        """The channels of the graph that an edge is in, as seen from its first node, bool [C]."""
        relations = self.graph.relations
        sides = {"out"} if edge.has_direction else {"both"}
        # nothing in either direction
        sides |= {"out", "in"} if edge.is_absent and not edge.has_direction else set()
        own = [
            edge.relation in (PLAIN, relations.names[number]) and side in sides
            for number, side in relations.channels
        ]
        if not any(own):
            kind = "with a direction" if edge.has_direction else "without direction"
            self.said.refuse(
                f"pattern must have edges of the graph's relations, {in_words(relations)}, got "
                f"{edge.given!r}, an edge {kind}; write it otherwise, or "
                f"{other_directions(has_direction=edge.has_direction)}.",
                edge.at,
            )
        return np.array(own)

    def _holds(self, condition: Condition) -> np.ndarray:
        """Where a condition on one node holds, bool ``[V]``."""
        self._check_sign(condition)
        sign = condition.operator
        left = self.columns[condition.left.attribute].values
        known = ~np.isnan(left)
        if sign.endswith("in"):
            return np.asarray(known & (np.isin(left, self._literals(condition)) == (sign == "in")))
        if isinstance(condition.right, Term):
            right = self._compared_with(condition, condition.right)
            known &= ~np.isnan(right)
        else:
            (right,) = self._literals(condition)
        return np.asarray(known & _SIGNS[sign](left, right))

    def _check_sign(self, condition: Condition) -> None:
        """Refuse an order of text."""
        words = self.columns[condition.left.attribute].words
        if words is not None and condition.operator[0] in "<>":
            self._refuse(condition, "text, which is compared by =, != and in")

    def _literals(self, one: Condition) -> np.ndarray:
        """The values of a condition as numbers in its column."""
        values, words = self.columns[one.left.attribute]
        found: list[float] = []
        for literal in () if isinstance(one.right, Term) else one.right:
            number = float(literal) if is_number(literal) else math.nan
            if words is None:
                if not math.isfinite(number):
                    self._refuse(one, f"a finite number, got {literal!r}")
                found.append(number)
                continue
            # 1.0 is the category 1, unless there is a category 1.0
            same = [word for word in words if word == literal]
            same = same or [word for word in words if is_number(word) and float(word) == number]
            if len(same) != 1:
                self._refuse(one, f"one of {', '.join(map(repr, words[:20]))}, got {literal!r}")
            found.append(words.index(same[0]))
        return np.array(found, values.dtype)

    def _compared_with(self, one: Condition, term: Term) -> np.ndarray:
        """The right side of a comparison of two attributes."""
        values, words = self.columns[term.attribute]
        is_text = words or self.columns[one.left.attribute].words
        if is_text and one.left.attribute != term.attribute:
            self._refuse(one, f"numbers, and {term.attribute} too, or compare it with itself")
        return values

    def _number(self, name: str) -> int:
        """The number of a node of the pattern, in the order of the text."""
        return list(self.said.nodes).index(name)

    def _refuse(self, one: Condition, rule: str) -> NoReturn:
        term = one.left
        self.said.refuse(f"pattern must have {term.attribute} as {rule}.", term.at)


def _read_columns(
    graph: CSRGraph, said: PatternText, attributes: Attributes | None
) -> dict[str, Column]:
    """The attributes that the conditions name; the log says where some are missing."""
    columns: dict[str, Column] = {}
    for term in (term for one in said.conditions for term in one.terms):
        name = term.attribute
        if name in columns:
            continue
        found = _given_column(graph, name, attributes) or feature_column(graph, name)
        if found is None:
            families = (one.partition("=")[0] for one in graph.feature_names)
            known = dict.fromkeys([*families, *(attributes if attributes is not None else ())])
            known.pop(CONSTANT_FEATURE, None)
            said.refuse(
                "pattern must have attributes of the graph's nodes, which are "
                f"{', '.join([DEGREE, *known])}, got {name!r}.",
                term.at,
            )
        columns[name] = found
        missing = int(np.isnan(found.values).sum())
        if missing:
            log.warning("%s is missing at %d nodes, for which no condition holds", name, missing)
    return columns


def _given_column(graph: CSRGraph, name: str, attributes: Attributes | None) -> Column | None:
    """The degree, or a column of numbers or text that was given."""
    if name == DEGREE:
        return Column(graph.degrees.astype(np.float64))
    if attributes is None or name not in attributes:
        return None
    import pandas as pd

    values = pd.Series(attributes[name]).reset_index(drop=True)
    if len(values) != graph.num_nodes:
        raise InputError(
            f"attributes must have a value for each of the {graph.num_nodes} nodes, got "
            f"{len(values)} of {name!r}."
        )
    if pd.api.types.is_numeric_dtype(values):
        return Column(values.to_numpy(np.float64, na_value=np.nan))
    codes, words = pd.factorize(values)
    return Column(np.where(codes < 0, np.nan, codes), [str(word) for word in words])


def feature_column(graph: CSRGraph, name: str) -> Column | None:
    """A feature of numbers, or one of text, which is a column for each value."""
    names, features = graph.feature_names, graph.features
    if name in names:
        return Column(features[:, names.index(name)])
    own = [c for c, one in enumerate(names) if one.startswith(f"{name}=")]
    values = features[:, own]
    if not own or not np.isin(values, [0, 1]).all() or (values.sum(axis=1) > 1).any():
        return None
    codes = np.where(values.any(axis=1), values.argmax(axis=1), np.nan)
    return Column(codes, [names[c].removeprefix(f"{name}=") for c in own])


def _query(graph: Any, pattern: str, reading: str, attributes: Attributes | None) -> Query:
    said = PatternText.read(pattern)
    if not isinstance(graph, CSRGraph):
        given = attributes if attributes is not None else ()
        own = [name for name in said.attributes if name not in given]
        graph = as_unweighted(graph, features=own or None)
    return query_of_text(graph, said, reading, attributes)


def count_where(
    graph: Any,
    pattern: str,
    *,
    reading: str = INDUCED,
    attributes: Attributes | None = None,
    max_steps: int = STEPS_PER_SECOND,
    seed: int = 0,
) -> OccurrenceCount:
    """Count the occurrences of a pattern with conditions, or estimate them.

    An occurrence is a mapping of the nodes of the pattern to different nodes of the graph for which
    all edges are there and all conditions hold; mappings that differ by a symmetry of edges and
    conditions count once. All are counted if that takes no more than ``max_steps``. Else those that
    begin at a uniform random sample of the candidates for one node are, and the estimate and its 95
    % interval are those of :func:`mining.counting.counter.estimate_from_share`.

    Parameters
    ----------
    graph : anything :func:`gomkcn.as_csr` takes
        One graph or a collection. Attributes are its features: numbers, or text as columns such as
        ``kind=kinase``; of an object that is no ``CSRGraph``, those of the nodes that the
        conditions name. ``degree`` is the number of neighbours.
    pattern : str
        Edges ``A -> B``, ``A -- B``, ``A -> B [relation = "activates"]``; edges that must be absent
        ``A !> C``, ``A !- C`` (no edge in either direction); conditions ``B.kind = "kinase"``,
        ``A.size > B.size``, ``A.degree >= 10``, ``B.kind in ("a", "b")``, with ``not`` in front of
        any; separated by commas, semicolons or new lines. Edges join all nodes.
    reading : {"induced", "subgraph"}
        Whether pairs of nodes that no edge of the pattern names must not be joined, or may be.
    attributes : mapping of str to array, or pandas table, optional
        Columns of numbers or text ``[V]`` in the order of the nodes, beside the features. Where a
        value is missing, no condition on it holds, under ``not`` neither.
    max_steps : int
        Most steps to search for all, and then again to estimate; a step takes about 10 ns.
    seed : int
        Of the sample.

    Raises
    ------
    InputError
        If the text is wrong, with a caret under the character at fault, if no node has an attribute
        or no edge a relation, or if no estimate can be made within ``max_steps``.

    Examples
    --------
    >>> import networkx as nx
    >>> cells = nx.DiGraph([("a", "b"), ("a", "c"), ("b", "c"), ("d", "b")])
    >>> nx.set_node_attributes(cells, {"a": 3, "b": 2, "c": 5, "d": 1}, "size")
    >>> count_where(cells, "A -> B, B -> C, A !> C").value
    1
    >>> count_where(cells, "A -> B, A.size > B.size", reading="subgraph").value
    1
    """
    check_int("max_steps", max_steps, 1)
    query = _query(graph, pattern, reading, attributes)
    return count_query(query, max_steps=max_steps, seed=seed)[0]


def list_where(
    graph: Any,
    pattern: str,
    *,
    reading: str = INDUCED,
    attributes: Attributes | None = None,
    most: int = 10_000,
    max_steps: int = 5 * STEPS_PER_SECOND,
    seed: int = 0,
) -> tuple[np.ndarray, bool]:
    """List the occurrences of a pattern with conditions: all, or a sample of different ones.

    Returns the graph node of each node of the pattern, int32 ``[K, M]``, in the order in which the
    text names them, and whether these are all. If not, they are a uniform random sample of ``most``
    of them; where the search took over ``max_steps``, of those at random nodes. Parameters and
    errors are those of :func:`gomkcn.count_where`.

    >>> import networkx as nx
    >>> places, complete = list_where(nx.path_graph(4), "A -- B, B -- C, A.degree = 1")
    >>> places.tolist(), complete
    ([[0, 1, 2], [3, 2, 1]], True)
    """
    check_int("most", most, 1)
    check_int("max_steps", max_steps, 1)
    query = _query(graph, pattern, reading, attributes)
    return list_query(query, most=most, max_steps=max_steps, seed=seed)
