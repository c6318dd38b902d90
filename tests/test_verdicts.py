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


def test_what_never_occurs_in_the_samples_has_no_lower_limit_of_p():
    nothing = [0] * 10
    several = [one(observed, nothing, num_tested=100) for observed in (0, 1, 5, 40)]
    assert [v.verdict for v in several] == [
        "as expected",
        "as expected",
        "undecided",
        "more frequent",
    ]
    assert several[-1].q < 1e-4
    assert several[-1].z > 20
    # forty that are all in one clump are one event
    assert one(40, nothing, num_tested=100, clumps=40.0).p == pytest.approx(several[1].p)


def test_places_that_share_no_node_differ_as_independent_events_at_least():
    samples = [4, 4, 4, 4, 4, 4, 4, 5]
    # samples that hardly differ make one place more a surprise, unless they are taken for chance
    assert one(6, samples, num_tested=1).verdict == "more frequent"
    independent = one(6, samples, num_tested=1, least_dispersion=1.0)
    assert independent.verdict == "as expected"
    common = (6 + sum(samples)) / 9
    assert independent.std == pytest.approx(np.sqrt(common))
    assert one(40, samples, num_tested=100, least_dispersion=1.0).verdict == "more frequent"


def test_rarer_than_expected_and_constant_counts():
    assert one(2, [50, 60, 55, 45, 52, 48, 58, 51]).verdict == "less frequent"
    constant = one(7, [7, 7, 7])
    assert (constant.z, constant.p, constant.verdict) == (0, 1, "as expected")


def test_the_error_of_an_estimate_and_the_number_of_tests_weaken_a_verdict():
    samples = np.random.default_rng(0).poisson(1000, 20)
    assert one(1200, samples).verdict == "more frequent"
    assert one(1200, samples, errors=150.0).q > 0.1
    assert one(1200, samples, num_tested=10**9).q > 100 * one(1200, samples, num_tested=10).q


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
