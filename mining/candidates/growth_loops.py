"""Connected node sets grown from given nodes, compiled: one growth shows a set of every size.

The next node is the one with most links to the nodes so far; then the one with most links to
others that could be next, so that a clique or a grid is entered and not left; then the one of lower
degree; then a random one. A view with random choices takes any node on offer instead.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.search_numba import (
    INLINE_JIT,
    SEARCH_JIT,
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
