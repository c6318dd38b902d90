"""A sort within compiled functions; NumPy's takes one to two seconds to compile."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.runtime.compiled import subroutine

# so many items at a time are sorted by insertion
_SHORT = 24
# bits of a digit that items are sorted by at a time, and the largest digit
_DIGIT = 8
_LAST_DIGIT = (1 << _DIGIT) - 1
# of a whole number
_BITS = 64


@subroutine(_nrt=False)
def sort_by(items, keys, spare):
    """Sort items by ``keys[item]``; those of equal keys stay in their order (mergesort).

    ``spare`` has as many entries or more, of the same type, which are overwritten.
    """
    size = len(items)
    # 1. runs of a few items, by insertion
    for first in range(0, size, _SHORT):
        for k in range(first, min(first + _SHORT, size)):
            item, place = items[k], k
            key = keys[item]
            while place > first and keys[items[place - 1]] > key:
                items[place] = items[place - 1]
                place -= 1
            items[place] = item
    # 2. each two of them become one run, twice as long
    length = _SHORT
    while length < size:
        for first in range(0, size, 2 * length):
            middle, last = min(first + length, size), min(first + 2 * length, size)
            left, right = first, middle
            for place in range(first, last):
                is_left = right == last
                if left < middle and right < last:
                    is_left = keys[items[left]] <= keys[items[right]]
                if is_left:
                    spare[place] = items[left]
                    left += 1
                else:
                    spare[place] = items[right]
                    right += 1
        for place in range(size):
            items[place] = spare[place]
        length *= 2


@subroutine()
def sort_by_whole(items, keys, spare):
    """As :func:`sort_by` for keys that are int64, a digit at a time: several times faster.

    It takes a round over the items for each byte of the range of the keys, which is below 2^63.
    """
    size = len(items)
    if size <= _SHORT:
        sort_by(items, keys, spare)
        return
    least, most = keys[items[0]], keys[items[0]]
    for item in items:
        least, most = min(least, keys[item]), max(most, keys[item])
    # where the items of each digit begin
    starts = np.empty((1 << _DIGIT) + 1, np.int64)
    shift = 0
    # a shift by all bits of a number shifts by none
    while shift < _BITS and (most - least) >> shift > 0:
        for digit in range(len(starts)):
            starts[digit] = 0
        for item in items:
            starts[((keys[item] - least) >> shift & _LAST_DIGIT) + 1] += 1
        for digit in range(1, 1 << _DIGIT):
            starts[digit] += starts[digit - 1]
        for item in items:
            digit = (keys[item] - least) >> shift & _LAST_DIGIT
            spare[starts[digit]] = item
            starts[digit] += 1
        for place in range(size):
            items[place] = spare[place]
        shift += _DIGIT
