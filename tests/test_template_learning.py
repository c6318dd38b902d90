"""Learning noisy templates: exact gains of edits, features, rates, merges, and no copy intact."""

import networkx as nx
import numpy as np
import pytest

from mining.noisy_templates.alignments import EDGE, NO_EDGE, PADDING
from mining.noisy_templates.template_learning import (
    align_copies,
    edge_shares,
    edit_gains,
    fit_mixture,
    maximization_step,
    merge_templates,
)
from mining.noisy_templates.template_mixture import (
    Observations,
    Template,
    component_log_likelihoods,
    expectation_step,
    fit_weights,
)
from synthetic import get_motif


def as_template(data, row):
    return Template(data.pairs[row], data.features[row], int(data.num_nodes[row]))


def noisy_copies(name, count, deletion_rate, insertion_rate, seed, intact=True):
    """Adjacency of relabelled connected copies of a motif, ``[count, N, N]``."""
    rng = np.random.default_rng(seed)
    motif = get_motif(name).joined > 0
    copies = []
    while len(copies) < count:
        rate = np.where(motif, deletion_rate, insertion_rate)
        flip = np.triu(rng.random(motif.shape) < rate, 1)
        copy = motif ^ (flip | flip.T)
        if nx.is_connected(nx.from_numpy_array(copy)) and (intact or flip.any()):
            order = rng.permutation(len(motif))
            copies.append(copy[np.ix_(order, order)])
    return np.stack(copies)


def observe(adj, features=None):
    count, size, _ = adj.shape
    features = np.zeros((count, size, 0)) if features is None else features
    return Observations.of(adj, features, np.full(count, size))


def two_motifs(count, seed, **how):
    """Copies of a wheel, then of a crown, told apart by a feature."""
    adj = [noisy_copies(name, count, 0.1, 0.03, seed, **how) for name in ("wheel", "crown")]
    features = np.repeat([0.2, 0.8], count)[:, None, None]
    noise = 0.05 * np.random.default_rng(0).standard_normal((2 * count, 6, 1))
    return observe(np.concatenate(adj), features + noise)


def is_motif(template, name):
    graph = nx.from_numpy_array(template.adjacency())
    return nx.is_isomorphic(graph, get_motif(name).to_networkx())


def test_the_gain_of_an_edit_is_what_the_likelihood_gains():
    data = observe(noisy_copies("house", 8, 0.2, 0.1, seed=0))
    # one of them lacks a node, and so does the template
    data.pairs[0][np.triu_indices(6, 1)[1] == 5] = PADDING
    data.num_nodes[0] = 5
    template, share = as_template(data, 0), np.random.default_rng(0).random(8)
    gains = edit_gains(template, align_copies(data, template), share)
    before = template.log_likelihood(data)
    for pair, state in enumerate(template.pairs):
        pairs = template.pairs.copy()
        pairs[pair] = {NO_EDGE: EDGE, EDGE: NO_EDGE, PADDING: PADDING}[int(state)]
        edited = Template(pairs, template.features, template.num_nodes)
        expected = share @ (edited.log_likelihood(data) - before)
        assert gains[pair] == pytest.approx(expected, abs=1e-9)


def test_fixed_edges_and_shares_of_edges():
    data = observe(noisy_copies("wheel", 20, 0.15, 0.05, 0))
    before = as_template(data, 0)
    after = maximization_step(data, np.ones(20), before, features_only=True)
    assert after.pairs.tolist() == before.pairs.tolist()
    assert (after.deletion_rate, after.insertion_rate) == (0.1, 0.05)
    assert maximization_step(data, np.zeros(20), before) is before
    # three triangles and a path, nodes told apart by their features
    adj = [nx.to_numpy_array(nx.complete_graph(3))] * 3 + [nx.to_numpy_array(nx.path_graph(3))]
    data = observe(np.stack(adj), np.repeat(np.array([[[0.0], [0.5], [1.0]]]), 4, axis=0))
    weights = edge_shares(data, np.ones(4), as_template(data, 0))
    np.testing.assert_allclose(weights, [[0, 1, 0.75], [1, 0, 1], [0.75, 1, 0]], atol=1e-6)


@pytest.mark.parametrize("differ", [True, False])
def test_nodes_have_features_of_their_own_where_the_likelihood_gains(differ):
    rng = np.random.default_rng(0)
    path = np.repeat(nx.to_numpy_array(nx.path_graph(3))[None], 40, axis=0)
    mean = np.array([0.2, 0.5, 0.8]) if differ else np.full(3, 0.5)
    data = observe(path, (mean + 0.02 * rng.standard_normal((40, 3)))[:, :, None])
    template = maximization_step(data, np.ones(40), as_template(data, 0))
    spread = np.ptp(template.features)
    assert spread == (pytest.approx(0.6, abs=0.03) if differ else 0)
    assert template.variance**0.5 == pytest.approx(0.05, abs=0.03)


def test_two_templates_of_the_same_copies_are_merged():
    data = two_motifs(30, seed=0)
    templates = [as_template(data, row) for row in (0, 1, 30)]
    table = component_log_likelihoods(data, templates)
    posterior = expectation_step(table, fit_weights(table, 3))
    merged, after = merge_templates(data, templates, posterior)
    assert len(merged) == 2
    assert is_motif(merged[0], "wheel")
    assert merged[1] is templates[2]
    np.testing.assert_allclose(after.weight, [0.5, 0.5, 0], atol=0.01)


def test_a_mixture_learns_two_motifs_of_which_no_copy_is_intact():
    data = two_motifs(40, seed=1, intact=False)
    initial = [as_template(data, row) for row in (0, 1, 2, 40, 41, 42)]
    assert not any(is_motif(one, name) for one in initial for name in ("wheel", "crown"))
    learnt = fit_mixture(data, initial)
    for name in ("wheel", "crown"):
        assert sorted(is_motif(one, name) for one in learnt) == [False, True]
    # the prior counts as 60 observations, the copies as hundreds
    assert all(0.08 < one.deletion_rate < 0.25 for one in learnt)
    assert all(0.02 < one.insertion_rate < 0.12 for one in learnt)
