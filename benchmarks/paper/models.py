"""Our own models of the tables: GOMKCN, and KerGNN and RWK+CN through the same layer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from gomkcn_dgl import (
    GOMKCN,
    GOMKSettings,
    GraphCollection,
    GraphKernel,
    ImprovedRandomWalkSettings,
    RandomWalkSettings,
    TrainingSettings,
    evaluate_classifier,
    start_from_classes,
    train_classifier,
)
from paper.data import GraphData, NodeData, Split
from paper.protocol import Family, Params, TrialOutcome

_PATIENCE = 60
Grid = Mapping[str, Sequence[Any]]
Kernel = Callable[[Params], GraphKernel]

_GRAPH_GRID: Grid = {
    "hidden": [16, 32, 64],
    "num_filters": [16, 32],
    "filter_size": [6, 10],
    "num_hops": [1, 2],
    "num_steps": [1, 2],
    "dropout": [0.0, 0.2, 0.4],
    "lr": [0.01, 0.003],
    "batch_size": [32, 128],
    "pooling": ["sum", "mean"],
    "epochs": [300],
}
_NODE_GRID: Grid = {
    "hidden": [16, 32, 64],
    "filter_size": [4],
    "max_nodes": [8, 16, 32],
    "num_hops": [1],
    "num_layers": [1],
    "num_steps": [1, 2],
    "input_dropout": [0.25, 0.5, 0.75],
    "lr": [0.01, 0.05],
    "weight_decay": [0.0, 5e-5, 5e-4],
    "epochs": [200],
}
_GOMK_GRID: Grid = {"aggregation": ["sum", "sym"]}


def _gomk(params: Params) -> GraphKernel:
    return GOMKSettings(params["num_steps"], aggregation=params["aggregation"], padding="mask")


def _random_walk(params: Params) -> GraphKernel:
    return RandomWalkSettings(params["num_steps"])


def _improved_random_walk(params: Params) -> GraphKernel:
    return ImprovedRandomWalkSettings(params["num_steps"])


def graph_trial(
    data: GraphData, split: Split, params: Params, seed: int, kernel: Kernel = _gomk
) -> TrialOutcome:
    """Train a classifier of graphs."""
    graph = replace(data.graph, features=data.split_features(split))
    collection = _collection(graph, params, data.device)
    torch.manual_seed(seed)
    model = GOMKCN(
        graph.features.shape[1],
        data.num_classes,
        hidden_feats=params["hidden"],
        num_filters=params["num_filters"],
        filter_size=params["filter_size"],
        num_hops=params["num_hops"],
        kernel=kernel(params),
        pooling=params["pooling"],
        dropout=params["dropout"],
        bounded_feats=False,
    )
    settings = TrainingSettings(
        params["epochs"], _PATIENCE, params["lr"], batch_size=params["batch_size"], seed=seed
    )
    return _fit(model, collection, data, split, settings)


def node_trial(
    data: NodeData, split: Split, params: Params, seed: int, kernel: Kernel = _gomk
) -> TrialOutcome:
    """Train a classifier of nodes whose last filters are the classes."""
    collection = _collection(data.graph, params, data.device)
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
        class_filters=True,
        read_input=False,
        bounded_feats=False,
        input_dropout=params["input_dropout"],
    )
    settings = TrainingSettings(
        params["epochs"],
        learning_rate=params["lr"],
        weight_decay=params["weight_decay"],
        seed=seed,
    )
    return _fit(model, collection, data, split, settings)


def _collection(graph: Any, params: Params, device: str) -> GraphCollection:
    size = params.get("max_nodes", params["filter_size"])
    return GraphCollection(graph, params["num_hops"], size, device=device)


def _fit(
    model: GOMKCN,
    collection: GraphCollection,
    data: GraphData | NodeData,
    split: Split,
    settings: TrainingSettings,
) -> TrialOutcome:
    model.to(data.device)
    labels = torch.from_numpy(data.labels).to(data.device)
    start_from_classes(model, collection, labels, split.train, seed=settings.seed)
    history = train_classifier(model, collection, labels, split.train, split.val, settings)
    of_test = evaluate_classifier(model, collection, labels, split.test).accuracy
    best = history.best
    return TrialOutcome(
        best.accuracy, best.loss, of_test, history.best_epoch, len(history.validation)
    )


_KERNELS: list[tuple[str, Kernel, Grid]] = [
    ("GOMKCN", _gomk, _GOMK_GRID),
    ("KerGNN", _random_walk, {}),
    ("RWK+CN", _improved_random_walk, {}),
]

FAMILIES = [
    Family(name, {**grid, **own}, functools.partial(trial, kernel=kernel), kind)
    for kind, grid, trial in (
        ("graph", _GRAPH_GRID, graph_trial),
        ("node", _NODE_GRID, node_trial),
    )
    for name, kernel, own in _KERNELS
]
