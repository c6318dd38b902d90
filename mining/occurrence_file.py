"""Occurrences ↔ `occurrences.parquet`: one row per occurrence, written and read in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gomkcn_dgl.errors import InputError
from mining.occurrences import Occurrences
from mining.pattern import Pattern

_BATCH_ROWS = 1 << 16


def write_occurrences(file: BinaryIO, patterns: Sequence[Pattern]) -> None:
    """Write all occurrences of all patterns, with the columns of :func:`occurrence_batches`."""
    schema, batches = occurrence_batches(patterns)
    with pq.ParquetWriter(file, schema) as writer:
        for batch in batches:
            writer.write_table(batch)


def occurrence_batches(patterns: Sequence[Pattern]) -> tuple[pa.Schema, Iterator[pa.Table]]:
    """The occurrences of all patterns as tables of at most 65536 rows, and their schema.

    Columns: ``pattern``, ``occurrence`` (its number within the pattern, most similar first),
    ``graph`` (of a collection), ``similarity`` and ``nodes``: the input's own id of the graph node
    that each pattern node is mapped to, null for none; integers, or text where an id is text.
    """
    tables = [Occurrences.of(pattern.occurrences, pattern.num_nodes) for pattern in patterns]
    schema = _schema(pa.int64() if all(map(_has_integer_ids, tables)) else pa.string())
    return schema, (
        _to_arrow(pattern.id, start, occurrences[start : start + _BATCH_ROWS], schema)
        for pattern, occurrences in zip(patterns, tables, strict=True)
        for start in range(0, len(occurrences), _BATCH_ROWS)
    )


def _has_integer_ids(occurrences: Occurrences) -> bool:
    names = occurrences.names
    if names is None or names.dtype.kind != "O":
        return names is None or names.dtype.kind in "iu"
    return all(isinstance(name, int) for name in names.tolist())


def _schema(ids: pa.DataType) -> pa.Schema:
    types = {"pattern": pa.int32(), "occurrence": pa.int64(), "graph": pa.int64()}
    return pa.schema({**types, "similarity": pa.float64(), "nodes": pa.list_(ids)})


def _to_arrow(pattern: int, start: int, batch: Occurrences, schema: pa.Schema) -> pa.Table:
    nodes = batch.nodes  # [K, M]
    ids = nodes if batch.names is None else batch.names[nodes]
    kind = schema.field("nodes").type.value_type
    if pa.types.is_string(kind):
        ids = ids.astype(str)
    values = pa.array(ids.reshape(-1), type=kind, mask=(nodes < 0).reshape(-1))
    offsets = np.arange(len(nodes) + 1, dtype=np.int32) * nodes.shape[1]
    columns = [
        np.full(len(nodes), pattern, np.int32),
        np.arange(start, start + len(nodes)),
        batch.graph.astype(np.int64),
        np.round(batch.similarity.astype(np.float64), 6),
        pa.ListArray.from_arrays(pa.array(offsets), values),
    ]
    return pa.Table.from_arrays([pa.array(column) for column in columns], schema=schema)


def read_occurrences(path: Path, counts: Sequence[int]) -> list[Occurrences]:
    """Return the occurrences of each pattern, ``counts`` many, which are read at their first use.

    Raises InputError if the file is missing or damaged, or holds another number.
    """
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is no file")
        file = pq.ParquetFile(path)
        number = file.metadata.num_rows
        fits = any(file.schema_arrow.equals(_schema(kind)) for kind in (pa.int64(), pa.string()))
    except (OSError, ValueError, pa.ArrowException) as error:
        raise _damaged(path, error) from None
    if number != sum(counts) or not fits:
        raise InputError(
            f"{str(path)!r} does not hold the {sum(counts)} occurrences of patterns.json; "
            "mine again."
        )
    return [StoredOccurrences(path, pattern, count) for pattern, count in enumerate(counts)]


class StoredOccurrences(Occurrences):
    """The occurrences of a pattern in a file; the arrays are read when one of them is used."""

    def __init__(self, path: Path, pattern: int, count: int) -> None:
        self._path, self._pattern, self._count = path, pattern, count

    def __len__(self) -> int:
        """Number of occurrences K."""
        return self._count

    def __getattr__(self, name: str) -> Any:
        """Read the file at the first use of an array, which Python does not find before."""
        if name not in ("nodes", "similarity", "graph", "names"):
            raise AttributeError(name)
        try:
            rows = _rows_of(self._path, self._pattern)
            ids = rows["nodes"].combine_chunks().flatten()
            width = len(ids) // max(1, self._count)
            known = ids.is_valid().to_numpy(zero_copy_only=False)
            if len(rows) != self._count or len(ids) != width * self._count:
                raise ValueError("another number of occurrences")
            if self._count and not known.any():
                raise ValueError("no node of an occurrence is known")
            names, codes = np.unique(ids.drop_null().to_numpy(False), return_inverse=True)
        except (OSError, ValueError, TypeError, pa.ArrowException) as error:
            raise _damaged(self._path, error) from None
        nodes = np.full(len(ids), -1)
        nodes[known] = codes
        self.nodes, self.names = nodes.reshape(self._count, width), names
        self.similarity, self.graph = rows["similarity"].to_numpy(), rows["graph"].to_numpy()
        return getattr(self, name)


def _rows_of(path: Path, pattern: int) -> pa.Table:
    """Read the rows of a pattern in batches: pq.read_table never ends for some damaged files."""
    with pq.ParquetFile(path) as file:
        batches = [
            batch.filter(pc.equal(batch["pattern"], pattern))
            for batch in file.iter_batches(_BATCH_ROWS, use_threads=False)
        ]
        return pa.Table.from_batches(batches, file.schema_arrow)


def _damaged(path: Path, error: Exception) -> InputError:
    reason = next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")
    return InputError(f"{str(path)!r} cannot be read ({reason}); mine again.")
