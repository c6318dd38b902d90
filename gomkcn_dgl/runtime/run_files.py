"""The folder of a run: made before any work, each of its files written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.atomic_files import atomic_file
from gomkcn_dgl.runtime.file_bytes import parse_json, read_file, reason_of
from gomkcn_dgl.runtime.processes import broadcast_object, is_first, was_restarted

Content = str | bytes | Callable[[BinaryIO], None]


def prepare_run_folder(
    folder: str | Path,
    run_files: Iterable[str],
    force: bool,
    *,
    resume: bool = False,
    checkpoint: str | None = None,
) -> Path:
    """Make the folder of a run, before any work is done for it.

    Parameters
    ----------
    folder : path
        Of the run.
    run_files : iterable of str
        What a finished run leaves there.
    force : bool
        Overwrite a run; its checkpoint is removed.
    resume : bool
        Go on with what is there.
    checkpoint : str, optional
        The file or folder from which an unfinished run can go on.

    Raises
    ------
    InputError
        If it cannot be written, or holds one of these files already and neither ``force`` nor
        ``resume`` is set.
    """
    if not str(folder):
        raise InputError("out folder must have a name, got ''.")
    if force and resume:
        raise InputError("resume must not come with --force, which starts anew; give one.")
    folder = Path(folder)
    try:
        _refuse_to_overwrite(folder, run_files, force or resume, checkpoint)
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".write-test"
        probe.write_bytes(b"")
        probe.unlink(missing_ok=True)
        if force and checkpoint is not None:
            _remove(folder / checkpoint)
    except OSError as error:
        raise InputError(
            f"out folder {str(folder)!r} cannot be written ({error.strerror})."
        ) from None
    return folder


def begin_run(
    folder: str | Path,
    run_files: Iterable[str],
    finished: str,
    checkpoint: str,
    *,
    force: bool,
    resume: bool,
) -> bool | None:
    """Make the folder of a run that can be gone on with; of several processes the first one does.

    Processes that torchrun started anew go on with what is there without being asked to.

    Parameters
    ----------
    folder, run_files, checkpoint, force, resume
        As in :func:`prepare_run_folder`.
    finished : str
        The file that says that a run is finished.

    Returns
    -------
    bool or None
        Whether to go on with what is there; None: the run to go on with is finished.

    Raises
    ------
    InputError
        As :func:`prepare_run_folder` does.
    """
    path, is_finished, restarted = Path(folder) / checkpoint, False, was_restarted()
    if is_first():
        if restarted and path.exists():
            force, resume = False, True
        resume = resume or (restarted and not force)
        prepare_run_folder(folder, run_files, force, resume=resume, checkpoint=checkpoint)
        is_finished = resume and not path.exists() and (path.parent / finished).exists()
    return None if broadcast_object(is_finished) else resume


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _refuse_to_overwrite(
    folder: Path, run_files: Iterable[str], allowed: bool, checkpoint: str | None
) -> None:
    if checkpoint is not None and (folder / checkpoint).exists() and not allowed:
        raise InputError(
            f"out folder {str(folder)!r} already holds an unfinished run ({checkpoint}); "
            "go on with --resume, choose another, or overwrite it with --force."
        )
    held = [name for name in run_files if (folder / name).exists()]
    if held and not allowed:
        raise InputError(
            f"out folder {str(folder)!r} already holds a run ({held[0]}); "
            "choose another, or overwrite it with --force."
        )


def write_files(folder: Path, files: Mapping[str, Content], mark: str | None = None) -> None:
    """Write files whole or not at all; they take their places in this order.

    All are written before the first takes its place, so that a full disk leaves what was there.

    Parameters
    ----------
    folder : path
    files : mapping
        Text, bytes, or a function that writes to a binary file, by name.
    mark : str, optional
        The file that says that the others belong together: an old one is removed before any other
        takes its place.

    Raises
    ------
    InputError
        If something cannot be written.
    """
    with contextlib.ExitStack() as stack:
        # what is entered last takes its place first
        for name, content in reversed(list(files.items())):
            path = folder / name
            try:
                path.parent.mkdir(exist_ok=True)
            except OSError as error:
                reason = error.strerror
                raise InputError(f"path {str(path)!r} cannot be written ({reason}).") from None
            file = stack.enter_context(atomic_file(path))
            if callable(content):
                content(file)
            else:
                file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
        if mark is not None:
            (folder / mark).unlink(missing_ok=True)


def to_json(record: Any) -> str:
    """Return a record of plain and NumPy values as JSON."""
    return json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False, default=_plain) + "\n"


def read_json(path: Path) -> Any:
    """Read a JSON file of a run."""
    try:
        return parse_json(read_file(path))
    except FileNotFoundError:
        raise InputError(
            f"run folder {str(path.parent)!r} holds no finished run: {path.name} is missing."
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{str(path)!r} cannot be read ({reason_of(error)}).") from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
