"""Peers of the batched assignment: how many threads in, a function from costs ``[B, N, N]`` out.

What the function returns is the peer's own; ``columns`` turns it into int64 ``[B, N]``, untimed.
Costs are float64, which all of them solve fastest or as fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from peers.peer import Peer

Solve = Callable[[np.ndarray], Any]


def _scipy(threads: int) -> Solve:
    from scipy.optimize import linear_sum_assignment

    return lambda cost: [linear_sum_assignment(table)[1] for table in cost]


def _lapx_batch(name: str) -> Callable[[int], Solve]:
    def prepare(threads: int) -> Solve:
        import lap

        solve = getattr(lap, name)
        return lambda cost: solve(cost, return_cost=False, n_threads=threads)[1]

    return prepare


def _lapx_loop(threads: int) -> Solve:
    from lap import lapjv

    return lambda cost: [lapjv(table, return_cost=False)[0] for table in cost]


def _torch_linear_assignment(threads: int) -> Solve:
    import torch
    from torch_linear_assignment import batch_linear_assignment

    # on a CPU it is SciPy's solver in a loop; its call needs a cost without gradient
    return lambda cost: batch_linear_assignment(torch.from_numpy(cost)).numpy()


def columns(answer: Any) -> np.ndarray:
    """The column of each row, int64 ``[B, N]``."""
    return np.asarray(answer, dtype=np.int64)


_LAPX = ("lapx", "lap")
_TORCH = ("torch-linear-assignment", "torch_linear_assignment")
ASSIGNMENT_PEERS = (
    Peer("SciPy linear_sum_assignment, loop", "scipy", "scipy", _scipy),
    Peer("lapx lapjv, loop", *_LAPX, _lapx_loop),
    Peer("lapx lapjvx_batch", *_LAPX, _lapx_batch("lapjvx_batch")),
    Peer("lapx lapjvr_batch", *_LAPX, _lapx_batch("lapjvr_batch")),
    Peer("torch-linear-assignment", *_TORCH, _torch_linear_assignment),
)
