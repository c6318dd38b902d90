"""A file of edges of any size → a graph folder, in bounded memory.

    file → blocks of edges → ids of nodes, codes of edges → rows of nodes → sorted entries → arrays

Each stage reads and writes pieces. What is held of all nodes is their ids and 16 bytes each, which
is estimated before it is taken. The result is the same, array for array, as that of
``write_graph_folder(read_graph(file))``.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from gomkcn_dgl.checks import as_float32, check_int
from gomkcn_dgl.csr import CONSTANT, CONSTANT_FEATURE, log_repairs
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.conversion.external_sort import BYTES_PER_KEY, ExternalSort
from gomkcn_dgl.io.conversion.node_numbering import IntegerIds, TextIds
from gomkcn_dgl.io.edge_blocks import consume_edges, find_edge_layout
from gomkcn_dgl.io.edge_layout import EdgeOptions
from gomkcn_dgl.io.edge_table import EdgeTable
from gomkcn_dgl.io.feature_file import FeatureTable, match_rows
from gomkcn_dgl.io.reading import EDGE_FORMATS, find_features, find_format
from gomkcn_dgl.runtime.file_names import named
from gomkcn_dgl.runtime.memory import GIB, MIB, check_memory, memory_in_use
from gomkcn_dgl.storage.graph_folder import new_folder, write_node_ids
from gomkcn_dgl.storage.graph_folder_checks import CHUNK, check_features, chunks
from gomkcn_dgl.storage.graph_folder_header import FolderHeader
from gomkcn_dgl.storage.npy_files import append_npy, map_npy

log = logging.getLogger("gomkcn_dgl")

# Bytes that reading and sorting take with the smallest useful pieces.
_SMALLEST_BUDGET = 64 * MIB
# Bytes at the peak for each edge of a sorted run; 134 were measured with weights.
_BYTES_PER_EDGE = 200
_BYTES_PER_NODE = 16
# Bytes of a dict from names to nodes, for each name beside its text; 74 were measured.
_BYTES_PER_NAME = 100


class _PieceSizes(NamedTuple):
    """Bytes of the file, edges, and keys of entries that are read, numbered and sorted at once."""

    block_bytes: int
    edges: int
    keys: int


@dataclass
class _EncodedEdges:
    """Edges in scratch files, whose nodes are codes of a collector of ids.

    ``ids`` are those of the ``num_nodes`` nodes in ascending order; None: 0, 1, 2, …, and each code
    is the row of its node.
    """

    folder: Path
    num_edges: int
    weighted: bool
    collector: IntegerIds | TextIds
    ids: np.ndarray | list[str] | None
    num_nodes: int

    def read(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Return the source rows, target rows and weights of some edges."""
        ends = [
            np.fromfile(self.folder / name, np.int64, last - first, offset=8 * first)
            for name in ("source", "target")
        ]
        if self.ids is not None:
            ends = [self.collector.rows_of(codes) for codes in ends]
        weights = None
        if self.weighted:
            path = self.folder / "weights"
            weights = np.fromfile(path, np.float32, last - first, offset=4 * first)
        return ends[0], ends[1], weights


def convert_edges(
    edges: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    features: Sequence[str] | None = None,
    feature_file: str | os.PathLike[str] | None = None,
    format: str | None = None,
    memory_limit: int = 2 * GIB,
    force: bool = False,
    progress: bool = False,
) -> FolderHeader:
    """Convert an edge list, a CSV (both also ``.gz``) or a parquet file to a graph folder.

    Files are read by the rules of :func:`gomkcn_dgl.io.reading.read_graph`. The process may use
    ``memory_limit`` bytes, those in use before included. The folder appears when it is complete;
    with ``force`` it replaces another graph folder.
    """
    path, limit = Path(edges), check_int("memory_limit", memory_limit, 1)
    check_memory(memory_in_use() + _SMALLEST_BUDGET, limit, "reading a file of edges")
    with named(path):
        format = _check_format(path, format)
    with new_folder(out, force) as folder:
        scratch = folder / "scratch"
        scratch.mkdir()
        with named(path):
            table = find_features(path, format, features, feature_file)
            check_memory(memory_in_use() + _SMALLEST_BUDGET, limit, "the features beside edges")
            sizes = _piece_sizes(limit - memory_in_use())
            layout = find_edge_layout(path, format, EdgeOptions())
            if layout.relation is not None:
                raise InputError(
                    "edges with relations are not converted yet; read them into memory, and write "
                    "them to a name that ends in .graph."
                )
            encoded = consume_edges(
                path,
                layout,
                lambda tables: _encode_edges(tables, scratch, limit),
                block_bytes=sizes.block_bytes,
                block_rows=sizes.edges,
                progress=progress,
            )
            _drop_row_ids(encoded, table)
            if table is not None:
                _write_features(folder, table, encoded, limit)
        indptr, repairs = _sort_edges(folder, encoded, limit, progress)
        repairs = Counter({CONSTANT: 0 if table else encoded.num_nodes, **repairs})
        log_repairs(repairs)
        shutil.rmtree(scratch)
        np.save(folder / "indptr.npy", indptr)
        np.save(folder / "graph_ptr.npy", np.array([0, encoded.num_nodes]))
        header = FolderHeader(
            num_nodes=encoded.num_nodes,
            num_edges=int(indptr[-1]) // 2,
            num_graphs=1,
            weighted=encoded.weighted,
            feature_names=[CONSTANT_FEATURE] if table is None else list(table.names),
            constant_features=table is None,
            node_ids=write_node_ids(folder, encoded.ids),
            notes=[message % count for message, count in repairs.items() if count],
        )
        header.write(folder)
    return header


def _check_format(path: Path, format: str | None) -> str:
    if not path.exists():
        raise InputError(f"path must name a file that exists, got {str(path)!r}.")
    format = find_format(path) if format is None else format
    if format not in EDGE_FORMATS:
        raise InputError(
            f"the format of a file to convert must be one of {', '.join(EDGE_FORMATS)}, got "
            f"{format}; read others into memory, and write them to a name that ends in .graph."
        )
    return format


def _piece_sizes(budget: int) -> _PieceSizes:
    """Choose pieces that fit into the memory that is free, and are no larger than is useful."""
    budget = max(budget, _SMALLEST_BUDGET)
    return _PieceSizes(
        block_bytes=min(budget // 16, 16 * MIB),
        edges=min(budget // (2 * _BYTES_PER_EDGE), 2**20),
        keys=min(budget // BYTES_PER_KEY, 2**23),
    )


def _encode_edges(tables: Iterator[EdgeTable], scratch: Path, limit: int) -> _EncodedEdges:
    """Write codes and weights of edges as they come, and collect the ids of their nodes."""
    collector: IntegerIds | TextIds | None = None
    num_edges, weighted, before = 0, False, memory_in_use()
    with (
        open(scratch / "source", "wb") as source,
        open(scratch / "target", "wb") as target,
        open(scratch / "weights", "wb") as weights,
    ):
        for table in tables:
            if collector is None:
                collector = TextIds() if table.source.dtype == object else IntegerIds()
            collector.encode(table.source).tofile(source)
            collector.encode(table.target).tofile(target)
            if table.weights is not None:
                weighted = True
                as_float32("edge weights", table.weights).tofile(weights)
            num_edges += len(table.source)
            # What merging or sorting the ids will take, or, with long names, what is taken already.
            needed = before + collector.bytes_per_id * len(collector) + _SMALLEST_BUDGET
            what = f"the ids of {len(collector):,} nodes or more"
            check_memory(max(needed, memory_in_use()), limit, what)
    assert collector is not None, "a file without an edge is refused"
    ids = collector.ascending()
    return _EncodedEdges(scratch, num_edges, weighted, collector, ids, len(ids))


def _drop_row_ids(encoded: _EncodedEdges, table: FeatureTable | None) -> None:
    """Drop ids that are row numbers, also where row i of the features belongs to id i."""
    ids = encoded.ids
    if isinstance(ids, np.ndarray) and ids[0] >= 0:
        if table is not None and table.ids is None and ids[-1] < len(table.values):
            num_isolated = len(table.values) - len(ids)
            log.info("features: row i is node i; %d nodes have no edge", num_isolated)
            encoded.num_nodes = len(table.values)
        if ids[-1] < encoded.num_nodes:
            encoded.ids = None
    if encoded.num_nodes >= 2**31:
        raise InputError(f"a graph must have fewer than 2^31 nodes, got {encoded.num_nodes}.")


def _write_features(folder: Path, table: FeatureTable, encoded: _EncodedEdges, limit: int) -> None:
    """Write the features of the nodes in the order of their rows."""
    if table.ids is not None:
        what = f"finding {encoded.num_nodes:,} nodes by their names"
        size = _BYTES_PER_NAME * encoded.num_nodes + table.values.nbytes
        check_memory(memory_in_use() + size, limit, what)
    ids = np.arange(encoded.num_nodes) if encoded.ids is None else encoded.ids
    values = match_rows(table, np.array(ids, object) if isinstance(ids, list) else ids)
    for first, last in chunks(0, len(values), max(1, CHUNK // values.shape[1])):
        # A number that is too large becomes infinite, and is refused below.
        with np.errstate(over="ignore"):
            append_npy(folder / "features.npy", values[first:last].astype(np.float32))
    check_features(map_npy(folder / "features.npy"))


def _sort_edges(
    folder: Path, encoded: _EncodedEdges, limit: int, progress: bool
) -> tuple[np.ndarray, Counter[str]]:
    """Write the sorted rows of the adjacency matrix; return ``indptr`` and what was repaired."""
    in_use = memory_in_use() + _BYTES_PER_NODE * encoded.num_nodes
    what = f"sorting the edges of {encoded.num_nodes:,} nodes"
    check_memory(in_use + _SMALLEST_BUDGET, limit, what)
    sizes = _piece_sizes(limit - in_use)
    sort = ExternalSort(encoded.folder, encoded.weighted)
    pieces = list(chunks(0, encoded.num_edges, sizes.edges))
    for first, last in tqdm(pieces, desc="sorting", disable=not progress):
        sort.add(*encoded.read(first, last))
    for name in ("source", "target", "weights"):
        (encoded.folder / name).unlink()
    return sort.write(folder, encoded.num_nodes, sizes.keys), sort.repairs
