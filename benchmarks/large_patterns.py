"""Patterns of 8 and 10 nodes, planted: are they found, and how long would an exact count take?

    python benchmarks/large_patterns.py            every row, written to results/large_patterns.*
    python benchmarks/large_patterns.py --quick    one graph, nothing written

Ten copies each of two patterns, one dense and one sparse, are planted into a Barabási–Albert base
of 760 nodes: of 8 nodes the cube and two pentagons on one edge, of 10 nodes the Petersen graph and
two hexagons on one edge. The miner's settings are its defaults, but for what `--size` and `--hops`
set. Beside it stands the exact count of a pattern that is known beforehand, at most a minute long.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import networkx as nx
import numpy as np
from planted_graphs import make_planted, median_and_range, mine, recoveries
from record import Bench, bench_command

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from mining import FilterLearning, PatternMiner, count_by_graph
from synthetic import PlantedGraph

NUM_BASE_NODES, COPIES, SEEDS, GOAL = 760, 10, 20, 18
MOST_STEPS = 6_000_000_000
NOTES = (
    f"Found: a pattern is isomorphic to the planted one; the goal is {GOAL} of {SEEDS}. Copies: "
    "planted ones whose nodes are an occurrence of such a pattern, the mean over all graphs, 0 "
    "where it was not found.",
    "A connected pattern of M nodes has a node from which all others are at most M / 2 steps away, "
    "so with M // 2 hops, the default, at least that root sees a whole copy. With 3 few roots of "
    "two hexagons do, and the parts that the others see take up the filters.",
    "With 2 edges a node the sparse patterns come by chance, too, and far more often than planted.",
)


@dataclass(frozen=True)
class Row:
    """Graphs of one kind, mined with some settings."""

    size: int
    edges_per_node: int
    features: str
    settings: dict[str, int] = field(default_factory=dict)
    goal: int | None = None

    @property
    def options(self) -> str:
        """The same on the command line."""
        hops = self.settings.get("num_hops")
        return f"`--size {self.size}`" if hops is None else f"`--size {self.size} --hops {hops}`"


def all_rows() -> Iterator[Row]:
    for size in (8, 10):
        for edges in (1, 2):
            for features in ("constant", "per_type"):
                yield Row(size, edges, features, {}, GOAL)
                # shorter than a sparse pattern needs: what the default would cost
                yield Row(size, edges, features, {"num_hops": 3})


def make_motifs(size: int) -> tuple[Structure, Structure]:
    """A dense pattern and a sparse one."""
    if size == 8:
        dense, name = nx.cubical_graph(), "cube"
        sparse, other = nx.cycle_graph(8), "two pentagons"
    else:
        dense, name = nx.petersen_graph(), "Petersen graph"
        sparse, other = nx.cycle_graph(10), "two hexagons"
    sparse.add_edge(0, size // 2)
    return Structure.from_networkx(dense, name), Structure.from_networkx(sparse, other)


def make_graph(row: Row, seed: int) -> tuple[CSRGraph, PlantedGraph]:
    return make_planted(
        make_motifs(row.size), row.edges_per_node, seed,
        copies=COPIES, num_base=NUM_BASE_NODES, features=row.features,
    )  # fmt: skip


def mine_row(graph: CSRGraph, row: Row) -> tuple[PatternMiner, float]:
    return mine(graph, pattern_size=row.size, learning=FilterLearning(**row.settings))


def mine_rows(bench: Bench, rows: list[Row], seeds: int) -> list[str]:
    """Mine all graphs of each row; return what missed its goal."""
    table = bench.table(
        f"{COPIES} copies each in {NUM_BASE_NODES} base nodes, seeds 0 to {seeds - 1}",
        {
            "options": "",
            "BA edges": "",
            "features": "",
            "dense one found": "",
            "copies": ".1f",
            "sparse one found": "",
            "copies ": ".1f",
            "goal": "",
            "s, median (range)": "",
        },
    )
    missed = []
    for row in rows:
        recovered, copies, seconds = np.zeros(2, int), np.zeros(2), []
        for seed in range(seeds):
            graph, planted = make_graph(row, seed)
            miner, spent = mine_row(graph, row)
            motifs = recoveries(miner, planted)
            recovered += [motif.recovered for motif in motifs]
            copies += [motif.planted_found / seeds for motif in motifs]
            seconds.append(spent)
        table.add(
            row.options, row.edges_per_node, row.features, f"{recovered[0]}/{seeds}",
            copies[0], f"{recovered[1]}/{seeds}", copies[1], row.goal,
            median_and_range(seconds),
        )  # fmt: skip
        if row.goal is not None and (recovered < row.goal * seeds / SEEDS).any():
            missed.append(f"{row}: {recovered.tolist()} of {seeds}")
    return missed


def time_counts(bench: Bench, rows: list[Row], seed: int) -> None:
    """Search for one pattern that is known, beside mining without knowing it."""
    table = bench.table(
        f"The graph of seed {seed}: seconds of mining, and of counting a pattern that is "
        "known (occurrences)",
        {"pattern": "", "BA edges": "", "mining it": "", "`count_by_graph`": ""},
    )
    for row in rows:
        graph, planted = make_graph(row, seed)
        miner, seconds = mine_row(graph, row)
        for motif, recovery in zip(make_motifs(row.size), recoveries(miner, planted), strict=True):
            # compiled
            count_by_graph(graph, motif, max_steps=1)
            start = time.perf_counter()
            exact = count_by_graph(graph, motif, max_steps=MOST_STEPS)
            own = time.perf_counter() - start
            count = f"not in {MOST_STEPS:,} steps" if exact is None else f"{exact.sum():,}"
            table.add(
                motif.name, row.edges_per_node, f"{seconds:.2f} ({recovery.occurrences:,.0f})",
                f"{own:.3f} ({count})",
            )  # fmt: skip


@bench_command("large_patterns", usual_repeats=1, how="run of each seed")
def main(bench: Bench) -> None:
    """Mine planted patterns of 8 and 10 nodes, and count them exactly."""
    rows = list(all_rows())
    # the first call of a process compiles
    mine(make_graph(rows[0], 0)[0], pattern_size=rows[0].size)
    if bench.quick:
        rows = [rows[0]]
    missed = mine_rows(bench, rows, 1 if bench.quick else SEEDS)
    timed = [row for row in rows if not row.settings and row.features == "per_type"] or rows
    time_counts(bench, timed, seed=0)
    for note in NOTES:
        bench.note(note)
    for sentence in missed:
        bench.note(f"MISSED: {sentence}")


if __name__ == "__main__":
    main()
