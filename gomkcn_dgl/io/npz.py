"""A SciPy CSR matrix in a ``.npz`` file ↔ a graph; pickled arrays are refused.

The matrix holds the weight of each edge at its source and target. A graph with directions or types
has more beside it: links for each stored entry, also those of edges that only come in, where the
matrix has an explicit 0; and the relations as JSON text.
"""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from gomkcn_dgl.checks import check_features
from gomkcn_dgl.containers.edge_arrays import from_csr, from_matrix
from gomkcn_dgl.containers.graph_content import ColumnChoice, GraphContent, make_csr
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.edge_table import has_features
from gomkcn_dgl.relations import SIMPLE
from gomkcn_dgl.runtime.files import parse_json, read_arrays, read_bytes, reason_of
from gomkcn_dgl.storage.relation_record import relations_from_record, relations_to_record

_REQUIRED = ("indices", "indptr", "shape", "data")
# dtype kinds, number of axes and a description of each array that is read
_KINDS = {
    **dict.fromkeys(("indices", "indptr", "shape"), ("iu", 1, "integers [n]")),
    "data": ("biuf", 1, "numbers [n]"),
    "feature_names": ("U", 1, "text [D]"),
    "node_ids": ("iuU", 1, "integers or text [V]"),
    "links": ("u", 1, "numbers of links [n]"),
    "relations": ("U", 1, "text [1]"),
    "notes": ("U", 1, "text"),
}
_NAMES = (*_KINDS, "format", "features")


def read_npz(path: Path, directed: bool | None = None) -> CSRGraph:
    """Read the CSR matrix of ``scipy.sparse.save_npz``, with ``features [V, D]`` if present.

    A matrix that is not symmetric holds directed edges, unless ``directed`` is False.
    """
    data = read_bytes(path)
    if not data.startswith(b"PK"):
        raise InputError("the file is not a .npz archive.")
    # a damaged archive can raise nearly anything
    try:
        arrays = read_arrays(data, _NAMES)
    except Exception as error:
        raise InputError(f"the arrays cannot be read ({reason_of(error)}).") from None
    matrix = _to_matrix(arrays)
    has_relations = "relations" in arrays
    content = _linked_content(matrix, arrays) if has_relations else from_matrix(matrix)
    features, names = arrays.get("features"), arrays.get("feature_names")
    graph = make_csr(
        replace(
            content,
            node_ids=arrays.get("node_ids"),
            notes=tuple(arrays.get("notes", np.array([], str)).tolist()),
        ),
        ColumnChoice(features, directed=directed),
    )
    if names is None or features is None:
        return graph
    return replace(graph, feature_names=check_features(features, len(features), names.tolist())[1])


def _linked_content(matrix: sp.csr_matrix, arrays: dict[str, np.ndarray]) -> GraphContent:
    """Edges with their relations, of a file that has them."""
    links = arrays.get("links")
    try:
        record = parse_json("".join(arrays["relations"].tolist()).encode())
    except ValueError as error:
        raise InputError(f"'relations' must be JSON text ({reason_of(error)}).") from None
    relations = relations_from_record(record, "the file")
    if (links is None and not relations.is_simple) or (
        links is not None
        and (len(links) != matrix.nnz or links.max(initial=0) >= len(relations.links))
    ):
        raise InputError(
            f"'links' must be {matrix.nnz} numbers of links, 0 to {len(relations.links) - 1}."
        )
    stored = matrix.data
    graph = CSRGraph(
        indptr=matrix.indptr.astype(np.int64),
        indices=matrix.indices,
        features=np.ones((matrix.shape[0], 1), np.float32),
        weights=None if np.isin(stored, (0, 1)).all() else stored,
        graph_ptr=np.array([0, matrix.shape[0]]),
        node_ids=None,
        feature_names=(CONSTANT_FEATURE,),
        relations=relations,
        links=links,
    )
    return from_csr(graph)


def npz_bytes(graph: CSRGraph) -> bytes:
    """Return the arrays that ``scipy.sparse.load_npz`` reads, with features, names and ids."""
    data = np.ones(len(graph.indices), np.float32) if graph.weights is None else graph.weights
    if graph.links is not None:
        leaves = np.any(graph.relations.links[:, graph.relations.outgoing], axis=1)
        data = data * leaves[graph.links]
    arrays: dict[str, Any] = {
        "indices": graph.indices,
        "indptr": graph.indptr,
        "format": np.array(b"csr"),
        "shape": np.array([graph.num_nodes, graph.num_nodes]),
        "data": data,
        "notes": np.array(graph.notes, str),
    }
    if has_features(graph):
        arrays["features"] = graph.features
        arrays["feature_names"] = np.array(graph.feature_names)
    if graph.node_ids is not None:
        arrays["node_ids"] = graph.node_ids
    if graph.relations != SIMPLE:
        arrays["relations"] = np.array([json.dumps(relations_to_record(graph.relations))])
    if graph.links is not None:
        arrays["links"] = graph.links
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
