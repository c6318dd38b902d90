"""Subgraph classes: what is merged is exactly what no filter can tell apart."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining.structures.subgraph_classes import find_classes

PATH = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])


def classes_of(adj, feat, kernel, num_nodes=None):
    if num_nodes is None:
        num_nodes = np.full(len(adj), adj.shape[1])
    return find_classes(kernel.embed(adj, feat), np.asarray(num_nodes), kernel)


def subgraphs(features, seed=3):
    """Subgraphs of a graph with repeating and with unique surroundings, ``[S, N, N]`` and so on."""
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
    batch = extract_subgraphs(as_csr(graph, features=matrix), 2, 5, policy="dense", seed=0)
    rows = batch.gather(matrix.astype(np.float32))
    return torch.from_numpy(batch.adjacency()), torch.from_numpy(rows), batch.num_nodes


@pytest.mark.parametrize(
    ("features", "matching", "anchor_root", "padding"),
    [("constant", "optimal", False, "match"), ("constant", "greedy", True, "mask"),
     ("two values", "optimal", True, "match"), ("two values", "greedy", False, "match"),
     ("per node", "optimal", False, "mask")],
)  # fmt: skip
def test_classes_are_the_classes_that_random_filters_see(features, matching, anchor_root, padding):
    kernel = GOMKKernel(3, matching=matching, anchor_root=anchor_root, padding=padding, tau=3.0)
    adj, feat, num_nodes = subgraphs(features)
    classes = classes_of(adj, feat, kernel, num_nodes)
    filter_adj, filter_feat = random_filters(24, 5, feat.shape[2])
    z = kernel.embed(filter_adj, filter_feat)
    x = kernel.embed(adj, feat)
    scores = kernel.match(x, z, torch.from_numpy(num_nodes), "auto").scores.numpy()
    same_scores = np.abs(scores[:, None] - scores[None]).max(axis=2) < 1e-4
    same_class = classes.class_of[:, None] == classes.class_of[None]
    # a greedy matching sees an order that these few filters need not show
    if matching == "greedy":
        assert same_scores[same_class].all()
    else:
        np.testing.assert_array_equal(same_class, same_scores)
    assert 1 < len(classes) < len(adj)


def random_filters(count, size, width):
    generator = torch.Generator().manual_seed(5)
    upper = torch.rand(count, size, size, generator=generator).triu(1)
    return upper + upper.transpose(1, 2), torch.rand(count, size, width, generator=generator)


@pytest.mark.parametrize(
    ("settings", "num_classes"),
    [
        ({}, 1),
        ({"matching": "greedy"}, 6),
        ({"anchor_root": True}, 3),
        ({"matching": "greedy", "anchor_root": True}, 6),
    ],
    ids=["optimal", "greedy", "anchored", "greedy and anchored"],
)
def test_the_six_orders_of_a_path(settings, num_classes):
    feat = torch.tensor([[0.25], [0.5], [0.875]])
    orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    adj = torch.stack([PATH[order][:, order] for order in torch.tensor(orders)])
    classes = classes_of(adj, feat[torch.tensor(orders)], GOMKKernel(2, **settings))
    assert len(classes) == num_classes
    if settings == {"anchor_root": True}:
        # the orders that agree in their first node
        assert classes.class_of[0::2].tolist() == classes.class_of[1::2].tolist()
        assert len(set(classes.class_of[0::2].tolist())) == 3


@pytest.mark.parametrize(("padding", "num_classes"), [("match", 1), ("mask", 2)])
def test_a_node_without_a_trace_differs_from_masked_padding_alone(padding, num_classes):
    adj, feat = torch.zeros(2, 3, 3), torch.zeros(2, 3, 1)
    adj[1, 0, 1] = adj[1, 1, 0] = 1
    classes = classes_of(adj, feat, GOMKKernel(2, padding=padding), num_nodes=[1, 2])
    assert len(classes) == num_classes


def test_multiplicity_counts():
    # the sets of embeddings are equal, the multisets are not
    feat = torch.tensor([[[0.5], [0.5], [0.25]], [[0.5], [0.25], [0.25]]])
    assert len(classes_of(torch.zeros(2, 3, 3), feat, GOMKKernel(0))) == 2


def test_the_record_agrees_with_itself():
    kernel = GOMKKernel(3)
    adj, feat, num_nodes = subgraphs("constant")
    classes = classes_of(adj, feat, kernel, num_nodes)
    assert classes.weight.sum() == len(adj) == len(classes.class_of)
    assert classes.weight.tolist() == np.bincount(classes.class_of, minlength=len(classes)).tolist()
    assert classes.class_of[classes.first].tolist() == list(range(len(classes)))
    assert torch.equal(classes.levels, kernel.embed(adj, feat)[torch.from_numpy(classes.first)])
    assert classes.num_nodes.tolist() == num_nodes[classes.first].tolist()
