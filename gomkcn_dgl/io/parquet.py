"""A parquet file of edges → tables of edges, some rows at a time; needs pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.tables import LONGEST_ID, EdgeTable, edge_columns, refuse_wide
from gomkcn_dgl.runtime.file_bytes import file_problems, most_bytes

_ROWS_AT_ONCE = 2**16
_BUFFER = 2**20


def parquet_blocks(
    path: Path, rows: int, on_progress: Callable[[float], Any] = lambda share: None
) -> Iterator[EdgeTable]:
    """Yield the edges of a parquet file, block by block.

    The columns are told by their names as in a CSV file. Ids are integers where both columns are,
    and text (object arrays of str) where both are text.

    Parameters
    ----------
    path : pathlib.Path
    rows : int
        Rows of a block.
    on_progress : callable
        Told the share of the file that was read, after each block.

    Raises
    ------
    InputError
        For a file that cannot be read, columns of other types, an id or a weight out of range.
    """
    pyarrow, parquet = _import()
    with file_problems(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            raise OSError("it is a pipe or a device")
        open(path, "rb").close()
    done = 0
    try:
        # text stays in a dictionary until its length is checked
        # a buffer instead of whole column chunks
        with parquet.ParquetFile(path, buffer_size=_BUFFER) as file:
            columns = {file.schema.column(place).path for place in range(len(file.schema))}
            # a column of records or lists has other names below
            flat = [name for name in file.schema_arrow.names if name in columns]
        with parquet.ParquetFile(path, read_dictionary=flat) as file:
            wanted = edge_columns(list(file.schema_arrow.names))
            names = [file.schema_arrow.names[column] for column in wanted]
            types = [file.schema_arrow.field(column).type for column in wanted]
            kinds = [_kind(pyarrow, type) for type in types]
            _check_kinds(names, kinds, types)
            if not columns.issuperset(names):
                raise InputError("the parquet file cannot be read (its columns have other names).")
            total = file.metadata.num_rows
            # one number can stand for a million equal ones
            if 16 * total > most_bytes(path.stat().st_size):
                raise InputError(f"the file announces {total} edges, more than it could hold.")
            for batch in file.iter_batches(rows, columns=names, use_threads=False):
                if batch.num_rows:
                    yield _table_of(batch, names, kinds[0], done)
                done += batch.num_rows
                on_progress(done / total)
    # what pyarrow finds wrong in a damaged file
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(f"the parquet file cannot be read ({lines[0].rstrip('.')}).") from None
    if not done:
        raise InputError("the file holds a header and no edge.")


def read_edge_parquet(path: Path) -> EdgeTable:
    """Read all edges of a parquet file."""
    tables = list(parquet_blocks(path, _ROWS_AT_ONCE))
    source, target = (
        np.concatenate([getattr(table, name) for table in tables]) for name in ("source", "target")
    )
    if source.dtype == object:
        refuse_wide([len(name) for name in (*source, *target)], path.stat().st_size)
        source, target = source.astype(str), target.astype(str)
    weights = [table.weights for table in tables if table.weights is not None]
    return EdgeTable(source, target, np.concatenate(weights) if weights else None)


def _import() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(
            "a parquet file needs pyarrow, which is not installed; "
            "install gomkcn-dgl[parquet], or write a .csv file."
        ) from None
    return pyarrow, pyarrow.parquet


def _kind(pyarrow: Any, type: Any) -> str:
    """Return what a column holds: integers, numbers, text, or something else."""
    types = pyarrow.types
    if types.is_dictionary(type):
        type = type.value_type
    if types.is_integer(type):
        return "integers"
    if types.is_floating(type):
        return "numbers"
    return "text" if types.is_string(type) or types.is_large_string(type) else str(type)


def _check_kinds(names: list[str], kinds: list[str], types: list[Any]) -> None:
    if kinds[0] != kinds[1] or kinds[0] not in ("integers", "text"):
        raise InputError(
            f"the columns {names[0]!r} and {names[1]!r} must both hold integers or both text, "
            f"got {types[0]} and {types[1]}."
        )
    if len(kinds) == 3 and kinds[2] not in ("integers", "numbers"):
        raise InputError(f"the column {names[2]!r} must hold numbers, got {types[2]}.")


def _table_of(batch: Any, names: list[str], kind: str, before: int) -> EdgeTable:
    columns = [batch.column(name) for name in names]
    for name, column in zip(names, columns, strict=True):
        if column.null_count:
            row = before + column.is_null().index(True).as_py() + 1
            raise InputError(f"row {row}: the column {name!r} must hold a value, and it is null.")
    ends = [_ids(column, kind, before) for column in columns[:2]]
    weights = None
    if len(columns) == 3:
        weights = columns[2].to_numpy(zero_copy_only=False).astype(np.float64)
        bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
        if len(bad):
            raise InputError(
                f"row {before + bad[0] + 1}: an edge weight must be a finite number of at least 0, "
                f"got {weights[bad[0]]:g}."
            )
    return EdgeTable(ends[0], ends[1], weights)


def _ids(column: Any, kind: str, before: int) -> np.ndarray:
    if hasattr(column, "dictionary_decode"):
        if kind == "text":
            _check_dictionary(column, before)
        column = column.dictionary_decode()
    ids: np.ndarray = column.to_numpy(zero_copy_only=False)
    if kind == "integers":
        if ids.dtype.kind == "u" and int(ids.max()) >= 2**63:
            row = before + int(ids.argmax()) + 1
            raise InputError(f"row {row}: a node id must be less than 2^63, got {ids.max()}.")
        return ids.astype(np.int64)
    ids = ids.astype(object)
    for row, name in enumerate(ids, start=before + 1):
        if not _is_id(name):
            raise _id_error(row, name)
    return ids


def _check_dictionary(column: Any, before: int) -> None:
    """Refuse a long id while it is there once and not in every row."""
    for place, name in enumerate(column.dictionary.to_pylist()):
        if not _is_id(name or ""):
            row = column.indices.index(place).as_py()
            if row >= 0:
                raise _id_error(before + row + 1, name or "")


def _is_id(name: str) -> bool:
    return 1 <= len(name) <= LONGEST_ID and "\0" not in name


def _id_error(row: int, name: str) -> InputError:
    return InputError(
        f"row {row}: a node id must have 1 to {LONGEST_ID} characters and no NUL, "
        f"got {name[:40]!r}."
    )
