"""Files that are mapped into memory: whether they are still what they were when they were opened.

What is cut off a mapped file is gone from memory as well, and a system ends the process that reads
there, with a signal and no word. Here the process says so before it ends.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.errors import GomkcnError, InputError

# size, time of the last change and number of a file
_Stamp = tuple[int, int, int]
# arrays that are mapped, as long as they are there, their files, and what these were when opened
_opened: list[tuple[weakref.ref[np.ndarray], Path, _Stamp]] = []
_CUT = b"gomkcn: a mapped graph folder was cut while it was in use; start again with it whole.\n"
# what the system calls when memory is gone; kept, since the system does not keep it
_handlers: list[Any] = []


def map_array(path: Path) -> np.ndarray:
    """Map a ``.npy`` file, read-only, and remember what it is now."""
    mapped = np.lib.format.open_memmap(path, mode="r")
    _opened[:] = [entry for entry in _opened if entry[0]() is not None]
    stamp = _stamp(path)
    if stamp is not None:
        _opened.append((weakref.ref(mapped), path.resolve(), stamp))
    _say_what_is_cut()
    return np.asarray(mapped)


def check_mapped() -> None:
    """Refuse to go on with arrays whose files have changed since they were opened."""
    for array, path, stamp in _opened:
        now = _stamp(path)
        # another file of the name was put in its place as a whole
        is_other = now is None or now[2] != stamp[2]
        if array() is not None and not is_other and now != stamp:
            raise InputError(
                f"the file {str(path)!r} was changed while it was in use, so that nothing that was "
                "computed of it holds; leave it as it is, and start again."
            )


def _stamp(path: Path) -> _Stamp | None:
    """What tells a file from what it was; None where there is none any more.

    What was removed or replaced as a whole stays in memory as it was.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino


def _say_what_is_cut() -> None:
    """Let this process end in a sentence where a mapped file was cut, in place of a bare signal."""
    # None on Windows, which does not let anybody cut a file that is mapped
    number = getattr(signal, "SIGBUS", None)
    if number is None or _handlers or faulthandler.is_enabled():
        return
    if signal.getsignal(number) is not signal.SIG_DFL:
        return
    import ctypes

    def end(_: int) -> None:
        with contextlib.suppress(OSError):
            os.write(2, _CUT)
        os._exit(GomkcnError.exit_code)

    # Python's own handlers run when a compiled function has returned, and this one never does
    handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(end)
    library = ctypes.CDLL(None)
    library.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
    library.signal.restype = ctypes.c_void_p
    library.signal(int(number), ctypes.cast(handler, ctypes.c_void_p))
    _handlers.append(handler)
