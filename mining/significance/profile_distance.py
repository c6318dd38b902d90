"""How far significance profiles are apart: 1 − Pearson's correlation of their entries."""

from __future__ import annotations

import numpy as np

# of fewer structures a correlation says nothing: that of two is 1 or -1
LEAST_CORRELATED = 3


def profile_distances(first: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The distance of a profile ``[S]`` from each of others ``[P, S]``, float64 ``[P]``, 0 to 2.

    Each is over the structures that have an entry, which is not NaN, in both. NaN where these are
    fewer than three, or all entries of either profile are equal.

    >>> rows = np.array([[0.1, 0.2, 0.4], [-1, -2, -4], [1, np.nan, 2]])
    >>> profile_distances(rows[0], rows).round(6).tolist()
    [0.0, 2.0, nan]
    """
    in_both = ~np.isnan(first + others)
    number = in_both.sum(axis=1)
    units = []
    for entries in (np.broadcast_to(first, others.shape), others):
        known = np.where(in_both, entries, 0.0)
        mean = known.sum(axis=1, keepdims=True) / np.maximum(number, 1)[:, None]
        differ = np.where(in_both, entries, -np.inf).max(axis=1, initial=-np.inf) > np.where(
            in_both, entries, np.inf
        ).min(axis=1, initial=np.inf)
        centred = np.where(in_both, known - mean, 0.0)
        length = np.where(differ, np.sqrt((centred**2).sum(axis=1)), np.nan)
        units.append(centred / length[:, None])
    # of vectors of length 1: exactly 0 for equal ones
    apart: np.ndarray = ((units[0] - units[1]) ** 2).sum(axis=1) / 2
    return np.where(number >= LEAST_CORRELATED, apart, np.nan)
