"""Planted motifs that differ in directions or edge types alone: are they told apart and counted?

    python benchmarks/planted_links.py            every row, written to results/planted_links.*
    python benchmarks/planted_links.py --quick    one graph of two rows, nothing written

The motifs of a row have the same topology with different directions, or the same directions with
different types. They are planted into Barabási–Albert graphs of 1000 nodes whose edges have random
directions, or random types. Counts are compared with igraph's: its induced subgraph isomorphisms of
digraphs, of which those are kept that map each edge to one of its type. The miner is told neither
the size of the motifs nor, but for one column, how many patterns to report.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import click
import igraph
import numpy as np
from measure import use_threads
from planted_graphs import (
    FEW,
    count_is_right,
    make_planted,
    mine,
    motifs_lead,
    patterns_of_motifs,
    share_of,
)
from record import Bench, Table, bench_command

from gomkcn_dgl import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from mining.counting.exact_search import count_by_graph
from synthetic import MOTIFS


def _motif(name: str, edges: str, relations: str = "", directed: bool = True) -> Structure:
    pairs = [(int(edge[0]), int(edge[1])) for edge in edges.split()]
    size = 1 + max(max(pair) for pair in pairs)
    return Structure.of_edges(size, pairs, relations.split(), directed, name=name)


def _named(*names: str) -> tuple[Structure, ...]:
    return tuple(MOTIFS[name] for name in names)


_FFL, _FAN = "01 02 12", "02 03 12 13"
_WHEEL, _CROWN = "01 02 03 04 05 12 23 34 45 15", "01 12 02 03 13 14 24 25 05"
_A, _R = " activates", " represses"
_ONE, _TWO = " relation0", " relation1"

DIRECTIONS = {
    3: _named("feed-forward-loop", "three-cycle"),
    4: _named("bi-fan", "bi-parallel", "four-cycle"),
    6: (
        _motif("wheel, spokes out", "01 02 03 04 05 12 23 34 45 51"),
        _motif("wheel, spokes in", "10 20 30 40 50 12 23 34 45 51"),
        _motif("crown, tips out", "01 12 20 30 31 41 42 52 50"),
        _motif("crown, tips in", "01 12 20 03 13 14 24 25 05"),
    ),
}
TYPES = {
    3: (
        *_named("coherent-feed-forward-loop-1", "incoherent-feed-forward-loop-1"),
        _motif("repressing feed-forward loop", _FFL, 3 * _R),
    ),
    4: (
        _motif("activating bi-fan", _FAN, 4 * _A),
        _motif("bi-fan of an activator and a repressor", _FAN, 2 * _A + 2 * _R),
        _motif("crossed bi-fan", _FAN, _A + 2 * _R + _A),
    ),
    6: (
        _motif("wheel 0", _WHEEL, 5 * _ONE + 5 * _TWO, directed=False),
        _motif("wheel 1", _WHEEL, 5 * _TWO + 5 * _ONE, directed=False),
        _motif("crown 0", _CROWN, 3 * _ONE + 6 * _TWO, directed=False),
        _motif("crown 1", _CROWN, 3 * _TWO + 6 * _ONE, directed=False),
    ),
}


@dataclass(frozen=True)
class Row:
    """One row of the table: graphs with motifs of one kind."""

    name: str
    motifs: tuple[Structure, ...]
    edges_per_node: int
    features: str
    seeds: int = 30
    planted: bool = True

    @property
    def size(self) -> int:
        """Nodes of each motif."""
        return self.motifs[0].num_nodes


@dataclass(frozen=True)
class Outcome:
    """What one graph gave."""

    recovered: int
    first: bool  # whether the motifs are the first patterns
    first_of_few: bool | None  # the same where 8 patterns are asked for
    counts_agree: bool  # the counts of the library and of igraph, for each motif
    seconds: float


def all_rows() -> Iterator[Row]:
    for name, motifs_of in (("directions", DIRECTIONS), ("types", TYPES)):
        for size, edges in ((3, 1), (4, 1), (6, 1), (6, 2)):
            kind = name if edges == 1 else f"{name}, denser"
            for features in ("constant", "per_type"):
                yield Row(kind, motifs_of[size], edges, features)
            yield Row(kind, motifs_of[size], edges, "constant", planted=False)


def list_occurrences(graph: CSRGraph, motif: Structure) -> set[frozenset[int]]:
    """Node sets of the induced occurrences, by igraph (LAD) and a comparison of each edge."""
    source, target, relation = (column.tolist() for column in graph.edges())
    names = graph.relations.names
    directed = graph.is_directed
    kinds: dict[tuple[int, int], set[str]] = {}
    for u, v, number in zip(source, target, relation, strict=True):
        kinds.setdefault((u, v), set()).add(names[number])
    own: dict[tuple[int, int], set[str]] = {}
    for (i, j), number in zip(motif.edges, motif.edge_relations, strict=True):
        own.setdefault((i, j), set()).add(motif.relations.names[number])
    whole = igraph.Graph(n=graph.num_nodes, edges=list(kinds), directed=directed)
    pattern = igraph.Graph(n=motif.num_nodes, edges=list(own), directed=directed)
    # each node of an occurrence has as many neighbours in it, so that all lie in the k-core
    core = np.flatnonzero(np.array(whole.coreness()) >= min(pattern.degree()))
    mappings = whole.induced_subgraph(core.tolist()).get_subisomorphisms_lad(pattern, induced=True)
    return {
        frozenset(nodes)
        for nodes in (core[mapping].tolist() for mapping in mappings)
        if all(
            kinds[_pair(nodes[i], nodes[j], directed)] == wanted for (i, j), wanted in own.items()
        )
    }


def _pair(u: int, v: int, directed: bool) -> tuple[int, int]:
    return (u, v) if directed or u < v else (v, u)


def mine_one(row: Row, seed: int) -> Outcome:
    """Generate one graph, mine it, and compare with the truth and with igraph."""
    graph, planted = make_planted(
        row.motifs,
        row.edges_per_node,
        seed,
        copies=None if row.planted else 0,
        features=row.features,
        directed=row.motifs[0].relations.is_directed,
        relations=max(len(motif.relations.names) for motif in row.motifs),
    )
    miner, seconds = mine(graph)
    found = patterns_of_motifs(miner, planted)
    agree = []
    for motif in row.motifs:
        number = len(list_occurrences(graph, motif))
        agree.append(count_by_graph(graph, motif).sum() == number)
        if motif.name in found:
            agree.append(count_is_right(found[motif.name], number))
    few = motifs_lead(mine(graph, num_patterns=FEW)[0], planted) if row.planted else None
    return Outcome(len(found), motifs_lead(miner, planted), few, all(agree), seconds)


def add_row(table: Table, row: Row, outcomes: list[Outcome]) -> bool:
    """Add a row to the table; return whether it misses its goal."""
    target = len(row.motifs) if row.planted else 0
    succeeded = sum(outcome.recovered == target for outcome in outcomes)
    agree = sum(outcome.counts_agree for outcome in outcomes)
    first = [one.first for one in outcomes] if row.planted else []
    few = [one.first_of_few for one in outcomes if one.first_of_few is not None]
    goal = 29 if row.planted else 30
    table.add(
        row.name if row.planted else f"{row.name}, nothing planted",
        row.size,
        row.edges_per_node,
        row.features,
        f"{succeeded}/{row.seeds} (goal {goal})",
        float(np.mean([outcome.recovered for outcome in outcomes])),
        share_of(first),
        share_of(few),
        f"{agree}/{row.seeds}",
        float(np.median([outcome.seconds for outcome in outcomes])),
    )
    least = min(goal, row.seeds)
    ranked = all(sum(values) >= least for values in (first, few) if values)
    return succeeded < least or agree < row.seeds or not ranked


@bench_command("planted_links", usual_repeats=1, how="run of each seed, one thread a run")
@click.option("--rows", "only", multiple=True, help="Only the rows of this name; repeatable.")
@click.option("--size", "sizes", type=int, multiple=True, help="Only these sizes; repeatable.")
@click.option("--first-seed", default=0, help="Seeds from here on.")
@click.option("--seeds", "most_seeds", type=int, help="At most so many seeds a row.")
def main(
    bench: Bench,
    only: tuple[str, ...],
    sizes: tuple[int, ...],
    first_seed: int,
    most_seeds: int | None,
) -> None:
    """Mine graphs with planted directed and typed motifs and say what was recovered."""
    use_threads(1)
    rows = [row for row in all_rows() if not only or row.name in only]
    rows = [row for row in rows if not sizes or row.size in sizes]
    if most_seeds is not None:
        rows = [replace(row, seeds=min(row.seeds, most_seeds)) for row in rows]
    if bench.quick:
        rows = [replace(row, seeds=1) for row in rows if row.size == 3 and row.planted][::2]
    table = bench.table(
        "",
        {
            "row": "",
            "nodes": "",
            "BA edges": "",
            "features": "",
            "all recovered, or none where none is planted": "",
            "mean recovered": ".2f",
            "first on the page": "",
            f"first of {FEW} patterns": "",
            "counts are igraph's": "",
            "CPU s": ".2f",
        },
    )
    for row in rows:
        seeds = range(first_seed, first_seed + row.seeds)
        if add_row(table, row, [mine_one(row, seed) for seed in seeds]):
            bench.note(f"MISSED: {row.name}, {row.size} nodes, {row.features}, {row.planted}")


if __name__ == "__main__":
    main()
