"""The folder that a run is written to: locked, prepared before any work, its files whole or not.

A second run into a folder is refused, and a killed run releases it. Where the file system has no
locks, as where objects are stored, a file that is there is the lock: another process of the same
machine sees that a killed run has left it, one of another machine does not.
"""

from __future__ import annotations

import contextlib
import errno
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from filelock import BaseFileLock, FileLock, SoftFileLock, Timeout

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import (
    atomic_file,
    parse_json,
    read_file,
    reason_of,
    remove_leftovers,
)
from gomkcn_dgl.runtime.processes import broadcast_object, is_first, was_restarted

# files by which runs are known, and their commands; the first two have a run.json too
_KINDS = {"patterns.json": "mine", "filters.json": "filters", "metrics.json": "train"}
_FINISHED = "run.json"
# folder in that of a run of mine or of filters: what is kept until the run is finished
PROGRESS = ".progress"
Content = str | bytes | Callable[[BinaryIO], None]
_OWNER = "{} on {}"
# the lock where there are none, and what a file system says then
_SOFT = ".lock-file"
_NO_LOCKS = {errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK}
_LIBRARIES = ("torch", "dgl", "networkx", "numba", "numpy", "scipy", "igraph", "scikit-learn")


@contextlib.contextmanager
def lock_folder(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Make the folder of a run, lock it (the first process does), remove leftovers of others."""
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
    """Make a folder and lock it against every other process; left empty, a new one is removed."""
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


def remove_progress(folder: Path) -> None:
    """Remove what an unfinished run of mine or of filters needs to be resumed."""
    shutil.rmtree(folder / PROGRESS, ignore_errors=True)


def begin_run(
    folder: str | Path,
    run_files: Iterable[str],
    finished: str,
    progress: str,
    *,
    force: bool,
    resume: bool,
) -> Path | None:
    """Make the folder of a run before any work; return where an unfinished run is kept.

    A folder that holds one of ``run_files`` (the results of a finished run) or the folder
    ``progress`` (of an unfinished one) needs ``resume``, or ``force``, which removes the latter.
    Processes that torchrun restarted resume without being asked to. None: the run to resume is
    finished, because there is the file ``finished`` and no ``progress``.
    """
    folder = Path(folder)
    unfinished, is_finished, restarted = folder / progress, False, was_restarted()
    if is_first():
        if restarted and unfinished.exists():
            force, resume = False, True
        resume = resume or (restarted and not force)
        if force and resume:
            raise InputError("resume must not come with --force, which starts anew; give one.")
        existing = [name for name in (progress, *run_files) if (folder / name).exists()]
        if existing and not (force or resume):
            is_finished = existing[0] != progress
            what = "a run" if is_finished else "an unfinished run"
            way_out = "choose another" if is_finished else "go on with --resume, choose another"
            raise InputError(
                f"out folder {str(folder)!r} already holds {what} ({existing[0]}); "
                f"{way_out}, or overwrite it with --force."
            )
        folder.mkdir(parents=True, exist_ok=True)
        if force:
            shutil.rmtree(unfinished, ignore_errors=True)
        is_finished = resume and not unfinished.exists() and (folder / finished).exists()
    return None if broadcast_object(is_finished) else unfinished


def write_files(folder: Path, files: Mapping[str, Content], mark: str | None = None) -> None:
    """Write files, given as text, bytes or functions that write to a binary file, all or none.

    All are written under temporary names and then renamed in this order, so that a full disk leaves
    the old files. ``mark`` names the file by which a run is known to be finished: an old one is
    removed before the first rename, so that files of two runs never look like one.
    """
    with contextlib.ExitStack() as stack:
        # the stack closes in reverse order, so the first file is renamed first
        for name, content in reversed(list(files.items())):
            path = folder / name
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
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
    """Read a JSON file of a finished run."""
    try:
        return parse_json(read_file(path))
    except FileNotFoundError:
        there = [
            command
            for name, command in _KINDS.items()
            if name != path.name
            and (path.parent / name).exists()
            and not (path.name == _FINISHED and name != "metrics.json")
        ]
        if there and path.name in (_FINISHED, *_KINDS):
            raise InputError(
                f"run folder {str(path.parent)!r} holds a run of gomkcn {there[0]}, and another "
                f"kind is needed here: {path.name} is missing."
            ) from None
        raise InputError(
            f"run folder {str(path.parent)!r} holds no finished run: {path.name} is missing."
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{str(path)!r} cannot be read ({reason_of(error)}).") from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def describe_provenance(seed: int, seconds: float, device: str = "cpu") -> dict[str, Any]:
    """Describe how a result was just computed: seed, duration, versions, machine; for JSON."""
    return {
        "version": importlib.metadata.version("gomkcn-dgl"),
        "commit": _commit(),
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "seed": seed,
        "seconds": round(seconds, 3),
        "device": device,
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
        },
        "libraries": _installed(),
    }


def _installed() -> dict[str, str]:
    """Versions of the libraries that results may depend on, of those that are installed."""
    found = {}
    for name in _LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def _commit() -> str | None:
    """Commit of the checkout that this package lies in, marked ``-dirty`` when it has changes."""
    try:
        answer = subprocess.run(
            ["git", "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None


def _processor() -> str:
    """Model name of the processor, from Linux or else from Python."""
    file = Path("/proc/cpuinfo")
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    names = re.findall(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return names[0] if names else platform.processor() or "unknown"
