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
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
from filelock import BaseFileLock, FileLock, SoftFileLock, Timeout

from gomkcn_dgl.errors import GomkcnError, InputError
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.runtime.files import (
    atomic_file,
    check_output,
    parse_json,
    read_file,
    reason_of,
    remove_leftovers,
)
from gomkcn_dgl.runtime.processes import broadcast_object, is_first, was_restarted
from gomkcn_dgl.runtime.steps import IDENTITY

# what says that a folder is that of a run, of which kind, which of its files are ours, and whether
# it is finished: the last file that is written
RECORD = "run.json"
_FILES, _UNFINISHED = "files", "unfinished"
# of a run that a time limit ended: it is written, and can still go on
_PARTIAL = "partial"
# folder in that of a run: what is kept until the run is finished
PROGRESS = ".progress"
# ends of the names of files in it, beside the one by which it is known
_KEPT = (".zip", ".pt")
Content = str | bytes | Callable[[BinaryIO], None]
_OWNER = "{} on {}"
# the lock where there are none, and what a file system says then
_SOFT = ".lock-file"
_NO_LOCKS = {errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK}
# folders above which git looks for no repository
_GIT_CEILING = "GIT_CEILING_DIRECTORIES"
_LIBRARIES = (
    "torch", "dgl", "networkx", "numba", "numpy", "scipy", "igraph", "scikit-learn", "rdkit",
)  # fmt: skip


@contextlib.contextmanager
def lock_folder(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Make the folder of a run, lock it (the first process does), remove leftovers of others."""
    if not str(folder):
        raise InputError("out", "folder must have a name", got="''")
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
    path = folder / ".lock"
    is_new = not folder.exists()
    for lock_path in (path, path.with_name(_SOFT)):
        _refuse_other_lock(lock_path, out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = _lock(path)
    except Timeout as timeout:
        raise _in_use(out, Path(timeout.lock_file)) from None
    except OSError as error:
        raise InputError(
            "out", f"folder {str(out)!r} cannot be written ({error.strerror})"
        ) from None
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


def _refuse_other_lock(path: Path, out: Path) -> None:
    """Refuse a file, or a link, that has the name of a lock and is none of ours."""
    if path.is_file() and not path.is_symlink():
        with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
            # one that was just made is empty; the other kind has its process in a line of its own
            if re.fullmatch(r"|\d+( on .*|\n.*)", file.read(512), re.DOTALL):
                return
    if os.path.lexists(path):
        raise InputError(
            "out",
            f"folder {str(out)!r} holds {path.name!r}, which is no lock of gomkcn; move it "
            "away, or choose another folder.",
        )


def _in_use(out: Path, path: Path) -> InputError:
    # a file that is the lock has process and machine in its first two lines; it may be gone by now
    text = ""
    with contextlib.suppress(OSError):
        text = path.read_text(encoding="utf-8", errors="replace")[:256]
    lines = text.split("\n")
    holder = _OWNER.format(*lines) if len(lines) > 1 else lines[0]
    way_out = "wait for it, stop it, or choose another folder"
    if path.name == _SOFT:
        way_out = f"wait for it, stop it, or remove {str(path)!r} if it is no more"
    rule = f"folder {str(out)!r} is in use by process {holder or 'unknown'}"
    return InputError("out", rule, way_out=way_out)


def written_files(folder: Path) -> set[str]:
    """The files of a folder that a run wrote, as its record says; none where no run wrote any."""
    files = _record(folder / RECORD).get(_FILES)
    # a record of another program does not name itself
    if not isinstance(files, list) or RECORD not in files:
        return set()
    return {name for name in files if isinstance(name, str) and _is_inside(name)}


def _is_inside(name: str) -> bool:
    """Whether a name that a record holds is one within its folder."""
    path = Path(name)
    return not path.is_absolute() and ".." not in path.parts and path.name != ""


def _record(path: Path) -> dict[str, Any]:
    """A record of a run; empty where there is none, or one that cannot be read."""
    if path.is_symlink():
        return {}
    try:
        record = parse_json(read_file(path))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _is_progress(folder: Path) -> bool:
    """Whether a folder is what a run keeps until it is finished: it says so, or is empty."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    mark = folder / IDENTITY
    return (mark.is_file() and not mark.is_symlink()) or not any(folder.iterdir())


def remove_progress(folder: Path) -> None:
    """Remove what an unfinished run kept in a folder to be resumed; what is not its own stays."""
    if not _is_progress(folder):
        return
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.name == IDENTITY or path.suffix in _KEPT:
                path.unlink()
        folder.rmdir()


def check_run_folder(
    folder: str | Path,
    run_files: Iterable[str],
    *,
    force: bool,
    resume: bool,
    inputs: Iterable[str | Path] = (),
) -> None:
    """Refuse the folder of a run before any work: what we did not write there is never touched.

    ``run_files`` are the names of all files that the run may write, its record first. A folder that
    holds a run needs ``resume``, or ``force``. A file of one of these names that no run wrote, a
    symbolic link, or a file that is one of the ``inputs`` is refused, whatever is given.
    """
    folder = Path(folder)
    names = list(run_files)
    if force and resume:
        rule = ("must not come with ", Argument("force"), ", which starts anew")
        raise InputError("resume", rule, way_out="give one")
    shown = f"folder {str(folder)!r}"
    if (os.path.lexists(folder) and not folder.is_dir()) or not str(folder):
        raise InputError("out", f"{shown} is a file", way_out="choose another name")
    refuse_foreign(folder, names, inputs)
    unfinished = folder / PROGRESS
    if os.path.lexists(unfinished) and not _is_progress(unfinished):
        what = "a symbolic link" if unfinished.is_symlink() else "not of a run of gomkcn"
        raise InputError(
            "out",
            f"{shown} holds {PROGRESS!r}, which is {what}",
            way_out="move it away, or choose another folder",
        )
    existing = [name for name in (PROGRESS, *names) if (folder / name).exists()]
    if existing and not (force or resume):
        is_finished = existing[0] != PROGRESS
        what = "a run" if is_finished else "an unfinished run"
        resumed = ("go on with ", Argument("resume", True), ", ")
        raise InputError(
            "out",
            f"{shown} already holds {what} ({existing[0]})",
            way_out=(
                () if is_finished else resumed,
                "choose another, or overwrite it with ",
                Argument("force", True),
            ),
        )


def check_early(folder: str | Path, run_files: Iterable[str], **given: Any) -> None:
    """Refuse the folder of a run as :func:`check_run_folder` does, before its input is read.

    One that another process writes to is in use, whatever it holds.
    """
    if not Path(folder).is_dir():
        check_run_folder(folder, run_files, **given)
        return
    with lock_folder(folder):
        check_run_folder(folder, run_files, **given)


def refuse_foreign(folder: Path, names: Iterable[str], inputs: Iterable[str | Path] = ()) -> None:
    """Refuse a folder with a file of one of the names that is an input, a link or not of a run."""
    written = written_files(folder)
    shown = f"folder {str(folder)!r}"
    inputs = list(inputs)
    for name in names:
        path = folder / name
        within = (inner for inner in (path, path.parent) if inner != folder)
        for link in (inner for inner in within if inner.is_symlink()):
            raise InputError(
                "out",
                f"{shown} holds the symbolic link {link.name!r}, which is not followed; remove it, "
                "or choose another folder.",
            )
        check_output(path, inputs, force=True)
        if os.path.lexists(path) and name not in written:
            raise InputError(
                "out",
                f"{shown} holds {name!r}, which no run of gomkcn wrote there; move it away, or "
                "choose another folder.",
            )


def begin_run(
    folder: str | Path,
    run_files: Iterable[str],
    *,
    force: bool,
    resume: bool,
) -> Path | None:
    """Make the folder of a run before any work; return where an unfinished run is kept.

    It is refused as by :func:`check_run_folder`; ``force`` removes what an unfinished run kept.
    Processes that torchrun restarted resume without being asked to. None: the run to resume is
    finished, because its record is one of a whole run, and nothing is kept of an unfinished one.
    """
    folder = Path(folder)
    unfinished = folder / PROGRESS
    is_finished = False
    restarted = was_restarted()
    if is_first():
        if restarted and unfinished.exists():
            force = False
            resume = True
        resume = resume or (restarted and not force)
        check_run_folder(folder, run_files, force=force, resume=resume)
        folder.mkdir(parents=True, exist_ok=True)
        if force:
            remove_progress(unfinished)
        record = _record(folder / RECORD)
        is_whole = RECORD in written_files(folder) and not {_UNFINISHED, _PARTIAL} & {
            name for name, value in record.items() if value
        }
        is_finished = resume and not unfinished.exists() and is_whole
    return None if broadcast_object(is_finished) else unfinished


def with_record(files: Mapping[str, Content], record: Mapping[str, Any]) -> dict[str, Content]:
    """The files of a run and, last, its record, which says which files the run wrote."""
    return {**files, RECORD: to_json({**record, _FILES: sorted({*files, RECORD})})}


def write_run_files(folder: Path, files: Mapping[str, Content]) -> None:
    """Write the files of a run, all or none, and remove what an older run had and this one has not.

    Where the record of the run is, all other files are complete: until then it says that the run is
    unfinished, so that files of two runs never look like one.
    """
    old = written_files(folder)
    # somebody may have put a file there since the run began
    refuse_foreign(folder, files)
    marks = {
        name: to_json({_UNFINISHED: True, _FILES: sorted({*old, *files, Path(name).name})})
        for name in {*old, *files}
        if Path(name).name == RECORD
    }
    write_files(folder, files, marks)
    for path in (folder / name for name in old - set(files)):
        if path.parent == folder or not path.parent.is_symlink():
            with contextlib.suppress(OSError):
                path.unlink()
                # a folder in it that is left empty goes, too
                if path.parent != folder:
                    path.parent.rmdir()


def write_files(
    folder: Path, files: Mapping[str, Content], first: Mapping[str, Content] | None = None
) -> None:
    """Write files, given as text, bytes or functions that write to a binary file, all or none.

    All are written under temporary names and then renamed in this order, so that a full disk leaves
    the old files. Those of ``first`` are written before the first rename, and may be replaced then.
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
        if first:
            write_files(folder, first)


def to_json(record: Any) -> str:
    """Return a record of plain and NumPy values as JSON."""
    # Python's JSON lays out lines a value at a time; msgspec leaves numbers and texts as they are
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, default=_plain)
    return msgspec.json.format(text, indent=1) + "\n"


def read_json(path: Path) -> Any:
    """Read a JSON file of a finished run."""
    try:
        record = parse_json(read_file(path))
        if path.name == RECORD and isinstance(record, dict) and _UNFINISHED in record:
            raise FileNotFoundError
        return record
    except FileNotFoundError:
        raise InputError(
            f"run folder {str(path.parent)!r} holds no finished run: {path.name} is missing."
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{str(path)!r} cannot be read ({reason_of(error)}).") from None


@contextlib.contextmanager
def problems_of_run(*folders: str | Path) -> Iterator[None]:
    """Say in one sentence that a file of a run is damaged, where it leads its readers astray.

    What the files must hold is checked when they are read; what they say of each other, and numbers
    that are none of a run, is seen when they are shown.
    """
    try:
        yield
    except GomkcnError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        shown = " or ".join(repr(str(folder)) for folder in dict.fromkeys(map(str, folders)))
        raise InputError(
            f"run folder {shown} holds a damaged file ({type(error).__name__}: {reason_of(error)});"
            " do the run again."
        ) from error


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
    """Commit of the checkout that tracks this module, marked ``-dirty`` when it has changes.

    None for an installed package, also where its environment lies in a repository of the user.
    """
    path = Path(__file__).resolve()
    if not _git(path.parent, "ls-files", path.name):
        return None
    commit = _git(path.parent, "rev-parse", "HEAD")
    changed = _git(path.parent, "status", "-s", "-uno")
    if not commit or changed is None:
        return None
    return commit[:12] + ("-dirty" if changed else "")


def _git(folder: Path, *command: str) -> str | None:
    """What git prints of a repository around a folder; None where it fails, or is not there.

    The repository may be anybody's: none of its programs is run, and nothing is written to it.
    """
    harmless = ("core.fsmonitor=false", f"core.hooksPath={os.devnull}")
    options = [word for setting in harmless for word in ("-c", setting)]
    # of git, those that tell it of another repository or of other settings are left out
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name == _GIT_CEILING
    }
    try:
        answer = subprocess.run(
            ["git", "--no-optional-locks", *options, *command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()


def _processor() -> str:
    """Model name of the processor, from Linux or else from Python."""
    file = Path("/proc/cpuinfo")
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    names = re.findall(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return names[0] if names else platform.processor() or "unknown"
