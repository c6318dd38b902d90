"""Graphs with their subgraphs, from which a classifier draws batches."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.model import GraphBatch
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs

# features with at least this width and at most this share of nonzero entries are stored sparsely,
# because a sparse product is faster then
_SPARSE_WIDTH, _SPARSE_SHARE = 256, 0.1


class GraphCollection:
    """A graph or a collection whose subgraphs are extracted once, for many epochs.

    Parameters
    ----------
    graph : CSRGraph
        With features; see :func:`gomkcn.as_csr`.
    settings : SubgraphSettings
        How subgraphs are taken; ``conv.settings`` of a layer.
    device : str or torch.device
        Device of the batches.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import SubgraphSettings, as_csr
    >>> pair = as_csr([nx.path_graph(3), nx.cycle_graph(4)])
    >>> graphs = GraphCollection(pair, SubgraphSettings(num_hops=1, max_nodes=3))
    >>> batch = graphs.batch([1])
    >>> batch.subgraphs.nodes.tolist(), batch.graph_sizes.tolist()
    ([[0, 1, 3], [1, 0, 2], [2, 1, 3], [3, 0, 2]], [4])
    """

    def __init__(
        self,
        graph: CSRGraph,
        settings: SubgraphSettings,
        device: str | torch.device = "cpu",
    ) -> None:
        self.graph = graph
        self.subgraphs = SubgraphTensors.of_batch(extract_subgraphs(graph, settings), device)
        feat = torch.tensor(graph.features)
        is_dense = feat.shape[1] < _SPARSE_WIDTH
        is_dense = is_dense or float((feat != 0).float().mean()) > _SPARSE_SHARE
        self.feat = (feat if is_dense else _to_sparse(feat)).to(device)
        self.graph_sizes = torch.from_numpy(np.diff(graph.graph_ptr)).to(device)

    @property
    def num_graphs(self) -> int:
        """Number of graphs."""
        return self.graph.num_graphs

    def whole(self) -> GraphBatch:
        """Return all graphs."""
        return GraphBatch(self.subgraphs, self.feat, self.graph_sizes)

    def batches(self, size: int) -> Iterator[GraphBatch]:
        """Yield all graphs, in their order, ``size`` at a time."""
        for first in range(0, self.num_graphs, size):
            yield self.batch(np.arange(first, min(first + size, self.num_graphs)))

    def batch(self, chosen: np.ndarray | list[int]) -> GraphBatch:
        """Return some graphs, in the order given."""
        chosen = np.asarray(chosen, np.int64)
        first = self.graph.graph_ptr[chosen]
        sizes = self.graph.graph_ptr[chosen + 1] - first
        begin = np.cumsum(sizes) - sizes
        # [V] old node id minus new one, the same for all nodes of a graph
        shift = np.repeat(first - begin, sizes)
        rows = torch.from_numpy(np.arange(len(shift)) + shift).to(self.feat.device)
        subgraphs = self.subgraphs.select(rows)
        nodes = subgraphs.nodes  # [V, N], -1 for padding
        nodes = torch.where(nodes < 0, nodes, nodes - torch.from_numpy(shift).to(nodes)[:, None])
        if self.feat.layout == torch.sparse_csr:
            # rows of a sparse tensor cannot be selected
            feat = torch.from_numpy(self.graph.features[rows.cpu().numpy()])
            feat = _to_sparse(feat).to(self.feat.device)
        else:
            feat = self.feat[rows]
        graph_sizes = torch.from_numpy(sizes).to(rows.device)
        return GraphBatch(subgraphs._replace(nodes=nodes), feat, graph_sizes)


def _to_sparse(feat: Tensor) -> Tensor:
    with warnings.catch_warnings():
        # torch warns that its sparse tensors are in beta
        warnings.filterwarnings("ignore", "Sparse CSR tensor support", UserWarning)
        return feat.to_sparse_csr()
