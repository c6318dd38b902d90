"""Subgraphs as tensors, with their embeddings."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn.mining.filters.rooted_subgraphs import RootedSubgraphs
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs


def test_subgraphs_are_tensors_with_their_embeddings():
    batch = extract_subgraphs(as_csr(nx.path_graph(9)), SubgraphSettings(2, 4))
    feat = np.random.default_rng(0).random((9, 4, 2), np.float32)
    kernel = GOMKKernel(1)
    found = RootedSubgraphs.of(batch, feat, kernel)
    assert found.adj.shape == (9, 4, 4) and found.num_nodes.tolist() == [3] + [4] * 7 + [3]
    np.testing.assert_array_equal(found.adj, batch.adjacency())
    np.testing.assert_array_equal(found.feat, feat)
    assert torch.equal(found.levels, kernel.embed(found.adj, found.feat))
    assert found.device == torch.device("cpu") and found.relations == batch.relations


def test_walk_counts_that_are_too_large_are_refused():
    batch = extract_subgraphs(as_csr(nx.complete_graph(9)), SubgraphSettings(2, 4))
    kernel = GOMKKernel(60, level_scale=1e-30)
    with pytest.raises(InputError, match="^num_levels and level_scale must keep walk counts"):
        RootedSubgraphs.of(batch, np.ones((9, 4, 1), np.float32), kernel)
