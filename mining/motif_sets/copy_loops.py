"""Copies of a structure in one graph, compiled: what they save, and those that save most.

A copy is a row of nodes, one for each node of the structure; it is induced, so that each two of its
nodes are joined as in the structure.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT
from gomkcn_dgl.kernels.sorting_numba import sort_by_whole
from gomkcn_dgl.runtime.compiled import compiled, subroutine

_LN2 = math.log(2.0)
# copies that are tried, by falling worth; more than these a graph of a million edges has no use for
_MOST_TRIED = 60_000
# worths of copies that differ by less are equal, so that rounding does not order them
EQUAL_WORTH = 1e-6
# a degree that no copy so far has costs so many times its logarithm, as good as excluding it
_UNSEEN_DEGREE = 3.0
# the ways to say where copies are that order them
_UNIFORM, _BY_DEGREE, _BY_RESIDUAL_DEGREE = range(3)
# numbers that are summed up eight at a time, as NumPy does: a tie is so decided as it is there
_EIGHT = 8


@compiled()
def choose_disjoint(rows, members, marks):
    """The rows, in their order, whose `members` [K, P] are in none that was chosen before.

    A member below 0 is none. They are marked in `marks`, bool, where none is at first.
    """
    out = np.empty(len(rows), np.int64)
    count = 0
    for row in rows:
        is_free = True
        for member in members[row]:
            if member >= 0 and marks[member]:
                is_free = False
                break
        if is_free:
            for member in members[row]:
                if member >= 0:
                    marks[member] = True
            out[count] = row
            count += 1
    return out[:count]


@compiled()
def find_free(members, watched, used, freed, needs_freed):
    """The rows of `members` [K, P] that are not used, and whether one of these has a freed one.

    `used` and `freed` say it of each member, bool. `watched` int32 [K] is a member of each row that
    was used when it was last looked at: mostly it still is, and no other needs to be looked at.
    """
    out = np.empty(len(members), np.int64)
    count = 0
    has_freed = not needs_freed
    # a structure of one node has no edge
    has_members = members.shape[1] > 0
    for row in range(len(members)):
        if has_members and used[watched[row]]:
            continue
        is_free = True
        for k in range(members.shape[1]):
            if used[members[row, k]]:
                is_free = False
                watched[row] = members[row, k]
                break
        if is_free:
            out[count] = row
            count += 1
            if not has_freed:
                for member in members[row]:
                    if freed[member]:
                        has_freed = True
                        break
    return out[:count], has_freed


class Logarithms(NamedTuple):
    """What is looked up in the place of a function of the numbers that occur."""

    numbers: np.ndarray  # float64, log2 n
    halves: np.ndarray  # float64, log2 (n + ½)
    gamma: np.ndarray  # float64, ln Γ(n / 2)


@compiled()
def write_logarithms(numbers, halves, gamma):
    """Write the tables of `Logarithms`; there is no logarithm of 0, and no Γ(0)."""
    numbers[0], gamma[0] = -np.inf, np.inf
    for number in range(1, len(numbers)):
        numbers[number] = math.log2(number)
    for number in range(len(halves)):
        halves[number] = math.log2(number + 0.5)
    for number in range(1, len(gamma)):
        gamma[number] = math.lgamma(0.5 * number)


class Addresses(NamedTuple):
    """What says where the copies of a structure are in one graph."""

    terms: np.ndarray  # int64 [T, 3], node of the structure, slot, and edges of the node in it
    by_degree: np.ndarray  # float64 [K], bits of each copy by the degrees of its nodes
    uniform: float  # bits of a copy, uniformly
    eligible: np.ndarray  # int64 [M], nodes for each role, by falling number of edges; or [0]
    inside: np.ndarray  # int64 [M], edges of each role in all slots
    degrees: np.ndarray  # int64 [V], edges of each node in all slots
    classes: np.ndarray  # int64 [V], of colour and degree
    class_sizes: np.ndarray  # int64 [C]
    logs: Logarithms


class Left(NamedTuple):
    """What a description leaves of its graph."""

    edge_bits: np.ndarray  # float64 [E], what taking each edge out saves, to first order
    degrees: np.ndarray  # int64 [S, V], of each slot
    log_degree: np.ndarray  # float64 [D + 1], log2 d
    log_factorial: np.ndarray  # float64, log2 n! of the degrees and more


class Costs(NamedTuple):
    """What a motif costs beside the addresses of its copies."""

    head: float  # before its copies
    number: np.ndarray  # float64 [K + 1], of a number of copies
    symmetry: float  # what the symmetry of each copy saves, less its pendant nodes
    log_factorial: np.ndarray  # float64, log2 n! of numbers of copies and of nodes


@compiled(fastmath=False)
def save_edges(rows, edges, copies, terms, left):
    """What taking the edges of some copies out saves, to first order, without addresses, [K].

    `edges` int32 [K, P] and `copies` int32 [K, M] are of all copies, `terms` those of Addresses.
    """
    saved = np.empty(len(rows))
    for place in range(len(rows)):
        row = rows[place]
        bits = _sum_of_edges(left.edge_bits, edges[row])
        corrections = 0.0
        for k in range(len(terms)):
            number = terms[k, 2]
            if number > 1:
                degree = left.degrees[terms[k, 1], copies[row, terms[k, 0]]]
                falling = left.log_factorial[degree] - left.log_factorial[degree - number]
                corrections += number * left.log_degree[degree] - falling
        saved[place] = bits + corrections
    return saved


@subroutine(fastmath=False)
def _sum_of_edges(edge_bits, edges):
    count = len(edges)
    first = 0
    total = 0.0
    if count >= _EIGHT:
        a, b, c, d = (
            edge_bits[edges[0]], edge_bits[edges[1]], edge_bits[edges[2]], edge_bits[edges[3]]
        )  # fmt: skip
        e, f, g, h = (
            edge_bits[edges[4]], edge_bits[edges[5]], edge_bits[edges[6]], edge_bits[edges[7]]
        )  # fmt: skip
        first = count - count % _EIGHT
        for k in range(_EIGHT, first, _EIGHT):
            a += edge_bits[edges[k]]
            b += edge_bits[edges[k + 1]]
            c += edge_bits[edges[k + 2]]
            d += edge_bits[edges[k + 3]]
            e += edge_bits[edges[k + 4]]
            f += edge_bits[edges[k + 5]]
            g += edge_bits[edges[k + 6]]
            h += edge_bits[edges[k + 7]]
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for k in range(first, count):
        total += edge_bits[edges[k]]
    return total


@compiled(fastmath=False)
def choose_copies(
    free,
    gains,
    taken,
    copies,
    edges,
    addresses,
    costs,
    least_new,
    least_worth,
    edge_marks,
    node_marks,
):
    """The rows `taken` and those of the `free` ones that save most beside them, and how much.

    Free rows save `gains` [K], without addresses; `copies` [K, M] and `edges` [K, P] are of all
    rows. Free ones are tried by falling worth under three of the addresses, if they are worth at
    least `least_worth` bits; so that no two share an edge, and so that no two share a node; and the
    best number of them is taken, `least_new` or more. There are no rows where there are not enough.
    No edge and no node is in its marks, bool [E] and [V], at first and at the end.
    """
    best, best_gain = np.empty(0, np.int64), -np.inf
    worth, bits = np.empty(len(free), np.int64), np.empty(len(free))
    order, spare = np.empty(len(free), np.int64), np.empty(len(free), np.int64)
    most_cost = -least_worth / EQUAL_WORTH
    for address in range(3):
        # 1. what the addresses cost
        if address == _UNIFORM:
            for place in range(len(free)):
                bits[place] = addresses.uniform
        elif address == _BY_DEGREE:
            for place in range(len(free)):
                bits[place] = addresses.by_degree[free[place]]
        else:
            if len(best) == 0:
                break
            _cost_by_residual_degree(free, best[len(taken) :], copies, addresses, bits)
        # 2. free copies by falling worth
        count = 0
        for place in range(len(free)):
            value = np.rint((bits[place] - gains[place] - costs.symmetry) / EQUAL_WORTH)
            if value < most_cost:
                worth[place], order[count] = np.int64(value), place
                count += 1
        sort_by_whole(order[:count], worth, spare)
        # 3. those that share no edge, and of these those that share no node
        chosen = _choose_apart(order[: min(count, _MOST_TRIED)], free, edges, edge_marks)
        apart = _choose_apart(chosen, free, copies, node_marks)
        for new in (chosen, apart):
            if len(new) < least_new:
                break
            rows, gain = _best_number(
                taken, new, free, gains, copies, addresses, costs, least_new, node_marks
            )
            if gain > best_gain:
                best, best_gain = rows, gain
            if len(apart) == len(chosen):
                break
    return best, best_gain


@subroutine()
def _choose_apart(places, free, members, marks):
    """The places of `free` rows, in their order, no two of which have one of the members."""
    out = np.empty(len(places), np.int64)
    count = 0
    for place in places:
        row = free[place]
        is_apart = True
        for k in range(members.shape[1]):
            if marks[members[row, k]]:
                is_apart = False
                break
        if is_apart:
            for k in range(members.shape[1]):
                marks[members[row, k]] = True
            out[count] = place
            count += 1
    # the marks are left as they were found
    for place in out[:count]:
        row = free[place]
        for k in range(members.shape[1]):
            marks[members[row, k]] = False
    return out[:count]


@subroutine(fastmath=False)
def _best_number(taken, new, free, gains, copies, addresses, costs, least_new, marks):
    """The rows taken and as many of the new ones, in their order, as save most, and how much."""
    before = len(taken)
    rows = np.empty(before + len(new), np.int64)
    # not in one assignment: what that would say of other lengths takes 3 s to compile
    for place in range(before):
        rows[place] = taken[place]
    for place in range(len(new)):
        rows[before + place] = free[new[place]]
    # 1. what the motif costs with its first 1, 2, … copies, with those taken or more
    bits = _prefix_bits(rows, max(1, before), copies, addresses, costs.log_factorial, marks)
    for row in rows:
        for k in range(copies.shape[1]):
            marks[copies[row, k]] = False
    for place in range(max(0, before - 1), len(rows)):
        number = place + 1
        bits[place] += costs.head + costs.number[number]
        bits[place] -= costs.log_factorial[number] + number * costs.symmetry
    # 2. what each number of new ones saves more than that
    bits_before = bits[before - 1] if before > 0 else 0.0
    best, best_number, sum_of_gains = -np.inf, before + least_new, 0.0
    for place in range(len(new)):
        sum_of_gains += gains[new[place]]
        saved = bits_before + sum_of_gains - bits[before + place]
        if place + 1 >= least_new and saved > best:
            best, best_number = saved, before + place + 1
    return rows[:best_number], best


@subroutine(fastmath=False)
def _cost_by_residual_degree(rows, near, copies, addresses, bits):
    """Write the bits of the address of each row by the histogram of some, each bin with ½ more."""
    size = copies.shape[1]
    top = 0
    for row in near:
        for k in range(size):
            top = max(top, addresses.degrees[copies[row, k]] - addresses.inside[k])
    histogram = np.empty(top + 1)
    for k in range(top + 1):
        histogram[k] = 0.5
    for row in near:
        for k in range(size):
            histogram[addresses.degrees[copies[row, k]] - addresses.inside[k]] += 1
    total = len(near) * size + 0.5 * (top + 1)
    for k in range(top + 1):
        histogram[k] = np.log2(total / histogram[k])
    for place in range(len(rows)):
        bits[place] = 0.0
        for k in range(size):
            node = copies[rows[place], k]
            left = addresses.degrees[node] - addresses.inside[k]
            bits[place] += histogram[min(left, top)]
            bits[place] += addresses.logs.numbers[addresses.class_sizes[addresses.classes[node]]]
            if left > top:
                bits[place] += _UNSEEN_DEGREE * math.log2(max(left, 1))


@subroutine()
def _prefix_bits(rows, least, copies, addresses, log_factorial, marks):
    """Bits of the cheapest address of the first 1, 2, ... of some copies, [K], `least` or more.

    The addresses are ADDRESSES of graph_code.py; no node is in `marks`, bool [V], at first.
    """
    size = copies.shape[1]
    bits = np.empty(len(rows))
    # what is left of the degree of a node, beyond its role: a histogram of all roles together
    top = 0
    for row in rows:
        for k in range(size):
            top = max(top, addresses.degrees[copies[row, k]] - addresses.inside[k])
    counts, taken = np.empty(top + 1, np.int64), np.empty(len(addresses.class_sizes), np.int64)
    for k in range(len(counts)):
        counts[k] = 0
    for k in range(len(taken)):
        taken[k] = 0
    by_degree, bins, in_class, without = 0.0, 0.0, 0.0, 0.0
    # of the largest rest so far, which seldom grows
    top, top_bits = np.int64(0), log_star(np.int64(0))
    is_disjoint = True
    for number in range(1, len(rows) + 1):
        row = rows[number - 1]
        by_degree += addresses.by_degree[row]
        for k in range(size):
            node = copies[row, k]
            left = addresses.degrees[node] - addresses.inside[k]
            if left > top:
                top, top_bits = left, log_star(left)
            bins += addresses.logs.halves[counts[left]]
            counts[left] += 1
            node_class = addresses.classes[node]
            in_class += addresses.logs.numbers[addresses.class_sizes[node_class]]
            if marks[node]:
                is_disjoint = False
            marks[node] = True
            if is_disjoint:
                still = addresses.class_sizes[node_class] - taken[node_class]
                without += addresses.logs.numbers[still]
                taken[node_class] += 1
        if number < least:
            continue
        histogram = top_bits - bins
        gamma = addresses.logs.gamma
        histogram += (gamma[2 * number * size + top + 1] - gamma[top + 1]) / _LN2
        best = number * addresses.uniform
        if by_degree < best:
            best = by_degree
        if histogram + in_class < best:
            best = histogram + in_class
        if is_disjoint:
            if len(addresses.eligible) > 0:
                uniform = 0.0
                for k in range(size):
                    still = addresses.eligible[k] - k * number
                    uniform += log_factorial[still] - log_factorial[still - number]
                if uniform < best:
                    best = uniform
            if histogram + without < best:
                best = histogram + without
        bits[number - 1] = best
    return bits


@subroutine(**INLINE_JIT)
def log_star(number):
    """Bits of a whole number by Rissanen's code, as in integer_codes.py."""
    bits, rest = math.log2(2.865), math.log2(number + 1.0)
    while rest > 0:
        bits += rest
        rest = math.log2(rest)
    return bits
