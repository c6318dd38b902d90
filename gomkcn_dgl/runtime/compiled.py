"""Functions compiled by Numba: one set of compiler settings, and machine code kept between runs.

Numba's cache compares the content of a function's file, but not those of the functions that it
calls, so that it would run old code after one of these has changed, by an upgrade as well. The name
under which a function is cached therefore ends with a hash of all files that it may call functions
of: those of its own folder and of ``gomkcn_dgl/kernels``.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core.caching import FunctionCache

_njit: Any = numba.njit
_config: Any = numba.config
_SETTINGS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    # without "nnan" and "ninf", so that NaN and infinity keep their meaning
    "fastmath": {"nsz", "arcp", "contract", "afn", "reassoc"},
}
_KERNELS = Path(__file__).parents[1] / "kernels"


def compiled(**settings: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function at its first call, and cache the machine code where Numba finds a folder.

    Settings of :func:`numba.njit` are added to the shared ones, or take their place.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = _njit(**{**_SETTINGS, **settings})(function)
        if not _config.DISABLE_JIT:
            sources = _hash_sources(Path(function.__code__.co_filename).parent)
            function.__qualname__ += f"_{sources}"
            # without a folder that can be written nothing is kept
            with contextlib.suppress(RuntimeError):
                dispatcher._cache = _Cache(function)
        return dispatcher

    return decorate


class _Cache(FunctionCache):
    """What ``njit(cache=True)`` sets, except that a full disk only leaves the code unsaved."""

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


def subroutine(**settings: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function as a part of the compiled functions that call it; Python cannot call it.

    Without the code that converts Python's arguments, it compiles in half of the time.
    """
    options = {**_SETTINGS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, **settings}
    decorate: Callable[[Callable[..., Any]], Any] = _njit(**options)
    return decorate


@cache
def _hash_sources(folder: Path) -> str:
    digest = hashlib.sha256(f"{np.__version__} {_config.BOUNDSCHECK}".encode())
    for path in sorted({*folder.glob("*.py"), *_KERNELS.glob("*.py"), Path(__file__)}):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
