"""Bag of patterns: counts beside NetworkX, literal ones, laws, estimates, refusals."""

import logging

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.isomorphism import DiGraphMatcher, GraphMatcher, categorical_node_match

from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import edge_channels, relations_of
from mining import pattern_counts
from mining.pattern import OccurrenceCount, Pattern
from mining.pattern_counts import bag_of_patterns

NAMES = ("kind=a", "kind=b")


def pattern_of(graph, number=0):
    """A pattern with the edges of a NetworkX graph, and its attribute ``kind`` as categories."""
    kinds = [kind for _, kind in graph.nodes(data="kind")]
    categories = () if kinds[0] is None else tuple((f"kind={kind}",) for kind in kinds)
    relations = relations_of(["edge"], [graph.is_directed()])
    edges = list(graph.edges)
    channels = edge_channels(len(graph), edges, [0] * len(edges), relations)
    return Pattern(Structure(channels, relations, categories), id=number)


def with_kinds(graph, kinds):
    nx.set_node_attributes(graph, dict(zip(graph, kinds, strict=True)), "kind")
    one_hot = {node: [float(kind == "a"), float(kind == "b")] for node, kind in graph.nodes("kind")}
    nx.set_node_attributes(graph, one_hot, "feat")
    return graph


def places(pattern, graph):
    """Node sets of a graph that induce a pattern, by NetworkX."""
    matcher = DiGraphMatcher if graph.is_directed() else GraphMatcher
    found = matcher(graph, pattern, categorical_node_match("kind", None))
    return {frozenset(mapping) for mapping in found.subgraph_isomorphisms_iter()}


def random_collection(kind):
    """Random graphs and the connected patterns of some of their nodes."""
    rng, directed = np.random.default_rng(5), kind == "directed"
    graphs = [
        nx.gnp_random_graph(int(rng.integers(4, 12)), 0.35, seed=seed, directed=directed)
        for seed in range(8)
    ]
    if kind == "categories":
        graphs = [with_kinds(graph, rng.choice(["a", "b"], len(graph))) for graph in graphs]
    patterns = []
    for size in (1, 2, 3, 4, 5):
        for graph in graphs:
            part = graph.subgraph(rng.choice(len(graph), min(size, len(graph)), replace=False))
            if nx.is_connected(part.to_undirected()):
                patterns.append(nx.convert_node_labels_to_integers(part))
    return graphs, patterns


@pytest.mark.parametrize("kind", ["plain", "directed", "categories"])
def test_counts_beside_networkx(kind):
    graphs, structures = random_collection(kind)
    assert len(structures) > 12
    patterns = [pattern_of(one, number) for number, one in enumerate(structures)]
    collection = as_csr(graphs)
    if kind == "categories":
        collection = as_csr(graphs, features="kind")
        assert collection.feature_names == NAMES
    bag = bag_of_patterns(patterns, collection)
    at_nodes = bag_of_patterns(patterns, collection, level="node")
    for column, structure in enumerate(structures):
        found = [places(structure, graph) for graph in graphs]
        assert bag[:, column].tolist() == [len(own) for own in found]
        expected = [
            sum(node in place for place in own)
            for graph, own in zip(graphs, found, strict=True)
            for node in graph
        ]
        assert at_nodes[:, column].tolist() == expected


def test_literal_counts():
    graphs = [nx.complete_graph(5), nx.star_graph(3), nx.cycle_graph(4)]
    patterns = [pattern_of(nx.complete_graph(3)), pattern_of(nx.path_graph(3), 1)]
    assert bag_of_patterns(patterns, graphs).tolist() == [[10, 0], [0, 3], [0, 4]]
    at_nodes = bag_of_patterns(patterns, graphs, level="node")
    # the hub of the star is in all of its paths, each leaf in two
    assert at_nodes.tolist() == [[6, 0]] * 5 + [[0, 3]] + [[0, 2]] * 3 + [[0, 3]] * 4
    assert bag_of_patterns([], graphs).shape == (3, 0)


def test_the_order_of_the_graphs_changes_nothing():
    graphs, structures = random_collection("categories")
    patterns = [pattern_of(one, number) for number, one in enumerate(structures)]
    order = np.random.default_rng(0).permutation(len(graphs))
    bag = bag_of_patterns(patterns, as_csr(graphs, features="kind"))
    turned = as_csr([graphs[number] for number in order], features="kind")
    np.testing.assert_array_equal(bag_of_patterns(patterns, turned), bag[order])


@pytest.mark.parametrize("level", ["graph", "node"])
def test_estimates_where_steps_are_few(level, caplog, monkeypatch):
    monkeypatch.setattr("mining.pattern_counts._MOST_PLACES", 50_000)
    graphs = [nx.gnp_random_graph(70, 0.2, seed=seed) for seed in range(3)]
    pattern = pattern_of(nx.path_graph(6))
    exact = bag_of_patterns([pattern], graphs, max_steps=10**10)
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        estimated = bag_of_patterns([pattern], graphs, level=level, max_steps=3 * 10**6)
    assert f"occurrences by {level} are estimated" in caplog.text
    if level == "node":
        # each occurrence is at six nodes
        estimated = np.add.reduceat(estimated, [0, 70, 140], axis=0) / 6
    assert (estimated != exact).all()
    np.testing.assert_allclose(estimated, exact, rtol=0.2)


def test_estimates_of_all_graphs_take_together_as_many_steps_as_they_may(monkeypatch):
    given = []

    def count(graph, structure, colors, max_steps, **options):
        given.append(max_steps)
        return OccurrenceCount.exact(1)

    monkeypatch.setattr(pattern_counts, "count_by_graph", lambda *_: None)
    monkeypatch.setattr(pattern_counts, "count_occurrences", count)
    bag_of_patterns([pattern_of(nx.path_graph(3))], [nx.path_graph(3)] * 4, max_steps=4 * 10**7)
    assert given == [10**7] * 4
