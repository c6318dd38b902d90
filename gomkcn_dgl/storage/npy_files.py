"""Arrays in ``.npy`` files: appended to, memory-mapped or read in pieces, and never unpickled."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import reason_of


def append_npy(path: Path, values: np.ndarray) -> None:
    """Append rows to a ``.npy`` file, which the first rows create; they set its type and shape."""
    if not path.exists():
        np.save(path, np.ascontiguousarray(values))
        return
    with open(path, "r+b") as file:
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        file.seek(0, os.SEEK_END)
        file.write(np.ascontiguousarray(values, dtype).data)
        file.seek(0)
        # NumPy pads headers for a length of 20 digits, so that the new one is as long as the old.
        header = {
            "descr": np.lib.format.dtype_to_descr(dtype),
            "fortran_order": False,
            "shape": (shape[0] + len(values), *shape[1:]),
        }
        np.lib.format.write_array_header_1_0(file, header)


def map_npy(path: Path) -> np.memmap:
    """Open a ``.npy`` file as a read-only memory map; a damaged file raises an InputError."""
    # A damaged header can raise nearly anything.
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except Exception as error:
        raise InputError(f"{path.name} cannot be read ({reason_of(error)}).") from None


def map_array(folder: Path, name: str, dtype: Any, shape: tuple[int | None, ...]) -> np.memmap:
    """Open the array ``<name>.npy`` of a folder; a None in ``shape`` stands for any length."""
    path = folder / f"{name}.npy"
    # A link could name any file of the machine, and a pipe would never end.
    if path.is_symlink() or not path.is_file():
        raise InputError(f"{path.name} must be a file in the folder, and there is none.")
    array = map_npy(path)
    fits = len(array.shape) == len(shape) and all(
        expected in (None, length) for expected, length in zip(shape, array.shape, strict=True)
    )
    if array.dtype != np.dtype(dtype) or not fits or not array.flags.c_contiguous:
        expected = ", ".join("any" if length is None else str(length) for length in shape)
        raise InputError(
            f"{path.name} must hold {np.dtype(dtype)} [{expected}], "
            f"got {array.dtype} {list(array.shape)}."
        )
    return array


def read_rows(array: np.memmap, first: int, last: int) -> np.ndarray:
    """Return a copy of rows ``first`` to ``last - 1`` of a memory map, read from its file.

    Pages that are read through a memory map count as memory of the process while it exists.
    """
    width = int(np.prod(array.shape[1:]))
    start = array.offset + first * width * array.itemsize
    values = np.fromfile(str(array.filename), array.dtype, (last - first) * width, offset=start)
    return values.reshape(last - first, *array.shape[1:])
