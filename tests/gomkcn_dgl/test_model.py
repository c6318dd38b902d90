"""GOMKCN and its batches: each holds the subgraphs of its graphs, and none depends on another."""

from dataclasses import replace

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
)
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import GomkcnError, InputError
from gomkcn_dgl.model import pool_nodes

GRAPHS = [nx.cycle_graph(5), nx.star_graph(6), nx.empty_graph(1), nx.path_graph(4)]
SIZES = [len(graph) for graph in GRAPHS]


def dgl_batch(graphs):
    return dgl.batch([dgl.from_networkx(graph) for graph in graphs])


def collection_of(graphs, feat):
    return GraphCollection(
        replace(as_csr(graphs), features=np.asarray(feat, np.float32)), SubgraphSettings(1, 4)
    )


def features(num_nodes, width=3):
    return torch.rand(num_nodes, width, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("chosen", [[0], [3, 1], [2], [1, 1], []])
def test_a_batch_has_the_subgraphs_of_its_graphs(chosen):
    batch = collection_of(GRAPHS, np.repeat(SIZES, SIZES)[:, None]).batch(chosen)
    sizes = [len(GRAPHS[number]) for number in chosen]
    assert batch.graph_sizes.tolist() == sizes
    assert batch.feat.shape == (sum(sizes), 1)
    first = 0
    for number, size in zip(chosen, sizes, strict=True):
        rows = slice(first, first + size)
        nodes = batch.subgraphs.nodes[rows]
        # the first node of each subgraph is its root
        assert nodes[:, 0].tolist() == list(range(first, first + size))
        inside = nodes[nodes >= 0]
        assert bool(((inside >= first) & (inside < first + size)).all())
        adjacency = batch.subgraphs.adjacency(torch.float32)[rows]
        adjacency_of_graph = nx.to_numpy_array(GRAPHS[number])
        for row, edges in zip(nodes.tolist(), adjacency, strict=True):
            real = [node - first for node in row if node >= 0]
            expected = torch.from_numpy(adjacency_of_graph[np.ix_(real, real)]).float()
            torch.testing.assert_close(edges[: len(real), : len(real)], expected)
        assert (batch.feat[first : first + size] == size).all()
        first += size


@pytest.mark.parametrize(("pooling", "num_layers"), [("sum", 1), ("mean", 2), (None, 2)])
def test_a_dgl_batch_and_a_collection_give_the_same_logits(pooling, num_layers):
    torch.manual_seed(0)
    kernel = GOMKKernel(num_levels=1)
    model = GOMKCN(
        3, 4, filter_size=4, kernel=kernel, pooling=pooling, num_layers=num_layers
    ).eval()
    batch = dgl_batch(GRAPHS)
    feat = features(batch.num_nodes())
    collection = collection_of(GRAPHS, feat)
    whole = collection.whole()
    logits = model(batch, feat)
    torch.testing.assert_close(logits, model(whole))
    assert logits.shape == ((len(GRAPHS) if pooling else batch.num_nodes()), 4)


@pytest.mark.parametrize("pooling", ["sum", "mean", "max"])
def test_a_graph_has_the_same_logits_in_every_batch(pooling):
    torch.manual_seed(0)
    model = GOMKCN(3, 2, filter_size=4, pooling=pooling).eval()
    feat = features(sum(SIZES))
    collection = collection_of(GRAPHS, feat)
    together = model(collection.whole())
    order = [3, 0, 2, 1]
    torch.testing.assert_close(model(collection.batch(order)), together[order])
    for number in range(len(GRAPHS)):
        single = model(collection.batch([number]))
        torch.testing.assert_close(single[0], together[number])
    # a graph without nodes
    empty = dgl.batch([dgl_batch(GRAPHS[:1]), dgl.graph(([], []), num_nodes=0)])
    assert model(empty, feat[:5]).isfinite().all()


def test_without_a_head_the_filters_are_the_logits_and_none_is_dropped():
    model = GOMKCN(3, 5, filter_size=4, num_filters=5, read_input=False, dropout=0.5)
    model.heads[-1] = torch.nn.Identity()
    graph = dgl_batch(GRAPHS[:1])
    feat = features(5)
    levels = model.levels(model.first_conv.subgraphs(graph), feat)
    torch.testing.assert_close(model(graph, feat), levels[-1])


def test_a_compiled_model_takes_batches_of_dgl():
    torch.manual_seed(0)
    model = GOMKCN(3, 2, filter_size=4, pooling="sum").eval()
    transform, compiled = model.first_conv.transform(), torch.compile(model, backend="aot_eager")
    for graphs in (GRAPHS[:2], GRAPHS):
        batch = dgl_batch(graphs)
        batch.ndata["feat"] = feat = features(batch.num_nodes())
        results = []
        for run, graph in ((model, batch), (compiled, batch), (compiled, transform(batch))):
            logits = run(graph, feat)
            wanted = list(model.parameters())
            gradients = torch.autograd.grad(logits.square().sum(), wanted, allow_unused=True)
            results.append([logits, *(one for one in gradients if one is not None)])
        for other in results[1:]:
            torch.testing.assert_close(other, results[0])


def test_a_model_is_drawn_anew_and_prints_how_it_reads():
    torch.manual_seed(0)
    model = GOMKCN(3, 2, filter_size=4, pooling="sum")
    first = {name: one.clone() for name, one in model.state_dict().items()}
    model(dgl_batch(GRAPHS), features(sum(SIZES))).sum().backward()
    with torch.no_grad():
        for one in model.parameters():
            one += 1
    torch.manual_seed(0)
    model.reset_parameters()
    again = model.state_dict()
    # drawn in another order, but of the same distribution, and batch norms begin anew
    assert {name for name, one in first.items() if not torch.equal(again[name], one)} <= {
        name for name, _ in model.named_parameters()
    }
    assert not again["norms.0.running_mean"].any()
    assert again["input.weight"].abs().max() < 1 and "pooling='sum'" in repr(model)
    assert "InputLayer(\n    3, 32, bounded=True" in repr(model)


@pytest.mark.parametrize("feat", [None, torch.ones(12, 3), torch.ones(16, 2), np.ones((16, 3))])
def test_features_that_do_not_fit_are_refused(feat):
    model = GOMKCN(3, 2, filter_size=4)
    for graph in (dgl_batch(GRAPHS), model.first_conv.transform()(dgl_batch(GRAPHS))):
        with pytest.raises(GomkcnError, match=r"^feat must (be a tensor|have the shape \[17, 3\])"):
            model(graph, feat)


def test_graphs_are_not_classified_without_pooling():
    feat, edge_index = torch.rand(4, 3), torch.tensor([[0, 1, 2, 3], [1, 0, 3, 2]])
    batch = torch.tensor([0, 0, 1, 1])
    with pytest.raises(InputError, match='^batch is for classes of graphs, .*with pooling "max"'):
        GOMKCN(3, 2, filter_size=4)(feat, edge_index, batch=batch)
    model = GOMKCN(3, 2, filter_size=4, pooling="max")
    assert model(feat, edge_index, batch=batch).shape == (2, 2)
    with pytest.raises(InputError, match="^num_classes must be at least 1, got 0"):
        GOMKCN(3, 0)


def test_weights_beside_a_batch_of_a_collection_are_refused():
    batch = collection_of(GRAPHS, features(sum(SIZES))).whole()
    with pytest.raises(GomkcnError, match="cannot be given with subgraphs"):
        GOMKCN(3, 2, filter_size=4)(batch, edge_weight=torch.ones(3))


@pytest.mark.parametrize("num_layers", [1, 2])
def test_a_subset_of_rows_has_the_same_logits(num_layers):
    torch.manual_seed(0)
    model = GOMKCN(3, 2, filter_size=4, num_layers=num_layers).eval()
    whole = collection_of(GRAPHS, features(sum(SIZES))).whole()
    # or all of them in another order
    for rows in (torch.tensor([4, 0, 9]), torch.arange(sum(SIZES)).flip(0)):
        some = model(whole, rows=rows)
        torch.testing.assert_close(some, model(whole)[rows])


@pytest.mark.parametrize("pooling", ["sum", "mean", "max"])
def test_nodes_are_pooled_as_by_numpy(pooling):
    nodes, sizes = features(9) - 0.5, [2, 0, 3, 1, 3]
    parts = np.split(nodes.numpy(), np.cumsum(sizes)[:-1])
    expected = [getattr(part, pooling)(axis=0) if len(part) else np.zeros(3) for part in parts]
    pooled = pool_nodes(nodes, torch.tensor(sizes), pooling)
    np.testing.assert_allclose(pooled, expected, rtol=1e-6)
