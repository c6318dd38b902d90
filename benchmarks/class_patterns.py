"""Which patterns separate the classes of MUTAG and of ENZYMES; is every number of them right?

Each data set is mined with the classes of its graphs. Everything that the records say of a pattern
(its occurrences, the graphs with it in each class, odds ratios, p, and its words) is compared with
direct counts from the text files, see ``direct_counts.py``; a difference ends the run.
Then a bag of patterns, mined in the training part of each fold alone, classifies the test part.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from direct_counts import (
    ENZYMES_CODES,
    LabelledGraphs,
    check_pattern,
    check_words,
    count_directly,
    pattern_graph,
    read_labelled_graphs,
)
from record import Bench
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from gomkcn_dgl import CSRGraph, as_csr, read_graph, split_graphs
from gomkcn_dgl.io.graph_classes import GraphClasses, read_graph_classes
from mining import MiningRun, PatternMiner, bag_of_patterns

FOLDS = 10
PATTERNS = 12
# features of a classifier, and how they are learnt: without null models, which are of no use there
BAG_SIZE = 40
# graphs of MUTAG with --quick
QUICK_GRAPHS = 40


@dataclass(frozen=True)
class DataSet:
    """A data set, how it is read, and where its folds are; None: stratified ones, by seed."""

    name: str
    glob: str
    relation: str | None = None
    label_names: Mapping[str, str] | None = None
    folds: str | None = None

    def read(self, data: Path) -> tuple[CSRGraph, GraphClasses, LabelledGraphs]:
        """The graphs and classes as this project reads them, and as the files have them."""
        (folder,) = data.glob(self.glob)
        graph = read_graph(
            folder, features=["labels"], relation=self.relation, label_names=self.label_names
        )
        classes = read_graph_classes(folder)
        assert classes is not None
        return graph, classes, read_labelled_graphs(folder, self.label_names)


MUTAG = DataSet("MUTAG with its bonds", "MUTAG_*")
ATOMS = DataSet("MUTAG without bonds", "MUTAG_*", relation="none")
ENZYMES = DataSet(
    "ENZYMES", "ENZYMES_*", label_names=ENZYMES_CODES, folds="splits/ENZYMES_splits.json"
)


def mine(graph: CSRGraph, y: np.ndarray, **options: Any) -> tuple[PatternMiner, MiningRun]:
    """The patterns that separate the classes most, described in words."""
    options |= {"level": "graph", "values": "occurrences"}
    miner = PatternMiner(num_patterns=PATTERNS, **options).fit(graph, y, quiet=True)
    return miner, MiningRun.of(miner, graph)


def find_differences(run: MiningRun, bag: np.ndarray, data: LabelledGraphs) -> list[str]:
    """What the records, the words and the bag of patterns say that direct counts do not."""
    wrong = []
    for pattern, column in zip(run.patterns, bag.T, strict=True):
        record = json.loads(json.dumps(pattern.to_dict()))
        wrong += check_pattern(record, data) + check_words(record)
        if column.tolist() != count_directly(pattern_graph(record), data):
            wrong.append(f"pattern {pattern.id}: its column of the bag")
    return wrong


def tabulate(bench: Bench, title: str, run: MiningRun) -> None:
    """One row a pattern: graphs with it in each class, and the strongest contrast."""
    first = run.patterns[0].classes
    assert first is not None
    names = [f"{one.name} ({one.num_graphs})" for one in first.contrasts]
    columns = ("pattern", "in words", "occurrences", *(f"class {name}" for name in names))
    table = bench.table(
        title, dict.fromkeys((*columns, "odds ratio (95 %)", "of class", "adjusted p"), "")
    )
    for pattern in run.patterns:
        assert pattern.classes is not None
        best = pattern.classes.strongest
        table.add(
            str(pattern.id),
            pattern.description,
            str(pattern.frequency.occurrences),
            *(str(one.containing) for one in pattern.classes.contrasts),
            f"{best.odds_ratio:.3g} ({best.low:.3g}–{best.high:.3g})",
            best.name,
            f"{pattern.classes.p_adjusted:.3g}",
        )


def compare_patterns(bench: Bench, sets: Sequence[DataSet]) -> None:
    """Tables of what separates the classes, each number checked; an error for a wrong one."""
    for one in sets:
        graph, classes, direct = one.read(bench.data)
        graph, labels, direct = _shorten(graph, classes.labels, direct, bench.quick)
        y = np.array(classes.names)[labels]
        start = time.perf_counter()
        options = {"null": None, "num_epochs": 0} if bench.quick else {}
        miner, run = mine(graph, y, **options)
        seconds = time.perf_counter() - start
        wrong = find_differences(run, miner.transform(graph), direct)
        if wrong:
            raise click.ClickException("; ".join(wrong))
        tabulate(bench, f"{one.name}: {graph.num_graphs} graphs; {seconds:.0f} s", run)
        bench.note(
            f"{one.name}: all numbers and words of {len(run.patterns)} patterns agree with direct "
            "counts from the files."
        )


def _shorten(
    graph: CSRGraph, labels: np.ndarray, direct: LabelledGraphs, quick: bool
) -> tuple[CSRGraph, np.ndarray, LabelledGraphs]:
    """The first graphs only, for a quick run."""
    if not quick:
        return graph, labels, direct
    some = slice(QUICK_GRAPHS)
    shorter = LabelledGraphs(direct.graphs[some], direct.classes[some])
    return as_csr(split_graphs(graph)[some]), labels[some], shorter


def folds(one: DataSet, data: Path, labels: np.ndarray, seed: int) -> Iterator[tuple[Any, Any]]:
    """Rows of the training and of the test part, the published ones where there are any."""
    if one.folds is None:
        splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        yield from splitter.split(labels[:, None], labels)
        return
    for fold in json.loads((data / one.folds).read_text("utf-8")):
        # the validation part is used for training: nothing is chosen by it
        (inner,) = fold["model_selection"]
        yield np.array(inner["train"] + inner["validation"]), np.array(fold["test"])


def compare_accuracy(bench: Bench, sets: Sequence[DataSet]) -> None:
    """Accuracy of a bag of patterns beside one of labels alone, fold by fold."""
    table = bench.table(
        f"Test accuracy in % over {FOLDS} folds, mean ± standard deviation",
        dict.fromkeys(("data set", "features", "logistic regression", "SVC", "s a fold"), ""),
    )
    for one in sets:
        graph, classes, direct = one.read(bench.data)
        graph, labels, direct = _shorten(graph, classes.labels, direct, bench.quick)
        graphs, scores, seconds = np.array(split_graphs(graph), object), {}, []
        for number, (train, test) in enumerate(folds(one, bench.data, labels, seed=0)):
            if bench.quick and number == 2:
                break
            start = time.perf_counter()
            miner = PatternMiner(
                num_patterns=BAG_SIZE, null=None, level="graph", values="log", num_epochs=0
            )
            miner.fit(list(graphs[train]), labels[train], quiet=True)
            bags = {
                f"bag of {BAG_SIZE} patterns": bag_of_patterns(miner.patterns_, graph),
                "bag of labels, nodes and edges": _label_counts(graph, graphs),
            }
            seconds.append(time.perf_counter() - start)
            for name, bag in bags.items():
                rows = np.log1p(bag)
                scores.setdefault(name, []).append(_accuracies(rows, labels, train, test))
        for name, found in scores.items():
            mean, spread = 100 * np.mean(found, axis=0), 100 * np.std(found, axis=0)
            both = (f"{m:.1f} ± {s:.1f}" for m, s in zip(mean, spread, strict=True))
            mined = f"{np.median(seconds):.0f}" if "patterns" in name else None
            table.add(one.name, name, *both, mined)
        share = np.bincount(labels).max() / len(labels)
        how = "folds stratified by seed 0" if one.folds is None else "published folds"
        bench.note(f"{one.name}: {share:.1%} of the graphs are of the largest class; {how}.")


def _label_counts(graph: CSRGraph, graphs: np.ndarray) -> np.ndarray:
    """Nodes of each label, nodes and edges of each graph."""
    labels = np.add.reduceat(graph.features, graph.graph_ptr[:-1], axis=0)
    sizes = [(one.num_nodes, one.num_edges) for one in graphs]
    return np.column_stack([labels, sizes])


def _accuracies(
    rows: np.ndarray, labels: np.ndarray, train: np.ndarray, test: np.ndarray
) -> list[float]:
    """Of both classifiers with their default settings; nothing is tuned."""
    models = [LogisticRegression(max_iter=5000), SVC()]
    return [
        make_pipeline(StandardScaler(), clone(model))
        .fit(rows[train], labels[train])
        .score(rows[test], labels[test])
        for model in models
    ]


def main(bench: Bench) -> None:
    """Patterns that separate classes of graphs, each number checked; accuracy of a bag of them."""
    sets = [one for one in (MUTAG, ATOMS, ENZYMES) if any(bench.data.glob(one.glob))]
    for one in (MUTAG, ATOMS, ENZYMES):
        if one not in sets:
            bench.note(f"{one.name} is not in the folder {bench.data}.")
    if bench.quick:
        sets = sets[:1]
    compare_patterns(bench, sets)
    compare_accuracy(bench, [one for one in sets if one is not ATOMS])
