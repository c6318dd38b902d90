"""A folder of memory-mapped arrays ↔ a CSRGraph: for graphs that are larger than memory.

| file                   | holds                                                                   |
|------------------------|-------------------------------------------------------------------------|
| `graph.json`           | the version of the format, the numbers of nodes, edges and graphs, and  |
|                        | which of the arrays below there are                                     |
| `indptr.npy`           | int64 `[V + 1]`, `indices.npy`: int32 `[E]`, as in the CSRGraph         |
| `graph_ptr.npy`        | int64 `[G + 1]`                                                         |
| `weights.npy`          | float32 `[E]`; not there for an unweighted graph                        |
| `features.npy`         | float32 `[V, D]`; not there for the constant 1                          |
| `node_ids.npy`         | int64 `[V]`, or uint8: text in UTF-8, end to end, which begins at       |
| `node_ids_offsets.npy` | int64 `[V + 1]`                                                         |

The names are fixed, so that no folder can point to a file outside. Nothing is unpickled.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np

from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.atomic_files import sync_folder
from gomkcn_dgl.storage.graph_folder_checks import (
    check_features,
    check_graph_ptr,
    check_names,
    check_rows,
    chunks,
)
from gomkcn_dgl.storage.graph_folder_header import HEADER, FolderHeader, read_header
from gomkcn_dgl.storage.npy_files import StoredArray, save
from gomkcn_dgl.storage.stored_names import NamesWriter, StoredNames

ARRAYS = (
    "indptr",
    "indices",
    "weights",
    "features",
    "graph_ptr",
    "node_ids",
    "node_ids_offsets",
)
_NAMES_AT_ONCE = 2**16


def is_graph_folder(path: str | os.PathLike[str]) -> bool:
    """Whether this is a folder that holds ``graph.json``."""
    return (Path(path) / HEADER).is_file()


def read_graph_folder(folder: str | os.PathLike[str]) -> CSRGraph:
    """Open a graph folder: arrays are memory-mapped and read-only, and each is checked once.

    Parameters
    ----------
    folder : path
        As :func:`write_graph_folder` or ``gomkcn convert`` wrote it.

    Returns
    -------
    CSRGraph
        Its arrays take no memory but what the system keeps of the files while there is room.
        Without stored features, ``features`` is a read-only view ``[V, 1]`` of a single 1.

    Raises
    ------
    InputError
        For a folder that is not one of these, a file that is missing or damaged, arrays that do not
        fit each other or are no undirected simple graph.

    Examples
    --------
    >>> import tempfile
    >>> from gomkcn_dgl.csr import csr_from_edges
    >>> path = Path(tempfile.mkdtemp()) / "path.graph"
    >>> write_graph_folder(path, csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3))
    >>> graph = read_graph_folder(path)
    >>> graph.indices.tolist(), graph.indices.flags.writeable, graph.features.strides
    ([1, 0, 2, 1], False, (0, 0))
    """
    folder = Path(folder)
    header = read_header(folder)
    num_nodes, num_entries = header.num_nodes, 2 * header.num_edges
    indptr = StoredArray(folder, "indptr", np.int64, (num_nodes + 1,))
    indices = StoredArray(folder, "indices", np.int32, (num_entries,))
    graph_ptr = StoredArray(folder, "graph_ptr", np.int64, (header.num_graphs + 1,))
    check_graph_ptr(graph_ptr, num_nodes)
    weights = None
    if header.weighted:
        weights = StoredArray(folder, "weights", np.float32, (num_entries,))
    check_rows(indptr, indices, weights, graph_ptr.array)
    features = constant_features(num_nodes)
    if not header.constant_features:
        stored = StoredArray(folder, "features", np.float32, (num_nodes, len(header.feature_names)))
        check_features(stored)
        features = stored.array
    return CSRGraph(
        indptr=indptr.array,
        indices=indices.array,
        features=features,
        weights=None if weights is None else weights.array,
        graph_ptr=graph_ptr.array,
        node_ids=_read_node_ids(folder, header),
        feature_names=tuple(header.feature_names),
    )


def write_graph_folder(
    folder: str | os.PathLike[str], graph: CSRGraph, *, force: bool = False
) -> None:
    """Write a graph or a collection as a folder that :func:`read_graph_folder` opens.

    Parameters
    ----------
    folder : path
        It appears when it is whole. Its parent must exist.
    graph : CSRGraph
        It may lie in a graph folder itself, and in this one.
    force : bool
        Replace a graph folder of that name. A folder with anything else in it is never replaced.

    Raises
    ------
    InputError
        If the folder is there already, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from gomkcn_dgl.csr import csr_from_edges
    >>> path = Path(tempfile.mkdtemp()) / "edge.graph"
    >>> write_graph_folder(path, csr_from_edges(np.array([0]), np.array([1]), 2))
    >>> sorted(file.name for file in path.iterdir())
    ['graph.json', 'graph_ptr.npy', 'indices.npy', 'indptr.npy']
    """
    with new_folder(folder, force) as place:
        for name in ("indptr", "indices", "weights", "graph_ptr"):
            if getattr(graph, name) is not None:
                save(place / f"{name}.npy", getattr(graph, name))
        is_constant = _is_constant(graph)
        if not is_constant:
            save(place / "features.npy", graph.features)
        header = FolderHeader(
            num_nodes=graph.num_nodes,
            num_edges=graph.num_edges,
            num_graphs=graph.num_graphs,
            weighted=graph.weights is not None,
            feature_names=list(graph.feature_names),
            constant_features=is_constant,
            node_ids=write_node_ids(place, graph.node_ids),
        )
        header.write(place)


def constant_features(num_nodes: int) -> np.ndarray:
    """The constant feature 1 of all nodes, float32 ``[V, 1]``: a read-only view of one number."""
    return np.broadcast_to(np.float32(1), (num_nodes, 1))


def write_node_ids(folder: Path, node_ids: Any) -> str:
    """Write the ids of nodes, an array or an iterable of text; return what kind they are."""
    if node_ids is None:
        return "rows"
    if isinstance(node_ids, np.ndarray) and node_ids.dtype.kind in "iu":
        if len(node_ids) and int(node_ids.max()) >= 2**63:
            raise InputError(f"a node id must be less than 2^63, got {node_ids.max()}.")
        save(folder / "node_ids.npy", node_ids.astype(np.int64, copy=False))
        return "integers"
    with NamesWriter(folder, "node_ids") as writer:
        for first, last in chunks(len(node_ids), _NAMES_AT_ONCE):
            writer.append(map(str, node_ids[first:last]))
    return "text"


@contextlib.contextmanager
def new_folder(folder: str | os.PathLike[str], force: bool = False) -> Iterator[Path]:
    """Make a folder that takes the name ``folder`` when the block ends well, and else vanishes.

    Parameters
    ----------
    folder : path
        Its parent must exist.
    force : bool
        Replace a graph folder of that name.

    Raises
    ------
    InputError
        If it cannot be written, is there already, or holds what is no part of a graph.
    """
    target = Path(folder)
    try:
        target = target.resolve()
        held = _check_replaceable(target, force)
        # beside it, so that the renames stay within one file system
        place = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
        place.mkdir()
        try:
            yield place
            sync_folder(place)
            if held:
                old = place.with_suffix(".old")
                target.rename(old)
                place.rename(target)
                shutil.rmtree(old, ignore_errors=True)
            else:
                place.rename(target)
            sync_folder(target.parent)
        finally:
            shutil.rmtree(place, ignore_errors=True)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"out folder {str(folder)!r} cannot be written ({reason}).") from None


def _check_replaceable(target: Path, force: bool) -> bool:
    """Whether a folder of that name is there and may go."""
    shown = f"out folder {str(target)!r}"
    if not target.parent.is_dir():
        raise InputError(f"{shown} must lie in a folder that exists.")
    if not target.exists():
        return False
    if not target.is_dir():
        raise InputError(f"{shown} is a file; choose another name.")
    ours = {HEADER, *(f"{name}.npy" for name in ARRAYS)}
    held = sorted(path.name for path in target.iterdir())
    foreign = [name for name in held if name not in ours]
    if foreign:
        raise InputError(
            f"{shown} holds {foreign[0]!r}, which is no part of a graph; choose another name."
        )
    if held and not force:
        raise InputError(
            f"{shown} already holds a graph; choose another name, or overwrite it with --force."
        )
    return True


def _is_constant(graph: CSRGraph) -> bool:
    if graph.feature_names != (CONSTANT_FEATURE,):
        return False
    return all((graph.features[first:last] == 1).all() for first, last in chunks(graph.num_nodes))


def _read_node_ids(folder: Path, header: FolderHeader) -> np.ndarray | None:
    if header.node_ids == "rows":
        return None
    if header.node_ids == "integers":
        return StoredArray(folder, "node_ids", np.int64, (header.num_nodes,)).array
    content = StoredArray(folder, "node_ids", np.uint8, (None,))
    offsets = StoredArray(folder, "node_ids_offsets", np.int64, (header.num_nodes + 1,))
    check_names(content, offsets)
    # it stands for an array of text
    return cast(np.ndarray, StoredNames(content.array, offsets.array))
