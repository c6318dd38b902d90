"""A file from which an unfinished run goes on: when it is due, written whole, read as data."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.atomic_files import atomic_write
from gomkcn_dgl.runtime.file_bytes import reason_of
from gomkcn_dgl.runtime.processes import broadcast_object, is_first
from gomkcn_dgl.runtime.torch_file import read_state

SECONDS_BETWEEN = 30.0


class Checkpoint:
    """The checkpoint of a run; of several processes the first reads and writes it.

    Parameters
    ----------
    path : path
        Of the file.
    resume : bool
        Go on from the file if there is one.
    every : int, optional
        Steps between two writes; as many as take half a minute when left out.

    Attributes
    ----------
    identity : dict
        What decides the result: ``"settings"``, a nested dict, and ``"data"``, a digest. A file
        with another identity is refused. Set before reading and writing.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "state.pt"
    >>> Checkpoint(path).write({"step": 3})
    >>> Checkpoint(path, resume=True).read()
    {'step': 3}
    """

    def __init__(
        self, path: str | os.PathLike[str], *, resume: bool = False, every: int | None = None
    ) -> None:
        self.path = Path(path)
        self.resume = resume
        self.every = None if every is None else check_int("checkpoint_every", every, 1)
        self.identity: dict[str, Any] = {}
        self._start = self._last = time.monotonic()
        self._seconds_before = 0.0

    @property
    def seconds(self) -> float:
        """How long the run has taken, what came before the checkpoint included."""
        return self._seconds_before + time.monotonic() - self._start

    def read(self) -> dict[str, Any] | None:
        """Return the state to go on from; None: start anew.

        Raises
        ------
        InputError
            For a damaged file, or one of other settings or other data.
        """
        content = broadcast_object(self._read() if is_first() else None)
        if content is None:
            return None
        self._seconds_before = content["seconds"]
        state: dict[str, Any] = content["state"]
        return state

    @contextlib.contextmanager
    def applying(self) -> Iterator[None]:
        """Say in one sentence that a state does not fit, whatever goes wrong in the block."""
        try:
            yield
        except Exception as error:
            raise InputError(
                f"checkpoint {str(self.path)!r} cannot be read ({reason_of(error)}); "
                "start anew with --force."
            ) from None

    def is_due(self, step: int) -> bool:
        """Whether to write after this step."""
        if self.every is not None:
            return step % self.every == 0
        return time.monotonic() - self._last >= SECONDS_BETWEEN

    def write(self, state: Mapping[str, Any]) -> None:
        """Write a state of tensors and plain values."""
        if is_first():
            content = io.BytesIO()
            saved = {"identity": self.identity, "seconds": self.seconds, "state": dict(state)}
            torch.save(saved, content)
            atomic_write(self.path, content.getvalue())
        self._last = time.monotonic()

    def remove(self) -> None:
        """Remove the file: the run is finished."""
        if is_first():
            self.path.unlink(missing_ok=True)

    def _read(self) -> dict[str, Any] | None:
        if not self.resume or not self.path.exists():
            return None
        needed = {"identity": dict, "seconds": float, "state": dict}
        content = read_state(self.path, needed, "start anew with --force")
        check_identity(self.path, content["identity"], self.identity)
        return content


def check_identity(path: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """Refuse what was kept with other settings or other data.

    Parameters
    ----------
    path : path
        Where it was kept.
    there, here : mapping
        What decides the result: ``"settings"``, a nested mapping, and ``"data"``, a digest.

    Raises
    ------
    InputError
        If they differ.
    """
    found, wanted = dict(_flat(there)), dict(_flat(here))
    for name in sorted({*found, *wanted}):
        if found.get(name) == wanted.get(name):
            continue
        changed = f"{name.rpartition('.')[2]} was {found.get(name)!r}, is {wanted.get(name)!r}"
        what = "data" if name == "data" else f"settings ({changed})"
        raise InputError(
            f"checkpoint {str(path)!r} was made with other {what}; "
            "give the same, or start anew with --force."
        )


def digest_of(*arrays: np.ndarray | None) -> str:
    """Digest of arrays, by which data are known again; memory-mapped ones are streamed.

    Examples
    --------
    >>> digest_of(np.arange(3)) == digest_of(np.arange(3)), digest_of(np.arange(3.0))[:8]
    (True, '74cc8230')
    """
    digest = hashlib.sha256()
    for array in arrays:
        if array is None:
            digest.update(b"none")
            continue
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _flat(nested: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Innermost values, and their names with those of the tables around them."""
    for name, value in nested.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value
