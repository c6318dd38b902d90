"""Interpretability: are the filters of a classifier the motifs, and does a response point at them?

The paper's section "Interpretability Analysis". A line of the results is one run with one seed, of
the data and the model alike; the table is made from the lines.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from record import ResultTable

from gomkcn.synthetic import MotifClassificationDataset, PlantingSettings
from gomkcn_dgl import (
    GOMKCN,
    GOMKKernel,
    GraphCollection,
    SubgraphSettings,
    TrainingSettings,
    as_csr,
    evaluate_classifier,
    initialize_from_classes,
    train_classifier,
)
from gomkcn_dgl._dgl import dgl
from paper.response_maps import are_motifs, filters_of_classes, points_inside, response_auc
from paper.row_experiment import Record, RowExperiment, Settings

SMOKE: dict[str, dict[str, Any]] = {
    "data": {"num_graphs": 160},
    "training": {"head_epochs": 5, "num_epochs": 5, "batch_size": 32},
}
SMOKE_RUNS = ("from classes", "random start")
# the goal: this share of the seeds, each with all test graphs right, all filters motifs, and the
# highest response inside the motif in so many of the test graphs
GOAL_SEEDS, GOAL_INSIDE = 0.9, 0.95


def shrink(settings: Settings) -> None:
    for name, changes in SMOKE.items():
        settings[name].update(changes)
    settings["runs"] = {name: settings["runs"][name] for name in SMOKE_RUNS}
    for run in settings["runs"].values():
        run["seeds"] = 1


def all_rows(settings: Settings) -> Iterator[dict[str, Any]]:
    """What decides each line of the results."""
    for name, run in settings["runs"].items():
        own = {"train_filters": True, **run}
        seeds = own.pop("seeds")
        training = {name: own.pop(name, value) for name, value in settings["training"].items()}
        for seed in range(seeds):
            yield {
                "run": name,
                "seed": seed,
                "settings": {
                    "data": settings["data"],
                    "model": settings["model"],
                    "training": training,
                    "run": own,
                },
            }


@dataclass(frozen=True, eq=False)
class Trained:
    """A classifier of generated graphs, and how its training went."""

    model: GOMKCN
    data: GraphCollection
    dataset: MotifClassificationDataset
    motifs_at_start: int  # motifs that are among the filters before any training
    validated: list[float]  # validation accuracy of each epoch
    start_seconds: float  # subgraphs and the start of the filters
    seconds: float  # all epochs


def fit(settings: Settings, seed: int) -> Trained:
    """Generate the graphs and train a classifier of them."""
    run = settings["run"]
    planting = PlantingSettings(run["features"])
    dataset = MotifClassificationDataset(**settings["data"], settings=planting, seed=seed)
    begin = time.perf_counter()
    data = as_collection(dataset, settings, seed)
    torch.manual_seed(seed)
    model = make_model(settings, data.feat.shape[1], dataset.num_classes, seed)
    if run["init"] == "classes":
        initialize_from_classes(model, data, dataset.labels, dataset.train_idx.numpy(), seed=seed)
    motifs_at_start = are_motifs(model, dataset.planted.motifs).any(axis=0)
    start_seconds = time.perf_counter() - begin
    begin = time.perf_counter()
    validated = train(model, data, dataset, settings, seed)
    seconds = time.perf_counter() - begin
    at_start = int(motifs_at_start.sum())
    return Trained(model, data, dataset, at_start, validated, start_seconds, seconds)


def run_row(row: dict[str, Any]) -> dict[str, Any]:
    """Train a classifier of generated graphs, and compare its filters with the truth."""
    settings = row["settings"]
    trained = fit(settings, row["seed"])
    model, data, dataset = trained.model, trained.data, trained.dataset
    test, batch_size = dataset.test_idx.numpy(), settings["training"]["batch_size"]
    final = evaluate_classifier(model, data, dataset.labels, test, batch_size)
    return {
        **row,
        "validation": trained.validated,
        "first_perfect_epoch": _first_perfect(trained.validated),
        "epochs": len(trained.validated),
        "test": final.accuracy,
        "motifs_at_start": trained.motifs_at_start,
        **describe_filters(model, data, dataset, test),
        "start_seconds": round(trained.start_seconds, 1),
        "epoch_seconds": round(trained.seconds / len(trained.validated), 2),
        "seconds": round(trained.start_seconds + trained.seconds, 1),
    }


def as_collection(
    dataset: MotifClassificationDataset, settings: Settings, seed: int
) -> GraphCollection:
    """The graphs with their subgraphs, the features at the contrast that is asked for."""
    graph = dgl.batch([graph for graph, _ in dataset])
    contrast = settings["run"]["contrast"]
    graph.ndata["feat"] = 0.5 + contrast * (graph.ndata["feat"] - 0.5)
    model = settings["model"]
    return GraphCollection(
        as_csr(graph),
        SubgraphSettings(
            model["num_hops"], model["filter_size"], settings["run"]["policy"], seed=seed
        ),
    )


def make_model(settings: Settings, in_feats: int, num_classes: int, seed: int) -> GOMKCN:
    """As many filters as classes, on the features as they are; they alone reach the logits."""
    model = settings["model"]
    return GOMKCN(
        in_feats,
        num_classes,
        hidden_feats=0,
        num_filters=num_classes,
        filter_size=model["filter_size"],
        num_hops=model["num_hops"],
        kernel=GOMKKernel(model["num_levels"], tau=model["tau"]),
        pooling="max",
        read_input=False,
        policy=settings["run"]["policy"],
        seed=seed,
    )


def train(
    model: GOMKCN,
    data: GraphCollection,
    dataset: MotifClassificationDataset,
    settings: Settings,
    seed: int,
) -> list[float]:
    """Train the head, then the filters with it; the validation accuracy of each epoch.

    A head that is still random pulls filters away from their class within the first epoch.
    """
    options = dict(settings["training"])
    head_epochs = options.pop("head_epochs")
    stages = [(head_epochs, False), (options.pop("num_epochs"), settings["run"]["train_filters"])]
    parts = (dataset.train_idx.numpy(), dataset.val_idx.numpy())
    accuracies = []
    for num_epochs, with_filters in stages:
        model.convs.requires_grad_(with_filters)
        options.setdefault("patience", None)
        stage = TrainingSettings(num_epochs=num_epochs, **options, seed=seed)
        history = train_classifier(model, data, dataset.labels, *parts, stage)
        accuracies += [one.accuracy for one in history.validation]
    return accuracies


def describe_filters(
    model: GOMKCN,
    data: GraphCollection,
    dataset: MotifClassificationDataset,
    test: np.ndarray,
) -> dict[str, Any]:
    """Compare the filters with the motifs, and the responses in the test graphs with the truth."""
    batch = data.batch(test)
    with torch.no_grad():
        scores = model.convs[0](batch.subgraphs, batch.feat).numpy()
    # every motif has six nodes, so that all graphs are of one size
    mask = dataset.planted.node_mask.reshape(len(dataset), -1)[test]
    labels = dataset.labels[test].numpy()
    filter_of = filters_of_classes(model)
    scores = scores.reshape(*mask.shape, -1)  # [G, V, F]
    response = scores[np.arange(len(test)), :, filter_of[labels]]  # [G, V]
    inside, auc = points_inside(response, mask), response_auc(response, mask)
    is_motif = are_motifs(model, dataset.planted.motifs)
    is_own_motif = is_motif[filter_of, np.arange(len(filter_of))]
    classes = range(len(filter_of))
    return {
        "motifs": int(is_own_motif.sum()),
        "motifs_in_any_filter": int(is_motif.any(axis=0).sum()),
        "inside": _rounded(inside.mean()),
        "inside_of_class": [_rounded(inside[labels == label].mean()) for label in classes],
        "auc": _rounded(auc.mean()),
        "auc_of_class": [_rounded(auc[labels == label].mean()) for label in classes],
        "missed": [dataset.motif_names[label] for label in classes if not is_own_motif[label]],
    }


def _first_perfect(accuracies: list[float]) -> int | None:
    """The first epoch, from 1, with every validation graph right."""
    return next((1 + epoch for epoch, value in enumerate(accuracies) if value == 1), None)


def _rounded(values: Any) -> Any:
    return np.round(np.asarray(values, dtype=float), 4).tolist()


def describe(line: Record) -> str:
    return (
        f"{line['run']}, seed {line['seed']}: test accuracy {line['test']:.4f}, "
        f"{line['motifs']} filters are their class's motif, highest response inside "
        f"{line['inside']:.4f}, AUC {line['auc']:.4f}, {line['seconds']:.0f} s"
    )


def meets_goal(line: Mapping[str, Any]) -> bool:
    num_motifs = len(line["settings"]["data"]["motifs"])
    return line["test"] == 1 and line["motifs"] == num_motifs and line["inside"] >= GOAL_INSIDE


def missed_goals(lines: list[dict[str, Any]], settings: Settings) -> list[str]:
    """The seeds of the first run that are not as they should be, if they are too many."""
    name, run = next(iter(settings["runs"].items()))
    own = [line for line in lines if line["run"] == name]
    bad = [describe(line) for line in own if not meets_goal(line)]
    met = len(own) - len(bad)
    if not own or met >= GOAL_SEEDS * run["seeds"]:
        return []
    return [f"{name}: {met} of {run['seeds']} seeds are as they should be", *bad]


def tables(lines: list[Record], settings: Settings) -> list[ResultTable]:
    """A row for each run, over its seeds."""
    table = ResultTable(
        "",
        {
            "run": "",
            "features": "",
            "contrast": "g",
            "seeds that meet the goal": "",
            "test accuracy": "",
            "motifs among the filters: start": "",
            "trained": "",
            "class's filter is its motif": "",
            "highest response inside": "",
            "AUC": "",
            "validation perfect from epoch": "",
            "s an epoch": ".2f",
            "s": ".0f",
        },
    )
    for name in dict.fromkeys(line["run"] for line in lines):
        own = [line for line in lines if line["run"] == name]
        run = own[0]["settings"]["run"]
        table.add(
            name,
            run["features"],
            run["contrast"],
            f"{sum(meets_goal(line) for line in own)}/{len(own)}",
            _spread([line["test"] for line in own]),
            _counts([line["motifs_at_start"] for line in own]),
            _counts([line["motifs_in_any_filter"] for line in own]),
            _counts([line["motifs"] for line in own]),
            _spread([line["inside"] for line in own]),
            _spread([line["auc"] for line in own]),
            _epochs([line["first_perfect_epoch"] for line in own]),
            float(np.median([line["epoch_seconds"] for line in own])),
            float(np.median([line["seconds"] for line in own])),
        )
    return [table]


def _counts(values: list[int]) -> str:
    """Mean and range."""
    return f"{np.mean(values):.1f} ({min(values)}–{max(values)})"


def _epochs(values: list[int | None]) -> str:
    """Range over the seeds that got there, and how many did not."""
    reached = [value for value in values if value is not None]
    parts = [f"{min(reached)}–{max(reached)}"] if reached else []
    if len(reached) < len(values):
        parts.append(f"never in {len(values) - len(reached)}")
    return ", ".join(parts)


def _spread(values: list[float]) -> str:
    """Mean and range."""
    return f"{np.mean(values):.4f} ({min(values):.4f}–{max(values):.4f})"


EXPERIMENT = RowExperiment(
    "interpretability", all_rows, run_row, describe, tables, shrink, missed_goals,
    how="one thread, mean and range over seeds from 0",
)  # fmt: skip
