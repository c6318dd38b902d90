"""How the size of the subgraphs, depth and levels change the accuracy of GOMKCN on nodes.

The paper's section "Hyperparameter Analysis". A line of the results is one training on one split:
the epoch is chosen on its validation part, the accuracy is that of its test part.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from record import Bench, ResultTable

from paper.data import NodeData, load_node_data
from paper.models import node_trial
from paper.row_experiment import Record, RowExperiment, Settings
from paper.tiny_data import tiny_node_data

SMOKE_EPOCHS = 2


def shrink(settings: Settings) -> None:
    settings["data"] = settings["data"][:1]
    for figure in settings["figures"].values():
        figure.update(splits=1, epochs=SMOKE_EPOCHS)
        for name in changed(figure):
            figure[name] = figure[name][:2]


def changed(figure: Settings) -> list[str]:
    """The parameters that a figure changes: those with a list of values."""
    return [name for name, values in figure.items() if isinstance(values, list)]


def all_rows(settings: Settings) -> Iterator[Record]:
    """What decides each line of the results: a data set and a split after the other."""
    most = max(figure["splits"] for figure in settings["figures"].values())
    for split, data in itertools.product(range(most), settings["data"]):
        for name, figure in settings["figures"].items():
            if split < figure["splits"]:
                for params in points(settings["point"], figure):
                    yield {"figure": name, "data": data, "split": split, "params": params}


def points(point: Settings, figure: Settings) -> list[Settings]:
    """All parameters of each point of a figure; the axes of a grid come before its inside."""
    varied = changed(figure)
    fixed = {key: figure[key] for key in figure.keys() - {"splits", *varied}}
    made = []
    for values in itertools.product(*(figure[key] for key in varied)):
        params = {**point, **fixed, **dict(zip(varied, values, strict=True))}
        if "filter_size" in varied:
            params["max_nodes"] = params["filter_size"]
        made.append(params)
    return sorted(made, key=lambda one: one["num_layers"] > 1 and one["num_steps"] != 1)


def run_row(row: Record, load: Callable[[str], NodeData]) -> Record:
    """Train one classifier."""
    data, split = load(row["data"]), row["split"]
    start = time.process_time()
    outcome = node_trial(data, data.splits[split], row["params"], seed=split)
    return {
        **row,
        "val": round(outcome.val, 5),
        "test": round(outcome.test, 5),
        "best_epoch": outcome.best_epoch,
        # of the processor: the machine may be shared
        "seconds": round(time.process_time() - start, 1),
    }


def describe(line: Record) -> str:
    shown = ", ".join(
        f"{key} {line['params'][key]}" for key in ("max_nodes", "num_layers", "num_steps")
    )
    return (
        f"{line['data']}, split {line['split']}, {shown}: "
        f"validation {line['val']:.3f}, {line['seconds']} s"
    )


def accuracies(
    lines: list[Record], figure: str, data: str, *names: str
) -> dict[tuple[Any, ...], list[float]]:
    """Test accuracies in percent of the splits, for each point of a figure."""
    found: dict[tuple[Any, ...], list[float]] = {}
    for line in lines:
        if (line["figure"], line["data"]) == (figure, data):
            key = tuple(line["params"][name] for name in names)
            found.setdefault(key, []).append(100 * line["test"])
    return found


def tables(lines: list[Record], settings: Settings) -> list[ResultTable]:
    """A table for each figure and data set."""
    made = []
    for data in settings["data"]:
        table = ResultTable(
            f"{data}: nodes of a subgraph",
            {"nodes": "", "accuracy": ".1f", "sd": ".1f", "splits": ""},
        )
        for (size,), own in accuracies(lines, "size", data, "max_nodes").items():
            table.add(
                str(size),
                np.mean(own),
                np.std(own, ddof=1) if len(own) > 1 else None,
                str(len(own)),
            )
        made.append(table)
    for data in settings["data"]:
        found = accuracies(lines, "depth", data, "num_layers", "num_steps")
        levels = sorted({steps for _, steps in found})
        table = ResultTable(
            f"{data}: accuracy by layers L (rows) and levels t",
            {"L": "", **{f"t = {t}": ".1f" for t in levels}},
        )
        for depth in sorted({layers for layers, _ in found}):
            row = (found.get((depth, steps)) for steps in levels)
            table.add(str(depth), *(np.mean(own) if own else None for own in row))
        made.append(table)
    # of a data set that was not run there is none
    return [table for table in made if table.rows]


def main(bench: Bench) -> None:
    """Run what the results lack; tiny data stand for any set where this is quick."""
    load = (
        tiny_node_data if bench.quick else functools.partial(load_node_data, data_folder=bench.data)
    )
    run = functools.partial(run_row, load=functools.lru_cache(maxsize=2)(load))
    dataclasses.replace(EXPERIMENT, run=run)(bench)


EXPERIMENT = RowExperiment(
    "sensitivity", all_rows, run_row, describe, tables, shrink, how="one thread, test accuracy in %"
)
