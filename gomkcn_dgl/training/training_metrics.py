"""What ``metrics.json`` of a training run holds: sizes, accuracies, and what they are beside."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.run_files import read_json
from gomkcn_dgl.training.labelled_data import LabelledData
from gomkcn_dgl.training.splits import PARTS, Split

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
    lines = [f"{'part':<10}  {task + 's':>7}  accuracy  baseline"]
    names = {"train": "train", "val": "validation", "test": "test"}
    for part, name in names.items():
        shares = (metrics["accuracy"][part], baseline["accuracy"][part])
        accuracy, least = (f"{share:>8.1%}" for share in shares)
        lines.append(f"{name:<10}  {metrics['size'][part]:>7}  {accuracy}  {least}")
    lines.append(f"\nbaseline: always the most frequent class, {baseline['answer']}")
    epochs = f"{metrics['best_epoch']} of {metrics['epochs']}"
    lines.append(f"best epoch {epochs}, {metrics['seconds']:.1f} s")
    if metrics["partial"]:
        lines.append("partial: the time limit came before the last epoch; go on with --resume")
    return "\n".join(lines)


def read_metrics(folder: str | Path) -> dict[str, Any]:
    """Read ``metrics.json`` of a finished run."""
    folder = Path(folder)
    metrics = read_json(folder / METRICS)
    if not isinstance(metrics, dict) or not {"data", "accuracy", "baseline"} <= set(metrics):
        raise InputError(f"{str(folder / METRICS)!r} is damaged or older; train again.")
    return metrics
