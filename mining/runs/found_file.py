"""A result that is a plain value ↔ one file of a run, which is read back as it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import reason_of
from gomkcn_dgl.runtime.plain_values import DamagedValueError, read_value, write_value

Found = TypeVar("Found")

# see gomkcn_dgl.runtime.plain_values: arrays and JSON, nothing that can run code
FOUND = "found.zip"


def writer_of(found: Any) -> Callable[[BinaryIO], None]:
    """What writes a result into a file."""
    return lambda file: write_value(file, found)


def read_found(folder: Path, kind: type[Found]) -> Found:
    """Read the result of a run, which is of a type."""
    path = folder / FOUND
    try:
        with open(path, "rb") as file:
            return read_value(file, kind)
    except FileNotFoundError:
        raise InputError(
            f"run folder {str(folder)!r} holds no finished run: {FOUND} is missing."
        ) from None
    except (OSError, DamagedValueError) as error:
        raise InputError(
            f"{str(path)!r} cannot be read ({reason_of(error)}); do the run again."
        ) from None


def reader_of(kind: type[Found]) -> Callable[[Path, Mapping[str, Any]], Found]:
    """What reads a result of a type from the folder of a run, whatever its record says."""
    return lambda folder, _record: read_found(folder, kind)
