"""Peers of node classification: GCN, GAT, GIN and GraphSAGE of PyG, two layers each.

Features are brought to the hidden width first. In GCN and GAT that is their own first product, done
on sparse features; GIN and GraphSAGE sum over neighbours before theirs and get one more linear
layer, since on thousands of columns the sum would take minutes.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from paper.data import NodeData, Split
from paper.protocol import BestEpoch, Family, Params, TrialOutcome
from torch import Tensor, nn

from peers.adjacency import edge_list, sparse_rows
from peers.sparse_features import SparseDropout, SparseFeatures, SparseLinear

_PYG = ("torch-geometric", "torch_geometric")
_HEADS = 8
GRID = {
    "hidden": [32, 64, 128],
    "dropout": [0.0, 0.25, 0.5, 0.75],
    "lr": [0.01, 0.05],
    "weight_decay": [0.0, 5e-5, 5e-4, 5e-3],
    "epochs": [200],
}


class _Network(nn.Module):
    """Dropout, product with sparse features, convolution, activation, dropout, convolution."""

    def __init__(
        self,
        width: int,
        params: Params,
        first: nn.Module,
        second: nn.Module,
        activation: nn.Module,
    ) -> None:
        super().__init__()
        self.drop_features = SparseDropout(params["dropout"])
        self.product = SparseLinear(width, params["hidden"])
        self.first, self.second, self.activation = first, second, activation
        self.dropout = nn.Dropout(params["dropout"])

    def forward(self, features: SparseFeatures, edges: Tensor) -> Tensor:
        hidden = self.product(self.drop_features(features))
        hidden = self.activation(self.first(hidden, edges))
        return self.second(self.dropout(hidden), edges)


def _gcn(width: int, classes: int, params: Params) -> nn.Module:
    from torch_geometric.nn import GCNConv

    hidden = params["hidden"]
    first = GCNConv(hidden, hidden, cached=True)
    first.lin = nn.Identity()
    second = GCNConv(hidden, classes, cached=True)
    return _Network(width, params, first, second, nn.ReLU())


def _gat(width: int, classes: int, params: Params) -> nn.Module:
    from torch_geometric.nn import GATConv

    hidden, dropout = params["hidden"], params["dropout"]
    first = GATConv(hidden, hidden // _HEADS, heads=_HEADS, dropout=dropout)
    first.lin = nn.Identity()
    second = GATConv(hidden, classes, heads=1, dropout=dropout)
    return _Network(width, params, first, second, nn.ELU())


def _gin(width: int, classes: int, params: Params) -> nn.Module:
    from torch_geometric.nn import GINConv

    hidden = params["hidden"]

    def layer(out: int) -> nn.Module:
        perceptron = nn.Sequential(
            nn.Linear(hidden, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, out)
        )
        return GINConv(perceptron, train_eps=True)

    return _Network(width, params, layer(hidden), layer(classes), nn.ReLU())


def _sage(width: int, classes: int, params: Params) -> nn.Module:
    from torch_geometric.nn import SAGEConv

    hidden = params["hidden"]
    first, second = SAGEConv(hidden, hidden), SAGEConv(hidden, classes)
    return _Network(width, params, first, second, nn.ReLU())


def fit_nodes(
    network: nn.Module, edges: Tensor, data: NodeData, split: Split, params: Params
) -> TrialOutcome:
    """Train on all training nodes at once; test nodes are looked at when validation improves."""
    features = SparseFeatures.of(data.graph.features, data.device)
    labels = torch.from_numpy(data.labels).to(data.device)
    train, val, test = (torch.from_numpy(part).to(data.device) for part in split)
    network.to(data.device)
    optimizer = torch.optim.Adam(
        network.parameters(), lr=params["lr"], weight_decay=params["weight_decay"]
    )
    best, of_test = BestEpoch(), 0.0
    for epoch in range(1, params["epochs"] + 1):
        network.train()
        loss = nn.functional.cross_entropy(network(features, edges)[train], labels[train])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        network.eval()
        with torch.no_grad():
            logits = network(features, edges)
        val_loss = float(nn.functional.cross_entropy(logits[val], labels[val]))
        if best.improves(_accuracy(logits, labels, val), val_loss, epoch):
            of_test = _accuracy(logits, labels, test)
    return TrialOutcome(best.val, best.val_loss, of_test, best.epoch, params["epochs"])


def _accuracy(logits: Tensor, labels: Tensor, rows: Tensor) -> float:
    return float((logits[rows].argmax(dim=1) == labels[rows]).double().mean())


def _family(
    name: str,
    build: Callable[[int, int, Params], nn.Module],
    edges_of: Callable[..., Tensor] = sparse_rows,
) -> Family:
    def trial(data: NodeData, split: Split, params: Params, seed: int) -> TrialOutcome:
        torch.manual_seed(seed)
        network = build(data.graph.features.shape[1], data.num_classes, params)
        edges = edges_of(data.graph.indptr, data.graph.indices, data.device)
        return fit_nodes(network, edges, data, split, params)

    return Family(name, GRID, trial, "node", _PYG)


NODE_FAMILIES = [
    _family("GCN", _gcn),
    _family("GAT", _gat, edge_list),
    _family("GIN", _gin),
    _family("GraphSAGE", _sage),
]
