"""Threads for compiled functions: blocks of work, each done by one thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import njit, prange

from gomkcn_dgl.kernels.compiled import PARALLEL_JIT

# what a thread must have to do before it is worth waking
_LEAST_NANOSECONDS = 500_000
# blocks beside each other often cost alike (a graph's hubs come first), so that each thread is
# dealt this many pieces in turn
_PIECES_PER_THREAD = 16


def run_blocks(
    function: Callable[..., None], num_blocks: int, nanoseconds: float, *arguments: Any
) -> None:
    """Call ``function(first, last, *arguments)`` until all blocks of work are done.

    Parameters
    ----------
    function : callable
        A compiled function whose blocks write to different places.
    num_blocks : int
        Blocks there are; each call gets those from ``first`` up to ``last``.
    nanoseconds : float
        About how long one thread would take. At most ``numba.get_num_threads()`` threads are
        used, and only as many as this keeps busy.
    *arguments
        Passed on.
    """
    allowed = numba.get_num_threads()
    pieces = min(num_blocks, int(nanoseconds / _LEAST_NANOSECONDS))
    threads = max(1, min(allowed, pieces))
    if threads == 1:
        function(0, num_blocks, *arguments)
        return
    pieces = min(pieces, threads * _PIECES_PER_THREAD)
    bounds = np.arange(pieces + 1) * num_blocks // pieces
    numba.set_num_threads(threads)
    try:
        _run(function, threads, bounds, arguments)
    finally:
        numba.set_num_threads(allowed)


# a loop of its own: what is compiled as a parallel function takes twice as long to compile, and
# with one thread it is not needed
@njit(**PARALLEL_JIT)
def _run(function: Any, threads: int, bounds: np.ndarray, arguments: tuple[Any, ...]) -> None:
    for thread in prange(threads):
        for piece in range(thread, len(bounds) - 1, threads):
            function(bounds[piece], bounds[piece + 1], *arguments)
