"""Parquet files, of which Arrow reads the columns that are asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.table_form import NUM_FIRST, Row
from gomkcn_dgl.io.tables import (
    InputTable,
    Source,
    arrow_table,
    called_levels,
    check_names,
    first_texts,
    is_text,
    rows_of_columns,
    split_index,
)
from gomkcn_dgl.runtime.files import reason_of
from gomkcn_dgl.runtime.memory import check_readable

# that a graph takes while it is read, measured with 4 million edges of ten nodes; 340 of a million
BYTES_OF_AN_EDGE = 90


def open_parquet(file: InputFile) -> Source:
    """Open a parquet file, of which columns are read when they are asked for."""
    import pyarrow.parquet as pq

    with _parquet_problems():
        schema = pq.read_schema(file.source())
    # a word is read once, however often it is there
    words = [column.name for column in schema if is_text(column.type)]
    check_names(1, schema.names)
    names, index = split_index(schema)
    columns = [*names, *index]

    def opened() -> Any:
        return pq.ParquetFile(file.source(), read_dictionary=words)

    def read(used: Iterable[int]) -> InputTable:
        used = [*used]
        called = [columns[at] for at in used]
        with _parquet_problems(), opened() as parquet:
            check_readable(_size_of(parquet.metadata, len(called)), "the table of edges")
            # by one thread: several wait forever at some damaged files
            return arrow_table(parquet.read(called, use_threads=False), columns, used)

    def first(at: int) -> list[str]:
        with _parquet_problems(), opened() as parquet:
            batches = parquet.iter_batches(NUM_FIRST, columns=[columns[at]], use_threads=False)
            batch = next(iter(batches), None)
            # of a damaged file, a batch may lack its column
            return first_texts(batch.column(0)) if batch is not None and batch.num_columns else []

    def square() -> list[Row]:
        with _parquet_problems():
            num_rows = pq.read_metadata(file.source()).num_rows
        if not 0 < num_rows <= len(columns):
            return []
        return rows_of_columns(names, len(index), read(range(len(columns))))

    return Source(names, read, first, square, len(names), index_names=called_levels(index))


def _size_of(metadata: Any, num_used: int) -> int:
    """Bytes that some columns of a parquet file take, which may be far smaller.

    What is said of a single column is not asked: in a damaged file Arrow ends the process there.
    """
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    unpacked = sum(group.total_byte_size for group in groups)
    share = min(1.0, num_used / max(1, metadata.num_columns))
    return max(int(unpacked * share), metadata.num_rows * BYTES_OF_AN_EDGE)


@contextlib.contextmanager
def _parquet_problems() -> Iterator[None]:
    try:
        yield
    # whatever a damaged file leads Arrow into
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"the parquet file cannot be read ({reason_of(error)}).") from None
