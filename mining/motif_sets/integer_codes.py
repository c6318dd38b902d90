"""Lengths in bits of the codes of whole numbers and of histograms."""

from __future__ import annotations

from functools import lru_cache
from math import lgamma, log, log2
from typing import Any

import numpy as np
from scipy.special import gammaln


def log2_factorial(numbers: Any) -> np.ndarray:
    """log2 n! of each of some numbers, float64, shaped like these."""
    result: np.ndarray = gammaln(np.asarray(numbers, np.float64) + 1) / log(2)
    return result


def log2_factorials(most: int) -> np.ndarray:
    """log2 n! for n = 0 … ``most``."""
    return _log2_factorials((most + 1).bit_length())[: most + 1]


@lru_cache(maxsize=32)
def _log2_factorials(bits: int) -> np.ndarray:
    return log2_factorial(np.arange(1 << bits))


def log2_binomial(number: float, chosen: float) -> float:
    """log2 of the ways to choose some of a number of things.

    >>> round(2 ** log2_binomial(5, 2), 9)
    10.0
    """
    left = number - chosen
    return (lgamma(number + 1) - lgamma(chosen + 1) - lgamma(left + 1)) / log(2)


def integer_bits(number: int) -> float:
    """Length of a number n >= 0, of which nothing is known before.

    Rissanen's code of n + 1: log2 2.865 + log2(n + 1) + log2 log2(n + 1) + …, as long as the terms
    are above 0 (J. Rissanen, A universal prior for integers and estimation by minimum description
    length, The Annals of Statistics 11, 1983).

    >>> [round(integer_bits(number), 4) for number in (0, 1, 2, 100)]
    [1.5185, 2.5185, 3.7679, 12.9011]
    """
    bits, term = log2(2.865), log2(number + 1)
    while term > 0:
        bits += term
        term = log2(term)
    return bits


def integer_lengths(most: int) -> np.ndarray:
    """:func:`integer_bits` of the numbers 0 … ``most``."""
    return _integer_lengths((most + 1).bit_length())[: most + 1]


@lru_cache(maxsize=32)
def _integer_lengths(bits: int) -> np.ndarray:
    terms = np.log2(np.arange(1, (1 << bits) + 1))
    lengths = np.full(len(terms), log2(2.865))
    while (terms > 0).any():
        lengths += np.maximum(terms, 0)
        terms = np.log2(np.maximum(terms, 1))
    return lengths


def histogram_bits(counts: np.ndarray) -> float:
    """Length of a sequence that has each of K values so often, int64 ``[K]``, K known.

    Each value is coded by the ones before it, with ½ added to each count: log2 of
    Γ(n + K/2) / Γ(K/2) · Π Γ(½) / Γ(c + ½) for n = Σ c (R. E. Krichevsky and V. K. Trofimov, IEEE
    Transactions on Information Theory 27, 1981).

    >>> round(histogram_bits(np.array([1, 1])), 9)
    3.0
    """
    half, total = len(counts) / 2, float(counts.sum())
    of_counts = float((gammaln(counts + 0.5) - lgamma(0.5)).sum())
    return (lgamma(total + half) - lgamma(half) - of_counts) / log(2)
