"""The training of filters by gradients: the step, relocation, and where it ends."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn.mining.filters.filter_learning import FilterLearning
from gomkcn.mining.filters.filter_training import FilterAdam, FilterTraining, mean_distance
from gomkcn.mining.filters.rooted_subgraphs import RootedSubgraphs
from gomkcn_dgl import gomk
from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.relations import SIMPLE

KERNEL = GOMKKernel(3)


def subgraphs_of(adj, feat, levels=None):
    """Whole graphs as subgraphs."""
    levels = KERNEL.embed(adj, feat) if levels is None else levels
    return RootedSubgraphs(adj, feat, levels, torch.full((len(feat),), feat.shape[1]), SIMPLE)


def training_of(adj, feat, filters):
    learning = FilterLearning(num_epochs=20, kernel=KERNEL)
    generator = torch.Generator().manual_seed(0)
    return FilterTraining(subgraphs_of(adj, feat), filters, learning, generator)


def random_training(num_graphs):
    """Random filters, on random graphs of five nodes with two features."""
    generator = torch.Generator().manual_seed(0)
    upper = (torch.rand(num_graphs, 5, 5, generator=generator) < 0.5).float().triu(1)
    feat = torch.rand(num_graphs, 5, 2, generator=generator)
    filters = GraphFilters(4, 5, 2, generator=torch.Generator().manual_seed(0))
    return training_of(upper + upper.mT, feat, filters)


def loss_of(training):
    filters = training.filters.adj(), training.filters.feat()
    return mean_distance(training.subgraphs, *filters, training.learning)


def test_assignment_loss_and_step_are_those_of_the_reference():
    training = random_training(12)
    filters, subgraphs = training.filters, training.subgraphs
    best, filter_of = gomk(
        subgraphs.adj, subgraphs.feat, filters.adj(), filters.feat(),
        kernel=KERNEL, normalize=True, backend="reference",
    ).max(dim=1)  # fmt: skip
    similarity = best.detach()
    assignment = training.assign()
    assert assignment.filter_of.tolist() == filter_of.tolist()
    torch.testing.assert_close(assignment.similarity, similarity, rtol=1e-5, atol=1e-5)
    assert loss_of(training) == pytest.approx(1 - float(similarity.mean()))
    # the step is that of Adam along the gradient of the mean over its rows
    rows = torch.tensor([3, 0, 8, 9, 5])
    summed = (1 - best[rows]).sum()
    copies = [one.detach().clone().requires_grad_() for one in filters.parameters()]
    gradients = torch.autograd.grad(summed / len(rows), list(filters.parameters()))
    adam = torch.optim.Adam(copies, lr=0.05)
    for copy, gradient in zip(copies, gradients, strict=True):
        copy.grad = gradient
    adam.step()
    assert training.step(rows, training.assign(rows), 0.05) == pytest.approx(summed.item())
    for parameter, copy in zip(filters.parameters(), copies, strict=True):
        torch.testing.assert_close(parameter, copy, rtol=1e-4, atol=1e-5)


def test_training_lowers_the_loss():
    training = random_training(20)
    before = loss_of(training)
    curve = training.run(lambda: False)
    assert len(curve) == 20
    # an epoch of one batch reports the loss before its step
    assert curve[0] == pytest.approx(before)
    assert loss_of(training) < before - 0.05


@pytest.fixture
def idle():
    """Nine rings and one clique; a filter for the rings, and one that represents nothing."""
    graphs = [nx.cycle_graph(5)] * 9 + [nx.complete_graph(5)]
    adj = torch.stack([torch.from_numpy(nx.to_numpy_array(graph)).float() for graph in graphs])
    feat = torch.full((10, 5, 1), 0.5)
    filters = GraphFilters(2, 5, 1)
    filters.set(torch.tensor([0]), adj[:1], feat[:1])
    filters.set(torch.tensor([1]), torch.zeros(1, 5, 5), torch.zeros(1, 5, 1))
    return training_of(adj, feat, filters)


def test_an_idle_filter_moves_to_the_worst_represented_class(idle):
    filters, optimizer = idle.filters, idle.optimizer
    before, rows = filters.free_adj.detach().clone(), torch.arange(10)
    idle.step(rows, idle.assign(rows), 0.1)
    # only the filter that was assigned moves
    assert torch.equal(filters.free_adj[1], before[1])
    assert not torch.equal(filters.free_adj[0], before[0])
    momentum, trained = optimizer.square[0], filters.free_adj[0].detach().clone()
    momentum[1] = 9.0
    first = momentum[0].clone()
    idle.relocate_idle(torch.tensor([10.0, 0.0]), idle.assign().similarity, torch.ones(10))
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
    idle.run(lambda: False)
    assert (float(idle.assign().similarity[9]) > 0.9) == relocate


def test_the_rate_falls_and_no_filter_is_relocated_in_the_last_quarter(idle, monkeypatch):
    sizes, rates = [], []
    idle.batch_size = 4
    monkeypatch.setattr(idle, "relocate_idle", lambda size, *_: sizes.append(size))
    monkeypatch.setattr(
        idle, "step", lambda rows, assignment, rate: rates.append(rate) or torch.zeros(())
    )
    idle.learning = replace(idle.learning, num_epochs=8, learning_rate=0.05)
    idle.run(lambda: False)
    # of all batches of an epoch
    assert [int(size.sum()) for size in sizes] == [10] * 6
    assert rates == sorted(rates, reverse=True) and rates[0] == 0.05 and rates[-1] < 0.005


def test_the_optimizer_is_adam_of_torch_and_can_be_reset():
    generator = torch.Generator().manual_seed(0)
    ours = [torch.randn(3, 4, generator=generator).requires_grad_() for _ in "ab"]
    theirs = [one.detach().clone().requires_grad_() for one in ours]
    optimizer, adam = FilterAdam(ours), torch.optim.Adam(theirs)
    for rate in (0.1, 0.05, 0.2):
        adam.param_groups[0]["lr"] = rate
        optimizer.step((ours[0] ** 2 * ours[1]).sum(), rate)
        adam.zero_grad()
        (theirs[0] ** 2 * theirs[1]).sum().backward()
        adam.step()
    assert all(map(torch.equal, ours, theirs))
    optimizer.reset(torch.tensor([True, False, True]))
    before = ours[0].detach().clone()
    optimizer.step((0 * ours[0] + 0 * ours[1]).sum(), 0.1)
    assert (ours[0] == before).all(dim=1).tolist() == [True, False, True]


def test_training_ends_when_it_is_told_to():
    training = random_training(20)
    told = iter([False, False, True])
    assert len(training.run(lambda: next(told))) == 3


def test_idle_filters_move_to_different_subgraphs_by_their_squared_distances(idle):
    """The exponential race draws as ``numpy.random.choice`` does without replacement."""
    similarity = 1 - torch.tensor([0.1, 0.2, 0.3, 0.4] + [0.0] * 6)
    generator = torch.Generator().manual_seed(0)
    moved = np.zeros(10)
    for _ in range(3000):
        idle.filters.set(slice(None), torch.zeros(2, 5, 5), torch.zeros(2, 5, 1))
        race = torch.empty(10).exponential_(generator=generator)
        kept = idle.subgraphs.feat.clone()
        # features tell which subgraph a filter became
        idle.subgraphs.feat[:] = torch.linspace(0.1, 0.9, 10)[:, None, None]
        idle.relocate_idle(torch.tensor([10.0, 0.0]), similarity, race)
        value = float(idle.filters.feat().detach()[1].mean())
        idle.subgraphs.feat[:] = kept
        moved[round((value - 0.1) / 0.8 * 9)] += 1
    shares = np.array([1, 4, 9, 16] + [0] * 6) / 30
    assert np.abs(moved / 3000 - shares).max() < 0.03
