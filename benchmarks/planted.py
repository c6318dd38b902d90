"""Mine graphs whose answer is known, many seeds a row: what is recovered, and are the counts right?

    python benchmarks/planted.py            every row, written to results/planted.*
    python benchmarks/planted.py --quick    one graph, nothing written

Rows with a goal say when they miss it; rows beside them (no training, random initialization, the
paper's random truncation) have none. The settings of the
miner are its defaults; they were chosen on seeds from 1000 on, and are measured here on 0 to 29.
"""

from __future__ import annotations

import dataclasses
import logging
import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import click
import numpy as np
from record import Bench, Table, bench_command

NUM_NODES = 1000
SIX = ("house", "cup", "wheel", "crown")
MOTIFS_OF_SIZE = {
    4: ("square", "diamond4", "clique4"),
    5: ("house5", "bowtie", "wheel5", "basket"),
    6: SIX,
    7: ("wheel7", "fan7", "windmill7", "theta7"),
    8: ("wheel8", "ladder8", "cube", "sun8"),
}


@dataclasses.dataclass(frozen=True)
class Row:
    """One row of the table: graphs of one kind, mined with one change to the defaults."""

    name: str
    size: int
    edges_per_node: int
    features: str
    seeds: int
    change: dict[str, Any] = dataclasses.field(default_factory=dict)
    planted: bool = True
    goal: int | None = None  # seeds that must succeed


def all_rows() -> Iterator[Row]:
    kinds = [(edges, features) for edges in (1, 2) for features in ("constant", "per_type")]
    for edges, features in kinds:
        yield Row("default", 6, edges, features, 30, goal=29)
        yield Row("epoch 0", 6, edges, features, 30, {"num_epochs": 0})
        yield Row("random start", 6, edges, features, 30, {"init": "random"})
        yield Row("paper's truncation", 6, edges, features, 30, {"policy": "bfs"})
        yield Row("nothing planted", 6, edges, features, 30, planted=False, goal=30)
    for edges in (1, 2):
        yield Row("features per node", 6, edges, "per_node", 30)
    for size in (4, 5, 7, 8):
        for edges, features in kinds:
            # more nodes leave more ways to cut a motif short, each a shape of its own
            change = {"pattern_size": size, "num_patterns": 12 if size < 6 else 16}
            yield Row("size", size, edges, features, 10, change, goal=9)


def mine_one(row: Row, seed: int) -> dict[str, Any]:
    """Generate one graph, mine it on one thread, and compare with the truth."""
    import numba
    import torch

    from gomkcn_dgl import as_csr
    from mining import PatternMiner, compare_with_truth, covered_occurrences
    from synthetic import MOTIFS

    logging.getLogger("gomkcn_dgl").setLevel(logging.ERROR)
    torch.set_num_threads(1)
    numba.set_num_threads(1)
    names = MOTIFS_OF_SIZE[row.size]
    graph, truth = _generate(row, seed)
    csr = as_csr(graph)
    miner = PatternMiner(**row.change)
    start = time.perf_counter()
    miner.fit(csr)
    seconds = time.perf_counter() - start
    batch = miner.source_.extract(csr)
    found = compare_with_truth(miner.patterns_, truth)
    exact = [covered_occurrences(csr, batch, MOTIFS[name].adjacency()) for name in names]
    return {
        "seed": seed,
        "recovered": sum(motif.recovered for motif in found),
        "motifs": len(names),
        "copies": [motif.copies for motif in found],
        "distinct": [motif.distinct for motif in found],
        "exact": exact,
        "loss": [round(miner.loss_curve_[0], 5), round(miner.loss_curve_[-1], 5)],
        "seconds": round(seconds, 3),
    }


def _generate(row: Row, seed: int) -> tuple[Any, dict[str, Any]]:
    """A Barabási–Albert graph of 1000 nodes in all with 5 to 15 copies of each motif, or none."""
    from synthetic import MOTIFS, barabasi_albert, plant_motifs

    rng = np.random.default_rng(seed)
    names = MOTIFS_OF_SIZE[row.size]
    copies = {name: int(rng.integers(5, 16)) if row.planted else 0 for name in names}
    num_base = NUM_NODES - row.size * sum(copies.values())
    edges = barabasi_albert(num_base, row.edges_per_node, rng)
    graph = plant_motifs(edges, num_base, copies, features=row.features, seed=rng)
    truth = graph.truth()
    if not row.planted:
        truth["motifs"] = [
            {"name": name, "num_nodes": row.size, "edges": MOTIFS[name].edges}
            | {"copies": 0, "instances": []}
            for name in names
        ]
    return graph.to_dgl(), truth


def succeeded(row: Row, result: dict[str, Any]) -> bool:
    """All motifs recovered, or none where none was planted."""
    return bool(result["recovered"] == (result["motifs"] if row.planted else 0))


def count_error(result: dict[str, Any]) -> float:
    """Relative error of `distinct` against the exact count, for the worst motif of a run."""
    pairs = zip(result["distinct"], result["exact"], strict=True)
    return max(abs(found - exact) / max(exact, 1) for found, exact in pairs)


def summarise(row: Row, results: list[dict[str, Any]]) -> dict[str, Any]:
    errors = [count_error(result) for result in results] if row.planted else []
    seconds = [result["seconds"] for result in results]
    return {
        **dataclasses.asdict(row),
        "succeeded": sum(succeeded(row, result) for result in results),
        "mean_recovered": float(np.mean([result["recovered"] for result in results])),
        "count_error_median": float(np.median(errors)) if errors else None,
        "count_within_tenth": sum(error <= 0.1 for error in errors) if errors else None,
        "loss_start": float(np.mean([result["loss"][0] for result in results])),
        "loss_end": float(np.mean([result["loss"][1] for result in results])),
        "seconds_median": float(np.median(seconds)),
        "seconds_range": [min(seconds), max(seconds)],
        "runs": results,
    }


def missed(row: dict[str, Any]) -> bool:
    """Whether a row with a goal misses it, in what is recovered or in the counts."""
    if row["goal"] is None:
        return False
    counts_wrong = row["planted"] and (
        row["count_error_median"] > 0.1 or row["count_within_tenth"] < 0.9 * row["seeds"]
    )
    return bool(row["succeeded"] < min(row["goal"], row["seeds"]) or counts_wrong)


COLUMNS = {
    "row": "",
    "nodes": "",
    "BA edges": "",
    "features": "",
    "all recovered": "",
    "mean recovered": ".2f",
    "count error, median": ".0%",
    "within 10 %": "",
    "loss": "",
    "s": ".2f",
}


def add_row(table: Table, row: dict[str, Any]) -> None:
    planted = row["planted"]
    goal = "" if row["goal"] is None else f" (goal {row['goal']})"
    none = "" if planted else "none reported: "
    table.add(
        row["name"],
        row["size"],
        row["edges_per_node"],
        row["features"],
        f"{none}{row['succeeded']}/{row['seeds']}{goal}",
        row["mean_recovered"],
        row["count_error_median"],
        f"{row['count_within_tenth']}/{row['seeds']}" if planted else None,
        f"{row['loss_start']:.3f} → {row['loss_end']:.3f}",
        row["seconds_median"],
    )


@bench_command("planted", usual_repeats=1, how="run of each seed, one thread a run")
@click.option("--rows", "only", help="Only the rows of this name.")
def main(bench: Bench, only: str | None) -> None:
    """Mine planted graphs over many seeds and say what was recovered."""
    rows = [row for row in all_rows() if only in (None, row.name)]
    if bench.quick:
        rows = [dataclasses.replace(rows[0], seeds=1)]
    table = bench.table("", COLUMNS)
    # A fresh interpreter for each worker: forked threads would deadlock.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(bench.threads, mp_context=context) as pool:
        waiting = [
            (row, [pool.submit(mine_one, row, seed) for seed in range(row.seeds)]) for row in rows
        ]
        for row, futures in waiting:
            summary = summarise(row, [future.result() for future in futures])
            add_row(table, summary)
            if missed(summary):
                bench.note(f"MISSED: {row}")


if __name__ == "__main__":
    main()
