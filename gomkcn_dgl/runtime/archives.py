"""Archives of NumPy's arrays (``.npz``): what they announce is compared with what they hold."""

from __future__ import annotations

import io
import math
import zipfile
from typing import Any

import numpy as np

from gomkcn_dgl.runtime.memory import check_readable


def load_arrays(data: bytes) -> dict[str, Any]:
    """Return the arrays of an archive by name; a ValueError for what it cannot be.

    Nothing is allocated before the shapes are known to be those of the content, and the content to
    fit into memory, which is an InputError. Objects are not unpickled.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            check_readable(
                sum(entry.file_size for entry in archive.infolist()), "the unpacked archive"
            )
            for member in archive.infolist():
                if member.filename.endswith(".npy"):
                    with archive.open(member) as file:
                        _check_header(file, member)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
        raise ValueError(str(error)) from None
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _check_header(file: Any, member: zipfile.ZipInfo) -> None:
    """Refuse an array whose shape is not that of its content."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0
    if version != (1, 0):
        read = np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    announced = math.prod(shape) * dtype.itemsize
    held = member.file_size - file.tell()
    if announced != held and not dtype.hasobject:
        raise ValueError(
            f"{member.filename} announces {announced:,} bytes of content, and holds {held:,}"
        )
