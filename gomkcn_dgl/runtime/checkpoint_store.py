"""A long job as named tasks: the result of each task is kept, so that a killed job can go on.

A result is a file of arrays in a folder, written whole or not at all. A job that is started again
with the same folder computes only what is missing, and several processes share one folder. Without
a folder, a single process keeps the results in memory.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.atomic_files import atomic_file, atomic_write
from gomkcn_dgl.runtime.checkpoint import check_identity
from gomkcn_dgl.runtime.file_bytes import parse_json, read_file, reason_of
from gomkcn_dgl.runtime.interrupts import TIME_LIMIT, Interrupts, RunInterruptedError
from gomkcn_dgl.runtime.job_progress import JobProgress
from gomkcn_dgl.runtime.processes import (
    broadcast_object,
    gather_objects,
    is_first,
    single_process,
    take_turns,
    world_size,
)

Arrays = Mapping[str, np.ndarray]

_IDENTITY = "identity.json"
# results computed after the time limit, from incomplete input
_PARTIAL = "partial-"


class CheckpointStore:
    """The results of a job's tasks, by name: in a folder, or in memory without one.

    ``interrupts`` are the signals and the time limit of the job, ``progress`` its bar, which moves
    with the tasks.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        interrupts: Interrupts | None = None,
        progress: JobProgress | None = None,
    ) -> None:
        self.folder = None if folder is None else Path(folder)
        self.interrupts = interrupts
        self.progress = JobProgress() if progress is None else progress
        self.time_is_up = False
        # whether what is computed after the time limit is as good as what was computed before
        self.is_complete = False
        self._in_memory: dict[str, Arrays] = {}
        # written with the first result, so that a job that is refused at once leaves nothing
        self._identity: dict[str, Any] | None = None

    def identify(self, identity: Mapping[str, Any]) -> None:
        """Note the settings and data that decide the results; refuse a folder of another job."""
        if self.folder is None or not is_first():
            return
        path = self.folder / _IDENTITY
        self._identity = json.loads(json.dumps(identity, default=str))
        if path.exists():
            try:
                saved = parse_json(read_file(path))
            except (OSError, ValueError) as error:
                raise InputError(
                    f"result {str(path)!r} cannot be read ({reason_of(error)}); "
                    "start anew with --force."
                ) from None
            check_identity(path, saved if isinstance(saved, dict) else {}, self._identity or {})
        for partial_result in self.folder.glob(f"{_PARTIAL}*"):
            partial_result.unlink()

    def take(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """Return the result of a task; compute and keep it if it is not there."""
        result = self._read(name)
        if result is None:
            result = dict(make())
            self._keep(name, result)
        return result

    def take_together(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """The same for a task that all processes compute together; the first one keeps it."""
        if broadcast_object(self.has(name)):
            return self._result(name)
        result = make()
        if is_first():
            self._keep(name, result)
        return result

    def take_once(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """The same for a task that the first process computes for all."""
        return broadcast_object(dict(self.take(name, make)) if is_first() else {})

    def share(self, makers: Mapping[str, Callable[[], Arrays]]) -> list[Arrays]:
        """Compute independent tasks, given by name, by all processes; return the results in time.

        Of W processes, process r computes every W-th task, beginning with task r, and then what
        the others have not begun.
        """
        return self._share(makers, to_the_end=False)

    def do_all(
        self, name: str, numbers: Iterable[int], do: Callable[[int], Arrays]
    ) -> list[Arrays]:
        """The same for the tasks ``do(i)`` of some numbers."""
        return self.share({f"{name}-{i}": partial(do, i) for i in numbers})

    def finish(self, makers: Mapping[str, Callable[[], Arrays]]) -> list[Arrays]:
        """The same for tasks that are all done, even after the time limit."""
        return self._share(makers, to_the_end=True)

    def _share(self, makers: Mapping[str, Callable[[], Arrays]], to_the_end: bool) -> list[Arrays]:
        names = list(makers)
        # the others do and find about as much
        done = found = 0.0
        for number in take_turns(len(names)):
            if self.is_over() and not to_the_end:
                break
            if self.has(names[number]):
                found += world_size() / len(names)
            else:
                with single_process():
                    self.take(names[number], makers[names[number]])
                done += world_size() / len(names)
            self.progress.move(done, found)
        self.wait()
        all_are_there = to_the_end or not self.time_is_up
        return [self._result(name) for name in names if all_are_there or self.has(name)]

    def has(self, name: str) -> bool:
        """Whether any process has computed this task."""
        return name in self._in_memory or any(path.exists() for path in self._paths(name))

    def drop(self, name: str) -> None:
        """Forget a result in memory."""
        self._in_memory.pop(name, None)

    def is_over(self) -> bool:
        """Whether the time limit is reached; a signal raises :class:`RunInterruptedError`."""
        reason = "" if self.interrupts is None else self.interrupts.reason
        if reason and reason != TIME_LIMIT:
            raise RunInterruptedError(reason, "between two tasks")
        self.time_is_up = self.time_is_up or bool(reason)
        return self.time_is_up

    def agree_is_over(self) -> bool:
        """Whether the time limit is reached by any process; all must ask at the same point."""
        self.is_over()
        self.wait()
        return self.time_is_up

    def within(self, name: str) -> CheckpointStore:
        """A store of its own for a part of the job, in a folder below this one.

        Its results follow from the input of the job alone, and are kept after the time limit, too.
        """
        if self.folder is None:
            return CheckpointStore(None, self.interrupts, self.progress)
        self._write_identity(self.folder)
        part = CheckpointStore(self.folder / name, self.interrupts, self.progress)
        part.is_complete = True
        return part

    def _write_identity(self, folder: Path) -> None:
        if self._identity is not None:
            folder.mkdir(parents=True, exist_ok=True)
            atomic_write(folder / _IDENTITY, json.dumps(self._identity))
            self._identity = None

    def wait(self) -> None:
        """Wait for all processes; a time limit reached by one holds for all."""
        self.time_is_up = any(gather_objects(self.time_is_up))

    def _paths(self, name: str) -> list[Path]:
        """Files that may hold a result, in order of preference."""
        if self.folder is None:
            return []
        is_partial = self.time_is_up and not self.is_complete
        names = [f"{_PARTIAL}{name}", name] if is_partial else [name]
        return [self.folder / f"{each}.npz" for each in names]

    def _read(self, name: str) -> Arrays | None:
        if name in self._in_memory:
            return self._in_memory[name]
        for path in self._paths(name):
            try:
                with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
                    return dict(arrays)
            except FileNotFoundError:
                continue
            except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
                raise InputError(
                    f"result {str(path)!r} cannot be read ({type(error).__name__}); "
                    "start anew with --force."
                ) from None
        return None

    def _result(self, name: str) -> Arrays:
        """The result of a task that some process has computed."""
        result = self._read(name)
        if result is None:
            raise InputError(
                f"result {name!r} of another process is not in the folder {str(self.folder)!r}; "
                "all processes must see one folder. Go on with --resume where they do."
            )
        return result

    def _keep(self, name: str, arrays: Arrays) -> None:
        if self.folder is None:
            self._in_memory[name] = arrays
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_identity(self.folder)
        with atomic_file(self._paths(name)[0]) as file:
            np.savez(file, allow_pickle=False, **arrays)

    def __enter__(self) -> CheckpointStore:
        return self

    def __exit__(self, *error: object) -> None:
        self._in_memory.clear()


@contextlib.contextmanager
def shared_store(store: CheckpointStore | None) -> Iterator[CheckpointStore]:
    """Yield a store that all processes see: the given one, or a temporary one."""
    if world_size() == 1:
        yield CheckpointStore() if store is None else store
    elif store is not None and store.folder is not None:
        yield store
    else:
        folder = broadcast_object(tempfile.mkdtemp(prefix="gomkcn-") if is_first() else "")
        try:
            shared = CheckpointStore(folder)
            if store is not None:
                shared.interrupts, shared.progress = store.interrupts, store.progress
            yield shared
            shared.wait()
        finally:
            if is_first():
                shutil.rmtree(folder, ignore_errors=True)
