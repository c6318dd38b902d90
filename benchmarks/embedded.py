"""Motifs planted onto nodes that keep their other edges: are those that stand out reported?

    python benchmarks/embedded.py            every structure and base graph, to results/embedded.*
    python benchmarks/embedded.py --quick    two small cells, nothing written

A structure stands out if its exact count in the graph is more than 5 standard deviations over those
in rewired graphs. The miner is told that patterns have 3 to 10 nodes, as all structures here have,
and neither which size nor which null model. *Reported* is what is among its patterns, *listed* what
the page has below these, with a count and the verdict that it stands out. Where the structure has
at most 5 nodes, igraph counts all structures of its size as well.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import networkx as nx
import numpy as np
from census import SHOWN, Key, Score, highest, null_graphs, score_all, structures_of
from measure import use_threads
from planted_graphs import mine
from record import Bench, Table, bench_command, data_option

from gomkcn_dgl import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph
from mining.counting.exact_counts import count_exact
from synthetic import PlantedGraph, barabasi_albert, plant_motifs

COPIES = (10, 30)
FEATURES = {
    "constant": {"features": "constant"},
    "typical": {"features": "per_type"},
    "noisy": {"features": "per_type_noise", "noise": 0.1},
}
# seconds for an exact count, of which each graph and each of its samples takes one
COUNT_LIMIT = 10.0
# igraph takes 12 s for the structures of 5 nodes of ca-GrQc, and as long for each of its samples
LARGEST_OF_ALL = {"ca-GrQc": 4}
REAL = "ca-GrQc"
GOAL = 0.9
SIZES = (3, 10)

# the triangle is for graphs of mixed motifs
STRUCTURES: dict[str, nx.Graph] = {
    "triangle": nx.complete_graph(3),
    "K4": nx.complete_graph(4),
    "diamond": nx.complete_multipartite_graph(1, 1, 2),
    "K5": nx.complete_graph(5),
    "wheel of 5": nx.wheel_graph(5),
    "bull": nx.bull_graph(),
    "C6": nx.cycle_graph(6),
    "prism": nx.circular_ladder_graph(3),
    "K3,3": nx.complete_bipartite_graph(3, 3),
    "octahedron": nx.octahedral_graph(),
    "wheel of 6": nx.wheel_graph(6),
    "cube": nx.cubical_graph(),
    "two K4 joined": nx.barbell_graph(4, 0),
    "3 x 3 grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 3)),
    "Petersen": nx.petersen_graph(),
}


@dataclass(frozen=True)
class Cell:
    """One graph: copies of one structure on nodes of a base graph."""

    base: str
    structure: str
    copies: int
    features: str


@dataclass(frozen=True)
class Outcome:
    """What one graph gave."""

    cell: Cell
    score: Score | None  # None: not counted within the limit
    position: int | None  # of the structure among the patterns, from 1; None: not reported
    is_listed: bool  # below the patterns, as standing out
    igraph_z: float | None
    num_patterns: int
    shown: int  # structures of the same size that igraph shows, and those of them reported
    shown_reported: int
    seconds: float

    @property
    def stands_out(self) -> bool:
        return self.score is not None and self.score.z > SHOWN


def base_edges(base: str, folder: Path, seed: int) -> tuple[np.ndarray, int]:
    """Edges ``[E, 2]`` and number of nodes of a base graph."""
    if base == REAL:
        graph = read_graph(folder / "snap" / "ca-GrQc.txt.gz")
        return graph.adjacent_pairs(), graph.num_nodes
    made: Callable[[], nx.Graph] = {
        "Erdős–Rényi": lambda: nx.fast_gnp_random_graph(1000, 0.004, seed=seed),
        "BA": lambda: nx.Graph(barabasi_albert(1000, 2, seed).tolist()),
        "blocks": lambda: nx.random_partition_graph([100] * 10, 0.035, 0.001, seed=seed),
        "geometric": lambda: nx.random_geometric_graph(1000, 0.044, seed=seed),
        "grid": lambda: nx.convert_node_labels_to_integers(nx.grid_2d_graph(32, 32)),
    }[base]
    graph = made()
    return np.array(graph.edges, dtype=np.int64), graph.number_of_nodes()


BASES = ("Erdős–Rényi", "BA", "blocks", "geometric", "grid", REAL)


def all_cells(features: str | None) -> Iterator[Cell]:
    """Every structure, number of copies and base, with features in turn or as said."""
    kinds = list(FEATURES)
    for b, base in enumerate(BASES):
        for s, structure in enumerate(list(STRUCTURES)[1:]):
            for c, copies in enumerate(COPIES):
                own = features or kinds[(b + s + c) % len(kinds)]
                yield Cell(base, structure, copies, own)


def plant(
    base: str, structures: Sequence[str], copies: int, folder: Path, seed: int, **options: Any
) -> PlantedGraph:
    """Copies of some structures in a base graph."""
    edges, num_nodes = base_edges(base, folder, seed)
    motifs = {Structure.from_networkx(STRUCTURES[name], name): copies for name in structures}
    return plant_motifs(edges, num_nodes, motifs, seed=seed, **options)


def make_graph(cell: Cell, folder: Path, seed: int) -> tuple[CSRGraph, Structure]:
    """The planted graph and the motif."""
    options = FEATURES[cell.features]
    planted = plant(
        cell.base, [cell.structure], cell.copies, folder, seed, embedded=True, **options
    )
    return planted.to_csr(), planted.motifs[0]


def score(graph: CSRGraph, nulls: Sequence[CSRGraph], motif: Structure) -> Score | None:
    """Exact counts of one structure in the graph and in samples of a null model."""
    counts: list[int] = []
    for one in (graph, *nulls):
        count = count_exact(one, motif, COUNT_LIMIT).count
        if count is None:
            return None
        counts.append(count)
    return Score.of(counts[0], counts[1:])


def mine_one(cell: Cell, folder: Path, seed: int, samples: int) -> Outcome:
    """Generate one graph, score its structure exactly, and mine it."""
    graph, motif = make_graph(cell, folder, seed)
    nulls = null_graphs(graph, samples)
    (own,) = structures_of([motif])
    miner, seconds = mine(graph, pattern_size=SIZES, random_state=seed)
    reported = structures_of(miner.patterns_)
    more = [one for one in miner.others_ if any(v.stands_out for v in one.significance.values())]
    igraph_z, shown = None, set[Key]()
    if motif.num_nodes <= LARGEST_OF_ALL.get(cell.base, 5):
        scores = score_all(graph, nulls, [motif.num_nodes])
        igraph_z = scores[own].z
        shown = {one for one in highest(scores, len(scores)) if scores[one].z > SHOWN}
    return Outcome(
        cell,
        score(graph, nulls, motif),
        reported.index(own) + 1 if own in reported else None,
        own in structures_of(more),
        igraph_z,
        len(reported),
        len(shown),
        len(shown & set(reported)),
        seconds,
    )


def add_outcome(table: Table, outcome: Outcome) -> None:
    cell, one = outcome.cell, outcome.score
    table.add(
        cell.base,
        cell.structure,
        cell.copies,
        cell.features,
        None if one is None else one.observed,
        None if one is None else one.mean,
        None if one is None else one.z,
        outcome.igraph_z,
        _place(outcome),
        f"{outcome.shown_reported} of {outcome.shown}" if outcome.shown else None,
        outcome.seconds,
    )


def _place(outcome: Outcome) -> str:
    if outcome.position is not None:
        return f"{outcome.position} of {outcome.num_patterns}"
    return "listed" if outcome.is_listed else "no"


def summarize(bench: Bench, outcomes: Sequence[Outcome]) -> None:
    """Of those that stand out, how many are reported: in all, and for each kind of graph."""
    table = bench.table(
        f"Of the structures with z > {SHOWN:g}, those reported, and those reported or listed",
        {
            "of": "",
            "graphs": "",
            "z > 5": "",
            "first": "",
            "reported": "",
            "share": ".0%",
            "or listed": "",
            "share with these": ".0%",
        },
    )
    kinds: dict[str, Callable[[Outcome], str]] = {
        "": lambda one: "all",
        "base": lambda one: one.cell.base,
        "structure": lambda one: one.cell.structure,
        "copies": lambda one: f"{one.cell.copies} copies",
        "features": lambda one: one.cell.features,
        "size": lambda one: f"{len(STRUCTURES[one.cell.structure])} nodes",
    }
    for kind in kinds.values():
        for name in dict.fromkeys(map(kind, outcomes)):
            some = [one for one in outcomes if kind(one) == name]
            standing = [one for one in some if one.stands_out]
            reported = [one for one in standing if one.position is not None]
            first = sum(one.position == 1 for one in reported)
            listed = [one for one in standing if one.position is None and one.is_listed]
            numbers = len(reported), len(reported) + len(listed)
            shares = [number / len(standing) if standing else None for number in numbers]
            row = (numbers[0], shares[0], numbers[1], shares[1])
            table.add(name, len(some), len(standing), first, *row)
    standing = [one for one in outcomes if one.stands_out]
    found = sum(one.position is not None for one in standing)
    if found < GOAL * len(standing):
        bench.note(f"MISSED: {found} of {len(standing)} reported, the goal is {GOAL:.0%}.")
    note_classical(bench, outcomes)


def note_classical(bench: Bench, outcomes: Sequence[Outcome]) -> None:
    """What igraph shows of the planted structures of at most 5 nodes, and whether we report it."""
    shown = [one for one in outcomes if one.igraph_z is not None and one.igraph_z > SHOWN]
    missed = [one.cell for one in shown if one.position is None]
    counted = sum(one.igraph_z is not None for one in outcomes)
    bench.note(
        f"igraph shows {len(shown)} of the {counted} planted structures of 4 and 5 nodes at z > "
        f"{SHOWN:g} (ca-GrQc: 4 nodes); {len(shown) - len(missed)} of these are reported."
    )
    unknown = Counter(one.cell.base for one in outcomes if one.score is None)
    if unknown:
        names = ", ".join(f"{number} on {base}" for base, number in unknown.items())
        bench.note(f"Not counted within {COUNT_LIMIT:g} s a graph, and in no share: {names}.")
    for cell in missed:
        bench.note(f"MISSED: {cell.copies} {cell.structure} on {cell.base}, {cell.features}")


@bench_command("embedded", usual_repeats=1, how="graph a cell, one thread a run")
@click.option("--base", "bases", multiple=True, help="Only these base graphs; repeatable.")
@click.option("--structure", "structures", multiple=True, help="Only these; repeatable.")
@click.option("--features", type=click.Choice(list(FEATURES)), help="In turn by default.")
@click.option("--minutes", type=float, help="As many cells, in a random order, as fit in these.")
@click.option("--samples", default=20, help="Samples of the null model.")
@click.option("--seed", default=0, help="Seed of the graphs and of the miner.")
@data_option
def main(
    bench: Bench,
    bases: tuple[str, ...],
    structures: tuple[str, ...],
    features: str | None,
    minutes: float | None,
    samples: int,
    seed: int,
    data: Path,
) -> None:
    """Mine graphs with embedded motifs and say which are reported."""
    use_threads(1)
    logging.getLogger("gomkcn_dgl").setLevel(logging.ERROR)
    cells = [
        cell
        for cell in all_cells(features)
        if (not bases or cell.base in bases) and (not structures or cell.structure in structures)
    ]
    if minutes is not None:
        cells = [cells[i] for i in np.random.default_rng(seed).permutation(len(cells))]
    if bench.quick:
        cells, samples = [replace(cells[0], copies=30), cells[10]], 3
    if not data.is_dir():
        bench.note(f"ca-GrQc is skipped: {data} is not there.")
        cells = [cell for cell in cells if cell.base != REAL]
    table = bench.table(
        f"{samples} rewired graphs each, null model `degree`",
        {
            "base": "",
            "structure": "",
            "copies": "",
            "features": "",
            "occurrences": ",.0f",
            "by chance": ",.1f",
            "z": ".1f",
            "z by igraph": ".1f",
            "reported as number": "",
            "of its size with z > 5, reported": "",
            "CPU s": ".2f",
        },
    )
    outcomes: list[Outcome] = []
    for cell in cells:
        if minutes is not None and time.perf_counter() - bench.start > 60 * minutes:
            bench.note(f"Time was up after {len(outcomes)} of {len(cells)} cells in random order.")
            break
        outcomes.append(mine_one(cell, data, seed, samples))
        add_outcome(table, outcomes[-1])
    summarize(bench, outcomes)


if __name__ == "__main__":
    main()
