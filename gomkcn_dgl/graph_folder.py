"""A folder of memory-mapped arrays ↔ a CSRGraph: for graphs that are larger than memory.

| file              | content                                                                   |
|-------------------|---------------------------------------------------------------------------|
| `graph.json`      | the version of the format, the numbers of nodes, edges and graphs, names  |
|                   | of features, relations and links, notes, and which of the arrays exist    |
| `indptr.npy`      | int64 `[V + 1]`, `indices.npy`: int32 `[E]`, as in the CSRGraph           |
| `graph_ptr.npy`   | int64 `[G + 1]`                                                           |
| `weights.npy`     | float32 `[E]`; absent for an unweighted graph                             |
| `links.npy`       | uint8 or uint16 `[E]`; absent where all edges are alike                   |
| `features.npy`    | float32 `[V, D]`; absent for the constant 1                               |
| `node_ids.npy`    | int64 `[V]`; absent for row numbers and for                               |
| `node_ids.arrow`  | text `[V]`, the column `id` of an Arrow IPC file                          |

The names are fixed, so that no folder can refer to a file outside. Nothing is unpickled.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa

from gomkcn_dgl.checks import check_finite
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.relations import Relations, relations_from_record, relations_to_record
from gomkcn_dgl.runtime.files import parse_json, reason_of, sync_folder
from gomkcn_dgl.runtime.output_folder import lock_alone

HEADER, TEXT_IDS = "graph.json", "node_ids.arrow"
_FORMAT, _VERSION = "gomkcn-graph", 3
_OPTIONAL = ("weights", "links", "features", "node_ids")
_FILES = {HEADER, TEXT_IDS, *(f"{n}.npy" for n in ("indptr", "indices", "graph_ptr", *_OPTIONAL))}
_LARGEST_HEADER = 2**24
_NAMES_AT_ONCE = 2**18


@dataclass(frozen=True)
class FolderHeader:
    """Content of ``graph.json`` beside format and version.

    ``num_edges`` counts edges as they were given, and ``files`` lists those of the optional arrays
    that the folder has: ``weights``, ``links``, ``features`` and ``node_ids``.
    """

    num_nodes: int
    num_edges: int
    num_graphs: int
    feature_names: list[str]
    relations: dict[str, Any]
    notes: list[str]
    files: list[str]

    def write(self, folder: Path) -> None:
        """Write ``graph.json``."""
        record = {"format": _FORMAT, "version": _VERSION, **asdict(self)}
        text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
        (folder / HEADER).write_text(text, encoding="utf-8")


def is_graph_folder(path: str | os.PathLike[str]) -> bool:
    """Whether this is a folder that holds ``graph.json``."""
    return (Path(path) / HEADER).is_file()


def read_graph_folder(folder: str | os.PathLike[str]) -> CSRGraph:
    """Open a graph folder: arrays are memory-mapped and read-only, and each is checked once."""
    folder = Path(folder)
    header = _read_header(folder)
    relations = relations_from_record(header.relations, HEADER)
    num_nodes, has = header.num_nodes, set(header.files)
    if not relations.is_simple and "links" not in has:
        raise InputError(f"{HEADER} must have links for relations with types or directions.")
    indptr = _map(folder, "indptr", np.int64, (num_nodes + 1,))
    # with links, an entry may be several edges, or one that comes in
    num_entries = None if "links" in has else 2 * header.num_edges
    indices = _map(folder, "indices", np.int32, (num_entries,))
    graph_ptr = _map(folder, "graph_ptr", np.int64, (header.num_graphs + 1,))
    shape = (len(indices),)
    weights = _map(folder, "weights", np.float32, shape) if "weights" in has else None
    links = _map(folder, "links", relations.code_type, shape) if "links" in has else None
    _check_rows(indptr, indices, graph_ptr, weights, links, relations)
    features = np.broadcast_to(np.float32(1), (num_nodes, 1))
    if "features" in has:
        features = _map(folder, "features", np.float32, (num_nodes, len(header.feature_names)))
        # a sum takes no memory, and is finite only where all numbers are
        with np.errstate(invalid="ignore"):
            is_finite = np.isfinite(features.sum(dtype=np.float64))
        if not is_finite:
            check_finite("features", features)
    elif len(header.feature_names) != 1:
        raise InputError(f"feature_names in {HEADER} must be one for the constant feature.")
    return CSRGraph(
        indptr=indptr,
        indices=indices,
        features=features,
        weights=weights,
        graph_ptr=graph_ptr,
        node_ids=read_node_ids(folder, num_nodes) if "node_ids" in has else None,
        feature_names=tuple(header.feature_names),
        relations=relations,
        links=links,
        notes=tuple(header.notes),
    )


def write_graph_folder(
    folder: str | os.PathLike[str], graph: CSRGraph, *, force: bool = False
) -> FolderHeader:
    """Write a graph as a folder, which appears when complete; ``force`` replaces another graph."""
    ids = graph.node_ids
    with new_folder(folder, force) as unfinished:
        arrays = {name: getattr(graph, name) for name in ("weights", "links")}
        arrays = {name: values for name, values in arrays.items() if values is not None}
        is_one = graph.features.strides[0] == 0 or (graph.features == 1).all()
        if graph.feature_names != (CONSTANT_FEATURE,) or not is_one:
            arrays["features"] = graph.features
        for name in ("indptr", "indices", "graph_ptr", *arrays):
            np.save(unfinished / f"{name}.npy", getattr(graph, name))
        if ids is not None and ids.dtype.kind in "iu":
            if int(ids.max()) >= 2**63:
                raise InputError(f"a node id must be less than 2^63, got {ids.max()}.")
            np.save(unfinished / "node_ids.npy", ids.astype(np.int64, copy=False))
        elif ids is not None:
            starts = range(0, graph.num_nodes, _NAMES_AT_ONCE)
            pieces = (ids[first : first + _NAMES_AT_ONCE].tolist() for first in starts)
            write_names(
                unfinished, (pa.array(list(map(str, names)), pa.string()) for names in pieces)
            )
        header = FolderHeader(
            num_nodes=graph.num_nodes,
            num_edges=graph.num_edges,
            num_graphs=graph.num_graphs,
            feature_names=list(graph.feature_names),
            relations=relations_to_record(graph.relations),
            notes=list(graph.notes),
            files=[*arrays, *(["node_ids"] if ids is not None else [])],
        )
        header.write(unfinished)
    return header


def write_names(folder: Path, pieces: Iterable[pa.Array]) -> None:
    """Write node ids that are text, some at a time."""
    schema = pa.schema({"id": pa.string()})
    with pa.ipc.new_file(folder / TEXT_IDS, schema) as file:
        for names in pieces:
            file.write_batch(pa.record_batch([names], schema=schema))


def read_node_ids(folder: Path, num_nodes: int) -> np.ndarray:
    """Open the node ids of a folder that has any."""
    if not (folder / TEXT_IDS).is_file():
        return _map(folder, "node_ids", np.int64, (num_nodes,))
    names = StoredNames(folder / TEXT_IDS)
    if len(names) != num_nodes:
        raise InputError(f"{TEXT_IDS} must name all {num_nodes} nodes, got {len(names)} names.")
    # it stands for an array of text
    return cast(np.ndarray, names)


class StoredNames:
    """Node ids ``[V]`` over a memory-mapped file, a read-only stand-in for an array of text."""

    dtype = np.dtype(str)

    def __init__(self, path: Path) -> None:
        # a damaged file can raise nearly anything
        try:
            table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
            table.validate(full=True)
            self.column = table["id"].cast(pa.string())
        except Exception as error:
            raise InputError(f"{path.name} must hold names ({reason_of(error)}).") from None

    def __len__(self) -> int:
        return len(self.column)

    def __getitem__(self, rows: Any) -> Any:
        """Return one name, or an array of text in the shape of ``rows``."""
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(len(self)))
        rows = np.asarray(rows)
        names = self.column.take(pa.array(np.where(rows < 0, rows + len(self), rows).ravel()))
        # the index [()] turns an array of no dimension into its one name
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
        hidden = target.with_name(f".{target.name}.unfinished")
        unfinished, old = hidden / "new", hidden / "old"
        with contextlib.ExitStack() as stack:
            # another process may have locked it by then
            stack.callback(_remove_empty, hidden)
            stack.enter_context(lock_alone(hidden, target))
            # what a killed process left; a folder that was given its name back is not replaced
            _settle(target, unfinished, old)
            stack.callback(_settle, target, unfinished, old)
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


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


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
    names = {path.name for path in target.iterdir()}
    if names - _FILES:
        raise InputError(
            f"{shown} holds {min(names - _FILES)!r}, which is no part of a graph; choose another "
            "name."
        )
    if names and not force:
        raise InputError(
            f"{shown} already holds a graph; choose another name, or overwrite it with --force."
        )


def _check_rows(
    indptr: np.ndarray,
    indices: np.ndarray,
    graph_ptr: np.ndarray,
    weights: np.ndarray | None,
    links: np.ndarray | None,
    relations: Relations,
) -> None:
    """Refuse what is not a graph without self-loops, or a collection of such graphs."""
    from gomkcn_dgl.kernels import entries_numba as check

    for name, pointer, end in (
        ("indptr", indptr, len(indices)),
        ("graph_ptr", graph_ptr, len(indptr) - 1),
    ):
        if pointer[0] != 0 or pointer[-1] != end or (pointer[1:] < pointer[:-1]).any():
            raise InputError(f"{name}.npy must ascend from 0 to {end}.")
    # what there is none of is empty, and as read-only as the arrays that are mapped
    stored = indices[:0].view(np.float32) if weights is None else weights
    codes = indices[:0].view(np.uint8) if links is None else links
    # the two directions of an edge may differ in their weights
    bits = (stored[:0] if relations.is_directed else stored).view(np.uint32)
    wrong, row, entry = check.find_damage(
        indptr, indices, graph_ptr, stored, bits, codes, relations.reverse
    )
    same = "with one weight" if links is None else "with opposite links"
    rules = {
        check.ORDER: "indices.npy must ascend in each row, without duplicates and self-loops, from "
        f"0 to {len(indptr) - 2}; row {row} does not",
        check.GRAPH: "an edge must stay within one graph of the collection, which that of row "
        f"{row} does not",
        check.WEIGHT: "weights.npy must be finite and greater than 0",
        check.LINK: f"links.npy must be numbers of links, 1 to {len(relations.links) - 1}",
        check.BALANCE: f"indices.npy must hold each edge in both directions, {same}",
    }
    if wrong == check.BALANCE:
        raise InputError(f"{rules[wrong]}.")
    if wrong >= 0:
        raise InputError(f"{rules[wrong]}, at the entry {entry}.")


def _read_header(folder: Path) -> FolderHeader:
    """Read and check ``graph.json``; whether its numbers are true is seen from the arrays."""
    path = folder / HEADER
    if not path.is_file():
        raise InputError(f"a graph folder must hold {HEADER}, and there is none.")
    try:
        with open(path, "rb") as file:
            record = parse_json(file.read(_LARGEST_HEADER))
    except (OSError, ValueError) as error:
        raise InputError(f"{HEADER} cannot be read ({error}).") from None
    known = {"format": _FORMAT, "version": _VERSION}
    if not isinstance(record, dict) or any(record.get(n) != one for n, one in known.items()):
        raise InputError(
            f"{HEADER} must have the format {_FORMAT!r}, version {_VERSION}; convert the graph "
            "anew."
        )
    kinds = {"int": int, "list[str]": list, "dict[str, Any]": dict}
    for each in fields(FolderHeader):
        value = record.get(each.name)
        # in Python a bool is an int as well
        fits = type(value) is kinds[str(each.type)]
        if not fits or (type(value) is list and not all(isinstance(one, str) for one in value)):
            raise InputError(f"{each.name} in {HEADER} must be {each.type}, got {value!r:.40}.")
    header = FolderHeader(**{each.name: record[each.name] for each in fields(FolderHeader)})
    if not 1 <= header.num_nodes < 2**31:
        raise InputError(f"num_nodes in {HEADER} must be from 1 to 2^31 - 1.")
    if not set(header.files) <= set(_OPTIONAL):
        raise InputError(f"files in {HEADER} must be among {', '.join(_OPTIONAL)}.")
    return header


@contextlib.contextmanager
def npy_file(path: Path, kind: Any, shape: tuple[int, ...]) -> Iterator[Any]:
    """Open a ``.npy`` file of this type and shape, to which contiguous pieces are written."""
    header = {"descr": np.dtype(kind).str, "fortran_order": False, "shape": shape}
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        yield file


def _map(folder: Path, name: str, kind: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """Open the array ``<name>.npy`` of a folder; a None in ``shape`` stands for any length."""
    path = folder / f"{name}.npy"
    # a link could name any file of the machine, and a pipe would never end
    if path.is_symlink() or not path.is_file():
        raise InputError(f"{path.name} must be a file in the folder, and there is none.")
    # a damaged header can raise nearly anything
    try:
        array: np.ndarray = np.asarray(np.lib.format.open_memmap(path, mode="r"))
    except Exception as error:
        raise InputError(f"{path.name} cannot be read ({reason_of(error)}).") from None
    fits = len(array.shape) == len(shape) and all(
        expected in (None, length) for expected, length in zip(shape, array.shape, strict=True)
    )
    if array.dtype != np.dtype(kind) or not fits or not array.flags.c_contiguous:
        expected = ", ".join("any" if length is None else str(length) for length in shape)
        raise InputError(
            f"{path.name} must hold {np.dtype(kind)} [{expected}], "
            f"got {array.dtype} {list(array.shape)}."
        )
    return array
