"""What an epoch of each model takes, and the extraction of subgraphs.

The paper's section "Time Complexity". An epoch trains on the training part and evaluates the
validation part, so that a model is timed as it is used. A line of the results is one model on one
data set, or the extraction of all subgraphs of a data set.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Iterator

import numpy as np
from record import Bench, ResultTable

from gomkcn_dgl import SubgraphSettings, extract_subgraphs
from paper.data import GraphData, load_graph_data
from paper.models import families_of
from paper.row_experiment import Record, RowExperiment, Settings
from paper.tiny_data import tiny_graph_data

# what is timed beside the models
EXTRACTION = "extraction"
SMOKE_EPOCHS = 2


def shrink(settings: Settings) -> None:
    settings.update(data=settings["data"][:1], epochs=SMOKE_EPOCHS, repeats=1)


def all_rows(settings: Settings) -> Iterator[Record]:
    """What decides each line of the results."""
    own = {key: settings[key] for key in ("epochs", "repeats", "params")}
    for data in settings["data"]:
        for model in (EXTRACTION, *settings["models"]):
            yield {"data": data, "model": model, "device": "cpu", "settings": own}


def run_row(row: Record, load: Callable[[str], GraphData]) -> Record:
    """Time one model, or the extraction, several times."""
    data, settings = load(row["data"]), row["settings"]
    start = time.perf_counter()
    measure = extraction_seconds if row["model"] == EXTRACTION else epoch_seconds
    measured = [measure(data, row["model"], settings) for _ in range(1 + settings["repeats"])]
    # the first compiles and fills caches
    return {**row, "measured": measured[1:], "seconds": round(time.perf_counter() - start, 1)}


def extraction_seconds(data: GraphData, model: str, settings: Settings) -> float:
    """Processor time of the subgraphs of all nodes of all graphs."""
    params = settings["params"]
    subgraphs = SubgraphSettings(params["num_hops"], params["filter_size"])
    start = time.process_time()
    extract_subgraphs(data.graph, subgraphs)
    return round(time.process_time() - start, 5)


def epoch_seconds(data: GraphData, model: str, settings: Settings) -> float:
    """Processor time of an epoch: what a longer training takes more than one of one epoch."""
    family = families_of("graph")[model]
    took = []
    for epochs in (1, settings["epochs"]):
        start = time.process_time()
        family.trial(data, data.splits[0], {**settings["params"], "epochs": epochs}, seed=0)
        took.append(time.process_time() - start)
    return round((took[1] - took[0]) / (settings["epochs"] - 1), 5)


def describe(line: Record) -> str:
    return f"{line['data']}, {line['model']}: {np.median(line['measured']):.3f} s"


def tables(lines: list[Record], settings: Settings) -> list[ResultTable]:
    """A row for each model; the first is the extraction."""
    columns = dict.fromkeys(settings["data"], "")
    table = ResultTable("Seconds of processor time: median (range)", {"model": "", **columns})
    by_key = {(line["model"], line["data"]): line["measured"] for line in lines}
    for model in (EXTRACTION, *settings["models"]):
        table.add(model, *(_cell(by_key.get((model, data))) for data in settings["data"]))
    return [table]


def _cell(measured: list[float] | None) -> str | None:
    if not measured:
        return None
    return f"{np.median(measured):.3f} ({min(measured):.3f}–{max(measured):.3f})"


def main(bench: Bench) -> None:
    """Run what the results lack; tiny data stand for any set where this is quick."""
    load = (
        tiny_graph_data
        if bench.quick
        else functools.partial(load_graph_data, data_folder=bench.data)
    )
    run = functools.partial(run_row, load=functools.lru_cache(maxsize=1)(load))
    dataclasses.replace(EXPERIMENT, run=run)(bench)


EXPERIMENT = RowExperiment(
    "epoch_time", all_rows, run_row, describe, tables, shrink,
    how="one thread, a training epoch with the evaluation of the validation part",
)  # fmt: skip
