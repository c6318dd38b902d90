"""Feature files beside a graph: rows by id and by position, refusals."""

import numpy as np
import pytest
from graph_files import edges, refuse

from gomkcn_dgl.io.reading import read_graph

GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="k0" for="node" attr.name="x0" attr.type="double"/>
  <graph edgedefault="undirected">
    <node id="7"><data key="k0">0.5</data></node>
    <node id="5"><data key="k0">-2</data></node>
    <edge source="7" target="5"/>
  </graph>
</graphml>
"""


class TestFeatureFiles:
    @pytest.fixture
    def graph_file(self, write):
        return write("g.txt", "10 20\n20 30\n")

    def test_npy_beside_the_graph(self, graph_file, tmp_path, log):
        np.save(tmp_path / "g.features.npy", np.array([[1, 2], [3, 4], [5, 6]]))
        graph = read_graph(graph_file)
        assert graph.features.tolist() == [[1, 2], [3, 4], [5, 6]]
        assert graph.node_ids.tolist() == [10, 20, 30]
        assert "features: taken from g.features.npy beside the graph" in log()
        assert read_graph(graph_file, features="x1").features.tolist() == [[2], [4], [6]]
        # a given file wins
        np.save(tmp_path / "other.npy", np.array([7, 8, 9]))
        graph = read_graph(graph_file, feature_file=tmp_path / "other.npy")
        assert graph.features.tolist() == [[7], [8], [9]]

    def test_csv_rows_are_matched_by_id(self, graph_file, write):
        write("g.features.csv", "Node,mass,size\n30,3,0\n10,1,0\n20,2,5\n")
        graph = read_graph(graph_file)
        assert graph.features.tolist() == [[1, 0], [2, 5], [3, 0]]
        assert graph.feature_names == ("mass", "size")
        assert read_graph(graph_file, features=("size",)).features.tolist() == [[0], [5], [0]]

    def test_csv_without_ids_is_in_row_order(self, graph_file, write):
        path = write("f.csv", 'mass,"big, size"\n1,2\n3,4\n5,6\n')
        graph = read_graph(graph_file, feature_file=path)
        assert graph.features.tolist() == [[1, 2], [3, 4], [5, 6]]
        assert graph.feature_names == ("mass", "big, size")

    def test_text_ids(self, write):
        write("g.features.csv", 'name,mass\nb,2\n"a",1\n')
        graph = read_graph(write("g.csv", "u,v\nb,a\n"))
        assert graph.node_ids.tolist() == ["a", "b"]
        assert graph.features.tolist() == [[1], [2]]

    def test_rows_for_all_ids_make_isolated_nodes(self, tmp_path, write, log):
        np.save(tmp_path / "g.features.npy", np.arange(5))
        graph = read_graph(write("g.txt", "1 3\n"))
        assert graph.num_nodes == 5
        assert graph.node_ids is None
        assert edges(graph) == [(1, 3)]
        assert graph.features.ravel().tolist() == [0, 1, 2, 3, 4]
        assert "features: row i is node i; 3 nodes have no edge" in log()

    def test_graphml(self, write):
        path = write("g.graphml", GRAPHML)
        beside = write("g.features.csv", "id,mass\n5,50\n7,70\n")
        assert read_graph(path).features.tolist() == [[70], [50]]
        # names are node attributes then, unless the file is given
        assert read_graph(path, features=("x0",)).features.tolist() == [[0.5], [-2]]
        graph = read_graph(path, features=("mass",), feature_file=beside)
        assert graph.features.tolist() == [[70], [50]]

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("mass\n1\n2\n", "must have one row for each of the 3 nodes, got 2 rows."),
            ("id,mass\n10,1\n20,2\n", "must have a row for every node, got none for 30"),
            ("id,mass\n10,1\n10,2\n", "must have one row for each node, got two for '10'."),
            ("id,mass\n11,1\n", "must name nodes of the graph only, got '11'."),
            ("id,mass\n10,heavy\n", "line 2: a finite number was expected, got 'heavy'."),
            ("mass\n1\n2\ninf\n", "line 4: a finite number was expected, got 'inf'."),
            ("id,mass\n,1\n", "line 2: the column 'id' must name a node, got ',1'."),
            ("id\n10\n", "line 1: the header must name a feature column."),
            ("mass\n", "the file holds a header and no row."),
        ],
    )
    def test_refusals(self, graph_file, write, text, words):
        refuse(graph_file, words, feature_file=write("f.csv", text))

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            ("text", "the array cannot be read"),
            (b"\x93NUMPY damaged", "the array cannot be read "),
            (np.array([None]), "the array cannot be read (Array can't be memory-mapped"),
            (np.array(["a"]), "the array must hold numbers, got <U1."),
            (np.zeros((3, 1, 1)), "the array must have the shape [V, D], got (3, 1, 1)."),
        ],
    )
    def test_npy_refusals(self, graph_file, write, tmp_path, content, words):
        if isinstance(content, np.ndarray):
            np.save(tmp_path / "f.npy", content)
        else:
            write("f.npy", content)
        refuse(graph_file, words, feature_file=tmp_path / "f.npy")

    def test_other_refusals(self, graph_file, write, tmp_path):
        refuse(graph_file, "must end in .npy or .csv", feature_file=graph_file)
        refuse(graph_file, "the file must exist", feature_file=tmp_path / "no.npy")
        refuse(graph_file, "features names columns of a feature file", features=("x0",))
        np.save(tmp_path / "g.features.npy", np.ones(3))
        refuse(graph_file, "features must name columns among ['x0']", features=("x1",))
        write("g.features.csv", "a\n1\n2\n3\n")
        refuse(graph_file, "one feature file was expected beside the graph")
        binary = write("g.bin", "x")
        refuse(binary, "feature_file is for", feature_file=tmp_path / "g.features.npy")
