"""Records with a key, in sorted runs on disk → parts of a range of keys that fit into memory.

Regular samples of the runs cut the range of keys, whatever their distribution (Shi and Schaeffer,
Parallel sorting by regular sampling, 1992).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

# One key of so many in each run is a sample.
_SAMPLE_STEP = 2**9


class SortedRuns:
    """Records in a folder of scratch files: an int64 key, and columns beside it.

    ``columns`` are the type of each column. Keys that differ in the last bit alone belong to the
    same part.
    """

    def __init__(self, folder: Path, columns: Sequence[Any]) -> None:
        self._columns = [np.dtype(kind) for kind in (np.int64, *columns)]
        self._paths = [folder / f"run_column{number}" for number in range(len(self._columns))]
        # Run r holds the keys from _starts[r] to _starts[r + 1].
        self._starts = [0]
        self._samples: list[np.ndarray] = []

    def add(self, keys: np.ndarray, *columns: np.ndarray) -> None:
        """Write a run of records in ascending order of their keys."""
        for path, values in zip(self._paths, (keys, *columns), strict=True):
            with open(path, "ab") as file:
                values.tofile(file)
        # a copy: a view would keep all keys in memory
        self._samples.append(keys[::_SAMPLE_STEP].copy())
        self._starts.append(self._starts[-1] + len(keys))

    def parts(self, keys_at_once: int) -> Iterator[list[np.ndarray]]:
        """Yield keys and columns of each part in ascending order of the parts, unsorted within.

        Parts have at most ``keys_at_once`` keys and, for each run, ``_SAMPLE_STEP`` more.
        """
        samples = np.sort(np.concatenate(self._samples))
        step = max(1, keys_at_once // _SAMPLE_STEP)
        cuts = samples[step::step] & ~1
        # Part p of run r lies between bounds[r, p] and bounds[r, p + 1].
        runs = list(itertools.pairwise(self._starts))
        inner = [a + np.searchsorted(self._read(0, a, b), cuts) for a, b in runs]
        bounds = np.array([[a, *cut, b] for (a, b), cut in zip(runs, inner, strict=True)])
        for part in range(len(cuts) + 1):
            slices = bounds[:, part : part + 2].tolist()
            yield [
                np.concatenate([self._read(column, a, b) for a, b in slices])
                for column in range(len(self._columns))
            ]

    def _read(self, column: int, first: int, last: int) -> np.ndarray:
        """Return the values of a column of the records ``first`` to ``last - 1``."""
        kind = self._columns[column]
        offset = first * kind.itemsize
        return np.fromfile(self._paths[column], kind, last - first, offset=offset)
