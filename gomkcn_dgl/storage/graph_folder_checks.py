"""The arrays of a graph folder: do they make a graph? Read bit by bit, in bounded memory.

What is refused is what could break compiled code or make two of its loops disagree: a row that does
not follow the one before, a neighbour out of range, a row out of order, an edge in one direction.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.hashing import mix64
from gomkcn_dgl.storage.npy_files import StoredArray

# numbers looked at in one go
CHUNK = 2**20


def chunks(length: int, size: int = CHUNK) -> Iterator[tuple[int, int]]:
    """Yield ``(first, last + 1)`` of each piece of ``range(length)``."""
    for first in range(0, length, size):
        yield first, min(first + size, length)


def check_graph_ptr(graph_ptr: StoredArray, num_nodes: int) -> None:
    """Refuse a collection whose graphs do not follow each other."""
    _check_rising("graph_ptr", graph_ptr, num_nodes)


def check_names(content: StoredArray, offsets: StoredArray) -> None:
    """Refuse text ids that are not UTF-8, each of its own."""
    _check_rising("node_ids_offsets", offsets, len(content))
    for first, last in chunks(len(content)):
        # a character has 4 bytes at most, and may begin before the piece
        piece = content.read(max(0, first - 4), last)
        if _breaks_utf8(piece, first == 0, last == len(content)):
            raise InputError("node_ids.npy must hold text in UTF-8.")
    for first, last in chunks(len(offsets)):
        starts = offsets.read(first, last)
        starts = starts[starts < len(content)]
        # 10xxxxxx goes on with a character
        if ((content.array[starts] & 0xC0) == 0x80).any():
            raise InputError("node_ids_offsets.npy must not split a character.")


def _breaks_utf8(piece: np.ndarray, is_first: bool, is_last: bool) -> bool:
    """Whether some bytes are no UTF-8, whatever comes before and after the piece."""
    text = piece.tobytes()
    if not is_first:
        starts = [k for k in range(min(4, len(text))) if text[k] & 0xC0 != 0x80]
        if not starts:
            return True
        text = text[starts[0] :]
    try:
        text.decode()
    except UnicodeDecodeError as error:
        cut = not is_last and error.end == len(text) and "unexpected end" in error.reason
        return not cut
    return False


def check_features(features: StoredArray) -> None:
    """Refuse features that are not finite."""
    rows = max(1, CHUNK // max(1, features.array.shape[1]))
    for first, last in chunks(len(features), rows):
        values = features.read(first, last)
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise InputError(
                f"features.npy must be finite, got {values[row, column]} in row {first + row}, "
                f"column {column}."
            )


def check_rows(
    indptr: StoredArray,
    indices: StoredArray,
    weights: StoredArray | None,
    graph_ptr: np.ndarray,
) -> None:
    """Refuse what is not an undirected simple graph, or a collection of such.

    That each edge is there in both directions is told by a sum over all of them, in which the two
    directions cancel; one sum in 2^64 would do so by chance.
    """
    num_edges, num_nodes = len(indices), len(indptr) - 1
    balance, previous, before = 0, 0, (-1, -1)
    for first, last in chunks(num_nodes):
        starts = indptr.read(first, last + 1)
        if starts[0] != previous or (np.diff(starts) < 0).any() or starts[-1] > num_edges:
            raise _indptr_error(num_edges)
        previous = int(starts[-1])
        for begin, end in chunks(previous - int(starts[0])):
            begin, end = begin + int(starts[0]), end + int(starts[0])
            counts = np.minimum(starts[1:], end) - np.maximum(starts[:-1], begin)
            row = np.repeat(np.arange(first, last), np.maximum(counts, 0))
            column = indices.read(begin, end)
            before = _check_order(row, column, num_nodes, before)
            values = None if weights is None else _check_weights(weights, begin, end)
            _check_owners(row, column, graph_ptr)
            balance += _balance(row, column, values)
    if previous != num_edges:
        raise _indptr_error(num_edges)
    if balance % 2**64:
        raise InputError("indices.npy must hold each edge in both directions, with one weight.")


def _check_rising(name: str, pointer: StoredArray, end: int) -> None:
    previous = 0
    for first, last in chunks(len(pointer)):
        values = pointer.read(first, last)
        if (first == 0 and values[0] != 0) or values[0] < previous or (np.diff(values) < 0).any():
            raise InputError(f"{name}.npy must rise from 0 to {end}.")
        previous = int(values[-1])
    if previous != end:
        raise InputError(f"{name}.npy must rise from 0 to {end}, got {previous} at its end.")


def _indptr_error(num_edges: int) -> InputError:
    return InputError(f"indptr.npy must rise from 0 to the length of indices.npy, {num_edges}.")


def _check_order(
    row: np.ndarray, column: np.ndarray, num_nodes: int, before: tuple[int, int]
) -> tuple[int, int]:
    """Check the entries of a piece, the last one before it known; return its own last one."""
    if column.min() < 0 or column.max() >= num_nodes:
        worst = column.min() if column.min() < 0 else column.max()
        raise InputError(f"indices.npy must lie in 0 to {num_nodes - 1}, got {worst}.")
    falls = (row[1:] == row[:-1]) & (column[1:] <= column[:-1])
    joins = before[0] == row[0] and column[0] <= before[1]
    if joins or falls.any():
        wrong = row[0] if joins else row[1:][falls][0]
        raise InputError(
            f"indices.npy must ascend in each row, without duplicates; row {wrong} does not."
        )
    if (row == column).any():
        raise InputError(
            f"indices.npy must hold no self-loop, got one at node {row[row == column][0]}."
        )
    return int(row[-1]), int(column[-1])


def _check_weights(weights: StoredArray, begin: int, end: int) -> np.ndarray:
    values = weights.read(begin, end)
    good = np.isfinite(values) & (values > 0)
    if not good.all():
        raise InputError(
            f"weights.npy must be finite and greater than 0, got {values[~good][0]} at "
            f"{begin + int(np.flatnonzero(~good)[0])}."
        )
    return values


def _check_owners(row: np.ndarray, column: np.ndarray, graph_ptr: np.ndarray) -> None:
    """Refuse an edge between two graphs of a collection."""
    if len(graph_ptr) == 2:
        return
    owners = [np.searchsorted(graph_ptr, nodes, side="right") for nodes in (row, column)]
    crossing = np.flatnonzero(owners[0] != owners[1])
    if len(crossing):
        raise InputError(
            "an edge must stay within one graph of the collection, got an edge from node "
            f"{row[crossing[0]]} to node {column[crossing[0]]} of another graph."
        )


def _balance(row: np.ndarray, column: np.ndarray, weights: np.ndarray | None) -> int:
    """Sum of a fingerprint of each entry, of one sign above the diagonal, of the other below."""
    pair = np.minimum(row, column).astype(np.uint64) << np.uint64(32)
    pair |= np.maximum(row, column).astype(np.uint64)
    if weights is not None:
        pair = mix64(pair) + weights.view(np.uint32)
    mixed, upper = mix64(pair), row < column
    return int(mixed[upper].sum()) - int(mixed[~upper].sum())
