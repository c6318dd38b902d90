"""A file of node features → float32 rows on disk, in bounded memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.csr import as_float32
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.io.conversion.csv_blocks import CsvBlock, read_csv_blocks
from gomkcn_dgl.io.conversion.text_blocks import text_blocks
from gomkcn_dgl.io.feature_file import (
    ID_COLUMNS,
    FeatureTable,
    column_positions,
    id_error,
    scan_features,
    table_of_array,
)
from gomkcn_dgl.runtime.file_bytes import file_problems, reason_of
from gomkcn_dgl.storage.graph_folder_checks import CHUNK, chunks
from gomkcn_dgl.storage.npy_files import NpyWriter, StoredArray
from gomkcn_dgl.storage.stored_names import NamesWriter, StoredNames, open_names

_ROWS_AT_ONCE = 2**14
_FILE, _IDS = "feature_rows", "feature_ids"


@dataclass(frozen=True)
class FeatureSpool:
    """Features on disk, in the order of their file.

    Attributes
    ----------
    source : pathlib.Path
        The file that they come from.
    folder : pathlib.Path
        Where ``feature_rows.npy`` is, float32 ``[n, D]``.
    names : tuple of str
        One name per column.
    num_rows : int
        n.
    ids : StoredNames or None
        text ``[n]`` the node of each row; None where the file has no column of ids.
    """

    source: Path
    folder: Path
    names: tuple[str, ...]
    num_rows: int
    ids: StoredNames | None

    def move_to(self, folder: Path, num_nodes: int) -> None:
        """Make the rows the features of nodes 0, 1, 2, … of a graph folder."""
        if self.num_rows != num_nodes:
            raise InputError(
                f"the feature file {self.source.name} must have one row for each of the "
                f"{num_nodes} nodes, got {self.num_rows} rows."
            )
        (self.folder / f"{_FILE}.npy").rename(folder / "features.npy")

    def match_to(
        self, folder: Path, num_nodes: int, nodes_of: Callable[[list[str]], np.ndarray], ids: Any
    ) -> None:
        """Write each row to the node that it names.

        Parameters
        ----------
        folder : pathlib.Path
            The graph folder.
        num_nodes : int
            V.
        nodes_of : callable
            From names to nodes, int64, -1 for a name that is none.
        ids : sequence
            ``[V]`` what the nodes are called, for a message.
        """
        assert self.ids is not None
        rows = StoredArray(self.folder, _FILE, np.float32, (self.num_rows, len(self.names)))
        path = folder / "features.npy"
        out = np.lib.format.open_memmap(
            path, mode="w+", dtype=np.float32, shape=(num_nodes, len(self.names))
        )
        seen = np.zeros(num_nodes, dtype=bool)
        for first, last in chunks(self.num_rows, _ROWS_AT_ONCE):
            names = self.ids[first:last].tolist()
            nodes = nodes_of(names)
            self._check_names(names, nodes, seen)
            out[nodes] = rows.read(first, last)
        out.flush()
        if not seen.all():
            missing = np.flatnonzero(~seen)
            first_id = ids[int(missing[0])]
            shown = first_id.item() if isinstance(first_id, np.generic) else first_id
            raise self._error(
                f"must have a row for every node, got none for {shown!r} ({len(missing)} in all)"
            )

    def _check_names(self, names: list[str], nodes: np.ndarray, seen: np.ndarray) -> None:
        """Mark the nodes that have a row now; refuse an unknown and a repeated one."""
        for name, node in zip(names, nodes.tolist(), strict=True):
            if node < 0:
                raise self._error(f"must name nodes of the graph only, got {name!r}")
            if seen[node]:
                raise self._error(f"must have one row for each node, got two for {name!r}")
            seen[node] = True

    def _error(self, rule: str) -> InputError:
        return id_error(FeatureTable(self.source, np.empty((0, 1)), self.names, None), rule)


def spool_features(
    path: Path, names: Sequence[str] | None, folder: Path, block_bytes: int
) -> FeatureSpool:
    """Write the features of a ``.npy`` or ``.csv`` file to disk, all columns or those named.

    Parameters
    ----------
    path : pathlib.Path
    names : sequence of str or None
    folder : pathlib.Path
        Where the files go.
    block_bytes : int
        Bytes of a CSV file read in one go, about.

    Raises
    ------
    InputError
        As :func:`gomkcn_dgl.io.feature_file.read_features`.
    """
    try:
        if path.suffix.lower() == ".npy":
            table = _open_npy(path)
        elif path.name.lower().endswith((".csv", ".csv.gz")):
            return _spool_csv(path, names, folder, block_bytes)
        else:
            raise InputError("a feature file must end in .npy or .csv.")
        columns = None if names is None else column_positions(names, table.names)
    except (InputError, InputTypeError) as error:
        raise InputError(f"the feature file {path.name}: {error}") from None
    width = table.values.shape[1]
    with NpyWriter(folder / f"{_FILE}.npy", np.float32, len(columns or table.names)) as out:
        for first, last in chunks(len(table.values), max(1, CHUNK // width)):
            values = table.values[first:last]
            values = values if columns is None else values[:, columns]
            if not np.isfinite(values).all():
                raise _not_finite(table.values, columns)
            out.append(as_float32("features", values))
    return FeatureSpool(path, folder, tuple(names or table.names), len(table.values), None)


def _open_npy(path: Path) -> FeatureTable:
    with file_problems(path), open(path, "rb") as file:
        start = file.read(len(np.lib.format.MAGIC_PREFIX))
    if not start.strip():
        raise InputError("the file is empty.")
    if start != np.lib.format.MAGIC_PREFIX:
        raise InputError("a NumPy array was expected, and the file does not start like one.")
    # a damaged header can raise nearly anything
    try:
        values = np.lib.format.open_memmap(path, mode="r")
    except Exception as error:
        raise InputError(f"the array cannot be read ({reason_of(error)}).") from None
    return table_of_array(path, values)


def _not_finite(values: np.ndarray, columns: list[int] | None) -> InputError:
    """Say which value is not finite, and how many are not."""
    place, count = None, 0
    for first, last in chunks(len(values), max(1, CHUNK // values.shape[1])):
        piece = values[first:last] if columns is None else values[first:last][:, columns]
        bad = np.argwhere(~np.isfinite(piece))
        if place is None and len(bad):
            place = (first + bad[0, 0], bad[0, 1], piece[tuple(bad[0])])
        count += len(bad)
    assert place is not None
    return InputError(
        f"features must be finite, got {place[2]} in row {place[0]}, column {place[1]} "
        f"({count} such values in all); fill or drop them first."
    )


def _spool_csv(
    path: Path, names: Sequence[str] | None, folder: Path, block_bytes: int
) -> FeatureSpool:
    header, blocks = read_csv_blocks(text_blocks(path, block_bytes))
    first = int(header[0].lower() in ID_COLUMNS)
    known = tuple(header[first:])
    if not known:
        raise InputError("line 1: the header must name a feature column.")
    columns = column_positions(names, known) if names is not None else list(range(len(known)))
    num_rows = 0
    with (
        NpyWriter(folder / f"{_FILE}.npy", np.float32, len(columns)) as out,
        NamesWriter(folder, _IDS) as names_out,
    ):
        for values, ids in _csv_tables(blocks, header, first):
            out.append(as_float32("features", values[:, columns]))
            names_out.append([] if ids is None else ids)
            num_rows += len(values)
    if not num_rows:
        raise InputError("the file holds a header and no row.")
    stored = open_names(folder, _IDS, num_rows) if first else None
    return FeatureSpool(path, folder, tuple(names or known), num_rows, stored)


def _csv_tables(
    blocks: Iterator[CsvBlock], header: list[str], first: int
) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """Yield features ``[n, D]`` and the ids of their nodes, block by block."""
    kinds = dict.fromkeys(range(first, len(header)), "float64")
    for block in blocks:
        frame = block.parse(len(header), {0: "str", **kinds} if first else kinds)
        if frame is not None:
            values = frame[list(kinds)].to_numpy()
            ids = frame[0].str.strip().to_numpy(dtype=object) if first else None
            # the second reading says which line is wrong
            if np.isfinite(values).all() and (ids is None or not (ids == "").any()):
                yield values, ids
                continue
        while True:
            values, ids = scan_features(itertools.islice(block.rows, _ROWS_AT_ONCE), header, first)
            if not len(values):
                break
            yield values, ids
