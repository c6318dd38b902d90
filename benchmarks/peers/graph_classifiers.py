"""Peers of graph classification: GCN, GIN, GraphSAGE, TopKPool and SAGPool of PyG.

The first three read out every layer and add what they read, as our model does; the pooling networks
read mean and largest value after every pooling, as their authors do.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from paper.data import GraphData, Split
from paper.protocol import PATIENCE, BestEpoch, Family, Params, TrialOutcome
from torch import Tensor, nn

from peers.adjacency import edge_list, sparse_rows
from peers.graph_batches import GraphBatch, make_batch

_PYG = ("torch-geometric", "torch_geometric")
_SHARED = {
    "hidden": [32, 64],
    "num_layers": [2, 3, 4],
    "dropout": [0.0, 0.2, 0.4],
    "lr": [0.01, 0.001],
    "batch_size": [32, 128],
    "epochs": [300],
}
GRID = {**_SHARED, "pooling": ["sum", "mean", "max"]}
POOLING_GRID = {**_SHARED, "ratio": [0.5, 0.8]}
Convolution = Callable[[int, int], nn.Module]


class _ReadoutNetwork(nn.Module):
    """Convolution, batch norm and ReLU, layer by layer; what is read at each is added."""

    def __init__(self, convolution: Convolution, width: int, classes: int, params: Params) -> None:
        super().__init__()
        hidden, self.pooling = params["hidden"], params["pooling"]
        widths = [width, *[hidden] * params["num_layers"]]
        self.layers = nn.ModuleList(map(convolution, widths[:-1], widths[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(hidden) for _ in self.layers)
        self.heads = nn.ModuleList(nn.Linear(hidden, classes) for _ in self.layers)
        self.dropout = nn.Dropout(params["dropout"])

    def forward(self, batch: GraphBatch) -> Tensor:
        hidden, logits = batch.features, 0
        for layer, norm, head in zip(self.layers, self.norms, self.heads, strict=True):
            hidden = torch.relu(norm(layer(hidden, batch.edges)))
            read = _read_out(self.pooling, hidden, batch.graph_of, batch.num_graphs)
            logits = logits + head(self.dropout(read))
        return logits


class _PoolingNetwork(nn.Module):
    """GCN layer, then a part of the nodes; mean and largest value of what is left are added."""

    def __init__(self, pool: Any, width: int, classes: int, params: Params) -> None:
        super().__init__()
        from torch_geometric.nn import GCNConv

        hidden = params["hidden"]
        widths = [width, *[hidden] * params["num_layers"]]
        self.layers = nn.ModuleList(map(GCNConv, widths[:-1], widths[1:]))
        self.pools = nn.ModuleList(pool(hidden, ratio=params["ratio"]) for _ in self.layers)
        self.head = nn.Sequential(
            nn.Linear(2 * hidden, hidden),
            nn.ReLU(),
            nn.Dropout(params["dropout"]),
            nn.Linear(hidden, classes),
        )

    def forward(self, batch: GraphBatch) -> Tensor:
        hidden, edges, graph_of, total = batch.features, batch.edges, batch.graph_of, 0
        for layer, pool in zip(self.layers, self.pools, strict=True):
            hidden = torch.relu(layer(hidden, edges))
            hidden, edges, _, graph_of, *_ = pool(hidden, edges, batch=graph_of)
            reads = [_read_out(how, hidden, graph_of, batch.num_graphs) for how in ("mean", "max")]
            total = total + torch.cat(reads, dim=1)
        return self.head(total)


def _read_out(how: str, hidden: Tensor, graph_of: Tensor, num_graphs: int) -> Tensor:
    from torch_geometric.utils import scatter

    return scatter(hidden, graph_of, dim=0, dim_size=num_graphs, reduce=how)


def _gcn(width: int, out: int) -> nn.Module:
    from torch_geometric.nn import GCNConv

    return GCNConv(width, out)


def _sage(width: int, out: int) -> nn.Module:
    from torch_geometric.nn import SAGEConv

    return SAGEConv(width, out)


def _gin(width: int, out: int) -> nn.Module:
    from torch_geometric.nn import GINConv

    perceptron = nn.Sequential(
        nn.Linear(width, out), nn.BatchNorm1d(out), nn.ReLU(), nn.Linear(out, out)
    )
    return GINConv(perceptron, train_eps=True)


def _top_k(hidden: int, ratio: float) -> nn.Module:
    from torch_geometric.nn import TopKPooling

    return TopKPooling(hidden, ratio=ratio)


def _sag(hidden: int, ratio: float) -> nn.Module:
    from torch_geometric.nn import GCNConv, SAGPooling

    return SAGPooling(hidden, ratio=ratio, GNN=GCNConv)


def fit_graphs(
    network: nn.Module,
    edges_of: Callable[..., Tensor],
    data: GraphData,
    split: Split,
    params: Params,
    seed: int,
) -> TrialOutcome:
    """Train in shuffled batches until validation has not improved for a while; test the best."""
    features = torch.from_numpy(data.split_features(split))
    labels = torch.from_numpy(data.labels).to(data.device)
    rng = np.random.default_rng(seed)

    def batch(rows: np.ndarray) -> tuple[GraphBatch, Tensor]:
        made = make_batch(data.graph, features, rows, edges_of, data.device)
        return made, labels[torch.from_numpy(rows).to(data.device)]

    network.to(data.device)
    optimizer = torch.optim.Adam(network.parameters(), lr=params["lr"])
    of_val, best, kept, epoch = batch(split.val), BestEpoch(), {}, 0
    for epoch in range(1, params["epochs"] + 1):
        network.train()
        order = rng.permutation(split.train)
        for rows in np.array_split(order, -(-len(order) // params["batch_size"])):
            graphs, wanted = batch(rows)
            loss = nn.functional.cross_entropy(network(graphs), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if best.improves(*_evaluate(network, *of_val), epoch):
            kept = copy.deepcopy(network.state_dict())
        elif epoch - best.epoch >= PATIENCE:
            break
    network.load_state_dict(kept)
    test, _ = _evaluate(network, *batch(split.test))
    return TrialOutcome(best.val, best.val_loss, test, best.epoch, epoch)


def _evaluate(network: nn.Module, graphs: GraphBatch, wanted: Tensor) -> tuple[float, float]:
    """Accuracy and mean cross-entropy."""
    network.eval()
    with torch.no_grad():
        logits = network(graphs)
    accuracy = (logits.argmax(dim=1) == wanted).double().mean()
    return float(accuracy), float(nn.functional.cross_entropy(logits, wanted))


def _readout_family(name: str, convolution: Convolution) -> Family:
    def trial(data: GraphData, split: Split, params: Params, seed: int) -> TrialOutcome:
        torch.manual_seed(seed)
        width = data.graph.features.shape[1]
        network = _ReadoutNetwork(convolution, width, data.num_classes, params)
        return fit_graphs(network, sparse_rows, data, split, params, seed)

    return Family(name, GRID, trial, "graph", _PYG)


def _pooling_family(name: str, pool: Callable[..., nn.Module]) -> Family:
    def trial(data: GraphData, split: Split, params: Params, seed: int) -> TrialOutcome:
        torch.manual_seed(seed)
        width = data.graph.features.shape[1]
        network = _PoolingNetwork(pool, width, data.num_classes, params)
        return fit_graphs(network, edge_list, data, split, params, seed)

    return Family(name, POOLING_GRID, trial, "graph", _PYG)


GRAPH_FAMILIES = [
    _readout_family("GCN", _gcn),
    _readout_family("GIN", _gin),
    _readout_family("GraphSAGE", _sage),
    _pooling_family("TopKPool", _top_k),
    _pooling_family("SAGPool", _sag),
]
