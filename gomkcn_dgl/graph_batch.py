"""Graphs side by side, as a network takes them: subgraphs, features, sizes and neighbours."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.errors import InputError


class GraphBatch(NamedTuple):
    """Some graphs side by side; every node is a root.

    Attributes
    ----------
    subgraphs : SubgraphTensors
        Subgraphs of all nodes, in their order.
    feat : Tensor
        ``[V, D]``, dense or sparse CSR.
    graph_sizes : Tensor or None
        int64 ``[G]`` nodes of each graph; None where nothing is pooled.
    neighbours : tuple of Tensor
        Sparse CSR ``[V, V]``, one for each channel of the edges: row u has a 1 where u is joined to
        v in this channel. Without directions and types there is one channel.
    """

    subgraphs: SubgraphTensors
    feat: Tensor
    graph_sizes: Tensor | None
    neighbours: tuple[Tensor, ...]


def sizes_for_pooling(graph: Any, device: torch.device) -> Tensor:
    """Nodes of each graph of a DGL batch, int64 ``[G]``; all must be of one type."""
    if len(graph.ntypes) > 1:
        raise InputError(
            f"pooling must be None for graphs with {len(graph.ntypes)} types of nodes, whose rows "
            "stand type by type; or join the types to one."
        )
    sizes: Tensor = graph.batch_num_nodes().to(device)
    return sizes


def neighbour_matrices(
    graph: CSRGraph, nodes: np.ndarray | None = None, shift: np.ndarray | None = None
) -> tuple[Tensor, ...]:
    """The matrices of :class:`GraphBatch`, of all nodes, or of whole graphs.

    ``nodes`` (int64 ``[V]``) are all those of some graphs, and ``shift`` what the number of each is
    above its new one, the same for all nodes of a graph.

    >>> from gomkcn_dgl.csr import csr_from_edges
    >>> path = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3)
    >>> neighbour_matrices(path)[0].to_dense().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    indptr, indices, links = graph.indptr, graph.indices, graph.links
    if nodes is not None and shift is not None:
        counts, entries = graph.degrees_of(nodes), graph.entries_of(nodes)
        indptr = np.concatenate([[0], np.cumsum(counts)])
        indices = indices[entries] - np.repeat(shift, counts)
        links = None if links is None else links[entries]
    size = len(indptr) - 1
    rows, columns = (torch.from_numpy(part.astype(np.int64)) for part in (indptr, indices))
    if links is None:
        values = np.ones((len(indices), 1), np.float32)
    else:
        values = graph.relations.links[links].astype(np.float32)
    with warnings.catch_warnings():
        # torch warns that its sparse tensors are in beta
        warnings.filterwarnings("ignore", "Sparse CSR tensor support", UserWarning)
        return tuple(
            torch.sparse_csr_tensor(
                rows, columns, torch.from_numpy(one.copy()), (size, size), check_invariants=False
            )
            for one in values.T
        )
