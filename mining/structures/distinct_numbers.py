"""Which of the different numbers of an array each of its numbers is."""

from __future__ import annotations

import numpy as np

# numbers that are so many times larger than there are of them are sorted
_MOST_TIMES = 4


def distinct_numbers(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Those of some numbers >= 0 that occur, ascending, and which of them each is, int64.

    They are those of ``np.unique``, which sorts.

    >>> [found.tolist() for found in distinct_numbers(np.array([7, 2, 7]))]
    [[2, 7], [1, 0, 1]]
    """
    largest = int(numbers.max(initial=0))
    if largest > _MOST_TIMES * len(numbers):
        return np.unique(numbers, return_inverse=True)
    is_there = np.zeros(largest + 1, np.bool_)
    is_there[numbers] = True
    place = np.cumsum(is_there) - 1
    return np.flatnonzero(is_there), place[numbers]
