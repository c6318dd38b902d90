"""Mine graphs whose answer is known, many seeds a row: what is recovered, what comes first?

    python benchmarks/planted.py            every row, written to results/planted.*
    python benchmarks/planted.py --quick    one graph, nothing written

The miner is told nothing but, in one column, that 8 patterns are enough: neither the size of the
motifs nor the null model. Rows with a goal say when they miss it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import click
import igraph
import numpy as np
from measure import use_threads
from planted_graphs import (
    FEW,
    MOTIFS_OF_SIZE,
    count_is_right,
    make_planted,
    mine,
    motifs_lead,
    patterns_of_motifs,
    share_of,
)
from record import Bench, Table, bench_command

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from synthetic import MOTIFS


@dataclass(frozen=True)
class Row:
    """One row of the table: graphs of one kind."""

    name: str
    size: int
    edges_per_node: int
    features: str
    seeds: int
    planted: bool = True
    goal: int | None = None  # seeds that must succeed


@dataclass(frozen=True)
class Outcome:
    """What one graph gave; nothing comes first where nothing is planted."""

    recovered: int
    first: bool  # whether the motifs are the first of the compared, or of the larger patterns
    first_of_few: bool | None  # the same where 8 patterns are asked for
    counts_right: int  # recovered motifs whose count, or its interval, agrees with igraph's
    seconds: float


def all_rows() -> Iterator[Row]:
    kinds = [(edges, features) for edges in (1, 2) for features in ("constant", "per_type")]
    for edges, features in kinds:
        yield Row("default", 6, edges, features, 30, goal=29)
        yield Row("nothing planted", 6, edges, features, 30, planted=False, goal=30)
    for edges in (1, 2):
        yield Row("features per node", 6, edges, "per_node", 30)
    for size in (4, 5, 7, 8):
        for edges, features in kinds:
            yield Row("default", size, edges, features, 10, goal=9)


def mine_one(row: Row, seed: int) -> Outcome:
    """Generate one graph, mine it, and compare with the truth."""
    names = MOTIFS_OF_SIZE[row.size]
    copies = None if row.planted else 0
    graph, planted = make_planted(
        names, row.edges_per_node, seed, copies=copies, features=row.features
    )
    miner, seconds = mine(graph)
    found = patterns_of_motifs(miner, planted)
    right = [
        count_is_right(pattern, count_by_igraph(graph, MOTIFS[name]))
        for name, pattern in found.items()
    ]
    few = None
    if row.goal is not None and row.planted:
        few = motifs_lead(mine(graph, num_patterns=FEW)[0], planted)
    return Outcome(len(found), motifs_lead(miner, planted), few, sum(right), seconds)


def count_by_igraph(graph: CSRGraph, motif: Structure) -> int:
    """Node sets that induce a motif, by igraph's LAD."""
    whole = igraph.Graph(n=graph.num_nodes, edges=graph.adjacent_pairs().tolist())
    own = igraph.Graph(n=motif.num_nodes, edges=motif.edges)
    return len({frozenset(nodes) for nodes in whole.get_subisomorphisms_lad(own, induced=True)})


def add_row(table: Table, row: Row, outcomes: Sequence[Outcome]) -> bool:
    """Add a row to the table; return whether it misses its goal."""
    # all motifs recovered, or none where none was planted
    target = len(MOTIFS_OF_SIZE[row.size]) if row.planted else 0
    succeeded = sum(one.recovered == target for one in outcomes)
    first = [one.first for one in outcomes] if row.planted else []
    few = [one.first_of_few for one in outcomes if one.first_of_few is not None]
    recovered = sum(one.recovered for one in outcomes)
    right = sum(one.counts_right for one in outcomes)
    goal = "" if row.goal is None else f" (goal {row.goal})"
    table.add(
        row.name,
        row.size,
        row.edges_per_node,
        row.features,
        ("" if row.planted else "none reported: ") + f"{succeeded}/{row.seeds}{goal}",
        float(np.mean([one.recovered for one in outcomes])),
        share_of(first),
        share_of(few),
        f"{right}/{recovered}" if recovered else None,
        float(np.median([one.seconds for one in outcomes])),
    )
    if row.goal is None:
        return False
    least = min(row.goal, row.seeds)
    return bool(
        succeeded < least or right < recovered or any(sum(s) < least for s in (first, few) if s)
    )


@bench_command("planted", usual_repeats=1, how="run of each seed, one thread a run")
@click.option("--rows", "only", help="Only the rows of this name.")
@click.option("--size", "sizes", type=int, multiple=True, help="Only these sizes; repeatable.")
@click.option("--first-seed", default=0, help="Seeds from here on.")
@click.option("--seeds", "most_seeds", type=int, help="At most so many seeds a row.")
def main(
    bench: Bench, only: str | None, sizes: tuple[int, ...], first_seed: int, most_seeds: int | None
) -> None:
    """Mine planted graphs over many seeds and say what was recovered."""
    use_threads(1)
    rows = [row for row in all_rows() if only in (None, row.name)]
    rows = [row for row in rows if not sizes or row.size in sizes]
    if most_seeds is not None:
        rows = [replace(row, seeds=min(row.seeds, most_seeds)) for row in rows]
    if bench.quick:
        rows = [replace(rows[0], seeds=1)]
    table = bench.table(
        "",
        {
            "row": "",
            "nodes": "",
            "BA edges": "",
            "features": "",
            "all recovered": "",
            "mean recovered": ".2f",
            "first of their kind": "",
            f"first of {FEW} patterns": "",
            "counts right": "",
            "CPU s": ".2f",
        },
    )
    for row in rows:
        seeds = range(first_seed, first_seed + row.seeds)
        if add_row(table, row, [mine_one(row, seed) for seed in seeds]):
            bench.note(f"MISSED: {row}")


if __name__ == "__main__":
    main()
