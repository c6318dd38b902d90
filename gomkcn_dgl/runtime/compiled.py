"""Functions compiled by Numba: one set of compiler settings, and machine code kept between runs.

Numba's cache compares the file of a function, but not those of the functions that it calls, so that
it would run old code after one of these has changed. The name under which a function is cached
therefore ends with a hash of all files that it may call functions of: those of its own folder and
of ``gomkcn_dgl/kernels``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

_SETTINGS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    # without "nnan" and "ninf", so that NaN and infinity keep their meaning
    "fastmath": {"nsz", "arcp", "contract", "afn", "reassoc"},
}
_KERNELS = Path(__file__).parents[1] / "kernels"


def compiled(**settings: Any) -> Callable[[F], F]:
    """Compile a function at its first call, and cache the machine code where Numba finds a folder.

    Settings of :func:`numba.njit` are added to the shared ones, or take their place.
    """

    def decorate(function: F) -> F:
        function.__qualname__ += f"_{_hash_sources(Path(function.__code__.co_filename).parent)}"
        options = {**_SETTINGS, **settings}
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:
            # no folder can be written, or the function has no file, as in a shell
            return numba.njit(**options)(function)

    return decorate


def subroutine(**settings: Any) -> Callable[[F], F]:
    """Compile a function as a part of the compiled functions that call it; Python cannot call it.

    Without the code that converts Python's arguments, it compiles in half of the time.
    """
    return numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **{**_SETTINGS, **settings})


@cache
def _hash_sources(folder: Path) -> str:
    digest = hashlib.sha256(np.__version__.encode())
    for path in sorted({*folder.glob("*.py"), *_KERNELS.glob("*.py"), Path(__file__)}):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
