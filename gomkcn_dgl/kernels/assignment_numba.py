"""Exact assignment of small tables on the CPU: the largest sum, one entry a row and column.

Shortest augmenting paths with dual prices (Jonker and Volgenant, 1987; Crouse, 2016), on integers.
A similarity becomes a cost in fixed point; below it stand one bit that says whether the column is
taken and the number of the column. One integer minimum over a row thus gives the least reduced
cost, prefers a free column among equal ones, and names it, all in vector registers; and prices are
exact, so that there is no tolerance. Of tables up to 64 nodes, similarities are exact to 2^-40 of
the largest.

The start is warm: in a square table prices begin so that most rows find a free column at once.

The compiled functions take their scratch as arrays of their own, for an entry of a row must be
known not to overlap another, and have one exit: with several, the compiler counts references to
each array, by atomic instructions that take as long as the search itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.vectors_numba import (
    item,
    lanes_of,
    load,
    pick_equal,
    pick_greater,
    spread,
    store,
)
from gomkcn_dgl.runtime.compiled import subroutine

# more than any path costs: what keeps a column out
_FAR = np.int64(1) << np.int64(61)
# rows are padded to whole vector registers
_LANES = 8
# rows of Scratch.book: the row that holds a column, the column that a row holds, the columns whose
# distance is settled and that distance
_OWNER, _COLUMN, _DONE, _DISTANCE = range(4)


class Scratch(NamedTuple):
    """What one thread needs; P is the padded number of columns."""

    cost: np.ndarray  # int64 [P, P]
    key: np.ndarray  # int64 [P], distance, taken bit and number of each column
    offset: np.ndarray  # int64 [P], taken bit and number less the price of each column
    parent: np.ndarray  # int64 [P], row from which a column was reached
    book: np.ndarray  # int64 [4, P]


def new_scratch(num_rows: int, num_columns: int) -> Scratch:
    """Allocate the scratch of one thread for tables of this size."""
    size = (max(num_rows, num_columns) + _LANES - 1) // _LANES * _LANES
    return Scratch(
        np.empty((size, size), np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty((4, size), np.int64),
    )


def fixed_point(num_rows: int, num_columns: int, largest: float) -> tuple[int, float]:
    """Bits below the costs, and what turns a similarity of at most ``largest`` into an integer."""
    side = max(num_rows, num_columns, 1)
    shift = (side + _LANES).bit_length() + 1
    # a price is at most `side` costs
    room = 58 - shift - side.bit_length()
    return shift, 2.0 ** (room - int(np.ceil(np.log2(max(largest, 1e-30)))))


@subroutine(_nrt=False, forceinline=True)
def match_optimally(
    table, begin, num_columns, pinned, num_rows, starts, shift, scale,
    cost, key, offset, parent, book, lane, chosen,
):  # fmt: skip
    """Choose a column for each row from `pinned` on; row n begins at ``starts[n] + begin``.

    They are written to the column `lane` of chosen [N, lanes].
    """
    # 1. costs in fixed point, padded to whole vector registers by columns that cost too much
    height, width = num_rows - pinned, num_columns - pinned
    # the shorter side plays the rows
    flipped = height > width
    if flipped:
        height, width = width, height
    padded = (width + _LANES - 1) // _LANES * _LANES
    for row in range(height):
        if flipped:
            for column in range(width):
                similarity = item(table, starts[column + pinned] + begin + row + pinned)
                cost[row, column] = _cost(similarity, shift, scale)
        else:
            start = starts[row + pinned] + begin + pinned
            for column in range(width):
                similarity = item(table, start + column)
                cost[row, column] = _cost(similarity, shift, scale)
        for column in range(width, padded):
            cost[row, column] = _FAR >> 1
    # 2. match all rows, then write the matching in terms of the table
    _augment_all(height, width, padded, shift, cost, key, offset, parent, book)
    for row in range(height):
        if flipped:
            chosen[book[_COLUMN, row] + pinned, lane] = row + pinned
        else:
            chosen[row + pinned, lane] = book[_COLUMN, row] + pinned


@subroutine(_nrt=False)
def match_greedily(
    table, begin, step, num_columns, pinned, num_rows, starts, taken, chosen
):  # fmt: skip
    """Let each row in turn take the most similar column left, in a vector of tables at once.

    Entry (n, m) of them stands at the number ``starts[n] + begin + m * step`` of `table`. taken
    [M, lanes] is scratch; chosen [N, lanes] gets whole numbers. Of equally similar columns the
    first is taken, as in the reference; a NaN is worth 0.
    """
    lanes = lanes_of(table.dtype)
    zero, one = spread(table.dtype.type(0)), spread(table.dtype.type(1))
    never = spread(table.dtype.type(-np.inf))
    # what is added to the similarity of a column: nothing, or -inf once it is taken
    for column in range(num_columns):
        store(taken, column * lanes, never if column < pinned else zero)
    choice = never
    for row in range(pinned, min(num_rows, num_columns)):
        before, best, number = choice, never, zero
        for column in range(num_columns):
            # the row before has taken its column
            left = pick_equal(before, number, never, load(taken, column * lanes))
            store(taken, column * lanes, left)
            similarity = load(table, starts[row] + begin + column * step)
            similarity = pick_greater(similarity, never, similarity, zero) + left
            choice = pick_greater(similarity, best, number, choice)
            best = pick_greater(similarity, best, similarity, best)
            number = number + one
        store(chosen, row * lanes, choice)


@subroutine(_nrt=False)
def _cost(similarity, shift, scale):
    # a NaN is as bad as can be: it must not decide where the search goes
    return np.int64(-similarity * scale) << shift if similarity == similarity else np.int64(0)


@subroutine(_nrt=False)
def _lower_prices(height, padded, whole, cost, price, mean):
    """Price the columns of a square table: the least cost over the rows' own prices.

    A row's own price is the least that a column costs it over the column's mean.
    """
    for column in range(padded):
        price[column] = _FAR
        mean[column] = 0
    for row in range(height):
        for column in range(height):
            mean[column] += cost[row, column]
    share = 1 / max(height, 1)
    for column in range(height):
        mean[column] = np.int64(mean[column] * share) & whole
    for row in range(height):
        least = _FAR
        for column in range(padded):
            over = cost[row, column] - mean[column]
            least = over if over < least else least
        for column in range(padded):
            price[column] = min(price[column], cost[row, column] - least)


@subroutine(_nrt=False, forceinline=True)
def _augment_all(height, width, padded, shift, cost, key, offset, parent, book):
    """Match the rows of `cost` one after the other, each along its cheapest path."""
    taken = np.int64(1) << (shift - 1)
    number, whole = taken - 1, -(taken << 1)
    # raised so that no distance is negative: a settled column, _FAR away, must never come nearer
    for column in range(padded):
        offset[column] = column + (_FAR >> 2)
    if height == width:
        _lower_prices(height, padded, whole, cost, key, parent)
        for column in range(width):
            offset[column] -= key[column]
    for start in range(height):
        # distances from the new row to all columns, and the least of them
        least = _FAR
        for column in range(padded):
            new = cost[start, column] + offset[column]
            key[column] = new
            parent[column] = start
            least = new if new < least else least
        num_done = 0
        # Dijkstra over columns until the nearest one is free
        while least & taken:
            # settle the nearest column, and go on from the row that it is matched to
            column, reached = least & number, least & whole
            row = book[_OWNER, column]
            step = reached - cost[row, column] - (offset[column] & whole)
            book[_DONE, num_done] = column
            book[_DISTANCE, num_done] = reached
            num_done += 1
            key[column] = _FAR
            offset[column] += _FAR
            least = _FAR
            # relax the edges of that row, and find the next nearest column in the same loop
            for other in range(padded):
                old, new = key[other], cost[row, other] + offset[other] + step
                closer = new < old
                old = new if closer else old
                parent[other] = row if closer else parent[other]
                key[other] = old
                least = old if old < least else least
        # the nearest column is free: the path ends here
        column, reached = least & number, least & whole
        offset[column] += taken
        # prices of the settled columns fall by what they were nearer
        for k in range(num_done):
            offset[book[_DONE, k]] += reached - book[_DISTANCE, k] - _FAR
        # take the path: each row on it gives up its column for the next one
        row = -1
        while row != start:
            row = parent[column]
            book[_OWNER, column] = row
            following = book[_COLUMN, row]
            book[_COLUMN, row] = column
            column = following
