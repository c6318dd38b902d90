"""Reference graphs: as many nodes and edges, near points joined, and clustered as wanted."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_lists import concatenate
from mining.null_models.null_models import find_communities, sample_null
from mining.null_models.reference_graphs import clustering

KINDS = ("geometric", "small-world")


@pytest.mark.parametrize("null", KINDS)
def test_each_graph_keeps_its_nodes_edges_and_features(null):
    graphs = [nx.gnp_random_graph(size, 0.2, seed=size) for size in (5, 30, 1, 40)]
    graph = concatenate([as_csr(one) for one in graphs])
    sample = sample_null(graph, null, 0)
    pairs = sample.adjacent_pairs()
    assert len(np.unique(pairs, axis=0)) == len(pairs) == graph.num_edges
    assert (pairs[:, 0] != pairs[:, 1]).all()
    owner = graph.graph_of(pairs[:, 0])
    np.testing.assert_array_equal(owner, graph.graph_of(pairs[:, 1]))
    assert np.bincount(owner, minlength=4).tolist() == [one.size() for one in graphs]
    np.testing.assert_array_equal(sample.features, graph.features)
    # rows are sorted
    assert all(
        (np.diff(sample.indices[a:b]) > 0).all()
        for a, b in zip(sample.indptr[:-1], sample.indptr[1:], strict=True)
    )


def test_near_points_are_as_clustered_as_those_of_networkx():
    graph = nx.random_geometric_graph(600, 0.06, seed=2)
    sample = sample_null(as_csr(nx.Graph(graph.edges)), "geometric", 0)
    found = clustering(sample.indptr, sample.indices)
    assert found == pytest.approx(nx.transitivity(graph), abs=0.05)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_the_ring_is_clustered_as_the_graph(share):
    graph = nx.watts_strogatz_graph(600, 6, share, seed=1)
    csr = as_csr(graph)
    assert clustering(csr.indptr, csr.indices) == pytest.approx(nx.transitivity(graph))
    sample = sample_null(csr, "small-world", 0)
    found = clustering(sample.indptr, sample.indices)
    assert found == pytest.approx(nx.transitivity(graph), abs=0.04)


@pytest.mark.parametrize("null", KINDS)
def test_directions_are_refused(null):
    arcs = as_csr(nx.gnp_random_graph(20, 0.2, seed=0, directed=True))
    with pytest.raises(InputError, match=f"null must not be '{null}'"):
        sample_null(arcs, null, 0)


def test_communities_keep_the_edges_between_them():
    graph = nx.planted_partition_graph(4, 40, 0.3, 0.01, seed=1)
    csr = as_csr(nx.Graph(graph.edges))
    community = find_communities(csr)
    # each block is a community, but for a few nodes
    assert len(np.unique(community)) == 4
    sample = sample_null(csr, "communities", 0)
    assert sample.degrees.tolist() == csr.degrees.tolist()
    kinds = [np.sort(community[one.adjacent_pairs()], axis=1) for one in (csr, sample)]
    (pairs, before), (again, after) = (np.unique(one, axis=0, return_counts=True) for one in kinds)
    assert (pairs.tolist(), before.tolist()) == (again.tolist(), after.tolist())
    edges, old = (set(map(tuple, one.adjacent_pairs().tolist())) for one in (sample, csr))
    assert len(edges & old) < 0.6 * len(old)
