"""Frequent patterns of a 1000-node graph: which of the four planted motifs do filters find?

The paper's section "Frequent Subgraph Pattern Mining": its settings beside our defaults, the start
of each before any training, and the subgraphs that belong to the filters of a motif beside the
nodes that lie in its copies. A line of the results is one training on one graph.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
from record import ResultTable

from gomkcn.mining import FilterLearning, FilterMiner
from gomkcn.synthetic import MOTIFS, PlantingSettings, planted_motif_graph
from gomkcn_dgl import GOMKKernel
from paper.row_experiment import Record, RowExperiment, Settings

SMOKE_GRAPH = {"num_base_nodes": 60, "copies": 5, "motifs": ["wheel", "crown"]}
SMOKE_EPOCHS = 5


def shrink(settings: Settings) -> None:
    settings["seeds"] = 1
    settings["graph"].update(SMOKE_GRAPH, features=["per_node"], num_base_edges_per_node=[1])
    for own in settings["filters"].values():
        own["num_epochs"] = min(SMOKE_EPOCHS, own.get("num_epochs", SMOKE_EPOCHS))
        own.pop("seeds", None)


def all_rows(settings: Settings) -> Iterator[dict[str, Any]]:
    """What decides each line of the results."""
    graph = dict(settings["graph"])
    kinds = itertools.product(graph.pop("num_base_edges_per_node"), graph.pop("features"))
    for edges, features in kinds:
        for name, given in settings["filters"].items():
            own = dict(given)
            for seed in range(own.pop("seeds", settings["seeds"])):
                kind = {"num_base_edges_per_node": edges, "features": features}
                yield {
                    "filters": name,
                    "seed": seed,
                    "settings": {"graph": {**graph, **kind}, "filters": own},
                }


def fit(settings: Settings, seed: int) -> FilterMiner:
    """Generate one graph, and mine its filters."""
    own = dict(settings["graph"])
    planting = {key: own.pop(key) for key in own.keys() & _names(PlantingSettings)}
    planted = planted_motif_graph(**own, settings=PlantingSettings(**planting), seed=seed)
    learning = learning_of(settings["filters"])
    # the paper compares with no random graphs
    contrast = False if settings["filters"].get("paper", False) else "auto"
    miner = FilterMiner(contrast=contrast, learning=learning, device="cpu", random_state=seed)
    return miner.fit(planted.to_csr())


def learning_of(settings: Settings) -> FilterLearning:
    """How filters are learnt: as the paper prints or by default, but for what is set."""
    own = dict(settings)
    learning = FilterLearning.paper() if own.pop("paper", False) else FilterLearning()
    kernel = {key: own.pop(key) for key in own.keys() & _names(GOMKKernel)}
    return replace(learning, **own, kernel=replace(learning.kernel, **kernel))


def _names(settings: type) -> set[str]:
    return {entry.name for entry in fields(settings)}


def run_row(row: dict[str, Any]) -> dict[str, Any]:
    """Mine the filters of one graph, and compare them with what was planted."""
    start = time.perf_counter()
    miner = fit(row["settings"], row["seed"])
    seconds = time.perf_counter() - start
    assigned, exact = Counter[bytes](), Counter[bytes]()
    for one in miner.filters_:
        assigned[one.structure.key] += one.nearest_nodes.value
        exact[one.structure.key] += one.exact.value
    keys = {name: MOTIFS[name].key for name in row["settings"]["graph"]["motifs"]}
    return {
        **row,
        "recovered": sum(key in assigned for key in keys.values()),
        "assigned": {name: assigned[key] for name, key in keys.items()},
        "exact": {name: exact[key] for name, key in keys.items()},
        "num_filters": len(miner.filters_),
        "loss": [round(miner.loss_curve_[0], 5), round(miner.loss_curve_[-1], 5)],
        "seconds": round(seconds, 2),
    }


def describe(line: Record) -> str:
    graph = line["settings"]["graph"]
    return (
        f"{line['filters']}, {graph['num_base_edges_per_node']}, {graph['features']}, "
        f"seed {line['seed']}: {line['recovered']}/{len(line['assigned'])} motifs, "
        f"{line['seconds']:.1f} s"
    )


def tables(lines: list[Record], settings: Settings) -> list[ResultTable]:
    """A row for each way to learn on each kind of graph, over the seeds."""
    table = ResultTable(
        "",
        {
            "BA edges": "",
            "features": "",
            "filters": "",
            "all motifs": "",
            "mean motifs": ".1f",
            "assigned / nodes planted": "",
            "exactly / nodes planted": "",
            "loss": "",
            "s": ".1f",
        },
    )
    for (edges, features, name), own in grouped(lines).items():
        losses = np.mean([line["loss"] for line in own], axis=0)
        table.add(
            str(edges),
            features,
            name,
            f"{sum(line['recovered'] == len(line['assigned']) for line in own)}/{len(own)}",
            float(np.mean([line["recovered"] for line in own])),
            _spread(shares_of(own, "assigned")),
            _spread(shares_of(own, "exact")),
            f"{losses[0]:.3f} → {losses[1]:.3f}",
            float(np.median([line["seconds"] for line in own])),
        )
    return [table]


def shares_of(lines: list[Record], counted: str) -> list[float]:
    """Subgraphs of the filters of a motif, over the nodes in its copies; motifs found alone."""
    return [
        count / (MOTIFS[name].num_nodes * line["settings"]["graph"]["copies"])
        for line in lines
        for name, count in line[counted].items()
        if line["assigned"][name]
    ]


def _spread(shares: list[float]) -> str | None:
    """Median and range."""
    return f"{np.median(shares):.2f} ({min(shares):.2f}–{max(shares):.2f})" if shares else None


def grouped(lines: list[Record]) -> dict[tuple[int, str, str], list[Record]]:
    """The lines of each kind of graph, by edges of a new node and features, and way to learn."""
    groups: dict[tuple[int, str, str], list[Record]] = {}
    for line in lines:
        graph = line["settings"]["graph"]
        key = (graph["num_base_edges_per_node"], graph["features"], line["filters"])
        groups.setdefault(key, []).append(line)
    return groups


EXPERIMENT = RowExperiment(
    "frequent",
    all_rows,
    run_row,
    describe,
    tables,
    shrink,
    how="one thread a run",
)
