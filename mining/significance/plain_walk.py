"""The walk of :mod:`~gomkcn.mining.significance.degree_walk` where all edges are of one kind.

A swap is refused there where it would join nodes that are joined, and nothing turns. Which edge
joins them does not matter: the walk looks up whether a pair is joined, as a bit or in a table. It
makes the same attempts and ends at the same graph.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn.mining.significance.pair_tables import (
    FREE,
    free_slot,
    free_slots,
    pair_of,
    slot_of,
)
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, subroutine

# pairs up to which each has a bit, 8 MiB, of graphs of 11,585 nodes: the walk is 1.3 to 3.5 times
# as fast. More bits leave the caches, and take as long as a table of those that are joined
MOST_BITS = 1 << 26


class JoinedPairs(NamedTuple):
    """The pairs of nodes that are joined: by a bit for each pair, or in slots; one is empty."""

    # int64 [P / 64]
    bits: np.ndarray
    # int64 [H]
    slots: np.ndarray

    @classmethod
    def of(cls, edges: np.ndarray, num_nodes: int, most_bits: int = MOST_BITS) -> JoinedPairs:
        """The pairs that edges ``[E, 2]`` join."""
        number = num_nodes * (num_nodes - 1) // 2
        if number <= most_bits:
            joined = cls(np.zeros((number >> 6) + 1, np.int64), np.empty(0, np.int64))
        else:
            joined = cls(np.empty(0, np.int64), free_slots(len(edges)))
        join_all(edges, joined)
        return joined


@compiled(**SEARCH_JIT)
def join_all(edges, joined):
    """Put the pairs that edges join into an empty table."""
    for edge in range(len(edges)):
        _join(joined, pair_of(edges[edge, 0], edges[edge, 1]))


@compiled(**SEARCH_JIT)
def walk_plain(edges, joined, readings):
    """Make an attempt for each row of ``readings [A, 2]``, as ``degree_walk.walk`` does.

    Changes ``edges`` and the pairs that are ``joined`` in place; returns how many attempts were not
    refused.
    """
    count = 0
    for k in range(len(readings)):
        first, second = readings[k, 0], readings[k, 1]
        e, side, f, other = first >> 1, first & 1, second >> 1, second & 1
        u, v, x, y = edges[e, side], edges[e, 1 - side], edges[f, other], edges[f, 1 - other]
        if u in (x, y) or v in (x, y):
            continue
        there, back = pair_of(u, y), pair_of(x, v)
        if _is_joined(joined, there) or _is_joined(joined, back):
            continue
        _part(joined, pair_of(u, v))
        _part(joined, pair_of(x, y))
        _join(joined, there)
        _join(joined, back)
        edges[e, 1 - side], edges[f, 1 - other] = y, v
        count += 1
    return count


@subroutine(**SEARCH_JIT)
def _is_joined(joined, pair):
    if len(joined.bits):
        return joined.bits[pair >> 6] >> (pair & 63) & 1 == 1
    return joined.slots[slot_of(joined.slots, pair)] != FREE


@subroutine(**SEARCH_JIT)
def _join(joined, pair):
    if len(joined.bits):
        joined.bits[pair >> 6] |= np.int64(1) << (pair & 63)
    else:
        joined.slots[slot_of(joined.slots, pair)] = pair


@subroutine(**SEARCH_JIT)
def _part(joined, pair):
    if len(joined.bits):
        joined.bits[pair >> 6] ^= np.int64(1) << (pair & 63)
    else:
        free_slot(joined.slots, None, slot_of(joined.slots, pair))
