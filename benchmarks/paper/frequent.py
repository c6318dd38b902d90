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
from dataclasses import fields
from typing import Any

import numpy as np
from record import Table

from gomkcn_dgl import GOMKKernel, as_csr
from mining import FilterLearning, train_filters
from paper.row_experiment import Record, RowExperiment, Settings
from synthetic import MOTIFS, PlantingSettings, planted_motif_graph

SMOKE_GRAPH = {"num_base_nodes": 60, "copies": 5, "motifs": ["wheel", "crown"]}
SMOKE_EPOCHS = 5


def shrink(settings: Settings) -> None:
    settings["seeds"] = 1
    settings["graph"].update(SMOKE_GRAPH, features=["per_node"], num_base_edges_per_node=[1])
    for own in settings["filters"].values():
        own["num_epochs"] = min(SMOKE_EPOCHS, own.get("num_epochs", SMOKE_EPOCHS))


def all_rows(settings: Settings) -> Iterator[dict[str, Any]]:
    """What decides each line of the results."""
    graph = dict(settings["graph"])
    kinds = itertools.product(graph.pop("num_base_edges_per_node"), graph.pop("features"))
    for edges, features in kinds:
        for name, own in settings["filters"].items():
            for seed in range(settings["seeds"]):
                kind = {"num_base_edges_per_node": edges, "features": features}
                yield {
                    "filters": name,
                    "seed": seed,
                    "settings": {"graph": {**graph, **kind}, "filters": own},
                }


def run_row(row: dict[str, Any]) -> dict[str, Any]:
    """Generate one graph, train filters, and compare them with what was planted."""
    settings, seed = row["settings"], row["seed"]
    planting, graph = _split(settings["graph"], PlantingSettings)
    planted = planted_motif_graph(**graph, settings=PlantingSettings(**planting), seed=seed)
    csr = as_csr(planted.to_dgl())
    learning, others = _split(settings["filters"], FilterLearning)
    if others:
        learning["kernel"] = GOMKKernel(**others)
    start = time.perf_counter()
    filters = train_filters(csr, learning=FilterLearning(**learning), random_state=seed)
    seconds = time.perf_counter() - start
    found = Counter[bytes]()
    for one in filters:
        found[one.structure.key] += one.frequency
    assigned = {name: round(found[MOTIFS[name].key]) for name in graph["motifs"]}
    return {
        **row,
        "recovered": sum(MOTIFS[name].key in found for name in assigned),
        "assigned": assigned,
        "num_filters": len(filters),
        "loss": [round(filters.loss_curve[0], 5), round(filters.loss_curve[-1], 5)],
        "seconds": round(seconds, 2),
    }


def _split(settings: Settings, kind: type) -> tuple[Settings, Settings]:
    """The settings that a class has, and the others."""
    names = {entry.name for entry in fields(kind)}
    own = {key: value for key, value in settings.items() if key in names}
    return own, {key: value for key, value in settings.items() if key not in names}


def describe(line: Record) -> str:
    graph = line["settings"]["graph"]
    return (
        f"{line['filters']}, {graph['num_base_edges_per_node']}, {graph['features']}, "
        f"seed {line['seed']}: {line['recovered']}/{len(line['assigned'])} motifs, "
        f"{line['seconds']:.1f} s"
    )


def tables(lines: list[Record], settings: Settings) -> list[Table]:
    """A row for each way to learn on each kind of graph, over the seeds."""
    table = Table(
        "",
        {
            "BA edges": "",
            "features": "",
            "filters": "",
            "all motifs": "",
            "mean motifs": ".1f",
            "assigned / nodes planted": "",
            "loss": "",
            "s": ".1f",
        },
    )
    for (edges, features, name), own in _groups(lines).items():
        shares = [share for line in own for share in _shares_assigned(line) if share]
        losses = np.mean([line["loss"] for line in own], axis=0)
        table.add(
            str(edges),
            features,
            name,
            f"{sum(line['recovered'] == len(line['assigned']) for line in own)}/{len(own)}",
            float(np.mean([line["recovered"] for line in own])),
            f"{np.median(shares):.2f} ({min(shares):.2f}–{max(shares):.2f})" if shares else None,
            f"{losses[0]:.3f} → {losses[1]:.3f}",
            float(np.median([line["seconds"] for line in own])),
        )
    return [table]


def _shares_assigned(line: dict[str, Any]) -> list[float]:
    """Subgraphs that belong to filters of a motif, beside the nodes in its copies, of each."""
    copies = line["settings"]["graph"]["copies"]
    return [one / (MOTIFS[name].num_nodes * copies) for name, one in line["assigned"].items()]


def _groups(lines: list[dict[str, Any]]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
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
