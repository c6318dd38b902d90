"""Conditions on edges and on names of nodes: against every mapping of the nodes, and at fault."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn, invoke, refused

from gomkcn.mining import count, places
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.files import parse_toml

NODES = "abcdefgh"


def draw(seed, directed):
    """A graph of eight nodes, some pairs of which are joined twice, with a score or none."""
    rng = np.random.default_rng(seed)
    graph = nx.MultiDiGraph() if directed else nx.MultiGraph()
    graph.add_nodes_from(NODES)
    for _ in range(22):
        u, v = rng.choice(list(NODES), 2)
        graph.add_edge(u, v, sign=str(rng.choice(["acts", "stops"])), score=float(rng.integers(10)))
    return graph


def has(graph, u, v, test=lambda edge: True):
    """Whether an edge from u to v meets a test."""
    return any(test(edge) for edge in (graph.get_edge_data(u, v) or {}).values())


def strong(edge):
    return edge["score"] >= 5


def weak_stop(edge):
    return edge["score"] < 5 and edge["sign"] == "stops"


# text; what each edge must be; whether the pattern is induced
CASES = {
    "one test": ("A -[score >= 5]-> B, B -> C", {"AB": strong, "BC": None}),
    "two tests": (
        'A -> B [score < 5, sign = "stops"], A -> C [score >= 5]',
        {"AB": weak_stop, "AC": strong},
    ),
    "between two numbers": (
        "A -[score > 2, score <= 7]-> B, C -> B",
        {"AB": lambda edge: 2 < edge["score"] <= 7, "CB": None},
    ),
    "text is not": ('A -[sign != "acts"]-> B, B -> C', {
        "AB": lambda edge: edge["sign"] != "acts", "BC": None}),
}  # fmt: skip


@pytest.mark.parametrize("reading", ["induced", "subgraph"])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_counts_are_those_of_all_mappings(case, directed, reading):
    text, edges = CASES[case]
    text = text if directed else text.replace("->", "--").replace("]--", "]-")
    names = sorted({node for pair in edges for node in pair})
    for seed in range(8):
        graph = draw(seed, directed)
        found = set()
        for mapped in itertools.permutations(NODES, len(names)):
            at = dict(zip(names, mapped, strict=True))
            fits = all(
                has(graph, at[pair[0]], at[pair[1]], test or (lambda edge: True))
                for pair, test in edges.items()
            )
            pairs = itertools.permutations(names, 2)
            others = [
                pair
                for pair in map("".join, pairs)
                if pair not in edges and (directed or pair[::-1] not in edges)
            ]
            if reading == "induced":
                fits = fits and not any(has(graph, at[u], at[v]) for u, v in others)
            if fits:
                found.add(mapped)
        rows, complete = places(graph, text, reading=reading, most=10_000)
        order = np.argsort(list(dict.fromkeys(letter for letter in text if letter in names)))
        listed = {tuple(np.array(list(NODES))[row[order]]) for row in rows}
        assert complete
        assert listed == found, (seed, text)
        assert count(graph, text, reading=reading).value == len(found)


def test_a_test_belongs_to_one_edge_of_a_relation():
    """A strong edge of one relation beside a weak one of another is no strong one of the other."""
    graph = nx.MultiDiGraph()
    graph.add_edge("a", "b", sign="acts", score=1)
    graph.add_edge("a", "b", sign="stops", score=9)
    table = pd.DataFrame(
        [("a", "b", "acts", 1), ("a", "b", "stops", 9)], columns=["from", "to", "sign", "score"]
    )
    for text, number in (
        ("A -[acts]-> B [score > 5]", 0),
        ("A -[stops, score > 5]-> B", 1),
        ("A -[score > 5]-> B", 1),
        ("A -[score > 10]-> B", 0),
        ("A -> B, A !> B [score > 10]", 1),
        ("A -> B, A !> B [score > 5]", 0),
    ):
        assert count(table, text, reading="subgraph").value == number, text


def test_several_tests_of_edges_of_several_relations():
    """Each test has relations of its own."""
    table = pd.DataFrame(
        [
            ("a", "b", "acts", 9),
            ("a", "c", "stops", 1),
            ("a", "d", "stops", 9),
            ("a", "e", "acts", 1),
        ],
        columns=["from", "to", "sign", "score"],
    )
    text = "A -[acts, score > 5]-> B, A -[stops, score < 3]-> C"
    assert places(table, text)[0].tolist() == [[0, 1, 2]]
    text = "A -[stops, score > 5]-> B, A -[acts, score < 3]-> C"
    assert places(table, text)[0].tolist() == [[0, 3, 4]]
    assert count(table, "A -[score > 5]-> B, A -[score < 3]-> C").value == 4


def test_edges_without_a_value_meet_no_test(folder):
    (folder / "g.csv").write_text("source,target,score,kind\na,b,3,x\nb,c,,y\nc,d,5,\n")
    for text, number in (
        ("A -[score > 0]-> B", 2),
        ("A -[score != 3]-> B", 1),
        ('A -[kind != "x"]-> B', 1),
        ('A -[kind = "x", score = 3]-> B', 1),
    ):
        lines = gomkcn(f"count '{text}' g.csv --directed").splitlines()
        assert lines[-1] == f"occurrences {number}, counted exactly", text


def test_a_file_of_another_kind_and_a_folder(folder):
    graph = nx.Graph([("a", "b", {"weight": 2.0, "p": 1}), ("b", "c", {"weight": 3.0, "p": 0})])
    nx.write_graphml(graph, "g.graphml")
    gomkcn("convert g.graphml g.graph")
    for text, path, number in (
        ("A -[p > 0]- B", "g.graphml", 1),
        ("A -[weight > 2]- B", "g.graphml", 1),
        ("A -[weight >= 2]- B", "g.graph", 2),
    ):
        assert f"occurrences {number}," in gomkcn(f"count '{text}' {path}")
    said = refused("count 'A -[p > 0]- B' g.graph")
    assert said.endswith("an edge attribute must be one of those in a CSRGraph, weight, got 'p'.")
    assert count(as_csr(graph, weight="weight"), "A -[weight > 2]- B").value == 1


def test_nodes_are_called_by_their_names():
    graph = nx.DiGraph([("crp", "araC"), ("crp", "fis"), ("fis", "araC")])
    assert count(graph, 'A -> B, A.name = "crp"').value == 2
    assert count(graph, 'A -> B, B.name in ("fis", "araC"), not A.name = "crp"').value == 1
    assert count(nx.path_graph(4), "A -- B, A.name = 2, B.name > 2").value == 1
    # an attribute of this name is what a name is
    assert count(graph, 'A -> B, A.name = "x"', attributes={"name": list("xyz")}).value == 2
    with pytest.raises(InputError, match="some node has, got 'cpr'; the nearest is 'crp'"):
        count(graph, 'A -> B, A.name = "cpr"')


@pytest.mark.parametrize(
    ("text", "column", "sentence"),
    [
        ("A -[score > x]-> B", 4, "as in [score >= 700]"),
        ('A -[score > "x"]-> B', 0, "score of edges as a number, got 'x'"),
        ('A -> B [sign > "a"]', 0, "sign as text, which is compared by =, != and in"),
        ("A -> B [acts]", 8, "compare an attribute"),
        ("A -[relation > 3]-> B", 4, "compare an attribute"),
    ],
)
def test_a_caret_is_below_the_fault(text, column, sentence):
    graph = nx.DiGraph()
    graph.add_edge("a", "b", score=1, sign="acts")
    with pytest.raises(InputError) as caught:
        count(graph, text)
    said, _, caret = str(caught.value).splitlines()
    assert sentence in said
    assert caret == " " * (4 + column) + "^"


def test_the_least_value_of_an_edge_attribute(folder):
    """The same counts as of a file without the lines."""
    (folder / "g.csv").write_text("a,b,score,weight\n1,2,900,1\n2,3,800,1\n1,3,100,1\n3,4,,1\n")
    (folder / "cut.csv").write_text("a,b,score,weight\n1,2,900,1\n2,3,800,1\n")
    ran = invoke("census g.csv --sizes 3 --minimum score=700")
    assert ran.stdout == gomkcn("census cut.csv --sizes 3")
    assert "left out 2 of 4 edges, whose 'score' is below 700 or missing" in ran.stderr
    # a node without an edge is not in a table, and is one of a list of nodes
    assert read_graph("g.csv", minimum=["score=700"]).num_nodes == 3
    graph = nx.Graph([("a", "b", {"p": 1}), ("b", "c", {"p": 0})])
    nx.write_graphml(graph, "g.graphml")
    found = read_graph("g.graphml", minimum={"p": 1})
    assert (found.num_nodes, found.num_edges) == (3, 1)
    ran = invoke(
        "mine g.csv --out run --filters none --pattern-size 3 --null none "
        "--minimum score=700 --minimum 4=1"
    )
    assert ran.exit_code == 0, ran.stderr
    settings = parse_toml((folder / "run/settings.toml").read_bytes())
    assert settings["graph"]["minimum"] == ["score=700", "4=1"]
    assert refused("info g.csv --minimum score") == (
        "--minimum must say the least value of an edge attribute, such as score=700 or "
        "booked_at=2024-01-31, got 'score'."
    )
    assert "must name a column among a, b, score, weight, got 'p'" in refused(
        "info g.csv --minimum p=1"
    )
    assert "must leave an edge, and it leaves none of 4" in refused(
        "info g.csv --minimum score=1e9"
    )


def test_weights_that_are_not_used_are_told_once(folder):
    (folder / "g.csv").write_text("a,b,weight\n1,2,1\n2,3,0\n")
    said = invoke("census g.csv --sizes 3").stderr
    assert said.count("edge weights are not used: a pattern has an edge or not") == 1
    assert "--minimum leaves out edges with a small 'weight'" in said
    said = invoke("census g.csv --sizes 3 --minimum weight=0").stderr
    assert "edge weights are not used" not in said
