"""DGL's ``.bin`` files of graphs, read and written without DGL.

Numbers are little-endian. A vector is its length and its entries, a text a vector of bytes in
UTF-8, and a table a vector of pairs of a text and an array. Parts with a * begin with a magic
number. ``dgl.save_graphs`` writes version 2; version 1 is of DGL before 0.5.

| part       | what it holds, in this order                                                     |
|------------|----------------------------------------------------------------------------------|
| file *     | version, type, number of graphs; at byte 4096 the place where the graphs begin,  |
|            | a table of labels, the graphs; a text, which is the vector of the graphs'        |
|            | places, and its length                                                           |
| graph *    | type graph; vectors of relations and of the number of nodes of each type; of a   |
|            | table for each node type, for each edge type; of the names of node types, of     |
|            | edge types                                                                       |
| type graph | a magic number and a CSR matrix: edge types lead from node types to node types   |
| relation * | layouts that are stored, layouts that are allowed; for each that is stored, in   |
|            | the order COO, CSR, CSC, the type graph of this edge type alone and a matrix     |
| COO *      | columns, rows, arrays row, column and edge id, two flags                         |
| CSR *      | columns, rows, arrays indptr, indices and edge id, a flag; CSC: of the transpose |
| array *    | 0, device, its number, dimensions, type, bits, lanes, shape, bytes, values       |
| version 1  | a file: version, type; at byte 4096 the number of graphs, vectors of their       |
|            | places, nodes and edges, a table of labels, the graphs; each is the arrays       |
|            | indptr, indices and edge id of its CSC matrix, a table of nodes and one of edges |

An array of edge ids without entries stands for 0, 1, 2, …

Source: ``src/graph/serialize``, ``src/graph/unit_graph.cc`` and ``include/dgl/aten`` of DGL 2.4,
github.com/dmlc/dgl; of these, DGL 1.1.3 and 2.1 have the same form.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn, TypeVar

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import DEFAULT_FEATURE, GraphContent, join_contents
from gomkcn_dgl.graph_objects import EdgesOfType, TypedGraph, join_types
from gomkcn_dgl.runtime.files import atomic_file
from gomkcn_dgl.runtime.memory import check_announced
from gomkcn_dgl.runtime.packed_files import read_bytes

_T = TypeVar("_T")

# the magic numbers
_FILE, _GRAPH, _TYPE_GRAPH = 0xDD2E4FF046B4A13F, 0xDD589FBE35224ABF, 0xDD3C5FFE20046ABF
_RELATION, _COO_MATRIX, _CSR_MATRIX = 0xDD2E60F0F6B4A127, 0xDD61FFD305DFF127, 0xDD6CD31205DFF127
_ARRAY = 0xDD5E40F096B4A13F
# the version that is written, its type of graphs, and the byte after its head
_VERSION, _HETEROGRAPH, _HEAD = 2, 2, 4096
# layouts of edges; with this mark they are a set, without it the number of one
_COO, _CSR, _CSC, _SET = 1, 2, 4, 1 << 32
_CPU, _MAX_DIMENSIONS = 1, 32
# NumPy's types by code and bits
_TYPES = {
    (code, 8 * size): np.dtype(f"<{kind}{size}")
    for code, kind, sizes in (
        (0, "i", (1, 2, 4, 8)),
        (1, "u", (1, 2, 4, 8)),
        (2, "f", (2, 4, 8)),
        (5, "c", (8, 16)),
    )
    for size in sizes
}
_CODES = {dtype: key for key, dtype in _TYPES.items()}
# the upper half of a float32, for which NumPy has no type
_BFLOAT16 = (4, 16)
# names of graph labels that hold classes
_CLASS_LABELS = ("labels", "label")
# nodes of planted motifs, say
_NODE_MASK = "node_mask"


def read_dgl(data: bytes) -> GraphContent:
    """Read the graphs of the bytes of a DGL ``.bin``; labels are ignored.

    Types of nodes and edges are kept as :func:`gomkcn_dgl.as_csr` does.
    """
    graphs, _ = _load(data)
    contents = [join_types("a DGLGraph", graph, DEFAULT_FEATURE) for graph in graphs]
    if len(contents) == 1:
        return contents[0]
    return join_contents(contents, [f"graph {number}" for number in range(len(contents))])


def read_dgl_classes(data: bytes) -> np.ndarray | None:
    """Read the labels of a DGL ``.bin`` that have a row for each graph."""
    number, labels, _ = _open(data)
    found = [labels[name] for name in _CLASS_LABELS if name in labels]
    return next((values for values in found if values.shape[:1] == (number,)), None)


def read_dgl_node_mask(data: bytes) -> np.ndarray | None:
    """Read the node data ``node_mask`` of a DGL ``.bin``, bool ``[V]``; None if no node has it.

    Values other than 0 and 1 are something else.
    """
    masks = []
    for graph in _load(data)[0]:
        for kind, size in graph.sizes.items():
            mask = graph.nodes[kind].get(_NODE_MASK, np.zeros(size, bool))
            # DGL stores no bool
            if mask.ndim > 1 or not np.isin(mask, (0, 1)).all():
                return None
            masks.append(mask.astype(bool))
    whole = np.concatenate(masks)
    return whole if whole.any() else None


def load_dgl_graphs(path: Path) -> tuple[list[TypedGraph], dict[str, np.ndarray]]:
    """Read the graphs and the labels of a DGL ``.bin``, as ``dgl.load_graphs`` does.

    Edges are in the order of their ids; bfloat16 becomes float32.

    Raises
    ------
    InputError
        For another file, a damaged one, another version, no graph, or more nodes than such a file
        can mean.
    """
    return _load(read_bytes(path))


def _load(data: bytes) -> tuple[list[TypedGraph], dict[str, np.ndarray]]:
    """Read the graphs and the labels of the bytes of a file."""
    _, labels, graphs = _open(data)
    read = list(graphs)
    nodes = sum(size for graph in read for size in graph.sizes.values())
    check_announced(nodes, len(data))
    return read, labels


def write_dgl_graphs(
    path: str | os.PathLike[str],
    graphs: Sequence[TypedGraph],
    labels: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Write graphs and labels of them, so that ``dgl.load_graphs`` gives them back.

    Equal graphs give equal bytes. As in DGL, bool is written as uint8.

    Raises
    ------
    InputError
        For another suffix than ``.bin``, no graph, an array of other things than numbers, or a file
        that cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> ends = np.array([0, 1]), np.array([1, 2])
    >>> path = Path(tempfile.mkdtemp()) / "path.bin"
    >>> write_dgl_graphs(path, [TypedGraph.of_one_type(ends, 3, {}, {})])
    >>> read_dgl(path.read_bytes()).target.tolist()
    [1, 2]
    """
    path = Path(path)
    if path.suffix.lower() != ".bin":
        raise InputError(f"DGL graphs are written to a name that ends in .bin, got {path.name!r}.")
    if not graphs:
        raise InputError("graphs", "must hold a graph", got="none")
    table = _table_bytes(labels or {})
    with atomic_file(path) as file:
        head = _numbers(_FILE, _VERSION, _HETEROGRAPH, len(graphs))
        file.write(head.ljust(_HEAD, b"\0"))
        file.write(_numbers(_HEAD + 8 + len(table)) + table)
        places = []
        for graph in graphs:
            places.append(file.tell())
            file.write(_graph_bytes(graph))
        file.write(_places_bytes(places))


# ---------------------------------------------------------------- reading

# the number of graphs, the labels, and the graphs as they are asked for
_Opened = tuple[int, dict[str, np.ndarray], Iterator[TypedGraph]]


def _open(data: bytes) -> _Opened:
    """Read what stands before the graphs of a file."""
    if not data.startswith(_numbers(_FILE)):
        raise InputError("the file is not a DGL graph file; dgl.save_graphs writes one.")
    reader = _Reader(data)
    _, version, kind = reader.numbers("3Q")
    if version == 1:
        number, labels, graphs = _open_version_1(reader)
    elif (version, kind) == (_VERSION, _HETEROGRAPH):
        number, labels, graphs = _open_version_2(reader)
    else:
        raise InputError(
            f"the DGL file is of version {version} and type {kind}, and version 1 and version "
            f"{_VERSION} of type {_HETEROGRAPH} are read; write it anew with dgl.save_graphs."
        )
    if number == 0:
        raise InputError("the file holds no graph.")
    return number, labels, graphs


def _open_version_2(reader: _Reader) -> _Opened:
    (number,) = reader.numbers("Q")
    reader.skip_to(_HEAD)
    (start,) = reader.numbers("Q")
    labels = reader.table()
    if reader.position != start:
        reader.refuse("the graphs do not begin")
    return number, labels, _graphs(reader, number)


def _graphs(reader: _Reader, number: int) -> Iterator[TypedGraph]:
    """Read the graphs, and what stands behind them."""
    places = []
    for _ in range(number):
        places.append(reader.position)
        yield _graph(reader)
    end = _places_bytes(places)
    if reader.take(len(end)) != end or not reader.is_at_end:
        reader.refuse("the file does not end")


def _graph(reader: _Reader) -> TypedGraph:
    reader.begin(_GRAPH, "graph")
    of_types = _type_graph(reader)
    relations = reader.vector(lambda: _relation(reader))
    sizes = reader.vector(lambda: reader.numbers("q")[0])
    nodes, edges = reader.vector(reader.table), reader.vector(reader.table)
    node_types, edge_types = reader.vector(reader.text), reader.vector(reader.text)
    num_types, num_relations = of_types.num_rows, len(of_types.row)
    if {len(sizes), len(nodes), len(set(node_types))} != {num_types} or num_types == 0:
        reader.refuse("it has not each node type once")
    pairs = list(zip(of_types.row.tolist(), of_types.column.tolist(), strict=True))
    kinds = [
        (node_types[source], name, node_types[target])
        for (source, target), name in zip(pairs, edge_types, strict=False)
    ]
    if {len(relations), len(edges), len(edge_types), len(set(kinds))} != {num_relations}:
        reader.refuse("it has not each edge type once")
    for (source, target), matrix in zip(pairs, relations, strict=True):
        if (matrix.num_rows, matrix.num_columns) != (sizes[source], sizes[target]):
            reader.refuse("a relation has not the nodes of its types")
    _check_rows(reader, nodes, sizes)
    _check_rows(reader, edges, [len(matrix.row) for matrix in relations])
    return TypedGraph(
        dict(zip(node_types, sizes, strict=True)),
        dict(zip(node_types, nodes, strict=True)),
        [
            EdgesOfType(kind, matrix.row, matrix.column, columns)
            for kind, matrix, columns in zip(kinds, relations, edges, strict=True)
        ],
    )


def _check_rows(
    reader: _Reader, tables: Sequence[Mapping[str, np.ndarray]], lengths: Sequence[int]
) -> None:
    """Each array of a table has a row for each node or edge."""
    for table, length in zip(tables, lengths, strict=True):
        if any(values.shape[:1] != (length,) for values in table.values()):
            reader.refuse("an array has not a row for each node or edge")


class _Matrix(NamedTuple):
    """Where the entries of a sparse matrix are, in the order of their edge ids."""

    num_rows: int
    num_columns: int
    row: np.ndarray  # [E]
    column: np.ndarray  # [E]

    @property
    def transposed(self) -> _Matrix:
        return _Matrix(self.num_columns, self.num_rows, self.column, self.row)


def _relation(reader: _Reader) -> _Matrix:
    """Read the edges of one type by the first of their layouts."""
    reader.begin(_RELATION, "relation")
    stored, _ = reader.numbers("qq")
    if not stored & _SET and stored not in (1, 2, 3):
        reader.refuse("it has no layout")
    layouts = stored if stored & _SET else 1 << (stored - 1)
    matrices = []
    for layout, read in ((_COO, _coo), (_CSR, _csr), (_CSC, _csc)):
        if layouts & layout:
            _type_graph(reader)
            matrices.append(read(reader))
    if not matrices:
        reader.refuse("it has no layout")
    return matrices[0]


def _type_graph(reader: _Reader) -> _Matrix:
    reader.begin(_TYPE_GRAPH, "graph of types")
    return _csr(reader)


def _coo(reader: _Reader) -> _Matrix:
    reader.begin(_COO_MATRIX, "COO matrix")
    num_columns, num_rows = reader.numbers("qq")
    row, column, ids = reader.array(), reader.array(), reader.array()
    reader.take(2)
    return _matrix(reader, (num_rows, num_columns), row, column, ids)


def _csr(reader: _Reader) -> _Matrix:
    reader.begin(_CSR_MATRIX, "CSR matrix")
    num_columns, num_rows = reader.numbers("qq")
    arrays = reader.array(), reader.array(), reader.array()
    reader.take(1)
    return _compressed(reader, (num_rows, num_columns), *arrays)


def _csc(reader: _Reader) -> _Matrix:
    return _csr(reader).transposed


def _compressed(
    reader: _Reader,
    shape: tuple[int, int],
    indptr: np.ndarray,
    indices: np.ndarray,
    ids: np.ndarray,
) -> _Matrix:
    """Return the entries of a matrix in CSR form."""
    _check_integers(reader, indptr, indices)
    # ascending from 0 to E, so that nothing larger than the indices is made
    is_whole = len(indptr) == shape[0] + 1 > 0 and indptr[0] == 0 and indptr[-1] == len(indices)
    if not is_whole or (indptr[1:] < indptr[:-1]).any():
        reader.refuse("the rows of a matrix do not hold its entries")
    row = np.repeat(np.arange(shape[0], dtype=indices.dtype), np.diff(indptr))
    return _matrix(reader, shape, row, indices, ids)


def _matrix(
    reader: _Reader, shape: tuple[int, int], row: np.ndarray, column: np.ndarray, ids: np.ndarray
) -> _Matrix:
    """Check where the entries of a matrix are, and put them in the order of their edge ids."""
    _check_integers(reader, row, column, ids)
    if len(row) != len(column) or len(ids) not in (0, len(row)):
        reader.refuse("the arrays of a matrix differ in length")
    for ends, bound in ((row, shape[0]), (column, shape[1]), (ids, len(row))):
        if len(ends) and not 0 <= ends.min() <= ends.max() < bound:
            reader.refuse("an edge leads to no node, or has no id")
    if len(ids):
        order = np.full(len(ids), -1)
        order[ids] = np.arange(len(ids))
        if (order < 0).any():
            reader.refuse("two edges have one id")
        row, column = row[order], column[order]
    return _Matrix(*shape, row, column)


def _check_integers(reader: _Reader, *arrays: np.ndarray) -> None:
    if any(array.ndim != 1 or array.dtype.kind != "i" for array in arrays):
        reader.refuse("an array is not a list of integers")


def _open_version_1(reader: _Reader) -> _Opened:
    reader.skip_to(_HEAD)
    (number,) = reader.numbers("Q")
    for _ in ("place", "nodes", "edges"):
        if len(reader.vector(lambda: reader.numbers("q"))) != number:
            reader.refuse("it has not each graph once")
    labels = reader.table()
    return number, labels, (_graph_of_version_1(reader) for _ in range(number))


def _graph_of_version_1(reader: _Reader) -> TypedGraph:
    indptr, indices, ids = reader.array(), reader.array(), reader.array()
    num_nodes = indptr.size - 1
    matrix = _compressed(reader, (num_nodes, num_nodes), indptr, indices, ids).transposed
    tables = [reader.table(), reader.table()]
    _check_rows(reader, tables, [num_nodes, len(matrix.row)])
    return TypedGraph.of_one_type((matrix.row, matrix.column), num_nodes, *tables)


class _Reader:
    """The bytes of a file, taken one part after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)
        self.position = 0

    @property
    def is_at_end(self) -> bool:
        return self.position == len(self._data)

    def refuse(self, reason: str) -> NoReturn:
        """Say where something is wrong with the file."""
        raise InputError(f"the DGL file is damaged or cut off: at byte {self.position:,} {reason}.")

    def take(self, size: int) -> memoryview:
        """Take so many bytes."""
        left = len(self._data) - self.position
        if not 0 <= size <= left:
            self.refuse(f"it must have {size:,} bytes more, and has {left:,}")
        start, self.position = self.position, self.position + size
        return self._data[start : self.position]

    def skip_to(self, position: int) -> None:
        self.take(position - self.position)

    def numbers(self, form: str) -> tuple[int, ...]:
        """Take numbers of a form of ``struct``."""
        return struct.unpack(f"<{form}", self.take(struct.calcsize(f"<{form}")))

    def begin(self, magic: int, part: str) -> None:
        """Take the number with which a part begins."""
        if self.numbers("Q") != (magic,):
            self.refuse(f"no {part} begins")

    def vector(self, read: Callable[[], _T]) -> list[_T]:
        """Take entries, of which each has 8 bytes or more."""
        (length,) = self.numbers("Q")
        return [read() for _ in range(length)]

    def text(self) -> str:
        (length,) = self.numbers("Q")
        try:
            return str(self.take(length), "utf-8")
        except UnicodeDecodeError:
            self.refuse("a name is not text")

    def table(self) -> dict[str, np.ndarray]:
        """Take arrays by their names."""
        pairs = self.vector(lambda: (self.text(), self.array()))
        table = dict(pairs)
        if len(table) < len(pairs):
            self.refuse("two arrays have one name")
        return table

    def array(self) -> np.ndarray:
        """Take an array; it is a copy, which is aligned and can be written to."""
        self.begin(_ARRAY, "array")
        _, device, _, dimensions, code, bits, lanes = self.numbers("QiiiBBH")
        is_bfloat = (code, bits) == _BFLOAT16
        dtype = np.dtype("<u2") if is_bfloat else _TYPES.get((code, bits))
        if device != _CPU or not 0 <= dimensions <= _MAX_DIMENSIONS or dtype is None or lanes != 1:
            self.refuse("an array is of an unknown form")
        *shape, size = self.numbers(f"{dimensions + 1}q")
        if min(shape, default=0) < 0 or size != math.prod(shape) * dtype.itemsize:
            self.refuse("an array has not the size of its shape")
        values = np.frombuffer(self.take(size), dtype)
        values = values.astype("<u4") << 16 if is_bfloat else values.copy()
        try:
            return (values.view("<f4") if is_bfloat else values).reshape(shape)
        # numbers of rows and columns of which one is 0, and no array can have the others
        except ValueError:
            self.refuse("an array has not the size of its shape")


# ---------------------------------------------------------------- writing


def _graph_bytes(graph: TypedGraph) -> bytes:
    number = {kind: row for row, kind in enumerate(graph.sizes)}
    pairs = [(number[edges.type[0]], number[edges.type[2]]) for edges in graph.edges]
    return b"".join(
        (
            _numbers(_GRAPH),
            _type_graph_bytes(pairs, len(number)),
            _vector([_relation_bytes(edges, graph.sizes) for edges in graph.edges]),
            _vector([_numbers(size) for size in graph.sizes.values()]),
            _vector([_table_bytes(graph.nodes[kind]) for kind in graph.sizes]),
            _vector([_table_bytes(edges.columns) for edges in graph.edges]),
            _vector([_text_bytes(kind) for kind in graph.sizes]),
            _vector([_text_bytes(edges.type[1]) for edges in graph.edges]),
        )
    )


def _relation_bytes(edges: EdgesOfType, sizes: Mapping[str, int]) -> bytes:
    """Return the edges of one type as a COO matrix."""
    source, _, target = edges.type
    is_within = source == target
    return b"".join(
        (
            _numbers(_RELATION, _COO | _SET, _COO | _CSR | _CSC | _SET),
            _type_graph_bytes([(0, 0 if is_within else 1)], 1 if is_within else 2),
            _numbers(_COO_MATRIX, sizes[target], sizes[source]),
            _array_bytes(edges.source),
            _array_bytes(edges.target),
            _array_bytes(np.empty(0, np.int64)),
            # neither rows nor columns are known to ascend
            b"\0\0",
        )
    )


def _type_graph_bytes(pairs: Sequence[tuple[int, int]], num_types: int) -> bytes:
    source, target = np.array(pairs, np.int64).reshape(-1, 2).T
    order = np.argsort(source, kind="stable")
    lengths = np.bincount(source, minlength=num_types)
    return b"".join(
        (
            _numbers(_TYPE_GRAPH, _CSR_MATRIX, num_types, num_types),
            _array_bytes(np.concatenate([[0], np.cumsum(lengths)])),
            _array_bytes(target[order]),
            _array_bytes(order),
            b"\0",
        )
    )


def _places_bytes(places: Sequence[int]) -> bytes:
    """Return where the graphs begin, as a text and its length."""
    vector = _vector([_numbers(place) for place in places])
    return _numbers(len(vector)) + vector + _numbers(len(vector))


def _table_bytes(table: Mapping[str, np.ndarray]) -> bytes:
    return _vector([_text_bytes(name) + _array_bytes(values) for name, values in table.items()])


def _text_bytes(text: str) -> bytes:
    data = text.encode()
    return _numbers(len(data)) + data


def _array_bytes(values: np.ndarray) -> bytes:
    values = np.asarray(values)
    values = values.astype(np.uint8 if values.dtype == bool else values.dtype.newbyteorder("<"))
    if values.dtype not in _CODES:
        raise InputError(f"a DGL file holds numbers, and this array is of {values.dtype}.")
    code, bits = _CODES[values.dtype]
    head = struct.pack("<QQiiiBBH", _ARRAY, 0, _CPU, 0, values.ndim, code, bits, 1)
    return head + _numbers(*values.shape, values.nbytes) + values.tobytes()


def _vector(entries: Sequence[bytes]) -> bytes:
    return _numbers(len(entries)) + b"".join(entries)


def _numbers(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}Q", *numbers)
