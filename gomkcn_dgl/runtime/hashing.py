"""Numbers mixed so that sums and comparisons of them stand for sets."""

from __future__ import annotations

import numpy as np


def mix64(values: np.ndarray) -> np.ndarray:
    """Mix 64-bit numbers one to one: the finalizer of SplitMix64 (Steele et al., OOPSLA 2014).

    Parameters
    ----------
    values : numpy.ndarray
        uint64, any shape; 0 stays 0.

    Examples
    --------
    >>> mix64(np.array([0, 1], np.uint64)).tolist()
    [0, 6238072747940578789]
    """
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: np.ndarray = values ^ (values >> np.uint64(31))
    return mixed
