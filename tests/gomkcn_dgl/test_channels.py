"""The kernel over directions and edge types: definition, backends, and what it tells apart."""

import itertools

import numpy as np
import pytest
import torch
from random_graphs import KINDS, connected_digraphs, draw
from tolerances import GRADIENTS, VALUES

from gomkcn_dgl.embeddings import SubgraphTensors, channel_matrices, level_embeddings
from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.kernel_settings import AGGREGATIONS, MATCHINGS
from gomkcn_dgl.matching import GOMKKernel, gomk
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs

LINKED = [kinds for kinds in KINDS if kinds != {"binds": False}]


def walk_words(adj, num_levels):
    """Level embeddings of constant features, summed walk by walk: the definition."""
    num_nodes, _, num_channels = adj.shape
    matrices = channel_matrices(num_channels)
    rows = matrices.shape[1]
    start = np.zeros(rows)
    start[0] = np.sqrt(rows)

    def walks(node, length):
        if length == 0:
            return start
        total = np.zeros(rows)
        for other, channel in itertools.product(range(num_nodes), range(num_channels)):
            total += adj[node, other, channel] * matrices[channel] @ walks(other, length - 1)
        return total

    return np.array(
        [[walks(node, level) for node in range(num_nodes)] for level in range(num_levels + 1)]
    )


@pytest.mark.parametrize("kinds", LINKED)
def test_levels_sum_over_walks(kinds):
    graph, *_ = draw(kinds, 0, num_nodes=5, num_edges=9)
    batch = extract_subgraphs(graph, SubgraphSettings(2, 5), np.array([0]))
    adj = batch.adjacency()
    levels = level_embeddings(torch.from_numpy(adj), torch.ones(1, 5, 1), 2)
    np.testing.assert_allclose(levels[0].numpy(), walk_words(adj[0], 2), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("num_channels", [1, 2, 3, 4, 9])
def test_channel_matrices_are_orthogonal_and_differ(num_channels):
    matrices = channel_matrices(num_channels)
    products = matrices @ matrices.transpose(0, 2, 1)
    np.testing.assert_allclose(
        products, np.broadcast_to(np.eye(len(products[0])), products.shape), atol=1e-12
    )
    first = matrices[:, :, 0] @ matrices[:, :, 0].T
    # over as many channels as rows, numbers of neighbours stand at right angles
    rows = matrices.shape[1]
    np.testing.assert_allclose(first[:rows, :rows], np.eye(min(rows, num_channels)), atol=1e-12)
    assert (np.abs(first - np.eye(num_channels)) < 0.99).all()


def scores_and_gradients(backend, subgraphs, features, kinds, kernel):
    torch.manual_seed(0)
    filters = GraphFilters(3, 4, features.shape[1], directed=list(kinds.values()))
    feat = torch.tensor(features, requires_grad=True)
    z = kernel.embed(filters.adj(), filters.feat())
    scores, matching = kernel.match_subgraphs(subgraphs, feat, z, backend)
    (scores * torch.linspace(-1, 2, scores.numel()).reshape(scores.shape)).sum().backward()
    return matching, scores.detach(), feat.grad, filters.free_adj.grad, filters.free_feat.grad


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("matching", MATCHINGS)
@pytest.mark.parametrize(
    ("kinds", "aggregation", "num_levels", "max_nodes"),
    [
        *zip(KINDS, itertools.cycle(AGGREGATIONS), itertools.repeat(2), itertools.repeat(6),
             strict=False),
        ({"edge": True}, "sum", 0, 6),
        ({"edge": False}, "mean", 2, 1),
        ({"edge": False}, "sym", 2, 70),
    ],
)  # fmt: skip
def test_backends_agree_on_subgraphs(kinds, aggregation, num_levels, max_nodes, matching, weighted):
    rng = np.random.default_rng(0)
    size, number = (80, 500) if max_nodes > 6 else (11, 40)
    weights = rng.uniform(0.5, 2, number) if weighted else None
    # the last node has few edges or none, and the last subgraphs are padded
    graph, *_ = draw(kinds, 1, size, number, weights=weights, features=rng.random((size, 3)))
    subgraphs = SubgraphTensors.of_batch(extract_subgraphs(graph, SubgraphSettings(2, max_nodes)))
    kernel = GOMKKernel(
        num_levels, aggregation=aggregation, matching=matching, level_scale=1.5, padding="mask"
    )
    arguments = subgraphs, graph.features, kinds, kernel
    matched, values, *gradients = scores_and_gradients("numba", *arguments)
    same, expected, *expected_gradients = scores_and_gradients("reference", *arguments)
    assert torch.equal(matched.long(), same)
    torch.testing.assert_close(values, expected, **VALUES[torch.float32])
    for one, other in zip(gradients, expected_gradients, strict=True):
        torch.testing.assert_close(one, other, **GRADIENTS[torch.float32])


def test_all_digraphs_of_three_nodes_differ():
    adj = np.array(connected_digraphs(3), np.float32)
    both, ones = torch.from_numpy(np.stack([adj, adj.swapaxes(1, 2)], axis=3)), torch.ones(13, 3, 1)
    scores = gomk(both, ones, both, ones, kernel=GOMKKernel(3, tau=0.5), normalize=True).numpy()
    np.testing.assert_allclose(np.diag(scores), 1, rtol=1e-5)
    assert scores[~np.eye(13, dtype=bool)].max() < 0.7


@pytest.mark.parametrize("kinds", KINDS)
def test_filters_take_the_subgraphs_that_they_are_set_to(kinds):
    graph, *_ = draw(kinds, 0)
    batch = extract_subgraphs(graph, SubgraphSettings(2, 4))
    adj = torch.from_numpy(batch.adjacency())
    filters = GraphFilters(len(adj), 4, 1, directed=list(kinds.values()))
    filters.set(slice(None), adj, torch.from_numpy(batch.gather(graph.features)))
    torch.testing.assert_close(filters.adj().round(), adj)
    assert filters.adj().shape == adj.shape
