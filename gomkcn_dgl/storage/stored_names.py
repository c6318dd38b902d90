"""Text ids of nodes as UTF-8 bytes end to end: in a memory-mapped file they take no memory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from gomkcn_dgl.storage.npy_files import NpyWriter, StoredArray


class StoredNames:
    """An array of text ``[V]`` to look things up in; its strings are made when they are asked for.

    Parameters
    ----------
    content : numpy.ndarray
        uint8: all names in UTF-8, end to end.
    offsets : numpy.ndarray
        int64 ``[V + 1]``; name ``v`` is ``content[offsets[v]:offsets[v + 1]]``.

    Examples
    --------
    >>> names = StoredNames(np.frombuffer(b"abc", np.uint8), np.array([0, 1, 3]))
    >>> len(names), str(names[1]), names[np.array([1, 0])].tolist()
    (2, 'bc', ['bc', 'a'])
    """

    dtype = np.dtype(str)

    def __init__(self, content: np.ndarray, offsets: np.ndarray) -> None:
        self.content, self.offsets = content, offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, rows: Any) -> Any:
        """Return one name, or an array of text in the shape of ``rows``."""
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(len(self)))
        rows = np.asarray(rows)
        rows = np.where(rows < 0, rows + len(self), rows)
        ends = zip(
            self.offsets[rows].ravel().tolist(),
            self.offsets[rows + 1].ravel().tolist(),
            strict=True,
        )
        names = [self.content[first:last].tobytes().decode() for first, last in ends]
        # [()] of a single name
        return np.array(names, dtype=str).reshape(rows.shape)[()]

    def tolist(self) -> list[str]:
        """Return all names."""
        names: list[str] = self[:].tolist()
        return names

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return all names as an array of text, each with the room of the longest."""
        names: np.ndarray = self[:]
        return names if dtype is None else names.astype(dtype)


class NamesWriter:
    """The files ``<name>.npy`` and ``<name>_offsets.npy`` of a folder, which grow name by name.

    Parameters
    ----------
    folder : pathlib.Path
    name : str
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._content = NpyWriter(folder / f"{name}.npy", np.uint8)
        self._offsets = NpyWriter(folder / f"{name}_offsets.npy", np.int64)
        self._offsets.append(np.zeros(1))

    def append(self, names: Iterable[str]) -> None:
        """Add names."""
        encoded = [name.encode() for name in names]
        ends = self._content.length + np.cumsum([len(name) for name in encoded])
        self._content.append(np.frombuffer(b"".join(encoded), np.uint8))
        self._offsets.append(ends)

    def __enter__(self) -> NamesWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: Any, trace: TracebackType | None
    ) -> None:
        self._content.__exit__(kind, error, trace)
        self._offsets.__exit__(kind, error, trace)


def open_names(folder: Path, name: str, count: int) -> StoredNames:
    """Open names that a :class:`NamesWriter` wrote; they are not checked."""
    content = StoredArray(folder, name, np.uint8, (None,))
    return StoredNames(
        content.array, StoredArray(folder, f"{name}_offsets", np.int64, (count + 1,)).array
    )
