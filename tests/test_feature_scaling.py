"""FeatureScaling: features → the unit interval and back."""

import numpy as np
import pytest

from mining.structures.feature_scaling import FeatureScaling


@pytest.mark.parametrize("contrast", [1.0, 0.3])
def test_the_fitted_values_come_back(contrast):
    features = np.random.default_rng(0).normal(5.0, 20.0, size=(50, 4)).astype(np.float32)
    scaling = FeatureScaling.fit(features, contrast)
    restored = scaling.restore(scaling.scale(features))
    # single precision in the unit interval, so relative to the range
    np.testing.assert_allclose(restored, features, atol=1e-6 * np.ptp(features) / contrast)


@pytest.mark.parametrize(
    ("contrast", "low", "middle", "high"), [(1.0, 0.0, 0.5, 1.0), (0.3, 0.35, 0.5, 0.65)]
)
def test_contrast_says_how_much_of_the_interval_is_filled(contrast, low, middle, high):
    features = np.array([[-2.0, 10.0], [6.0, 30.0]])
    scaling = FeatureScaling.fit(features, contrast)
    scaled = scaling.scale(np.array([[-2.0, 30.0], [2.0, 20.0], [6.0, 10.0]]))
    np.testing.assert_allclose(scaled, [[low, high], [middle, middle], [high, low]], rtol=1e-6)
    assert scaled.dtype == np.float32


@pytest.mark.parametrize("contrast", [1.0, 0.3])
@pytest.mark.parametrize("value", [0.0, 1.0, 7.0, -3.0, 1e-20, 1e18, -3e38])
def test_a_constant_column_stands_in_the_middle(value, contrast):
    scaling = FeatureScaling.fit(np.array([[value, 0.0], [value, 1.0]]), contrast)
    scaled = scaling.scale(np.array([[value, 0.0]]))
    np.testing.assert_allclose(scaled, [[0.5, 0.5 - contrast / 2]], rtol=1e-6)
    np.testing.assert_allclose(scaling.restore(scaled), [[value, 0.0]], rtol=1e-6, atol=1e-7)


def test_a_node_unlike_a_constant_column_is_told_apart():
    scaling = FeatureScaling.fit(np.full((3, 1), 7.0), 1.0)
    low, same, high = scaling.scale(np.array([[6.0], [7.0], [8.0]]))[:, 0]
    assert low < same < high


def test_values_outside_the_fitted_range_are_clipped_both_ways():
    scaling = FeatureScaling.fit(np.array([[0.0], [10.0]]), 0.5)
    assert scaling.scale(np.array([[-5.0], [99.0]])).tolist() == [[0.25], [0.75]]
    assert scaling.restore(np.array([[0.0], [1.0]])).tolist() == [[0.0], [10.0]]


def test_leading_axes_are_kept_and_columns_stay_apart():
    scaling = FeatureScaling.fit(np.array([[0.0, 0.0], [1.0, 100.0]]), 1.0)
    block = np.array([[[0.5, 50.0], [1.0, 0.0]], [[0.0, 100.0], [0.25, 25.0]]])
    expected = [[[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.25, 0.25]]]
    assert scaling.scale(block).tolist() == expected
    assert scaling.restore(scaling.scale(block)).tolist() == block.tolist()


def test_the_largest_single_precision_numbers_do_not_overflow():
    features = np.array([[-3e38], [3e38], [0.0]], dtype=np.float32)
    scaling = FeatureScaling.fit(features, 1.0)
    assert scaling.scale(features).tolist() == [[0.0], [1.0], [0.5]]
