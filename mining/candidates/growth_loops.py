"""Connected node sets grown from given nodes, compiled: one growth shows a set of every size.

The next node is the one with most links to the nodes so far; then the one with most links to
others that could be next, so that a clique or a grid is entered and not left; then the one of lower
degree; then a random one. A view with random choices takes any node on offer instead.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.kernels.search_numba import (
    INLINE_JIT,
    SEARCH_JIT,
    Rows,
    degree,
    enter,
    find,
    find_entry,
    mix,
)
from gomkcn_dgl.runtime.compiled import compiled, subroutine

_ONE, _HALF = np.uint64(1), np.uint64(32)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_TAKEN = -(2**40)
# of more nodes with as many links, only so many are compared further
_MOST_TIES = 24
# after so many rounds few small graphs look like another one
_ROUNDS = 3


def rows_of(graph: CSRGraph) -> Rows:
    """The rows of a graph as the compiled functions take them."""
    return Rows(graph.indptr.view(np.uint64), graph.indices.view(np.uint32))


@compiled(**SEARCH_JIT)
def grow_sets(
    first, last, graph, search, links, colors, starts, at_random, seed, limit, nodes, codes, scratch
):  # fmt: skip
    """Grow each row of `starts` (-1 = none) to a row of `nodes`, with a code for every size.

    Sets with equal codes have the same links and colours in the order in which they grew.
    """
    era = np.int64(1)
    for row in range(first, last):
        stream = mix(mix(seed) + np.uint64(row))
        size, count = 0, np.int64(0)
        for k in range(nodes.shape[1]):
            nodes[row, k] = -1
        while size < nodes.shape[1]:
            if size < starts.shape[1] and starts[row, size] >= 0:
                node = np.uint32(starts[row, size])
            elif at_random:
                node = _any(count, size, stream, scratch)
            else:
                node = _best_linked(search, count, stream, limit, scratch, era)
            if node == np.uint32(0xFFFFFFFF):
                break
            nodes[row, size] = np.int32(node)
            before = codes[row, size - 1] if size > 0 else np.uint64(0)
            codes[row, size] = mix(before ^ code_of(graph, links, colors, nodes[row], size))
            size += 1
            count = _select(search, node, count, stream, limit, scratch, era)
        era += len(scratch.met)


@subroutine(**INLINE_JIT)
def code_of(graph, links, colors, nodes, size):
    """Hash of the colour of a node and of its links to the nodes before it."""
    node = np.uint64(nodes[size])
    code = np.uint64(colors[node]) * _GOLDEN if len(colors) > 0 else np.uint64(0)
    for k in range(size):
        entry = find_entry(graph, node, np.uint64(nodes[k]))
        if entry >= 0:
            link = np.uint64(links[entry]) if links is not None else _ONE
            code += mix((np.uint64(k) << _HALF) | link)
    return code


@subroutine(**INLINE_JIT)
def _select(graph, node, count, stream, limit, scratch, era):
    """Select a node: its neighbours have one more link; of a hub, a random part of them."""
    ranks = scratch.ranks
    position = enter(node, count, scratch, era)
    if position == count:
        count += 1
    ranks[position] = _TAKEN
    length, start = degree(graph, node), graph.indptr[node]
    own = mix(stream ^ mix(np.uint64(node)))
    for k in range(min(length, limit)):
        slot = np.uint64(k)
        if length > limit:
            slot = ((mix(own + slot) >> _HALF) * np.uint64(length)) >> _HALF
        other = graph.indices[start + slot]
        position = enter(other, count, scratch, era)
        if position == count:
            ranks[position] = 0
            count += 1
        ranks[position] += 1
    return count


@subroutine(**INLINE_JIT)
def _any(count, size, stream, scratch):
    """A random node on offer, or the largest number where there is none."""
    left = count - size
    if left > 0:
        pick = np.int64(mix(stream + np.uint64(size)) % np.uint64(left))
        for position in range(count):
            if scratch.ranks[position] > 0:
                if pick == 0:
                    return scratch.met[position]
                pick -= 1
    return np.uint32(0xFFFFFFFF)


@subroutine(**INLINE_JIT)
def _best_linked(graph, count, stream, limit, scratch, era):
    """The node on offer with most links; see above for those with equally many."""
    most = np.int64(0)
    for position in range(count):
        most = max(most, scratch.ranks[position])
    best, best_key = np.uint32(0xFFFFFFFF), np.int64(-(2**62))
    if most == 0:
        return best
    ties = 0
    offset = np.int64(mix(stream) % np.uint64(count))
    for k in range(count):
        position = k + offset if k + offset < count else k + offset - count
        if scratch.ranks[position] != most:
            continue
        node = scratch.met[position]
        length, start = degree(graph, node), graph.indptr[node]
        others = 0
        for edge in range(start, start + np.uint64(min(length, limit))):
            met = find(graph.indices[edge], scratch, era)
            others += met >= 0 and scratch.ranks[met] > 0
        noise = np.int64(mix(stream ^ (_GOLDEN * (np.uint64(node) + _ONE))) >> np.uint64(44))
        key = others * 2**45 - min(length, 2**20) * 2**21 + noise
        if key > best_key:
            best, best_key = node, key
        ties += 1
        if ties == _MOST_TIES:
            break
    return best


@compiled(**SEARCH_JIT)
def links_among(graph, links, nodes, out):
    """Write the link of each pair of nodes of each row, 0 where they are not joined."""
    for row in range(nodes.shape[0]):
        for i in range(nodes.shape[1]):
            for j in range(nodes.shape[1]):
                entry = find_entry(graph, np.uint32(nodes[row, i]), np.uint32(nodes[row, j]))
                if entry >= 0:
                    out[row, i, j] = links[entry] if links is not None else 1


@compiled(**SEARCH_JIT)
def mark_triangles(first, last, graph, kept):
    """Write False for each entry of the rows from `first` to `last` that is in a triangle."""
    for node in range(first, last):
        start, stop = graph.indptr[node], graph.indptr[node + 1]
        for edge in range(start, stop):
            # of two sorted rows, the longer one is searched for the nodes of the shorter one
            other = np.int64(graph.indices[edge])
            short, long = (
                (node, other) if degree(graph, node) < degree(graph, other) else (other, node)
            )
            for place in range(graph.indptr[short], graph.indptr[short + 1]):
                if find_entry(graph, np.uint32(long), graph.indices[place]) >= 0:
                    kept[edge] = False
                    break


@compiled()
def mostly_uncovered(graph, nodes, is_covered):
    """Whether at least half of the edges among the nodes of each row are not covered."""
    out = np.empty(len(nodes), np.bool_)
    for row in range(len(nodes)):
        free = 0
        for i in range(nodes.shape[1]):
            for j in range(i):
                entry = find_entry(graph, np.uint32(nodes[row, i]), np.uint32(nodes[row, j]))
                if entry >= 0:
                    free += -1 if is_covered[entry] else 1
        out[row] = free >= 0
    return out


@compiled(**SEARCH_JIT)
def cover_edges(graph, nodes, is_covered):
    """Cover the edges among the nodes of each row, both ways."""
    for row in range(len(nodes)):
        for i in range(nodes.shape[1]):
            for j in range(nodes.shape[1]):
                entry = find_entry(graph, np.uint32(nodes[row, i]), np.uint32(nodes[row, j]))
                if entry >= 0:
                    is_covered[entry] = True


@compiled(**SEARCH_JIT)
def describe_sets(
    first, last, graph, links, reverse, salts, colors, nodes, order, invariants, keys, near, color
):  # fmt: skip
    """Describe the rows of `nodes` from `first` to `last`, `[K, M]`.

    Of isomorphic sets the `invariants` are equal. The `keys` are equal for the same links in the
    same `order`. `near` `[M, M]` and `color` `[2, M]` are scratch.
    """
    size = nodes.shape[1]
    for row in range(first, last):
        for i in range(size):
            node = np.uint32(nodes[row, i])
            own = np.uint64(colors[node]) + np.uint64(1) if len(colors) > 0 else np.uint64(1)
            color[0, i] = mix(own * _GOLDEN)
            near[i, i] = 0
            for j in range(i):
                entry = find_entry(graph, node, np.uint32(nodes[row, j]))
                link = 0
                if entry >= 0:
                    link = np.int64(links[entry]) if links is not None else 1
                near[i, j], near[j, i] = salts[link], salts[reverse[link]]
        _refine(near, color)
        total = np.uint64(0)
        for i in range(size):
            total += mix(color[0, i])
        invariants[row] = total
        while True:
            tied = _first_tie(color[0])
            if tied < 0:
                break
            color[0, tied] = mix(color[0, tied])
            _refine(near, color)
        _sort(color[0], order[row])
        key = np.uint64(0)
        for i in range(size):
            for j in range(size):
                place = mix(np.uint64(i * size + j))
                key += mix(place + near[order[row, i], order[row, j]])
        keys[row] = mix(key) ^ total


@subroutine(**INLINE_JIT)
def _refine(near, color):
    """Replace each colour by a hash of itself and of the colours that it is joined to."""
    size = len(near)
    for _ in range(_ROUNDS):
        for i in range(size):
            total = np.uint64(0)
            for j in range(size):
                total += near[i, j] * color[0, j]
            color[1, i] = mix(color[0, i] * _GOLDEN + mix(total))
        for i in range(size):
            color[0, i] = color[1, i]


@subroutine(**INLINE_JIT)
def _first_tie(color):
    """A node with the least colour that several nodes have, or -1."""
    found = -1
    for i in range(len(color)):
        for j in range(i):
            if color[i] == color[j] and (found < 0 or color[i] < color[found]):
                found = i
    return found


@subroutine(**INLINE_JIT)
def _sort(color, order):
    """Write the nodes in ascending order of their colours."""
    for i in range(len(color)):
        place = i
        while place > 0 and color[order[place - 1]] > color[i]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
