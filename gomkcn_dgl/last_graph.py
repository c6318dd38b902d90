"""The subgraphs of the graph that a layer saw last, so that a loop of epochs extracts them once.

A layer knows the graph again by its content: a digest of all that its subgraphs follow from, edges,
features, weights and types, is taken at each call. What was changed in place, through a tensor or
an array of the same memory, is a new graph, and one that was copied is the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.graph_content import is_from
from gomkcn_dgl.graph_objects import pyg_edges
from gomkcn_dgl.subgraph_transform import kept_features

# subgraphs that take more are not kept: a layer would hold the memory of a large graph when it is
# not asked any more
MOST_KEPT_BYTES = 2**28
# of a digest: two graphs have the same by chance once in 2^128
_DIGEST_BYTES = 16


class ReadGraph(NamedTuple):
    """Subgraphs of all nodes of a graph or a batch, and the nodes of each graph, int64 ``[G]``."""

    subgraphs: SubgraphTensors
    graph_sizes: Tensor


class LastGraph:
    """What a layer read last, and the digest of what it was read from."""

    def __init__(self) -> None:
        self._digest: bytes = b""
        self._read: ReadGraph | None = None

    def read(self, digest: bytes | None, read: Callable[[], ReadGraph]) -> ReadGraph:
        """What ``read`` returns for the graph of this digest; None: of one that is not known."""
        if digest is not None and self._read is not None and digest == self._digest:
            return self._read
        # the memory is free before more is taken
        self._digest, self._read = b"", None
        found = read()
        size = sum(
            part.numel() * part.element_size() for part in found.subgraphs if part is not None
        )
        if digest is not None and size <= MOST_KEPT_BYTES:
            self._digest, self._read = digest, found
        return found


def digest_of(graph: Any, feat: Tensor, weight: Any, edge_type: Any, *others: Any) -> bytes | None:
    """A digest of all that subgraphs follow from; None for what is not known again.

    This is a graph of several types of nodes, one of a library other than DGL and PyG, and one with
    features or weights that a gradient leads through, which change from step to step.

    >>> ends, feat = torch.tensor([[0, 1], [1, 0]]), torch.ones(2, 1)
    >>> from gomkcn_dgl.subgraph_transform import tensors_as_graph
    >>> first, same, other = (
    ...     digest_of(tensors_as_graph(feat, edges, None), feat, None, None)
    ...     for edges in (ends, ends.clone(), ends.flip(0))
    ... )
    >>> first == same, first == other
    (True, False)
    """
    kept = kept_features(graph)
    seen = feat if kept is None else kept
    changing = [part for part in (seen, weight) if isinstance(part, torch.Tensor)]
    if any(part.grad_fn is not None for part in changing):
        return None
    if isinstance(weight, torch.Tensor) and weight.requires_grad:
        return None
    edges = _edges_of(graph)
    if edges is None:
        return None
    digest = hashlib.blake2b(repr(others).encode(), digest_size=_DIGEST_BYTES)
    for part in (*edges, seen, weight, edge_type):
        shape, values = _bytes_of(part)
        digest.update(f"{shape}{len(values)}".encode())
        digest.update(values.data)
    return digest.digest()


def _bytes_of(part: Any) -> tuple[str, np.ndarray]:
    """What a part is, as text, and its values, uint8."""
    if isinstance(part, torch.Tensor):
        flat = part.detach().cpu().contiguous().flatten()
        return f"{part.dtype}{list(part.shape)}", flat.view(torch.uint8).numpy()
    if isinstance(part, np.ndarray):
        return f"{part.dtype}{part.shape}", np.ascontiguousarray(part).reshape(-1).view(np.uint8)
    # names, numbers and lists
    return type(part).__name__, np.frombuffer(repr(part).encode(), np.uint8)


def _edges_of(graph: Any) -> Iterator[Any] | None:
    """The parts of a graph that its edges and its division into graphs follow from."""
    if is_from("dgl", "DGLGraph", graph):
        if len(graph.ntypes) > 1:
            return None
        # asked of a copy: DGL stores the answer, and graph.remove_nodes fails after that
        sizes = graph.local_var().batch_num_nodes()
        ends = [
            part
            for kind in graph.canonical_etypes
            for part in (list(kind), *graph.edges(order="eid", etype=kind))
        ]
        return iter([sizes, *ends])
    if isinstance(graph, CSRGraph):
        kinds = graph.relations
        rows = [graph.indptr, graph.indices, graph.weights, graph.links, graph.graph_ptr]
        return iter([*rows, kinds.names, kinds.directed, kinds.links])
    if hasattr(graph, "edge_index") and hasattr(graph, "num_nodes"):
        batch = [getattr(graph, name, None) for name in ("batch", "ptr")]
        return iter([pyg_edges(graph).edge_index, graph.num_nodes, *batch])
    return None
