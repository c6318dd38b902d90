"""A sort within compiled functions; NumPy's takes one to two seconds to compile."""

from __future__ import annotations

from gomkcn_dgl.runtime.compiled import subroutine

# so many items at a time are sorted by insertion
_SHORT = 24


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
