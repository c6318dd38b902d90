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

from gomkcn_dgl.kernels.matching_reference import DICE_EPSILON
from gomkcn_dgl.kernels.vectors_numba import (
    exp2,
    load,
    pair,
    repeat,
    spread,
    spread_rows,
    store,
    store_rows,
    zeros,
)
from gomkcn_dgl.runtime.compiled import subroutine

NODE_SIMILARITY_NAMES = ("rbf", "dice")
NODE_SIMILARITY_CODES = {name: code for code, name in enumerate(NODE_SIMILARITY_NAMES)}
RBF = NODE_SIMILARITY_CODES["rbf"]

# nodes that are worked on at a time, so that a filter node is loaded once for all of them; a row of
# zeros stands behind as many rows more
ROWS = 4
_LOG2_E = 1 / math.log(2)


class Tables(NamedTuple):
    """What one thread needs; B filter nodes are worked on at once, P of them with padding."""

    x_norms: np.ndarray  # [L, N + ROWS]
    z_norms: np.ndarray  # [P / lanes, L, lanes]
    levels: np.ndarray  # [L, N + ROWS, P], similarities
    total: np.ndarray  # [N + ROWS + 1, P], their sum


def new_tables(num_nodes: int, z: np.ndarray) -> Tables:
    """Allocate the tables for chunks z [chunks, P / lanes, L, D, lanes]."""
    _, num_blocks, num_levels, _, lanes = z.shape
    rows, columns = num_nodes + ROWS, num_blocks * lanes
    return Tables(
        zeros((num_levels, rows), z.dtype),
        zeros((num_blocks, num_levels, lanes), z.dtype),
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
def fill_zero_row(x, z, widths, node_similarity, tables):
    """Fill what only depends on the filters: the norms of their nodes, the row of zeros."""
    zero = spread(x.dtype.type(0))
    num_blocks, num_levels, width, lanes = z.shape
    for block in range(num_blocks):
        for level in range(num_levels):
            norms = zero
            place = block * num_levels + level
            for d in range(width):
                values = load(z, (place * width + d) * lanes)
                norms = norms + values * values
            store(tables.z_norms, place * lanes, norms)
        _fill_tile(x, z, widths, node_similarity, x.shape[1] - 1, block, tables, zero)


@subroutine(_nrt=False)
def fill_tables(x, z, widths, num_rows, node_similarity, tables):
    """Fill the similarities of the first `num_rows` nodes at each level, and their sum.

    x [L, N + ROWS, D or more], z [P / lanes, L, D, lanes].
    """
    if node_similarity != RBF:
        for level in range(x.shape[0]):
            for n in range(num_rows):
                tables.x_norms[level, n] = squared_norm(x[level, n])
    two = pair(spread(x.dtype.type(0)))
    four = pair(two)
    for block in range(z.shape[0]):
        n = 0
        while n < num_rows:
            if num_rows - n > 2:
                _fill_tile(x, z, widths, node_similarity, n, block, tables, four)
            else:
                _fill_tile(x, z, widths, node_similarity, n, block, tables, two)
            n += 4


@subroutine(_nrt=False)
def _fill_tile(x, z, widths, node_similarity, n, block, tables, empty):
    """Fill as many rows from n on as there are vectors in `empty`, against a block of columns."""
    _, num_levels, width, lanes = z.shape
    _, height, columns = tables.levels.shape
    stride = x.shape[2]
    kind = x.dtype.type
    total = empty
    for level in range(num_levels):
        place = block * num_levels + level
        row, column = (level * height + n) * stride, place * width * lanes
        result = empty
        # exp(-|x - z|^2 / w), or 1 + 2 <x, z> / norms
        if node_similarity == RBF:
            for d in range(width):
                filter_nodes = repeat(load(z, column + d * lanes), empty)
                difference = spread_rows(x, row + d, stride, empty) - filter_nodes
                result = result + difference * difference
            result = exp2(result * repeat(spread(kind(-_LOG2_E) / widths[level]), empty))
        else:
            for d in range(width):
                filter_nodes = repeat(load(z, column + d * lanes), empty)
                result = result + spread_rows(x, row + d, stride, empty) * filter_nodes
            norms = repeat(load(tables.z_norms, place * lanes) + spread(kind(DICE_EPSILON)), empty)
            norms = spread_rows(tables.x_norms, level * height + n, 1, empty) + norms
            result = repeat(spread(kind(1)), empty) + (result + result) / norms
        store_rows(tables.levels, (level * height + n) * columns + block * lanes, columns, result)
        total = total + result
    store_rows(tables.total, n * columns + block * lanes, columns, total)


@subroutine(_nrt=False)
def squared_norm(row):
    """Return the sum of the squares of a row [D]."""
    # a zero of the row's dtype
    total = row.dtype.type(0)
    for d in range(len(row)):
        total += row[d] * row[d]
    return total
