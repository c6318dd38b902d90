"""A long job as named steps: the result of each is kept, so that a killed job can go on.

A result is arrays by name, in a file of a folder, written whole or not at all. A job that is
started again with the same folder computes only what is missing or damaged; without a folder
nothing is kept. All processes of a job take the same steps, and each gets all results.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import atomic_file, atomic_write, parse_json, read_file, reason_of
from gomkcn_dgl.runtime.job import TIME_LIMIT, Interrupts, JobProgress, RunInterruptedError
from gomkcn_dgl.runtime.processes import (
    broadcast_object,
    gather_objects,
    is_first,
    rank,
    single_process,
    world_size,
)

Arrays = Mapping[str, np.ndarray]
Item = TypeVar("Item")

_IDENTITY = "identity.json"


class Steps:
    """The steps of a job, by name, and their results.

    They are kept in ``folder``, with an ``identity`` as :func:`identity_of_job` makes it: the
    folder of another job is refused. ``progress`` shows the name of the step, and how many of its
    items are done. ``is_partial``: time was up before all was done; what follows from then on is
    not kept, since it is made of what was there.

    >>> steps = Steps()
    >>> steps.once("adding", lambda a, b: {"sum": np.array(a + b)}, 2, 3)["sum"].item()
    5
    >>> squares = steps.each("squaring", lambda i: {"square": np.array(i * i)}, range(4))
    >>> [one["square"].item() for one in squares]
    [0, 1, 4, 9]
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        identity: Mapping[str, Any] | None = None,
        *,
        interrupts: Interrupts | None = None,
        progress: JobProgress | None = None,
    ) -> None:
        self.interrupts = interrupts
        self.progress = JobProgress() if progress is None else progress
        self.is_partial = False
        self.folder = None if folder is None else Path(folder)
        # written with the first result, so that a job that is refused at once leaves nothing
        self._identity = json.dumps(identity, default=str)
        if self.folder is not None:
            assert identity is not None, "what is kept must be known by what it follows from"
            self._refuse_other_job(self.folder / _IDENTITY)

    def once(self, name: str, do: Callable[..., Arrays], *args: Any) -> Arrays:
        """Return the result of ``do(*args)``, which the first process computes for all."""
        self.progress.begin(name)
        result: Arrays = {}
        if is_first():
            self._is_late()
            with single_process():
                result = self._take(_file_name(name), partial(do, *args))
        result, self.is_partial = broadcast_object((result, self.is_partial))
        return result

    def each(
        self,
        name: str,
        do: Callable[[Item], Arrays],
        items: Iterable[Item],
        key: Callable[[Item], int | bytes] | None = None,
        *,
        in_time: bool = False,
    ) -> list[Arrays]:
        """Return the results of ``do`` for items that do not depend on each other, in their order.

        Of W processes each takes every W-th.
        ``key`` gives what an item is known by, itself where left out: a result is found again
        wherever the item stands. With ``in_time``, what is not there when time is up is left out.
        """
        items = list(items)
        names = [_file_name(name, one if key is None else key(one)) for one in items]
        self.progress.begin(name, len(items))
        own = {}
        for number in range(rank(), len(items), world_size()):
            self.is_partial |= self._is_late() and in_time
            if not (in_time and self.is_partial) or self._has(names[number]):
                with single_process():
                    own[names[number]] = self._take(names[number], partial(do, items[number]))
            self.progress.move()
        found: dict[str, Arrays] = {}
        for part, is_partial in gather_objects((own, self.is_partial)):
            found |= part
            self.is_partial |= is_partial
        return [found[one] for one in names if one in found]

    def is_over(self) -> bool:
        """Whether time is up, in any process; all must ask at the same point."""
        self.is_partial |= self._is_late()
        self.is_partial = any(gather_objects(self.is_partial))
        return self.is_partial

    def is_late(self) -> bool:
        """Whether time is up in this process: a long step asks, and what it cut is not kept.

        A signal raises.
        """
        self.is_partial |= self._is_late()
        return self.is_partial

    def _is_late(self) -> bool:
        """Whether the time limit is reached; a signal raises."""
        reason = "" if self.interrupts is None else self.interrupts.reason
        if reason and reason != TIME_LIMIT:
            raise RunInterruptedError(reason, "between two steps")
        return bool(reason)

    def _has(self, name: str) -> bool:
        return self.folder is not None and (self.folder / name).exists()

    def _take(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """Read a result, or compute and keep it."""
        result = None if self.folder is None else _read(self.folder / name)
        if result is None:
            result = make()
            if self.folder is not None:
                self._keep(self.folder, name, result)
        return result

    def _keep(self, folder: Path, name: str, result: Arrays) -> None:
        self._begin(folder)
        if not self.is_partial:
            with atomic_file(folder / name, durable=False) as file:
                np.savez(file, allow_pickle=False, **result)

    def write(self, name: str, state: bytes) -> None:
        """Keep the state of a step that is under way in a file of the folder."""
        assert self.folder is not None, "without a folder nothing is kept"
        self._begin(self.folder)
        atomic_write(self.folder / name, state)

    def _begin(self, folder: Path) -> None:
        """Make the folder, which marks an unfinished job."""
        if not (folder / _IDENTITY).exists():
            folder.mkdir(parents=True, exist_ok=True)
            atomic_write(folder / _IDENTITY, self._identity)

    def _refuse_other_job(self, path: Path) -> None:
        if path.exists():
            try:
                saved = parse_json(read_file(path))
            except (OSError, ValueError) as error:
                raise InputError(
                    f"result {str(path)!r} cannot be read ({reason_of(error)}); "
                    "start anew with --force."
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
    return "-".join(words) + ".npz"


def _read(path: Path) -> Arrays | None:
    """A result; None if it is not there, or damaged, as by a crash of the machine."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            return dict(arrays)
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
        return None


def identity_of_job(settings: Mapping[str, Any], *arrays: np.ndarray | None) -> dict[str, Any]:
    """What decides the results of a job: settings, the arrays of its data, and this program."""
    return {
        "program": version("gomkcn-dgl"),
        "settings": settings,
        "data": digest_of(*arrays),
    }


def check_identity(path: Path, saved: Mapping[str, Any], current: Mapping[str, Any]) -> None:
    """Refuse what is kept of a job with another identity."""
    before, now = dict(_flatten(saved)), dict(_flatten(current))
    for name in sorted({*before, *now}):
        if before.get(name) == now.get(name):
            continue
        changed = f"{name.rpartition('.')[2]} was {before.get(name)!r}, is {now.get(name)!r}"
        what = "data" if name == "data" else f"settings ({changed})"
        if name == "program":
            what = f"versions of gomkcn-dgl, {before.get(name)}"
        raise InputError(
            f"checkpoint {str(path)!r} was made with other {what}; "
            "give the same, or start anew with --force."
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
