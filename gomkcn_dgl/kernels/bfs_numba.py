"""The subgraphs of ``bfs_reference``, compiled for CPU: the same arrays, node for node.

Each subgraph is independent, so threads share nothing and any number of them gives the same
result. A thread keeps one small scratch: the nodes on offer, with a hash table that finds them.
Edges are tested by binary search in sorted rows. Memory beside the output is O(N * hub_degree) a
thread.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from gomkcn_dgl.kernels.bfs_reference import (
    POLICIES,
    WORD_BITS,
    ExtractedArrays,
    hub_degree,
)
from gomkcn_dgl.kernels.compiled import JIT, PARALLEL_JIT, threads_for

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_DENSE = POLICIES["dense"]
_BFS = POLICIES["bfs"]
# subgraphs are handed to threads in blocks of this many
_BLOCK = 64


def extract(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray | None,
    roots: np.ndarray,
    num_hops: int,
    max_nodes: int,
    policy: str,
    num_views: int,
    seed: int,
) -> ExtractedArrays:
    """Extract ``num_views`` subgraphs around every root; ``bfs_reference`` defines the result."""
    total = len(roots) * num_views
    words = -(-max_nodes // WORD_BITS)
    weighted = weights is not None
    out = ExtractedArrays(
        nodes=np.empty((total, max_nodes), np.int32),
        num_nodes=np.empty(total, np.int32),
        truncated=np.empty(total, np.bool_),
        bits=np.empty((total, max_nodes, words), np.uint64),
        weights=np.empty((total, max_nodes, max_nodes), np.float32) if weighted else None,
    )
    # compiled as plain Python (NUMBA_DISABLE_JIT=1), 64-bit products wrap with a warning
    with np.errstate(over="ignore"), threads_for(total * max_nodes * max_nodes * 10):
        _extract_kernel(
            indptr,
            indices,
            weights if weighted else np.empty(0, np.float32),
            roots.astype(np.int64),
            num_hops,
            max_nodes,
            POLICIES[policy],
            num_views,
            np.uint64(seed),
            hub_degree(max_nodes),
            out.nodes,
            out.num_nodes,
            out.truncated,
            out.bits,
            out.weights if out.weights is not None else np.empty((0, 0, 0), np.float32),
        )
    return out


@njit(**PARALLEL_JIT)
def _extract_kernel(
    indptr, indices, weights, roots, num_hops, max_nodes, policy, num_views, seed, limit,
    nodes, num_nodes, truncated, bits, dense_weights,
):  # fmt: skip
    total = len(roots) * num_views
    for block in prange((total + _BLOCK - 1) // _BLOCK):
        capacity = max_nodes * limit
        slots = 1
        while slots < 2 * capacity:
            slots *= 2
        offered = np.empty(capacity, np.int64)  # nodes on offer
        links = np.empty(capacity, np.int64)
        depths = np.empty(capacity, np.int64)
        table = np.empty(slots, np.int64)  # node in each slot
        stamp = np.zeros(slots, np.int64)  # the search that wrote the slot
        kept = np.empty(max_nodes, np.int64)
        kept_depth = np.empty(max_nodes, np.int64)
        search = 0
        for row in range(block * _BLOCK, min((block + 1) * _BLOCK, total)):
            root = roots[row // num_views]
            stream = _mix(_mix(_mix(seed) + np.uint64(root)) + np.uint64(row % num_views))
            search += 1
            size, cut = _breadth_first(
                indptr, indices, root, stream, num_hops, max_nodes, limit,
                kept, offered, table, stamp, search,
            )  # fmt: skip
            if cut and policy != _BFS:
                search += 1
                size = _grow(
                    indptr, indices, root, stream, num_hops, max_nodes, limit, policy == _DENSE,
                    kept, kept_depth, offered, links, depths, table, stamp, search,
                )  # fmt: skip
            num_nodes[row] = size
            truncated[row] = cut
            for i in range(max_nodes):
                nodes[row, i] = kept[i] if i < size else -1
            _induce(indptr, indices, kept, size, bits[row])
            if dense_weights.shape[0] > 0:
                _induce_weights(indptr, indices, weights, kept, size, dense_weights[row])


@njit(**JIT)
def _breadth_first(
    indptr, indices, root, stream, num_hops, max_nodes, limit,
    kept, offered, table, stamp, search,
):  # fmt: skip
    kept[0] = root
    _insert(table, stamp, search, root)
    size, begin, cut = 1, 0, False
    for _ in range(num_hops):
        if begin == size:
            break
        end, count = size, 0
        for k in range(begin, end):
            node = kept[k]
            degree = indptr[node + 1] - indptr[node]
            cut = cut or degree > limit
            own = _mix(stream ^ _mix(np.uint64(node)))
            for draw in range(min(degree, limit)):
                other = _neighbour(indptr, indices, node, degree, limit, own, draw)
                if not _seen(table, stamp, search, other):
                    _insert(table, stamp, search, other)
                    offered[count] = other
                    count += 1
        room = max_nodes - size
        if count > room:
            _sort_first(offered, count, room, stream)
            for k in range(room):
                kept[size + k] = offered[k]
            return max_nodes, True
        for k in range(count):
            kept[size + k] = offered[k]
        begin, size = size, size + count
    return size, cut


@njit(**JIT)
def _grow(
    indptr, indices, root, stream, num_hops, max_nodes, limit, dense,
    kept, kept_depth, offered, links, depths, table, stamp, search,
):  # fmt: skip
    kept[0] = root
    kept_depth[0] = 0
    _insert(table, stamp, search, root)
    size, count = 1, 0
    while size < max_nodes:
        newest = kept[size - 1]
        for k in range(count):
            if _edge(indptr, indices, offered[k], newest) >= 0:
                links[k] += 1
                depths[k] = min(depths[k], kept_depth[size - 1] + 1)
        if kept_depth[size - 1] < num_hops:
            degree = indptr[newest + 1] - indptr[newest]
            own = _mix(stream ^ _mix(np.uint64(newest)))
            for draw in range(min(degree, limit)):
                other = _neighbour(indptr, indices, newest, degree, limit, own, draw)
                if _seen(table, stamp, search, other):
                    continue
                _insert(table, stamp, search, other)
                offered[count] = other
                links[count] = 0
                depths[count] = num_hops
                for k in range(size):
                    if _edge(indptr, indices, other, kept[k]) >= 0:
                        links[count] += 1
                        depths[count] = min(depths[count], kept_depth[k] + 1)
                count += 1
        if count == 0:
            break
        best = 0
        for k in range(1, count):
            if _ranks_before(indptr, offered, links, k, best, stream, dense):
                best = k
        kept[size] = offered[best]
        kept_depth[size] = depths[best]
        size += 1
        count -= 1
        offered[best], links[best], depths[best] = offered[count], links[count], depths[count]
    _reorder(indptr, indices, kept, size)
    return size


@njit(**JIT)
def _ranks_before(indptr, offered, links, a, b, stream, dense):
    u, v = offered[a], offered[b]
    if dense:
        if links[a] != links[b]:
            return links[a] > links[b]
        degree_u, degree_v = indptr[u + 1] - indptr[u], indptr[v + 1] - indptr[v]
        if degree_u != degree_v:
            return degree_u < degree_v
    return _priority(stream, u) < _priority(stream, v)


@njit(**JIT)
def _sort_first(offered, count, room, stream):
    """Bring the `room` nodes of least priority to the front, in order."""
    for k in range(room):
        best = k
        least = _priority(stream, offered[k])
        for other in range(k + 1, count):
            priority = _priority(stream, offered[other])
            if priority < least:
                best, least = other, priority
        offered[k], offered[best] = offered[best], offered[k]


@njit(**JIT)
def _reorder(indptr, indices, kept, size):
    """Put the kept nodes in breadth-first order inside their subgraph."""
    done = 1
    for k in range(size):
        for other in range(done, size):
            if _edge(indptr, indices, kept[k], kept[other]) >= 0:
                node = kept[other]
                # keep the nodes that wait in the order in which they were grown
                for slot in range(other, done, -1):
                    kept[slot] = kept[slot - 1]
                kept[done] = node
                done += 1


@njit(**JIT)
def _induce(indptr, indices, kept, size, bits):
    bits[:] = np.uint64(0)
    for i in range(size):
        for j in range(i + 1, size):
            if _edge(indptr, indices, kept[i], kept[j]) >= 0:
                bits[i, j // WORD_BITS] |= _ONE << np.uint64(j % WORD_BITS)
                bits[j, i // WORD_BITS] |= _ONE << np.uint64(i % WORD_BITS)


@njit(**JIT)
def _induce_weights(indptr, indices, weights, kept, size, dense):
    dense[:] = np.float32(0)
    for i in range(size):
        for j in range(i + 1, size):
            edge = _edge(indptr, indices, kept[i], kept[j])
            if edge >= 0:
                dense[i, j] = weights[edge]
                dense[j, i] = weights[edge]


@njit(**JIT)
def _edge(indptr, indices, u, v):
    """Position of the edge u-v in `indices`, or -1; searched from the end of lower degree."""
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v = v, u
    low, high = indptr[u], indptr[u + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < v:
            low = middle + 1
        else:
            high = middle
    if low < indptr[u + 1] and indices[low] == v:
        return low
    return -1


@njit(**JIT)
def _neighbour(indptr, indices, node, degree, limit, own, draw):
    """The neighbour number `draw`, or the draw number `draw` from a hub's neighbours."""
    if degree <= limit:
        return np.int64(indices[indptr[node] + draw])
    high = _mix(own + np.uint64(draw)) >> np.uint64(32)
    slot = (high * np.uint64(degree)) >> np.uint64(32)
    return np.int64(indices[indptr[node] + np.int64(slot)])


@njit(**JIT)
def _insert(table, stamp, search, node):
    mask = len(table) - 1
    slot = np.int64(_mix(np.uint64(node)) & np.uint64(mask))
    while stamp[slot] == search:
        slot = (slot + 1) & mask
    table[slot], stamp[slot] = node, search


@njit(**JIT)
def _seen(table, stamp, search, node):
    """Whether this search has put the node on offer or kept it."""
    mask = len(table) - 1
    slot = np.int64(_mix(np.uint64(node)) & np.uint64(mask))
    while stamp[slot] == search:
        if table[slot] == node:
            return True
        slot = (slot + 1) & mask
    return False


@njit(**JIT)
def _priority(stream, node):
    return _mix(stream + _GOLDEN * np.uint64(node + 1))


@njit(**JIT)
def _mix(value):
    value = value + _GOLDEN
    value = (value ^ (value >> np.uint64(30))) * _MIX_A
    value = (value ^ (value >> np.uint64(27))) * _MIX_B
    return value ^ (value >> np.uint64(31))
