"""Edge lists, CSV and parquet files of edges: small files by hand and refusals."""

import numpy as np
import pandas as pd
import pytest
from graph_files import assert_same, edges, refuse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gomkcn_dgl.io import edge_blocks
from gomkcn_dgl.io.reading import read_graph


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
    path = tmp_path / "g.txt"
    path.write_text("\n".join(" ".join(map(str, row)) for row in rows))
    fast = edge_blocks.read_edges(path, "edges")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge_blocks, "_parse", lambda *arguments: None)
        slow = edge_blocks.read_edges(path, "edges")
    for name in ("source", "target", "weights"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))
