"""Similarities of one subgraph's nodes to the nodes of many filters, in vector registers.

The nodes of as many filters as stay in cache stand side by side, a block of them in the lanes of a
vector, so that the work is the same whatever the sizes are. Squared distances are sums of squared
differences: ``|x|^2 + |z|^2 - 2 <x, z>`` would lose all digits for equal nodes whose level sums are
large, and gains a seventh of the time alone.

Rows of zeros, which padding has, are alike: a table holds one for all of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.vectors_numba import (
    exp2,
    load,
    pair,
    repeat,
    spread,
    spread_rows,
    store_rows,
    zeros,
)
from gomkcn_dgl.runtime.compiled import subroutine

# nodes that are worked on at a time, so that a filter node is loaded once for all of them; a row of
# zeros stands behind as many rows more
ROWS = 4
_LOG2_E = 1 / math.log(2)


class Tables(NamedTuple):
    """What one thread needs; B filter nodes are worked on at once, P of them with padding."""

    levels: np.ndarray  # [L, N + ROWS, P], similarities
    total: np.ndarray  # [N + ROWS + 1, P], their sum


def new_tables(num_nodes: int, z: np.ndarray) -> Tables:
    """Allocate the tables for chunks z [chunks, P / lanes, L, D, lanes]."""
    _, num_blocks, num_levels, _, lanes = z.shape
    rows, columns = num_nodes + ROWS, num_blocks * lanes
    return Tables(
        zeros((num_levels, rows, columns), z.dtype),
        # one more, since a vector may begin at the last filter of the last row
        zeros((rows + 1, columns), z.dtype),
    )


@subroutine(_nrt=False)
def count_distinct(x, num_rows):
    """Return how many of the first rows of x [L, N, D] there are before those of zeros alone."""
    while num_rows > 0:
        for level in range(x.shape[0]):
            for d in range(x.shape[2]):
                # NaN is not zero
                if x[level, num_rows - 1, d] != 0:
                    return num_rows
        num_rows -= 1
    return num_rows


@subroutine(_nrt=False)
def fill_zero_row(x, z, widths, tables):
    """Fill what only depends on the filters: the similarities of a row of zeros."""
    for block in range(z.shape[0]):
        _fill_tile(x, z, widths, x.shape[1] - 1, block, tables, spread(x.dtype.type(0)))


@subroutine(_nrt=False)
def fill_tables(x, z, widths, num_rows, tables):
    """Fill the similarities of the first `num_rows` nodes at each level, and their sum.

    x [L, N + ROWS, D or more], z [P / lanes, L, D, lanes].
    """
    two = pair(spread(x.dtype.type(0)))
    four = pair(two)
    for block in range(z.shape[0]):
        n = 0
        while n < num_rows:
            if num_rows - n > 2:
                _fill_tile(x, z, widths, n, block, tables, four)
            else:
                _fill_tile(x, z, widths, n, block, tables, two)
            n += 4


@subroutine(_nrt=False)
def _fill_tile(x, z, widths, n, block, tables, empty):
    """Fill as many rows from n on as there are vectors in `empty`, against a block of columns."""
    _, num_levels, width, lanes = z.shape
    _, height, columns = tables.levels.shape
    stride = x.shape[2]
    total = empty
    for level in range(num_levels):
        place = block * num_levels + level
        row, column = (level * height + n) * stride, place * width * lanes
        result = empty
        # exp(-|x - z|^2 / w)
        for d in range(width):
            filter_nodes = repeat(load(z, column + d * lanes), empty)
            difference = spread_rows(x, row + d, stride, empty) - filter_nodes
            result = result + difference * difference
        result = exp2(result * repeat(spread(x.dtype.type(-_LOG2_E) / widths[level]), empty))
        store_rows(tables.levels, (level * height + n) * columns + block * lanes, columns, result)
        total = total + result
    store_rows(tables.total, n * columns + block * lanes, columns, total)
