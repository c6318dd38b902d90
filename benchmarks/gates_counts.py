"""Counts of small patterns in small graphs, by this package and by slow ways that share no code.

The slow ones are NetworkX, tables of partial mappings, and a look at every mapping of the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from counted_pairs import KINDS, draw_pair
from networkx.algorithms.isomorphism import DiGraphMatcher, GraphMatcher

from gomkcn import CSRGraph, Structure, as_csr, count
from gomkcn.mining.counting.counter import count_query
from gomkcn.mining.counting.query import Query

# most nodes of a pattern
LARGEST = 5
# pairs of a graph and a pattern of each kind
PAIRS = 12
# patterns of arcs
DIGRAPHS = 30
READINGS = ("induced", "subgraph")
# graphs in which each pattern with conditions is counted, and their nodes and edges
DRAWN, NODES, EDGES = 4, 8, 22
RELATIONS = ("acts", "stops")
# columns of the values of the nodes of a mapping, [K] each
Columns = dict[str, np.ndarray]


class Counted(NamedTuple):
    """A count: of what, by this package, and by a slow way."""

    kind: str
    name: str
    count: int
    expected: int


def every_count() -> Iterator[Counted]:
    yield from count_pairs()
    yield from count_small_graphs()
    yield from count_small_digraphs()
    yield from count_conditions()


def count_pairs() -> Iterator[Counted]:
    """Connected parts of random graphs with directions, relations and categories, or without."""
    for seed, (directed, typed, categorical) in enumerate(KINDS):
        rng = np.random.default_rng(seed)
        names = ("directed", "with relations", "with categories")
        flags = (directed, typed, categorical)
        told = [name for name, is_so in zip(names, flags, strict=True) if is_so]
        kind = f"parts, {', '.join(told) or 'plain'}"
        number = 0
        while number < PAIRS:
            pair = draw_pair(rng, directed, typed, categorical)
            if len(pair.nodes) > LARGEST:
                continue
            colors = (pair.pattern[1], pair.colors) if categorical else None
            found, _ = count_query(Query.of_structure(pair.graph, pair.structure, colors))
            yield Counted(kind, f"pair {number}", _exact(found), pair.count())
            number += 1


def count_small_graphs() -> Iterator[Counted]:
    """Every connected graph of two to five nodes in a random graph, by NetworkX."""
    graph = nx.gnp_random_graph(12, 0.4, seed=0)
    for number, pattern in enumerate(nx.graph_atlas_g()):
        if 2 <= len(pattern) <= LARGEST and nx.is_connected(pattern):
            yield from _by_networkx("every graph", f"number {number}", graph, pattern, GraphMatcher)


def count_small_digraphs() -> Iterator[Counted]:
    """Random digraphs in one, by NetworkX."""
    graph = nx.gnp_random_graph(12, 0.3, seed=0, directed=True)
    rng = np.random.default_rng(0)
    number = 0
    while number < DIGRAPHS:
        size, seed = int(rng.integers(2, LARGEST + 1)), int(rng.integers(2**31))
        pattern = nx.gnp_random_graph(size, 0.35, seed=seed, directed=True)
        if not nx.is_empty(pattern) and nx.is_weakly_connected(pattern):
            name = f"digraph {number}"
            yield from _by_networkx("digraphs", name, graph, pattern, DiGraphMatcher)
            number += 1


def _by_networkx(
    kind: str, name: str, graph: nx.Graph, pattern: nx.Graph, matcher: type[Any]
) -> Iterator[Counted]:
    """Both readings: the count of occurrences, and that of a pattern as text."""
    symmetries = _number(matcher(pattern, pattern).subgraph_isomorphisms_iter())
    induced = _number(matcher(graph, pattern).subgraph_isomorphisms_iter()) // symmetries
    some = _number(matcher(graph, pattern).subgraph_monomorphisms_iter()) // symmetries
    structure, large = Structure.from_networkx(pattern), as_csr(graph)
    text = structure.to_text()
    yield Counted(f"{kind}, induced", name, _exact(count(large, structure)), induced)
    for reading, expected in zip(READINGS, (induced, some), strict=True):
        found = count(large, text, reading=reading)
        yield Counted(f"{kind}, text, {reading}", name, _exact(found), expected)


def _number(mappings: Iterator[Any]) -> int:
    return sum(1 for _ in mappings)


def _exact(found: Any) -> int:
    """An exact count; of an estimate what can be no count."""
    return int(found.value) if found.is_exact else -1


# patterns with conditions, by every mapping


@dataclass(frozen=True)
class Conditions:
    """A pattern as text, and the same in a form that needs no reader.

    ``edges`` and ``absent`` have two nodes and a relation, or "" for any; ``holds`` says of the
    columns of values of A, B, C, … which mappings fulfil the conditions; ``symmetries`` is the
    number of mappings of each occurrence.
    """

    text: str
    edges: tuple[tuple[str, str], ...]
    absent: tuple[tuple[str, str], ...]
    symmetries: int
    holds: Callable[[Columns], np.ndarray]


def _always(values: Columns) -> np.ndarray:
    return np.ones(len(values["A.size"]), bool)


ARROWS = (
    Conditions("A -> B, B -> C, C !> A", (("AB", ""), ("BC", "")), (("CA", ""),), 1, _always),
    Conditions(
        'A -> B [relation = "acts"], A -[stops]-> C; not A -> C [relation = "acts"]',
        (("AB", "acts"), ("AC", "stops")),
        (("AC", "acts"),),
        1,
        _always,
    ),
    Conditions(
        "A -> B, A -> C, B !- C", (("AB", ""), ("AC", "")), (("BC", ""), ("CB", "")), 2, _always
    ),
    Conditions(
        'A -> C, B -> C, A.kind != B.kind, C.kind = "b"',
        (("AC", ""), ("BC", "")),
        (),
        2,
        lambda of: (of["A.kind"] != of["B.kind"]) & (of["C.kind"] == "b"),
    ),
    Conditions(
        "A -> B, C -> B, A.size > C.size, B.degree >= 4",
        (("AB", ""), ("CB", "")),
        (),
        1,
        lambda of: (of["A.size"] > of["C.size"]) & (of["B.degree"] >= 4),
    ),
    Conditions(
        "A -> B, B -> C, C -> D, A !- D, A.size = D.size",
        (("AB", ""), ("BC", ""), ("CD", "")),
        (("AD", ""), ("DA", "")),
        1,
        lambda of: of["A.size"] == of["D.size"],
    ),
)
LINES = (
    Conditions(
        "A -- B, B -- C, C -- D, D -- A, A !- C, not B -- D, not A.size < 1",
        (("AB", ""), ("BC", ""), ("CD", ""), ("DA", "")),
        (("AC", ""), ("BD", "")),
        2,
        lambda of: of["A.size"] >= 1,
    ),
    Conditions(
        'A -- B, B -- C, C -- A, A.kind in ("a", "b"), not B.kind in ("a", "b")',
        (("AB", ""), ("BC", ""), ("CA", "")),
        (),
        1,
        lambda of: np.isin(of["A.kind"], ["a", "b"]) & ~np.isin(of["B.kind"], ["a", "b"]),
    ),
    Conditions(
        "A -- B, B -- C, B -- D, A.kind = C.kind, A.degree = C.degree",
        (("AB", ""), ("BC", ""), ("BD", "")),
        (),
        2,
        lambda of: (of["A.kind"] == of["C.kind"]) & (of["A.degree"] == of["C.degree"]),
    ),
    Conditions(
        "A -- B, A.degree > B.size", (("AB", ""),), (), 1, lambda of: of["A.degree"] > of["B.size"]
    ),
)


def count_conditions() -> Iterator[Counted]:
    """Patterns with conditions in both readings."""
    for directed, cases in ((True, ARROWS), (False, LINES)):
        for seed in range(DRAWN):
            graph, joined, values = _draw_values(seed, directed)
            for case in cases:
                for reading in READINGS:
                    attributes = {name: values[name] for name in ("size", "kind")}
                    found = count(graph, case.text, reading=reading, attributes=attributes)
                    expected = _every_mapping(joined, values, case, reading, directed)
                    name = f"{case.text!r}, graph {seed}"
                    yield Counted(f"conditions, {reading}", name, _exact(found), expected)


def _draw_values(seed: int, directed: bool) -> tuple[CSRGraph, dict[str, np.ndarray], Columns]:
    """A graph, which nodes are joined by each relation, bool ``[V, V]``, and values of nodes."""
    rng = np.random.default_rng(seed)
    pairs = np.array(list(permutations(range(NODES), 2)))
    rows = pairs[rng.choice(len(pairs), EDGES, replace=False)]
    of_edge = rng.choice(RELATIONS, EDGES) if directed else np.full(EDGES, "edge")
    graph: nx.Graph = nx.MultiDiGraph() if directed else nx.Graph()
    graph.add_nodes_from(range(NODES))
    joined = {name: np.zeros((NODES, NODES), bool) for name in (*RELATIONS, "edge")}
    for (u, v), relation in zip(rows.tolist(), of_edge.tolist(), strict=True):
        graph.add_edge(u, v, relation=relation)
        joined[relation][u, v] = True
        joined[relation][v, u] |= not directed
    every = np.logical_or.reduce([*joined.values()])
    values = {
        "size": rng.integers(4, size=NODES).astype(float),
        # each kind is there
        "kind": np.array(["a", "b", "c", *rng.choice(["a", "b", "c"], NODES - 3)]),
        "degree": (every | every.T).sum(axis=0),
    }
    return as_csr(graph, relation="relation" if directed else None), joined, values


def _every_mapping(
    joined: dict[str, np.ndarray], values: Columns, case: Conditions, reading: str, directed: bool
) -> int:
    names = sorted({node for ends, _ in case.edges for node in ends})
    nodes = np.array(list(permutations(range(NODES), len(names))))
    place = {name: nodes[:, number] for number, name in enumerate(names)}

    def are_joined(ends: str, relation: str) -> np.ndarray:
        kinds = [relation] if relation else [*joined]
        first, second = place[ends[0]], place[ends[1]]
        return np.logical_or.reduce([joined[kind][first, second] for kind in kinds])

    asked, absent = list(case.edges), list(case.absent)
    if not directed:
        asked += [(ends[::-1], relation) for ends, relation in asked]
    if reading == "induced":
        named = {
            (ends, kind)
            for ends, relation in asked
            for kind in ([relation] if relation else joined)
        }
        absent += [
            (u + v, kind)
            for u, v in permutations(names, 2)
            for kind in joined
            if (u + v, kind) not in named
        ]
    holds = case.holds(
        {f"{name}.{key}": column[place[name]] for name in names for key, column in values.items()}
    )
    for ends, relation in asked:
        holds = holds & are_joined(ends, relation)
    for ends, relation in absent:
        holds = holds & ~are_joined(ends, relation)
    return int(holds.sum()) // case.symmetries
