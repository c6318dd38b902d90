"""The map of a graph: all of it or a part, with colours and words."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from mining.descriptions.feature_background import FeatureBackground
from mining.miner import PatternMiner
from mining.plots import graph_map
from mining.plots.graph_map import GraphMap


@pytest.fixture(scope="module")
def graph():
    parts = [nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 3
    return as_csr(nx.disjoint_union_all(parts))


@pytest.fixture(scope="module")
def miner(graph):
    options = {"num_epochs": 0, "min_occurrences": 2, "null": "none"}
    return PatternMiner(num_patterns=2, pattern_size=(5, 5), **options).fit(graph)


def map_of(graph, miner):
    return GraphMap.of(graph, miner.patterns_, FeatureBackground.fit(graph))


def test_the_map_of_a_small_graph_is_all_of_it(graph, miner):
    shown = map_of(graph, miner)
    assert shown.edges.tolist() == graph.adjacent_pairs().tolist()
    assert shown.names == list(range(45))
    assert [len(faces) for faces in shown.faces] == [5, 5]
    assert GraphMap.from_dict(shown.to_dict()).to_dict() == shown.to_dict()


def test_of_a_large_graph_a_part_is_shown(graph, miner, monkeypatch):
    monkeypatch.setattr(graph_map, "MOST_NODES", 40)
    monkeypatch.setattr(graph_map, "_NODES_OF_PLACES", 40)
    part = map_of(graph, miner)
    # 20 nodes of each pattern are four cycles, and three complete graphs of five
    assert len(part.names) == 35 and len(part.edges) == 4 * 5 + 3 * 10
    # where they have too many edges, half as many places are shown, again and again
    monkeypatch.setattr(graph_map, "MOST_EDGES", 25)
    assert len(map_of(graph, miner).edges) == 5 + 10


def test_neighbours_of_places_are_shown(monkeypatch):
    wheel = as_csr(nx.wheel_graph(9))
    monkeypatch.setattr(graph_map, "MOST_NODES", 8)
    monkeypatch.setattr(graph_map, "_NODES_OF_PLACES", 3)
    options = {"num_epochs": 0, "min_occurrences": 2, "null": "none"}
    miner = PatternMiner(num_patterns=1, pattern_size=(3, 3), **options).fit(wheel)
    part = map_of(wheel, miner)
    # one place, and its three neighbours with most edges to it
    assert len(part.names) == 6
    assert {*miner.patterns_[0].occurrences[0].nodes} <= {*part.names}


def test_nodes_say_their_features():
    features = np.array([[1, 0, 0.25, 1], [0, 1, 0.5, 1], [1, 0, 0.25, 1]])
    names = ["kind=a", "kind=b", "weight", "constant"]
    ends = np.array([0, 1]), np.array([1, 2])
    graph = csr_from_edges(*ends, 3, features=features, feature_names=names, undirected=True)
    options = {"num_epochs": 0, "min_occurrences": 1, "null": "none"}
    miner = PatternMiner(num_patterns=1, pattern_size=(2, 2), **options).fit(graph)
    shown = map_of(graph, miner)
    texts = [shown.texts[number] for number in shown.text_of]
    assert texts == ["kind=a, weight = 0.25", "kind=b, weight = 0.5", "kind=a, weight = 0.25"]
    colors = [shown.colors[number] for number in shown.color_of]
    assert colors[0] == colors[2] != colors[1]


def test_edges_that_are_drawn_as_one_are_no_duplicates(log):
    ends = np.array([0, 1, 1]), np.array([1, 0, 2])
    graph = csr_from_edges(*ends, 3, features=np.ones(3), directed=True)
    options = {"num_epochs": 0, "min_occurrences": 1, "null": "none"}
    miner = PatternMiner(num_patterns=1, pattern_size=(2, 2), **options).fit(graph)
    before = log()
    assert len(map_of(graph, miner).edges) == 3
    assert log() == before
