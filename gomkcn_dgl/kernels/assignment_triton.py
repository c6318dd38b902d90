"""Matchings of small tables on the GPU: P tables ``[N, P, M]`` in registers, matched in step.

The optimal one is found by shortest augmenting paths with dual prices (Jonker and Volgenant, 1987),
in whole numbers. A table's entries from ``top`` down to ``low`` cost from 0 to 2^23 steps, each to
within two. Sums of steps are exact, so neither ties nor rounding can send a search round in
circles, and the sum that is found is at most ``min(N, M) * (top - low) * 2^-21`` below the largest.
The nearest free column is less than 2^25 steps away, which leaves 6 bits of 32 for the row that
holds a column: one minimum over the columns finds the nearest and the row to go on from.

A matching is given by columns: the row that holds each of them, plus 1, or 0: int32 ``[P, M]``.
"""

from __future__ import annotations

import triton
import triton.language as tl

# cost of the least similar entry of a table
_STEPS = tl.constexpr(2**23)
# farther than any free column, and its key still fits in 32 bits
_FAR = tl.constexpr(2**25 - 1)
_CLOSED = tl.constexpr(2**31 - 1)
_ROW_BITS = tl.constexpr(6)
_ROW_MASK = tl.constexpr(2**6 - 1)
# similarities, and their differences, are smaller
_MORE_THAN_ANY = tl.constexpr(1e6)
# a table whose entries differ by less is one of equal entries
_SMALLEST_SPREAD = tl.constexpr(1e-30)


@triton.jit
def match_greedily(
    table, num_rows, M: tl.constexpr, PINNED: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_M: tl.constexpr,
):  # fmt: skip
    """Rows choose in order, each the most similar column left, the lowest of several."""
    n = tl.arange(0, BLOCK_N)[:, None, None]
    m = tl.arange(0, BLOCK_M)[None, :]
    # a similarity is at least 0; NaN comes after all others
    table = tl.where(table >= -1.0, table, -2.0)
    owner = tl.zeros([BLOCK_P, BLOCK_M], tl.int32)
    if PINNED:
        owner = tl.where((m == 0) & (num_rows > 0), 1, owner)
    for row in range(PINNED, tl.minimum(num_rows, M)):
        values = tl.sum(tl.where(n == row, table, 0.0), axis=0)  # [P, M]
        values = tl.where((owner == 0) & (m < M), values, -3.0)
        best = tl.argmax(values, axis=1)[:, None]  # [P, 1]
        owner = tl.where(m == best, row + 1, owner)
    return owner


@triton.jit
def match_optimally(
    table, num_rows, active, M: tl.constexpr, PINNED: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_M: tl.constexpr,
):  # fmt: skip
    """Match as many rows as there can be with the largest sum, in the tables `active [P]`.

    Columns past M, of which there are enough for all rows, stand for staying unmatched.
    """
    n = tl.arange(0, BLOCK_N)[:, None, None]  # [N, 1, 1]
    m = tl.arange(0, BLOCK_M)[None, :]  # [1, M]
    allowed = (m >= PINNED) & (m < tl.maximum(num_rows, M))
    # takes NaN for 0
    table = tl.where((table >= 0.0) & (m < M)[None, :, :], table, 0.0)
    inside = (n < num_rows) & (m < M)[None, :, :]  # [N, 1, M]
    top = tl.max(tl.max(tl.where(inside, table, 0.0), axis=0), axis=1)[:, None]  # [P, 1]
    low = tl.min(tl.min(tl.where(inside, table, top[None, :, :]), axis=0), axis=1)[:, None]
    spread = tl.maximum(top - low, _SMALLEST_SPREAD)
    scale = 1.0 / spread * _STEPS
    # a row is picked by a sum over zeros, which takes fewer instructions in whole numbers
    bits = table.to(tl.int32, bitcast=True)

    loss = tl.where((m < M)[None, :, :], top[None, :, :] - table, spread[None, :, :])
    price = _first_prices(loss, num_rows, allowed, BLOCK_N)
    # a column that stays free may not end up cheaper than it began
    price = (tl.where(allowed & (num_rows >= M), price, 0.0) * scale).to(tl.int32)
    owner = tl.zeros([BLOCK_P, BLOCK_M], tl.int32)
    if PINNED:
        owner = tl.where((m == 0) & (num_rows > 0), 1, owner)
    for row in range(PINNED, num_rows):
        # Dijkstra's search from `row` over columns, in all tables at once. `current` is the row
        # whose edges are relaxed next, plus 1; it is 0 once the nearest column is free
        current = tl.where(active, row + 1, 0)  # [P]
        distance = tl.zeros([BLOCK_P], tl.int32)
        nearest = tl.full([BLOCK_P, BLOCK_M], _FAR, tl.int32)
        came_from = tl.zeros([BLOCK_P, BLOCK_M], tl.int32)
        unsettled = allowed & active[:, None]  # [P, M]
        while tl.max(current, axis=0) > 0:
            row_number = current[:, None]  # [P, 1]
            values = tl.sum(tl.where(n + 1 == row_number[None, :, :], bits, 0), axis=0)  # [P, M]
            steps = (top - values.to(tl.float32, bitcast=True)) * scale
            # the bound is for columns past M and tables that are done, whose costs are not used
            cost = (tl.minimum(steps, _STEPS) + 0.5).to(tl.int32)
            # more than any similarity is worth, so that as few as can be stay unmatched
            reduced = tl.where(m < M, cost, _STEPS + 2) - price
            # the price of the row itself: it makes the reduced cost of its matched edge 0
            own_price = tl.sum(tl.where(owner == row_number, reduced, 0), axis=1)  # [P]
            through = reduced + (distance - own_price)[:, None]
            shorter = unsettled & (row_number > 0) & (through < nearest)
            nearest = tl.where(shorter, through, nearest)
            came_from = tl.where(shorter, row_number, came_from)
            # settle the nearest column; its low bits name the row that has it
            key = tl.where(unsettled, (nearest << _ROW_BITS) + owner, _CLOSED)
            key = tl.min(key, axis=1)  # [P]
            distance = tl.where(current > 0, key >> _ROW_BITS, distance)
            current = tl.where(current > 0, key & _ROW_MASK, 0)
            unsettled = unsettled & ((owner != current[:, None]) | (owner == 0))
        # the prices of settled columns fall by how much nearer they were than the free one
        settled = allowed & active[:, None] & ~unsettled
        price += tl.where(settled, nearest - distance[:, None], 0)

        # hand on the columns of the path, from its free end back to the row that began it
        end = unsettled & (owner == 0) & (nearest == distance[:, None])
        slot = m == tl.min(tl.where(end, m, BLOCK_M), axis=1)[:, None]  # [P, M]
        taker = tl.sum(tl.where(slot, came_from, 0), axis=1)  # [P]
        while tl.max(taker, axis=0) > 0:
            released = (owner == taker[:, None]) & (taker[:, None] > 0)
            owner = tl.where(slot, taker[:, None], owner)
            slot = released
            taker = tl.sum(tl.where(slot, came_from, 0), axis=1)
    return owner


@triton.jit
def _first_prices(loss, num_rows, allowed, BLOCK_N: tl.constexpr):
    """Prices of columns [P, M] that leave few searches to do; any would, where all are matched.

    Column means, then rows reduced, then columns reduced.
    """
    n = tl.arange(0, BLOCK_N)[:, None, None]
    mean = tl.sum(tl.where(n < num_rows, loss, 0.0), axis=0) / tl.maximum(num_rows, 1)  # [P, M]
    least = tl.where(allowed[None, :, :], loss - mean[None, :, :], _MORE_THAN_ANY)
    least = tl.min(least, axis=2)[:, :, None]  # [N, P, 1]
    return tl.min(tl.where(n < num_rows, loss - least, _MORE_THAN_ANY), axis=0)
