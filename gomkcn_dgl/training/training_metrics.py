"""What ``metrics.json`` of a training run holds: sizes, accuracies, and what they are beside."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.output_folder import read_json
from gomkcn_dgl.training.labelled_data import PARTS, LabelledData, Split

METRICS = "metrics.json"


class Baseline(NamedTuple):
    """The name of the most frequent class in training, and its share of each part."""

    answer: str
    accuracy: dict[str, float]

    @classmethod
    def of(cls, data: LabelledData, split: Split) -> Baseline:
        """The baseline of a data set."""
        most = int(np.bincount(data.labels[split.train]).argmax())
        parts = zip(PARTS, split, strict=True)
        shares = {name: float((data.labels[part] == most).mean()) for name, part in parts}
        return cls(data.class_names[most], shares)


def summarize(data: LabelledData) -> dict[str, Any]:
    """Sizes of a data set, by which a run recognises it."""
    graph = data.graph
    return {
        "task": data.task,
        "num_graphs": graph.num_graphs,
        "num_nodes": graph.num_nodes,
        "num_edges": graph.num_edges,
        "num_features": graph.features.shape[1],
        "num_classes": data.num_classes,
    }


def format_results(metrics: Mapping[str, Any]) -> str:
    """Lay out the accuracies of a ``metrics.json`` for a terminal, beside those of the baseline."""
    task, baseline = metrics["data"]["task"], metrics["baseline"]
    is_machine = metrics["method"] == "kernel"
    names = {"train": "train", "val": "cross-validation" if is_machine else "validation"}
    names["test"] = "test"
    width = max(map(len, names.values()))
    lines = [f"{'part':<{width}}  {task + 's':>7}  accuracy  baseline"]
    for part, name in names.items():
        shares = (metrics["accuracy"][part], baseline["accuracy"][part])
        accuracy, least = (f"{share:>8.1%}" for share in shares)
        lines.append(f"{name:<{width}}  {metrics['size'][part]:>7}  {accuracy}  {least}")
    lines.append(f"\nbaseline: always the most frequent class, {baseline['answer']}")
    if is_machine:
        how = f"best of {len(metrics['tried'])} settings: {describe_chosen(metrics['chosen'])}"
        missing = "with some kernels not tried"
    else:
        how = f"best epoch {metrics['best_epoch']} of {metrics['epochs']}"
        missing = "before the last epoch"
    lines.append(f"{how}, {metrics['seconds']:.1f} s")
    if metrics["partial"]:
        lines.append(f"partial: the time limit came {missing}; go on with --resume")
    return "\n".join(lines)


def describe_chosen(chosen: Mapping[str, Any]) -> str:
    """The settings of a kernel machine in words.

    >>> describe_chosen({"num_levels": 2, "tau": 0.3, "gamma": None, "cost": 10.0})
    '2 levels, tau 0.3, cost 10'
    """
    patterns = f", {chosen['num_patterns']} patterns" if "num_patterns" in chosen else ""
    tau = f", tau {chosen['tau']:g}" if "tau" in chosen else ""
    gamma = "" if chosen["gamma"] is None else f", gamma {chosen['gamma']:g}"
    number = chosen["num_levels"]
    levels = f"{number} level{'' if number == 1 else 's'}"
    return f"{levels}{patterns}{tau}{gamma}, cost {chosen['cost']:g}"


def read_metrics(folder: str | Path) -> dict[str, Any]:
    """Read ``metrics.json`` of a finished run."""
    folder = Path(folder)
    metrics = read_json(folder / METRICS)
    needed = {"method", "data", "accuracy", "baseline"}
    if not isinstance(metrics, dict) or not needed <= set(metrics):
        raise InputError(f"{str(folder / METRICS)!r} is damaged or older; train again.")
    return metrics
