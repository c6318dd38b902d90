"""The compiled loop that steers a graph to given numbers of triangles at each node.

Two edges u-v and x-y become u-y and x-v, which keeps all degrees. The *energy* is the sum over the
nodes of how far their triangles are from those wanted. A swap that raises it by d is kept with
probability exp(-d / temperature) (Metropolis), and the temperature falls.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled, subroutine
from mining.null_models.rewiring import _has_edge


@compiled()
def steer(
    indptr: np.ndarray,
    neighbors: np.ndarray,
    row: np.ndarray,
    group: np.ndarray,
    surplus: np.ndarray,
    num_attempts: int,
    temperature: float,
    rng: np.random.Generator,
) -> int:
    """Swap edges of the rows ``neighbors [E]`` in place, and return the energy afterwards.

    ``row [E]`` is the node of each entry, ``group [V]`` must agree at the ends that are exchanged,
    and ``surplus [V]`` is how many triangles each node has more than wanted.
    """
    energy = np.abs(surplus).sum()
    for _ in range(num_attempts):
        u, v, x, y = _propose(indptr, neighbors, row, rng)
        if u in (x, y) or v in (x, y) or group[v] != group[y] or group[u] != group[x]:
            continue
        if _has_edge(indptr, neighbors, u, y) or _has_edge(indptr, neighbors, x, v):
            continue
        change = _count(indptr, neighbors, surplus, u, v, -1)
        change += _count(indptr, neighbors, surplus, x, y, -1)
        _exchange(indptr, neighbors, u, v, x, y)
        change += _count(indptr, neighbors, surplus, u, y, 1)
        change += _count(indptr, neighbors, surplus, x, v, 1)
        if change <= 0 or rng.random() < np.exp(-change / temperature):
            energy += change
            continue
        # undo it
        _count(indptr, neighbors, surplus, u, y, -1)
        _count(indptr, neighbors, surplus, x, v, -1)
        _exchange(indptr, neighbors, u, y, x, v)
        _count(indptr, neighbors, surplus, u, v, 1)
        _count(indptr, neighbors, surplus, x, y, 1)
    return int(energy)


@subroutine()
def _propose(
    indptr: np.ndarray, neighbors: np.ndarray, row: np.ndarray, rng: np.random.Generator
) -> tuple[int, int, int, int]:
    """Two edges u-v and x-y: any, or half of the time such that u-y would close a triangle."""
    first = int(rng.random() * len(neighbors))
    u, v = row[first], neighbors[first]
    if rng.random() < 0.5:
        second = int(rng.random() * len(neighbors))
        return u, v, row[second], neighbors[second]
    # y is a neighbour's neighbour of u
    w = neighbors[indptr[u] + int(rng.random() * (indptr[u + 1] - indptr[u]))]
    y = neighbors[indptr[w] + int(rng.random() * (indptr[w + 1] - indptr[w]))]
    x = neighbors[indptr[y] + int(rng.random() * (indptr[y + 1] - indptr[y]))]
    return u, v, x, y


@subroutine()
def _exchange(indptr: np.ndarray, neighbors: np.ndarray, u: int, v: int, x: int, y: int) -> None:
    """Turn the edges u-v and x-y into u-y and x-v."""
    ends = np.array([[u, v, y], [v, u, x], [x, y, v], [y, x, u]])
    for node, old, new in ends:
        for k in range(indptr[node], indptr[node + 1]):
            if neighbors[k] == old:
                neighbors[k] = new
                break


@subroutine()
def _count(
    indptr: np.ndarray, neighbors: np.ndarray, surplus: np.ndarray, u: int, v: int, sign: int
) -> int:
    """Add the triangles of the edge u-v to the surplus; return the change of the energy."""
    change = 0
    for k in range(indptr[u], indptr[u + 1]):
        w = neighbors[k]
        if w != v and _has_edge(indptr, neighbors, v, w):
            for node in (np.int64(u), np.int64(v), np.int64(w)):
                before = abs(surplus[node])
                surplus[node] += sign
                change += abs(surplus[node]) - before
    return change
