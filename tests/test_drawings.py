"""What the report draws: three occurrences per pattern; similarities and map equal the counts."""

import networkx as nx
import pytest

from gomkcn_dgl.graph import as_csr
from mining.descriptions.feature_background import FeatureBackground
from mining.miner import PatternMiner
from mining.runs.drawings import RunDrawings, gather_drawings


@pytest.fixture(scope="module")
def graph():
    parts = [nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 3
    return as_csr(nx.disjoint_union_all(parts))


@pytest.fixture(scope="module")
def miner(graph):
    options = {"num_epochs": 0, "min_support": 2, "null": "none"}
    return PatternMiner(num_patterns=2, pattern_size=(5, 5), **options).fit(graph)


@pytest.fixture(scope="module")
def drawings(graph, miner):
    return gather_drawings(miner, graph, FeatureBackground.fit(graph))


def test_three_occurrences_per_pattern(drawings):
    assert [list(drawing.occurrences) for drawing in drawings.patterns] == [[0, 2, 5], [0, 1, 2]]
    for drawing, num_edges in zip(drawings.patterns, (5, 10), strict=True):
        drawn = [drawing.medoid, *drawing.occurrences.values()]
        assert [len(one.edges) for one in drawn] == [num_edges] * 4
        assert [one.node_mapping for one in drawn] == [(0, 1, 2, 3, 4)] * 4


def test_similarities_and_map_agree_with_the_counts(graph, miner, drawings):
    roots = [pattern.frequency.roots for pattern in miner.patterns_]
    assert roots == [30, 15]
    assert [sum(counts) for counts in drawings.similarities] == roots
    assert drawings.map.pattern_of.tolist() == [0] * 30 + [1] * 15
    assert drawings.map.edges.tolist() == graph.adjacent_pairs().tolist()


def test_records_round_trip(drawings):
    assert RunDrawings.from_dict(drawings.to_dict()).to_dict() == drawings.to_dict()
    assert RunDrawings.from_dict(RunDrawings().to_dict()) == RunDrawings()
