"""Explanations: which graph node is which pattern node, and every difference is named."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining import Occurrence, PatternMiner, explain_node, explain_occurrence


def miner_of(graph, size):
    return PatternMiner(pattern_size=size, null="none").fit(graph)


@pytest.fixture(scope="module")
def wheels():
    return nx.disjoint_union_all([nx.wheel_graph(6)] * 5)


@pytest.fixture(scope="module")
def miner(wheels):
    return miner_of(wheels, 6)


def named(explanation, rows):
    """Edges by the ids of the graph nodes."""
    return {frozenset((explanation.nodes[u], explanation.nodes[v])) for u, v, _ in rows}


def test_an_exact_copy_agrees(miner, wheels):
    explanation = explain_node(miner, wheels, 10)
    assert set(explanation.nodes) == set(range(6, 12))
    inside = {frozenset(edge) for edge in wheels.subgraph(explanation.nodes).edges}
    assert named(explanation, explanation.shared) == inside
    letter = "ABCDEF"[explanation.nodes.index(10)]
    assert str(explanation) == (
        f"Node 10 is pattern node {letter} of pattern 0 (wheel with 5 spokes): all edges agree."
    )
    assert letter in explanation._repr_html_()


@pytest.mark.parametrize("edge", [(0, 3), (1, 2)])
def test_a_missing_edge_and_one_beyond_the_pattern_are_named(miner, edge):
    wheel = nx.wheel_graph(6)
    wheel.remove_edge(*edge)
    explanation = explain_node(miner, wheel, 0)
    assert named(explanation, explanation.missing) == {frozenset(edge)}
    assert explanation.extra == () and len(explanation.shared) == 9
    wheel.add_edges_from([edge, (2, 4)])
    explanation = explain_node(miner, wheel, 0)
    assert named(explanation, explanation.extra) == {frozenset((2, 4))}
    assert str(explanation).endswith("is beyond the pattern.")


def test_too_few_nodes(miner):
    explanation = explain_node(miner, nx.complete_graph(4), 2)
    assert sorted(node for node in explanation.nodes if node is not None) == [0, 1, 2, 3]
    assert "are without a graph node" in str(explanation)


def test_features_decide_between_symmetric_nodes_and_are_named():
    colors = np.linspace(0, 1, 6)
    rings = nx.disjoint_union_all([nx.cycle_graph(6)] * 5)
    features = np.tile(colors, 5)[:, None]
    miner = miner_of(as_csr(rings, features=features), 6)
    ring = as_csr(nx.cycle_graph(6), features=np.roll(colors, 2)[:, None])
    explanation = explain_node(miner, ring, 0, pattern_id=0)
    found = [ring.features[node, 0] for node in explanation.nodes]
    assert found == pytest.approx(explanation.pattern.features[:, 0], abs=0.05)
    assert explanation.features == {}


def test_directions_are_kept():
    first = 3 * np.arange(10)
    arcs = np.concatenate([[first, first + 1], [first, first + 2], [first + 1, first + 2]], axis=1)
    graph = csr_from_edges(*arcs, 30, features=np.ones(30), directed=True)
    miner = PatternMiner(null="none", given=["a->b, a->c, b->c"]).fit(graph)
    explanation = explain_occurrence(miner, graph, 0, 0)
    assert explanation.missing == explanation.extra == () and len(explanation.shared) == 3
    turned = Occurrence(tuple(reversed(miner.patterns_[0].occurrences[0].nodes)), 1.0)
    assert "missing" in str(explain_occurrence(miner, graph, 0, turned))


def test_refusals(miner, wheels):
    with pytest.raises(InputError, match="node must be an id of graph 0"):
        explain_node(miner, wheels, 99)
    with pytest.raises(InputError, match="pattern_id must be one of"):
        explain_occurrence(miner, wheels, 99, 0)
    with pytest.raises(InputError, match="occurrence must hold different nodes"):
        explain_occurrence(miner, wheels, 0, Occurrence((0, 0, 1, 2, 3, 4), 1.0))
