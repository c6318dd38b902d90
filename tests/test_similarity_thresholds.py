"""Thresholds from a null-model graph: by hand, and on graphs where the right answer is known."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from mining import PatternMiner
from mining.locating import similarity_thresholds as thresholds
from mining.locating.similarity_thresholds import draw_null_graph, smallest_rarely_reached
from synthetic import barabasi_albert, get_motif, plant_motifs


@pytest.mark.parametrize(
    ("values", "share", "reached"),
    [
        ([0.5, 0.25, 0.125, 0.75], 0.0, 0),
        ([0.5, 0.25, 0.125, 0.75], 0.25, 1),
        ([0.5, 0.25, 0.125, 0.75], 0.49, 1),
        ([0.5, 0.25, 0.125, 0.75], 0.5, 2),
        ([0.5, 0.5, 0.5, 0.75], 0.5, 1),
    ],
)
def test_no_more_than_the_share_reach_the_threshold(values, share, reached):
    threshold = smallest_rarely_reached(np.array(values), share)
    assert (np.array(values) >= threshold).sum() == reached
    # the smallest such number
    assert threshold == np.nextafter(max(value for value in values if value < threshold), 2.0)
    # in [0, 1]
    assert smallest_rarely_reached(np.array([])) == 0
    assert smallest_rarely_reached(np.ones(3)) == 1


def test_the_null_graph_shuffles_features_and_edges():
    graph = as_csr(nx.barabasi_albert_graph(40, 2, seed=0), features=np.arange(40.0)[:, None])
    null_graph, again = draw_null_graph(graph, 1), draw_null_graph(graph, 1)
    assert null_graph.degrees.tolist() == graph.degrees.tolist()
    assert null_graph.adjacent_pairs().tolist() != graph.adjacent_pairs().tolist()
    assert null_graph.features.tolist() != graph.features.tolist()
    assert sorted(null_graph.features.tolist()) == sorted(graph.features.tolist())
    assert null_graph.features.tolist() == again.features.tolist()
    assert null_graph.indices.tolist() == again.indices.tolist()


def test_the_ends_of_many_edges_are_joined_anew(monkeypatch):
    graph = as_csr(nx.barabasi_albert_graph(2000, 2, seed=0))
    monkeypatch.setattr(thresholds, "_MAX_REWIRED", graph.num_edges - 1)
    assert 0.99 * graph.num_edges < draw_null_graph(graph, 1).num_edges < graph.num_edges


def test_noisy_copies_pass_and_other_structures_do_not():
    graph = plant_motifs(
        barabasi_albert(300, 1, 0),
        300,
        {"wheel": 10, "crown": 10},
        features="per_type_noise",
        noise=0.2,
        seed=0,
    )
    csr = as_csr(graph.to_dgl())
    miner = PatternMiner(8, (6, 6), num_epochs=5, null_samples=8).fit(csr)
    similarity, nearest = miner.transform(csr), miner.predict(csr)
    for motif in (get_motif("wheel"), get_motif("crown")):
        (found,) = [
            p for p in miner.patterns_ if nx.is_isomorphic(p.to_networkx(), motif.to_networkx())
        ]
        copies = {frozenset(nodes) for name, nodes in graph.instances if name == motif.name}
        assert copies <= {frozenset(one.nodes) for one in found.occurrences}
        # their features differ, and yet their neighbourhoods pass, and hardly any others
        near = np.flatnonzero(nearest == found.id)
        near = near[similarity[near, found.id] >= found.min_similarity]
        assert found.frequency.roots == len(near)
        assert len(set(near.tolist()) & set().union(*copies)) >= 40
        assert len(set(near.tolist()) - set().union(*copies)) <= 10
        assert found.frequency.similar <= len(near)
    # each pattern has its own threshold
    assert len({pattern.min_similarity for pattern in miner.patterns_}) > 1


def test_the_threshold_is_zero_where_all_subgraphs_have_the_structure():
    miner = PatternMiner(num_patterns=1, pattern_size=(5, 5), num_epochs=0, null="none")
    (ring,) = miner.fit(nx.disjoint_union_all([nx.cycle_graph(5)] * 6)).patterns_
    assert ring.min_similarity == 0
    assert ring.frequency.roots == 30
