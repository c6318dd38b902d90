"""The definition of ``alignment_sums.py``, in plain Python: one subgraph, all permutations."""

from __future__ import annotations

from itertools import combinations, permutations
from math import exp, log

import numpy as np

from mining.noisy_templates.alignment_sums import EDGE, PADDING, AlignmentSums


def align_reference(
    log_fit: np.ndarray, pairs: np.ndarray, template: np.ndarray, log_factors: np.ndarray
) -> AlignmentSums:
    """Align the nodes of each subgraph with a template in all ways.

    Arguments and result of :func:`mining.noisy_templates.alignment_sums.align_in_all_ways`.
    """
    found = [
        _align_one(one, states, template, log_factors)
        for one, states in zip(log_fit, pairs, strict=True)
    ]
    return AlignmentSums(*(np.array(column) for column in zip(*found, strict=True)))


def _align_one(
    log_fit: np.ndarray, pairs: np.ndarray, template: np.ndarray, log_factors: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    size = len(log_fit)
    number = {frozenset(pair): p for p, pair in enumerate(combinations(range(size), 2))}
    total, count = 0.0, 0
    seats, joined, seen = np.zeros((size, size)), np.zeros(len(number)), np.zeros(len(number))
    for place in permutations(range(size)):
        falls_on = [number[frozenset((place[i], place[k]))] for i, k in map(sorted, number)]
        score = sum(log_fit[i, place[i]] for i in range(size))
        score += sum(log_factors[template[q], pairs[p]] for p, q in enumerate(falls_on))
        likelihood = exp(score)
        total, count = total + likelihood, count + 1
        for i in range(size):
            seats[i, place[i]] += likelihood
        for p, q in enumerate(falls_on):
            joined[q] += likelihood * (pairs[p] == EDGE)
            seen[q] += likelihood * (pairs[p] != PADDING)
    return log(total / count), seats / total, joined / total, seen / total
