"""A SciPy CSR matrix in a ``.npz`` file ↔ a graph; pickled arrays are refused."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.edge_table import has_features
from gomkcn_dgl.runtime.file_bytes import read_arrays, read_bytes, reason_of

_REQUIRED = ("indices", "indptr", "shape", "data")
# dtype kinds, number of axes and a description of each array that is read
_KINDS = {
    **dict.fromkeys(("indices", "indptr", "shape"), ("iu", 1, "integers [n]")),
    "data": ("biuf", 1, "numbers [n]"),
    "feature_names": ("U", 1, "text [D]"),
    "node_ids": ("iuU", 1, "integers or text [V]"),
}
_NAMES = (*_KINDS, "format", "features")


def read_npz(path: Path) -> CSRGraph:
    """Read the CSR matrix of ``scipy.sparse.save_npz``, with ``features [V, D]`` if present."""
    data = read_bytes(path)
    if not data.startswith(b"PK"):
        raise InputError("the file is not a .npz archive.")
    # a damaged archive can raise nearly anything
    try:
        arrays = read_arrays(data, _NAMES)
    except Exception as error:
        raise InputError(f"the arrays cannot be read ({reason_of(error)}).") from None
    matrix = _to_matrix(arrays).tocoo()
    stored = matrix.data != 0
    names = arrays.get("feature_names")
    return csr_from_edges(
        matrix.row[stored],
        matrix.col[stored],
        matrix.shape[0],
        weights=None if np.isin(matrix.data, (0, 1)).all() else matrix.data[stored],
        features=arrays.get("features"),
        feature_names=None if names is None else names.tolist(),
        node_ids=arrays.get("node_ids"),
    )


def npz_bytes(graph: CSRGraph) -> bytes:
    """Return the arrays that ``scipy.sparse.load_npz`` reads, with features, names and ids."""
    weights = graph.weights
    arrays: dict[str, Any] = {
        "indices": graph.indices,
        "indptr": graph.indptr,
        "format": np.array(b"csr"),
        "shape": np.array([graph.num_nodes, graph.num_nodes]),
        "data": np.ones(len(graph.indices), np.float32) if weights is None else weights,
    }
    if has_features(graph):
        arrays["features"] = graph.features
        arrays["feature_names"] = np.array(graph.feature_names)
    if graph.node_ids is not None:
        arrays["node_ids"] = graph.node_ids
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    return content.getvalue()


def _to_matrix(arrays: dict[str, np.ndarray]) -> sp.csr_matrix:
    """Return the square matrix, once SciPy has checked that its arrays go together."""
    missing = [name for name in _REQUIRED if name not in arrays]
    if missing:
        raise InputError(
            f"the file must hold {missing[0]!r}, as scipy.sparse.save_npz writes it, "
            f"got {sorted(arrays)}."
        )
    layout = arrays.get("format", np.array(b"csr")).reshape(-1).tolist()
    if layout not in ([b"csr"], ["csr"]):
        raise InputError(f"the matrix must be in CSR format, got {layout}; use matrix.tocsr().")
    for name, (kinds, num_axes, description) in _KINDS.items():
        array = arrays.get(name)
        if array is not None and (array.dtype.kind not in kinds or array.ndim != num_axes):
            raise InputError(
                f"{name!r} must be {description}, got {array.dtype} of the shape {array.shape}."
            )
    shape = tuple(arrays["shape"].tolist())
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InputError(f"the matrix must be square, got the shape {shape}.")
    if len(arrays["data"]) != len(arrays["indices"]):
        raise InputError(
            f"'data' must have {len(arrays['indices'])} entries, got {len(arrays['data'])}."
        )
    try:
        parts = [arrays[name] for name in ("data", "indices", "indptr")]
        matrix = sp.csr_matrix(tuple(parts), shape=shape, copy=True)
        matrix.check_format(full_check=True)
    except (ValueError, OverflowError) as error:
        raise InputError(f"the matrix is not valid ({reason_of(error)}).") from None
    return matrix
