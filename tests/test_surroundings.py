"""An occurrence is cut out of its graph with all its edges and its closest neighbours."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr, csr_from_edges
from mining.plots.colors import NodeColors
from mining.plots.surroundings import Surroundings, cut_out, find_rows
from mining.records.occurrence import Occurrence


def cut(graph, nodes, **options):
    csr = as_csr(graph)
    occurrence = Occurrence(nodes, 1.0, **options)
    return cut_out(csr, occurrence, find_rows(csr, [occurrence]), NodeColors())


def test_an_occurrence_has_its_edges_and_its_neighbours():
    # a triangle 2, 0, 1 with a tail 2-3-4 and a node 5 on 0 and 1
    graph = nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (0, 5), (1, 5)])
    cutout = cut(graph, (2, 0, 1))
    # 5 has two edges to the occurrence and comes before 3; 4 is not a neighbour
    assert cutout.node_mapping == (0, 1, 2, None, None)
    assert sorted(map(sorted, cutout.edges)) == [[0, 1], [0, 2], [0, 4], [1, 2], [1, 3], [2, 3]]
    assert cutout.num_hidden == 0
    assert len(cutout.faces) == 5


def test_a_hub_shows_twelve_of_its_neighbours():
    cutout = cut(nx.star_graph(20), (0, 1))
    assert cutout.node_mapping == (0, 1) + (None,) * 12
    assert cutout.num_hidden == 7
    assert len(cutout.edges) == 13
    # a pattern node without a graph node is left out
    assert cut(nx.path_graph(3), (0, None, 1)).node_mapping == (0, 2, None)


def test_arcs_keep_their_direction_and_relation():
    graph = nx.MultiDiGraph()
    graph.add_edge(0, 1)
    graph.add_edge(1, 0)
    graph.add_edge(2, 1)
    assert sorted(cut(nx.DiGraph(graph), (1, 0)).edges) == [(0, 1), (1, 0), (2, 0)]
    typed = csr_from_edges(
        np.array([0, 1, 2]), np.array([1, 0, 1]), 3, directed=[True, False],
        relation=np.array([0, 0, 1]), relation_names=["cites", "knows"],
    )  # fmt: skip
    occurrence = Occurrence((1, 0), 1.0)
    cutout = cut_out(typed, occurrence, find_rows(typed, [occurrence]), NodeColors())
    rows = sorted(zip(cutout.edges, cutout.relations, strict=True))
    assert rows == [((0, 1), 0), ((0, 2), 1), ((1, 0), 0)]
    assert Surroundings.from_dict(cutout.to_dict()) == cutout
    with pytest.raises(ValueError, match="1 relations for 3 edges"):
        Surroundings.from_dict({**cutout.to_dict(), "edge_relations": [0]})


def test_rows_are_those_of_the_original_ids_in_each_graph():
    ids = np.array(["a", "b", "a", "c"])
    graph = csr_from_edges(
        np.array([0, 2]), np.array([1, 3]), 4, graph_ptr=np.array([0, 2, 4]), node_ids=ids
    )
    assert find_rows(graph, [Occurrence(("a", "c"), 1.0, graph=1)]) == {(1, "a"): 2, (1, "c"): 3}
    plain = csr_from_edges(np.array([0, 2]), np.array([1, 3]), 4, graph_ptr=np.array([0, 2, 4]))
    assert find_rows(plain, [Occurrence((1, None), 1.0, graph=1)]) == {(1, 1): 3}


def test_a_record_comes_back_or_is_refused():
    cutout = cut(nx.path_graph(4), (1, 2))
    assert Surroundings.from_dict(cutout.to_dict()) == cutout
    for damage in ({"edges": [[0, 4]]}, {"edges": [[-1, 0]]}, {"faces": []}):
        with pytest.raises(ValueError, match="4 nodes of a drawing"):
            Surroundings.from_dict({**cutout.to_dict(), **damage})
