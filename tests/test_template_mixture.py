"""The model of noisy copies: likelihoods by hand and against the reference, shares of a mixture."""

import networkx as nx
import numpy as np
import pytest

from mining.noisy_templates.alignment_reference import align_reference
from mining.noisy_templates.alignment_sums import EDGE, PADDING
from mining.noisy_templates.template_mixture import (
    Template,
    Units,
    background_log_likelihood,
    copies_apart,
    explain,
    fit_weight,
    tabulate,
)


def random_units(count, size, width, seed):
    """Random subgraphs of 1 to ``size`` nodes."""
    rng = np.random.default_rng(seed)
    num_nodes = rng.integers(1, size + 1, count)
    adj = np.triu(rng.random((count, size, size)) < 0.5, 1)
    real = np.arange(size) < num_nodes[:, None]
    adj &= real[:, :, None] & real[:, None, :]
    features = rng.random((count, size, width)) * real[:, :, None]
    return Units.of((adj | adj.transpose(0, 2, 1)).astype(float), features, num_nodes)


def template_of(units, row, **rates):
    return Template(units.pairs[row], units.features[row], int(units.num_nodes[row]), **rates)


def flatten(template):
    """The same template with equal features of its nodes."""
    alike = np.broadcast_to(template.features.mean(axis=0), template.features.shape)
    return Template(template.pairs, alike, template.num_nodes, 0.2, 0.1, 0.02)


def test_units_know_their_pairs_and_padding():
    path = nx.to_numpy_array(nx.path_graph(3))
    padded = np.zeros((3, 3))
    padded[0, 1] = padded[1, 0] = 1
    units = Units.of(np.stack([path, padded, path]), np.zeros((3, 3, 1)), np.array([3, 2, 3]))
    assert units.pairs.tolist() == [[1, 0, 1], [1, 2, 2], [1, 0, 1]]
    assert units.real.tolist() == [[True] * 3, [True, True, False], [True] * 3]
    assert units.kind[0] == units.kind[2] != units.kind[1]
    assert units.take(np.array([1])).pairs.tolist() == [[EDGE, PADDING, PADDING]]


def test_the_likelihood_of_two_nodes_by_hand():
    units = Units.of(np.zeros((1, 2, 2)), np.full((1, 2, 1), 0.5), np.array([2]))
    template = Template(
        np.array([EDGE], np.int8), np.full((2, 1), 0.5), 2, lost=0.3, variance=1 / (2 * np.pi)
    )
    # the edge is lost; each node is there, and its feature at the top of a density of height 1
    assert template.log_likelihood(units)[0] == pytest.approx(np.log(0.3 * 0.98**2))
    # one node of the template is left out, and a pair is not seen
    single = Units.of(np.zeros((1, 2, 2)), np.full((1, 2, 1), 0.5), np.array([1]))
    assert template.log_likelihood(single)[0] == pytest.approx(np.log(0.98 * 0.02))
    # a strange node is taken in, joined or not
    alone = Template(
        np.array([PADDING], np.int8), np.full((2, 1), 0.5), 1, variance=1 / (2 * np.pi)
    )
    assert alone.log_likelihood(units)[0] == pytest.approx(np.log(0.98 * 0.02 * 0.5))


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("width", [0, 1, 3])
@pytest.mark.parametrize("size", [1, 2, 4, 5])
def test_the_likelihood_is_that_of_the_reference(size, width, flat):
    units = random_units(12, size, width, seed=size)
    for row in range(3):
        template = template_of(units, row, lost=0.2, added=0.1, variance=0.02)
        template = flatten(template) if flat else template
        factors = template.log_factors()
        expected = align_reference(template.log_fit(units), units.pairs, template.pairs, factors)
        np.testing.assert_allclose(template.log_likelihood(units), expected.log_mean, rtol=1e-9)


def test_features_fit_as_a_normal_density_says():
    units = random_units(5, 3, 2, seed=0)
    template = template_of(units, 0, variance=0.05)
    fit = template.log_fit(units)
    for unit in range(5):
        for i in range(3):
            for m in range(3):
                here, there = i < units.num_nodes[unit], m < template.num_nodes
                apart = ((units.features[unit, i] - template.features[m]) ** 2).sum()
                normal = -apart / 0.1 - np.log(2 * np.pi * 0.05) + np.log(0.98)
                expected = normal if here and there else np.log(0.02) if here or there else 0
                assert fit[unit, i, m] == pytest.approx(expected)


def test_what_cannot_reach_the_floor_gets_a_bound():
    units = random_units(30, 4, 3, seed=1)
    template = template_of(units, 0)
    exact = template.log_likelihood(units)
    floor = np.full(30, np.quantile(exact, 0.9))
    found = template.log_likelihood_above(units, floor)
    np.testing.assert_allclose(found[exact >= floor], exact[exact >= floor])
    assert (found >= exact - 1e-9).all()
    assert (found[found < floor] > exact[found < floor]).any()


def test_the_background_has_the_density_of_its_size():
    triangle, path = nx.to_numpy_array(nx.complete_graph(3)), nx.to_numpy_array(nx.path_graph(3))
    units = Units.of(np.stack([triangle, path, path]), np.zeros((3, 3, 0)), np.full(3, 3))
    density = (3 + 2 + 2 + 0.5) / (9 + 1)
    expected = [3 * np.log(density), *[2 * np.log(density) + np.log(1 - density)] * 2]
    np.testing.assert_allclose(background_log_likelihood(units), expected)
    # measured on others
    density = (2 + 0.5) / (3 + 1)
    on_path = background_log_likelihood(units.take(np.array([0])), units.take(np.array([1])))
    np.testing.assert_allclose(on_path, 3 * np.log(density))


def test_a_mixture_tells_copies_apart_and_weighs_them():
    ring = nx.to_numpy_array(nx.cycle_graph(5))
    clique = nx.to_numpy_array(nx.complete_graph(5))
    units = Units.of(np.stack([ring] * 9 + [clique] * 3), np.zeros((12, 5, 0)), np.full(12, 5))
    templates = [template_of(units, row, lost=0.01, added=0.01) for row in (0, 11)]
    table = tabulate(units, templates)
    weight = fit_weight(table, np.full(3, 1 / 3), 20)
    np.testing.assert_allclose(weight, [0.75, 0.25, 0], atol=1e-3)
    found = explain(table, weight)
    assert found.share.argmax(axis=1).tolist() == [0] * 9 + [1] * 3
    np.testing.assert_allclose(found.share.sum(axis=1), 1)
    expected = np.log((np.exp(table) * weight).sum(axis=1))
    np.testing.assert_allclose(found.total, expected)


def test_of_overlapping_subgraphs_only_the_most_alike_is_a_copy():
    ring = nx.to_numpy_array(nx.cycle_graph(4))
    path = nx.to_numpy_array(nx.path_graph(4))
    # two of the first three share three nodes, the last stands alone
    nodes = np.array([[0, 1, 2, 3], [1, 2, 3, 4], [3, 4, 5, 6], [7, 8, 9, 10]])
    units = Units.of(np.stack([path, ring, path, path]), np.zeros((4, 4, 0)), np.full(4, 4), nodes)
    assert units.overlaps.tolist() == [[0, 1]]
    assert units.take(np.array([1, 3, 0])).overlaps.tolist() == [[2, 0]]
    assert units.take(np.array([0, 2])).overlaps.tolist() == []
    table = tabulate(units, [template_of(units, 1), template_of(units, 0)])
    found = explain(table, np.array([0.4, 0.4, 0.2]))
    share = copies_apart(units, found)
    assert share[0].tolist() == [0, found.share[0, 1]]
    assert share[1].tolist() == [found.share[1, 0], 0]
    assert share[2:].tolist() == found.share[2:, :2].tolist()
