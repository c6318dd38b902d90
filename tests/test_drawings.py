"""What the report draws: three places a pattern, similarities and map in step with the counts."""

import networkx as nx
import numpy as np
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
    return PatternMiner(
        num_patterns=2, pattern_size=5, num_epochs=0, min_support=2, backend="reference"
    ).fit(graph)


def test_three_places_a_pattern_and_their_nodes(graph, miner):
    found = gather_drawings(miner, graph, FeatureBackground.fit(graph))
    assert [list(drawing.occurrences) for drawing in found.patterns] == [[0, 2, 5], [0, 1, 2]]
    ring, clique = found.patterns
    assert all(len(place.edges) == 5 for place in [ring.medoid, *ring.occurrences.values()])
    assert all(len(place.edges) == 10 for place in [clique.medoid, *clique.occurrences.values()])
    assert ring.medoid.roles == (0, 1, 2, 3, 4)


def test_similarities_and_map_agree_with_the_counts(graph, miner):
    found = gather_drawings(miner, graph, FeatureBackground.fit(graph))
    assigned = [pattern.frequency.assigned for pattern in miner.patterns_]
    assert assigned == [30, 15]
    assert [sum(counts) for counts in found.similarities] == assigned
    assert np.bincount(found.map.pattern_of).tolist() == assigned
    assert found.map.pattern_of.tolist() == [0] * 30 + [1] * 15
    assert found.map.edges.tolist() == graph.undirected_edges().tolist()


def test_of_several_subgraphs_around_a_node_the_best_counts(graph):
    several = PatternMiner(
        num_patterns=1,
        pattern_size=3,
        num_epochs=0,
        policy="random",
        num_views=3,
        min_similarity=0.5,
        backend="reference",
    ).fit(graph)
    found = gather_drawings(several, graph, FeatureBackground.fit(graph))
    best = several.transform(graph).max(axis=1)
    parts = np.minimum((best * 40).astype(int), 39)
    assert np.sum(found.similarities, axis=0).tolist() == np.bincount(parts, minlength=40).tolist()


def test_a_record_comes_back(graph, miner):
    found = gather_drawings(miner, graph, FeatureBackground.fit(graph))
    assert RunDrawings.from_dict(found.to_dict()).to_dict() == found.to_dict()
    assert RunDrawings.from_dict(RunDrawings().to_dict()) == RunDrawings()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"legend": [["carbon", "red"]]}, "'red' is no colour"),
        ({"map": {"edges": [[0, 2]], "pattern_of": [0, 1]}}, "leaves the 2 nodes of the map"),
        ({"map": {"edges": [[-1, 1]], "pattern_of": [0, 1]}}, "leaves the 2 nodes of the map"),
    ],
)
def test_a_damaged_record_is_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        RunDrawings.from_dict({**RunDrawings().to_dict(), **change})
