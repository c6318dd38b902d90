"""A long job as named steps: the result of each is kept, so that a killed job can go on.

A result is a plain value, as :mod:`gomkcn_dgl.runtime.plain_values` says, in a file of a folder,
written whole or not at all. A job that is started again with the same folder computes only what is
missing or damaged; without a folder nothing is kept. A long item keeps how far it has come. Items
that do not depend on each other may be shared by the workers of joblib: other processes of this
machine, or those of a cluster. They return results, which this process keeps.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np

from gomkcn_dgl.checks import check_jobs
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.runtime.files import atomic_file, atomic_write, parse_json, read_file, reason_of
from gomkcn_dgl.runtime.job import (
    TIME_LIMIT,
    Interrupts,
    JobProgress,
    RunInterruptedError,
    TimeUpError,
    way_to_go_on,
)
from gomkcn_dgl.runtime.mapped import check_mapped
from gomkcn_dgl.runtime.plain_values import DamagedValueError, Value, read_value, write_value
from gomkcn_dgl.runtime.worker_errors import hear_errors, lost_process

Item = TypeVar("Item")

# a folder with this file is that of a job
IDENTITY = "identity.json"
# the workers that joblib starts on this machine, and not a cluster
_OWN_BACKENDS = (
    "LokyBackend",
    "MultiprocessingBackend",
    "ThreadingBackend",
    "SequentialBackend",
)

log = logging.getLogger("gomkcn_dgl")


class _WorkerTraceback(Exception):  # noqa: N818
    """Where an error was raised in a worker."""


class _Answer(NamedTuple):
    """What a worker says of an item: a result, an error and where it was raised, or neither.

    ``is_partial``: time was up, before the item was begun or before it was done whole.
    """

    is_partial: bool
    result: Any = None
    error: Exception | None = None
    trace: str = ""


class Steps:
    """The steps of a job, by name, and their results.

    They are kept in ``folder``, with an ``identity`` as :func:`identity_of_job` makes it: the
    folder of another job is refused. ``progress`` shows the name of the step, and how many of its
    items are done. ``n_jobs`` is joblib's: how many workers share the items, -1 for one on each
    core; None for one, or what ``joblib.parallel_config`` says. ``is_partial``: time was up before
    all was done; what follows from then on is not kept, since it is made of what was there.

    ``seconds_apart``: about how often workers come back, so that what they have done is kept and a
    signal is seen, and how often a long item keeps how far it has come. With a killed job that much
    work is lost; a few seconds are long beside the milliseconds that it takes to write a result.

    >>> steps = Steps()
    >>> steps.once("adding", int, lambda a, b: a + b, 2, 3)
    5
    >>> steps.each("squaring", int, lambda i: i * i, range(4))
    [0, 1, 4, 9]
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        identity: Mapping[str, Any] | None = None,
        *,
        interrupts: Interrupts | None = None,
        progress: JobProgress | None = None,
        n_jobs: int | None = None,
        seconds_apart: float = 5.0,
    ) -> None:
        self.interrupts = interrupts
        self.n_jobs = check_jobs("n_jobs", n_jobs)
        # workers that were started, and stay for the steps that follow
        self._started = 1
        self._is_lowered = False
        # that a cluster has one worker of this job
        self._is_told = False
        self.progress = JobProgress() if progress is None else progress
        self.is_partial = False
        self._in_worker = False
        self.seconds_apart = seconds_apart
        self.folder = None if folder is None else Path(folder)
        # the step that was begun last
        self._name = ""
        # of the job, whose steps have names of their own
        self._part = ""
        # the file of the item that is being computed, and when it last kept how far it has come
        self._item = ""
        self._last_kept = 0.0
        # written with the first result, so that a job that is refused at once leaves nothing
        self._identity = json.dumps(identity, default=str)
        if self.folder is not None:
            assert identity is not None, "what is kept must be known by what it follows from"
            self._refuse_other_job(self.folder / IDENTITY)

    def __getstate__(self) -> dict[str, Any]:
        """What a worker needs: to know that it is one, when time is up, and where it may write."""
        return {
            **vars(self),
            "folder": None if self.folder is None else self.folder.absolute(),
            "_in_worker": True,
        }

    def once(self, name: str, kind: type[Value], do: Callable[..., Value], *args: Any) -> Value:
        """Return the result of ``do(*args)``, which is of a type."""
        return self.each(name, kind, lambda _: do(*args), [None])[0]

    def each(
        self,
        name: str,
        kind: type[Value],
        do: Callable[[Item], Value],
        items: Iterable[Item],
        key: Callable[[Item], Any] | None = None,
        *,
        in_time: bool = False,
        weight: Callable[[Item], int] = lambda _: 1,
        threads: int = 1,
    ) -> list[Value]:
        """Return the results of ``do`` for items that do not depend on each other, in their order.

        They are plain values of the type ``kind``, and not None. ``key`` gives what an item is
        known by, itself where left out: a result is found again wherever the item stands. With
        ``in_time``, what is not there when time is up is left out; ``do`` may raise a TimeUpError
        then, as :meth:`check_time` does. ``weight`` is how many a user takes an item for.
        Where no workers share the items, up to so many ``threads`` of this process do.
        Raises a LostProcessError where workers share the items and one is killed, or cannot do it.
        """
        items = list(items)
        check_mapped()
        name = f"{self._part}: {name}" if self._part else name
        names = [_file_name(name, item if key is None else key(item)) for item in items]
        self._name = name
        weights = dict(zip(names, map(weight, items), strict=True))
        self.progress.begin(name, sum(weights.values()))
        # 1. what was kept
        found = {
            file_name: result
            for file_name in names
            if (result := self._read(file_name, kind)) is not None
        }
        missing = {
            file_name: item
            for file_name, item in zip(names, items, strict=True)
            if file_name not in found
        }
        self.progress.move(sum(map(weights.__getitem__, found)))
        # 2. the others, by workers if there are some
        parallel, jobs = self._workers(len(missing))
        with self._started_workers(parallel) if jobs > 1 else nullcontext():
            for some in self._in_time(list(missing), max(jobs, threads), in_time):
                share = {file_name: missing[file_name] for file_name in some}
                if jobs > 1:
                    results = self._shared(parallel, do, share, in_time)
                else:
                    results = self._by_threads(do, share, in_time, threads)
                # what is kept was computed of what was there
                check_mapped()
                for file_name, result in zip(some, results, strict=True):
                    if result is not None:
                        found[file_name] = result
                        self._write(file_name, result)
                self.progress.move(sum(map(weights.__getitem__, some)))
        return [found[file_name] for file_name in names if file_name in found]

    def _workers(self, most: int) -> tuple[Any, int]:
        """The workers of joblib, and how many of them have something to do; 1 is this process."""
        # it takes long to import; where nobody has, nothing was set for it
        if self.n_jobs == 1 or (self.n_jobs is None and "joblib" not in sys.modules):
            return None, 1
        from joblib import Parallel, cpu_count, effective_n_jobs

        parallel = Parallel(self.n_jobs)
        # a cluster may have no worker yet
        jobs = max(1, int(effective_n_jobs(parallel.n_jobs)))
        is_own = _is_of_this_machine(parallel)
        if not (is_own or most < 2 or self._is_told) and parallel.n_jobs == 1 and not _is_set():
            log.warning(
                "%s was given no n_jobs, so that this process does all the work: name n_jobs in "
                "joblib.parallel_config, -1 for all workers",
                type(parallel._backend).__name__,
            )
            self._is_told = True
        if self.n_jobs is not None and is_own and jobs > (cores := cpu_count()):
            if not self._is_lowered:
                log.warning(
                    "%d processes share the work in place of %d: there are %d cores",
                    cores, jobs, cores,
                )  # fmt: skip
            jobs = cores
            self._is_lowered = True
        wanted = min(most, jobs)
        if wanted > 1 and is_own:
            # no more are started than there are items; others would have to be ended
            self._started = max(self._started, wanted)
            parallel = Parallel(self._started)
        return parallel, wanted

    def _in_time(self, names: list[str], jobs: int, in_time: bool) -> Iterator[list[str]]:
        """Yield names one by one, or as many at a time as take the workers some seconds."""
        size = jobs
        while names:
            self.is_partial |= self._is_late() and in_time
            if in_time and self.is_partial:
                return
            some = names[:size]
            names = names[size:]
            start = time.monotonic()
            yield some
            if jobs > 1:
                seconds = max(time.monotonic() - start, 1e-3)
                size = jobs * max(1, round(self.seconds_apart / seconds * len(some) / jobs))

    def _shared(
        self,
        parallel: Any,
        do: Callable[[Item], Value],
        items: Mapping[str, Item],
        in_time: bool,
    ) -> list[Value | None]:
        """The results of some items by workers; None where time was up before."""
        from joblib import delayed
        from joblib.externals.loky.backend.reduction import dumps

        call = delayed(self._answer)
        if not _is_of_this_machine(parallel):
            # Numba numbers a function when it is pickled first, which two threads of a backend
            # that sends from several, as that of Spark, must not do at the same time
            dumps(do)
        with self._telling_failures(parallel), warnings.catch_warnings():
            # joblib replaces a worker that has grown by 300 MB, as by importing torch, and says
            # so in a thread of its own: as an error the warning would end that thread, for
            # which joblib then waits for ever
            warnings.filterwarnings("ignore", "A worker stopped", UserWarning)
            answers = parallel(call(do, *item, in_time) for item in items.items())
        for answer in answers:
            if answer.error is not None:
                raise answer.error from _WorkerTraceback(f"\n{answer.trace}")
            self.is_partial |= answer.is_partial
        return [answer.result for answer in answers]

    def _by_threads(
        self,
        do: Callable[[Item], Value],
        items: Mapping[str, Item],
        in_time: bool,
        threads: int,
    ) -> list[Value | None]:
        """The results of some items by threads of this process; None where time was up before."""
        names, results = list(items), dict[str, Value | None]()

        def work(first: int, last: int) -> None:
            for name in names[first:last]:
                results[name] = self._here(do, name, items[name], in_time)

        if threads == 1:
            work(0, len(names))
        else:
            # Numba takes long to import; an item takes longer than a thread to wake
            from gomkcn_dgl.runtime.compiled import run_blocks

            run_blocks(work, len(names), 1e9 * len(names), most_threads=threads)
        return [results[name] for name in names]

    @contextmanager
    def _started_workers(self, parallel: Any) -> Iterator[None]:
        """The workers of joblib, from their start to their end, at which they may fail as well."""
        if not _is_of_this_machine(parallel):
            hear_errors(parallel._backend)
        with self._telling_failures(parallel):
            parallel.__enter__()
        try:
            yield
        finally:
            with self._telling_failures(parallel):
                parallel.__exit__(None, None, None)

    @contextmanager
    def _telling_failures(self, parallel: Any) -> Iterator[None]:
        """Raise a LostProcessError for an error of the workers."""
        try:
            yield
        except Exception as error:
            # Ctrl-C reaches all processes of a terminal
            self._is_late()
            way_on = way_to_go_on(self._has_kept())
            raise lost_process(error, type(parallel._backend).__name__, way_on) from error

    def _here(
        self, do: Callable[[Item], Value], name: str, item: Item, in_time: bool
    ) -> Value | None:
        """The result of an item by this process; None where time was up before."""
        self._item = name
        self._last_kept = time.monotonic()
        try:
            return do(item)
        except TimeUpError:
            if not in_time:
                raise
            return None

    def _answer(self, do: Callable[[Item], Value], name: str, item: Item, in_time: bool) -> _Answer:
        """In a worker: the result of an item, or its error, which tells it from a lost worker."""
        if self._in_worker:
            _leave_lost_folder()
        # a Ctrl-C in the terminal is for the process that waits for the workers; with one worker
        # left in a cluster joblib computes in that process
        with Interrupts() if self._in_worker else nullcontext():
            try:
                if in_time and self.is_late():
                    return _Answer(True)
                result = self._here(do, name, item, in_time)
                return _Answer(self.is_partial, result)
            except Exception as error:
                return _Answer(self.is_partial, None, error, traceback.format_exc())

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Part of the job, such as one of two graphs: its steps are shown and kept by its name."""
        before, self._part = self._part, name
        try:
            yield
        finally:
            self._part = before

    def is_late(self) -> bool:
        """Whether time is up: a long step asks, and what it cut is not kept. A signal raises."""
        self.is_partial |= self._is_late()
        return self.is_partial

    @property
    def name(self) -> str:
        """The name of the step that was begun last; empty before the first one."""
        return self._name

    @property
    def seconds_left(self) -> float:
        """Until the time limit; infinite without one. Once it :meth:`is_late` the end has them."""
        return math.inf if self.interrupts is None else self.interrupts.seconds_left

    def keep_for_end(self, seconds: float) -> None:
        """Keep so much of the time limit for what the job ends with, if it ends with something."""
        if self.interrupts is not None:
            self.interrupts.keep_for_end(seconds)

    @property
    def resuming_command(self) -> str:
        """What a user types to go on with the job; empty where it is not known."""
        return "" if self.interrupts is None else self.interrupts.command

    def check_time(self, *_: object) -> None:
        """Raise a TimeUpError when time is up; a long loop asks between two pieces of work."""
        if self.is_late():
            raise TimeUpError

    def share_of(self, stage: str, total: float) -> Callable[[float], None]:
        """Begin a stage that shows what share of its work is done, and when it will be over.

        What is returned is told how much more of the ``total`` is done, and checks the time.
        """
        self.progress.begin(stage, 1.0)
        left = 1.0

        def spend(work: float) -> None:
            nonlocal left
            # a total is an estimate
            share = min(left, float(work / max(total, 1e-9)))
            left -= share
            self.progress.move(share)
            self.check_time()

        return spend

    def stage(self, name: str, is_steady: bool = True) -> Callable[[float], None]:
        """Begin a stage that shows what share of its work is done, and when it will be over.

        What is returned is told the share that is done so far, from 0 to 1; less than before is
        not shown. Where it does not grow as the time does, ``is_steady`` is false, and no time is
        shown that is left. Called within an item, the bar is in the place of that of its step.
        """
        self.progress.begin(name, 1.0, is_steady=is_steady)
        shown = 0.0

        def report(share_done: float) -> None:
            nonlocal shown
            further = min(share_done, 1.0) - shown
            if further > 0:
                shown += further
                self.progress.move(further)

        return report

    def _is_late(self) -> bool:
        """Whether the time limit is reached; a signal raises."""
        reason = "" if self.interrupts is None else self.interrupts.reason
        if reason and reason != TIME_LIMIT:
            self._raise_interrupted(reason)
        return bool(reason)

    def raise_signal(self) -> None:
        """Raise for a signal that came, also where one is as if time were up.

        A job calls it when time is up and nothing is known yet that could be written.
        """
        if self.interrupts is not None and self.interrupts.signal:
            self._raise_interrupted(self.interrupts.signal)

    def _raise_interrupted(self, reason: str) -> NoReturn:
        so_far = "before its first step"
        has_kept = self._has_kept()
        if self._name:
            kept = "what was done before is kept" if has_kept else "nothing is kept"
            so_far = f'in the step "{self._name}"; {kept}'
        raise RunInterruptedError(reason, so_far, self.resuming_command, is_kept=has_kept)

    def kept(self, kind: type[Value]) -> Value | None:
        """How far the item that is being computed had come when its job was killed, if it kept it.

        The last value that :meth:`keep` wrote of it, of the type ``kind``; None where there is
        none, or a damaged one.
        """
        return self._read(_so_far(self._item), kind)

    def keep(self, value: Any) -> None:
        """Keep how far the item that is being computed has come, a plain value.

        A long item calls it whenever it has come further; it is written every few seconds
        (``seconds_apart``), and removed when the result is there.
        """
        now = time.monotonic()
        if self.folder is None or now - self._last_kept < self.seconds_apart:
            return
        # a worker of another machine may have no such folder
        if not self._in_worker or self.folder.parent.is_dir():
            self._write_in(self.folder, _so_far(self._item), value)
        self._last_kept = now

    def _read(self, name: str, kind: type[Value]) -> Value | None:
        """What is kept in a file; None if it is not there, or damaged, as by a crash."""
        if self.folder is None:
            return None
        try:
            with open(self.folder / name, "rb") as file:
                return read_value(file, kind)
        except (OSError, DamagedValueError):
            return None

    def _write(self, name: str, result: Any) -> None:
        """Keep the result of an item, in the place of how far it had come."""
        if self.folder is not None:
            self._begin(self.folder)
            if not self.is_partial:
                self._write_in(self.folder, name, result)
                (self.folder / _so_far(name)).unlink(missing_ok=True)

    def _write_in(self, folder: Path, name: str, value: Any) -> None:
        self._begin(folder)
        with atomic_file(folder / name, durable=False) as file:
            write_value(file, value)

    def write(self, name: str, state: bytes) -> None:
        """Keep the state of a step that is under way in a file of the folder."""
        assert self.folder is not None, "without a folder nothing is kept"
        self._begin(self.folder)
        atomic_write(self.folder / name, state)

    def _has_kept(self) -> bool:
        """Whether something is kept that a job may go on with."""
        return self.folder is not None and any(
            path.name != IDENTITY for path in self.folder.glob("*")
        )

    def _begin(self, folder: Path) -> None:
        """Make the folder, which marks an unfinished job."""
        if not (folder / IDENTITY).exists():
            folder.mkdir(parents=True, exist_ok=True)
            atomic_write(folder / IDENTITY, self._identity)

    def _refuse_other_job(self, path: Path) -> None:
        if path.exists():
            try:
                saved = parse_json(read_file(path))
            except (OSError, ValueError) as error:
                raise InputError(
                    f"result {str(path)!r} cannot be read ({reason_of(error)})",
                    way_out=("start anew with ", Argument("force", True)),
                ) from None
            check_identity(
                path, saved if isinstance(saved, dict) else {}, json.loads(self._identity)
            )


def _file_name(step: str, key: Any = None) -> str:
    """The file of a result: the words of its step, and a number or the hash of what it is of."""
    words = re.findall(r"[\w.+]+", step.lower())
    if isinstance(key, bytes):
        key = hashlib.sha256(key).hexdigest()[:16]
    if key is not None:
        words.append(str(key))
    return "-".join(words) + ".zip"


def _so_far(name: str) -> str:
    """The file of how far an item has come, beside that of its result."""
    return name.removesuffix(".zip") + "-so-far.zip"


def identity_of_job(settings: Mapping[str, Any], *arrays: np.ndarray | None) -> dict[str, Any]:
    """What decides the results of a job: settings, the arrays of its data, and this program."""
    return {
        "program": version("gomkcn-dgl"),
        "settings": settings,
        "data": digest_of(*arrays),
    }


def check_identity(path: Path, saved: Mapping[str, Any], current: Mapping[str, Any]) -> None:
    """Refuse what is kept of a job with another identity."""
    before = dict(_flatten(saved))
    now = dict(_flatten(current))
    for name in sorted({*before, *now}):
        if before.get(name) == now.get(name):
            continue
        changed = f"{name.rpartition('.')[2]} was {before.get(name)!r}, is {now.get(name)!r}"
        what = "data" if name == "data" else f"settings ({changed})"
        if name == "program":
            what = f"versions of gomkcn-dgl, {before.get(name)}"
        raise InputError(
            f"checkpoint {str(path)!r} was made with other {what}",
            way_out=("give the same, or start anew with ", Argument("force", True)),
        )


def digest_of(*arrays: np.ndarray | None) -> str:
    """SHA-256 of arrays with their types and shapes; memory-mapped ones are streamed."""
    digest = hashlib.sha256()
    for array in arrays:
        if array is None:
            digest.update(b"none")
            continue
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _flatten(nested: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the innermost values with the dotted names of their tables."""
    for name, value in nested.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _is_of_this_machine(parallel: Any) -> bool:
    return type(parallel._backend).__name__ in _OWN_BACKENDS


def _is_set() -> bool:
    """Whether ``joblib.parallel_config`` says how many workers there are to be."""
    from joblib.parallel import get_active_backend

    return get_active_backend()[1] is not None


def _leave_lost_folder() -> None:
    """Go elsewhere from a folder that is gone: Numba asks where it is, and workers stay long."""
    try:
        os.getcwd()
    except FileNotFoundError:
        os.chdir(tempfile.gettempdir())
