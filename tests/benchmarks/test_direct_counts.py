"""What is said of MUTAG agrees with direct counts from its files, by two counters that agree."""

import copy
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from direct_counts import (
    LabelledGraphs,
    check_pattern,
    contained_directly,
    count_by_igraph,
    count_by_networkx,
    count_directly,
    pattern_graph,
    read_labelled_graphs,
)

from gomkcn.mining import MiningRun, PatternMiner
from gomkcn.mining.counting.pattern_counts import bag_of_patterns
from gomkcn.mining.significance.verdicts import class_contrasts
from gomkcn.mining.structures.pattern import ClassDifference
from gomkcn_dgl import as_csr, read_graph
from gomkcn_dgl.io.graph_classes import read_graph_classes


def test_both_counters_agree():
    rng = np.random.default_rng(0)
    for seed in range(20):
        graph = nx.gnp_random_graph(12, 0.3, seed=seed)
        nx.set_node_attributes(graph, {n: str(rng.choice(["C", "N"])) for n in graph}, "label")
        pattern = nx.convert_node_labels_to_integers(graph.subgraph(rng.choice(12, 4, False)))
        assert count_by_igraph(pattern, graph) == count_by_networkx(pattern, graph) > 0


@pytest.mark.slow
def test_all_that_is_said_of_mined_patterns_is_right(mutag):
    some = slice(0, 188, 24)
    direct = read_labelled_graphs(mutag)
    direct = LabelledGraphs(direct.graphs[some], direct.classes[some])
    assert direct.has_bonds
    graph = as_csr(read_graph(mutag, features=["labels"])[some])
    classes = read_graph_classes(mutag)
    y = np.array(classes.names)[classes.labels][some]
    miner = PatternMiner(pattern_size="3-5", null=None).fit(graph, y)
    run = MiningRun.of(miner, graph)
    bag = bag_of_patterns(run.patterns, graph)
    for pattern, column in zip(run.patterns, bag.T, strict=True):
        record = pattern.to_dict()
        assert check_pattern(record, direct) == []
        assert column.tolist() == count_directly(pattern_graph(record), direct)
    # and what is wrong is found, also of classes
    first = run.patterns[0]
    contains = contained_directly(pattern_graph(first.to_dict()), direct)
    columns = np.array(contains)[:, None]
    (contrasts,) = class_contrasts(columns, classes.labels[some], classes.names)
    told = replace(first, classes=ClassDifference(contrasts, 1.0))
    assert check_pattern(told.to_dict(), direct) == []
    for change, words in (
        (lambda one: one["frequency"]["occurrences"].update(value=7.0), "7 occurrences"),
        (lambda one: one["frequency"].update(graphs=1), "1 graphs"),
        (lambda one: one["classes"]["contrasts"][1].update(containing=0), "class 1: containing"),
    ):
        record = copy.deepcopy(told.to_dict())
        change(record)
        assert any(words in one for one in check_pattern(record, direct))
