"""Shares of structures and their errors: equal to counting again without each unit."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from gomkcn.mining.counting.census import count_structures
from gomkcn.mining.patterns import measured_graph
from gomkcn.mining.patterns.measured_graph import measure_graph, without_nodes
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl import as_csr
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.steps import Steps

SPARSE = nx.gnp_random_graph(13, 0.3, seed=3)
DIRECTED = nx.gnp_random_graph(11, 0.25, seed=2, directed=True)


def measured(graph, steps=None, seed=0):
    mined = MinedGraph.of(graph)
    rules = PatternMiner().choice_rules(mined.graph, seed)
    return measure_graph(mined, rules, Steps() if steps is None else steps)


def shares(graphs, sizes):
    """The share of each structure, by its key, in some graphs together, counted one by one."""
    totals = {}
    for graph in graphs:
        for one, number in count_structures(as_csr(graph), sizes).items():
            totals.setdefault(one, 0)
            totals[one] += number
    found = {}
    for one, number in totals.items():
        all_of_size = sum(of for other, of in totals.items() if other.num_nodes == one.num_nodes)
        found[one.key] = number / all_of_size if all_of_size else 0.0
    return found


def errors(without):
    """The delete-one jackknife, written down."""
    keys = set().union(*without)
    found = {}
    for key in keys:
        values = np.array([shares.get(key, 0.0) for shares in without])
        found[key] = np.sqrt(
            (len(values) - 1) / len(values) * np.sum((values - values.mean()) ** 2)
        )
    return found


def assert_measured(found, expected, without):
    expected_errors = errors(without)
    assert {one.key for one in found.structures} >= {key for key in expected if expected[key]}
    for one, share, error in zip(found.structures, found.shares, found.errors, strict=True):
        assert share == pytest.approx(expected.get(one.key, 0.0))
        assert error == pytest.approx(expected_errors.get(one.key, 0.0), abs=1e-12)


@pytest.mark.parametrize(("graph", "sizes"), [(SPARSE, range(3, 6)), (DIRECTED, range(3, 5))])
def test_a_graph_is_measured_as_by_counting_again_without_each_node(graph, sizes):
    found = measured(graph)
    assert (found.unit, found.num_units) == ("nodes", len(graph))
    without = []
    for node in graph:
        rest = graph.copy()
        rest.remove_node(node)
        without.append(shares([rest], sizes))
    assert_measured(found.measured, shares([graph], sizes), without)
    counts = count_structures(as_csr(graph), sizes)
    by_key = {one.key: number for one, number in counts.items()}
    for one, number in zip(found.measured.structures, found.measured.counts, strict=True):
        assert by_key[one.key] == number


@pytest.mark.parametrize("is_directed", [False, True])
def test_a_collection_of_many_graphs_is_a_sample_of_graphs(is_directed):
    graphs = [nx.gnp_random_graph(7, 0.4, seed=k, directed=is_directed) for k in range(21)]
    found = measured(graphs)
    assert (found.unit, found.num_units) == ("graphs", 21)
    sizes = range(3, 5) if is_directed else range(3, 6)
    without = [shares(graphs[:k] + graphs[k + 1 :], sizes) for k in range(21)]
    assert_measured(found.measured, shares(graphs, sizes), without)
    # of a few graphs, nodes are the sample
    assert measured(graphs[:20]).unit == "graphs"
    assert measured(graphs[:19]).unit == "nodes"


def test_a_larger_graph_with_directions_is_counted_without_groups_of_nodes():
    graph = nx.gnp_random_graph(90, 0.05, seed=2, directed=True)
    found = measured(graph)
    assert (found.unit, found.num_units) == ("nodes", 40)
    # the groups are others with another seed, and the error about the same
    other = measured(graph, seed=1)
    assert not np.array_equal(found.measured.errors, other.measured.errors)
    np.testing.assert_array_equal(found.measured.shares, other.measured.shares)
    large = found.measured.shares > 0.05
    ratio = found.measured.errors[large] / other.measured.errors[large]
    assert large.sum() > 3 and (ratio > 0.5).all() and (ratio < 2).all()


def test_the_numbers_of_nodes_do_not_matter():
    order = np.random.default_rng(0).permutation(11).tolist()
    renumbered = nx.relabel_nodes(DIRECTED, dict(enumerate(order)))
    first, second = measured(DIRECTED).measured, measured(renumbered).measured
    assert {one.key: e for one, e in zip(first.structures, first.errors, strict=True)} == (
        pytest.approx({one.key: e for one, e in zip(second.structures, second.errors, strict=True)})
    )


def test_without_nodes_is_the_induced_subgraph():
    csr = as_csr(DIRECTED)
    is_out = np.arange(11) % 3 == 0
    rest = nx.convert_node_labels_to_integers(DIRECTED.subgraph(np.flatnonzero(~is_out).tolist()))
    cut, expected = without_nodes(csr, is_out), as_csr(rest)
    np.testing.assert_array_equal(cut.indptr, expected.indptr)
    np.testing.assert_array_equal(cut.indices, expected.indices)
    np.testing.assert_array_equal(cut.links, expected.links)


def test_sizes_that_take_long_are_left_out():
    mined = MinedGraph.of(SPARSE)
    rules = PatternMiner().choice_rules(mined.graph)
    few = measure_graph(mined, replace(rules, most_steps=500_000), Steps()).measured
    assert {one.num_nodes for one in few.structures} == {3, 4}
    none = measure_graph(mined, replace(rules, most_steps=1), Steps()).measured
    assert not none.structures


def test_when_time_is_up_a_small_graph_is_still_measured():
    late = Steps(interrupts=Interrupts(1e-9))
    assert len(measured(SPARSE, late).measured.structures) == 29
    mined = MinedGraph.of(SPARSE)
    rules = replace(PatternMiner().choice_rules(mined.graph), late_steps=0.0)
    assert not measure_graph(mined, rules, late).measured.structures


def test_large_rows_are_taken_in_pieces(monkeypatch):
    whole = measured(SPARSE).measured.errors
    monkeypatch.setattr(measured_graph, "_NODES_AT_ONCE", 4)
    np.testing.assert_array_equal(measured(SPARSE).measured.errors, whole)
