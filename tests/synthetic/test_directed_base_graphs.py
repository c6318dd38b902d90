"""Directed base graphs: simple, repeatable, and with the degrees of their models."""

import networkx as nx
import numpy as np
import pytest

from synthetic import (
    DIRECTED_BASE_GRAPHS,
    directed_configuration,
    layered,
    orient_edges,
)

ARGUMENTS = {"configuration": (2.0,), "scale-free": (), "layered": (5, 2)}


@pytest.mark.parametrize("name", DIRECTED_BASE_GRAPHS)
def test_arcs_are_simple_and_a_seed_repeats(name):
    draw = DIRECTED_BASE_GRAPHS[name]
    first, again, other = (draw(100, *ARGUMENTS[name], seed=seed) for seed in (1, 1, 2))
    assert first.tolist() == again.tolist() != other.tolist()
    assert first.dtype == np.int64
    assert 0 <= first.min() <= first.max() < 100
    assert (first[:, 0] != first[:, 1]).all()
    assert len(np.unique(first, axis=0)) == len(first) > 90


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
