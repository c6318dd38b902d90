"""Edges in any order → the sorted rows of an adjacency matrix, in bounded memory.

An entry of the matrix is one int64 key: its row, its column, and a last bit that is 0 if the file
holds the edge in this direction and 1 if the entry is its mirror image. Keys are written to scratch
files in sorted runs; each part of their range is gathered from all runs, sorted and freed of
duplicates. Regular samples of the runs cut the range of keys, whatever their distribution (Shi and
Schaeffer, Parallel sorting by regular sampling, 1992).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.edges import DUPLICATES, MIRRORED, kept_edges
from gomkcn_dgl.graph_folder import append_npy
from gomkcn_dgl.io.conversion.node_numbering import is_first

# Bytes at the peak for each key of a part; 29 were measured without weights, 41 with them.
BYTES_PER_KEY = 60
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


class ExternalSort:
    """Sorts edges by means of scratch files in a folder; duplicates get their largest weight."""

    def __init__(self, folder: Path, weighted: bool) -> None:
        self.repairs: Counter[str] = Counter()
        self._runs = SortedRuns(folder, [np.float32] * weighted)
        self._num_edges = 0

    def add(self, source: np.ndarray, target: np.ndarray, weights: np.ndarray | None) -> None:
        """Write the entries of edges between rows, int64 ``[n]``, as a sorted run."""
        keep = kept_edges(source, target, weights, self.repairs)
        source, target = source[keep], target[keep]
        self._num_edges += len(source)
        keys = np.concatenate([source << 32 | target << 1, target << 32 | source << 1 | 1])
        keys, weights = _sort(keys, None if weights is None else np.tile(weights[keep], 2))
        first = np.flatnonzero(is_first(keys))
        beside = [] if weights is None else [_largest(weights, first)]
        self._runs.add(keys[first], *beside)

    def write(self, folder: Path, num_nodes: int, keys_at_once: int) -> np.ndarray:
        """Write ``indices.npy`` and ``weights.npy``; return ``indptr``, int64 ``[V + 1]``."""
        indptr, num_directed = np.zeros(num_nodes + 1, np.int64), 0
        for keys, *beside in self._runs.parts(keys_at_once):
            keys, weights = _sort(keys, beside[0] if beside else None)
            is_mirrored = keys & 1
            keys >>= 1
            # The last bit has sorted an edge of the file before its mirror image.
            first = np.flatnonzero(is_first(keys))
            num_directed += len(first) - int(is_mirrored[first].sum())
            if weights is not None:
                append_npy(folder / "weights.npy", _largest(weights, first))
            keys = keys[first]
            append_npy(folder / "indices.npy", (keys & (2**31 - 1)).astype(np.int32))
            count_rows(indptr, keys >> 31)
        np.cumsum(indptr, out=indptr)
        self.repairs[DUPLICATES] = self._num_edges - num_directed
        self.repairs[MIRRORED] = int(indptr[-1]) - num_directed
        return indptr


def count_rows(indptr: np.ndarray, rows: np.ndarray) -> None:
    """Add to ``indptr[v + 1]`` how often the ascending rows hold v."""
    starts = np.flatnonzero(is_first(rows))
    indptr[rows[starts] + 1] += np.diff(starts, append=len(rows))


def _sort(keys: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    if weights is None:
        keys.sort()
        return keys, None
    order = np.argsort(keys)
    return keys[order], weights[order]


def _largest(weights: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return the largest weight of each group of equal keys, given where groups begin."""
    return np.maximum.reduceat(weights, first) if len(first) else weights
