"""Level embeddings: literal cases, gradients, and whole graphs beside dense matrices."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import torch
from random_graphs import SHAPES, channels_of_graph, draw, problem
from tiny_graphs import EDGE_AND_NODE, EMBEDDINGS
from tolerances import VALUES

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.embeddings import SubgraphTensors, level_embeddings
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.kernel_settings import AGGREGATIONS
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.relations import relations_of
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("case", EMBEDDINGS, ids=lambda case: case.name)
def test_a_hand_worked_case(case, dtype):
    adj, feat, expected = (
        torch.tensor([one], dtype=dtype) for one in (case.adj, case.feat, case.levels)
    )
    levels = level_embeddings(adj, feat, **case.settings)
    torch.testing.assert_close(levels, expected, **VALUES[dtype])
    levels = level_embeddings(adj.numpy(), feat.numpy(), **case.settings)
    assert levels.dtype == expected.numpy().dtype
    np.testing.assert_allclose(levels, expected.numpy(), **VALUES[dtype])


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_gradients_are_finite_for_a_node_without_edges(aggregation):
    adj = torch.tensor([EDGE_AND_NODE], dtype=torch.float64, requires_grad=True)
    feat = torch.tensor([[[1.0], [2.0], [3.0]]], dtype=torch.float64, requires_grad=True)
    level_embeddings(adj, feat, 3, aggregation).square().sum().backward()
    assert adj.grad.isfinite().all()
    assert feat.grad.isfinite().all()
    # the node's features count at level 0 alone: d(3^2)/d3
    assert feat.grad[0, 2].tolist() == [6.0]


# ---------------------------------------------------------------- arrays, without PyTorch


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("num_channels", [1, 2, 3, 6])
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_arrays_give_the_levels_of_tensors(shape, aggregation, num_channels, dtype):
    adj, feat, *_ = problem(SHAPES[shape], dtype)
    generator = torch.Generator().manual_seed(0)
    adj = adj.unsqueeze(3) * torch.rand(*adj.shape, num_channels, generator=generator).round()
    # and a node without edges
    adj[:, 0] = adj[:, :, 0] = 0
    adj = (adj.squeeze(3) if num_channels == 1 else adj).to(dtype)
    # settings may be numbers of NumPy, which would widen arrays
    kernel = GOMKKernel(2, aggregation=aggregation, level_scale=np.float64(1.5))
    levels, expected = kernel.embed(adj.numpy(), feat.numpy()), kernel.embed(adj, feat).numpy()
    assert (levels.dtype, levels.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(levels, expected, **VALUES[dtype])


@pytest.mark.parametrize("num_channels", [1, 2])
def test_arrays_of_half_precision_are_widened(num_channels):
    adj, feat, *_ = problem(SHAPES["eleven_nodes"], torch.float16)
    adj = (300 * adj).unsqueeze(3).repeat(1, 1, 1, num_channels).squeeze(3)
    kernel = GOMKKernel(3)
    levels, expected = kernel.embed(adj.numpy(), feat.numpy()), kernel.embed(adj, feat)
    assert levels.dtype == np.float32 and levels.max() > 1e8
    np.testing.assert_allclose(levels, expected.numpy(), rtol=1e-5)


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("channels", [(), (2,)])
def test_arrays_overflow_as_tensors_do_without_a_warning(aggregation, channels):
    adj = torch.full((1, 4, 4, *channels), 1e38)
    feat, kernel = torch.full((1, 4, 1), 1e38), GOMKKernel(2, aggregation=aggregation)
    levels, expected = kernel.embed(adj.numpy(), feat.numpy()), kernel.embed(adj, feat)
    np.testing.assert_array_equal(np.isfinite(levels), expected.isfinite())
    assert np.isfinite(levels).all() == (aggregation != "sum")


# ---------------------------------------------------------------- whole graphs


def random_graph(seed, num_nodes=9, width=3):
    rng = np.random.default_rng(seed)
    edges = np.array(nx.gnp_random_graph(num_nodes, 0.4, seed=seed).edges)
    features = rng.normal(size=(num_nodes, width)).astype(np.float32)
    return csr_from_edges(*edges.T, num_nodes, features=features)


def dense_adjacency(graph):
    """The adjacency matrix, by channel where there are several."""
    weights = np.ones(len(graph.indices)) if graph.weights is None else graph.weights
    matrix = sp.csr_array((weights, graph.indices, graph.indptr), (graph.num_nodes,) * 2).toarray()
    dense = matrix[:, :, None] * channels_of_graph(graph)
    return dense if dense.shape[2] > 1 else dense[:, :, 0]


GRAPHS = {
    "plain": lambda: random_graph(0),
    "weights": lambda: with_weights(random_graph(1)),
    "directions": lambda: as_csr(nx.gnp_random_graph(9, 0.3, seed=2, directed=True)),
    "relations": lambda: draw({"acts": True, "stops": True, "binds": False}, 2)[0],
    "a single node": lambda: as_csr(nx.empty_graph(1)),
    "no edges": lambda: as_csr(nx.empty_graph(4)),
}


def with_weights(graph):
    matrix = np.abs(np.random.default_rng(0).normal(size=(graph.num_nodes,) * 2))
    owner = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    weights = (matrix + matrix.T)[owner, graph.indices]
    return replace(graph, weights=weights.astype(np.float32))


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("name", GRAPHS)
def test_levels_are_those_of_the_dense_matrix(name, aggregation):
    graph = GRAPHS[name]()
    kernel = GOMKKernel(3, aggregation=aggregation, level_scale=1.5)
    (levels,) = kernel.embed_graphs(graph, graph.relations)
    expected = level_embeddings(
        torch.from_numpy(dense_adjacency(graph)).double()[None],
        torch.from_numpy(graph.features).double()[None],
        3,
        aggregation,
        1.5,
    )[0]
    torch.testing.assert_close(levels, expected, rtol=1e-9, atol=1e-9)


def test_relations_of_others_make_room():
    """A graph without directions beside one that has some."""
    plain, both = random_graph(3), relations_of(["edge"], [True])
    (levels,) = GOMKKernel(2).embed_graphs(plain, both)
    arcs = plain.with_relations(both)
    (same,) = GOMKKernel(2).embed_graphs(arcs, both)
    torch.testing.assert_close(levels, same)
    assert levels.shape == (3, 9, 6)


def test_some_nodes_stand_for_a_large_graph():
    graph = random_graph(4, 40)
    kernel = GOMKKernel(2)
    (whole,) = kernel.embed_graphs(graph, graph.relations)
    (some,) = kernel.embed_graphs(graph, graph.relations, most_nodes=7)
    assert some.shape == (3, 7, 3)
    rows = {tuple(row) for row in whole.permute(1, 0, 2).flatten(1).tolist()}
    kept = [tuple(row) for row in some.permute(1, 0, 2).flatten(1).tolist()]
    assert len(set(kept)) == 7 and set(kept) <= rows
    # whatever the numbering
    order = np.random.default_rng(0).permutation(40)
    edges = np.array(nx.gnp_random_graph(40, 0.4, seed=4).edges)
    features = np.empty_like(graph.features)
    features[order] = graph.features
    renumbered = csr_from_edges(*order[edges].T, 40, features=features)
    (again,) = kernel.embed_graphs(renumbered, graph.relations, most_nodes=7)
    assert {tuple(np.round(row, 3)) for row in kept} == {
        tuple(np.round(row, 3)) for row in again.permute(1, 0, 2).flatten(1).tolist()
    }


def test_matrices_that_no_memory_holds_are_refused_before_they_are_made(monkeypatch):
    tensors = SubgraphTensors.of_batch(
        extract_subgraphs(as_csr(nx.cycle_graph(5)), SubgraphSettings(1, max_nodes=5))
    )
    monkeypatch.setattr("gomkcn_dgl.runtime.memory.total_memory", lambda: 4 * 4 * 5 * 25 - 1)
    with pytest.raises(InputError, match="matrices of 5 subgraphs of 5 nodes would need 2.0 KiB"):
        tensors.adjacency(torch.float32)
    monkeypatch.setattr("gomkcn_dgl.runtime.memory.total_memory", lambda: 100)
    with pytest.raises(InputError, match="^5 subgraphs of 5 nodes would need 125 bytes of memory"):
        extract_subgraphs(as_csr(nx.cycle_graph(5)), SubgraphSettings(1, max_nodes=5))
