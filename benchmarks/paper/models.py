"""The models of the tables: GOMKCN, KerGNN and RWK+CN through the same layer, and the peers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from peers.graph_classifiers import GRAPH_FAMILIES
from peers.graph_kernels import KERNEL_FAMILIES
from peers.node_networks import NODE_FAMILIES
from peers.random_walks import ImprovedRandomWalkKernel, RandomWalkKernel
from peers.residual_network import NeighbourCollection, ResidualGOMKCN
from peers.wasserstein import WASSERSTEIN
from torch import Tensor, nn

from gomkcn.mining.filters.discrete_filters import discretize
from gomkcn_dgl import (
    GOMKCN,
    GOMKClassifier,
    GOMKKernel,
    GraphCollection,
    SubgraphSettings,
    TrainingSettings,
    evaluate_classifier,
    initialize_from_classes,
    train_classifier,
)
from gomkcn_dgl.layer import GraphKernel
from gomkcn_dgl.relations import SIMPLE
from paper.data import DIRECTED_DATA, GraphData, NodeData, Split
from paper.motif_data import MotifData
from paper.node_machine import NODE_MACHINE
from paper.protocol import PATIENCE, Family, Params, TrialOutcome, timed

Grid = Mapping[str, Sequence[Any]]
Kernel = Callable[[Params], GraphKernel]

_GRAPH_GRID: Grid = {
    "hidden": [32, 64],
    "num_filters": [32],
    "filter_size": [6],
    "num_hops": [1, 2],
    "num_steps": [1, 2],
    "dropout": [0.0, 0.2, 0.4],
    "lr": [0.01],
    "batch_size": [32],
    "aggregation": ["sum"],
    "epochs": [300],
}
_GRAPH_SHAPES: list[Params] = [{"pooling": "mean"}, {"pooling": "sum"}]
_NODE_GRID: Grid = {
    "hidden": [64],
    "filter_size": [4],
    "num_hops": [1],
    "num_layers": [1],
    "num_steps": [1],
    "input_dropout": [0.5, 0.75],
    "lr": [0.01],
    "weight_decay": [5e-4, 5e-3],
    # features have a mean square of 1
    "tau": [2.0],
    "anchor_root": [True],
    "epochs": [200],
}
# a few neighbours averaged, beside what the input layer says, or many summed: their number tells
_NODE_SHAPES: list[Params] = [
    {"max_nodes": 8, "aggregation": "sym", "read_input": True},
    {"max_nodes": 64, "aggregation": "sum", "read_input": False},
]
# of what is read at the input layer
_DROPOUT = 0.8
# residual networks: the whole one, and without one branch, or without both, at the same points;
# neighbours are averaged in some shapes and summed in the others, where their number tells
_MEAN: Params = {"aggregate": "mean", "norm": "layer", "dropout": 0.5, "weight_decay": 5e-4}
_SUM: Params = {"aggregate": "sum", "norm": "batch", "dropout": 0.2, "num_blocks": 2}
_RESIDUAL_NODE_SHAPES: list[Params] = [
    {**_MEAN, "num_blocks": 2, "input_dropout": 0.75, "lr": 0.005},
    {**_SUM, "input_dropout": 0.25, "lr": 0.01, "weight_decay": 0.0},
    {**_MEAN, "num_blocks": 3, "input_dropout": 0.5, "lr": 0.01},
    {**_SUM, "input_dropout": 0.5, "lr": 0.005, "weight_decay": 5e-4},
]
_RESIDUAL_NODE_GRID: Grid = {
    "readout": ["last"],
    "hidden": [64],
    "num_filters": [8],
    "filter_size": [4],
    "max_nodes": [8],
    "num_hops": [1],
    "num_steps": [1],
    "aggregation": ["mean"],
    "epochs": [200],
}
# motifs are rings of four nodes, which a subgraph of two hops holds; features are constant, and a
# class is told by the best subgraph
_MOTIF_SHAPES: list[Params] = [{"pooling": "max"}, {"pooling": "mean"}]
_RESIDUAL_MOTIF_SHAPES: list[Params] = [
    {**shape, "aggregate": "mean", "norm": "batch"} for shape in _MOTIF_SHAPES
]
_MOTIF_GRID: Grid = {
    **_GRAPH_GRID,
    "hidden": [None],
    "num_filters": [16],
    "filter_size": [4],
    "num_hops": [2],
    "num_steps": [2],
    "policy": ["dense"],
}
_RESIDUAL_MOTIF_GRID: Grid = {
    "hidden": [64],
    "num_blocks": [2, 3],
    "num_filters": [16],
    "filter_size": [4],
    "num_hops": [2],
    "num_steps": [2],
    "dropout": [0.2, 0.4],
    "lr": [0.01],
    "batch_size": [32],
    "aggregation": ["sum"],
    "epochs": [300],
    "input_norm": ["none"],
    "policy": ["dense"],
}
_DIRECTED = ("GOMK residual directed", "directed without kernel")
_BRANCHES: dict[str, Params] = {
    "GOMK residual": {},
    "GOMK residual directed": {},
    "directed without kernel": {"num_filters": 0},
    "residual without kernel": {"num_filters": 0},
    "residual without edges": {"num_filters": 0, "aggregate": None},
}


def _gomk(params: Params) -> GraphKernel:
    return GOMKKernel(
        params["num_steps"],
        params.get("tau", 1.0),
        aggregation=params["aggregation"],
        anchor_root=params.get("anchor_root", False),
        padding="mask",
    )


class NodeNorm(nn.Module):
    """Each node's features to a mean square of 1, in place of batch norm."""

    def forward(self, hidden: Tensor) -> Tensor:
        return nn.functional.normalize(hidden, dim=1) * hidden.shape[1] ** 0.5


def graph_trial(
    data: GraphData, split: Split, params: Params, seed: int, kernel: Kernel = _gomk
) -> TrialOutcome:
    """Train a classifier of graphs."""
    graph = replace(data.graph, features=data.split_features(split))
    made, policy = kernel(params), params.get("policy", "bfs")
    # the other kernels take all edges as alike
    relations = graph.relations if isinstance(made, GOMKKernel) else SIMPLE
    collection = GraphCollection(
        graph.with_relations(relations),
        SubgraphSettings(params["num_hops"], params["filter_size"], policy),
    )
    torch.manual_seed(seed)
    model = GOMKCN(
        graph.features.shape[1],
        data.num_classes,
        hidden_feats=params["hidden"],
        num_filters=params["num_filters"],
        filter_size=params["filter_size"],
        num_hops=params["num_hops"],
        kernel=made,
        pooling=params["pooling"],
        dropout=params["dropout"],
        bounded_feats=False,
        policy=policy,
        relations=relations,
    )
    settings = TrainingSettings(
        params["epochs"], PATIENCE, params["lr"], batch_size=params["batch_size"], seed=seed
    )
    return _fit(model, collection, data, split, settings)


def node_trial(
    data: NodeData, split: Split, params: Params, seed: int, kernel: Kernel = _gomk
) -> TrialOutcome:
    """Train a classifier of nodes whose last filters are the classes."""
    collection = GraphCollection(
        data.graph, SubgraphSettings(params["num_hops"], params["max_nodes"])
    )
    torch.manual_seed(seed)
    model = GOMKCN(
        data.graph.features.shape[1],
        data.num_classes,
        hidden_feats=params["hidden"],
        filter_size=params["filter_size"],
        max_nodes=params["max_nodes"],
        num_hops=params["num_hops"],
        num_layers=params["num_layers"],
        kernel=kernel(params),
        num_filters=data.num_classes,
        read_input=params["read_input"],
        bounded_feats=False,
        dropout=_DROPOUT,
        input_dropout=params["input_dropout"],
    )
    model.input.norm = NodeNorm()
    # the filters are the classes
    model.heads[-1] = torch.nn.Identity()
    settings = TrainingSettings(
        params["epochs"],
        patience=None,
        learning_rate=params["lr"],
        weight_decay=params["weight_decay"],
        seed=seed,
    )
    return _fit(model, collection, data, split, settings)


def residual_trial(
    data: NodeData,
    split: Split,
    params: Params,
    seed: int,
    branches: Params,
    is_directed: bool = False,
) -> TrialOutcome:
    """Train a residual network of graphs or nodes with some of its branches."""
    of_graphs, graph = isinstance(data, GraphData), data.directed if is_directed else data.graph
    assert graph is not None
    if isinstance(data, GraphData):
        graph = replace(graph, features=data.split_features(split))
    size, policy = params.get("max_nodes", params["filter_size"]), params.get("policy", "bfs")
    collection = NeighbourCollection(graph, SubgraphSettings(params["num_hops"], size, policy))
    torch.manual_seed(seed)
    model = ResidualGOMKCN(
        graph.features.shape[1],
        data.num_classes,
        hidden_feats=params["hidden"],
        num_blocks=params["num_blocks"],
        filter_size=params["filter_size"],
        max_nodes=size,
        num_hops=params["num_hops"],
        kernel=_gomk(params),
        norm=params["norm"],
        input_norm=params.get("input_norm", "batch"),
        readout=params.get("readout", "all"),
        pooling=params.get("pooling"),
        input_dropout=params.get("input_dropout", 0.0),
        dropout=params["dropout"],
        policy=policy,
        relations=graph.relations,
        **{"num_filters": params["num_filters"], "aggregate": params["aggregate"], **branches},
    )
    settings = TrainingSettings(
        params["epochs"],
        PATIENCE if of_graphs else None,
        params["lr"],
        params.get("weight_decay", 0.0),
        params.get("batch_size", 128),
        seed,
    )
    return _fit(model, collection, data, split, settings)


def _fit(
    model: GOMKCN | ResidualGOMKCN,
    collection: GraphCollection,
    data: NodeData,
    split: Split,
    settings: TrainingSettings,
) -> TrialOutcome:
    labels = torch.from_numpy(data.labels)
    initialize_from_classes(model, collection, labels, split.train, seed=settings.seed)
    history = train_classifier(model, collection, labels, split.train, split.val, settings)
    of_test, seconds = timed(lambda: evaluate_classifier(model, collection, labels, split.test))
    best, motifs = history.best, None
    if isinstance(data, MotifData) and len(model.convs):
        # classes whose motif is among the filters of any convolution
        found = {
            key
            for conv in model.convs
            for key in discretize(conv.filters).structure_keys(conv.relations)
        }
        motifs = sum(key in found for key in data.motif_keys())
    return TrialOutcome(
        best.accuracy,
        best.loss,
        of_test.accuracy,
        history.best_epoch,
        len(history.validation),
        motifs,
        seconds,
    )


def kernel_machine_trial(
    data: GraphData, split: Split, params: Params, seed: int, **options: Any
) -> TrialOutcome:
    """Fit a kernel machine to training and validation part; it validates inside of them."""
    graph = data.graph
    if data.name.startswith("IMDB"):
        # one-hot degrees: the machine takes degrees as a number
        ones = np.ones((graph.num_nodes, 1), np.float32)
        graph = replace(graph, features=ones, feature_names=("constant",))
    graphs = list(graph)
    known = np.concatenate([split.train, split.val])
    machine = GOMKClassifier(aggregation=(params["aggregation"],), random_state=seed, **options)
    machine.fit([graphs[i] for i in known], data.labels[known])
    predicted, seconds = timed(lambda: machine.predict([graphs[i] for i in split.test]))
    accuracy = float((predicted == data.labels[split.test]).mean())
    return TrialOutcome(machine.best_score_, None, accuracy, 1, 1, predict_seconds=seconds)


# what makes a machine cheap where graphs are large, or many, and the sets that it is tried on
_MATCHED, _ALL = ("ENZYMES", "PROTEINS"), ()
_MACHINES: dict[str, tuple[Params, tuple[str, ...]]] = {
    "GOMK machine": ({}, _ALL),
    "machine of 16 nodes": ({"most_nodes": 16, "num_patterns": None}, _MATCHED),
    "machine of 64 patterns": ({"num_patterns": 64}, _MATCHED),
}
_KERNELS: dict[str, Kernel] = {
    "GOMKCN": _gomk,
    "KerGNN": lambda params: RandomWalkKernel(params["num_steps"]),
    "RWK+CN": lambda params: ImprovedRandomWalkKernel(params["num_steps"]),
}


def families_of(kind: str) -> dict[str, Family]:
    """All models that classify nodes (``"node"``) or graphs (``"graph"``), ours and the peers.

    Of ``"motif"`` are those of graphs, with filters as large as the motifs.
    """
    if kind == "node":
        trial, grid, shapes, peers = node_trial, _NODE_GRID, _NODE_SHAPES, NODE_FAMILIES
    else:
        trial = graph_trial
        grid = _MOTIF_GRID if kind == "motif" else _GRAPH_GRID
        shapes = _MOTIF_SHAPES if kind == "motif" else _GRAPH_SHAPES
        peers = [*GRAPH_FAMILIES, *KERNEL_FAMILIES, WASSERSTEIN]
    ours = [
        Family(name, grid, functools.partial(trial, kernel=kernel), shapes=shapes)
        for name, kernel in _KERNELS.items()
    ]
    if kind != "graph":
        ours += [
            Family(
                name,
                _RESIDUAL_NODE_GRID if kind == "node" else _RESIDUAL_MOTIF_GRID,
                functools.partial(residual_trial, branches=branches, is_directed=name in _DIRECTED),
                shapes=_RESIDUAL_NODE_SHAPES if kind == "node" else _RESIDUAL_MOTIF_SHAPES,
                data_sets=DIRECTED_DATA if name in _DIRECTED else (),
            )
            for name, branches in _BRANCHES.items()
            if kind == "node" or name not in _DIRECTED
        ]
    if kind == "node":
        ours.append(NODE_MACHINE)
    else:
        ours += [
            Family(
                name,
                {"aggregation": ["mean", "sym"]},
                functools.partial(kernel_machine_trial, **options),
                data_sets=data_sets,
            )
            for name, (options, data_sets) in _MACHINES.items()
        ]
    return {family.name: family for family in (*ours, *peers)}
