"""Sums over alignments: the fast ones agree with all permutations, particles are unbiased."""

from itertools import permutations

import numpy as np
import pytest

from mining.noisy_templates import alignment_sums
from mining.noisy_templates.alignment_reference import align_reference
from mining.noisy_templates.alignment_sums import (
    EDGE,
    NO_EDGE,
    PADDING,
    align_in_all_ways,
    log_mean_over_alignments,
)

LOG_FACTORS = np.log([[0.95, 0.05, 1.0], [0.15, 0.85, 1.0], [0.5, 0.5, 1.0]])


def random_case(size, count, seed, sizes=None):
    """Random subgraphs and a template, some of them padded, and how well their nodes fit."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, size + 1, count) if sizes is None else np.full(count, sizes)
    second = np.triu_indices(size, 1)[1]

    def states(num_nodes):
        drawn = rng.integers(NO_EDGE, PADDING, (len(num_nodes), len(second)))
        return np.where(second < num_nodes[:, None], drawn, PADDING).astype(np.int8)

    template = states(np.array([rng.integers(1, size + 1)]))[0]
    return 2 * rng.standard_normal((count, size, size)), states(sizes), template, LOG_FACTORS


def check(found, expected):
    for name in ("log_mean", "seats", "joined", "seen"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=1e-9, atol=1e-12, err_msg=name
        )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_all_alignments_are_summed(size, seed):
    case = random_case(size, 6, seed)
    expected = align_reference(*case)
    check(align_in_all_ways(*case), expected)
    np.testing.assert_allclose(log_mean_over_alignments(*case), expected.log_mean, rtol=1e-9)


@pytest.mark.parametrize("size", [1, 2, 4, 5])
def test_enough_particles_are_all_alignments(size, monkeypatch):
    monkeypatch.setattr(alignment_sums, "MOST_EXACT_NODES", 0)
    monkeypatch.setattr(alignment_sums, "_PARTICLES", 120)
    case = random_case(size, 6, seed=3)
    check(align_in_all_ways(*case), align_reference(*case))


def test_two_nodes_by_hand():
    # an edge of which node 0 fits node 0 three times as well: the mean of 3 · .85 and 1 · .85
    log_fit = np.log([[[3.0, 1.0], [1.0, 1.0]]])
    edge = np.array([EDGE], np.int8)
    found = align_in_all_ways(log_fit, edge[None], edge, LOG_FACTORS)
    assert found.log_mean[0] == pytest.approx(np.log(0.85 * 2))
    np.testing.assert_allclose(found.seats[0], [[0.75, 0.25], [0.25, 0.75]])
    assert found.joined[0, 0] == found.seen[0, 0] == pytest.approx(1)


def test_few_particles_are_right_on_average(monkeypatch):
    monkeypatch.setattr(alignment_sums, "MOST_EXACT_NODES", 0)
    monkeypatch.setattr(alignment_sums, "_PARTICLES", 24)
    # the same subgraph many times: each row has draws of its own
    one = random_case(5, 1, seed=1, sizes=5)
    expected = float(np.exp(align_reference(*one).log_mean[0]))
    many = (np.repeat(one[0], 3000, axis=0), np.repeat(one[1], 3000, axis=0), *one[2:])
    estimates = np.exp(log_mean_over_alignments(*many)) / expected
    error = estimates.std() / np.sqrt(len(estimates))
    assert 0 < error < 0.01
    assert abs(estimates.mean() - 1) < 4 * error


def test_nothing_to_align():
    log_fit, pairs, template, factors = random_case(4, 1, seed=0)
    none = (log_fit[:0], pairs[:0], template, factors)
    assert log_mean_over_alignments(*none).shape == (0,)
    assert align_in_all_ways(*none).seats.shape == (0, 4, 4)


def test_relabelling_the_nodes_changes_nothing():
    log_fit, pairs, template, factors = random_case(6, 4, seed=2, sizes=6)
    order = np.random.default_rng(0).permutation(6)
    square = np.zeros((4, 6, 6), np.int8)
    upper = np.triu_indices(6, 1)
    square[:, upper[0], upper[1]] = square[:, upper[1], upper[0]] = pairs
    shuffled = square[:, order][:, :, order][:, upper[0], upper[1]]
    before = log_mean_over_alignments(log_fit, pairs, template, factors)
    after = log_mean_over_alignments(log_fit[:, order], shuffled, template, factors)
    np.testing.assert_allclose(after, before, rtol=1e-9)


def test_eight_nodes_are_estimated_well():
    # a ring, as a noisy copy of itself
    ring = np.zeros((8, 8), np.int8)
    ring[np.arange(8), (np.arange(8) + 1) % 8] = EDGE
    ring |= ring.T
    pairs = ring[np.triu_indices(8, 1)]
    place = np.array(list(permutations(range(8))))
    first, second = np.nonzero(np.triu(ring))
    kept = ring[place[:, first], place[:, second]].sum(axis=1)
    moved = 8 - kept
    expected = np.log((0.85**kept * (0.15 * 0.05) ** moved * 0.95 ** (20 - moved)).mean())
    found = align_in_all_ways(
        np.zeros((20, 8, 8)), np.repeat(pairs[None], 20, axis=0), pairs, LOG_FACTORS
    )
    np.testing.assert_allclose(np.exp(found.log_mean - expected).mean(), 1, atol=0.1)
    np.testing.assert_allclose(found.seats.sum(axis=1), 1)
    np.testing.assert_allclose(found.seats.sum(axis=2), 1)
