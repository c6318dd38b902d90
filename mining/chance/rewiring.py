"""The compiled loop of the null models: an edge list is rewired, one pair of edges after another.

Two edges u-v and x-y become u-y and x-v. That keeps every degree; where v and y have the same
degree it keeps as well how many edges join nodes of each two degrees. A swap that would cut a
connected component in two is not made.
"""

from __future__ import annotations

import numba
import numpy as np

from gomkcn_dgl.kernels.compiled import JIT


@numba.njit(**JIT)
def swap_edges(
    edges: np.ndarray,
    indptr: np.ndarray,
    neighbors: np.ndarray,
    group_of: np.ndarray,
    group_ptr: np.ndarray,
    members: np.ndarray,
    num_swaps: int,
    num_attempts: int,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Rewire ``edges [E, 2]`` and ``neighbors`` in place, until enough swaps or attempts are made.

    Return how many swaps and attempts that was.

    End ``2 e + s`` is edge e read from node ``edges[e, s]`` to the other; only ends of the same
    group, ``members[group_ptr[g]:group_ptr[g + 1]]``, are swapped. A group never changes, because
    whatever stands at an end has the degree and the component of what stood there before.
    """
    num_nodes = len(indptr) - 1
    mark = np.zeros(num_nodes, np.int64)
    queue = np.empty((2, num_nodes), np.int64)
    made, attempt = 0, 0
    while attempt < num_attempts and made < num_swaps:
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
        if _are_joined(indptr, neighbors, u, x, mark, queue, 2 * attempt):
            edges[first // 2, 1 - first % 2] = y
            edges[second // 2, 1 - second % 2] = v
            made += 1
        else:
            _exchange(indptr, neighbors, u, y, x, v)
    return made, attempt


@numba.njit(**JIT)
def _has_edge(indptr: np.ndarray, neighbors: np.ndarray, u: int, v: int) -> bool:
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v = v, u
    found = False
    for k in range(indptr[u], indptr[u + 1]):
        found = found or neighbors[k] == v
    return found


@numba.njit(**JIT)
def _exchange(indptr: np.ndarray, neighbors: np.ndarray, u: int, v: int, x: int, y: int) -> None:
    """Turn the edges u-v and x-y into u-y and x-v."""
    _rename(indptr, neighbors, u, v, y)
    _rename(indptr, neighbors, y, x, u)
    _rename(indptr, neighbors, x, y, v)
    _rename(indptr, neighbors, v, u, x)


@numba.njit(**JIT)
def _rename(indptr: np.ndarray, neighbors: np.ndarray, node: int, old: int, new: int) -> None:
    for k in range(indptr[node], indptr[node + 1]):
        if neighbors[k] == old:
            neighbors[k] = new
            break


@numba.njit(**JIT)
def _are_joined(
    indptr: np.ndarray,
    neighbors: np.ndarray,
    u: int,
    x: int,
    mark: np.ndarray,
    queue: np.ndarray,
    stamp: int,
) -> bool:
    """Whether a path leads from u to x: two searches in turn, until they meet or one is stuck.

    After a swap every node hangs on u or on x, so this says whether the component is still whole.
    """
    head, tail = np.zeros(2, np.int64), np.ones(2, np.int64)
    queue[0, 0], queue[1, 0] = u, x
    mark[u], mark[x] = stamp, stamp + 1
    side, met = 0, False
    while not met and head[side] < tail[side]:
        node = queue[side, head[side]]
        head[side] += 1
        for k in range(indptr[node], indptr[node + 1]):
            other = neighbors[k]
            if mark[other] == stamp + 1 - side:
                met = True
            elif mark[other] != stamp + side:
                mark[other] = stamp + side
                queue[side, tail[side]] = other
                tail[side] += 1
        side = 1 - side
    return met
