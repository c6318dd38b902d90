"""The exact assignment of the matching kernels, of tables that are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from gomkcn_dgl.kernels.assignment_numba import fixed_point, match_optimally, new_scratch
from gomkcn_dgl.runtime.compiled import compiled, run_blocks


def assign(similarity: np.ndarray) -> np.ndarray:
    """Assign the rows of tables ``[B, N, M]`` so that each sum is the largest: int16 ``[B, N]``.

    >>> assign(np.array([[[0.5, 0.9], [0.1, 0.8]]]))
    array([[0, 1]], dtype=int16)
    """
    similarity = np.ascontiguousarray(similarity)
    num_tables, num_rows, num_columns = similarity.shape
    chosen = np.empty((num_tables, num_rows), np.int16)
    shift, scale = fixed_point(
        num_rows, num_columns, float(np.nanmax(np.abs(similarity), initial=0))
    )
    tables = similarity.reshape(num_tables * num_rows, num_columns)
    run_blocks(
        _assign_block, num_tables, 5 * similarity.size,
        tables, shift, similarity.dtype.type(scale), chosen,
    )  # fmt: skip
    return chosen


def _assign_block(first: int, last: int, tables: np.ndarray, *arguments: Any) -> None:
    num_rows = arguments[-1].shape[1]
    scratch = new_scratch(num_rows, tables.shape[1])
    starts = np.arange(num_rows) * tables.shape[1]
    _assign_kernel(first, last, tables, *arguments, scratch, starts, np.empty(num_rows, np.int64))


@compiled(_nrt=False)
def _assign_kernel(first, last, tables, shift, scale, chosen, scratch, starts, columns):
    cost, key, offset, parent, book = scratch
    num_rows, num_columns = chosen.shape[1], tables.shape[1]
    for b in range(first, last):
        for row in range(num_rows):
            columns[row] = -1
        match_optimally(
            tables, b * num_rows * num_columns, num_columns, 0, num_rows, starts, shift, scale,
            cost, key, offset, parent, book, columns,
        )  # fmt: skip
        for row in range(num_rows):
            chosen[b, row] = columns[row]
