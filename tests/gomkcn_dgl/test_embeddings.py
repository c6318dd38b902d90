"""Level embeddings: literal cases, shapes, gradients where a node has no edges, laws."""

import pytest
import torch
from tiny_graphs import EDGE_AND_NODE, EMBEDDINGS
from tolerances import VALUES

from gomkcn_dgl.embeddings import AGGREGATIONS, level_embeddings


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("case", EMBEDDINGS, ids=lambda case: case.name)
def test_a_hand_worked_case(case, dtype):
    adj, feat = torch.tensor([case.adj], dtype=dtype), torch.tensor([case.feat], dtype=dtype)
    levels = level_embeddings(adj, feat, **case.settings)
    expected = torch.tensor([case.levels], dtype=dtype)
    torch.testing.assert_close(levels, expected, **VALUES[dtype])


def random_batch(B, N, D, seed=0):
    generator = torch.Generator().manual_seed(seed)
    upper = torch.rand(B, N, N, generator=generator, dtype=torch.float64).triu(1)
    return upper + upper.mT, torch.rand(B, N, D, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_gradients_are_finite_for_a_node_without_edges(aggregation):
    adj = torch.tensor([EDGE_AND_NODE], dtype=torch.float64, requires_grad=True)
    feat = torch.tensor([[[1.0], [2.0], [3.0]]], dtype=torch.float64, requires_grad=True)
    level_embeddings(adj, feat, 3, aggregation).square().sum().backward()
    assert adj.grad.isfinite().all()
    assert feat.grad.isfinite().all()
    # the node's features count at level 0 alone: d(3^2)/d3
    assert feat.grad[0, 2].tolist() == [6.0]


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_gradients_equal_finite_differences(aggregation):
    adj, feat = (tensor.requires_grad_() for tensor in random_batch(2, 4, 2))
    assert torch.autograd.gradcheck(
        lambda a, x: level_embeddings(a, x, 2, aggregation, level_scale=1.7), (adj, feat)
    )


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_relabelling_the_nodes_relabels_the_embeddings(aggregation):
    adj, feat = random_batch(3, 6, 2)
    order = torch.randperm(6, generator=torch.Generator().manual_seed(1))
    levels = level_embeddings(adj, feat, 3, aggregation)
    relabelled = level_embeddings(adj[:, order][:, :, order], feat[:, order], 3, aggregation)
    torch.testing.assert_close(relabelled, levels[:, :, order], **VALUES[torch.float64])
