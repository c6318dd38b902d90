"""Isomorphic graph learning (section VI-A of the GOMKCN paper): a filter becomes its target.

Nine random graphs of six nodes, one for each edge probability .1 to .9, are learnt at once: filter
k is trained on the score of target k alone. The settings are those of the experiments: exact
matching, bounded features and level i divided by 3^i. The seed was fixed before the first run.
"""

import networkx as nx
import numba
import numpy as np
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


def learn(adj, feat):
    """Train one filter a target, ``[G]`` graphs → G filters."""
    filters = GraphFilters(len(adj), NODES, feat.shape[2], bounded_feats=True)
    filters.reset_parameters(torch.Generator().manual_seed(SEED))
    optimizer = torch.optim.Adam(filters.parameters(), lr=0.5)
    own = torch.arange(len(adj))
    for _ in range(EPOCHS):
        scores = gomk(adj, feat, filters.adj(), filters.feat(), **KERNEL)
        loss = -scores[own, own].sum()
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


def test_walk_counts_tell_all_but_four_pairs_apart():
    atlas = [g for g in nx.graph_atlas_g() if len(g) == NODES]
    graphs_of_six_nodes = torch.stack(
        [torch.from_numpy(nx.to_numpy_array(g)).float() for g in atlas]
    )
    ones = torch.ones(156, NODES, 1)
    scores = gomk(graphs_of_six_nodes, ones, graphs_of_six_nodes, ones, normalize=True, **KERNEL)
    twins = (scores > 1 - 1e-6).triu(1).nonzero()
    assert len(twins) == 4
