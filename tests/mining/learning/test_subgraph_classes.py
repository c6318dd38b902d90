"""Subgraphs around nodes: their scaled features, and what no filter can tell apart."""

import itertools

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs
from mining.learning.rooted_subgraphs import FeatureScaling, find_classes

PATH = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])


def classes_of(adj, feat, kernel, num_nodes=None):
    if num_nodes is None:
        num_nodes = np.full(len(adj), adj.shape[1])
    return find_classes(kernel.embed(adj, feat), np.asarray(num_nodes), kernel)


def subgraphs(features, seed=3):
    """Subgraphs of a graph with repeated and with unique ones, ``[S, N, N]`` and so on."""
    rng = np.random.default_rng(seed)
    parts = [nx.cycle_graph(5)] * 3 + [nx.star_graph(3)] * 3 + [nx.path_graph(2)] * 2
    graph = nx.disjoint_union_all([*parts, nx.barabasi_albert_graph(40, 2, seed=seed)])
    # sums of eighths are exact in any order, so that equal embeddings are equal to the last bit
    matrix = {
        "constant": np.ones((len(graph), 1)),
        "two values": rng.integers(0, 2, size=(len(graph), 1)) / 8,
        "per node": rng.integers(1, 9, size=(len(graph), 2)) / 8,
    }[features]
    # the second and third ring are copies of the first, features included
    matrix[5:10] = matrix[10:15] = matrix[:5]
    batch = extract_subgraphs(
        as_csr(graph, features=matrix), SubgraphSettings(2, 5, "dense", seed=0)
    )
    rows = batch.gather(matrix.astype(np.float32))
    return torch.from_numpy(batch.adjacency()), torch.from_numpy(rows), batch.num_nodes


@pytest.mark.parametrize(
    ("features", "matching", "anchor_root", "padding"),
    [("constant", "optimal", False, "match"), ("constant", "greedy", True, "mask"),
     ("two values", "optimal", True, "match"), ("per node", "optimal", False, "mask")],
)  # fmt: skip
def test_classes_are_those_that_random_filters_distinguish(
    features, matching, anchor_root, padding
):
    kernel = GOMKKernel(3, matching=matching, anchor_root=anchor_root, padding=padding, tau=3.0)
    adj, feat, num_nodes = subgraphs(features)
    classes = classes_of(adj, feat, kernel, num_nodes)
    generator = torch.Generator().manual_seed(5)
    upper = torch.rand(24, 5, 5, generator=generator).triu(1)
    filter_feat = torch.rand(24, 5, feat.shape[2], generator=generator)
    z = kernel.embed(upper + upper.transpose(1, 2), filter_feat)
    x = kernel.embed(adj, feat)
    scores = kernel.match(x, z, torch.from_numpy(num_nodes), "auto").scores.numpy()
    same_scores = np.abs(scores[:, None] - scores[None]).max(axis=2) < 1e-4
    # a greedy matching depends on an order that these few filters need not show
    if matching == "optimal":
        own = same_scores[:, classes.first]
        assert (own.sum(axis=1) == 1).all()
        assert own.sum(axis=0).tolist() == classes.weight.tolist()
    assert 1 < len(classes) < len(adj) == classes.weight.sum()
    assert torch.equal(classes.levels, x[torch.from_numpy(classes.first)])
    assert classes.num_nodes.tolist() == num_nodes[classes.first].tolist()


@pytest.mark.parametrize(
    ("settings", "weight"),
    [
        ({}, [6]),
        # the orders that agree in their first node
        ({"anchor_root": True}, [2, 2, 2]),
        ({"matching": "greedy"}, [1] * 6),
        ({"matching": "greedy", "anchor_root": True}, [1] * 6),
    ],
    ids=str,
)
def test_the_six_orders_of_a_path(settings, weight):
    orders = torch.tensor(list(itertools.permutations(range(3))))
    adj = torch.stack([PATH[order][:, order] for order in orders])
    feat = torch.tensor([[0.25], [0.5], [0.875]])[orders]
    assert classes_of(adj, feat, GOMKKernel(2, **settings)).weight.tolist() == weight


@pytest.mark.parametrize(("padding", "num_classes"), [("match", 1), ("mask", 2)])
def test_a_node_of_zero_embeddings_differs_from_masked_padding_alone(padding, num_classes):
    adj, feat = torch.zeros(2, 3, 3), torch.zeros(2, 3, 1)
    adj[1, 0, 1] = adj[1, 1, 0] = 1
    classes = classes_of(adj, feat, GOMKKernel(2, padding=padding), num_nodes=[1, 2])
    assert len(classes) == num_classes


def test_multiplicity_counts():
    # the sets of embeddings are equal, the multisets are not
    feat = torch.tensor([[[0.5], [0.5], [0.25]], [[0.5], [0.25], [0.25]]])
    assert len(classes_of(torch.zeros(2, 3, 3), feat, GOMKKernel(0))) == 2


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
