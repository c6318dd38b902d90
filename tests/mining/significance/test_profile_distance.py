"""1 − Pearson's correlation of profiles, over the structures with z in both."""

import numpy as np
import pytest

from gomkcn.mining.significance.profile_distance import profile_distances


def test_distances_are_those_of_corrcoef_over_what_both_have():
    rng = np.random.default_rng(0)
    profiles = rng.normal(size=(6, 13))
    profiles[rng.random(profiles.shape) < 0.3] = np.nan
    for first in profiles:
        found = profile_distances(first, profiles)
        for other, distance in zip(profiles, found, strict=True):
            both = ~np.isnan(first + other)
            expected = 1 - np.corrcoef(first[both], other[both])[0, 1]
            assert distance == pytest.approx(expected, abs=1e-12)


def test_equal_profiles_are_at_0_and_opposite_ones_at_2():
    profile = np.random.default_rng(1).normal(size=8)
    found = profile_distances(profile, np.stack([profile, -profile, 3 * profile]))
    assert found[0] == 0 and found[1:] == pytest.approx([2, 0])


@pytest.mark.parametrize(
    "other",
    [
        [1.0, 2.0, np.nan, np.nan],
        [np.nan] * 4,
        [0.3] * 4,
        # equal where both have an entry
        [0.5, 0.5, 0.5, np.nan],
    ],
)
def test_what_says_nothing_has_no_distance(other):
    profile = np.array([1.0, 2.0, 4.0, 3.0])
    assert np.isnan(profile_distances(profile, np.array([other]))).all()
    assert np.isnan(profile_distances(np.array(other), profile[None])).all()
