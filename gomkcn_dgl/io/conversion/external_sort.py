"""Edges in any order → the sorted rows of an adjacency matrix, in bounded memory.

An entry of the matrix is one int64 key: its row, its column, and a last bit that is 0 if the file
holds the edge in this direction and 1 if the entry is its mirror image. Keys are written to a
scratch file in sorted runs. Regular samples of the runs cut the range of keys into parts that fit
into memory, whatever the degrees (Shi and Schaeffer, Parallel sorting by regular sampling, 1992);
each part is gathered from all runs, sorted and freed of duplicates.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.csr import DUPLICATES, LOOPS, MIRRORED, ZEROS
from gomkcn_dgl.io.conversion.node_numbering import is_first
from gomkcn_dgl.storage.npy_files import append_npy

# Bytes at the peak for each key of a part; 29 were measured without weights, 41 with them.
BYTES_PER_KEY = 60
# One key of so many in each run is a sample.
_SAMPLE_STEP = 2**9


class ExternalSort:
    """Sorts edges by means of scratch files in a folder; duplicates get their largest weight."""

    def __init__(self, folder: Path, weighted: bool) -> None:
        self.repairs: Counter[str] = Counter()
        self._keys_path = folder / "keys"
        self._weights_path = folder / "key_weights" if weighted else None
        # Run r holds the keys from _run_starts[r] to _run_starts[r + 1].
        self._run_starts = [0]
        self._samples: list[np.ndarray] = []
        self._num_edges = 0

    def add(self, source: np.ndarray, target: np.ndarray, weights: np.ndarray | None) -> None:
        """Write the entries of edges between rows, int64 ``[n]``, as a sorted run."""
        keep = source != target
        self.repairs[LOOPS] += len(source) - int(keep.sum())
        if weights is not None:
            self.repairs[ZEROS] += int((keep & (weights == 0)).sum())
            keep &= weights > 0
            weights = np.tile(weights[keep], 2)
        source, target = source[keep], target[keep]
        self._num_edges += len(source)
        keys = np.concatenate([source << 32 | target << 1, target << 32 | source << 1 | 1])
        keys, weights = _sort(keys, weights)
        first = np.flatnonzero(is_first(keys))
        if weights is not None and self._weights_path is not None:
            with open(self._weights_path, "ab") as file:
                _largest(weights, first).tofile(file)
        with open(self._keys_path, "ab") as file:
            keys[first].tofile(file)
        self._samples.append(keys[first[::_SAMPLE_STEP]])
        self._run_starts.append(self._run_starts[-1] + len(first))

    def write(self, folder: Path, num_nodes: int, keys_at_once: int) -> np.ndarray:
        """Write ``indices.npy`` and ``weights.npy``; return ``indptr``, int64 ``[V + 1]``.

        Parts have at most ``keys_at_once`` keys and, for each run, ``_SAMPLE_STEP`` more.
        """
        indptr, num_directed = np.zeros(num_nodes + 1, np.int64), 0
        for keys, weights in self._sorted_parts(keys_at_once):
            is_mirrored = keys & 1
            keys >>= 1
            # The last bit has sorted an edge of the file before its mirror image.
            first = np.flatnonzero(is_first(keys))
            num_directed += len(first) - int(is_mirrored[first].sum())
            if weights is not None:
                append_npy(folder / "weights.npy", _largest(weights, first))
            keys = keys[first]
            append_npy(folder / "indices.npy", (keys & (2**31 - 1)).astype(np.int32))
            keys >>= 31
            starts = np.flatnonzero(is_first(keys))
            indptr[keys[starts] + 1] += np.diff(starts, append=len(keys))
        np.cumsum(indptr, out=indptr)
        self.repairs[DUPLICATES] = self._num_edges - num_directed
        self.repairs[MIRRORED] = int(indptr[-1]) - num_directed
        return indptr

    def _sorted_parts(self, keys_at_once: int) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
        """Yield the keys and the weights of each part."""
        samples = np.sort(np.concatenate(self._samples))
        step = max(1, keys_at_once // _SAMPLE_STEP)
        # Both directions of an entry, which differ in the last bit, belong to the same part.
        cuts = samples[step::step] & ~1
        # Part p of run r lies between bounds[r, p] and bounds[r, p + 1].
        runs = list(itertools.pairwise(self._run_starts))
        inner = [a + np.searchsorted(_read(self._keys_path, np.int64, a, b), cuts) for a, b in runs]
        bounds = np.array([[a, *cut, b] for (a, b), cut in zip(runs, inner, strict=True)])
        for part in range(len(cuts) + 1):
            slices = bounds[:, part : part + 2].tolist()
            keys = np.concatenate([_read(self._keys_path, np.int64, a, b) for a, b in slices])
            weights = None
            if self._weights_path is not None:
                pieces = [_read(self._weights_path, np.float32, a, b) for a, b in slices]
                weights = np.concatenate(pieces)
            yield _sort(keys, weights)


def _read(path: Path, dtype: Any, first: int, last: int) -> np.ndarray:
    """Return the numbers from ``first`` to ``last - 1`` of a scratch file."""
    return np.fromfile(path, dtype, last - first, offset=first * np.dtype(dtype).itemsize)


def _sort(keys: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    if weights is None:
        keys.sort()
        return keys, None
    order = np.argsort(keys)
    return keys[order], weights[order]


def _largest(weights: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return the largest weight of each group of equal keys, given where groups begin."""
    return np.maximum.reduceat(weights, first) if len(first) else weights
