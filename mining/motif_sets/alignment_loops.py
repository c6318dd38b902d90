"""Node sets brought into line with a drawing that they need not equal.

A drawing gives each of its nodes a role. What a set of nodes is worth under it are the bits of its
free edges, less those that say where it differs: `weights[i, j, t]` are the bits of the link t
between the nodes of roles i and j, below 0, with t = 0 for no link.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT, find_entry, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine
from mining.candidates.shapes import Rows, entries_of

# neighbours of a node that are looked at; of a hub, those from a random one on
MOST_NEIGHBORS = 60
# sweeps over all pairs of roles, and nodes that are exchanged
_MOST_SWEEPS, _MOST_EXCHANGED = 30, 15
# bits of a node whose colour is not that of its role, which is never worth it
WRONG_COLOR = -1000.0
_EQUAL = 1e-9


class View(NamedTuple):
    """What copies of other motifs leave of a graph."""

    rows: Rows
    reverse: np.ndarray  # int64 [T + 1], the link as the other end sees it
    is_free: np.ndarray  # bool [E], alike for both entries of an edge
    bits: np.ndarray  # float64 [E], what the edge costs


class Scratch(NamedTuple):
    """What a thread needs for one set of M nodes: what joins them, and the nodes joined to it."""

    order: np.ndarray  # int64 [M]
    other: np.ndarray  # int64 [M]
    links: np.ndarray  # int64 [M, M], free ones
    bits: np.ndarray  # float64 [M, M]
    nodes: np.ndarray  # int64 [C], those nearby
    links_to: np.ndarray  # int64 [C, M], from each to the nodes of the set
    bits_to: np.ndarray  # float64 [C, M]
    place: np.ndarray  # int64 [V], where each node is in `nodes`
    mark: np.ndarray  # int64 [V], when this was written; below 0 in the set
    now: np.ndarray  # int64 [1]


def new_scratch(num_nodes: int, size: int) -> Scratch:
    """What a thread needs for sets of ``size`` nodes in a graph of ``num_nodes``."""
    most = size * MOST_NEIGHBORS
    return Scratch(
        np.empty(size, np.int64), np.empty(size, np.int64), np.empty((size, size), np.int64),
        np.empty((size, size)), np.empty(most, np.int64), np.empty((most, size), np.int64),
        np.empty((most, size)), np.empty(num_nodes, np.int64), np.zeros(num_nodes, np.int64),
        np.zeros(1, np.int64),
    )  # fmt: skip


def describe_free(
    rows: Rows, reverse: np.ndarray, is_free: np.ndarray, edge_of: np.ndarray, sets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The free links among the nodes of sets ``[K, M]``, int64 ``[K, M, M]``, and their edges.

    Edges are int64 ``[K, M (M - 1) / 2]``, -1 where there is none.
    """
    size = sets.shape[1]
    i, j = np.tril_indices(size, -1)
    entries = entries_of(rows, sets, np.stack([i, j], axis=1))
    joined = (entries >= 0) & is_free[entries]
    links = np.zeros((len(sets), size, size), np.int64)
    links[:, i, j] = np.where(joined, rows.links[entries], 0)
    links[:, j, i] = reverse[links[:, i, j]]
    return links, np.where(joined, edge_of[entries], -1)


def observe(
    rows: Rows, reverse: np.ndarray, edge_of: np.ndarray, is_used: np.ndarray, copies: np.ndarray
) -> np.ndarray:
    """The links among the nodes of copies by edges that no copy before used, ``[K, M, M]``.

    The edges are marked in ``is_used``.
    """
    links, edges = describe_free(rows, reverse, ~is_used[edge_of], edge_of, copies)
    # an edge belongs to the first copy that has it
    is_first = np.zeros(edges.size, bool)
    is_first[np.unique(edges, return_index=True)[1]] = True
    again, pair = np.nonzero((edges >= 0) & ~is_first.reshape(edges.shape))
    i, j = (ends[pair] for ends in np.tril_indices(copies.shape[1], -1))
    links[again, i, j] = links[again, j, i] = 0
    is_used[edges[edges >= 0]] = True
    return links


@compiled(**SEARCH_JIT)
def align_sets(first, last, view, weights, colors, starts, kept, seed, out, worth, scratch):
    """The best node for each role near each start [K, M], and what the set is worth.

    The order of a start is improved by exchanging two roles, from its own order where `kept` and
    from random ones, two in all; then one node at a time is exchanged for a neighbour of the set.
    """
    size = len(colors)
    order, other = scratch.order, scratch.other
    for row in range(first, last):
        nodes = out[row]
        for i in range(size):
            nodes[i] = starts[row, i]
        # 1. the best order of the nodes
        _read(view, nodes, scratch)
        best = -np.inf
        for trial in range(2):
            for i in range(size):
                order[i] = i
            if trial or not kept:
                stream = mix(mix(seed) + np.uint64(2 * row + trial))
                for i in range(size - 1, 0, -1):
                    j = np.int64(mix(stream + np.uint64(i)) % np.uint64(i + 1))
                    order[i], order[j] = order[j], order[i]
            total = _improve(view.rows.colors, weights, colors, nodes, scratch)
            if total > best + _EQUAL:
                best = total
                for i in range(size):
                    other[i] = order[i]
        for i in range(size):
            order[i] = other[i]
        _reorder(nodes, order, other)
        # 2. one node for a neighbour
        for _ in range(_MOST_EXCHANGED):
            _read(view, nodes, scratch)
            if not _exchange(view, weights, colors, nodes, scratch, seed):
                break
            _read(view, nodes, scratch)
            for i in range(size):
                order[i] = i
            _improve(view.rows.colors, weights, colors, nodes, scratch)
            _reorder(nodes, order, other)
        # 3. what it is worth
        _read(view, nodes, scratch)
        total = 0.0
        for i in range(size):
            total += _of_color(view.rows.colors, colors, nodes[i], i)
            for j in range(i):
                total += weights[i, j, scratch.links[i, j]] + scratch.bits[i, j]
        worth[row] = total


@subroutine(**INLINE_JIT)
def _of_color(node_colors, colors, node, role):
    return 0.0 if node_colors[node] == colors[role] else WRONG_COLOR


@subroutine(**SEARCH_JIT)
def _reorder(nodes, order, before):
    """Put nodes in an order."""
    for i in range(len(nodes)):
        before[i] = nodes[i]
    for i in range(len(nodes)):
        nodes[i] = before[order[i]]


@subroutine(**SEARCH_JIT)
def _read(view, nodes, scratch):
    """The free links among some nodes, and what they cost."""
    links, bits = scratch.links, scratch.bits
    for i in range(len(nodes)):
        links[i, i] = 0
        for j in range(i):
            entry = find_entry(view.rows, np.uint64(nodes[i]), np.uint64(nodes[j]))
            links[i, j] = links[j, i] = 0
            bits[i, j] = bits[j, i] = 0.0
            if entry >= 0 and view.is_free[entry]:
                links[i, j] = view.rows.links[entry]
                links[j, i] = view.reverse[view.rows.links[entry]]
                bits[i, j] = bits[j, i] = view.bits[entry]


@subroutine(**SEARCH_JIT)
def _improve(node_colors, weights, colors, nodes, scratch):
    """Exchange two roles in the order while this pays; the weights of all pairs."""
    order, links = scratch.order, scratch.links
    size = len(order)
    for _ in range(_MOST_SWEEPS):
        improved = False
        for i in range(size):
            for j in range(i):
                a, b = order[i], order[j]
                more = weights[i, j, links[b, a]] - weights[i, j, links[a, b]]
                for k in range(size):
                    if k != i and k != j:
                        c = order[k]
                        more += weights[i, k, links[b, c]] - weights[i, k, links[a, c]]
                        more += weights[j, k, links[a, c]] - weights[j, k, links[b, c]]
                more += _of_color(node_colors, colors, nodes[b], i)
                more += _of_color(node_colors, colors, nodes[a], j)
                more -= _of_color(node_colors, colors, nodes[a], i)
                more -= _of_color(node_colors, colors, nodes[b], j)
                if more > _EQUAL:
                    order[i], order[j] = b, a
                    improved = True
        if not improved:
            break
    total = 0.0
    for i in range(size):
        total += _of_color(node_colors, colors, nodes[order[i]], i)
        for j in range(i):
            total += weights[i, j, links[order[i], order[j]]]
    return total


@subroutine(**SEARCH_JIT)
def _find_nearby(view, nodes, near, seed):
    """Write the neighbours of a set by free edges to `near`; how many there are."""
    rows, size, count = view.rows, len(nodes), 0
    near.now[0] += 1
    now = near.now[0]
    for node in nodes:
        near.mark[node] = -now
    for k in range(size):
        start = np.int64(rows.indptr[nodes[k]])
        degree = np.int64(rows.indptr[nodes[k] + 1]) - start
        shift = 0
        if degree > MOST_NEIGHBORS:
            shift = np.int64(mix(seed + np.uint64(nodes[k])) % np.uint64(degree))
        for number in range(min(degree, MOST_NEIGHBORS)):
            entry = start + (number + shift) % degree
            other = np.int64(rows.indices[entry])
            if not view.is_free[entry] or near.mark[other] == -now:
                continue
            if near.mark[other] != now:
                near.mark[other], near.place[other] = now, count
                near.nodes[count] = other
                for i in range(size):
                    near.links_to[count, i], near.bits_to[count, i] = 0, 0.0
                count += 1
            place = near.place[other]
            near.links_to[place, k] = view.reverse[rows.links[entry]]
            near.bits_to[place, k] = view.bits[entry]
    # of a hub not all neighbours were looked at
    for k in range(size):
        if rows.indptr[nodes[k] + 1] - rows.indptr[nodes[k]] <= MOST_NEIGHBORS:
            continue
        for place in range(count):
            entry = find_entry(rows, np.uint64(near.nodes[place]), np.uint64(nodes[k]))
            if entry >= 0 and view.is_free[entry]:
                near.links_to[place, k] = rows.links[entry]
                near.bits_to[place, k] = view.bits[entry]
    return count


@subroutine(**SEARCH_JIT)
def _exchange(view, weights, colors, nodes, scratch, seed):
    """Put the best neighbour of a set in the place of one of its nodes, if that pays."""
    size = len(nodes)
    count = _find_nearby(view, nodes, scratch, seed)
    best, best_role, best_place = 1e-6, -1, -1
    for i in range(size):
        own = _of_color(view.rows.colors, colors, nodes[i], i)
        for j in range(size):
            if j != i:
                own += weights[i, j, scratch.links[i, j]] + scratch.bits[i, j]
        for place in range(count):
            more = _of_color(view.rows.colors, colors, scratch.nodes[place], i) - own
            for j in range(size):
                if j != i:
                    more += weights[i, j, scratch.links_to[place, j]] + scratch.bits_to[place, j]
            if more > best:
                best, best_role, best_place = more, i, place
    if best_role < 0:
        return False
    nodes[best_role] = scratch.nodes[best_place]
    return True


def neighbors_of(
    view: View, copies: np.ndarray, seed: np.uint64
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """All neighbours of copies ``[K, M]``: the copy, the node, its links to it and their bits."""
    number, size = copies.shape
    scratch = new_scratch(len(view.rows.colors), size)
    most = number * len(scratch.nodes)
    owner, nodes = np.empty(most, np.int64), np.empty(most, np.int64)
    links, bits = np.empty((most, size), np.int64), np.empty(most)
    # as plain Python (NUMBA_DISABLE_JIT=1), 64-bit products wrap with a warning
    with np.errstate(over="ignore"):
        count = list_neighbors(view, copies, seed, owner, nodes, links, bits, scratch)
    return owner[:count], nodes[:count], links[:count], bits[:count]


@compiled(**SEARCH_JIT)
def list_neighbors(view, copies, seed, owner, nodes, links, bits, scratch):
    """Write the neighbours of copies to rows of four arrays; how many there are."""
    total = 0
    for row in range(len(copies)):
        for place in range(_find_nearby(view, copies[row], scratch, seed)):
            owner[total], nodes[total], bits[total] = row, scratch.nodes[place], 0.0
            for k in range(copies.shape[1]):
                links[total, k] = scratch.links_to[place, k]
                bits[total] += scratch.bits_to[place, k]
            total += 1
    return total


@compiled()
def thin_sets(sets, num_nodes, most_of_node, most):
    """The first rows of sets [K, M] with a node that is in few of those before, `most` at most."""
    times = np.zeros(num_nodes, np.int64)
    out = np.empty(min(len(sets), most), np.int64)
    count = 0
    for row in range(len(sets)):
        least = most_of_node
        for node in sets[row]:
            least = min(least, times[node])
        if least < most_of_node:
            for node in sets[row]:
                times[node] += 1
            out[count] = row
            count += 1
            if count == most:
                break
    return out[:count]
