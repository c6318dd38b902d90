"""The one door to counting: each way beside a plain one, and what cannot be asked together."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from exact_counts import count_by_graph

from gomkcn.mining import OccurrenceCount, count, places
from gomkcn.mining.counting.inexact_counts import InexactCounts
from gomkcn_dgl import Structure, as_csr
from gomkcn_dgl.errors import InputError, InputTypeError

GRAPHS = [nx.gnp_random_graph(9, 0.4, seed=seed) for seed in range(12)]
DIAMOND = Structure.parse("diamond")


def sets_of(graph, pattern):
    """Every set of nodes that induces a pattern of NetworkX."""
    return [
        nodes
        for nodes in itertools.combinations(graph, len(pattern))
        if nx.is_isomorphic(graph.subgraph(nodes), pattern)
    ]


def test_each_way_gives_its_own_class():
    graph = nx.wheel_graph(6)
    assert isinstance(count(graph, "triangle"), OccurrenceCount)
    assert isinstance(count(graph, "triangle", errors=1), InexactCounts)
    assert [str(number) for number in count(graph, "triangle", errors=0).counts] == ["5"]
    assert count(graph, "triangle", by="graph").dtype == np.int64
    assert count(graph, "triangle", by="node").tolist() == [5, 2, 2, 2, 2, 2]
    assert places(graph, "triangle")[0].shape == (5, 3)


@pytest.mark.parametrize("name", ["triangle", "diamond", "path-4", "paw"])
def test_counts_by_graph_and_by_node_are_those_of_every_set(name):
    pattern = Structure.parse(name).to_networkx()
    sets = [sets_of(graph, pattern) for graph in GRAPHS]
    by_graph = count(GRAPHS, name, by="graph")
    assert by_graph.tolist() == [len(each) for each in sets]
    by_node = [sum(node in nodes for nodes in each) for each in sets for node in range(9)]
    assert count(GRAPHS, name, by="node").tolist() == by_node
    assert count(GRAPHS, name).value == by_graph.sum()


def test_conditions_are_counted_by_graph_and_by_node_as_well():
    graphs = [nx.star_graph(3), nx.path_graph(4), nx.cycle_graph(5)]
    wedge = {"pattern": "A -- B, B -- C", "where": "B.degree = 2"}
    assert count(graphs, **wedge, by="graph").tolist() == [0, 2, 5]
    assert count(graphs, **wedge, by="node").tolist() == [0] * 4 + [1, 2, 2, 1] + [3] * 5
    assert count(graphs, **wedge).value == 7


def test_counts_that_take_too_many_steps_are_estimated_and_said_to_be(caplog):
    graphs = [nx.barabasi_albert_graph(200, 8, seed=seed) for seed in range(3)]
    exact = count(graphs, "path-5", by="graph")
    assert exact.tolist() == count_by_graph(as_csr(graphs), "path-5").tolist()
    assert "estimates" not in caplog.text
    found = count(graphs, "path-5", by="graph", max_steps=10_000)
    assert found.dtype == float and "the counts by graph are estimates" in caplog.text
    assert not np.array_equal(found, exact)
    np.testing.assert_allclose(found, exact, rtol=0.2)
    # the condition is that of each graph's own nodes
    hubs = {"pattern": "A -- B, B -- C, C -- D, D -- E", "where": "A.degree > E.degree"}
    few = [nx.barabasi_albert_graph(120, 6, seed=seed) for seed in range(3)]
    exact = count(few, **hubs, by="graph")
    estimates = [count(few, **hubs, by="graph", max_steps=10**6, seed=k) for k in range(4)]
    assert all(each.dtype == float for each in estimates)
    np.testing.assert_allclose(np.mean(estimates, axis=0), exact, rtol=0.2)
    caplog.clear()
    # a sample of the places stands for all
    by_node = count(graphs, "path-5", by="node", max_steps=10_000)
    assert "the counts by node are estimates" in caplog.text
    total = count(graphs, "path-5", max_steps=10_000).value
    np.testing.assert_allclose(by_node.sum(), 5 * total)


def test_an_exact_count_of_each_graph_is_exact_beyond_the_steps_for_all():
    """A search of all graphs is stopped, those of each graph are not."""
    graphs = [nx.complete_graph(30)] * 600
    found = count(graphs, "triangle", by="graph", max_steps=2_000_000)
    assert found.dtype == np.int64 and found.tolist() == [4060] * 600


def test_conditions_may_stand_beside_a_pattern_of_any_form(tmp_path):
    graph = nx.lollipop_graph(4, 3)
    text = "A -- B, B -- C, A.degree = 1"
    assert count(graph, text).value == count(graph, "path-3", where="A.degree = 1").value == 1
    path = Structure.parse("x--y, y--z")
    assert count(graph, path, where="A.degree = 1").value == 1
    file = tmp_path / "path.txt"
    file.write_text("x y\ny z\n")
    assert count(graph, str(file), where="A.degree = 1").value == 1
    table = pd.DataFrame({"size": range(7)})
    assert count(graph, "path-3", where="A.size = 6", attributes=table).value == 1
    assert count(graph, "path-3, A.size = 6", attributes=table).value == 1
    # two conditions, one in the text
    assert count(graph, "path-3, A.degree = 1", where="C.degree = 4").value == 0


def test_places_of_a_structure_with_conditions_are_in_the_order_of_its_nodes():
    # the last node is the first neighbour of the text A--C, B--C
    path = Structure.of_edges(3, [(0, 2), (1, 2)])
    nodes, complete = places(nx.path_graph(3), path, where="A.name = 2")
    assert (nodes.tolist(), complete) == ([[2, 0, 1]], True)


def test_readings_count_structures_and_texts_alike():
    graph = nx.complete_graph(4)
    for pattern in ("ring-4", Structure.parse("ring-4"), "a--b, b--c, c--d, d--a"):
        assert count(graph, pattern).value == 0
        assert count(graph, pattern, reading="subgraph").value == 3
        assert len(places(graph, pattern, reading="subgraph")[0]) == 3


@pytest.mark.parametrize("text", ["A->B", "A->B, B->C", "A->B, B->A, B->C", "A->B, A->C, B->C"])
def test_a_subgraph_may_have_more_edges_between_any_two_nodes(text):
    """Also an edge back, as a monomorphism of NetworkX: of a structure as of a text."""
    structure = Structure.parse(text)
    for seed in range(6):
        graph = nx.gnp_random_graph(9, 0.3, seed=seed, directed=True)
        matcher = nx.isomorphism.DiGraphMatcher(graph, structure.to_networkx())
        mappings = sum(1 for _ in matcher.subgraph_monomorphisms_iter())
        for pattern in (text, structure):
            found = count(graph, pattern, reading="subgraph")
            assert found.value * structure.num_automorphisms == mappings
        found = count(graph, text, where="A.degree >= 0, B.degree >= 0", reading="subgraph")
        assert found.is_exact and found.value >= count(graph, text).value


def test_an_edge_may_lack_a_relation_beside_others_that_have_one():
    graph = nx.MultiDiGraph()
    graph.add_edges_from([(0, 1, {"sign": "acts"}), (1, 2, {"sign": "stops"})])
    signed = as_csr(graph, relation="sign")
    assert count(signed, "A -> B, B -[stops]-> C").value == 1
    assert count(signed, "A -> B, B -[acts]-> C").value == 0


REFUSED = [
    ({"by": "class"}, "^by must be one of 'graph', 'node', got 'class'"),
    ({"by": "graph", "errors": 1}, "^by must be left out where errors is given, got 'graph'"),
    ({"errors": 1, "where": "A.degree > 1"}, "^errors must be left out beside conditions"),
    ({"errors": 1, "reading": "subgraph"}, "^errors must be left out beside conditions"),
    ({"errors": 1, "attributes": {"size": [1] * 4}}, "^errors must be left out beside conditions"),
    ({"errors": -1}, "^errors must be at least 0, got -1"),
    ({"n_jobs": 2}, "^n_jobs must be left out without errors"),
    (
        {"attributes": {"size": [1] * 4}},
        "^attributes must be left out for a pattern without conditions",
    ),
    ({"reading": "free"}, "^reading must be one of 'induced', 'subgraph', got 'free'"),
    ({"max_steps": 0}, "^max_steps must be at least 1, got 0"),
    ({"by": "graph", "max_steps": 0}, "^max_steps must be at least 1, got 0"),
    ({"count_error": 0}, "^count_error must be greater than 0, got 0"),
    ({"by": "node", "count_error": 0}, "^count_error must be greater than 0, got 0"),
]


@pytest.mark.parametrize(("options", "sentence"), REFUSED)
def test_what_cannot_be_asked_together_is_refused_in_one_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence) as refused:
        count(nx.complete_graph(4), "triangle", **options)
    assert str(refused.value).count(". ") == 0


def test_a_pattern_of_another_type_is_refused():
    for options in ({}, {"by": "graph"}, {"errors": 1}, {"where": "A.degree > 1"}):
        with pytest.raises(InputTypeError, match="^pattern must be a Structure, or a text such as"):
            count(nx.cycle_graph(3), 3, **options)
    with pytest.raises(InputTypeError, match="^pattern must be a Structure"):
        places(nx.cycle_graph(3), 3)
    with pytest.raises(InputError, match="^most must be at least 1"):
        places(nx.cycle_graph(3), "triangle", most=0)
