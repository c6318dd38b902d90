"""Checks that the arrays of a graph folder form a graph, read in pieces of bounded memory.

What is refused could break compiled code or make two of its loops disagree: rows that overlap, a
neighbour out of range, neighbours out of order, two nodes one of which does not know the other, a
link that is not the same seen from its other end.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.relations import Relations
from gomkcn_dgl.storage.npy_files import read_rows

# Numbers that are read at once.
CHUNK = 2**20


def chunks(start: int, stop: int, size: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield ``(first, last + 1)`` of each piece of a range, of ``CHUNK`` numbers by default."""
    size = CHUNK if size is None else size
    for first in range(start, stop, size):
        yield first, min(first + size, stop)


def check_pointer(name: str, pointer: np.memmap, end: int) -> None:
    """Refuse positions that do not ascend from 0 to ``end``."""
    previous = 0
    for first, last in chunks(0, len(pointer)):
        values = read_rows(pointer, first, last)
        starts_well = values[0] == 0 if first == 0 else values[0] >= previous
        if not starts_well or (np.diff(values) < 0).any():
            raise InputError(f"{name}.npy must ascend from 0 to {end}.")
        previous = int(values[-1])
    if previous != end:
        raise InputError(f"{name}.npy must ascend from 0 to {end}, got {previous} at its end.")


def arrow_column(content: np.ndarray, offsets: np.ndarray) -> pa.LargeStringArray:
    """Return text ``[V]`` over UTF-8 bytes and int64 offsets ``[V + 1]``, without a copy."""
    buffers = pa.py_buffer(offsets), pa.py_buffer(content)
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, *buffers)


def check_names(content: np.memmap, offsets: np.memmap) -> None:
    """Refuse node names that are not text in UTF-8."""
    check_pointer("node_ids_offsets", offsets, len(content))
    for first, last in chunks(0, len(offsets) - 1):
        positions = read_rows(offsets, first, last + 1)
        text = read_rows(content, int(positions[0]), int(positions[-1]))
        try:
            arrow_column(text, positions - positions[0]).validate(full=True)
        except pa.ArrowInvalid:
            raise InputError("node_ids.npy must hold names in UTF-8.") from None


def check_features(features: np.memmap) -> None:
    """Refuse features of nodes that are not finite."""
    for first, last in chunks(0, len(features), max(1, CHUNK // features.shape[1])):
        values = read_rows(features, first, last)
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise InputError(
                f"features must be finite and at most 3.4e38 in size, got {values[row, column]} "
                f"in row {first + row}, column {column}; fill or drop such values first."
            )


def check_rows(
    indptr: np.memmap,
    indices: np.memmap,
    graph_ptr: np.ndarray,
    weights: np.memmap | None,
    links: np.memmap | None,
    relations: Relations,
) -> None:
    """Refuse what is not a graph without self-loops, or a collection of such graphs.

    Each pair of nodes must be stored in both rows, with opposite links and, without directions, one
    weight. This is tested by a sum of 64-bit fingerprints in which the two cancel; other arrays
    have the sum zero with a probability of 2^-64.
    """
    from gomkcn_dgl.kernels.entries_numba import scan_entries

    check_pointer("indptr", indptr, len(indices))
    num_nodes, balance, before = len(indptr) - 1, 0, (-1, -1)
    for first, last in chunks(0, num_nodes):
        starts = read_rows(indptr, first, last + 1)
        # A row may be longer than a piece, so pieces of entries are cut without regard to rows.
        for begin, end in chunks(int(starts[0]), int(starts[-1])):
            column = read_rows(indices, begin, end)
            alike = []
            if weights is not None:
                values = read_rows(weights, begin, end)
                if not (np.isfinite(values) & (values > 0)).all():
                    raise InputError("weights.npy must be finite and greater than 0.")
                alike += [] if relations.is_directed else [values.view(np.uint32)]
            row = np.empty(0, np.int64)
            if links is not None or len(graph_ptr) > 2:
                row = np.repeat(np.arange(first, last), np.diff(np.clip(starts, begin, end)))
            if links is not None:
                codes = read_rows(links, begin, end)
                if codes.min() < 1 or codes.max() >= len(relations.links):
                    raise InputError(
                        f"links.npy must be numbers of links, 1 to {len(relations.links) - 1}."
                    )
                alike.append(np.where(row < column, codes, relations.reverse[codes]))
            both = np.array(alike, np.uint64).reshape(len(alike), len(column))
            wrong, last_row, total = scan_entries(
                first, starts, begin, column, num_nodes, before, both
            )
            if wrong >= 0:
                raise InputError(
                    f"indices.npy must ascend in each row, from 0 to {num_nodes - 1}, without "
                    f"duplicates and self-loops; row {last_row} does not, at {column[wrong]}."
                )
            before = last_row, int(column[-1])
            if len(graph_ptr) > 2:
                _check_graphs(row, column, graph_ptr)
            balance += int(total)
    if balance % 2**64:
        same = "with one weight" if links is None else "with opposite links"
        raise InputError(f"indices.npy must hold each edge in both directions, {same}.")


def _check_graphs(row: np.ndarray, column: np.ndarray, graph_ptr: np.ndarray) -> None:
    """Refuse an edge between two graphs of a collection."""
    source, target = (np.searchsorted(graph_ptr, nodes, side="right") for nodes in (row, column))
    crossing = np.flatnonzero(source != target)
    if len(crossing):
        raise InputError(
            "an edge must stay within one graph of the collection, got an edge from node "
            f"{row[crossing[0]]} to node {column[crossing[0]]} of another graph."
        )
