"""A Planetoid folder → edges, features, labels and the public split of its nodes.

The format is eight files ``ind.NAME.{x,tx,allx,y,ty,ally,graph,test.index}``, all but the last of
them pickles. They are read by an unpickler that knows the few classes that such files are made of
and refuses every other, so that no code of a file runs.
"""

from __future__ import annotations

import copyreg
import pickle
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from gomkcn_dgl.errors import InputError

_PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")
# the public split validates on the nodes that follow the training nodes
_NUM_VALIDATION = 500
# scipy.sparse.csr is leaving SciPy
_ALLOWED = {
    ("numpy.core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("scipy.sparse.csr", "csr_matrix"): sp.csr_matrix,
    ("collections", "defaultdict"): defaultdict,
    ("__builtin__", "list"): list,
    ("__builtin__", "object"): object,
    ("copy_reg", "_reconstructor"): copyreg._reconstructor,  # type: ignore[attr-defined]
}


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


class _PlanetoidUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise InputError(f"a Planetoid file must not hold {module}.{name}.")
        return _ALLOWED[module, name]


def is_planetoid_folder(folder: Path) -> bool:
    """Whether a folder holds ``ind.NAME.graph``."""
    return any(folder.glob("ind.*.graph"))


def read_planetoid(folder: Path) -> NodeFiles:
    """Read ``ind.NAME.{x,tx,allx,y,ty,ally,graph,test.index}``; ``allx`` may be missing.

    As in the field, a test node without a row (Citeseer has 15) gets zero features and class 0.
    """
    parts = {part: _read_part(folder, part) for part in _PARTS}
    try:
        return _join(parts)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"the Planetoid files do not go together ({error}).") from None


def _join(parts: dict[str, Any]) -> NodeFiles:
    neighbours = parts["graph"]
    num_nodes = len(neighbours)
    pairs = [(node, other) for node, others in neighbours.items() for other in others]
    shown = len(parts["ally"])
    test = parts["test.index"]
    labels = np.zeros((num_nodes, parts["ally"].shape[1]), dtype=np.int64)
    labels[:shown], labels[test] = parts["ally"], parts["ty"]
    features = np.zeros((num_nodes, parts["x"].shape[1]), dtype=np.float32)
    rest = parts["x"] if parts["allx"] is None else parts["allx"]
    features[: rest.shape[0]], features[test] = rest.toarray(), parts["tx"].toarray()
    known = np.zeros(num_nodes, dtype=bool)
    known[: rest.shape[0]] = True
    known[shown:] = True
    num_train = len(parts["y"])
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
            return np.loadtxt(found[0], dtype=np.int64, ndmin=1)
        with found[0].open("rb") as file:
            return _PlanetoidUnpickler(file, encoding="latin1").load()
    except InputError:
        raise
    except Exception as error:
        # a damaged pickle raises whatever its bytes lead to
        reason = [*str(error).splitlines(), type(error).__name__][0].rstrip(".")
        raise InputError(f"{found[0].name} cannot be read ({reason}).") from None
