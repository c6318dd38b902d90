"""Matrices as tables: what is one, what is a list of edges, and texts at fault."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from graph_files import named_edges, refuse
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gomkcn_dgl.graph_content import ColumnChoice
from gomkcn_dgl.io.edge_layout import find_layout, open_text
from gomkcn_dgl.io.reading import read_graph

NAMES = ["w", "x", "y", "z"]
ARCS = [("w", "x"), ("x", "y"), ("z", "w")]


def matrix_of(graph):
    return nx.to_pandas_adjacency(graph, nodelist=NAMES, dtype=int)


DIRECTED, UNDIRECTED = (matrix_of(nx.DiGraph(ARCS)), matrix_of(nx.Graph(ARCS)))
WEIGHTED = UNDIRECTED * 2.5


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt", ".csv.gz"])
@pytest.mark.parametrize("names", ["both", "R", "columns", "rows", "none"])
@pytest.mark.parametrize("table", [DIRECTED, UNDIRECTED, WEIGHTED])
def test_a_matrix_of_each_form(tmp_path, table, names, suffix):
    mark = {".tsv": "\t", ".txt": " "}.get(suffix, ",")
    path = tmp_path / f"m{suffix}"
    header = names in ("both", "columns", "R")
    table.to_csv(path, sep=mark, header=header, index=names in ("both", "rows", "R"))
    if names == "R" and not suffix.endswith(".gz"):
        # write.table leaves out the cell above the names of rows
        path.write_text(path.read_text().removeprefix(mark))
    graph = read_graph(path)
    ids = graph.original_ids(np.arange(4))
    assert ids == ([0, 1, 2, 3] if names == "none" else NAMES)
    own = dict(zip(NAMES, ids, strict=True))
    is_directed = table is DIRECTED
    assert graph.is_directed == is_directed
    found = [edge[:2] if is_directed else tuple(sorted(edge[:2])) for edge in named_edges(graph)]
    wanted = [(own[u], own[v]) for u, v in ARCS]
    wanted = wanted if is_directed else [tuple(sorted(edge)) for edge in wanted]
    assert sorted(found) == sorted(wanted)
    assert (graph.weights is None) == (table is not WEIGHTED)


def test_numbers_as_names_missing_entries_and_a_diagonal(write, log):
    graph = read_graph(write("p.csv", ",0,1,2\n0,1,1,\n1,NA,0,1\n2,nan,0,0\n"))
    assert graph.num_nodes == 3
    assert named_edges(graph) == [(0, 1, "edge"), (1, 2, "edge")]
    assert "dropped 1 self-loop" in graph.notes
    assert "adjacency matrix of 3 nodes, with names" in log()
    # nodes with numbers of their own, and a symmetric matrix without a diagonal
    graph = read_graph(write("q.csv", ",7,3,12\n7,0,1,1\n3,1,0,0\n12,1,0,0\n"))
    assert (graph.original_ids(np.arange(3)), graph.num_edges) == ([7, 3, 12], 2)
    graph = read_graph(write("r.csv", ",5,7,9\n5,,1,0\n7,1,,0\n9,0,0,\n"))
    assert (graph.num_nodes, graph.num_edges) == (4, 4)


EDGES = {
    "three edges with weights": ("0 1 1\n1 2 1\n0 2 1\n", 3),
    "symmetric numbers": ("1 2 3\n2 1 4\n3 4 1\n", None),
    "names of columns of edges": ("source,target,weight\n0,1,1\n1,0,1\n1,1,1\n", 1),
    "two edges": ("0 1\n1 0\n", 1),
    "one edge": ("1 2\n", 1),
    "words": ("a b 1\nb c 1\n", 2),
    "a word above the names of rows": ("gene,a\na,b\n", 2),
    "a name and a number": ("a 1\n", 1),
    "directed": ("a,b,c\n1,2,1\n2,3,1\n3,1,1\n", None),
}


COULD_BE = {
    "three edges with weights",
    "symmetric numbers",
    "names of columns of edges",
    "directed",
}


@pytest.mark.parametrize("case", EDGES)
def test_a_list_of_edges_is_never_read_as_a_matrix(write, log, case):
    text, number = EDGES[case]
    graph = read_graph(write("g.csv" if "," in text else "g.txt", text))
    assert number is None or graph.num_edges == number
    said = "\n".join(log())
    assert "adjacency matrix of" not in said
    # and it is told where it could be one
    assert ("format='matrix'" in said) == (case in COULD_BE)


@given(st.data())
@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_drawn_list_of_edges_is_read_as_a_matrix(tmp_path, data):
    """Lists of two to four columns, with and without a header, of one to six edges."""
    width = data.draw(st.integers(2, 4))
    rows = data.draw(
        st.lists(
            st.lists(st.integers(0, 5), min_size=width, max_size=width), min_size=1, max_size=6
        )
    )
    header = ["source", "target", "weight", "time"][:width]
    has_header = data.draw(st.booleans()) or width == 4
    path = tmp_path / "g.csv"
    lines = [",".join(map(str, row)) for row in rows]
    path.write_text("\n".join([*([",".join(header)] if has_header else []), *lines]) + "\n")
    graph = read_graph(path, weight="none")
    # numbers that ascend before two columns of the same nodes are times
    layout = find_layout(open_text(path.read_bytes(), True, choice := ColumnChoice()), choice)
    assume(layout.time is None)
    # 2 nodes and 1 edge, as ORCA writes them
    assume(not any("is no edge" in note for note in graph.notes))
    wanted = {frozenset(row[:2]) for row in rows if row[0] != row[1]}
    assert {frozenset(edge[:2]) for edge in named_edges(graph)} == wanted


def test_four_columns_that_are_no_edges_and_no_matrix(write, log):
    path = write("g.txt", "1 2 5 100\n2 3 6 200\n3 1 7 300\n4 2 8 400\n")
    refuse(path, "an edge must have the form 'u v'")
    assert "format='matrix'" in log()[0]
    assert read_graph(path, source="1", target="2").num_edges == 4
    assert read_graph(path, format="matrix").num_edges == 12


def test_options_of_a_matrix(write):
    path = write("m.csv", ",a,b,c\na,0,.9,.2\nb,.9,0,.8\nc,.2,.8,0\n")
    assert read_graph(path, minimum={"weight": 0.5}).num_edges == 2
    assert read_graph(path, directed=True).num_edges == 6
    assert read_graph(path, format="csv", source="a", target="b", weight="none").num_edges > 0
    refuse(path, "relation is for edges, csv, parquet", relation="x")
    write("m.features.csv", "id,size\nc,3\nb,2\na,1\n")
    assert read_graph(path).features.tolist() == [[1], [2], [3]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (",a,b\na,0,1\nb,x,0\n", "line 3: a matrix must hold finite numbers, got 'x'."),
        (",a,b\na,0,1\nc,1,0\n", "line 1: the columns of a matrix must have the names of its rows"),
        (",a,a\na,0,1\na,1,0\n", "line 1: the columns must have different names, got 'a' twice"),
        ("0,1,0\n1,0,1\n", "line 1: a matrix of 2 rows must have 2 columns, got '3'."),
        ("", "the file is empty"),
        ("# none\n", "the file holds comments only, and no row."),
    ],
)
def test_texts_that_are_no_matrix(write, text, words):
    refuse(write("m.csv", text), words, format="matrix")


def test_a_matrix_larger_than_the_first_bytes(tmp_path):
    graph = nx.gnp_random_graph(400, 0.02, seed=1)
    table = pd.DataFrame(nx.to_numpy_array(graph, dtype=int))
    table.to_csv(tmp_path / "m.csv")
    found = read_graph(tmp_path / "m.csv")
    assert (found.num_nodes, found.num_edges) == (400, graph.number_of_edges())
    pairs = itertools.islice(graph.edges, 5)
    assert set(pairs) <= {edge[:2] for edge in named_edges(found)}
