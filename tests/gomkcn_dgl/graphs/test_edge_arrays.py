"""Matrices, edge indices, edge tables and CSRGraphs: direction by symmetry, types by column."""

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
from graph_files import assert_same

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph

ONE_WAY = np.array([[0, 2.0, 0], [0, 0, 3], [0, 0, 0]])
WORDS = {
    False: "undirected: each edge is there in both directions",
    True: "directed: some edges are there in one direction only; directed=False mirrors them",
}


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_matrix_is_directed_unless_it_is_symmetric(kind, directed, log):
    graph = as_csr(kind(ONE_WAY if directed else ONE_WAY + ONE_WAY.T))
    assert graph.is_directed == directed
    assert graph.weights.tolist() == [2, 2, 3, 3]
    assert WORDS[directed] in log()
    assert not as_csr(kind(ONE_WAY), directed=False).is_directed
    assert as_csr(kind(ONE_WAY + ONE_WAY.T), directed=True).num_edges == 4


def test_weights_that_differ_by_direction_are_not_merged(log):
    trade = np.array([[0, 3.0], [8, 0]])
    graph = as_csr(trade)
    assert (graph.is_directed, graph.weights.tolist()) == (True, [3, 8])
    assert "directed: the weights of the two directions of an edge differ" in log()
    rounded = np.array([[0, 3.0], [3 + 1e-9, 0]])
    assert not as_csr(rounded).is_directed
    assert not as_csr(trade, directed=False).is_directed


def test_an_edge_index_with_types_of_its_edges():
    ends = np.array([[0, 1, 0], [1, 0, 1]])
    graph = as_csr((ends, 2), edge_type=np.array(["a", "a", "b"]))
    assert graph.relations.names == ("a", "b")
    assert graph.relations.directed == (False, True)


def test_an_edge_table():
    table = pd.DataFrame(
        {
            "relation": ["located in", "borders", "borders"],
            "source": ["Chad", "Chad", "Niger"],
            "target": ["Africa", "Niger", "Chad"],
            "km": [0.0, 1175.0, 1175.0],
        }
    )
    for options in ({}, {"edge_type": "relation"}, {"edge_type": table["relation"].to_numpy()}):
        graph = as_csr(table, **options)
        assert graph.node_ids.tolist() == ["Africa", "Chad", "Niger"]
        assert graph.relations.names == ("borders", "located in")
        assert graph.relations.directed == (False, True)
        assert any(note.endswith("km") for note in graph.notes)
    assert as_csr(table[["target", "source"]]).node_ids.tolist() == ["Africa", "Chad", "Niger"]
    first_two = as_csr(pd.DataFrame({"u": [3, 1], "v": [1, 0], "w": [7, 8]}))
    assert first_two.original_ids(np.arange(3)) == [0, 1, 3]
    assert "columns that are not used: w" in first_two.notes
    assert as_csr([table, table]).num_edges == 2 * graph.num_edges
    with pytest.raises(InputError, match="weight must name a column among .*, got 'kg'"):
        as_csr(table, edge_weight="kg")
    with pytest.raises(InputError, match="row 1: the column 'source' must hold a value"):
        as_csr(table.assign(source=[None, "Chad", "Niger"]))


ROWS = [("a", "b", 2.0, "is"), ("b", "a", 3.0, "is"), ("a", "c", 1.0, "is"), ("c", "d", 1.0, "has")]


@pytest.mark.parametrize(
    ("header", "options", "kinds"),
    [
        ("u,v", {}, [("edge", False)]),
        ("one,other", {}, [("edge", False)]),
        ("Sender,Recipient", {}, [("edge", True)]),
        ("recipient,sender", {}, [("edge", True)]),
        ("regulator,gene", {}, [("edge", True)]),
        ("parent,child", {"directed": False}, [("edge", False)]),
        ("gene,protein", {"directed": True}, [("edge", True)]),
        ("source,target,weight", {}, [("edge", True)]),
        ("u,v,weight", {}, [("edge", False)]),
        ("from,to,weight", {"weight": "none"}, [("edge", True)]),
        ("u,v,weight,type", {}, [("has", True), ("is", True)]),
        ("u,v,weight,type", {"relation": "none"}, [("edge", False)]),
        ("u,v,age,how", {"relation": "how", "weight": "age"}, [("has", True), ("is", True)]),
    ],
)
def test_a_table_is_one_graph_in_any_form(tmp_path, header, options, kinds):
    """A file and a table in memory have one direction and one weight."""
    names = header.split(",")
    table = pd.DataFrame([row[: len(names)] for row in ROWS], columns=names)
    table.to_csv(tmp_path / "g.csv", index=False)
    table.to_parquet(tmp_path / "g.parquet")
    graph = read_graph(tmp_path / "g.csv", **options)
    assert list(graph.relations.kinds) == kinds
    called = {"relation": "edge_type", "weight": "edge_weight"}
    own = {called.get(name, name): value for name, value in options.items()}
    others = [as_csr(one, **own) for one in (table, pa.table(table), [table])]
    others += [read_graph(tmp_path / "g.parquet", **options)]
    for other in others:
        assert_same(other, graph)


def test_it_is_said_why_a_table_has_a_direction(tmp_path, log):
    (tmp_path / "g.csv").write_text("sender,recipient\na,b\nb,c\n")
    note = "directed, as its columns are called sender, recipient"
    for graph in (read_graph(tmp_path / "g.csv"), as_csr(pd.read_csv(tmp_path / "g.csv"))):
        assert note in graph.notes
        assert f"{note}; directed=False (--undirected) leaves the directions out" in log()
    said = "undirected, as {}; directed=True (--directed) gives edges a direction"
    as_csr(pd.DataFrame({"left": ["a"], "right": ["b"]}))
    assert said.format("its columns are called left, right") in log()
    # a list of neighbours has each edge twice
    near = pd.DataFrame({"source": [0, 1, 1, 2], "target": [1, 0, 2, 1]})
    assert as_csr(near).relations.directed == (False,)
    assert said.format("its edges are there both ways") in log()
    assert as_csr(near, directed=True).num_edges == 4


def typed():
    table = pd.DataFrame(
        np.random.default_rng(0).integers(0, 9, (40, 3)), columns=["source", "target", "w"]
    )
    table["kind"] = np.random.default_rng(1).choice(["p", "q"], 40)
    return as_csr(table, edge_type="kind", edge_weight="w")


def test_a_csr_graph_read_anew_is_the_same():
    graph = typed()
    again = as_csr([graph, nx.empty_graph(0, nx.DiGraph)][:1], edge_weight="weight")
    assert_same(again, graph)
    assert again.links.tolist() == graph.links.tolist()
    assert again.relations == graph.relations
    assert set(graph.notes) <= set(again.notes)


def test_a_csr_graph_is_mirrored_or_made_directed():
    graph = typed()
    assert as_csr(graph, directed=True) is graph
    mirrored = as_csr(graph, directed=False)
    assert mirrored.relations.directed == (False, False)
    assert mirrored.adjacent_pairs().tolist() == graph.adjacent_pairs().tolist()
    assert as_csr(mirrored, directed=False) is mirrored
    assert as_csr(mirrored, directed=True).num_edges == 2 * mirrored.num_edges
    with pytest.raises(InputError, match="whose edges have the types p, q"):
        as_csr(graph, edge_type="w")
