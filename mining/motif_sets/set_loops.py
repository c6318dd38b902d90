"""Compiled loops over small node sets: growth, invariants, exact comparison, symmetries."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled, subroutine

_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# after so many rounds few structures of ten nodes look like another one
_ROUNDS = 3


@subroutine()
def mix(number):
    """A hash of a number, splitmix64."""
    number = (number ^ (number >> np.uint64(30))) * _MIX_A
    number = (number ^ (number >> np.uint64(27))) * _MIX_B
    return number ^ (number >> np.uint64(31))


@subroutine()
def link_between(rows, u, v):
    """What joins two nodes as seen from the first, 0 for nothing."""
    low, high = rows.indptr[u], rows.indptr[u + 1]
    while low < high:
        middle = (low + high) // 2
        if rows.indices[middle] < v:
            low = middle + 1
        else:
            high = middle
    if low < rows.indptr[u + 1] and rows.indices[low] == v:
        return rows.links[low]
    return 0


@subroutine()
def _is_new(rows, nodes, place, node):
    """Whether a neighbour of a node of a set is outside, and of none before this one."""
    is_new = True
    for other in nodes:
        is_new = is_new and other != node
    before = 0
    while is_new and before < place:
        is_new = link_between(rows, nodes[before], node) == 0
        before += 1
    return is_new


@compiled()
def grow_rows(rows, sets, most):  # [K, M] -> int32 [K', M + 1], uint64 [K']
    """Each set with each of its neighbours, nodes ascending, and a hash of it.

    There are at most `most`.
    """
    size = sets.shape[1]
    grown = np.empty((most, size + 1), np.int32)
    keys = np.empty(most, np.uint64)
    count = 0
    for row in range(len(sets)):
        for place in range(size):
            node = sets[row, place]
            for entry in range(rows.indptr[node], rows.indptr[node + 1]):
                new = rows.indices[entry]
                if not _is_new(rows, sets[row], place, new):
                    continue
                key, at = np.uint64(0), size
                for k in range(size):
                    key += mix(np.uint64(sets[row, k] + 1) * _GOLDEN)
                    if sets[row, k] > new and at == size:
                        at = k
                for k in range(at):
                    grown[count, k] = sets[row, k]
                grown[count, at] = new
                for k in range(at, size):
                    grown[count, k + 1] = sets[row, k]
                keys[count] = key + mix(np.uint64(new + 1) * _GOLDEN)
                count += 1
    return grown[:count], keys[:count]


@compiled()
def describe_sets(rows, sets):  # [K, M] -> uint64 [K]
    """A hash of the links and categories of each set, in the order of its nodes."""
    codes = np.empty(len(sets), np.uint64)
    for row in range(len(sets)):
        code = np.uint64(0)
        for u in range(sets.shape[1]):
            code = mix(code + np.uint64(rows.colors[sets[row, u]]) * _GOLDEN + np.uint64(1))
            for v in range(u):
                link = link_between(rows, sets[row, u], sets[row, v])
                code = (code << np.uint64(7)) ^ (code >> np.uint64(57))
                if link > 0:
                    code = mix(code + np.uint64(link))
        codes[row] = code
    return codes


@compiled()
def links_of(rows, nodes):  # [M] -> int64 [M, M]
    """What joins each two nodes of a set."""
    size = len(nodes)
    links = np.zeros((size, size), np.int64)
    for u in range(size):
        for v in range(size):
            if u != v:
                links[u, v] = link_between(rows, nodes[u], nodes[v])
    return links


@compiled()
def invariants_of(rows, sets):  # [K, M] -> uint64 [K, M], uint64 [K]
    """Colours of the nodes of each set by refinement, and a hash that isomorphic sets share."""
    colors = np.empty(sets.shape, np.uint64)
    invariants = np.empty(len(sets), np.uint64)
    own = np.empty(sets.shape[1], np.int64)
    for row in range(len(sets)):
        for place in range(sets.shape[1]):
            own[place] = rows.colors[sets[row, place]]
        invariants[row] = _refine(links_of(rows, sets[row]), own, colors[row])
    return colors, invariants


@subroutine()
def _refine(links, colors, refined):
    """Write refined colours of the nodes of a structure, and return its invariant."""
    size = len(colors)
    new = np.empty(size, np.uint64)
    for u in range(size):
        refined[u] = mix(np.uint64(colors[u] + 1) * _GOLDEN)
    for _ in range(_ROUNDS):
        for u in range(size):
            total = np.uint64(0)
            for v in range(size):
                if links[u, v] > 0:
                    total += mix(refined[v] + np.uint64(links[u, v]) * _GOLDEN)
            new[u] = mix(refined[u] ^ mix(total))
        refined[:] = new
    invariant = np.uint64(size)
    for u in range(size):
        invariant += mix(refined[u])
    return invariant


@compiled()
def invariant_of(links, colors):  # [M, M], [M]
    """The hash of a structure that isomorphic ones share."""
    return _refine(links, colors, np.empty(len(colors), np.uint64))


@compiled()
def parts_of(links, colors):  # [M, M], [M] -> uint64 [K]
    """The invariants of the connected parts of a structure with one or two nodes less."""
    size = len(colors)
    found = np.empty(size * (size + 1) // 2, np.uint64)
    count = 0
    kept = np.empty(size, np.int64)
    for first in range(size):
        for second in range(first + 1):
            number = 0
            for node in range(size):
                if node not in (first, second):
                    kept[number] = node
                    number += 1
            if number < 2:
                continue
            part, own = np.empty((number, number), np.int64), np.empty(number, np.int64)
            for u in range(number):
                own[u] = colors[kept[u]]
                for v in range(number):
                    part[u, v] = links[kept[u], kept[v]]
            if _is_connected(part):
                found[count] = invariant_of(part, own)
                count += 1
    return found[:count]


@subroutine()
def _is_connected(links):
    reached = np.zeros(len(links), np.bool_)
    reached[0] = True
    for _ in range(len(links)):
        for u in range(len(links)):
            for v in range(len(links)):
                if reached[u] and links[u, v] > 0:
                    reached[v] = True
    return reached.all()


@subroutine()
def _find_mapping(links, colors, other_links, other_colors, mapping, fixed):
    """Extend a mapping of the first nodes to an isomorphism, if there is one.

    `mapping[:fixed]` is given; the rest is written.
    """
    size = len(colors)
    used = np.zeros(size, np.bool_)
    for node in range(fixed):
        used[mapping[node]] = True
    node = fixed
    if node < size:
        mapping[node] = -1
    while fixed <= node < size:
        # the next node that this one can be mapped to
        if mapping[node] >= 0:
            used[mapping[node]] = False
        to = mapping[node] + 1
        while to < size:
            fits = not used[to] and colors[node] == other_colors[to]
            before = 0
            while fits and before < node:
                fits = links[node, before] == other_links[to, mapping[before]]
                before += 1
            if fits:
                break
            to += 1
        if to == size:
            node -= 1
            continue
        mapping[node] = to
        used[to] = True
        node += 1
        if node < size:
            mapping[node] = -1
    return node == size


@compiled()
def align_sets(rows, sets, colors, group_of):  # [K, M], [K, M], ascending [K] -> [K], [K, M]
    """The class of each set, and the order in which its nodes are those of the first of it.

    Sets of different groups are not isomorphic.
    """
    size = sets.shape[1]
    class_of = np.empty(len(sets), np.int64)
    order = np.empty((len(sets), size), np.int64)
    # the first sets of the classes of one group
    known, known_colors = np.empty((4, size, size), np.int64), np.empty((4, size), np.uint64)
    num_classes, before = 0, 0
    mapping = np.empty(size, np.int64)
    for row in range(len(sets)):
        if row > 0 and group_of[row] != group_of[row - 1]:
            before = num_classes
        links = links_of(rows, sets[row])
        one, found = before, False
        while one < num_classes and not found:
            first = one - before
            found = _find_mapping(known[first], known_colors[first], links, colors[row], mapping, 0)
            one += 0 if found else 1
        if not found:
            if one - before == len(known):
                known = np.concatenate((known, np.empty_like(known)))
                known_colors = np.concatenate((known_colors, np.empty_like(known_colors)))
            known[one - before], known_colors[one - before] = links, colors[row]
            num_classes += 1
            for place in range(size):
                mapping[place] = place
        class_of[row] = one
        order[row] = mapping
    return class_of, order


@compiled()
def symmetries_of(links, colors):  # [M, M], [M] -> int64 [M], float
    """The orbit of each node of a structure, and log2 of the number of automorphisms."""
    size = len(colors)
    refined = np.empty(size, np.uint64)
    _refine(links, colors, refined)
    mapping = np.empty(size, np.int64)
    # 1. orbits: a node, and those to which some automorphism brings it
    orbits = np.full(size, -1)
    num_orbits = 0
    marked, other = refined.copy(), refined.copy()
    for node in range(size):
        if orbits[node] >= 0:
            continue
        orbits[node] = num_orbits
        marked[node] = 0
        for to in range(node + 1, size):
            if orbits[to] < 0 and refined[to] == refined[node]:
                other[to] = 0
                if _find_mapping(links, marked, links, other, mapping, 0):
                    orbits[to] = num_orbits
                other[to] = refined[to]
        marked[node] = refined[node]
        num_orbits += 1
    # 2. their number: in turn, the nodes to which one can go while those before it stay
    bits = 0.0
    for node in range(size):
        reached = 1
        for to in range(node + 1, size):
            if refined[to] != refined[node]:
                continue
            fits = True
            for before in range(node):
                mapping[before] = before
                fits = fits and links[node, before] == links[to, before]
            mapping[node] = to
            if fits and _find_mapping(links, refined, links, refined, mapping, node + 1):
                reached += 1
        bits += np.log2(float(reached))
    return orbits, bits
