"""A DGL ``.bin`` file → the arrays of its graphs, taken apart without DGL.

``dgl.load_graphs`` aborts the whole process on some damaged files (14 of 300 with a few bytes
changed, DGL 1.1.3) and takes many others for good, so the file is read here, where nothing is read
past its end and no count is believed before it is checked. The layout, little-endian, is version 2
of DGL's, as 1.1.3 writes it; a file of another layout is refused. DGL is no longer released, so the
layout will not change.

    magic, version, kind, number of graphs, padding to byte 4096
    the place of the first graph, graph labels by name
    for each graph: structure, node data, edge data, names of its node and edge types
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph, concatenate, csr_from_edges, log_repairs
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import pick_columns
from gomkcn_dgl.runtime.file_bytes import read_bytes

WEIGHT = "weight"

_HEADER_BYTES = 4096
_FILE_MAGIC = 0xDD2E4FF046B4A13F
_VERSION, _HETEROGRAPH = 2, 2
_HETEROGRAPH_MAGIC = 0xDD589FBE35224ABF
_META_GRAPH_MAGIC = 0xDD3C5FFE20046ABF
_UNIT_GRAPH_MAGIC = 0xDD2E60F0F6B4A127
_CSR_MAGIC = 0xDD6CD31205DFF127
_COO_MAGIC = 0xDD61FFD305DFF127
_ARRAY_MAGIC = 0xDD5E40F096B4A13F
_COO, _CSR, _CSC = 1, 2, 4
# type code and bits of an array; NumPy has no bfloat16, which is the upper half of a float32
_TYPES = {(0, 8 * size): f"<i{size}" for size in (1, 2, 4, 8)}
_TYPES |= {(1, 8 * size): f"<u{size}" for size in (1, 2, 4, 8)}
_TYPES |= {(2, 8 * size): f"<f{size}" for size in (2, 4, 8)}
_BFLOAT16 = (4, 16)
_TYPES[_BFLOAT16] = "<u2"
_MOST_AXES = 32
# nodes without edges and features take no room in a file, but in memory
_MOST_BARE_NODES = 1 << 20


def read_dgl(path: Path, features: Sequence[str] | None) -> CSRGraph:
    """Read the graphs of a DGL ``.bin`` with the named node data, ``feat`` when left out.

    The edge data ``weight``, where there is one, becomes the edge weights; labels are ignored.
    """
    data = read_bytes(path)
    cursor, left = _Cursor(data), _MOST_BARE_NODES + len(data)
    num_graphs = _read_header(cursor)
    parts: list[CSRGraph] = []
    repairs: Counter[str] = Counter()
    for number in range(num_graphs):
        found = _read_graph(cursor)
        left -= found.num_nodes
        if left < 0:
            raise InputError("the file announces more nodes than it could hold.")
        try:
            matrix, names = pick_columns(features, found.node_data, "ndata")
            parts.append(
                csr_from_edges(
                    found.source,
                    found.target,
                    found.num_nodes,
                    weights=found.weights(),
                    features=matrix,
                    feature_names=names,
                    repairs=repairs,
                )
            )
        except (InputError, InputTypeError) as error:
            where = f"graph {number}: " if num_graphs > 1 else ""
            raise InputError(f"{where}{error}") from None
    graph = concatenate(parts)
    log_repairs(repairs)
    return graph


def read_dgl_columns(path: Path) -> DGLColumns:
    """Read what a DGL ``.bin`` says about its graphs and nodes beside their structure."""
    data = read_bytes(path)
    cursor = _Cursor(data)
    num_graphs = _read_header(cursor)
    labels = _read_graph_labels(_Cursor(data))
    frames = [_read_graph(cursor).node_data for _ in range(num_graphs)]
    shared = set.intersection(*(set(frame) for frame in frames))
    columns = {}
    for name in sorted(shared):
        parts = [frame[name] for frame in frames]
        if len({part.shape[1:] for part in parts}) == 1:
            columns[name] = np.concatenate(parts)
    return DGLColumns(labels, columns)


@dataclass(frozen=True)
class DGLColumns:
    """Named arrays of a ``.bin``.

    Attributes
    ----------
    graph_labels : dict of numpy.ndarray
        What ``dgl.save_graphs`` was given as labels, each ``[G]`` or ``[G, …]``.
    node_data : dict of numpy.ndarray
        The node data that all graphs have, ``[V, …]`` over all of them.
    """

    graph_labels: dict[str, np.ndarray]
    node_data: dict[str, np.ndarray]


@dataclass(frozen=True)
class _DGLGraph:
    """One graph of a ``.bin``: edges in the order of their data."""

    source: np.ndarray
    target: np.ndarray
    num_nodes: int
    node_data: dict[str, np.ndarray]
    edge_data: dict[str, np.ndarray]

    def weights(self) -> np.ndarray | None:
        """Return the edge data ``weight``, ``[E]``, if there is one."""
        found = self.edge_data.get(WEIGHT)
        return None if found is None else found.reshape(-1)


class _Cursor:
    """A place in the bytes of a file that never reads past the end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def seek(self, place: int) -> None:
        if place > len(self._data):
            raise self.damaged()
        self._place = place

    def damaged(self) -> InputError:
        return InputError(
            f"the DGL file is damaged, cut off or of an unknown layout near byte {self._place}."
        )

    def take(self, count: int) -> bytes:
        if not 0 <= count <= len(self._data) - self._place:
            raise self.damaged()
        start, self._place = self._place, self._place + count
        return self._data[start : self._place]

    def numbers(self, layout: str) -> tuple[Any, ...]:
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))

    def number(self) -> int:
        return self.numbers("Q")[0]

    def count(self) -> int:
        """Return the length of a list, each entry of which takes at least 8 bytes."""
        count = self.number()
        if 8 * count > len(self._data) - self._place:
            raise self.damaged()
        return count

    def expect(self, magic: int) -> None:
        if self.number() != magic:
            raise self.damaged()

    def text(self) -> str:
        return self.take(self.number()).decode("utf-8", "replace")

    def array(self) -> np.ndarray:
        self.expect(_ARRAY_MAGIC)
        # reserved, device kind, device number, axes, type code, bits, lanes
        _, _, _, num_axes, code, bits, lanes = self.numbers("QiiiBBH")
        if not 0 <= num_axes <= _MOST_AXES:
            raise self.damaged()
        shape = self.numbers(f"{num_axes}q")
        data = self.take(self.number())
        if (code, bits) not in _TYPES or lanes != 1:
            raise InputError(f"the DGL file holds an array of unknown type ({code}, {bits}).")
        if min(shape, default=0) < 0 or math.prod(shape) * bits != len(data) * 8:
            raise self.damaged()
        values = np.frombuffer(data, _TYPES[code, bits]).reshape(shape)
        if (code, bits) == _BFLOAT16:
            values = (values.astype(np.uint32) << 16).view(np.float32)
        return values


def _read_header(cursor: _Cursor) -> int:
    """Check the head of the file, go to its first graph and return the number of graphs."""
    magic = cursor.number()
    if magic != _FILE_MAGIC:
        raise InputError("the file is not a DGL graph file; dgl.save_graphs writes one.")
    version, kind, num_graphs = cursor.numbers("3Q")
    if (version, kind) != (_VERSION, _HETEROGRAPH):
        raise InputError(
            f"the file must be a DGL graph file of version {_VERSION}, got version {version}; "
            "load it in the DGL that wrote it and save it with DGL 0.5 or newer."
        )
    if num_graphs == 0:
        raise InputError("the file holds no graph.")
    cursor.seek(_HEADER_BYTES)
    cursor.seek(cursor.number())
    return num_graphs


def _read_graph_labels(cursor: _Cursor) -> dict[str, np.ndarray]:
    cursor.seek(_HEADER_BYTES)
    cursor.number()
    return {cursor.text(): cursor.array() for _ in range(cursor.count())}


def _read_graph(cursor: _Cursor) -> _DGLGraph:
    cursor.expect(_HETEROGRAPH_MAGIC)
    _skip_meta_graph(cursor)
    _check_one("edge", cursor.count())
    source, target, sizes = _read_edges(cursor)
    type_sizes = cursor.numbers(f"{cursor.count()}q")
    _check_one("node", len(type_sizes))
    num_nodes = type_sizes[0]
    node_data, edge_data = _read_frames(cursor), _read_frames(cursor)
    # the names of the node types and of the edge types
    for _ in range(2):
        for _ in range(cursor.count()):
            cursor.text()
    if sizes != (num_nodes, num_nodes) or len(node_data) != 1 or len(edge_data) != 1:
        raise cursor.damaged()
    return _DGLGraph(source, target, num_nodes, node_data[0], edge_data[0])


def _check_one(kind: str, count: int) -> None:
    if count != 1:
        raise InputError(
            f"the graphs must have one {kind} type, got {count}; "
            "convert them with dgl.to_homogeneous first."
        )


def _skip_meta_graph(cursor: _Cursor) -> None:
    cursor.expect(_META_GRAPH_MAGIC)
    _read_compressed(cursor)


def _read_edges(cursor: _Cursor) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Return source and target in the order of the edge data, and the two numbers of nodes."""
    cursor.expect(_UNIT_GRAPH_MAGIC)
    layout, flag, _ = cursor.numbers("IIQ")
    # DGL before 0.6 counted the formats 1, 2, 3 and set no flag
    layout = layout if flag else {3: _CSC}.get(layout, layout)
    _skip_meta_graph(cursor)
    if layout == _COO:
        sizes, source, target, edge_ids = _read_coordinates(cursor)
    elif layout in (_CSR, _CSC):
        sizes, source, target, edge_ids = _read_compressed(cursor)
    else:
        raise cursor.damaged()
    if layout == _CSC:
        source, target = target, source
    if edge_ids.ndim != 1 or len(edge_ids) not in (0, len(source)):
        raise cursor.damaged()
    if len(edge_ids):
        # row e of the edge data belongs to the edge with the id e
        order = np.argsort(edge_ids, kind="stable")
        source, target = source[order], target[order]
    return source, target, sizes


def _read_coordinates(
    cursor: _Cursor,
) -> tuple[tuple[int, int], np.ndarray, np.ndarray, np.ndarray]:
    """Return sizes, rows, columns and edge ids of a matrix in coordinates."""
    cursor.expect(_COO_MAGIC)
    sizes = cursor.numbers("2q")
    rows, columns, edge_ids = cursor.array(), cursor.array(), cursor.array()
    # whether rows and columns are sorted
    cursor.take(2)
    if rows.ndim != 1 or rows.shape != columns.shape:
        raise cursor.damaged()
    return sizes, rows, columns, edge_ids


def _read_compressed(
    cursor: _Cursor,
) -> tuple[tuple[int, int], np.ndarray, np.ndarray, np.ndarray]:
    """Return sizes, rows, columns and edge ids of a compressed matrix."""
    cursor.expect(_CSR_MAGIC)
    sizes = cursor.numbers("2q")
    indptr, columns, edge_ids = cursor.array(), cursor.array(), cursor.array()
    # whether columns are sorted
    cursor.take(1)
    if indptr.shape != (sizes[0] + 1,) or indptr.dtype.kind not in "iu" or columns.ndim != 1:
        raise cursor.damaged()
    indptr = indptr.astype(np.int64)
    if indptr[0] != 0 or indptr[-1] != len(columns) or (np.diff(indptr) < 0).any():
        raise cursor.damaged()
    return sizes, np.repeat(np.arange(sizes[0]), np.diff(indptr)), columns, edge_ids


def _read_frames(cursor: _Cursor) -> list[dict[str, np.ndarray]]:
    """Return the named arrays of each node or edge type."""
    return [
        {cursor.text(): cursor.array() for _ in range(cursor.count())}
        for _ in range(cursor.count())
    ]
