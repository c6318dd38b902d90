"""A file of edges of any size → a graph folder, in bounded memory.

    file → blocks of edges → ids and pairs on disk → node rows → parts, sorted → arrays

Each step reads and writes a piece at a time. What is held of all nodes is their ids and 16 bytes
each; it is estimated before it is taken. The result is, array for array, what
``write_graph_folder(read_graph(file))`` would write.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CONSTANT, CONSTANT_FEATURE, log_repairs
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.conversion.edge_blocks import NotIntegersError, edge_blocks
from gomkcn_dgl.io.conversion.edge_sort import (
    BYTES_OF_EDGE,
    BYTES_OF_ENTRY,
    BYTES_OF_WEIGHTED_ENTRY,
    sort_edges,
)
from gomkcn_dgl.io.conversion.edge_spool import Spool, spool_edges
from gomkcn_dgl.io.conversion.feature_spool import FeatureSpool, spool_features
from gomkcn_dgl.io.conversion.node_rows import NodeRows, name_finder, number_nodes
from gomkcn_dgl.io.feature_file import feature_file_beside
from gomkcn_dgl.io.parquet import parquet_blocks
from gomkcn_dgl.io.reading import find_format
from gomkcn_dgl.runtime.file_names import named, stem
from gomkcn_dgl.runtime.memory import GIB, KIB, MIB, check_memory, memory_in_use
from gomkcn_dgl.storage.graph_folder import new_folder, write_node_ids
from gomkcn_dgl.storage.graph_folder_header import FolderHeader
from gomkcn_dgl.storage.npy_files import save

log = logging.getLogger("gomkcn_dgl")

FORMATS = ("edges", "csv", "parquet")
# what reading and sorting take in the smallest pieces that are any good
_LEAST = 64 * MIB
_LARGEST_BLOCK = 16 * MIB
_MOST_EDGES, _MOST_ENTRIES = 2**20, 2**24
_BYTES_OF_NODE = 16
# of a dict from names to nodes, the names not included: 74 were measured
_BYTES_OF_LOOKUP = 100


@dataclass(frozen=True)
class PieceSizes:
    """How much is read, cut and sorted in one go.

    Attributes
    ----------
    block_bytes : int
        Bytes of the file.
    edges_at_once : int
        Edges whose nodes get their rows.
    entries_at_once : int
        Entries of the adjacency matrix that are sorted.
    """

    block_bytes: int
    edges_at_once: int
    entries_at_once: int


@dataclass(frozen=True)
class Converted:
    """What a graph folder holds now.

    Attributes
    ----------
    num_nodes, num_edges : int
        V and the number of undirected edges.
    num_bytes : int
        Size of its files.
    """

    num_nodes: int
    num_edges: int
    num_bytes: int


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
    sizes: PieceSizes | None = None,
) -> Converted:
    r"""Convert a file of edges to a graph folder, without ever holding the edges in memory.

    Parameters
    ----------
    edges : path
        An edge list, a CSV (both also ``.gz``) or a parquet file, read by the rules of
        :func:`gomkcn_dgl.io.reading.read_graph`.
    out : path
        The folder; it appears when it is whole.
    features : sequence of str, optional
        Columns of the feature file; None: all.
    feature_file : path, optional
        As in :func:`gomkcn_dgl.io.reading.read_graph`, and found beside the edges as there.
    format : {"edges", "csv", "parquet"}, optional
        None: told by the name.
    memory_limit : int
        Bytes that this process may hold, what it holds already included. Pages of a memory-mapped
        ``.npy`` of features, which the system takes back at will, are not counted.
    force : bool
        Replace a graph folder of that name.
    progress : bool
        Show progress bars on stderr.
    sizes : PieceSizes, optional
        None: chosen by the memory limit.

    Returns
    -------
    Converted

    Raises
    ------
    InputError
        For every problem with the file as ``read_graph`` has it, for a folder that cannot be
        written, and if the memory limit is too small for the ids of the nodes.

    Examples
    --------
    >>> import tempfile
    >>> from gomkcn_dgl import as_csr
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "ring.txt").write_text("10 20\n20 30\n30 10\n")
    >>> convert_edges(folder / "ring.txt", folder / "ring.graph").num_edges
    3
    >>> as_csr(folder / "ring.graph").original_ids(np.array([0, 1]))
    [10, 20]
    """
    path, limit = Path(edges), check_int("memory_limit", memory_limit, 1)
    check_memory(memory_in_use() + _LEAST, limit, "reading a file of edges")
    with named(path):
        format = _check_format(path, format)
    sizes = _sizes(limit) if sizes is None else sizes
    with new_folder(out, force) as folder:
        work = folder / "work"
        work.mkdir()
        with named(path):
            table = _spool_features(path, features, feature_file, work, sizes)
            spool = _spool_edges(path, format, work, sizes, limit, progress)
            nodes = number_nodes(spool, table)
        num_edges = _write(folder, spool, nodes, table, path, limit, sizes, progress)
        shutil.rmtree(work)
        num_bytes = sum(file.stat().st_size for file in folder.iterdir())
    return Converted(nodes.count, num_edges, num_bytes)


def _check_format(path: Path, format: str | None) -> str:
    if not path.exists():
        raise InputError(f"path must name a file that exists, got {str(path)!r}.")
    format = find_format(path) if format is None else format
    if format not in FORMATS:
        raise InputError(
            f"the format of a file to convert must be one of {', '.join(FORMATS)}, got {format}; "
            "other formats are read into memory, and written to a name that ends in .graph."
        )
    return format


def _sizes(limit: int) -> PieceSizes:
    """Choose pieces that fit; how many entries do is known in :func:`_write`."""
    free = max(_LEAST, limit - memory_in_use())
    return PieceSizes(
        block_bytes=max(64 * KIB, min(free // 16, _LARGEST_BLOCK)),
        edges_at_once=min(free // (2 * BYTES_OF_EDGE), _MOST_EDGES),
        entries_at_once=_MOST_ENTRIES,
    )


def _spool_features(
    path: Path,
    names: Sequence[str] | None,
    file: str | os.PathLike[str] | None,
    work: Path,
    sizes: PieceSizes,
) -> FeatureSpool | None:
    if file is not None:
        return spool_features(Path(file), names, work, sizes.block_bytes)
    beside = feature_file_beside(path.parent, stem(path))
    if beside is not None:
        log.info("features: taken from %s beside the graph", beside.name)
        return spool_features(beside, names, work, sizes.block_bytes)
    if names is not None:
        raise InputError(
            "features names columns of a feature file, and there is none beside the graph; "
            "give feature_file."
        )
    return None


def _spool_edges(
    path: Path, format: str, work: Path, sizes: PieceSizes, limit: int, progress: bool
) -> Spool:
    before, size = memory_in_use(), path.stat().st_size

    def check_bytes(needed: int, num_nodes: int) -> None:
        what = f"the ids of {num_nodes:,} nodes or more"
        check_memory(before + needed + _LEAST, limit, what)

    for as_text in (False, True):
        with _bar("reading", size, progress) as advance:
            if format == "parquet":
                rows = sizes.edges_at_once
                tables = parquet_blocks(path, rows, lambda share: advance(share * size))
            else:
                tables = edge_blocks(path, format, sizes.block_bytes, as_text, advance)
            with contextlib.suppress(NotIntegersError):
                return spool_edges(tables, work, check_bytes)
    raise AssertionError("text is always text")


def _write(
    folder: Path,
    spool: Spool,
    nodes: NodeRows,
    table: FeatureSpool | None,
    path: Path,
    limit: int,
    sizes: PieceSizes,
    progress: bool,
) -> int:
    """Write all files of the graph folder; return the number of undirected edges."""
    if nodes.count >= 2**31:
        raise InputError(f"a graph must have fewer than 2^31 nodes, got {nodes.count}.")
    held = memory_in_use() + _BYTES_OF_NODE * nodes.count
    check_memory(held + _LEAST, limit, f"sorting the edges of {nodes.count:,} nodes")
    per_entry = BYTES_OF_WEIGHTED_ENTRY if spool.weighted else BYTES_OF_ENTRY
    most = max(_LEAST, limit - held) // per_entry
    if table is not None and table.ids is not None and isinstance(nodes.ids, list):
        what = f"finding {nodes.count:,} nodes by their names"
        check_memory(held + _LEAST + _BYTES_OF_LOOKUP * nodes.count, limit, what)
    with named(path):
        _write_features(folder, nodes, table)
    with _bar("sorting", 1, progress) as advance:
        result = sort_edges(
            spool,
            nodes.rows_of,
            nodes.count,
            folder,
            sizes.edges_at_once,
            min(sizes.entries_at_once, most),
            advance,
        )
    constant: Counter[str] = Counter({CONSTANT: nodes.count} if table is None else {})
    log_repairs(constant + result.repairs)
    save(folder / "indptr.npy", result.indptr)
    save(folder / "graph_ptr.npy", np.array([0, nodes.count]))
    num_edges = int(result.indptr[-1]) // 2
    header = FolderHeader(
        num_nodes=nodes.count,
        num_edges=num_edges,
        num_graphs=1,
        weighted=spool.weighted,
        feature_names=[CONSTANT_FEATURE] if table is None else list(table.names),
        constant_features=table is None,
        node_ids=write_node_ids(folder, nodes.ids),
    )
    header.write(folder)
    return num_edges


def _write_features(folder: Path, nodes: NodeRows, table: FeatureSpool | None) -> None:
    if table is None:
        return
    if table.ids is None:
        table.move_to(folder, nodes.count)
        return
    ids = np.arange(nodes.count) if nodes.ids is None else nodes.ids
    table.match_to(folder, nodes.count, name_finder(ids), ids)


@contextlib.contextmanager
def _bar(what: str, total: float, shown: bool) -> Iterator[Callable[[float], Any]]:
    """A progress bar, as a function that is told how far the work is."""
    look = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}"
    with tqdm(total=total, desc=what, disable=not shown, file=sys.stderr, bar_format=look) as bar:
        yield lambda position: bar.update(position - bar.n)
