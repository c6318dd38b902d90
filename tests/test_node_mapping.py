"""Node mappings: by features, by structure where features do not decide, and padded."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs
from mining.learning.deduplication import map_nodes
from mining.learning.discrete_filters import DiscreteFilters
from mining.learning.rooted_subgraphs import RootedSubgraphs

TRIANGLE, STAR, RING = nx.complete_graph(3), nx.star_graph(3), nx.cycle_graph(6)


def mappings_of(graph, pattern, size, features, pattern_features, rows=None, matching="optimal"):
    """Node of each subgraph → node of the pattern, for nodes with one feature."""
    csr = as_csr(graph, features=np.array(features, dtype=float)[:, None])
    batch = extract_subgraphs(
        csr, SubgraphSettings(num_hops=4, max_nodes=size, policy="dense", seed=0)
    )
    rows = np.arange(len(batch)) if rows is None else np.array(rows, dtype=np.int64)
    adj, feat = torch.zeros(1, size, size), torch.zeros(1, size, 1)
    adj[0, : len(pattern), : len(pattern)] = torch.from_numpy(nx.to_numpy_array(pattern)).float()
    feat[0, : len(pattern), 0] = torch.tensor(pattern_features, dtype=torch.float32)
    kernel = GOMKKernel(2, tau=0.5, matching=matching)
    subgraphs = RootedSubgraphs(csr, csr.features, batch, kernel, "auto")
    mappings = map_nodes(subgraphs, rows, DiscreteFilters(adj, feat, adj, (len(pattern),)))
    return [
        dict(zip(batch.nodes[row, : batch.num_nodes[row]].tolist(), one.tolist(), strict=False))
        for row, one in zip(rows, mappings, strict=True)
    ]


@pytest.mark.parametrize(
    ("graph", "pattern", "features", "pattern_features", "expected"),
    [
        # features tell the nodes of a clique apart
        (TRIANGLE, TRIANGLE, [0.0, 0.5, 1.0], [1.0, 0.0, 0.5], [{0: 1, 1: 2, 2: 0}]),
        # a small subgraph is mapped to some nodes of a pattern
        (nx.path_graph(2), nx.path_graph(3), [0.0, 1.0], [0.0, 1.0, 0.0],
         [{0: 0, 1: 1}, {0: 2, 1: 1}]),
        # a further node is mapped to no node of a small pattern
        (nx.path_graph(3), nx.path_graph(2), [0.5, 0.7, 0.0], [0.5, 0.7], [{0: 0, 1: 1, 2: -1}]),
    ],
)  # fmt: skip
def test_mappings_by_hand(graph, pattern, features, pattern_features, expected):
    for mapping in mappings_of(graph, pattern, 3, features, pattern_features):
        assert mapping in expected


@pytest.mark.parametrize("matching", ["optimal", "greedy"])
@pytest.mark.parametrize(
    "pattern",
    [RING, nx.circular_ladder_graph(3), nx.complete_bipartite_graph(3, 3), STAR],
    ids=["ring", "prism", "bipartite", "star"],
)
def test_symmetric_nodes_are_mapped_by_an_isomorphism(pattern, matching):
    count = len(pattern)
    order = np.random.default_rng(1).permutation(count).tolist()
    graph = nx.relabel_nodes(pattern, dict(enumerate(order)))
    graph = nx.Graph(sorted(graph.edges))
    ones, size = [1.0] * count, count + (matching == "greedy")
    edges = as_csr(graph).adjacent_pairs().tolist()
    for mapping in mappings_of(graph, pattern, size, ones, ones, matching=matching):
        assert sorted(mapping.values()) == list(range(count))
        mapped = {frozenset((mapping[u], mapping[v])) for u, v in edges}
        assert mapped == set(map(frozenset, pattern.edges))


def test_of_several_isomorphisms_the_most_similar_one():
    # a ring of six whose two marked nodes are opposite; the pattern has its marks at 1 and 4
    marks, pattern_marks = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    for mapping in mappings_of(RING, RING, 6, marks, pattern_marks):
        assert {mapping[0], mapping[3]} == {1, 4}
        mapped = {frozenset((mapping[u], mapping[v])) for u, v in RING.edges}
        assert mapped == set(map(frozenset, RING.edges))


def test_mappings_are_in_the_order_of_the_rows():
    graph, ones = nx.disjoint_union(STAR, nx.path_graph(4)), [1.0] * 8
    every = mappings_of(graph, STAR, 4, ones, ones[:4])
    some = mappings_of(graph, STAR, 4, ones, ones[:4], rows=[5, 0, 5])
    assert some == [every[5], every[0], every[5]]
    assert mappings_of(graph, STAR, 4, ones, ones[:4], rows=[]) == []
