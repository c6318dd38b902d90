"""Matrices, edge indices, edge tables and CSRGraphs: direction by symmetry, types by column."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from graph_files import assert_same

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr

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


def test_weights_follow_their_direction():
    graph = as_csr(np.array([[0, 2.0, 0], [5, 0, 3], [0, 0, 0]]))
    assert graph.weights.tolist() == [2, 5, 3, 3]


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
    graph = as_csr(table, edge_type="relation")
    assert graph.node_ids.tolist() == ["Africa", "Chad", "Niger"]
    assert graph.relations.names == ("borders", "located in")
    assert graph.relations.directed == (False, True)
    assert "not used: edge attribute km" in graph.notes
    assert as_csr(table[["target", "source"]]).node_ids.tolist() == ["Africa", "Chad", "Niger"]
    first_two = as_csr(pd.DataFrame({"u": [3, 1], "v": [1, 0], "w": [7, 8]}))
    assert first_two.original_ids(np.arange(3)) == [0, 1, 3]
    assert "not used: edge attribute w" in first_two.notes


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
