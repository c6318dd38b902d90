"""Are the p-values of `--null` right? Graphs with nothing planted, and planted ones beside them.

    python benchmarks/significance.py            every row, written to results/significance.*
    python benchmarks/significance.py --quick    two small graphs a row, nothing written

Two ways to get a p-value are compared: by counts, as for a pattern that was fixed beforehand, and
by decoys, patterns that the same miner finds in samples of the null model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from planted_graphs import MOTIFS_OF_SIZE, make_planted, mine, recoveries
from record import Bench, bench_command

from mining.assessment.significance import add_significance
from mining.null_models.null_models import sample_null
from mining.records.significance import Significance

LEVEL = 0.05
NOTES = (
    "A rewired BA graph comes from the null model itself, so all three shares should be the level "
    "or less; features drawn for each node do not depend on the edges, so the same holds for BA "
    "with features per node. By counts alone those patterns are called significant too often: they "
    "were fitted to the features of this graph.",
    "A BA graph does not come from either rewiring: it grew. Given the degrees alone it is told "
    "apart; where the degrees at both ends of each edge are kept as well, hardly.",
    "In a graph with motifs the other patterns differ from chance, too: they avoid the edges and "
    "the features that the motifs took.",
)


@dataclass(frozen=True)
class Row:
    """Graphs of one kind, compared with some null models."""

    name: str
    edges_per_node: int
    features: str
    nulls: tuple[str, ...]
    seeds: int
    copies: int = 0
    # the null model that the graph itself is drawn from
    drawn_from: str | None = None


def all_rows() -> Iterator[Row]:
    for edges in (1, 2):
        yield Row("rewired BA", edges, "constant", ("degree",), 20, drawn_from="degree")
    for edges in (1, 2):
        yield Row("BA", edges, "constant", ("degree", "configuration"), 20)
    yield Row("BA", 1, "per_node", ("features",), 20)
    for edges in (1, 2):
        yield Row("BA and motifs", edges, "constant", ("degree",), 5, copies=10)
    yield Row("BA and motifs", 1, "per_type", ("degree", "features"), 5, copies=10)


@dataclass(frozen=True)
class PatternSignificance:
    """Significance of a pattern of the graph of one seed."""

    seed: int
    planted: bool
    entry: Significance


def assess_row(
    row: Row, num_nodes: int, samples: int, decoys: int
) -> dict[str, list[PatternSignificance]]:
    """Mine the graphs of all seeds and compare each with its null models."""
    assessed: dict[str, list[PatternSignificance]] = {null: [] for null in row.nulls}
    for seed in range(row.seeds):
        graph, planted = make_planted(
            MOTIFS_OF_SIZE[6],
            row.edges_per_node,
            seed,
            copies=row.copies,
            num_nodes=num_nodes,
            features=row.features,
        )
        if row.drawn_from is not None:
            graph = sample_null(graph, row.drawn_from, seed)
        miner, _ = mine(graph, num_epochs=10, random_state=seed)
        add_significance(miner, graph, row.nulls, num_samples=samples, num_decoys=decoys)
        motifs = {
            number
            for motif in recoveries(miner, planted)
            for number in motif.pattern_ids
            if motif.copies
        }
        for pattern in miner.patterns_:
            for null, entry in pattern.significance.items():
                assessed[null].append(PatternSignificance(seed, pattern.id in motifs, entry))
    return assessed


def share(assessed: list[PatternSignificance], field: str) -> str:
    """Share of the patterns at or under the level, with its standard error over the graphs."""
    per_graph: dict[int, list[bool]] = {}
    for one in assessed:
        per_graph.setdefault(one.seed, []).append(getattr(one.entry, field) <= LEVEL)
    hits = np.array([sum(values) for values in per_graph.values()])
    sizes = np.array([len(values) for values in per_graph.values()])
    mean = hits.sum() / sizes.sum()
    # of a ratio of two sums over graphs, since the patterns of a graph are not independent
    error = np.sqrt(((hits - mean * sizes) ** 2).sum()) / sizes.sum()
    return f"{mean:.3f} ± {error:.3f}"


@bench_command("significance", usual_repeats=1, how="run of each seed")
def main(bench: Bench) -> None:
    """Say how many patterns are called significant where nothing is, and where something is."""
    num_nodes, samples, decoys = (260, 4, 2) if bench.quick else (500, 40, 12)
    table = bench.table(
        f"{num_nodes} nodes, {samples} samples to count in and {decoys} to mine, 10 epochs; share "
        f"of the patterns at or under {LEVEL:g} ± its standard error over the graphs",
        {
            "graph": "",
            "BA edges": "",
            "features": "",
            "null model": "",
            "patterns": "",
            "graphs": "",
            "number": "",
            "p by decoys": "",
            "q": "",
            "z, median (range)": "",
        },
    )
    for row in all_rows():
        if bench.quick:
            row = Row(**{**vars(row), "seeds": 1})
        for null, assessed in assess_row(row, num_nodes, samples, decoys).items():
            for planted in (True, False) if row.copies else (False,):
                some = [one for one in assessed if one.planted == planted]
                if not some:
                    continue
                z = np.array([one.entry.z for one in some])
                kind = "planted" if planted else "others" if row.copies else "all"
                table.add(
                    row.name, row.edges_per_node, row.features, null, kind, row.seeds, len(some),
                    share(some, "p"), share(some, "q"),
                    f"{np.median(z):.1f} ({z.min():.1f} to {z.max():.1f})",
                )  # fmt: skip
    for note in NOTES:
        bench.note(note)


if __name__ == "__main__":
    main()
