"""Base graphs, with and without directions, beside NetworkX and what their definitions promise."""

import math

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from synthetic import (
    BASE_GRAPHS,
    DIRECTED_BASE_GRAPHS,
    barabasi_albert,
    directed_configuration,
    layered,
    networkx_edges,
    orient_edges,
)

# Name and arguments before the seed, for 60 nodes.
CASES = {"ba": (60, 3), "er": (60, 0.1), "ws": (60, 4, 0.3), "regular": (60, 3), "tree": (60,)}
DIRECTED = {"configuration": (60, 2.0), "scale-free": (60,), "layered": (60, 5, 2)}
BA_6_2_SEED_5 = [[0, 1], [0, 2], [0, 3], [2, 3], [0, 4], [2, 4], [3, 5], [2, 5]]


def to_graph(edges, num_nodes):
    graph = nx.empty_graph(num_nodes)
    graph.add_edges_from(edges.tolist())
    return graph


def degrees(edges, num_nodes):
    return np.bincount(edges.ravel(), minlength=num_nodes)


@pytest.mark.parametrize(
    ("draw", "arguments"),
    [
        *((BASE_GRAPHS[name], CASES[name]) for name in BASE_GRAPHS),
        *((DIRECTED_BASE_GRAPHS[name], DIRECTED[name]) for name in DIRECTED_BASE_GRAPHS),
    ],
)
def test_rows_are_unique_edges_and_a_seed_repeats(draw, arguments):
    rng = np.random.default_rng(7)
    before = np.random.get_state()[1].copy()
    edges = draw(*arguments, seed=rng)
    assert edges.dtype == np.int64 and edges.shape == (len(edges), 2)
    assert edges.min() >= 0 and edges.max() < 60
    if draw in BASE_GRAPHS.values():
        assert (edges[:, 0] < edges[:, 1]).all()
    assert (edges[:, 0] != edges[:, 1]).all()
    assert len(np.unique(edges, axis=0)) == len(edges) > 50
    assert np.array_equal(edges, draw(*arguments, seed=7))
    assert not np.array_equal(edges, draw(*arguments, seed=8))
    # The generator that was passed advances, the global one does not.
    assert not np.array_equal(edges, draw(*arguments, seed=rng))
    assert np.array_equal(before, np.random.get_state()[1])


@pytest.mark.parametrize("per_node", [1, 5])
def test_barabasi_albert_has_the_size_and_degrees_of_its_definition(per_node):
    edges = barabasi_albert(200, per_node, seed=1)
    assert len(edges) == per_node * (200 - per_node)
    # Each node after the first star brings its own edges, to older nodes.
    newer = np.bincount(edges[:, 1], minlength=200)
    assert (newer[per_node + 1 :] == per_node).all()
    assert nx.is_connected(to_graph(edges, 200))
    assert barabasi_albert(4, 3, seed=0).tolist() == [[0, 1], [0, 2], [0, 3]]
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


def test_the_smallest_and_largest_probabilities():
    draw = {name: lambda *given, name=name: BASE_GRAPHS[name](*given, seed=0) for name in CASES}
    assert draw["er"](7, 0.0).shape == (0, 2)
    assert len(draw["er"](7, 1.0)) == 21
    ring = nx.watts_strogatz_graph(12, 4, 0.0)
    assert nx.utils.graphs_equal(to_graph(draw["ws"](12, 4, 0.0), 12), ring)
    assert (degrees(draw["regular"](8, 3), 8) == 3).all()
    assert draw["regular"](4, 0).shape == draw["tree"](1).shape == (0, 2)
    assert nx.is_tree(to_graph(draw["tree"](50), 50))


def test_a_node_must_be_left_to_join_those_of_the_star():
    assert barabasi_albert(4, 3, seed=0).tolist() == [[0, 1], [0, 2], [0, 3]]
    with pytest.raises(InputError, match="num_nodes must be at least 4, got 3"):
        barabasi_albert(3, 3, seed=0)


def test_what_networkx_refuses_is_an_input_error():
    for name, given in {"regular": (5, 3), "ws": (4, 6, 0.1), "tree": (0,)}.items():
        with pytest.raises(InputError, match=r"of NetworkX cannot be drawn: .*\.$"):
            BASE_GRAPHS[name](*given, seed=0)
    assert networkx_edges("dual_barabasi_albert_graph", 9, 1, 2, 0.5, seed=0).shape[1] == 2


# ---------------------------------------------------------------- directions


def test_degrees_of_the_configuration_model_are_geometric():
    arcs = directed_configuration(20_000, 1.5, seed=0)
    for end in arcs.T:
        degrees = np.bincount(end, minlength=20_000)
        assert degrees.mean() == pytest.approx(1.5, rel=0.03)
        # P(k) = (1 - p)^k p with p = 1 / (1 + mean)
        shares = np.bincount(degrees, minlength=4)[:4] / 20_000
        np.testing.assert_allclose(shares, 0.4 * 0.6 ** np.arange(4), atol=0.015)


def test_a_scale_free_graph_has_hubs_and_a_layered_one_has_layers():
    hubs = DIRECTED_BASE_GRAPHS["scale-free"](2000, seed=0)
    assert np.bincount(hubs[:, 1]).max() > 20 * len(hubs) / 2000
    arcs = layered(53, 5, 3, seed=0)
    layer = np.repeat(np.arange(5), [11, 11, 11, 10, 10])
    assert (layer[arcs[:, 1]] == layer[arcs[:, 0]] + 1).all()
    assert np.bincount(arcs[:, 0], minlength=53).tolist() == [3] * 43 + [0] * 10
    assert nx.is_directed_acyclic_graph(nx.DiGraph(arcs.tolist()))


def test_half_of_the_edges_are_turned():
    edges = np.stack([np.zeros(10_000, int), np.arange(1, 10_001)], axis=1)
    arcs = orient_edges(edges, seed=0)
    assert np.array_equal(np.sort(arcs, axis=1), edges)
    assert 4800 < (arcs[:, 0] == 0).sum() < 5200
