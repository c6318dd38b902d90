"""The residual network of the benchmarks: its formula, what each branch sees, batches, learning."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from peers.residual_network import NeighbourCollection, ResidualGOMKCN

from gomkcn_dgl import (
    GOMKKernel,
    SubgraphSettings,
    TrainingSettings,
    as_csr,
    evaluate_classifier,
    initialize_from_classes,
    train_classifier,
)

pytestmark = pytest.mark.slow
GRAPHS = [nx.cycle_graph(5), nx.star_graph(6), nx.empty_graph(1), nx.path_graph(4)]


def collection_of(graphs, width=3):
    csr = as_csr(graphs)
    feat = torch.rand(csr.num_nodes, width, generator=torch.Generator().manual_seed(0))
    return NeighbourCollection(replace(csr, features=feat.numpy()), SubgraphSettings(1, 4))


def make(collection, **options):
    torch.manual_seed(0)
    options = {"num_filters": 5, "num_blocks": 2, **options}
    return ResidualGOMKCN(
        collection.feat.shape[1], 2, hidden_feats=6, filter_size=4, num_hops=1,
        kernel=GOMKKernel(1, padding="mask"), relations=collection.graph.relations, **options
    ).eval()  # fmt: skip


def test_a_block_is_its_formula_and_some_rows_have_the_same_logits():
    data = collection_of(GRAPHS)
    model, whole, rows = make(data), data.whole(), torch.tensor([4, 0, 9])
    block, hidden = model.blocks[0], model.input(whole.feat)
    dense = torch.from_numpy(nx.to_numpy_array(nx.disjoint_union_all(GRAPHS))).float()
    mean = dense @ hidden / dense.sum(dim=1, keepdim=True).clamp(min=1)
    scores = block.conv_norm(block.conv(whole.subgraphs, hidden))
    expected = block.norm(hidden + block.ffn(torch.cat([hidden, scores, mean], dim=1)))
    torch.testing.assert_close(model.levels(whole.subgraphs, whole.feat)[1], expected)
    torch.testing.assert_close(model(whole, rows=rows), model(whole)[rows])


def test_directions_have_channels_of_their_own():
    graph = nx.DiGraph([(0, 1), (1, 2), (0, 2)])
    adjacency = torch.from_numpy(nx.to_numpy_array(graph)).float()
    data = collection_of([graph, graph])
    for batch in (data.whole(), data.batch([1, 0])):
        leaving, arriving = (matrix.to_dense() for matrix in batch.subgraphs.neighbours)
        torch.testing.assert_close(leaving, torch.block_diag(adjacency, adjacency))
        torch.testing.assert_close(arriving, leaving.T)


def test_it_learns_what_only_the_kernel_sees():
    """Two triangles or a ring of six: neighbours alone are the same for every node."""
    pair = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    labels, rows = torch.tensor([0, 1] * 12), np.arange(24)
    data = NeighbourCollection(as_csr([nx.cycle_graph(6), pair] * 12), SubgraphSettings(1, 4))
    accuracy = {}
    for num_filters in (0, 4):
        model = make(data, num_filters=num_filters, num_blocks=1, pooling="mean")
        initialize_from_classes(model, data, labels, rows[:16])
        settings = TrainingSettings(10, learning_rate=0.05)
        train_classifier(model, data, labels, rows[:16], rows[16:20], settings)
        accuracy[num_filters] = evaluate_classifier(model, data, labels, rows).accuracy
    assert accuracy == {0: 0.5, 4: 1.0}
