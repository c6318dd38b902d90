"""Isomorphic graph learning (section VI-A of the GOMKCN paper): a filter becomes its target.

Nine random graphs of six nodes, one for each edge probability .1 to .9, are learnt at once: filter
k is trained on the score of target k alone. The settings are those of the experiments: exact
matching, bounded features and level i divided by 3^i. The seed was fixed before the first run.
"""

import networkx as nx
import numba
import numpy as np
import pytest
import torch

from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.matching import GOMKKernel, gomk

SEED = 0
NODES, LEVELS, EPOCHS = 6, 3, 500
KERNEL = {"kernel": GOMKKernel(LEVELS, level_scale=3.0)}
# as plain Python the compiled kernel takes minutes; its own tests hold it to the reference
KERNEL["backend"] = "reference" if numba.config.DISABLE_JIT else "numba"


def random_targets(rng, probabilities):
    upper = np.stack([np.triu(rng.random((NODES, NODES)) < p, 1) for p in probabilities])
    return torch.from_numpy((upper | upper.swapaxes(1, 2)).astype(np.float32))


def learn(adj, feat, num_restarts=1):
    """Train ``num_restarts`` filters a target, ``[G]`` graphs → G * restarts filters in order."""
    filters = GraphFilters(len(adj) * num_restarts, NODES, feat.shape[2], bounded_feats=True)
    filters.reset_parameters(torch.Generator().manual_seed(SEED))
    optimizer = torch.optim.Adam(filters.parameters(), lr=0.5)
    own = torch.arange(len(adj)).repeat_interleave(num_restarts)
    column = torch.arange(len(own))
    for _ in range(EPOCHS):
        scores = gomk(adj, feat, filters.adj(), filters.feat(), **KERNEL)
        loss = -scores[own, column].sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return filters


def is_isomorphic(adj, other):
    return nx.is_isomorphic(*(nx.from_numpy_array(graph.numpy()) for graph in (adj, other)))


def test_filters_become_isomorphic_to_their_targets():
    rng = np.random.default_rng(SEED)
    adj = random_targets(rng, np.arange(1, 10) / 10)
    feat = torch.from_numpy(rng.random((9, NODES, 3)).astype(np.float32))
    filters = learn(adj, feat)
    with torch.no_grad():
        learnt = (filters.adj() > 0.5).float()
        _, matching = gomk(adj, feat, filters.adj(), filters.feat(), return_matching=True, **KERNEL)
    for k in range(9):
        assert is_isomorphic(adj[k], learnt[k]), f"target {k}"
        aligned = filters.feat()[k, matching[k, k]]
        assert (aligned - feat[k]).abs().max() < 0.1
        # and the matching is an isomorphism
        order = matching[k, k]
        assert torch.equal(learnt[k][order][:, order], adj[k])


@pytest.fixture(scope="module")
def graphs_of_six_nodes():
    """Give all 156 graphs of six nodes, ``[156, 6, 6]``."""
    atlas = [g for g in nx.graph_atlas_g() if len(g) == NODES]
    assert len(atlas) == 156
    return torch.stack([torch.from_numpy(nx.to_numpy_array(g)).float() for g in atlas])


def test_walk_counts_tell_all_but_four_pairs_apart(graphs_of_six_nodes):
    ones = torch.ones(156, NODES, 1)
    scores = gomk(graphs_of_six_nodes, ones, graphs_of_six_nodes, ones, normalize=True, **KERNEL)
    twins = (scores > 1 - 1e-6).triu(1).nonzero()
    assert len(twins) == 4


def test_a_constant_feature_is_enough_with_restarts(graphs_of_six_nodes):
    num_restarts = 10
    rng = np.random.default_rng(SEED)
    targets = random_targets(rng, [0.3, 0.5, 0.7])
    ones = torch.ones(1, NODES, 1)
    alike = gomk(
        targets,
        ones.expand(3, -1, -1),
        graphs_of_six_nodes,
        ones.expand(156, -1, -1),
        normalize=True,
        **KERNEL,
    )
    targets = targets[(alike > 1 - 1e-6).sum(dim=1) == 1]
    assert len(targets), "every target shares its walk counts with another graph"
    feat = ones.expand(len(targets), -1, -1)
    filters = learn(targets, feat, num_restarts)
    # chosen by the score of the discrete filter: a soft one scores well without being isomorphic
    learnt = (filters.adj().detach() > 0.5).float()
    scores = gomk(targets, feat, learnt, ones.expand(len(learnt), -1, -1), **KERNEL)
    for k, target in enumerate(targets):
        own = slice(k * num_restarts, (k + 1) * num_restarts)
        best = learnt[own][scores[k, own].argmax()]
        assert is_isomorphic(target, best), f"target {k}"
