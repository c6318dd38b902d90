"""Feature files beside a graph, names of labels, classes of graphs."""

import io
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from command_line import gomkcn
from graph_files import edges, named_edges, refuse, typed_graph, write_tu

from gomkcn.mining import places
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.dgl_files import write_dgl_graphs
from gomkcn_dgl.io.features import name_columns, read_label_names, select_features
from gomkcn_dgl.io.graph_classes import as_graph_classes, read_graph_classes
from gomkcn_dgl.io.reading import read_graph, read_with_attributes
from gomkcn_dgl.io.writing import write_graph


@pytest.fixture
def graph_file(write):
    return write("g.txt", "10 20\n20 30\n")


def test_npy(graph_file, tmp_path):
    np.save(tmp_path / "g.features.npy", np.array([[1, 2], [3, 4], [5, 6]]))
    graph = read_graph(graph_file)
    assert graph.features.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert graph.node_ids.tolist() == [10, 20, 30]
    assert graph.feature_names == ("x0", "x1")
    assert read_graph(graph_file, features="x1").features.tolist() == [[2], [4], [6]]
    # a given file has precedence
    np.save(tmp_path / "other.npy", np.array([7, 8, 9]))
    graph = read_graph(graph_file, feature_file=tmp_path / "other.npy")
    assert graph.features.tolist() == [[7], [8], [9]]


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        ("Node,mass,size\n30,3,0\n10,1,0\n20,2,5\n", ("mass", "size"), [[1, 0], [2, 5], [3, 0]]),
        ('"big, size",x\n2,30\n4,20\n6,10\n', ("big, size",), [[6], [4], [2]]),
        ('id,a\n"10",1\n 30 ,2\n20,3\n', ("a",), [[1], [3], [2]]),
    ],
)
def test_csv(graph_file, write, text, names, rows):
    write("g.features.csv", text)
    graph = read_graph(graph_file)
    assert (graph.feature_names, graph.features.tolist()) == (names, rows)
    selected = read_graph(graph_file, features=names[-1:])
    assert selected.features.tolist() == [row[-1:] for row in rows]


def test_rows_for_all_ids_make_isolated_nodes(tmp_path, write, log):
    np.save(tmp_path / "g.features.npy", np.arange(5))
    graph = read_graph(write("g.txt", "1 3\n"))
    assert graph.node_ids is None
    assert edges(graph) == [(1, 3)]
    assert graph.features.ravel().tolist() == [0, 1, 2, 3, 4]
    assert "rows of the feature file g.features.npy are taken in the order of the nodes" in log()
    assert "3 nodes of the feature file g.features.npy without an edge" in graph.notes


def test_rows_for_ids_from_1_follow_the_nodes(tmp_path, write):
    """As many rows as nodes, and no row for an id 0: row i is not node i."""
    np.save(tmp_path / "g.features.npy", np.array([5, 6, 7]))
    graph = read_graph(write("g.txt", "1 2\n2 3\n"))
    assert graph.node_ids.tolist() == [1, 2, 3]
    assert graph.features.ravel().tolist() == [5, 6, 7]


# ---------------------------------------------------------------- the column of names

CHAIN = "source,target\na,b\nb,c\nc,d\n"
PAIR = 'p -> q, p.kind = "x", q.kind = "x"'
# the nodes a and b are of the kind x, and c and d of y
NAMED = [
    "gene,kind\nd,y\nc,y\nb,x\na,x\n",
    "Label,Id,kind\nDan,d,y\nCy,c,y\nBob,b,x\nAnn,a,x\n",
    '"","name","kind"\n"1","d","y"\n"2","c","y"\n"3","b","x"\n"4","a","x"\n',
    '"","kind"\n"d","y"\n"c","y"\n"b","x"\n"a","x"\n',
    "kind,SUID,shared name\ny,52,d\ny,54,c\nx,56,b\nx,58,a\n",
    # the names of the partners are not all different
    "partner,key,kind\nc,d,y\nd,c,y\na,b,x\na,a,x\n",
    "partner,entry,kind\nd,a,x\nc,b,x\nb,c,y\na,d,y\na,z,y\n",
]


@pytest.mark.parametrize("text", NAMED)
def test_the_column_that_holds_the_names_joins_the_rows(write, text):
    graph = write("g.csv", CHAIN)
    write("g.features.csv", text)
    printed = gomkcn(f"count '{PAIR}' {graph} --list 5")
    assert printed.endswith("p\tq\na\tb\n")
    # so does a frame
    edges, nodes = (pd.read_csv(io.StringIO(each)) for each in (CHAIN, text))
    for frame in (nodes, nodes.set_index(nodes.columns[0]), nodes.sort_values("kind")):
        found, _ = places(as_csr(edges, nodes=frame), PAIR)
        assert found.tolist() == [[0, 1]]


def test_numbers_of_nodes_are_names_too(write, log):
    graph = write("g.txt", "1 2\n2 3\n")
    # row numbers join where nothing else does, and each node must be among numbers
    for text, mass in (
        ("rank,mass\n3,30\n1,10\n2,20\n", [10, 20, 30]),
        (",mass\n3,30\n1,10\n2,20\n", [10, 20, 30]),
        (",vertex,mass\n1,3,30\n2,2,20\n3,1,10\n", [10, 20, 30]),
        (",rank,mass\n1,3,10\n2,2,20\n3,1,30\n", [10, 20, 30]),
        ("age,mass\n3,10\n5,20\n2,30\n", [10, 20, 30]),
        ("id,mass\n1.0,10\n3.0,30\n2.0,20\n", [10, 20, 30]),
    ):
        write("g.features.csv", text)
        assert read_graph(graph, features=("mass",)).features.ravel().tolist() == mass
    for column in ("rank", "column 1"):
        assert f'nodes: named by the column "{column}" of the feature file g.features.csv' in log()
    by_order = "rows of the feature file g.features.csv are taken in the order of the nodes"
    write("g.features.csv", "age,mass\n3,10\n5,20\n2,30\n")
    assert by_order in read_graph(graph).notes
    # but ids that are those of no node are refused
    write("g.features.csv", "mass,id\n10,4\n20,5\n30,6\n")
    refuse(graph, "'id' must hold names of the nodes of the graph, such as 1, got '4'")


def test_names_of_half_the_nodes_are_enough_and_fewer_if_the_column_is_called_so(write):
    graph = write("g.txt", "".join(f"n{node} n{node + 1}\n" for node in range(9)))
    rows = "n0,2\nn1,3\n" + "".join(f"other{row},1\n" for row in range(8))
    beside = write("g.features.csv", f"gene,mass\n{rows}")
    refuse(graph, "a column must hold the names of the nodes of the graph, such as 'n0', got 10 ")
    beside.write_text(f"id,mass\n{rows}")
    assert read_graph(graph).num_nodes == 18
    beside.write_text("gene,mass\nn0,2\nn1,3\n")
    assert read_graph(graph).num_nodes == 10


def test_rows_of_other_nodes_add_them_and_nodes_without_a_row_lack_values(write, log):
    graph = write("iso.csv", "source,target\na,b\nb,c\nc,a\n")
    beside = write("iso.features.csv", "id,kind\na,x\nb,y\nc,x\nAnn,y\n")
    found = read_graph(graph)
    assert found.original_ids(np.arange(4)) == ["Ann", "a", "b", "c"]
    assert found.degrees.tolist() == [0, 2, 2, 2]
    assert found.features.tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]
    assert "1 node of the feature file iso.features.csv without an edge" in found.notes
    assert "1 node without an edge" in gomkcn(f"info {graph}")
    # a table with fewer nodes
    beside.write_text("id,kind,mass\na,x,1\nc,x,2\n")
    found, attributes, _ = read_with_attributes(graph)
    assert attributes == {"kind": ["x", None, "x"], "mass": [1, None, 2]}
    assert found.feature_names == read_graph(graph).feature_names == ("constant",)
    note = "1 of 3 nodes have no row in the feature file iso.features.csv, so that its columns"
    assert f"{note} are no features" in log()
    refuse(graph, "must have a row for every node where 'mass' is a feature", features=("mass",))
    # and one of names alone
    beside.write_text("node\na\ne\n")
    assert read_graph(graph).original_ids(np.arange(4)) == ["a", "b", "c", "e"]


def test_added_nodes_are_in_the_order_of_the_ids(write):
    graph = write("g.txt", "10 2\n2 30\n")
    write("g.features.csv", "node,mass\n4,4\n2,2\n10,10\n30,30\n")
    found = read_graph(graph)
    assert found.node_ids.tolist() == found.features.ravel().tolist() == [2, 4, 10, 30]
    assert named_edges(found) == [(2, 10, "edge"), (2, 30, "edge")]
    # all are text if one is
    write("g.features.csv", "node,mass\nx,4\n2,2\n10,10\n30,30\n")
    found = read_graph(graph)
    assert found.node_ids.tolist() == ["10", "2", "30", "x"]
    assert named_edges(found) == [("10", "2", "edge"), ("2", "30", "edge")]
    # nodes that are numbered from 0 have no names
    write("g.txt", "0 1\n3 1\n")
    write("g.features.csv", "x,y\n2,2\n3,3\n1,1\n0,0\n")
    assert read_graph(graph).node_ids is None
    # from 1 on only if the last node is there
    write("g.txt", "1 4\n")
    write("g.features.csv", "y\n7.5\n8\n9\n6\n")
    assert read_graph(graph).node_ids.tolist() == [1, 2, 3, 4]
    write("g.features.csv", "y\n7.5\n8\n9\n6\n5\n")
    refuse(graph, "or there must be a row for each of 2 nodes, got 5 rows of y")


def test_a_graph_that_lists_its_nodes_takes_no_others(tmp_path, write):
    nx.write_graphml(nx.path_graph(["a", "b"]), tmp_path / "g.graphml")
    write("g.features.csv", "id,mass\na,1\nb,2\nc,3\n")
    refuse(tmp_path / "g.graphml", "'id' must hold nodes that the graph lists, got 'c' (1 in all)")
    write("g.features.csv", "mass\n7\n8\n9\n")
    nx.write_graphml(nx.path_graph(2), tmp_path / "g.graphml")
    refuse(tmp_path / "g.graphml", "must be a row for each of 2 nodes, got 3 rows of mass")


def test_graphml(tmp_path, write):
    graph = nx.Graph([(7, 5)])
    nx.set_node_attributes(graph, {7: 0.5, 5: -2.0}, "x0")
    path = tmp_path / "g.graphml"
    nx.write_graphml(graph, path)
    beside = write("g.features.csv", "id,mass\n5,50\n7,70\n")
    assert read_graph(path).features.tolist() == [[70], [50]]
    # names are node attributes then, unless the file is given
    assert read_graph(path, features=("x0",)).features.tolist() == [[0.5], [-2]]
    graph = read_graph(path, features=("mass",), feature_file=beside)
    assert graph.features.tolist() == [[70], [50]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("mass\n1\n2\n", "must hold the names of the nodes of the graph, such as 10, got 2 rows"),
        ("id,mass\n10,1\n10,2\n", "the column 'id' must name each node once, got '10' twice."),
        ("id,mass\n11,1\n", "'id' must hold names of the nodes of the graph, such as 10, got '11'"),
        (np.ones(2), "it must have one row for each of the 3 nodes, got 2."),
        ("id,mass\n20,1\n10,heavy\n30,2\n", "line 3: a finite number was expected, got 'heavy'."),
        (
            "id,mass\n,1\n",
            "line 2: a value was expected, and the cell is empty; fill it in",
        ),
        ("mass\n", "the file holds a header and no row."),
        (b"\x93NUMPY damaged", "the array cannot be read "),
        (np.array([None]), "the array cannot be read ("),
        (np.array(["a"]), "the array must hold numbers, got <U1."),
        (np.zeros((3, 1, 1)), "the array must have the shape [V, D], got (3, 1, 1)."),
        (np.array([1, np.nan, 2]), "features must be finite, got nan in row 1"),
    ],
)
def test_bad_content(graph_file, write, content, words):
    path = write("f.csv", content) if isinstance(content, str) else graph_file.with_name("f.npy")
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, np.ndarray):
        np.save(path, content)
    refuse(graph_file, words, feature_file=path)


def test_bad_names_and_formats(graph_file, write, tmp_path):
    refuse(graph_file, "must end in .npy or .csv", feature_file=graph_file)
    refuse(graph_file, "the file must exist", feature_file=tmp_path / "no.npy")
    refuse(graph_file, "features names columns of a feature file", features=("x0",))
    np.save(tmp_path / "g.features.npy", np.ones(3))
    refuse(graph_file, "g.features.npy has no 'x1'; it holds ['x0'].", features=("x1",))
    write("g.features.csv", "a\n1\n2\n3\n")
    refuse(graph_file, "one feature file was expected beside the graph")
    refuse(write("g.bin", "x"), "feature_file is for", feature_file=tmp_path / "g.features.npy")


def test_columns_of_text_are_one_hot(graph_file, write, log):
    text = 'id,kind,mass,note\n30,kinase,3,"a, b"\n10,tf,1,x\n20,kinase,2,x\n'
    write("g.features.csv", text)
    graph = read_graph(graph_file)
    names = ("kind=kinase", "kind=tf", "mass", "note=a, b", "note=x")
    assert graph.feature_names == names
    assert graph.features.tolist() == [[0, 1, 1, 0, 1], [1, 0, 2, 0, 1], [1, 0, 3, 1, 0]]
    graph = read_graph(graph_file, features=["mass", "kind"])
    assert graph.feature_names == ("mass", "kind=kinase", "kind=tf")
    assert graph.features.tolist() == [[1, 0, 1], [2, 1, 0], [3, 1, 0]]
    note = "not used: node attribute note"
    assert note in graph.notes and note in log()
    assert read_graph(graph_file, features=["kind=tf"]).features.tolist() == [[1], [0], [0]]
    refuse(graph_file, "has no 'kid'; it holds ['kind', 'mass', 'note'].", features=["kid"])
    refuse(graph_file, "has no 'kind=x'; it holds ['kind=kinase', 'kind=tf'].", features=["kind=x"])


def test_a_column_with_gaps_is_an_attribute_and_no_feature(tmp_path, write):
    graph = nx.Graph([(10, 20), (20, 30)])
    nx.set_node_attributes(graph, {10: "x", 30: "z"}, "own")
    nx.write_graphml(graph, tmp_path / "g.graphml")
    beside = write("g.features.csv", "id,mass,kind\n30,3,\n10,1,tf\n20,2,kinase\n")
    for path in (tmp_path / "g.graphml", write("g.txt", "10 20\n20 30\n")):
        graph, attributes, _ = read_with_attributes(path)
        assert (graph.feature_names, graph.features.tolist()) == (("mass",), [[1], [2], [3]])
        assert list(attributes.pop("mass")) == [1, 2, 3]
        own = {"own": ["x", None, "z"]} if path.suffix == ".graphml" else {}
        assert attributes == {"kind": ["tf", "kinase", None], **own}
        refuse(path, "line 2: a value was expected, and the cell is empty", feature_file=beside)


# ---------------------------------------------------------------- names of labels

NAMES = {"1": "helix", "2": "sheet"}
# two nodes with a label each and a number
EDGE = csr_from_edges(
    np.array([0]),
    np.array([1]),
    2,
    features=np.array([[1, 0, 3.5], [0, 1, 2]]),
    feature_names=["label=1", "label=2", "x0"],
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("n.csv", "label,name\n1,helix\n2, sheet\n"),
        ("n.CSV", "Label,Name\r\n1,helix\r\n\r\n2,sheet\r\n"),
    ],
)
def test_names_of_labels_in_a_file(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert read_label_names(tmp_path / name) == NAMES
    write_graph(tmp_path / "g.graph", EDGE)
    for names in (NAMES, tmp_path / name):
        graph = read_graph(tmp_path / "g.graph", label_names=names)
        assert graph.feature_names == ("label=helix", "label=sheet", "x0")


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("n.json", "{}\n", "the file holds a header and no row"),
        ("n.csv", "1,helix\n2,sheet\n", "the first line must be 'label,name'"),
        ("n.csv", "label,name\n1,a\n1,b\n", "each label must have one name"),
    ],
)
def test_files_that_name_no_labels(write, name, text, rule):
    with pytest.raises(InputError, match=rf"(?s)^(n\.|label names).*{rule}"):
        read_label_names(write(name, text))


def test_a_label_names_all_of_its_columns():
    assert select_features(EDGE, ["x0", "label"]).features.tolist() == [[3.5, 1, 0], [2, 0, 1]]


def test_columns_are_renamed():
    # the whole name of a column has precedence over the code
    named = name_columns(EDGE, {"1": "turn", "label=1": "helix", "x0": "length"})
    assert named.feature_names == ("label=helix", "label=2", "length")
    assert named.features is EDGE.features
    with pytest.raises(
        InputError, match=r"must be of features or relations that are used, .* got '3'\.$"
    ):
        name_columns(EDGE, {"1": "helix", "3": "turn"})
    with pytest.raises(InputError, match="each feature must have a name of its own"):
        name_columns(EDGE, {"1": "helix", "2": "helix"})


# ---------------------------------------------------------------- classes of graphs


def write_bin(path, labels):
    graphs = [typed_graph([(0, 1), (1, 0)], 2)] * 4
    write_dgl_graphs(path, graphs, {"labels": np.array(labels)})
    return path


def test_classes_of_a_tu_folder(folder):
    graphs = [nx.path_graph(3)] * 4
    write_tu("T", graphs, [1, -1, 1, 1])
    classes = read_graph_classes("T")
    assert classes.labels.tolist() == [1, 0, 1, 1]
    assert classes.names == ("-1", "1")
    named = read_graph_classes("T", {"1": "mutagenic"})
    assert named.names == ("-1", "mutagenic")
    file = folder / "names.csv"
    file.write_text("label,name\n-1,harmless\n")
    assert read_graph_classes("T", file).names == ("harmless", "1")
    with pytest.raises(InputError, match="names of classes must be for -1, 1, got '0'"):
        read_graph_classes("T", {"0": "none"})
    Path("T/T_graph_labels.txt").unlink()
    assert read_graph_classes("T") is None
    with pytest.raises(InputError, match="its graphs have no classes"):
        read_graph_classes("T", {"1": "mutagenic"})


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([2, 0, 2, 2], [1, 0, 1, 1]),
        ([[5], [5], [7], [9]], [0, 0, 1, 2]),
        ([0.0, 1.0, 1.0, 0.0], [0, 1, 1, 0]),
        ([0.5, 0.5, 1.0, 2.0], "there are real numbers, such as 0.5"),
        ([float("nan"), 0.0, 1.0, 1.0], "there are real numbers, such as nan"),
        ([3, 3, 3, 3], "there is one class only, '3'"),
        ([0, 1, 2, 3], "each has one of its own, such as '0'"),
        ([[0, 1], [1, 0], [1, 1], [0, 0]], "each has 2 numbers"),
        ([0, 1, 1], None),
    ],
)
def test_classes_of_a_dgl_file(tmp_path, caplog, labels, expected):
    caplog.set_level("INFO")
    path = write_bin(tmp_path / "g.bin", labels)
    classes = read_graph_classes(path)
    if isinstance(expected, list):
        assert classes.labels.tolist() == expected
        return
    assert classes is None
    if expected:
        assert f"labels of graphs: not used, since {expected}" in caplog.text
        for options in ({"needed": True}, {"names": {"3": "a"}}):
            with pytest.raises(
                InputError, match=f"^g.bin: its graphs must have .*, and {expected}"
            ):
                read_graph_classes(path, **options)


def test_other_formats_and_labels_in_memory(tmp_path):
    nx.write_graphml(nx.path_graph(3), tmp_path / "g.graphml")
    assert read_graph_classes(tmp_path / "g.graphml") is None
    (tmp_path / "g.unknown").write_text("0 1\n")
    assert read_graph_classes(tmp_path / "g.unknown", format="edges") is None
    for labels in (["b", "a", "b"], np.array(["b", "a", "b"], object)):
        assert as_graph_classes(labels).names == ("a", "b")
    assert as_graph_classes(torch.tensor([[3], [1], [3]])).labels.tolist() == [1, 0, 1]


@pytest.mark.parametrize("features", ["none", ["none"]])
def test_none_leaves_all_features_out(graph_file, tmp_path, write, features):
    def names(path, **options):
        with_features = read_graph(path, **options)
        assert with_features.feature_names != ("constant",)
        graph = read_graph(path, features=features, **options)
        assert graph.num_edges == with_features.num_edges
        assert (graph.features == 1).all() and graph.features.shape == (graph.num_nodes, 1)
        return graph.feature_names

    np.save(tmp_path / "g.features.npy", np.array([[1, 2], [3, 4], [5, 6]]))
    table = write("table.csv", "node,kind\n10,x\n20,y\n30,x\n")
    graph = read_graph(graph_file)
    write_graph(tmp_path / "stored.graph", graph)
    assert names(graph_file) == names(graph_file, feature_file=table) == ("constant",)
    assert names(tmp_path / "stored.graph") == ("constant",)
    assert as_csr(graph, features=features).feature_names == ("constant",)
    # a column of that name is meant by it
    named = write("named.csv", "node,none,other\n10,1,5\n20,2,5\n30,3,6\n")
    graph = read_graph(graph_file, feature_file=named, features=features)
    assert graph.feature_names == ("none",) and graph.features.tolist() == [[1], [2], [3]]
