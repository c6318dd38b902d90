"""Copies of a structure in one graph, compiled: chosen in an order, and addressed.

A copy is a row of nodes, one for each node of the structure; it is induced, so that each two of its
nodes are joined as in the structure.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import INLINE_JIT
from gomkcn_dgl.runtime.compiled import compiled, subroutine

_LN2 = math.log(2.0)


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
def find_free(members, used, freed):
    """The rows of `members` [K, P] that are not used, and whether one of these has a freed one.

    `used` and `freed` say it of each member, bool.
    """
    out = np.empty(len(members), np.int64)
    count = 0
    has_freed = False
    for row in range(len(members)):
        is_free = True
        is_freed = False
        for member in members[row]:
            if used[member]:
                is_free = False
                break
            is_freed = is_freed or freed[member]
        if is_free:
            out[count] = row
            count += 1
            has_freed = has_freed or is_freed
    return out[:count], has_freed


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


@compiled()
def prefix_addresses(rows, copies, addresses, log_factorial, marks):
    """Bits of the cheapest address of the first 1, 2, ... of some copies, and its number, [K] each.

    The numbers are those of ADDRESSES in graph_code.py; no node is in `marks`, bool [V], at first.
    """
    size = copies.shape[1]
    bits, codes = np.empty(len(rows)), np.empty(len(rows), np.int64)
    # what is left of the degree of a node, beyond its role: a histogram of all roles together
    top = 0
    for row in rows:
        for k in range(size):
            top = max(top, addresses.degrees[copies[row, k]] - addresses.inside[k])
    counts = np.zeros(top + 1, np.int64)
    taken = np.zeros(len(addresses.class_sizes), np.int64)
    by_degree, bins, in_class, without, top = 0.0, 0.0, 0.0, 0.0, 0
    is_disjoint = True
    for number in range(1, len(rows) + 1):
        row = rows[number - 1]
        by_degree += addresses.by_degree[row]
        for k in range(size):
            node = copies[row, k]
            left = addresses.degrees[node] - addresses.inside[k]
            top = max(top, left)
            bins += math.log2(counts[left] + 0.5)
            counts[left] += 1
            node_class = addresses.classes[node]
            in_class += math.log2(addresses.class_sizes[node_class])
            if marks[node]:
                is_disjoint = False
            marks[node] = True
            if is_disjoint:
                without += math.log2(addresses.class_sizes[node_class] - taken[node_class])
                taken[node_class] += 1
        histogram = log_star(top) - bins
        half = 0.5 * (top + 1)
        histogram += (math.lgamma(number * size + half) - math.lgamma(half)) / _LN2
        best, code = number * addresses.uniform, 0
        if by_degree < best:
            best, code = by_degree, 1
        if histogram + in_class < best:
            best, code = histogram + in_class, 2
        if is_disjoint:
            if len(addresses.eligible) > 0:
                uniform = 0.0
                for k in range(size):
                    still = addresses.eligible[k] - k * number
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
