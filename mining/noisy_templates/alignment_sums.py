"""How well subgraphs fit a template, summed over all ways to align their nodes.

The best alignment alone would favour sparse templates: the fewer edges one has, the easier they are
found somewhere in a subgraph. Up to 6 nodes the sum is over all alignments, in one matrix product;
above, over weighted particles (``alignment_loops.py``), an unbiased estimate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

import numpy as np

from mining.noisy_templates.alignment_loops import sum_alignments

# states of a pair of nodes
NO_EDGE, EDGE, PADDING = 0, 1, 2

MOST_EXACT_NODES = 6
_PARTICLES = 64
# subgraphs handled at once, so that their alignments stay in cache
_BLOCK = 256


@dataclass(frozen=True)
class AlignmentSums:
    """Subgraphs aligned with one template in all ways, better ones counting for more.

    Attributes
    ----------
    log_mean : numpy.ndarray
        float64 ``[U]`` logarithm of the mean likelihood of an alignment.
    seats : numpy.ndarray
        float64 ``[U, N, N]`` probability that node i plays the template's node m.
    joined, seen : numpy.ndarray
        float64 ``[U, P]`` probability that the nodes which play the template's pair p are joined,
        and that both are real; pairs in the order of ``numpy.triu_indices(N, 1)``.
    """

    log_mean: np.ndarray
    seats: np.ndarray
    joined: np.ndarray
    seen: np.ndarray


def log_mean_over_alignments(
    log_fit: np.ndarray, pairs: np.ndarray, template: np.ndarray, log_factors: np.ndarray
) -> np.ndarray:
    """Logarithm of the mean likelihood of an alignment, float64 ``[U]``.

    Parameters
    ----------
    log_fit : numpy.ndarray
        float64 ``[U, N, N]`` of node i as template node m.
    pairs, template : numpy.ndarray
        int8 ``[U, P]`` and ``[P]`` states of the pairs.
    log_factors : numpy.ndarray
        float64 ``[3, 3]`` of a pair, by state in the template and in the subgraph; 0 for padding in
        the subgraph.
    """
    if log_fit.shape[1] > MOST_EXACT_NODES:
        return _with_particles(log_fit, pairs, template, log_factors, posterior=False).log_mean
    parts = [
        largest[:, 0] + np.log(np.exp(scores - largest).mean(axis=1))
        for _, scores, largest in _score_blocks(log_fit, pairs, template, log_factors)
    ]
    return np.concatenate([np.empty(0), *parts])


def align_in_all_ways(
    log_fit: np.ndarray, pairs: np.ndarray, template: np.ndarray, log_factors: np.ndarray
) -> AlignmentSums:
    """The same with the posterior; arguments of :func:`log_mean_over_alignments`."""
    num_units, size, _ = log_fit.shape
    if size > MOST_EXACT_NODES:
        return _with_particles(log_fit, pairs, template, log_factors, posterior=True)
    every = _list_alignments(size)
    found = AlignmentSums(
        np.empty(num_units),
        np.empty((num_units, size, size)),
        np.empty(pairs.shape),
        np.empty(pairs.shape),
    )
    for rows, scores, largest in _score_blocks(log_fit, pairs, template, log_factors):
        share = np.exp(scores - largest)
        total = share.sum(axis=1, keepdims=True)
        share /= total
        found.log_mean[rows] = largest[:, 0] + np.log(total[:, 0] / len(every.pair))
        found.seats[rows] = (share @ every.seat.T).reshape(len(share), size, size)
        # [R, P, P]: pair of the subgraph on pair of the template
        on = (share @ every.fall).reshape(len(share), pairs.shape[1], pairs.shape[1])
        found.joined[rows] = np.einsum("rp,rpq->rq", pairs[rows] == EDGE, on)
        found.seen[rows] = np.einsum("rp,rpq->rq", pairs[rows] != PADDING, on)
    return found


class _Alignments(NamedTuple):
    """All ways to place N nodes."""

    # int64 [N!, P]: the template's pair that each pair falls on
    pair: np.ndarray
    # float64 [N², N!]: 1 where node i sits on m
    seat: np.ndarray
    # float64 [N!, P²]: 1 where a pair of the subgraph falls on a pair of the template
    fall: np.ndarray


@lru_cache(maxsize=MOST_EXACT_NODES)
def _list_alignments(size: int) -> _Alignments:
    place = np.array(list(permutations(range(size))))
    first, second = np.triu_indices(size, 1)
    number = np.zeros((size, size), np.int64)
    number[first, second] = number[second, first] = np.arange(len(first))
    pair = number[place[:, first], place[:, second]]
    seat = (place[:, :, None] == np.arange(size)).reshape(len(place), -1).T.astype(float)
    fall = (pair[:, :, None] == np.arange(len(first))).reshape(len(place), -1).astype(float)
    return _Alignments(pair, np.ascontiguousarray(seat), fall)


def _score_blocks(
    log_fit: np.ndarray, pairs: np.ndarray, template: np.ndarray, log_factors: np.ndarray
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Log-likelihood of every alignment ``[R, N!]`` of a block of subgraphs, and the largest."""
    num_units, size, _ = log_fit.shape
    every = _list_alignments(size)
    # [2, P, N!]: what a pair adds if it has no edge, and if it has one
    factors = log_factors[template].T[: EDGE + 1, every.pair.T]
    told = np.concatenate([every.seat, *factors])
    given = np.concatenate(
        [log_fit.reshape(num_units, size * size), pairs == NO_EDGE, pairs == EDGE], axis=1
    )
    for start in range(0, num_units, _BLOCK):
        rows = slice(start, start + _BLOCK)
        scores = given[rows] @ told
        yield rows, scores, scores.max(axis=1, keepdims=True)


def _with_particles(
    log_fit: np.ndarray,
    pairs: np.ndarray,
    template: np.ndarray,
    log_factors: np.ndarray,
    posterior: bool,
) -> AlignmentSums:
    num_units, size, _ = log_fit.shape
    upper = np.triu_indices(size, 1)
    square = np.zeros((num_units, size, size), np.int8)
    square[:, upper[0], upper[1]] = square[:, upper[1], upper[0]] = pairs
    matrix = np.zeros((size, size), np.int8)
    matrix[upper] = matrix.T[upper] = template
    largest = log_fit.max(axis=2, keepdims=True)
    sums = np.empty(num_units)
    seats, joined, seen = np.zeros((3, num_units if posterior else 0, size, size))
    # the same draws at each call, so that two templates differ by what they are
    draws = np.random.default_rng(0).random((num_units, size))
    sum_alignments(
        np.exp(log_fit - largest), square, matrix, np.exp(log_factors), draws, _PARTICLES,
        sums, seats, joined, seen,
    )  # fmt: skip
    # what underflowed is as unlikely as a number can be
    log_sum = np.log(np.maximum(sums, np.finfo(float).tiny)) + largest.sum(axis=(1, 2))
    log_mean = log_sum - np.log(np.arange(1, size + 1)).sum()
    above = (slice(None), *upper)
    return AlignmentSums(log_mean, seats, joined[above], seen[above])
