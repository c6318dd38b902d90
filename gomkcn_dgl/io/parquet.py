"""A parquet file of edges → tables of edges, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.edge_table import LONGEST_ID, EdgeTable, edge_columns
from gomkcn_dgl.runtime.file_bytes import file_problems, most_bytes, open_file

_BUFFER_BYTES = 2**20


def parquet_blocks(path: Path, rows: int) -> Iterator[EdgeTable]:
    """Yield the edges of a parquet file in blocks of at most ``rows``.

    The columns are told by their names as in a CSV file. Ids are integers where both columns are,
    and text (object arrays of str) where both are text.
    """
    with file_problems(path):
        open_file(path).close()
    done = 0
    try:
        # read in batches by one thread: read_table waits forever at some damaged files
        with pq.ParquetFile(path, buffer_size=_BUFFER_BYTES) as file:
            stored = {file.schema.column(column).path for column in range(len(file.schema))}
            schema, total = file.schema_arrow, file.metadata.num_rows
        names = [schema.names[column] for column in edge_columns(list(schema.names))]
        # columns of records and lists are stored under other names
        if not stored.issuperset(names):
            raise InputError("the parquet file cannot be read (its columns have other names).")
        is_text = _check_types(names, [schema.field(name).type for name in names])
        # many equal values take hardly any room in the file
        if 16 * total > most_bytes(path.stat().st_size):
            raise InputError(f"the file announces {total} edges, more than it could hold.")
        # text stays in a dictionary until its length is checked
        with pq.ParquetFile(path, read_dictionary=names if is_text else None) as file:
            for batch in file.iter_batches(rows, columns=names, use_threads=False):
                if batch.num_rows:
                    yield _to_table(batch, names, is_text, done)
                done += batch.num_rows
    # whatever is wrong in a damaged file
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(f"the parquet file cannot be read ({lines[0].rstrip('.')}).") from None
    if not done:
        raise InputError("the file holds a header and no edge.")


def _check_types(names: list[str], types: list[Any]) -> bool:
    """Refuse columns of other types; return whether the node ids are text."""
    plain = [type.value_type if pa.types.is_dictionary(type) else type for type in types]
    text = [pa.types.is_string(type) or pa.types.is_large_string(type) for type in plain]
    integer = [pa.types.is_integer(type) for type in plain]
    if not (all(text[:2]) or all(integer[:2])):
        raise InputError(
            f"the columns {names[0]!r} and {names[1]!r} must both hold integers or both text, "
            f"got {types[0]} and {types[1]}."
        )
    if len(names) == 3 and not (integer[2] or pa.types.is_floating(plain[2])):
        raise InputError(f"the column {names[2]!r} must hold numbers, got {types[2]}.")
    return text[0]


def _to_table(batch: Any, names: list[str], is_text: bool, before: int) -> EdgeTable:
    """Return the edges of a batch that comes after so many rows of the file."""
    columns = [batch.column(name) for name in names]
    for name, column in zip(names, columns, strict=True):
        if column.null_count:
            row = before + column.is_null().index(True).as_py() + 1
            raise InputError(f"row {row}: the column {name!r} must hold a value, and it is null.")
    source, target = (_ids(column, is_text, before) for column in columns[:2])
    if len(columns) == 2:
        return EdgeTable(source, target, None)
    weights = columns[2].to_numpy(zero_copy_only=False).astype(np.float64)
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise InputError(
            f"row {before + bad[0] + 1}: an edge weight must be a finite number of at least 0, "
            f"got {weights[bad[0]]:g}."
        )
    return EdgeTable(source, target, weights)


def _ids(column: Any, is_text: bool, before: int) -> np.ndarray:
    if not is_text:
        ids: np.ndarray = _decode(column).to_numpy(zero_copy_only=False)
        if ids.dtype.kind == "u" and int(ids.max()) >= 2**63:
            row = before + int(ids.argmax()) + 1
            raise InputError(f"row {row}: a node id must be less than 2^63, got {ids.max()}.")
        return ids.astype(np.int64)
    # a long id is refused while it is stored once, not in every row
    column = column.dictionary_encode()
    for position, name in enumerate(column.dictionary.to_pylist()):
        if name is None or not 1 <= len(name) <= LONGEST_ID or "\0" in name:
            row = column.indices.index(position).as_py()
            if row >= 0:
                raise InputError(
                    f"row {before + row + 1}: a node id must have 1 to {LONGEST_ID} characters and "
                    f"no NUL, got {(name or '')[:40]!r}."
                )
    return _decode(column).to_numpy(zero_copy_only=False).astype(object)


def _decode(column: Any) -> Any:
    return column.dictionary_decode() if hasattr(column, "dictionary_decode") else column
