"""Two runs side by side: which patterns are the same, and what the terminal shows."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
from command_line import gomkcn, refused
from tiny_runs import pattern_of

from mining import GraphSummary, MiningRun
from mining.mining_run import compare_runs
from mining.pattern import Frequency, OccurrenceCount

FIVE = OccurrenceCount.exact(5)


def pattern(number, graph, features=None, names=("x",), count=FIVE):
    values = np.zeros(len(graph)) if features is None else np.array(features, float)
    made = pattern_of(graph, number, features=values.reshape(len(graph), -1))
    frequency = Frequency(count, 1, roots=7, assigned=6, listed=5, disjoint=4)
    return replace(made, feature_names=names, frequency=frequency)


def run(*patterns, names=("x",), source="graph.txt"):
    return MiningRun(GraphSummary(source, 1, 50, 60, names, 50, 0.5), list(patterns), [], {}, {})


def ids(comparison):
    return [(one.id, other.id) for one, other in comparison.shared]


def test_the_same_topology_is_found_whatever_its_node_numbers():
    ring = nx.cycle_graph(5)
    turned = nx.empty_graph(5)
    turned.add_edges_from([(3, 0), (0, 4), (4, 1), (1, 2), (2, 3)])
    first = run(pattern(0, nx.star_graph(3)), pattern(1, ring))
    second = run(pattern(0, turned), pattern(1, nx.path_graph(4)), pattern(2, nx.complete_graph(4)))
    comparison = compare_runs(first, second)
    assert ids(comparison) == [(1, 0)]
    assert [entry.id for entry in comparison.only_first] == [0]
    assert [entry.id for entry in comparison.only_second] == [1, 2]
    assert comparison.agreement == 0.4
    assert ids(compare_runs(second, first)) == [(0, 1)]
    assert compare_runs(run(), run()).agreement == 1.0


def test_categories_belong_to_the_structure_by_their_names():
    def path(number, *kinds):
        categories = tuple((f"kind={kind}",) for kind in kinds)
        plain = pattern(number, nx.path_graph(3))
        return replace(plain, structure=replace(plain.structure, categories=categories))

    first = run(path(0, "a", "b", "b"), path(1, "b", "a", "b"), pattern(2, nx.path_graph(3)))
    second = run(path(0, "b", "b", "a"), path(1, "c", "a", "c"), path(2, "a", "a", "b"))
    comparison = compare_runs(first, second)
    assert ids(comparison) == [(0, 0)]
    assert [entry.id for entry in comparison.only_first] == [1, 2]


def test_the_command_compares_two_folders(folder):
    nx.write_edgelist(nx.disjoint_union_all([nx.cycle_graph(5)] * 6), "graph.txt", data=False)
    gomkcn("mine graph.txt --out run --patterns 1 --size 5-5 --epochs 1 --null none --quiet")
    lines = gomkcn("compare run run").splitlines()
    assert lines[:2] == [
        f"{name} graph.txt: 30 nodes, 1 pattern" for name in ("first  ", "second ")
    ]
    assert lines[4].split()[:3] == ["0", "|", "0"]
    assert lines[-1] == "1 of 1 patterns in both runs"
    assert gomkcn("export run --out tables") == "tables/patterns.csv\ntables/occurrences.csv\n"
    rows, stored = pd.read_csv("tables/occurrences.csv"), pd.read_parquet("run/occurrences.parquet")
    assert rows["node"].tolist() == [node for nodes in stored["nodes"] for node in nodes]
    assert pd.read_csv("tables/patterns.csv")["occurrences"].tolist() == [6]
    assert "--format must be one of" in refused("export run --out tables --format xls")
    for command in ("compare run nowhere", "export nowhere --out tables"):
        assert refused(command).startswith("run folder 'nowhere' holds no")
