"""Null models: what is kept stays, and the rest is by chance."""

import collections

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining.null_models.null_models import NULL_MODELS, match_anew, sample_null

REWIRING = ("configuration", "degree")


def with_features(graph, seed=0):
    rng = np.random.default_rng(seed)
    return as_csr(graph, features=rng.random((len(graph), 2)))


def as_networkx(graph):
    made = nx.empty_graph(graph.num_nodes)
    made.add_edges_from(graph.undirected_edges().tolist())
    return made


def pairs_of_degrees(graph):
    ends = np.sort(graph.degrees[graph.undirected_edges()], axis=1)
    return collections.Counter(map(tuple, ends.tolist()))


GRAPHS = {
    "tree": nx.random_labeled_tree(60, seed=1),
    "hubs": nx.barabasi_albert_graph(80, 2, seed=1),
    "dense": nx.gnp_random_graph(30, 0.4, seed=1),
    "parts": nx.disjoint_union_all(
        [nx.barabasi_albert_graph(30, 1, seed=1), nx.cycle_graph(9), nx.empty_graph(2)]
    ),
}


@pytest.mark.parametrize("null", REWIRING)
@pytest.mark.parametrize("name", GRAPHS)
def test_rewiring_keeps_degrees_features_and_components(name, null):
    graph = with_features(GRAPHS[name])
    sample = sample_null(graph, null, 3)
    assert sample.degrees.tolist() == graph.degrees.tolist()
    np.testing.assert_array_equal(sample.features, graph.features)
    components = {frozenset(part) for part in nx.connected_components(as_networkx(graph))}
    assert {frozenset(part) for part in nx.connected_components(as_networkx(sample))} == components
    # and changes the edges
    before, after = (set(map(tuple, g.undirected_edges().tolist())) for g in (graph, sample))
    assert len(before - after) > 0.3 * len(before)
    kept = pairs_of_degrees(sample) == pairs_of_degrees(graph)
    assert kept == (null == "degree" or name not in ("tree", "hubs", "dense", "parts"))


def test_components_stay_whole_where_searches_are_given_up(monkeypatch):
    # a tree: nearly every swap of far edges would cut it
    monkeypatch.setattr("mining.null_models.null_models._FEW_NODES", 10)
    monkeypatch.setattr("mining.null_models.null_models._VISITS", 3)
    for graph in (nx.random_labeled_tree(60, seed=1), nx.barabasi_albert_graph(60, 2, seed=1)):
        sample = as_networkx(sample_null(as_csr(graph), "configuration", 0))
        assert nx.is_connected(sample)
        assert dict(sample.degree) == dict(graph.degree)
        assert set(sample.edges) != set(graph.edges)


@pytest.mark.parametrize("null", NULL_MODELS)
def test_a_sample_follows_its_seed(null):
    graph = with_features(GRAPHS["hubs"])
    first, again, other = (sample_null(graph, null, seed) for seed in (5, 5, 6))

    def content(sample):
        return (sample.indices.tolist(), sample.features.tolist())

    assert content(first) == content(again) != content(other)


def test_features_are_shuffled_by_rows_and_edges_stay():
    graph = with_features(GRAPHS["hubs"])
    sample = sample_null(graph, "features", 1)
    assert sample.indices.tolist() == graph.indices.tolist()
    assert sample.features.tolist() != graph.features.tolist()
    assert sorted(sample.features.tolist()) == sorted(graph.features.tolist())


@pytest.mark.parametrize("null", NULL_MODELS)
def test_a_collection_keeps_its_graphs(null):
    parts = [nx.barabasi_albert_graph(size, 2, seed=size) for size in (12, 20, 16)]
    for part in parts:
        for node in part:
            part.nodes[node]["feat"] = [float(len(part)), float(node)]
    collection = as_csr(parts)
    sample = sample_null(collection, null, 0)
    assert sample.graph_ptr.tolist() == [0, 12, 32, 48]
    assert sample.feature_names == collection.feature_names
    for first, last in zip(sample.graph_ptr, sample.graph_ptr[1:], strict=False):
        near = sample.indices[sample.indptr[first] : sample.indptr[last]]
        assert first <= near.min() <= near.max() < last
    # features travel between graphs
    if null == "features":
        assert set(sample.features[:12, 0]) > {12.0}


def test_ids_of_the_input_are_kept_and_weights_dropped():
    graph = nx.relabel_nodes(GRAPHS["hubs"], lambda node: f"n{node}")
    nx.set_edge_attributes(graph, 2.5, "weight")
    csr = as_csr(graph, edge_weight="weight")
    sample = sample_null(csr, "degree", 0)
    assert sample.node_ids.tolist() == csr.node_ids.tolist()
    assert sample.weights is None


@pytest.mark.parametrize("null", REWIRING)
@pytest.mark.parametrize(
    "graph",
    [nx.empty_graph(3), nx.path_graph(2), nx.complete_graph(5), nx.star_graph(6), nx.path_graph(3)],
    ids=["no edge", "one edge", "clique", "star", "path"],
)
def test_a_graph_that_its_degrees_determine_comes_back(graph, null):
    csr = as_csr(graph)
    sample = sample_null(csr, null, 2)
    assert sample.undirected_edges().tolist() == csr.undirected_edges().tolist()


@pytest.mark.parametrize(
    ("graph", "ways"),
    # n labelled nodes can be closed to a ring in (n - 1)! / 2 ways; of a ring of 5 and a path each
    # swap leads to one half of them
    [(nx.cycle_graph(6), 60), (nx.cycle_graph(5), 12), (nx.path_graph(4), 2)],
    ids=["ring of 6", "ring of 5", "path of 4"],
)
def test_all_graphs_of_these_degrees_are_equally_likely(graph, ways):
    csr = as_csr(graph)
    seen = collections.Counter(
        tuple(map(tuple, sample_null(csr, "degree", seed).undirected_edges().tolist()))
        for seed in range(50 * ways)
    )
    assert len(seen) == ways
    # 50 of each, five standard deviations
    assert 15 <= min(seen.values()) <= max(seen.values()) <= 85


def test_an_unknown_null_model_is_refused():
    with pytest.raises(InputError, match=r"^null must be one of 'configuration', 'degree', "):
        sample_null(as_csr(nx.path_graph(3)), "chance", 0)


@pytest.mark.parametrize("name", GRAPHS)
def test_edges_matched_anew_stay_among_nodes_of_their_degree_and_component(name):
    graph = with_features(GRAPHS[name])
    sample, again = (match_anew(graph, np.random.default_rng(5)) for _ in range(2))
    assert as_networkx(sample).edges == as_networkx(again).edges
    made = as_networkx(sample)
    assert not list(nx.selfloop_edges(made))
    # what as_csr would make of it: sorted, each edge in both directions
    assert sample.indices.tolist() == as_csr(made).indices.tolist()
    assert sample.indptr.tolist() == as_csr(made).indptr.tolist()
    np.testing.assert_array_equal(sample.features, graph.features)
    # edges are lost, none is won
    degrees = np.sort(graph.degrees[graph.undirected_edges()], axis=1)
    assert (sample.degrees <= graph.degrees).all()
    before = collections.Counter(map(tuple, degrees.tolist()))
    kept = np.sort(graph.degrees[sample.undirected_edges()], axis=1)
    assert not collections.Counter(map(tuple, kept.tolist())) - before
    component = {
        node: number
        for number, part in enumerate(nx.connected_components(as_networkx(graph)))
        for node in part
    }
    assert all(component[u] == component[v] for u, v in made.edges)


def test_a_large_graph_matched_anew_loses_little_and_is_another():
    graph = with_features(nx.barabasi_albert_graph(20_000, 2, seed=1))
    sample = match_anew(graph, np.random.default_rng(0))
    assert sample.num_edges > 0.999 * graph.num_edges
    same = set(map(tuple, sample.undirected_edges().tolist())) & set(
        map(tuple, graph.undirected_edges().tolist())
    )
    assert len(same) < 0.02 * graph.num_edges
    empty = with_features(nx.empty_graph(3))
    assert match_anew(empty, np.random.default_rng(0)).num_edges == 0
