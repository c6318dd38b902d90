"""The kernels of KerGNN and RWK+CN: numbers of walks, the product graph as definition, a layer."""

from functools import partial

import pytest
import torch
from peers.random_walks import ImprovedRandomWalkKernel, RandomWalkKernel
from random_graphs import subgraphs_of
from tiny_graphs import EDGE_AND_NODE, EMPTY, ONES, PATH, TRIANGLE, random_cases
from tolerances import GRADIENTS, VALUES

from gomkcn_dgl import SubgraphTensors

pytestmark = pytest.mark.slow
FLOAT64 = torch.float64
KERNELS = [RandomWalkKernel, ImprovedRandomWalkKernel]


def one_score(kernel, left, right):
    """Score of one graph ``(adj, feat)`` against another, as a subgraph and as a pair."""
    sides = [[torch.tensor([part], dtype=FLOAT64) for part in side] for side in (left, right)]
    (adj, feat), other = sides
    pair = kernel.score_pairs(adj, feat, *other).item()
    subgraph = SubgraphTensors.of_matrices(adj, None)
    assert kernel.sums(subgraph, feat[0], *other).item() == pytest.approx(pair)
    return pair


# with the constant feature 1 all pairs are alike, and a walk of p steps on the product graph is a
# walk in each: their number is the product. The triangle has 3, 6, 12, 24 walks of 0, 1, 2, 3
# steps, the path 3, 4, 6, 8.
COUNTS = [
    (RandomWalkKernel(0), TRIANGLE, PATH, 3 * 3),
    (RandomWalkKernel(3), TRIANGLE, PATH, 9 + 24 + 12 * 6 + 24 * 8),
    (RandomWalkKernel(1), EDGE_AND_NODE, PATH, 9 + 2 * 4),
    (RandomWalkKernel(3), EMPTY, PATH, 9),
    (ImprovedRandomWalkKernel(1), TRIANGLE, PATH, 6 * 4),
    (ImprovedRandomWalkKernel(3), TRIANGLE, PATH, 24 + 72 + 192),
    (ImprovedRandomWalkKernel(3), EMPTY, PATH, 0),
]


@pytest.mark.parametrize(("kernel", "left", "right", "count"), COUNTS, ids=str)
def test_common_walks_of_small_graphs(kernel, left, right, count):
    assert one_score(kernel, (left, ONES), (right, ONES)) == pytest.approx(count)


def product_scores(kernel, subgraphs, feat, filter_adj, filter_feat):
    """Walks on the direct products themselves, ``[S, F, N M, N M]``: the definition."""
    similarity = torch.einsum("snd,fmd->sfnm", subgraphs.gather(feat), filter_feat).flatten(2)
    product = torch.einsum("sab,fij->sfaibj", subgraphs.adjacency(feat.dtype), filter_adj)
    product = product.flatten(4, 5).flatten(2, 3)
    ends = similarity
    if isinstance(kernel, ImprovedRandomWalkKernel):
        product = product * similarity.unsqueeze(2) * similarity.unsqueeze(3)
        ends = torch.ones_like(similarity)
    powers = [torch.matrix_power(product, p) for p in range(kernel.shortest, kernel.num_steps + 1)]
    return torch.einsum("sfi,sfij,sfj->sf", ends, sum(powers), ends)


@pytest.mark.parametrize(
    ("kernel", "sizes", "weight", "num_steps", "dtype"),
    random_cases(
        12,
        KERNELS,
        [(1, 1), (1, 4), (5, 1), (6, 4), (4, 6)],
        [None, "weight"],
        [1, 4],
        [torch.float32, FLOAT64],
    ),
)
def test_steps_over_tables_are_walks_on_the_product_graph(
    kernel, sizes, weight, num_steps, dtype, monkeypatch
):
    max_nodes, filter_size = sizes
    # several chunks
    monkeypatch.setattr("peers.random_walks._CHUNK", 7)
    subgraphs = subgraphs_of(30, max_nodes, weight)
    generator = torch.Generator().manual_seed(1)
    # small, so that sums over walks of 4 steps do not grow past the tolerances
    feat = torch.randn(30, 3, generator=generator, dtype=FLOAT64) / 4
    upper = torch.rand(3, filter_size, filter_size, generator=generator, dtype=FLOAT64).triu(1) / 4
    filter_feat = torch.randn(3, filter_size, 3, generator=generator, dtype=FLOAT64) / 4
    found = []
    kernel = kernel(num_steps)
    for score, kind in ((kernel.sums, dtype), (partial(product_scores, kernel), FLOAT64)):
        inputs = [one.to(kind).requires_grad_() for one in (feat, upper + upper.mT, filter_feat)]
        scores = score(subgraphs, *inputs)
        (scores * torch.linspace(-1, 2, scores.numel()).reshape(scores.shape)).sum().backward()
        found.append((scores.detach(), *(one.grad for one in inputs)))
    torch.testing.assert_close(found[0][0], found[1][0].to(dtype), **VALUES[dtype])
    for grad, expected in zip(found[0][1:], found[1][1:], strict=True):
        torch.testing.assert_close(grad, expected.to(dtype), **GRADIENTS[dtype])
