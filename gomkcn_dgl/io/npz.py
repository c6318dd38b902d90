"""A matrix of ``scipy.sparse.save_npz``, with features, names and node ids beside it ↔ a graph."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from gomkcn_dgl.checks import check_features
from gomkcn_dgl.containers.edge_arrays import from_csr, from_matrix
from gomkcn_dgl.containers.graph_content import ColumnChoice, make_csr
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.edge_table import WEIGHT, has_features, refuse_unknown_direction
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import read_bytes, reason_of

# dtype kinds of what is read; the first four are the matrix
_KINDS = {"data": "biuf", "indices": "iu", "indptr": "iu", "shape": "iu"}
_KINDS |= {"features": "biuf", "feature_names": "U", "node_ids": "iuU"}
# what earlier versions wrote beside the matrix
_UNUSED = ("relations", "links", "edge_features")


def read_npz(path: Path, directed: bool | None = None) -> CSRGraph:
    """Read a CSR matrix, with ``features [V, D]`` if present.

    A matrix that is not symmetric holds directed edges, unless ``directed`` is False.
    """
    data = read_bytes(path)
    # a damaged archive can raise nearly anything
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in _KINDS if name in archive}
            layout = str(archive["format"].astype(str))
            unused = [name for name in _UNUSED if name in archive]
        if layout != "csr":
            raise ValueError(f"the matrix is in {layout} format; use matrix.tocsr()")
        for name, array in arrays.items():
            if array.dtype.kind not in _KINDS[name] or (name != "features" and array.ndim != 1):
                raise ValueError(f"{name} is {array.dtype} of the shape {array.shape}")
            if array.dtype.kind == "U":
                # it may hold what is no character
                "".join(array.tolist()).encode()
        parts = tuple(arrays[name] for name in ("data", "indices", "indptr"))
        matrix = sp.csr_array(parts, shape=tuple(arrays["shape"].tolist()))
        matrix.check_format(full_check=True)
    except Exception as error:
        raise InputError(
            f"the file must be one that scipy.sparse.save_npz writes ({reason_of(error)})."
        ) from None
    features, names = arrays.get("features"), arrays.get("feature_names")
    notes = (f"not used: {', '.join(unused)} of an earlier version",) if unused else ()
    content = replace(from_matrix(matrix), node_ids=arrays.get("node_ids"), notes=notes)
    graph = make_csr(content, ColumnChoice(features, directed=directed))
    if names is None or features is None:
        return graph
    return replace(graph, feature_names=check_features(features, len(features), names.tolist())[1])


def npz_bytes(graph: CSRGraph) -> bytes:
    """Return what ``scipy.sparse.load_npz`` reads, with features, names and ids beside it."""
    if graph.relations.names != (PLAIN,):
        raise InputError(
            "a .npz file holds edges of one kind, without a name; write a .graph folder."
        )
    refuse_unknown_direction(graph, "a .npz file")
    content = from_csr(graph)
    weights = content.edges.get(WEIGHT, np.ones(len(content.source), np.float32))
    shape = (graph.num_nodes, graph.num_nodes)
    matrix = sp.csr_array((weights, (content.source, content.target)), shape)
    arrays: dict[str, Any] = {name: getattr(matrix, name) for name in ("data", "indices", "indptr")}
    arrays |= {"format": b"csr", "shape": shape}
    if has_features(graph):
        arrays |= {"features": graph.features, "feature_names": np.array(graph.feature_names)}
    if graph.node_ids is not None:
        arrays["node_ids"] = graph.node_ids
    content_of_file = io.BytesIO()
    np.savez_compressed(content_of_file, **arrays)
    return content_of_file.getvalue()
