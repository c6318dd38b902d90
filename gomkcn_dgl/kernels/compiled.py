"""The one set of compiler settings that every Numba function of this package shares."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numba

# fastmath by name: the flags "nnan" and "ninf" are left out, so that NaN and infinity keep their
# meaning. `cache=True` is left out on purpose: with `parallel=True` it breaks when the number of
# threads changes.
JIT: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"nsz", "arcp", "contract", "afn", "reassoc"},
}
# a parallel function, whose iterations are independent, so that results do not depend on threads
PARALLEL_JIT: dict[str, Any] = {**JIT, "parallel": True}

# operations below which a second thread costs more time to wake than it saves
_WORK_PER_THREAD = 2_000_000


@contextlib.contextmanager
def threads_for(work: int) -> Iterator[None]:
    """Use only as many of the allowed threads as ``work``, a count of operations, can keep busy."""
    allowed = numba.get_num_threads()
    numba.set_num_threads(max(1, min(allowed, work // _WORK_PER_THREAD)))
    try:
        yield
    finally:
        numba.set_num_threads(allowed)
