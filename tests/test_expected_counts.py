"""Expected counts: by hand, beside random graphs, and with directions, relations and colours."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graphs.structure import Structure
from mining.judging.expected_counts import ExpectedCounts
from mining.mined_graph import MinedGraph

TRIANGLE, EDGE = Structure.parse("triangle"), Structure.parse("a--b")


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
