"""Frequent patterns of a 1000-node graph: which of the four planted motifs are found, how often?

The paper's section "Frequent Subgraph Pattern Mining": its settings beside our defaults, the start
of each before any training, and both readings of a frequency beside what is true. A line of the
results is one miner on one graph.
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
from mining import FilterLearning, PatternMiner, compare_with_truth, train_filters
from paper.row_experiment import Record, RowExperiment, Settings
from synthetic import MOTIFS, PlantingSettings, planted_motif_graph

SMOKE_GRAPH = {"num_base_nodes": 60, "copies": 5, "motifs": ["wheel", "crown"]}
SMOKE_EPOCHS = 5


def shrink(settings: Settings) -> None:
    settings["seeds"] = 1
    settings["graph"].update(SMOKE_GRAPH, features=["per_node"], num_base_edges_per_node=[1])
    for miner in settings["miners"].values():
        miner["num_epochs"] = min(SMOKE_EPOCHS, miner.get("num_epochs", SMOKE_EPOCHS))


def all_rows(settings: Settings) -> Iterator[dict[str, Any]]:
    """What decides each line of the results."""
    graph = dict(settings["graph"])
    kinds = itertools.product(graph.pop("num_base_edges_per_node"), graph.pop("features"))
    for edges, features in kinds:
        for name, miner in settings["miners"].items():
            for seed in range(settings["seeds"]):
                kind = {"num_base_edges_per_node": edges, "features": features}
                yield {
                    "miner": name,
                    "seed": seed,
                    "settings": {"graph": {**graph, **kind}, "miner": miner},
                }


def run_row(row: dict[str, Any]) -> dict[str, Any]:
    """Generate one graph, mine it, and compare with the truth."""
    settings, seed = row["settings"], row["seed"]
    planting, graph = _split(settings["graph"], PlantingSettings)
    planted = planted_motif_graph(**graph, settings=PlantingSettings(**planting), seed=seed)
    csr, truth = as_csr(planted.to_dgl()), planted.truth()
    learning, others = _split(settings["miner"], FilterLearning)
    kernel, others = _split(others, GOMKKernel)
    options = {"kernel": GOMKKernel(**kernel)} if kernel else {}
    miner = PatternMiner(
        **others, **options, learning=FilterLearning(**learning), random_state=seed
    )
    start = time.perf_counter()
    miner.fit(csr)
    seconds = time.perf_counter() - start
    # the paper's reading of a frequency: subgraphs that are most similar to a filter
    filters = train_filters(
        csr,
        miner.num_patterns,
        miner.filter_nodes,
        num_epochs=miner.num_epochs,
        learning=miner.learning,
        kernel=miner.kernel,
        random_state=seed,
    )
    assigned = Counter[bytes]()
    for one in filters:
        assigned[one.structure.key] += one.frequency
    motifs = [
        {
            "name": motif.name,
            "patterns": list(motif.pattern_ids),
            "assigned": round(assigned[MOTIFS[motif.name].key]),
            "occurrences": motif.occurrences,
            "copies": motif.copies,
            "copies_found": motif.planted_found,
        }
        for motif in compare_with_truth(miner.patterns_, truth)
    ]
    return {
        **row,
        "recovered": sum(bool(motif["patterns"]) for motif in motifs),
        "motifs": motifs,
        "num_patterns": len(miner.patterns_),
        "loss": [round(miner.loss_curve_[0], 5), round(miner.loss_curve_[-1], 5)],
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
        f"{line['miner']}, {graph['num_base_edges_per_node']}, {graph['features']}, "
        f"seed {line['seed']}: {line['recovered']}/{len(line['motifs'])} motifs, "
        f"{line['seconds']:.1f} s"
    )


def tables(lines: list[Record], settings: Settings) -> list[Table]:
    """A row for each miner on each kind of graph, over the seeds."""
    table = Table(
        "",
        {
            "BA edges": "",
            "features": "",
            "miner": "",
            "all motifs": "",
            "mean motifs": ".1f",
            "assigned / nodes planted": "",
            "copies found": "",
            "loss": "",
            "s": ".1f",
        },
    )
    for (edges, features, miner), own in _groups(lines).items():
        every = [motif for line in own for motif in line["motifs"]]
        shares = [_share_assigned(motif) for motif in every if motif["assigned"]]
        losses = np.mean([line["loss"] for line in own], axis=0)
        table.add(
            str(edges),
            features,
            miner,
            f"{sum(line['recovered'] == len(line['motifs']) for line in own)}/{len(own)}",
            float(np.mean([line["recovered"] for line in own])),
            f"{np.median(shares):.2f} ({min(shares):.2f}–{max(shares):.2f})" if shares else None,
            f"{sum(m['copies_found'] for m in every)}/{sum(m['copies'] for m in every)}",
            f"{losses[0]:.3f} → {losses[1]:.3f}",
            float(np.median([line["seconds"] for line in own])),
        )
    return [table]


def _share_assigned(motif: dict[str, Any]) -> float:
    return float(motif["assigned"] / (MOTIFS[motif["name"]].num_nodes * motif["copies"]))


def _groups(lines: list[dict[str, Any]]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in lines:
        graph = line["settings"]["graph"]
        key = (graph["num_base_edges_per_node"], graph["features"], line["miner"])
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
