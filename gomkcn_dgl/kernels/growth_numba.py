"""Subgraphs grown node by node from the root, compiled: the policies ``random`` and ``dense``."""

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
    random,
    touch,
)
from gomkcn_dgl.runtime.compiled import subroutine

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_ZERO, _ONE, _HALF = np.uint64(0), np.uint64(1), np.uint64(32)
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
def grow_random(graph, root, stream, num_hops, limit, selected, scratch, era):
    """Add a random neighbour of the selected nodes at a time; return their number and the era."""
    met, depths, waiting = scratch.met, scratch.depths, scratch.waiting
    count = enter(root, _ROOT, scratch, era) + 1
    selected[0] = root
    size, depth, num_rows, ready, draw = _SIZE, _ROOT, _ROOT, _ROOT, _ZERO
    while size < len(selected):
        node = selected[size - 1]
        # 1. the node selected last puts its neighbours on offer, unless it is at the last hop
        if depth < num_hops:
            num_rows = open_row(node, depth, num_rows, scratch)
            if degree(graph, node) > limit:
                # from here on the table holds the selected nodes alone
                era += len(met)
                for k in range(size):
                    enter(selected[k], k, scratch, era)
                size = draw_rest(
                    graph, stream, draw, num_hops, num_rows, selected, size, scratch, era
                )
                break
            for edge in range(graph.indptr[node], graph.indptr[node + 1]):
                position = enter(graph.indices[edge], count, scratch, era)
                if position == count:
                    depths[position] = depth + 1
                    waiting[ready] = position
                    ready, count = ready + 1, count + 1
                depths[position] = min(depths[position], depth + 1)
        # 2. select one of the nodes on offer; the last one moves into its slot
        if ready == 0:
            break
        pick = random(stream, draw, ready)
        draw += _ONE
        ready -= 1
        selected[size], depth = met[waiting[pick]], depths[waiting[pick]]
        waiting[pick] = waiting[ready]
        size += 1
    return size, era


@subroutine(**SEARCH_JIT)
def draw_rest(graph, stream, draw, num_hops, num_rows, selected, size, scratch, era):
    """Fill up with nodes drawn from the open rows; the table holds the selected nodes only."""
    rows = scratch.rows
    total = 0
    for k in range(num_rows):
        total += degree(graph, rows[k])
    while size < len(selected):
        # 1. draw an entry of all open rows together, and find the row that it lies in
        place = random(stream, draw, total)
        draw += _ONE
        owner = 0
        while place >= degree(graph, rows[owner]):
            place -= degree(graph, rows[owner])
            owner += 1
        node = graph.indices[graph.indptr[rows[owner]] + np.uint64(place)]
        # 2. draw again if the node is selected, or if it also stands in an earlier row: a node
        #    counts in the first row that has it, so that all nodes are equally likely
        if find(node, scratch, era) >= 0:
            continue
        first = 0
        while first < owner and find_edge(graph, rows[first], node) < 0:
            first += 1
        if first < owner:
            continue
        # 3. select it, and open its own row unless it is at the last hop
        enter(node, size, scratch, era)
        selected[size] = node
        size += 1
        depth = scratch.row_depths[owner] + 1
        if depth < num_hops:
            total += degree(graph, node)
            num_rows = open_row(node, depth, num_rows, scratch)
    return size


@subroutine(**INLINE_JIT)
def open_row(node, depth, num_rows, scratch):
    """Put a selected node among the open rows, which stand in order of depth."""
    # insertion sort: move the deeper rows up by one
    place = num_rows
    while place > 0 and scratch.row_depths[place - 1] > depth:
        scratch.rows[place] = scratch.rows[place - 1]
        scratch.row_depths[place] = scratch.row_depths[place - 1]
        place -= 1
    scratch.rows[place], scratch.row_depths[place] = node, depth
    return num_rows + 1


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
