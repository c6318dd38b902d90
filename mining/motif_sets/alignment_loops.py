"""Node sets brought into line with a drawing that they need not equal.

A drawing gives each of its nodes a role. What a set of nodes is worth under it are the bits of its
free edges, less those that say where it differs: `weights[i, j, t]` are the bits of the link t
between the nodes of roles i and j, below 0, with t = 0 for no link.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.compiled_graph import CompiledGraph, find_entry, link_at
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine

# neighbours of a node that are looked at; of a hub, those from a random one on
MOST_NEIGHBORS = 60
# sweeps over all pairs of roles, and nodes that are exchanged
_MOST_SWEEPS, _MOST_EXCHANGED = 30, 15
# bits of a node whose colour is not that of its role, which is never worth it
WRONG_COLOR = -1000.0
_EQUAL = 1e-9


class FreeEdges(NamedTuple):
    """The edges of a graph that no copy of a motif has yet."""

    rows: CompiledGraph  # the graph
    reverse: np.ndarray  # int64 [T + 1], the link as the other end sees it
    is_free: np.ndarray  # bool [E], alike for both entries of an edge
    bits: np.ndarray  # float64 [E], what each edge costs


class Scratch(NamedTuple):
    """What a thread needs for one set of M nodes: what joins them, and the nodes joined to it."""

    nodes: np.ndarray  # int64 [M], of each role
    links: np.ndarray  # int64 [M, M], free ones
    bits: np.ndarray  # float64 [M, M]
    near: np.ndarray  # int64 [C], those nearby
    links_to: np.ndarray  # int64 [C, M], from each to the nodes of the set
    bits_to: np.ndarray  # float64 [C, M]
    place: np.ndarray  # int64 [V], where each node is in `near`
    mark: np.ndarray  # int64 [V], when this was written; below 0 in the set
    now: np.ndarray  # int64 [1]


def new_scratch(num_nodes: int, size: int) -> Scratch:
    """What a thread needs for sets of ``size`` nodes in a graph of ``num_nodes``."""
    most = size * MOST_NEIGHBORS
    return Scratch(
        np.empty(size, np.int64), np.empty((size, size), np.int64), np.empty((size, size)),
        np.empty(most, np.int64), np.empty((most, size), np.int64), np.empty((most, size)),
        np.empty(num_nodes, np.int64), np.zeros(num_nodes, np.int64), np.zeros(1, np.int64),
    )  # fmt: skip


def describe_free(
    rows: CompiledGraph,
    reverse: np.ndarray,
    is_free: np.ndarray,
    edge_of: np.ndarray,
    sets: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The free links among the nodes of sets ``[K, M]``, int64 ``[K, M, M]``, and their edges.

    Edges are int64 ``[K, M (M - 1) / 2]``, -1 where there is none.
    """
    size = sets.shape[1]
    links = np.zeros((len(sets), size, size), np.int64)
    edges = np.full((len(sets), size * (size - 1) // 2), -1)
    sets = np.ascontiguousarray(sets, np.int64)
    find_free_links(rows, reverse, is_free, edge_of, sets, links, edges)
    return links, edges


@compiled(**SEARCH_JIT)
def find_free_links(rows, reverse, is_free, edge_of, sets, links, edges):
    """Write the free links among the nodes of sets [K, M], and their edges, where there are any."""
    size = sets.shape[1]
    for row in range(len(sets)):
        pair = 0
        for i in range(size):
            for j in range(i):
                entry = find_entry(rows, np.uint64(sets[row, i]), np.uint64(sets[row, j]))
                if entry >= 0 and is_free[entry]:
                    link = link_at(rows, entry)
                    links[row, i, j], links[row, j, i] = link, reverse[link]
                    edges[row, pair] = edge_of[entry]
                pair += 1


def observe(
    rows: CompiledGraph,
    reverse: np.ndarray,
    edge_of: np.ndarray,
    is_used: np.ndarray,
    copies: np.ndarray,
) -> np.ndarray:
    """The links among the nodes of copies by edges that no copy before used, ``[K, M, M]``.

    The edges are marked in ``is_used``.
    """
    size = copies.shape[1]
    links = np.zeros((len(copies), size, size), np.int64)
    reverse = np.asarray(reverse, np.int64)
    observe_copies(rows, reverse, edge_of, is_used, np.ascontiguousarray(copies, np.int64), links)
    return links


@compiled(**SEARCH_JIT)
def observe_copies(rows, reverse, edge_of, is_used, copies, links):
    """Write what joins the nodes of copies [K, M] to `links`, and mark the edges in `is_used`.

    An edge belongs to the first copy that has it.
    """
    size = copies.shape[1]
    for row in range(len(copies)):
        for i in range(size):
            for j in range(i):
                u, v = np.uint64(copies[row, i]), np.uint64(copies[row, j])
                entry = find_entry(rows, u, v)
                if entry >= 0 and not is_used[edge_of[entry]]:
                    is_used[edge_of[entry]] = True
                    link = link_at(rows, entry)
                    links[row, i, j] = link
                    links[row, j, i] = reverse[link]


@compiled(**SEARCH_JIT)
def align_sets(first, last, free, weights, colors, starts, kept, seed, out, worth, scratch):
    """The best node for each role near each start [K, M], and what the set is worth.

    The order of a start is improved by exchanging two roles, from its own order where `kept` and
    from random ones, two in all; then one node at a time is exchanged for a neighbour of the set.
    """
    size, nodes = len(colors), scratch.nodes
    for row in range(first, last):
        # 1. the best order of the nodes
        worth[row] = -np.inf
        for trial in range(2):
            for i in range(size):
                nodes[i] = starts[row, i]
            if trial or not kept:
                stream = mix(mix(seed) + np.uint64(2 * row + trial))
                for i in range(size - 1, 0, -1):
                    j = np.int64(mix(stream + np.uint64(i)) % np.uint64(i + 1))
                    nodes[i], nodes[j] = nodes[j], nodes[i]
            total = _improve(free, weights, colors, scratch)
            if total > worth[row] + _EQUAL:
                worth[row] = total
                for i in range(size):
                    out[row, i] = nodes[i]
        # 2. one node for a neighbour
        for i in range(size):
            nodes[i] = out[row, i]
        for number in range(_MOST_EXCHANGED + 1):
            worth[row] = _improve(free, weights, colors, scratch)
            if number == _MOST_EXCHANGED or not _exchange(free, weights, colors, scratch, seed):
                break
        for i in range(size):
            out[row, i] = nodes[i]


@subroutine(**SEARCH_JIT)
def _improve(free, weights, colors, scratch):
    """Exchange the nodes of two roles while this pays; what the set is then worth."""
    nodes, links, bits, node_colors = scratch.nodes, scratch.links, scratch.bits, free.rows.colors
    size = len(nodes)
    # 1. the free links among the nodes
    for i in range(size):
        links[i, i], bits[i, i] = 0, 0.0
        for j in range(i):
            entry = find_entry(free.rows, np.uint64(nodes[i]), np.uint64(nodes[j]))
            links[i, j] = links[j, i] = 0
            bits[i, j] = bits[j, i] = 0.0
            if entry >= 0 and free.is_free[entry]:
                links[i, j] = link_at(free.rows, entry)
                links[j, i] = free.reverse[link_at(free.rows, entry)]
                bits[i, j] = bits[j, i] = free.bits[entry]
    # 2. sweeps over all pairs of roles
    improved = True
    for _ in range(_MOST_SWEEPS):
        if not improved:
            break
        improved = False
        for i in range(size):
            for j in range(i):
                more = weights[i, j, links[j, i]] - weights[i, j, links[i, j]]
                for k in range(size):
                    if k != i and k != j:
                        more += weights[i, k, links[j, k]] - weights[i, k, links[i, k]]
                        more += weights[j, k, links[i, k]] - weights[j, k, links[j, k]]
                if node_colors[nodes[i]] != node_colors[nodes[j]]:
                    more += _of_color(node_colors[nodes[j]], colors[i])
                    more += _of_color(node_colors[nodes[i]], colors[j])
                    more -= _of_color(node_colors[nodes[i]], colors[i])
                    more -= _of_color(node_colors[nodes[j]], colors[j])
                if more > _EQUAL:
                    improved = True
                    nodes[i], nodes[j] = nodes[j], nodes[i]
                    for k in range(size):
                        links[i, k], links[j, k] = links[j, k], links[i, k]
                        bits[i, k], bits[j, k] = bits[j, k], bits[i, k]
                    for k in range(size):
                        links[k, i], links[k, j] = links[k, j], links[k, i]
                        bits[k, i], bits[k, j] = bits[k, j], bits[k, i]
    # 3. the bits of all pairs
    total = 0.0
    for i in range(size):
        total += _of_color(node_colors[nodes[i]], colors[i])
        for j in range(i):
            total += weights[i, j, links[i, j]] + bits[i, j]
    return total


@subroutine(**SEARCH_JIT)
def _of_color(color, of_role):
    return 0.0 if color == of_role else WRONG_COLOR


@subroutine(**SEARCH_JIT)
def _exchange(free, weights, colors, scratch, seed):
    """Put the best neighbour of a set in the place of one of its nodes, if that pays."""
    nodes, near, node_colors = scratch.nodes, scratch.near, free.rows.colors
    size = len(nodes)
    count = _find_nearby(free, scratch, seed)
    best, best_role, best_place = 1e-6, -1, -1
    for i in range(size):
        bits = _of_color(node_colors[nodes[i]], colors[i])
        for j in range(size):
            if j != i:
                bits += weights[i, j, scratch.links[i, j]] + scratch.bits[i, j]
        for place in range(count):
            more = _of_color(node_colors[near[place]], colors[i]) - bits
            for j in range(size):
                if j != i:
                    more += weights[i, j, scratch.links_to[place, j]] + scratch.bits_to[place, j]
            if more > best:
                best, best_role, best_place = more, i, place
    if best_role < 0:
        return False
    nodes[best_role] = near[best_place]
    return True


@subroutine(**SEARCH_JIT)
def _find_nearby(free, scratch, seed):
    """Find the neighbours of a set by free edges; how many there are."""
    rows, nodes, near, mark = free.rows, scratch.nodes, scratch.near, scratch.mark
    links_to, bits_to = scratch.links_to, scratch.bits_to
    size, count = len(nodes), 0
    scratch.now[0] += 1
    now = scratch.now[0]
    for node in nodes:
        mark[node] = -now
    for k in range(size):
        start = np.int64(rows.indptr[nodes[k]])
        degree = np.int64(rows.indptr[nodes[k] + 1]) - start
        shift = 0
        if degree > MOST_NEIGHBORS:
            shift = np.int64(mix(seed + np.uint64(nodes[k])) % np.uint64(degree))
        for number in range(min(degree, MOST_NEIGHBORS)):
            entry = start + (number + shift) % degree
            other = np.int64(rows.indices[entry])
            if not free.is_free[entry] or mark[other] == -now:
                continue
            if mark[other] != now:
                mark[other], scratch.place[other] = now, count
                near[count] = other
                for i in range(size):
                    links_to[count, i], bits_to[count, i] = 0, 0.0
                count += 1
            place = scratch.place[other]
            links_to[place, k] = free.reverse[link_at(rows, entry)]
            bits_to[place, k] = free.bits[entry]
    # of a hub not all neighbours were looked at
    for k in range(size):
        if rows.indptr[nodes[k] + 1] - rows.indptr[nodes[k]] <= MOST_NEIGHBORS:
            continue
        for place in range(count):
            entry = find_entry(rows, np.uint64(near[place]), np.uint64(nodes[k]))
            if entry >= 0 and free.is_free[entry]:
                links_to[place, k] = link_at(rows, entry)
                bits_to[place, k] = free.bits[entry]
    return count


def neighbors_of(
    free: FreeEdges, copies: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """All neighbours of copies ``[K, M]``: the copy, the node, its links to it and their bits."""
    rows, size = free.rows, copies.shape[1]
    # 1. entries of all nodes; of a hub, those from a random one on
    start = rows.indptr.astype(np.int64)
    first, degree = start[copies].reshape(-1), np.diff(start)[copies].reshape(-1)
    number = np.minimum(degree, MOST_NEIGHBORS)
    shift = np.random.default_rng(seed).integers(np.maximum(degree, 1)) * (degree > number)
    which = np.repeat(np.arange(len(number)), number)
    step = np.arange(len(which)) - np.repeat(np.cumsum(number) - number, number)
    entries = first[which] + (step + shift[which]) % degree[which]
    # 2. each neighbour of a copy once
    which, entries = which[free.is_free[entries]] // size, entries[free.is_free[entries]]
    pairs = np.stack([which, rows.indices[entries]], axis=1)
    pairs = pairs[(copies[which] != pairs[:, 1:]).all(axis=1)]
    owner, nodes = np.unique(pairs, axis=0).T
    # 3. what joins it to the nodes of the copy
    ends = np.stack([np.zeros(size, int), np.arange(1, size + 1)], axis=1)
    found = rows.entries_of(np.column_stack([nodes, copies[owner]]), ends)
    joined = (found >= 0) & free.is_free[found]
    links = np.where(joined, rows.links_at(found), 0).astype(np.int64)
    return owner, nodes, links, np.where(joined, free.bits[found], 0.0).sum(axis=1)


def thin_sets(sets: np.ndarray, most_of_node: int, most: int) -> np.ndarray:
    """The first rows of sets ``[K, M]`` with a node that is in few of those before."""
    nodes = sets.reshape(-1)
    order = np.argsort(nodes, kind="stable")
    first = np.flatnonzero(np.diff(nodes[order], prepend=-1))
    before = np.arange(len(nodes)) - np.repeat(first, np.diff(first, append=len(nodes)))
    rank = np.empty(len(nodes), np.int64)
    rank[order] = before
    return np.flatnonzero(rank.reshape(sets.shape).min(axis=1) < most_of_node)[:most]
