"""Edges that are compared with each other: against every mapping and every choice of edges."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn, invoke

from gomkcn.mining import count, places
from gomkcn.mining.counting import conditions
from gomkcn.mining.counting.counter import count_query
from gomkcn.mining.counting.counts import read_query
from gomkcn.mining.counting.occurrence_search import OccurrenceSearch
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.pattern_text import PatternText
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph

SIZE = 7


def draw(seed, directed):
    """Edges (u, v, relation, w, t, kind): some parallel, some self-loops, some values missing."""
    rng = np.random.default_rng(seed)
    rows = []
    loops = [[node, node] for node in rng.integers(SIZE, size=8).tolist()]
    for u, v in [*rng.integers(SIZE, size=(30, 2)).tolist(), *loops]:
        w, t = (None if one == 4 else int(one) for one in rng.integers(5, size=2))
        kind = [None, "x", "y"][rng.integers(3)]
        rows.append((u, v, ["acts", "stops"][rng.integers(2)], w, t, kind))
    graph = nx.MultiDiGraph() if directed else nx.MultiGraph()
    graph.add_nodes_from(range(SIZE))
    for u, v, sign, *values in rows:
        known = zip(("w", "t", "kind"), values, strict=True)
        graph.add_edge(u, v, sign=sign, **{name: one for name, one in known if one is not None})
    if not directed:
        rows += [(v, u, *rest) for u, v, *rest in rows if u != v]
    return graph, rows


# of the values (w, t, kind) of edges: False with what is missing
def less(a, b):
    return a is not None and b is not None and a < b


def same(a, b):
    return a is not None and b is not None and a == b


def other(a, b):
    return a is not None and b is not None and a != b


W, T, KIND = range(3)
# text; of each edge its ends and its relation, if any; condition on the values of these edges; how
# many mappings are one occurrence
DIRECTED = {
    "one after the other": (
        "A -> B as ab, B -> C as bc, ab.w > bc.w", ["AB", "BC"],
        lambda ab, bc: less(bc[W], ab[W]), 1),
    "both of one node, alike": (
        "A -> B as one, A -> C as two, one.w = two.w", ["AB", "AC"],
        lambda one, two: same(one[W], two[W]), 2),
    "in an order": (
        "A -> B as one, A -> C as two, one.t < two.t", ["AB", "AC"],
        lambda one, two: less(one[T], two[T]), 1),
    "not in an order": (
        "A -> B as one, A -> C as two, not one.t < two.t", ["AB", "AC"],
        lambda one, two: less(two[T], one[T]) or same(one[T], two[T]), 1),
    "two attributes of each": (
        "A -> B as ab, B -> C as bc, ab.t < bc.t, ab.w >= bc.w", ["AB", "BC"],
        lambda ab, bc: less(ab[T], bc[T]) and (less(bc[W], ab[W]) or same(bc[W], ab[W])), 1),
    "one attribute with another": (
        "A -> B as ab, C -> B as cb, ab.w != cb.t", ["AB", "CB"],
        lambda ab, cb: other(ab[W], cb[T]), 1),
    "each with the other's": (
        "A -> B as ab, C -> B as cb, ab.w < cb.t, cb.w < ab.t", ["AB", "CB"],
        lambda ab, cb: less(ab[W], cb[T]) and less(cb[W], ab[T]), 2),
    "three in a row, and one and the same in the middle": (
        "A -> B as a, B -> C as b, C -> A as c, a.t < b.t, b.t <= c.t", ["AB", "BC", "CA"],
        lambda a, b, c: less(a[T], b[T]) and (less(b[T], c[T]) or same(b[T], c[T])), 1),
    "a cycle of comparisons": (
        "A -> B as a, B -> C as b, C -> A as c, a.w != b.w, b.w != c.w, c.w != a.w",
        ["AB", "BC", "CA"],
        lambda a, b, c: other(a[W], b[W]) and other(b[W], c[W]) and other(c[W], a[W]), 3),
    "parallel relations": (
        "A -[acts]-> B as a, A -[stops]-> B as s, a.w < s.w", [("AB", "acts"), ("AB", "stops")],
        lambda a, s: less(a[W], s[W]), 1),
    "there and back": (
        "A -> B as ab, B -> A as ba, ab.w <= ba.w, ba.w <= ab.w", ["AB", "BA"],
        lambda ab, ba: same(ab[W], ba[W]), 2),
    "a test of the same edge": (
        "A -> B [t >= 2] as ab, B -> C as bc, bc.w < ab.w, bc.t in (0, 3), ab.w != 3", ["AB", "BC"],
        lambda ab, bc: less(1, ab[T]) and less(bc[W], ab[W]) and bc[T] in (0, 3) and ab[W] != 3,
        1),
    "two attributes of one edge": (
        "A -> B as ab, B -> C, ab.w < ab.t", ["AB", "BC"], lambda ab, bc: less(ab[W], ab[T]), 1),
    "text": (
        'A -> B as ab, B -> C as bc, ab.kind = bc.kind, bc.kind != "y"', ["AB", "BC"],
        lambda ab, bc: same(ab[KIND], bc[KIND]) and other(bc[KIND], "y"), 1),
    "a self-loop and an edge": (
        "A -> A as loop, A -> B as ab, loop.w > ab.w", ["AA", "AB"],
        lambda loop, ab: less(ab[W], loop[W]), 1),
    "a self-loop at either end": (
        "A -> A as l, A -> B, B -> B as m, l.t = m.t", ["AA", "AB", "BB"],
        lambda first, ab, last: same(first[T], last[T]), 1),
    "self-loops alone": (
        "A -[acts]-> A as a, A -[stops]-> A as s, a.w < s.w", [("AA", "acts"), ("AA", "stops")],
        lambda a, s: less(a[W], s[W]), 1),
    "self-loops, beside an edge": (
        "A -[acts]-> A as a, A -[stops]-> A as s, a.w < s.w, A -> B",
        [("AA", "acts"), ("AA", "stops"), "AB"],
        lambda a, s, ab: less(a[W], s[W]), 1),
    "a condition on a node as well": (
        "A -> B as ab, B -> C as bc, ab.w > bc.w, A.degree >= 4, A.name != C.name", ["AB", "BC"],
        lambda ab, bc: less(bc[W], ab[W]), 1),
    "a multiple of another": (
        "A -> B as ab, B -> C as bc, ab.w > 1.5 * bc.w", ["AB", "BC"],
        lambda ab, bc: None not in (ab[W], bc[W]) and ab[W] > 1.5 * bc[W], 1),
    "the same multiple of both": (
        "A -> B as one, A -> C as two, 2 * one.w = 2.0 * two.w", ["AB", "AC"],
        lambda one, two: same(one[W], two[W]), 2),
    "between two multiples": (
        "A -> B as ab, B -> C as bc, ab.w >= bc.w, ab.w <= 2 * bc.w", ["AB", "BC"],
        lambda ab, bc: None not in (ab[W], bc[W]) and bc[W] <= ab[W] <= 2 * bc[W], 1),
    "a negative multiple": (
        "A -> B as ab, B -> C as bc, -1 * ab.w < -.5 * bc.t", ["AB", "BC"],
        lambda ab, bc: None not in (ab[W], bc[T]) and -ab[W] < -bc[T] / 2, 1),
    "a multiple within an edge": (
        "A -> B as ab, B -> C, ab.w < 2 * ab.t", ["AB", "BC"],
        lambda ab, bc: None not in ab[:2] and ab[W] < 2 * ab[T], 1),
    "the same comparisons in other words": (
        "bc.w < ab.w, A -> B as ab, B -> C as bc, not ab.w <= bc.w", ["AB", "BC"],
        lambda ab, bc: less(bc[W], ab[W]), 1),
}  # fmt: skip
UNDIRECTED = {
    "a path": (
        "A -- B as ab, B -- C as bc, ab.w > bc.w", ["AB", "BC"],
        lambda ab, bc: less(bc[W], ab[W]), 1),
    "a path whose ends are alike": (
        "A -- B as ab, B -- C as bc, ab.w != bc.w", ["AB", "BC"],
        lambda ab, bc: other(ab[W], bc[W]), 2),
    "two edges of three": (
        "A -- B as ab, B -- C as bc, C -- D, ab.t = bc.t", ["AB", "BC", "CD"],
        lambda ab, bc, cd: same(ab[T], bc[T]), 1),
    "two pairs that a symmetry exchanges": (
        "A -- B as ab, B -- C as bc, C -- D as cd, ab.t < bc.w, cd.t < bc.w", ["AB", "BC", "CD"],
        lambda ab, bc, cd: less(ab[T], bc[W]) and less(cd[T], bc[W]), 2),
    "two pairs that none exchanges": (
        "A -- B as ab, B -- C as bc, C -- D as cd, D -- A as da, ab.t < bc.t, cd.t < da.t",
        ["AB", "BC", "CD", "DA"],
        lambda ab, bc, cd, da: less(ab[T], bc[T]) and less(cd[T], da[T]), 2),
    "a triangle in an order": (
        "A -- B as a, B -- C as b, C -- A as c, a.w <= b.w, b.w <= c.w", ["AB", "BC", "CA"],
        lambda a, b, c: not less(b[W], a[W]) and not less(c[W], b[W])
        and None not in (a[W], b[W], c[W]), 1),
    "a self-loop": (
        "A -- A as l, A -- B as ab, B -- C as bc, l.w != ab.w, bc.t != l.t", ["AA", "AB", "BC"],
        lambda loop, ab, bc: other(loop[W], ab[W]) and other(bc[T], loop[T]), 1),
}  # fmt: skip


def every_mapping(rows, case, reading, directed, degree):
    """All mappings with a choice of edges that meets the condition, by the definition."""
    text, parts, holds, _ = case
    names = list(PatternText.read(text).nodes)
    parts = [(part, None) if isinstance(part, str) else part for part in parts]
    named = {(*ends, sign) for ends, only in parts for sign in ("acts", "stops")
             if only in (None, sign)}  # fmt: skip
    named |= set() if directed else {(v, u, sign) for u, v, sign in named}
    of = {}
    for u, v, sign, *values in rows:
        of.setdefault((u, v), []).append((sign, values))
    for nodes in itertools.permutations(range(SIZE), len(names)):
        node = dict(zip(names, nodes, strict=True))
        if reading == "induced" and any(
            (i, j, sign) not in named
            for i, j in itertools.permutations(names, 2)
            for sign, _ in of.get((node[i], node[j]), [])
        ):
            continue
        if "A.degree >= 4" in text and degree[node["A"]] < 4:
            continue
        choices = [
            [values for sign, values in of.get((node[i], node[j]), []) if only in (None, sign)]
            for (i, j), only in parts
        ]
        if any(holds(*chosen) for chosen in itertools.product(*choices)):
            yield nodes


@pytest.mark.parametrize("reading", ["induced", "subgraph"])
@pytest.mark.parametrize("name", [*DIRECTED, *UNDIRECTED])
def test_every_mapping(name, reading):
    directed = name in DIRECTED
    case, total = (DIRECTED | UNDIRECTED)[name], 0
    for seed in range(6):
        graph, rows = draw(seed, directed)
        near = {frozenset(row[:2]) for row in rows if row[0] != row[1]}
        degree = [sum(node in pair for pair in near) for node in range(SIZE)]
        truth = [*every_mapping(rows, case, reading, directed, degree)]
        given = relations_of(graph, case[0])
        found = count(given, case[0], reading=reading)
        assert (found.value, found.is_exact) == (len(truth) / case[-1], True), seed
        nodes, complete = places(given, case[0], reading=reading)
        listed = {*map(tuple, nodes.tolist())}
        assert complete and listed <= {*truth} and len(listed) == found.value
        total += found.value
    assert total > 0


def relations_of(graph, text):
    """A table of edges with relations where the text names them, else the graph."""
    if "acts" not in text:
        return graph
    # nodes without an edge count for nothing here
    return nx.to_pandas_edgelist(graph).rename(columns={"sign": "relation"})


def test_files_objects_and_collections_are_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "A -> B as ab, B -> C as bc, ab.w > bc.w"
    graphs = [draw(seed, directed=True)[0] for seed in range(3)]
    numbers = [count(graph, text, reading="subgraph").value for graph in graphs]
    assert count(graphs, text, reading="subgraph", by="graph").tolist() == numbers
    query = read_query(graphs, text, reading="subgraph")
    apart = [count_query(one)[0].value for one in query.of_each_graph()]
    assert apart == numbers and all(numbers)
    by_node = count(graphs, text, reading="subgraph", by="node")
    assert by_node.sum() == 3 * sum(numbers)
    for number, graph in zip(numbers, graphs, strict=True):
        nx.write_graphml(graph, "g.graphml")
        said = gomkcn(f"count {text!r} g.graphml --reading subgraph --list 2")
        assert "3 nodes, 2 edges, 1 condition" in said
        assert f"occurrences {number}, counted exactly" in said


def test_the_weights_of_a_matrix_and_of_a_graph_that_was_read_are_compared(tmp_path):
    matrix = np.array([[0, 3, 0], [0, 0, 2], [1, 0, 0]])
    text = "A -> B as ab, B -> C as bc, ab.weight > bc.weight"
    assert count(matrix, text, reading="subgraph").value == 2
    (tmp_path / "g.csv").write_text("source,target,weight\na,b,3\nb,c,2\nc,a,1\n")
    graph = read_graph(tmp_path / "g.csv", directed=True)
    assert count(graph, text, reading="subgraph").value == 2


def test_an_edge_of_two_directions_has_the_values_of_both():
    pairs = nx.MultiGraph([("a", "b", {"w": 1}), ("b", "a", {"w": 5}), ("b", "c", {"w": 3})])
    # a -- b is heavier than b -- c by one of its edges, and lighter by the other
    assert count(pairs, "A -- B as ab, B -- C as bc, ab.w > bc.w").value == 2
    # one edge must meet all
    text = "A -- B as ab, B -- C as bc, ab.w > bc.w, ab.w < 2"
    assert count(pairs, text).value == 0


def test_an_estimate_is_near_the_count():
    rng = np.random.default_rng(5)
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(
        (int(u), int(v), int(w)) for u, v, w in rng.integers(300, size=(5000, 3)) if u != v
    )
    text = "A -> B as ab, B -> C as bc, C -> D as cd, ab.weight < bc.weight, bc.weight < cd.weight"
    exact = count(graph, text, reading="subgraph", max_steps=10**9)
    found = [
        count(graph, text, reading="subgraph", max_steps=1_200_000, seed=seed) for seed in range(8)
    ]
    assert exact.is_exact and not any(one.is_exact for one in found)
    assert sum(one.low <= exact.value <= one.high for one in found) >= 5


def test_many_edges_between_two_nodes_are_compared_by_the_best_of_them():
    graph = nx.MultiDiGraph()
    for t in range(3000):
        graph.add_edge("a", "b", t=t)
        graph.add_edge("b", "c", t=t + 1 if t < 2999 else 0)
        graph.add_edge("c", "d", t=-t)
    # the first and the last event say all
    text = "A -> B as x, B -> C as y, x.t < y.t"
    query = read_query(graph, text)
    assert [len(rows.source) for rows in query.edges] == [3, 3]
    # a -> b -> c alone: all of c -> d are too early
    assert count(graph, text).value == 1
    # in the middle of three all count
    chain = "A -> B as x, B -> C as y, C -> D as z, x.t < y.t, y.t > z.t"
    assert count(graph, chain).value == 1
    assert count(graph, "A -> B as x, B -> C as y, C -> D as z, x.t < y.t, y.t < z.t").value == 0
    # one of those that are alike
    nx.set_edge_attributes(graph, {edge: edge[2] % 2 for edge in graph.edges}, "odd")
    # and none without a value
    graph.add_edges_from([("a", "b")] * 50)
    query = read_query(graph, "A -> B as x, B -> C as y, x.odd = y.odd")
    assert [len(rows.source) for rows in query.edges] == [6, 6]


def test_too_many_ways_to_choose_edges_are_refused_before_the_search():
    graph = nx.MultiDiGraph()
    graph.add_edges_from(("a", "b", {"t": t}) for t in range(400))
    graph.add_edges_from(("b", "c", {"t": t + 1000}) for t in range(400))
    with pytest.raises(InputError, match="at most 100,000 combinations .*, got 160,000; compare"):
        count(graph, "A -> B as x, B -> C as y, x.t = y.t")
    assert conditions._MOST_WAYS == 100_000
    assert count(graph, "A -> B as x, B -> C as y, x.t = y.t, x.t < 200").value == 0


def test_rows_that_are_looked_at_are_steps_of_the_search():
    graph = nx.MultiDiGraph()
    for t, spoke in itertools.product(range(60), range(5)):
        graph.add_edge("hub", spoke, t=2 * t, u=t)
        graph.add_edge(spoke, "hub", t=2 * t + 1, u=t)
    text = "A -> B as x, B -> A as y, x.t = y.t, x.u != y.u"
    search = OccurrenceSearch(read_query(graph, text))
    search.run()
    # of each of five pairs all 60 · 60 choices, four in a step
    assert search.count.sum() == 0 and search.steps >= 5 * 60 * 60 / 4
    search.run(max_steps=3 * 60 * 60 // 4)
    assert search.unfinished


def test_symmetries_are_those_of_edges_and_comparisons():
    graph = as_csr(nx.path_graph(3))
    for text, is_below in (
        ("A -- B as ab, B -- C as bc, ab.weight != bc.weight", True),
        ("A -- B as ab, B -- C as bc, ab.weight > bc.weight", False),
        # a name alone changes nothing, and is a pattern without conditions
        ("A -- B as ab, B -- C as bc", True),
    ):
        weighted = as_csr(nx.path_graph(3), weight=np.ones(2))
        query = read_query(weighted, text)
        assert query.is_mapped_below[0, 2] == is_below, text
    assert count(graph, "A -- B as ab, B -- C as bc").value == 1
    assert Structure.parse("A -- B as ab, B -- C").num_nodes == 3


def test_relations_of_parallel_edges_are_told_apart_in_symmetries():
    text = (
        "A -[acts]-> C as a, A -[stops]-> C as s, B -[acts]-> C as b, B -[stops]-> C as t, "
        "a.w < b.w, t.w < s.w"
    )
    # as if a were t and b were s, A and B could be exchanged
    for first, second in ((0, 1), (1, 0)):
        rows = [(first, "acts", 1), (first, "stops", 2), (second, "acts", 2), (second, "stops", 1)]
        table = pd.DataFrame(rows, columns=["source", "relation", "w"]).assign(target=2)
        assert count(table, text).value == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("A -> B as ab, xy.w > ab.w",
         "must have attributes of its nodes, or of edges by their names, A, B, ab, got 'xy'"),
        ("A -> B, ab.w > 3", "got 'ab'; a -> b as NAME calls an edge so"),
        ("A -> B as ab, A.degree > ab.w", "must compare edges with edges, and nodes with nodes"),
        ("A -> B as A, A.w > 3", "must call an edge otherwise than a node, got 'A'"),
        ("A -> B as ab, B -> C as ab", "must give each edge another name, got 'ab'"),
        ("A -> B, B !> C as bc", "must not name an edge that must be absent, got 'B !> C as bc'"),
        ("A -> B as ab, B -> C as bc, ab.kind < bc.kind",
         "must have kind as text, which is compared by =, != and in"),
        ("A -> B as ab, B -> C as bc, ab.kind = bc.w", "must have kind as text, and w too"),
        ("A -> B as ab, B -> C as bc, ab.w = bc.kind", "must have w as numbers, and kind too"),
        ("A -> B as ab, ab.w > \"x\"", "must have w of edges as a number, got 'x'"),
        ("A -> B as ab, ab.kind > 3", "must have kind as text, which is compared by =, != and in"),
        ("A -> B as ab cd", "must have a comma or a new line between its parts"),
        ("A -> B as", "must have edges like a->b"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_where_it_stands(text, sentence):
    graph, _ = draw(1, directed=True)
    with pytest.raises(InputError, match="^pattern ") as caught:
        count(graph, text)
    assert sentence in str(caught.value) and str(caught.value).endswith("^")


def test_an_attribute_that_no_edge_has_is_refused():
    with pytest.raises(InputError, match="an edge attribute must be one of .*, w, got 'q'"):
        count(nx.DiGraph([(0, 1, {"w": 3})]), "A -> B as ab, B -> C as bc, ab.q > bc.w")


def test_nodes_may_be_called_as_and_edges_like_anything_else():
    graph = nx.DiGraph([(0, 1, {"w": 3}), (1, 2, {"w": 1})])
    text = "as -> as2, as2->as3 as second, as -> as2 as2a"
    with pytest.raises(InputError):
        count(graph, text)
    assert count(graph, "as -> bas, bas -> as3", reading="subgraph").value == 1
    text = "as -> bas as as_1\nbas -[w < 2]-> c [w > 0] as x; as_1.w > x.w"
    assert count(graph, text, reading="subgraph").value == 1
    with pytest.raises(InputError, match="must be of edges alone"):
        Structure.parse("A -> B as x, B -> C as y, x.w > y.w")


def test_a_random_graph_for_self_loops_is_left_out_where_they_are_compared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.csv").write_text("source,target,w\na,a,3\na,b,1\nb,b,1\nb,c,5\n")
    ran = invoke("count 'A -> A as l, A -> B as ab, l.w > ab.w' g.csv --directed")
    assert "occurrences 1, counted exactly" in ran.stdout
    assert "expected    " not in ran.stdout and "they are not compared" in ran.stdout
