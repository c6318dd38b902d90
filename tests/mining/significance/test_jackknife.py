"""Shares, their jackknife errors, and p corrected for many."""

import numpy as np
import pytest

from gomkcn.mining.significance.jackknife import holm, jackknife_errors, shares_of


def test_shares_are_of_a_family_alone():
    counts = np.array([[3, 1, 0, 2], [0, 0, 6, 2]])
    found = shares_of(counts, np.array([3, 3, 4, 4]))
    assert found.tolist() == [[0.75, 0.25, 0, 1], [0, 0, 0.75, 0.25]]


def test_the_error_of_a_mean_is_the_usual_one():
    sample = np.random.default_rng(0).normal(size=(50, 2))
    without = np.array([np.delete(sample, k, axis=0).mean(axis=0) for k in range(50)])
    assert jackknife_errors(without) == pytest.approx(sample.std(axis=0, ddof=1) / 50**0.5)


def test_a_unit_alone_has_no_error():
    assert np.isnan(jackknife_errors(np.ones((1, 3)))).all()
    assert jackknife_errors(np.ones((4, 3))).tolist() == [0, 0, 0]


def test_holm_multiplies_by_how_many_are_left_and_never_falls():
    p = np.array([0.04, 0.01, np.nan, 0.02, 0.9])
    assert holm(p) == pytest.approx([0.08, 0.04, np.nan, 0.06, 0.9], nan_ok=True)
    assert holm(np.array([0.02, 0.021, 0.5])) == pytest.approx([0.06, 0.06, 0.5])
    assert holm(np.array([0.9, 0.8])).tolist() == [1, 1]
    assert holm(np.empty(0)).tolist() == []
