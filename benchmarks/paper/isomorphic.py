"""Isomorphic graph learning: does a filter that maximises the kernel become its target?

The paper's section "Expressive Power". A line of the results is one kernel, with features
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from record import ResultTable

from paper.isomorphic_learning import (
    Learnt,
    Targets,
    draw_targets,
    feature_errors,
    find_ambiguous,
    learn,
    pair_score,
    threshold,
)
from paper.row_experiment import Record, RowExperiment, Settings

SMOKE: dict[str, dict[str, Any]] = {
    "targets": {"num_targets": 4, "num_nodes": 4},
    "training": {"num_restarts": 2, "num_epochs": 100},
    "sweep": {"probabilities": [0.3, 0.6]},
}
# the paper's t, for every kernel: a target is ambiguous by its walks of up to so many steps
NUM_LEVELS = 3
# a learnt feature is right when it is this near
NEAR = 0.1
# what the goals speak of, and the shares of the targets that they ask for
GOAL_KERNEL = "GOMK"
GOAL_UNIFORM, GOAL_CONSTANT = 0.99, 0.98


def shrink(settings: Settings) -> None:
    for name, changes in SMOKE.items():
        settings[name].update(changes)


def all_rows(settings: Settings) -> Iterator[dict[str, Any]]:
    """What decides each line of the results."""
    for name, kernel in settings["kernels"].items():
        for features in settings["sweep"]["features"]:
            for probability in settings["sweep"]["probabilities"]:
                yield {
                    "kernel": name,
                    "features": features,
                    "probability": probability,
                    "settings": {
                        "seed": settings["seed"],
                        "kernel": kernel,
                        "targets": settings["targets"],
                        "training": settings["training"],
                    },
                }


def targets_and_start(
    settings: Settings, features: str, probability: float
) -> tuple[Targets, torch.Generator]:
    """Draw the targets of one edge probability, and the generator that the filters start from."""
    # in thousandths: a probability's targets do not depend on which others are asked for
    rng = np.random.default_rng([settings["seed"], round(1000 * probability)])
    constant = features == "constant"
    targets = draw_targets(
        **settings["targets"], probability=probability, constant=constant, rng=rng
    )
    return targets, torch.Generator().manual_seed(int(rng.integers(2**62)))


def run_row(row: dict[str, Any]) -> dict[str, Any]:
    """Learn all targets of one edge probability and count what became of them."""
    start = time.perf_counter()
    settings, constant = row["settings"], row["features"] == "constant"
    targets, generator = targets_and_start(settings, row["features"], row["probability"])
    score = pair_score(**settings["kernel"])
    filters = learn(score, targets, **settings["training"], generator=generator)
    learnt = threshold(score, targets, filters, constant)
    seconds = time.perf_counter() - start
    ambiguous = find_ambiguous(targets, NUM_LEVELS)
    return {**row, **describe_outcome(targets, learnt, ambiguous), "seconds": round(seconds, 1)}


def describe_outcome(targets: Targets, learnt: Learnt, ambiguous: np.ndarray) -> dict[str, Any]:
    """Count the targets that were learnt; the errors are those of the isomorphic filters."""
    best = learnt.best()
    errors = feature_errors(targets, learnt, best)
    single = feature_errors(targets, learnt, [0] * len(best))
    isomorphic = np.array([error is not None for error in errors])
    means = np.array([error.mean() for error in errors if error is not None])
    worst = np.array([error.max() for error in errors if error is not None])
    return {
        "targets": len(best),
        "isomorphic": int(isomorphic.sum()),
        "isomorphic_first_start": sum(error is not None for error in single),
        "mean_error_near": int((means < NEAR).sum()),
        "every_feature_near": int((worst < NEAR).sum()),
        "feature_error": _rounded(means.mean()) if len(means) else None,
        "feature_error_worst_target": _rounded(means.max()) if len(means) else None,
        "ambiguous": int(ambiguous.sum()),
        "isomorphic_not_ambiguous": int((isomorphic & ~ambiguous).sum()),
        "missed": np.flatnonzero(~isomorphic).tolist(),
        "edges_target": _rounded(_edge_share(targets.adj)),
        "edges_learnt": _rounded(_edge_share(learnt.adj[torch.arange(len(best)), best])),
    }


def _edge_share(adj: torch.Tensor) -> float:
    """Share of the pairs of nodes that are joined."""
    size = adj.shape[-1]
    return float(adj.sum() / (len(adj) * size * (size - 1)))


def _rounded(values: Any) -> Any:
    return np.round(np.asarray(values, dtype=float), 4).tolist()


def describe(line: Record) -> str:
    return (
        f"{line['kernel']}, {line['features']} features, p = {line['probability']:g}: "
        f"{line['isomorphic']}/{line['targets']} isomorphic, {line['seconds']:.1f} s"
    )


def missed_goals(lines: list[Record], settings: Settings) -> list[str]:
    """Rows of GOMK with fewer targets learnt than the goal asks for."""
    missed = []
    for line in lines:
        if line["kernel"] != GOAL_KERNEL:
            continue
        if line["features"] == "uniform":
            good = line["mean_error_near"] >= GOAL_UNIFORM * line["targets"]
        else:
            unambiguous = line["targets"] - line["ambiguous"]
            good = line["isomorphic_not_ambiguous"] >= GOAL_CONSTANT * unambiguous
        if not good:
            missed.append(describe(line))
    return missed


def tables(lines: list[Record], settings: Settings) -> list[ResultTable]:
    table = ResultTable(
        "",
        {
            "kernel": "",
            "features": "",
            "p": "g",
            "isomorphic": "",
            "from the first start": "",
            "and mean feature error < .1": "",
            "mean feature error": ".4f",
            "worst target": ".4f",
            "ambiguous": "",
            "isomorphic, not ambiguous": "",
            "edges: target → learnt": "",
            "s": ".1f",
        },
    )
    for line in lines:
        count = line["targets"]
        table.add(
            line["kernel"],
            line["features"],
            line["probability"],
            f"{line['isomorphic']}/{count}",
            f"{line['isomorphic_first_start']}/{count}",
            f"{line['mean_error_near']}/{count}",
            line["feature_error"],
            line["feature_error_worst_target"],
            str(line["ambiguous"]),
            f"{line['isomorphic_not_ambiguous']}/{count - line['ambiguous']}",
            f"{line['edges_target']:.2f} → {line['edges_learnt']:.2f}",
            line["seconds"],
        )
    return [table]


EXPERIMENT = RowExperiment("isomorphic", all_rows, run_row, describe, tables, shrink, missed_goals)
