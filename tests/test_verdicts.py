"""Verdicts: by hand, without a lower limit of p, and as often wrong as they may be."""

import numpy as np
import pytest
from scipy.stats import t

from mining.judging.verdicts import adjust, judge, undecided


def one(observed, samples, **options):
    (verdict,) = judge("degree", np.array([observed]), np.array(samples)[:, None], **options)
    return verdict


def test_a_verdict_by_hand():
    found = one(9, [4, 6, 5, 3, 7], num_tested=1)
    assert (found.null, found.num_samples, found.observed, found.mean) == ("degree", 5, 9, 5)
    assert found.std == pytest.approx(np.sqrt(2.5))
    assert found.z == pytest.approx(4 / np.sqrt(2.5))
    # a common mean of 34 / 6; the samples vary half as much as independent events
    common = 34 / 6
    root = 2 * (9 * np.log(9 / common) + 25 * np.log(25 / (5 * common))) / 0.5
    assert found.p == found.q == pytest.approx(2 * t.sf(np.sqrt(root), 4))
    assert one(5, [4, 6, 5, 3, 7]).p == 1


def test_rarer_than_expected_and_constant_counts():
    assert one(2, [50, 60, 55, 45, 52, 48, 58, 51]).verdict == "less frequent"
    constant = one(7, [7, 7, 7])
    assert (constant.z, constant.p, constant.verdict) == (0, 1, "as expected")


def test_adjusted_p_is_benjamini_hochberg():
    p = np.array([0.01, 0.03, 0.02, 0.5])
    np.testing.assert_allclose(adjust(p, np.full(4, 4)), [0.04, 0.04, 0.04, 0.5])
    # four of forty structures, the others with p = 1
    others = adjust(np.r_[p, np.ones(36)], np.full(40, 40))[:4]
    np.testing.assert_allclose(adjust(p, np.full(4, 40)), others)
    assert adjust(np.empty(0), np.empty(0)).shape == (0,)


@pytest.mark.parametrize("mean", [0.05, 0.5, 3, 100])
@pytest.mark.parametrize("spread", ["independent", "clumps"])
def test_few_verdicts_are_wrong(mean, spread):
    rng = np.random.default_rng(int(100 * mean))
    size = 10 if spread == "clumps" else 1
    wrong = []
    for _ in range(300):
        counts = rng.poisson(mean, (9, 20)) * size
        verdicts = judge("degree", counts[0], counts[1:], clumps=float(size))
        wrong.append(any(verdict.q <= 0.05 for verdict in verdicts))
        assert all(verdicts[i].q > 0.05 / 20 for i in undecided(verdicts))
    assert np.mean(wrong) <= 0.08
