"""A Planetoid folder → edges, features, labels and the public split of its nodes.

The format is eight files ``ind.NAME.{x,tx,allx,y,ty,ally,graph,test.index}``, all but the last of
them pickles. What these would make is checked before it is made, and no code of a file runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.pickles import ARRAY_NAMES, Made, Named, read_pickle, read_pickled_array
from gomkcn_dgl.runtime.file_bytes import read_file, reason_of

_PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")
# the public split validates on the nodes that follow the training nodes
_NUM_VALIDATION = 500
# numbers that the features of all nodes may become, or so many for each byte of the files
_MOST_NUMBERS, _MOST_NUMBERS_A_BYTE = 1 << 24, 1000


# scipy.sparse.csr is leaving SciPy
_ROWS, _NEIGHBOURS = "scipy.sparse.csr.csr_matrix", "collections.defaultdict"
_OLD_OBJECT = "copy_reg._reconstructor"
_ALLOWED = {*ARRAY_NAMES, _ROWS, _NEIGHBOURS, _OLD_OBJECT, "__builtin__.list", "__builtin__.object"}
_MATRICES, _ARRAYS = ("x", "tx", "allx"), ("y", "ty", "ally")


@dataclass(frozen=True)
class NodeFiles:
    """What the files of a node classification set say.

    Attributes
    ----------
    edges : numpy.ndarray
        int64 ``[E, 2]`` as listed: one or two directions, repeated pairs and self-loops.
    features : numpy.ndarray
        float32 ``[V, D]``, zeros where there are none.
    labels : numpy.ndarray
        int64 ``[V]``.
    known : numpy.ndarray
        bool ``[V]``: the features of this node are in the files.
    split : tuple of numpy.ndarray or None
        The public split, where the files have one: int64 nodes to train, validate and test on.
    """

    edges: np.ndarray
    features: np.ndarray
    labels: np.ndarray
    known: np.ndarray
    split: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None


def is_planetoid_folder(folder: Path) -> bool:
    """Whether a folder holds ``ind.NAME.graph``."""
    return any(folder.glob("ind.*.graph"))


def read_planetoid(folder: Path) -> NodeFiles:
    """Read ``ind.NAME.{x,tx,allx,y,ty,ally,graph,test.index}``; ``allx`` may be missing.

    As in the field, a test node without a row (Citeseer has 15) gets zero features and class 0.
    """
    parts = {part: _read_part(folder, part) for part in _PARTS}
    try:
        return _join(parts, sum(path.stat().st_size for path in folder.glob("ind.*")))
    # the arrays can have any type and shape
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        reason = reason_of(error)
        raise InputError(f"the Planetoid files do not go together ({reason}).") from None


def _join(parts: dict[str, Any], size: int) -> NodeFiles:
    neighbours = parts["graph"]
    num_nodes = len(neighbours)
    pairs = [(node, other) for node, others in neighbours.items() for other in others]
    shown = len(parts["ally"])
    test = parts["test.index"]
    rest = parts["x"] if parts["allx"] is None else parts["allx"]
    num_train = len(parts["y"])
    if not num_train <= shown <= num_nodes:
        raise ValueError(f"{num_train} of {shown} of {num_nodes} nodes are to train on")
    # a row of a sparse matrix takes little room, however wide it is
    if max(rest.shape[0], len(test)) > num_nodes or parts["tx"].shape[0] != len(test):
        raise ValueError(
            f"{rest.shape[0]} of {num_nodes} nodes have features, and {parts['tx'].shape[0]} of "
            f"{len(test)} to test on"
        )
    widths = {parts["ally"].shape[1], rest.shape[1], parts["tx"].shape[1]}
    if num_nodes * max(widths) > max(_MOST_NUMBERS, _MOST_NUMBERS_A_BYTE * size):
        raise ValueError(f"{num_nodes} nodes with {max(widths)} features or labels are too many")
    labels = np.zeros((num_nodes, parts["ally"].shape[1]), dtype=np.int64)
    labels[:shown], labels[test] = parts["ally"], parts["ty"]
    features = np.zeros((num_nodes, rest.shape[1]), dtype=np.float32)
    features[: rest.shape[0]] = rest.astype(np.float32).toarray()
    features[test] = parts["tx"].astype(np.float32).toarray()
    known = np.zeros(num_nodes, dtype=bool)
    known[: rest.shape[0]] = True
    known[shown:] = True
    validation = np.arange(num_train, min(num_train + _NUM_VALIDATION, shown))
    return NodeFiles(
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        features,
        labels.argmax(axis=1),
        known,
        (np.arange(num_train), validation, np.sort(test)),
    )


def _read_part(folder: Path, part: str) -> Any:
    found = sorted(folder.glob(f"ind.*.{part}"))
    if not found and part == "allx":
        return None
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise InputError(f"a Planetoid folder must hold one file ind.NAME.{part}, got {names}.")
    try:
        if part == "test.index":
            return _test_nodes(read_file(found[0]).decode("utf-8"))
        data = read_file(found[0])
        content = read_pickle(data, _ALLOWED)
        if part in _MATRICES:
            return _matrix(content)
        if part in _ARRAYS:
            return read_pickled_array(content)
        return _neighbours(content, len(data))
    except InputError:
        raise
    except Exception as error:
        # a damaged pickle raises whatever its bytes lead to
        raise InputError(f"{found[0].name} cannot be read ({reason_of(error)}).") from None


def _test_nodes(text: str) -> np.ndarray:
    nodes = np.array([int(line) for line in text.split("\n") if line.strip()], dtype=np.int64)
    if not len(nodes) or nodes.min() < 0:
        raise ValueError("it must list nodes, a line each")
    return nodes


def _matrix(made: Any) -> sp.csr_matrix:
    """Return the sparse matrix that a record describes, once its indices are checked."""
    if not isinstance(made, Made) or not isinstance(made.state, dict) or _class_of(made) != _ROWS:
        raise ValueError("a sparse matrix of rows was expected")
    state = made.state
    parts = tuple(read_pickled_array(state[name]) for name in ("data", "indices", "indptr"))
    matrix = sp.csr_matrix(parts, shape=tuple(state["_shape"]))
    # SciPy believes the indices, and would write past the end of an array
    matrix.check_format(full_check=True)
    return matrix


def _class_of(made: Made) -> str:
    """Name what an object is of, told in the way of today or of long ago."""
    if made.name == _OLD_OBJECT and made.given and isinstance(made.given[0], Named):
        return made.given[0].name
    return made.name


def _neighbours(content: Any, size: int) -> dict[int, list[int]]:
    """Return the lists of neighbours, once it is clear that they are lists of integers."""
    if isinstance(content, Made) and content.name == _NEIGHBOURS:
        content = content.items
    if not isinstance(content, dict) or any(type(node) is not int for node in content):
        raise ValueError("a dict of nodes was expected")
    lists = content.values()
    if any(not isinstance(others, list) for others in lists):
        raise ValueError("the neighbours of a node are no list")
    # one list can be there for a million nodes
    if sum(map(len, lists)) > size:
        raise ValueError("it has more neighbours than bytes")
    if any(type(other) is not int for others in lists for other in others):
        raise ValueError("a neighbour is no integer")
    return content
