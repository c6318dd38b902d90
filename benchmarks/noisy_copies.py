"""Are patterns found of which few copies are intact? The start, the training and the consensus.

Twenty copies of each of four motifs stand in a tree; every motif edge is deleted with one
probability and every missing one added with another. A motif is recovered if a filter of six nodes
is isomorphic to it, however few copies of it there are (`min_occurrences` 1), for all three ways.
The rules of the consensus were chosen on seeds from 3000 on, and are measured here on 0 to 19.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from planted_graphs import MOTIFS_OF_SIZE, make_planted
from record import Bench

from gomkcn_dgl import CSRGraph
from gomkcn_dgl.relations import SIMPLE
from gomkcn_dgl.runtime.steps import Steps
from mining import PatternMiner
from mining.learning.consensus import add_consensus
from mining.learning.discrete_filters import DiscreteFilters
from mining.learning.filter_learning import FilterLearning, learn_filters
from mining.miner import prepare
from synthetic import get_motif

# edges deleted, edges added
DAMAGE = ((0.0, 0.0), (0.1, 0.03), (0.15, 0.05), (0.2, 0.1))
# None: constant features; else one vector a motif and this much noise
NOISE = (None, 0.0, 0.05, 0.1, 0.2)
WAYS = ("start", "trained", "consensus")


@dataclass(frozen=True)
class Cell:
    """Graphs of one kind, and how many motifs each way recovers in the graph of each seed."""

    deleted: float
    added: float
    noise: float | None
    recovered: dict[str, list[int]] = field(default_factory=lambda: {way: [] for way in WAYS})
    # filters in all, and those of them that are a consensus
    filters: list[int] = field(default_factory=list)
    noisy: list[int] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=lambda: {way: [] for way in WAYS})

    @property
    def features(self) -> str:
        """What the nodes carry."""
        return "constant" if self.noise is None else f"per type, noise {self.noise:g}"


def learn(graph: CSRGraph) -> Iterator[tuple[str, DiscreteFilters, float]]:
    """Each way, its filters, and its seconds of processor time."""
    learning = FilterLearning()
    for way, epochs in (("start", 0), ("trained", 60)):
        start = time.process_time()
        read, source = prepare(PatternMiner(16, 6), graph)
        subgraphs = source.training_subgraphs(read)
        options = {"num_epochs": epochs, "seed": 0, "steps": Steps()}
        filters, _ = learn_filters(subgraphs, 16, learning, **options)
        yield way, filters, time.process_time() - start
    # beside the trained filters
    both = add_consensus(filters, source, read, 16, learning.sample_size, 1, seed=0)
    yield "consensus", both, time.process_time() - start


def learn_cell(cell: Cell, seeds: int, copies: int) -> None:
    """Learn filters of the graphs of all seeds in all ways."""
    features: dict[str, Any] = {"features": "constant"}
    if cell.noise is not None:
        features = {"features": "per_type_noise", "noise": cell.noise}
    motifs = [get_motif(name) for name in MOTIFS_OF_SIZE[6]]
    keys = {motif.key for motif in motifs}
    for seed in range(seeds):
        graph, _ = make_planted(
            motifs, 1, seed, copies=copies, num_base=26 * copies,
            remove_prob=cell.deleted, add_prob=cell.added, **features,
        )  # fmt: skip
        for way, filters, seconds in learn(graph):
            cell.seconds[way].append(seconds)
            found = filters.structure_keys(SIMPLE)
            cell.recovered[way].append(len(keys.intersection(found)))
        # of the last way, the consensus
        cell.filters.append(len(filters.num_nodes))
        cell.noisy.append(sum(filters.noisy))


def with_error(values: list[int]) -> str:
    """Mean and its standard error over the seeds."""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{np.mean(values):.2f} ± {error:.2f}"


def main(bench: Bench) -> None:
    """Say how many of four motifs are recovered from damaged copies."""
    table = bench.table(
        "Motifs among the filters, of 4, mean ± its standard error over the graphs; 16 filters",
        {
            "edges deleted, added": "",
            "features": "",
            **dict.fromkeys(WAYS, ""),
            "filters (consensus)": "",
            "s, trained → consensus": "",
        },
    )
    cells = [Cell(deleted, added, noise) for deleted, added in DAMAGE for noise in NOISE]
    seeds, copies = (1, 6) if bench.quick else (bench.repeats, 20)
    if bench.quick:
        cells = [cells[0], cells[-2]]
    for cell in cells:
        learn_cell(cell, seeds, copies)
        table.add(
            f"{100 * cell.deleted:g} %, {100 * cell.added:g} %",
            cell.features,
            *(with_error(cell.recovered[way]) for way in WAYS),
            f"{np.mean(cell.filters):.1f} ({np.mean(cell.noisy):.1f})",
            f"{np.median(cell.seconds['trained']):.2f} → "
            f"{np.median(cell.seconds['consensus']):.2f}",
        )
