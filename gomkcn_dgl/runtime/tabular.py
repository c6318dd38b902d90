"""Results that are tables: columns → Arrow, pandas, Polars, and files of CSV, JSON and parquet."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

import numpy as np

from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import atomic_file, open_file

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

TABLE_FORMATS = ("csv", "parquet", "json")
# what a spreadsheet takes for the begin of a formula, also behind a tab or a line end
_BEGIN_FORMULA = "=+-@\t\r"
# what a notebook shows of a table, which is all structures of up to five nodes
_MOST_ROWS = 40
# columns, and characters of a line, that a table has in full as text
_MOST_COLUMNS, _WIDTH = 20, 100


class Tabular:
    """A result that is a table. Whatever reads Arrow, such as DuckDB and Polars, takes it as it is.

    Unknown numbers are NaN in :meth:`columns` and pandas, null in Arrow, Polars and parquet, and
    empty in CSV. What a row does not have is masked in :meth:`columns`, and ``<NA>`` in pandas.
    """

    def columns(self) -> dict[str, Any]:
        """Lists or arrays of equal length by the name of the column."""
        raise NotImplementedError

    def table(self) -> Table:
        """The columns as a plain table, which other results have as well."""
        return Table(self.columns())

    def to_arrow(self) -> pa.Table:
        """The table as one of pyarrow, which has no type for a count of 2^63 or more."""
        import pyarrow as pa

        try:
            return pa.table({name: _arrow_array(column) for name, column in self.columns().items()})
        except OverflowError:
            raise InputError(
                "a count of 2^63 or more has no type in Arrow, Polars and parquet; take pandas, "
                "CSV or JSON."
            ) from None

    def to_pandas(self) -> pd.DataFrame:
        """The table as a frame of pandas."""
        import pandas as pd

        return pd.DataFrame(
            {name: _pandas_column(column) for name, column in self.columns().items()}
        )

    def to_polars(self) -> pl.DataFrame:
        """The table as a frame of Polars, which must be installed."""
        import polars as pl

        return pl.DataFrame(self.to_arrow())

    def _repr_html_(self) -> str:
        """What it is, and all its columns; of many rows the first ones, for a notebook."""
        frame = self.to_pandas()
        caption = "" if isinstance(self, Table) else f"<p>{html.escape(repr(self))}</p>"
        left = len(frame) - _MOST_ROWS
        rows = "row" if left == 1 else "rows"
        more = f"<p>{left:,} more {rows}: to_pandas() has all.</p>" if left > 0 else ""
        shown: str = frame.head(_MOST_ROWS).to_html(index=False, na_rep="", border=0)
        return caption + shown + more

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def save(self, path: str | Path) -> None:
        """Write the table to a file whose name ends in .csv, .json or .parquet.

        In CSV a text that a spreadsheet would run as a formula has a ``'`` before it; the others
        keep each text as it is.
        """
        with atomic_file(path) as file:
            self.write_to(file, Path(path).suffix.removeprefix("."))

    def write_to(self, file: BinaryIO, format: str = "parquet") -> None:
        """Write the table into a file that is open."""
        check_choice("format", format, TABLE_FORMATS)
        if format == "parquet":
            from pyarrow import parquet

            parquet.write_table(self.to_arrow(), file)
            return
        lists = {
            name: [None if value != value else value for value in column]
            for name, column in plain_columns(self).items()
        }
        if format == "json":
            rows = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
            # a date is written as in CSV
            text = json.dumps(rows, ensure_ascii=False, default=str) + "\n"
        else:
            text = csv_text(
                [(guarded(name), list(map(guarded, column))) for name, column in lists.items()]
            )
        file.write(text.encode())


class _Result(Protocol):
    """What has a table, or several by name."""

    @property
    def table(self) -> Callable[..., Table]: ...


class WithTables:
    """What all results have that are no table, and have a ``table(which)``."""

    def to_pandas(self: _Result, *which: str) -> pd.DataFrame:
        """The table, or the one of a name, as a frame of pandas."""
        return self.table(*which).to_pandas()

    def to_polars(self: _Result, *which: str) -> pl.DataFrame:
        """The table, or the one of a name, as a frame of Polars, which must be installed."""
        return self.table(*which).to_polars()


def _arrow_array(column: Any) -> pa.Array:
    """A column as an array of Arrow."""
    import pyarrow as pa

    kind = column.dtype.kind if isinstance(column, np.ndarray) else ""
    known = None
    if isinstance(column, np.ma.MaskedArray):
        known = pa.py_buffer(np.packbits(~np.ma.getmaskarray(column), bitorder="little"))
        column = column.filled()
    # pyarrow makes an array of memory as it is; to look at values it imports pandas, for long
    if kind == "i":
        whole = np.ascontiguousarray(column, np.int64)
        return pa.Array.from_buffers(pa.int64(), len(whole), [known, pa.py_buffer(whole)])
    if kind == "f":
        real = np.ascontiguousarray(column, column.dtype if column.dtype.itemsize == 4 else float)
        known = pa.py_buffer(np.packbits(~np.isnan(real), bitorder="little"))
        type_of = {4: pa.float32(), 8: pa.float64()}[real.dtype.itemsize]
        return pa.Array.from_buffers(type_of, len(real), [known, pa.py_buffer(real)])
    if kind == "U":
        texts = [text.encode() for text in column.tolist()]
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
        buffers = known, pa.py_buffer(ends), pa.py_buffer(b"".join(texts))
        return pa.Array.from_buffers(pa.string(), len(texts), buffers)
    return pa.array(column, from_pandas=True)


def _pandas_column(column: Any) -> Any:
    """A column as pandas has it; whole numbers and texts stay such where some are masked."""
    import pandas as pd

    if not isinstance(column, np.ma.MaskedArray):
        return column
    kind = "Int64" if column.dtype.kind == "i" else "string"
    return pd.array(column.tolist(), dtype=kind)


def read_parquet(path: Path) -> pa.Table:
    """Read a table of a run; make lists of its columns, since what makes arrays imports pandas.

    So does ``parquet.read_table``, which also takes a folder for a table of many files, and waits
    for a pipe. Several threads wait forever at some damaged files.
    """
    from pyarrow import parquet

    with open_file(path) as file:
        return parquet.ParquetFile(file).read(use_threads=False)


@dataclass(frozen=True, eq=False)
class Table(Tabular):
    """A table of given columns."""

    named: Mapping[str, Any]

    def columns(self) -> dict[str, Any]:
        """Lists or arrays of equal length by the name of the column."""
        return dict(self.named)

    def __len__(self) -> int:
        """Number of rows."""
        return len(next(iter(self.named.values()), ()))

    def __repr__(self) -> str:
        """As pandas writes it, with all columns; more of them than fit in a line are below."""
        import pandas as pd

        with pd.option_context("display.max_columns", _MOST_COLUMNS, "display.width", _WIDTH):
            return repr(self.to_pandas())


def plain_columns(table: Tabular) -> dict[str, list[Any]]:
    """The columns of a table as lists of plain values."""
    return {
        name: getattr(column, "tolist", lambda column=column: column)()
        for name, column in table.columns().items()
    }


def guarded(value: Any) -> Any:
    """A cell that no spreadsheet runs: a text that begins as a formula does has a ' before it.

    What is a number stays one. Tables of results are guarded, which people open. Tables of graphs
    are not: they are read back, and a name must stay what it is.

    >>> guarded("=1+1"), guarded("-1.5"), guarded("a=b"), guarded(-2)
    ("'=1+1", '-1.5', 'a=b', -2)
    """
    if not isinstance(value, str) or len(value) < 2 or value[0] not in _BEGIN_FORMULA:
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def csv_text(columns: Sequence[tuple[str, Sequence[object]]], is_quoted: bool = False) -> str:
    """Return the content of a CSV file with these columns, each with its name; maybe all quoted."""
    file = io.StringIO()
    names, values = zip(*columns, strict=True)
    writer = csv.writer(
        file, lineterminator="\n", quoting=csv.QUOTE_ALL if is_quoted else csv.QUOTE_MINIMAL
    )
    writer.writerows([names, *zip(*values, strict=True)])
    # the writer leaves a line end of old computers as it is, behind which others begin a row
    if "\r" in file.getvalue() and not is_quoted:
        return csv_text(columns, is_quoted=True)
    return file.getvalue()
