"""Numbers at the limits of what can be given to steps 1 to 4: a right result, or one sentence."""

import networkx as nx
import numpy as np
import pytest
import torch
from tiny_graphs import with_kernel

from gomkcn_dgl import (
    CSRGraph,
    GOMKConv,
    GOMKKernel,
    InputError,
    SubgraphSettings,
    extract_subgraphs,
    gomk,
)
from gomkcn_dgl._dgl import dgl

BACKENDS = ("numba", "reference")
POLICIES = ("bfs", "dense")
MOST_HOPS = 2**31 - 1
COMPLETE = torch.ones(1, 5, 5) - torch.eye(5)
# five nodes, features from the smallest to the largest that single precision has
SCALES = [[1e30, 1e-30], [1.0, 1e-38], [0.0, 1.0], [1e10, 1e-45], [3.0, 1e38]]


def scored(feat, filter_feat, backend, **options):
    """Score of complete graphs of five nodes with each other, and its gradients."""
    feat = torch.tensor(feat, dtype=torch.float32).reshape(1, 5, -1).requires_grad_()
    filter_feat = torch.tensor(filter_feat, dtype=torch.float32).reshape(1, 5, -1).requires_grad_()
    score = gomk(COMPLETE, feat, COMPLETE, filter_feat, backend=backend, **with_kernel(options))
    score.sum().backward()
    return score.item(), feat.grad, filter_feat.grad


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("value", [0.0, 1e-45, 1e-38, 1e17])
def test_a_graph_scores_perfectly_with_itself_at_every_feature_scale(value, backend):
    feat = [value] * 10
    score, *gradients = scored(feat, feat, backend, num_levels=2)
    assert score == pytest.approx(15, rel=1e-6)
    assert all(gradient.isfinite().all() for gradient in gradients)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_infinite_distance_scores_0_with_gradient_0(backend):
    score, *gradients = scored([3e38] * 10, [-3e38] * 10, backend, num_levels=0)
    assert score == 0
    assert all((gradient == 0).all() for gradient in gradients)


@pytest.mark.parametrize("aggregation", ["mean", "sym"])
@pytest.mark.parametrize("matching", ["optimal", "greedy"])
def test_features_of_very_different_scales_equal_the_reference(matching, aggregation):
    changed = np.array(SCALES)
    changed[:, 1] *= 0.5
    options = {"num_levels": 2, "matching": matching, "aggregation": aggregation}
    score, *gradients = scored(SCALES, changed, "numba", **options)
    expected, *expected_gradients = scored(SCALES, changed, "reference", **options)
    assert 0 < expected < 15
    assert score == pytest.approx(expected, rel=1e-6)
    for gradient, other in zip(gradients, expected_gradients, strict=True):
        torch.testing.assert_close(gradient, other, rtol=1e-5, atol=1e-5)
        assert gradient.isfinite().all()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("matching", ["optimal", "greedy"])
def test_a_score_that_overflows_is_refused(matching, backend):
    with pytest.raises(InputError, match="^features and edge weights must be"):
        scored([1e38] * 10, [1e38] * 10, backend, num_levels=3, matching=matching)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("tau", "expected"), [(1e-30, 10.0), (1e30, 20.0)])
def test_the_smallest_and_the_largest_tau(tau, expected, backend):
    # equal features on level 0; on level 1 they differ by the degree alone
    ring = torch.tensor(nx.to_numpy_array(nx.cycle_graph(10)), dtype=torch.float32)[None]
    ones = torch.ones(1, 10, 1)
    score = gomk(
        ring, ones, 0 * ring, ones, kernel=GOMKKernel(num_levels=1, tau=tau), backend=backend
    )
    assert score.item() == expected


def test_a_layer_gives_finite_scores_whatever_the_scale():
    kernel = GOMKKernel(3)
    graph = dgl.to_bidirected(dgl.graph((list(range(5)), [1, 2, 3, 4, 0])))
    conv = GOMKConv(2, 3, filter_size=4, num_hops=2, kernel=kernel)
    for value in (0.0, 1e-45, 1e-38, 1.0):
        feat = torch.full((5, 2), value, requires_grad=True)
        scores = conv(graph, feat)
        scores.sum().backward()
        assert scores.isfinite().all()
        assert feat.grad.isfinite().all()
    # infinitely far from every filter
    assert (conv(graph, torch.full((5, 2), 3e38)) == 0).all()


def hubs_of_a_million(num_hubs):
    """Hubs that share a million leaves; the hubs come first."""
    leaves = np.arange(10**6, dtype=np.int32) + num_hubs
    rows = [leaves] * num_hubs + [np.tile(np.arange(num_hubs, dtype=np.int32), len(leaves))]
    degrees = np.concatenate([np.full(num_hubs, 10**6), np.full(10**6, num_hubs)])
    num_nodes = len(degrees)
    return CSRGraph(
        indptr=np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64),
        indices=np.concatenate(rows),
        features=np.ones((num_nodes, 1), np.float32),
        weights=None,
        graph_ptr=np.array([0, num_nodes]),
        node_ids=None,
        feature_names=("constant",),
    )


# where each root cost the hub's degree, this would take hours
@pytest.mark.parametrize("policy", POLICIES)
def test_hubs_of_a_million_cost_no_more_than_others(policy, num_hubs=2):
    graph = hubs_of_a_million(num_hubs)
    roots = np.concatenate([np.arange(num_hubs), np.arange(500_000, 520_000)])
    for num_hops in (1, MOST_HOPS):
        batch = extract_subgraphs(graph, SubgraphSettings(num_hops, 6, policy), roots)
        size = np.full(len(roots), 6)
        if num_hops == 1:
            size[num_hubs:] = 1 + num_hubs
        assert (batch.num_nodes == size).all()
        assert (batch.truncated == (size == 6)).all()
        # a hub is joined to every leaf, and nothing else is joined
        hub, real = batch.nodes < num_hubs, batch.nodes >= 0
        leaf = real & ~hub
        joined = (hub & real)[:, :, None] & leaf[:, None, :]
        joined |= joined.transpose(0, 2, 1)
        assert (batch.adjacency() == joined).all()
        assert all(len(set(row[row >= 0])) == (row >= 0).sum() for row in batch.nodes[:100])
