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
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa

from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.edges import check_graph_ptr
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.relations import SIMPLE, Relations, relations_from_record, relations_to_record
from gomkcn_dgl.runtime.files import parse_json, reason_of, sync_folder
from gomkcn_dgl.runtime.output_folder import lock_alone

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
# Numbers that are read at once.
CHUNK = 2**20
HEADER = "graph.json"
_FORMAT = "gomkcn-graph"
# version 2 has relations
_VERSIONS = (1, 2)
_LARGEST_HEADER = 2**24
_NODE_IDS = ("rows", "integers", "text")
_TYPES = {"int": int, "bool": bool, "list[str]": list, "str": str, "dict[str, Any]": dict}


def is_graph_folder(path: str | os.PathLike[str]) -> bool:
    """Whether this is a folder that holds ``graph.json``."""
    return (Path(path) / HEADER).is_file()


def read_graph_folder(folder: str | os.PathLike[str]) -> CSRGraph:
    """Open a graph folder: arrays are memory-mapped and read-only, and each is checked once."""
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
        node_ids=read_node_ids(folder, header.node_ids, num_nodes),
        feature_names=tuple(header.feature_names),
        relations=relations,
        links=None if links is None else np.asarray(links),
        notes=tuple(header.notes),
    )


def write_graph_folder(
    folder: str | os.PathLike[str], graph: CSRGraph, *, force: bool = False
) -> FolderHeader:
    """Write a graph as a folder, which appears when complete; ``force`` replaces another graph."""
    with new_folder(folder, force) as unfinished:
        for name in ("indptr", "indices", "weights", "links", "graph_ptr"):
            if getattr(graph, name) is not None:
                np.save(unfinished / f"{name}.npy", getattr(graph, name))
        is_constant = graph.feature_names == (CONSTANT_FEATURE,) and all(
            (graph.features[first:last] == 1).all() for first, last in chunks(0, graph.num_nodes)
        )
        if not is_constant:
            np.save(unfinished / "features.npy", graph.features)
        ids = None
        if graph.node_ids is not None:
            ids = (graph.node_ids[first:last] for first, last in chunks(0, graph.num_nodes))
        header = FolderHeader(
            num_nodes=graph.num_nodes,
            num_edges=graph.num_edges,
            num_graphs=graph.num_graphs,
            weighted=graph.weights is not None,
            feature_names=list(graph.feature_names),
            constant_features=is_constant,
            node_ids=write_node_ids(unfinished, ids),
            relations=relations_to_record(graph.relations),
            linked=graph.links is not None,
            notes=list(graph.notes),
        )
        header.write(unfinished)
    return header


def write_node_ids(folder: Path, pieces: Iterable[Any] | None) -> str:
    """Write node ids, in pieces that are arrays or lists; return their kind for the header."""
    num_bytes, kind = 0, "rows"
    for piece in pieces or ():
        if isinstance(piece, np.ndarray) and piece.dtype.kind in "iu":
            if len(piece) and int(piece.max()) >= 2**63:
                raise InputError(f"a node id must be less than 2^63, got {piece.max()}.")
            append_npy(folder / "node_ids.npy", piece.astype(np.int64, copy=False))
            kind = "integers"
            continue
        names = pa.array([str(name) for name in piece], pa.large_string())
        _, positions, text = names.buffers()
        ends = num_bytes + np.frombuffer(positions, np.int64, len(names) + 1)
        append_npy(folder / "node_ids_offsets.npy", ends if kind == "rows" else ends[1:])
        append_npy(folder / "node_ids.npy", np.frombuffer(text, np.uint8))
        num_bytes, kind = int(ends[-1]), "text"
    return kind


def read_node_ids(folder: Path, kind: str, num_nodes: int) -> np.ndarray | None:
    """Open node ids of a kind that :func:`write_node_ids` returned; None for row numbers."""
    if kind == "rows":
        return None
    if kind == "integers":
        return np.asarray(map_array(folder, "node_ids", np.int64, (num_nodes,)))
    content = map_array(folder, "node_ids", np.uint8, (None,))
    offsets = map_array(folder, "node_ids_offsets", np.int64, (num_nodes + 1,))
    check_names(content, offsets)
    # It stands for an array of text.
    return cast(np.ndarray, StoredNames(content, offsets))


class StoredNames:
    """Node ids ``[V]`` over memory-mapped files, a read-only stand-in for an array of text."""

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


def chunks(start: int, stop: int, size: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield ``(first, last + 1)`` of each piece of a range, of ``CHUNK`` numbers by default."""
    size = CHUNK if size is None else size
    for first in range(start, stop, size):
        yield first, min(first + size, stop)


def check_pointer(name: str, pointer: np.memmap, end: int) -> None:
    """Refuse positions that do not ascend from 0 to ``end``."""
    previous = 0
    for first, last in chunks(0, len(pointer)):
        values = read_rows(pointer, first, last)
        starts_well = values[0] == 0 if first == 0 else values[0] >= previous
        if not starts_well or (np.diff(values) < 0).any():
            raise InputError(f"{name}.npy must ascend from 0 to {end}.")
        previous = int(values[-1])
    if previous != end:
        raise InputError(f"{name}.npy must ascend from 0 to {end}, got {previous} at its end.")


def arrow_column(content: np.ndarray, offsets: np.ndarray) -> pa.LargeStringArray:
    """Return text ``[V]`` over UTF-8 bytes and int64 offsets ``[V + 1]``, without a copy."""
    buffers = pa.py_buffer(offsets), pa.py_buffer(content)
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, *buffers)


def check_names(content: np.memmap, offsets: np.memmap) -> None:
    """Refuse node names that are not text in UTF-8."""
    check_pointer("node_ids_offsets", offsets, len(content))
    for first, last in chunks(0, len(offsets) - 1):
        positions = read_rows(offsets, first, last + 1)
        text = read_rows(content, int(positions[0]), int(positions[-1]))
        try:
            arrow_column(text, positions - positions[0]).validate(full=True)
        except pa.ArrowInvalid:
            raise InputError("node_ids.npy must hold names in UTF-8.") from None


def check_features(features: np.memmap) -> None:
    """Refuse features of nodes that are not finite."""
    for first, last in chunks(0, len(features), max(1, CHUNK // features.shape[1])):
        values = read_rows(features, first, last)
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise InputError(
                f"features must be finite and at most 3.4e38 in size, got {values[row, column]} "
                f"in row {first + row}, column {column}; fill or drop such values first."
            )


def check_rows(
    indptr: np.memmap,
    indices: np.memmap,
    graph_ptr: np.ndarray,
    weights: np.memmap | None,
    links: np.memmap | None,
    relations: Relations,
) -> None:
    """Refuse what is not a graph without self-loops, or a collection of such graphs.

    Each pair of nodes must be stored in both rows, with opposite links and, without directions, one
    weight. This is tested by a sum of 64-bit fingerprints in which the two cancel; other arrays
    have the sum zero with a probability of 2^-64.
    """
    from gomkcn_dgl.kernels.entries_numba import scan_entries

    check_pointer("indptr", indptr, len(indices))
    num_nodes, balance, before = len(indptr) - 1, 0, (-1, -1)
    for first, last in chunks(0, num_nodes):
        starts = read_rows(indptr, first, last + 1)
        # A row may be longer than a piece, so pieces of entries are cut without regard to rows.
        for begin, end in chunks(int(starts[0]), int(starts[-1])):
            column = read_rows(indices, begin, end)
            alike = []
            if weights is not None:
                values = read_rows(weights, begin, end)
                if not (np.isfinite(values) & (values > 0)).all():
                    raise InputError("weights.npy must be finite and greater than 0.")
                alike += [] if relations.is_directed else [values.view(np.uint32)]
            row = np.empty(0, np.int64)
            if links is not None or len(graph_ptr) > 2:
                row = np.repeat(np.arange(first, last), np.diff(np.clip(starts, begin, end)))
            if links is not None:
                codes = read_rows(links, begin, end)
                if codes.min() < 1 or codes.max() >= len(relations.links):
                    raise InputError(
                        f"links.npy must be numbers of links, 1 to {len(relations.links) - 1}."
                    )
                alike.append(np.where(row < column, codes, relations.reverse[codes]))
            both = np.array(alike, np.uint64).reshape(len(alike), len(column))
            wrong, last_row, total = scan_entries(
                first, starts, begin, column, num_nodes, before, both
            )
            if wrong >= 0:
                raise InputError(
                    f"indices.npy must ascend in each row, from 0 to {num_nodes - 1}, without "
                    f"duplicates and self-loops; row {last_row} does not, at {column[wrong]}."
                )
            before = last_row, int(column[-1])
            if len(graph_ptr) > 2:
                check_graph_ptr(graph_ptr, row, column, num_nodes)
            balance += int(total)
    if balance % 2**64:
        same = "with one weight" if links is None else "with opposite links"
        raise InputError(f"indices.npy must hold each edge in both directions, {same}.")


@dataclass(frozen=True)
class FolderHeader:
    """Content of ``graph.json`` beside format and version.

    ``num_edges`` counts edges as they were given. With ``constant_features`` the one feature is 1
    for all nodes and there is no ``features.npy``. ``node_ids`` is "rows" (0, 1, 2, … within each
    graph, without a file), "integers" or "text".
    """

    num_nodes: int
    num_edges: int
    num_graphs: int
    weighted: bool
    feature_names: list[str]
    constant_features: bool
    node_ids: str
    relations: dict[str, Any]
    linked: bool
    notes: list[str]

    def write(self, folder: Path) -> None:
        """Write ``graph.json``."""
        record = {"format": _FORMAT, "version": _VERSIONS[-1], **asdict(self)}
        text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
        (folder / HEADER).write_text(text, encoding="utf-8")


def read_header(folder: Path) -> FolderHeader:
    """Read and check ``graph.json``; whether its numbers are true is seen from the arrays."""
    path = folder / HEADER
    if not path.is_file():
        raise InputError(f"a graph folder must hold {HEADER}, and there is none.")
    try:
        with open(path, "rb") as file:
            record = parse_json(file.read(_LARGEST_HEADER))
    except (OSError, ValueError) as error:
        raise InputError(f"{HEADER} cannot be read ({error}).") from None
    if not isinstance(record, dict) or record.get("format") != _FORMAT:
        raise InputError(f"{HEADER} must have the format {_FORMAT!r}; convert the graph anew.")
    if record.get("version") not in _VERSIONS:
        known = " or ".join(map(str, _VERSIONS))
        raise InputError(f"{HEADER} must have the version {known}; convert the graph anew.")
    record = {"relations": relations_to_record(SIMPLE), "linked": False, "notes": [], **record}
    for each in fields(FolderHeader):
        value = record.get(each.name)
        # in Python a bool is an int as well
        if type(value) is not _TYPES[str(each.type)]:
            raise InputError(f"{each.name} in {HEADER} must be {each.type}, got {value!r:.40}.")
    header = FolderHeader(**{each.name: record[each.name] for each in fields(FolderHeader)})
    names = header.feature_names
    rules = {
        "notes in {} must be a list of text": all(isinstance(one, str) for one in header.notes),
        "num_nodes in {} must be from 1 to 2^31 - 1": 1 <= header.num_nodes < 2**31,
        f"node_ids in {{}} must be one of {', '.join(_NODE_IDS)}": header.node_ids in _NODE_IDS,
        "feature_names in {} must be a list of names, at least one": names
        and all(isinstance(name, str) for name in names),
        "feature_names in {} must be one name for the constant feature": len(names) == 1
        or not header.constant_features,
    }
    for rule, holds in rules.items():
        if not holds:
            raise InputError(f"{rule.format(HEADER)}.")
    if record.get("edge_feature_names"):
        header.notes.append("not used: the edge features of the folder")
    return header


def append_npy(path: Path, values: np.ndarray) -> None:
    """Append rows to a ``.npy`` file, which the first rows create; they set its type and shape."""
    if not path.exists():
        np.save(path, np.ascontiguousarray(values))
        return
    with open(path, "r+b") as file:
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        file.seek(0, os.SEEK_END)
        file.write(np.ascontiguousarray(values, dtype).data)
        file.seek(0)
        # NumPy pads headers for a length of 20 digits, so that the new one is as long as the old.
        header = {
            "descr": np.lib.format.dtype_to_descr(dtype),
            "fortran_order": False,
            "shape": (shape[0] + len(values), *shape[1:]),
        }
        np.lib.format.write_array_header_1_0(file, header)


def map_npy(path: Path) -> np.memmap:
    """Open a ``.npy`` file as a read-only memory map; a damaged file raises an InputError."""
    # A damaged header can raise nearly anything.
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except Exception as error:
        raise InputError(f"{path.name} cannot be read ({reason_of(error)}).") from None


def map_array(folder: Path, name: str, dtype: Any, shape: tuple[int | None, ...]) -> np.memmap:
    """Open the array ``<name>.npy`` of a folder; a None in ``shape`` stands for any length."""
    path = folder / f"{name}.npy"
    # A link could name any file of the machine, and a pipe would never end.
    if path.is_symlink() or not path.is_file():
        raise InputError(f"{path.name} must be a file in the folder, and there is none.")
    array = map_npy(path)
    fits = len(array.shape) == len(shape) and all(
        expected in (None, length) for expected, length in zip(shape, array.shape, strict=True)
    )
    if array.dtype != np.dtype(dtype) or not fits or not array.flags.c_contiguous:
        expected = ", ".join("any" if length is None else str(length) for length in shape)
        raise InputError(
            f"{path.name} must hold {np.dtype(dtype)} [{expected}], "
            f"got {array.dtype} {list(array.shape)}."
        )
    return array


def read_rows(array: np.memmap, first: int, last: int) -> np.ndarray:
    """Copy rows ``first`` to ``last - 1`` from the file of a memory map, whose pages would stay."""
    width = int(np.prod(array.shape[1:]))
    start = array.offset + first * width * array.itemsize
    values = np.fromfile(str(array.filename), array.dtype, (last - first) * width, offset=start)
    return values.reshape(last - first, *array.shape[1:])
