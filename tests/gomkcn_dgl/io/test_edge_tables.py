"""Edge lists, CSV and parquet files of edges: small files by hand and refusals."""

import numpy as np
import pandas as pd
import pytest
from graph_files import assert_same, edges, named_edges, refuse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io import tables
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.temporal_edges import read_temporal_edges

NAMES = ["g.txt", "g.edges", "g.edgelist", "g.el", "g.tsv", "g.TXT", "g.txt.gz"]
HEADERS = [
    "source,target",
    "Src,DST",
    "from,to",
    "u,v",
    "node_1,node_2",
    "protein1,protein2",
    "one,two",
]


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
        "columns: source = 1, target = 2 (no header), the first two",
        "no node features; using the constant 1 (3 nodes)",
        "dropped 1 self-loop",
        "merged 1 duplicate edge",
        "read 1 edge as undirected",
        "merged 1 pair of opposite edges",
        "read my.graph.txt.gz: graphs: 1, nodes: 3, edges: 2 (undirected, unweighted), "
        "features: 1 (constant)",
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
        ("g.txt", "0 1 2 3\n", "line 1: an edge must have the form"),
        ("g.txt", "# c\n0 1\n1 2 5\n", "line 3: every line must have 2 columns like line 2"),
        ("g.txt", "0 1 5\n1 2 -1\n", "line 2: an edge weight must be a finite number of at least"),
        ("g.txt", "# c\nsource target\n", "a table of edges must have a row, got none."),
        (
            "g.txt",
            b"0 1\nb c\na\xff b\n",
            "line 3: text in UTF-8 was expected, got the byte 0xff; save",
        ),
        # a quote within a cell is read row by row
        ("g.csv", b'u,v\na,b"c\n\xff,d\n', "line 3: text in UTF-8 was expected"),
        ("g.txt", b"0 1\n\x00 b\n", "line 2: text was expected, got a NUL byte"),
        (
            "g.csv",
            "a,b\n0,1\n\n2\n",
            "line 4: every line must have 2 columns like line 1, got '2'.",
        ),
        # as many commas as there should be, on the wrong lines
        ("g.csv", "a,b,c\n0,1\n0,1,2,3\n", "line 2: every line must have 3 columns"),
        ("g.csv", "\na\n0\n", "line 2: a table of edges must have two columns of nodes, such as"),
        (
            "g.csv",
            "a,b\n1,2\n0,\n",
            "1000 characters, and the cell is empty; fill it in, or leave the row out.",
        ),
        ("g.csv", "a,b,a\n0,1,2\n", "line 1: the columns must have different names, got 'a' twice"),
        ("g.csv", 'a,b\n1,2\n"0"x,1\n', "line 3: the table is malformed ("),
        ("g.csv", 'a,b\n1,2\n"0,1\n3,4\n', "the table is malformed ("),
        ("g.parquet", b"PAR1 and no more PAR1", "the parquet file cannot be read ("),
    ],
)
def test_refusals(write, name, text, words):
    refuse(write(name, text), words)


@pytest.mark.parametrize("name", [int, lambda number: f"n{number}"])
def test_parquet_as_csv(tmp_path, name):
    rows = [(name(u), name(v), w, [u]) for u, v, w in [(7, 5, 2.0), (9, 7, 0.5), (5, 11, 1)]]
    frame = pd.DataFrame(rows, columns=["source", "target", "weight", "list"])
    frame.to_parquet(tmp_path / "g.parquet", row_group_size=2)
    frame.drop(columns="list").to_csv(tmp_path / "g.csv", index=False)
    assert_same(read_graph(tmp_path / "g.parquet"), read_graph(tmp_path / "g.csv"))
    frame.assign(year=[7, 10, 7]).to_parquet(tmp_path / "g.parquet")
    assert read_graph(tmp_path / "g.parquet", relation="year").relations.names == ("10", "7")


@pytest.mark.parametrize(("name", "node", "tab"), [("g.txt", "{}", " "), ("g.tsv", "n {}", "\t")])
@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=HealthCheck)
@given(
    pairs=st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=1, max_size=20),
    weighted=st.booleans(),
)
def test_arrow_and_the_row_by_row_reading_agree(tmp_path, name, node, tab, pairs, weighted):
    rows = [[node.format(u), node.format(v), *["0.5"] * weighted] for u, v in pairs]
    path = tmp_path / name
    path.write_text("\n".join(["# a comment", *map(tab.join, rows)]))
    fast = read_graph(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_cut_by_arrow", lambda *arguments: None)
        assert_same(read_graph(path), fast)


ACTS = [("a", "b", "acts"), ("b", "c", "stops"), ("c", "a", "acts")]


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("g.txt", "a acts b\nc acts a\nb stops c\n", {}),
        ("g.tsv", "a\tacts\tb\nc\tacts\ta\nb\tstops\tc\n", {}),
        ("g.csv", "a,acts,b\nc,acts,a\nb,stops,c\n", {}),
        ("g.txt", "a; b; acts\nc; a; acts\nb; c; stops\n", {}),
        ("g.txt", "head relation tail\na acts b\nc acts a\nb stops c\n", {}),
        ("g.edges", "Type\tTarget\tSource\nacts\tb\ta\nacts\ta\tc\nstops\tc\tb\n", {}),
        ("g.csv", "x;y;z\nb;a;acts\na;c;acts\nc;b;stops\n",
         {"source": "y", "target": "x", "relation": "z"}),
        ("g.csv", "source,target,how\na,b,acts\nc,a,acts\nb,c,stops\n", {"relation": 3}),
        ("g.txt", "1 a acts b 2\n1 c acts a 3\n1 b stops c 4\n",
         {"source": 2, "relation": "3", "target": 4}),
    ],
)  # fmt: skip
def test_relations_in_every_text_format(write, name, text, options):
    graph = read_graph(write(name, text), **options)
    assert named_edges(graph) == ACTS
    assert graph.relations.directed == (True, True)


def test_three_words_are_few_enough_for_relations_in_any_table(write):
    rows = ["a acts b\n", "b stops c\n", "c sees a\n", "d eats a\n"]
    graph = read_graph(write("g.txt", "".join(rows[:3])))
    assert graph.relations.names == ("acts", "sees", "stops")
    refuse(write("g.txt", "".join(rows)), "an edge must have the form 'u v', 'u v weight' or")


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("source target\n0 1\n1 2\n", True),
        ("gene partner\n0 1\n1 2\n", True),
        ("u v weight\n0 1 1\n1 2 1\n", True),
        ("protein1 protein2 score\na b 3\nb c 4\n", True),
        # names of nodes, and nothing to tell a header by
        ("gene spouse\na b\nb c\n", False),
        ("b a\nb 1\n1 x\n", False),
        ("7 a\n1 2\n", False),
    ],
)
def test_a_header_is_no_edge(write, log, text, header):
    graph = read_graph(write("g.txt", text))
    assert graph.num_edges == text.count("\n") - header
    assert any("(header on line 1)" in line for line in log()) == header


def test_numbers_in_the_third_column_are_weights_and_others_are_not_used(write, log):
    graph = read_graph(write("g.txt", "1 2 0.5\n2 3 4\n"))
    assert graph.weights.tolist() == [0.5, 0.5, 4, 4]
    path = write("g.csv", "source,target,weight,age,note\n1,2,3,0.5,x\n3,2,9,4,y\n")
    graph = read_graph(path, weight="none")
    assert graph.weights is None
    assert graph.notes[0] == "columns that are not used: weight, age, note"
    said = 'columns: source = "source", target = "target" (header on line 1), by their names'
    assert f"{said}; not used: weight, age, note" in log()


@pytest.mark.parametrize("other", ["b", 'b"c'])
def test_ids_have_up_to_1000_characters_in_whole_columns_and_row_by_row(write, other):
    """A quote within a cell is read row by row."""
    graph = read_graph(write("g.csv", f"u,v\n{'a' * 1000},{other}\n"))
    assert graph.original_ids(np.arange(2)) == ["a" * 1000, other]
    with pytest.raises(InputError, match="line 2: a node id must have 1 to 1000 characters"):
        read_graph(write("g.csv", f"u,v\n{'a' * 1001},{other}\n"))


def test_directions(write):
    path = write("g.txt", "0 1\n1 0\n1 2\n")
    assert not read_graph(path).is_directed
    assert read_graph(path, directed=True).num_edges == 3
    # of two weights the largest, as of any undirected edge
    graph = read_graph(write("g.csv", "source,target,weight\n0,1,2\n1,0,3\n"))
    assert (graph.is_directed, graph.weights.tolist()) == (False, [3, 3])
    # as Gephi writes them
    path = write("g.csv", "Source,Target,Type\n0,1,Directed\n2,1,Directed\n")
    graph = read_graph(path)
    assert (graph.relations.names, graph.relations.directed) == (("edge",), (True,))
    assert not read_graph(path, directed=False).is_directed
    path = write("g.csv", "Source,Target,Type\n0,1,Directed\n2,1,Undirected\n")
    assert read_graph(path).relations.directed == (True, False)
    path = write("g.csv", "Source,Target,Type\n0,1,undirected\n2,1,undirected\n")
    assert read_graph(path).relations.kinds == [("edge", False)]


@pytest.mark.parametrize(("mutual", "directed"), [(36, True), (38, False), (40, False)])
def test_a_relation_is_undirected_if_nearly_all_of_its_edges_go_both_ways(write, mutual, directed):
    """Of 40 edges, so that 38 are 95 %."""
    ring = [(u, u + 1) for u in range(40 - mutual // 2)]
    arcs = ring + [(v, u) for u, v in ring[: mutual // 2]]
    lines = "".join(f"{u},acts,{v}\n" for u, v in arcs) + "0,in,99\n"
    graph = read_graph(write("g.csv", "from,type,to\n" + lines))
    assert graph.relations.kinds == [("acts", directed), ("in", True)]
    assert graph.num_edges == 1 + (40 if directed else 40 - mutual // 2)
    note = "taken as undirected: acts, 38 of whose 40 edges are there both ways"
    said = [one for one in graph.notes if one.startswith("taken")]
    assert said == [note] * (mutual == 38)


@pytest.mark.parametrize(
    ("name", "text", "options", "words"),
    [
        ("g.csv", "u,v,w\n0,1,a\n", {"relation": "x"}, "relation must name a column among u, v, w"),
        ("g.txt", "0 1\n1 2\n", {"source": "gene"}, "source must be the number of a column, 1 to"),
        ("g.txt", "0 1\n1 2\n", {"relation": 3}, "relation must be a column from 1 to 2, got 3."),
        ("g.csv", "u,v\n0,1\n", {"source": "u", "target": "u"}, "must be different columns, got"),
        ("g.csv", "u,v,w\n0,1,\n", {"relation": "w"}, "line 2: a relation must have 1 to 1000"),
        ("g.csv", "u,v,w\n0,1,x\n", {"weight": "w"}, "line 2: an edge weight must be a finite"),
        ("g.csv", "u,v,w\n" + "".join(f"0,1,{k}\n" for k in range(1001)), {"relation": "w"},
         "the column 'w' holds more than 1000 different relations, among them '0'"),
        ("g.npz", "", {"relation": "w"}, "relation is for edges, csv, parquet, graphml, gml"),
    ],
)  # fmt: skip
def test_refusals_of_columns(write, name, text, options, words):
    refuse(write(name, text), words, **options)


def test_times_are_told_by_their_name_before_the_place_of_their_column(write):
    path = write("g.csv", "u,v,kind,time\na,b,x,5\nb,c,y,3\n")
    assert read_temporal_edges(path).times.tolist() == [3, 5]


def test_regulation(ecoli):
    """The counts are those of `sort -u` and `uniq -c` on the file."""
    graph = read_graph(ecoli)
    assert graph.relations.names == ("activates", "both", "represses")
    assert graph.relations.directed == (True, True, True)
    assert graph.num_edges == 519
    assert "dropped 58 self-loops" in graph.notes
    arcs = read_graph(ecoli, relation="none", directed=True)
    assert (arcs.num_edges, arcs.relations.names) == (519, ("edge",))
