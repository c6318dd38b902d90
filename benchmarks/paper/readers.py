"""The two text-and-pickle formats of node classification: Planetoid and Geom-GCN."""

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

_PLANETOID_PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")
# what the pickles of Planetoid are made of, and nothing else; scipy.sparse.csr is leaving SciPy
_ALLOWED = {
    ("numpy.core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("scipy.sparse.csr", "csr_matrix"): sp.csr_matrix,
    ("collections", "defaultdict"): defaultdict,
    ("__builtin__", "list"): list,
    ("__builtin__", "object"): object,
    ("copy_reg", "_reconstructor"): copyreg._reconstructor,
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
    """

    edges: np.ndarray
    features: np.ndarray
    labels: np.ndarray
    known: np.ndarray


class _PlanetoidUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise InputError(f"a Planetoid file must not hold {module}.{name}.")
        return _ALLOWED[module, name]


def read_planetoid(folder: Path) -> NodeFiles:
    """Read ``ind.NAME.{x,tx,allx,y,ty,ally,graph,test.index}``; ``allx`` may be missing.

    As in the field, a test node without a row (Citeseer has 15) gets zero features and class 0.
    """
    parts = {part: _read_part(folder, part) for part in _PLANETOID_PARTS}
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
    return NodeFiles(np.array(pairs, dtype=np.int64), features, labels.argmax(axis=1), known)


def _read_part(folder: Path, part: str) -> Any:
    found = sorted(folder.glob(f"ind.*.{part}"))
    if not found:
        if part == "allx":
            return None
        raise InputError(f"a Planetoid folder must hold one file ind.NAME.{part}, got none.")
    if part == "test.index":
        return np.loadtxt(found[0], dtype=np.int64)
    with found[0].open("rb") as file:
        return _PlanetoidUnpickler(file, encoding="latin1").load()


def read_geom_gcn(folder: Path) -> NodeFiles:
    """Read ``out1_node_feature_label.txt`` and ``out1_graph_edges.txt`` of Geom-GCN.

    Actor lists the columns that are 1; Chameleon and Squirrel list every value.
    """
    lines = (folder / "out1_node_feature_label.txt").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    nodes = np.array([int(row[0]) for row in rows])
    if sorted(nodes) != list(range(len(nodes))):
        raise InputError("out1_node_feature_label.txt must name every node once, from 0.")
    values = [np.array(row[1].split(","), dtype=np.int64) for row in rows]
    widths = {len(value) for value in values}
    features = np.zeros((len(nodes), _geom_gcn_width(values, widths)), dtype=np.float32)
    for node, value in zip(nodes, values, strict=True):
        if len(widths) == 1:
            features[node] = value
        else:
            features[node, value] = 1
    labels = np.empty(len(nodes), dtype=np.int64)
    labels[nodes] = [int(row[2]) for row in rows]
    edges = np.loadtxt(folder / "out1_graph_edges.txt", dtype=np.int64, skiprows=1, ndmin=2)
    return NodeFiles(edges, features, labels, np.ones(len(nodes), dtype=bool))


def _geom_gcn_width(values: list[np.ndarray], widths: set[int]) -> int:
    if len(widths) == 1:
        return len(values[0])
    return 1 + max(int(value.max()) for value in values)
