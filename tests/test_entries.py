"""The compiled check of stored rows beside plain NumPy."""

import numpy as np
import pytest

from gomkcn_dgl.kernels.entries_numba import scan_entries
from gomkcn_dgl.kernels.search_numba import mix64


def scan_plainly(row, column, num_nodes, before, alike):
    """The first wrong entry, and the sum of fingerprints of all."""
    rows, columns = np.append(before[0], row), np.append(before[1], column)
    wrong = (rows[1:] == rows[:-1]) & (columns[1:] <= columns[:-1])
    wrong |= (column < 0) | (column >= num_nodes) | (column == row)
    pair = np.minimum(row, column).astype(np.uint64) << np.uint64(32)
    pair |= np.maximum(row, column).astype(np.uint64)
    for values in alike:
        pair = mix64(pair) + values
    upper, mixed = row < column, mix64(pair)
    total = int(mixed[upper].sum()) - int(mixed[~upper].sum())
    return int(np.argmax(wrong)) if wrong.any() else -1, total % 2**64


@pytest.mark.parametrize("num_alike", [0, 1, 2])
@pytest.mark.parametrize("mistake", [None, -1, 40, "same", "itself"])
def test_pieces_of_rows_are_scanned_as_by_numpy(num_alike, mistake):
    rng = np.random.default_rng(num_alike)
    # rows from node 7 on, some of them empty, and a piece that begins and ends within a row
    rows = [np.sort(rng.choice(40, size, replace=False)) for size in (5, 0, 0, 8, 1, 0, 6, 0)]
    rows = [own[own != 7 + place] for place, own in enumerate(rows)]
    starts = 100 + np.cumsum([0, *map(len, rows)])
    column = np.concatenate(rows).astype(np.int32)
    row = np.repeat(7 + np.arange(len(rows)), np.diff(starts))
    begin, end = 2, len(column) - 2
    before = int(row[begin - 1]), int(column[begin - 1])
    place = next(i for i in range(begin + 3, end) if row[i] == row[i - 1])
    if mistake is not None:
        column[place] = {"same": column[place - 1], "itself": row[place]}.get(mistake, mistake)
    alike = rng.integers(2**63, size=(num_alike, end - begin)).astype(np.uint64)
    own = row[begin:end], column[begin:end]
    expected, total = scan_plainly(*own, 40, before, alike)
    found, last_row, sum_found = scan_entries(7, starts, 100 + begin, own[1], 40, before, alike)
    assert found == expected == (-1 if mistake is None else place - begin)
    assert last_row == own[0][found]
    if mistake is None:
        assert int(sum_found) == total
