"""Filters that learnt the same pattern become one, and others do not."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.graph import as_csr
from mining import FilterLearning, PatternMiner, compare_with_truth
from mining.learning.deduplication import deduplicate
from mining.structures.discrete_filters import DiscreteFilters
from synthetic import barabasi_albert, plant_motifs

RING = nx.cycle_graph(5)


def subgraphs_of(graph):
    learning = FilterLearning(feature_contrast=1.0)
    miner = PatternMiner(1, 5, num_epochs=0, learning=learning, noisy_copies="no")
    return miner.fit(graph).source_.subgraphs_around(graph)


def rings(features):
    """Subgraphs of rings whose nodes have these features, one column."""
    graph = nx.disjoint_union_all([RING] * (len(features) // 5))
    return subgraphs_of(as_csr(graph, features=np.asarray(features, np.float32).reshape(-1, 1)))


def filters(structures, levels):
    """Filters of these structures with one feature level each."""
    adj = torch.stack([torch.from_numpy(nx.to_numpy_array(g)).float() for g in structures])
    feat = torch.tensor(levels).reshape(-1, 1, 1).expand(-1, 5, 1).clone()
    return DiscreteFilters(adj, feat, adj, (5,) * len(structures))


RANDOM = np.random.default_rng(0)
UNIFORM = RANDOM.random(200)
TWO_CLOUDS = np.concatenate([RANDOM.normal(0, 0.1, 100), RANDOM.normal(1, 0.1, 100)])
TIGHT_AND_WIDE = np.concatenate([np.full(150, 0.5), RANDOM.random(100)])


@pytest.mark.parametrize(
    ("features", "levels", "merged"),
    [
        ([0.0] * 50 + [1.0] * 50, [0.0, 1.0, 0.0], (2, 1)),
        # every node has a feature of its own, and the filters share the cloud
        (UNIFORM, [0.4, 0.6], (2,)),
        (UNIFORM, [0.3, 0.5, 0.7], (3,)),
        (TWO_CLOUDS, [0.2, 0.8], (1, 1)),
        # a tight pattern is not lost in a wide one
        (TIGHT_AND_WIDE, [0.5, 0.9], (1, 1)),
    ],
    ids=["equal", "one cloud", "three in one cloud", "two clouds", "tight and wide"],
)
def test_filters_of_one_structure_are_merged_by_their_features(features, levels, merged):
    subgraphs = rings(features)
    result = deduplicate(filters([RING] * len(levels), levels), subgraphs)
    assert result.merged == merged
    if features is UNIFORM:
        # the features are the mean over all merged filters
        low, high = UNIFORM.min(), UNIFORM.max()
        mean = (UNIFORM.mean() - low) / (high - low)
        assert float(result.feat.mean()) == pytest.approx(mean, abs=0.02)


def test_other_structures_stay_apart():
    chord = nx.cycle_graph(5)
    chord.add_edge(0, 2)
    subgraphs = subgraphs_of(as_csr(nx.disjoint_union_all([RING, nx.complete_graph(5)] * 6)))
    result = deduplicate(filters([nx.complete_graph(5), RING, chord], [0.5] * 3), subgraphs)
    assert result.merged == (1, 1, 1)


def test_a_structure_that_the_graph_lacks_is_kept_once():
    star = nx.star_graph(4)
    result = deduplicate(filters([star, RING, star], [0.5] * 3), rings([0.5] * 50))
    assert result.merged == (2, 1)


@pytest.mark.parametrize("features", ["constant", "per_node"])
def test_no_planted_motif_is_merged_away(features):
    copies = dict.fromkeys(("house", "cup", "wheel", "crown"), 8)
    planted = plant_motifs(barabasi_albert(300, 1, 3), 300, copies, features=features, seed=3)
    miner = PatternMiner(num_epochs=5, min_support=0, noisy_copies="no")
    miner.fit(as_csr(planted.to_dgl()))
    assert all(motif.recovered for motif in compare_with_truth(miner.patterns_, planted.truth()))
    # structures that the kernel cannot tell apart are added to the twelve
    assert sum(p.num_filters for p in miner.patterns_) >= 12
