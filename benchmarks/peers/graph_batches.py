"""Some graphs of a collection side by side, as one graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl import CSRGraph


@dataclass(frozen=True)
class GraphBatch:
    """Graphs without edges between them.

    Attributes
    ----------
    features : Tensor
        float32 ``[V, D]``.
    edges : Tensor
        As :mod:`peers.adjacency` gives them.
    graph_of : Tensor
        int64 ``[V]`` the graph of each node, from 0 in this batch.
    num_graphs : int
        Number of graphs.
    """

    features: Tensor
    edges: Tensor
    graph_of: Tensor
    num_graphs: int


def make_batch(
    graph: CSRGraph,
    features: Tensor,
    chosen: np.ndarray,
    edges_of: Callable[..., Tensor],
    device: str = "cpu",
) -> GraphBatch:
    """The chosen graphs, in their order; ``features`` are those of the whole collection."""
    sizes = np.diff(graph.graph_ptr)[chosen]
    first = graph.graph_ptr[chosen]
    nodes = _ranges(first, sizes)
    degrees = graph.degrees[nodes]
    shift = np.repeat(np.cumsum(sizes) - sizes - first, sizes)  # [V] new id less old id
    indptr = np.concatenate([[0], np.cumsum(degrees)])
    indices = graph.indices[_ranges(graph.indptr[nodes], degrees)] + np.repeat(shift, degrees)
    graph_of = np.repeat(np.arange(len(chosen)), sizes)
    return GraphBatch(
        features[torch.from_numpy(nodes)].to(device),
        edges_of(indptr, indices, device),
        torch.from_numpy(graph_of).to(device),
        len(chosen),
    )


def _ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """``start, start + 1, …`` for each of the starts, one after another, int64."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)
