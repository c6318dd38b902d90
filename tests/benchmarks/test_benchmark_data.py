"""Graphs that benchmarks make and count directly: renumbered, planted piece by piece, MUTAG."""

import copy
import json

import large_planting
import networkx as nx
import numpy as np
import pytest
from direct_counts import (
    LabelledGraphs,
    check_pattern,
    check_words,
    count_by_igraph,
    count_by_networkx,
    count_directly,
    pattern_graph,
    read_labelled_graphs,
)
from large_planting import attachment_edges, write_planted_edges
from renumbered import renumber

from gomkcn_dgl import as_csr, read_graph, split_graphs
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.graph_classes import read_graph_classes
from gomkcn_dgl.kernels.search_numba import mix64
from mining import MiningRun, PatternMiner, bag_of_patterns, count_by_graph
from synthetic import MOTIFS


@pytest.mark.parametrize("directed", [False, True])
def test_renumbered_graphs_are_the_same_graphs(directed):
    rng = np.random.default_rng(0)
    parts = [nx.gnp_random_graph(n, 0.3, seed=n, directed=directed) for n in (6, 9, 12)]
    for part in parts:
        for ends in part.edges:
            part.edges[ends]["kind"] = f"r{rng.integers(3)}"
    # a feature tells each node again
    graph = as_csr(parts, features=np.arange(27.0), edge_type="kind" if directed else None)
    other = renumber(graph, np.random.default_rng(3))
    was = other.features[:, 0].astype(int)
    assert sorted(was) == list(range(27)) != was.tolist()
    assert other.relations == graph.relations

    def edges(graph, names):
        source, target, relation = graph.edges()
        ends = np.column_stack([names[source], names[target]])
        ends = ends if directed else np.sort(ends, axis=1)
        return set(map(tuple, np.column_stack([ends, relation]).tolist()))

    assert edges(other, was) == edges(graph, np.arange(27))
    # nodes of one graph stay together, and the graphs come in another order
    assert (np.diff(graph.graph_of(was)) != 0).sum() == 2
    assert np.diff(other.graph_ptr).tolist() != [6, 9, 12]
    assert (other.graph_of(np.arange(27)) == np.repeat([0, 1, 2], np.diff(other.graph_ptr))).all()
    sizes = np.diff(graph.graph_ptr)[graph.graph_of(was)]
    assert (sizes == np.diff(other.graph_ptr)[other.graph_of(np.arange(27))]).all()


def grown(num_nodes, per_node, seed):
    """The same edges, with all ends in a list."""
    key = mix64(np.array([seed + 1], np.uint64))
    ends = [end for leaf in range(1, per_node + 1) for end in (0, leaf)]
    for node in range(per_node + 1, num_nodes):
        num_before = len(ends)
        for _ in range(per_node):
            number = np.array([len(ends) // 2], np.uint64)
            entry = int(mix64(key ^ number)[0] % np.uint64(num_before))
            ends += [ends[entry], node]
    return np.array(ends).reshape(-1, 2)


@pytest.mark.parametrize(("num_nodes", "per_node"), [(2, 1), (60, 1), (60, 3), (9, 8)])
def test_edges_are_those_of_a_list_that_grows(num_nodes, per_node):
    expected = grown(num_nodes, per_node, seed=4)
    number = len(expected)
    np.testing.assert_array_equal(attachment_edges(0, number, per_node, seed=4), expected)
    parts = [attachment_edges(k, min(k + 7, number), per_node, seed=4) for k in range(0, number, 7)]
    np.testing.assert_array_equal(np.concatenate(parts), expected)


def test_copies_are_where_the_truth_says(tmp_path, monkeypatch):
    monkeypatch.setattr(large_planting, "EDGES_AT_ONCE", 11)
    motifs = {"house": 5, "wheel": 2, "square": 0}
    write_planted_edges(tmp_path / "g.parquet", 300, 2, motifs, seed=1)
    truth = json.loads((tmp_path / "g.truth.json").read_text())
    graph = read_graph(tmp_path / "g.parquet")
    assert graph.num_nodes == 300 + 7 * 6
    edges = {tuple(pair) for pair in graph.adjacent_pairs().tolist()}
    background = {tuple(edge) for edge in attachment_edges(0, 596, 2, seed=1).tolist()}
    assert background == {edge for edge in edges if max(edge) < 300}
    inside, attached = 0, 0
    for entry, (name, copies) in zip(truth["motifs"], motifs.items(), strict=True):
        assert (entry["name"], entry["copies"]) == (name, copies) == (name, len(entry["instances"]))
        for nodes in entry["instances"]:
            own = {(nodes.index(u), nodes.index(v)) for u, v in edges if {u, v} <= {*nodes}}
            assert {tuple(sorted(edge)) for edge in own} == {*MOTIFS[name].edges}
            inside += len(own)
            attached += sum(len({u, v} & {*nodes}) == 1 for u, v in edges)
    assert attached == 7 and len(edges) == len(background) + inside + attached


def labelled(graph, label="C"):
    nx.set_node_attributes(graph, label, "label")
    return graph


def test_both_counters_agree():
    rng = np.random.default_rng(0)
    for seed in range(20):
        graph = nx.gnp_random_graph(12, 0.3, seed=seed)
        nx.set_node_attributes(graph, {n: str(rng.choice(["C", "N"])) for n in graph}, "label")
        pattern = nx.convert_node_labels_to_integers(graph.subgraph(rng.choice(12, 4, False)))
        assert count_by_igraph(pattern, graph) == count_by_networkx(pattern, graph) > 0
    assert count_by_igraph(labelled(nx.path_graph(3)), labelled(nx.cycle_graph(4))) == 4


def test_counts_of_mutag(mutag):
    """Rings of six carbons, and chains."""
    direct = read_labelled_graphs(mutag)
    graph = read_graph(mutag, features=["labels"], relation="none")
    colors = np.full(6, graph.feature_names.index("label=C")), graph.features.argmax(axis=1)
    for pattern, known in ((nx.cycle_graph(6), (451, 186)), (nx.path_graph(6), (6218, 150))):
        counts = count_directly(labelled(pattern), direct)
        assert (sum(counts), sum(map(bool, counts))) == known
        structure = Structure.from_networkx(pattern)
        assert count_by_graph(graph, structure, colors).tolist() == counts


def test_all_that_is_said_of_mined_patterns_is_right(mutag):
    some = slice(0, 188, 5)
    direct = read_labelled_graphs(mutag)
    direct = LabelledGraphs(direct.graphs[some], direct.classes[some])
    assert direct.has_bonds
    graph = as_csr(split_graphs(read_graph(mutag, features=["labels"]))[some])
    classes = read_graph_classes(mutag)
    y = np.array(classes.names)[classes.labels][some]
    miner = PatternMiner(8, null=None, num_epochs=0).fit(graph, y)
    run = MiningRun.of(miner, graph)
    # rings of six atoms are among the motifs
    assert any(len(one.edges) == one.num_nodes == 6 for one in run.motif_set)
    bag = bag_of_patterns(run.patterns, graph)
    for pattern, column in zip(run.patterns, bag.T, strict=True):
        record = pattern.to_dict()
        assert check_pattern(record, direct) + check_words(record) == []
        assert column.tolist() == count_directly(pattern_graph(record), direct)
    # and what is wrong is found
    for change, words in (
        (lambda one: one["frequency"]["occurrences"].update(value=7.0), "7 occurrences"),
        (lambda one: one["frequency"].update(graphs=1), "1 graphs"),
        (lambda one: one["classes"]["contrasts"][1].update(containing=0), "class 1: containing"),
        (lambda one: one.update(description="cycle of 3 nodes: 2 bromine"), "a ring of 3"),
        (lambda one: one.update(description="path of 4 nodes: 9 carbon"), "the words have"),
    ):
        record = copy.deepcopy(run.patterns[0].to_dict())
        change(record)
        assert any(words in one for one in check_pattern(record, direct) + check_words(record))
