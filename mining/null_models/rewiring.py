"""The compiled loop of the null models: an edge list is rewired, one pair of edges after another.

Two edges u-v and x-y become u-y and x-v. That keeps every degree; where v and y have the same
degree it keeps as well how many edges join nodes of each two degrees. A swap that would cut a
connected component in two is not made: after each the two parts that it may have left are searched
until they meet or one ends. In a large graph that is a long search, so it may be given up after so
many nodes, and the caller looks later whether a component was cut (``null_models.py``).
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled

# what a search says of two nodes
_APART, _JOINED, _UNSURE = 0, 1, 2


@compiled()
def swap_edges(
    edges: np.ndarray,
    indptr: np.ndarray,
    neighbors: np.ndarray,
    group_of: np.ndarray,
    group_ptr: np.ndarray,
    members: np.ndarray,
    num_attempts: int,
    rng: np.random.Generator,
    most_visits: int,
    made: np.ndarray,
) -> tuple[int, int, int]:
    """Rewire ``edges [E, 2]`` and ``neighbors`` in place, until ``made [K, 2]`` is full.

    End ``2 e + s`` is edge e read from node ``edges[e, s]`` to the other; only ends of the same
    group, ``members[group_ptr[g]:group_ptr[g + 1]]``, are swapped. A group never changes, because
    whatever stands at an end has the degree and the component of what stood there before.

    Return how many swaps and attempts that was, and how many searches were given up after
    ``most_visits`` nodes. The ends of each swap are written to ``made``.
    """
    num_nodes = len(indptr) - 1
    mark = np.zeros(num_nodes, np.int64)
    queue = np.empty((2, min(num_nodes, most_visits) + 1), np.int64)
    count, attempt, unsure = 0, 0, 0
    while attempt < num_attempts and count < len(made):
        attempt += 1
        first = int(rng.random() * len(group_of))
        start = group_ptr[group_of[first]]
        size = group_ptr[group_of[first] + 1] - start
        second = members[start + int(rng.random() * size)]
        u, v = edges[first // 2, first % 2], edges[first // 2, 1 - first % 2]
        x, y = edges[second // 2, second % 2], edges[second // 2, 1 - second % 2]
        if u in (x, y) or v in (x, y):
            continue
        if _has_edge(indptr, neighbors, u, y) or _has_edge(indptr, neighbors, x, v):
            continue
        _exchange(indptr, neighbors, u, v, x, y)
        joined = _search(indptr, neighbors, u, x, mark, queue, 2 * attempt)
        if joined == _APART:
            _exchange(indptr, neighbors, u, y, x, v)
            continue
        unsure += joined == _UNSURE
        edges[first // 2, 1 - first % 2] = y
        edges[second // 2, 1 - second % 2] = v
        made[count, 0], made[count, 1] = first, second
        count += 1
    return count, attempt, unsure


@compiled()
def undo_swaps(
    edges: np.ndarray, indptr: np.ndarray, neighbors: np.ndarray, made: np.ndarray
) -> None:
    """Take back the swaps ``made [K, 2]``, the last one first."""
    for k in range(len(made) - 1, -1, -1):
        first, second = made[k]
        u, y = edges[first // 2, first % 2], edges[first // 2, 1 - first % 2]
        x, v = edges[second // 2, second % 2], edges[second // 2, 1 - second % 2]
        _exchange(indptr, neighbors, u, y, x, v)
        edges[first // 2, 1 - first % 2] = v
        edges[second // 2, 1 - second % 2] = y


@compiled()
def _has_edge(indptr: np.ndarray, neighbors: np.ndarray, u: int, v: int) -> bool:
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v = v, u
    found = False
    for k in range(indptr[u], indptr[u + 1]):
        found = found or neighbors[k] == v
    return found


@compiled()
def _exchange(indptr: np.ndarray, neighbors: np.ndarray, u: int, v: int, x: int, y: int) -> None:
    """Turn the edges u-v and x-y into u-y and x-v."""
    _rename(indptr, neighbors, u, v, y)
    _rename(indptr, neighbors, y, x, u)
    _rename(indptr, neighbors, x, y, v)
    _rename(indptr, neighbors, v, u, x)


@compiled()
def _rename(indptr: np.ndarray, neighbors: np.ndarray, node: int, old: int, new: int) -> None:
    for k in range(indptr[node], indptr[node + 1]):
        if neighbors[k] == old:
            neighbors[k] = new
            break


@compiled()
def _search(
    indptr: np.ndarray,
    neighbors: np.ndarray,
    u: int,
    x: int,
    mark: np.ndarray,
    queue: np.ndarray,
    stamp: int,
) -> int:
    """Whether a path leads from u to x: two searches in turn, until they meet or one is stuck.

    After a swap every node hangs on u or on x, so this says whether the component is still whole.
    A search whose ``queue`` is full stays unsure.
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
            if mark[other] == stamp + 1 - side:
                return _JOINED
            if mark[other] != stamp + side:
                if tail[side] == queue.shape[1]:
                    return _UNSURE
                mark[other] = stamp + side
                queue[side, tail[side]] = other
                tail[side] += 1
        side = 1 - side
    return _APART
