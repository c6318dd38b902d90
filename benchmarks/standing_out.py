"""Is what stands out most reported, are its counts right, and in one run for all sizes?

    python benchmarks/standing_out.py            both tables, written to results/standing_out.*
    python benchmarks/standing_out.py --quick    one small graph a table, nothing written

What stands out most is told by igraph, which counts all structures of a size in the graph and in
rewired graphs.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
from census import SHOWN, highest, null_graphs, score_all, structures_of
from embedded import plant
from measure import use_threads
from planted_graphs import mine
from record import Bench, Table, bench_command, data_option
from scipy.stats import spearmanr

from gomkcn_dgl import CSRGraph
from gomkcn_dgl.io.reading import read_graph
from mining import Pattern

HIGHEST = 10
# one motif each of 3, 5, 6, 8 and 10 nodes
MIXED = ("triangle", "K5", "prism", "cube", "Petersen")
GOALS = {"highest": 9, "spearman": 0.9, "mixed": 4}


def to_rank(folder: Path) -> Iterator[tuple[str, Callable[[], CSRGraph], tuple[int, ...], int]]:
    """Graphs, the sizes that igraph counts there, and the samples that there is time for."""
    small = (3, 4, 5)
    for base in ("BA", "geometric", "blocks"):
        yield (
            f"{base}, embedded K5 and K3,3",
            lambda base=base: plant(
                base, ("K5", "K3,3"), 15, folder, 0, embedded=True, features="constant"
            ).to_csr(),
            small,
            20,
        )
    if folder.is_dir():
        yield (
            "ENZYMES, without labels",
            lambda: _without_features(
                read_graph(next(folder.glob("ENZYMES_*")) / "ENZYMES", features=["labels"])
            ),
            small,
            20,
        )
        yield "ca-GrQc", lambda: read_graph(folder / "snap" / "ca-GrQc.txt.gz"), (3, 4, 5), 10
        for name in ("ecoli_regulation.csv", "celegansneural.gml"):
            yield (
                name.partition(".")[0],
                lambda name=name: read_graph(
                    folder / "directed" / name, directed=True, relation="none"
                ),
                (3, 4),
                20,
            )


def _without_features(graph: CSRGraph) -> CSRGraph:
    ones = np.ones((graph.num_nodes, 1), np.float32)
    return replace(graph, features=ones, feature_names=("constant",))


def compare_highest(bench: Bench, folder: Path) -> None:
    """Of the structures with the highest z by exact counts, how many are reported."""
    table = bench.table(
        f"The {HIGHEST} structures with the highest z by igraph's counts; the miner is told the "
        "sizes that igraph can count, or nothing; listed: below the patterns, with its verdict",
        {
            "graph": "",
            "sizes": "",
            f"z > {SHOWN:g}": "",
            "least z of them": ".1f",
            "reported": "",
            "reported, told nothing": "",
            "reported or listed, told nothing": "",
            "patterns counted": "",
            "Spearman of counts": ".3f",
            "counts right": "",
            "CPU s": ".1f",
        },
    )
    cases = list(to_rank(folder))
    for name, make, sizes, samples in cases[:1] if bench.quick else cases:
        graph = make()
        sizes = sizes[:2] if bench.quick else sizes
        scores = score_all(graph, null_graphs(graph, 3 if bench.quick else samples), sizes)
        shown = [one for one in highest(scores, len(scores)) if scores[one].z > SHOWN]
        top = shown[:HIGHEST]
        miner, seconds = mine(graph, pattern_size=(sizes[0], sizes[-1]))
        told_nothing, _ = mine(graph)
        reported = set(structures_of(miner.patterns_))
        untold = set(structures_of(told_nothing.patterns_))
        listed = set(structures_of(told_nothing.others_)) | untold
        counted = [
            (pattern, scores[structure].observed)
            for pattern, structure in zip(
                miner.patterns_, structures_of(miner.patterns_), strict=True
            )
        ]
        found = sum(one in reported for one in top)
        correlation = _spearman(counted)
        table.add(
            name,
            f"{sizes[0]} to {sizes[-1]}",
            len(shown),
            min((scores[one].z for one in top), default=None),
            f"{found} of {len(top)}",
            f"{len(set(top) & untold)} of {len(top)}",
            f"{len(set(top) & listed)} of {len(top)}",
            len(counted),
            correlation,
            f"{sum(_holds(pattern, count) for pattern, count in counted)}/{len(counted)}",
            seconds,
        )
        if found < len(top) - (HIGHEST - GOALS["highest"]):
            bench.note(f"MISSED: {found} of the {len(top)} highest of {name} are reported")
        if correlation is not None and correlation < GOALS["spearman"]:
            bench.note(f"MISSED: Spearman {correlation:.2f} of {name}")


def _holds(pattern: Pattern, count: float) -> bool:
    own = pattern.frequency.occurrences
    return own.low <= count <= own.high


def _spearman(counted: Sequence[tuple[Pattern, float]]) -> float | None:
    """Rank correlation of the counts shown with the exact ones."""
    if len(counted) < 3:
        return None
    with warnings.catch_warnings():
        # constant counts have no ranks
        warnings.simplefilter("ignore")
        shown = [pattern.frequency.occurrences.value for pattern, _ in counted]
        return float(spearmanr(shown, [count for _, count in counted]).statistic)


def compare_mixed(bench: Bench, folder: Path, seeds: int) -> None:
    """Motifs of 3 to 10 nodes in one graph, found in one run."""
    table = bench.table(
        f"Ten copies each of {', '.join(MIXED)} in one graph, {seeds} seeds",
        {
            "copies": "",
            "base": "",
            "sizes": "",
            "at least 4 of 5 found": "",
            "mean found": ".2f",
            "CPU s": ".1f",
        },
    )
    for kind, embedded in (("attached by an edge", False), ("embedded", True)):
        for base in ("BA",) if bench.quick else ("BA", "Erdős–Rényi"):
            for size in ((3, 10), None):
                add_mixed(bench, table, (kind, base, size, embedded), folder, seeds)


def add_mixed(
    bench: Bench,
    table: Table,
    case: tuple[str, str, tuple[int, int] | None, bool],
    folder: Path,
    seeds: int,
) -> None:
    """Mine one kind of mixed graph with all seeds."""
    kind, base, size, embedded = case
    found, times = [], []
    for seed in range(seeds):
        planted = plant(base, MIXED, 10, folder, seed, embedded=embedded, features="constant")
        change = {} if size is None else {"pattern_size": size}
        miner, seconds = mine(planted.to_csr(), **change)
        found.append(len({*structures_of(planted.motifs)} & {*structures_of(miner.patterns_)}))
        times.append(seconds)
    enough = sum(number >= GOALS["mixed"] for number in found)
    named = "default" if size is None else f"{size[0]} to {size[1]}"
    table.add(kind, base, named, f"{enough}/{seeds}", float(np.mean(found)), np.median(times))
    if size is not None and enough < seeds:
        bench.note(f"MISSED: motifs of mixed sizes, {kind}, {base}")


@bench_command("standing_out", usual_repeats=1, how="run of each, one thread a run")
@click.option("--table", "only", type=click.Choice(["highest", "mixed"]))
@click.option("--seeds", default=10, help="Seeds of each graph of mixed motifs.")
@data_option
def main(bench: Bench, only: str | None, seeds: int, data: Path) -> None:
    """Compare what is reported with what stands out most."""
    use_threads(1)
    logging.getLogger("gomkcn_dgl").setLevel(logging.ERROR)
    if only in (None, "highest"):
        compare_highest(bench, data)
    if only in (None, "mixed"):
        compare_mixed(bench, data, 1 if bench.quick else seeds)


if __name__ == "__main__":
    main()
