"""Functions compiled by Numba: one set of compiler settings, and a cache of the machine code.

Numba's own cache looks at the file of a function alone, not at those of the functions that it
calls. So the code is kept in a folder whose name says what all of them were.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba

_config: Any = numba.config

F = TypeVar("F", bound=Callable[..., Any])

# fastmath by name: the flags "nnan" and "ninf" are left out, so that NaN and infinity keep their
# meaning
_SETTINGS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"nsz", "arcp", "contract", "afn", "reassoc"},
}
_KERNELS = Path(__file__).parent / "kernels"
# on a disk fuller than this nothing is kept
_LEAST_FREE = 2**26


def compiled(**settings: Any) -> Callable[[F], F]:
    """Compile a function when it is first called, and keep the machine code for later processes.

    It is kept in ``NUMBA_CACHE_DIR``, else in the user's folder of caches; where neither can be
    written, nothing is kept. May call functions of its own folder and of ``kernels``.

    Parameters
    ----------
    **settings
        Of :func:`numba.njit`, in addition to or in place of the shared ones.

    Examples
    --------
    >>> @compiled()
    ... def double(x):
    ...     return 2 * x
    >>> double(4)
    8
    """

    def decorate(function: F) -> F:
        dispatcher = numba.njit(**{**_SETTINGS, **settings})(function)
        folder = _cache_folder(Path(function.__code__.co_filename).parent)
        if folder is not None and not _config.DISABLE_JIT:
            before, _config.CACHE_DIR = _config.CACHE_DIR, folder
            try:
                dispatcher.enable_caching()
            except (RuntimeError, OSError):
                # no source, as in a shell
                pass
            finally:
                _config.CACHE_DIR = before
        return dispatcher

    return decorate


@cache
def _cache_folder(sources: Path) -> str | None:
    """Where machine code of these sources is kept; None if it is not."""
    root = os.environ.get("NUMBA_CACHE_DIR")
    if not root:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        root = os.path.join(home, "gomkcn_dgl")
    digest = hashlib.sha256()
    try:
        for folder in sorted({sources, _KERNELS}):
            for path in sorted(folder.glob("*.py")):
                digest.update(path.read_bytes())
        os.makedirs(root, exist_ok=True)
        if not os.access(root, os.W_OK) or shutil.disk_usage(root).free < _LEAST_FREE:
            return None
    except OSError:
        return None
    return os.path.join(root, digest.hexdigest()[:16])
