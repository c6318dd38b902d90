"""A lock on the folder of a run: a second run into it is refused, a killed one leaves it free."""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.atomic_files import remove_leftovers
from gomkcn_dgl.runtime.processes import is_first

_LOCK = ".lock"


@contextlib.contextmanager
def lock_folder(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Hold a folder for one run; make it if it is not there.

    The system gives the lock up when the process ends in whatever way. Temporary files that a
    killed run left are removed. Of several processes of one run the first holds it for all.

    Parameters
    ----------
    folder : path
        Of the run.

    Yields
    ------
    Path
        The folder.

    Raises
    ------
    InputError
        If another run holds it, or it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with lock_folder(Path(tempfile.mkdtemp()) / "run") as folder:
    ...     sorted(path.name for path in folder.iterdir())
    ['.lock']
    >>> list(folder.iterdir())
    []
    """
    if not str(folder):
        raise InputError("out folder must have a name, got ''.")
    folder = Path(folder)
    if not is_first():
        yield folder
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = _locked(folder)
    except OSError as error:
        raise InputError(
            f"out folder {str(folder)!r} cannot be written ({error.strerror})."
        ) from None
    try:
        remove_leftovers(folder)
        yield folder
    finally:
        # removed while it is held: whoever opened it before sees in _locked that it is gone
        with contextlib.suppress(OSError):
            (folder / _LOCK).unlink()
        os.close(descriptor)


def _locked(folder: Path) -> int:
    """Open and lock the file of the lock, and note in it who did."""
    path = folder / _LOCK
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_file(path, descriptor):
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"{os.getpid()} on {platform.node()}".encode(), 0)
                return descriptor
        except BlockingIOError:
            holder = os.pread(descriptor, 256, 0).decode(errors="replace")
            os.close(descriptor)
            raise InputError(
                f"out folder {str(folder)!r} is in use by process {holder or 'unknown'}; "
                "wait for it, stop it, or choose another folder."
            ) from None
        except OSError:
            os.close(descriptor)
            raise
        # the one who held it removed it between our two steps
        os.close(descriptor)


def _is_file(path: Path, descriptor: int) -> bool:
    """Whether an open file still has this name."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
