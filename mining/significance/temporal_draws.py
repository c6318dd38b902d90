"""Random graphs of events: the same edges at other times, as each null model draws them.

The events of two nodes, in either direction, are a timeline: a question and its answer belong
together. What each way to draw keeps is in :mod:`~gomkcn.mining.significance.temporal_nulls`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.io.temporal_edges import TemporalEdges


class Timelines(NamedTuple):
    """The events of each two nodes, in the order of time."""

    number: np.ndarray  # int64 [E], the timeline of each edge
    edges: np.ndarray  # int64 [E], timeline by timeline, ascending in each
    begin: np.ndarray  # int64 [T], where each begins in ``edges``
    size: np.ndarray  # int64 [T]
    goes_both_ways: np.ndarray  # bool [T], whether each has events in both directions

    @classmethod
    def of(cls, edges: TemporalEdges) -> Timelines:
        """Those of edges in the order of time."""
        low = np.minimum(edges.source, edges.target)
        high = np.maximum(edges.source, edges.target)
        _, number, size = np.unique(
            low * edges.num_nodes + high, return_inverse=True, return_counts=True
        )
        begin = np.concatenate([[0], np.cumsum(size)])[:-1]
        forward = np.bincount(number, edges.source == low, len(size))
        both_ways = (forward > 0) & (forward < size)
        return cls(number, np.argsort(number, kind="stable"), begin, size, both_ways)


class Draw(NamedTuple):
    """A random graph: the edge at each place in the order of time, and the times, ascending."""

    order: np.ndarray
    times: np.ndarray


def permute_directions(lines: Timelines, times: np.ndarray, rng: np.random.Generator) -> Draw:
    """The events of each two nodes in another order, at the times that these have."""
    order = np.empty_like(lines.edges)
    order[lines.edges] = np.lexsort((rng.random(len(order)), lines.number))
    return Draw(order, times)


def permute_gaps(lines: Timelines, times: np.ndarray, rng: np.random.Generator) -> Draw:
    """The times between the events of each two nodes in another order."""
    # whole numbers wrap around, so that no difference of two is too large
    values = times if times.dtype.kind == "f" else times.view(np.uint64)
    ordered = values[lines.edges]
    gaps = np.zeros_like(ordered)
    gaps[1:] = ordered[1:] - ordered[:-1]
    # the first event of a timeline stays where it is
    key = rng.random(len(gaps))
    key[lines.begin] = -1.0
    gaps = gaps[np.lexsort((key, lines.number[lines.edges]))]
    gaps[lines.begin] = 0
    since = np.cumsum(gaps, dtype=gaps.dtype)
    moved = np.empty_like(values)
    moved[lines.edges] = since + np.repeat(ordered[lines.begin] - since[lines.begin], lines.size)
    moved = moved.view(times.dtype)
    order = np.argsort(moved, kind="stable")
    return Draw(order, moved[order])


def exchange_timelines(lines: Timelines, times: np.ndarray, rng: np.random.Generator) -> Draw:
    """The times of each two nodes go to two others with as many events."""
    by_size = np.argsort(lines.size, kind="stable")
    giver = np.empty_like(by_size)
    giver[by_size] = np.lexsort((rng.random(len(by_size)), lines.size))
    # the k-th event of two nodes comes to the k-th place of those who give their times
    within = np.arange(len(times)) - np.repeat(lines.begin, lines.size)
    places = lines.edges[np.repeat(lines.begin[giver], lines.size) + within]
    order = np.empty_like(lines.edges)
    order[places] = lines.edges
    return Draw(order, times)


def permute_times(lines: Timelines, times: np.ndarray, rng: np.random.Generator) -> Draw:
    """All events in another order."""
    return Draw(rng.permutation(len(times)), times)
