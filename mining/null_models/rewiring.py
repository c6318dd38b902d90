"""The compiled loop of degree-preserving rewiring: one swap of two edges after another.

Edges u-v and x-y become u-y and x-v, which keeps all degrees. Where v and y have the same degree,
it keeps the joint degrees as well. A swap that would cut a connected component is not made: after
each swap a bidirectional search checks that u and x are still connected. In a large graph that is
a long search. So it may be given up after a number of nodes, and the caller counts the components
later (``null_models.py``).

In a graph with directions or types the same loop exchanges the targets, or the sources, of two
edges that are in the same *channel*, see :mod:`gomkcn_dgl.relations`. There two nodes may be joined
by several edges, and each stands in both rows.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled, subroutine

# what a search says of two nodes
_DISCONNECTED, _CONNECTED, _UNSURE = 0, 1, 2


@compiled()
def swap_edges(
    edges: np.ndarray,
    indptr: np.ndarray,
    neighbors: np.ndarray,
    group_of: np.ndarray,
    group_ptr: np.ndarray,
    members: np.ndarray,
    channels: np.ndarray,
    end_channels: np.ndarray,
    conflicts: np.ndarray,
    num_attempts: int,
    rng: np.random.Generator,
    max_visits: int,
    made: np.ndarray,
) -> tuple[int, int, int]:
    """Rewire ``edges [E, 2]`` and ``neighbors`` in place, until ``made [K, 2]`` is full.

    End ``2 e + s`` is edge e read from node ``edges[e, s]`` to the other. Only ends of the same
    group, ``members[group_ptr[g]:group_ptr[g + 1]]``, are exchanged. The group of an end never
    changes, because each node at an end has the degree and the component of the node before it.

    ``channels`` holds the channel of each entry of ``neighbors``, ``end_channels`` that of each
    end, and ``conflicts [C, C]`` says which channels may not lead to the same node. All three are
    empty where every two nodes are joined by one edge at most.

    Return the numbers of swaps, of attempts, and of searches that were given up after
    ``max_visits`` nodes; with 0, components may be cut. The ends of each swap are written to
    ``made``.
    """
    num_nodes = len(indptr) - 1
    mark = np.zeros(num_nodes, np.int64)
    queue = np.empty((2, min(num_nodes, max_visits) + 1), np.int64)
    count, attempt, num_unsure = 0, 0, 0
    while attempt < num_attempts and count < len(made):
        attempt += 1
        # a random edge end, and another random end of its group
        first = int(rng.random() * len(group_of))
        start = group_ptr[group_of[first]]
        size = group_ptr[group_of[first] + 1] - start
        second = members[start + int(rng.random() * size)]
        u, v = edges[first // 2, first % 2], edges[first // 2, 1 - first % 2]
        x, y = edges[second // 2, second % 2], edges[second // 2, 1 - second % 2]
        # reject what would make a self-loop or a repeated edge
        if u in (x, y) or v in (x, y):
            continue
        if len(channels) == 0:
            there, back = 0, 0
            joined = _has_edge(indptr, neighbors, u, y) or _has_edge(indptr, neighbors, x, v)
        else:
            there, back = int(end_channels[first]), int(end_channels[first ^ 1])
            rows = indptr, neighbors, channels, conflicts[there], conflicts[back]
            joined = _has_conflict(rows, u, y) or _has_conflict(rows, x, v)
        if joined:
            continue
        # make the swap, and reject it if it has cut a component
        _swap(indptr, neighbors, channels, there, back, u, v, x, y)
        state = _CONNECTED
        if max_visits > 0:
            state = _search(indptr, neighbors, u, x, mark, queue, 2 * attempt)
        if state == _DISCONNECTED:
            _swap(indptr, neighbors, channels, there, back, u, y, x, v)
            continue
        num_unsure += state == _UNSURE
        edges[first // 2, 1 - first % 2] = y
        edges[second // 2, 1 - second % 2] = v
        made[count, 0], made[count, 1] = first, second
        count += 1
    return count, attempt, num_unsure


@compiled()
def undo_swaps(
    edges: np.ndarray,
    indptr: np.ndarray,
    neighbors: np.ndarray,
    channels: np.ndarray,
    end_channels: np.ndarray,
    made: np.ndarray,
) -> None:
    """Undo the swaps ``made [K, 2]``, the last one first."""
    for k in range(len(made) - 1, -1, -1):
        first, second = made[k]
        u, y = edges[first // 2, first % 2], edges[first // 2, 1 - first % 2]
        x, v = edges[second // 2, second % 2], edges[second // 2, 1 - second % 2]
        there, back = 0, 0
        if len(channels):
            there, back = int(end_channels[first]), int(end_channels[first ^ 1])
        _swap(indptr, neighbors, channels, there, back, u, y, x, v)
        edges[first // 2, 1 - first % 2] = v
        edges[second // 2, 1 - second % 2] = y


@subroutine()
def _has_edge(indptr: np.ndarray, neighbors: np.ndarray, u: int, v: int) -> bool:
    # search the shorter row; without an early exit the compiler can vectorise the loop
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v = v, u
    has_edge = False
    for k in range(indptr[u], indptr[u + 1]):
        has_edge = has_edge or neighbors[k] == v
    return has_edge


@subroutine()
def _has_conflict(rows: tuple[np.ndarray, ...], u: int, v: int) -> bool:
    """Whether u and v are joined in a way that forbids one more edge from u to v.

    ``rows`` are indptr, neighbors and channels, and the channels that the edge excludes: as seen
    from u, and as seen from v.
    """
    indptr, neighbors, channels, forbidden, forbidden_back = rows
    # search the shorter row
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v, forbidden = v, u, forbidden_back
    for k in range(indptr[u], indptr[u + 1]):
        if neighbors[k] == v and forbidden[channels[k]]:
            return True
    return False


@subroutine()
def _swap(
    indptr: np.ndarray,
    neighbors: np.ndarray,
    channels: np.ndarray,
    there: int,
    back: int,
    u: int,
    v: int,
    x: int,
    y: int,
) -> None:
    """Turn the edges u-v and x-y into u-y and x-v; they are in the channel ``there`` seen from u.

    ``back`` is their channel seen from v.
    """
    ends = ((u, v, y, there), (y, x, u, back), (x, y, v, there), (v, u, x, back))
    for node, old, new, channel in ends:
        for k in range(indptr[node], indptr[node + 1]):
            if neighbors[k] == old and (len(channels) == 0 or channels[k] == channel):
                neighbors[k] = new
                break


@subroutine()
def _search(
    indptr: np.ndarray,
    neighbors: np.ndarray,
    u: int,
    x: int,
    mark: np.ndarray,
    queue: np.ndarray,
    stamp: int,
) -> int:
    """Whether a path leads from u to x: a breadth-first search from each side, one node in turn.

    After a swap every node of the component is connected to u or to x, so the component is cut
    exactly if one search ends before they meet. A search whose ``queue`` is full is given up.
    ``mark`` holds ``stamp`` or ``stamp + 1`` where one of the two has been.
    """
    head, tail = np.zeros(2, np.int64), np.ones(2, np.int64)
    queue[0, 0], queue[1, 0] = u, x
    mark[u], mark[x] = stamp, stamp + 1
    side = 0
    while head[side] < tail[side]:
        node = queue[side, head[side]]
        head[side] += 1
        for k in range(indptr[node], indptr[node + 1]):
            other = neighbors[k]
            # the other search has reached this node: they meet
            if mark[other] == stamp + 1 - side:
                return _CONNECTED
            if mark[other] != stamp + side:
                if tail[side] == queue.shape[1]:
                    return _UNSURE
                mark[other] = stamp + side
                queue[side, tail[side]] = other
                tail[side] += 1
        side = 1 - side
    return _DISCONNECTED
