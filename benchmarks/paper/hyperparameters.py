"""Accuracy over the size of the subgraphs, and over depth and levels; with the degrees beside it.

The paper's section "Hyperparameter Analysis". A line of the results is one point on one split; the
table and the figure are made from the lines. Nothing is chosen here: test accuracies are those of
the best epoch by validation.
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from record import DATA, Table

from paper.data import NodeData, load_node_data
from paper.hyperparameters_figure import draw_sweeps
from paper.models import node_trial
from paper.row_experiment import Record, RowExperiment, Settings
from paper.tiny_data import tiny_node_data

SWEEPS = ("sizes", "depths")
TINY = "tiny"


def shrink(settings: Settings) -> None:
    settings.update(data_sets=[TINY], splits=1)
    settings["base"]["epochs"] = 2
    settings["sizes"]["max_nodes"] = [1, 4]
    settings["depths"] = {"num_layers": [1, 2], "num_steps": [0, 1]}


@cache
def load(name: str) -> NodeData:
    return tiny_node_data(name) if name == TINY else load_node_data(name, DATA)


def all_rows(settings: Settings) -> Iterator[dict[str, Any]]:
    """What decides each line of the results."""
    for data, sweep in itertools.product(settings["data_sets"], SWEEPS):
        names, values = zip(*settings[sweep].items(), strict=True)
        for point, split in itertools.product(
            itertools.product(*values), range(settings["splits"])
        ):
            params = {**settings["base"], **dict(zip(names, point, strict=True))}
            yield {"data": data, "sweep": sweep, "params": params, "split": split}


def run(row: Record) -> Record:
    """Train with the parameters of a row on its split."""
    data, start = load(row["data"]), time.perf_counter()
    outcome = node_trial(data, data.splits[row["split"]], row["params"], seed=row["split"])
    seconds = round(time.perf_counter() - start, 2)
    return {**row, **dataclasses.asdict(outcome), "seconds": seconds}


def describe(line: Record) -> str:
    return (
        f"{line['data']}, {line['sweep']}: {line['params']}, split {line['split']}: "
        f"validation {100 * line['val']:.1f}"
    )


def tables(lines: list[Record], settings: Settings) -> list[Table]:
    """One table for each sweep."""
    every = []
    for sweep in SWEEPS:
        names = list(settings[sweep])
        table = Table(
            f"Accuracy in percent over {' and '.join(names)}",
            {
                "data": "",
                **dict.fromkeys(names, "d"),
                "validation": ".1f",
                "test": "",
                "splits": "d",
            },
        )
        for (data, *point), group in _grouped(lines, sweep, names).items():
            test = 100 * np.array([line["test"] for line in group])
            spread = f" ± {test.std(ddof=1):.1f}" if len(test) > 1 else ""
            val = 100 * float(np.mean([line["val"] for line in group]))
            table.add(data, *point, val, f"{test.mean():.1f}{spread}", len(test))
        every.append(table)
    return every


def figures(lines: list[Record], settings: Settings) -> dict[str, Figure]:
    grouped = {sweep: _grouped(lines, sweep, list(settings[sweep])) for sweep in SWEEPS}
    degrees = {name: load(name).graph.degrees for name in settings["data_sets"]}
    return {"hyperparameters": draw_sweeps(grouped["sizes"], grouped["depths"], degrees)}


def _grouped(
    lines: list[dict[str, Any]], sweep: str, names: list[str]
) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Lines of each point of a sweep, by data set and the values that it sweeps."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in lines:
        if line["sweep"] == sweep:
            key = (line["data"], *(line["params"][name] for name in names))
            groups.setdefault(key, []).append(line)
    return groups


EXPERIMENT = RowExperiment("hyperparameters", all_rows, run, describe, tables, shrink, figures)
