"""Cycles and cliques at each node and edge of a graph, compiled.

All cycles lie in the 2-core, which is the part that these functions see. Its nodes are numbered by
their degrees, so that a cycle is met at its last node, which has most neighbours, and few of the
paths that lead there are looked at (N. Chiba and T. Nishizeki, Arboricity and subgraph listing
algorithms, SIAM Journal on Computing 14, 1985).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn.mining.counting.rows_by_degree import RowsByDegree
from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, subroutine

# of the paths u - a - v to a node v: how many there are, the triangles on the edges u - a and on
# the edges a - v, and the edges among the nodes a, twice
COMMON, AT_U, AT_V, INSIDE = range(4)


class Triangles(NamedTuple):
    """The third nodes of the triangles on each edge, ascending."""

    ptr: np.ndarray  # int64 [L + 1]
    third: np.ndarray  # uint32 [3 T]
    first_edge: np.ndarray  # uint32 [3 T], from the earlier end of the edge to the third node
    second_edge: np.ndarray  # uint32 [3 T], from the later end


# What is added up at each node, a row of `sums` each.
# In `add_cycles`:
SQUARE, FIVE = range(2)
# In `add_pairs`, of two nodes u, v with W common neighbours:
TWO_THREE = 0  # at u and v: C(W, 3)
HOUSE = 1  # at u: (W - 1) times the triangles on the edges from v to the W
WHEEL = 2  # at h: C(k, 2) for k triangles of h with a neighbour of u and one of v
LINKED = 3  # at h: k (W - 2) for the same
FLAG = 4  # at u: C(W, 2) times the degree of v
BETWEEN = 5  # at one of the W: C(W - 1, 2)
BESIDE = 6  # at one of the W: edges among the W, twice
LINKED_END = 7  # at u: edges among the W times W - 2, twice
RIM = 8  # at u: C(k, 2) for each h
# In `add_cliques`, of cliques of four:
PAIR = 0  # pairs of cliques that share a triangle at the node
TIP = 1  # pairs of which only one has the node
OPPOSITE = 2  # triangles on the edges of its cliques that it is not on


def find_core(indptr: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, RowsByDegree]:
    """The nodes of the 2-core, and its rows; on each entry is the number of its edge."""
    size, degree = len(indptr) - 1, np.diff(indptr)
    place = np.zeros(size, np.int64)
    peel_trees(indptr, indices, degree, place, np.empty(size, np.int64))
    # number its nodes by their degrees, equal ones as they were
    kept = np.flatnonzero(place == 0)
    nodes = kept[np.argsort(degree[kept], kind="stable")]
    place[nodes] = np.arange(len(nodes))
    ptr = np.append(0, np.cumsum(degree[nodes]))
    found, edge = np.empty((2, ptr[-1]), np.uint32)
    core = RowsByDegree(ptr, found, edge, np.empty(len(nodes), np.int64))
    fill_rows(indptr, indices, nodes, place, core, np.empty(len(nodes), np.int64))
    return nodes, core


@compiled(**SEARCH_JIT)
def peel_trees(indptr, indices, degree, place, waiting):
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
def fill_rows(indptr, indices, nodes, place, core, end):
    """Write the rows of a core, whose nodes and row bounds are known."""
    # 1. ascending because nodes are entered into them in ascending order
    for node in range(len(end)):
        end[node] = core.indptr[node]
    for node in range(len(end)):
        given = nodes[node]
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
            core.label[entry] = core.label[end[other]] = number
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
            mark[core.indices[entry]] = core.label[entry] + 1
        for entry in range(core.indptr[node], core.up[node]):
            other, number = core.indices[entry], core.label[entry]
            place, start = ptr[number], ptr[number]
            for step in range(core.indptr[other], core.indptr[other + 1]):
                found = mark[core.indices[step]]
                if found > 0:
                    if fills:
                        third[place] = core.indices[step]
                        first_edge[place] = core.label[step]
                        second_edge[place] = found - 1
                    place += 1
            if not fills:
                ptr[number + 1] = place - start
        for entry in range(core.indptr[node], core.indptr[node + 1]):
            mark[core.indices[entry]] = 0


@compiled(**SEARCH_JIT)
def add_cycles(first, last, core, largest, below, scratch, met, sums, edge_squares):
    """Squares, and for `largest` 5 five-cycles, whose last node is in [first, last).

    `below [L]` are the triangles at the earlier end of an edge whose nodes are all before its later
    end. `scratch [2, N]` is 0 and is left so; `met [N]` is a list. `edge_squares [L]` are squares
    on each edge.
    """
    paths, beyond = scratch[0], scratch[1]
    indptr, indices, edge, up = core.indptr, core.indices, core.label, core.up
    for u in range(first, last):
        # 1. paths u - a - b of earlier nodes, by their end
        count = 0
        for entry in range(indptr[u], up[u]):
            a = indices[entry]
            for step in range(indptr[a], indptr[a + 1]):
                b = indices[step]
                if b >= u:
                    break
                if paths[b] == 0:
                    met[count] = b
                    count += 1
                paths[b] += 1
        # 2. two paths with the same end are a square
        for k in range(count):
            squares = paths[met[k]] * (paths[met[k]] - 1) // 2
            sums[SQUARE, u] += squares
            sums[SQUARE, met[k]] += squares
        # 3. beyond b: paths that end at a neighbour c of b
        if largest == 5:
            for k in range(count):
                b = met[k]
                paths_of_b = paths[b]
                total = np.int64(0)
                for step in range(up[b], indptr[b + 1]):
                    c = indices[step]
                    if c >= u:
                        break
                    if paths[c] > 0:
                        total += paths[c]
                        beyond[c] += paths_of_b
                beyond[b] += total
        # 4. for u and b = a neighbour of u, c must be no a, and the neighbour of u beside c no b
        total = np.int64(0)
        for entry in range(indptr[u], up[u]):
            a = indices[entry]
            start, stop = indptr[a], indptr[a]
            while stop < indptr[a + 1] and indices[stop] < u:
                stop += 1
            if largest == 5:
                beyond[a] -= stop - start - 1
                # those with a node common to a, b and c
                sums[FIVE, u] -= below[edge[entry]]
                sums[FIVE, a] -= 2 * below[edge[entry]]
        # 5. what each path is part of
        for entry in range(indptr[u], up[u]):
            a = indices[entry]
            squares, fives = np.int64(0), np.int64(0)
            for step in range(indptr[a], indptr[a + 1]):
                b = indices[step]
                if b >= u:
                    break
                squares += paths[b] - 1
                edge_squares[edge[step]] += paths[b] - 1
                if largest == 5:
                    five = beyond[b] - paths[a]
                    sums[FIVE, b] += five
                    fives += five
            sums[SQUARE, a] += squares
            edge_squares[edge[entry]] += squares
            sums[FIVE, a] += fives
            total += fives
        sums[FIVE, u] += total // 2
        for k in range(count):
            paths[met[k]] = beyond[met[k]] = 0
        for entry in range(indptr[u], up[u]):
            beyond[indices[entry]] = 0


@compiled(**SEARCH_JIT)
def add_pairs(first, last, core, triangles, degree, paths, hubs, met, sums):
    """Pairs of nodes with common neighbours, whose later node u is in [first, last).

    `degree [N]` are degrees in the whole graph. `paths [N, 4]` and `hubs [N]` are 0 and are left
    so; `met [2, N]` are lists.
    """
    for u in range(first, last):
        # 1. paths u - a - v, and the triangles on both edges
        count = 0
        for entry in range(core.indptr[u], core.indptr[u + 1]):
            a, own = core.indices[entry], _number(triangles, core.label[entry])
            for step in range(core.indptr[a], core.indptr[a + 1]):
                v = core.indices[step]
                if v >= u:
                    break
                if paths[v, COMMON] == 0:
                    met[0, count] = v
                    count += 1
                paths[v, COMMON] += 1
                paths[v, AT_U] += own
                paths[v, AT_V] += _number(triangles, core.label[step])
        # 2. edges among the common neighbours
        for entry in range(core.indptr[u], core.indptr[u + 1]):
            h, number = core.indices[entry], core.label[entry]
            own = triangles.first_edge if u > h else triangles.second_edge
            if _number(triangles, number) > 0:
                _add_hub(u, h, number, own, triangles, paths, hubs, met[1], sums)
        # 3. what two nodes are part of
        for k in range(count):
            v = met[0, k]
            w = paths[v, COMMON]
            if w > 1:
                two, three = w * (w - 1) // 2, w * (w - 1) // 2 * (w - 2) // 3
                sums[TWO_THREE, u] += three
                sums[TWO_THREE, v] += three
                sums[HOUSE, u] += (w - 1) * paths[v, AT_V]
                sums[HOUSE, v] += (w - 1) * paths[v, AT_U]
                sums[FLAG, u] += two * degree[v]
                sums[FLAG, v] += two * degree[u]
                sums[LINKED_END, u] += paths[v, INSIDE] * (w - 2)
                sums[LINKED_END, v] += paths[v, INSIDE] * (w - 2)
        # 4. and what is between them
        for entry in range(core.indptr[u], core.indptr[u + 1]):
            a = core.indices[entry]
            between, beside = np.int64(0), np.int64(0)
            for step in range(core.indptr[a], core.indptr[a + 1]):
                v = core.indices[step]
                if v >= u:
                    break
                between += (paths[v, COMMON] - 1) * (paths[v, COMMON] - 2) // 2
                beside += paths[v, INSIDE]
            sums[BETWEEN, a] += between
            sums[BESIDE, a] += beside
        for k in range(count):
            paths[met[0, k], :] = 0


@subroutine(**INLINE_JIT)
def _number(triangles, edge):
    """Triangles on an edge."""
    return triangles.ptr[edge + 1] - triangles.ptr[edge]


@subroutine(**SEARCH_JIT)
def _add_hub(u, h, number, edge_to, triangles, paths, hubs, met, sums):
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
        twice, of_hub = hubs[v] * (hubs[v] - 1) // 2, hubs[v] * (paths[v, COMMON] - 2)
        wheel += twice
        linked += of_hub
        paths[v, INSIDE] += hubs[v]
        sums[RIM, u] += twice
        sums[RIM, v] += twice
        hubs[v] = 0
    sums[WHEEL, h] += wheel
    sums[LINKED, h] += linked


@compiled(**SEARCH_JIT)
def add_cliques(first, last, core, triangles, mark, sums, on_edges):
    """Cliques of four on the triangles whose last node z is in [first, last).

    `mark [N]` is False, and is left so. `on_edges [L]` are cliques on each edge, twice.
    """
    for z in range(first, last):
        for entry in range(core.indptr[z], core.indptr[z + 1]):
            mark[core.indices[entry]] = True
        for entry in range(core.indptr[z], core.up[z]):
            x, xz = core.indices[entry], core.label[entry]
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
                            on_edges[number] += count
                        for node in (x, y, np.uint32(z)):
                            sums[PAIR, node] += count * (count - 1) // 2
                        sums[OPPOSITE, x] += count * _number(triangles, yz)
                        sums[OPPOSITE, y] += count * _number(triangles, xz)
                        sums[OPPOSITE, z] += count * _number(triangles, xy)
                        for fourth in range(triangles.ptr[xy], triangles.ptr[xy + 1]):
                            w = triangles.third[fourth]
                            if mark[w]:
                                sums[TIP, w] += count - 1
        for entry in range(core.indptr[z], core.indptr[z + 1]):
            mark[core.indices[entry]] = False


@compiled(**SEARCH_JIT)
def add_five_cliques(first, last, core, place, rows, lists, lengths, both, sums):
    """Cliques of five whose first node x is in [first, last).

    Of K later neighbours of x, `rows [K, K / 64]` are the neighbours among them as bits, and `lists
    [K, K]` those that are later yet. `place [N]` is -1, and is left so; `both [K / 64]` are common
    neighbours.
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
                    both[word] = rows[i, word] & rows[j, word]
                # later than j only
                both[low] &= ~((np.uint64(1) << np.uint64(j & 63)) - np.uint64(1))
                of_j = np.int64(0)
                for b in range(lengths[j]):
                    c = lists[j, b]
                    if not (both[c >> 6] >> np.uint64(c & 63)) & np.uint64(1):
                        continue
                    found = np.int64(0)
                    for word in range(low, used):
                        found += _num_bits(both[word] & rows[c, word])
                    of_j += found
                    sums[core.indices[start + c]] += found
                # each clique was met at both of its last nodes
                of_j //= 2
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
def add_facing(first, last, triangles, values, sums):
    """Add the `values [L]` of the edges in [first, last) to `sums [N]` at their third nodes."""
    for edge in range(first, last):
        for place in range(triangles.ptr[edge], triangles.ptr[edge + 1]):
            sums[triangles.third[place]] += values[edge]
