"""Growth of the copies of a block in lockstep, compiled.

K copies of a block of M roles are an int32 matrix ``copies [K, M]``: the node of the graph at each
role. Around each copy stands its rim, the nodes that are joined to it: those of copy k are
``nodes[ptr[k]:ptr[k + 1]]``, ascending. The signature of a rim node is a sum of hashes of the roles
that it is joined to and of what joins it to them; with its kind it is the key by which rim nodes of
different copies are the same new role. Kinds of nodes are ``graph.colors``, from 0 without gaps.

Nodes with more than ``most_degree`` neighbours may be roles, but nobody is in the rim for being
joined to one of them alone.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.compiled_graph import CompiledGraph, bounds, degree, find_entry, link_at
from gomkcn_dgl.kernels.search_numba import INLINE_JIT, finalize, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine

_ONE = np.uint64(1)
_LINK_BITS = np.uint64(16)


@subroutine(**INLINE_JIT)
def link_between(graph, u, v):
    """What joins u to v, a number of ``relations.links``; 0 for nothing."""
    entry = find_entry(graph, np.uint64(u), np.uint64(v))
    return link_at(graph, entry) if entry >= 0 else 0


@subroutine(**INLINE_JIT)
def _part(role, link):
    """The part of a signature that a role and what joins it to a node make."""
    return mix((np.uint64(role) << _LINK_BITS) | np.uint64(link))


@compiled()
def grow_rims(
    graph: CompiledGraph,
    copies: np.ndarray,
    rows: np.ndarray,
    ptr: np.ndarray,
    nodes: np.ndarray,
    signatures: np.ndarray,
    most_degree: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rims of copies after their last role has come in; copy k was row ``rows[k]`` before.

    Returns ``ptr``, ``nodes`` and ``signatures`` of the new rims.
    """
    last = copies.shape[1] - 1
    room = 0
    for k in range(len(copies)):
        room += ptr[rows[k] + 1] - ptr[rows[k]]
        around = degree(graph, copies[k, last])
        if around <= most_degree:
            room += around
    new_ptr = np.zeros(len(copies) + 1, np.int64)
    new_nodes = np.empty(room, np.int32)
    new_signatures = np.empty(room, np.uint64)
    count = 0
    for k in range(len(copies)):
        node = np.int64(copies[k, last])
        at, end = ptr[rows[k]], ptr[rows[k] + 1]
        entry, entries_end = bounds(graph, node)
        if degree(graph, node) > most_degree:
            # its row is not walked; who is in the rim already is looked up in it
            while at < end:
                here = np.int64(nodes[at])
                if here != node:
                    new_nodes[count] = here
                    new_signatures[count] = signatures[at]
                    link = link_between(graph, node, here)
                    if link:
                        new_signatures[count] += _part(last, link)
                    count += 1
                at += 1
        else:
            # both are ascending
            while at < end or entry < entries_end:
                here = np.int64(nodes[at]) if at < end else np.int64(len(graph.indptr))
                there = (
                    np.int64(graph.indices[entry])
                    if entry < entries_end
                    else np.int64(len(graph.indptr))
                )
                if here < there:
                    if here != node:
                        new_nodes[count] = here
                        new_signatures[count] = signatures[at]
                        count += 1
                    at += 1
                elif here == there:
                    new_nodes[count] = here
                    new_signatures[count] = signatures[at] + _part(last, link_at(graph, entry))
                    count += 1
                    at += 1
                    entry += 1
                else:
                    is_new = True
                    for role in range(last):
                        if copies[k, role] == there:
                            is_new = False
                            break
                    if is_new:
                        signature = _part(last, link_at(graph, entry))
                        for role in range(last):
                            if degree(graph, copies[k, role]) > most_degree:
                                link = link_between(graph, copies[k, role], there)
                                if link:
                                    signature += _part(role, link)
                        new_nodes[count] = there
                        new_signatures[count] = signature
                        count += 1
                    entry += 1
        new_ptr[k + 1] = count
    return new_ptr, new_nodes[:count], new_signatures[:count]


@compiled()
def tally_keys(
    graph: CompiledGraph, ptr: np.ndarray, nodes: np.ndarray, signatures: np.ndarray, least: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Count the copies that have each key, and leave out the keys of fewer than ``least``.

    Returns the number of the key of each rim node, -1 for none; and for each key its hash, the
    number of copies that have it, the first rim node with it, and the copy of that one.
    """
    bits = 1
    while (1 << bits) < 2 * len(nodes) + 2:
        bits += 1
    shift = np.uint64(64 - bits)
    top = np.uint64((1 << bits) - 1)
    table = np.full(1 << bits, -1, np.int64)
    which = np.empty(len(nodes), np.int64)
    keys = np.empty(len(nodes), np.uint64)
    counts = np.zeros(len(nodes), np.int64)
    first = np.empty(len(nodes), np.int64)
    owner = np.empty(len(nodes), np.int64)
    seen = np.empty(len(nodes), np.int64)
    found = 0
    for k in range(len(ptr) - 1):
        for at in range(ptr[k], ptr[k + 1]):
            key = finalize(signatures[at] ^ mix(~np.uint64(graph.colors[nodes[at]])))
            slot = key >> shift
            while table[slot] >= 0 and keys[table[slot]] != key:
                slot = (slot + _ONE) & top
            number = table[slot]
            if number < 0:
                number = found
                table[slot] = number
                keys[number], first[number], owner[number], seen[number] = key, at, k, -1
                found += 1
            if seen[number] != k:
                seen[number] = k
                counts[number] += 1
            which[at] = number
    # keys of enough copies are numbered anew, in their order
    kept = 0
    for number in range(found):
        if counts[number] >= least:
            keys[kept], counts[kept] = keys[number], counts[number]
            first[kept], owner[kept] = first[number], owner[number]
            seen[number] = kept
            kept += 1
        else:
            seen[number] = -1
    for at in range(len(nodes)):
        which[at] = seen[which[at]]
    return which, keys[:kept], counts[:kept], first[:kept], owner[:kept]


@subroutine()
def _row_of(table_keys, key):
    """Where a key stands in the ascending ``table_keys``."""
    low, high = 0, len(table_keys) - 1
    while low < high:
        middle = (low + high) >> 1
        if table_keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@compiled()
def weigh_keys(
    graph: CompiledGraph,
    copies: np.ndarray,
    owner: np.ndarray,
    nodes: np.ndarray,
    counts: np.ndarray,
    links: np.ndarray,
    kinds: np.ndarray,
    table_keys: np.ndarray,
    table: np.ndarray,
    kind_sizes: np.ndarray,
    num_links: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Bits that each new role is worth in a copy, and what joins the roles to it, ``[D, M]``.

    Role d is at node ``nodes[d]`` of the copy ``owner[d]``. ``links [M, M]`` and ``kinds [M]`` are
    those of the block, ``table_keys`` and ``table`` those of
    :class:`~gomkcn.mining.repeats.chance.ChanceTable`.

    A node of a kind that has j such neighbours has one more with a chance q that is counted in the
    graph: -log2 q bits for the role through which the new one comes in. That the same node is
    joined to another role as well has the chance that this role is joined to any one of its kind.
    Of all roles that it may come in through the one is taken that makes it worth least.
    """
    size = copies.shape[1]
    num_kinds = len(kind_sizes)
    most = table.shape[1] - 2
    bits = np.empty(len(owner))
    joined = np.zeros((len(owner), size), np.int64)
    comes = np.empty(size)
    beside = np.empty(size)
    for d in range(len(owner)):
        kind = graph.colors[nodes[d]]
        total = 0.0
        for role in range(size):
            link = link_between(graph, copies[owner[d], role], nodes[d])
            joined[d, role] = link
            if not link:
                continue
            row = _row_of(table_keys, (kinds[role] * num_links + link) * num_kinds + kind)
            # neighbours of the sort that the role has already
            has = 0
            for other in range(size):
                if links[role, other] == link and kinds[other] == kind:
                    has += 1
            has = min(has, most - 1)
            more, able = table[row, has + 1], table[row, has]
            # those of the copies themselves say nothing; of few others, half of one more has it
            own = min(np.float64(counts[d]), more)
            comes[role] = np.log2((able - own + 1.0) / (more - own + 0.5))
            beside[role] = np.log2(
                kind_sizes[kind] * kind_sizes[kinds[role]] / table[row, most + 1]
            )
            total += beside[role]
        bits[d] = np.inf
        for role in range(size):
            if joined[d, role]:
                bits[d] = min(bits[d], total - beside[role] + comes[role])
    return bits, joined


@compiled()
def choose_nodes(
    number: int,
    which: np.ndarray,
    ptr: np.ndarray,
    nodes: np.ndarray,
    colors: np.ndarray,
    tallies: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The copies that have a key, and the node of each.

    Where a copy has several, it takes the node whose surroundings look like those of most others:
    ``colors [R, V]`` are those of R refinements, and ``tallies [R, V]`` are zeros, before and
    after. Of nodes that look alike the one with the smallest number is taken.
    """
    at = np.flatnonzero(which == number)
    for entry in at:
        for r in range(len(colors)):
            tallies[r, colors[r, nodes[entry]]] += 1
    rows = np.empty(len(at), np.int64)
    chosen = np.empty(len(at), np.int32)
    count = 0
    k = 0
    best = -1
    for entry in at:
        while ptr[k + 1] <= entry:
            k += 1
        score = 0
        for r in range(len(colors)):
            score += tallies[r, colors[r, nodes[entry]]]
        if count == 0 or rows[count - 1] != k:
            rows[count] = k
            chosen[count] = nodes[entry]
            best = score
            count += 1
        elif score > best:
            chosen[count - 1] = nodes[entry]
            best = score
    for entry in at:
        for r in range(len(colors)):
            tallies[r, colors[r, nodes[entry]]] = 0
    return rows[:count], chosen[:count]


@compiled()
def pick_copies(copies: np.ndarray, uses: np.ndarray) -> np.ndarray:
    """Which copies stand for their node set (1) and are disjoint (2), int8 ``[K]``; others are 0.

    Of several with the same nodes the first one stands for them. Disjoint ones are picked
    greedily, those first that share nodes with fewest others. ``uses [V]`` are zeros, before and
    after.
    """
    num_copies, size = copies.shape
    picked = np.zeros(num_copies, np.int8)
    # 1. each node set once, by the sum of hashes of its nodes
    sums = np.zeros(num_copies, np.uint64)
    for k in range(num_copies):
        for role in range(size):
            sums[k] += mix(np.uint64(copies[k, role]))
    order = np.argsort(sums, kind="mergesort")
    for place in range(num_copies):
        if place == 0 or sums[order[place]] != sums[order[place - 1]]:
            picked[order[place]] = 1
    # 2. overlaps
    for k in range(num_copies):
        if picked[k]:
            for role in range(size):
                uses[copies[k, role]] += 1
    overlaps = np.zeros(num_copies, np.int64)
    for k in range(num_copies):
        for role in range(size):
            overlaps[k] += uses[copies[k, role]]
    # 3. disjoint ones; a node that is taken has no uses
    for k in np.argsort(overlaps, kind="mergesort"):
        if not picked[k]:
            continue
        is_free = True
        for role in range(size):
            if uses[copies[k, role]] == 0:
                is_free = False
                break
        if is_free:
            picked[k] = 2
            for role in range(size):
                uses[copies[k, role]] = 0
    for k in range(num_copies):
        for role in range(size):
            uses[copies[k, role]] = 0
    return picked
