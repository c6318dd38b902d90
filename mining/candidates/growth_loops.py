"""Connected node sets grown over the free edges of a graph, and what each is worth, compiled.

A growth takes one node after the other and so shows a set of every size. The next node is drawn
among the neighbours, in a third of the growths each: any; those with many links into the set, of
low degree; and those with most links into it, nearly always. So motifs are entered that are dense,
and those that are rings.

What the edges of a set are worth is estimated from its degrees alone: log2 2m bits an edge, less
what it costs to say where its nodes are, among those that have the edges, uniformly or by degree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT, find_entry, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine

# neighbours of a node that are on offer; of a hub, those from a random one on
MOST_NEIGHBORS = 300
# a way to draw the next node: its weight is that of its links, divided by 1 + a share of its degree
_LINKS = np.arange(17.0)
_OF_LINKS = np.stack([np.minimum(_LINKS, 1), _LINKS**3, 20**_LINKS - 1])
_OF_DEGREE = np.array([0, 0.2, 0.05])
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HALF, _LOW = np.uint64(32), np.uint64(11)


class Worth(NamedTuple):
    """What the estimate of the bits of a set is made from."""

    degrees: np.ndarray  # int64 [V], of each node in the free edges
    log_factorial: np.ndarray  # float64 [largest degree + 1], log2 d!
    uniform: np.ndarray  # float64 [M], log2 of the number of nodes with at least r edges
    by_degree: np.ndarray  # float64 [M], log2 of the sum of d (d - 1) ... (d - r + 1)
    edge: float  # bits of an edge


class Front(NamedTuple):
    """The nodes on offer to one growth."""

    nodes: np.ndarray  # uint32 [M * MOST_NEIGHBORS]
    sums: np.ndarray  # float64, of the weights of those up to each
    number: np.ndarray  # int16 [V], links into the set; 0 = not on offer, -1 = taken
    inside: np.ndarray  # int64 [M], edges of each node of the set to the others


def new_front(num_nodes: int, max_nodes: int) -> Front:
    """What a thread needs to grow sets of ``max_nodes`` in a graph of ``num_nodes``."""
    most = max_nodes * MOST_NEIGHBORS
    return Front(
        np.empty(most, np.uint32),
        np.empty(most, np.float64),
        np.zeros(num_nodes, np.int16),
        np.zeros(max_nodes, np.int64),
    )


@compiled(**SEARCH_JIT)
def grow_sets(first, last, graph, is_free, worth, roots, seed, nodes, codes, values, front):
    """Grow a set from each root: rows of `nodes` [K, M], -1 where a growth has ended.

    `is_free` is bool [E], whether an entry of the graph is free; that of both entries of an edge.
    Of the first s nodes of a row, `codes` [K, M] at s - 1 is the same for sets with the same links
    and colours in this order, and `values` [K, M] the bits.
    """
    most = nodes.shape[1]
    for row in range(first, last):
        stream = mix(mix(seed) + np.uint64(row))
        for k in range(most):
            nodes[row, k] = -1
        nodes[row, 0] = roots[row]
        codes[row, 0] = mix(np.uint64(graph.colors[roots[row]]))
        front.inside[0] = 0
        front.number[roots[row]] = -1
        offered, size = 0, 1
        while size < most:
            # 1. the neighbours of the last node by free edges are on offer
            number = mix(stream + np.uint64(2 * size))
            offered = _offer(graph, is_free, nodes[row, size - 1], number, front, offered)
            # 2. one of them is drawn
            number = mix(stream + np.uint64(2 * size + 1))
            node = _draw(graph, row % 3, number, front, offered)
            if node < 0:
                break
            # 3. its links to those before it; the growth ends at a used edge
            nodes[row, size] = node
            code, goes_on = _join(graph, is_free, nodes[row], size, front.inside)
            if not goes_on:
                nodes[row, size] = -1
                break
            front.number[node] = -1
            codes[row, size] = mix(codes[row, size - 1] ^ code)
            size += 1
            values[row, size - 1] = _value(worth, nodes[row], size, front.inside)
        # 4. the front is left as it was found
        front.number[roots[row]] = 0
        for k in range(offered):
            front.number[front.nodes[k]] = 0


@subroutine(**INLINE_JIT)
def _offer(graph, is_free, node, random, front, offered):
    """Count a link to each neighbour of a node that was taken; return how many are on offer."""
    start = np.int64(graph.indptr[node])
    degree = np.int64(graph.indptr[node + 1]) - start
    shift = np.int64(random % np.uint64(degree)) if degree > MOST_NEIGHBORS else 0
    for k in range(min(degree, MOST_NEIGHBORS)):
        entry = start + (k + shift if k + shift < degree else k + shift - degree)
        if is_free[entry]:
            other = graph.indices[entry]
            if front.number[other] == 0:
                front.nodes[offered] = other
                offered += 1
            if front.number[other] >= 0:
                front.number[other] += 1
    return offered


@subroutine(**INLINE_JIT)
def _draw(graph, way, random, front, offered):
    """Draw a node on offer in one of the three ways, -1 where there is none."""
    total = 0.0
    for k in range(offered):
        node = np.int64(front.nodes[k])
        number = front.number[node]
        if number > 0:
            degree = np.float64(graph.indptr[node + 1] - graph.indptr[node])
            total += _OF_LINKS[way, number] / (1 + _OF_DEGREE[way] * degree)
        front.sums[k] = total
    if total == 0:
        return np.int64(-1)
    target = np.float64(random >> _LOW) * 2.0**-53 * total
    # the first node whose sum is above it; it has a weight
    low, high = 0, offered - 1
    while low < high:
        middle = (low + high) >> 1
        if front.sums[middle] > target:
            high = middle
        else:
            low = middle + 1
    return np.int64(front.nodes[low])


@subroutine(**INLINE_JIT)
def _join(graph, is_free, nodes, size, inside):
    """Hash of the colour of the node at `size` and its links to those before; are all free."""
    node = np.uint64(nodes[size])
    code = np.uint64(graph.colors[node]) * _GOLDEN
    inside[size] = 0
    for k in range(size):
        entry = find_entry(graph, node, np.uint64(nodes[k]))
        if entry >= 0:
            if not is_free[entry]:
                return code, False
            code += mix((np.uint64(k) << _HALF) | np.uint64(graph.links[entry]))
            inside[size] += 1
            inside[k] += 1
    return code, True


@subroutine(**INLINE_JIT)
def _value(worth, nodes, size, inside):
    """Bits of the edges of a set, less its address, the cheaper of two."""
    edges, uniform, by_degree = 0, 0.0, 0.0
    for k in range(size):
        degree, own = worth.degrees[nodes[k]], inside[k]
        edges += own
        uniform += worth.uniform[own]
        uniform += worth.log_factorial[degree] - worth.log_factorial[degree - own]
        by_degree += worth.by_degree[own]
    return 0.5 * edges * worth.edge - min(uniform, by_degree)


@compiled(**SEARCH_JIT)
def links_among(graph, nodes, out):
    """Write the link of each pair of nodes of each row to `out` [K, M, M], 0 where not joined."""
    for row in range(nodes.shape[0]):
        for i in range(nodes.shape[1]):
            for j in range(nodes.shape[1]):
                entry = find_entry(graph, np.uint64(nodes[row, i]), np.uint64(nodes[row, j]))
                out[row, i, j] = graph.links[entry] if entry >= 0 else 0
