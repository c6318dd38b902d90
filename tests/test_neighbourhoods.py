"""Neighbourhoods beside patterns of several sizes: the kernel's scores, ties, parts."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl import gomk
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel
from mining.locating import neighbourhoods
from mining.locating.neighbourhoods import compare_neighbourhoods
from mining.structures.categories import Categories
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import FeatureScaling
from mining.structures.memory_budget import MemoryBudget
from mining.structures.subgraph_source import SubgraphSource

TRIANGLE, PATH, RING, CLIQUE = (
    nx.complete_graph(3), nx.path_graph(3), nx.cycle_graph(5), nx.complete_graph(4)
)  # fmt: skip


def filters_of(patterns, width, features=None):
    """Patterns given as networkx graphs, padded to ``width`` nodes; features 1 when left out."""
    adj, feat = torch.zeros(len(patterns), width, width), torch.zeros(len(patterns), width, 1)
    for number, pattern in enumerate(patterns):
        n = len(pattern)
        adj[number, :n, :n] = torch.from_numpy(nx.to_numpy_array(pattern)).float()
        feat[number, :n, 0] = torch.tensor(1.0 if features is None else features[number])
    return DiscreteFilters(adj, feat, adj.clone(), tuple(map(len, patterns)))


def source_of(size, num_hops=3, kernel=None, limit=2**30, **options):
    unscaled = FeatureScaling(np.zeros(1), np.ones(1), np.ones(1))
    budget = MemoryBudget(limit, size, 4, 1, 1)
    return SubgraphSource(kernel or GOMKKernel(3), unscaled, budget, size, num_hops, **options)


def compare(graph, patterns, width=6, roots=None, features=None, **options):
    csr = as_csr(graph, features=features)
    filters = filters_of(patterns, width)
    return compare_neighbourhoods(source_of(width, **options), csr, filters, roots)


@pytest.mark.parametrize("policy", ["dense", "bfs"])
def test_a_pattern_of_m_nodes_is_compared_with_subgraphs_of_m_nodes(policy):
    graph = nx.powerlaw_cluster_graph(40, 2, 0.5, seed=3)
    values = np.random.default_rng(0).random((40, 1))
    patterns = [RING, TRIANGLE, CLIQUE, PATH, nx.star_graph(4)]
    near = compare(graph, patterns, features=values, policy=policy, num_hops=2)
    csr, filters = as_csr(graph, features=values), filters_of(patterns, 6)
    for number, pattern in enumerate(patterns):
        size = len(pattern)
        source = source_of(size, num_hops=2, policy=policy)
        batch = source.extract(csr)
        expected = gomk(
            torch.from_numpy(batch.adjacency()), torch.from_numpy(batch.gather(csr.features)),
            filters.adj[[number], :size, :size], filters.feat[[number], :size],
            num_nodes=torch.from_numpy(batch.num_nodes), kernel=source.kernel, normalize=True,
            backend="reference",
        )  # fmt: skip
        np.testing.assert_allclose(near.similarity[:, number], expected[:, 0], rtol=1e-5, atol=1e-6)
        same = [
            nx.is_isomorphic(graph.subgraph({*row} - {-1}), pattern) for row in batch.nodes.tolist()
        ]
        assert near.same[:, number].tolist() == same
        if size == 5:
            # the largest size decides what is cut
            assert near.truncated.tolist() == batch.truncated.tolist()
    # of equals the structure decides, and the larger pattern
    best, value = near.nearest()
    assert (value >= near.similarity.max(axis=1) - 6e-5).all()
    assert best.dtype == np.int32 and value.dtype == np.float32


def test_of_perfect_matches_the_pattern_that_says_most_is_nearest():
    graph = nx.disjoint_union_all([RING, CLIQUE, PATH])
    for patterns in ([PATH, TRIANGLE, RING, CLIQUE], [CLIQUE, RING, TRIANGLE, PATH]):
        near = compare(graph, patterns, width=5)
        ring, clique, path = (patterns.index(one) for one in (RING, CLIQUE, PATH))
        best, value = near.nearest()
        assert best.tolist() == [ring] * 5 + [clique] * 4 + [path] * 3
        assert value == pytest.approx(1)
        # a ring is cut into a path around each of its nodes
        assert near.similarity[:5, path] == pytest.approx(1)


def test_a_structure_decides_where_the_kernel_cannot():
    # both are 3-regular on 6 nodes
    prism, bipartite = nx.circular_ladder_graph(3), nx.complete_bipartite_graph(3, 3)
    near = compare(nx.disjoint_union(prism, bipartite), [bipartite, prism])
    assert near.similarity == pytest.approx(1)
    assert near.nearest()[0].tolist() == [1] * 6 + [0] * 6


def test_a_neighbourhood_has_the_categories_of_a_pattern_as_well():
    # edges of two kinds of nodes: equal ends in the second, a square of the other kind
    graph = nx.disjoint_union_all([nx.path_graph(2), nx.path_graph(2), nx.cycle_graph(4)])
    colors = np.array([0, 1, 1, 1, 0, 0, 1, 1])
    features = np.eye(2)[colors]
    csr = as_csr(graph, features=features)
    edge = torch.tensor([[0.0, 1.0], [1.0, 0.0]])[None]
    square = torch.from_numpy(nx.to_numpy_array(nx.cycle_graph(4))[None]).float()
    scaling = FeatureScaling(np.zeros(2), np.ones(2), np.ones(2))
    source = replace(
        source_of(4), scaling=scaling, categories=Categories.find(features, ["kind=a", "kind=b"])
    )
    parts = []
    for adj, own in (
        (edge, [0, 1]),
        (edge, [1, 1]),
        (square, [1, 1, 0, 0]),
        (square, [0, 1, 0, 1]),
    ):
        feat = torch.eye(2)[own][None]
        parts.append(DiscreteFilters(adj, feat, adj, (len(own),)).trimmed(4))
    near = compare_neighbourhoods(source, csr, DiscreteFilters.join(parts), None)
    first, second, rows, alternating = (np.flatnonzero(one).tolist() for one in near.same.T)
    assert rows == [4, 5, 6, 7] and alternating == []
    # of a square, the first two nodes around each root are compared
    assert first[:2] == [0, 1] and second[:2] == [2, 3]


@pytest.mark.parametrize("size", [1, 7])
def test_parts_and_samples_of_the_roots_give_the_same_rows(size, monkeypatch):
    graph = nx.gnm_random_graph(30, 50, seed=2)
    patterns = [TRIANGLE, RING, nx.star_graph(3)]
    whole = compare(graph, patterns)
    roots = np.array([3, 4, 11, 12, 13, 20, 21, 29])
    monkeypatch.setattr(neighbourhoods, "_TASK_SIZE", size)
    parts, some = compare(graph, patterns), compare(graph, patterns, roots=roots)
    assert some.roots.tolist() == roots.tolist()
    for name in ("similarity", "ranking", "same", "truncated"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
        np.testing.assert_array_equal(getattr(some, name), getattr(whole, name)[roots])


def test_without_patterns_nothing_is_nearest():
    near = compare(RING, [])
    assert near.similarity.shape == (5, 0)
    assert [one.shape for one in near.nearest()] == [(0,), (0,)]
