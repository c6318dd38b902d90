"""Features → the unit interval and back, so that bounded filters can imitate them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FeatureScaling:
    """A column-wise affine map of features into [0, 1].

    Attributes
    ----------
    offset, spread : numpy.ndarray
        ``[D]`` smallest value and range of each column.
    contrast : numpy.ndarray
        ``[D]`` in (0, 1]: a scaled column fills ``[0.5 - contrast / 2, 0.5 + contrast / 2]``.
    """

    offset: np.ndarray
    spread: np.ndarray
    contrast: np.ndarray

    @classmethod
    def fit(cls, features: np.ndarray, contrast: float) -> FeatureScaling:
        """Measure the columns of ``features [V, D]``.

        A small contrast makes nodes more alike, so that structure counts for more than features. A
        column that never changes says no more than that a node is there; it is mapped to 0.5.

        Examples
        --------
        >>> scaling = FeatureScaling.fit(np.array([[2.0, 7.0], [4.0, 7.0]]), contrast=1.0)
        >>> scaling.scale(np.array([[3.0, 7.0]])).tolist()
        [[0.5, 0.5]]
        """
        low = features.min(axis=0).astype(np.float64)
        high = features.max(axis=0).astype(np.float64)
        constant = low == high
        # wide enough that a half of it is not lost beside a large constant
        width = np.maximum(np.abs(low), 1.0)
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
