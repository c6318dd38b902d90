"""Motifs of three edges in time at each node, compiled.

After X. Gao, J. Cheng, X. Cao, Z. Bao and H. Chen's FAST (VLDB 2022) and A. Paranjape, A. R. Benson
and J. Leskovec (WSDM 2017): the edges at a node pass in the order of time through a window, so that
motifs of two nodes and stars take a constant time for each edge. Triangles take one for each two
edges of a node within a window.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled, subroutine
from mining.counting.search_loops import first_at_least

# what two of three edges, in the order of time, share: all the same two nodes; star with the first
# two, the outer two or the last two between the same nodes; triangle
PAIR, FIRST_TWO, OUTER_TWO, LAST_TWO, TRIANGLE = range(5)
NUM_KINDS = 5


class Incident(NamedTuple):
    """The edges at each node, in the order of time, and those between each two nodes.

    A number of an edge is its place in the order of time. Of the E edges each stands at its two
    ends. A group holds the edges between a node and one of its neighbours; a group of a node u and
    a neighbour v has the same edges as that of v and u, with the opposite directions.
    """

    ptr: np.ndarray  # int64 [V + 1], entries of each node
    edge: np.ndarray  # int64 [2 E]
    leaves: np.ndarray  # uint8 [2 E]: 0 where the edge leaves the node, 1 where it comes in
    group: np.ndarray  # int64 [2 E]
    groups: np.ndarray  # int64 [V + 1], groups of each node, by their neighbours
    neighbor: np.ndarray  # int64 [G]
    group_ptr: np.ndarray  # int64 [G + 1], edges of each group
    group_edge: np.ndarray  # int64 [2 E], ascending in each group
    group_out: np.ndarray  # int64 [2 E], how many edges of the group up to it leave the node


@compiled()
def fill_incident(
    source: np.ndarray,
    target: np.ndarray,
    source_group: np.ndarray,
    target_group: np.ndarray,
    incident: Incident,
) -> None:
    """Write the entries of each node and group; both are known not to depend on the times."""
    at = incident.ptr[:-1].copy()
    inside = incident.group_ptr[:-1].copy()
    leaving = np.zeros(len(inside), np.int64)
    for edge in range(len(source)):
        for way in range(2):
            node = target[edge] if way else source[edge]
            group = target_group[edge] if way else source_group[edge]
            incident.edge[at[node]] = edge
            incident.leaves[at[node]] = way
            incident.group[at[node]] = group
            at[node] += 1
            incident.group_edge[inside[group]] = edge
            leaving[group] += 1 - way
            incident.group_out[inside[group]] = leaving[group]
            inside[group] += 1


@compiled()
def count_at_nodes(
    first: int,
    last: int,
    bounds: np.ndarray,
    incident: Incident,
    until: np.ndarray,
    out: np.ndarray,
) -> None:
    """Count the motifs at the nodes of some blocks.

    Parameters
    ----------
    first, last : int
        Blocks; block b has the nodes from ``bounds[b]`` on.
    until : int64 ``[E]``
        The last edge within the window that begins with each edge.
    out : int64 ``[B, 5, 2, 2, 2]``
        For each block, by what the edges share and their three directions, seen from the node that
        the first two edges share (of a triangle), that all share (of a star), or that the first
        edge leaves: 0 where an edge leaves it. The third edge of a triangle is seen from the outer
        node of the first.
    """
    for block in range(first, last):
        counts = out[block]
        for node in range(bounds[block], bounds[block + 1]):
            _count_stars(incident, node, until, counts)
            _count_triangles(incident, node, until, counts)


@subroutine()
def _count_stars(incident: Incident, node: int, until: np.ndarray, counts: np.ndarray) -> None:
    begin, end = incident.ptr[node], incident.ptr[node + 1]
    base = incident.groups[node]
    width = incident.groups[node + 1] - base
    # of the edges within the window: how many of each group and direction; how many pairs in the
    # order of time of each group, and of all groups; for the edges of each group, the sum of how
    # many edges were at the node before
    single = np.zeros((width, 2), np.int64)
    double = np.zeros((width, 2, 2), np.int64)
    doubles = np.zeros((2, 2), np.int64)
    before = np.zeros((width, 2, 2), np.int64)
    # of all edges up to now, and up to each entry; of those that have left the window
    passed = np.zeros(2, np.int64)
    passed_at = np.zeros((end - begin, 2), np.int64)
    gone = np.zeros(2, np.int64)
    oldest = begin
    for entry in range(begin, end):
        edge, way = incident.edge[entry], incident.leaves[entry]
        group = incident.group[entry] - base
        # 1. what has left the window is first in all pairs that it is in
        while until[incident.edge[oldest]] < edge:
            other, going = incident.group[oldest] - base, incident.leaves[oldest]
            single[other, going] -= 1
            gone[going] += 1
            for next_way in range(2):
                before[other, going, next_way] -= passed_at[oldest - begin, next_way]
                double[other, going, next_way] -= single[other, next_way]
                doubles[going, next_way] -= single[other, next_way]
            oldest += 1
        # 2. motifs of which this edge is the last
        for a in range(2):
            for b in range(2):
                same = double[group, a, b]
                if a == 0:
                    counts[PAIR, a, b, way] += same
                counts[FIRST_TWO, a, b, way] += doubles[a, b] - same
                # edges of other groups after one of this group, and before one of it
                after = single[group, a] * passed[b] - before[group, a, b] - same
                if a == b:
                    after -= single[group, a]
                counts[OUTER_TWO, a, b, way] += after
                earlier = before[group, b, a] - single[group, b] * gone[a] - same
                counts[LAST_TWO, a, b, way] += earlier
        # 3. this edge is in the window
        for a in range(2):
            double[group, a, way] += single[group, a]
            doubles[a, way] += single[group, a]
            before[group, way, a] += passed[a]
            passed_at[entry - begin, a] = passed[a]
        single[group, way] += 1
        passed[way] += 1


@subroutine()
def _count_triangles(incident: Incident, node: int, until: np.ndarray, counts: np.ndarray) -> None:
    begin, end = incident.ptr[node], incident.ptr[node + 1]
    oldest = begin
    for second in range(begin, end):
        edge, way = incident.edge[second], incident.leaves[second]
        group = incident.group[second]
        far = incident.neighbor[group]
        while until[incident.edge[oldest]] < edge:
            oldest += 1
        for first in range(oldest, second):
            if incident.group[first] == group:
                continue
            near = incident.neighbor[incident.group[first]]
            # the edges between the outer nodes, as seen from the one of the first edge
            end_of_near = incident.groups[near + 1]
            third = first_at_least(incident.neighbor, incident.groups[near], end_of_near, far)
            if third == end_of_near or incident.neighbor[third] != far:
                continue
            # those that are later than the second and in the window
            low, high = incident.group_ptr[third], incident.group_ptr[third + 1]
            last = until[incident.edge[first]]
            start = first_at_least(incident.group_edge, low, high, edge + 1)
            stop = first_at_least(incident.group_edge, start, high, last + 1)
            if stop > start:
                leaving = incident.group_out[stop - 1]
                if start > low:
                    leaving -= incident.group_out[start - 1]
                counts[TRIANGLE, incident.leaves[first], way, 0] += leaving
                counts[TRIANGLE, incident.leaves[first], way, 1] += stop - start - leaving
