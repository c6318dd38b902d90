"""A Planetoid folder → edges, features, labels and the public split of its nodes.

The format is eight files ``ind.NAME.{x,tx,allx,y,ty,ally,graph,test.index}``, all but the last of
them pickles of NumPy arrays, SciPy matrices and a dict. They are unpickled with stand-ins for these
classes, so that no class or function that a file names is imported or called. The real arrays are
made from the stand-ins after their types, shapes and indices were checked: NumPy and SciPy trust
them and end the process, or write past the end of an array, where they are wrong.
"""

from __future__ import annotations

import io
import math
import pickle
import pickletools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import read_file, reason_of

_MATRICES, _ARRAYS = ("x", "tx", "allx"), ("y", "ty", "ally")
_PARTS = (*_MATRICES, *_ARRAYS, "graph", "test.index")
# the public split validates on the nodes that follow the training nodes
_NUM_VALIDATION = 500
# the dense feature matrix may have 2^24 numbers, or 1000 for each byte of the files
_MAX_NUMBERS, _MAX_NUMBERS_PER_BYTE = 1 << 24, 1000
# an array needs about ten tuples
_MAX_TUPLES = 1000
_NUMBER_TYPES = {f"{kind}{width}" for kind in "iu" for width in (1, 2, 4, 8)}
_NUMBER_TYPES |= {"f2", "f4", "f8", "b1"}


@dataclass(frozen=True)
class NodeFiles:
    """Contents of the files of a node classification set."""

    # int64 [E, 2] as listed: one or two directions, repeated pairs and self-loops
    edges: np.ndarray
    # float32 [V, D], zeros where there are none
    features: np.ndarray
    # int64 [V]
    labels: np.ndarray
    # bool [V]: the features of this node are in the files
    known: np.ndarray
    # the public split, if there is one: int64 nodes to train, validate and test on
    split: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None


def is_planetoid_folder(folder: Path) -> bool:
    """Whether a folder holds ``ind.NAME.graph``."""
    return any(folder.glob("ind.*.graph"))


def read_planetoid(folder: Path) -> NodeFiles:
    """Read the files; a test node without a row (15 in Citeseer) has zero features and class 0."""
    parts = {part: _read_part(folder, part) for part in _PARTS}
    try:
        return _combine(parts, sum(path.stat().st_size for path in folder.glob("ind.*")))
    # the arrays can have any type and shape
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        reason = reason_of(error)
        raise InputError(f"the Planetoid files do not go together ({reason}).") from None


def _combine(parts: dict[str, Any], size: int) -> NodeFiles:
    """Put the rows of all nodes together; ``size`` is that of the files in bytes."""
    neighbors, test = parts["graph"], parts["test.index"]
    num_nodes, num_train, num_labelled = len(neighbors), len(parts["y"]), len(parts["ally"])
    rows = parts["x"] if parts["allx"] is None else parts["allx"]
    if not num_train <= num_labelled <= num_nodes:
        raise ValueError(f"{num_train} of {num_labelled} of {num_nodes} nodes are to train on")
    # a row of a sparse matrix takes little room in the file, however wide it is
    if max(rows.shape[0], len(test)) > num_nodes or parts["tx"].shape[0] != len(test):
        raise ValueError(
            f"{rows.shape[0]} of {num_nodes} nodes have features, and {parts['tx'].shape[0]} of "
            f"{len(test)} to test on"
        )
    widest = max(parts["ally"].shape[1], rows.shape[1], parts["tx"].shape[1])
    if num_nodes * widest > max(_MAX_NUMBERS, _MAX_NUMBERS_PER_BYTE * size):
        raise ValueError(f"{num_nodes} nodes with {widest} features or labels are too many")
    # the training and other known nodes come first, the test nodes where test.index says
    labels = np.zeros((num_nodes, parts["ally"].shape[1]), dtype=np.int64)
    labels[:num_labelled], labels[test] = parts["ally"], parts["ty"]
    features = np.zeros((num_nodes, rows.shape[1]), dtype=np.float32)
    features[: rows.shape[0]] = rows.astype(np.float32).toarray()
    features[test] = parts["tx"].astype(np.float32).toarray()
    known = np.ones(num_nodes, dtype=bool)
    known[rows.shape[0] : num_labelled] = False
    pairs = [(node, other) for node, others in neighbors.items() for other in others]
    validation = np.arange(num_train, min(num_train + _NUM_VALIDATION, num_labelled))
    return NodeFiles(
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        features,
        labels.argmax(axis=1),
        known,
        (np.arange(num_train), validation, np.sort(test)),
    )


def _read_part(folder: Path, part: str) -> Any:
    paths = sorted(folder.glob(f"ind.*.{part}"))
    if not paths and part == "allx":
        return None
    if len(paths) != 1:
        names = ", ".join(path.name for path in paths) or "none"
        raise InputError(f"a Planetoid folder must hold one file ind.NAME.{part}, got {names}.")
    try:
        data = read_file(paths[0])
        if part == "test.index":
            return _test_nodes(data.decode("utf-8"))
        content = _unpickle(data)
        if part in _MATRICES:
            return _to_matrix(content)
        return _to_array(content) if part in _ARRAYS else _to_neighbors(content, len(data))
    # a damaged pickle raises whatever its bytes lead to
    except Exception as error:
        raise InputError(f"{paths[0].name} cannot be read ({reason_of(error)}).") from None


def _test_nodes(text: str) -> np.ndarray:
    nodes = np.array([int(line) for line in text.split("\n") if line.strip()], dtype=np.int64)
    if not len(nodes) or nodes.min() < 0:
        raise ValueError("it must list nodes, a line each")
    return nodes


class _Record:
    """Stand-in for an object of a pickle: its arguments and its state as they are given."""

    state: Any = None

    def __init__(self, *args: Any) -> None:
        self.args = args

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Array(_Record):
    pass


class _Matrix(_Record):
    pass


class _OldObject(_Record):
    """Stand-in for ``copy_reg._reconstructor``, by which Python 2 makes objects of a class."""

    def __new__(cls, kind: type, *_: Any) -> Any:
        return kind()


class _DefaultDict(dict):  # type: ignore[type-arg]
    # an attribute of the class, so that no pickle can set others on the class itself
    __setstate__ = _Record.__setstate__

    def __init__(self, *_: Any) -> None:
        super().__init__()


_STAND_INS: dict[str, Any] = {
    "numpy.core.multiarray._reconstruct": _Array,
    "numpy._core.multiarray._reconstruct": _Array,
    "numpy.ndarray": _Array,
    "numpy.dtype": _Record,
    "scipy.sparse.csr.csr_matrix": _Matrix,
    "scipy.sparse._csr.csr_matrix": _Matrix,
    "collections.defaultdict": _DefaultDict,
    "copy_reg._reconstructor": _OldObject,
    "__builtin__.object": _Record,
    "__builtin__.list": _Record,
}


class _Unpickler(pickle.Unpickler):
    """Makes plain values and stand-ins only."""

    def find_class(self, module: str, name: str) -> Any:
        if f"{module}.{name}" not in _STAND_INS:
            raise ValueError(f"the pickle must not hold {module}.{name}")
        return _STAND_INS[f"{module}.{name}"]


def _unpickle(data: bytes) -> Any:
    """Return the plain values and stand-ins of a pickle; text of Python 2 is Latin-1."""
    num_tuples = 0
    for operation, value, _ in pickletools.genops(data):
        num_tuples += operation.name.startswith("TUPLE")
        # the hash of deeply nested tuples overflows the stack of the process
        if num_tuples > _MAX_TUPLES:
            raise ValueError("it holds too many tuples")
        # the memo of the unpickler is an array, which would grow to this length
        if operation.name.endswith("PUT") and int(value or 0) > len(data):
            raise ValueError("it is damaged")
    return _Unpickler(io.BytesIO(data), encoding="latin-1").load()


def _to_array(record: Any) -> np.ndarray:
    """Return the array of numbers that a stand-in describes."""
    if not isinstance(record, _Array):
        raise ValueError("an array of numbers was expected")
    _, shape, dtype_record, by_columns, content = record.state
    code, order = dtype_record.args[0], dtype_record.state[1]
    if type(code) is not str or code not in _NUMBER_TYPES or order not in ("<", ">", "|"):
        raise ValueError(f"an array holds {code!r}, which is no type of numbers")
    dtype = np.dtype(order + code)
    content = content.encode("latin-1") if isinstance(content, str) else content
    if not all(type(length) is int and 0 <= length < 2**48 for length in shape):
        raise ValueError("the shape of an array is no tuple of lengths")
    if math.prod(shape) * dtype.itemsize != len(content):
        raise ValueError(f"an array has the shape {shape} and {len(content)} bytes")
    values = np.frombuffer(content, dtype) if content else np.empty(0, dtype)
    return values.reshape(shape, order="F" if by_columns else "C")


def _to_matrix(record: Any) -> sp.csr_matrix:
    """Return the sparse matrix that a stand-in describes, once its indices are checked."""
    if not isinstance(record, _Matrix) or not isinstance(record.state, dict):
        raise ValueError("a sparse matrix of rows was expected")
    state = record.state
    parts = tuple(_to_array(state[name]).copy() for name in ("data", "indices", "indptr"))
    matrix = sp.csr_matrix(parts, shape=tuple(state["_shape"]))
    matrix.check_format(full_check=True)
    return matrix


def _to_neighbors(content: Any, size: int) -> dict[int, list[int]]:
    """Return the neighbors of each node, once it is clear that they are lists of integers."""
    if not isinstance(content, dict) or any(type(node) is not int for node in content):
        raise ValueError("a dict of nodes was expected")
    lists = content.values()
    if any(type(others) is not list for others in lists):
        raise ValueError("the neighbours of a node are no list")
    # one list can be given as the neighbors of a million nodes
    if sum(map(len, lists)) > size:
        raise ValueError("it has more neighbours than bytes")
    if any(type(other) is not int for others in lists for other in others):
        raise ValueError("a neighbour is no integer")
    return content
