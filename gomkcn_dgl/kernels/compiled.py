"""The one set of compiler settings that every Numba function of this package shares."""

from __future__ import annotations

from typing import Any

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
