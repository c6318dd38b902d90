"""The places of a pattern in a graph: all of them, or a uniform sample of different ones."""

from __future__ import annotations

import time

import numpy as np

from gomkcn_dgl.graph import CSRGraph
from mining.counting.exact_counts import ExactSearch
from mining.counting.occurrence_counts import choose_sampler
from mining.counting.topology import Colors

_LARGEST_BATCH = 64


def list_places(
    graph: CSRGraph,
    adjacency: np.ndarray,
    colors: Colors | None = None,
    *,
    most: int = 10_000,
    seconds: float = 5.0,
    seed: int = 0,
) -> tuple[np.ndarray, bool]:
    """Occurrences of a pattern, int32 ``[K, M]`` in the order of its nodes, and whether all."""
    search = ExactSearch(graph, adjacency, colors)
    places = search.list_places(most, seconds)
    if not search.unfinished:
        return places, True
    if len(search.topology) == 1:
        return places, False
    # there are more: a sample of them
    sampler = choose_sampler(search, seed)
    found: dict[bytes, np.ndarray] = {}
    start, num_blocks, size = time.perf_counter(), 0, 1
    while len(found) < most and time.perf_counter() - start < seconds:
        drawn = search.topology.choose_mappings(sampler.draw_places(num_blocks, size, seed))
        for place in drawn:
            found.setdefault(place.tobytes(), place)
        num_blocks += size
        size = min(2 * size, _LARGEST_BATCH)
    if not found:
        # too rare to be drawn: the first ones that the search has met
        return places, False
    return np.array(list(found.values())[:most]), False
