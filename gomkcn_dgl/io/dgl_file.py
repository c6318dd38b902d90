"""DGL ``.bin`` files ↔ graphs; they are read without DGL and written by DGL.

``dgl.load_graphs`` aborts the process on some damaged files (14 of 300 with a few bytes changed,
DGL 1.1.3) and accepts many others as valid. A child process would protect from that, but to import
DGL there takes seconds, where a small file is read here in milliseconds. Nothing is read past the
end of the file and no count is trusted before it is checked. The layout, little-endian, is version
2 of DGL's, as 1.1.3 writes it; DGL is no longer released, so the layout will not change.

    magic, version, kind, number of graphs, padding to byte 4096
    the position of the first graph, graph labels by name
    for each graph: structure, node data, edge data, names of its node and edge types
"""

from __future__ import annotations

import math
import os
import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.containers.edge_arrays import from_csr
from gomkcn_dgl.containers.graph_content import DEFAULT_FEATURE, GraphContent, join_contents
from gomkcn_dgl.containers.graph_objects import EdgesOfType, join_types
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.attribute_choice import csr_of_file
from gomkcn_dgl.io.edge_layout import EdgeOptions
from gomkcn_dgl.io.edge_table import has_features, refuse_unknown_direction
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import atomic_write, read_bytes

if TYPE_CHECKING:
    import torch

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
_BFLOAT16 = (4, 16)
_TYPES = {
    (code, 8 * size): f"<{kind}{size}"
    for code, kind in enumerate("iuf")
    for size in (1, 2, 4, 8)
    if (kind, size) != ("f", 1)
} | {_BFLOAT16: "<u2"}
_MAX_AXES = 32
# nodes without edges and features take no room in a file, but in memory
_MAX_BARE_NODES = 1 << 20


# sizes, rows, columns and edge ids
_Matrix = tuple[tuple[int, int], np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class DGLColumns:
    """Named arrays of a ``.bin``."""

    # the labels that dgl.save_graphs was given, each [G] or [G, …]
    graph_labels: dict[str, np.ndarray]
    # the node data that all graphs have, [V, …] over all of them
    node_data: dict[str, np.ndarray]
    num_graphs: int


@dataclass(frozen=True)
class _DGLGraph:
    """One graph of a ``.bin``: nodes and their data by type, edges in the order of their data."""

    sizes: dict[str, int]
    node_data: dict[str, dict[str, np.ndarray]]
    edges: list[EdgesOfType]

    def content(self) -> GraphContent:
        """The graph as other containers are read."""
        return join_types("the file", self.sizes, self.node_data, self.edges, DEFAULT_FEATURE)


def read_dgl(path: Path, features: Sequence[str] | None, options: EdgeOptions) -> CSRGraph:
    """Read the graphs of a DGL ``.bin`` with the named node data, ``feat`` when left out.

    Types of nodes and edges are kept as :func:`gomkcn.as_csr` does. The edge data ``weight``, where
    there is one, becomes the edge weights; labels are ignored.
    """
    _, graphs = _read_file(path)
    contents = [graph.content() for graph in graphs]
    content = contents[0]
    if len(contents) > 1:
        content = join_contents(contents, [f"graph {number}" for number in range(len(contents))])
    return csr_of_file(content, features, options)


def read_dgl_columns(path: Path) -> DGLColumns:
    """Read the graph labels of a DGL ``.bin`` and the node data that all graphs have."""
    labels, graphs = _read_file(path)
    columns = {}
    # nodes of several types have no data in common
    tables = [next(iter(g.node_data.values())) if len(g.sizes) == 1 else {} for g in graphs]
    for name in sorted(set.intersection(*map(set, tables))):
        parts = [table[name] for table in tables]
        if len({part.shape[1:] for part in parts}) == 1:
            columns[name] = np.concatenate(parts)
    return DGLColumns(labels, columns, len(graphs))


def write_dgl_graphs(
    path: str | os.PathLike[str], graphs: Sequence[Any], labels: torch.Tensor | None = None
) -> None:
    """Write DGLGraphs with their data, and the class of each graph, ``[G]``, as ``labels``."""
    path = Path(path)
    if path.suffix.lower() != ".bin":
        raise InputError(f"DGL graphs are written to a name that ends in .bin, got {path.name!r}.")
    atomic_write(path, _serialize(graphs, labels))


def dgl_bytes(graph: CSRGraph) -> bytes:
    """Return the content of a ``.bin`` file with the graphs of a collection.

    Relations are edge types; an edge without direction is there both ways.
    """
    import torch

    from gomkcn_dgl._dgl import dgl

    refuse_unknown_direction(graph, "a DGL file")
    content = from_csr(graph)
    names = graph.relations.names
    codes = np.zeros(len(content.source), int) if content.relation is None else content.relation
    chosen = {("_N", name, "_N"): codes == number for number, name in enumerate(names)}
    if names == (PLAIN,):
        chosen = {("_N", "_E", "_N"): codes == 0}
    ends = {
        kind: (torch.from_numpy(content.source[here]), torch.from_numpy(content.target[here]))
        for kind, here in chosen.items()
    }
    result = dgl.heterograph(ends, {"_N": graph.num_nodes})
    if has_features(graph):
        result.ndata[DEFAULT_FEATURE] = torch.tensor(graph.features)
    for kind, here in chosen.items():
        for name, values in content.edges.items():
            result.edges[kind].data[name] = torch.from_numpy(values[here])
    result.set_batch_num_nodes(torch.from_numpy(np.diff(graph.graph_ptr)))
    counts = {
        kind: np.bincount(graph.graph_of(content.source[here]), minlength=graph.num_graphs)
        for kind, here in chosen.items()
    }
    result.set_batch_num_edges({kind: torch.from_numpy(each) for kind, each in counts.items()})
    return _serialize(dgl.unbatch(result))


def _serialize(graphs: Sequence[Any], labels: torch.Tensor | None = None) -> bytes:
    """Return what DGL writes, which it can only write to a file."""
    from gomkcn_dgl._dgl import dgl

    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "graphs.bin"
            dgl.save_graphs(str(file), list(graphs), None if labels is None else {"labels": labels})
            # where a disk fills up at the very end, DGL cuts the file short without an error
            _read_file(file)
            return file.read_bytes()
    except (dgl.DGLError, InputError, OSError) as error:
        # DGL puts a time and a trace of its calls around the reason
        reason = str(error).strip().splitlines()[0].rpartition("] ")[2]
        raise InputError(
            f"the folder for temporary files cannot take the graphs ({reason}); make room there, "
            "or name another in TMPDIR."
        ) from None


class _Cursor:
    """A position in the bytes of a file that never reads past the end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def damaged(self) -> InputError:
        return InputError(
            f"the DGL file is damaged, cut off or of an unknown layout near byte {self._position}."
        )

    def check(self, valid: bool) -> None:
        if not valid:
            raise self.damaged()

    def seek(self, position: int) -> None:
        self.check(position <= len(self._data))
        self._position = position

    def take(self, count: int) -> bytes:
        self.check(0 <= count <= len(self._data) - self._position)
        start, self._position = self._position, self._position + count
        return self._data[start : self._position]

    def numbers(self, layout: str) -> tuple[Any, ...]:
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))

    def number(self) -> int:
        return self.numbers("Q")[0]

    def count(self) -> int:
        """Return the length of a list, each entry of which takes at least 8 bytes."""
        count = self.number()
        self.check(8 * count <= len(self._data) - self._position)
        return count

    def expect(self, magic: int) -> None:
        self.check(self.number() == magic)

    def text(self) -> str:
        return self.take(self.number()).decode("utf-8", "replace")

    def array(self) -> np.ndarray:
        self.expect(_ARRAY_MAGIC)
        # reserved, device kind, device number, axes, type code, bits, lanes
        _, _, _, num_axes, code, bits, lanes = self.numbers("QiiiBBH")
        self.check(0 <= num_axes <= _MAX_AXES)
        shape = self.numbers(f"{num_axes}q")
        data = self.take(self.number())
        if (code, bits) not in _TYPES or lanes != 1:
            raise InputError(f"the DGL file holds an array of unknown type ({code}, {bits}).")
        self.check(min(shape, default=0) >= 0 and math.prod(shape) * bits == len(data) * 8)
        values = np.frombuffer(data, _TYPES[code, bits]).reshape(shape)
        if (code, bits) == _BFLOAT16:
            values = (values.astype(np.uint32) << 16).view(np.float32)
        return values

    def named_arrays(self) -> dict[str, np.ndarray]:
        return {self.text(): self.array() for _ in range(self.count())}


def _read_file(path: Path) -> tuple[dict[str, np.ndarray], list[_DGLGraph]]:
    """Return the graph labels and the graphs."""
    data = read_bytes(path)
    cursor = _Cursor(data)
    if cursor.number() != _FILE_MAGIC:
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
    first_graph = cursor.number()
    labels = cursor.named_arrays()
    cursor.seek(first_graph)
    graphs, num_nodes = [], 0
    for _ in range(num_graphs):
        graphs.append(_read_graph(cursor))
        num_nodes += sum(graphs[-1].sizes.values())
        if num_nodes > _MAX_BARE_NODES + len(data):
            raise InputError("the file announces more nodes than it could hold.")
    return labels, graphs


def _read_graph(cursor: _Cursor) -> _DGLGraph:
    cursor.expect(_HETEROGRAPH_MAGIC)
    # 1. the graph of the types: which type of nodes each type of edges leads from and to
    _, source_types, target_types, numbers = _read_meta_graph(cursor)
    if len(numbers):
        order = np.argsort(numbers, kind="stable")
        source_types, target_types = source_types[order], target_types[order]
    # 2. the edges of each type, the number of nodes of each type, data, and names
    edges = [_read_edges(cursor) for _ in range(cursor.count())]
    sizes = cursor.numbers(f"{cursor.count()}q")
    node_data, edge_data = (
        [cursor.named_arrays() for _ in range(cursor.count())] for _ in ("node types", "edge types")
    )
    node_types, edge_types = ([cursor.text() for _ in range(cursor.count())] for _ in range(2))
    cursor.check(len({*node_types}) == len(node_types) == len(sizes) == len(node_data) > 0)
    cursor.check(len(edge_types) == len(edges) == len(edge_data) == len(source_types))
    cursor.check(min(sizes) >= 0)
    # 3. each type of edges with its ends
    found = []
    types = zip(source_types.tolist(), target_types.tolist(), strict=True)
    for (u, v), name, one, data in zip(types, edge_types, edges, edge_data, strict=True):
        source, target, num_ends = one
        cursor.check(min(u, v) >= 0 and max(u, v) < len(sizes))
        cursor.check(num_ends == (sizes[u], sizes[v]))
        for nodes, size in zip((source, target), num_ends, strict=True):
            cursor.check(not len(nodes) or 0 <= nodes.min() <= nodes.max() < size)
        cursor.check(all(len(values) == len(source) for values in data.values() if values.ndim))
        found.append(EdgesOfType((node_types[u], name, node_types[v]), source, target, data))
    return _DGLGraph(
        dict(zip(node_types, sizes, strict=True)),
        dict(zip(node_types, node_data, strict=True)),
        found,
    )


def _read_meta_graph(cursor: _Cursor) -> _Matrix:
    cursor.expect(_META_GRAPH_MAGIC)
    return _read_matrix(cursor, compressed=True)


def _read_edges(cursor: _Cursor) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Return source and target in the order of the edge data, and the two numbers of nodes."""
    cursor.expect(_UNIT_GRAPH_MAGIC)
    layout, flag, _ = cursor.numbers("IIQ")
    # DGL before 0.6 counted the formats 1, 2, 3 and set no flag
    layout = layout if flag else {3: _CSC}.get(layout, layout)
    _read_meta_graph(cursor)
    cursor.check(layout in (_COO, _CSR, _CSC))
    sizes, source, target, edge_ids = _read_matrix(cursor, compressed=layout != _COO)
    if layout == _CSC:
        sizes, source, target = sizes[::-1], target, source
    cursor.check(edge_ids.ndim == 1 and len(edge_ids) in (0, len(source)))
    if len(edge_ids):
        # row e of the edge data belongs to the edge with the id e
        order = np.argsort(edge_ids, kind="stable")
        source, target = source[order], target[order]
    return source, target, sizes


def _read_matrix(cursor: _Cursor, compressed: bool) -> _Matrix:
    """Return sizes, rows, columns and edge ids of a compressed matrix or one in coordinates."""
    cursor.expect(_CSR_MAGIC if compressed else _COO_MAGIC)
    # columns come first in the file
    sizes = cursor.numbers("2q")[::-1]
    rows, columns, edge_ids = cursor.array(), cursor.array(), cursor.array()
    # flags: whether columns are sorted, and in coordinates also whether rows are
    cursor.take(1 if compressed else 2)
    cursor.check(rows.ndim == columns.ndim == 1)
    if compressed:
        cursor.check(len(rows) == sizes[0] + 1 > 0 and rows.dtype.kind in "iu")
        indptr = rows.astype(np.int64)
        degrees = np.diff(indptr)
        ends = indptr[[0, -1]].tolist()
        cursor.check(ends == [0, len(columns)] and bool((degrees >= 0).all()))
        rows = np.repeat(np.arange(sizes[0]), degrees)
    cursor.check(len(rows) == len(columns))
    return sizes, rows, columns, edge_ids
