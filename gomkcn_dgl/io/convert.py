"""A file of edges of any size → a graph folder, in bounded memory.

    file → blocks of edges → ids of nodes, codes of edges → rows of nodes → sorted entries → arrays

Each stage reads and writes pieces. What is held of all nodes is their ids and 16 bytes each, which
is estimated before it is taken. The result is the same, array for array, as that of
``write_graph_folder(read_graph(file))``.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from gomkcn_dgl.checks import as_float32, check_int
from gomkcn_dgl.csr import CONSTANT_FEATURE
from gomkcn_dgl.edges import CONSTANT, log_repairs
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_folder import (
    CHUNK,
    FolderHeader,
    append_npy,
    check_features,
    chunks,
    map_npy,
    new_folder,
    write_node_ids,
)
from gomkcn_dgl.io.conversion.external_sort import BYTES_PER_KEY, ExternalSort
from gomkcn_dgl.io.conversion.link_sort import (
    BYTES_PER_END,
    BYTES_PER_VALUE,
    BothWays,
    Edges,
    LinkSort,
)
from gomkcn_dgl.io.conversion.node_numbering import IntegerIds, TextIds
from gomkcn_dgl.io.edge_blocks import consume_edges, find_edge_layout
from gomkcn_dgl.io.edge_layout import EdgeLayout, EdgeOptions
from gomkcn_dgl.io.edge_table import (
    EdgeTable,
    check_num_relations,
    direction_notes,
    log_relations,
    seen_directions,
    table_directions,
)
from gomkcn_dgl.io.feature_file import FeatureTable, match_rows
from gomkcn_dgl.io.reading import EDGE_FORMATS, find_features, find_format
from gomkcn_dgl.relations import Relations, relations_of, relations_to_record
from gomkcn_dgl.runtime.files import GIB, MIB, check_memory, memory_in_use, named

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
    is the row of its node. ``relations`` collects the relations, whose codes are in a file as well.
    """

    folder: Path
    num_edges: int
    weighted: bool
    collector: IntegerIds | TextIds
    relations: TextIds | None
    ids: np.ndarray | list[str] | None
    num_nodes: int
    # with types or directions, to which one relation is enough
    one_relation: bool = True

    def read(self, first: int, last: int) -> Edges:
        """Return some edges between rows."""
        ends = [self._column(name, np.int64, first, last) for name in ("source", "target")]
        if self.ids is not None:
            ends = [self.collector.rows_of(codes) for codes in ends]
        weights = None
        relation = np.zeros(last - first, np.int64)
        if self.weighted:
            weights = self._column("weights", np.float32, first, last)
        if self.relations is not None and not self.one_relation:
            relation = self.relations.rows_of(self._column("relation", np.uint16, first, last))
        return Edges(ends[0], ends[1], weights, relation)

    def pieces(self, size: int, progress: bool, what: str) -> Iterator[Edges]:
        """Yield all edges, some at a time."""
        pieces = list(chunks(0, self.num_edges, size))
        for first, last in tqdm(pieces, desc=what, disable=not progress):
            yield self.read(first, last)

    def _column(self, name: str, kind: Any, first: int, last: int) -> np.ndarray:
        offset = first * np.dtype(kind).itemsize
        return np.fromfile(self.folder / name, kind, last - first, offset=offset)


class _SortedRows(NamedTuple):
    """What sorting gives beside the arrays that it writes."""

    indptr: np.ndarray
    relations: Relations
    num_edges: int
    repairs: Counter[str]
    notes: tuple[str, ...]


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
    **edge_options: Any,
) -> FolderHeader:
    """Convert an edge list, a CSV (both also ``.gz``) or a parquet file to a graph folder.

    Files are read by the rules of :func:`gomkcn_dgl.io.reading.read_graph`, which also has the
    ``edge_options``: ``directed``, ``source``, ``target``, ``relation`` and ``weight``.
    The process may use ``memory_limit`` bytes, those in use before included. The folder appears
    when it is complete; with ``force`` it replaces another graph folder.
    """
    path, limit = Path(edges), check_int("memory_limit", memory_limit, 1)
    check_memory(memory_in_use() + _SMALLEST_BUDGET, limit, "reading a file of edges")
    options = EdgeOptions(**{k: v for k, v in edge_options.items() if v is not None})
    with named(path):
        format = _check_format(path, format)
    with new_folder(out, force) as folder:
        scratch = folder / "scratch"
        scratch.mkdir()
        with named(path):
            table = find_features(path, format, features, feature_file)
            check_memory(memory_in_use() + _SMALLEST_BUDGET, limit, "the features beside edges")
            layout = find_edge_layout(path, format, options)
            sizes = _piece_sizes(limit - memory_in_use())
            encoded = consume_edges(
                path,
                layout,
                lambda tables: _encode_edges(tables, layout, scratch, limit),
                # a column of words takes several times the room of one of numbers
                block_bytes=max(1, sizes.block_bytes // (1 if layout.relation is None else 4)),
                block_rows=sizes.edges,
                progress=progress,
            )
            _drop_row_ids(encoded, table)
            if table is not None:
                _write_features(folder, table, encoded, limit)
        rows = _sort_edges(folder, encoded, layout, options.directed, limit, progress)
        repairs = Counter({CONSTANT: 0 if table else encoded.num_nodes, **rows.repairs})
        log_repairs(repairs)
        log_relations(rows.relations)
        shutil.rmtree(scratch)
        np.save(folder / "indptr.npy", rows.indptr)
        np.save(folder / "graph_ptr.npy", np.array([0, encoded.num_nodes]))
        repaired = [message % count for message, count in repairs.items() if count]
        beside = () if table is None else table.notes
        header = FolderHeader(
            num_nodes=encoded.num_nodes,
            num_edges=rows.num_edges,
            num_graphs=1,
            weighted=encoded.weighted,
            feature_names=[CONSTANT_FEATURE] if table is None else list(table.names),
            constant_features=table is None,
            node_ids=write_node_ids(folder, encoded.ids),
            relations=relations_to_record(rows.relations),
            linked=not rows.relations.is_simple,
            notes=[*layout.notes, *beside, *rows.notes, *repaired],
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


def _piece_sizes(budget: int, per_edge: int = 0, per_key: int = BYTES_PER_KEY) -> _PieceSizes:
    """Choose pieces that fit into the memory that is free, and are no larger than is useful.

    ``per_edge`` bytes are needed for each edge beside those of its ends and its weight.
    """
    budget = max(budget, _SMALLEST_BUDGET)
    return _PieceSizes(
        block_bytes=min(budget // 16, 16 * MIB),
        edges=min(budget // (2 * (_BYTES_PER_EDGE + per_edge)), 2**20),
        keys=min(budget // per_key, 2**23),
    )


def _encode_edges(
    tables: Iterator[EdgeTable], layout: EdgeLayout, scratch: Path, limit: int
) -> _EncodedEdges:
    """Write codes and values of edges as they come, and collect the ids of their nodes."""
    collector: IntegerIds | TextIds | None = None
    relations = None if layout.relation is None else TextIds()
    num_edges, before = 0, memory_in_use()
    with contextlib.ExitStack() as stack:
        files = {
            name: stack.enter_context(open(scratch / name, "wb"))
            for name in ("source", "target", "weights", "relation")
        }
        for table in tables:
            if collector is None:
                collector = TextIds() if table.source.dtype == object else IntegerIds()
            collector.encode(table.source).tofile(files["source"])
            collector.encode(table.target).tofile(files["target"])
            if table.weights is not None:
                as_float32("edge weights", table.weights).tofile(files["weights"])
            if relations is not None and table.relation is not None:
                assert layout.relation is not None, "the table has the column"
                codes = relations.encode(table.relation)
                check_num_relations(relations.names, layout.names[layout.relation])
                codes.astype(np.uint16).tofile(files["relation"])
            num_edges += len(table.source)
            # What merging or sorting the ids will take, or, with long names, what is taken already.
            needed = before + collector.bytes_per_id * len(collector) + _SMALLEST_BUDGET
            what = f"the ids of {len(collector):,} nodes or more"
            check_memory(max(needed, memory_in_use()), limit, what)
    assert collector is not None, "a file without an edge is refused"
    ids = collector.ascending()
    return _EncodedEdges(
        scratch,
        num_edges,
        layout.weight is not None,
        collector,
        relations,
        ids,
        len(ids),
    )


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
    folder: Path,
    encoded: _EncodedEdges,
    layout: EdgeLayout,
    directed: bool | None,
    limit: int,
    progress: bool,
) -> _SortedRows:
    """Write the sorted rows of the adjacency matrix."""
    in_use = memory_in_use() + _BYTES_PER_NODE * encoded.num_nodes
    what = f"sorting the edges of {encoded.num_nodes:,} nodes"
    check_memory(in_use + _SMALLEST_BUDGET, limit, what)
    relations, notes = _find_relations(encoded, layout, directed, limit - in_use, progress)
    if encoded.relations is None:
        notes += direction_notes(layout, relations.is_directed, directed)
    if not relations.is_simple:
        rows = _sort_links(folder, encoded, relations, limit - in_use, progress)
        return rows._replace(notes=notes)
    sizes = _piece_sizes(limit - in_use)
    sort = ExternalSort(encoded.folder, encoded.weighted)
    for edges in encoded.pieces(sizes.edges, progress, "sorting"):
        sort.add(edges.source, edges.target, edges.weights)
    for name in ("source", "target", "weights"):
        (encoded.folder / name).unlink()
    indptr = sort.write(folder, encoded.num_nodes, sizes.keys)
    return _SortedRows(indptr, relations, int(indptr[-1]) // 2, sort.repairs, notes)


def _find_relations(
    encoded: _EncodedEdges,
    layout: EdgeLayout,
    directed: bool | None,
    budget: int,
    progress: bool,
) -> tuple[Relations, tuple[str, ...]]:
    """Tell the relations and which have a direction, from the edges where nothing says so."""
    found = None if encoded.relations is None else encoded.relations.ascending()
    names, directions = table_directions(layout, found, directed)
    encoded.one_relation = len(names) == 1
    if directions is not None:
        return relations_of(names, directions), ()
    sizes = _piece_sizes(budget, per_key=BYTES_PER_END)
    counter = BothWays(encoded.folder / "both", len(names))
    for edges in encoded.pieces(sizes.edges, progress, "finding directions"):
        counter.add(edges)
    directions, notes = seen_directions(names, *counter.count(sizes.keys))
    shutil.rmtree(encoded.folder / "both")
    return relations_of(names, directions), notes


def _sort_links(
    folder: Path, encoded: _EncodedEdges, relations: Relations, budget: int, progress: bool
) -> _SortedRows:
    per_edge = BYTES_PER_END + encoded.weighted * BYTES_PER_VALUE
    sizes = _piece_sizes(budget, 2 * per_edge, per_edge)
    sort = LinkSort(encoded.folder, relations, encoded.weighted)
    for edges in encoded.pieces(sizes.edges, progress, "sorting"):
        sort.add(edges)
    for name in ("source", "target", "weights", "relation"):
        (encoded.folder / name).unlink()
    indptr, relations, num_edges = sort.write(folder, encoded.num_nodes, sizes.keys)
    return _SortedRows(indptr, relations, num_edges, sort.repairs, ())
