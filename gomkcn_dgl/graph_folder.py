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
| `node_ids.npy`    | int64 or text `[V]`; absent for row numbers                               |
| `graph_names.npy` | text `[G]`; absent where the graphs have no names                         |

The names are fixed, so that no folder can refer to a file outside. Nothing is unpickled.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.checks import check_finite
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.relations import Relations, relations_from_record, relations_to_record
from gomkcn_dgl.runtime.files import parse_json, reason_of, sync_folder
from gomkcn_dgl.runtime.mapped import map_array
from gomkcn_dgl.runtime.output_folder import lock_alone

HEADER = "graph.json"
_FORMAT, _VERSION = "gomkcn-graph", 4
_OPTIONAL = ("weights", "links", "features", "node_ids", "graph_names")
_FILES = {HEADER, *(f"{name}.npy" for name in ("indptr", "indices", "graph_ptr", *_OPTIONAL))}
_LARGEST_HEADER = 2**24
# content of the header beside format and version; the arrays that exist are its "files"
_ENTRIES: dict[str, type] = {
    **dict.fromkeys(("num_nodes", "num_edges", "num_graphs"), int),
    **dict.fromkeys(("feature_names", "notes", "files"), list),
    "relations": dict,
}


def is_graph_folder(path: str | os.PathLike[str]) -> bool:
    """Whether this is a folder that holds ``graph.json``."""
    return (Path(path) / HEADER).is_file()


def read_graph_folder(folder: str | os.PathLike[str]) -> CSRGraph:
    """Open a graph folder: arrays are memory-mapped and read-only, and each is checked once."""
    folder = Path(folder)
    header = _read_header(folder)
    relations = relations_from_record(header["relations"], HEADER)
    num_nodes, has = header["num_nodes"], set(header["files"])
    if not relations.is_simple and "links" not in has:
        raise InputError(f"{HEADER} must have links for relations with types or directions.")
    indptr = _map(folder, "indptr", np.int64, (num_nodes + 1,))
    # with links, an entry may be several edges, or one that comes in
    num_entries = None if "links" in has else 2 * header["num_edges"]
    indices = _map(folder, "indices", np.int32, (num_entries,))
    graph_ptr = _map(folder, "graph_ptr", np.int64, (header["num_graphs"] + 1,))
    shape = (len(indices),)
    weights = _map(folder, "weights", np.float32, shape) if "weights" in has else None
    links = _map(folder, "links", relations.code_type, shape) if "links" in has else None
    _check_rows(indptr, indices, graph_ptr, weights, links, relations)
    features = np.broadcast_to(np.float32(1), (num_nodes, 1))
    if "features" in has:
        width = len(header["feature_names"])
        features = _map(folder, "features", np.float32, (num_nodes, width))
        # a sum takes no memory, and is finite only where all numbers are
        with np.errstate(invalid="ignore"):
            is_finite = np.isfinite(features.sum(dtype=np.float64))
        if not is_finite:
            check_finite("features", features)
    elif len(header["feature_names"]) != 1:
        raise InputError(f"feature_names in {HEADER} must be one for the constant feature.")
    return CSRGraph(
        indptr=indptr,
        indices=indices,
        features=features,
        weights=weights,
        graph_ptr=graph_ptr,
        node_ids=_map_names(folder, "node_ids", num_nodes) if "node_ids" in has else None,
        feature_names=tuple(header["feature_names"]),
        relations=relations,
        links=links,
        notes=tuple(header["notes"]),
        graph_names=(
            _map_names(folder, "graph_names", header["num_graphs"], is_text=True)
            if "graph_names" in has
            else None
        ),
    )


def write_graph_folder(
    folder: str | os.PathLike[str], graph: CSRGraph, *, force: bool = False
) -> None:
    """Write a graph as a folder, which appears when complete; ``force`` replaces another graph."""
    with new_folder(folder, force) as unfinished:
        store_graph(unfinished, graph)


def store_graph(folder: Path, graph: CSRGraph) -> None:
    """Write the files of a graph into a folder that exists."""
    stored = [name for name in _OPTIONAL if getattr(graph, name) is not None]
    is_one = graph.features.strides[0] == 0 or (graph.features == 1).all()
    if graph.feature_names == (CONSTANT_FEATURE,) and is_one:
        stored.remove("features")
    for name in ("indptr", "indices", "graph_ptr", *stored):
        values = getattr(graph, name)
        if name == "node_ids" and values.dtype.kind == "u" and int(values.max()) >= 2**63:
            raise InputError(f"a node id must be less than 2^63, got {values.max()}.")
        if name == "node_ids" and values.dtype.kind in "iu":
            values = values.astype(np.int64, copy=False)
        np.save(folder / f"{name}.npy", values)
    record = {
        "format": _FORMAT,
        "version": _VERSION,
        "num_nodes": graph.num_nodes,
        "num_edges": graph.num_edges,
        "num_graphs": graph.num_graphs,
        "feature_names": list(graph.feature_names),
        "relations": relations_to_record(graph.relations),
        "notes": list(graph.notes),
        "files": stored,
    }
    header = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    (folder / HEADER).write_text(header, encoding="utf-8")


def _map_names(folder: Path, name: str, number: int, *, is_text: bool = False) -> np.ndarray:
    """Open what nodes or graphs are called in a folder: integers or text, or text alone."""
    names = _map(folder, name, None, (number,))
    if names.dtype.kind == "U":
        codes = names.view(np.uint32)
        # halves of a character, and what is none
        if names.dtype.byteorder == ">" or ((codes >> 11 == 27) | (codes > 0x10FFFF)).any():
            raise InputError(f"{name}.npy must hold text.")
    elif is_text or names.dtype != np.int64:
        known = "text" if is_text else "int64 or text"
        raise InputError(f"{name}.npy must hold {known}, got {names.dtype}.")
    return names


@contextlib.contextmanager
def new_folder(
    folder: str | os.PathLike[str], force: bool, inputs: Iterable[str | os.PathLike[str]] = ()
) -> Iterator[Path]:
    """Yield an empty folder that takes the name ``folder`` when the block ends well, or vanishes.

    ``folder`` must not exist or be empty; with ``force`` it may also be a graph folder, if it holds
    none of the ``inputs``. Whatever else prevents writing it raises an InputError. A killed process
    leaves ``.folder.unfinished``, which the next one to write ``folder`` removes.
    """
    try:
        target, inputs = Path(folder).resolve(), list(inputs)
        check_graph_folder(target, force, inputs)
        hidden = target.with_name(f".{target.name}.unfinished")
        unfinished, old = hidden / "new", hidden / "old"
        if hidden.is_symlink():
            raise InputError(
                f"{str(hidden)!r} is a symbolic link, which is not followed; remove it."
            )
        with contextlib.ExitStack() as stack:
            # another process may have locked it by then
            stack.callback(_remove_empty, hidden)
            stack.enter_context(lock_alone(hidden, target))
            # what a killed process left; a folder that was given its name back is not replaced
            _settle(target, unfinished, old)
            stack.callback(_settle, target, unfinished, old)
            check_graph_folder(target, force, inputs)
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
        raise InputError("out", f"folder {str(folder)!r} cannot be written ({reason})") from None


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def _settle(target: Path, unfinished: Path, old: Path) -> None:
    """Give what was to be replaced its name back, if nothing has taken it; remove the rest.

    What is no part of a graph was put there by somebody else, and stays.
    """
    for folder in (unfinished, old):
        if folder.is_symlink() or (folder.exists() and _others_in(folder)):
            raise InputError(
                f"folder {str(folder)!r} is in the way and not of a graph; move it away."
            )
    if old.exists() and not target.exists():
        old.rename(target)
    for folder in (unfinished, old):
        shutil.rmtree(folder, ignore_errors=True)


def _others_in(folder: Path) -> set[str]:
    """Names in a folder, or its own, that are no part of a graph."""
    if not folder.is_dir():
        return {folder.name}
    return {path.name for path in folder.iterdir()} - _FILES


def check_graph_folder(
    folder: str | os.PathLike[str], force: bool, inputs: Iterable[str | os.PathLike[str]] = ()
) -> None:
    """Refuse a name whose folder cannot be made or must not be replaced, before any work."""
    target = Path(folder).resolve()
    shown = f"folder {str(target)!r}"
    for input_path in filter(os.path.exists, inputs):
        real = Path(input_path).resolve()
        if target == real or target in real.parents or _links_to(real, target):
            how = "is" if target == real else "holds"
            raise InputError(
                "out", f"{shown} {how} the input {str(input_path)!r}", way_out="choose another name"
            )
    if not target.parent.is_dir():
        raise InputError("out", f"{shown} must lie in a folder that exists")
    if not target.exists():
        return
    if not target.is_dir():
        raise InputError("out", f"{shown} is a file", way_out="choose another name")
    names = {path.name for path in target.iterdir()}
    if others := _others_in(target):
        raise InputError(
            "out",
            f"{shown} holds {min(others)!r}, which is no part of a graph",
            way_out="choose another name",
        )
    if names and not force:
        raise InputError(
            "out",
            f"{shown} already holds a graph",
            way_out=("choose another name, or overwrite it with ", Argument("force", True)),
        )


def _links_to(file: Path, folder: Path) -> bool:
    """Whether a folder holds a file under another name."""
    if not (file.is_file() and folder.is_dir()):
        return False
    return any(path.exists() and path.samefile(file) for path in folder.iterdir())


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


def _read_header(folder: Path) -> dict[str, Any]:
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
    if not isinstance(record, dict) or any(record.get(n) != value for n, value in known.items()):
        raise InputError(
            f"{HEADER} must have the format {_FORMAT!r}, version {_VERSION}; convert the graph "
            "anew."
        )
    for name, kind in _ENTRIES.items():
        value = record.get(name)
        # in Python a bool is an int as well
        fits = type(value) is kind
        if not fits or (isinstance(value, list) and not all(isinstance(v, str) for v in value)):
            what = "a list of names" if kind is list else f"of type {kind.__name__}"
            raise InputError(f"{name} in {HEADER} must be {what}, got {value!r:.40}.")
    if not 1 <= record["num_nodes"] < 2**31:
        raise InputError(f"num_nodes in {HEADER} must be from 1 to 2^31 - 1.")
    if not set(record["files"]) <= set(_OPTIONAL):
        raise InputError(f"files in {HEADER} must be among {', '.join(_OPTIONAL)}.")
    return record


def _map(folder: Path, name: str, kind: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """Open the array ``<name>.npy`` of a folder; None for ``kind`` or a length stands for any."""
    path = folder / f"{name}.npy"
    # a link could name any file of the machine, and a pipe would never end
    if path.is_symlink() or not path.is_file():
        raise InputError(f"{path.name} must be a file in the folder, and there is none.")
    # a damaged header can raise nearly anything
    try:
        array = map_array(path)
    except Exception as error:
        raise InputError(f"{path.name} cannot be read ({reason_of(error)}).") from None
    fits = len(array.shape) == len(shape) and all(
        expected in (None, length) for expected, length in zip(shape, array.shape, strict=True)
    )
    kind = array.dtype if kind is None else np.dtype(kind)
    if array.dtype != kind or not fits or not array.flags.c_contiguous:
        expected = ", ".join("any" if length is None else str(length) for length in shape)
        raise InputError(
            f"{path.name} must hold {kind} [{expected}], got {array.dtype} {list(array.shape)}."
        )
    return array
