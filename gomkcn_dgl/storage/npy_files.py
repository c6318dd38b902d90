"""Arrays in ``.npy`` files: written and read bit by bit, or memory-mapped; nothing is unpickled."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError


class NpyWriter:
    """A ``.npy`` file that grows row by row; its header is completed when it is closed.

    Parameters
    ----------
    path : pathlib.Path
        A file that does not exist.
    dtype : numpy.dtype or type
    width : int, optional
        Columns of a matrix; None for a vector.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.npy"
    >>> with NpyWriter(path, np.int32) as file:
    ...     file.append(np.array([1, 2]))
    ...     file.append(np.array([3]))
    >>> np.load(path).tolist()
    [1, 2, 3]
    """

    def __init__(self, path: Path, dtype: Any, width: int | None = None) -> None:
        self.dtype = np.dtype(dtype)
        self.length = 0
        self._tail = () if width is None else (width,)
        self._file = open(path, "xb")  # noqa: SIM115
        self._write_header()
        self._start = self._file.tell()

    def append(self, values: np.ndarray) -> None:
        """Add rows, ``[n]`` or ``[n, D]``."""
        self._file.write(np.ascontiguousarray(values, dtype=self.dtype).data)
        self.length += len(values)

    def close(self) -> None:
        """Complete the header, and see that the file is on the disk."""
        self._file.seek(0)
        self._write_header()
        # NumPy leaves room in a header for a length of 20 digits
        assert self._file.tell() == self._start
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def __enter__(self) -> NpyWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: Any, trace: TracebackType | None
    ) -> None:
        self.close() if kind is None else self._file.close()

    def _write_header(self) -> None:
        header = {
            "descr": np.lib.format.dtype_to_descr(self.dtype),
            "fortran_order": False,
            "shape": (self.length, *self._tail),
        }
        np.lib.format.write_array_header_1_0(self._file, header)


class StoredArray:
    """An array in a ``.npy`` file of a folder, memory-mapped and read-only.

    Parameters
    ----------
    folder : pathlib.Path
    name : str
        The file without ``.npy``; it must be a plain file in the folder.
    dtype : type
        What its numbers must be.
    shape : tuple of int or None
        What its shape must be; None where any length will do.

    Raises
    ------
    InputError
        For a file that is missing, elsewhere, damaged, or holds something else.
    """

    def __init__(self, folder: Path, name: str, dtype: Any, shape: tuple[int | None, ...]) -> None:
        self.path = folder / f"{name}.npy"
        mapped = _open(self.path)
        fits = len(mapped.shape) == len(shape) and all(
            wanted in (None, found) for wanted, found in zip(shape, mapped.shape, strict=True)
        )
        if mapped.dtype != np.dtype(dtype) or not fits or not mapped.flags.c_contiguous:
            wanted = ", ".join("any" if length is None else str(length) for length in shape)
            raise InputError(
                f"{self.path.name} must hold {np.dtype(dtype)} [{wanted}], "
                f"got {mapped.dtype} {list(mapped.shape)}."
            )
        self._offset = int(mapped.offset)
        # a plain array, that keeps the mapping alive
        self.array: np.ndarray = mapped.view(np.ndarray)

    def __len__(self) -> int:
        return len(self.array)

    def read(self, first: int, last: int) -> np.ndarray:
        """Return rows ``first`` to ``last - 1`` in memory of their own, which ends with them.

        Pages of a mapping, once read, count as memory of the process for as long as it lasts.
        """
        tail = self.array.shape[1:]
        width = int(np.prod(tail))
        values = np.fromfile(
            self.path,
            self.array.dtype,
            (last - first) * width,
            offset=self._offset + first * width * self.array.itemsize,
        )
        return values.reshape(last - first, *tail)


def save(path: Path, array: np.ndarray) -> None:
    """Write a whole array, and see that it is on the disk."""
    with open(path, "xb") as file:
        np.save(file, array, allow_pickle=False)
        file.flush()
        os.fsync(file.fileno())


def _open(path: Path) -> np.memmap:
    # a link could name any file of the machine, and a pipe would never end
    if path.is_symlink() or not path.is_file():
        raise InputError(f"{path.name} must be a file in the folder, and there is none.")
    # a damaged header can raise nearly anything
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except Exception as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(f"{path.name} cannot be read ({lines[0].rstrip('.')}).") from None
