"""Layers, models and Gram matrices over graphs with directions and edge types."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl import (
    GOMKCN,
    GOMKConv,
    GOMKKernel,
    SubgraphSettings,
    as_csr,
    gomk_gram,
)
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.model import GraphCollection
from gomkcn_dgl.relations import relations_of

ARCS = [0, 0, 1, 2, 3, 4], [1, 2, 2, 3, 4, 2]


def conv_of(graph):
    torch.manual_seed(0)
    return GOMKConv(2, 3, 3, 2, kernel=GOMKKernel(num_levels=2), relations=as_csr(graph).relations)


def kinds_of(graph):
    """The graph with its edge types."""
    return as_csr(graph, edge_type="kind")


def test_directions_count_where_the_layer_has_relations():
    graph = dgl.graph(ARCS)
    feat = torch.rand(5, 2)
    directed = conv_of(graph)
    assert directed.filters.directed == (True,)
    assert not torch.allclose(directed(graph, feat), directed(dgl.reverse(graph), feat))
    torch.manual_seed(0)
    mirrored = GOMKConv(2, 3, 3, 2, kernel=GOMKKernel(num_levels=2))
    both = dgl.to_bidirected(graph)
    torch.testing.assert_close(mirrored(graph, feat), mirrored(both, feat))


def test_heterographs_are_graphs_with_edge_types():
    data = {
        ("gene", "activates", "gene"): ([0, 1], [1, 2]),
        ("gene", "binds", "site"): ([0, 2], [0, 1]),
    }
    hetero = dgl.heterograph(data, num_nodes_dict={"gene": 3, "site": 2})
    conv = conv_of(hetero)
    assert conv.relations.names == ("activates", "binds")
    feat = torch.rand(5, 2)
    out = conv(hetero, feat)
    assert out.shape == (5, 3)
    # the same graph with its types in edata
    plain = dgl.graph(([0, 1, 0, 2], [1, 2, 3, 4]))
    plain.edata["kind"] = torch.tensor([0, 0, 1, 1])
    typed = conv_of(kinds_of(plain))
    typed.load_state_dict(conv.state_dict())
    torch.testing.assert_close(out, typed(kinds_of(plain), feat))


def test_types_change_the_scores_and_filters_learn_them():
    graph = dgl.graph(([0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]))
    graph.edata["kind"] = torch.tensor([0, 0, 1, 1, 1, 1])
    conv = conv_of(kinds_of(graph))
    assert conv.filters.directed == (False, False)
    feat = torch.ones(3, 2)
    before = conv(kinds_of(graph), feat)
    other = graph.clone()
    other.edata["kind"] = torch.tensor([1, 1, 1, 1, 0, 0])
    # another edge of the triangle is of the first type: the same subgraph
    torch.testing.assert_close(conv(kinds_of(other), feat), before)
    other.edata["kind"] = torch.tensor([0, 0, 0, 0, 1, 1])
    assert not torch.allclose(conv(kinds_of(other), feat), before)
    before.sum().backward()
    assert (conv.filters.free_adj.grad != 0).any()


def test_a_batch_is_scored_as_its_graphs_one_by_one():
    rng = np.random.default_rng(0)
    graphs = []
    for _ in range(3):
        graph = dgl.rand_graph(6, 14)
        graph.edata["kind"] = torch.from_numpy(rng.integers(0, 2, 14))
        graphs.append(graph)
    torch.manual_seed(0)
    conv = GOMKConv(2, 3, 4, 2, relations=relations_of(["0", "1"], [True, False]))
    feat = torch.rand(18, 2)
    apart = [conv(kinds_of(graph), part) for graph, part in zip(graphs, feat.split(6), strict=True)]
    torch.testing.assert_close(conv(kinds_of(dgl.batch(graphs)), feat), torch.cat(apart))


def test_a_relation_that_the_layer_does_not_know_is_refused():
    graph = dgl.graph(ARCS)
    graph.edata["kind"] = torch.tensor([0, 0, 1, 1, 1, 2])
    conv = GOMKConv(2, 3, 3, 2, relations=relations_of(["0", "1"], [True, True]))
    with pytest.raises(InputError, match="relations must include '2'"):
        conv(kinds_of(graph), torch.rand(5, 2))
    with pytest.raises(TypeError, match="relations must be those of a graph"):
        GOMKConv(2, 3, 3, 2, relations=["a"])


def test_a_model_learns_a_class_that_only_directions_tell():
    graphs = [nx.DiGraph([(0, 1), (1, 2), (2, 0)]), nx.DiGraph([(0, 1), (1, 2), (0, 2)])] * 8
    csr = as_csr(graphs)
    data = GraphCollection(csr, SubgraphSettings(2, 3))
    torch.manual_seed(0)
    model = GOMKCN(
        1, 2, hidden_feats=None, num_filters=4, filter_size=3, pooling="mean",
        relations=csr.relations, read_input=False,
    )  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    labels = torch.tensor([0, 1] * 8)
    batch = data.whole()
    for _ in range(60):
        optimizer.zero_grad()
        logits = model(batch)
        torch.nn.functional.cross_entropy(logits, labels).backward()
        optimizer.step()
    assert (logits.argmax(dim=1) == labels).all()


def test_gram_matrices_see_directions_and_types():
    cycle = nx.DiGraph([(0, 1), (1, 2), (2, 0)])
    loop = nx.DiGraph([(0, 1), (1, 2), (0, 2)])
    gram = gomk_gram([cycle, loop], kernel=GOMKKernel(num_levels=2, padding="mask"))
    assert gram[0, 1] < 0.95
    np.testing.assert_allclose(np.diag(gram), 1)
    # against another list, also one whose only graph has all its arcs both ways
    mutual = nx.DiGraph([(0, 1), (1, 0), (1, 2), (2, 1)])
    both = gomk_gram([cycle, loop, mutual], kernel=GOMKKernel(num_levels=2, padding="mask"))
    apart = gomk_gram([cycle, loop], [mutual], kernel=GOMKKernel(num_levels=2, padding="mask"))
    np.testing.assert_allclose(apart[:, 0], both[:2, 2], rtol=1e-6)
