"""GraphML files: ids, values, defaults, and refusals with their lines."""

import networkx as nx
import pytest
from graph_files import assert_same, edges, refuse

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph

GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="k0" for="node" attr.name="x0" attr.type="double"/>
  <key id="k1" for="node" attr.name="on" attr.type="boolean"/>
  <key id="k2" for="node" attr.name="feat" attr.type="string"/>
  <key id="k3" for="edge" attr.name="{weight}" attr.type="float"/>
  <graph edgedefault="undirected">
    <node id="7"><data key="k0">0.5</data><data key="k1">true</data><data key="k2">a</data></node>
    <node id="5"><data key="k0">-2</data><data key="k1">false</data><data key="k2">b</data></node>
    <edge source="7" target="5"><data key="k3">2.5</data></edge>
  </graph>
</graphml>
"""


def test_without_names_the_feature_is_constant(write):
    path = write("g.graphml", GRAPHML.format(weight="cost"))
    graph = read_graph(path)
    assert graph.feature_names == ("constant",)
    assert graph.node_ids.tolist() == [7, 5]
    assert edges(graph) == [(0, 1)]
    assert graph.weights is None
    refuse(path, "has no 'x1'; it holds ['feat', 'on', 'x0']", features=("x1",))
    assert read_graph(path, features=("feat",)).feature_names == ("feat=a", "feat=b")


def test_named_features_weights_and_defaults_of_keys(write):
    text = GRAPHML.format(weight="weight")
    graph = read_graph(write("g.graphml.gz", text), features=("on", "x0"))
    assert graph.features.tolist() == [[1, 0.5], [0, -2]]
    assert graph.feature_names == ("on", "x0")
    assert graph.weights.tolist() == [2.5, 2.5]
    text = text.replace('"float"/>', '"float"><default>4</default></key>')
    text = text.replace('"double"/>', '"double"><default>9</default></key>')
    text = text.replace('<data key="k3">2.5</data>', "").replace('<data key="k0">-2</data>', "")
    graph = read_graph(write("g.graphml", text), features=("x0",))
    assert graph.weights.tolist() == [4, 4]
    assert graph.features.tolist() == [[0.5], [9]]


def test_as_networkx_reads_it(tmp_path):
    graph = nx.gnp_random_graph(30, 0.2, seed=0)
    for u, v in graph.edges:
        graph.edges[u, v]["weight"] = 1 + u / (1 + v)
    nx.write_graphml(graph, tmp_path / "g.graphml")
    expected = as_csr(nx.read_graphml(tmp_path / "g.graphml", int), edge_weight="weight")
    assert_same(read_graph(tmp_path / "g.graphml"), expected)
    nx.write_graphml(nx.DiGraph([("b", "a"), ("b", "c")]), tmp_path / "g.graphml")
    arcs = read_graph(tmp_path / "g.graphml")
    assert arcs.node_ids.tolist() == ["b", "a", "c"]
    assert [column.tolist() for column in arcs.edges()] == [[0, 0], [1, 2], [0, 0]]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("</graph>", "", "line 12: the XML is malformed (mismatched tag)."),
        ('target="5"', 'target="6"', "line 10: an edge must join nodes of the file, got '6'."),
        ('source="7" ', "", "line 10: <edge> must have the attribute 'source'."),
        ('id="5"', 'id="7"', "line 9: a node must be listed once, got '7'."),
        ('"double"', '"int"', "line 8: the value of 'x0' must be of type int, got '0.5'."),
        ('"string"', '"date"', "line 8: the type of 'feat' must be known, got 'date'."),
        (">true<", ">yes<", "line 8: the value of 'on' must be of type boolean, got 'yes'."),
        (">2.5<", ">-1<", "line 10: an edge weight must be a finite number of at least 0"),
        ('t" attr.type="float"', 't" attr.type="string"', "line 10: an edge weight must be a"),
        ('key="k1">t', 'key="k9">t', "line 8: the key of a value must be declared, got 'k9'."),
        ("<graphml ", '<!DOCTYPE x [<!ENTITY a "b">]><graphml ', "line 2: document types and"),
        ("</graphml>", "<graph/></graphml>", "a GraphML file must hold one <graph>, got 2."),
        ('"utf-8"', '"utf-99"', "line 1: the XML cannot be decoded (unknown encoding: utf-99)"),
        ("<node", "<hyperedge/><node", "line 8: hyperedges are not supported"),
    ],
)
def test_refusals(write, old, new, words):
    text = GRAPHML.format(weight="weight")
    assert old in text
    refuse(write("g.graphml", text.replace(old, new, 1)), words)
