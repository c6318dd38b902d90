"""Explanations: which graph node is which pattern node, and every difference is named."""

import itertools

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl import GOMKKernel
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining import FilterLearning, Occurrence, PatternMiner
from mining.explanation.occurrence_explanation import explain_node, explain_occurrence


def miner_of(graph, size, **settings):
    """A miner with the one pattern of a graph that repeats it."""
    settings = {"num_patterns": 1, "pattern_size": (size, size), "num_epochs": 0, **settings}
    miner = PatternMiner(null="none", **settings).fit(graph)
    assert len(miner.patterns_) == 1
    return miner


@pytest.fixture(scope="module")
def wheels():
    return nx.disjoint_union_all([nx.wheel_graph(6)] * 5)


@pytest.fixture(scope="module")
def wheel_miner(wheels):
    return miner_of(wheels, 6)


def mapped(explanation):
    return [pair.node for pair in explanation.pairs]


def graph_edges(explanation, edges):
    """Slot edges by the ids of the graph nodes."""
    names = [*mapped(explanation), *explanation.extra_nodes]
    return {frozenset((names[u], names[v])) for u, v in edges}


def is_isomorphism(explanation, graph):
    inside = {frozenset(edge) for edge in graph.subgraph(mapped(explanation)).edges}
    return inside == graph_edges(explanation, explanation.pattern.edges)


def test_an_exact_copy_agrees_at_all_levels(wheel_miner, wheels):
    explanation = explain_node(wheel_miner, wheels, 10)
    assert explanation.similarity == pytest.approx(1, abs=1e-6)
    assert explanation.levels == pytest.approx(np.ones((6, 4)), abs=1e-6)
    assert is_isomorphism(explanation, wheels)
    assert set(mapped(explanation)) == set(range(6, 12))
    assert explanation.shared_edges == explanation.pattern.edges
    assert explanation.missing_edges == explanation.extra_edges == ()
    assert explanation.extra_nodes == () and explanation.first_level is None
    number = mapped(explanation).index(10)
    assert str(explanation) == (
        f"Node 10 is pattern node {number} of pattern 0 (wheel with 5 spokes), "
        "similarity 1.00: all edges agree."
    )


@pytest.mark.parametrize("edge", [(0, 3), (1, 2)])
def test_a_missing_edge_and_one_beyond_the_pattern_are_named(wheel_miner, edge):
    wheel = nx.wheel_graph(6)
    wheel.remove_edge(*edge)
    explanation = explain_node(wheel_miner, wheel, 0)
    assert graph_edges(explanation, explanation.missing_edges) == {frozenset(edge)}
    assert explanation.extra_edges == () and len(explanation.shared_edges) == 9
    # features agree, the two ends have one neighbour less
    assert explanation.first_level == 1
    assert explanation.levels[:, 0].tolist() == [1.0] * 6
    levels = sorted(explanation.levels[:, 1].round(3).tolist())
    assert levels == [0.607, 0.607, 1, 1, 1, 1]
    names = [f": edge {u}–{v} is missing." for u, v in (edge, edge[::-1])]
    assert any(name in str(explanation) for name in names)
    wheel.add_edges_from([edge, (2, 4)])
    explanation = explain_node(wheel_miner, wheel, 0)
    assert graph_edges(explanation, explanation.extra_edges) == {frozenset((2, 4))}
    assert explanation.missing_edges == ()
    assert str(explanation).endswith("is beyond the pattern.")


def test_features_decide_between_symmetric_nodes():
    colors = np.linspace(0, 1, 6)
    rings = nx.disjoint_union_all([nx.cycle_graph(6)] * 5)
    miner = miner_of(as_csr(rings, features=np.tile(colors, 5)[:, None]), 6, tau=0.05)
    ring = as_csr(nx.cycle_graph(6), features=np.roll(colors, 2)[:, None])
    explanation = explain_node(miner, ring, 0)
    features = [ring.features[node, 0] for node in mapped(explanation)]
    assert features == pytest.approx(explanation.pattern.features[:, 0], abs=0.05)
    assert explanation.similarity > 0.99


def test_a_node_with_other_features():
    values = np.tile([[0.0, 1.0]], (30, 1)) + np.arange(30)[:, None] % 6 / 10
    ring = nx.cycle_graph(6)
    miner = miner_of(as_csr(nx.disjoint_union_all([ring] * 5), features=values), 6)
    changed = values[:6].copy()
    changed[2, 1] = 1.5
    explanation = explain_node(miner, as_csr(ring, features=changed), 2)
    (pair,) = [pair for pair in explanation.pairs if pair.feature is not None]
    assert (pair.node, pair.first_difference, explanation.first_level) == (2, 0, 0)
    assert (pair.feature.name, pair.feature.value) == ("x1", 1.5)
    assert pair.feature.expected == pytest.approx(1.2, abs=0.02)
    assert "node 2 (x1 is 1.5, 1.2 in the pattern) is different" in str(explanation)


@pytest.mark.parametrize("padding", ["match", "mask"])
def test_too_few_nodes(wheels, padding):
    miner = miner_of(wheels, 6, kernel=GOMKKernel(3, tau=0.5, padding=padding))
    explanation = explain_node(miner, nx.complete_graph(4), 2)
    assert sorted(node for node in mapped(explanation) if node is not None) == [0, 1, 2, 3]
    assert len(explanation.missing_nodes) == 2
    assert "are without a graph node" in str(explanation)
    # three on the rim and the hub, and the edge that closes them
    edges = (explanation.shared_edges, explanation.missing_edges, explanation.extra_edges)
    assert [len(one) for one in edges] == [5, 5, 1]
    absent = [pair.level_similarity for pair in explanation.pairs if pair.node is None]
    # masked padding is not compared
    assert (absent == [(0.0,) * 4] * 2) == (padding == "mask")


def test_a_node_beside_a_copy_has_its_own_neighbourhood():
    miner = miner_of(nx.disjoint_union_all([nx.cycle_graph(4)] * 5), 4)
    graph = nx.cycle_graph(4)
    graph.add_edge(1, 9)
    explanation = explain_node(miner, graph, 9)
    # of the four nodes that are compared, one is its only neighbour
    assert {1, 9} < set(mapped(explanation)) and explanation.extra_nodes == ()
    own = {frozenset(edge) for edge in graph.subgraph(mapped(explanation)).edges}
    shared, extra, missing = (
        graph_edges(explanation, edges)
        for edges in (
            explanation.shared_edges, explanation.extra_edges, explanation.missing_edges
        )
    )  # fmt: skip
    assert (shared | extra, len(shared | missing)) == (own, 4)
    assert len(missing) - len(extra) == 1
    assert explanation.similarity == pytest.approx(miner.transform(graph)[-1, 0], abs=1e-6)
    assert explanation.similarity < 0.99


def test_names_in_a_collection(wheel_miner):
    one = nx.relabel_nodes(nx.wheel_graph(6), dict(enumerate("abcdef")))
    other = nx.relabel_nodes(nx.wheel_graph(6), dict(enumerate("uvwxyz")))
    other.remove_edge("u", "w")
    explanation = explain_node(wheel_miner, [one, other], "u", graph_index=1)
    assert (explanation.graph, explanation.root) == (1, "u")
    assert str(explanation).startswith("Node u of graph 1 is pattern node")
    assert graph_edges(explanation, explanation.missing_edges) == {frozenset("uw")}


def test_the_pattern_of_the_same_structure_is_selected():
    """Without levels the kernel cannot tell the patterns apart, and the structure decides."""
    graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 6)
    miner = PatternMiner(2, (5, 5), num_epochs=0, num_levels=0, null="none").fit(graph)
    assert len(miner.patterns_) == 2
    assert miner.predict(graph).tolist() == [
        explain_node(miner, graph, node).pattern.id for node in graph
    ]
    for node in (0, 59):
        explanation = explain_node(miner, graph, node)
        assert is_isomorphism(explanation, graph)
        other = explain_node(miner, graph, node, pattern_id=1 - explanation.pattern.id)
        assert other.pattern.id == 1 - explanation.pattern.id
        assert not is_isomorphism(other, graph)


@pytest.mark.parametrize(
    "settings",
    [
        {"anchor_root": True},
        {"kernel": GOMKKernel(3, tau=0.5, matching="greedy", aggregation="sym")},
        {"learning": FilterLearning("bfs")},
    ],
    ids=str,
)
def test_every_kernel(wheels, settings):
    miner = miner_of(wheels, 6, **settings)
    similarity = miner.transform(wheels)[:, 0]
    # an anchored pattern is exact only around its own root
    node = int(similarity.argmax())
    explanation = explain_node(miner, wheels, node)
    assert explanation.similarity == pytest.approx(similarity[node], abs=1e-6)
    assert explanation.similarity > 0.99
    assert is_isomorphism(explanation, wheels)
    assert ((explanation.levels >= 0) & (explanation.levels <= 1 + 1e-6)).all()


def signed(edges):
    """A regulatory graph from ``(source, target, activates)``."""
    source, target, activates = np.array(edges).T
    return csr_from_edges(
        source, target, int(max(source.max(), target.max())) + 1, directed=True,
        relation=1 - activates, relation_names=["activates", "represses"],
    )  # fmt: skip


@pytest.fixture(scope="module")
def loops():
    """Feed-forward loops: the first node activates the second one, and both repress the third."""
    one = [(0, 1, 1), (0, 2, 0), (1, 2, 0)]
    return miner_of(signed([(u + 3 * i, v + 3 * i, a) for i in range(6) for u, v, a in one]), 3)


@pytest.mark.parametrize(
    ("edges", "text"),
    [
        ([(0, 1, 1), (0, 2, 0), (1, 2, 0)], "all edges agree"),
        ([(0, 1, 1), (0, 2, 0), (1, 2, 1)], "edge 1→2 is “activates”, not “represses”"),
        ([(0, 1, 1), (0, 2, 0), (2, 1, 0)], "edge 1→2 (represses) is reversed"),
        ([(0, 1, 1), (0, 2, 0)], "edge 1→2 (represses) is missing"),
        ([(0, 1, 1), (0, 2, 0), (1, 2, 0), (2, 1, 1)],
         "edge 2→1 (activates) is beyond the pattern"),
    ],
)  # fmt: skip
def test_differences_of_arcs_are_named(loops, edges, text):
    explanation = explain_occurrence(loops, signed(edges), 0, Occurrence(mapping_of(loops), 1.0))
    assert str(explanation).endswith(f": {text}.")
    assert len(explanation.shared_edges) + len(explanation.missing_edges) == 3


def mapping_of(loops):
    """Nodes 0, 1 and 2 of a loop in the order of the pattern's nodes."""
    pattern = loops.patterns_[0]
    out_degree = [sum(u == node for u, _ in pattern.edges) for node in range(3)]
    return tuple(2 - degree for degree in out_degree)


def test_the_node_mapping_follows_the_arcs(loops):
    """Whatever the order of the nodes, the copy is mapped so that no arc is reversed."""
    for order in itertools.permutations(range(3)):
        graph = signed([(order[0], order[1], 1), (order[0], order[2], 0), (order[1], order[2], 0)])
        explanation = explain_node(loops, graph, 0)
        assert str(explanation).endswith("similarity 1.00: all edges agree.")
        assert tuple(order.index(node) for node in mapped(explanation)) == mapping_of(loops)
        assert "<svg" in explanation._repr_html_()


def test_a_pattern_with_several_kinds_of_features():
    """Each place is compared with those that it is nearest to, and no other pattern is meant."""
    cliques, rings = [nx.complete_graph(4)] * 20, [nx.cycle_graph(4)] * 9
    kinds = np.repeat([0.0, 1.0, 0.5], [40, 40, 36]) + np.tile([0, 0.01, 0.02, 0.03], 29)
    graph = as_csr(nx.disjoint_union_all(cliques + rings), features=kinds[:, None])
    settings = {"num_epochs": 0, "null": "none", "min_occurrences": 3}
    learning = FilterLearning(feature_contrast=1.0)
    miner = PatternMiner(8, (4, 4), learning=learning, **settings).fit(graph)
    assert [len(one.profiles) > 1 for one in miner.patterns_].count(True) >= 1
    for pattern in miner.patterns_:
        for number, one in enumerate(pattern.occurrences):
            explanation = explain_occurrence(miner, graph, pattern.id, number)
            assert explanation.similarity == pytest.approx(one.similarity, abs=1e-5)
            assert explanation.missing_edges == ()
            root = one.nodes[0]
            assert explain_node(miner, graph, root).pattern is pattern


def test_the_node_mapping_is_that_of_the_record(wheel_miner, wheels):
    pattern = wheel_miner.patterns_[0]
    for number, occurrence in enumerate(pattern.occurrences):
        explanation = explain_occurrence(wheel_miner, wheels, 0, number)
        assert tuple(mapped(explanation)) == occurrence.nodes
        assert explanation.similarity == pytest.approx(occurrence.similarity, abs=1e-6)
        assert explanation.root is None
        assert explanation.shared_edges == pattern.edges
    assert str(explanation).startswith("The occurrence at ")
    assert explain_occurrence(wheel_miner, wheels, 0, occurrence) == explanation


@pytest.mark.parametrize("copy", [1, 6])
def test_the_nodes_of_an_occurrence_are_compared_and_no_others(wheel_miner, copy):
    # a chain of wheels: their nodes have further neighbours
    graph = nx.disjoint_union_all([nx.wheel_graph(6)] * 7)
    graph.add_edges_from((6 * i + 5, 6 * i + 6) for i in range(6))
    first = wheel_miner.patterns_[0].occurrences[0]
    nodes = tuple(6 * copy + node % 6 for node in first.nodes)
    explanation = explain_occurrence(wheel_miner, graph, 0, Occurrence(nodes, 1.0))
    assert (tuple(mapped(explanation)), explanation.extra_nodes) == (nodes, ())
    assert explanation.similarity == pytest.approx(1)
    some = (*nodes[:4], None, None)
    explanation = explain_occurrence(wheel_miner, graph, 0, Occurrence(some, 0.5))
    assert (tuple(mapped(explanation)), explanation.missing_nodes) == (some, (4, 5))


@pytest.mark.parametrize(
    ("explain", "options", "message"),
    [
        (explain_node, {"node": 99}, "node must be an id of graph 0"),
        (explain_node, {"node": 0, "graph_index": 1}, "graph_index must be at most 0"),
        (explain_node, {"node": 0, "pattern_id": 4}, r"pattern_id must be one of \[0\]"),
        (explain_occurrence, {"occurrence": 5}, "occurrence must be at most 4"),
        (explain_occurrence, {"occurrence": Occurrence((0, 1), 1.0)}, "must have 6 nodes"),
        (explain_occurrence, {"occurrence": Occurrence((0, 1, 2, 3, 4, 4), 1.0)}, "different"),
    ],
)
def test_refusals(wheel_miner, wheels, explain, options, message):
    own = {"pattern_id": 0} if explain is explain_occurrence else {}
    with pytest.raises(InputError, match=message):
        explain(wheel_miner, wheels, **own, **options)


def test_a_notebook_shows_the_drawing_and_escapes_names(wheel_miner):
    graph = nx.relabel_nodes(nx.wheel_graph(6), {0: "<b>", **{n: str(n) for n in range(1, 6)}})
    page = explain_node(wheel_miner, graph, "<b>")._repr_html_()
    assert "<svg" in page
    assert "&lt;b&gt;" in page and "<b>" not in page
    assert page.count("<tr>") == 7 and "<th>level 3</th>" in page
