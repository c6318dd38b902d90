"""Filters that found the same pattern become one, and others do not."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.graph import as_csr
from mining import PatternMiner, compare_with_truth
from mining.learning.deduplication import deduplicate
from mining.structures.discrete_filters import DiscreteFilters
from synthetic import barabasi_albert, plant_motifs


def rings(features, length=5):
    """Rings whose nodes have these features, one column."""
    graph = nx.disjoint_union_all([nx.cycle_graph(length)] * (len(features) // length))
    return as_csr(graph, features=np.asarray(features, np.float32).reshape(-1, 1))


def finder_of(graph, size=5):
    """The subgraphs, with features as they are but for the scaling to the unit interval."""
    miner = PatternMiner(1, size, num_epochs=0, feature_contrast=1.0, noisy_copies="no")
    return miner.fit(graph).subgraphs_around(graph)


def filters(finder, structures, levels):
    """Filters of these structures with one feature level each."""
    adj = torch.stack([torch.from_numpy(nx.to_numpy_array(g)).float() for g in structures])
    size = adj.shape[1]
    feat = torch.tensor(levels).reshape(-1, 1, 1).expand(-1, size, 1).clone()
    return DiscreteFilters(adj, feat, adj, (size,) * len(structures))


RING = nx.cycle_graph(5)


def test_twins_are_one():
    finder = finder_of(rings([0.0] * 50 + [1.0] * 50))
    merged = deduplicate(filters(finder, [RING] * 3, [0.0, 1.0, 0.0]), finder)
    assert merged.merged == (2, 1)
    assert merged.feat[:, :, 0].tolist() == [[0.0] * 5, [1.0] * 5]


def test_features_within_their_spread_are_one_pattern_with_the_mean_of_both():
    # every node has a feature of its own, and two filters share the cloud
    features = np.random.default_rng(0).random(200)
    finder = finder_of(rings(features))
    merged = deduplicate(filters(finder, [RING] * 2, [0.4, 0.6]), finder)
    assert merged.merged == (2,)
    spread = features.max() - features.min()
    mean = (features.mean() - features.min()) / spread
    assert float(merged.feat.mean()) == pytest.approx(mean, abs=0.02)


def test_features_beyond_their_spread_are_two():
    rng = np.random.default_rng(0)
    features = np.concatenate([rng.normal(0, 0.1, 100), rng.normal(1, 0.1, 100)])
    finder = finder_of(rings(features))
    merged = deduplicate(filters(finder, [RING] * 2, [0.2, 0.8]), finder)
    assert merged.merged == (1, 1)


def test_a_tight_pattern_is_not_lost_in_a_wide_one():
    # half of the rings are all alike, the others anything
    rng = np.random.default_rng(1)
    finder = finder_of(rings(np.concatenate([np.full(150, 0.5), rng.random(100)])))
    merged = deduplicate(filters(finder, [RING] * 2, [0.5, 0.9]), finder)
    assert merged.merged == (1, 1)


def test_other_structures_stay_apart():
    graph = nx.disjoint_union_all([nx.cycle_graph(5), nx.complete_graph(5)] * 6)
    finder = finder_of(as_csr(graph))
    chord = nx.cycle_graph(5)
    chord.add_edge(0, 2)
    structures = [nx.complete_graph(5), RING, chord]
    merged = deduplicate(filters(finder, structures, [0.5] * 3), finder)
    assert merged.merged == (1, 1, 1)
    assert merged.num_nodes == (5, 5, 5)


def test_the_one_with_most_subgraphs_stays():
    features = np.random.default_rng(0).random(200)
    finder = finder_of(rings(features))
    # the second is nearer to most of the cloud
    merged = deduplicate(filters(finder, [RING] * 3, [0.3, 0.5, 0.7]), finder)
    assert merged.merged == (3,)


def test_a_structure_that_the_graph_lacks_is_kept_once():
    finder = finder_of(rings([0.5] * 50))
    star = nx.star_graph(4)
    merged = deduplicate(filters(finder, [star, RING, star], [0.5] * 3), finder)
    assert merged.merged == (2, 1)


@pytest.mark.parametrize("features", ["constant", "per_type", "per_node", "per_type_noise"])
def test_no_planted_motif_is_merged_away_and_the_filters_add_up(features):
    base = barabasi_albert(300, 1, 3)
    copies = dict.fromkeys(("house", "cup", "wheel", "crown"), 8)
    noise = {"noise": 0.1} if features == "per_type_noise" else {}
    planted = plant_motifs(base, 300, copies, features=features, seed=3, **noise)
    miner = PatternMiner(num_epochs=5, min_support=0, noisy_copies="no")
    miner.fit(as_csr(planted.to_dgl()))
    assert all(motif.recovered for motif in compare_with_truth(miner.patterns_, planted.truth()))
    # structures that the kernel cannot tell apart come beside the twelve
    assert sum(p.num_filters for p in miner.patterns_) >= 12
    if features == "per_node":
        assert max(p.num_filters for p in miner.patterns_) > 1
