"""Copies of a structure in one graph, compiled: listed, valued, chosen in an order, and addressed.

A copy is a row of nodes, one for each node of the structure; it is induced, so that each two of its
nodes are joined as in the structure.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT, find_edge, find_entry
from gomkcn_dgl.runtime.compiled import compiled, subroutine

_LN2 = math.log(2.0)
# copies that are tried, and worths that differ by less are equal
_MOST_TRIED, _EQUAL = 60_000, 1e-6


class Plan(NamedTuple):
    """The nodes of a structure in the order in which they are mapped."""

    links: np.ndarray  # uint16 [M, M]
    colors: np.ndarray  # int64 [M]
    degrees: np.ndarray  # int64 [M], joined nodes of each
    is_less: np.ndarray  # bool [M, M], whether i < j is mapped to a smaller node, by symmetry


class Limits(NamedTuple):
    """What bounds the listing of copies, so that its work is known; a step looks at one node."""

    copies: int
    copies_of_root: int
    steps_of_root: int
    steps: int


@compiled()
def list_copies(graph, plan, roots, limits):
    """The copies whose first node is among the roots, int32 [K, M]; and whether these are all.

    Of the rows that differ by a symmetry one is listed.
    """
    size = len(plan.colors)
    out = np.empty((limits.copies, size), np.int32)
    count, is_complete, left = 0, True, limits.steps
    mapped = np.empty(size, np.int64)
    place, stop = np.zeros((2, size), np.int64)
    for root in roots:
        if not _fits_alone(graph, plan, root, 0):
            continue
        mapped[0] = root
        level, of_root, steps = 1, 0, min(limits.steps_of_root, left)
        before = steps
        _open(graph, plan, mapped, place, stop, level)
        while level > 0:
            # 1. the next neighbour of the mapped node with the shortest row
            if place[level] == stop[level]:
                level -= 1
                continue
            if steps == 0:
                is_complete = False
                break
            steps -= 1
            node = np.int64(graph.indices[place[level]])
            place[level] += 1
            if not _fits(graph, plan, mapped, node, level):
                continue
            mapped[level] = node
            if level < size - 1:
                level += 1
                _open(graph, plan, mapped, place, stop, level)
                continue
            # 2. a copy
            for k in range(size):
                out[count, k] = mapped[k]
            count += 1
            of_root += 1
            if count == limits.copies:
                return out[:count], False
            if of_root == limits.copies_of_root:
                is_complete = False
                break
        left -= before - steps
        if left <= 0:
            return out[:count], False
    return out[:count], is_complete


@subroutine(**INLINE_JIT)
def _open(graph, plan, mapped, place, stop, level):
    """Candidates of a level: the shortest row of the mapped nodes that it is joined to."""
    shortest = np.int64(len(graph.indices) + 1)
    for k in range(level):
        if plan.links[k, level] > 0:
            start = np.int64(graph.indptr[mapped[k]])
            end = np.int64(graph.indptr[mapped[k] + 1])
            if end - start < shortest:
                shortest = end - start
                place[level], stop[level] = start, end


@subroutine(**INLINE_JIT)
def _fits_alone(graph, plan, node, level):
    """Whether a node has the colour and enough neighbours."""
    degree = np.int64(graph.indptr[node + 1] - graph.indptr[node])
    return graph.colors[node] == plan.colors[level] and degree >= plan.degrees[level]


@subroutine(**INLINE_JIT)
def _fits(graph, plan, mapped, node, level):
    """Whether a node is joined to those mapped as the structure says."""
    if not _fits_alone(graph, plan, node, level):
        return False
    for k in range(level):
        other = mapped[k]
        if other == node or (plan.is_less[k, level] and other > node):
            return False
    for k in range(level):
        entry = find_entry(graph, np.uint64(mapped[k]), np.uint64(node))
        link = graph.links[entry] if entry >= 0 else 0
        if link != plan.links[k, level]:
            return False
    return True


@compiled()
def edges_of_copies(graph, edge_of, copies, pairs):
    """The number of the edge of each pair [P, 2 or more] of nodes of each copy, int32 [K, P]."""
    out = np.empty((len(copies), len(pairs)), np.int32)
    for row in range(len(copies)):
        for k in range(len(pairs)):
            u, v = np.uint64(copies[row, pairs[k, 0]]), np.uint64(copies[row, pairs[k, 1]])
            out[row, k] = edge_of[find_edge(graph, u, v)]
    return out


@compiled()
def choose_disjoint(rows, members, marks, era):
    """The rows, in their order, whose `members` [K, P] are in none that was chosen before."""
    out = np.empty(len(rows), np.int64)
    count = 0
    for row in rows:
        is_free = True
        for member in members[row]:
            if marks[member] == era:
                is_free = False
                break
        if is_free:
            for member in members[row]:
                marks[member] = era
            out[count] = row
            count += 1
    return out[:count]


@compiled()
def move_copies(degrees, copies, terms, sign):
    """Take the edges of copies [K, M] from `degrees` [S, V], or give them back with `sign` 1."""
    for row in range(len(copies)):
        for t in range(len(terms)):
            degrees[terms[t, 1], copies[row, terms[t, 0]]] += sign * terms[t, 2]


class Places(NamedTuple):
    """Where the nodes of copies of a structure can be, for its addresses."""

    terms: np.ndarray  # int64 [T, 3], node of the structure, slot, and edges of the node in it
    by_degree: np.ndarray  # float64 [K], bits of each copy by the degrees of its nodes
    uniform: float  # bits of a copy, uniformly
    eligible: np.ndarray  # int64 [M], nodes for each role, by falling number of edges; or [0]
    inside: np.ndarray  # int64 [M], edges of each role in all layers
    degrees: np.ndarray  # int64 [V], edges of each node in all layers
    classes: np.ndarray  # int64 [V], of colour and degree
    class_sizes: np.ndarray  # int64 [C]


class Left(NamedTuple):
    """The graph that the copies of a set leave over."""

    used: np.ndarray  # bool [num_edges]
    degrees: np.ndarray  # int64 [S, V]
    edge_bits: np.ndarray  # float64 [num_edges], what taking each edge out saves, to first order


class Marks(NamedTuple):
    """Which nodes and edges are met; all are forgotten with each new era."""

    nodes: np.ndarray  # int64 [V]
    edges: np.ndarray  # int64 [num_edges]
    era: np.ndarray  # int64 [1]


class Listed(NamedTuple):
    """A structure with its copies, and what their lengths are made from."""

    copies: np.ndarray  # int32 [K, M]
    edges: np.ndarray  # int32 [K, P], the edges of each
    places: Places
    head: float  # bits of the structure, and of the choice of an address
    symmetry: float  # bits that each copy saves since its order is free, less its pendant nodes
    log_factorial: np.ndarray  # float64, log2 n!, n up to the number of nodes, and of copies
    integers: np.ndarray  # float64 [K + 1], bits of whole numbers


@compiled()
def best_copies(listed, left, freed, taken, least_worth, marks):
    """The rows `taken` and those free ones that save most beside them.

    Returns also how many are new, about what these save, the length of the motif, and the number of
    its address code. There are at least two rows, each new one worth `least_worth` bits; none where
    there are not enough, and where no free copy has an edge that is `freed`, bool [num_edges].

    Copies are tried by falling worth, under three of the addresses; so that no two share an edge,
    and so that no two share a node; and the best number of them is taken.
    """
    least, before = 1 if len(taken) else 2, len(taken)
    best_rows, num_new, gain, length, address = taken[:0], 0, -np.inf, 0.0, 0
    free, is_new = free_copies(listed.edges, left.used, freed)
    if not is_new or len(free) < least:
        return best_rows, num_new, gain, length, address
    own_gains = gains_of_copies(free, listed, left)
    gains, costs = np.empty(len(listed.copies)), np.empty(len(free))
    for k in range(len(free)):
        gains[free[k]] = own_gains[k]
    rows, every = np.empty(len(free), np.int64), np.empty(before + len(free), np.int64)
    every[:before] = taken
    for way in range(3):
        # 1. free copies by falling worth
        if way < 2:
            for k in range(len(free)):
                costs[k] = listed.places.by_degree[free[k]] if way else listed.places.uniform
        elif len(best_rows) == 0:
            break
        else:
            _by_residual_degree(free, listed, best_rows[before:], costs)
        for k in range(len(free)):
            costs[k] = np.rint((costs[k] - own_gains[k] - listed.symmetry) / _EQUAL)
        count = 0
        for k in np.argsort(costs, kind="mergesort"):
            if count == _MOST_TRIED or costs[k] >= -least_worth / _EQUAL:
                break
            rows[count] = free[k]
            count += 1
        # 2. those that share no edge, and of these those that share no node
        marks.era[0] += 1
        chosen = choose_disjoint(rows[:count], listed.edges, marks.edges, marks.era[0])
        apart = choose_disjoint(chosen, listed.copies, marks.nodes, marks.era[0])
        for _ in range(1 if len(apart) == len(chosen) else 2):
            # 3. the number of the first ones that saves most
            every[before : before + len(chosen)] = chosen
            bits, codes = bits_of_prefixes(every[: before + len(chosen)], listed, marks)
            saved = bits[before - 1] if before else 0.0
            for k in range(len(chosen)):
                saved += gains[chosen[k]]
                last = before + k
                if k + 1 >= least and saved - bits[last] > gain:
                    best_rows, num_new = every[: last + 1].copy(), k + 1
                    gain, length, address = saved - bits[last], bits[last], codes[last]
            chosen = apart
    return best_rows, num_new, gain, length, address


@subroutine()
def free_copies(edges, is_used, is_freed):
    """The rows of `edges` [K, P] of which none is used, ascending, and whether one is freed."""
    out = np.empty(len(edges), np.int64)
    count, is_new = 0, False
    for row in range(len(edges)):
        is_free = True
        for edge in edges[row]:
            if is_used[edge]:
                is_free = False
                break
        if is_free:
            out[count] = row
            count += 1
            if not is_new:
                for edge in edges[row]:
                    is_new |= is_freed[edge]
    return out[:count], is_new


@compiled()
def gains_of_copies(rows, listed, left):
    """Bits that taking the edges of some copies out saves, to first order, without addresses.

    An edge of nodes i and j saves -log2 x_i x_j, see `Left`; a node that has q of its d edges in a
    copy, q log2 d - log2 d (d - 1) ... (d - q + 1) for each slot.
    """
    out = np.zeros(len(rows))
    for k in range(len(rows)):
        for edge in listed.edges[rows[k]]:
            out[k] += left.edge_bits[edge]
        for t in range(len(listed.places.terms)):
            role, slot, number = listed.places.terms[t]
            if number > 1:
                degree = left.degrees[slot, listed.copies[rows[k], role]]
                out[k] += number * math.log2(degree)
                out[k] -= listed.log_factorial[degree] - listed.log_factorial[degree - number]
    return out


@subroutine()
def _by_residual_degree(rows, listed, near, bits):
    """Write the bits of the address of each copy by the histogram of some, each bin with ½ more."""
    copies, places = listed.copies, listed.places
    top = 0
    for row in near:
        for k in range(copies.shape[1]):
            top = max(top, places.degrees[copies[row, k]] - places.inside[k])
    counts = np.full(top + 1, 0.5)
    for row in near:
        for k in range(copies.shape[1]):
            counts[places.degrees[copies[row, k]] - places.inside[k]] += 1
    total = 0.0
    for place in range(top + 1):
        total += counts[place]
    for place in range(top + 1):
        counts[place] = math.log2(total / counts[place])
    for k in range(len(rows)):
        bits[k] = 0.0
        for i in range(copies.shape[1]):
            node = copies[rows[k], i]
            left = places.degrees[node] - places.inside[i]
            bits[k] += counts[min(left, top)] + math.log2(places.class_sizes[places.classes[node]])
            if left > top:
                # a degree beyond the histogram is as good as excluded
                bits[k] += 3 * math.log2(left)


@subroutine()
def bits_of_prefixes(rows, listed, marks):
    """Length of a motif with the first 1, 2, ... of some copies, and its address code, [K] each."""
    marks.era[0] += 1
    own = listed.copies, listed.places, listed.log_factorial
    bits, codes = prefix_addresses(rows, *own, marks.nodes, marks.era[0])
    for k in range(len(rows)):
        bits[k] += listed.head + listed.integers[k + 1]
        bits[k] -= listed.log_factorial[k + 1] + (k + 1) * listed.symmetry
    return bits, codes


@compiled()
def prefix_addresses(rows, copies, places, log_factorial, marks, era):
    """Bits of the cheapest address of the first 1, 2, ... of some copies, and its number, [K] each.

    The numbers are those of ADDRESSES in code_length.py.
    """
    size = copies.shape[1]
    bits, codes = np.empty(len(rows)), np.empty(len(rows), np.int64)
    # what is left of the degree of a node, beyond its role: a histogram of all roles together
    top = 0
    for row in rows:
        for k in range(size):
            top = max(top, places.degrees[copies[row, k]] - places.inside[k])
    counts = np.zeros(top + 1, np.int64)
    taken = np.zeros(len(places.class_sizes), np.int64)
    by_degree, bins, in_class, without, top = 0.0, 0.0, 0.0, 0.0, 0
    is_disjoint = True
    for number in range(1, len(rows) + 1):
        row = rows[number - 1]
        by_degree += places.by_degree[row]
        for k in range(size):
            node = copies[row, k]
            left = places.degrees[node] - places.inside[k]
            top = max(top, left)
            bins += math.log2(counts[left] + 0.5)
            counts[left] += 1
            own = places.classes[node]
            in_class += math.log2(places.class_sizes[own])
            if marks[node] == era:
                is_disjoint = False
            marks[node] = era
            if is_disjoint:
                without += math.log2(places.class_sizes[own] - taken[own])
                taken[own] += 1
        histogram = log_star(top) - bins
        half = 0.5 * (top + 1)
        histogram += (math.lgamma(number * size + half) - math.lgamma(half)) / _LN2
        best, code = number * places.uniform, 0
        if by_degree < best:
            best, code = by_degree, 1
        if histogram + in_class < best:
            best, code = histogram + in_class, 2
        if is_disjoint:
            if len(places.eligible) > 0:
                uniform = 0.0
                for k in range(size):
                    still = places.eligible[k] - k * number
                    uniform += log_factorial[still] - log_factorial[still - number]
                if uniform < best:
                    best, code = uniform, 3
            if histogram + without < best:
                best, code = histogram + without, 4
        bits[number - 1], codes[number - 1] = best, code
    return bits, codes


@subroutine(**INLINE_JIT)
def log_star(number):
    """Bits of a whole number by Rissanen's code, as in integer_codes.py."""
    bits, rest = math.log2(2.865), math.log2(number + 1.0)
    while rest > 0:
        bits += rest
        rest = math.log2(rest)
    return bits
