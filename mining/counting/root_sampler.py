"""Estimates from a search that begins at some nodes only, drawn at random.

What is rare and has cycles is hardly ever hit by drawing mappings of a tree: almost all of them lie
elsewhere. A search is quick there, but in a graph of millions of nodes it does not come to its end.
It counts each occurrence at one node, its root; so the occurrences at a random part of the roots
stand for all.
"""

from __future__ import annotations

import time

import numpy as np

from gomkcn_dgl.kernels.search_numba import random_keys
from mining.counting.exact_counts import ExactSearch
from mining.records.occurrence_count import OccurrenceCount

# about so many roots tell how much work a root is
_NUM_FIRST = 1 << 12
# a search of a larger share may take so many times the planned work: where it is stopped early, it
# is those roots that have most occurrences
_SLACK = 4
# ends of a 95 % interval
_LOW, _HIGH = 0.025, 0.975


def estimate_from_roots(
    search: ExactSearch,
    seed: int,
    *,
    seconds: float | None = None,
    max_steps: int | None = None,
) -> OccurrenceCount | None:
    """Estimate occurrences from as many random roots as ``seconds`` or ``max_steps`` allow.

    A first part of the roots tells what share of them there is time for, about. Each is taken with
    this probability, on its own, and the occurrences at those that were taken, divided by it, are
    the estimate: unbiased for any share that is fixed beforehand. Its interval is that of a Poisson
    count (F. Garwood, Biometrika 28, 1936) that varies as much as the numbers at the roots do; it
    holds where no few roots have most of them. None if nothing was found, or if the search took
    too long.
    """
    num_roots = len(search.roots)
    share = min(1.0, _NUM_FIRST / max(1, num_roots))
    start = time.perf_counter()
    if not _search(search, share, seed, seconds, max_steps):
        return None
    if max_steps is not None:
        affordable = max_steps / max(search.steps, 1)
    else:
        assert seconds is not None
        affordable = seconds / max(time.perf_counter() - start, 1e-9)
    if share < 1 < affordable:
        share = min(1.0, affordable * share)
        longest = None if seconds is None else _SLACK * seconds
        if not _search(search, share, seed, longest, max_steps and _SLACK * max_steps):
            return None
    counts = search.count[search.count > 0].astype(np.float64)
    total = float(counts.sum())
    if share == 1:
        return OccurrenceCount.exact(int(total))
    if total == 0:
        return None
    # takes longer to load than to find all triangles
    from scipy.special import gammaincinv

    # as many independent occurrences as vary like these numbers
    effective = total**2 / float((counts**2).sum())
    low, high = gammaincinv([effective, effective + 1], [_LOW, _HIGH]) / effective
    value = total / share
    return OccurrenceCount(value, value * float(low), value * float(high), is_exact=False)


def list_from_roots(
    search: ExactSearch,
    most: int,
    seed: int,
    *,
    seconds: float | None = None,
    max_steps: int | None = None,
) -> np.ndarray:
    """Places that begin at random roots, int32 ``[K, M]``, at most ``most``.

    All places at the last roots that there is time for; where these hold too many, at half of them.
    """
    num_roots, places = len(search.roots), np.empty((0, search.structure.num_nodes), np.int32)
    share = min(1.0, _NUM_FIRST / max(1, num_roots))
    start = time.perf_counter()
    while True:
        roots = draw_roots(search, share, seed)
        found = search.list_places(most, seconds, max_steps, roots)
        if search.unfinished and len(places):
            return places
        places = found
        if search.unfinished or share == 1 or 2 * len(places) > most:
            return places
        if seconds is not None and time.perf_counter() - start > seconds:
            return places
        share = min(1.0, 2 * share)


def draw_roots(search: ExactSearch, share: float, seed: int) -> np.ndarray:
    """A share of the roots, ascending: the same for a seed, and more for a larger share."""
    roots = search.roots
    if share >= 1:
        return roots
    drawn: np.ndarray = roots[random_keys(roots, seed) <= np.uint64(share * 2**64)]
    return drawn


def _search(
    search: ExactSearch, share: float, seed: int, seconds: float | None, max_steps: int | None
) -> bool:
    """Search a share of the roots; return whether it came to its end."""
    search.run(seconds, max_steps, draw_roots(search, share, seed))
    return not search.unfinished
