"""The checkpoint file from which an unfinished training resumes, and what identifies a run."""

from __future__ import annotations

import hashlib
import io
import os
import time
from collections.abc import Callable, Iterator, Mapping
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
    """The checkpoint file of a run; of several processes the first one reads and writes it.

    With ``resume`` the run goes on from the file if there is one. The file is written after
    ``every`` epochs, or twice a minute by default. ``identity`` holds the settings and a digest of
    the data; a file with another identity is refused. Set it before reading and writing.
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
        """Duration of the run, including the time before the checkpoint."""
        return self._seconds_before + time.monotonic() - self._start

    def read(self) -> dict[str, Any] | None:
        """Return the state to resume from, or None to start anew."""
        content = None
        if is_first() and self.resume and self.path.exists():
            required = {"identity": dict, "seconds": float, "state": dict}
            content = read_state(self.path, required, "start anew with --force")
            check_identity(self.path, content["identity"], self.identity)
        content = broadcast_object(content)
        if content is None:
            return None
        self._seconds_before = content["seconds"]
        state: dict[str, Any] = content["state"]
        return state

    def resume_with(self, restore: Callable[[dict[str, Any]], object]) -> bool:
        """Give the state to ``restore``, which may refuse it; return whether there is one."""
        state = self.read()
        if state is None:
            return False
        try:
            restore(state)
        # a state of another model may lack anything
        except Exception as error:
            raise InputError(
                f"checkpoint {str(self.path)!r} cannot be read ({reason_of(error)}); "
                "start anew with --force."
            ) from None
        return True

    def is_due(self, epoch: int) -> bool:
        """Whether to write after this epoch."""
        if self.every is not None:
            return epoch % self.every == 0
        return time.monotonic() - self._last >= SECONDS_BETWEEN

    def write(self, state: Mapping[str, Any]) -> None:
        """Write a state of tensors and plain values."""
        if is_first():
            content = io.BytesIO()
            saved = {"identity": self.identity, "seconds": self.seconds, "state": dict(state)}
            torch.save(saved, content)
            atomic_write(self.path, content.getvalue())
        self._last = time.monotonic()


def check_identity(path: Path, saved: Mapping[str, Any], current: Mapping[str, Any]) -> None:
    """Refuse a checkpoint of other settings (nested mappings) or other data (a digest)."""
    before, now = dict(_flatten(saved)), dict(_flatten(current))
    for name in sorted({*before, *now}):
        if before.get(name) == now.get(name):
            continue
        changed = f"{name.rpartition('.')[2]} was {before.get(name)!r}, is {now.get(name)!r}"
        what = "data" if name == "data" else f"settings ({changed})"
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
