"""A lock on the folder of a run: a second run into it is refused; a killed run releases it."""

from __future__ import annotations

import contextlib
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.atomic_files import remove_leftovers
from gomkcn_dgl.runtime.processes import is_first


@contextlib.contextmanager
def lock_folder(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Make the folder of a run and lock it; of several processes of one run the first one does.

    Temporary files that a killed run left there are removed.
    """
    if not str(folder):
        raise InputError("out folder must have a name, got ''.")
    folder = Path(folder)
    if not is_first():
        yield folder
        return
    path = folder / ".lock"
    lock = FileLock(path, timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
        path.write_text(f"{os.getpid()} on {platform.node()}", encoding="utf-8")
    except Timeout:
        holder = path.read_text(encoding="utf-8", errors="replace")[:256]
        raise InputError(
            f"out folder {str(folder)!r} is in use by process {holder or 'unknown'}; "
            "wait for it, stop it, or choose another folder."
        ) from None
    except OSError as error:
        lock.release()
        raise InputError(
            f"out folder {str(folder)!r} cannot be written ({error.strerror})."
        ) from None
    try:
        remove_leftovers(folder)
        yield folder
    finally:
        # unlinked while it is locked, so no run can lock a file that is about to disappear
        path.unlink(missing_ok=True)
        lock.release()
