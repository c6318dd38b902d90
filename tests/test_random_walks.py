"""Random walk kernels: hand-worked values, the product graph as definition, laws, the layer."""

import networkx as nx
import numpy as np
import pytest
import torch
from test_fused_matching import subgraphs_of
from test_layer import to_dgl
from tiny_graphs import EDGE_AND_NODE, EMPTY, ONES, PATH, TRIANGLE, random_cases
from tolerances import GRADIENTS, VALUES

from gomkcn_dgl import (
    DeepRandomWalkKernel,
    GOMKKernel,
    GraphKernelConv,
    ImprovedRandomWalkKernel,
    RandomWalkKernel,
    SubgraphTensors,
)
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import GomkcnError
from gomkcn_dgl.kernels import random_walk_torch

FLOAT64 = torch.float64
KERNELS = [RandomWalkKernel, DeepRandomWalkKernel, ImprovedRandomWalkKernel]
COSINES = [RandomWalkKernel, ImprovedRandomWalkKernel]
BACKENDS = ["reference", "torch"]


def as_subgraphs(adj):
    """Subgraphs ``[S, N, N]`` that share no node."""
    adj = torch.as_tensor(adj, dtype=FLOAT64)
    count, size = adj.shape[:2]
    nodes = torch.arange(count * size, dtype=torch.int32).reshape(count, size)
    return SubgraphTensors(nodes, torch.full((count,), size), None, adj)


def random_filters(count, size, width, dtype=FLOAT64, seed=0):
    generator = torch.Generator().manual_seed(seed)
    upper = torch.rand(count, size, size, generator=generator, dtype=FLOAT64).triu(1)
    feat = torch.randn(count, size, width, generator=generator, dtype=FLOAT64)
    return (upper + upper.mT).to(dtype), feat.to(dtype)


def one_score(kernel, backend, left, right, pair_weight=None):
    """Score of one graph ``(adj, feat)`` against another."""
    (adj, feat), (filter_adj, filter_feat) = (
        [torch.tensor(part, dtype=FLOAT64).unsqueeze(0) for part in side] for side in (left, right)
    )
    weight = None if pair_weight is None else torch.tensor(pair_weight, dtype=FLOAT64)
    inputs = (as_subgraphs(adj), feat[0], filter_adj, filter_feat)
    return kernel.score(*inputs, backend, weight).item()


# with the constant feature 1 all pairs are alike, and a walk of p steps on the product graph is a
# walk in each: their number is the product. The triangle has 3, 6, 12, 24 walks of 0, 1, 2, 3
# steps, the path 3, 4, 6, 8.
COUNTS = [
    (RandomWalkKernel(0), TRIANGLE, PATH, 3 * 3),
    (RandomWalkKernel(1), TRIANGLE, PATH, 9 + 6 * 4),
    (RandomWalkKernel(3), TRIANGLE, PATH, 9 + 24 + 12 * 6 + 24 * 8),
    (RandomWalkKernel(1), EDGE_AND_NODE, PATH, 9 + 2 * 4),
    (RandomWalkKernel(3), EMPTY, PATH, 9),
    (DeepRandomWalkKernel(3), TRIANGLE, PATH, 9 + 24 + 72 + 192),
    (ImprovedRandomWalkKernel(1), TRIANGLE, PATH, 6 * 4),
    (ImprovedRandomWalkKernel(3), TRIANGLE, PATH, 24 + 72 + 192),
    (ImprovedRandomWalkKernel(3), EMPTY, PATH, 0),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("kernel", "left", "right", "count"), COUNTS, ids=str)
def test_common_walks_of_small_graphs(kernel, left, right, count, backend):
    assert one_score(kernel, backend, (left, ONES), (right, ONES)) == pytest.approx(count)


RED, BLUE = [1, 0], [0, 1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_improved_kernel_compares_the_colours_in_between(backend):
    # there and back over the path of a red, blue, red against red, red, red: the ends agree,
    # the middle does not
    left, right = (PATH, [RED, BLUE, RED]), (PATH, [RED, RED, RED])
    ends = [one_score(RandomWalkKernel(p), backend, left, right) for p in range(3)]
    # one step never leads from red to red; two steps lead from an end to both ends on the left,
    # and on the right each of the 6 walks of two steps is red at both ends
    assert np.diff(ends).tolist() == pytest.approx([0, 4 * 6])
    assert one_score(ImprovedRandomWalkKernel(2), backend, left, right) == 0
    # against itself: the ends hold 2 x 2 walks red, blue, red, the middle 2 x 1 x 2 back to itself
    same = [one_score(ImprovedRandomWalkKernel(t), backend, left, left) for t in (1, 2)]
    assert same == pytest.approx([8, 8 + 4 * 4 + 2 * 2])


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_pair_weighs_the_walks_that_start_there(backend):
    # from the middle of the left path and an end of the right one: 1, then 2 x 1, then 2 x 2
    weight = [[0, 0, 0], [10, 0, 0], [0, 0, 0]]
    kernel, sides = DeepRandomWalkKernel(2), [(PATH, ONES), (PATH, ONES)]
    assert one_score(kernel, backend, *sides, weight) == pytest.approx(10 * (1 + 2 + 4))


def scores_and_gradients(kernel, backend, subgraphs, inputs):
    inputs = [tensor.clone().requires_grad_() for tensor in inputs]
    feat, filter_adj, filter_feat, *weight = inputs
    scores = kernel.score(subgraphs, feat, filter_adj, filter_feat, backend, *weight)
    (scores * torch.linspace(-1, 2, scores.numel()).reshape(scores.shape)).sum().backward()
    return scores.detach(), [tensor.grad for tensor in inputs]


@pytest.mark.parametrize(
    ("kernel", "sizes", "weight", "num_steps", "dtype"),
    random_cases(
        30,
        KERNELS,
        [(1, 1), (1, 4), (5, 1), (6, 4), (4, 6)],
        [None, "weight"],
        [1, 4],
        [torch.float32, FLOAT64],
    ),
)
def test_matrix_products_are_walks_on_the_product_graph(
    kernel, sizes, weight, num_steps, dtype, monkeypatch
):
    max_nodes, filter_size = sizes
    # several chunks
    monkeypatch.setattr(random_walk_torch, "CHUNK_BYTES", 2000)
    subgraphs = subgraphs_of(30, max_nodes, weight)
    generator = torch.Generator().manual_seed(1)
    # small, so that sums over walks of 4 steps do not grow past the tolerances
    feat = torch.randn(30, 3, generator=generator, dtype=FLOAT64) / 4
    filter_adj, filter_feat = random_filters(3, filter_size, 3)
    inputs = [feat, filter_adj / 4, filter_feat / 4]
    if kernel is DeepRandomWalkKernel:
        inputs.append(torch.randn(max_nodes, filter_size, generator=generator, dtype=FLOAT64))
    inputs = [tensor.to(dtype) for tensor in inputs]
    kernel = kernel(num_steps)
    scores, grads = scores_and_gradients(kernel, "torch", subgraphs, inputs)
    expected, expected_grads = scores_and_gradients(kernel, "reference", subgraphs, inputs)
    assert scores.dtype == dtype
    torch.testing.assert_close(scores, expected, **VALUES[dtype])
    for grad, expected_grad in zip(grads, expected_grads, strict=True):
        torch.testing.assert_close(grad, expected_grad, **GRADIENTS[dtype])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_gradients_agree_with_finite_differences(kernel, backend):
    subgraphs = subgraphs_of(7, 4)
    kernel, feat = kernel(2), torch.rand(7, 2, dtype=FLOAT64)
    filter_adj, filter_feat = random_filters(2, 3, 2)
    weight = kernel.initial_weight(4, 3)

    def score(feat, upper, filter_feat, weight):
        return kernel.score(subgraphs, feat, upper + upper.mT, filter_feat, backend, weight)

    inputs = [feat, filter_adj.triu(1), filter_feat, None if weight is None else weight.double()]
    inputs = [None if tensor is None else tensor.requires_grad_() for tensor in inputs]
    assert torch.autograd.gradcheck(score, inputs)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("count", "num_filters"), [(0, 2), (3, 0), (0, 0)])
def test_nothing_to_score(kernel, count, num_filters, backend):
    subgraphs = as_subgraphs(torch.zeros(count, 4, 4))
    feat = torch.ones(4 * count, 2, dtype=FLOAT64, requires_grad=True)
    scores = kernel(2).score(subgraphs, feat, *random_filters(num_filters, 3, 2), backend)
    assert scores.shape == (count, num_filters)
    scores.sum().backward()
    assert not feat.grad.any()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_padding_is_not_there(kernel, backend):
    adj = torch.tensor([PATH], dtype=FLOAT64)
    wide = torch.nn.functional.pad(adj, (0, 2, 0, 2))
    filters = random_filters(2, 3, 2)
    # node 0 is what padding must not gather
    feat = torch.tensor([[torch.nan, 0], [1, 2], [3, 4], [5, 6]], dtype=FLOAT64)
    feat.requires_grad_()
    exact, padded = (
        SubgraphTensors(torch.tensor([nodes], dtype=torch.int32), torch.tensor([3]), None, a)
        for nodes, a in (([1, 2, 3], adj), ([1, 2, 3, -1, -1], wide))
    )
    expected = kernel(2).score(exact, feat, *filters, backend)
    scores = kernel(2).score(padded, feat, *filters, backend)
    torch.testing.assert_close(scores, expected, **VALUES[FLOAT64])
    (expected_grad,) = torch.autograd.grad(expected.sum(), feat)
    (grad,) = torch.autograd.grad(scores.sum(), feat)
    torch.testing.assert_close(grad[1:], expected_grad[1:], **GRADIENTS[FLOAT64])
    assert not grad[0].nan_to_num().any()


@pytest.mark.parametrize("kernel", COSINES)
def test_the_cosine_is_that_of_the_kernel(kernel):
    kernel = kernel(3, "cosine")
    adj, feat = random_filters(6, 4, 3)
    adj[5] = feat[5] = 0
    subgraphs, rows = as_subgraphs(adj), feat.flatten(0, 1)
    gram = kernel.score(subgraphs, rows, adj, feat, "reference")
    assert torch.linalg.eigvalsh(gram).min() > -1e-9 * gram.max()
    own = gram.diagonal().sqrt()
    expected = (gram / own / own.unsqueeze(1)).nan_to_num(0)
    cosine = kernel.normalize(gram, subgraphs, rows, adj, feat)
    torch.testing.assert_close(cosine, expected, **VALUES[FLOAT64])
    torch.testing.assert_close(cosine.diagonal()[:5], torch.ones(5, dtype=FLOAT64))
    assert not cosine[5].any()
    assert cosine.abs().max() <= 1 + 1e-12


ALL = [
    GOMKKernel(2),
    RandomWalkKernel(2),
    RandomWalkKernel(2, "cosine"),
    DeepRandomWalkKernel(2),
    ImprovedRandomWalkKernel(2),
    ImprovedRandomWalkKernel(2, "cosine"),
]


def layer(kernel, **change):
    torch.manual_seed(0)
    sizes = {"in_feats": 2, "num_filters": 3, "filter_size": 4, "num_hops": 2, "max_nodes": 5}
    return GraphKernelConv(kernel=kernel, **{**sizes, **change})


@pytest.mark.parametrize("kernel", ALL, ids=str)
@pytest.mark.parametrize("options", [{}, {"edge_weight": "w"}], ids=str)
def test_a_batch_gives_what_its_graphs_give_alone(kernel, options):
    # no ball of 2 hops has more than 5 nodes: what is dropped goes by the root's number
    graphs = [nx.path_graph(5), nx.empty_graph(1), nx.complete_graph(4)]
    graphs = [to_dgl(graph, seed=seed) for seed, graph in enumerate(graphs)]
    conv = layer(kernel, **options)
    batch = dgl.batch(graphs)
    together = conv(batch, batch.ndata["feat"])
    alone = torch.cat([conv(graph, graph.ndata["feat"]) for graph in graphs])
    assert together.shape == (10, 3)
    torch.testing.assert_close(together, alone, **VALUES[torch.float32])
    together.square().sum().backward()
    for name, parameter in conv.named_parameters():
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.any(), name


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: RandomWalkKernel(-1), "num_steps must be at least 0"),
        (lambda: ImprovedRandomWalkKernel(0), "num_steps must be at least 1"),
        (lambda: RandomWalkKernel(1, "sum"), "normalization must be one of"),
        (lambda: DeepRandomWalkKernel(1, "cosine"), "normalization of the deep kernel must"),
        (lambda: layer("gomk"), "kernel must be a kernel such as"),
        (lambda: RandomWalkKernel().prepare("numba", "cpu"), "backend must be one of"),
    ],
)
def test_a_bad_setting_is_refused(make, rule):
    with pytest.raises(GomkcnError, match=rule):
        make()
