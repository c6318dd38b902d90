"""Exact counts: against every node set of small graphs, and against igraph on larger ones."""

import itertools
import time

import igraph
import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining.assessment.evaluation import covered_occurrences
from mining.counting.exact_counts import (
    ExactCount,
    SampledCount,
    count_exact,
    count_similar,
    exact_census,
)
from mining.structures.canonical_forms import canonical_form

CONNECTED = [g for g in nx.graph_atlas_g()[1:] if nx.is_connected(g)]
# binomial coefficients count cliques and stars in closed form
CLIQUE = {size: 1 - np.eye(size) for size in range(1, 9)}


def adjacency(graph):
    return nx.to_numpy_array(graph)


def classes_of(graph, size):
    """Certificate → how many node sets of the graph induce it, one by one."""
    counts = {}
    for nodes in itertools.combinations(graph, size):
        name = canonical_form(nx.to_numpy_array(graph, nodelist=nodes)).certificate
        counts[name] = counts.get(name, 0) + 1
    return counts


@pytest.mark.parametrize(("edge_prob", "seed"), [(0.2, 0), (0.35, 1), (0.5, 2), (0.8, 3)])
def test_every_topology_of_up_to_six_nodes_counts_its_node_sets(edge_prob, seed):
    graph = nx.gnp_random_graph(9, edge_prob, seed=seed)
    rng = np.random.default_rng(seed)
    csr = as_csr(graph)
    truth = {size: classes_of(graph, size) for size in range(1, 7)}
    for topology in CONNECTED:
        size = len(topology)
        if size > 6:
            continue
        order = rng.permutation(size)
        adj = adjacency(topology)[np.ix_(order, order)]
        count = count_exact(csr, adj).count
        assert count == truth[size].get(canonical_form(adj).certificate, 0), topology.edges


@pytest.mark.parametrize("seed", range(3))
def test_igraph_lists_as_many_in_a_larger_graph(seed):
    graph = nx.barabasi_albert_graph(200, 2, seed=seed)
    whole = igraph.Graph(n=200, edges=list(graph.edges))
    for topology in (nx.cycle_graph(6), nx.ladder_graph(4), nx.wheel_graph(5), nx.path_graph(5)):
        small = igraph.Graph(n=len(topology), edges=list(topology.edges))
        ways = whole.get_subisomorphisms_lad(small, induced=True)
        count = count_exact(as_csr(graph), adjacency(topology)).count
        assert count == len({frozenset(nodes) for nodes in ways})
        assert count > 0 or topology.number_of_edges() > 6


def test_cliques_and_stars_by_binomial_coefficients():
    # 8 alike nodes have 40320 symmetries, all broken
    assert count_exact(as_csr(nx.complete_graph(12)), CLIQUE[8]).count == 495
    star = adjacency(nx.star_graph(7))
    assert count_exact(as_csr(nx.star_graph(30)), star).count == 2_035_800
    assert count_exact(as_csr(nx.cycle_graph(40)), adjacency(nx.cycle_graph(40))).count == 1
    assert count_exact(as_csr(nx.complete_graph(5)), star).count == 0


def test_single_nodes_and_edges():
    graph = as_csr([nx.path_graph(4), nx.empty_graph(2)])
    assert count_exact(graph, CLIQUE[1]) == ExactCount(6, 0.0, 6, 2)
    edge = count_exact(graph, CLIQUE[2])
    assert (edge.count, edge.num_graphs) == (3, 1)


def test_a_collection_counts_over_its_graphs_and_those_that_have_any():
    graph = as_csr([nx.cycle_graph(3), nx.path_graph(3), nx.complete_graph(4), nx.cycle_graph(5)])
    found = count_exact(graph, CLIQUE[3])
    assert (found.count, found.num_graphs) == (5, 2)
    path = count_exact(graph, adjacency(nx.path_graph(3)))
    assert (path.count, path.num_graphs) == (6, 2)


def test_weights_play_no_part():
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 0.5), (1, 2, 3.0), (0, 2, 2.0)])
    csr = as_csr(graph, edge_weight="weight")
    assert count_exact(csr, 0.25 * CLIQUE[3]).count == 1
    assert count_similar(csr, CLIQUE[3]).count == 1


def test_a_count_that_is_not_finished_says_so(monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(ticks)))
    # C(200, 8) cliques: no machine ends before the second tick
    found = count_exact(as_csr(nx.complete_graph(200)), CLIQUE[8], time_limit=0.5)
    assert found.count is None
    assert (found.seconds, found.num_graphs) == (1.0, 1)
    assert 1_000_000 < found.at_least < 100_000_000


def test_a_limit_changes_nothing_where_it_is_kept():
    graph = as_csr(nx.gnp_random_graph(30, 0.3, seed=0))
    assert count_exact(graph, CLIQUE[3], time_limit=60).count == count_exact(graph, CLIQUE[3]).count


@pytest.mark.parametrize(
    ("adj", "sentence"),
    [
        (np.zeros((2, 3)), "adjacency must be a matrix [M, M], got the shape (2, 3)."),
        (np.zeros((0, 0)), "adjacency must have from 1 to 62 nodes, got 0."),
        (np.zeros((63, 63)), "adjacency must have from 1 to 62 nodes, got 63."),
        (
            np.triu(np.ones((2, 2)), 1),
            "adjacency must be symmetric, got different entries for 0, 1 and 1, 0.",
        ),
        (np.ones((2, 2)), "adjacency must have no self-loops, got one on its diagonal."),
        (np.zeros((2, 2)), "adjacency must be connected, got 2 pieces; count each by itself."),
    ],
)
@pytest.mark.parametrize("count", [count_exact, count_similar])
def test_what_is_no_connected_topology_is_refused(count, adj, sentence):
    with pytest.raises(InputError) as error:
        count(as_csr(nx.path_graph(3)), adj)
    assert str(error.value) == sentence


@pytest.mark.parametrize("limit", [0, -1.0])
def test_a_limit_of_no_time_is_refused(limit):
    with pytest.raises(InputError, match="time_limit must be greater than 0"):
        count_exact(as_csr(nx.path_graph(3)), CLIQUE[2], time_limit=limit)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_the_census_of_igraph_has_the_same_counts(size):
    graph = as_csr([nx.gnp_random_graph(12, 0.4, seed=0), nx.star_graph(5)])
    counted = {
        canonical_form(adjacency(topology)).certificate: count_exact(
            graph, adjacency(topology)
        ).count
        for topology in CONNECTED
        if len(topology) == size
    }
    assert exact_census(graph, size) == {name: n for name, n in counted.items() if n}


def test_the_census_is_given_up_at_its_limit():
    assert exact_census(as_csr(nx.complete_graph(60)), 6, time_limit=0.001) is None
    with pytest.raises(InputError, match="size must be at most 6, got 7."):
        exact_census(as_csr(nx.complete_graph(4)), 7)


@pytest.mark.parametrize("policy", ["dense", "bfs"])
def test_the_sampled_count_is_what_the_subgraphs_cover(policy):
    graph = as_csr(nx.barabasi_albert_graph(150, 2, seed=1))
    for topology in (nx.cycle_graph(4), nx.complete_graph(3), nx.star_graph(3)):
        adj = adjacency(topology)
        hops = nx.diameter(topology)
        batch = extract_subgraphs(graph, hops, len(adj), policy=policy, num_views=2, seed=3)
        found = count_similar(graph, adj, policy=policy, num_views=2, seed=3)
        assert found.num_subgraphs == 300
        assert found.count == covered_occurrences(graph, batch, adj)
        assert found.count <= count_exact(graph, adj).count


def test_nothing_to_see_is_a_count_of_zero():
    assert count_similar(as_csr(nx.path_graph(4)), CLIQUE[3]) == SampledCount(0, 0, 4)
