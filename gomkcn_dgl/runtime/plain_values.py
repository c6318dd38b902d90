"""A plain value in one file, which is safe to read whoever wrote it: nothing in it can run code.

Plain are None, truth values, numbers, text, bytes, lists, tuples, mappings, NumPy arrays (but for
arrays of objects), and dataclasses or named tuples of these, to any depth. The file is a zip
archive: ``value.json`` is the value, with a number in the place of each array, and ``arrays`` has
the arrays in NumPy's format, one behind the other, each once however often it is in the value. Who
reads it says of which type it must be, and what does not fit to the type is refused.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, TypeVar

import msgspec
import numpy as np
from numpy.lib import format as npy

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
    # by their identities, in the order of their numbers
    arrays: dict[int, tuple[int, np.ndarray]] = {}

    def store(part: Any) -> Any:
        if isinstance(part, np.generic):
            return part.item()
        if not isinstance(part, np.ndarray):
            raise TypeError(f"a {type(part).__name__} is no plain value")
        number, _ = arrays.setdefault(id(part), (len(arrays), part))
        return number

    # infinite numbers, and whole ones of any size, are those of Python's JSON
    text = json.dumps(msgspec.to_builtins(value, enc_hook=store))
    with zipfile.ZipFile(file, "w") as archive:
        # an entry without a time of its own: equal values are equal files
        archive.writestr(zipfile.ZipInfo(_VALUE), text)
        with archive.open(zipfile.ZipInfo(_ARRAYS), "w", force_zip64=True) as member:
            for _, array in arrays.values():
                npy.write_array(member, array, allow_pickle=False)


def read_value(file: BinaryIO, kind: type[Value]) -> Value:
    """Read a plain value of a type; a DamagedValueError for whatever else the file holds."""
    try:
        with zipfile.ZipFile(file) as archive:
            with archive.open(_ARRAYS) as member:
                arrays = list(_arrays_in(member, archive.getinfo(_ARRAYS).file_size))
            return msgspec.convert(
                json.loads(archive.read(_VALUE)), kind, dec_hook=lambda _, number: arrays[number]
            )
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


def _arrays_in(file: BinaryIO, size: int) -> Iterator[np.ndarray]:
    while file.tell() < size:
        yield npy.read_array(file, allow_pickle=False)
