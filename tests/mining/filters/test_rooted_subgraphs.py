"""Subgraphs around nodes, with scaled features."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import SubgraphSettings
from mining.filters.rooted_subgraphs import RootedSubgraphs


def sample(graph, kernel, most=9, **limits):
    scaling = FeatureScaling.fit(graph.features, 1.0)
    settings = SubgraphSettings(2, 4)
    return RootedSubgraphs.sample(graph, scaling, kernel, settings, most, **limits)


def test_subgraphs_of_all_nodes_or_of_as_many_as_there_is_room_for():
    graph = as_csr(nx.path_graph(9), features=np.linspace(-1, 1, 9)[:, None])
    kernel = GOMKKernel(1)
    every = sample(graph, kernel)
    assert every.adj.shape == (9, 4, 4) and every.num_nodes.tolist() == [3] + [4] * 7 + [3]
    # roots are first, and padding has no features
    np.testing.assert_allclose(every.feat[:, 0, 0], np.linspace(0, 1, 9), atol=1e-6)
    assert every.feat[0, 3] == 0
    assert torch.equal(every.levels, kernel.embed(every.adj, every.feat))
    # 16 + 4 * 2 numbers each
    some = sample(graph, kernel, most_entries=5 * 24)
    assert len(sample(graph, kernel, most=3).feat) == 3
    roots = [int(np.flatnonzero((every.feat[:, 0] == one[0]).all(axis=1))[0]) for one in some.feat]
    assert len(roots) == len({*roots}) == 5 and roots == sorted(roots)
    with pytest.raises(InputError, match="^num_levels and level_scale must keep walk counts"):
        sample(as_csr(nx.complete_graph(9)), GOMKKernel(60, level_scale=1e-30))
