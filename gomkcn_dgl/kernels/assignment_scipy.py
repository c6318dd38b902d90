"""Exact assignment of tables by SciPy, on the CPU wherever the tables are, as an operator."""

from __future__ import annotations

import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from gomkcn_dgl.kernels.operators import define_operator


def match_optimally(table: Tensor, rows: Tensor, anchor_root: bool) -> Tensor:
    """The best matching of every table ``[S, F, N, M]``, int64 ``[S, F, N]``, -1 = unmatched.

    One table after the other (Crouse 2016, in SciPy).
    """
    matching: Tensor = torch.ops.gomkcn.match_tables(table, rows, anchor_root)
    return matching


def _match_tables(table: Tensor, rows: Tensor, anchor_root: bool) -> Tensor:
    out = torch.full(table.shape[:3], -1, dtype=torch.int64)
    pinned = int(anchor_root)
    values = table.detach().cpu().numpy()
    for s, num_rows in enumerate(rows.tolist()):
        for f in range(table.shape[1]):
            if pinned and num_rows:
                out[s, f, 0] = 0
            free = values[s, f, pinned:num_rows, pinned:]
            row, column = linear_sum_assignment(free, maximize=True)
            out[s, f, torch.from_numpy(row) + pinned] = torch.from_numpy(column) + pinned
    return out.to(table.device)


def _fake_match_tables(table: Tensor, rows: Tensor, anchor_root: bool) -> Tensor:
    return table.new_empty(table.shape[:3], dtype=torch.int64)


define_operator(
    "match_tables(Tensor table, Tensor rows, bool anchor_root) -> Tensor",
    _match_tables,
    _fake_match_tables,
)
