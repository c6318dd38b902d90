"""What NetworkX, igraph, SciPy and write_graph write is read back, or refused in one sentence.

`fuzz/round_trips.py` tries 500 graphs of each form.
"""

import networkx as nx
import pytest
from round_trips import FORMS, check, random_graph, run


@pytest.mark.parametrize("name", FORMS)
def test_random_graphs(name):
    outcomes, wrong = run(FORMS[name], range(30))
    assert wrong == []
    # some are read, whatever is refused
    assert outcomes["same"] >= 5


def test_a_wrong_graph_is_seen(tmp_path):
    graph = nx.DiGraph([("a", "b"), ("b", "c")])
    form = FORMS["graphml, NetworkX"]
    for other in (
        nx.DiGraph([("a", "b"), ("c", "b")]),
        nx.Graph(graph),
        nx.relabel_nodes(graph, {"c": "d"}),
        nx.DiGraph([("a", "b"), ("b", "c"), ("a", "c")]),
    ):
        wrong = type(form)(".graphml", lambda _, path, other=other: nx.write_graphml(other, path))
        with pytest.raises(AssertionError):
            check(wrong, graph, tmp_path)
    assert check(form, graph, tmp_path) == "same"


def test_the_random_graphs_hold_what_can_go_wrong():
    graphs = [random_graph(seed) for seed in range(30)]
    edges = [(u, v) for graph in graphs for u, v in graph.edges()]
    assert any(u == v for u, v in edges)
    assert any(list(nx.isolates(graph)) for graph in graphs)
    assert any(graph.is_multigraph() and len(set(graph.edges())) < graph.size() for graph in graphs)
    assert {graph.is_directed() for graph in graphs} == {True, False}
    texts = "".join(str(name) for graph in graphs for name in graph)
    assert all(sign in texts for sign in ' "007é\n&')
