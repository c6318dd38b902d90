"""Features in the unit interval, and back."""

import numpy as np
import pytest

from gomkcn_dgl.feature_scaling import FeatureScaling


@pytest.mark.parametrize(
    ("contrast", "low", "middle", "high"), [(1.0, 0.0, 0.5, 1.0), (0.3, 0.35, 0.5, 0.65)]
)
def test_scaled_columns_fill_the_contrast_and_are_restored(contrast, low, middle, high):
    features = np.array([[[-2.0, 30.0], [2.0, 20.0]], [[6.0, 10.0], [-2.0, 10.0]]])
    scaling = FeatureScaling.fit(features.reshape(4, 2), contrast)
    scaled = scaling.scale(features)
    expected = [[[low, high], [middle, middle]], [[high, low], [low, low]]]
    np.testing.assert_allclose(scaled, expected, rtol=1e-6)
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaling.restore(scaled), features, atol=1e-5 / contrast)
    # a constant column is mapped to the middle
    for value in (0.0, -3.0, 1e-20, 1e18, -3e38):
        scaling = FeatureScaling.fit(np.array([[value, 0.0], [value, 1.0]]), contrast)
        scaled = scaling.scale(np.array([[value, 0.0]]))
        np.testing.assert_allclose(scaled, [[0.5, 0.5 - contrast / 2]], rtol=1e-6)
        np.testing.assert_allclose(scaling.restore(scaled), [[value, 0.0]], rtol=1e-6, atol=1e-7)


def test_other_values_than_those_of_a_graph_are_scaled_and_clipped():
    low, same, high = FeatureScaling.fit(np.full((3, 1), 7.0), 1.0).scale([[6.0], [7.0], [8.0]])
    assert low < same < high
    scaling = FeatureScaling.fit(np.array([[0.0], [10.0]]), 0.5)
    assert scaling.scale(np.array([[-5.0], [99.0]])).tolist() == [[0.25], [0.75]]
    assert scaling.restore(np.array([[0.0], [1.0]])).tolist() == [[0.0], [10.0]]
    # large ones do not overflow
    features = np.array([[-3e38], [3e38], [0.0]], dtype=np.float32)
    assert FeatureScaling.fit(features, 1.0).scale(features).tolist() == [[0.0], [1.0], [0.5]]
