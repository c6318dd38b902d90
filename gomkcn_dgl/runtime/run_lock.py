"""A lock on the folder of a run: a second run into it is refused; a killed run releases it.

Where the file system has no locks, as where objects are stored, a file that is there is the lock:
another process of the same machine sees that a killed run has left it, one of another machine
does not.
"""

from __future__ import annotations

import contextlib
import errno
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from filelock import BaseFileLock, FileLock, SoftFileLock, Timeout

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import remove_leftovers
from gomkcn_dgl.runtime.processes import is_first

_OWNER = "{} on {}"
# the lock where there are none, and what a file system says then
_SOFT = ".lock-file"
_NO_LOCKS = {errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK}


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
    with lock_alone(folder, folder):
        remove_leftovers(folder)
        yield folder


@contextlib.contextmanager
def lock_alone(folder: Path, out: Path) -> Iterator[None]:
    """Make a folder and lock it against every other process; ``out`` is its name in messages.

    A folder that was not there before and is left empty is removed.
    """
    path, is_new = folder / ".lock", not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = _lock(path)
    except Timeout as timeout:
        raise InputError(_in_use(out, Path(timeout.lock_file))) from None
    except OSError as error:
        raise InputError(f"out folder {str(out)!r} cannot be written ({error.strerror}).") from None
    try:
        yield
    finally:
        # unlinked while it is locked, so no run can lock a file that is about to disappear
        path.unlink(missing_ok=True)
        lock.release()
        if is_new:
            # one that holds anything stays
            with contextlib.suppress(OSError):
                folder.rmdir()


def _lock(path: Path) -> BaseFileLock:
    """Lock a file, or make one that is the lock; raises Timeout if another process has it."""
    lock: BaseFileLock = FileLock(path, timeout=0, fallback_to_soft=False)
    try:
        lock.acquire()
        path.write_text(_OWNER.format(os.getpid(), platform.node()), encoding="utf-8")
        return lock
    except OSError as error:
        lock.release()
        if error.errno not in _NO_LOCKS:
            raise
    path.unlink(missing_ok=True)
    lock = SoftFileLock(path.with_name(_SOFT), timeout=0)
    lock.acquire()
    return lock


def _in_use(out: Path, path: Path) -> str:
    # a file that is the lock has process and machine in its first two lines; it may be gone by now
    text = ""
    with contextlib.suppress(OSError):
        text = path.read_text(encoding="utf-8", errors="replace")[:256]
    lines = text.split("\n")
    holder = _OWNER.format(*lines) if len(lines) > 1 else lines[0]
    way_out = "wait for it, stop it, or choose another folder."
    if path.name == _SOFT:
        way_out = f"wait for it, stop it, or remove {str(path)!r} if it is no more."
    return f"out folder {str(out)!r} is in use by process {holder or 'unknown'}; {way_out}"
