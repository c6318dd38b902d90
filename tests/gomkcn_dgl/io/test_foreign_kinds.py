"""Files of other tools: names, parallel edges, relations and ends that libraries lose."""

import json

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from command_line import gomkcn
from graph_files import named_edges, refuse

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph, read_with_attributes


def ends(graph):
    return [edge[:2] for edge in named_edges(graph)]


def names(graph):
    return graph.original_ids(np.arange(graph.num_nodes))


# ---------------------------------------------------------------- Pajek

VERTICES = '*Vertices 4\n1 "a"\n2 "b c"\n3 "d"\n4 "e"\n'


def test_equal_labels_of_pajek_are_different_nodes(write):
    text = "".join(f'{row} "{"red" if row % 2 else "blue"}"\n' for row in range(1, 7))
    ring = "".join(f"{row} {row % 6 + 1} 1\n" for row in range(1, 7))
    path = write("ring.net", f"*Vertices 6\n{text}*Edges\n{ring}")
    graph = read_graph(path)
    assert (graph.num_nodes, graph.num_edges, names(graph)) == (6, 6, [1, 2, 3, 4, 5, 6])
    assert "not used: node attribute name" in graph.notes
    assert "occurrences 1," in gomkcn(f"count ring-6 {path}")
    for lines, words in (
        ("1 2\n2 9", "line 8 must name nodes from 1 to 4, got '9'"),
        ("\n1 2\n2 x", "line 9 must name nodes from 1 to 4, got 'x'"),
        ("1 2 x", "line 7 must have a number as the weight of its edge, got 'x'"),
        ("1", "line 7 must hold the numbers of two nodes, got '1'"),
        ("1,2", "line 7 must begin with the number of a node"),
        ('1 2 1 l "a"b', "line 7 must hold a name between two quotes"),
    ):
        refuse(write("g.net", f"{VERTICES}*Edges\n{lines}\n"), words)


def test_attributes_of_pajek_are_read_as_they_are(write):
    rows = '1 "a" 0.1 0.2 0.5 box ic Red x_fact 2\n2 "b c" 0.5 0.25\n3 d\n'
    lists = '*Arcs\n1 2 2.5 kind "part of" w 3\n2 3 1 kind 007 w 0.5\n'
    path = write("g.net", f"*Vertices 3\n{rows}{lists}")
    found = read_with_attributes(path, relation="kind", edge_attributes=["w"])
    assert named_edges(found.graph) == [("a", "b c", "part of"), ("b c", "d", "007")]
    assert list(found.attributes["x"]) == [0.1, 0.5, None]
    assert list(found.attributes["ic"]) == ["Red", None, None]
    assert list(found.attributes["shape"]) == ["box", None, None]
    assert list(found.edges.columns["w"]) == [3, 0.5]
    # a row whose pairs are none keeps its name and its place
    odd = read_with_attributes(write("h.net", "*Vertices 1\n1 a 0.5 0.5 ic red 3 4 box\n"))
    assert odd.attributes.keys() == {"x", "y"} and list(odd.attributes["y"]) == [0.5]


@pytest.mark.parametrize(
    ("lists", "expected", "kinds"),
    [
        ("*Arcs\n*Edges\n1 2\n", [("a", "b c", "edge")], [("edge", False)]),
        ("*Arcs\n1 2\n*Edges\n", [("a", "b c", "edge")], [("edge", True)]),
        (
            '*Arcs :1 "likes"\n1 2 1\n*Arcs :2 "hates"\n3 4 1\n1 2 1\n',
            [("a", "b c", "hates"), ("a", "b c", "likes"), ("d", "e", "hates")],
            [("hates", True), ("likes", True)],
        ),
        (
            '*Arcs :3 "likes"\n1 2 1\n*Edges :2\n3 4\n',
            [("a", "b c", "likes"), ("d", "e", "2")],
            [("2", False), ("likes", True)],
        ),
        (
            "*Edges\n1: 1 2 1\n2: 2 3 1\n",
            [("a", "b c", "1"), ("b c", "d", "2")],
            [("1", False), ("2", False)],
        ),
        (
            '*Arcslist :1 "part of"\n1 2 3\n*Arcslist :8 "group"\n4 1\n',
            [("a", "b c", "part of"), ("a", "d", "part of"), ("e", "a", "group")],
            [("group", True), ("part of", True)],
        ),
        ("*Edgeslist\n1 2 3\n", [("a", "b c", "edge"), ("a", "d", "edge")], [("edge", False)]),
        ("*Matrix\n0 1 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n", [("a", "b c", "edge")], [("edge", True)]),
    ],
)
def test_lists_of_pajek(write, lists, expected, kinds):
    graph = read_graph(write("g.net", VERTICES + lists))
    assert named_edges(graph) == expected
    assert list(graph.relations.kinds) == kinds


def test_pajek_with_arcs_and_edges_says_so(write):
    text = VERTICES + "*Arcs\n1 2 1\n*Edges\n3 4 1\n"
    path = write("g.net", text)
    words = "edges must have a direction all or none, got 1 with and 1 without; directed=True"
    refuse(path, words)
    assert ends(read_graph(path, directed=True)) == [("a", "b c"), ("d", "e"), ("e", "d")]
    assert ends(read_graph(path, directed=False)) == [("a", "b c"), ("d", "e")]
    named = text.replace("*Arcs", '*Arcs :1 "x"').replace("*Edges", '*Edges :1 "x"')
    refuse(write("h.net", named), "edges of the relation 'x' must have a direction all or none")


def test_pajek_of_two_modes_without_labels_and_of_other_tools(write):
    two = read_graph(write("g.net", '*Vertices 3 1\n1 "w"\n2 "x"\n3 "y"\n*Edges\n1 3\n'))
    assert (ends(two), two.num_nodes) == ([("w", "y")], 3)
    matrix = read_graph(write("g.net", "*Vertices 4 2\n*Matrix\n0 1\n1 0\n"))
    assert (ends(matrix), matrix.is_directed) == ([(1, 4), (2, 3)], False)
    bare = read_graph(write("g.net", "*Vertices 4\n*Edges\n1 2\n3 4\n"))
    assert (ends(bare), names(bare)) == ([(1, 2), (3, 4)], [1, 2, 3, 4])
    # the order of parameters of SocNetV, which igraph does not take
    drawn = '*Vertices 2\n1 "v1" ic red\t0.5 0.3\tcircle\n2 "v 2" ic #cc0000 0.1 0.2 circle\n'
    drawn = read_graph(write("g.net", drawn + "*Arcs\n*Edges\n1 2 1 c #123456\n"))
    assert (ends(drawn), drawn.is_directed) == ([("v1", "v 2")], False)
    assert "not used: what stands after the names of nodes and the weights of edges" in drawn.notes
    rest = "*Partition p\n*Vertices 4\n1\n2\n1\n1\n"
    project = read_graph(write("g.paj", f"*Network n\n{VERTICES}*Edges\n1 2\n3 4 2.5\n{rest}"))
    assert project.weights.tolist() == [1, 1, 2.5, 2.5]
    assert {"left out *Partition", "edges without a weight have the weight 1"} <= {*project.notes}
    refuse(write("g.paj", f"*Network a\n{VERTICES}*Network b\n{VERTICES}"), "must hold one network")
    entity = read_graph(write("g.net", VERTICES.replace("b c", "&#228;&#34;") + "*Edges\n1 2\n"))
    assert names(entity)[1] == 'ä"'
    refuse(write("g.net", VERTICES.replace('"d"', '"d" b "c"')), "line 4 must hold a name between")
    remark = read_graph(write("g.net", f"/* by\n *Arcs\nhand */\n/* x */ {VERTICES}*Edges\n1 2\n"))
    assert (ends(remark), remark.is_directed) == ([("a", "b c")], False)
    refuse(write("g.net", f"/*\n*/\n{VERTICES}*Edges\n1 9\n"), "line 9 must name nodes from 1")
    two_types = '*Edges :1 "likes"\n1 2\n*Edges :2 "hates"\n1 2\n'
    untyped = read_graph(write("g.net", VERTICES + two_types), relation="none")
    assert named_edges(untyped) == [("a", "b c", "edge")]
    timed = read_graph(write("g.net", VERTICES + "*Edges\n1 2 1 [1-3]\n\n2 3 1 [2-*]\n"))
    assert timed.num_edges == 2 and "left out the times of nodes and edges" in timed.notes


# ---------------------------------------------------------------- GraphML, GEXF and GML

KEYS = '<key id="{0}" for="{1}" attr.name="{2}" attr.type="{3}"/>'


def graphml(keys, inside, directed="directed", space="http://graphml.graphdrawing.org/xmlns"):
    graph = f'<graph edgedefault="{directed}">{inside}</graph>'
    return f'<graphml xmlns="{space}">{keys}{graph}</graphml>'


NODES = '<node id="a"/><node id="b"/><node id="c"/>'


def test_names_of_igraph_and_of_yed_name_the_nodes(write):
    key = KEYS.format("v_name", "node", "name", "string")
    nodes = '<node id="n{}"><data key="v_name">{}</data></node>'
    inside = "".join(nodes.format(row, name) for row, name in enumerate(["ann", "bob", "cy"]))
    edge = '<edge source="n0" target="n1"/>'
    path = write("g.graphml", graphml(key, inside + edge, "undirected"))
    assert names(read_graph(path)) == ["ann", "bob", "cy"]
    assert "ann\tbob" in gomkcn(f"count edge {path} --list 1")
    same = inside.replace("cy", "ann")
    assert names(read_graph(write("g.graphml", graphml(key, same + edge)))) == ["n0", "n1", "n2"]
    space = 'xmlns:y="http://www.yworks.com/xml/graphml"'
    key = f'<key id="d0" for="node" yfiles.type="nodegraphics" {space}/>'
    label = "<y:ShapeNode {}><y:NodeLabel>{}</y:NodeLabel></y:ShapeNode>"
    inside = "".join(
        f'<node id="n{row}"><data key="d0">{label.format(space, name)}</data></node>'
        for row, name in enumerate(["start", "the end"])
    )
    graph = read_graph(write("g.graphml", graphml(key, inside + edge)))
    assert ends(graph) == [("start", "the end")]


def test_parallel_edges_of_one_id_are_kept(write):
    key = KEYS.format("t", "edge", "type", "string")
    edge = '<edge id="{}" source="a" target="{}"><data key="t">{}</data></edge>'
    parallel = [("0", "b", "likes"), ("0", "b", "hates"), ("0", "c", "likes")]
    inside = NODES + "".join(edge.format(*each) for each in parallel)
    graph = read_graph(write("g.graphml", graphml(key, inside)), relation="type")
    assert named_edges(graph) == [("a", "b", "hates"), ("a", "b", "likes"), ("a", "c", "likes")]
    # as NetworkX writes keys that are the type of an edge
    typed = inside.replace('id="0" source="a" target="b"', 'id="x" source="a" target="b"')
    typed = typed.replace('id="0"', 'id="y"')
    assert named_edges(read_graph(write("g.graphml", graphml(key, typed)), relation="key")) == [
        ("a", "b", "x"),
        ("a", "c", "y"),
    ]


@pytest.mark.parametrize("space", ["https://graphml.graphdrawing.org/xmlns", "", "urn:other"])
def test_graphml_without_names_of_keys_or_with_another_namespace(write, space):
    inside = '<node id="Zürich"><data key="u">x</data></node><node id="b"/>'
    inside += '<edge source="Zürich" target="b"/>'
    graph = read_graph(write("g.graphml", graphml('<key id="u" for="node"/>', inside, space=space)))
    assert ends(graph) == [("Zürich", "b")]
    assert "not used: node attribute u" in graph.notes


def test_what_igraph_writes_for_a_number_that_is_missing(write):
    keys = KEYS.format("v_age", "node", "age", "double")
    keys += KEYS.format("w", "edge", "weight", "double")
    keys += KEYS.format("v_size", "node", "size", "int")
    inside = '<node id="a"><data key="v_age">NaN</data><data key="v_size"/></node>'
    inside += '<node id="b"><data key="v_age">31</data></node>'
    inside += '<edge source="a" target="b"><data key="w">NaN</data></edge>'
    path = write("g.graphml", graphml(keys, inside, "undirected"))
    assert read_graph(path, weight="none").num_edges == 1
    refuse(path, "'age' must be set everywhere, and 'a' does not", features=("age",), weight="none")
    assert read_with_attributes(path, weight="none")[1] == {"age": [None, 31.0]}


MIXED = '<edge source="a" target="b"/><edge directed="false" source="b" target="c"/>'


@pytest.mark.parametrize(
    ("keys", "inside", "words"),
    [
        ("", NODES + '<edge source="a" target="z"/>', "the target of an edge must be the id of a"),
        (
            "",
            NODES + '<edge target="a"/>',
            "the source of an edge must be the id of a node, got",
        ),
        ("", NODES + '<node id="a"/>', "each node must have an id of its own, got two of 'a'"),
        ("", NODES + "<node/>", "each node must have an id of its own, got one without"),
        (
            KEYS.format("t", "edge", "type", "string") + KEYS.format("s", "edge", "type", "string"),
            NODES,
            "each key must have a name of its own, got 'type' for the keys 't' and 's'",
        ),
        (2 * KEYS.format("t", "edge", "type", "int"), NODES, "each key must have an id of its own"),
        ("", NODES + MIXED, "edges must have a direction all or none, got 1 with and 1 without"),
    ],
)
def test_graphml_that_is_refused(write, keys, inside, words):
    refuse(write("g.graphml", graphml(keys, inside)), words)


def test_graphml_with_mixed_directions_is_read_as_was_said(write):
    path = write("g.graphml", graphml("", NODES + MIXED))
    assert ends(read_graph(path, directed=True)) == [("a", "b"), ("b", "c"), ("c", "b")]
    assert ends(read_graph(path, directed=False)) == [("a", "b"), ("b", "c")]
    # all edges say the same, other than the graph
    same = write("h.graphml", graphml("", NODES + MIXED.split("/>")[1] + "/>"))
    assert not read_graph(same).is_directed


def gexf(edges, space="http://www.gexf.net/1.3", default="undirected"):
    nodes = "".join(f'<node id="{row}" label="{name}"/>' for row, name in enumerate("ABC"))
    graph = (
        f'<graph defaultedgetype="{default}"><nodes>{nodes}</nodes><edges>{edges}</edges></graph>'
    )
    return f'<gexf xmlns="{space}" xmlns:viz="{space}/viz">{graph}</gexf>'


TWO = '<edge id="0" source="0" target="1"/><edge id="0" source="2" target="1"/>'


@pytest.mark.parametrize(
    "space",
    ["http://www.gexf.net/1.3", "https://gexf.net/1.2draft", "http://gexf.net/1.3", "", "urn:x"],
)
def test_namespaces_of_gexf(write, space):
    graph = read_graph(write("g.gexf", gexf(TWO, space)))
    assert (ends(graph), graph.is_directed) == ([("A", "B"), ("B", "C")], False)


def test_edges_of_gexf(write):
    kinds = TWO.replace("/>", ' kind="k"/>', 1).replace('target="1"/>', 'target="1" kind="l"/>')
    kinds += '<edge id="0" source="0" target="1" kind="l"/>'
    graph = read_graph(write("g.gexf", gexf(kinds)), relation="kind")
    assert named_edges(graph) == [("A", "B", "k"), ("A", "B", "l"), ("B", "C", "l")]
    both = TWO.replace('id="0"', 'type="mutual"', 1)
    directed = read_graph(write("g.gexf", gexf(both, default="directed")))
    assert ends(directed) == [("A", "B"), ("B", "A"), ("C", "B")]
    assert not read_graph(write("g.gexf", gexf(both))).is_directed
    refuse(write("g.gexf", gexf(TWO.replace('id="0"', 'type="directed"', 1))), "got 1 with and 1")
    refuse(write("g.gexf", gexf(TWO.replace('source="2"', 'source="9"'))), "the source of an edge")


def test_times_types_and_weights_of_gexf(write):
    attribute = '<attributes class="node"><attribute id="0" title="{}" type="{}"/></attributes>'
    text = gexf(TWO.replace("/>", ' start="2001" weight="2"/>', 1))
    for time in ("", ' timeformat="dateTime"', ' timeformat="integer"'):
        dynamic = text.replace("<nodes>", attribute.format("x", "bigdecimal") + "<nodes>")
        graph = read_graph(write("g.gexf", dynamic.replace("<graph", "<graph" + time)))
        assert graph.weights.tolist() == [2, 2, 1, 1]
        assert "x is read as text, not as bigdecimal" in graph.notes


def test_types_and_empty_defaults_of_graphml(write):
    keys = KEYS.format("k", "node", "pos", "vector_double")
    keys += KEYS.format("n", "node", "number", "short")
    keys += KEYS.format("l", "node", "label", "string").replace("/>", "><default></default></key>")
    inside = (
        NODES.replace('"a"/>', '"a"><data key="n">3</data></node>') + MIXED.split("/>")[0] + "/>"
    )
    graph, found, _ = read_with_attributes(write("g.graphml", graphml(keys, inside)))
    assert found == {"number": [3, None, None]}
    assert "pos is read as text, not as vector_double" in graph.notes


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.gml", 'graph [ node [ id 1 label "ä" ] node [ id 2 label "b" ] edge [ {} ] ]'),
        ("g.net", '*Vertices 2\r\n1 "ä"\r\n2 "b"\r\n*Edges\r\n1 2\r\n'),
        ("g.sif", "ä pp b\r\n"),
        ("g.json", '{"nodes": ["ä", "b"], "links": [["ä", "b"]]}'),
    ],
)
def test_encodings(tmp_path, name, text, encoding):
    path, text = tmp_path / name, text.replace("{}", "source 1 target 2")
    path.write_bytes(text.encode(encoding))
    assert {*names(read_graph(path))} == {"ä", "b"}
    path.write_bytes(text.encode("latin-1"))
    refuse(path, "utf-8" if name == "g.json" else "text in UTF-8 was expected, got the byte 0xe4")


def test_equal_names_of_igraph_are_different_nodes():
    graph = igraph.Graph([(0, 1), (1, 2)])
    graph.vs["name"] = ["red", "blue", "red"]
    assert names(as_csr(graph)) == [0, 1, 2]
    assert "not used: node attribute name" in as_csr(graph).notes
    graph.vs["name"] = ["red", "blue", "green"]
    assert names(as_csr(graph)) == ["red", "blue", "green"]


GML = "graph [ directed 1 node [ id 0 name {} p {} ] node [ id 1 name {} p 0.5 ] {} ]"
EDGE = 'edge [ source 1 target 0 kind "x" ] '


def test_numbers_texts_and_parallel_edges_of_gml(write):
    path = write("g.gml", GML.format('"ann"', "1e-05", '"bob"', EDGE))
    assert ends(read_graph(path)) == [("bob", "ann")]
    assert read_graph(path, features=("p",)).features[:, 0].tolist() == [np.float32(1e-05), 0.5]
    for number, value in (("-2E3", -2000), ("3e+2", 300), ("1.5e-2", 0.015), ("INF", np.inf)):
        path = write("g.gml", GML.format('"1e5"', number, '"1e-05 # x"', EDGE))
        graph = read_graph(path)
        assert names(graph) == ["1e5", "1e-05 # x"]
        if np.isfinite(value):
            found = read_graph(path, features=("p",)).features[0, 0]
            assert found == np.float32(value)
    gap = read_graph(write("g.gml", GML.format('"a"', "NaN", '"b\nc &#228;"', EDGE)))
    assert names(gap) == ["a", "b\nc ä"]
    equal = read_graph(write("g.gml", GML.format('"a"', "1", '"a"', 2 * EDGE)), relation="kind")
    assert (names(equal), named_edges(equal)) == ([0, 1], [(1, 0, "x")])
    refuse(
        write("g.gml", GML.format('"a"', "1", '"b"', EDGE.replace("0", "7"))), "undefined target"
    )
    refuse(write("g.gml", 2 * GML.format('"a"', "1", '"b"', "")), "more than one graph")


def test_nodes_of_gml_without_an_id_have_one_of_their_own(write):
    inside = 'node [ id 5 label "id [" ] node [ ] # node [\n node [ x 1 ] node [ label "b" id 7 ] '
    path = write("g.gml", f"graph [ {inside} edge [ id 9 source 5 target 7 ] ]")
    graph, found, _ = read_with_attributes(path)
    assert (names(graph), ends(graph)) == ([5, 8, 9, 7], [(5, 7)])
    assert found == {"label": ["id [", None, None, "b"], "x": [None, None, 1, None]}
    # all have names
    named = 'graph [ node [ label "a" ] node [ id 0 label "b" ] edge [ source 0 target 0 ] ]'
    assert names(read_graph(write("h.gml", named))) == ["a", "b"]
    assert read_graph(write("i.gml", "graph [ node [ ] ]")).num_nodes == 1


def test_keys_that_graphml_does_not_declare(write):
    inside = '<node id="a"><data key="size">2.5</data><data key="kind">x</data></node>'
    inside += '<node id="b"><data key="size">3</data></node><edge source="a" target="b"/>'
    graph, found, _ = read_with_attributes(write("g.graphml", graphml("", inside)))
    assert found == {"size": [2.5, 3.0], "kind": ["x", None]}
    assert "size is read as numbers, since the file declares no types" in graph.notes
    assert "kind is read as text, since the file declares no types" in graph.notes


def test_types_of_edges_are_relations_under_the_name_that_a_format_has(write):
    kinds = '<edge source="0" target="1" kind="likes"/><edge source="0" target="1" kind="hates"/>'
    labels = '<edge source="a" target="b" label="likes"><data key="label">likes</data></edge>'
    labels += '<edge source="a" target="b" label="hates"/>'
    declared = '<key id="label" for="edge" attr.name="label"/>'
    for path, name, first, second in (
        (write("g.gexf", gexf(kinds, default="directed")), "kind", "A", "B"),
        (write("g.graphml", graphml(declared, NODES + labels)), "label", "a", "b"),
        (write("h.graphml", graphml("", NODES + labels)), "label", "a", "b"),
    ):
        likes = [(first, second, "hates"), (first, second, "likes")]
        graph = read_graph(path)
        assert named_edges(graph) == named_edges(read_graph(path, relation=name)) == likes
        assert "not used" not in str(graph.notes)
        assert read_graph(path, relation="none").num_edges == 1
        # patterns that ask for the attribute still find it
        asked = read_with_attributes(path, edge_attributes=[name]).edges
        assert list(asked.columns[name]) == ["likes", "hates"]
    one = kinds.replace(' kind="hates"', "")
    assert [edge[2] for edge in named_edges(read_graph(write("g.gexf", gexf(one))))] == [
        "edge",
        "likes",
    ]
    # a label that is declared alone may be any text
    alone = labels.replace(' label="likes"', "").replace(' label="hates"', "")
    graph = read_graph(write("g.graphml", graphml(declared, NODES + alone)))
    assert graph.relations.names == ("edge",) and "merged" in str(graph.notes)
    many = "".join(f'<edge source="0" target="1" kind="k{number}"/>' for number in range(1001))
    words = "must have at most 1000 relations, got 1001, among them 'k0'; relation='none' leaves"
    refuse(write("g.gexf", gexf(many)), words)


# ---------------------------------------------------------------- JSON

IDS = [{"id": "a", "x": 1}, {"id": "b", "x": 2}]
NAMED = [{"name": "A"}, {"name": "B"}]


@pytest.mark.parametrize(
    ("record", "expected", "directed"),
    [
        ({"nodes": NAMED, "links": [{"source": "A", "target": "B"}]}, ("A", "B"), False),
        ({"nodes": NAMED, "links": [{"source": 0, "target": 1}]}, ("A", "B"), False),
        ({"data": NAMED, "links": [{"source": "A", "target": 1}]}, ("A", "B"), False),
        ({"series": [{"data": NAMED, "links": [{"source": 0, "target": "B"}]}]}, ("A", "B"), False),
        ({"nodes": IDS, "edges": [{"source": "a", "target": "b"}]}, ("a", "b"), False),
        ({"nodes": IDS, "links": [{"source": IDS[0], "target": IDS[1]}]}, ("a", "b"), False),
        ({"nodes": ["a", "b"], "links": [["a", "b"]]}, ("a", "b"), False),
        ({"nodes": IDS, "directed": True, "links": [{"source": 1, "target": 0}]}, ("b", "a"), True),
        ({"nodes": [{"id": 1.0}, {"id": 2.5}], "links": [[1, 2.5]]}, ("1.0", "2.5"), False),
        ({"nodes": [{"id": 3.0}, {"id": 1.0}], "links": [[3, 1]]}, (3, 1), False),
        (
            {"nodes": IDS, "links": [{"source": "a", "target": "b", "type": "Directed"}]},
            ("a", "b"),
            True,
        ),
        ({"nodes": [{"id": 1}, {"id": 0}], "links": [{"source": 0, "target": 1}]}, (1, 0), False),
        (
            {
                "nodes": [{"id": "0", "name": "Ann"}, {"id": "1", "name": "Bob"}],
                "links": [{"source": "Ann", "target": "Bob"}],
            },
            ("Ann", "Bob"),
            False,
        ),
        (
            {
                "options": {"type": "directed"},
                "nodes": [{"key": "0", "attributes": {"label": "Ann"}}, {"key": "1"}],
                "edges": [{"key": "e", "source": "1", "target": "0"}],
            },
            (1, 0),
            True,
        ),
        (
            {
                "options": {"type": "mixed"},
                "nodes": [{"key": "x"}, {"key": "y"}],
                "edges": [{"source": "x", "target": "y", "undirected": True}],
            },
            ("x", "y"),
            False,
        ),
        (
            {
                "nodes": [{"id": 1, "label": "one"}, {"id": 2, "label": "two"}],
                "edges": [{"from": 1, "to": 2, "arrows": "from"}],
            },
            ("two", "one"),
            True,
        ),
        (
            {
                "elements": {
                    "nodes": [{"data": {"id": "1"}}, {"data": {"id": "2"}}],
                    "edges": [{"data": {"source": 1, "target": 2}}],
                }
            },
            (1, 2),
            False,
        ),
        (
            [
                {"data": {"id": "p"}},
                {"data": {"id": "q"}},
                {"data": {"source": "p", "target": "q"}},
            ],
            ("p", "q"),
            False,
        ),
        (
            {
                "graph": {
                    "directed": True,
                    "nodes": {"a": {"label": "A"}, "b": {"label": "B"}},
                    "edges": [{"source": "b", "target": "a"}],
                }
            },
            ("B", "A"),
            True,
        ),
    ],
)
def test_forms_of_json(write, record, expected, directed):
    graph = read_graph(write("g.json", json.dumps(record)))
    assert (graph.num_nodes, graph.is_directed) == (2, directed)
    assert [edge[:2] for edge in named_edges(graph)] == [expected]


@pytest.mark.parametrize("form", [nx.node_link_data, nx.adjacency_data, nx.cytoscape_data])
@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiDiGraph])
def test_forms_of_networkx(write, form, kind):
    graph = kind([("a", "b"), ("c", "b"), ("a", "c")])
    graph.add_node("é", x=1)
    found = read_graph(write("g.cyjs.gz", json.dumps(form(graph))))
    assert named_edges(found) == named_edges(as_csr(graph))
    assert names(found) == list(graph) and found.is_directed == graph.is_directed()
    assert not any("merged" in note for note in found.notes)


LINK = [{"source": "a", "target": "zz"}]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"nodes": IDS, "links": LINK}, "the name or the position of a node, got 'zz'."),
        ({"nodes": NAMED, "links": [{"source": 0, "target": 2}]}, "position of a node, got '2'."),
        (
            {"nodes": NAMED, "links": [{"source": "A"}]},
            "a link must have a source and a target",
        ),
        ({"nodes": 2 * IDS, "links": []}, "each node must have an id of its own, got two of 'a'"),
        (
            {"nodes": [{"id": "1"}, {"id": "2"}], "links": [{"source": 1, "target": 1}]},
            "can be ids of nodes and positions in their list",
        ),
        ({"nodes": IDS, "links": {"a": 1}}, "links of a JSON file must be a list, got dict"),
        ({"nodes": IDS, "adjacency": [[]]}, "must have a list for each of the 2 nodes, got 1"),
        ({"id": 1, "children": []}, "got id, children."),
        ([1, 2], "got a list of int."),
        ({"nodes": IDS, "links": LINK, "edges": LINK}, "must hold links or edges, got both."),
        ({"graphs": []}, "a JSON file must hold a graph, got none."),
        ({"graphs": [{}, {}]}, "a JSON file must hold nodes and links, as networkx.node_link_data"),
        (
            {
                "options": {"type": "mixed"},
                "nodes": IDS,
                "edges": [
                    {"source": "a", "target": "b", "undirected": True},
                    {"source": "a", "target": "b"},
                ],
            },
            "got 1 with and 1 without",
        ),
    ],
)
def test_json_that_is_refused(write, record, words):
    refuse(write("g.json", json.dumps(record)), words)


JGF = {
    "label": "first",
    "nodes": {"x": {"label": "ann"}, "y": {"label": "bob"}, "z": {}},
    "edges": [
        {"source": "x", "target": "y", "relation": "likes"},
        {"source": "x", "target": "y", "relation": "hates"},
        {"source": "y", "target": "z"},
    ],
}


def test_relations_of_the_json_graph_format(write):
    for record in ({"graph": JGF}, {"graphs": [JGF]}):
        graph = read_graph(write("g.json", json.dumps(record)))
        assert graph.is_directed and "edge attribute" not in str(graph.notes)
        likes = [("x", "y", "hates"), ("x", "y", "likes"), ("y", "z", "edge")]
        assert named_edges(graph) == likes
    plain = read_graph(write("g.json", json.dumps({"graph": JGF})), relation="none")
    assert plain.num_edges == 2 and "not used: " in str(plain.notes)
    # in other forms it is an attribute as any other
    other = {"nodes": IDS, "links": [{"source": "a", "target": "b", "relation": "likes"}]}
    other = read_graph(write("g.json", json.dumps(other)))
    assert other.relations.names == ("edge",)


def test_several_graphs_of_the_json_graph_format_are_a_collection(write):
    nodes = [{"id": "a"}, {"id": "b"}]
    second = {"label": "second", "nodes": nodes, "edges": [{"source": "b", "target": "a"}]}
    empty = {"nodes": {"lone": {"label": "L"}}}
    path = write("g.json", json.dumps({"graphs": [JGF, second, empty]}))
    graph = read_graph(path)
    assert graph.graph_ptr.tolist() == [0, 3, 5, 6]
    assert names(graph) == ["x", "y", "z", "a", "b", "L"]
    assert graph.graph_names.tolist() == ["first", "second", ""]
    assert ("b", "a", "edge") in named_edges(graph) and graph.num_edges == 4
    assert gomkcn(f"info {path}").startswith("graphs             3")


ROWS = [
    {"who": "b", "whom": "a", "type": "likes"},
    {"who": "b", "whom": "a", "type": "hates"},
    {"who": "c", "whom": "a", "type": "likes", "n": None},
]


def test_rows_of_json_are_a_table_of_edges(write):
    frame = pd.DataFrame(ROWS)
    expected = as_csr(frame, source="who", target="whom")
    assert len(named_edges(expected)) == 3
    lines = frame.to_json(orient="records", lines=True)
    for name, text in (
        ("g.json", frame.to_json(orient="records")),
        ("g.json", "\ufeff " + json.dumps(ROWS, indent=2)),
        ("g.jsonl", lines),
        ("g.ndjson", lines.replace("\n", "\r\n\r\n")),
    ):
        graph = read_graph(write(name, text), source="who", target="whom")
        assert named_edges(graph) == named_edges(expected)
        assert "columns that are not used: n" in graph.notes
    path = write("g.json", json.dumps(ROWS))
    assert "relations          hates 1" in gomkcn(f"info {path} --source who --target 2")
    # ids of several types are text
    odd = [{"source": 1, "target": "x"}, {"source": 2.5, "target": "y"}]
    assert names(read_graph(write("g.json", json.dumps(odd)))) == ["1", "2.5", "x", "y"]
    refuse(
        write("g.json", json.dumps([*ROWS, 3])), "row 4: a record of values by column was expected"
    )
    refuse(
        write("g.jsonl", lines + "[1]"),
        "line 4: a record of values by column was expected, got [1]",
    )
    refuse(write("g.jsonl", lines + "{"), "line 4 is not valid JSON (Expecting")
    refuse(write("g.json", "[]"), "got list")


# ---------------------------------------------------------------- SIF, NCOL, LGL, DIMACS


def test_sif(write):
    graph = read_graph(write("g.sif", "a pp b c\nd\nb pd a\n"))
    assert named_edges(graph) == [("a", "b", "pp"), ("a", "c", "pp"), ("b", "a", "pd")]
    assert names(graph) == ["a", "b", "c", "d"]
    tabs = read_graph(write("g.sif.gz", "a\tis a\tb c\td\nlone node\t\n"))
    assert named_edges(tabs) == [("a", "b c", "is a"), ("a", "d", "is a")]
    assert names(tabs) == ["a", "b c", "d", "lone node"]
    undirected = read_graph(write("g.sif", "a pp b\n"), directed=False, relation="none")
    assert (named_edges(undirected), undirected.is_directed) == ([("a", "b", "edge")], False)
    assert read_graph(write("g.sif", "a\nb\n")).num_nodes == 2
    refuse(write("g.sif", "a pp b\nb c\n"), "line 2 must be a node, or a node, a relation and")


def test_ncol_and_lgl(write):
    graph = read_graph(write("g.ncol", "# by hand\nb a 2.5\nb #c\n007 7\n"))
    assert {frozenset(edge) for edge in ends(graph)} == {
        frozenset(edge) for edge in (("a", "b"), ("b", "#c"), ("007", "7"))
    }
    assert {*names(graph)} == {"a", "b", "#c", "007", "7"} and not graph.is_directed
    assert {"left out lines of comments: 1", "edges without a weight have the weight 1"} <= {
        *graph.notes
    }
    assert sorted(graph.weights.tolist()) == [1, 1, 1, 1, 2.5, 2.5]
    directed = read_graph(write("g.ncol", "b a\nb c\n"), directed=True)
    assert ends(directed) == [("b", "a"), ("b", "c")] and directed.is_directed
    refuse(write("g.ncol", "# c\na b\na b x\n"), "not valid NCOL (Unexpected character 'x'")
    lone = read_graph(write("g.lgl", "# a\nb\nc\n# d\n"))
    assert ends(lone) == [("a", "b"), ("a", "c")] and names(lone) == ["a", "b", "c", "d"]
    refuse(write("g.lgl", "# a\nb 1 2\n"), "line 2 (syntax error")


@pytest.mark.parametrize(
    ("text", "expected", "directed"),
    [
        ("c x\np edge 4 2\ne 1 2\ne 3 2\n", [(1, 2), (2, 3)], False),
        ("p col 4 2\nn 1 7\ne 1 2\ne 2 1\n", [(1, 2)], False),
        ("p max 4 2\nn 1 s\nn 4 t\na 2 1 5\na 2 4 3.5\n", [(2, 1), (2, 4)], True),
        ("p sp 4 1\r\na 3 1 2.5\r\n", [(3, 1)], True),
    ],
)
def test_dimacs(write, text, expected, directed):
    graph = read_graph(write("g.col", text))
    assert (ends(graph), graph.is_directed) == (expected, directed)
    assert names(graph) == [1, 2, 3, 4]


def test_dimacs_says_what_it_does_not_use(write):
    graph = read_graph(write("g.dimacs", "p max 2 4\nn 1 s\na 1 2 5\n"))
    assert {"not used: lines n", "4 edges are announced, and 1 listed"} <= {*graph.notes}
    assert "not used: edge attribute capacity" in graph.notes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("p edge 3 1\n\ne 1 9\n", "line 3 must name nodes from 1 to 3, got '9'"),
        ("p edge 99999999999 1\n", "announces 99,999,999,999 nodes, more than it could hold"),
        ("e 1 2\n", "line 1 must be a comment c, the one line p"),
        ("p edge 2 1\np edge 2 1\n", "line 2 must be a comment c"),
        ("p edge 2 1\ne 1 2 x\n", "line 2 must end in numbers, got 'x'"),
        ("c nothing\n", "a DIMACS file must have a line p"),
        ("p edge 3 2\ne 1 2\na 2 3\n", "got 1 with and 1 without"),
    ],
)
def test_dimacs_that_is_refused(write, text, words):
    refuse(write("g.dimacs", text), words)


# ---------------------------------------------------------------- graph6, sparse6, Matrix Market


def test_graph6_and_sparse6(write):
    text = nx.to_graph6_bytes(nx.petersen_graph()).decode()
    assert read_graph(write("g.g6", text)).num_edges == 15
    several = text + nx.to_sparse6_bytes(nx.path_graph(70)).decode()
    graph = read_graph(write("g.g6.gz", several))
    assert (graph.num_graphs, graph.num_nodes, graph.num_edges) == (2, 80, 84)
    assert read_graph(write("g.s6", several)).num_graphs == 2
    large = nx.to_sparse6_bytes(nx.path_graph(70_000))
    assert read_graph(write("g.s6", large.decode())).num_edges == 69_999


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (":~~~~~~~~", "the file announces 68,719,476,735 nodes, more than it could hold"),
        ("Bg\n~?", "line 2 ends within the number of nodes"),
        ("B g", "line 1 must hold characters from ? to ~ only"),
        ("&B?", "line 1 is digraph6, which is not read"),
        ("D", "not valid GRAPH6 (Expected 10 bits but got 0"),
        (">>graph6<<", "the file holds no graph"),
    ],
)
def test_graph6_that_is_refused(write, text, words):
    refuse(write("g.g6", text), words)


HEAD = "%%MatrixMarket matrix {}\n% a comment\n"
ARCS = [(0, 1), (1, 2)]


@pytest.mark.parametrize(
    ("head", "body", "expected", "weights"),
    [
        ("coordinate pattern symmetric", "3 3 2\n2 1\n3 2\n", ARCS, None),
        ("coordinate pattern general", "3 3 2\n1 2\n2 3\n", ARCS, None),
        ("coordinate real symmetric", "3 3 2\n2 1 2.5\n3 2 1e-1\n", ARCS, [2.5, 2.5, 0.1, 0.1]),
        ("coordinate integer general", "\n3 3 3\n1 2 1\n2 3 1\n1 1 5\n", ARCS, [1, 1, 1, 1]),
        ("array real general", "3 3\n0\n0\n0\n1\n0\n0\n0\n1\n0\n", ARCS, None),
        ("array integer symmetric", "3 3\n0\n1\n0\n0\n1\n0\n", ARCS, None),
        ("Coordinate Pattern Symmetric", "3 3 2\n2 1 7\n3 2 8\n", ARCS, None),
        ("coordinate pattern general", "3 3 0\n", [], None),
    ],
)
def test_matrix_market(write, head, body, expected, weights):
    graph = read_graph(write("g.mtx", HEAD.format(head) + body))
    assert (ends(graph), graph.num_nodes) == (expected, 3)
    assert graph.is_directed == ("general" in head and bool(expected))
    assert (graph.weights is None) == (weights is None)
    if weights is not None:
        np.testing.assert_allclose(np.sort(graph.weights), np.sort(weights))
    assert any("further numbers" in note for note in graph.notes) == head.startswith("C")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEAD.format("coordinate real general") + "3 2 1\n1 2 1\n", "square, got 3 rows and 2"),
        (HEAD.format("coordinate real general") + "99999999999 99999999999 1\n", "could hold"),
        (HEAD.format("array real general") + "900000 900000\n1\n", "could hold"),
        (HEAD.format("coordinate real general") + "3 3 2\n1 2 1\n", "announces 2 entries, and ho"),
        (HEAD.format("coordinate real general") + "3 3 1\n1 9 1\n", "rows and columns 1 to 3, got"),
        (
            HEAD.format("coordinate real general") + "3 3 1\n1 2\n",
            "an entry must be 3 numbers",
        ),
        (HEAD.format("coordinate complex general") + "3 3 1\n1 2 1 1\n", "got 'complex'"),
        (HEAD.format("coordinate real general") + "3 3 1\n1 2 x\n", "not valid MTX ("),
        (
            HEAD.format("coordinate real general") + "3 3 1\n1 2 1\0\n",
            "the file is not valid MTX (",
        ),
        ("3 3 1\n1 2 1\n", "the file must begin with '%%MatrixMarket matrix'"),
        (HEAD.format("coordinate real skew-symmetric") + "2 2 1\n2 1 3\n", "weight='none'"),
    ],
)
def test_matrix_market_that_is_refused(write, text, words):
    refuse(write("g.mtx", text), words)


def test_stored_zeros_are_no_edges_and_it_is_said():
    matrix = sp.coo_array(([0.0, 1.0], ([0, 1], [1, 0])), shape=(2, 2))
    assert "left out stored entries of 0, which are no edges: 1" in as_csr(matrix).notes


def test_numbers_that_are_none_in_json(write):
    """As Python writes them: a gap of a node, and no weight of an edge."""
    nodes = '{"nodes": [{"id": "a", "x": NaN}, {"id": "b", "x": 1}], "links": '
    path = write("g.json", nodes + '[{"source": "a", "target": "b", "weight": NaN}]}')
    refuse(
        path, "an edge weight must be a finite number of at least 0, got nan; weight='none' leaves"
    )
    graph, attributes, _ = read_with_attributes(path, weight="none")
    assert (graph.num_edges, attributes["x"]) == (1, [None, 1])
    refuse(write("h.json", '{"nodes": [{"id": NaN}], "links": [[NaN, NaN]]}'), "got 'nan'.")
