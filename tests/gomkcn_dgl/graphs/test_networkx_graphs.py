"""NetworkX and igraph: direction as the object says, types, several edges, what is not used."""

import igraph
import networkx as nx
import pytest
import torch

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr


def arcs(graph):
    """Edges by the names of their ends and of their relation."""
    source, target, relation = graph.edges()
    names = [graph.relations.names[number] for number in relation]
    ends = graph.original_ids(source), graph.original_ids(target)
    return sorted(zip(*ends, names, strict=True))


def regulation():
    graph = nx.MultiDiGraph()
    graph.add_edge("crp", "araC", sign="+", since=1990)
    graph.add_edge("crp", "araC", sign="-", since=1991)
    graph.add_edge("araC", "crp", sign="+", since=1992)
    graph.add_edge("araC", "araC", sign="+", since=1993)
    return graph


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph])
def test_direction_follows_the_class(kind):
    graph = as_csr(kind([(0, 1), (2, 1)]))
    assert graph.is_directed == kind().is_directed()
    mirrored = as_csr(kind([(0, 1), (2, 1)]), directed=False)
    assert not mirrored.is_directed and mirrored.links is None
    both = as_csr(kind([(0, 1), (2, 1)]), directed=True)
    assert len(both.edges()[0]) == (2 if kind().is_directed() else 4)


def test_several_typed_edges_between_two_nodes():
    graph = as_csr(regulation(), edge_type="sign", edge_weight="since")
    assert arcs(graph) == [("araC", "crp", "+"), ("crp", "araC", "+"), ("crp", "araC", "-")]
    # of two edges that lead to one node, the larger value
    assert graph.weights.tolist() == [1991, 1992]
    assert "dropped 1 self-loops" in graph.notes


def test_what_is_not_used_is_a_note(log):
    graph = regulation()
    nx.set_node_attributes(graph, 3, "size")
    nx.set_node_attributes(graph, "red", "colour")
    note = "not used: node attributes size, colour; edge attribute since"
    assert note in as_csr(graph, edge_type="sign").notes
    assert note in log()
    note = "not used: node attribute colour; edge attributes sign, since"
    assert note in as_csr(graph, features="size").notes


def test_keys_of_a_multigraph_are_an_attribute():
    graph = nx.MultiGraph([(0, 1, "road"), (0, 1, "rail"), (1, 2, "road")])
    typed = as_csr(graph, edge_type="key")
    assert arcs(typed) == [(0, 1, "rail"), (0, 1, "road"), (1, 2, "road")]
    assert not typed.is_directed
    assert "not used: edge attribute key" in as_csr(graph).notes


def test_a_missing_type_names_its_edge():
    graph = regulation()
    graph.add_edge("a", "b")
    with pytest.raises(InputError, match=r"'sign' must be set everywhere, and \('a', 'b'\) does"):
        as_csr(graph, edge_type="sign")


def test_igraph():
    graph = igraph.Graph([(0, 1), (1, 2)], directed=True)
    graph.vs["name"] = ["a", "b", "c"]
    graph.vs["kind"] = ["p", "p", "q"]
    graph.es["sign"] = ["+", "-"]
    result = as_csr(graph, features="kind", edge_type="sign")
    assert arcs(result) == [("a", "b", "+"), ("b", "c", "-")]
    assert result.feature_names == ("kind=p", "kind=q")
    assert not as_csr(igraph.Graph.Ring(4)).is_directed
    graph.vs["name"] = ["a", "a", "c"]
    with pytest.raises(InputError, match="the attribute 'name' of an igraph graph must differ"):
        as_csr(graph)


def test_a_list_has_one_direction():
    mixed = as_csr([nx.Graph([(0, 1)]), nx.DiGraph([(0, 1)])])
    assert mixed.relations.directed == (True,)
    assert [column.tolist() for column in mixed.edges()[:2]] == [[0, 1, 2], [1, 0, 3]]
    plain = as_csr([nx.Graph([(0, 1)]), nx.Graph([(0, 1)])])
    assert plain.links is None and plain.notes[0].startswith("no node features")
    features = [nx.Graph([(0, 1)]) for _ in range(2)]
    for graph in features:
        nx.set_node_attributes(graph, torch.tensor([1.0, 2.0]), "feat")
    assert as_csr(features).feature_names == ("x0", "x1")
