"""Files of NetworkX's formats: as the libraries read them, and damaged ones."""

import json

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


def regulation():
    graph = nx.MultiDiGraph()
    graph.add_node("crp", kind="factor", mass=1.5)
    graph.add_node("araC", kind="factor", mass=2.5)
    graph.add_node("ara B", kind="enzyme", mass=0.5)
    graph.add_edge("crp", "araC", key=0, sign="+", weight=2.0, since=1990)
    graph.add_edge("crp", "araC", key=1, sign="-", weight=3.0, since=1991)
    graph.add_edge("araC", "ara B", key=0, sign="+", weight=4.0, since=1992)
    return graph


WRITERS = {
    "g.graphml": nx.write_graphml,
    "g.graphml.gz": nx.write_graphml,
    "g.gml": nx.write_gml,
    "g.gexf": nx.write_gexf,
    "g.json": lambda graph, path: path.write_text(json.dumps(nx.node_link_data(graph))),
}


@pytest.mark.parametrize("name", WRITERS)
def test_all_that_networkx_writes(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](regulation(), path)
    expected = as_csr(
        regulation(),
        features=["kind", "mass"],
        relation="sign",
        weight="weight",
    )
    options = {"features": ("kind", "mass"), "relation": "sign"}
    assert_same(read_graph(path, **options), expected)
    plain = read_graph(path, weight="none")
    assert plain.feature_names == ("constant",)
    assert plain.weights is None and plain.is_directed and plain.num_edges == 2
    assert any("kind, mass" in note and "sign" in note for note in plain.notes)
    assert not read_graph(path, directed=False).is_directed
    refuse(path, "the file has no 'size'; it holds ['kind', 'mass'", features=("size",))
    refuse(path, "the file has no 'typ'; it holds [", relation="typ")
    refuse(path, "an edge attribute must be given by its name, got 3", relation=3)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_direction_is_in_the_file(tmp_path, name, kind):
    graph = kind([(0, 1), (2, 1), (2, 3)])
    WRITERS[name](graph, tmp_path / name)
    assert_same(read_graph(tmp_path / name), as_csr(graph))


def test_gml_without_labels_and_without_multigraph(write):
    text = "graph [ node [ id 3 label {} ] node [ id 5 label {} ] {} ]"
    edge = "edge [ source 3 target 5 ] "
    twice = read_graph(write("g.gml", text.format('"a"', '"b"', 2 * edge)))
    assert (twice.num_edges, twice.node_ids.tolist()) == (1, ["a", "b"])
    same = read_graph(write("g.gml", text.format('"a"', '"a"', edge)))
    assert same.node_ids.tolist() == [3, 5]
    assert "not used: node attribute label" in same.notes
    umlaut = read_graph(write("g.gml", text.format('"ä"', '"b"', edge)))
    assert umlaut.node_ids.tolist() == ["ä", "b"]


PAJEK = '*Vertices 3\n1 "a"\n2 "b c"\n3 "d"\n*{}\n1 2 2.5\n% a comment\n2 3 1\n'


@pytest.mark.parametrize("kind", ["Arcs", "Edges"])
def test_pajek(write, kind):
    graph = read_graph(write("g.net", PAJEK.format(kind)))
    assert graph.is_directed == (kind == "Arcs")
    assert graph.node_ids.tolist() == ["a", "b c", "d"]
    assert graph.weights.tolist() == [2.5, 2.5, 1, 1]
    assert edges(graph) == [(0, 1), (1, 2)]


def test_pajek_matrix_and_no_edges(write):
    matrix = PAJEK[: PAJEK.index("*{}")] + "*Matrix\n0 1 0\n0 0 1\n0 0 0\n"
    assert read_graph(write("g.paj", matrix)).num_edges == 2
    assert read_graph(write("g.paj", PAJEK[: PAJEK.index("*{}")])).num_edges == 0


# a gigabyte
BOMB = "<!DOCTYPE x [<!ENTITY a0 'a'>{}]><gexf>&a30;</gexf>".format(
    "".join(f"<!ENTITY a{k} '&a{k - 1};&a{k - 1};'>" for k in range(1, 31))
)
FAULTS = [
    ("</graph>", "", "not valid GRAPHML (mismatched tag: line 12, column 2)."),
    ('"double"', '"int"', "not valid GRAPHML (invalid literal for int() with base 10: '0.5')."),
    ('"float"', '"date"', "got the text '2.5'; weight='none'"),
    (
        ">2.5<",
        ">-1<",
        "of at least 0, got -1; weight='none' leaves",
    ),
    (
        't" attr.type="float"',
        't" attr.type="string"',
        "got the text '2.5'",
    ),
    ('key="k1">t', 'key="k9">t', "not valid GRAPHML (Bad GraphML data: no key k9)."),
    ("</graphml>", "<graph/></graphml>", "the file must hold one <graph>, got 2."),
    ('"utf-8"', '"utf-99"', "not valid GRAPHML (unknown encoding: utf-99)."),
]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        *(("g.graphml", GRAPHML.format(weight="weight").replace(old, new, 1), words)
          for old, new, words in FAULTS),
        ("g.gml", "graph [ node [ id 1 ] edge [ source 1 target 2 ] ]", "undefined target 2)"),
        ("g.gml", "graph [ node [ id 1 ]", "expected ']', found EOF at (2, 1)"),
        ("g.gml", "nothing", "the file is not valid GML ("),
        ("g.gml", "graph [ ]", "the graph is empty"),
        ("g.net", PAJEK.format("Arcs") + "*Edges\n1 3\n", "got 2 with and 1 without; directed"),
        ("g.net", PAJEK.format("Arcslist"), "line 6 must name nodes from 1 to 3, got '2.5'"),
        ("g.net", "*Vertices 9\n10 a\n", "line 2 must name nodes from 1 to 9, got '10'."),
        ("g.json", "[]", "a JSON file must hold nodes and links"),
        ("g.json", '{"nodes": []}', "a JSON file must hold nodes and links"),
        ("g.json", '{"nodes": [7, 7], "links": []}', "each node must have an id of its own, got"),
        ("g.json", "{", "the file is not valid JSON ("),
        ("g.gexf", "<gexf/>", "the file must hold one <graph>, got 0."),
        ("g.gexf", "<gexf><graph/><graph/></gexf>", "the file must hold one <graph>, got 2."),
        ("g.gexf", BOMB, "the file is not valid GEXF (limit on input amplification factor"),
    ],
)  # fmt: skip
def test_refusals(write, name, text, words):
    refuse(write(name, text), words)
