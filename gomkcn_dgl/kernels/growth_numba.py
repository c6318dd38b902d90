"""Subgraphs grown node by node from the root, compiled: the policy ``dense``."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.bfs_reference import MOST_RANKED_DEGREE
from gomkcn_dgl.kernels.search_numba import (
    INLINE_JIT,
    SEARCH_JIT,
    degree,
    enter,
    find,
    find_edge,
    mix,
    touch,
)
from gomkcn_dgl.runtime.compiled import subroutine

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_ONE, _HALF = np.uint64(1), np.uint64(32)
_PADDING = np.uint32(2**32 - 1)
# typed: a plain 0 is another type to the compiler, and a function more to compile
_ROOT, _SIZE = np.int64(0), np.int64(1)
# a node's rank when growing densely, least first:
# missing links | missing links among the root's neighbours | 20 bits of degree | 19 random bits
_LINK, _AMONG, _DEGREE, _RANDOM = 2**52, 2**39, 2**19, np.uint64(45)
# at most as many neighbours as a root offers, 4 * 1024
_MOST_AMONG = 2**12
# ranks from here on are not on offer: selected nodes, and those that no row has offered yet
_TAKEN, _UNRANKED = 2**62, 2**63 - 1
_NOT_OFFERED = 2**31


@subroutine(**SEARCH_JIT)
def grow_dense(graph, root, stream, num_hops, limit, selected, scratch, era):
    """Add the node with most links to the selected ones at a time; return their number."""
    met, depths, ranks = scratch.met, scratch.depths, scratch.ranks
    count = enter(root, _ROOT, scratch, era) + 1
    depths[0], ranks[0] = 0, _UNRANKED
    selected[0] = root
    size, depth, hubs = _SIZE, _ROOT, _ROOT
    while size < len(selected):
        # 1. the node selected last adds a link to each of its neighbours, which are then on offer
        node = selected[size - 1]
        hub = degree(graph, node) > limit
        if hub:
            _link_hub(graph, node, depth, count, scratch)
        old = count
        count, fresh = _offer(
            graph, root, node, depth, num_hops, limit, stream, count, scratch, era
        )
        touch(graph, met, old, count, scratch)
        _rank(graph, root, fresh, hubs, stream, len(selected), scratch)
        if size == 1:
            _link_among(graph, fresh, limit, scratch, era)
        if hub:
            scratch.rows[hubs], scratch.row_depths[hubs] = node, depth
            hubs += 1
        # 2. the least rank is the next node
        best, node = _TAKEN, _PADDING
        for position in range(count):
            best = min(best, ranks[position])
        if best == _TAKEN:
            break
        # two loops without a branch; the smaller node of two equal ones
        for position in range(count):
            node = min(node, met[position] if ranks[position] == best else _PADDING)
        # 3. select it; the rank of a selected node is never the least again
        chosen = find(node, scratch, era)
        selected[size], depth = node, depths[chosen]
        ranks[chosen] = _UNRANKED
        size += 1
    return size


@subroutine(**INLINE_JIT)
def _link_hub(graph, hub, depth, count, scratch):
    """Count the links of a hub to the nodes on offer; those offered later look at `rows`."""
    for position in range(count):
        # skip selected nodes and those that no row has offered
        if scratch.depths[position] == _NOT_OFFERED or scratch.ranks[position] >= _TAKEN:
            continue
        if find_edge(graph, hub, scratch.met[position]) >= 0:
            scratch.ranks[position] -= _LINK
            scratch.depths[position] = min(scratch.depths[position], depth + 1)


@subroutine(**INLINE_JIT)
def _offer(graph, root, node, depth, num_hops, limit, stream, count, scratch, era):
    """Link a selected node to its row; offer the row unless the node is at the last hop."""
    depths, ranks = scratch.depths, scratch.ranks
    length, first = degree(graph, node), graph.indptr[node]
    hub, inner = length > limit, depth < num_hops
    own = mix(stream ^ mix(np.uint64(node) - np.uint64(root)))
    offers = length
    # a hub offers `limit` random entries of its row, another node offers its whole row
    if hub:
        offers = limit if inner else 0
        for draw in range(offers):
            slot = ((mix(own + np.uint64(draw)) >> _HALF) * np.uint64(length)) >> _HALF
            scratch.pairs[draw] = graph.indices[first + slot]
    fresh = 0
    for k in range(offers):
        other = np.uint32(scratch.pairs[k]) if hub else graph.indices[first + np.uint64(k)]
        position = enter(other, count, scratch, era)
        if position == count:
            depths[position], ranks[position] = _NOT_OFFERED, _UNRANKED
            count += 1
        # a link is counted once; `_link_hub` and `_rank` count those between a node and a hub
        new = depths[position] == _NOT_OFFERED
        if new or not hub:
            ranks[position] -= _LINK
        if inner:
            scratch.waiting[fresh] = position
            fresh += new
            depths[position] = min(depths[position], depth + 1)
    return count, fresh


@subroutine(**INLINE_JIT)
def _rank(graph, root, fresh, hubs, stream, max_nodes, scratch):
    """Rank the nodes that were put on offer just now; their links to small rows are counted."""
    for k in range(fresh):
        position = scratch.waiting[k]
        node = scratch.met[position]
        for hub in range(hubs):
            if find_edge(graph, scratch.rows[hub], node) >= 0:
                scratch.ranks[position] -= _LINK
                depth = scratch.row_depths[hub] + 1
                scratch.depths[position] = min(scratch.depths[position], depth)
        # missing links, degree and random bits in one number, so that one minimum decides
        place = np.uint64(node) - np.uint64(root)
        priority = np.int64(mix(stream + _GOLDEN * (place + _ONE)) >> _RANDOM)
        length = min(degree(graph, node), MOST_RANKED_DEGREE)
        rank = max_nodes * _LINK + _MOST_AMONG * _AMONG + length * _DEGREE + priority
        scratch.ranks[position] += rank - _UNRANKED


@subroutine(**INLINE_JIT)
def _link_among(graph, fresh, limit, scratch, era):
    """Count how many of the other neighbours of the root each is joined to, hubs left out."""
    for k in range(fresh):
        node = scratch.met[scratch.waiting[k]]
        if degree(graph, node) > limit:
            continue
        for edge in range(graph.indptr[node], graph.indptr[node + 1]):
            # the root stands at 0
            position = find(graph.indices[edge], scratch, era)
            if position > 0:
                scratch.ranks[position] -= _AMONG
