"""Copies by feature noise by flipped edges: what is found, and are counts and intervals right?

    python benchmarks/planted_grid.py            runs that are missing; results/planted_grid.*
    python benchmarks/planted_grid.py --fresh    all of them anew
    python benchmarks/planted_grid.py --quick    one run, nothing written

A graph is the paper's: a Barabási–Albert base of 760 nodes with one edge a node, and copies of
house, cup, wheel and crown, with features per type and normal noise. "Flipped" is the chance of
each of the 15 pairs of nodes of a copy to lose its edge or to get one. Each graph is mined with the
default settings, once for each rule of what an occurrence is; `planted_grid_table.py` says what is
compared. A run is one line of JSON, written when it ends: what was stopped goes on where it was.
"""

from __future__ import annotations

import itertools
import logging
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import igraph
import numpy as np
from measure import use_threads
from paper.results_file import ResultsFile
from planted_grid_figure import draw_grid
from planted_grid_table import CELL, GRID, RULES, summarise, tables, unmet
from record import RESULTS, write_markdown

MOTIFS = ("house", "cup", "wheel", "crown")
NUM_BASE_NODES = 760
# least part of the nodes of an occurrence and a planted copy that are taken for each other
LEAST_SHARED = 2 / 3
EXACT_SECONDS = 20.0
READINGS = ("assigned", "distinct", "disjoint", "exact")


def run_one(copies: int, noise: float, flipped: float, seed: int) -> dict[str, Any]:
    """Plant, mine by each rule, compare; lists have one entry for each motif."""
    from gomkcn_dgl import as_csr
    from mining import induced_occurrences
    from synthetic import MOTIFS as TABLE
    from synthetic import barabasi_albert, plant_motifs

    rng = np.random.default_rng(seed)
    graph = plant_motifs(
        barabasi_albert(NUM_BASE_NODES, 1, rng),
        NUM_BASE_NODES,
        dict.fromkeys(MOTIFS, copies),
        features="per_type_noise",
        noise=noise,
        remove_prob=flipped,
        add_prob=flipped,
        seed=rng,
    )
    csr, truth = as_csr(graph.to_dgl()), graph.truth()
    occurring = [induced_occurrences(csr, TABLE[name].adjacency()) for name in MOTIFS]
    planted = [{frozenset(copy) for copy in motif["instances"]} for motif in truth["motifs"]]
    truths = {"occurring": occurring, "planted": planted}
    return {
        **dict(zip(CELL, (copies, noise, flipped), strict=True)),
        "seed": seed,
        "intact": [len(a & b) for a, b in zip(planted, occurring, strict=True)],
        "occurring": [len(sets) for sets in occurring],
        "occurring_disjoint": [largest_disjoint(sets) for sets in occurring],
        **{rule: mine(rule, csr, truth, truths) for rule in RULES},
    }


def mine(rule: str, csr: Any, truth: dict[str, Any], truths: dict[str, Any]) -> dict[str, Any]:
    """What the miner says of each motif, and how many of its node sets are in each of ``truths``.

    ``same_planted`` are those with the nodes of a planted copy, ``near_planted`` those with nearly
    the same; ``together_same_planted`` those of all patterns of the motif's structure.
    """
    from mining import PatternMiner, add_exact_counts, compare_occurrences, compare_with_truth

    start = time.perf_counter()
    miner = PatternMiner(occurrence_rule=rule).fit(csr)
    miner.patterns_ = add_exact_counts(miner.patterns_, csr, EXACT_SECONDS)
    seconds = time.perf_counter() - start
    by_id = {pattern.id: pattern for pattern in miner.patterns_}
    recoveries = compare_with_truth(miner.patterns_, truth)
    # patterns are in the order of their occurrences
    best = [by_id[min(motif.pattern_ids)] if motif.recovered else None for motif in recoveries]
    groups = {
        "": [[pattern] if pattern else [] for pattern in best],
        "together_": [[by_id[i] for i in motif.pattern_ids] for motif in recoveries],
    }
    line: dict[str, Any] = {
        "patterns": len(miner.patterns_),
        # trees are what the base graph is made of
        "with_cycle": sum(len(p.edges) >= p.num_nodes for p in miner.patterns_),
        "isomorphic_patterns": [len(motif.pattern_ids) for motif in recoveries],
        "noisy": [bool(p and p.noisy) for p in best],
        "together": [len(node_sets_of(patterns)) for patterns in groups["together_"]],
    }
    for (prefix, found), (kind, true) in itertools.product(groups.items(), truths.items()):
        for name, share in (("same", 1.0), ("near", LEAST_SHARED)):
            line[f"{prefix}{name}_{kind}"] = [
                compare_occurrences(node_sets_of(patterns), sets, share).matched
                for patterns, sets in zip(found, true, strict=True)
            ]
    for name in READINGS:
        line[name] = [getattr(p.frequency, name) if p else 0 for p in best]
    for name in ("distinct", "disjoint"):
        line[f"{name}_interval"] = [p.frequency.intervals[name] if p else None for p in best]
    return {**line, "seconds": round(seconds, 3)}


def node_sets_of(patterns: Sequence[Any]) -> set[frozenset[int]]:
    """Different node sets that show one of the patterns."""
    return {frozenset(place.nodes) - {None} for p in patterns for place in p.occurrences}


def largest_disjoint(node_sets: set[frozenset[int]]) -> int:
    """Most node sets of which no two share a node, exactly."""
    sets = list(node_sets)
    overlapping = [
        (i, j) for j in range(len(sets)) for i in range(j) if not sets[i].isdisjoint(sets[j])
    ]
    parts = igraph.Graph(n=len(sets), edges=overlapping).decompose()
    return sum(1 if part.vcount() == 1 else part.independence_number() for part in parts)


def run_missing(
    wanted: Sequence[tuple[Any, ...]], file: ResultsFile | None, stamp: dict[str, Any]
) -> list[dict[str, Any]]:
    """The lines of the runs that were ``wanted``; those not in the file yet are made first."""
    known = {} if file is None else {_key(line): line for line in file.read()}
    for number, key in enumerate(wanted, 1):
        if key in known:
            continue
        line = {**run_one(*key), **stamp}
        known[key] = line
        if file is not None:
            file.append(line)
        found = "; ".join(f"{rule} {line[rule]['distinct']}" for rule in RULES)
        where = ", ".join(map("{} {}".format, (*CELL, "seed"), key))
        print(f"{number}/{len(wanted)} {where}: occurring {line['occurring']}; {found}", flush=True)
    return [known[key] for key in wanted]


def _key(line: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(line[name] for name in (*CELL, "seed"))


@click.command()
@click.option("--seeds", default=20, show_default=True, help="Graphs a cell.")
@click.option("--first-seed", default=0, show_default=True, help="Tried out on 1000 and more.")
@click.option("--fresh", is_flag=True, help="Forget the runs that are there.")
@click.option("--quick", is_flag=True, help="One run, to see that it works.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write to.")
def main(seeds: int, first_seed: int, fresh: bool, quick: bool, out: Path | None) -> None:
    """Mine planted graphs over a grid; exit code 1 if a requirement is missed."""
    from gomkcn_dgl.runtime.provenance import describe_provenance

    logging.getLogger("gomkcn_dgl").setLevel(logging.ERROR)
    use_threads(1)
    cells = [(20, 0.0, 0.0)] if quick else GRID
    runs = range(first_seed, first_seed + (1 if quick else seeds))
    # a run that is stopped has whole seeds
    wanted = [(*cell, seed) for seed in runs for cell in cells]
    out = out or (None if quick else RESULTS)
    file = None if out is None else ResultsFile(out / "planted_grid.jsonl")
    if fresh and file is not None:
        file.path.unlink(missing_ok=True)
    made = describe_provenance(0, 0.0)
    stamp = {name: made[name] for name in ("commit", "created", "machine")}
    lines = run_missing(wanted, file, stamp)
    rows = summarise(lines)
    parts = tables(rows, len(runs))
    failures = unmet(rows)
    if out is not None:
        # of the runs, which may be older than the table
        made["commit"] = ", ".join(sorted({str(line["commit"]) for line in lines}))
        how = ["one thread", f"seeds {runs.start} to {runs.stop - 1}"]
        write_markdown(out / "planted_grid.md", made, how, parts)
        draw_grid(rows, out / "planted_grid.svg")
        print(f"written to {out}")
    for failure in failures:
        print(f"MISSED: {failure}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
