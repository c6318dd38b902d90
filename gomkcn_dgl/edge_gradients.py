"""Weights of edges that get a gradient: from the edges of a graph into its subgraphs.

A CSRGraph keeps of each two nodes the largest weight that leads from one to the other. So each
entry has the weight of one edge, and a subgraph takes its weights from these edges. The rest of the
kernel is differentiable in the weights as it is: a level is ``A X / c``, and the matching of a
score is that of the weights as they are (the envelope theorem, as for filters).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.checks import to_numpy
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.graph import ends_of_edges
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph

# the pair of nodes of an edge, as `CompiledGraph.entries_of` takes it
_ENDS = np.array([[0, 1]])


def weigh_subgraphs(
    subgraphs: SubgraphTensors, csr: CSRGraph, graph: Any, weight: Tensor
) -> SubgraphTensors:
    """The subgraphs of a graph with weights that are a function of ``weight [E]``, of its edges.

    Their values are those that they have; ``csr`` is ``graph`` as it was read with them.
    """
    assert subgraphs.weights is not None
    weight = weight.reshape(-1)
    edge_of_entry = edges_of_entries(csr, *ends_of_edges(graph), to_numpy(weight))
    # 1. the edge that joins each two nodes of a subgraph, [S, N, N]
    nodes = subgraphs.nodes.cpu().numpy()
    owner, row, column = (subgraphs.links.cpu().numpy() > 0).nonzero()
    pairs = np.stack([nodes[owner, row], nodes[owner, column]], axis=1)
    edges = np.zeros(subgraphs.links.shape, np.int64)
    edges[owner, row, column] = edge_of_entry[CompiledGraph.of(csr).entries_of(pairs, _ENDS)[:, 0]]
    # 2. of each channel: an edge that comes in has the weight that stands at the other node
    if not csr.relations.is_simple:
        there = edges[..., None]
        edges = np.where(csr.relations.incoming, there.swapaxes(1, 2), there)
    # 3. their weights
    known = subgraphs.weights
    taken = weight[torch.from_numpy(edges).to(weight.device)].to(known.device)
    return subgraphs._replace(weights=torch.where(known > 0, taken, torch.zeros_like(taken)))


def edges_of_entries(
    csr: CSRGraph, source: np.ndarray, target: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """The edge whose weight each entry of a graph has, int64 ``[entries]``.

    Of several, one that leads as the entry does goes first, and then the first one: of an edge
    without direction that is listed both ways, with one weight, each has the entry of its way.

    >>> from gomkcn_dgl.csr import csr_from_edges
    >>> ends, weight = (np.array([0, 1, 1]), np.array([1, 0, 2])), np.array([2.0, 2.0, 3.0])
    >>> edges_of_entries(csr_from_edges(*ends, 3, weights=weight), *ends, weight).tolist()
    [0, 1, 2, 2]
    """
    assert csr.weights is not None
    view, weight = CompiledGraph.of(csr), weight.astype(np.float32)
    chosen = np.full(len(csr.indices), -1)
    # the last that is written stays: the other way first, and edges from the last to the first one
    for ends in ((target, source), (source, target)):
        entries = view.entries_of(np.stack(ends, axis=1), _ENDS)[:, 0]
        fitting = np.flatnonzero((entries >= 0) & (csr.weights[entries] == weight))[::-1]
        chosen[entries[fitting]] = fitting
    return chosen
