"""Files that are written whole or not at all, whatever ends the program or fills the disk."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gomkcn_dgl.errors import InputError


def atomic_write(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write a file whole or not at all: a killed program leaves the previous one.

    Parameters
    ----------
    path : path
        The file, in a folder that exists.
    data : str or bytes
        What it shall hold; text is written in UTF-8.

    Raises
    ------
    InputError
        If the folder is missing, cannot be written or is full.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "answer.txt"
    >>> atomic_write(path, "42")
    >>> path.read_text()
    '42'
    """
    with atomic_file(path) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of ``path`` when the block ends well.

    Content and name reach the disk in this order, so that a crash of the machine, too, shows the
    old file or the new one. A block that fails leaves the old one and nothing beside it; a process
    that is killed can leave a hidden ``.tmp`` file, see :func:`remove_leftovers`.

    Parameters
    ----------
    path : path
        The file, in a folder that exists.

    Yields
    ------
    binary file
        To write to.

    Raises
    ------
    InputError
        If the folder is missing, cannot be written or is full.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "answer.txt"
    >>> with atomic_file(path) as file:
    ...     done = file.write(b"4"), file.write(b"2"), path.exists()
    >>> done, path.read_text()
    ((1, 1, False), '42')
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"path must lie in a folder that exists, got {str(path)!r}.")
    # a rename would put a file in the place of a pipe or a device such as /dev/null
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InputError(f"path must be that of a file, got {str(path)!r}, a pipe or a device.")
    # the same folder, so that the rename stays within one file system
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        sync_folder(path.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"path {str(path)!r} cannot be written ({reason}).") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def remove_leftovers(folder: str | os.PathLike[str]) -> None:
    """Remove what killed processes were writing in a folder of ours and in the folders in it."""
    for place in ("", "*/"):
        for leftover in Path(folder).glob(f"{place}.*.{'[0-9a-f]' * 8}.tmp"):
            with contextlib.suppress(OSError):
                leftover.unlink()


def sync_folder(folder: Path) -> None:
    """Let the names in a folder reach the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
