"""Features of nodes as graph filters can have them: each column in the unit interval, and back."""

from __future__ import annotations

from dataclasses import dataclass

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
