"""Files that are written whole or not at all, even when the program is killed or the disk fills."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gomkcn_dgl.errors import InputError


def atomic_write(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write a file whole or not at all; text is written in UTF-8."""
    with atomic_file(path) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces ``path`` when the block ends without an error.

    The content reaches the disk before the name does, so a crash of the machine leaves the old file
    or the new one. A killed process can leave a hidden ``.tmp`` file: :func:`remove_leftovers`.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"path must lie in a folder that exists, got {str(path)!r}.")
    # renaming would replace a pipe or a device such as /dev/null by a file
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InputError(f"path must be that of a file, got {str(path)!r}, a pipe or a device.")
    # a rename is atomic within one file system only, so the temporary file is in the same folder
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


def remove_leftovers(folder: Path) -> None:
    """Remove the temporary files of killed processes from a folder and its subfolders."""
    for subfolders in ("", "*/"):
        for leftover in folder.glob(f"{subfolders}.*.{'[0-9a-f]' * 8}.tmp"):
            with contextlib.suppress(OSError):
                leftover.unlink()


def sync_folder(folder: Path) -> None:
    """Write the file names of a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
