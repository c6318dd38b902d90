"""Feature files beside a graph: rows by id and by position, refusals."""

import networkx as nx
import numpy as np
import pytest
from graph_files import edges, refuse

from gomkcn_dgl.io.reading import read_graph


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
        ('mass,"big, size"\n1,2\n3,4\n5,6\n', ("mass", "big, size"), [[1, 2], [3, 4], [5, 6]]),
        ('id,a\n"10",1\n 30 ,2\n20,3\n', ("a",), [[1], [3], [2]]),
    ],
)
def test_csv(graph_file, write, text, names, rows):
    write("g.features.csv", text)
    graph = read_graph(graph_file)
    assert (graph.feature_names, graph.features.tolist()) == (names, rows)
    selected = read_graph(graph_file, features=names[-1:])
    assert selected.features.tolist() == [row[-1:] for row in rows]


def test_text_ids(write):
    write("g.features.csv", 'name,mass\nb,2\n"a",1\n')
    graph = read_graph(write("g.csv", "u,v\nb,a\n"))
    assert graph.node_ids.tolist() == ["a", "b"]
    assert graph.features.tolist() == [[1], [2]]


def test_rows_for_all_ids_make_isolated_nodes(tmp_path, write, log):
    np.save(tmp_path / "g.features.npy", np.arange(5))
    graph = read_graph(write("g.txt", "1 3\n"))
    assert graph.node_ids is None
    assert edges(graph) == [(1, 3)]
    assert graph.features.ravel().tolist() == [0, 1, 2, 3, 4]
    assert "features: row i is node i; 3 nodes have no edge" in log()


def test_rows_for_ids_from_1_follow_the_nodes(tmp_path, write):
    """As many rows as nodes, and no row for an id 0: row i is not node i."""
    np.save(tmp_path / "g.features.npy", np.array([5, 6, 7]))
    graph = read_graph(write("g.txt", "1 2\n2 3\n"))
    assert graph.node_ids.tolist() == [1, 2, 3]
    assert graph.features.ravel().tolist() == [5, 6, 7]


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
        ("mass\n1\n2\n", "must have one row for each of the 3 nodes, got 2 rows."),
        ("id,mass\n10,1\n20,2\n", "must have a row for every node, got none for 30"),
        ("id,mass\n10,1\n10,2\n", "must have one row for each node, got two for '10'."),
        ("id,mass\n11,1\n", "must name nodes of the graph only, got '11'."),
        ("id,mass\n20,1\n10,heavy\n", "line 3: a finite number was expected, got 'heavy'."),
        ("id,mass\n,1\n", "line 2: a value was expected, got ''."),
        ("id\n10\n", "line 1: the header must name a feature column."),
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
    refuse(graph_file, "features must name columns among ['x0']", features=("x1",))
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
    note = "columns of g.features.csv that are not used: note"
    assert note in graph.notes and note in log()
    assert read_graph(graph_file, features=["kind=tf"]).features.tolist() == [[1], [0], [0]]
    refuse(graph_file, "features must name columns among ['kind', ", features=["kid"])
    refuse(graph_file, "features must name columns among ['kind=kinase', ", features=["kind=x"])


def test_too_many_different_words(write):
    path = write("g.txt", "".join(f"{k} {k + 1}\n" for k in range(1000)))
    write("g.features.csv", "id,name\n" + "".join(f"{k},n{k}\n" for k in range(1001)))
    refuse(path, "the text 'name' must have at most 1000 different values")
