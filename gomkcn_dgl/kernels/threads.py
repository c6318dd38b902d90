"""Threads for compiled functions: blocks of work, each done by one thread."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any

import numba
import numpy as np

_config: Any = numba.config
# what a thread must have to do before it is worth waking
_LEAST_NANOSECONDS = 500_000
# blocks beside each other often cost alike (a graph's hubs come first), so that there are so many
# pieces for each thread, and each thread takes the next one when it is done with the last
_PIECES_PER_THREAD = 16


def run_blocks(
    function: Callable[..., None], num_blocks: int, nanoseconds: float, *arguments: Any
) -> None:
    """Call ``function(first, last, *arguments)`` until all blocks of work are done.

    The function releases Python's lock, and its blocks write to different places. ``nanoseconds``
    is about how long one thread would take: at most ``numba.get_num_threads()`` threads are used,
    and only as many as this keeps busy.
    """
    pieces = min(num_blocks, int(nanoseconds / _LEAST_NANOSECONDS))
    threads = max(1, min(numba.get_num_threads(), pieces))
    if _config.DISABLE_JIT:
        # plain Python holds its lock
        threads = 1
    if threads == 1:
        function(0, num_blocks, *arguments)
        return
    pieces = min(pieces, threads * _PIECES_PER_THREAD)
    bounds = np.arange(pieces + 1) * num_blocks // pieces
    left = iter(range(pieces))

    def work() -> None:
        for piece in left:
            function(bounds[piece], bounds[piece + 1], *arguments)

    others: list[Future[None]] = []
    try:
        # no more threads than the system allows, and none when Python ends; this one does all then
        with contextlib.suppress(RuntimeError):
            for _ in range(threads - 1):
                others.append(_pool().submit(work))
        work()
    finally:
        # after an error, too: what the others have begun writes to the caller's arrays
        for _ in left:
            pass
        errors = [other.exception() for other in others]
    for error in errors:
        if error is not None:
            raise error


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_config.NUMBA_NUM_THREADS, "gomkcn")


if hasattr(os, "register_at_fork"):
    # a process that is forked has none of the threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
