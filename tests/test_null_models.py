"""Null models: what they keep, what they change, and that all graphs are equally likely."""

import collections
import random

import igraph
import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining.null_models.null_models import (
    NULL_MODELS,
    erased_configuration,
    sample_null,
)

REWIRING = ("configuration", "degree")
GRAPHS = {
    "tree": nx.random_labeled_tree(60, seed=1),
    "hubs": nx.barabasi_albert_graph(80, 2, seed=1),
    "parts": nx.disjoint_union_all(
        [nx.barabasi_albert_graph(30, 1, seed=1), nx.cycle_graph(9), nx.empty_graph(2)]
    ),
}


def with_features(graph):
    return as_csr(graph, features=np.random.default_rng(0).random((len(graph), 2)))


def as_networkx(graph):
    made = nx.empty_graph(graph.num_nodes)
    made.add_edges_from(graph.adjacent_pairs().tolist())
    return made


def edge_set(graph):
    return frozenset(map(tuple, graph.adjacent_pairs().tolist()))


def components(graph):
    return set(map(frozenset, nx.connected_components(as_networkx(graph))))


def joint_degrees(graph, degrees):
    ends = np.sort(degrees[graph.adjacent_pairs()], axis=1)
    return collections.Counter(map(tuple, ends.tolist()))


@pytest.mark.parametrize("null", REWIRING)
@pytest.mark.parametrize("name", GRAPHS)
def test_rewiring_keeps_degrees_features_and_components(name, null):
    graph = with_features(GRAPHS[name])
    sample = sample_null(graph, null, 3)
    assert sample.degrees.tolist() == graph.degrees.tolist()
    np.testing.assert_array_equal(sample.features, graph.features)
    assert components(sample) == components(graph)
    assert len(edge_set(graph) - edge_set(sample)) > 0.3 * graph.num_edges
    before, after = (joint_degrees(one, graph.degrees) for one in (graph, sample))
    assert (before == after) == (null == "degree")


def test_components_stay_connected_where_searches_are_given_up(monkeypatch):
    monkeypatch.setattr("mining.null_models.null_models._MAX_EXACT_NODES", 10)
    monkeypatch.setattr("mining.null_models.null_models._MAX_VISITS", 3)
    # a tree: nearly every swap of distant edges would cut it
    for graph in (with_features(GRAPHS[name]) for name in ("tree", "hubs")):
        sample = sample_null(graph, "configuration", 0)
        assert components(sample) == components(graph)
        assert sample.degrees.tolist() == graph.degrees.tolist()
        assert edge_set(sample) != edge_set(graph)


@pytest.mark.parametrize(
    "graph",
    [nx.empty_graph(3), nx.path_graph(2), nx.complete_graph(5), nx.star_graph(6)],
    ids=["no edge", "one edge", "clique", "star"],
)
def test_a_graph_that_its_degrees_determine_comes_back(graph):
    csr = as_csr(graph)
    assert all(edge_set(sample_null(csr, null, 2)) == edge_set(csr) for null in REWIRING)


@pytest.mark.parametrize("name", GRAPHS)
def test_the_erased_configuration_model_loses_edges_and_gains_none(name):
    graph = with_features(GRAPHS[name])
    sample, again = (erased_configuration(graph, np.random.default_rng(5)) for _ in range(2))
    assert edge_set(sample) == edge_set(again) != edge_set(graph)
    # simple and sorted, each edge in both directions
    made = as_csr(as_networkx(sample))
    assert sample.indices.tolist() == made.indices.tolist()
    assert sample.indptr.tolist() == made.indptr.tolist()
    np.testing.assert_array_equal(sample.features, graph.features)
    assert (sample.degrees <= graph.degrees).all()
    before, after = (joint_degrees(one, graph.degrees) for one in (graph, sample))
    assert after <= before
    whole = components(graph)
    assert all(any(part <= other for other in whole) for part in components(sample))


@pytest.mark.parametrize("null", NULL_MODELS)
def test_the_same_seed_gives_the_same_sample(null):
    graph = with_features(GRAPHS["hubs"])
    first, again, other = (sample_null(graph, null, seed) for seed in (5, 5, 6))
    contents = [(one.indices.tolist(), one.features.tolist()) for one in (first, again, other)]
    assert contents[0] == contents[1] != contents[2]
    with pytest.raises(InputError, match="seed must be at least 0"):
        sample_null(graph, null, -1)


def test_all_graphs_of_these_degrees_are_equally_likely():
    # 5 labelled nodes form 4! / 2 rings
    ring = as_csr(nx.cycle_graph(5))
    count = collections.Counter(edge_set(sample_null(ring, "degree", s)) for s in range(600))
    assert len(count) == 12
    # 50 of each, five standard deviations
    assert 15 <= min(count.values()) <= max(count.values()) <= 85


def test_hardly_any_edge_stays_where_it_was():
    """Of a lattice, whose edges all lie where chance would put few."""
    lattice = as_csr(nx.watts_strogatz_graph(400, 6, 0))
    before = edge_set(lattice)
    for seed in range(3):
        stayed = before & edge_set(sample_null(lattice, "configuration", seed))
        assert len(stayed) <= 0.05 * len(before)


def test_samples_have_as_many_triangles_as_those_of_igraph():
    whole = nx.convert_node_labels_to_integers(nx.les_miserables_graph())
    graph, pairs = as_csr(nx.Graph(list(whole.edges))), list(whole.edges)
    samples = [sample_null(graph, "configuration", seed) for seed in range(200)]
    own = [sum(nx.triangles(as_networkx(one)).values()) // 3 for one in samples]
    others = []
    igraph.set_random_number_generator(random.Random(0))
    try:
        for _ in range(300):
            other = igraph.Graph(edges=pairs)
            other.rewire(20 * len(pairs))
            # igraph's swaps may cut a component
            if other.is_connected():
                others.append(len(other.list_triangles()))
    finally:
        igraph.set_random_number_generator(random)
    assert len(others) > 200
    error = np.hypot(*(np.std(one, ddof=1) / len(one) ** 0.5 for one in (own, others)))
    assert abs(np.mean(own) - np.mean(others)) < 4 * error
