"""States of tensors and plain values in a file, read without running code."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import read_file, reason_of

T = TypeVar("T")


def state_bytes(state: Mapping[str, Any]) -> bytes:
    """A file of tensors and plain values, for :func:`read_state`."""
    content = io.BytesIO()
    torch.save(dict(state), content)
    return content.getvalue()


def read_state(
    path: Path,
    restore: Callable[[dict[str, Any]], T],
    way_out: str = "train again",
    data: bytes | None = None,
) -> T:
    """Return what ``restore`` makes of the tensors and plain values of a file.

    ``data`` is what the file holds, if it was read before. An InputError, which ends with
    ``way_out``, tells of a file that is missing or damaged, or of which ``restore`` can make
    nothing, whatever it raises.
    """
    # torch.load raises whatever a damaged archive leads it into, with advice of many lines
    try:
        data = read_file(path) if data is None else data
        _check_archive(data)
        state = torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
        if not isinstance(state, dict):
            raise ValueError(f"it holds a {type(state).__name__} and no state")
        for tensor in _tensors(state):
            _check_tensor(tensor)
        return restore(state)
    except Exception as error:
        raise InputError(
            f"checkpoint {str(path)!r} cannot be read ({reason_of(error)}); {way_out}."
        ) from None


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
