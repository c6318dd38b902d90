"""Scaling of features to the unit interval, to which the features of filters are bounded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class FeatureScaling:
    """A column-wise affine map of features into [0, 1], arrays ``[D]``.

    ``offset`` and ``spread`` are the smallest value and the range of each column; a scaled column
    fills ``[0.5 - contrast / 2, 0.5 + contrast / 2]``.
    """

    offset: np.ndarray
    spread: np.ndarray
    contrast: np.ndarray

    @classmethod
    def fit(cls, features: np.ndarray, contrast: float) -> FeatureScaling:
        """Measure the columns of ``features [V, D]``.

        A small contrast makes nodes more similar, so that the structure counts for more. A constant
        column is mapped to 0.5.

        >>> scaling = FeatureScaling.fit(np.array([[2.0, 7.0], [4.0, 7.0]]), contrast=1.0)
        >>> scaling.scale(np.array([[3.0, 7.0]])).tolist()
        [[0.5, 0.5]]
        """
        low = features.min(axis=0).astype(np.float64)
        high = features.max(axis=0).astype(np.float64)
        constant = low == high
        # an interval as wide as the constant is large, so that rounding loses neither
        width = np.where(low == 0, 1.0, np.abs(low))
        return cls(
            offset=np.where(constant, low - width / 2, low),
            spread=np.where(constant, width, high - low),
            contrast=np.full(len(low), contrast),
        )

    def scale(self, features: np.ndarray) -> np.ndarray:
        """Map ``[…, D]`` into the unit interval; values outside the fitted range are clipped."""
        unit = np.clip((features - self.offset) / self.spread, 0, 1)
        return (0.5 + self.contrast * (unit - 0.5)).astype(np.float32)

    def restore(self, scaled: np.ndarray) -> np.ndarray:
        """Map ``[…, D]`` back to the input's units; the inverse of :meth:`scale`."""
        unit = np.clip(0.5 + (scaled - 0.5) / self.contrast, 0, 1)
        return unit * self.spread + self.offset


class ScaledFeatures:
    """Scaled features of a graph, computed for the rows that are indexed.

    The features ``[V, D]`` may be a memory map, which is not read as a whole.

    >>> features = np.array([[2.0], [4.0], [3.0]])
    >>> scaled = ScaledFeatures(features, FeatureScaling.fit(features, contrast=1.0))
    >>> scaled[np.array([1, 2])].tolist(), scaled.bounds()[0].tolist(), scaled.shape
    ([[1.0], [0.5]], [0.0], (3, 1))
    """

    def __init__(self, features: np.ndarray, scaling: FeatureScaling) -> None:
        self._features, self._scaling = features, scaling

    @property
    def shape(self) -> tuple[int, ...]:
        """``(V, D)``."""
        return self._features.shape

    def __getitem__(self, rows: Any) -> np.ndarray:
        """Scaled features of some rows, float32."""
        return self._scaling.scale(self._features[rows])

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest value of each column, ``[D]`` each."""
        low, high = self._features.min(axis=0), self._features.max(axis=0)
        return self._scaling.scale(low), self._scaling.scale(high)
