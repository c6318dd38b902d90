"""Filters that start as subgraphs which tell the classes apart."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl import (
    GOMKCN,
    GOMKKernel,
    GraphCollection,
    SubgraphSettings,
    as_csr,
    initialize_from_classes,
)
from gomkcn_dgl.training.class_initialization import _choose_of_classes

CYCLE, STAR = nx.cycle_graph(6), nx.star_graph(5)


def tailed(core):
    """The core with a path at its node 0."""
    graph = nx.disjoint_union(core, nx.path_graph(6))
    graph.add_edge(0, 6)
    return graph


def data_and_labels(copies=6):
    graphs = [tailed(core) for core in (CYCLE, STAR)] * copies
    data = GraphCollection(as_csr(graphs), SubgraphSettings(3, 6, "dense"))
    return data, torch.tensor([0, 1] * copies)


@pytest.mark.parametrize("seed", range(2))
def test_each_class_gets_a_subgraph_that_the_other_class_lacks(seed):
    data, labels = data_and_labels()
    torch.manual_seed(seed)
    kernel = GOMKKernel(2, tau=0.5)
    model = GOMKCN(
        1, 2, filter_size=6, num_filters=2, num_hops=3, kernel=kernel, pooling="max", policy="dense"
    )
    train = np.arange(12)
    initialize_from_classes(model, data, labels, train, seed=seed)
    with torch.no_grad():
        scores = model.convs[0](data.subgraphs, model.input(data.feat)).reshape(12, 12, 2)
    best = scores.amax(dim=1)  # [G, F]
    # filter c scores graphs of class c higher than all others
    assert (best[::2, 0].min() > best[1::2, 0].max()) and (best[1::2, 1].min() > best[::2, 1].max())
    graphs = [
        nx.from_numpy_array((adj > 0.5).numpy()) for adj in model.convs[0].filters.adj().detach()
    ]
    assert not nx.is_isomorphic(*graphs)


@pytest.mark.parametrize(("filter_size", "num_filters"), [(4, 5), (8, 3)])
def test_smaller_larger_and_more_filters_than_candidates_and_layers(filter_size, num_filters):
    data, labels = data_and_labels()
    model = GOMKCN(
        1,
        2,
        filter_size=filter_size,
        max_nodes=6,
        num_filters=num_filters,
        num_layers=2,
        kernel=GOMKKernel(1),
        pooling="sum",
    )
    before = [conv.filters.free_adj.clone() for conv in model.convs]
    initialize_from_classes(model, data, labels, np.arange(12), num_samples=3, num_candidates=4)
    for conv, old in zip(model.convs, before, strict=True):
        assert not torch.equal(conv.filters.free_adj, old)
        assert conv.filters.free_feat.isfinite().all()


def test_each_class_has_a_candidate():
    """Each node has the colour of its class; one class is not in the training part."""
    graphs = [nx.cycle_graph(4)] * 9
    labels = torch.arange(36) // 4 % 3
    feat = torch.nn.functional.one_hot(labels, 3).float().numpy()
    data = GraphCollection(
        as_csr(nx.disjoint_union_all(graphs), features=feat), SubgraphSettings(1, 3)
    )
    model = GOMKCN(3, 3, hidden_feats=0, filter_size=3, num_filters=2)
    train = np.flatnonzero(labels.numpy() != 1)
    # fewer candidates than classes: each class of the training part has one all the same
    initialize_from_classes(model, data, labels, train, num_candidates=1)
    feat = model.convs[0].filters.feat().detach()
    assert feat.argmax(dim=2).tolist() == [[0] * 3, [2] * 3]


@pytest.mark.parametrize(("alike", "expected"), [(0.9, [0, 1]), (0.9995, [0, 2])])
def test_of_subgraphs_that_are_nearly_one_the_second_is_no_filter(alike, expected):
    similarity = torch.tensor([[1.0, alike, 0.1], [alike, 1.0, 0.1], [0.1, 0.1, 1.0]])
    contrast = torch.tensor([[3.0, 2.0, 1.0]])
    assert _choose_of_classes(contrast, similarity, np.zeros(3, int), np.zeros(2, int)) == expected
