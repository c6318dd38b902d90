"""States of tensors and plain values in a file: read without running code, written now and then."""

from __future__ import annotations

import io
import os
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import atomic_write, read_file, reason_of
from gomkcn_dgl.runtime.processes import broadcast_object, is_first
from gomkcn_dgl.runtime.steps import check_identity

SECONDS_BETWEEN = 30.0


class Checkpoint:
    """The checkpoint file of a run; of several processes the first one reads and writes it.

    With ``resume`` the run goes on from the file if there is one. The file is written twice a
    minute. ``identity`` holds the settings and a digest of
    the data; a file with another identity is refused. Set it before reading and writing.
    """

    def __init__(self, path: str | os.PathLike[str], *, resume: bool = False) -> None:
        self.path = Path(path)
        self.resume = resume
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

    def is_due(self) -> bool:
        """Whether to write."""
        return time.monotonic() - self._last >= SECONDS_BETWEEN

    def write(self, state: Mapping[str, Any]) -> None:
        """Write a state of tensors and plain values."""
        if is_first():
            content = io.BytesIO()
            saved = {"identity": self.identity, "seconds": self.seconds, "state": dict(state)}
            torch.save(saved, content)
            atomic_write(self.path, content.getvalue())
        self._last = time.monotonic()


def read_state(
    path: Path, needed: Mapping[str, type] | None = None, way_out: str = "train again"
) -> dict[str, Any]:
    """Read a dict of tensors and plain values that ``torch.save`` has written.

    ``needed`` names what must be in it, with the types; ``way_out`` ends the InputError about a
    file that is missing or damaged, or holds anything else.
    """
    # torch.load raises whatever a damaged archive leads it into, with advice of many lines
    try:
        data = read_file(path)
        _check_archive(data)
        state = torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
        if not isinstance(state, dict):
            raise ValueError(f"it holds a {type(state).__name__} and no state")
        missing = [
            name for name, kind in (needed or {}).items() if not isinstance(state.get(name), kind)
        ]
        if missing:
            raise ValueError(f"it lacks {missing[0]!r}")
        for tensor in _tensors(state):
            _check_tensor(tensor)
    except Exception as error:
        raise InputError(
            f"checkpoint {str(path)!r} cannot be read ({reason_of(error)}); {way_out}."
        ) from None
    return state


def _check_archive(data: bytes) -> None:
    """Refuse an archive that holds more than it is long."""
    if not data.startswith(b"PK"):
        raise ValueError("it is no file of torch.save")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
    plain = all(entry.compress_type == zipfile.ZIP_STORED for entry in entries)
    if not plain or sum(entry.file_size for entry in entries) > len(data):
        raise ValueError("it announces more than it holds")


def _check_tensor(tensor: Tensor) -> None:
    """Refuse a tensor whose numbers are not all there, such as one number shown many times."""
    there = tensor.layout == torch.strided and tensor.device.type == "cpu"
    held = tensor.untyped_storage().nbytes() if there else -1
    if tensor.numel() * tensor.element_size() > held:
        raise ValueError("a tensor in it announces more than it holds")


def _tensors(state: Any) -> Iterator[Tensor]:
    # a list may hold itself
    seen: set[int] = set()
    waiting = [state]
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple, set)):
            waiting += value
