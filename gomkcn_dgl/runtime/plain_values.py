"""A plain value in one file, which is safe to read whoever wrote it: nothing in it can run code.

Plain are None, truth values, numbers, text, bytes, lists, tuples, mappings, NumPy arrays (but for
arrays of objects), and dataclasses or named tuples of these, to any depth. The file is a zip
archive: ``value.json`` is the value, with the place ``[k, row]`` of each array for the array, and
``arrays`` has them in NumPy's format: those of one type and shape together as array k, since a
value may hold thousands of small ones. Who reads it says of which type it must be, and what does
not fit to the type is refused.
"""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar

import msgspec
import numpy as np
from numpy.lib import format as npy

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import as_path, atomic_file, read_file, reason_of

Value = TypeVar("Value")

_VALUE = "value.json"
_ARRAYS = "arrays"


class DamagedValueError(Exception):
    """A file is no value of the type that is asked for."""


def write_value(file: BinaryIO, value: Any) -> None:
    """Write a plain value.

    >>> import io
    >>> file = io.BytesIO()
    >>> write_value(file, {"triangle": (3, np.arange(3))})
    >>> read_value(file, dict[str, tuple[int, np.ndarray]])
    {'triangle': (3, array([0, 1, 2]))}
    """
    stacks: dict[Any, tuple[int, list[np.ndarray]]] = {}

    def store(part: Any) -> Any:
        if isinstance(part, np.generic):
            return part.item()
        if not isinstance(part, np.ndarray):
            raise TypeError(f"a {type(part).__name__} is no plain value")
        number, stack = stacks.setdefault((part.dtype, part.shape), (len(stacks), []))
        stack.append(part)
        return number, len(stack) - 1

    # infinite numbers, and whole ones of any size, are those of Python's JSON
    text = json.dumps(msgspec.to_builtins(value, enc_hook=store))
    with zipfile.ZipFile(file, "w") as archive:
        # an entry without a time of its own: equal values are equal files
        archive.writestr(zipfile.ZipInfo(_VALUE), text)
        with archive.open(zipfile.ZipInfo(_ARRAYS), "w", force_zip64=True) as member:
            for _, stack in stacks.values():
                npy.write_array(member, np.stack(stack), allow_pickle=False)


def read_value(file: BinaryIO, kind: type[Value]) -> Value:
    """Read a plain value of a type; a DamagedValueError for whatever else the file holds."""
    try:
        with zipfile.ZipFile(file) as archive:
            with archive.open(_ARRAYS) as member:
                stacks = list(_arrays_in(member, archive.getinfo(_ARRAYS).file_size))

            def load(_: type, place: Any) -> np.ndarray:
                number, row = place
                return stacks[number][row, ...]

            return msgspec.convert(json.loads(archive.read(_VALUE)), kind, dec_hook=load)
    # archives that are encrypted, packed in an unknown way or nested too deeply are RuntimeErrors
    except (
        msgspec.ValidationError,
        OSError,
        ValueError,
        EOFError,
        LookupError,
        TypeError,
        RuntimeError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise DamagedValueError(str(error)) from None


def save_value(path: str | Path, value: Any) -> None:
    """Write a plain value to a file."""
    with atomic_file(as_path("path", path)) as file:
        write_value(file, value)


@contextlib.contextmanager
def saved_value(path: str | Path, kind: type[Value], writer: str) -> Iterator[Value]:
    """Read the file that ``writer`` wrote; what makes an object of its value may refuse it, too."""
    path = as_path("path", path)
    try:
        yield read_value(io.BytesIO(read_file(path)), kind)
    except (OSError, DamagedValueError, ValueError, KeyError, TypeError, EOFError) as error:
        raise InputError(
            f"{str(path)!r} must be a file that {writer} wrote ({reason_of(error)})."
        ) from None


def _arrays_in(file: IO[bytes], size: int) -> Iterator[np.ndarray]:
    while file.tell() < size:
        yield npy.read_array(file, allow_pickle=False)
