"""Counts in a graph and in null-model graphs → verdicts: z, p, q, and whether they are decided.

Counts of small subgraphs are not normal where they are rare, and vary more than independent events
because occurrences come in clumps: one accidental clique makes dozens of overlapping occurrences of
each structure that contains a clique. So a count is taken for ``Poisson`` up to a factor φ, the
variance divided by the mean (quasi-likelihood, as for counts of gene expression). With x the count
in the graph, T the sum of those in S samples and m = (x + T) / (S + 1) their common mean,

    d² = 2 [x log(x / m) + T log(T / (S m))] / φ

is the likelihood ratio of one rate for all against a rate of its own for x, and the signed root d
is compared with a t distribution of S - 1 degrees of freedom. Nothing sets a lower limit to p: two
places in the graph and none in ten samples may be chance, twenty are not.

φ is estimated from the samples. Samples with hardly any occurrence cannot show clumps. There φ is
at least the clump size c in the graph itself, the less the more clumps the samples hold:
c / (1 + T / c). Occurrences that share no node come one by one: of these φ is at least 1, also
where the samples happen to differ less.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import kl_div
from scipy.stats import false_discovery_control, norm, t

from mining.records.significance import (
    AS_EXPECTED,
    LESS,
    LEVEL,
    MORE,
    UNDECIDED,
    Significance,
)

# while more samples can be drawn, the limit of q is so many times smaller
_EARLY = 20
# a verdict is undecided within so many standard errors of the limit
_MARGIN = 2.0


def judge(
    null: str,
    observed: np.ndarray,
    samples: np.ndarray,
    num_tested: np.ndarray | int | None = None,
    *,
    errors: np.ndarray | float = 0.0,
    clumps: np.ndarray | float = 1.0,
    least_dispersion: np.ndarray | float = 0.0,
) -> list[Significance]:
    """Compare K counts with those in S graphs of a null model, S at least 2.

    Parameters
    ----------
    null : str
        Name of the null model.
    observed : numpy.ndarray
        Counts in the graph, ``[K]``.
    samples : numpy.ndarray
        Counts in the samples, ``[S, K]``; NaN where one was not counted.
    num_tested : numpy.ndarray or int, optional
        Number of structures that each pattern was chosen from, ``[K]`` or one for all; None: 4 K,
        which about holds the level where patterns are what stood out at a glance among more, see
        ``benchmarks/results/significance.md``.
        Patterns of several sizes share the level evenly if it is the number of structures of each
        pattern's size, times the number of sizes.
    errors : numpy.ndarray or float
        Standard errors of ``observed``, where it is estimated. Those of the samples show in their
        spread.
    clumps : numpy.ndarray or float
        Occurrences in the clump of an average occurrence in the graph, itself included.
    least_dispersion : numpy.ndarray or float
        The factor φ is at least this: 1 for occurrences that share no node.

    Examples
    --------
    >>> samples = np.array([[4, 0], [6, 0], [5, 0], [3, 0], [7, 0], [5, 0], [4, 0], [6, 0]])
    >>> [one.verdict for one in judge("degree", np.array([5, 12]), samples)]
    ['as expected', 'more frequent']
    """
    observed, samples = np.asarray(observed, float), np.asarray(samples, float)
    num_samples = (~np.isnan(samples)).sum(axis=0)
    num_tested = 4 * len(observed) if num_tested is None else num_tested
    tests = np.broadcast_to(np.asarray(num_tested, float), observed.shape)
    mean, var, dispersion = _dispersion(observed, samples, errors, clumps, least_dispersion)
    root = signed_root(observed, np.nansum(samples, axis=0), num_samples)
    distance = root / np.sqrt(dispersion)
    p = np.minimum(1.0, 2 * t.sf(np.abs(distance), num_samples - 1))
    q = adjust(p, tests)
    # the standard error of the distance: that of the mean, and that of the spread
    error = np.sqrt(1 / num_samples + distance**2 / (2 * (num_samples - 1)))
    limit = norm.isf(LEVEL / 2 / tests)
    far = np.where(observed > mean, MORE, LESS)
    std = np.sqrt(var)
    z = np.divide(observed - mean, std, out=np.zeros_like(mean), where=std > 0)
    # a count that is far from those of the samples may be an estimate that is too uncertain
    is_near = (np.abs(distance) + _MARGIN * error < limit) & (np.abs(z) < limit)
    near = np.where(is_near, AS_EXPECTED, UNDECIDED)
    verdicts = np.where(q <= LEVEL, far, near)
    columns = (observed, mean, std, z, p, q, verdicts)
    return [
        Significance(null, int(number), *row)
        for number, *row in zip(num_samples, *(column.tolist() for column in columns), strict=True)
    ]


def adjust(p: np.ndarray, num_tested: np.ndarray) -> np.ndarray:
    """Q of each p, where each was chosen from so many tests: Benjamini–Hochberg with weights.

    Structures that were not chosen count as tests with p = 1. Chosen from K each, it is the
    procedure without weights.

    >>> adjust(np.array([0.01, 0.04]), np.array([2, 2])).tolist()
    [0.02, 0.04]
    """
    if len(p) == 0:
        return p
    # the procedure divides the k-th smallest by k and multiplies by the number of tests
    q: np.ndarray = false_discovery_control(np.minimum(p * num_tested, len(p)) / len(p))
    return q


def undecided(verdicts: Sequence[Significance]) -> np.ndarray:
    """Numbers of the patterns that are to be counted in more samples.

    To stop as soon as q is small enough would call too many patterns different: before the last
    look, q must be smaller still.
    """
    early = LEVEL / _EARLY
    return np.flatnonzero([one.verdict == UNDECIDED or early < one.q <= LEVEL for one in verdicts])


def signed_root(
    observed: np.ndarray, total: np.ndarray, num_samples: np.ndarray | int
) -> np.ndarray:
    """Signed root of the likelihood ratio for counts of independent events.

    ``total`` is the sum of the counts in the samples.

    >>> signed_root(np.array([5.0, 2.0]), np.array([50.0, 0.0]), 10).round(2).tolist()
    [0.0, 3.1]
    """
    mean = (observed + total) / (num_samples + 1)
    ratio = 2 * (kl_div(observed, mean) + kl_div(total, num_samples * mean))
    root: np.ndarray = np.sign(observed - mean) * np.sqrt(ratio)
    return root


def _dispersion(
    observed: np.ndarray,
    samples: np.ndarray,
    errors: np.ndarray | float,
    clumps: np.ndarray | float,
    least_dispersion: np.ndarray | float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and variance of each count under the null model, and the factor φ, ``[K]`` each."""
    total, mean = np.nansum(samples, axis=0), np.nanmean(samples, axis=0)
    var, num_samples = np.nanvar(samples, axis=0, ddof=1), (~np.isnan(samples)).sum(axis=0)
    least = np.maximum(clumps / (1 + total / clumps), least_dispersion)
    common = (observed + total) / (num_samples + 1)
    added = np.divide(np.square(errors), observed, out=np.zeros_like(mean), where=observed > 0)
    seen = np.divide(var, mean, out=np.zeros_like(mean), where=mean > 0)
    return mean, np.maximum(var, least * common), np.maximum(seen, least) + added
