"""Edges of a file → numbers on disk, and the ids of the nodes in ascending order in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from gomkcn_dgl.csr import as_float32
from gomkcn_dgl.io.edge_table import EdgeTable
from gomkcn_dgl.storage.graph_folder_checks import chunks

# what a name takes at the peak beside its string, in a dict, a list and arrays: 113 were measured
_BYTES_OF_NAME = 130


@dataclass(frozen=True)
class Spool:
    """Edges on disk, in the order of the file.

    Attributes
    ----------
    pairs_path, weights_path : pathlib.Path
        int64 ``[n, 2]`` and float32 ``[n]``, without a header.
    num_edges : int
        Lines n of the file.
    weighted : bool
    ids : numpy.ndarray or list of str
        ``[V]`` in ascending order: integers by value, text by code point.
    codes : numpy.ndarray or None
        int64 ``[V]``; where ids are text, the pairs hold codes, and node ``codes[c]`` has the code
        ``c``. None: the pairs hold the ids themselves.
    """

    pairs_path: Path
    weights_path: Path
    num_edges: int
    weighted: bool
    ids: np.ndarray | list[str]
    codes: np.ndarray | None

    def read(self, size: int) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
        """Yield pairs and weights, ``size`` edges at a time."""
        for first, last in chunks(self.num_edges, size):
            weights = None
            if self.weighted:
                weights = np.fromfile(self.weights_path, np.float32, last - first, offset=4 * first)
            yield self.read_pairs(first, last), weights

    def read_pairs(self, first: int, last: int) -> np.ndarray:
        """Return pairs ``first`` to ``last - 1``, ``[n, 2]``."""
        pairs = np.fromfile(self.pairs_path, np.int64, 2 * (last - first), offset=16 * first)
        return pairs.reshape(-1, 2)

    def remove(self) -> None:
        """Give the disk back."""
        self.pairs_path.unlink()
        self.weights_path.unlink()


def spool_edges(
    tables: Iterable[EdgeTable], folder: Path, check_bytes: Callable[[int, int], None]
) -> Spool:
    """Write edges to disk as they come, and collect the ids of their nodes.

    Parameters
    ----------
    tables : iterable of EdgeTable
        Ids are int64 in all of them, or object arrays of str.
    folder : pathlib.Path
        Where the files go.
    check_bytes : callable
        Told how many bytes the ids need, and of how many nodes they are, whenever these have
        grown; it raises if that is too much.
    """
    ids = _Ids(check_bytes)
    num_edges, weighted = 0, False
    pairs_path, weights_path = folder / "pairs", folder / "weights"
    with open(pairs_path, "wb") as pairs, open(weights_path, "wb") as weights:
        for table in tables:
            np.stack(ids.take(table.source, table.target), axis=1).tofile(pairs)
            if table.weights is not None:
                weighted = True
                as_float32("edge weights", table.weights).tofile(weights)
            num_edges += len(table.source)
    found, codes = ids.finish()
    return Spool(pairs_path, weights_path, num_edges, weighted, found, codes)


class _Ids:
    """Ids of nodes, each once, as they come."""

    def __init__(self, check_bytes: Callable[[int, int], None]) -> None:
        self.check_bytes = check_bytes
        # integers: ascending arrays to be merged
        self.sorted: np.ndarray = np.empty(0, np.int64)
        self.waiting: list[np.ndarray] = []
        self.num_waiting = 0
        # text: the code of each name, in the order of the file
        self.code_of: dict[str, int] = {}
        self.bytes_of_text = 0

    def take(self, source: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what stands for the ids on disk."""
        ends = np.concatenate([source, target])
        if ends.dtype == object:
            return self._encode(ends, len(source))
        self.waiting.append(_distinct(ends))
        self.num_waiting += len(self.waiting[-1])
        # rarely enough that the time is that of one merge at the end
        if self.num_waiting > len(self.sorted):
            self._merge()
        return source, target

    def finish(self) -> tuple[np.ndarray | list[str], np.ndarray | None]:
        """Return the ids in ascending order, and the node of each code if they are text."""
        if not self.code_of:
            self._merge()
            return self.sorted, None
        names = sorted(self.code_of)
        codes = np.empty(len(names), np.int64)
        codes[[self.code_of[name] for name in names]] = np.arange(len(names))
        self.code_of = {}
        return names, codes

    def _merge(self) -> None:
        # the old ones, the new ones, and all of them twice while they are sorted
        total = len(self.sorted) + self.num_waiting
        self.check_bytes(8 * 3 * total, total)
        self.sorted = _distinct(np.concatenate([self.sorted, *self.waiting]))
        self.waiting, self.num_waiting = [], 0

    def _encode(self, names: np.ndarray, num_edges: int) -> tuple[np.ndarray, np.ndarray]:
        local, distinct = pd.factorize(names)
        known = len(self.code_of)
        codes = np.array([self.code_of.setdefault(n, len(self.code_of)) for n in distinct])
        if len(self.code_of) > known:
            self.bytes_of_text += sum(map(sys.getsizeof, distinct[codes >= known]))
            size = self.bytes_of_text + _BYTES_OF_NAME * len(self.code_of)
            self.check_bytes(size, len(self.code_of))
        pairs = codes[local].astype(np.int64)
        return pairs[:num_edges], pairs[num_edges:]


def _distinct(values: np.ndarray) -> np.ndarray:
    values.sort()
    keep = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=keep[1:])
    return values[keep]
