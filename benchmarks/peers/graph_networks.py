"""Peers of the layer: graph classifiers of two convolutions, and their epochs, from PyG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from gomkcn_dgl import CSRGraph
from peers.peer import Peer

HIDDEN = 32
Epoch = Callable[[], float]


def _data(graph: CSRGraph, labels: Tensor) -> list[Any]:
    """One PyG graph for each graph of the collection."""
    from torch_geometric.data import Data

    source = torch.arange(graph.num_nodes).repeat_interleave(torch.from_numpy(graph.degrees))
    edge_index = torch.stack([source, torch.from_numpy(graph.indices).long()])
    features = torch.from_numpy(graph.features)
    parts = []
    for number, (low, high) in enumerate(zip(graph.graph_ptr, graph.graph_ptr[1:], strict=False)):
        edges = slice(int(graph.indptr[low]), int(graph.indptr[high]))
        parts.append(
            Data(features[low:high], edge_index[:, edges] - int(low), y=labels[number : number + 1])
        )
    return parts


def _epoch(convolution: Callable[[int, int], nn.Module]) -> Callable[..., Epoch]:
    def prepare(graph: CSRGraph, labels: Tensor, order: Sequence[int], batch_size: int) -> Epoch:
        from torch_geometric.loader import DataLoader
        from torch_geometric.nn import global_add_pool

        torch.manual_seed(0)
        data = _data(graph, labels)
        loader = DataLoader([data[i] for i in order], batch_size)
        first = convolution(graph.features.shape[1], HIDDEN)
        second = convolution(HIDDEN, HIDDEN)
        head = nn.Linear(HIDDEN, int(labels.max()) + 1)
        modules = nn.ModuleList([first, second, head])
        optimizer = torch.optim.Adam(modules.parameters(), lr=0.01)

        def epoch() -> float:
            total = 0.0
            for batch in loader:
                hidden = torch.relu(first(batch.x, batch.edge_index))
                hidden = torch.relu(second(hidden, batch.edge_index))
                logits = head(global_add_pool(hidden, batch.batch, batch.num_graphs))
                loss = nn.functional.cross_entropy(logits, batch.y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            return total

        return epoch

    return prepare


def _gcn(width: int, out: int) -> nn.Module:
    from torch_geometric.nn import GCNConv

    return GCNConv(width, out)


def _gin(width: int, out: int) -> nn.Module:
    from torch_geometric.nn import GINConv

    return GINConv(nn.Sequential(nn.Linear(width, out), nn.ReLU(), nn.Linear(out, out)))


_PYG = ("torch-geometric", "torch_geometric")
GRAPH_NETWORKS = (
    Peer("PyG, two-layer GCN", *_PYG, _epoch(_gcn)),
    Peer("PyG, two-layer GIN", *_PYG, _epoch(_gin)),
)
