"""Cycles and cliques at each node and edge of a graph, compiled.

All cycles lie in the 2-core, which is the part that these functions see. Its nodes are numbered by
their degrees, so that a cycle is met at its last node, which has most neighbours, and few of the
paths that lead there are looked at (N. Chiba and T. Nishizeki, Arboricity and subgraph listing
algorithms, SIAM Journal on Computing 14, 1985).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, subroutine
from mining.counting.search_loops import first_at_least

# of the paths u - a - v to a node v: how many there are, the triangles on the edges u - a and on
# the edges a - v, and the edges among the nodes a, twice
COMMON, AT_U, AT_V, INSIDE = range(4)


class Core(NamedTuple):
    """The 2-core of a graph: N nodes in ascending order of their degrees, L edges."""

    nodes: np.ndarray  # int64 [N], the nodes of the graph
    indptr: np.ndarray  # int64 [N + 1]
    indices: np.ndarray  # uint32 [2 L], ascending in each row
    edge: np.ndarray  # uint32 [2 L], the number of the edge of each entry
    up: np.ndarray  # int64 [N], the first entry of each row whose node is later


class Triangles(NamedTuple):
    """The third nodes of the triangles on each edge, ascending."""

    ptr: np.ndarray  # int64 [L + 1]
    third: np.ndarray  # uint32 [3 T]
    first_edge: np.ndarray  # uint32 [3 T], from the earlier end of the edge to the third node
    second_edge: np.ndarray  # uint32 [3 T], from the later end


class CycleSums(NamedTuple):
    """What one thread adds up of squares and five-cycles."""

    square: np.ndarray  # int64 [N]
    edge_square: np.ndarray  # int64 [L]
    five: np.ndarray  # int64 [N]


class PairSums(NamedTuple):
    """What one thread adds up of two nodes u, v with W common neighbours, int64 [N] each.

    The last five are not added up where only totals are asked for.
    """

    two_three: np.ndarray  # at u and v: C(W, 3)
    house: np.ndarray  # at u: (W - 1) times the triangles on the edges from v to the W
    wheel: np.ndarray  # at h: C(k, 2) for k triangles of h with a neighbour of u and one of v
    linked: np.ndarray  # at h: k (W - 2) for the same
    flag: np.ndarray  # at u: C(W, 2) times the degree of v
    between: np.ndarray  # at one of the W: C(W - 1, 2)
    beside: np.ndarray  # at one of the W: edges among the W, twice
    linked_end: np.ndarray  # at u: edges among the W times W - 2, twice
    rim: np.ndarray  # at u: C(k, 2) for each h


class CliqueSums(NamedTuple):
    """What one thread adds up of cliques of four nodes."""

    edge: np.ndarray  # int64 [L], cliques on each edge, twice
    pair: np.ndarray  # int64 [N], pairs of cliques that share a triangle at the node
    tip: np.ndarray  # int64 [N], pairs of which only one has the node
    opposite: np.ndarray  # int64 [N], triangles on the edges of its cliques that it is not on


class EdgeSums(NamedTuple):
    """What one thread adds up of triangles xyz, int64 [N] each."""

    hub: np.ndarray  # at z: the triangles on xz times those on yz
    beside: np.ndarray  # the same at x and y
    not_five: np.ndarray  # at x and y: neighbours of z that are later than all three


def find_core(indptr: np.ndarray, indices: np.ndarray) -> Core:
    """The 2-core."""
    size, degree = len(indptr) - 1, np.diff(indptr)
    place = np.zeros(size, np.int64)
    peel(indptr, indices, degree, place, np.empty(size, np.int64))
    # number its nodes by their degrees, equal ones as they were
    kept = np.flatnonzero(place == 0)
    nodes = kept[np.argsort(degree[kept], kind="stable")]
    place[nodes] = np.arange(len(nodes))
    ptr = np.append(0, np.cumsum(degree[nodes]))
    found, edge = np.empty((2, ptr[-1]), np.uint32)
    core = Core(nodes, ptr, found, edge, np.empty(len(nodes), np.int64))
    fill_rows(indptr, indices, place, core, np.empty(len(nodes), np.int64))
    return core


@compiled(**SEARCH_JIT)
def peel(indptr, indices, degree, place, waiting):
    """Take nodes with fewer than two neighbours away, one after the other; -1 is their `place`."""
    count = 0
    for node in range(len(degree)):
        if degree[node] < 2:
            waiting[count] = node
            count += 1
    first = 0
    while first < count:
        node = waiting[first]
        place[node] = -1
        first += 1
        for entry in range(indptr[node], indptr[node + 1]):
            other = indices[entry]
            degree[other] -= 1
            if degree[other] == 1:
                waiting[count] = other
                count += 1


@compiled(**SEARCH_JIT)
def fill_rows(indptr, indices, place, core, end):
    """Write the rows of a core, whose nodes and row bounds are known."""
    # 1. ascending because nodes are entered into them in ascending order
    for node in range(len(end)):
        end[node] = core.indptr[node]
    for node in range(len(end)):
        given = core.nodes[node]
        for entry in range(indptr[given], indptr[given + 1]):
            other = place[indices[entry]]
            if other >= 0:
                core.indices[end[other]] = node
                end[other] += 1
    # 2. an edge has one number in both rows; earlier nodes stand in the order of their edges
    for node in range(len(end)):
        end[node] = core.indptr[node]
    number = 0
    for node in range(len(end)):
        start = core.indptr[node]
        while start < core.indptr[node + 1] and core.indices[start] < node:
            start += 1
        core.up[node] = start
        for entry in range(start, core.indptr[node + 1]):
            other = core.indices[entry]
            core.edge[entry] = core.edge[end[other]] = number
            end[other] += 1
            number += 1


@compiled(**SEARCH_JIT)
def list_triangles(first, last, core, ptr, third, first_edge, second_edge, mark):
    """Triangles on the edges whose later node is in [first, last).

    Without room in `third`, their numbers are written behind the place of each edge in `ptr`.
    `mark [N]` is 0, and is left so.
    """
    fills = len(third) > 0
    for node in range(first, last):
        for entry in range(core.indptr[node], core.indptr[node + 1]):
            mark[core.indices[entry]] = core.edge[entry] + 1
        for entry in range(core.indptr[node], core.up[node]):
            other, number = core.indices[entry], core.edge[entry]
            place, start = ptr[number], ptr[number]
            for step in range(core.indptr[other], core.indptr[other + 1]):
                found = mark[core.indices[step]]
                if found > 0:
                    if fills:
                        third[place] = core.indices[step]
                        first_edge[place] = core.edge[step]
                        second_edge[place] = found - 1
                    place += 1
            if not fills:
                ptr[number + 1] = place - start
        for entry in range(core.indptr[node], core.indptr[node + 1]):
            mark[core.indices[entry]] = 0


@compiled(**SEARCH_JIT)
def add_cycles(first, last, core, largest, below, scratch, met, sums):
    """Squares, and for `largest` 5 five-cycles, whose last node is in [first, last).

    `below [L]` are the triangles at the earlier end of an edge whose nodes are all before its later
    end. `scratch [2, N]` is 0 and is left so; `met [N]` is a list.
    """
    paths, beyond = scratch[0], scratch[1]
    for u in range(first, last):
        # 1. paths u - a - b of earlier nodes, by their end
        count = 0
        for entry in range(core.indptr[u], core.up[u]):
            a = core.indices[entry]
            for step in range(core.indptr[a], core.indptr[a + 1]):
                b = core.indices[step]
                if b >= u:
                    break
                if paths[b] == 0:
                    met[count] = b
                    count += 1
                paths[b] += 1
        # 2. two paths with the same end are a square
        for k in range(count):
            squares = paths[met[k]] * (paths[met[k]] - 1) // 2
            sums.square[u] += squares
            sums.square[met[k]] += squares
        # 3. beyond b: paths that end at a neighbour c of b
        if largest == 5:
            for k in range(count):
                b = met[k]
                own = paths[b]
                total = np.int64(0)
                for step in range(core.up[b], core.indptr[b + 1]):
                    c = core.indices[step]
                    if c >= u:
                        break
                    if paths[c] > 0:
                        total += paths[c]
                        beyond[c] += own
                beyond[b] += total
        # 4. for u and b = a neighbour of u, c must be no a, and the neighbour of u beside c no b
        total = np.int64(0)
        for entry in range(core.indptr[u], core.up[u]):
            a = core.indices[entry]
            start, stop = core.indptr[a], core.indptr[a]
            while stop < core.indptr[a + 1] and core.indices[stop] < u:
                stop += 1
            if largest == 5:
                beyond[a] -= stop - start - 1
                # those with a node common to a, b and c
                sums.five[u] -= below[core.edge[entry]]
                sums.five[a] -= 2 * below[core.edge[entry]]
        # 5. what each path is part of
        for entry in range(core.indptr[u], core.up[u]):
            a = core.indices[entry]
            squares, fives = np.int64(0), np.int64(0)
            for step in range(core.indptr[a], core.indptr[a + 1]):
                b = core.indices[step]
                if b >= u:
                    break
                squares += paths[b] - 1
                sums.edge_square[core.edge[step]] += paths[b] - 1
                if largest == 5:
                    five = beyond[b] - paths[a]
                    sums.five[b] += five
                    fives += five
            sums.square[a] += squares
            sums.edge_square[core.edge[entry]] += squares
            sums.five[a] += fives
            total += fives
        sums.five[u] += total // 2
        for k in range(count):
            paths[met[k]] = beyond[met[k]] = 0
        for entry in range(core.indptr[u], core.up[u]):
            beyond[core.indices[entry]] = 0


@compiled(**SEARCH_JIT)
def count_below(first, last, core, triangles, below):
    """Write `below` of :func:`add_cycles` for the edges whose earlier node is in [first, last)."""
    for node in range(first, last):
        total = np.int64(0)
        for entry in range(core.indptr[node], core.up[node]):
            # those of which the node is the last
            other, number = core.indices[entry], core.edge[entry]
            for place in range(triangles.ptr[number], triangles.ptr[number + 1]):
                total += other < triangles.third[place] < node
        for entry in range(core.up[node], core.indptr[node + 1]):
            other, number = core.indices[entry], core.edge[entry]
            below[number] = total
            for place in range(triangles.ptr[number], triangles.ptr[number + 1]):
                if triangles.third[place] >= other:
                    break
                total += 1


@compiled(**SEARCH_JIT)
def add_pairs(first, last, core, triangles, degree, by_node, paths, hubs, met, sums):
    """Pairs of nodes with common neighbours, whose later node u is in [first, last).

    `degree [N]` are degrees in the whole graph. `paths [N, 4]` and `hubs [N]` are 0 and are left
    so; `met [2, N]` are lists.
    """
    for u in range(first, last):
        # 1. paths u - a - v, and the triangles on both edges
        count = 0
        for entry in range(core.indptr[u], core.indptr[u + 1]):
            a, own = core.indices[entry], _number(triangles, core.edge[entry])
            for step in range(core.indptr[a], core.indptr[a + 1]):
                v = core.indices[step]
                if v >= u:
                    break
                if paths[v, COMMON] == 0:
                    met[0, count] = v
                    count += 1
                paths[v, COMMON] += 1
                paths[v, AT_U] += own
                paths[v, AT_V] += _number(triangles, core.edge[step])
        # 2. edges among the common neighbours
        for entry in range(core.indptr[u], core.indptr[u + 1]):
            h, number = core.indices[entry], core.edge[entry]
            own = triangles.first_edge if u > h else triangles.second_edge
            if _number(triangles, number) > 0:
                _add_hub(u, h, number, own, triangles, by_node, paths, hubs, met[1], sums)
        # 3. what two nodes are part of
        for k in range(count):
            v = met[0, k]
            w = paths[v, COMMON]
            if w > 1:
                two, three = w * (w - 1) // 2, w * (w - 1) // 2 * (w - 2) // 3
                sums.two_three[u] += three
                sums.two_three[v] += three
                sums.house[u] += (w - 1) * paths[v, AT_V]
                sums.house[v] += (w - 1) * paths[v, AT_U]
                if by_node:
                    sums.flag[u] += two * degree[v]
                    sums.flag[v] += two * degree[u]
                    sums.linked_end[u] += paths[v, INSIDE] * (w - 2)
                    sums.linked_end[v] += paths[v, INSIDE] * (w - 2)
        # 4. and what is between them
        for entry in range(core.indptr[u], core.indptr[u + 1] if by_node else core.indptr[u]):
            a = core.indices[entry]
            between, beside = np.int64(0), np.int64(0)
            for step in range(core.indptr[a], core.indptr[a + 1]):
                v = core.indices[step]
                if v >= u:
                    break
                between += (paths[v, COMMON] - 1) * (paths[v, COMMON] - 2) // 2
                beside += paths[v, INSIDE]
            sums.between[a] += between
            sums.beside[a] += beside
        for k in range(count):
            paths[met[0, k], :] = 0


@subroutine(**INLINE_JIT)
def _number(triangles, edge):
    """Triangles on an edge."""
    return triangles.ptr[edge + 1] - triangles.ptr[edge]


@subroutine(**SEARCH_JIT)
def _add_hub(u, h, number, edge_to, triangles, by_node, paths, hubs, met, sums):
    """Triangles h, x, v with x a common neighbour of u and h, for one h, by v."""
    count = 0
    for place in range(triangles.ptr[number], triangles.ptr[number + 1]):
        other = edge_to[place]
        start, stop = triangles.ptr[other], triangles.ptr[other + 1]
        # u is one of them
        if stop - start > 1:
            for step in range(start, stop):
                v = triangles.third[step]
                if v >= u:
                    break
                if hubs[v] == 0:
                    met[count] = v
                    count += 1
                hubs[v] += 1
    wheel, linked = np.int64(0), np.int64(0)
    for k in range(count):
        v = met[k]
        twice, own = hubs[v] * (hubs[v] - 1) // 2, hubs[v] * (paths[v, COMMON] - 2)
        wheel += twice
        linked += own
        if by_node:
            paths[v, INSIDE] += hubs[v]
            sums.rim[u] += twice
            sums.rim[v] += twice
        hubs[v] = 0
    sums.wheel[h] += wheel
    sums.linked[h] += linked


@compiled(**SEARCH_JIT)
def add_cliques(first, last, core, triangles, by_node, mark, sums):
    """Cliques of four on the triangles whose last node z is in [first, last).

    `mark [N]` is False, and is left so.
    """
    for z in range(first, last):
        for entry in range(core.indptr[z], core.indptr[z + 1]):
            mark[core.indices[entry]] = True
        for entry in range(core.indptr[z], core.up[z]):
            x, xz = core.indices[entry], core.edge[entry]
            for place in range(triangles.ptr[xz], triangles.ptr[xz + 1]):
                y = triangles.third[place]
                if y >= z:
                    break
                if y > x:
                    xy, yz = triangles.first_edge[place], triangles.second_edge[place]
                    count = np.int64(0)
                    for fourth in range(triangles.ptr[xy], triangles.ptr[xy + 1]):
                        count += mark[triangles.third[fourth]]
                    if count > 0:
                        for number in (xy, xz, yz):
                            sums.edge[number] += count
                        for node in (x, y, np.uint32(z)):
                            sums.pair[node] += count * (count - 1) // 2
                    if count > 0 and by_node:
                        sums.opposite[x] += count * _number(triangles, yz)
                        sums.opposite[y] += count * _number(triangles, xz)
                        sums.opposite[z] += count * _number(triangles, xy)
                        for fourth in range(triangles.ptr[xy], triangles.ptr[xy + 1]):
                            w = triangles.third[fourth]
                            if mark[w]:
                                sums.tip[w] += count - 1
        for entry in range(core.indptr[z], core.indptr[z + 1]):
            mark[core.indices[entry]] = False


@compiled(**SEARCH_JIT)
def add_five_cliques(first, last, core, by_node, place, rows, lists, lengths, both, sums):
    """Cliques of five whose first node x is in [first, last).

    Of K later neighbours of x, `rows [K, K / 64]` and `lists [K, K]` are the neighbours among them
    that are later yet, as bits and as a list; with `by_node` bits of all. `place [N]` is -1, and is
    left so; `both [2, K / 64]` are common neighbours.
    """
    for x in range(first, last):
        start, size = core.up[x], core.indptr[x + 1] - core.up[x]
        if size < 4:
            continue
        for i in range(size):
            place[core.indices[start + i]] = i
            rows[i, :] = np.uint64(0)
            lengths[i] = 0
        for i in range(size):
            y = core.indices[start + i]
            for entry in range(core.up[y], core.indptr[y + 1]):
                j = place[core.indices[entry]]
                if j >= 0:
                    _set_bit(rows[i], j)
                    if by_node:
                        _set_bit(rows[j], i)
                    lists[i, lengths[i]] = j
                    lengths[i] += 1
        for i in range(size):
            place[core.indices[start + i]] = -1
        used = (size + 63) >> 6
        total = np.int64(0)
        for i in range(size):
            of_i = np.int64(0)
            for a in range(lengths[i]):
                j = lists[i, a]
                low = j >> 6
                for word in range(low, used):
                    both[0, word] = rows[i, word] & rows[j, word]
                # later than j only
                both[0, low] &= ~((np.uint64(1) << np.uint64(j & 63)) - np.uint64(1))
                of_j = np.int64(0)
                for b in range(lengths[j]):
                    c = lists[j, b]
                    if not (both[0, c >> 6] >> np.uint64(c & 63)) & np.uint64(1):
                        continue
                    found = np.int64(0)
                    for word in range(low if by_node else c >> 6, used):
                        found += _num_bits(both[0, word] & rows[c, word])
                    of_j += found
                    if by_node:
                        sums[core.indices[start + c]] += found
                # each clique was met at both of its last nodes
                of_j = of_j // 2 if by_node else of_j
                sums[core.indices[start + j]] += of_j
                of_i += of_j
            sums[core.indices[start + i]] += of_i
            total += of_i
        sums[x] += total


@subroutine(**INLINE_JIT)
def _set_bit(row, number):
    row[number >> 6] |= np.uint64(1) << np.uint64(number & 63)


@subroutine(**INLINE_JIT)
def _num_bits(word):
    """How many of 64 bits are 1, added up in pairs, fours and eights."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled(**SEARCH_JIT)
def add_to_edges(first, last, core, triangles, ends, degree, degrees, numbers, sums):
    """What the triangles on the edges in [first, last) add up to.

    At an edge the `degrees` of third nodes, and the `numbers` of triangles on the other two edges.
    `ends [L, 2]` are the nodes of an edge, the earlier one first.
    """
    for edge in range(first, last):
        x, y = ends[edge, 0], ends[edge, 1]
        for place in range(triangles.ptr[edge], triangles.ptr[edge + 1]):
            z = triangles.third[place]
            one = _number(triangles, triangles.first_edge[place])
            other = _number(triangles, triangles.second_edge[place])
            degrees[edge] += degree[z]
            numbers[edge] += one + other
            sums.hub[z] += one * other
            sums.beside[x] += one * other
            sums.beside[y] += one * other
            later = _later(core, z, max(y, z))
            sums.not_five[x] += later
            sums.not_five[y] += later


@subroutine(**INLINE_JIT)
def _later(core, node, other):
    """Neighbours of a node that are later than another one."""
    end = core.indptr[node + 1]
    return end - first_at_least(core.indices, core.up[node], end, other + 1)


@compiled(**SEARCH_JIT)
def add_opposite(first, last, triangles, values, out):
    """Add `values [J, L]` of the edges in [first, last) to `out [J, N]` at the third nodes."""
    for edge in range(first, last):
        for place in range(triangles.ptr[edge], triangles.ptr[edge + 1]):
            for column in range(len(values)):
                out[column, triangles.third[place]] += values[column, edge]
