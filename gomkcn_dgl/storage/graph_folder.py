"""A folder of memory-mapped arrays ↔ a CSRGraph: for graphs that are larger than memory.

| file                   | content                                                              |
|------------------------|----------------------------------------------------------------------|
| `graph.json`           | the version of the format, the numbers of nodes, edges and graphs,   |
|                        | relations and links, notes, and which of the arrays below exist      |
| `indptr.npy`           | int64 `[V + 1]`, `indices.npy`: int32 `[E]`, as in the CSRGraph      |
| `graph_ptr.npy`        | int64 `[G + 1]`                                                      |
| `weights.npy`          | float32 `[E]`; absent for an unweighted graph                        |
| `links.npy`            | uint8 or uint16 `[E]`; absent where all edges are alike              |
| `features.npy`         | float32 `[V, D]`; absent for the constant 1                          |
| `node_ids.npy`         | int64 `[V]`, or the values of an Arrow column of text: uint8, UTF-8  |
| `node_ids_offsets.npy` | the offsets of that column: int64 `[V + 1]`                          |

The names are fixed, so that no folder can refer to a file outside. Nothing is unpickled.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa

from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.relations import relations_from_record, relations_to_record
from gomkcn_dgl.runtime.files import sync_folder
from gomkcn_dgl.runtime.output_folder import lock_alone
from gomkcn_dgl.storage.graph_folder_checks import (
    arrow_column,
    check_features,
    check_names,
    check_pointer,
    check_rows,
    chunks,
)
from gomkcn_dgl.storage.graph_folder_header import HEADER, FolderHeader, read_header
from gomkcn_dgl.storage.npy_files import append_npy, map_array

ARRAYS = (
    "indptr",
    "indices",
    "weights",
    "links",
    "features",
    "graph_ptr",
    "node_ids",
    "node_ids_offsets",
    # of earlier versions, not read
    "edge_features",
)


def is_graph_folder(path: str | os.PathLike[str]) -> bool:
    """Whether this is a folder that holds ``graph.json``."""
    return (Path(path) / HEADER).is_file()


def read_graph_folder(folder: str | os.PathLike[str]) -> CSRGraph:
    """Open a graph folder: its arrays are memory-mapped and read-only, and each is checked once.

    Without stored features, ``features`` is a read-only view ``[V, 1]`` of a single 1.
    """
    folder = Path(folder)
    header = read_header(folder)
    relations = relations_from_record(header.relations, HEADER)
    num_nodes = header.num_nodes
    indptr = map_array(folder, "indptr", np.int64, (num_nodes + 1,))
    # with links, an entry may be several edges, or one that comes in
    num_entries = None if header.linked else 2 * header.num_edges
    indices = map_array(folder, "indices", np.int32, (num_entries,))
    graph_ptr = map_array(folder, "graph_ptr", np.int64, (header.num_graphs + 1,))
    check_pointer("graph_ptr", graph_ptr, num_nodes)
    weights = None
    if header.weighted:
        weights = map_array(folder, "weights", np.float32, (len(indices),))
    links = None
    if header.linked:
        links = map_array(folder, "links", relations.code_type, (len(indices),))
    elif not relations.is_simple:
        raise InputError(f"{HEADER} must have links for relations with types or directions.")
    check_rows(indptr, indices, graph_ptr, weights, links, relations)
    features = np.broadcast_to(np.float32(1), (num_nodes, 1))
    if not header.constant_features:
        shape = num_nodes, len(header.feature_names)
        features = map_array(folder, "features", np.float32, shape)
        check_features(features)
    return CSRGraph(
        indptr=np.asarray(indptr),
        indices=np.asarray(indices),
        features=np.asarray(features),
        weights=None if weights is None else np.asarray(weights),
        graph_ptr=np.asarray(graph_ptr),
        node_ids=_read_node_ids(folder, header),
        feature_names=tuple(header.feature_names),
        relations=relations,
        links=None if links is None else np.asarray(links),
        notes=tuple(header.notes),
    )


def write_graph_folder(
    folder: str | os.PathLike[str], graph: CSRGraph, *, force: bool = False
) -> None:
    """Write a graph or a collection as a folder that :func:`read_graph_folder` opens.

    The folder appears when it is complete. With ``force`` it replaces another graph folder, also
    the one that the graph is mapped from, but never a folder with any other file in it.
    """
    with new_folder(folder, force) as unfinished:
        for name in ("indptr", "indices", "weights", "links", "graph_ptr"):
            if getattr(graph, name) is not None:
                np.save(unfinished / f"{name}.npy", getattr(graph, name))
        is_constant = graph.feature_names == (CONSTANT_FEATURE,) and all(
            (graph.features[first:last] == 1).all() for first, last in chunks(0, graph.num_nodes)
        )
        if not is_constant:
            np.save(unfinished / "features.npy", graph.features)
        FolderHeader(
            num_nodes=graph.num_nodes,
            num_edges=graph.num_edges,
            num_graphs=graph.num_graphs,
            weighted=graph.weights is not None,
            feature_names=list(graph.feature_names),
            constant_features=is_constant,
            node_ids=write_node_ids(unfinished, graph.node_ids),
            relations=relations_to_record(graph.relations),
            linked=graph.links is not None,
            notes=list(graph.notes),
        ).write(unfinished)


def write_node_ids(folder: Path, node_ids: Any) -> str:
    """Write node ids, an array or a list of text; return their kind for the header."""
    if node_ids is None:
        return "rows"
    if isinstance(node_ids, np.ndarray) and node_ids.dtype.kind in "iu":
        if len(node_ids) and int(node_ids.max()) >= 2**63:
            raise InputError(f"a node id must be less than 2^63, got {node_ids.max()}.")
        np.save(folder / "node_ids.npy", node_ids.astype(np.int64, copy=False))
        return "integers"
    append_npy(folder / "node_ids_offsets.npy", np.zeros(1, np.int64))
    num_bytes = 0
    for first, last in chunks(0, len(node_ids)):
        names = pa.array([str(name) for name in node_ids[first:last]], pa.large_string())
        _, positions, text = names.buffers()
        ends = num_bytes + np.frombuffer(positions, np.int64, last - first, 8)
        append_npy(folder / "node_ids_offsets.npy", ends)
        append_npy(folder / "node_ids.npy", np.frombuffer(text, np.uint8))
        num_bytes = int(ends[-1])
    return "text"


def _read_node_ids(folder: Path, header: FolderHeader) -> np.ndarray | None:
    if header.node_ids == "rows":
        return None
    if header.node_ids == "integers":
        return np.asarray(map_array(folder, "node_ids", np.int64, (header.num_nodes,)))
    content = map_array(folder, "node_ids", np.uint8, (None,))
    offsets = map_array(folder, "node_ids_offsets", np.int64, (header.num_nodes + 1,))
    check_names(content, offsets)
    # It stands for an array of text.
    return cast(np.ndarray, StoredNames(content, offsets))


class StoredNames:
    """Node ids ``[V]`` over memory-mapped files, a read-only stand-in for an array of text.

    Their strings are made on demand, so that they take no memory of their own.
    """

    dtype = np.dtype(str)

    def __init__(self, content: np.ndarray, offsets: np.ndarray) -> None:
        self.column = arrow_column(content, offsets)

    def __len__(self) -> int:
        return len(self.column)

    def __getitem__(self, rows: Any) -> Any:
        """Return one name, or an array of text in the shape of ``rows``."""
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(len(self)))
        rows = np.asarray(rows)
        names = self.column.take(pa.array(np.where(rows < 0, rows + len(self), rows).ravel()))
        # The index [()] turns an array of no dimension into its one name.
        return np.array(names.to_pylist(), dtype=str).reshape(rows.shape)[()]

    def tolist(self) -> list[str]:
        """Return all names."""
        names: list[str] = self.column.to_pylist()
        return names

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return all names as an array of text, each with the room of the longest."""
        return np.array(self.tolist(), dtype=str if dtype is None else dtype)


@contextlib.contextmanager
def new_folder(folder: str | os.PathLike[str], force: bool = False) -> Iterator[Path]:
    """Yield an empty folder that takes the name ``folder`` when the block ends well, or vanishes.

    ``folder`` must not exist or be empty; with ``force`` it may also be a graph folder. Whatever
    else prevents writing it raises an InputError. A killed process leaves ``.folder.unfinished``,
    which the next one to write ``folder`` removes.
    """
    try:
        target = Path(folder).resolve()
        _check_replaceable(target, force)
        with _workplace(target) as (unfinished, old):
            # one that was given its name back
            _check_replaceable(target, force)
            unfinished.mkdir()
            yield unfinished
            for path in unfinished.iterdir():
                with open(path, "rb") as file:
                    os.fsync(file.fileno())
            sync_folder(unfinished)
            if target.exists():
                target.rename(old)
            unfinished.rename(target)
            sync_folder(target.parent)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"out folder {str(folder)!r} cannot be written ({reason}).") from None


@contextlib.contextmanager
def _workplace(target: Path) -> Iterator[tuple[Path, Path]]:
    """Yield where a folder is written, and where one that it replaces goes; both are removed.

    They are in a folder beside the target, so that renames stay within one file system, and no
    other process can lock it meanwhile.
    """
    hidden = target.with_name(f".{target.name}.unfinished")
    unfinished, old = hidden / "new", hidden / "old"
    try:
        with lock_alone(hidden, target):
            # what a killed process left
            _settle(target, unfinished, old)
            try:
                yield unfinished, old
            finally:
                _settle(target, unfinished, old)
    finally:
        # another process may have locked it by now
        with contextlib.suppress(OSError):
            hidden.rmdir()


def _settle(target: Path, unfinished: Path, old: Path) -> None:
    """Give what was to be replaced its name back, if nothing has taken it; remove the rest."""
    if old.exists() and not target.exists():
        old.rename(target)
    for folder in (unfinished, old):
        shutil.rmtree(folder, ignore_errors=True)


def _check_replaceable(target: Path, force: bool) -> None:
    """Refuse a name whose folder cannot be made or must not be replaced."""
    shown = f"out folder {str(target)!r}"
    if not target.parent.is_dir():
        raise InputError(f"{shown} must lie in a folder that exists.")
    if not target.exists():
        return
    if not target.is_dir():
        raise InputError(f"{shown} is a file; choose another name.")
    graph_files = {HEADER, *(f"{name}.npy" for name in ARRAYS)}
    names = sorted(path.name for path in target.iterdir())
    foreign = [name for name in names if name not in graph_files]
    if foreign:
        raise InputError(
            f"{shown} holds {foreign[0]!r}, which is no part of a graph; choose another name."
        )
    if names and not force:
        raise InputError(
            f"{shown} already holds a graph; choose another name, or overwrite it with --force."
        )
