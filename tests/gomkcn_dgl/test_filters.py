"""GraphFilters: ranges, literal values, starting from given subgraphs, seeds."""

from math import log

import pytest
import torch
from tiny_graphs import TRIANGLE
from tolerances import VALUES

from gomkcn_dgl.filters import GraphFilters


@pytest.mark.parametrize("sizes", [(1, 1, 1), (4, 5, 3), (2, 2, 7)])
def test_adjacency_is_symmetric_without_loops_and_between_0_and_1(sizes):
    filters, same, other = (GraphFilters(*sizes) for _ in range(3))
    for one, seed in ((filters, 5), (same, 5), (other, 6)):
        one.reset_parameters(torch.Generator().manual_seed(seed))
    assert torch.equal(filters.free_feat, same.free_feat)
    assert not torch.equal(filters.free_feat, other.free_feat)
    num_filters, size, width = sizes
    adj = filters.adj()
    assert adj.shape == (num_filters, size, size)
    assert torch.equal(adj, adj.mT)
    assert not adj.diagonal(dim1=1, dim2=2).any()
    off_diagonal = adj[:, ~torch.eye(size, dtype=bool)]
    assert ((off_diagonal > 0) & (off_diagonal < 1)).all()
    assert filters.feat().shape == (num_filters, size, width)


def test_features_are_bounded_or_free():
    bounded, free = GraphFilters(1, 2, 1), GraphFilters(1, 2, 1, bounded_feats=False)
    for filters in (bounded, free):
        with torch.no_grad():
            filters.free_feat.copy_(torch.tensor([[[log(4)], [-9.0]]]))
    assert bounded.feat()[0, 0].item() == pytest.approx(0.8)
    assert 0 < bounded.feat()[0, 1].item() < 0.001
    assert free.feat()[0, 1].item() == -9


def test_set_makes_filters_of_subgraphs():
    filters = GraphFilters(3, 3, 1)
    before = filters.free_adj.detach().clone()
    adj, feat = torch.tensor([TRIANGLE]).float(), torch.tensor([[[0.0], [0.5], [1.0]]])
    filters.set(torch.tensor([1]), adj, feat)
    assert torch.equal((filters.adj()[1] > 0.5).float(), adj[0])
    assert filters.free_adj[1].tolist() == [6, 6, 6]
    torch.testing.assert_close(
        filters.feat()[1].detach(), torch.tensor([[0.02], [0.5], [0.98]]), **VALUES[torch.float32]
    )
    assert torch.equal(filters.free_adj[[0, 2]], before[[0, 2]])
    assert all(p.requires_grad and p.grad is None and p.is_leaf for p in filters.parameters())
