"""The mixture of noisy copies: likelihoods by hand, bounds, responsibilities, overlaps."""

import networkx as nx
import numpy as np
import pytest

from mining.noisy_templates.alignments import EDGE, PADDING
from mining.noisy_templates.template_mixture import (
    Observations,
    Template,
    background_log_likelihood,
    component_log_likelihoods,
    expectation_step,
    fit_weights,
)


def observe(*graphs, width=0, nodes=None):
    """Subgraphs without features, or with ``width`` zeros at each node."""
    size = max(map(len, graphs))
    adj = [np.pad(nx.to_numpy_array(graph), (0, size - len(graph))) for graph in graphs]
    features = np.zeros((len(graphs), size, width))
    return Observations.of(np.stack(adj), features, np.array([len(g) for g in graphs]), nodes)


def random_data(count, size, width, seed):
    """Random subgraphs of 1 to ``size`` nodes."""
    rng = np.random.default_rng(seed)
    graphs = [nx.gnp_random_graph(n, 0.5, seed=seed) for n in rng.integers(1, size + 1, count - 1)]
    data = observe(nx.complete_graph(size), *graphs)
    features = rng.random((count, size, width)) * data.is_real[:, :, None]
    return Observations(data.pairs, features, data.num_nodes, data.pairs_id, data.overlaps)


def as_template(data, row, **noise):
    return Template(data.pairs[row], data.features[row], int(data.num_nodes[row]), **noise)


def test_pairs_and_padding():
    path = nx.path_graph(3)
    data = observe(path, nx.path_graph(2), path)
    assert data.pairs.tolist() == [[1, 0, 1], [1, 2, 2], [1, 0, 1]]
    assert data.is_real.tolist() == [[True] * 3, [True, True, False], [True] * 3]
    assert data.pairs_id[0] == data.pairs_id[2] != data.pairs_id[1]
    assert data.take(np.array([1])).pairs.tolist() == [[EDGE, PADDING, PADDING]]


def test_the_likelihood_of_two_nodes_by_hand():
    # a feature at the top of a density of height 1
    noise = {"variance": 1 / (2 * np.pi), "deletion_rate": 0.3}
    pair = observe(nx.empty_graph(2), width=1)
    template = Template(np.array([EDGE], np.int8), np.zeros((2, 1)), 2, **noise)
    # the edge is deleted, both nodes are there
    assert template.log_likelihood(pair)[0] == pytest.approx(np.log(0.3 * 0.98**2))
    # one node of the template is left out, so its pair is not observed
    single = Observations.of(np.zeros((1, 2, 2)), np.zeros((1, 2, 1)), np.array([1]))
    assert template.log_likelihood(single)[0] == pytest.approx(np.log(0.98 * 0.02))
    # the copy has one node more than the template, with or without an edge
    one_node = Template(np.array([PADDING], np.int8), np.zeros((2, 1)), 1, **noise)
    assert one_node.log_likelihood(pair)[0] == pytest.approx(np.log(0.98 * 0.02 * 0.5))


def test_features_fit_as_a_normal_density():
    data = random_data(5, 3, 2, seed=0)
    template = as_template(data, 1, variance=0.05)
    fit = template.log_fit(data)
    for unit, i, m in np.ndindex(fit.shape):
        here, there = i < data.num_nodes[unit], m < template.num_nodes
        squared = ((data.features[unit, i] - template.features[m]) ** 2).sum()
        normal = -squared / 0.1 - np.log(2 * np.pi * 0.05) + np.log(0.98)
        expected = normal if here and there else np.log(0.02) if here or there else 0
        assert fit[unit, i, m] == pytest.approx(expected)


def test_a_likelihood_below_the_floor_is_a_bound():
    data = random_data(30, 4, 3, seed=1)
    template = as_template(data, 0)
    exact = template.log_likelihood(data)
    floor = np.full(30, np.quantile(exact, 0.9))
    found = template.log_likelihood(data, floor)
    np.testing.assert_allclose(found[exact >= floor], exact[exact >= floor])
    assert (found >= exact - 1e-9).all()
    assert (found[found < floor] > exact[found < floor]).any()


def test_the_background_has_the_density_of_its_size():
    data = observe(nx.complete_graph(3), nx.path_graph(3), nx.path_graph(3))
    density = (3 + 2 + 2 + 0.5) / (9 + 1)
    path = 2 * np.log(density) + np.log(1 - density)
    np.testing.assert_allclose(background_log_likelihood(data), [3 * np.log(density), path, path])
    # fitted to other subgraphs
    held_out, fitted = data.take(np.array([0])), data.take(np.array([1]))
    expected = 3 * np.log((2 + 0.5) / (3 + 1))
    np.testing.assert_allclose(background_log_likelihood(held_out, fitted), expected)


def test_responsibilities_and_mixing_weights():
    data = observe(*[nx.cycle_graph(5)] * 9, *[nx.complete_graph(5)] * 3)
    rates = {"deletion_rate": 0.01, "insertion_rate": 0.01}
    table = component_log_likelihoods(data, [as_template(data, row, **rates) for row in (0, 11)])
    weight = fit_weights(table, 20)
    np.testing.assert_allclose(weight, [0.75, 0.25, 0], atol=1e-3)
    posterior = expectation_step(table, weight)
    assert posterior.responsibility.argmax(axis=1).tolist() == [0] * 9 + [1] * 3
    np.testing.assert_allclose(posterior.responsibility.sum(axis=1), 1)
    np.testing.assert_allclose(posterior.log_evidence, np.log((np.exp(table) * weight).sum(axis=1)))


def test_of_overlapping_subgraphs_one_is_a_copy():
    path, ring = nx.path_graph(4), nx.cycle_graph(4)
    # the first two share three nodes, the third one node, the last none
    nodes = np.array([[0, 1, 2, 3], [1, 2, 3, 4], [3, 4, 5, 6], [7, 8, 9, 10]])
    data = observe(path, ring, path, path, nodes=nodes)
    assert data.overlaps.tolist() == [[0, 1]]
    assert data.take(np.array([1, 3, 0])).overlaps.tolist() == [[2, 0]]
    table = component_log_likelihoods(data, [as_template(data, 1), as_template(data, 0)])
    posterior = expectation_step(table, np.array([0.4, 0.4, 0.2]))
    before, copies = posterior.responsibility, posterior.of_copies(data)
    assert copies[0].tolist() == [0, before[0, 1]]
    assert copies[1].tolist() == [before[1, 0], 0]
    assert copies[2:].tolist() == before[2:, :2].tolist()
