"""Patterns with conditions: against every mapping of the nodes, DotMotif, and texts at fault."""

import itertools
import logging

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.pattern_text import PatternText
from mining import count_occurrences, count_where, list_where
from mining.counting.conditional_search import ConditionalSearch

# an arrow of a relation, or of any; a line, which is any edge of an undirected graph
ACTS, STOPS, ANY = "acts", "stops", None


def draw(seed, directed):
    """A graph of eight nodes: its arrows by relation, both ways without direction, and attributes.

    Some sizes and kinds are missing.
    """
    rng = np.random.default_rng(seed)
    pairs = list(itertools.permutations(range(8), 2))
    rows = [(*pairs[k], str(rng.choice([ACTS, STOPS]))) for k in rng.choice(56, 20, replace=False)]
    if not directed:
        rows = sorted({(min(row[:2]), max(row[:2]), "edge") for row in rows})
    size = [float(one) if one < 4 else np.nan for one in rng.integers(5, size=8)]
    # each kind is there
    kind = [None if one == 3 else "abc"[one] for one in [0, 1, 2, *rng.integers(4, size=5)]]
    graph = nx.MultiDiGraph() if directed else nx.Graph()
    graph.add_nodes_from(range(8))
    graph.add_edges_from((u, v, {"sign": sign}) for u, v, sign in rows)
    csr = as_csr(graph, edge_type="sign" if directed else None)
    arrows = {*rows} if directed else {*rows} | {(v, u, sign) for u, v, sign in rows}
    near = {frozenset(row[:2]) for row in rows}
    degree = [sum(node in pair for pair in near) for node in range(8)]
    return csr, arrows, {"size": size, "kind": kind, "degree": degree}


def known(*values):
    return all(one is not None and one == one for one in values)


# text; edges that are there; edges that are not; condition on (size, kind, degree) of the nodes;
# mappings for each occurrence
DIRECTED = {
    "an arrow back is absent": (
        "A -> B, B -> C, C !> A", ["AB", "BC"], ["CA"], lambda s, k, d: True, 1),
    "a relation": (
        'A -> B [relation = "acts"], A -[stops]-> C; not A -> C [relation = "acts"]',
        [("AB", ACTS), ("AC", STOPS)], [("AC", ACTS)], lambda s, k, d: True, 1),
    "no edge in either direction": (
        "A -> B, A -> C\nB !- C", ["AB", "AC"], ["BC", "CB"], lambda s, k, d: True, 2),
    "a kind": (
        'A -> B, B -> C, B.kind = "b"', ["AB", "BC"], [], lambda s, k, d: k[1] == "b", 1),
    "kinds of both, not the same": (
        "A -> C, B -> C, A.kind != B.kind", ["AC", "BC"], [],
        lambda s, k, d: known(k[0], k[1]) and k[0] != k[1], 2),
    "a comparison": (
        "A -> B, C -> B, A.size > C.size, B.degree >= 3", ["AB", "CB"], [],
        lambda s, k, d: s[0] > s[2] and d[1] >= 3, 1),
    "the same comparison from both sides": (
        "A -> B, B -> A, A.size <= B.size, B.size <= A.size", ["AB", "BA"], [],
        lambda s, k, d: s[0] == s[1], 2),
}  # fmt: skip
UNDIRECTED = {
    "one of several kinds": (
        'A -- B, B -- C, C -- A, A.kind in ("a", "b"), not B.kind in ("a", "b")',
        ["AB", "BC", "CA"], [],
        lambda s, k, d: k[0] in ("a", "b") and known(k[1]) and k[1] not in ("a", "b"), 1),
    "a ring without its chords": (
        "A -- B, B -- C, C -- D, D -- A, A !- C, not B -- D, not A.size < .5",
        ["AB", "BC", "CD", "DA"], ["AC", "BD"], lambda s, k, d: s[0] >= 0.5, 2),
    "both ends alike": (
        "A -- B, B -- C, A.kind = C.kind, A.degree = C.degree, B.size < 3", ["AB", "BC"], [],
        lambda s, k, d: known(k[0]) and k[0] == k[2] and d[0] == d[2] and s[1] < 3, 2),
    "two attributes of two nodes": (
        "A -- B, A.degree > B.size", ["AB"], [], lambda s, k, d: d[0] > s[1], 1),
    "two attributes of one node": (
        "A -- B, A.size != A.degree", ["AB"], [], lambda s, k, d: known(s[0]) and s[0] != d[0], 1),
}  # fmt: skip


def every_mapping(arrows, attributes, case, reading):
    """All mappings, by the definition: the nodes are in the order in which the text names them."""
    text, edges, absent, holds, _ = case
    names = list(PatternText.read(text).nodes)
    asked = [(one, ANY) if isinstance(one, str) else one for one in edges]
    missing = [(one, ANY) if isinstance(one, str) else one for one in absent]
    undirected = "--" in text

    def has(nodes, ends, relation):
        u, v = (nodes[names.index(end)] for end in ends)
        return any(
            (u, v, one) in arrows for one in ([relation] if relation else (ACTS, STOPS, "edge"))
        )

    for nodes in itertools.permutations(range(8), len(names)):
        ordered = [nodes[names.index(name)] for name in sorted(names)]
        of = [[attributes[name][node] for node in ordered] for name in ("size", "kind", "degree")]
        fits = all(has(nodes, *one) for one in asked)
        fits = fits and not any(has(nodes, *one) for one in missing) and holds(*of)
        if fits and reading == "induced":
            allowed = {*asked} | ({(ends[::-1], ANY) for ends, _ in asked} if undirected else set())
            named = {
                (pair, one)
                for pair, one in allowed
                for one in ([one] if one else (ACTS, STOPS, "edge"))
            }
            fits = not any(
                ("".join(pair), one) not in named and has(nodes, pair, one)
                for pair in itertools.permutations(names, 2)
                for one in (ACTS, STOPS, "edge")
            )
        if fits:
            yield nodes


@pytest.mark.parametrize("reading", ["induced", "subgraph"])
@pytest.mark.parametrize("name", [*DIRECTED, *UNDIRECTED])
def test_every_mapping(name, reading):
    directed = name in DIRECTED
    case, total = (DIRECTED | UNDIRECTED)[name], 0
    for seed in range(20):
        graph, arrows, attributes = draw(seed, directed)
        truth = [*every_mapping(arrows, attributes, case, reading)]
        options = {"reading": reading, "attributes": {k: attributes[k] for k in ("size", "kind")}}
        count = count_where(graph, case[0], **options)
        assert (count.value, count.is_exact) == (len(truth) / case[-1], True)
        places, complete = list_where(graph, case[0], **options)
        assert complete
        assert {*map(tuple, places.tolist())} <= {*truth}
        assert len({*map(tuple, places.tolist())}) == count.value
        total += count.value
    assert total > 0
