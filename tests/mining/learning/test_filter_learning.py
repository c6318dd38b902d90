"""Filters: where they start, the gradient step, relocation, and what noisy copies agree on."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl import gomk
from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.relations import SIMPLE
from mining.learning import filter_learning
from mining.learning.filter_learning import (
    FilterAdam,
    FilterClustering,
    FilterLearning,
    choose_initial,
)
from mining.learning.rooted_subgraphs import RootedSubgraphs

KERNEL = GOMKKernel(3)


def subgraphs_of(adj, feat, levels=None):
    """Whole graphs as subgraphs."""
    levels = KERNEL.embed(adj, feat) if levels is None else levels
    return RootedSubgraphs(adj, feat, levels, torch.full((len(feat),), feat.shape[1]), SIMPLE)


def clustering_of(adj, feat, filters):
    learning = FilterLearning(num_epochs=20, kernel=KERNEL)
    return FilterClustering(subgraphs_of(adj, feat), filters, learning)


def filters_like(adj, feat):
    filters = GraphFilters(len(adj), adj.shape[1], feat.shape[2])
    filters.set(torch.arange(len(adj)), adj, feat)
    return filters


def random_graphs(count, seed=0):
    generator = torch.Generator().manual_seed(seed)
    upper = (torch.rand(count, 5, 5, generator=generator) < 0.5).float().triu(1)
    return upper + upper.transpose(1, 2), torch.rand(count, 5, 2, generator=generator)


def random_clustering(adj, feat, num_filters=4):
    """Random filters, on graphs of five nodes with two features."""
    filters = GraphFilters(num_filters, 5, 2)
    filters.reset_parameters(torch.Generator().manual_seed(0))
    return clustering_of(adj, feat, filters)


def step(clustering, optimizer, rows):
    """Take one gradient step; return the summed loss before it."""
    return clustering._step(optimizer, rows, clustering.assign(rows))


def test_assignment_loss_and_step_are_those_of_the_reference():
    clustering = random_clustering(*random_graphs(12))
    filters = clustering.filters
    best, filter_of = gomk(
        clustering.subgraphs.adj, clustering.subgraphs.feat, filters.adj(), filters.feat(),
        kernel=GOMKKernel(3), normalize=True, backend="reference",
    ).max(dim=1)  # fmt: skip
    similarity = best.detach()
    assignment = clustering.assign()
    assert assignment.filter_of.tolist() == filter_of.tolist()
    torch.testing.assert_close(assignment.similarity, similarity, rtol=1e-5, atol=1e-5)
    assert clustering.loss() == pytest.approx(1 - float(similarity.mean()))
    # the step follows the gradient of the mean over its rows
    rows = torch.tensor([3, 0, 8, 9, 5])
    summed = (1 - best[rows]).sum()
    expected = torch.autograd.grad(summed / len(rows), list(filters.parameters()))
    assert step(clustering, FilterAdam(filters.parameters()), rows) == pytest.approx(summed.item())
    for parameter, gradient in zip(filters.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad, gradient, rtol=1e-4, atol=1e-6)


def test_training_lowers_the_loss():
    clustering = random_clustering(*random_graphs(20))
    before, curve = clustering.loss(), []
    clustering.train(torch.Generator().manual_seed(0), curve.append)
    assert len(curve) == 20
    # an epoch of one batch reports the loss before its step
    assert curve[0] == pytest.approx(before)
    assert clustering.loss() < before - 0.05


@pytest.fixture
def idle():
    """Nine rings and one clique; a filter for the rings, and one that represents nothing."""
    graphs = [nx.cycle_graph(5)] * 9 + [nx.complete_graph(5)]
    adj = torch.stack([torch.from_numpy(nx.to_numpy_array(graph)).float() for graph in graphs])
    feat = torch.full((10, 5, 1), 0.5)
    filters = filters_like(adj[:2], feat[:2])
    filters.set(torch.tensor([1]), torch.zeros(1, 5, 5), torch.zeros(1, 5, 1))
    return clustering_of(adj, feat, filters)


def test_an_idle_filter_moves_to_the_worst_represented_class(idle):
    filters, optimizer = idle.filters, FilterAdam(idle.filters.parameters())
    optimizer.learning_rate = 0.1
    before = filters.free_adj.detach().clone()
    step(idle, optimizer, torch.arange(10))
    # only the filter that was assigned moves
    assert torch.equal(filters.free_adj[1], before[1])
    assert not torch.equal(filters.free_adj[0], before[0])
    momentum, trained = optimizer.square[0], filters.free_adj[0].detach().clone()
    momentum[1] = 9.0
    first = momentum[0].clone()
    idle._relocate_idle(torch.tensor([10, 0]), optimizer, torch.Generator().manual_seed(0))
    assert ((filters.adj()[1] > 0.5) == idle.subgraphs.adj[9].bool()).all()
    torch.testing.assert_close(filters.feat()[1], idle.subgraphs.feat[9])
    assert torch.equal(filters.free_adj[0], trained)
    # its old momentum is cleared, that of the other filter stays
    assert not momentum[1].any()
    assert torch.equal(momentum[0], first)
    assert idle.assign().filter_of.tolist() == [0] * 9 + [1]


@pytest.mark.parametrize("relocate", [True, False])
def test_training_moves_an_idle_filter_only_where_it_may(relocate, idle):
    limits = {"num_epochs": 4, "learning_rate": 0.05, "relocate": relocate}
    idle.learning = replace(idle.learning, **limits)
    idle.train(torch.Generator().manual_seed(0), lambda loss: None)
    assert (float(idle.assign().similarity[9]) > 0.9) == relocate


def test_no_filter_is_relocated_in_the_last_quarter(idle, monkeypatch):
    sizes = []
    monkeypatch.setattr(idle, "_relocate_idle", lambda size, *_: sizes.append(size))
    idle.learning = replace(idle.learning, num_epochs=8, learning_rate=0.05)
    idle.train(torch.Generator().manual_seed(0), lambda loss: None)
    assert [int(size.sum()) for size in sizes] == [10] * 6


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
    optimizer.reset(torch.tensor([0, 2]))
    before = ours[0].detach().clone()
    ours[0].grad.zero_()
    optimizer.step()
    assert (ours[0] == before).all(dim=1).tolist() == [True, False, True]


def choose(positions, num_filters, seed=0):
    """Of subgraphs that are points on a line."""
    levels = torch.tensor(positions, dtype=torch.float32).reshape(-1, 1, 1, 1)
    learning = FilterLearning(num_filters=num_filters, kernel=GOMKKernel(num_levels=0))
    subgraphs = subgraphs_of(torch.zeros(len(levels), 1, 1), levels[:, 0], levels)
    return choose_initial(subgraphs, learning, np.random.default_rng(seed)).tolist()


@pytest.mark.parametrize(
    ("positions", "number", "chosen"),
    [
        # the middle of three covers most, then the distant one
        ([0.0, 0.5, 1.0, 9.0], 2, [1, 3]),
        # that of which there are most first, then the nearest to two
        ([0.0] * 10 + [5.0, 9.0, 9.5], 3, [0, 11, 10]),
        # of equal gains the first
        ([0.0, 9.0, 20.0], 3, [0, 1, 2]),
        # none that is as another one
        ([0.0, 9.0, 0.0, 9.0], 4, [0, 1]),
    ],
)
def test_facility_location_on_a_line(positions, number, chosen):
    assert choose(positions, number) == chosen


def test_many_subgraphs_are_sampled(monkeypatch):
    monkeypatch.setattr(filter_learning, "_MOST_COMPARED", 30)
    chosen = choose(np.arange(100.0), 4, seed=3)
    assert len(set(chosen)) == 4 and chosen == choose(np.arange(100.0), 4, seed=3)
    assert any(chosen != choose(np.arange(100.0), 4, seed=i) for i in range(5))
