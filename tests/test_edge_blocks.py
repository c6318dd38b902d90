"""Edge lists, CSV and parquet files of edges: small files by hand and refusals."""

import numpy as np
import pandas as pd
import pytest
from graph_files import assert_same, edges, refuse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io import edge_blocks
from gomkcn_dgl.io.convert import convert_edges
from gomkcn_dgl.io.reading import read_graph

NAMES = ["g.txt", "g.edges", "g.edgelist", "g.el", "g.tsv", "g.TXT", "g.txt.gz"]
HEADERS = ["source,target", "Src,DST", "from,to", "u,v", "id_1,id_2", "node_1,node_2", "one,two"]


@pytest.mark.parametrize(
    ("name", "text"),
    [(name, "0 1\n1\t2\n") for name in NAMES]
    + [("g.csv", f"{header}\n0,1\n1,2\n") for header in HEADERS]
    + [("g.csv.gz", f"{start}u,v{end}0,1{end}1,2{end}") for start, end in
       [("\n", "\r"), ("\r", "\n"), ("\r \r", "\r\n"), ("\r\n", "\n"), ("\ufeff", "\n")]],
)  # fmt: skip
def test_names_headers_and_ends_of_lines(write, name, text):
    graph = read_graph(write(name, text))
    assert edges(graph) == [(0, 1), (1, 2)]
    assert graph.node_ids is None


def test_comments_blank_lines_and_repairs(write, log):
    text = "# head\n% more\n\n  20   10  \r\n10 30 # tail\n30 30\n20 10\n10 20\n"
    graph = read_graph(write("my.graph.txt.gz", text))
    assert edges(graph) == [(0, 1), (0, 2)]
    assert graph.node_ids.tolist() == [10, 20, 30]
    assert log() == [
        "no node features: every node gets the constant feature 1 (3 nodes)",
        "dropped 1 self-loops",
        "merged 1 duplicate edges",
        "mirrored 1 edges that were given in one direction",
        "read my.graph.txt.gz: graphs: 1, nodes: 3, edges: 2 (unweighted), features: 1 (constant)",
    ]


@pytest.mark.parametrize(
    ("name", "text", "ids", "pairs", "weights"),
    [
        ("g.txt", "100 9\n9 -3\n", [-3, 9, 100], [(0, 1), (1, 2)], None),
        ("g.txt", "b a\nb C#\n", ["C#", "a", "b"], [(0, 2), (1, 2)], None),
        ("g.txt", "b a\nb 1\n", ["1", "a", "b"], [(0, 2), (1, 2)], None),
        # a first id that is too large for an integer is no header
        ("g.txt", f"{2**63} 1\n1 2", ["1", "2", str(2**63)], [(0, 1), (0, 2)], None),
        ("g.txt", "5 1 0.5\n1 2 3e0\n5 2 0\n", [1, 2, 5], [(0, 1), (0, 2)], [3, 0.5, 3, 0.5]),
        ("g.txt", "a 1 1\n1 2 3\na a 9\n", ["1", "2", "a"], [(0, 1), (0, 2)], [3, 1, 3, 1]),
        (
            "g.csv",
            "Weight,target,note,source\n2,5,a,7\n0.5,7,,9\n",
            [5, 7, 9],
            [(0, 1), (1, 2)],
            [2, 2, 0.5, 0.5],
        ),
        (
            "g.csv",
            'a,b,weight\n"Smith, J",  Li ,1\n"two\nlines",Li,2\n',
            ["Li", "Smith, J", "two\nlines"],
            [(0, 1), (0, 2)],
            [1, 2, 1, 2],
        ),
    ],
)
def test_ids_ascend_and_weights_follow(write, name, text, ids, pairs, weights):
    graph = read_graph(write(name, text))
    assert graph.node_ids.tolist() == ids
    assert edges(graph) == pairs
    assert (None if graph.weights is None else graph.weights.tolist()) == weights


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("g.txt", "0 1\n2\n", "line 2: an edge must have the form 'u v' or 'u v weight', got '2'."),
        ("g.txt", "0 1 2 3\n", "line 1: an edge must have the form"),
        ("g.txt", "# c\n0 1\n1 2 5\n", "line 3: every line must have 2 columns like line 2"),
        ("g.txt", "0 1 5\n\n2 1 5\n1 2\n", "line 4: every line must have 3 columns like line 1"),
        ("g.txt", "0 1 5\n1 2 -1\n", "line 2: an edge weight must be a finite number of at least"),
        ("g.txt", "# c\n0 1 nan\n", "line 2: an edge weight must be"),
        ("g.txt", "# c\nsource target\n0 1\n1 2\n", "line 2: the line looks like a header"),
        ("g.txt", "# only\n% comments\n", "the file holds comments only"),
        ("g.txt", " \n\n", "the file is empty."),
        ("g.txt", b"0 1\nb c\na\xff b\n", "line 3: text in UTF-8 was expected, got the byte 0xff."),
        ("g.txt", b"0 1\n\x00 b\n", "line 2: text was expected, got a NUL byte"),
        ("g.txt", "0 1\n0 " + "x" * 1001, "line 2: a node id must have 1 to 1000 characters"),
        ("g.txt", "x" * 2**24, "a line must have fewer than 16777216 bytes, got a longer one."),
        ("g.csv", "a,b\n0,1\n\n2\n", "line 4: a row must have 2 columns like the header, got '2'."),
        # as many commas as there should be, on the wrong lines
        ("g.csv", "a,b,c\n0,1\n0,1,2,3\n", "line 2: a row must have 3 columns"),
        ("g.csv", "a,b\n1,2\n0,\n", "line 3: a node id must have 1 to 1000 characters, got ''."),
        ("g.csv", "u,v,weight\n0,1,1\n0,2,-1\n", "line 3: an edge weight must be"),
        ("g.csv", "0,1\n1,2\n", "line 1: the first line must name the columns"),
        ("g.csv", "only\n0\n", "line 1: the header must name two node columns"),
        ("g.csv", "a,b\n", "the file holds a header and no edge."),
        ("g.csv", "a,b,a\n0,1,2\n", "line 1: the columns must have different names, got 'a' twice"),
        ("g.csv", 'a,b\n1,2\n"0"x,1\n', "line 3: the CSV is malformed ("),
        ("g.csv", 'a,b\n1,2\n"0,1\n3,4\n', "the CSV is malformed ("),
        ("g.parquet", b"PAR1 and no more PAR1", "the parquet file cannot be read ("),
    ],
)
def test_refusals_when_read_and_converted(write, name, text, words):
    path = write(name, text)
    refuse(path, words)
    with pytest.raises(InputError) as expected:
        read_graph(path)
    with pytest.raises(InputError) as refusal:
        convert_edges(path, path.with_name("out"))
    assert str(refusal.value) == str(expected.value)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("name", [int, lambda number: f"n{number}"])
def test_parquet_as_csv(tmp_path, name):
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
def test_parquet_refusals(tmp_path, columns, words):
    pd.DataFrame(columns).to_parquet(tmp_path / "g.parquet")
    refuse(tmp_path / "g.parquet", words)


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=HealthCheck)
@given(
    pairs=st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=1, max_size=20),
    weighted=st.booleans(),
)
def test_pandas_and_the_row_by_row_reading_agree(tmp_path, pairs, weighted):
    rows = [(u, v, 0.5) if weighted else (u, v) for u, v in pairs]
    path = tmp_path / "g.txt"
    path.write_text("\n".join(" ".join(map(str, row)) for row in rows))
    fast = edge_blocks.read_edges(path, "edges")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge_blocks, "_parse", lambda *arguments: None)
        slow = edge_blocks.read_edges(path, "edges")
    for name in ("source", "target", "weights"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))
