"""Time of an epoch and of the extraction of subgraphs: the paper's section "Time Complexity".

    python benchmarks/paper/timing.py

An epoch holds the training part of the first fold and a look at its validation part. Its time is
the difference between two trainings of different length, so that what happens once is not in it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

# the commands of benchmarks/ find each other by name; so do those of this folder
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from measure import Timing, time_interleaved
from peers.peer import NOT_INSTALLED
from record import Bench, Table, bench_command, data_option

from gomkcn_dgl import GraphCollection, SubgraphSettings
from paper.data import GraphData, load_graph_data
from paper.models import families_of
from paper.protocol import Family
from paper.tiny_data import tiny_graph_data

RESULTS = Path(__file__).parent / "results"
DATA_SETS = ("ENZYMES", "PROTEINS")
MODELS = ("GOMKCN", "KerGNN", "RWK+CN", "GCN", "GIN", "GraphSAGE", "SAGPool", "TopKPool")
NUM_HOPS, MAX_NODES = 2, 10
# two layers for the peers, one for a kernel: as in the paper
PARAMS = {
    "hidden": 32,
    "num_layers": 2,
    "num_filters": 16,
    "filter_size": MAX_NODES,
    "num_hops": NUM_HOPS,
    "num_steps": 2,
    "pooling": "mean",
    "ratio": 0.5,
    "dropout": 0.0,
    "lr": 0.01,
    "batch_size": 128,
}
FEW, EPOCHS = 1, 5
# printed in the paper for a GPU, seconds to extract; its models on "the same approach"
PRINTED = {"ENZYMES": (2.68, 5.58), "PROTEINS": (7.17, 17.05)}


def train(family: Family, data: GraphData, epochs: int) -> float:
    """Seconds of a training."""
    point = {**family.shapes[0], **{name: values[0] for name, values in family.grid.items()}}
    params = {name: PARAMS.get(name, value) for name, value in point.items()}
    start = time.perf_counter()
    family.trial(data, data.splits[0], {**params, "epochs": epochs}, seed=0)
    return time.perf_counter() - start


def epoch_times(family: Family, data: GraphData, repeats: int) -> Timing:
    """Seconds of an epoch, once a repeat."""
    train(family, data, FEW)
    seconds = []
    for _ in range(repeats):
        few = train(family, data, FEW)
        seconds.append((train(family, data, FEW + EPOCHS) - few) / EPOCHS)
    return Timing(tuple(seconds))


def compare(bench: Bench, table: Table, data: GraphData) -> None:
    families = families_of("graph")
    ours: Any = None
    for name in MODELS:
        family = families[name]
        if not family.is_installed():
            table.add(data.name, name, NOT_INSTALLED, None)
            continue
        timing = epoch_times(family, data, bench.repeats)
        ours = ours or timing
        table.add(data.name, name, timing, timing.median / ours.median)


def extract(bench: Bench, table: Table, data: GraphData) -> None:
    timings = time_interleaved(
        {"ours": lambda: GraphCollection(data.graph, SubgraphSettings(NUM_HOPS, MAX_NODES))},
        bench.repeats,
    )
    printed, baselines = PRINTED.get(data.name, (None, None))
    table.add(data.name, data.graph.num_nodes, timings["ours"], printed, baselines)


@bench_command("timing", 5, "repeats: median (range)", RESULTS)
@data_option
def main(bench: Bench, data: Path) -> None:
    """Time an epoch of every model, and the extraction of subgraphs."""
    names = DATA_SETS[:1] if bench.quick else DATA_SETS
    if not bench.quick and not data.is_dir():
        bench.note("Nothing is measured: the real graphs are not in the folder given by --data.")
        return
    sets = [tiny_graph_data(name) if bench.quick else load_graph_data(name, data) for name in names]
    epochs = bench.table(
        "Seconds an epoch",
        {"data": "", "model": "", "time": "", f"it / {MODELS[0]}": ".2f"},
    )
    for one in sets:
        compare(bench, epochs, one)
    extraction = bench.table(
        f"Extraction, {NUM_HOPS} hops, at most {MAX_NODES} nodes, once before training",
        {
            "data": "",
            "roots": ",",
            "ours": "",
            "GOMKCN as printed, s": "",
            "KerGNN and RWK+CN as printed, s": "",
        },
    )
    for one in sets:
        extract(bench, extraction, one)
    bench.note(
        f"Hidden width 32, batches of 128; graph networks have two layers, kernels one layer of 16 "
        f"filters of {MAX_NODES} nodes, {NUM_HOPS} hops, walks or levels up to 2. Forward, "
        "backward, a step of Adam and batching for each batch, and validation; "
        f"{EPOCHS} epochs a sample."
    )


if __name__ == "__main__":
    main()
