"""Files that are mapped into memory: whether they are still what they were when they were opened.

A file that is shorter than its header says is refused when it is opened. What is cut off a file
later is gone from memory as well, and the system ends a process that reads there: leave the files
of a graph as they are while it is in use.
"""

from __future__ import annotations

import weakref
from pathlib import Path

import numpy as np

from gomkcn_dgl.errors import InputError

# size, time of the last change and number of a file
_Stamp = tuple[int, int, int]
# arrays that are mapped, as long as they are there, their files, and what these were when opened
_opened: list[tuple[weakref.ref[np.ndarray], Path, _Stamp]] = []


def map_array(path: Path) -> np.ndarray:
    """Map a ``.npy`` file, read-only, and remember what it is now."""
    mapped = np.lib.format.open_memmap(path, mode="r")
    _opened[:] = [entry for entry in _opened if entry[0]() is not None]
    stamp = _stamp(path)
    if stamp is not None:
        _opened.append((weakref.ref(mapped), path.resolve(), stamp))
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
