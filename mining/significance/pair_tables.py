"""Tables of the pairs of nodes that the edges of a graph join.

A pair has a number; the table has the numbers of those that are joined, by open addressing.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import subroutine

# the number in a slot without a pair
FREE = -1
# a home has the bits from the 24th on of the products of 31 bits of a number with odd factors of 29
# bits, whose sum fits into an int64. In graphs and lattices as few homes are shared as at random
_BITS = 31
_LOW = (1 << _BITS) - 1
_FACTORS = 0x1E3779B1, 0x05EBCA77
_SHIFT = 24
# slots are unsigned: a signed index may count from the end, which takes time to find out
_NEXT = np.uint64(1)


def free_slots(num_edges: int) -> np.ndarray:
    """Slots for so many pairs, int64 ``[H]``, H a power of two; at most a quarter is used."""
    return np.full(1 << max(2, int(4 * num_edges - 1).bit_length()), FREE)


@subroutine(**SEARCH_JIT)
def pair_of(u, v):
    """The number of a pair of nodes: the pairs of smaller nodes come first."""
    first, last = np.int64(min(u, v)), np.int64(max(u, v))
    return (last * (last - 1) >> 1) + first


@subroutine(**SEARCH_JIT)
def slot_of(slots, pair):
    """The slot of a pair, or the free one where it is to come."""
    slot = home_of(slots, pair)
    while slots[slot] != pair and slots[slot] != FREE:
        slot = (slot + _NEXT) & np.uint64(len(slots) - 1)
    return slot


@subroutine(**SEARCH_JIT)
def free_slot(slots, values, free):
    """Free a slot, and move up pairs behind it that would no longer be found, with their values.

    ``values [H]`` may be None.
    """
    last = np.uint64(len(slots) - 1)
    slot = (free + _NEXT) & last
    while slots[slot] != FREE:
        # it may move up unless it would come before its home
        if ((slot - home_of(slots, slots[slot])) & last) >= ((slot - free) & last):
            slots[free] = slots[slot]
            if values is not None:
                values[free] = values[slot]
            free = slot
        slot = (slot + _NEXT) & last
    slots[free] = FREE


@subroutine(**SEARCH_JIT)
def home_of(slots, pair):
    """The slot that a pair is in, or behind."""
    mixed = (pair & _LOW) * _FACTORS[0] + (pair >> _BITS) * _FACTORS[1]
    return np.uint64((mixed >> _SHIFT) & (len(slots) - 1))
