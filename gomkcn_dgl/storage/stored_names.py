"""Text node ids as an Arrow column over memory-mapped files, which take no memory of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa


def arrow_column(content: np.ndarray, offsets: np.ndarray) -> pa.LargeStringArray:
    """Return text ``[V]`` over UTF-8 bytes and int64 offsets ``[V + 1]``, without a copy."""
    buffers = pa.py_buffer(offsets), pa.py_buffer(content)
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, *buffers)


class StoredNames:
    """A read-only stand-in for an array of text ``[V]`` whose strings are made on demand."""

    dtype = np.dtype(str)

    def __init__(self, content: np.ndarray, offsets: np.ndarray) -> None:
        self.column = arrow_column(content, offsets)

    def __len__(self) -> int:
        return len(self.column)

    def __getitem__(self, rows: Any) -> Any:
        """Return one name, or an array of text in the shape of ``rows``."""
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(len(self)))
        rows = np.asarray(rows)
        names = self.column.take(pa.array(np.where(rows < 0, rows + len(self), rows).ravel()))
        # The index [()] turns an array of no dimension into its one name.
        return np.array(names.to_pylist(), dtype=str).reshape(rows.shape)[()]

    def tolist(self) -> list[str]:
        """Return all names."""
        names: list[str] = self.column.to_pylist()
        return names

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return all names as an array of text, each with the room of the longest."""
        return np.array(self.tolist(), dtype=str if dtype is None else dtype)
