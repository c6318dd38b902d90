"""Base graphs beside NetworkX and what their definitions promise."""

import math

import networkx as nx
import numpy as np
import pytest

from gomkcn.synthetic.base_graphs import barabasi_albert, networkx_edges, orient_edges
from gomkcn.synthetic.base_models import BASE_GRAPHS, BaseModel
from gomkcn_dgl.errors import InputError

# the settings of each, for a graph of 60 nodes
CASES = {"ba": (3,), "er": (0.1,), "ws": (4, 0.3), "regular": (3,), "tree": ()}
BA_6_2_SEED_5 = [[0, 1], [0, 2], [0, 3], [2, 3], [0, 4], [2, 4], [3, 5], [2, 5]]


def to_graph(edges, num_nodes):
    graph = nx.empty_graph(num_nodes)
    graph.add_edges_from(edges.tolist())
    return graph


def degrees(edges, num_nodes):
    return np.bincount(edges.ravel(), minlength=num_nodes)


@pytest.mark.parametrize("name", BASE_GRAPHS)
def test_rows_are_unique_edges_and_a_seed_repeats(name):
    draw = BASE_GRAPHS[name](*CASES[name]).draw
    rng = np.random.default_rng(7)
    before = np.random.get_state()[1].copy()
    edges = draw(60, seed=rng)
    assert edges.dtype == np.int64 and edges.shape == (len(edges), 2)
    assert edges.min() >= 0 and edges.max() < 60
    assert (edges[:, 0] < edges[:, 1]).all()
    assert len(np.unique(edges, axis=0)) == len(edges) > 50
    assert np.array_equal(edges, draw(60, seed=7))
    assert not np.array_equal(edges, draw(60, seed=8))
    # The generator that was passed advances, the global one does not.
    assert not np.array_equal(edges, draw(60, seed=rng))
    assert np.array_equal(before, np.random.get_state()[1])


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({}, "the base graph Other lacks a name"),
        ({"name": "er"}, "'er' names two base graphs: ErdosRenyi and Other"),
        (
            {"name": "other", "__annotations__": {"degree": "int"}},
            "'degree' is a setting of two base graphs: 'regular' and 'other'",
        ),
    ],
)
def test_a_name_of_another_base_graph_is_refused(members, words):
    before = dict(BASE_GRAPHS)
    with pytest.raises(TypeError, match=words):
        type("Other", (BaseModel,), members)
    assert before == BASE_GRAPHS


@pytest.mark.parametrize("per_node", [1, 5])
def test_barabasi_albert_has_the_size_and_degrees_of_its_definition(per_node):
    edges = barabasi_albert(200, per_node, seed=1)
    assert len(edges) == per_node * (200 - per_node)
    # Each node after the first star brings its own edges, to older nodes.
    newer = np.bincount(edges[:, 1], minlength=200)
    assert (newer[per_node + 1 :] == per_node).all()
    assert nx.is_connected(to_graph(edges, 200))
    # Written down once with Numba; the nojit environment must give the same.
    assert barabasi_albert(6, 2, seed=5).tolist() == BA_6_2_SEED_5


@pytest.mark.parametrize("per_node", [1, 3])
def test_barabasi_albert_has_the_degree_distribution_of_networkx(per_node):
    edges = barabasi_albert(100, per_node, 0, num_graphs=60)
    ours = degrees(edges, 6000)
    others = [nx.barabasi_albert_graph(100, per_node, seed=seed) for seed in range(60)]
    theirs = np.array([degree for graph in others for _, degree in graph.degree])
    # Kolmogorov–Smirnov distance under its critical value at 0.1 %, 1.95 sqrt(2 / n).
    values = np.arange(max(ours.max(), theirs.max()) + 1)
    difference = (ours[:, None] <= values).mean(axis=0) - (theirs[:, None] <= values).mean(axis=0)
    assert np.abs(difference).max() < 1.95 * math.sqrt(2 / 6000)


def test_graphs_grown_together_are_separate():
    edges = barabasi_albert(10, 2, seed=0, num_graphs=5).reshape(5, 16, 2)
    for g in range(5):
        assert (edges[g] // 10 == g).all()
        assert nx.is_connected(to_graph(edges[g] - 10 * g, 10))
    assert not np.array_equal(edges[0], edges[1] - 10)


def test_a_node_must_be_left_to_join_those_of_the_star():
    assert barabasi_albert(4, 3, seed=0).tolist() == [[0, 1], [0, 2], [0, 3]]
    with pytest.raises(InputError, match="num_nodes must be at least 4, got 3"):
        barabasi_albert(3, 3, seed=0)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("er", (5, 2), "edge_prob must be at most 1, got 2"),
        ("er", (5, -0.1), "edge_prob must be at least 0"),
        ("er", (5, float("nan")), "edge_prob must be finite"),
        ("er", (0, 0.5), "num_nodes must be at least 1"),
        ("ws", (9, 4, 1.5), "rewire_prob must be at most 1"),
        ("ws", (4, 6, 0.1), "neighbors must be at most 4"),
        ("ws", (4, 0, 0.1), "neighbors must be at least 2"),
        ("regular", (5, 5), "degree must be at most 4"),
        ("regular", (5, -1), "degree must be at least 1"),
        ("tree", (0,), "num_nodes must be at least 1"),
        ("ba", (2**31 - 1, 10**4), "a base graph of 2,147,483,647 nodes .* would need .* TiB"),
        ("er", (10**9, 0.9), "would need .* TiB of memory, and there are .*; give fewer nodes"),
        ("ws", (2**31 - 1, 10**4, 0.1), "would need .* TiB of memory"),
        ("tree", (2**31 - 1,), "a base graph of 2,147,483,647 nodes and about 2,147,483,647 edges"),
    ],
)
def test_what_no_base_graph_is_or_no_memory_holds_is_refused(name, given, said, monkeypatch):
    monkeypatch.setattr("gomkcn_dgl.runtime.memory.total_memory", lambda: 2**34)
    with pytest.raises(InputError, match=said):
        BASE_GRAPHS[name](*given[1:]).draw(given[0], seed=0)


def test_what_networkx_refuses_is_an_input_error():
    with pytest.raises(InputError, match=r"of NetworkX cannot be drawn: n \* d must be even\.$"):
        BASE_GRAPHS["regular"](3).draw(5, seed=0)
    assert (
        BASE_GRAPHS["er"](0.0).draw(7, seed=0).shape
        == BASE_GRAPHS["tree"]().draw(1, seed=0).shape
        == (0, 2)
    )
    assert (degrees(BASE_GRAPHS["regular"](3).draw(8, seed=0), 8) == 3).all()
    # arcs keep their direction
    arcs = networkx_edges("scale_free_graph", 200, seed=0)
    assert (arcs[:, 0] > arcs[:, 1]).any() and (arcs[:, 0] < arcs[:, 1]).any()


def test_half_of_the_edges_are_turned():
    edges = np.stack([np.zeros(10_000, int), np.arange(1, 10_001)], axis=1)
    arcs = orient_edges(edges, seed=0)
    assert np.array_equal(np.sort(arcs, axis=1), edges)
    assert 4800 < (arcs[:, 0] == 0).sum() < 5200
