"""The map of a graph: all of it or a part, with categories and degrees."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from mining.miner import PatternMiner
from mining.motif_sets.motif_set import MotifSet
from mining.plots import graph_map
from mining.plots.graph_map import GraphMap


@pytest.fixture(scope="module")
def graph():
    parts = [nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 3
    return as_csr(nx.disjoint_union_all(parts))


@pytest.fixture(scope="module")
def miner(graph):
    return PatternMiner(pattern_size=5, null="none").fit(graph)


def map_of(graph, miner):
    return GraphMap.of(graph, miner.motif_set_, miner.patterns_)


def test_the_map_of_a_small_graph_is_all_of_it(graph, miner):
    shown = map_of(graph, miner)
    assert shown.edges.tolist() == graph.adjacent_pairs().tolist()
    assert shown.names == list(range(45))
    assert GraphMap.from_dict(shown.to_dict()).to_dict() == shown.to_dict()


def test_of_a_large_graph_copies_and_their_neighbours_are_shown(graph, miner, monkeypatch):
    monkeypatch.setattr(graph_map, "MOST_NODES", 40)
    monkeypatch.setattr(graph_map, "_NODES_OF_COPIES", 20)
    part = map_of(graph, miner)
    copies = [{*one.nodes} for motif in miner.motif_set_ for one in motif.motif.copies]
    assert 10 <= len(part.names) < 45
    # whole copies, whose components have no other node
    assert all(copy <= {*part.names} or not copy & {*part.names} for copy in copies)
    # where they have too many edges, half as many are shown, again and again
    monkeypatch.setattr(graph_map, "MOST_EDGES", 25)
    assert len(map_of(graph, miner).edges) <= 25


def test_nodes_say_their_category():
    features = np.array([[1, 0, 0.25], [0, 1, 0.5], [1, 0, 0.25]])
    names = ["kind=a", "kind=b", "weight"]
    ends = np.array([0, 1]), np.array([1, 2])
    graph = csr_from_edges(*ends, 3, features=features, feature_names=names, undirected=True)
    shown = GraphMap.of(graph, MotifSet((), 0.0, 0.0), [])
    assert [shown.kinds[number] for number in shown.kind_of] == ["a", "b", "a"]
    assert shown.degrees.tolist() == [1, 2, 1]


def test_edges_that_are_drawn_as_one_are_no_duplicates(log):
    ends = np.array([0, 1, 1]), np.array([1, 0, 2])
    graph = csr_from_edges(*ends, 3, features=np.ones(3), directed=True)
    before = log()
    assert len(GraphMap.of(graph, MotifSet((), 0.0, 0.0), []).edges) == 3
    assert log() == before
