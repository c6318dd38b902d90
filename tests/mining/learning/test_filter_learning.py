"""Filters: where they start, the gradient step, relocation, and what noisy copies agree on."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl import gomk
from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.matching import GOMKKernel
from mining.learning import filter_learning
from mining.learning.filter_learning import (
    FilterAdam,
    FilterClustering,
    choose_initial,
)
from mining.learning.rooted_subgraphs import SubgraphClasses

KERNEL = GOMKKernel(3)


def clustering_of(adj, feat, filters, weight=None):
    """Every graph is a class of its own, of weight 1 unless given."""
    count = len(adj)
    weight = np.ones(count, np.int64) if weight is None else np.array(weight)
    classes = SubgraphClasses(
        first=np.arange(count),
        weight=weight,
        levels=KERNEL.embed(adj, feat),
        num_nodes=torch.full((count,), adj.shape[1]),
    )
    return FilterClustering(classes, adj, feat, filters, KERNEL, "auto")


def filters_like(adj, feat):
    filters = GraphFilters(len(adj), adj.shape[1], feat.shape[2])
    filters.set(torch.arange(len(adj)), adj, feat)
    return filters


def random_graphs(count, seed=0):
    generator = torch.Generator().manual_seed(seed)
    upper = (torch.rand(count, 5, 5, generator=generator) < 0.5).float().triu(1)
    return upper + upper.transpose(1, 2), torch.rand(count, 5, 2, generator=generator)


def random_clustering(adj, feat, num_filters=4, weight=None):
    """Random filters, on graphs of five nodes with two features."""
    filters = GraphFilters(num_filters, 5, 2)
    filters.reset_parameters(torch.Generator().manual_seed(0))
    return clustering_of(adj, feat, filters, weight)


def step(clustering, optimizer, rows):
    """Take one gradient step; return the summed loss before it."""
    return clustering._step(optimizer, rows, clustering.assign(rows))


def test_assignment_loss_and_step_are_those_of_the_reference():
    clustering = random_clustering(*random_graphs(12), weight=range(1, 13))
    filters = clustering.filters
    best, filter_of = gomk(
        clustering.adj, clustering.feat, filters.adj(), filters.feat(),
        kernel=GOMKKernel(3), normalize=True, backend="reference",
    ).max(dim=1)  # fmt: skip
    similarity = best.detach()
    assignment = clustering.assign()
    assert assignment.filter_of.tolist() == filter_of.tolist()
    torch.testing.assert_close(assignment.similarity, similarity, rtol=1e-5, atol=1e-5)
    weight = clustering.weight
    assert clustering.loss() == pytest.approx(1 - float(weight @ similarity / weight.sum()))
    # the step follows the gradient of the mean over its rows
    rows = torch.tensor([3, 0, 8, 9, 5])
    summed = ((1 - best[rows]) * weight[rows]).sum()
    expected = torch.autograd.grad(summed / weight[rows].sum(), list(filters.parameters()))
    assert step(clustering, FilterAdam(filters.parameters()), rows) == pytest.approx(summed.item())
    for parameter, gradient in zip(filters.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad, gradient, rtol=1e-4, atol=1e-6)


def test_training_lowers_the_loss():
    clustering = random_clustering(*random_graphs(20))
    before, curve = clustering.loss(), []
    clustering.train(20, 0.1, 100, True, torch.Generator().manual_seed(0), curve.append)
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
    idle._relocate_idle(torch.tensor([10.0, 0.0]), optimizer)
    assert ((filters.adj()[1] > 0.5) == idle.adj[9].bool()).all()
    torch.testing.assert_close(filters.feat()[1], idle.feat[9])
    assert torch.equal(filters.free_adj[0], trained)
    # its old momentum is cleared, that of the other filter stays
    assert not momentum[1].any()
    assert torch.equal(momentum[0], first)
    assert idle.assign().filter_of.tolist() == [0] * 9 + [1]


@pytest.mark.parametrize("relocate", [True, False])
def test_training_moves_an_idle_filter_only_where_it_may(relocate, idle):
    idle.train(4, 0.05, 100, relocate, torch.Generator().manual_seed(0), lambda loss: None)
    assert (float(idle.assign().similarity[9]) > 0.9) == relocate


def test_no_filter_is_relocated_in_the_last_quarter(idle, monkeypatch):
    weights = []
    monkeypatch.setattr(idle, "_relocate_idle", lambda weight, optimizer: weights.append(weight))
    idle.train(8, 0.05, 4, True, torch.Generator().manual_seed(0), lambda loss: None)
    assert [float(weight.sum()) for weight in weights] == [10] * 6


def test_a_class_of_weight_three_is_three_equal_classes():
    adj, feat = random_graphs(4, seed=2)
    tripled = torch.tensor([0, 1, 1, 1, 2, 3])
    merged = random_clustering(adj, feat, 2, weight=[1, 3, 1, 1])
    separate = random_clustering(adj[tripled], feat[tripled], 2)
    assert merged.loss() == pytest.approx(separate.loss(), rel=1e-5)
    for clustering in (merged, separate):
        optimizer = torch.optim.SGD(clustering.filters.parameters(), lr=5.0)
        step(clustering, optimizer, torch.arange(len(clustering.classes)))
    for one, other in zip(merged.filters.parameters(), separate.filters.parameters(), strict=True):
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
    optimizer.reset(torch.tensor([0, 2]))
    before = ours[0].detach().clone()
    ours[0].grad.zero_()
    optimizer.step()
    assert (ours[0] == before).all(dim=1).tolist() == [True, False, True]


def points(positions, weight=None):
    """Classes on a line."""
    count = len(positions)
    weight = np.ones(count, np.int64) if weight is None else np.array(weight)
    return SubgraphClasses(
        first=np.arange(count),
        weight=weight,
        levels=torch.tensor(positions, dtype=torch.float32).reshape(count, 1, 1, 1),
        num_nodes=torch.ones(count, dtype=torch.int64),
    )


def choose(classes, num_filters, sample_size=1000, seed=0):
    kernel, rng = GOMKKernel(num_levels=0), np.random.default_rng(seed)
    return choose_initial(classes, num_filters, kernel, sample_size, rng, "auto").tolist()


@pytest.mark.parametrize(
    ("positions", "weight", "chosen"),
    [
        # the middle of three covers most, then the distant one
        ([0.0, 0.5, 1.0, 9.0], None, [1, 3]),
        # a heavy class first, then the nearest to two
        ([0.0, 5.0, 9.0, 9.5], [10, 1, 1, 1], [0, 2, 1]),
        # weight moves the choice from the middle to the end
        ([0.0, 0.5, 1.0], [1, 1, 50], [2, 0]),
        # of equal gains the first
        ([0.0, 9.0, 20.0], None, [0, 1, 2]),
    ],
)
def test_facility_location_on_a_line(positions, weight, chosen):
    assert choose(points(positions, weight), len(chosen)) == chosen


def test_many_classes_are_sampled_by_their_weight(monkeypatch):
    compared, pairwise = [], filter_learning._pairwise_similarity

    def spy(classes, rows, *arguments):
        compared.append(len(rows))
        return pairwise(classes, rows, *arguments)

    monkeypatch.setattr(filter_learning, "_pairwise_similarity", spy)
    # the weight lies on the last two, which every sample contains; all others are rare
    classes = points(np.arange(100.0), [1] * 98 + [1000, 2000])
    chosen = choose(classes, 4, sample_size=30, seed=3)
    assert len(compared) == 1
    assert all(count <= 30 for count in compared)
    assert {98, 99} <= set(chosen)
    assert len(set(chosen)) == 4
    assert chosen == choose(classes, 4, sample_size=30, seed=3)
    assert any(chosen != choose(classes, 4, sample_size=30, seed=i) for i in range(5))


def test_classes_without_weight_are_not_chosen():
    assert sorted(choose(points([0.0, 3.0, 6.0, 9.0], [1, 0, 2, 0]), 4)) == [0, 2]


def test_of_two_badly_represented_classes_the_heavier_one_gets_the_idle_filter():
    graphs = [nx.cycle_graph(5), nx.complete_graph(5), nx.path_graph(5)]
    adj = torch.stack([torch.from_numpy(nx.to_numpy_array(graph)).float() for graph in graphs])
    feat = torch.full((3, 5, 1), 0.5)
    both = torch.stack([adj[0], 0 * adj[0]])
    alike = clustering_of(adj, feat, filters_like(both, feat[:2])).assign().similarity
    worst, less_bad, ring = alike.argsort().tolist()
    assert ring == 0
    for heavy, moved in ((worst, worst), (less_bad, less_bad)):
        weight = [100 if number == heavy else 1 for number in range(3)]
        filters = filters_like(both, feat[:2])
        clustering = clustering_of(adj, feat, filters, weight)
        clustering._relocate_idle(torch.tensor([9.0, 0.0]), FilterAdam(filters.parameters()))
        assert ((filters.adj()[1] > 0.5) == adj[moved].bool()).all()
