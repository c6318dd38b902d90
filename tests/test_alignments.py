"""Sums over alignments: the matrix products equal a loop over all permutations."""

from itertools import combinations, permutations
from math import exp, log

import numpy as np
import pytest

from mining.noisy_templates.alignments import (
    EDGE,
    NO_EDGE,
    PADDING,
    align,
    log_mean_over_alignments,
)

LOG_FACTORS = np.log([[0.95, 0.05, 1.0], [0.15, 0.85, 1.0], [0.5, 0.5, 1.0]])


def align_reference(log_fit, pairs, template, log_factors):
    """The definition: one subgraph, one permutation at a time."""
    size = len(log_fit)
    number = {frozenset(pair): p for p, pair in enumerate(combinations(range(size), 2))}
    total, count = 0.0, 0
    mapped, on_edge, on_real = np.zeros((size, size)), np.zeros(len(number)), np.zeros(len(number))
    for mapping in permutations(range(size)):
        falls_on = [number[frozenset((mapping[i], mapping[k]))] for i, k in map(sorted, number)]
        score = sum(log_fit[i, mapping[i]] for i in range(size))
        score += sum(log_factors[template[q], pairs[p]] for p, q in enumerate(falls_on))
        total, count = total + exp(score), count + 1
        for i in range(size):
            mapped[i, mapping[i]] += exp(score)
        for p, q in enumerate(falls_on):
            on_edge[q] += exp(score) * (pairs[p] == EDGE)
            on_real[q] += exp(score) * (pairs[p] != PADDING)
    return log(total / count), mapped / total, on_edge / total, on_real / total


def random_case(size, count, seed):
    """Random subgraphs and a template, some of them padded, and the fit of their nodes."""
    rng = np.random.default_rng(seed)
    second = np.triu_indices(size, 1)[1]

    def states(num_nodes):
        drawn = rng.integers(NO_EDGE, PADDING, (len(num_nodes), len(second)))
        return np.where(second < num_nodes[:, None], drawn, PADDING).astype(np.int8)

    template, pairs = (states(rng.integers(1, size + 1, number)) for number in (1, count))
    return 2 * rng.standard_normal((count, size, size)), pairs, template[0], LOG_FACTORS


@pytest.mark.parametrize("size", range(1, 6))
def test_sums_equal_the_reference(size):
    log_fit, pairs, template, factors = random_case(size, 4, seed=size)
    rows = zip(log_fit, pairs, strict=True)
    expected = [align_reference(fit, states, template, factors) for fit, states in rows]
    posterior = align(log_fit, pairs, template, factors)
    names = ("log_mean", "node_mapping", "on_edge", "on_real")
    for name, column in zip(names, zip(*expected, strict=True), strict=True):
        found = getattr(posterior, name)
        np.testing.assert_allclose(found, np.array(column), rtol=1e-9, atol=1e-12, err_msg=name)
    means = log_mean_over_alignments(log_fit, pairs, template, factors)
    np.testing.assert_allclose(means, posterior.log_mean, rtol=1e-12)


def test_no_subgraphs():
    log_fit, pairs, template, factors = random_case(4, 1, seed=0)
    empty = (log_fit[:0], pairs[:0], template, factors)
    assert log_mean_over_alignments(*empty).shape == (0,)
    assert align(*empty).node_mapping.shape == (0, 4, 4)


def test_relabelling_the_nodes_changes_nothing():
    # more subgraphs than a block holds
    log_fit, _, template, factors = random_case(6, 300, seed=2)
    rng = np.random.default_rng(0)
    order, upper = rng.permutation(6), np.triu_indices(6, 1)
    matrix = np.triu(rng.integers(0, 2, (300, 6, 6)), 1).astype(np.int8)
    matrix += matrix.transpose(0, 2, 1)
    relabelled = matrix[:, order][:, :, order]
    before, after = (
        log_mean_over_alignments(fit, adj[:, upper[0], upper[1]], template, factors)
        for fit, adj in ((log_fit, matrix), (log_fit[:, order], relabelled))
    )
    np.testing.assert_allclose(after, before, rtol=1e-9)
