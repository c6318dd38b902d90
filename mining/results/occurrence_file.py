"""Occurrences ↔ `occurrences.parquet`: a row an occurrence, written and read piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.file_bytes import most_bytes
from mining.records.occurrence import Occurrences
from mining.records.pattern import Pattern

_ROWS_AT_ONCE = 1 << 16
# in memory, about
_BYTES_A_ROW = 128


def write_occurrences(file: BinaryIO, patterns: Sequence[Pattern]) -> None:
    """Write all occurrences of all patterns.

    Columns: ``pattern``, ``occurrence`` (its number within the pattern, most similar first),
    ``graph`` (of a collection), ``similarity`` and ``nodes``: the input's own id of the node that
    plays each pattern node, null where none does; integers, or text where an id is text.
    """
    found = [Occurrences.of(pattern.occurrences, pattern.num_nodes) for pattern in patterns]
    whole = all(places.names is None or _all_whole(places.names) for places in found)
    schema = _schema(pa.int64() if whole else pa.string())
    with pq.ParquetWriter(file, schema) as writer:
        for pattern, places in zip(patterns, found, strict=True):
            for part in _parts(len(places)):
                writer.write_table(_as_table(pattern.id, places, part, schema))


def _schema(ids: pa.DataType) -> pa.Schema:
    return pa.schema(
        [
            ("pattern", pa.int32()),
            ("occurrence", pa.int64()),
            ("graph", pa.int64()),
            ("similarity", pa.float64()),
            ("nodes", pa.list_(ids)),
        ]
    )


def _as_table(number: int, places: Occurrences, part: slice, schema: pa.Schema) -> pa.Table:
    nodes = places.nodes[part]
    ids = nodes if places.names is None else places.names[nodes]
    kind = schema.field("nodes").type.value_type
    if pa.types.is_string(kind):
        ids = ids.astype(str)
    values = pa.array(ids.reshape(-1), type=kind, mask=(nodes < 0).reshape(-1))
    offsets = np.arange(len(nodes) + 1, dtype=np.int32) * nodes.shape[1]
    columns = [
        np.full(len(nodes), number, np.int32),
        np.arange(part.start, part.stop),
        places.graph[part].astype(np.int64),
        np.round(places.similarity[part].astype(np.float64), 6),
        pa.ListArray.from_arrays(pa.array(offsets), values),
    ]
    return pa.Table.from_arrays([pa.array(column) for column in columns], schema=schema)


def read_occurrences(path: Path, counts: Sequence[int]) -> list[Occurrences]:
    """Return the occurrences of each pattern, of which there are ``counts``.

    They are read when they are asked for.

    Raises
    ------
    InputError
        If the file is missing or damaged, or holds another number.
    """
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is no file")
        file = pq.ParquetFile(path)
        number = file.metadata.num_rows
        fits = any(file.schema_arrow.equals(_schema(kind)) for kind in (pa.int64(), pa.string()))
        # its columns are not asked: pyarrow ends the process on some damaged ones
        if _BYTES_A_ROW * number > most_bytes(path.stat().st_size):
            raise ValueError("it announces more than it could hold")
    # pyarrow decodes what a damaged file holds
    except (OSError, ValueError, pa.ArrowException) as error:
        raise _damaged(path, error) from None
    if number != sum(counts) or not fits:
        raise InputError(
            f"{str(path)!r} does not hold the {sum(counts)} occurrences of patterns.json; "
            "mine again."
        )
    return [StoredOccurrences(path, number, count) for number, count in enumerate(counts)]


class StoredOccurrences(Occurrences):
    """Occurrences of a pattern in a file, read when one is asked for.

    Parameters
    ----------
    path : path
        ``occurrences.parquet``.
    pattern : int
    count : int
        How many there are.
    """

    def __init__(self, path: Path, pattern: int, count: int) -> None:
        self._path, self._pattern, self._count = path, pattern, count

    def __len__(self) -> int:
        """Number of occurrences K."""
        return self._count

    @cached_property
    def _read(self) -> Occurrences:
        try:
            table = _rows_of(self._path, self._pattern)
            lists = table["nodes"].combine_chunks()
            ids = lists.flatten()
            width = len(ids) // max(1, self._count)
            known = ids.is_valid().to_numpy(zero_copy_only=False)
            lost = self._count > 0 and not known.any()
            if len(table) != self._count or len(ids) != width * self._count or lost:
                raise ValueError("another number of occurrences")
            names, nodes = np.unique(ids.drop_null().to_numpy(False), return_inverse=True)
        except (OSError, ValueError, TypeError, pa.ArrowException) as error:
            raise _damaged(self._path, error) from None
        numbers = np.full(len(ids), -1)
        numbers[known] = nodes
        return Occurrences(
            numbers.reshape(self._count, width),
            table["similarity"].to_numpy(),
            table["graph"].to_numpy(),
            names,
        )

    @property
    def nodes(self) -> np.ndarray:  # type: ignore[override]
        """As in :class:`Occurrences`, and so the others."""
        return self._read.nodes

    @property
    def similarity(self) -> np.ndarray:  # type: ignore[override]
        """``[K]``."""
        return self._read.similarity

    @property
    def graph(self) -> np.ndarray:  # type: ignore[override]
        """``[K]``."""
        return self._read.graph

    @property
    def names(self) -> np.ndarray | None:  # type: ignore[override]
        """Ids that ``nodes`` number."""
        return self._read.names


def _rows_of(path: Path, pattern: int) -> pa.Table:
    """Read the rows of a pattern, batch by batch: pq.read_table waits for ever at some damage."""
    with pq.ParquetFile(path) as file:
        parts = [
            batch.filter(pc.equal(batch["pattern"], pattern))
            for batch in file.iter_batches(_ROWS_AT_ONCE, use_threads=False)
        ]
        return pa.Table.from_batches(parts, file.schema_arrow)


def _damaged(path: Path, error: Exception) -> InputError:
    reason = next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")
    return InputError(f"{str(path)!r} cannot be read ({reason}); mine again.")


def _all_whole(names: np.ndarray) -> bool:
    if names.dtype.kind == "O":
        return all(isinstance(name, int) for name in names.tolist())
    return names.dtype.kind in "iu"


def _parts(count: int) -> Iterator[slice]:
    for start in range(0, count, _ROWS_AT_ONCE):
        yield slice(start, min(start + _ROWS_AT_ONCE, count))
