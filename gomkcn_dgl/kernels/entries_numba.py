"""The check of the entries of stored rows, compiled: their range, their order, both directions."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.search_numba import finalize
from gomkcn_dgl.runtime.compiled import compiled


@compiled()
def scan_entries(first, starts, begin, columns, num_nodes, before, alike):
    """Look at the entries from ``begin`` on, of rows from ``first`` on that begin at ``starts``.

    ``before`` is the row and the column of the entry before. Returns the position in ``columns`` of
    the first entry that is out of range or order, or -1, its row or the last one, and the sum of
    fingerprints. That of an entry depends on both nodes and on ``alike [A, M]``; it is positive
    above the diagonal and negative below, so that the two directions of an edge cancel.
    """
    total = np.uint64(0)
    last_row, last_column = np.int64(before[0]), np.int64(before[1])
    place = np.searchsorted(starts, begin, side="right") - 1
    for i in range(len(columns)):
        while starts[place + 1] <= begin + i:
            place += 1
        row, column = np.int64(first + place), np.int64(columns[i])
        is_inside = 0 <= column < num_nodes and column != row
        if not is_inside or (row == last_row and column <= last_column):
            return i, row, total
        pair = (np.uint64(min(row, column)) << np.uint64(32)) | np.uint64(max(row, column))
        for number in range(alike.shape[0]):
            pair = finalize(pair) + alike[number, i]
        if row < column:
            total += finalize(pair)
        else:
            total -= finalize(pair)
        last_row, last_column = row, column
    return -1, last_row, total
