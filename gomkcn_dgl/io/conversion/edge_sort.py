"""Edges on disk in any order → sorted rows on disk, in bounded memory.

An entry of the adjacency matrix is one int64: its row, its column, and a last bit that is 0 if the
file names the edge in this direction and 1 if it is a mirror image. Entries are cut into parts by
ranges of that number, chosen from a sample so that each part fits into memory; each part is sorted,
and its duplicates are merged as :func:`gomkcn_dgl.csr.csr_from_edges` merges them.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.csr import DUPLICATES, LOOPS, MIRRORED, ZEROS
from gomkcn_dgl.io.conversion.edge_spool import Spool
from gomkcn_dgl.storage.npy_files import NpyWriter

# bytes that sorting takes at its peak, for each entry of a part: 29 and 41 were measured
BYTES_OF_ENTRY = 40
BYTES_OF_WEIGHTED_ENTRY = 60
# and cutting, for each edge of a block: 82 were measured, 134 with weights
BYTES_OF_EDGE = 200

# of a sample that says where to cut
_SAMPLE_OF_PART = 1000
# how full a part is meant to be: the sample is no more than that
_FILL = 0.7
_SAMPLE_RUN = 64


@dataclass(frozen=True)
class SortedEdges:
    """What sorting leaves beside the files ``indices.npy`` and ``weights.npy``.

    Attributes
    ----------
    indptr : numpy.ndarray
        int64 ``[V + 1]``.
    repairs : collections.Counter
        What was repaired, for the log.
    """

    indptr: np.ndarray
    repairs: Counter[str]


def sort_edges(
    spool: Spool,
    rows_of: Callable[[np.ndarray], np.ndarray],
    num_nodes: int,
    folder: Path,
    edges_at_once: int,
    entries_at_once: int,
    on_progress: Callable[[float], Any] = lambda share: None,
) -> SortedEdges:
    """Write the rows of the adjacency matrix into a graph folder.

    Parameters
    ----------
    spool : Spool
        The edges; its files are removed.
    rows_of : callable
        From what the spool holds for nodes to their rows, arrays of one shape.
    num_nodes : int
        V.
    folder : pathlib.Path
        The graph folder that gets ``indices.npy`` and ``weights.npy``.
    edges_at_once, entries_at_once : int
        Edges that are cut, entries that are sorted in one go.
    on_progress : callable
        Told the share that is done.
    """
    repairs: Counter[str] = Counter()
    num_parts = int(np.ceil(2 * spool.num_edges / (_FILL * entries_at_once)))
    bounds = _choose_bounds(spool, rows_of, num_parts)
    parts = [_Part(spool.pairs_path.parent / f"part{k}", spool.weighted) for k in range(num_parts)]
    num_kept, done = 0, 0
    for pairs, weights in spool.read(edges_at_once):
        done += len(pairs)
        source, target, weights = _simple_edges(rows_of(pairs), weights, repairs)
        num_kept += len(source)
        entries, weights = _sorted_entries(source, target, weights)
        cuts = np.searchsorted(entries, bounds)
        for part, first, last in zip(parts, [0, *cuts], [*cuts, len(entries)], strict=True):
            part.append(entries[first:last], None if weights is None else weights[first:last])
        on_progress(0.5 * done / spool.num_edges)
    spool.remove()
    degrees = np.zeros(num_nodes + 1, np.int64)
    num_directed = _write_parts(parts, folder, degrees[1:], on_progress)
    repairs[DUPLICATES] = num_kept - num_directed
    indptr = np.cumsum(degrees, out=degrees)
    repairs[MIRRORED] = int(indptr[-1]) - num_directed
    return SortedEdges(indptr, repairs)


class _Part:
    """Entries of one range on disk, in sorted runs."""

    def __init__(self, path: Path, weighted: bool) -> None:
        self.path = path
        self.weights_path = path.with_suffix(".weights") if weighted else None

    def append(self, entries: np.ndarray, weights: np.ndarray | None) -> None:
        # opened anew each time: a process may have a thousand files open, and there may be more
        with open(self.path, "ab") as file:
            entries.tofile(file)
        if weights is not None and self.weights_path is not None:
            with open(self.weights_path, "ab") as file:
                weights.tofile(file)

    def take(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the entries and their weights, sorted; the files are removed."""
        entries, weights = np.fromfile(self.path, np.int64), None
        self.path.unlink()
        if self.weights_path is None:
            entries.sort()
            return entries, None
        weights = np.fromfile(self.weights_path, np.float32)
        self.weights_path.unlink()
        order = np.argsort(entries)
        return entries[order], weights[order]


def _simple_edges(
    rows: np.ndarray, weights: np.ndarray | None, repairs: Counter[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Leave out self-loops and edges of weight 0, and count them."""
    source, target = rows.T
    keep = source != target
    repairs[LOOPS] += len(rows) - int(keep.sum())
    if weights is not None:
        repairs[ZEROS] += int((keep & (weights == 0)).sum())
        keep &= weights > 0
        weights = weights[keep]
    return source[keep], target[keep], weights


def _sorted_entries(
    source: np.ndarray, target: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return both entries of each edge, ascending, each once, with the largest weight."""
    entries = np.concatenate([_pack(source, target), _pack(target, source) | 1])
    if weights is None:
        entries.sort()
        return entries[_starts(entries)], None
    order = np.argsort(entries)
    return _merge(entries[order], np.concatenate([weights, weights])[order])


def _pack(row: np.ndarray, column: np.ndarray) -> np.ndarray:
    packed = row << 32
    packed |= column << 1
    return packed


def _starts(values: np.ndarray) -> np.ndarray:
    """Whether each of the ascending values is the first of its kind."""
    starts = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=starts[1:])
    return starts


def _merge(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each of the ascending values once, with its largest weight."""
    starts = np.flatnonzero(_starts(values))
    if not len(starts):
        return values, weights
    return values[starts], np.maximum.reduceat(weights, starts)


def _choose_bounds(
    spool: Spool, rows_of: Callable[[np.ndarray], np.ndarray], num_parts: int
) -> np.ndarray:
    """Return the entries at which parts after the first begin, int64 ``[num_parts - 1]``."""
    if num_parts == 1:
        return np.empty(0, np.int64)
    # runs of neighbouring edges, evenly over the file
    num_runs = min(
        num_parts * _SAMPLE_OF_PART // _SAMPLE_RUN + 1, -(-spool.num_edges // _SAMPLE_RUN)
    )
    starts = np.linspace(0, max(0, spool.num_edges - _SAMPLE_RUN), num_runs).astype(np.int64)
    ends = [min(start + _SAMPLE_RUN, spool.num_edges) for start in starts.tolist()]
    runs = [spool.read_pairs(a, b) for a, b in zip(starts.tolist(), ends, strict=True)]
    source, target = rows_of(np.concatenate(runs)).T
    entries = np.concatenate([_pack(source, target), _pack(target, source)])
    entries.sort()
    return entries[len(entries) * np.arange(1, num_parts) // num_parts]


def _write_parts(
    parts: list[_Part], folder: Path, degrees: np.ndarray, on_progress: Callable[[float], Any]
) -> int:
    """Write the rows of all parts, count their entries; return the number of directed edges."""
    num_directed = 0
    weighted = parts[0].weights_path is not None
    with contextlib.ExitStack() as stack:
        indices = stack.enter_context(NpyWriter(folder / "indices.npy", np.int32))
        values = None
        if weighted:
            values = stack.enter_context(NpyWriter(folder / "weights.npy", np.float32))
        for number, part in enumerate(parts, start=1):
            entries, weights = part.take()
            # 0 before 1: an entry that the file names comes before its mirror image
            named = ~entries & 1
            entries >>= 1
            starts = _starts(entries)
            num_directed += int(named[starts].sum())
            if weights is not None and values is not None:
                entries, weights = _merge(entries, weights)
                values.append(weights)
            else:
                entries = entries[starts]
            indices.append(entries & (2**31 - 1))
            entries >>= 31
            if len(entries):
                first = int(entries[0])
                counts = np.bincount(entries - first)
                degrees[first : first + len(counts)] += counts
            on_progress(0.5 + 0.5 * number / len(parts))
    return num_directed
