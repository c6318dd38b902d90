"""Expected counts: by hand, beside random graphs, and with directions, relations and colours."""

import itertools
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.counting.exact_counts import count_exact
from mining.judging.expected_counts import ExpectedCounts
from mining.mined_graph import MinedGraph
from synthetic import MOTIFS

TRIANGLE, EDGE = Structure.parse("triangle"), Structure.parse("a--b")


def count(graph, structure):
    return count_exact(graph, structure).count


def test_edges_and_triangles_of_a_regular_graph_by_hand():
    expected = ExpectedCounts(MinedGraph.of(nx.circulant_graph(50, [1, 2])))
    # 200 ends: (50 · 4)² / 200 / 2 edges, (50 · 4 · 3)³ / 200³ / 6 triangles
    assert np.exp(expected.log_count(EDGE)) == pytest.approx(100)
    assert np.exp(expected.log_count(TRIANGLE)) == pytest.approx(27 / 6)
    # nodes of two colours, 10 and 40
    kinds, names = np.eye(2)[np.repeat([0, 1], [10, 40])], ("kind=a", "kind=b")
    graph = replace(expected.graph, features=kinds.astype(np.float32), feature_names=names)
    colored = ExpectedCounts(MinedGraph.of(graph))
    pair = Structure.parse("x:kind=a--y:kind=b")
    assert np.exp(colored.log_count(pair)) == pytest.approx(40 * 160 / 200)


@pytest.mark.parametrize("directed", [False, True])
def test_expected_counts_are_those_of_random_graphs(directed):
    structure = TRIANGLE
    if directed:
        structure = MOTIFS["feed-forward-loop"]
    found, expected = [], []
    for seed in range(12):
        graph = as_csr(nx.gnp_random_graph(150, 0.04, seed=seed, directed=directed))
        found.append(count(graph, structure))
        expected.append(np.exp(ExpectedCounts(MinedGraph.of(graph)).log_count(structure)))
    assert np.mean(found) == pytest.approx(np.mean(expected), rel=0.15)


def test_extensions_of_the_places_of_a_part():
    mined = MinedGraph.of(nx.gnp_random_graph(200, 0.04, seed=1))
    graph = mined.graph
    # a triangle with a node that dangles: one for each end that a triangle has left
    whole = Structure(np.array([[0, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]], bool))
    edges = set(map(tuple, graph.adjacent_pairs().tolist()))
    places = np.array(
        [
            (u, v, w)
            for u, v, w in itertools.combinations(range(200), 3)
            if {(u, v), (u, w), (v, w)} <= edges
        ]
    )
    mapping = np.array([0, 1, 2])
    ways = ExpectedCounts(mined).extensions(places, TRIANGLE, whole, mapping)
    np.testing.assert_allclose(ways, graph.degrees[places].sum(axis=1) - 6)
    assert count(graph, whole) == pytest.approx(ways.sum(), rel=0.2)
