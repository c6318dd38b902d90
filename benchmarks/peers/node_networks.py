"""Peers of node classification: GCN, GAT, GIN and GraphSAGE of PyG, two layers each.

"GCN residual" has residual connections and a norm, which bring a GCN to where newer models are (Luo
et al., "Classic GNNs are strong baselines", NeurIPS 2024). "Dir-SAGE residual" has the same and
weights of its own for each direction (Rossi et al., "Edge directionality improves learning on
heterophilic graphs", LoG 2023). "MLP" sees no edge.

Features are brought to the hidden width first. In GCN and GAT that is their own first product, done
on sparse features; GIN and GraphSAGE sum over neighbours before theirs and get one more linear
layer, since on thousands of columns the sum would take minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from paper.data import DIRECTED_DATA, NodeData, Split
from paper.protocol import Family, Params, TrialOutcome
from torch import Tensor, nn

from peers.networks import PYG, edge_list, fit_network, outgoing_rows, sparse_rows

_HEADS = 8
GRID = {
    "hidden": [32, 64, 128],
    "dropout": [0.0, 0.25, 0.5, 0.75],
    "lr": [0.01, 0.05],
    "weight_decay": [0.0, 5e-5, 5e-4, 5e-3],
    "epochs": [200],
}


RESIDUAL_GRID = {
    "hidden": [64, 128],
    "num_layers": [2, 4],
    "norm": ["batch", "layer"],
    "dropout": [0.5, 0.7],
    "lr": [0.01, 0.005],
    "weight_decay": [5e-4, 5e-3],
    "epochs": [200],
}


class SparseFeatures(NamedTuple):
    """A matrix of features ``[V, D]`` as compressed sparse rows, such as bags of words."""

    indptr: Tensor  # int64 [V + 1]
    indices: Tensor  # int64 [K], the columns of each row
    values: Tensor  # float32 [K]

    @classmethod
    def of(cls, features: np.ndarray) -> SparseFeatures:
        rows, columns = np.nonzero(features)
        indptr = np.searchsorted(rows, np.arange(len(features) + 1))
        parts = (indptr, columns, features[rows, columns])
        return cls(*(torch.from_numpy(part) for part in parts))


class SparseLinear(nn.Module):
    """``dropout(x) W``, without a bias, for sparse ``x``; starts as Glorot's uniform layer.

    The result is that of a dense layer; on Cora's 1433 columns an epoch takes a tenth of the time.
    """

    def __init__(self, in_feats: int, out_feats: int, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.weight = nn.Parameter(torch.empty(in_feats, out_feats))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, features: SparseFeatures) -> Tensor:
        return nn.functional.embedding_bag(
            features.indices,
            self.weight,
            features.indptr,
            mode="sum",
            per_sample_weights=self.dropout(features.values),
            include_last_offset=True,
        )


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
        self.product = SparseLinear(width, params["hidden"], params["dropout"])
        self.first, self.second, self.activation = first, second, activation
        self.dropout = nn.Dropout(params["dropout"])

    def forward(self, features: SparseFeatures, edges: Tensor) -> Tensor:
        hidden = self.activation(self.first(self.product(features), edges))
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


class _DirectedLayer(nn.Module):
    """A node itself, and the means of the nodes that it leads to and that lead to it."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        from torch_geometric.nn import SAGEConv

        self.own = nn.Linear(hidden, hidden)
        self.sides = nn.ModuleList(
            SAGEConv(hidden, hidden, root_weight=False, bias=False) for _ in range(2)
        )
        self._incoming: Tensor | None = None

    def forward(self, features: Tensor, outgoing: Tensor) -> Tensor:
        if self._incoming is None:
            self._incoming = outgoing.to_sparse_coo().t().coalesce().to_sparse_csr()
        sides = zip(self.sides, (outgoing, self._incoming), strict=True)
        return self.own(features) + sum(layer(features, edges) for layer, edges in sides) / 2


def _gcn_layer(hidden: int) -> nn.Module:
    from torch_geometric.nn import GCNConv

    return GCNConv(hidden, hidden, cached=True)


class _ResidualNetwork(nn.Module):
    """Product with sparse features, then layers ``h + dropout(relu(norm(layer(h))))``."""

    def __init__(
        self, layer: Callable[[int], nn.Module], width: int, classes: int, params: Params
    ) -> None:
        super().__init__()
        hidden, number = params["hidden"], params["num_layers"]
        norm = nn.BatchNorm1d if params["norm"] == "batch" else nn.LayerNorm
        self.product = SparseLinear(width, hidden, params["dropout"])
        self.layers = nn.ModuleList(layer(hidden) for _ in range(number))
        self.norms = nn.ModuleList(norm(hidden) for _ in range(number))
        self.dropout = nn.Dropout(params["dropout"])
        self.head = nn.Linear(hidden, classes)

    def forward(self, features: SparseFeatures, edges: Tensor) -> Tensor:
        hidden = self.product(features)
        for layer, norm in zip(self.layers, self.norms, strict=True):
            hidden = hidden + self.dropout(torch.relu(norm(layer(hidden, edges))))
        return self.head(hidden)


class _StructureFreeNetwork(nn.Module):
    """Two layers on each node alone."""

    def __init__(self, width: int, classes: int, params: Params) -> None:
        super().__init__()
        self.product = SparseLinear(width, params["hidden"], params["dropout"])
        self.head = nn.Sequential(
            nn.ReLU(), nn.Dropout(params["dropout"]), nn.Linear(params["hidden"], classes)
        )

    def forward(self, features: SparseFeatures, edges: Tensor) -> Tensor:
        return self.head(self.product(features))


def _family(
    name: str,
    build: Callable[[int, int, Params], nn.Module],
    edges_of: Callable[..., Tensor] = sparse_rows,
    grid: Mapping[str, Sequence[Any]] = GRID,
    data_sets: Sequence[str] = (),
) -> Family:
    def trial(data: NodeData, split: Split, params: Params, seed: int) -> TrialOutcome:
        """Train on all training nodes at once."""
        torch.manual_seed(seed)
        network = build(data.graph.features.shape[1], data.num_classes, params)
        graph = data.directed if edges_of is outgoing_rows else data.graph
        channels = None if graph.links is None else graph.relations.links[graph.links]
        edges = edges_of(graph.indptr, graph.indices, channels)
        features = SparseFeatures.of(graph.features)
        return fit_network(
            network,
            lambda rows: network(features, edges)[rows],
            lambda: [split.train],
            data, split, params, patience=params["epochs"],
        )  # fmt: skip

    return Family(name, grid, trial, [PYG], data_sets=data_sets)


NODE_FAMILIES = [
    _family("GCN", _gcn),
    _family("GAT", _gat, edge_list),
    _family("GIN", _gin),
    _family("GraphSAGE", _sage),
    _family("GCN residual", partial(_ResidualNetwork, _gcn_layer), grid=RESIDUAL_GRID),
    _family(
        "Dir-SAGE residual",
        partial(_ResidualNetwork, _DirectedLayer),
        outgoing_rows,
        RESIDUAL_GRID,
        DIRECTED_DATA,
    ),
    _family("MLP", _StructureFreeNetwork),
]
