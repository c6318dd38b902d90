"""Every reader and writer: small files by hand, refusals, round trips, real data."""

import gzip
import logging
import re
import struct

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io import edge_blocks
from gomkcn_dgl.io.reading import atomic_write, read_graph, read_tu_labels, write_graph


def edges(graph):
    return [tuple(edge) for edge in graph.undirected_edges().tolist()]


def assert_same(left, right):
    assert left.feature_names == right.feature_names
    for name in ("indptr", "indices", "features", "weights", "graph_ptr", "node_ids"):
        one, other = getattr(left, name), getattr(right, name)
        assert (one is None) == (other is None), name
        if one is not None:
            assert one.dtype.kind == other.dtype.kind, name
            np.testing.assert_array_equal(one, other, err_msg=name)


def refuse(path, words, **options):
    """Check that a file is refused in one sentence with its name and these words."""
    with pytest.raises(InputError, match=f"^{re.escape(path.name)}: .*{re.escape(words)}") as error:
        read_graph(path, **options)
    assert str(error.value).endswith(".")


@pytest.fixture
def log(caplog):
    """Give the messages that reading has logged so far."""
    caplog.set_level(logging.INFO, logger="gomkcn_dgl")
    return lambda: [record.getMessage() for record in caplog.records]


@pytest.fixture
def write(tmp_path):
    """Write a file into a folder of this test and return its path."""

    def write_file(name, content):
        path = tmp_path / name
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write_file


class TestEdgeLists:
    @pytest.mark.parametrize("name", ["g.txt", "g.edges", "g.edgelist", "g.el", "g.tsv", "g.TXT"])
    def test_every_suffix(self, write, name):
        assert edges(read_graph(write(name, "0 1\n1\t2\n"))) == [(0, 1), (1, 2)]

    def test_comments_blank_lines_and_repairs(self, write, log):
        text = "# head\n% more\n\n  20   10  \r\n10 30 # tail\n30 30\n20 10\n10 20\n"
        graph = read_graph(write("my.graph.txt.gz", text))
        assert edges(graph) == [(0, 1), (0, 2)]
        assert graph.node_ids.tolist() == [10, 20, 30]
        assert log() == [
            "no node features: every node gets the constant feature 1 (3 nodes)",
            "dropped 1 self-loops",
            "merged 1 duplicate edges",
            "mirrored 1 edges that were given in one direction",
            "read my.graph.txt.gz: graphs: 1, nodes: 3, edges: 2 (unweighted), "
            "features: 1 (constant)",
        ]

    def test_integer_ids_ascend_by_value(self, write):
        assert read_graph(write("g.txt", "100 9\n9 -3\n")).node_ids.tolist() == [-3, 9, 100]
        assert read_graph(write("g.txt", b"\xef\xbb\xbf2 0\n1 2\n")).node_ids is None

    # a first id that is too large for a number is no header
    @pytest.mark.parametrize(
        "text",
        [
            "b a\nb C#\n",
            "b a\nb 1\n",
            "é a\nb 99999999999999999999\n",
            "9223372036854775808 1\n1 2",
        ],
    )
    def test_text_ids_ascend_by_code_point(self, write, text):
        graph = read_graph(write("g.txt", text))
        ids = graph.node_ids.tolist()
        assert ids == sorted(set(text.split()))
        pairs = {frozenset((ids[u], ids[v])) for u, v in edges(graph)}
        assert pairs == {frozenset(line.split()) for line in text.splitlines()}

    @pytest.mark.parametrize("first", ["0", "a"])
    def test_a_third_column_is_the_weight(self, write, first):
        graph = read_graph(write("g.txt", f"{first} 1 0.5\n1 2 3e0\n{first} 2 0\n"))
        assert edges(graph) == ([(0, 1), (1, 2)] if first == "0" else [(0, 1), (0, 2)])
        assert sorted(graph.weights.tolist()) == [0.5, 0.5, 3, 3]

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("0 1\n2\n", "line 2: an edge must have the form 'u v' or 'u v weight', got '2'."),
            ("# c\n\n0\n", "line 3: an edge must have the form"),
            ("0 1 2 3\n", "line 1: an edge must have the form"),
            ("# c\n0 1\n1 2 5\n", "line 3: every line must have 2 columns like line 2"),
            ("0 1 5\n1 2 -1\n", "line 2: an edge weight must be a finite number of at least 0"),
            ("# c\n0 1 nan\n", "line 2: an edge weight must be"),
            ("0 1 x\n0 2 3\n", "line 1: an edge weight must be"),
            ("# c\nsource target\n0 1\n", "line 2: the line looks like a header"),
            ("# only\n% comments\n", "the file holds comments only"),
            (" \n\n", "the file is empty."),
            (b"0 1\na\xff b\n", "line 2: text in UTF-8 was expected, got the byte 0xff."),
            (b"0 1\n\x00 b\n", "line 2: text was expected, got a NUL byte"),
            ("0 1\n0 " + "x" * 1001 + "\n", "line 2: a node id must have 1 to 1000 characters"),
        ],
    )
    def test_refusals(self, write, text, words):
        refuse(write("g.txt", text), words)
        refuse(write("g.txt.gz", text), words)


class TestCSV:
    @pytest.mark.parametrize("header", ["source,target", "Src,DST", "from,to", "u,v", "id_1,id_2",
                                        "node_1,node_2", "one,two"])  # fmt: skip
    def test_every_pair_of_node_columns(self, write, header):
        assert edges(read_graph(write("g.csv", header + "\n0,1\n1,2\n"))) == [(0, 1), (1, 2)]

    def test_columns_in_any_order(self, write):
        graph = read_graph(write("g.csv.gz", "Weight,target,note,source\n2,5,a,7\n0.5,7,,9\n"))
        assert graph.node_ids.tolist() == [5, 7, 9]
        assert edges(graph) == [(0, 1), (1, 2)]
        assert graph.weights.tolist() == [2, 2, 0.5, 0.5]

    def test_text_ids_and_quotes(self, write):
        text = 'a,b,weight\n"Smith, J",  Li ,1\n"two\nlines",Li,2\n'
        graph = read_graph(write("g.csv", text))
        assert graph.node_ids.tolist() == ["Li", "Smith, J", "two\nlines"]
        assert graph.weights.tolist() == [1, 2, 1, 2]

    @pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
    @pytest.mark.parametrize("before", ["\n", "\r", "\r\n", "\r \r"])
    def test_blank_lines_before_a_header(self, write, before, end):
        graph = read_graph(write("g.csv", before + end.join(["u,v", "0,1", "1,2", ""])))
        assert graph.indptr.tolist() == [0, 1, 3, 4]

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("a,b\n0,1\n\n2\n", "line 4: a row must have 2 columns like the header, got '2'."),
            ("a,b\n0,1,2\n", "line 2: a row must have 2 columns like the header, got '0,1,2'."),
            # as many commas as there should be, on the wrong lines
            ("a,b,c\n0,1\n0,1,2,3\n", "line 2: a row must have 3 columns"),
            ("a,b\n0,\n", "line 2: a node id must have 1 to 1000 characters, got ''."),
            ("u,v,weight\n0,1,1\n0,2,-1\n", "line 3: an edge weight must be"),
            ("0,1\n1,2\n", "line 1: the first line must name the columns"),
            ("only\n0\n", "line 1: the header must name two node columns"),
            ("a,b\n", "the file holds a header and no edge."),
            ("a,b,a\n0,1,2\n", "line 1: the columns must have different names, got 'a' twice."),
            ('a,b\n"0"x,1\n', "line 2: the CSV is malformed (',' expected after '\"')."),
        ],
    )
    def test_refusals(self, write, text, words):
        refuse(write("g.csv", text), words)


class TestParquet:
    @pytest.mark.parametrize("name", [int, lambda number: f"n{number}"])
    def test_as_csv(self, tmp_path, name):
        rows = [(name(u), name(v), w, [u]) for u, v, w in [(7, 5, 2.0), (9, 7, 0.5), (5, 11, 1)]]
        frame = pd.DataFrame(rows, columns=["source", "target", "weight", "list"])
        frame.to_parquet(tmp_path / "g.parquet", row_group_size=2)
        frame.drop(columns="list").to_csv(tmp_path / "g.csv", index=False)
        assert_same(read_graph(tmp_path / "g.parquet"), read_graph(tmp_path / "g.csv"))

    @pytest.mark.parametrize(
        ("columns", "words"),
        [
            ({"u": [0, 1], "v": ["a", "b"]}, "must both hold integers or both text"),
            ({"u": [0.5], "v": [1.0]}, "must both hold integers or both text"),
            ({"u": ["a", None], "v": ["b", "c"]}, "row 2: the column 'u' must hold a value"),
            ({"u": ["a", ""], "v": ["b", "c"]}, "row 2: a node id must have 1 to 1000"),
            ({"u": [0, 1], "v": [1, 2], "weight": [1.0, -1.0]}, "row 2: an edge weight must be"),
            ({"u": [0], "v": [1], "weight": ["a"]}, "the column 'weight' must hold numbers"),
            ({"u": np.array([2**63], "u8"), "v": [1]}, "row 1: a node id must be less than 2^63"),
            ({"u": np.zeros(0, int), "v": np.zeros(0, int)}, "a header and no edge"),
        ],
    )
    def test_refusals(self, tmp_path, columns, words):
        pd.DataFrame(columns).to_parquet(tmp_path / "g.parquet")
        refuse(tmp_path / "g.parquet", words)
        (tmp_path / "g.parquet").write_bytes(b"PAR1 and no more")
        refuse(tmp_path / "g.parquet", "the parquet file cannot be read (")


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


class TestGraphML:
    def test_without_names_the_feature_is_constant(self, write):
        graph = read_graph(write("g.graphml", GRAPHML.format(weight="cost")))
        assert graph.feature_names == ("constant",)
        assert graph.node_ids.tolist() == [7, 5]
        assert edges(graph) == [(0, 1)]
        assert graph.weights is None

    def test_named_features_and_weights(self, write):
        path = write("g.graphml.gz", GRAPHML.format(weight="weight"))
        graph = read_graph(path, features=("on", "x0"))
        assert graph.features.tolist() == [[1, 0.5], [0, -2]]
        assert graph.feature_names == ("on", "x0")
        assert graph.weights.tolist() == [2.5, 2.5]

    def test_defaults_of_keys(self, write):
        text = GRAPHML.format(weight="weight")
        text = text.replace('"float"/>', '"float"><default>4</default></key>')
        text = text.replace('"double"/>', '"double"><default>9</default></key>')
        text = text.replace('<data key="k3">2.5</data>', "").replace('<data key="k0">-2</data>', "")
        graph = read_graph(write("g.graphml", text), features=("x0",))
        assert graph.weights.tolist() == [4, 4]
        assert graph.features.tolist() == [[0.5], [9]]

    def test_text_ids_and_a_directed_graph(self, tmp_path, log):
        nx.write_graphml(nx.DiGraph([("b", "a"), ("b", "c")]), tmp_path / "g.graphml")
        assert read_graph(tmp_path / "g.graphml").node_ids.tolist() == ["b", "a", "c"]
        assert "mirrored 2 edges that were given in one direction" in log()

    def test_as_networkx_reads_it(self, tmp_path):
        graph = nx.gnp_random_graph(30, 0.2, seed=0)
        for u, v in graph.edges:
            graph.edges[u, v]["weight"] = 1 + u / (1 + v)
        nx.write_graphml(graph, tmp_path / "g.graphml")
        expected = as_csr(nx.read_graphml(tmp_path / "g.graphml", int), edge_weight="weight")
        assert_same(read_graph(tmp_path / "g.graphml"), expected)

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
            (">2.5<", ">x<", "line 10: the value of 'weight' must be of type float, got 'x'."),
            ('t" attr.type="float"', 't" attr.type="string"', "line 10: an edge weight must be a"),
            ('key="k1">t', 'key="k9">t', "line 8: the key of a value must be declared, got 'k9'."),
            ("<graphml ", '<!DOCTYPE x [<!ENTITY a "b">]><graphml ', "line 2: document types and"),
            ("</graphml>", "<graph/></graphml>", "a GraphML file must hold one <graph>, got 2."),
            ('"utf-8"', '"utf-99"', "line 1: the XML cannot be decoded (unknown encoding: utf-99)"),
            ("<node", "<hyperedge/><node", "line 8: hyperedges are not supported"),
        ],
    )
    def test_refusals(self, write, old, new, words):
        text = GRAPHML.format(weight="weight")
        assert old in text
        refuse(write("g.graphml", text.replace(old, new, 1)), words)

    def test_unknown_and_text_features(self, write):
        path = write("g.graphml", GRAPHML.format(weight="cost"))
        refuse(path, "features names the node attribute 'x1'", features=("x1",))
        refuse(path, "'feat' must hold numbers, got <U1", features=("feat",))


class TestNpz:
    def test_scipy_file_with_features(self, tmp_path):
        matrix = sp.csr_matrix(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
        sp.save_npz(tmp_path / "g.npz", matrix)
        graph = read_graph(tmp_path / "g.npz")
        assert edges(graph) == [(0, 1), (1, 2)]
        assert graph.weights is None
        parts = dict(np.load(tmp_path / "g.npz"))
        np.savez(tmp_path / "f.npz", **parts, features=np.arange(6).reshape(3, 2))
        assert read_graph(tmp_path / "f.npz", features=("x1",)).features.tolist() == [[1], [3], [5]]
        refuse(tmp_path / "f.npz", "features must name columns among", features=("x2",))

    def test_values_are_weights(self, tmp_path):
        sp.save_npz(tmp_path / "g.npz", sp.csr_matrix(np.array([[0, 2.5], [2.5, 0]])))
        assert read_graph(tmp_path / "g.npz").weights.tolist() == [2.5, 2.5]

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"indices": None}, "the file must hold 'indices', as scipy.sparse.save_npz writes it"),
            ({"format": np.array(b"coo")}, "the matrix must be in CSR format, got [b'coo']"),
            ({"indices": [0.0, 1.0]}, "'indices' must be integers [n], got float64"),
            ({"data": ["a", "b"]}, "'data' must be numbers [n], got <U1"),
            ({"shape": [2, 3]}, "the matrix must be square, got the shape (2, 3)."),
            ({"indptr": [0, 2]}, "the matrix is not valid ("),
            ({"indptr": [0, 3, 2]}, "the matrix is not valid ("),
            ({"data": [1]}, "'data' must have 2 entries, got 1."),
            ({"indices": [1, 2]}, "the matrix is not valid (indices must be < 2)."),
            ({"indices": [1, -1]}, "the matrix is not valid (indices must be >= 0)."),
            ({"data": [1, -3]}, "edge weights must be at least 0, got -3 for edge 1."),
            ({"features": np.zeros((3, 1))}, "features must have one row for each of the 2 nodes"),
            ({"node_ids": [0.5, 1]}, "'node_ids' must be integers or text [V], got float64"),
            ({"node_ids": [1]}, "node_ids must name all 2 nodes, got 1 names."),
            ({"features": np.array([None, {}])}, "the arrays cannot be read (it holds Python obj"),
            (
                {"node_ids": np.array([0xD800, 65], "<u4").view("<U1")},
                "its text holds what is no character",
            ),
        ],
    )
    def test_refusals(self, tmp_path, changes, words):
        arrays = {"indptr": [0, 1, 2], "indices": [1, 0], "data": [1, 1], "shape": [2, 2]}
        arrays = {**arrays, **changes}
        np.savez(tmp_path / "g.npz", **{k: v for k, v in arrays.items() if v is not None})
        refuse(tmp_path / "g.npz", words)

    def test_no_archive(self, write):
        refuse(write("g.npz", "text"), "the file is not a .npz archive.")
        refuse(write("g.npz", b"PK\x03\x04 and no more"), "the arrays cannot be read ")


@pytest.fixture(scope="module")
def dgl_bytes(tmp_path_factory):
    """Give the bytes of a DGL file with two weighted, featured graphs."""
    graphs = []
    for num_nodes in (3, 4):
        graph = dgl.graph((list(range(num_nodes - 1)), [num_nodes - 1] * (num_nodes - 1)))
        graph.ndata["feat"] = torch.arange(2.0 * num_nodes).reshape(-1, 2)
        graph.ndata["mass"] = torch.arange(num_nodes)
        graph.edata["weight"] = torch.arange(1.0, num_nodes)
        graphs.append(graph)
    path = tmp_path_factory.mktemp("dgl") / "two.bin"
    dgl.save_graphs(str(path), graphs, {"label": torch.tensor([1, 0])})
    return path.read_bytes()


class TestDGL:
    def test_a_collection(self, write, dgl_bytes, log):
        path = write("two.bin", dgl_bytes)
        graph = read_graph(path)
        assert graph.graph_ptr.tolist() == [0, 3, 7]
        assert edges(graph) == [(0, 2), (1, 2), (3, 6), (4, 6), (5, 6)]
        assert graph.features[:3].tolist() == [[0, 1], [2, 3], [4, 5]]
        assert graph.feature_names == ("x0", "x1")
        assert "mirrored 5 edges that were given in one direction" in log()
        mass = read_graph(path, features=("mass",))
        assert mass.features[:, 0].tolist() == [0, 1, 2, 0, 1, 2, 3]
        refuse(path, "graph 0: ndata has no 'size'", features=("size",))

    @pytest.mark.parametrize("layout", ["coo", "csr", "csc"])
    @pytest.mark.parametrize("id_type", [torch.int32, torch.int64])
    def test_every_layout_reads_as_dgl_reads_it(self, tmp_path, layout, id_type):
        graphs = []
        generator = torch.Generator().manual_seed(0)
        for num_nodes in (1, 4, 6):
            source, target = torch.randint(num_nodes, (2, 9), generator=generator)
            graph = dgl.graph((source, target), num_nodes=num_nodes, idtype=id_type)
            graph = graph.formats(layout)
            graph.ndata["feat"] = torch.rand(num_nodes, 2, 2, generator=generator)
            graph.ndata["half"] = torch.rand(num_nodes, generator=generator).bfloat16()
            graph.ndata["on"] = torch.rand(num_nodes, generator=generator) > 0.5
            graph.edata["weight"] = torch.rand(9, 1, generator=generator, dtype=torch.float64)
            graphs.append(graph)
        path = tmp_path / "g.bin"
        dgl.save_graphs(str(path), graphs)
        loaded, _ = dgl.load_graphs(str(path))
        for features in (None, ["half", "on"]):
            expected = as_csr(loaded, features=features, edge_weight="weight")
            assert_same(read_graph(path, features=features), expected)

    def test_other_files_are_refused(self, write, dgl_bytes, tmp_path):
        refuse(write("g.bin", b"no graph at all"), "the file is not a DGL graph file")
        old = dgl_bytes[:8] + struct.pack("<Q", 1) + dgl_bytes[16:]
        refuse(write("g.bin", old), "must be a DGL graph file of version 2, got version 1")
        none = dgl_bytes[:24] + struct.pack("<Q", 0) + dgl_bytes[32:]
        refuse(write("g.bin", none), "the file holds no graph.")
        two = {("a", "to", "b"): ([0], [1]), ("a", "of", "b"): ([0], [1])}
        dgl.save_graphs(str(tmp_path / "types.bin"), [dgl.heterograph(two)])
        refuse(tmp_path / "types.bin", "the graphs must have one edge type, got 2; ")
        dgl.save_graphs(
            str(tmp_path / "types.bin"), [dgl.heterograph({("a", "to", "b"): ([0], [1])})]
        )
        refuse(tmp_path / "types.bin", "the graphs must have one node type, got 2; ")

    @pytest.mark.parametrize("length", [4, 40, 4096, 4104, 4500, 5000])
    def test_a_cut_file_is_refused(self, write, dgl_bytes, length):
        refuse(write("g.bin", dgl_bytes[:length]), "damaged, cut off or of an unknown layout near")

    coo, csr, unit = (
        struct.pack("<Q", magic)
        for magic in (0xDD61FFD305DFF127, 0xDD6CD31205DFF127, 0xDD2E60F0F6B4A127)
    )
    # an array: magic, reserved, device [16 + 8], axes [4], type [4], shape [8 each], bytes [8]

    @pytest.mark.parametrize(
        ("layout", "after", "offset", "patch"),
        [
            ("coo", unit, 8, struct.pack("<I", 7)),  # an unknown layout
            ("coo", coo, 8, struct.pack("<q", 9)),  # another number of nodes
            ("coo", coo, 24, b"\0"),  # no array
            ("coo", coo, 48, struct.pack("<i", 99)),  # an array of 99 axes
            ("coo", coo, 48, struct.pack("<i", -1)),
            ("coo", coo, 52, b"\x09"),  # an unknown type
            ("coo", coo, 56, struct.pack("<q", -1)),  # a negative length
            ("coo", coo, 64, struct.pack("<q", 2**62)),  # more bytes than there are
            ("csr", csr, 8, struct.pack("<q", 9)),  # more rows than indptr has
            ("csr", csr, 8, struct.pack("<q", -1)),
            ("csr", csr, 72, struct.pack("<q", 1)),  # indptr does not start at 0
        ],
    )
    def test_fields_that_contradict_each_other(self, tmp_path, layout, after, offset, patch):
        path = tmp_path / "g.bin"
        dgl.save_graphs(str(path), [dgl.graph(([0], [1])).formats(layout)])
        data = bytearray(path.read_bytes())
        position = data.rindex(after) + offset
        data[position : position + len(patch)] = patch
        path.write_bytes(data)
        refuse(path, "unknown")


def tu_folder(folder, **changes):
    """Write the set TINY: an edge, and a path of 3 nodes."""
    files = {
        "A": "1, 2\n2, 1\n3, 4\n4, 3\n4, 5\n5, 4\n",
        "graph_indicator": "1\n1\n2\n2\n2\n",
        "graph_labels": "3\n-1\n",
        **changes,
    }
    folder.mkdir(parents=True, exist_ok=True)
    for ending, text in files.items():
        if text is not None:
            (folder / f"TINY_{ending}.txt").write_text(text, newline="")
    return folder


class TestTU:
    @pytest.mark.parametrize("below", ["TINY", "hash/TINY"])
    def test_plain_set(self, tmp_path, below):
        tu_folder(tmp_path / below)
        folder = tmp_path / below.partition("/")[0]
        graph = read_graph(folder)
        assert graph.graph_ptr.tolist() == [0, 2, 5]
        assert edges(graph) == [(0, 1), (2, 3), (3, 4)]
        assert graph.node_ids is None
        assert graph.original_ids(np.arange(5)) == [0, 1, 0, 1, 2]
        assert graph.feature_names == ("constant",)
        assert read_tu_labels(folder).tolist() == [1, 0]

    def test_features(self, tmp_path, log):
        labels, attributes = "7\n3\n7\n7\n3\n", "0.5, 1\n1, 2\n2, 3\n3, 4\n4, 5\n"
        graph = read_graph(tu_folder(tmp_path, node_labels=labels))
        assert graph.feature_names == ("label=3", "label=7")
        assert graph.features.tolist() == [[0, 1], [1, 0], [0, 1], [0, 1], [1, 0]]
        assert "features: 2 columns from the node labels" in log()
        folder = tu_folder(tmp_path, node_labels=labels, node_attributes=attributes)
        assert read_graph(folder).features[0].tolist() == [0.5, 1]
        both = read_graph(folder, features=("labels", "attributes"))
        assert both.feature_names == ("label=3", "label=7", "x0", "x1")
        assert both.features[1].tolist() == [1, 0, 1, 2]
        several = tu_folder(tmp_path / "s", node_labels="1, 5\n2, 5\n1, 6\n1, 5\n1, 5\n")
        names = ("label0=1", "label0=2", "label1=5", "label1=6")
        assert read_graph(several).feature_names == names

    @pytest.mark.parametrize(
        ("readme", "names"),
        [
            ("Node labels:\n\n  3  C\n  7  Cl\n\nEdge labels:\n\n  3  single\n", ("C", "Cl")),
            ("Node labels were converted by\nthis map:\n\n\t7\ta red one\n\t3\tblue\n",
             ("blue", "a red one")),
            ("(4) TINY_node_labels.txt (n lines)\n3  C\n7  N\n", ("3", "7")),
            ("Node labels:\n\n  3  C\n", ("3", "7")),
            ("Node labels:\n\n  3  C\n  7  C\n", ("3", "7")),
            ("Node labels:\n\n  3  C\n  3  N\n  7  O\n", ("3", "7")),
            ("Node labels: see the paper\n\n=== References ===\n3 C\n7 N\n", ("3", "7")),
            ("Edge labels:\n  3  C\n  7  N\n", ("3", "7")),
            (b"\xff\xfe\x00", ("3", "7")),
        ],
        ids=["MUTAG", "converted", "a file list", "one missing", "one name twice", "a code twice",
             "no list", "of edges", "no text"],
    )  # fmt: skip
    def test_label_names_of_the_readme(self, tmp_path, log, readme, names):
        folder = tu_folder(tmp_path, node_labels="7\n3\n7\n7\n3\n")
        data = readme if isinstance(readme, bytes) else readme.encode()
        (folder / "TINY_label_readme.txt").write_bytes(data)
        graph = read_graph(folder)
        assert graph.feature_names == tuple(f"label={name}" for name in names)
        assert graph.features[0].tolist() == [0, 1]

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"A": None}, "a TU folder must hold one file NAME_A.txt, got none."),
            ({"graph_indicator": None}, "TINY_graph_indicator.txt: the file must exist, and "),
            ({"A": "1, 2\n1, 2, 3\n"}, "TINY_A.txt: line 2: every line must have 2 columns"),
            ({"A": "1, 2\n\n1, x\n"}, "TINY_A.txt: line 3: an integer was expected, got 'x'."),
            ({"A": "1\n2\n"}, "TINY_A.txt: line 1: an edge must be 'u, v', got 1 numbers."),
            ({"A": "1, 2\n\n5, 6\n"}, "TINY_A.txt: line 3: nodes must be numbered 1 to 5"),
            ({"A": "1, 2\n2, 3\n"}, "TINY_A.txt: line 2: an edge must stay within one graph"),
            ({"graph_indicator": "1\n1\n3\n3\n3\n"}, "line 3: graphs must be numbered 1, 2, …"),
            ({"graph_indicator": "0\n1\n1\n"}, "line 1: graphs must be numbered 1, 2, …"),
            ({"node_attributes": "1\n2\n"}, "must have one line for each of the 5 nodes, got 2"),
            ({"node_attributes": "1\n2\n3\nnan\n5\n"}, "line 4: a finite number was expected"),
            # a blank line between two that end in \r, over which pandas 2 takes all memory
            ({"node_attributes": "1,2 \r\r x,3\r\n"}, "line 3: a finite number was expected"),
            ({"node_labels": "# 1\n"}, "TINY_node_labels.txt: the file holds comments only."),
        ],
    )
    def test_refusals(self, tmp_path, changes, words):
        refuse(tu_folder(tmp_path / "T", **changes), words)

    def test_unknown_features_and_too_many_labels(self, tmp_path):
        folder = tu_folder(tmp_path / "T")
        refuse(folder, "features of a TU folder must be among", features=("x0",))
        refuse(folder, "TINY_node_labels.txt: the file must exist", features=("labels",))
        labels = "".join(f"{code}\n" for code in range(5000))
        tu_folder(folder, A="1, 2\n", graph_indicator="1\n" * 5000, node_labels=labels)
        refuse(folder, "must have at most 4096 different labels")

    def test_wrong_graph_labels(self, tmp_path):
        folder = tu_folder(tmp_path / "T", graph_labels="1\n")
        with pytest.raises(InputError, match="must have one class for each of the 2 graphs"):
            read_tu_labels(folder)
        with pytest.raises(InputError, match="path must name a file or a folder that exists"):
            read_tu_labels(tmp_path / "nowhere")


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
        path = write("g.graphml", GRAPHML.format(weight="cost"))
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

    def test_other_refusals(self, graph_file, write, tmp_path, dgl_bytes):
        refuse(graph_file, "must end in .npy or .csv", feature_file=graph_file)
        refuse(graph_file, "the file must exist", feature_file=tmp_path / "no.npy")
        refuse(graph_file, "features names columns of a feature file", features=("x0",))
        np.save(tmp_path / "g.features.npy", np.ones(3))
        refuse(graph_file, "features must name columns among ['x0']", features=("x1",))
        write("g.features.csv", "a\n1\n2\n3\n")
        refuse(graph_file, "one feature file was expected beside the graph")
        binary = write("g.bin", dgl_bytes)
        refuse(binary, "feature_file is for", feature_file=tmp_path / "g.features.npy")


class TestPaths:
    def test_format_overrules_the_name(self, write):
        path = write("graph.data", "u,v\n0,1\n")
        assert read_graph(path, format="csv").num_edges == 1
        refuse(path, "the format cannot be told from the name; known are .txt, .edges,")
        refuse(write("g.npz.gz", "x"), "the format cannot be told from the name")
        with pytest.raises(InputError, match=r"format must be one of 'csv', .*'tu', got 'xml'"):
            read_graph(path, format="xml")

    @pytest.mark.parametrize("name", ["no.txt", "no\0.txt", "a" * 400 + ".txt"])
    def test_a_missing_file(self, tmp_path, name):
        with pytest.raises(InputError, match="path must name a file or a folder that exists, got "):
            read_graph(tmp_path / name)

    def test_a_folder_is_no_file(self, tmp_path):
        (tmp_path / "g.txt").mkdir()
        refuse(tmp_path / "g.txt", "a file was expected, got a folder.", format="edges")
        refuse(tmp_path / "g.txt", "a TU folder must hold one file NAME_A.txt")

    def test_a_file_that_may_not_be_read(self, write, monkeypatch):
        # the tests may run as root, for whom every file is readable
        def deny(path):
            raise PermissionError(13, "Permission denied")

        path = write("g.txt", "0 1\n")
        monkeypatch.setattr(edge_blocks, "refuse_pipe", deny)
        refuse(path, "the file cannot be read (Permission denied).")

    @pytest.mark.parametrize("data", [gzip.compress(b"0 1\n" * 99)[:25], b"\x1f\x8b", b"0 1\n"])
    def test_a_damaged_gzip_file(self, tmp_path, data):
        (tmp_path / "g.txt.gz").write_bytes(data)
        refuse(tmp_path / "g.txt.gz", "the file is not a complete gzip file ")

    @pytest.mark.parametrize("features", [[], [3], ["a", None]])
    def test_features_must_be_names(self, write, features):
        with pytest.raises(InputError, match="features must be names, at least one, or None, got"):
            read_graph(write("g.txt", "0 1\n"), features=features)


def sample(*, weights=False, features=0, names=None, ids=None):
    """Build a graph of 5 nodes, the last of them isolated."""
    rng = np.random.default_rng(0)
    return csr_from_edges(
        np.array([0, 1, 2, 0]),
        np.array([1, 2, 3, 3]),
        5,
        weights=rng.random(4) if weights else None,
        features=rng.normal(size=(5, features)) if features else None,
        feature_names=names,
        node_ids=None if ids is None else np.array(ids),
    )


SAMPLES = {
    "plain": sample(),
    "weighted": sample(weights=True),
    "featured": sample(features=3),
    "integers": sample(weights=True, ids=[-2, 3, 5, 70, 900]),
    "text": sample(features=2, ids=["a", "b", "c", "c1", "é"]),
    "names": sample(features=2, names=["label=1", "size, mm"], weights=True),
}


class TestWriting:
    @pytest.mark.parametrize("suffix", [".npz", ".graphml", ".txt", ".csv"])
    @pytest.mark.parametrize("kind", SAMPLES)
    def test_round_trip(self, tmp_path, kind, suffix):
        graph, path = SAMPLES[kind], tmp_path / f"my.graph{suffix}"
        featured = graph.feature_names != ("constant",)
        features = graph.feature_names if featured and suffix == ".graphml" else None
        # the second time over the first
        for _ in range(2):
            write_graph(path, graph)
            assert_same(read_graph(path, features=features), graph)

    @pytest.mark.parametrize("kind", ["plain", "weighted", "featured"])
    @pytest.mark.parametrize("copies", [1, 3])
    def test_round_trip_as_dgl(self, tmp_path, kind, copies):
        graph = as_csr([SAMPLES[kind]] * copies)
        write_graph(tmp_path / "g.bin", graph)
        assert_same(read_graph(tmp_path / "g.bin"), graph)
        loaded, _ = dgl.load_graphs(str(tmp_path / "g.bin"))
        assert [part.num_nodes() for part in loaded] == [5] * copies

    def test_scipy_reads_the_npz(self, tmp_path):
        write_graph(tmp_path / "g.npz", SAMPLES["weighted"])
        assert_same(as_csr(sp.load_npz(tmp_path / "g.npz")), SAMPLES["weighted"])

    def test_features_go_beside_the_graph(self, tmp_path):
        write_graph(tmp_path / "a.txt", SAMPLES["featured"])
        write_graph(tmp_path / "b.csv", SAMPLES["names"])
        names = sorted(path.name for path in tmp_path.iterdir())
        assert names == ["a.features.npy", "a.txt", "b.csv", "b.features.csv"]
        assert (tmp_path / "b.features.csv").read_text().startswith('id,label=1,"size, mm"\n0,')
        with pytest.raises(InputError, match="a.features.npy lies beside it and would be read"):
            write_graph(tmp_path / "a.txt", SAMPLES["plain"])

    def test_rows_of_unsorted_ids_follow_the_ids(self, tmp_path):
        ids = np.array([9, 4])
        graph = csr_from_edges(np.array([0]), np.array([1]), 2, features=[5, 6], node_ids=ids)
        write_graph(tmp_path / "g.txt", graph)
        again = read_graph(tmp_path / "g.txt")
        assert again.node_ids.tolist() == [4, 9]
        assert again.features.tolist() == [[6], [5]]

    @pytest.mark.parametrize(
        ("name", "graph", "words"),
        [
            ("g.xml", SAMPLES["plain"], "a graph is written to a name that ends in .npz, .graphml"),
            ("g.txt", as_csr([SAMPLES["plain"]] * 2), "one graph was expected, got a collection"),
            ("g.txt", sample(ids=["a", "b c", "d", "e", "f"]), "cannot hold the node id 'b c'"),
        ],
    )
    def test_refusals(self, tmp_path, name, graph, words):
        with pytest.raises(InputError, match=f"^{name}: .*{words}"):
            write_graph(tmp_path / name, graph)
        assert list(tmp_path.iterdir()) == []

    def test_a_missing_folder(self, tmp_path):
        with pytest.raises(InputError, match="path must lie in a folder that exists, got "):
            atomic_write(tmp_path / "no" / "a.txt", "")


@settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    pairs=st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=1, max_size=20),
    weighted=st.booleans(),
)
def test_both_passes_over_an_edge_list_agree(tmp_path, pairs, weighted):
    rows = [(u, v, 0.5) if weighted else (u, v) for u, v in pairs]
    data = "\n".join(" ".join(map(str, row)) for row in rows).encode()
    path = tmp_path / "g.txt"
    path.write_bytes(data)
    fast = edge_blocks.read_edges(path, "edges")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge_blocks, "_parse", lambda *arguments: None)
        slow = edge_blocks.read_edges(path, "edges")
    for name in ("source", "target", "weights"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))


REAL_GRAPHS = {
    "snap/ca-GrQc.txt.gz": (5242, 14484),
    "snap/facebook_combined.txt.gz": (4039, 88234),
    "musae/git_edges.csv.gz": (37700, 289003),
    "musae/facebook_edges.csv.gz": (22470, 170823),
}
# graphs, nodes, edges, isolated nodes, feature columns, graphs per class
REAL_SETS = {
    "MUTAG": (188, 3371, 3721, 0, 7, [63, 125]),
    "ENZYMES": (600, 19580, 37282, 106, 18, [100] * 6),
    "PROTEINS": (1113, 43471, 81044, 5, 1, [663, 450]),
    "IMDB-BINARY": (1000, 19773, 96531, 0, 1, [500, 500]),
}


class TestRealData:
    @pytest.mark.parametrize("name", REAL_GRAPHS)
    def test_single_graphs(self, shared_data, name):
        graph = read_graph(shared_data / name)
        assert (graph.num_nodes, graph.num_edges) == REAL_GRAPHS[name]

    @pytest.mark.parametrize("name", REAL_SETS)
    def test_tu_sets(self, shared_data, name):
        (folder,) = shared_data.glob(f"{name}_{'[0-9a-f]' * 8}")
        *sizes, isolated, width, classes = REAL_SETS[name]
        graph = read_graph(folder)
        assert [graph.num_graphs, graph.num_nodes, graph.num_edges] == sizes
        assert ((graph.degrees == 0).sum(), graph.features.shape[1]) == (isolated, width)
        assert np.bincount(read_tu_labels(folder)).tolist() == classes

    def test_label_names_of_mutag(self, shared_data):
        (folder,) = shared_data.glob("MUTAG_*")
        graph = read_graph(folder)
        labels = ["C", "N", "O", "F", "I", "Cl", "Br"]
        assert list(graph.feature_names) == [f"label={name}" for name in labels]
        assert graph.features.sum(axis=0).tolist() == [2395, 345, 593, 12, 1, 23, 2]

    def test_attributes_and_labels_of_enzymes(self, shared_data):
        (folder,) = shared_data.glob("ENZYMES_*")
        graph = read_graph(folder, features=("attributes", "labels"))
        assert graph.feature_names[17:] == ("x17", "label=1", "label=2", "label=3")
        assert (graph.features[:, 18:].sum(axis=1) == 1).all()
