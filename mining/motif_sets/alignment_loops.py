"""Node sets brought into line with a drawing that they need not equal, compiled.

A drawing gives each of its nodes a role. What a set of nodes is worth under it are the bits of its
free edges, less those that say where it differs: `weights[i, j, t]` are the bits of the link t
between the nodes of roles i and j, below 0, with t = 0 for no link.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, find_entry, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine
from mining.candidates.shapes import Rows

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


class Nearby(NamedTuple):
    """The nodes joined to a set, and how."""

    nodes: np.ndarray  # int64 [C]
    links: np.ndarray  # int64 [C, M], from each to the nodes of the set
    bits: np.ndarray  # float64 [C, M]
    place: np.ndarray  # int64 [V], where each node is in `nodes`
    mark: np.ndarray  # int64 [V], when this was written; below 0 in the set
    now: np.ndarray  # int64 [1]


def new_nearby(num_nodes: int, size: int) -> Nearby:
    """What a thread needs for sets of ``size`` nodes in a graph of ``num_nodes``."""
    most = size * MOST_NEIGHBORS
    return Nearby(
        np.empty(most, np.int64), np.empty((most, size), np.int64), np.empty((most, size)),
        np.empty(num_nodes, np.int64), np.zeros(num_nodes, np.int64), np.zeros(1, np.int64),
    )  # fmt: skip


@compiled()
def describe_free(view, edge_of, copies):
    """The free links among the nodes of sets [K, M], int64 [K, M, M], and the edge of each pair.

    Edges are int64 [K, M (M - 1) / 2], -1 where there is none.
    """
    size = copies.shape[1]
    links = np.zeros((len(copies), size, size), np.int64)
    edges = np.full((len(copies), size * (size - 1) // 2), -1)
    for row in range(len(copies)):
        pair = 0
        for i in range(size):
            for j in range(i):
                u, v = np.uint64(copies[row, i]), np.uint64(copies[row, j])
                entry = find_entry(view.rows, u, v)
                if entry >= 0 and view.is_free[entry]:
                    links[row, i, j] = view.rows.links[entry]
                    links[row, j, i] = view.reverse[view.rows.links[entry]]
                    edges[row, pair] = edge_of[entry]
                pair += 1
    return links, edges


@compiled()
def observe(rows, reverse, edge_of, is_used, copies):
    """The links among the nodes of copies [K, M] by edges that no copy before used, [K, M, M].

    The edges are marked in `is_used`.
    """
    size = copies.shape[1]
    links = np.zeros((len(copies), size, size), np.uint16)
    for row in range(len(copies)):
        for i in range(size):
            for j in range(i):
                entry = find_entry(rows, np.uint64(copies[row, i]), np.uint64(copies[row, j]))
                if entry >= 0 and not is_used[edge_of[entry]]:
                    is_used[edge_of[entry]] = True
                    links[row, i, j] = rows.links[entry]
                    links[row, j, i] = reverse[rows.links[entry]]
    return links


@compiled()
def align_sets(first, last, view, weights, colors, starts, kept, seed, out, worth, near):
    """The best node for each role near each start [K, M], and what the set is worth.

    The order of a start is improved by exchanging two roles, from its own order where `kept` and
    from random ones, two in all; then one node at a time is exchanged for a neighbour of the set.
    """
    size = len(colors)
    nodes, order, best_order = np.empty((3, size), np.int64)
    links, bits = np.empty((size, size), np.int64), np.empty((size, size))
    for row in range(first, last):
        # 1. the best order of the nodes
        nodes[:] = starts[row]
        _read(view, nodes, links, bits)
        best = -np.inf
        for trial in range(2):
            for i in range(size):
                order[i] = i
            if trial or not kept:
                stream = mix(mix(seed) + np.uint64(2 * row + trial))
                for i in range(size - 1, 0, -1):
                    j = np.int64(mix(stream + np.uint64(i)) % np.uint64(i + 1))
                    order[i], order[j] = order[j], order[i]
            total = _improve(view.rows.colors, weights, colors, nodes, links, order)
            if total > best + _EQUAL:
                best = total
                best_order[:] = order
        for i in range(size):
            out[row, i] = nodes[best_order[i]]
        nodes[:] = out[row]
        # 2. one node for a neighbour
        for _ in range(_MOST_EXCHANGED):
            _read(view, nodes, links, bits)
            if not _exchange(view, weights, colors, nodes, links, bits, near, seed):
                break
            _read(view, nodes, links, bits)
            for i in range(size):
                order[i] = i
            _improve(view.rows.colors, weights, colors, nodes, links, order)
            best_order[:] = nodes
            for i in range(size):
                nodes[i] = best_order[order[i]]
        # 3. what it is worth
        _read(view, nodes, links, bits)
        total = 0.0
        for i in range(size):
            total += _of_color(view.rows.colors, colors, nodes[i], i)
            for j in range(i):
                total += weights[i, j, links[i, j]] + bits[i, j]
        out[row] = nodes
        worth[row] = total


@subroutine(**INLINE_JIT)
def _of_color(node_colors, colors, node, role):
    return 0.0 if node_colors[node] == colors[role] else WRONG_COLOR


@subroutine()
def _read(view, nodes, links, bits):
    """The free links among some nodes, and what they cost."""
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


@subroutine()
def _improve(node_colors, weights, colors, nodes, links, order):
    """Exchange two roles while this pays; the weights of all pairs."""
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


@subroutine()
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
                near.links[count] = 0
                near.bits[count] = 0
                count += 1
            place = near.place[other]
            near.links[place, k] = view.reverse[rows.links[entry]]
            near.bits[place, k] = view.bits[entry]
    # of a hub not all neighbours were looked at
    for k in range(size):
        if rows.indptr[nodes[k] + 1] - rows.indptr[nodes[k]] <= MOST_NEIGHBORS:
            continue
        for place in range(count):
            entry = find_entry(rows, np.uint64(near.nodes[place]), np.uint64(nodes[k]))
            if entry >= 0 and view.is_free[entry]:
                near.links[place, k] = rows.links[entry]
                near.bits[place, k] = view.bits[entry]
    return count


@subroutine()
def _exchange(view, weights, colors, nodes, links, bits, near, seed):
    """Put the best neighbour of a set in the place of one of its nodes, if that pays."""
    size = len(nodes)
    count = _find_nearby(view, nodes, near, seed)
    best, best_role, best_place = 1e-6, -1, -1
    for i in range(size):
        own = _of_color(view.rows.colors, colors, nodes[i], i)
        for j in range(size):
            if j != i:
                own += weights[i, j, links[i, j]] + bits[i, j]
        for place in range(count):
            more = _of_color(view.rows.colors, colors, near.nodes[place], i) - own
            for j in range(size):
                if j != i:
                    more += weights[i, j, near.links[place, j]] + near.bits[place, j]
            if more > best:
                best, best_role, best_place = more, i, place
    if best_role < 0:
        return False
    nodes[best_role] = near.nodes[best_place]
    return True


@compiled()
def neighbors_of(view, copies, near, seed):
    """All neighbours of copies [K, M]: the copy, the node, its links to the copy and their bits."""
    most = len(near.nodes)
    owner, nodes = np.empty((2, len(copies) * most), np.int64)
    links = np.empty((len(copies) * most, copies.shape[1]), np.int64)
    bits = np.empty(len(copies) * most)
    total = 0
    for row in range(len(copies)):
        count = _find_nearby(view, copies[row], near, seed)
        for place in range(count):
            owner[total], nodes[total] = row, near.nodes[place]
            links[total], bits[total] = near.links[place], near.bits[place].sum()
            total += 1
    return owner[:total], nodes[:total], links[:total], bits[:total]


@compiled()
def choose_apart(order, copies, edges, nodes_apart, node_marks, edge_marks, era):
    """The rows, in their order, that share no edge with one that was chosen, or no node.

    `edges` [K, P] has -1 where a copy has no edge.
    """
    out = np.empty(len(order), np.int64)
    count = 0
    for row in order:
        is_free = True
        if nodes_apart:
            for node in copies[row]:
                is_free = is_free and node_marks[node] != era
        else:
            for edge in edges[row]:
                is_free = is_free and (edge < 0 or edge_marks[edge] != era)
        if is_free:
            for node in copies[row]:
                node_marks[node] = era
            for edge in edges[row]:
                if edge >= 0:
                    edge_marks[edge] = era
            out[count] = row
            count += 1
    return out[:count]


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
