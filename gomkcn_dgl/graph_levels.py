"""Level embeddings of the nodes of whole graphs: all graphs of a collection at once, sparsely.

``embeddings.py`` defines them, on dense matrices of subgraphs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.embeddings import channel_matrices
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.relations import Relations


def graph_levels(
    graph: CSRGraph,
    kernel: GOMKKernel,
    relations: Relations,
    dtype: str = "float64",
    most_nodes: int | None = None,
) -> list[Tensor]:
    """Embed the nodes of each graph in terms of ``relations``: a tensor ``[L, N, D]`` a graph.

    Several channels make them wider, as :func:`gomkcn.level_embeddings` says. Of a graph with more
    than ``most_nodes`` nodes so many are kept, evenly spaced in the order of their degrees and
    levels; each has the embedding that it has in the whole graph.
    """
    channels = _transitions(graph, kernel, relations)
    matrices = channel_matrices(len(channels)).astype(dtype)
    rows = matrices.shape[1]
    # level 0 stands in the first of K blocks of features
    level = np.zeros((graph.num_nodes, rows, graph.features.shape[1]), dtype)
    level[:, 0] = rows**0.5 * graph.features.astype(dtype)
    levels = [level]
    for _ in range(kernel.num_levels):
        before = levels[-1].reshape(graph.num_nodes, -1)
        level = np.zeros_like(levels[-1])
        for transition, matrix in zip(channels, matrices, strict=True):
            moved = (transition.astype(dtype) @ before).reshape(level.shape)
            level += moved if rows == 1 else np.einsum("ij,vjd->vid", matrix, moved)
        levels.append(level / np.array(kernel.level_scale, dtype))
    flat = np.stack([one.reshape(graph.num_nodes, -1) for one in levels])
    kept = _kept_nodes(graph, flat.sum(axis=2), most_nodes)
    return [torch.from_numpy(flat[:, nodes]) for nodes in kept]


def _transitions(graph: CSRGraph, kernel: GOMKKernel, relations: Relations) -> list[csr_array]:
    """What each channel takes from the level before, sparse ``[V, V]``."""
    weights = np.ones(len(graph.indices)) if graph.weights is None else graph.weights
    values = [weights.astype(np.float64)]
    if not relations.is_simple:
        links = np.ones(len(graph.indices), np.int64) if graph.links is None else graph.links
        has_channel = graph.relations.within(relations).links
        values = [values[0] * has_channel[links, c] for c in range(has_channel.shape[1])]
    shape = (graph.num_nodes, graph.num_nodes)
    channels = [csr_array((one, graph.indices, graph.indptr), shape=shape) for one in values]
    if kernel.aggregation == "sum":
        return channels
    # the degree of a node counts its edges over all channels
    degree = np.asarray(sum(one.sum(axis=1) for one in channels))
    inverse = 1 / np.where(degree > 0, degree, 1)
    if kernel.aggregation == "mean":
        return [one.multiply(inverse[:, None]).tocsr() for one in channels]
    root = np.sqrt(inverse)
    return [one.multiply(root[:, None]).multiply(root[None]).tocsr() for one in channels]


def _kept_nodes(graph: CSRGraph, sums: np.ndarray, most: int | None) -> Sequence[np.ndarray]:
    """The nodes of each graph that stand for it, ascending; ``sums [L, V]`` are of their levels."""
    kept = []
    for first, last in zip(graph.graph_ptr[:-1], graph.graph_ptr[1:], strict=True):
        nodes = np.arange(first, last)
        if most is not None and len(nodes) > most:
            # however they are numbered, up to nodes that look alike
            ordered = nodes[np.lexsort((*sums[:, nodes], graph.degrees[nodes]))]
            nodes = np.sort(ordered[np.linspace(0, len(nodes) - 1, most).round().astype(np.int64)])
        kept.append(nodes)
    return kept
