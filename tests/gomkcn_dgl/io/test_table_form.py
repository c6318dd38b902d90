"""What a text table is taken for: separator, header, comments, rows' numbers, sizes, attributes."""

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from graph_files import edges, named_edges, refuse

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.edge_layout import differing_words
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.table_form import find_form

RING = [("a", "b"), ("b", "c"), ("c", "a")]
WORDS = "a{0}b\nb{0}c\nc{0}a\n"


def ring_of(graph):
    """Whether these are the three nodes and edges of the ring, with no direction."""
    names = graph.original_ids(np.arange(graph.num_nodes))
    pairs = {frozenset(pair[:2]) for pair in named_edges(graph)}
    return names == ["a", "b", "c"] and pairs == set(map(frozenset, RING))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        # a header of words is told by its pair of names, or by a separator
        ("g.tsv", "gene_a\tgene_b\n" + WORDS.format("\t"), '"gene_a", target = "gene_b" (header'),
        ("g.txt", "gene_a\tgene_b\n" + WORDS.format("\t"), '"gene_a", target = "gene_b" (header'),
        ("g.txt", "GeneA GeneB\n" + WORDS.format(" "), '"GeneA", target = "GeneB" (header'),
        ("g.tsv", "protein\tpartner\n" + WORDS.format("\t"), '"protein", target = "partner" (he'),
        ("g.txt", "Protein\tPartner\n" + WORDS.format("\t"), '"Protein", target = "Partner" (he'),
        ("g.csv", "protein|partner\n" + WORDS.format("|"), '"protein", target = "partner" (he'),
        ("g.csv", WORDS.format(" "), "source = 1, target = 2 (no header)"),
        ("g.txt", WORDS.format(" "), "source = 1, target = 2 (no header)"),
        ("g.csv", WORDS.format(","), "source = 1, target = 2 (no header)"),
        # quotes come off between tabs and blanks, too
        ("g.tsv", '"x"\t"y"\n"a"\t"b"\n"b"\t"c"\n"c"\t"a"\n', '"x", target = "y" (header on'),
        ("g.txt", '"a" "b"\n"b" "c"\n"c" "a"\n', "source = 1, target = 2 (no header)"),
        # Excel's first line, UTF-16 and empty columns at the end
        ("g.csv", "sep=;\nx;y\n" + WORDS.format(";"), '"x", target = "y" (header on line 2)'),
        ("g.csv", '"sep=|"\nx|y\n' + WORDS.format("|"), '"x", target = "y" (header on line 2)'),
        ("g.csv", ("x,y\n" + WORDS.format(",")).encode("utf-16"), '"x", target = "y" (header on'),
        ("g.txt", WORDS.format("\t").encode("utf-16-be"), "source = 1, target = 2 (no header)"),
        ("g.csv", "x,y,,\na,b,,\nb,c,,\nc,a,,\n", '"x", target = "y" (header on line 1)'),
        ("g.csv", "a,b,,\nb,c,,\nc,a,,\n", "source = 1, target = 2 (no header)"),
        ("g.csv", "x,y\na,b,\nb,c,\nc,a,\n", '"x", target = "y" (header on line 1)'),
        # names and numbers of rows, as R, pandas and databases write them
        ("g.csv", '"","x","y"\n"1","a","b"\n"2","b","c"\n"3","c","a"\n', "not used: column 1"),
        ("g.csv", ",x,y\n0,a,b\n1,b,c\n2,c,a\n", "not used: column 1"),
        ("g.csv", "Unnamed: 0,x,y\n0,a,b\n1,b,c\n2,c,a\n", "not used: Unnamed: 0"),
        ("g.csv", "id,x,y\n1,a,b\n2,b,c\n3,c,a\n", "not used: id"),
        ("g.txt", '"x" "y"\n"1" "a" "b"\n"2" "b" "c"\n"3" "c" "a"\n', "not used: column 1"),
        ("g.txt", "1 a b\n2 b c\n3 c a\n", "not used: column 1"),
        # comments before the header, and a mark before its first name
        ("g.csv", "# by hand\n% twice\nx,y\n" + WORDS.format(","), "(header on line 3)"),
        ("g.tsv", "#node1\tnode2\n" + WORDS.format("\t"), '"node1", target = "node2" (header on l'),
        ("g.csv", "x,y,color\na,b,#f00\nb,c,#0f0\nc,a,#00f\n", "values; not used: color"),
    ],
)  # fmt: skip
def test_one_ring_in_many_forms(write, log, name, text, said):
    graph = read_graph(write(name, text), directed=False)
    assert ring_of(graph)
    (line,) = (line for line in log() if line.startswith("columns: "))
    assert said in line


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("007 7\n7 8\n8 007\n", ["007", "7", "8"]),
        ("+7 7\n7 8\n", ["+7", "7", "8"]),
        ("-0 7\n7 8\n", ["-0", "7", "8"]),
        ("0x10 16\n16 8\n", ["0x10", "16", "8"]),
        ("0 -7\n-7 10\n", [-7, 0, 10]),
        ("1.0 2\n2 3.0\n", [1, 2, 3]),
        ("1.0 2.50\n2.50 1\n", ["1", "2.50"]),
        ("01.0 2\n2 3\n", ["01.0", "2", "3"]),
        ("1.10 1.1\n1.1 a\n", ["1.1", "1.10", "a"]),
    ],
)
def test_ids_are_numbers_only_where_they_are_written_as_such(write, text, ids):
    graph = read_graph(write("g.txt", text))
    assert graph.original_ids(np.arange(graph.num_nodes)) == ids


@pytest.mark.parametrize("target", [[2, 3, 1], [2.5, 3, 1]])
def test_decimal_ids_are_those_of_the_same_frame(write, target):
    frame = pd.DataFrame({"source": [1.0, 2.0, 3.0], "target": target})
    files = read_graph(write("g.csv", frame.to_csv(index=False))), as_csr(frame)
    names = [graph.original_ids(np.arange(graph.num_nodes)) for graph in files]
    assert list(map(str, names[0])) == list(map(str, names[1]))


def test_ids_of_features_keep_their_zeros(write):
    write("g.features.csv", "id,size\n7,1\n007,2\n8,3\n")
    graph = read_graph(write("g.txt", "007 7\n7 8\n"))
    assert graph.original_ids(np.arange(3)) == ["007", "7", "8"]
    assert graph.features.ravel().tolist() == [2, 1, 3]


@pytest.mark.parametrize(
    ("table", "edges"),
    [
        ('"","size"\n"c","3"\n"a","1"\n"b","2"\n', WORDS),
        (",size\n0,1\n1,2\n2,3\n", "0 1\n1 2\n"),
        ("Unnamed: 0,size,,\n1,1,,\n2,2,,\n3,3,,\n", "1 2\n2 3\n"),
        ("sep=;\nname;size\nc;3\nb;2\na;1\n", WORDS),
    ],
)
def test_rows_of_features_have_names_or_numbers(write, table, edges):
    write("g.features.csv", table)
    graph = read_graph(write("g.txt", edges.format(" ")))
    assert graph.feature_names == ("size",)
    assert graph.features.ravel().tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "number", "note"),
    [
        # names begin with the mark, since they stand at other places, too, or in every line
        ("#a #b\n#b #c\n#c #a\nx y\n", 4, None),
        ("ann #a\nbob #b\n#a bob\n", 3, None),
        ("#a ann\n#b bob\n#a bob\n", 3, None),
        # comments; those that could be rows are said
        ("# a b\na b\nb c # tail\nc a #x\n", 3, None),
        ("a b\nb c\n#c a\n", 2, "left out 1 line that begins with #, such as '#c a'"),
        ("#x ann\n#y bob\na b\n", 1, "left out 2 lines that begin with #, such as '#x ann'"),
        ("a,b\nb,c\n%c,a\n", 2, "left out 1 line that begins with %, such as '%c,a'"),
        # KONECT
        ("% sym unweighted\n% 3 3 3\n1 2\n2 3\n3 1\n", 3, None),
    ],
)
def test_a_mark_begins_a_comment_or_a_name(write, log, text, number, note):
    graph = read_graph(write("g.txt", text))
    assert graph.num_edges == number
    assert [one for one in graph.notes if one.startswith("left out")] == [note] * (note is not None)
    assert note is None or note in log()


@pytest.mark.parametrize(
    ("text", "num_nodes", "num_edges", "is_said"),
    [
        ("4 3\n0 1\n1 2\n2 3\n", 4, 3, True),
        ("5 3\n0 1\n1 2\n2 3\n", 5, 3, True),
        ("5,3\n1,2\n2,3\n3,5\n", 5, 3, True),
        ("4\n0 1\n1 2\n2 3\n", 4, 3, True),
        ("# ORCA\n4 3\n1 2\n2 3\n3 4\n", 4, 3, True),
        # an edge: another number of rows, a node that is there, a text
        ("4 2\n0 1\n1 2\n2 3\n", 5, 4, False),
        ("4 5\n0 1\n1 2\n2 3\n", 6, 4, False),
        ("3 3\n0 1\n1 2\n2 3\n", 4, 3, False),
        ("4 3\na b\nb c\nc d\n", 6, 4, False),
    ],
)
def test_a_first_line_of_sizes_is_no_edge(write, text, num_nodes, num_edges, is_said):
    graph = read_graph(write("g.txt", text))
    assert (graph.num_nodes, graph.num_edges) == (num_nodes, num_edges)
    assert any("is no edge: it says that there are" in note for note in graph.notes) == is_said


@pytest.mark.parametrize("delimiter", [" ", ",", "\t", "|"])
@pytest.mark.parametrize("data", [True, False, ["weight"]])
def test_edge_lists_of_networkx(tmp_path, delimiter, data):
    graph = nx.karate_club_graph()
    nx.write_edgelist(graph, tmp_path / "g.edgelist", delimiter=delimiter, data=data)
    read = read_graph(tmp_path / "g.edgelist")
    assert edges(read) == sorted(graph.edges)
    assert not read.is_directed
    assert read.relations.names == ("edge",)
    if data:
        weights = nx.to_scipy_sparse_array(graph, weight="weight", format="csr").data
        assert read.weights.tolist() == weights.tolist()


def test_attributes_in_braces_are_columns(write):
    text = "a b {'weight': 4, 'type': 'x y'}\nb c {'type': 'z', 'weight': 0.5}\n"
    graph = read_graph(write("g.txt", text))
    assert named_edges(graph) == [("a", "b", "x y"), ("b", "c", "z")]
    assert sorted(set(graph.weights.tolist())) == [0.5, 4]
    path = write("g.txt", "a b {'weight': 4}\nb c {}\n")
    refuse(path, "line 2: an edge weight must be a finite number of at least 0, or weight='none'")
    assert read_graph(path, weight="none").num_edges == 2
    words = "line 2: attributes in braces must be those of NetworkX, got '{os.remove}'"
    refuse(write("g.txt", "a b {}\nb c {os.remove}\n"), words)


@pytest.mark.parametrize(
    ("text", "options", "pairs"),
    [
        # SNAP's rating between the ends and the time; a first row that holds 1 and 2 is no header
        ("1 2 5 100\n2 3 1 101\n3 1 4 102\n", {"source": 1, "target": 2}, 3),
        ("1,2,5,100\n2,3,1,101\n3,1,4,102\n", {"source": "2", "target": "1"}, 3),
        ("a 1 x\n1 b y\nb a z\n", {"source": "1", "target": "2"}, 3),
        ("3 7 1\n7 8 -1\n8 3 1\n", {"relation": 3}, 3),
        ("3 7 1\n7 8 -1\n8 3 1\n", {"weight": "none"}, 3),
    ],
)
def test_a_number_is_a_place_and_no_name(write, text, options, pairs):
    graph = read_graph(write("g.txt", text), **options)
    assert (graph.num_nodes, graph.num_edges) == (3, pairs)
    assert "relation" not in options or graph.relations.names == ("-1", "1")


def test_four_columns_without_names_are_refused_also_without_weights(write):
    path = write("g.txt", "1 2 5 100\n2 3 1 101\n")
    refuse(path, "an edge must have the form", weight="none")


def test_a_first_row_whose_nodes_come_back_late_is_no_header(write):
    """Further down than the rows that are looked at."""
    rows = [f"u{k}x,v{k}y\n" for k in range(1500)]
    graph = read_graph(write("g.csv", "first,last\n" + "".join(rows) + "last,other\n"))
    assert graph.num_edges == 1502


@pytest.mark.parametrize(
    "text",
    ["node1,node2\nnode2,node3\nnode3,node1\n", "node1 node2 1\nnode5 node3 2\nnode3 node5 1\n"],
)
def test_numbered_nodes_are_no_header(write, text):
    assert read_graph(write("g.txt", text)).num_edges == text.count("\n") - text.count("node5 n")


def test_ends_are_the_columns_whose_names_are_a_pair(write):
    assert differing_words("Official Symbol Interactor A", "Official Symbol Interactor B") == (
        "a",
        "b",
    )
    assert differing_words("gene_a", "protein_b") == ("", "")
    head = "#BioGRID ID\tEntrez Gene A\tEntrez Gene B\tOfficial Symbol A\tOfficial Symbol B\tType\n"
    rows = "103\t6416\t2318\tMAP2K4\tFLNC\tphysical\n117\t8466\t88\tMYPN\tACTN2\tgenetic\n"
    graph = read_graph(write("g.txt", head + rows), relation="none")
    names = graph.original_ids(np.arange(graph.num_nodes))
    assert names == ["ACTN2", "FLNC", "MAP2K4", "MYPN"]
    # two measurements are a pair, and no ends
    graph = read_graph(write("g.csv", "gene,partner,exp1,exp2\na,b,1,2\nb,c,3,4\n"))
    assert edges(graph) == [(0, 1), (1, 2)]
    graph = read_graph(write("g.csv", "score,node1,node2\n5,1,2\n7,2,3\n"))
    assert graph.original_ids(np.arange(3)) == [1, 2, 3]
    assert read_graph(write("g.csv", "FromId,ToId\n1,2\n2,3\n")).is_directed


def test_tables_of_engines_leave_out_numbers_of_rows():
    table = pa.table({"id": [1, 2, 3], "x": ["a", "b", "c"], "y": ["b", "c", "a"]})
    assert ring_of(as_csr(table))


def test_weights_that_are_not_used_are_not_refused(write, log):
    path = write("g.csv", "source,target,weight\na,b,1\nb,c,-1\nc,a,0\n")
    refuse(path, "line 3: an edge weight must be a finite number of at least 0, or weight='none' "
           "leave the column 'weight' out, got '-1'.")  # fmt: skip
    graph = read_graph(path, weight="none")
    assert (graph.num_edges, graph.weights) == (3, None)
    note = "1 edge of weight 0 stays an edge, since weights are not used"
    assert note in graph.notes and note in log()
    drawn = nx.Graph()
    drawn.add_edge("a", "b", weight=float("nan"))
    drawn.add_edge("b", "c", weight=0)
    with pytest.raises(ValueError, match=r"got nan; weight='none' leaves the "):
        as_csr(drawn, weight="weight")
    assert note in as_csr(drawn, weight="none").notes


def test_nothing_but_comments_or_a_header(write):
    refuse(write("g.txt", "# a\n\n# b\n"), "the file holds comments only, and no row.")
    refuse(write("g.csv", "source,target\n"), "a table of edges must have a row, got none.")
    assert find_form(b"a b\n").header == 0


@pytest.mark.parametrize(
    ("name", "text", "num_nodes", "num_edges"),
    [
        # numbers name no columns, but for those that pandas counts
        ("g.txt", "1.0 2.0\n2.0 3.0\n3.0 1.0\n", 3, 3),
        ("g.csv", "1.5,2.5\n2.5,3.5\n3.5,1.5\n", 3, 3),
        ("g.txt", "1e3 2e3\n2e3 3e3\n", 3, 2),
        ("g.csv", "0,1\nann,bob\nbob,cy\n", 3, 2),
        ("g.csv", ",0,1\n0,ann,bob\n1,bob,cy\n", 3, 2),
        # as R writes 100000
        ("g.csv", "source,target\n1e+05,2\n3,100000\n", 3, 2),
        # NetworkX: nodes that are tuples, numbers of NumPy, a header above attributes
        ("g.edgelist", "(0, 0) (0, 1) {}\n(0, 0) (1, 0) {}\n(1, 0) (1, 1) {}\n", 4, 3),
        ("g.txt", "0 1 {'weight': np.float64(0.5)}\n1 2 {'at': datetime.date(2020, 1, 2)}\n", 3, 2),
        ("g.txt", "0 1 {'weight': nan}\n1 2 {'weight': -inf}\n", 3, 2),
        ("g.txt", "ann\tbob\t{}\ncy\tdd\t{}\n", 4, 2),
        ("g.txt", "from to\n1 2 {}\n2 3 {}\n", 3, 2),
        # a name with quotes, as pandas writes it, and rows of Excel without a cell
        ("g.tsv", 'source\ttarget\n"a ""q"""\tb\nb\tc\n', 3, 2),
        ("g.csv", "source;target;weight\r\na;b;1\r\n;;\r\n;;\r\n", 2, 1),
        # KONECT
        ("g.txt", "% bip unweighted\n% 4 2 2\n1 1\n2 1\n1 2\n2 2\n", 4, 4),
        # neither times nor measurements are ends
        ("g.csv", "date,origin,destination\n2020-01-01,a,b\n2020-01-02,b,c\n", 3, 2),
        ("g.txt", "P04637-1\tP04637-2\nP04638-1\tP04639-2\n", 4, 2),
        ("g.txt", "ann\tbob\ncy\tdd\n", 4, 2),
    ],
)
def test_more_that_programs_write(write, name, text, num_nodes, num_edges):
    graph = read_graph(write(name, text), weight="none")
    assert (graph.num_nodes, graph.num_edges) == (num_nodes, num_edges)


def test_a_header_that_is_too_short_is_that_of_rows_with_names_only(write):
    path = write("g.csv", "source,target\na,b,5\nb,c,9\n")
    refuse(path, "line 2: every line must have 2 columns like line 1, got 'a b 5'.")


@pytest.mark.parametrize(
    "head", ["% asym unweighted", "# Directed graph (each unordered pair of nodes is saved once)"]
)
def test_a_comment_says_that_edges_have_a_direction(write, log, head):
    graph = read_graph(write("g.txt", f"{head}\n1 2\n2 3\n"))
    assert graph.is_directed
    assert any(line.startswith("directed, as a comment in the file says so") for line in log())
    # unless they are there both ways
    assert not read_graph(write("g.txt", f"{head}\n1 2\n2 1\n")).is_directed


def test_lines_within_a_quoted_cell_stay(write):
    graph = read_graph(write("g.csv", 'source,target\n"a\n,\n# b",c\n,\nc,d\n'))
    assert graph.original_ids(np.arange(3)) == ["a\n,\n# b", "c", "d"]
