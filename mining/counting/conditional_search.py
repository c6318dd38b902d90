"""Occurrences of a pattern with conditions on its nodes and edges that must be absent.

The text is that of :mod:`gomkcn_dgl.graphs.pattern_text`. Its nodes are mapped one after the other
by joins of arrays, in blocks of bounded memory. A condition is checked as soon as all its nodes are
mapped. Of the mappings that differ by a symmetry of edges and conditions one is counted (J. A.
Grochow and M. Kellis, Network motif discovery using subgraph enumeration and symmetry-breaking,
RECOMB 2007, section 3).
"""

from __future__ import annotations

import logging
import math
import operator
from collections.abc import Callable, Mapping
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
from mining.counting.sought import (
    INDUCED,
    READINGS,
    STEPS_PER_SECOND,
    Watch,
    half_of,
    may_hold,
    to_the_end,
)
from mining.graph_relations import in_words, other_directions
from mining.pattern import OccurrenceCount

log = logging.getLogger("gomkcn_dgl")

# mappings that are extended at once, and the steps of 10 ns that one takes for each node mapped
_BLOCK, _STEPS_OF_A_CHECK = 1 << 17, 12
_SIGNS: dict[str, Callable[[Any, Any], np.ndarray]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_MIRRORED = {">": "<", ">=": "<="}
# columns of attributes, a value for each node
Attributes = Mapping[str, Any]


class Column(NamedTuple):
    """An attribute of all nodes, ``[V]``, NaN where it is missing; text as numbers of ``words``."""

    values: np.ndarray
    words: list[str] | None = None


def text_of(structure: Structure) -> PatternText:
    """What a structure says: its edges and categories, without conditions."""
    relations, names = structure.relations, [str(node) for node in range(structure.num_nodes)]
    labels = structure.categories or ((),) * len(names)
    edges = [
        EdgePart(names[u], names[v], relations.names[kind], relations.directed[kind], False, "", 0)
        for (u, v), kind in zip(structure.edges, structure.edge_relations, strict=True)
    ]
    text = structure.to_text()
    return PatternText(text, dict(zip(names, labels, strict=True)), edges, [], [])


class ConditionalSearch:
    """The search for a pattern with conditions in a graph.

    ``structure`` has conditions in place of categories and relations, so that its symmetries are
    those of the pattern, and ``count`` is the number of occurrences at each node of the graph that
    the first node was mapped to, int64 ``[V]``.
    """

    def __init__(
        self,
        graph: CSRGraph,
        said: PatternText,
        reading: str = INDUCED,
        attributes: Attributes | None = None,
    ) -> None:
        check_choice("reading", reading, READINGS)
        structure_of_text(said)
        self.graph, self.names, self._said = graph, list(said.nodes), said
        self._columns = _read_columns(graph, said, attributes)
        self._degrees = graph.degrees
        # the entries of the graph as one number each, ascending
        rows = np.repeat(np.arange(graph.num_nodes), self._degrees)
        self._entries = rows * graph.num_nodes + graph.indices
        self._allowed, joined = self._find_allowed(reading)
        self.structure = self._conditions_as_structure(reading)
        # 1. what each node can be by its own conditions, [M, V]
        self._candidates = self._degrees >= joined.sum(axis=1)[:, None]
        self._candidates &= may_hold(graph, joined)
        names = graph.feature_names
        for node, labels in enumerate(said.nodes.values()):
            for label in labels:
                column = find_category(label, range(len(names)), names)
                self._candidates[node] &= graph.features[:, column] == 1
        for one in said.conditions:
            if len({term.node for term in one.terms}) == 1:
                node = self.names.index(one.left.node)
                self._candidates[node] &= self._holds(one)
        # 2. the order: those with fewest candidates first, each joined to one before
        sizes = self._candidates.sum(axis=1)
        self._order = [int(sizes.argmin())]
        while len(self._order) < len(sizes):
            near = set(np.flatnonzero(joined[self._order].any(axis=0)).tolist()) - {*self._order}
            self._order.append(min(near, key=lambda node: sizes[node]))
        # 3. pairs of nodes: what joins them, the one that comes first, and conditions
        self._joined, self._comes_first = joined, np.zeros_like(joined)
        for node, orbit in zip(self.structure.order, self.structure.stabilizers, strict=True):
            self._comes_first[node, list(orbit.keys() - {node})] = True
        self._comparisons = [
            (one, [self.names.index(term.node) for term in one.terms])
            for one in said.conditions
            if len({term.node for term in one.terms}) == 2
        ]
        self.count = np.zeros(graph.num_nodes, np.int64)
        self.steps, self.unfinished = 0, False

    def _find_allowed(self, reading: str) -> tuple[np.ndarray, np.ndarray]:
        """Links that may join each two nodes, bool ``[M, M, K]``, and which two are joined."""
        relations, size = self.graph.relations, len(self.names)
        asked = np.zeros((size, size, len(relations.channels)), bool)
        allowed = np.ones((size, size, len(relations.links)), bool)
        joined = np.zeros((size, size), bool)
        for edge in [*self._said.edges, *self._said.absent]:
            ends = self.names.index(edge.first), self.names.index(edge.second)
            channels = self._channels_of(edge)
            for (i, j), own in ((ends, channels), (ends[::-1], channels[relations.opposite])):
                has = relations.links[:, own].any(axis=1)
                allowed[i, j] &= ~has if edge.is_absent else has
                if not edge.is_absent:
                    asked[i, j] |= own
                    joined[i, j] = True
        if reading == INDUCED:
            # and nothing that no edge of the pattern asks for
            allowed &= ~(relations.links & ~asked[:, :, None]).any(axis=3)
        return allowed, joined

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
            self._said.refuse(
                f"pattern must have edges of the graph's relations, {in_words(relations)}, got "
                f"{edge.given!r}, an edge {kind}; write it otherwise, or "
                f"{other_directions(has_direction=edge.has_direction)}.",
                edge.at,
            )
        return np.array(own)

    def _conditions_as_structure(self, reading: str) -> Structure:
        """A structure with the symmetries of edges and conditions."""
        node_of, own = self.names.index, [[*labels] for labels in self._said.nodes.values()]
        rows = set[tuple[int, int, str]]()
        directed = set[str]()
        # an induced occurrence lacks these edges anyway
        for edge in [*self._said.edges, *([] if reading == INDUCED else self._said.absent)]:
            kind = f"{'no ' * edge.is_absent}{edge.relation}{'>' * edge.has_direction}"
            rows.add((node_of(edge.first), node_of(edge.second), kind))
            directed |= {kind} if edge.has_direction else set()
        for one in self._said.conditions:
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
            roles=tuple(self.names),
        )

    def _holds(
        self, one: Condition, first: Any = slice(None), second: Any = slice(None)
    ) -> np.ndarray:
        """Where a condition holds, for the graph nodes that its nodes are mapped to."""
        (values, words), sign = self._columns[one.left.attribute], one.operator
        if words is not None and sign[0] in "<>":
            self._refuse(one, "text, which is compared by =, != and in")
        left = values[first]
        known = ~np.isnan(left)
        if sign.endswith("in"):
            return np.asarray(known & (np.isin(left, self._literals(one)) == (sign == "in")))
        if isinstance(one.right, Term):
            right = self._compared_with(one, one.right)[second]
            known &= ~np.isnan(right)
        else:
            (right,) = self._literals(one)
        return np.asarray(known & _SIGNS[sign](left, right))

    def _literals(self, one: Condition) -> np.ndarray:
        """The values of a condition as numbers in its column."""
        values, words = self._columns[one.left.attribute]
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
        values, words = self._columns[term.attribute]
        is_text = words or self._columns[one.left.attribute].words
        if is_text and one.left.attribute != term.attribute:
            self._refuse(one, f"numbers, and {term.attribute} too, or compare it with itself")
        return values

    def _refuse(self, one: Condition, rule: str) -> NoReturn:
        term = one.left
        self._said.refuse(f"pattern must have {term.attribute} as {rule}.", term.at)

    @property
    def roots(self) -> np.ndarray:
        """The nodes that the search begins at, int64 ``[R]``."""
        return np.flatnonzero(self._candidates[self._order[0]])

    def run(
        self,
        roots: np.ndarray | None = None,
        *,
        max_steps: int,
        watch: Watch = to_the_end,
    ) -> None:
        """Count the occurrences that begin at some roots, or at all; see :meth:`list_places`."""
        self.list_places(0, max_steps, roots, watch=watch)

    def list_places(
        self,
        most: int,
        max_steps: int,
        roots: np.ndarray | None = None,
        seed: int = 0,
        watch: Watch = to_the_end,
    ) -> np.ndarray:
        """Search until the end, until the search takes over ``max_steps``, or ``watch`` ends it.

        With ``roots``, for the occurrences that begin at one of these. Returns a uniform sample of
        up to ``most`` of those found, int32 ``[K, M]``.
        """
        self.count[:], self.steps, self.unfinished = 0, 0, False
        random, size = np.random.default_rng(seed), len(self._order)
        kept, keys = np.empty((0, size), np.int64), np.empty(0)
        # so many rows have about a block of neighbours
        num_rows = 1 + _BLOCK * self.graph.num_nodes // (1 + len(self._entries))
        stack = [(self.roots if roots is None else roots)[:, None]]
        while stack:
            rows = stack.pop()
            level = rows.shape[1]
            if level == size:
                np.add.at(self.count, rows[:, 0], 1)
                # those with the smallest random numbers
                if most:
                    kept = np.concatenate([kept, rows])
                    keys = np.concatenate([keys, random.random(len(rows))])
                    chosen = np.argsort(keys)[:most]
                    kept, keys = kept[chosen], keys[chosen]
            elif len(rows):
                # 1. beside each mapping the neighbours of a mapped node: of those that the next one
                # is joined to, the one with fewest
                part = rows[:num_rows]
                near = part[:, self._joined[self._order[level], self._order[:level]]]
                closest = self._degrees[near].argmin(axis=1)[:, None]
                base = np.take_along_axis(near, closest, axis=1)[:, 0]
                # 2. as many mappings as a block holds
                ends = np.cumsum(self._degrees[base])
                taken = max(1, int(ends.searchsorted(_BLOCK, "right")))
                self.steps += _STEPS_OF_A_CHECK * level * int(ends[min(taken, len(ends)) - 1])
                if self.steps > max_steps or not watch(self.steps / max_steps):
                    self.unfinished = True
                    break
                stack.append(rows[taken:])
                stack.append(self._extend(part[:taken], base[:taken]))
        places = kept[:, np.argsort(self._order)].astype(np.int32)
        return places[np.lexsort(places.T[::-1])]

    def _extend(self, rows: np.ndarray, base: np.ndarray) -> np.ndarray:
        """Map the next node to the neighbours of ``base [R]``, beside mappings ``[R, level]``."""
        graph, level = self.graph, rows.shape[1]
        node, before = self._order[level], self._order[:level]
        degrees = self._degrees[base]
        starts = np.repeat(graph.indptr[base] - (np.cumsum(degrees) - degrees), degrees)
        new = graph.indices[starts + np.arange(len(starts))].astype(np.int64)
        rows = np.column_stack([np.repeat(rows, degrees, axis=0), new])
        rows = rows[self._candidates[node][new]]
        # 1. different nodes, in the order that the symmetries ask for
        for place, other in enumerate(before):
            first, second = rows[:, place], rows[:, level]
            keep = first != second
            if self._comes_first[node, other]:
                keep = second < first
            elif self._comes_first[other, node]:
                keep = first < second
            rows = rows[keep]
        # 2. what may join them
        for place, other in enumerate(before):
            allowed = self._allowed[other, node]
            if not allowed.all():
                rows = rows[allowed[self._links(rows[:, place], rows[:, level])]]
        # 3. conditions on two nodes, of which this is one
        for one, nodes in self._comparisons:
            if node in nodes and set(nodes) <= {*before, node}:
                ends = [rows[:, self._order.index(end)] for end in nodes]
                rows = rows[self._holds(one, *ends)]
        return rows

    def _links(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """The link from each node to another, 0 where they are not joined."""
        if not len(self._entries):
            return np.zeros(len(first), np.int64)
        pair = first * self.graph.num_nodes + second
        place = np.minimum(np.searchsorted(self._entries, pair), len(self._entries) - 1)
        links = 1 if self.graph.links is None else self.graph.links[place]
        return np.where(self._entries[place] == pair, links, 0)

    def total(self, max_steps: int, seed: int, watch: Watch = to_the_end) -> OccurrenceCount:
        """All occurrences, or an estimate from a random sample of the roots."""
        # loads the compiled search, which a count of all does without
        from mining.counting.counter import estimate_from_roots

        self.run(max_steps=max_steps, watch=half_of(watch, 0))
        if not self.unfinished:
            return OccurrenceCount.exact(int(self.count.sum()))
        found = estimate_from_roots(self, seed, max_steps, half_of(watch, 1))
        if found is None:
            raise InputError(
                "the limits must be larger (max_steps, --count-seconds, --time-limit): no estimate "
                f"could be made from a sample of the {len(self.roots):,} candidates for "
                f"{self.names[self._order[0]]}."
            )
        return found

    @property
    def graphs(self) -> np.ndarray:
        """The graphs in which occurrences were found, bool ``[G]``."""
        found = np.zeros(self.graph.num_graphs, bool)
        found[self.graph.graph_of(np.flatnonzero(self.count))] = True
        return found

    def sample(
        self, most: int, max_steps: int, seed: int, watch: Watch = to_the_end
    ) -> tuple[np.ndarray, bool]:
        """Occurrences, and whether these are all; where the search is stopped, at random roots."""
        from mining.counting.counter import list_from_roots

        places = self.list_places(most, max_steps, None, seed, watch)
        if self.unfinished:
            return list_from_roots(self, most, seed, max_steps, watch), False
        return places, len(places) == int(self.count.sum())


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


def _search(
    graph: Any, pattern: str, reading: str, attributes: Attributes | None
) -> ConditionalSearch:
    said = PatternText.read(pattern)
    if not isinstance(graph, CSRGraph):
        given = attributes if attributes is not None else ()
        own = [name for name in said.attributes if name not in given]
        graph = as_unweighted(graph, features=own or None)
    return ConditionalSearch(graph, said, reading, attributes)


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
    return _search(graph, pattern, reading, attributes).total(max_steps, seed)


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
    return _search(graph, pattern, reading, attributes).sample(most, max_steps, seed)
