"""A parquet file of edges → tables of edges, some rows at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.edge_layout import EdgeLayout, EdgeOptions, find_layout
from gomkcn_dgl.io.edge_table import LONGEST_ID, EdgeTable
from gomkcn_dgl.io.tables import check_names
from gomkcn_dgl.runtime.files import file_problems, open_file

_BUFFER_BYTES = 2**20


def parquet_layout(path: Path, options: EdgeOptions) -> EdgeLayout:
    """Tell the columns of a parquet file by their names, as in a CSV file."""
    with _parquet_problems(), _open(path) as file:
        stored = {file.schema.column(column).path for column in range(len(file.schema))}
        schema, total = file.schema_arrow, file.metadata.num_rows
    check_names(1, schema.names)
    layout = find_layout(list(schema.names), options)
    # columns of records and lists are stored under other names
    if not stored.issuperset(schema.names[column] for column in layout.used):
        raise InputError("the parquet file cannot be read (its columns have other names).")
    _check_types(layout, schema)
    if not total:
        raise InputError("the file holds a header and no edge.")
    return layout


def parquet_blocks(path: Path, layout: EdgeLayout, rows: int) -> Iterator[EdgeTable]:
    """Yield the edges of a parquet file in blocks of at most ``rows``.

    Ids are integers where both columns are, and text (object arrays of str) where both are text.
    """
    done = 0
    names = [layout.names[column] for column in layout.used]
    with _parquet_problems():
        with _open(path) as file:
            schema = file.schema_arrow
        text = [name for name in names if _is_text(schema.field(name).type)]
        # text stays in a dictionary until its length is checked
        with _open(path, text) as file:
            for batch in file.iter_batches(rows, columns=names, use_threads=False):
                if batch.num_rows:
                    yield _to_table(batch, layout, done)
                done += batch.num_rows


def _open(path: Path, text: Sequence[str] = ()) -> Any:
    with file_problems(path):
        open_file(path).close()
    # read in batches by one thread: read_table waits forever at some damaged files
    return pq.ParquetFile(path, read_dictionary=list(text) or None, buffer_size=_BUFFER_BYTES)


@contextlib.contextmanager
def _parquet_problems() -> Iterator[None]:
    """Say in one sentence what is wrong in a damaged file."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(f"the parquet file cannot be read ({lines[0].rstrip('.')}).") from None


def _is_text(kind: Any) -> bool:
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(plain) or pa.types.is_large_string(plain))


def _is_integer(kind: Any) -> bool:
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_integer(plain))


def _check_types(layout: EdgeLayout, schema: Any) -> None:
    """Refuse columns of other types than their use asks for."""
    names = layout.names
    ends = [schema.field(names[column]).type for column in layout.ends]
    if not (all(map(_is_text, ends)) or all(map(_is_integer, ends))):
        raise InputError(
            f"the columns {names[layout.ends[0]]!r} and {names[layout.ends[1]]!r} must both hold "
            f"integers or both text, got {ends[0]} and {ends[1]}."
        )
    for column in layout.used:
        kind = schema.field(names[column]).type
        if column in layout.ends:
            continue
        if column == layout.relation:
            if not (_is_text(kind) or _is_integer(kind)):
                raise InputError(
                    f"the column {names[column]!r} must hold text or integers, got {kind}."
                )
        elif not (_is_integer(kind) or pa.types.is_floating(kind)):
            raise InputError(f"the column {names[column]!r} must hold numbers, got {kind}.")


def _to_table(batch: Any, layout: EdgeLayout, before: int) -> EdgeTable:
    """Return the edges of a batch that comes after so many rows of the file."""
    columns = {column: batch.column(layout.names[column]) for column in layout.used}
    for position, column in columns.items():
        if column.null_count:
            row = before + column.is_null().index(True).as_py() + 1
            name = layout.names[position]
            raise InputError(f"row {row}: the column {name!r} must hold a value, and it is null.")
    source, target = (_ids(columns[end], before) for end in layout.ends)
    weights = relation = None
    if layout.weight is not None:
        weights = _weights(columns[layout.weight], before)
    if layout.relation is not None:
        relation = _ids(columns[layout.relation], before, "a relation").astype(str).astype(object)
    return EdgeTable(source, target, weights, relation)


def _weights(column: Any, before: int) -> np.ndarray:
    values: np.ndarray = _decode(column).to_numpy(zero_copy_only=False).astype(np.float64)
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise InputError(
            f"row {before + bad[0] + 1}: an edge weight must be a finite number of at least 0, "
            f"got {values[bad[0]]:g}."
        )
    return values


def _ids(column: Any, before: int, what: str = "a node id") -> np.ndarray:
    if not _is_text(column.type):
        ids: np.ndarray = _decode(column).to_numpy(zero_copy_only=False)
        if ids.dtype.kind == "u" and int(ids.max()) >= 2**63:
            row = before + int(ids.argmax()) + 1
            raise InputError(f"row {row}: {what} must be less than 2^63, got {ids.max()}.")
        return ids.astype(np.int64)
    # a long id is refused while it is stored once, not in every row
    column = column.dictionary_encode()
    for position, name in enumerate(column.dictionary.to_pylist()):
        if name is None or not 1 <= len(name) <= LONGEST_ID or "\0" in name:
            row = column.indices.index(position).as_py()
            if row >= 0:
                raise InputError(
                    f"row {before + row + 1}: {what} must have 1 to {LONGEST_ID} characters and "
                    f"no NUL, got {(name or '')[:40]!r}."
                )
    return _decode(column).to_numpy(zero_copy_only=False).astype(object)


def _decode(column: Any) -> Any:
    return column.dictionary_decode() if hasattr(column, "dictionary_decode") else column
