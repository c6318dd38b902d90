"""Patterns with conditions: against every mapping of the nodes, DotMotif, and texts at fault."""

import itertools

import networkx as nx
import numpy as np
import pytest
from command_line import gomkcn, invoke

from gomkcn.mining import count, places, sample_null
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.pattern_text import PatternText

ACTS, STOPS = "acts", "stops"


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
    csr = as_csr(graph, relation="sign" if directed else None)
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
    names, every = list(PatternText.read(text).nodes), (ACTS, STOPS, "edge")

    def with_relations(rows):
        return [(one, every) if isinstance(one, str) else (one[0], one[1:]) for one in rows]

    asked = with_relations(edges)
    asked += [(ends[::-1], relations) for ends, relations in asked if "--" in text]
    missing = with_relations(absent)
    if reading == "induced":
        named = {(*ends, one) for ends, relations in asked for one in relations}
        pairs = itertools.product(itertools.permutations(names, 2), every)
        missing += [(pair, [one]) for pair, one in pairs if (*pair, one) not in named]
    for nodes in itertools.permutations(range(8), len(names)):
        node = dict(zip(names, nodes, strict=True))
        here = [
            [any((node[u], node[v], one) in arrows for one in of) for (u, v), of in rows]
            for rows in (asked, missing)
        ]
        of = [[attributes[k][node[name]] for name in sorted(names)] for k in attributes]
        if all(here[0]) and not any(here[1]) and holds(*of):
            yield nodes


@pytest.mark.parametrize("reading", ["induced", "subgraph"])
@pytest.mark.parametrize("name", [*DIRECTED, *UNDIRECTED])
def test_every_mapping(name, reading):
    directed = name in DIRECTED
    case, total = (DIRECTED | UNDIRECTED)[name], 0
    for seed in range(5):
        graph, arrows, attributes = draw(seed, directed)
        truth = [*every_mapping(arrows, attributes, case, reading)]
        options = {"reading": reading, "attributes": {k: attributes[k] for k in ("size", "kind")}}
        found = count(graph, case[0], **options)
        assert (found.value, found.is_exact) == (len(truth) / case[-1], True)
        nodes, complete = places(graph, case[0], **options)
        assert complete
        assert {*map(tuple, nodes.tolist())} <= {*truth}
        assert len({*map(tuple, nodes.tolist())}) == found.value
        total += found.value
    assert total > 0


def ruled_graph():
    """Arcs and attributes by a rule, so that no library's random numbers matter."""
    graph = nx.DiGraph()
    for v in range(41):
        graph.add_node(v, kind="abc"[v * v % 7 % 3], size=v * 17 % 11)
    for v, k in itertools.product(range(41), (1, 5, 12, 20)):
        u = (v * v + k) % 41
        if u != v:
            graph.add_edge(v, u, sign="stops" if (u + v) % 3 == 0 else "acts")
    return graph


# what DotMotif 0.18.0 with GrandIso 2.2.0 found, GrandIsoExecutor(graph=ruled_graph()).find(
# Motif(text, exclude_automorphisms=False)), "sign" in place of "relation": all mappings
@pytest.mark.parametrize(
    ("text", "mappings", "symmetries"),
    [
        ('A -> B\nB -> C\nC !> A\nA.kind = "b"', 329, 1),
        ('A -> B [relation = "acts"]\nB -> C [relation = "stops"]', 142, 1),
        ('A -> B\nA -> C\nB.size > C.size\nA.kind != "a"', 163, 1),
        ("A -> B\nC -> B\nA.kind = C.kind", 268, 2),
    ],
)
def test_dotmotif(text, mappings, symmetries):
    graph = as_csr(ruled_graph(), features=["kind", "size"], relation="sign")
    assert count(graph, text, reading="subgraph").value == mappings / symmetries


TREE = "A -> B, A -> C, C -> D, A.size >= B.size"


def test_an_estimate_from_a_sample():
    rng = np.random.default_rng(0)
    source, target = rng.integers(0, 2000, (2, 8000))
    size = rng.integers(9, size=2000).astype(np.float32)
    graph = csr_from_edges(
        source, target, 2000, features=size, feature_names=["size"], directed=True
    )

    def estimate(seed, max_steps=200_000):
        return count(graph, TREE, reading="subgraph", max_steps=max_steps, seed=seed)

    exact, found = estimate(0, 10**12), [estimate(seed) for seed in range(12)]
    assert exact.is_exact and not any(one.is_exact for one in found)
    # 95 % intervals, of which 12 miss three or fewer with a probability of .998
    assert sum(one.low <= exact.value <= one.high for one in found) >= 9
    assert abs(np.mean([one.value for one in found]) / exact.value - 1) < 0.03
    # the same for a seed
    assert estimate(3) == found[3]
    nodes, complete = places(graph, TREE, reading="subgraph", most=50, max_steps=10**5)
    assert (len({*map(tuple, nodes.tolist())}), complete) == (50, False)
    assert (size[nodes[:, 0]] >= size[nodes[:, 1]]).all()
    # of all that are found, each is drawn with the same probability
    graph, drawn = as_csr(nx.star_graph(6)), np.zeros(7, int)
    for seed in range(200):
        (row,), _ = places(graph, "A -- B, A.degree > 1", reading="subgraph", most=1, seed=seed)
        drawn[row[1]] += 1
    assert drawn[1:].min() > 15
    with pytest.raises(InputError, match="the limits must be larger"):
        count(nx.complete_graph(60), "A -- B, A.degree >= B.degree", max_steps=10)
    # where nothing is compared, mappings of a tree are drawn
    for reading, occurrences in (("induced", 0), ("subgraph", 60 * 59 * 58 // 2)):
        text = "A -- B, B -- C, B.degree > 1"
        drawn = count(nx.complete_graph(60), text, reading=reading, max_steps=10)
        assert not drawn.is_exact and drawn.value == pytest.approx(occurrences, rel=0.1)


def test_what_is_missing_is_said(caplog):
    graph = nx.path_graph(4)
    missing = {"size": [1.0, np.nan, np.nan, 2.0]}
    for text in ("A -- B, A.size > 0", "A -- B, not A.size > 0"):
        found = count(graph, text, attributes=missing, reading="subgraph")
        assert found.value == (0 if "not" in text else 2)
    assert "size is missing at 2 nodes, for which no condition holds" in caplog.text


FAULTS = [
    ("A => B", 2, "must have edges like"),
    ("A -> B, A.size >", 16, r'a number or "text" in quotes or NODE.ATTRIBUTE behind >'),
    ("A -> B C.size = 3", 7, "must have edges like .* or conditions"),
    ('A -> B, A.kind in "a"', 18, "values in brackets behind in"),
    ('A -> B, A.kind in ("a" "b")', 23, "a comma or a closing bracket"),
    ("A -> B, A.size = 3 B -> C", 19, "a comma or a new line between its parts"),
    ("A -> B, A !> C", 8, "an edge that joins 'C' to others"),
    ("A -> B [weight]", 8, "compare an attribute"),
    ("A -> B, A.width = 3", 8, "which are name, degree, kind, size, got 'width'"),
    ('A -> B, A.kind = "d"', 17, "kind as one of 'a', 'b', 'c', got 'd'"),
    ('A -> B, A.kind in ("a", "d")', 24, "kind as one of 'a', 'b', 'c', got 'd'"),
    ('A -> B, A.kind > "a"', 8, "kind as text, which is compared by"),
    ('A -> B, A.size = "a"', 8, "size as a finite number, got 'a'"),
    ("A -> B, A.size < 1e400", 8, "size as a finite number, got '1e400'"),
    ('A -> B, A.size < "nan"', 8, "size as a finite number, got 'nan'"),
    ("A -> B, A.size < 1.0e", 17, "got '1'"),
    ("A -> B, 0.5 < A.size", 8, "NODE.ATTRIBUTE in front of the sign and its value behind it"),
    ("A -> B, A.size = B.kind", 8, "size as numbers, and kind too"),
    (
        "A -> B, A -> C [relation = sees]",
        8,
        r"of the graph, 'acts' \(directed\), .*got 'sees' in 'A -> C",
    ),
    (
        "A -- B, A.size = 3",
        0,
        "with a direction, as the graph has, got 'A -- B'; .* directed=False, or ",
    ),
]


@pytest.mark.parametrize(("text", "column", "sentence"), FAULTS)
def test_a_caret_is_below_the_fault(text, column, sentence):
    graph = as_csr(ruled_graph(), features=["kind", "size"], relation="sign")
    # the line at fault alone is shown
    for before in ("", "A.size > 1\n"):
        with pytest.raises(InputError, match=sentence) as refused:
            count(graph, before + text)
        _, shown, caret = str(refused.value).split("\n")
        assert (shown, caret) == (f"    {text}", f"    {' ' * column}^")


NUMBERS = [
    "0.001",
    ".001",
    "1e-3",
    "1.0e-3",
    "1.E-3",
    "+0.001",
    "0.00_1",
    "2.5",
    "-2.5",
    "-.5",
    "2.",
    "1.0",
    "1",
    "1e+20",
    "1.0e20",
    "0",
    "-0.0",
    "-1e-300",
    "1_000.5",
    "007",
    "3E2",
    "12345678.75",
]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_is_written_as_in_python(number):
    # of each size one node below, one that is equal, and one above, in a clique
    value = float(number)
    attributes = {"p": [np.nextafter(value, -np.inf), value, np.nextafter(value, np.inf)]}
    graph = as_csr(nx.complete_graph(3))
    nodes = {"<": 1, "<=": 2, "=": 1, "!=": 2, ">": 1, ">=": 2}
    for sign, own in nodes.items():
        for said in (number, f'"{number}"'):
            for text in (f"A -- B, A.p {sign} {said}", f"A.p{sign}{said};A -- B"):
                found = count(graph, text, reading="subgraph", attributes=attributes)
                assert found.value == 2 * own, text
    text = f"A -- B, A.p in ({number}, 77.25), not B.p = {number}"
    assert count(graph, text, attributes=attributes, reading="subgraph").value == 2


def test_what_numbers_stand_for_is_told_by_the_column():
    graph = as_csr(nx.complete_graph(3))

    def number_of(text, values):
        return count(graph, text, attributes={"p": values}, reading="subgraph").value

    # text, with leading zeros and of many digits; the same number in two ways has one symmetry
    assert number_of("A -- B, A.p = 007, B.p = 7", ["007", "7", "1234567"]) == 1
    assert number_of("A -- B, A.p = 1234567", ["007", "7", "1234567"]) == 2
    assert number_of("A -- B, A.p = 7.0", ["x", "7", "y"]) == 2
    assert number_of("A -- B, A.p > 0.5, B.p > .5", [1, 2, 3]) == 3
    with pytest.raises(InputError, match="p as one of '7', '07', 'y', got '7.0'"):
        number_of("A -- B, A.p = 7.0", ["7", "07", "y"])
    # names of nodes may be numbers, and so may names of attributes, in quotes
    pair = nx.path_graph(2)
    assert count(pair, '0 -- 1, 0."5" = 1."5"', attributes={"5": [2, 2]}).value == 1
    assert count(pair, "0 -- 1, 0.p = 1.p", attributes={"p": [2, 2]}).value == 1


def test_the_command(folder):
    nx.write_graphml(ruled_graph(), "ruled.graphml")
    text = "'A -> B, B -> C, C !> A, A.kind = \"b\"'"
    # the attribute need not be named again
    lines = gomkcn(f"count {text} ruled.graphml --reading subgraph --list 2").splitlines()
    assert lines[0].endswith(": 3 nodes, 2 edges, 2 conditions")
    assert lines[3] == "occurrences 329, counted exactly"
    assert lines[4] == "listed      2, a random sample"
    assert lines[6] == "A\tB\tC"
    kinds = nx.get_node_attributes(ruled_graph(), "kind")
    assert {kinds[int(line.split("\t")[0])] for line in lines[7:]} == {"b"}
    said = invoke("count 'A -> B, A.size ! 3' ruled.graphml").stderr.splitlines()
    assert said[0].startswith("gomkcn: PATTERN must have edges like")
    assert said[1:] == ["    A -> B, A.size ! 3", " " * 19 + "^"]


def test_an_attribute_may_be_missing_in_a_file(folder):
    """a -- b -- c -- d; c has no size, b no kind."""
    sizes, kinds = {"a": 1, "b": 2.5, "d": 4}, {"a": "x", "c": "x", "d": "y"}
    (folder / "g.csv").write_text("u,v\na,b\nb,c\nc,d\n")
    rows = [f"{node},{sizes.get(node, '')},{kinds.get(node, '')}\n" for node in "dcba"]
    (folder / "g.features.csv").write_text("id,size,kind\n" + "".join(rows))
    for text, listed in (
        ("A -- B, A.size < B.size", [["a", "b"]]),
        ('A -- B, A.kind != "x"', [["d", "c"]]),
        ('A -- B, not A.kind != "x", B.size > 2', [["a", "b"], ["c", "b"], ["c", "d"]]),
    ):
        ran = invoke(f"count {text!r} g.csv --list 9")
        assert [line.split("\t") for line in ran.stdout.splitlines()[7:]] == listed, text
        for attribute in ("size", "kind"):
            said = f"{attribute} is missing at 1 node, for which no condition holds" in ran.stderr
            assert said == (attribute in text)


def test_an_attribute_may_be_missing_or_mixed_in_an_object_as_in_a_file(folder):
    """a -> b -> c -> a; c has no radius, and b a kind that is a number."""
    graph = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a")])
    nx.set_node_attributes(graph, {"a": 25, "b": 10}, "radius")
    nx.set_node_attributes(graph, {"a": "x", "b": 3, "c": "x"}, "kind")
    edges = zip(graph.edges, [5, None, 2], strict=True)
    nx.set_edge_attributes(graph, {edge: {"w": w} for edge, w in edges if w is not None})
    nx.write_gml(graph, folder / "g.gml")
    for text, number in (
        ("p -> q, p.radius > q.radius", 1),
        ("p -> q, not p.radius > q.radius", 0),
        ("p -> q, p.radius >= 10", 2),
        ("p -> q, p.radius != q.radius", 1),
        ('p -> q, p.kind = "x"', 2),
        ("p -> q, p.kind = 3", 1),
        ("p -> q, p.kind != q.kind", 2),
        ("p -[w < 9]-> q", 2),
        ("p -[w < 9]-> q, q.radius > 0", 2),
    ):
        assert count(graph, text, reading="subgraph").value == number, text
        said = invoke(f"count {text!r} g.gml --reading subgraph").stdout
        assert f"occurrences {number}, counted exactly" in said, text
        # a graph of a collection may have no such attribute at all
        several = [graph, nx.DiGraph([(0, 1)]), graph]
        assert count(several, text, reading="subgraph").value == 2 * number, text
        assert count(several, text, by="graph", reading="subgraph").tolist() == [number, 0, number]
    with pytest.raises(InputError, match="must have kind as text, which is compared by =, != and"):
        count(graph, "p -> q, p.kind > 3")
    # among text a number is the text of it
    nx.set_node_attributes(graph, {"a": "3", "b": 3, "c": "x"}, "kind")
    assert count(graph, "p -> q, p.kind = 3").value == 2
    assert count(graph, "p -> q, p.kind = q.kind").value == 1
    # columns beside those of the graph go before them
    assert count(graph, "p -> q, p.radius > 0", attributes={"radius": [0, 0, 1]}).value == 1
    # a column of one number a node is one, as in a tensor
    wide = {node: [float(size)] for node, size in zip("abc", (3, 2, 1), strict=True)}
    nx.set_node_attributes(graph, wide, "wide")
    assert count(graph, "p -> q, p.wide > q.wide").value == 2


def test_a_graph_of_a_collection_may_lack_an_attribute_in_any_library():
    data, torch = pytest.importorskip("torch_geometric.data"), pytest.importorskip("torch")
    edges = torch.tensor([[0, 1], [1, 2]])
    known = data.Data(edge_index=edges, size=torch.tensor([3.0, 2.0, 1.0]), num_nodes=3)
    unknown = data.Data(edge_index=edges, num_nodes=3)
    for graphs, numbers in (([known, unknown], [2, 0]), ([unknown, known, known], [0, 2, 2])):
        found = count(graphs, "A -> B, A.size > B.size", by="graph", reading="subgraph")
        assert found.tolist() == numbers


def test_categories_and_a_collection():
    one = nx.Graph([(0, 1), (1, 2)])
    nx.set_node_attributes(one, {0: "C", 1: "N", 2: "O"}, "kind")
    both = as_csr([one, one], features="kind")
    assert count(both, "a:C -- b, b -- c, b.degree = 2, c.kind != a.kind").value == 2
    assert count(both, "a:C -- b:C, a.degree = 1").value == 0
    # nothing but edges: as without conditions
    assert count(both, "a -- b, b -- c").value == 2


def test_a_name_is_a_pattern_and_a_typo_is_told_the_nearest():
    graph = nx.complete_graph(5)
    # of any library, as it is
    assert count(graph, "triangle").value == count(graph, "a--b, b--c, c--a").value == 10
    assert count(nx.DiGraph([(0, 1), (0, 2), (1, 2)]), "feed-forward-loop").value == 1
    for where in (None, "A.degree > 1"):
        with pytest.raises(InputError, match=r"got 'triangel.*'; the nearest is 'triangle'\.$"):
            count(graph, "triangel", where=where)
        named = "star-N of N nodes, 030T, mfinder-38, G8 and the like, or one of antiprism8"
        with pytest.raises(InputError, match=f"clique-N, ring-N, path-N, {named}"):
            count(graph, "foo", where=where)
    assert sample_null(nx.cycle_graph(3)).num_edges == 3
