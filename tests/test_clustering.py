"""Filters as cluster centres: the gradient step, relocation and the mean features."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl import gomk
from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.matching import GOMKKernel
from mining.learning.clustering import FilterAdam, FilterClustering
from mining.structures.subgraph_classes import SubgraphClasses

KERNEL = GOMKKernel(3)


def as_classes(adj, feat, kernel=KERNEL, weight=None):
    """Every graph a class of its own, without merging."""
    count = len(adj)
    weight = np.ones(count, np.int64) if weight is None else np.array(weight)
    return SubgraphClasses(
        first=np.arange(count),
        class_of=np.repeat(np.arange(count), weight),
        weight=weight,
        levels=kernel.embed(adj, feat),
        num_nodes=torch.full((count,), adj.shape[1]),
    )


def clustering_of(adj, feat, filters, kernel=KERNEL, weight=None):
    classes = as_classes(adj, feat, kernel, weight)
    return FilterClustering(classes, adj, feat, filters, kernel, "auto")


def random_filters(count, size, width, seed=0):
    filters = GraphFilters(count, size, width)
    filters.reset_parameters(torch.Generator().manual_seed(seed))
    return filters


def filters_like(adj, feat):
    filters = GraphFilters(len(adj), adj.shape[1], feat.shape[2])
    filters.set(torch.arange(len(adj)), adj, feat)
    return filters


def stack(graphs):
    return torch.stack([torch.from_numpy(nx.to_numpy_array(g)).float() for g in graphs])


def random_graphs(count, size=5, width=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    upper = (torch.rand(count, size, size, generator=generator) < 0.5).float().triu(1)
    return upper + upper.transpose(1, 2), torch.rand(count, size, width, generator=generator)


def normalised(clustering):
    """Scores of all pairs ``[U, F]`` by the reference, with gradient."""
    filters = clustering.filters
    return gomk(
        clustering.adj,
        clustering.feat,
        filters.adj(),
        filters.feat(),
        num_levels=clustering.kernel.num_levels,
        normalize=True,
        backend="reference",
    )


def test_the_loss_is_the_mean_distance_to_the_nearest_filter():
    clustering = clustering_of(*random_graphs(12), random_filters(4, 5, 2), weight=range(1, 13))
    best, filter_of = normalised(clustering).max(dim=1)
    weight = torch.arange(1.0, 13.0)
    best = best.detach()
    assert clustering.loss() == pytest.approx(1 - float((weight * best).sum() / weight.sum()))
    assignment = clustering.assign()
    assert assignment.filter_of.tolist() == filter_of.tolist()
    torch.testing.assert_close(assignment.similarity, best, rtol=1e-5, atol=1e-5)


def test_a_step_moves_only_the_filters_that_were_chosen():
    graphs = stack([nx.cycle_graph(5), nx.complete_graph(5), nx.star_graph(4)])
    feat = torch.full((3, 5, 1), 0.5)
    filters = filters_like(graphs, feat)
    filters.free_adj.data += 1.0
    clustering = clustering_of(graphs[:2], feat[:2], filters)
    rows = torch.tensor([0, 1])
    assignment = clustering.assign(rows)
    assert assignment.filter_of.tolist() == [0, 1]
    before = {name: value.detach().clone() for name, value in filters.named_parameters()}
    optimizer = FilterAdam(filters.parameters())
    optimizer.learning_rate = 0.1
    clustering._step(optimizer, rows, assignment, clustering.weight[rows].sum())
    assert torch.equal(filters.free_adj[2], before["free_adj"][2])
    assert torch.equal(filters.free_feat[2], before["free_feat"][2])
    for name, value in filters.named_parameters():
        assert not value.grad[2].any()
        assert (value[:2] != before[name][:2]).flatten(1).any(dim=1).all(), name


def test_a_step_follows_the_gradient_of_the_whole_loss():
    clustering = clustering_of(*random_graphs(12), random_filters(4, 5, 2), weight=range(1, 13))
    rows = torch.tensor([3, 0, 8, 9, 5])
    weight = clustering.weight[rows]
    best = normalised(clustering)[rows].max(dim=1).values
    summed = ((1 - best) * weight).sum()
    expected = torch.autograd.grad(summed / weight.sum(), list(clustering.filters.parameters()))
    optimizer = FilterAdam(clustering.filters.parameters())
    loss = clustering._step(optimizer, rows, clustering.assign(rows), clustering.weight[rows].sum())
    assert loss == pytest.approx(summed.item())
    for parameter, gradient in zip(clustering.filters.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad, gradient, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("batch_size", [3, 100])
def test_training_lowers_the_loss(batch_size):
    adj, feat = random_graphs(20)
    clustering = clustering_of(adj, feat, random_filters(4, 5, 2))
    before, curve = clustering.loss(), []
    generator = torch.Generator().manual_seed(0)
    clustering.train(30, 0.1, batch_size, True, generator, curve.append)
    assert len(curve) == 30
    assert clustering.loss() < before - 0.05
    # an epoch of one batch reports the loss before its step
    if batch_size == 100:
        assert curve[0] == pytest.approx(before)


def test_the_order_of_the_batches_is_seeded():
    losses = []
    for seed in (0, 0, 1):
        clustering = clustering_of(*random_graphs(20), random_filters(4, 5, 2))
        generator = torch.Generator().manual_seed(seed)
        clustering.train(3, 0.1, 4, False, generator, lambda loss: None)
        losses.append(clustering.loss())
    assert losses[0] == losses[1] != losses[2]


def two_kinds():
    """Nine rings and one clique, with a filter for the rings and a filter for nothing."""
    adj = stack([nx.cycle_graph(5)] * 9 + [nx.complete_graph(5)])
    feat = torch.full((10, 5, 1), 0.5)
    filters = filters_like(adj[:2], feat[:2])
    filters.set(torch.tensor([1]), torch.zeros(1, 5, 5), torch.zeros(1, 5, 1))
    return clustering_of(adj, feat, filters)


def test_an_idle_filter_moves_to_the_worst_represented():
    clustering = two_kinds()
    optimizer = FilterAdam(clustering.filters.parameters())
    everything = torch.arange(10)
    clustering._step(optimizer, everything, clustering.assign(), clustering.weight.sum())
    untouched = clustering.filters.free_adj[0].detach().clone()
    momentum = optimizer.square[0]
    momentum[1] = 9.0
    other = momentum[0].clone()
    clustering._relocate_idle(torch.tensor([10.0, 0.0]), optimizer)
    assert ((clustering.filters.adj()[1] > 0.5) == clustering.adj[9].bool()).all()
    torch.testing.assert_close(clustering.filters.feat()[1], clustering.feat[9])
    assert torch.equal(clustering.filters.free_adj[0], untouched)
    # its old momentum is gone, that of the other filter stays
    assert not momentum[1].any()
    assert torch.equal(momentum[0], other)
    assert clustering.assign().filter_of.tolist() == [0] * 9 + [1]


@pytest.mark.parametrize(("relocate", "represented"), [(True, True), (False, False)])
def test_training_moves_an_idle_filter_only_if_it_may(relocate, represented):
    clustering = two_kinds()
    clustering.train(4, 0.05, 100, relocate, torch.Generator().manual_seed(0), lambda loss: None)
    assert (float(clustering.assign().similarity[9]) > 0.9) == represented


def test_no_filter_is_relocated_in_the_last_quarter(monkeypatch):
    clustering = two_kinds()
    calls = []
    monkeypatch.setattr(
        clustering, "_relocate_idle", lambda weight, optimizer: calls.append(weight)
    )
    clustering.train(8, 0.05, 4, True, torch.Generator().manual_seed(0), lambda loss: None)
    assert len(calls) == 6
    # the weight of each filter over all batches
    assert all(float(weight.sum()) == 10 for weight in calls)


@pytest.mark.parametrize("action", ["loss", "step"])
def test_a_class_of_weight_three_is_three_equal_classes(action):
    adj, feat = random_graphs(4, seed=2)
    tripled = torch.tensor([0, 1, 1, 1, 2, 3])
    merged = clustering_of(adj, feat, random_filters(2, 5, 2), weight=[1, 3, 1, 1])
    apart = clustering_of(adj[tripled], feat[tripled], random_filters(2, 5, 2))
    for clustering in (merged, apart):
        if action == "step":
            optimizer = torch.optim.SGD(clustering.filters.parameters(), lr=5.0)
            rows = torch.arange(len(clustering.classes))
            clustering._step(
                optimizer, rows, clustering.assign(rows), clustering.weight[rows].sum()
            )
    assert merged.loss() == pytest.approx(apart.loss(), rel=1e-5)
    for one, other in zip(merged.filters.parameters(), apart.filters.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_the_optimizer_is_adam_of_torch_and_can_be_reset():
    generator = torch.Generator().manual_seed(0)
    ours = [torch.randn(3, 4, generator=generator).requires_grad_() for _ in "ab"]
    theirs = [one.detach().clone().requires_grad_() for one in ours]
    optimizer, adam = FilterAdam(ours), torch.optim.Adam(theirs)
    for rate in (0.1, 0.05, 0.2):
        optimizer.learning_rate = adam.param_groups[0]["lr"] = rate
        for each, parameters in ((optimizer, ours), (adam, theirs)):
            each.zero_grad()
            # the second parameter gets no gradient
            (parameters[0] ** 2).sum().backward()
            each.step()
        assert torch.equal(ours[0], theirs[0])
    assert ours[1].grad is None
    optimizer.reset(torch.tensor([0, 2]))
    before = ours[0].detach().clone()
    ours[0].grad.zero_()
    optimizer.step()
    assert (ours[0] == before).all(dim=1).tolist() == [True, False, True]
