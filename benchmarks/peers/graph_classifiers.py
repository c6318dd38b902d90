"""Peers of graph classification: GCN, GIN, GraphSAGE, TopKPool and SAGPool of PyG, and an MLP.

R-GCN is for graphs whose edges have directions or types; the others take all edges as alike.

The first three, and GIN with residual connections, read out every layer and add what they read, as
our model does; the pooling networks read mean and largest value after every pooling, as their
authors do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from paper.data import GraphData, Split
from paper.protocol import PATIENCE, Family, Params, TrialOutcome
from scipy.sparse import csr_array
from torch import Tensor, nn

from gomkcn_dgl import CSRGraph
from peers.networks import PYG, edge_list, fit_network, sparse_rows, typed_edge_list

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
# a direction and its opposite, or the bonds of molecules
_MOST_CHANNELS = 4
Convolution = Callable[[int, int], nn.Module]


class GraphBatch(NamedTuple):
    """Graphs side by side as one, without edges between them."""

    features: Tensor  # float32 [V, D]
    edges: Tensor  # as peers.networks gives them
    graph_of: Tensor  # int64 [V], the graph of each node, from 0 in this batch
    num_graphs: int


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


class _ResidualReadoutNetwork(_ReadoutNetwork):
    """The same with what came in added to each layer, after a linear map to the hidden width."""

    def __init__(self, convolution: Convolution, width: int, classes: int, params: Params) -> None:
        super().__init__(convolution, params["hidden"], classes, params)
        self.first = nn.Linear(width, params["hidden"])

    def forward(self, batch: GraphBatch) -> Tensor:
        hidden, logits = self.first(batch.features), 0
        for layer, norm, head in zip(self.layers, self.norms, self.heads, strict=True):
            hidden = hidden + torch.relu(norm(layer(hidden, batch.edges)))
            read = _read_out(self.pooling, hidden, batch.graph_of, batch.num_graphs)
            logits = logits + head(self.dropout(read))
        return logits


class _StructureFreeNetwork(nn.Module):
    """Sees no edge: layers on each node, what is read out, layers on that (Errica et al., 2020)."""

    def __init__(self, layer: None, width: int, classes: int, params: Params) -> None:
        super().__init__()
        hidden, self.pooling = params["hidden"], params["pooling"]
        layers: list[nn.Module] = []
        for before in [width, *[hidden] * (params["num_layers"] - 1)]:
            layers += [nn.Linear(before, hidden), nn.BatchNorm1d(hidden), nn.ReLU()]
        self.nodes = nn.Sequential(*layers)
        self.head = nn.Sequential(
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Dropout(params["dropout"]),
            nn.Linear(hidden, classes),
        )

    def forward(self, batch: GraphBatch) -> Tensor:
        nodes = self.nodes(batch.features)
        return self.head(_read_out(self.pooling, nodes, batch.graph_of, batch.num_graphs))


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


class _RelationalConv(nn.Module):
    """A layer of R-GCN (Schlichtkrull et al., 2018): weights for each channel of edges."""

    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        from torch_geometric.nn import RGCNConv

        self.conv = RGCNConv(width, out, num_relations=_MOST_CHANNELS)

    def forward(self, hidden: Tensor, edges: Tensor) -> Tensor:
        return self.conv(hidden, edges[:2], edges[2])


def _top_k(hidden: int, ratio: float) -> nn.Module:
    from torch_geometric.nn import TopKPooling

    return TopKPooling(hidden, ratio=ratio)


def _sag(hidden: int, ratio: float) -> nn.Module:
    from torch_geometric.nn import GCNConv, SAGPooling

    return SAGPooling(hidden, ratio=ratio, GNN=GCNConv)


def make_batch(
    graph: CSRGraph,
    features: Tensor,
    chosen: np.ndarray,
    edges_of: Callable[..., Tensor],
) -> GraphBatch:
    """The chosen graphs, in their order; ``features`` are those of the whole collection."""
    ends = graph.graph_ptr
    nodes = np.concatenate([np.arange(ends[row], ends[row + 1]) for row in chosen])
    # the number of each entry, from 1
    entries = np.arange(1, 1 + len(graph.indices))
    whole = csr_array((entries, graph.indices, graph.indptr), (len(features),) * 2)
    adjacency = whole[nodes][:, nodes]
    channels = None
    if graph.links is not None:
        channels = graph.relations.links[graph.links[adjacency.data - 1]]
    graph_of = np.repeat(np.arange(len(chosen)), np.diff(ends)[chosen])
    return GraphBatch(
        features[torch.from_numpy(nodes)],
        edges_of(adjacency.indptr, adjacency.indices, channels),
        torch.from_numpy(graph_of),
        len(chosen),
    )


def _family(
    name: str,
    network_class: Any,
    layer: Any,
    grid: Mapping[str, Any],
    edges_of: Any,
) -> Family:
    def trial(data: GraphData, split: Split, params: Params, seed: int) -> TrialOutcome:
        """Train in shuffled batches."""
        torch.manual_seed(seed)
        width = data.graph.features.shape[1]
        network = network_class(layer, width, data.num_classes, params)
        features = torch.from_numpy(data.split_features(split))
        rng = np.random.default_rng(seed)

        def batches() -> list[np.ndarray]:
            order = rng.permutation(split.train)
            return np.array_split(order, -(-len(order) // params["batch_size"]))

        def predict(rows: np.ndarray) -> Tensor:
            return network(make_batch(data.graph, features, rows, edges_of))

        return fit_network(network, predict, batches, data, split, params, PATIENCE)

    return Family(name, grid, trial, [PYG])


GRAPH_FAMILIES = [
    _family("GCN", _ReadoutNetwork, _gcn, GRID, sparse_rows),
    _family("GIN", _ReadoutNetwork, _gin, GRID, sparse_rows),
    _family("GIN residual", _ResidualReadoutNetwork, _gin, GRID, sparse_rows),
    _family("MLP", _StructureFreeNetwork, None, GRID, sparse_rows),
    _family("GraphSAGE", _ReadoutNetwork, _sage, GRID, sparse_rows),
    _family("R-GCN", _ReadoutNetwork, _RelationalConv, GRID, typed_edge_list),
    _family("TopKPool", _PoolingNetwork, _top_k, POOLING_GRID, edge_list),
    _family("SAGPool", _PoolingNetwork, _sag, POOLING_GRID, edge_list),
]
