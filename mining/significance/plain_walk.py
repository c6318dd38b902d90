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
    home_of,
    pair_of,
    slot_of,
)
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, subroutine

# pairs up to which each has a bit, 8 MiB, of graphs of 11,585 nodes: the walk is 1.3 to 3.5 times
# as fast. More bits leave the caches, and take as long as a table of those that are joined
MOST_BITS = 1 << 26
# attempts whose pairs are looked up together, before they are made
_AHEAD = 64
# what turns a reading round
_TURN = np.uint64(1)


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
def walk_plain(ends, joined, readings):
    """Make an attempt for each row of ``readings [A, 2]``, as ``degree_walk.walk`` does.

    Reading r leads from ``ends[r]`` to ``ends[r ^ 1]``. Changes ``ends [2 E]`` and the pairs that
    are ``joined`` in place; returns how many attempts were not refused.
    """
    count = 0
    for start in range(0, len(readings), _AHEAD):
        stop = min(start + _AHEAD, len(readings))
        if len(joined.slots):
            count += _touch(ends, joined.slots, readings, start, stop)
        for k in range(start, stop):
            # unsigned: a signed index may count from the end, which takes time to find out
            first, second = np.uint64(readings[k, 0]), np.uint64(readings[k, 1])
            u, v, x, y = ends[first], ends[first ^ _TURN], ends[second], ends[second ^ _TURN]
            if u in (x, y) or v in (x, y):
                continue
            there, back = pair_of(u, y), pair_of(x, v)
            if _is_joined(joined, there) or _is_joined(joined, back):
                continue
            _part(joined, pair_of(u, v))
            _part(joined, pair_of(x, y))
            _join(joined, there)
            _join(joined, back)
            ends[first ^ _TURN], ends[second ^ _TURN] = y, v
            count += 1
    return count


@subroutine(**SEARCH_JIT)
def _touch(ends, slots, readings, start, stop):
    """Load where the pairs of some attempts are looked up: here cache misses overlap.

    Where attempts before them change their ends, other slots are looked up, which is rare. Returns
    how many of the slots are wrong: none, but without a result nothing would be loaded.
    """
    number = 0
    for k in range(start, stop):
        first, second = np.uint64(readings[k, 0]), np.uint64(readings[k, 1])
        u, v, x, y = ends[first], ends[first ^ _TURN], ends[second], ends[second ^ _TURN]
        for pair in (pair_of(u, y), pair_of(x, v), pair_of(u, v), pair_of(x, y)):
            number += slots[home_of(slots, pair)] < FREE
    return number


@subroutine(**SEARCH_JIT)
def _is_joined(joined, pair):
    if len(joined.bits):
        return joined.bits[np.uint64(pair >> 6)] >> (pair & 63) & 1 == 1
    return joined.slots[slot_of(joined.slots, pair)] != FREE


@subroutine(**SEARCH_JIT)
def _join(joined, pair):
    if len(joined.bits):
        joined.bits[np.uint64(pair >> 6)] |= np.int64(1) << (pair & 63)
    else:
        joined.slots[slot_of(joined.slots, pair)] = pair


@subroutine(**SEARCH_JIT)
def _part(joined, pair):
    if len(joined.bits):
        joined.bits[np.uint64(pair >> 6)] ^= np.int64(1) << (pair & 63)
    else:
        free_slot(joined.slots, None, slot_of(joined.slots, pair))
