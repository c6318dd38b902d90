"""Graphlet correlation: how the counts of a graph's nodes at eleven orbits depend on each other.

Ö. N. Yaveroğlu and others (Revealing the hidden language of complex networks, Scientific Reports 4,
4547, 2014) describe a graph by the Spearman correlations of eleven orbits of the graphlets of two
to four nodes over all nodes; the counts at the other four follow from these. The distance of two
graphs, GCD-11, is the Euclidean distance of the upper triangles of their matrices.

As in the program of the authors, a node with the count 1 at all orbits is added: so an orbit
at which no node is has ranks that differ. Directions of edges are left out.
"""

from __future__ import annotations

import numpy as np

# of N. Pržulj's numbers those that do not follow from others: all but 3, 12, 13 and 14
GCD_ORBITS = (0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11)
# the pairs of the upper triangle, by their places in ``GCD_ORBITS``
ORBIT_PAIRS = tuple(zip(*map(np.ndarray.tolist, np.triu_indices(len(GCD_ORBITS), 1)), strict=True))


def orbit_correlations(orbits: np.ndarray) -> np.ndarray:
    """The Spearman correlation of each pair of the eleven orbits, float64 ``[55]``.

    ``orbits`` are the counts of each node at the 15 orbits of up to four nodes or at all 73, whole
    numbers ``[V, 15]``. NaN where a node of the count 1 at all orbits leaves an orbit with equal
    counts, as where each node has one neighbour.

    >>> star = np.zeros((5, 15), int)
    >>> star[0, [0, 2, 7]], star[1:, [0, 1, 6]] = (4, 6, 4), (1, 3, 3)
    >>> orbit_correlations(star)[:2].round(3).tolist()
    [-0.775, 0.775]
    """
    ranks = np.stack([_ranks(column) for column in orbits[:, GCD_ORBITS].T])
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    unit = np.divide(centred, length, out=np.full_like(centred, np.nan), where=length > 0)
    rows, columns = np.triu_indices(len(GCD_ORBITS), 1)
    correlations: np.ndarray = (unit @ unit.T)[rows, columns]
    return correlations


def _ranks(counts: np.ndarray) -> np.ndarray:
    """The rank of each count and of an added 1; equal ones have the mean of their ranks."""
    _, place, number = np.unique(np.append(counts, 1), return_inverse=True, return_counts=True)
    last = np.cumsum(number)
    ranks: np.ndarray = (last - (number - 1) / 2)[place]
    return ranks
