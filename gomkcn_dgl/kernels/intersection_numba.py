"""Sums of minima of rows of counts, compiled."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.kernels.threads import run_blocks
from gomkcn_dgl.runtime.compiled import compiled


def intersect_rows(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Add up the minima of int32 counts ``[G, P]`` and ``[H, P]``: int64 ``[G, H]``."""
    total = np.empty((len(rows), len(columns)), np.int64)
    nanoseconds = 0.3 * total.size * rows.shape[1]
    run_blocks(_intersect, len(rows), nanoseconds, rows, columns, total)
    return total


@compiled()
def _intersect(first, last, rows, columns, total):
    for g in range(first, last):
        for h in range(len(columns)):
            shared = np.int64(0)
            for p in range(rows.shape[1]):
                shared += min(rows[g, p], columns[h, p])
            total[g, h] = shared
