"""The jackknife of counts: how much a share would vary, if the nodes had been drawn anew.

A count in one graph is one number, which says nothing of its own error. But where the nodes of a
graph are taken for a sample, as in a graphon model, counts of structures are U-statistics of the
nodes, and leaving out one node after the other tells how much they vary (P. J. Bickel, A. Chen and
E. Levina, The method of moments and degree distributions for network models, Annals of Statistics
39, 2011; Q. Lin, R. Lunde and P. Sarkar, On the theoretical properties of the network jackknife,
ICML 2020, who show that the variance is never too small in the mean, by the inequality of Efron and
Stein). What is left out is a node, a group of nodes where recounting without each would take too
long, or a graph of a collection: a unit.
"""

from __future__ import annotations

import numpy as np


def shares_of(counts: np.ndarray, family: np.ndarray) -> np.ndarray:
    """Each count ``[..., S]`` as a share of those of its family ``[S]``; 0 where all are 0.

    >>> shares_of(np.array([3, 1, 0, 5]), np.array([3, 3, 4, 4])).tolist()
    [0.75, 0.25, 0.0, 1.0]
    """
    shares = np.zeros(np.shape(counts))
    values = np.asarray(counts, dtype=np.float64)
    for one in np.unique(family):
        members = family == one
        totals = values[..., members].sum(axis=-1, keepdims=True)
        shares[..., members] = values[..., members] / np.where(totals == 0, 1.0, totals)
    return shares


def jackknife_errors(without: np.ndarray) -> np.ndarray:
    """The standard errors ``[S]`` of values, from those without each of U units, ``[U, S]``.

    sqrt((U - 1) / U · sum of (value - mean)²); NaN for fewer than two units.

    Of a mean it is the usual standard error:

    >>> sample = np.array([1.0, 2.0, 6.0, 7.0])
    >>> without = np.array([np.delete(sample, k).mean() for k in range(4)])
    >>> bool(np.isclose(jackknife_errors(without[:, None])[0], sample.std(ddof=1) / 2))
    True
    """
    units = len(without)
    if units < 2:
        return np.full(without.shape[1:], np.nan)
    off_mean = without - without.mean(axis=0)
    errors: np.ndarray = np.sqrt((units - 1) / units * (off_mean**2).sum(axis=0))
    return errors


def most_influential(without: np.ndarray) -> tuple[int, float]:
    """The unit that the errors of values are most from, and its part of their squares.

    The part is the mean over all values ``[U, S]`` that vary; a single unit of many that has most
    of it tells that the error says more of this unit than of all others. (0, 0.0) if none varies.

    >>> most_influential(np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [1.0, 1.0]]))
    (3, 0.75)
    """
    squares = (without - without.mean(axis=0)) ** 2
    sums = squares.sum(axis=0)
    if not (sums > 0).any():
        return 0, 0.0
    parts = (squares[:, sums > 0] / sums[sums > 0]).mean(axis=1)
    unit = int(parts.argmax())
    return unit, float(parts[unit])


def holm(p: np.ndarray) -> np.ndarray:
    """Adjust p-values ``[S]`` so that any false call has the level (S. Holm 1979); NaN stay out.

    >>> holm(np.array([0.01, 0.5, 0.02, np.nan])).tolist()
    [0.03, 0.5, 0.04, nan]
    """
    adjusted = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted
