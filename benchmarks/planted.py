"""Mine graphs whose answer is known, five seeds a row: what is recovered, what comes first?

The miner is told nothing but, in one column, that 8 patterns are enough: neither the size of the
motifs nor the null model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import igraph
import numpy as np
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
from record import Bench, Table

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from synthetic import MOTIFS

NAMES = MOTIFS_OF_SIZE[6]
SEEDS = 5


@dataclass(frozen=True)
class Row:
    """One row of the table: graphs of one kind."""

    name: str
    edges_per_node: int
    features: str
    is_planted: bool = True


@dataclass(frozen=True)
class Outcome:
    """What one graph gave; nothing comes first where nothing is planted."""

    recovered: int
    first: bool  # whether the motifs are the first of the compared, or of the larger patterns
    first_of_few: bool | None  # the same where 8 patterns are asked for
    counts_right: int  # recovered motifs whose count, or its interval, agrees with igraph's
    seconds: float


def all_rows() -> Iterator[Row]:
    for edges in (1, 2):
        for features in ("constant", "per_type"):
            yield Row("default", edges, features)
            yield Row("nothing planted", edges, features, is_planted=False)
    for edges in (1, 2):
        yield Row("features per node", edges, "per_node")


def mine_one(row: Row, seed: int) -> Outcome:
    """Generate one graph, mine it, and compare with the truth."""
    copies = None if row.is_planted else 0
    graph, planted = make_planted(
        NAMES, row.edges_per_node, seed, copies=copies, features=row.features
    )
    miner, seconds = mine(graph)
    found = patterns_of_motifs(miner, planted)
    right = [
        count_is_right(pattern, count_by_igraph(graph, MOTIFS[name]))
        for name, pattern in found.items()
    ]
    few = None
    if row.name == "default":
        few = motifs_lead(mine(graph, num_patterns=FEW)[0], planted)
    return Outcome(len(found), motifs_lead(miner, planted), few, sum(right), seconds)


def count_by_igraph(graph: CSRGraph, motif: Structure) -> int:
    """Node sets that induce a motif, by igraph's LAD."""
    whole = igraph.Graph(n=graph.num_nodes, edges=graph.adjacent_pairs().tolist())
    own = igraph.Graph(n=motif.num_nodes, edges=motif.edges)
    return len({frozenset(nodes) for nodes in whole.get_subisomorphisms_lad(own, induced=True)})


def add_row(table: Table, row: Row, outcomes: Sequence[Outcome]) -> None:
    """What the graphs of a row gave."""
    # all motifs recovered, or none where none was planted
    target = len(NAMES) if row.is_planted else 0
    succeeded = sum(one.recovered == target for one in outcomes)
    first = [one.first for one in outcomes] if row.is_planted else []
    few = [one.first_of_few for one in outcomes if one.first_of_few is not None]
    recovered = sum(one.recovered for one in outcomes)
    right = sum(one.counts_right for one in outcomes)
    table.add(
        row.name,
        len(MOTIFS[NAMES[0]].joined),
        row.edges_per_node,
        row.features,
        ("" if row.is_planted else "none reported: ") + f"{succeeded}/{len(outcomes)}",
        float(np.mean([one.recovered for one in outcomes])),
        share_of(first),
        share_of(few),
        f"{right}/{recovered}" if recovered else None,
        float(np.median([one.seconds for one in outcomes])),
    )


def main(bench: Bench) -> None:
    """Mine planted graphs over some seeds and say what was recovered."""
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
    rows, seeds = [*all_rows()][: 1 if bench.quick else None], 1 if bench.quick else SEEDS
    for row in rows:
        add_row(table, row, [mine_one(row, seed) for seed in range(seeds)])
