"""Functions compiled by Numba: one set of compiler settings, and a cache of the machine code.

Numba's own cache looks at the file of a function alone, not at those of the functions that it
calls. So the code is kept in a folder whose name says what all of them were, and how Numba was told
to compile.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

F = TypeVar("F", bound=Callable[..., Any])

_config: Any = numba.config
# fastmath by name: the flags "nnan" and "ninf" are left out, so that NaN and infinity keep their
# meaning
_SETTINGS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"nsz", "arcp", "contract", "afn", "reassoc"},
}
_KERNELS = Path(__file__).parent / "kernels"
# what of Numba's environment does not change the code
_NO_MATTER = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEBUG_CACHE"}
# on a disk fuller than this nothing is kept
_LEAST_FREE = 2**26
# code of other sources is removed when it was not used for so long
_OLD_SECONDS = 30 * 24 * 3600.0


def compiled(**settings: Any) -> Callable[[F], F]:
    """Compile a function when it is first called, and keep the machine code for later processes.

    It is kept in ``NUMBA_CACHE_DIR``, else in the user's folder of caches, in a folder
    ``gomkcn_dgl`` that may be removed at any time; where it cannot be written, nothing is kept. The
    function may call functions of its own folder and of ``kernels``.

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
        compile_ = numba.njit(**{**_SETTINGS, **settings})
        folder = _cache_folder(Path(function.__code__.co_filename).parent)
        if folder is not None and not _config.DISABLE_JIT:
            dispatcher = compile_(function)
            if _keeps_code(dispatcher, folder):
                return dispatcher
        return compile_(function)

    return decorate


def _keeps_code(dispatcher: Any, folder: str) -> bool:
    """Let a function keep its code in a folder; return whether it will."""
    before, _config.CACHE_DIR = _config.CACHE_DIR, folder
    try:
        dispatcher.enable_caching()
    except (RuntimeError, OSError):
        # no source, as in a shell
        return False
    finally:
        _config.CACHE_DIR = before
    # if it cannot be written, Numba keeps the code where it does not see what has changed
    if not str(dispatcher.stats.cache_path).startswith(folder):
        return False
    _guard(dispatcher._cache, folder)
    return True


def _guard(kept: Any, folder: str) -> None:
    """Let one process write at a time, and let the job go on where none can."""
    save = kept.save_overload

    def save_overload(*code: Any) -> None:
        with contextlib.suppress(OSError), _locked(folder):
            save(*code)

    kept.save_overload = save_overload


@contextlib.contextmanager
def _locked(folder: str) -> Iterator[None]:
    if fcntl is None:
        yield
        return
    with open(os.path.join(folder, ".lock"), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@cache
def _cache_folder(sources: Path) -> str | None:
    """Where machine code of these sources is kept; None if it is not."""
    root = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    root = os.path.join(root or os.path.expanduser("~/.cache"), "gomkcn_dgl")
    # without a home there is no such place
    if not os.path.isabs(root):
        return None
    try:
        folder = os.path.join(root, _digest(sources))
        os.makedirs(root, exist_ok=True)
        if shutil.disk_usage(root).free < _LEAST_FREE:
            return None
        if not os.path.exists(folder):
            os.makedirs(folder, exist_ok=True)
            _remove_old(root)
        # says that it is in use
        os.utime(folder)
    except OSError:
        return None
    return folder


def _digest(sources: Path) -> str:
    """A name for all that decides the machine code of the functions in a folder."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    # Numba looks at its own version alone
    digest.update(f"{numba.__version__} {np.__version__}\n".encode())
    for folder in sorted({sources, _KERNELS}):
        for path in sorted(folder.glob("*.py")):
            digest.update(path.read_bytes())
    for name, value in sorted(os.environ.items()):
        if name.startswith("NUMBA_") and name not in _NO_MATTER:
            digest.update(f"{name}={value}\n".encode(errors="replace"))
    return digest.hexdigest()[:16]


def _remove_old(root: str) -> None:
    for path in Path(root).iterdir():
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _OLD_SECONDS:
                shutil.rmtree(path)
