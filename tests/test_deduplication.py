"""Filters that learnt the same pattern become one, and others do not."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.graph import as_csr
from mining import FilterLearning, PatternMiner
from mining.learning.deduplication import deduplicate
from mining.learning.discrete_filters import DiscreteFilters

RING, STAR, CLIQUE = nx.cycle_graph(5), nx.star_graph(4), nx.complete_graph(5)


def subgraphs_of(shapes, features):
    """Subgraphs of disjoint graphs whose nodes have these features, one column."""
    graph = as_csr(nx.disjoint_union_all(shapes), features=np.reshape(features, (-1, 1)))
    learning = FilterLearning(feature_contrast=1.0)
    miner = PatternMiner(1, 5, num_epochs=0, learning=learning)
    return miner.fit(graph).source_.subgraphs_around(graph)


def filters(structures, levels):
    """Filters of these structures with one feature level each."""
    adj = torch.stack([torch.from_numpy(nx.to_numpy_array(g)).float() for g in structures])
    feat = torch.tensor(levels).reshape(-1, 1, 1).expand(-1, 5, 1).clone()
    return DiscreteFilters(adj, feat, adj, (5,) * len(structures))


RANDOM = np.random.default_rng(0)
UNIFORM = RANDOM.random(200)
TWO_CLUSTERS = np.concatenate([RANDOM.normal(0, 0.1, 100), RANDOM.normal(1, 0.1, 100)])
TIGHT_AND_WIDE = np.concatenate([np.full(150, 0.5), RANDOM.random(100)])


@pytest.mark.parametrize(
    ("features", "levels", "merged"),
    [
        ([0.0] * 50 + [1.0] * 50, [0.0, 1.0, 0.0], (2, 1)),
        # every node has a feature of its own, and the filters share the cluster
        (UNIFORM, [0.3, 0.5, 0.7], (3,)),
        (TWO_CLUSTERS, [0.2, 0.8], (1, 1)),
        # a tight pattern is not lost in a wide one
        (TIGHT_AND_WIDE, [0.5, 0.9], (1, 1)),
    ],
    ids=["equal", "one cluster", "two clusters", "tight and wide"],
)
def test_filters_of_one_structure_are_merged_by_their_features(features, levels, merged):
    subgraphs = subgraphs_of([RING] * (len(features) // 5), features)
    result = deduplicate(filters([RING] * len(levels), levels), subgraphs)
    assert result.merged == merged
    if features is UNIFORM:
        # the features are the mean over all merged filters
        mean = (UNIFORM.mean() - UNIFORM.min()) / np.ptp(UNIFORM)
        assert float(result.feat.mean()) == pytest.approx(mean, abs=0.02)


@pytest.mark.parametrize(
    ("structures", "merged"),
    [
        ([CLIQUE, RING, nx.wheel_graph(5)], (1, 1, 1)),
        # structures that the graph lacks remain once
        ([STAR, RING, STAR], (2, 1)),
    ],
)
def test_other_structures_stay_separate(structures, merged):
    subgraphs = subgraphs_of([RING, CLIQUE] * 6, [0.5] * 60)
    assert deduplicate(filters(structures, [0.5] * 3), subgraphs).merged == merged
