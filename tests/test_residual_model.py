"""ResidualGOMKCN: the same logits in every batch, what each branch sees, directions, training."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from tiny_graphs import random_cases

from gomkcn_dgl import (
    GOMKCN,
    GOMKKernel,
    GraphCollection,
    InputError,
    ResidualGOMKCN,
    SubgraphSettings,
    TrainingSettings,
    as_csr,
    evaluate_classifier,
    initialize_from_classes,
    train_classifier,
)
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.graph_batch import neighbour_matrices
from gomkcn_dgl.relations import relations_of

GRAPHS = [nx.cycle_graph(5), nx.star_graph(6), nx.empty_graph(1), nx.path_graph(4)]
SIZES = [len(graph) for graph in GRAPHS]


def features(num_nodes, width=3):
    return torch.rand(num_nodes, width, generator=torch.Generator().manual_seed(0))


def collection_of(graphs, feat):
    graph = replace(as_csr(graphs), features=feat.numpy())
    return GraphCollection(graph, SubgraphSettings(1, 4))


def make(pooling="mean", **options):
    torch.manual_seed(0)
    kernel = GOMKKernel(1, padding="mask")
    return ResidualGOMKCN(
        3, 4, hidden_feats=6, num_filters=options.pop("num_filters", 5), filter_size=4,
        kernel=kernel, pooling=pooling, **options
    )  # fmt: skip


@pytest.mark.parametrize(
    ("pooling", "num_filters", "aggregate", "norm", "readout"),
    random_cases(
        10,
        ["sum", "mean", "max", None],
        [0, 5],
        ["mean", "sum", None],
        ["batch", "layer"],
        ["all", "last"],
    ),
)
def test_a_dgl_batch_and_a_collection_give_the_same_logits(
    pooling, num_filters, aggregate, norm, readout
):
    options = {"num_filters": num_filters, "aggregate": aggregate, "readout": readout}
    model = make(pooling, norm=norm, **options).eval()
    assert len(model.convs) == (2 if num_filters else 0)
    feat = features(sum(SIZES))
    batch = dgl.batch([dgl.from_networkx(graph) for graph in GRAPHS])
    logits = model(batch, feat)
    collection = collection_of(GRAPHS, feat)
    torch.testing.assert_close(logits, model(collection.whole()))
    assert logits.shape == ((len(GRAPHS) if pooling else sum(SIZES)), 4)
    # in every batch and order
    order = [3, 0, 2, 1]
    together = model(collection.batch(order))
    if pooling is None:
        starts = np.cumsum([0, *SIZES])
        order = np.concatenate([np.arange(starts[i], starts[i + 1]) for i in order])
    torch.testing.assert_close(together, logits[order])


def test_some_rows_have_the_same_logits():
    model = make(None).eval()
    whole = collection_of(GRAPHS, features(sum(SIZES))).whole()
    rows = torch.tensor([4, 0, 9])
    torch.testing.assert_close(model(whole, rows=rows), model(whole)[rows])


@pytest.mark.parametrize(
    ("options", "sees"),
    [
        ({"num_filters": 0, "aggregate": None}, False),
        ({"num_filters": 5, "aggregate": None}, True),
        ({"num_filters": 0, "aggregate": "mean"}, True),
    ],
)
def test_each_branch_sees_the_edges_and_nothing_else_does(options, sees):
    feat = features(6)
    graphs = [[nx.cycle_graph(6)], [nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))]]
    model = make(**options).eval()
    ring, triangles = (model(collection_of(one, feat).whole()) for one in graphs)
    assert torch.allclose(ring, triangles) != sees


def test_a_block_is_its_formula():
    model = make(None, num_blocks=1, dropout=0.0).eval()
    whole = collection_of(GRAPHS, features(sum(SIZES))).whole()
    block, hidden = model.blocks[0], model.input(whole.feat)
    dense = torch.from_numpy(nx.to_numpy_array(nx.disjoint_union_all(GRAPHS))).float()
    mean = dense @ hidden / dense.sum(dim=1, keepdim=True).clamp(min=1)
    scores = block.conv_norm(block.conv(whole.subgraphs, hidden))
    expected = block.norm(hidden + block.ffn(torch.cat([hidden, scores, mean], dim=1)))
    torch.testing.assert_close(model.levels(whole)[1], expected)


@pytest.mark.parametrize(("readout", "first"), [("all", 0), ("last", 2)])
def test_the_logits_are_made_of_the_levels_that_are_read(readout, first):
    model = make(None, readout=readout).eval()
    whole = collection_of(GRAPHS, features(sum(SIZES))).whole()
    levels = model.levels(whole)[first:]
    expected = sum(head(level) for head, level in zip(model.heads, levels, strict=True))
    torch.testing.assert_close(model(whole), expected)


def test_directions_have_channels_of_their_own():
    graph = nx.DiGraph([(0, 1), (1, 2), (0, 2)])
    csr = as_csr(graph)
    adjacency = torch.from_numpy(nx.to_numpy_array(graph)).float()
    matrices = [matrix.to_dense() for matrix in neighbour_matrices(csr)]
    torch.testing.assert_close(matrices, [adjacency, adjacency.T])
    options = {"relations": csr.relations, "num_filters": 0}
    model = make(**options).eval()
    feat = torch.eye(3)
    dgl_graph = dgl.graph(([0, 1, 0], [1, 2, 2]))
    batch = GraphCollection(replace(csr, features=feat.numpy()), SubgraphSettings(1, 4)).whole()
    torch.testing.assert_close(model(dgl_graph, feat), model(batch))
    reverse = model(dgl.graph(([1, 2, 2], [0, 1, 0])), feat)
    assert not torch.allclose(reverse, model(batch))


def test_it_learns_what_only_the_kernel_sees():
    """Two triangles or a ring of six: neighbours alone are the same for every node."""
    pair = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    graphs, labels = [nx.cycle_graph(6), pair] * 12, torch.tensor([0, 1] * 12)
    data = GraphCollection(as_csr(graphs), SubgraphSettings(1, 4))
    settings = TrainingSettings(10, learning_rate=0.05)
    accuracy = {}
    for num_filters in (0, 4):
        torch.manual_seed(0)
        model = ResidualGOMKCN(
            1, 2, hidden_feats=8, num_blocks=1, num_filters=num_filters, filter_size=4,
            kernel=GOMKKernel(1), pooling="mean"
        )  # fmt: skip
        if num_filters:
            initialize_from_classes(model, data, labels, np.arange(16))
        train_classifier(model, data, labels, np.arange(16), np.arange(16, 20), settings)
        accuracy[num_filters] = evaluate_classifier(model, data, labels, np.arange(24)).accuracy
    assert accuracy == {0: 0.5, 4: 1.0}


def test_what_is_refused():
    with pytest.raises(InputError, match="aggregate must be one of 'mean', 'sum', got 'max'"):
        make(aggregate="max")
    with pytest.raises(InputError, match="readout must be one of 'all', 'last', got 'first'"):
        make(readout="first")
    directed = GraphCollection(as_csr(nx.DiGraph([(0, 1), (1, 2)])), SubgraphSettings(1, 4)).whole()
    model = ResidualGOMKCN(1, 2, num_filters=0)
    with pytest.raises(InputError, match="graph must have the 1 channels of the model's relations"):
        model(directed)
    with pytest.raises(InputError, match="feat must be given"):
        make()(dgl.graph(([0, 1], [1, 0])))


def test_options_reach_the_convolutions_and_the_input():
    relations = relations_of(["a", "b"], [True, False])
    options = {"policy": "dense", "seed": 3, "max_nodes": 5}
    model = make(relations=relations, input_norm="none", input_dropout=0.25, **options)
    for conv in model.convs:
        assert conv.settings == SubgraphSettings(1, **options)
        assert conv.relations == relations
        # of a leaves, of a arrives, b both ways
        assert conv.filters.adj().shape[3] == 3
    assert isinstance(model.input.norm, torch.nn.Identity)
    assert model.input.dropout.p == 0.25


def test_dropout_is_of_the_readout_and_of_each_block():
    model = make(dropout=0.25)
    rates = [one.p for one in model.modules() if isinstance(one, torch.nn.Dropout)]
    assert rates.count(0.25) == 1 + len(model.blocks)
    x = features(sum(SIZES))
    collection = collection_of(GRAPHS, x)
    assert not torch.allclose(model(collection.whole()), make()(collection.whole()))


@pytest.mark.parametrize("aggregate", ["mean", "sum"])
def test_it_computes_in_double_precision(aggregate):
    model, x = make(aggregate=aggregate).eval(), features(sum(SIZES))
    graph = dgl.batch([dgl.from_networkx(graph.to_directed()) for graph in GRAPHS])
    single = model(graph, x)
    double = model.double()(graph, x.double())
    assert double.dtype == torch.float64
    torch.testing.assert_close(double.float(), single, rtol=1e-4, atol=1e-4)


def test_nodes_of_several_types_are_classified_and_not_pooled():
    arcs = torch.tensor([0, 1, 2]), torch.tensor([0, 0, 1])
    graph = dgl.heterograph({("a", "to", "b"): arcs}, {"a": 3, "b": 2})
    relations = as_csr(graph).relations
    x = features(5)
    assert make(None, relations=relations).eval()(graph, x).shape == (5, 4)
    for model in (make(relations=relations), GOMKCN(3, 4, relations=relations, pooling="mean")):
        with pytest.raises(InputError, match="pooling must be None for graphs with 2 types"):
            model.eval()(graph, x)
