"""Learning noisy templates: exact gains of edits, features, rates, merges, and no copy intact."""

import networkx as nx
import numpy as np
import pytest

from mining.noisy_templates.alignment_sums import EDGE, NO_EDGE, PADDING
from mining.noisy_templates.template_mixture import Template, Units, explain, fit_weight, tabulate
from mining.noisy_templates.template_search import (
    adjacency_of,
    align,
    copies_with_edges,
    edit_gains,
    fit_mixture,
    is_connected,
    merge_templates,
    refit,
)
from synthetic import get_motif


def as_template(units, row):
    return Template(units.pairs[row], units.features[row], int(units.num_nodes[row]))


def noisy_copies(name, count, lost, added, seed, intact=True):
    """Relabelled copies of a motif with edges lost and added, without features."""
    rng = np.random.default_rng(seed)
    whole = get_motif(name).adjacency() > 0
    found: list[np.ndarray] = []
    while len(found) < count:
        flip = np.triu(rng.random(whole.shape) < np.where(whole, lost, added), 1)
        copy = whole ^ (flip | flip.T)
        graph = nx.from_numpy_array(copy)
        if not nx.is_connected(graph) or not (intact or flip.any()):
            continue
        order = rng.permutation(len(whole))
        found.append(copy[np.ix_(order, order)])
    size = len(whole)
    return Units.of(np.stack(found), np.zeros((count, size, 0)), np.full(count, size))


def beside(first, second):
    """Copies of two motifs, told apart by a feature too."""
    features = np.repeat([0.2, 0.8], [len(first), len(second)])[:, None, None]
    features = features + 0.05 * np.random.default_rng(0).standard_normal((len(features), 6, 1))
    pairs = np.concatenate([first.pairs, second.pairs])
    adj = np.zeros((len(pairs), 6, 6))
    upper = np.triu_indices(6, 1)
    adj[:, upper[0], upper[1]] = adj[:, upper[1], upper[0]] = pairs
    return Units.of(adj, features, np.full(len(pairs), 6))


def is_motif(template, name):
    graph = nx.from_numpy_array(adjacency_of(template))
    return nx.is_isomorphic(graph, get_motif(name).to_networkx())


@pytest.mark.parametrize("seed", range(3))
def test_the_gain_of_an_edit_is_what_the_likelihood_gains(seed):
    units = noisy_copies("house", 8, 0.2, 0.1, seed)
    # one of them lacks a node, and so does the template
    units.pairs[0][np.triu_indices(6, 1)[1] == 5] = PADDING
    units.num_nodes[0] = 5
    template = as_template(units, 0)
    share = np.random.default_rng(seed).random(8)
    gains = edit_gains(template, align(units, template), share)
    before = template.log_likelihood(units)
    for pair, state in enumerate(template.pairs):
        pairs = template.pairs.copy()
        pairs[pair] = {NO_EDGE: EDGE, EDGE: NO_EDGE, PADDING: PADDING}[int(state)]
        edited = Template(pairs, template.features, template.num_nodes)
        expected = share @ (edited.log_likelihood(units) - before)
        assert gains[pair] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_template_is_learnt_of_which_no_copy_is_intact(seed, name="wheel"):
    units = noisy_copies(name, 40, 0.1, 0.03, seed, intact=False)
    template = as_template(units, 0)
    assert not is_motif(template, name)
    for _ in range(3):
        template = refit(units, np.ones(40), template)
    assert is_motif(template, name)
    # what was told beforehand counts as 60 observations, the copies as hundreds
    assert 0.08 < template.lost < 0.25
    assert 0.02 < template.added < 0.12


def test_what_is_not_to_be_learnt_keeps_its_edges_and_rates():
    units = noisy_copies("wheel", 20, 0.15, 0.05, 0)
    template = as_template(units, 0)
    kept = refit(units, np.ones(20), template, learn=False)
    assert kept.pairs.tolist() == template.pairs.tolist()
    assert (kept.lost, kept.added) == (template.lost, template.added)


def test_a_template_without_copies_stays_as_it_is():
    units = noisy_copies("wheel", 3, 0.15, 0.05, 0)
    template = as_template(units, 0)
    assert refit(units, np.zeros(3), template) is template


@pytest.mark.parametrize(("roles", "spread"), [(True, 0.3), (False, 0.0)])
def test_nodes_have_features_of_their_own_where_that_says_enough(roles, spread):
    rng = np.random.default_rng(0)
    path = np.repeat(nx.to_numpy_array(nx.path_graph(3))[None], 40, axis=0)
    mean = np.array([0.2, 0.5, 0.8]) if roles else np.full(3, 0.5)
    features = (mean + 0.02 * rng.standard_normal((40, 3)))[:, :, None]
    units = Units.of(path, features, np.full(40, 3))
    template = refit(units, np.ones(40), as_template(units, 0))
    assert np.ptp(template.features) == pytest.approx(2 * spread, abs=0.03 if roles else 0)
    assert template.variance**0.5 == pytest.approx(0.05, abs=0.03)


def test_two_templates_of_the_same_copies_become_one():
    units = beside(*(noisy_copies(name, 30, 0.1, 0.03, 0) for name in ("wheel", "crown")))
    templates = [as_template(units, row) for row in (0, 1, 30)]
    table = tabulate(units, templates)
    found = explain(table, fit_weight(table, np.full(4, 0.25), 3))
    merged, after = merge_templates(units, templates, found)
    assert len(merged) == 2
    assert is_motif(merged[0], "wheel")
    assert merged[1] is templates[2]
    np.testing.assert_allclose(after.weight, [0.5, 0.5, 0], atol=0.01)


@pytest.mark.parametrize("seed", range(3))
def test_a_mixture_finds_both_motifs_of_which_no_copy_is_intact(seed):
    copies = (noisy_copies(name, 40, 0.1, 0.03, seed, intact=False) for name in ("wheel", "crown"))
    units = beside(*copies)
    starts = [as_template(units, row) for row in (0, 1, 2, 40, 41, 42)]
    assert not any(is_motif(one, name) for one in starts for name in ("wheel", "crown"))
    learnt = fit_mixture(units, starts)
    assert sorted(is_motif(one, "wheel") for one in learnt) == [False, True]
    assert sorted(is_motif(one, "crown") for one in learnt) == [False, True]


def test_weights_are_the_share_of_the_copies_with_an_edge():
    path = nx.to_numpy_array(nx.path_graph(3))
    triangle = nx.to_numpy_array(nx.complete_graph(3))
    features = np.repeat(np.array([[[0.0], [0.5], [1.0]]]), 4, axis=0)
    units = Units.of(np.stack([triangle] * 3 + [path]), features, np.full(4, 3))
    weights = copies_with_edges(units, np.ones(4), as_template(units, 0))
    expected = [[0, 1, 0.75], [1, 0, 1], [0.75, 1, 0]]
    np.testing.assert_allclose(weights, expected, atol=1e-6)


def test_only_whole_templates_are_connected():
    pairs = np.array([EDGE, NO_EDGE, NO_EDGE], np.int8)
    assert not is_connected(Template(pairs, np.zeros((3, 0)), 3))
    padded = np.array([EDGE, PADDING, PADDING], np.int8)
    assert is_connected(Template(padded, np.zeros((3, 0)), 2))
