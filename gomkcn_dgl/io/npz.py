"""A SciPy CSR matrix in a ``.npz`` file → a graph; pickled arrays are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.file_bytes import read_arrays, read_bytes, reason_of

_NEEDED = ("indices", "indptr", "shape", "data")
_OPTIONAL = ("format", "features", "feature_names", "node_ids")


def read_npz(path: Path) -> CSRGraph:
    """Read the CSR matrix of ``scipy.sparse.save_npz``, with ``features [V, D]`` if there are."""
    arrays = _load_npz(read_bytes(path))
    missing = [name for name in _NEEDED if name not in arrays]
    if missing:
        raise InputError(
            f"the file must hold {missing[0]!r}, as scipy.sparse.save_npz writes it, "
            f"got {sorted(arrays)}."
        )
    layout = arrays.get("format", np.array(b"csr")).reshape(-1).tolist()
    if layout not in ([b"csr"], ["csr"]):
        raise InputError(f"the matrix must be in CSR format, got {layout}; use matrix.tocsr().")
    indptr, indices, values, num_nodes = _check_csr(arrays)
    return csr_from_edges(
        np.repeat(np.arange(num_nodes), np.diff(indptr))[values != 0],
        indices[values != 0],
        num_nodes,
        weights=None if np.isin(values, (0, 1)).all() else values[values != 0],
        features=arrays.get("features"),
        feature_names=_feature_names(arrays),
        node_ids=arrays.get("node_ids"),
    )


def _load_npz(data: bytes) -> dict[str, np.ndarray]:
    if not data.startswith(b"PK"):
        raise InputError("the file is not a .npz archive.")
    # a damaged archive can raise nearly anything
    try:
        return read_arrays(data, (*_NEEDED, *_OPTIONAL))
    except Exception as error:
        raise InputError(f"the arrays cannot be read ({reason_of(error)}).") from None


def _feature_names(arrays: dict[str, np.ndarray]) -> list[str] | None:
    names = arrays.get("feature_names")
    if names is None:
        return None
    if names.dtype.kind != "U" or names.ndim != 1:
        raise InputError(f"'feature_names' must be text [D], got {_describe(names)}.")
    found: list[str] = names.tolist()
    return found


def _check_csr(arrays: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Return indptr, indices, data and the number of nodes of a well-formed square matrix."""
    for name in ("indices", "indptr", "shape"):
        if arrays[name].dtype.kind not in "iu" or arrays[name].ndim != 1:
            raise InputError(f"{name!r} must be integers [n], got {_describe(arrays[name])}.")
    indptr, indices = arrays["indptr"].astype(np.int64), arrays["indices"].astype(np.int64)
    values, shape = arrays["data"], arrays["shape"].tolist()
    if values.dtype.kind not in "biuf" or values.ndim != 1:
        raise InputError(f"'data' must be numbers [n], got {_describe(values)}.")
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InputError(f"the matrix must be square, got the shape {tuple(shape)}.")
    if len(indptr) != shape[0] + 1:
        raise InputError(f"'indptr' must have {shape[0] + 1} entries, got {len(indptr)}.")
    if indptr[0] != 0 or indptr[-1] != len(indices) or (np.diff(indptr) < 0).any():
        raise InputError(f"'indptr' must rise from 0 to the number of indices, {len(indices)}.")
    if len(values) != len(indices):
        raise InputError(f"'data' must have {len(indices)} entries, got {len(values)}.")
    if len(indices) and not 0 <= indices.min() <= indices.max() < shape[0]:
        worst = indices.min() if indices.min() < 0 else indices.max()
        raise InputError(f"'indices' must lie in 0 to {shape[0] - 1}, got {worst}.")
    ids = arrays.get("node_ids")
    if ids is not None and (ids.dtype.kind not in "iuU" or ids.ndim != 1):
        raise InputError(f"'node_ids' must be integers or text [V], got {_describe(ids)}.")
    return indptr, indices, values, shape[0]


def _describe(array: np.ndarray) -> str:
    return f"{array.dtype} of the shape {array.shape}"
