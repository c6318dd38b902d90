"""Subgraphs around nodes, and their scaled features."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import SubgraphSettings
from mining.filters import rooted_subgraphs
from mining.filters.rooted_subgraphs import FeatureScaling, RootedSubgraphs


def sample(graph, kernel, max_nodes=4):
    scaling = FeatureScaling.fit(graph.features, 1.0)
    return RootedSubgraphs.sample(graph, scaling, kernel, SubgraphSettings(2, max_nodes))


def test_subgraphs_of_all_nodes_or_of_as_many_as_there_is_room_for(monkeypatch):
    graph = as_csr(nx.path_graph(9), features=np.linspace(-1, 1, 9)[:, None])
    kernel = GOMKKernel(1)
    every = sample(graph, kernel)
    assert every.adj.shape == (9, 4, 4) and every.num_nodes.tolist() == [3] + [4] * 7 + [3]
    # roots are first, and padding has no features
    np.testing.assert_allclose(every.feat[:, 0, 0], np.linspace(0, 1, 9), atol=1e-6)
    assert every.feat[0, 3] == 0
    assert torch.equal(every.levels, kernel.embed(every.adj, every.feat))
    # 16 + 4 * 2 numbers each
    monkeypatch.setattr(rooted_subgraphs, "_MOST_ENTRIES", 5 * 24)
    some = sample(graph, kernel)
    roots = [int(np.flatnonzero((every.feat[:, 0] == one[0]).all(axis=1))[0]) for one in some.feat]
    assert len(roots) == len({*roots}) == 5 and roots == sorted(roots)
    with pytest.raises(InputError, match="^num_levels and level_scale must keep walk counts"):
        sample(as_csr(nx.complete_graph(9)), GOMKKernel(60, level_scale=1e-30))


@pytest.mark.parametrize(
    ("contrast", "low", "middle", "high"), [(1.0, 0.0, 0.5, 1.0), (0.3, 0.35, 0.5, 0.65)]
)
def test_scaled_columns_fill_the_contrast_and_are_restored(contrast, low, middle, high):
    features = np.array([[[-2.0, 30.0], [2.0, 20.0]], [[6.0, 10.0], [-2.0, 10.0]]])
    scaling = FeatureScaling.fit(features.reshape(4, 2), contrast)
    scaled = scaling.scale(features)
    expected = [[[low, high], [middle, middle]], [[high, low], [low, low]]]
    np.testing.assert_allclose(scaled, expected, rtol=1e-6)
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaling.restore(scaled), features, atol=1e-5 / contrast)
    # a constant column is mapped to the middle
    for value in (0.0, -3.0, 1e-20, 1e18, -3e38):
        scaling = FeatureScaling.fit(np.array([[value, 0.0], [value, 1.0]]), contrast)
        scaled = scaling.scale(np.array([[value, 0.0]]))
        np.testing.assert_allclose(scaled, [[0.5, 0.5 - contrast / 2]], rtol=1e-6)
        np.testing.assert_allclose(scaling.restore(scaled), [[value, 0.0]], rtol=1e-6, atol=1e-7)


def test_other_values_than_those_of_a_graph_are_scaled_and_clipped():
    low, same, high = FeatureScaling.fit(np.full((3, 1), 7.0), 1.0).scale([[6.0], [7.0], [8.0]])
    assert low < same < high
    scaling = FeatureScaling.fit(np.array([[0.0], [10.0]]), 0.5)
    assert scaling.scale(np.array([[-5.0], [99.0]])).tolist() == [[0.25], [0.75]]
    assert scaling.restore(np.array([[0.0], [1.0]])).tolist() == [[0.0], [10.0]]
    # large ones do not overflow
    features = np.array([[-3e38], [3e38], [0.0]], dtype=np.float32)
    assert FeatureScaling.fit(features, 1.0).scale(features).tolist() == [[0.0], [1.0], [0.5]]
