"""A long job as named steps: what a step gave is kept, so that a job that was ended goes on.

Each step is a file of arrays in a folder, written whole or not at all. A job that is started again
with the same folder finds them and computes what is missing; several processes with the same folder
see each other's. Without a folder the steps of one process are kept in memory.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.atomic_files import atomic_file, atomic_write
from gomkcn_dgl.runtime.checkpoint import check_identity
from gomkcn_dgl.runtime.interrupts import TIME_LIMIT, Interrupts, RunInterruptedError
from gomkcn_dgl.runtime.processes import (
    barrier,
    broadcast_object,
    gather_objects,
    is_first,
    single_process,
    turns,
    world_size,
)

Arrays = Mapping[str, np.ndarray]

_IDENTITY = "identity.json"
# of steps that were made when time was up, from what there was
_PARTIAL = "partial-"


class CheckpointStore:
    """What a job has done so far, kept in a folder.

    Parameters
    ----------
    folder : path, optional
        Where they are kept; None: in memory.
    interrupts : Interrupts, optional
        Signals and time limit of the job.

    Examples
    --------
    >>> steps = CheckpointStore()
    >>> steps.take("square", lambda: {"value": np.array([4])})["value"].tolist()
    [4]
    >>> steps.take("square", lambda: {"value": np.array([9])})["value"].tolist()
    [4]
    """

    def __init__(
        self, folder: str | Path | None = None, interrupts: Interrupts | None = None
    ) -> None:
        self.folder = None if folder is None else Path(folder)
        self.interrupts = interrupts
        self.time_is_up = False
        self._kept: dict[str, Arrays] = {}
        # written with the first step: a job that was refused leaves nothing
        self._identity: dict[str, Any] | None = None

    def identify(self, identity: Mapping[str, Any]) -> None:
        """Say what decides the result; steps of a job with another identity are refused.

        Raises
        ------
        InputError
            If the folder holds steps of other settings or other data.
        """
        if self.folder is None or not is_first():
            return
        path = self.folder / _IDENTITY
        here = json.loads(json.dumps(identity, default=str))
        if path.exists():
            check_identity(path, json.loads(path.read_text(encoding="utf-8")), here)
        self._identity = here
        # what was made of too few parts when time was up
        for partial_step in self.folder.glob(f"{_PARTIAL}*"):
            partial_step.unlink()

    def take(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """Return what the step gave, or make and keep it."""
        kept = self._find(name)
        if kept is None:
            kept = dict(make())
            self._keep(name, kept)
        return kept

    def take_together(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """The same for a step that all processes make together: the first one keeps it."""
        if broadcast_object(self.has(name)):
            return self.take(name, make)
        made = make()
        if is_first():
            self._keep(name, made)
        return made

    def take_once(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """The same for a step that the first process makes for all."""
        return broadcast_object(dict(self.take(name, make)) if is_first() else {})

    def share(
        self,
        makers: Mapping[str, Callable[[], Arrays]],
        least: int = 0,
        on_step: Callable[[], object] = lambda: None,
    ) -> None:
        """Make steps, shared by all processes: each takes the next one when it is done with one.

        Parameters
        ----------
        makers : mapping of str to callable
            What makes each step, by name, in the order in which they are begun.
        least : int
            So many are made even when time is up.
        on_step : callable
            Called after each turn of this process.
        """
        names = list(makers)
        for turn in turns(len(names)):
            if self.is_over() and turn >= least:
                break
            if not self.has(names[turn]):
                with single_process():
                    self.take(names[turn], makers[names[turn]])
            on_step()
        self.wait()

    def do_all(
        self,
        name: str,
        number: int,
        do: Callable[[int], Arrays],
        on_step: Callable[[], object] = lambda: None,
    ) -> list[Arrays]:
        """Do something so many times, shared by all processes; return what was done in time."""
        makers = {f"{name}-{i}": partial(do, i) for i in range(number)}
        self.share(makers, on_step=on_step)
        return [self.take(each, dict) for each in makers if self.has(each)]

    def has(self, name: str) -> bool:
        """Whether the step was done, by whichever process."""
        return name in self._kept or any(path.exists() for path in self._paths(name))

    def drop(self, name: str) -> None:
        """Forget a step that is kept in memory."""
        self._kept.pop(name, None)

    def is_over(self) -> bool:
        """Whether time is up.

        Raises
        ------
        RunInterruptedError
            If a signal asked to stop and the job can be gone on with.
        """
        if self.interrupts is None:
            return False
        reason = self.interrupts.reason
        if reason and reason != TIME_LIMIT:
            raise RunInterruptedError(reason, "between two steps")
        self.time_is_up = self.time_is_up or reason == TIME_LIMIT
        return self.time_is_up

    def wait(self) -> None:
        """Wait for all processes; time that is up for one is up for all."""
        self.time_is_up = any(gather_objects(self.time_is_up))

    def _paths(self, name: str) -> list[Path]:
        """Where a step is kept, the best first."""
        if self.folder is None:
            return []
        names = [f"{_PARTIAL}{name}", name] if self.time_is_up else [name]
        return [self.folder / f"{each}.npz" for each in names]

    def _find(self, name: str) -> Arrays | None:
        if name in self._kept:
            return self._kept[name]
        for path in self._paths(name):
            try:
                with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
                    return dict(arrays)
            except FileNotFoundError:
                continue
            except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
                raise InputError(
                    f"step {str(path)!r} cannot be read ({type(error).__name__}); "
                    "start anew with --force."
                ) from None
        return None

    def _keep(self, name: str, arrays: Arrays) -> None:
        if self.folder is None:
            self._kept[name] = arrays
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._identity is not None:
            atomic_write(self.folder / _IDENTITY, json.dumps(self._identity))
            self._identity = None
        with atomic_file(self._paths(name)[0]) as file:
            np.savez(file, allow_pickle=False, **arrays)

    def __enter__(self) -> CheckpointStore:
        return self

    def __exit__(self, *error: object) -> None:
        self._kept.clear()


@contextlib.contextmanager
def shared_store(steps: CheckpointStore | None) -> Iterator[CheckpointStore]:
    """A store that all processes see: the given one, or a temporary one."""
    if steps is not None and (steps.folder is not None or world_size() == 1):
        yield steps
        return
    if world_size() == 1:
        with CheckpointStore() as own:
            yield own
        return
    folder = broadcast_object(tempfile.mkdtemp(prefix="gomkcn-") if is_first() else "")
    try:
        yield CheckpointStore(folder, None if steps is None else steps.interrupts)
        barrier()
    finally:
        if is_first():
            shutil.rmtree(folder, ignore_errors=True)
