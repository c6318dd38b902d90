"""Which patterns separate the classes of MUTAG, with its bonds and without; is every number right?

Every number that the records say of a pattern (its occurrences, the graphs with it in each class,
odds ratios) is compared with direct counts from the text files, see
``direct_counts.py``; a difference ends the run.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import click
import numpy as np
from direct_counts import (
    LabelledGraphs,
    check_pattern,
    count_directly,
    pattern_graph,
    read_labelled_graphs,
)
from inputs import tu_folder
from record import Bench

from gomkcn.mining import MiningRun, PatternMiner
from gomkcn_dgl import CSRGraph, as_csr, read_graph
from gomkcn_dgl.io.graph_classes import read_graph_classes

# graphs with --quick
QUICK_GRAPHS = 40
# what is said of the bonds → the relation that is read
BONDS = {"with its bonds": None, "without bonds": "none"}


def find_differences(run: MiningRun, bag: np.ndarray, data: LabelledGraphs) -> list[str]:
    """What the records and the bag of patterns say that direct counts do not."""
    wrong = []
    for pattern, column in zip(run.patterns, bag.T, strict=True):
        record = json.loads(json.dumps(pattern.to_dict()))
        wrong += check_pattern(record, data)
        if column.tolist() != count_directly(pattern_graph(record), data):
            wrong.append(f"pattern {pattern.id}: its column of the bag")
    return wrong


def tabulate(bench: Bench, title: str, run: MiningRun) -> None:
    """One row a pattern: graphs with it in each class, and the strongest contrast."""
    compared = [pattern for pattern in run.patterns if pattern.classes is not None]
    first = compared[0].classes
    assert first is not None
    names = [f"{one.name} ({one.num_graphs})" for one in first.contrasts]
    columns = ("pattern", "in words", "occurrences", *(f"class {name}" for name in names))
    table = bench.table(
        title, dict.fromkeys((*columns, "odds ratio (95 %)", "of class", "adjusted p"), "")
    )
    for pattern in compared:
        assert pattern.classes is not None
        best = pattern.classes.strongest
        table.add(
            str(pattern.id),
            # as code: the brackets of a SMILES would be a link
            f"`{pattern.description}`",
            str(pattern.frequency.occurrences),
            *(str(one.containing) for one in pattern.classes.contrasts),
            "–" if best.odds_ratio is None else f"{best.odds_ratio:.3g} ({best.interval})",
            best.name,
            f"{pattern.classes.p_adjusted:.3g}",
        )


def read(
    folder: Path, relation: str | None, quick: bool
) -> tuple[CSRGraph, np.ndarray, LabelledGraphs]:
    """The graphs and classes as this project reads them, and as the files have them."""
    graph = read_graph(folder, features=["labels"], relation=relation)
    classes = read_graph_classes(folder)
    y, direct = np.array(classes.names)[classes.labels], read_labelled_graphs(folder)
    if quick:
        some = slice(QUICK_GRAPHS)
        direct = LabelledGraphs(direct.graphs[some], direct.classes[some])
        graph, y = as_csr(list(graph)[some]), y[some]
    return graph, y, direct


def main(bench: Bench) -> None:
    """Patterns that separate the classes, each number checked."""
    folder = tu_folder(bench.data, "MUTAG")
    if folder is None:
        bench.note("Skipped: MUTAG is not in the folder given by --data.")
        return
    options = {"null": None} if bench.quick else {}
    for words, relation in BONDS.items():
        graph, y, direct = read(folder, relation, bench.quick)
        start = time.perf_counter()
        miner = PatternMiner(values="occurrences", **options)
        run = MiningRun.of(miner.fit(graph, y), graph)
        seconds = time.perf_counter() - start
        if wrong := find_differences(run, miner.transform(graph), direct):
            raise click.ClickException("; ".join(wrong))
        name = f"MUTAG {words}"
        tabulate(bench, f"{name}: {graph.num_graphs} graphs; {seconds:.0f} s", run)
        bench.note(
            f"{name}: all numbers of {len(run.patterns)} patterns agree with direct counts from "
            "the files."
        )
