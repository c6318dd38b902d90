"""Patterns as features of graphs and nodes: bags beside NetworkX, pipelines, names, tags."""

import logging

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from by_networkx import induced
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from gomkcn.mining import FilterLearning, FilterMiner, PatternMiner
from gomkcn.mining.counting import pattern_counts
from gomkcn.mining.counting.pattern_counts import bag_of_patterns
from gomkcn.mining.structures.pattern import OccurrenceCount, Pattern
from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import edge_channels, relations_of

NAMES = ("kind=a", "kind=b")


def pattern_of(graph, number=0):
    """A pattern with the edges of a NetworkX graph, and its attribute ``kind`` as categories."""
    kinds = [kind for _, kind in graph.nodes(data="kind")]
    categories = () if kinds[0] is None else tuple((f"kind={kind}",) for kind in kinds)
    relations = relations_of(["edge"], [graph.is_directed()])
    edges = list(graph.edges)
    channels = edge_channels(len(graph), edges, [0] * len(edges), relations)
    return Pattern(Structure.of_channels(channels, relations, categories), id=number)


def with_kinds(graph, kinds):
    nx.set_node_attributes(graph, dict(zip(graph, kinds, strict=True)), "kind")
    one_hot = {node: [float(kind == "a"), float(kind == "b")] for node, kind in graph.nodes("kind")}
    nx.set_node_attributes(graph, one_hot, "feat")
    return graph


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
        found = [induced(graph, structure, "kind") for graph in graphs]
        assert bag[:, column].tolist() == [len(own) for own in found]
        expected = [
            sum(node in place for place in own)
            for graph, own in zip(graphs, found, strict=True)
            for node in graph
        ]
        assert at_nodes[:, column].tolist() == expected
    assert bag_of_patterns([], graphs).shape == (8, 0)


@pytest.mark.parametrize("level", ["graph", "node"])
def test_estimates_where_steps_are_few(level, caplog):
    graphs = [nx.gnp_random_graph(70, 0.2, seed=seed) for seed in range(3)]
    pattern = pattern_of(nx.path_graph(6))
    exact = bag_of_patterns([pattern], graphs, max_steps=10**10)
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        estimated = bag_of_patterns(
            [pattern], graphs, level=level, max_steps=3 * 10**6, max_places=50_000
        )
    assert f"occurrences by {level} are estimated" in caplog.text
    if level == "node":
        # each occurrence is at six nodes
        estimated = np.add.reduceat(estimated, [0, 70, 140], axis=0) / 6
    assert (estimated != exact).all()
    np.testing.assert_allclose(estimated, exact, rtol=0.2)


def rings_or_cliques(num_graphs=16, seed=0):
    """Trees to which rings or cliques of five nodes are joined, and which of the two."""
    rng = np.random.default_rng(seed)
    graphs, labels = [], []
    for number in range(num_graphs):
        label = number % 2
        part = nx.complete_graph(5) if label else nx.cycle_graph(5)
        tree = nx.random_labeled_tree(8, seed=int(rng.integers(1000)))
        graph = nx.disjoint_union_all([tree, *[part] * int(rng.integers(1, 4))])
        graph.add_edges_from((0, start) for start in range(8, len(graph), 5))
        graphs.append(graph)
        labels.append(["ring", "clique"][label])
    return graphs, np.array(labels)


def miner(**options):
    filters = FilterMiner(4, filter_size=5, learning=FilterLearning(num_epochs=0))
    defaults = {"pattern_size": (5, 5), "sources": "filters", "values": "occurrences", "null": None}
    return PatternMiner(**{**defaults, "filters": filters, **options})


@pytest.fixture(scope="module")
def data():
    return rings_or_cliques()


@pytest.fixture(scope="module")
def fitted(data):
    return miner().fit(data[0])


def with_values(fitted, **options):
    """A copy that turns graphs into other values."""
    again = clone(fitted).set_params(**options)
    again.__dict__.update({k: v for k, v in vars(fitted).items() if k.endswith("_")})
    return again


def test_occurrences_are_those_of_the_patterns(data, fitted):
    bag = fitted.transform(data[0])
    assert bag.shape == (16, len(fitted.patterns_))
    assert bag.sum(axis=0).tolist() == [p.frequency.count for p in fitted.patterns_]
    assert (bag > 0).sum(axis=0).tolist() == [p.frequency.graphs for p in fitted.patterns_]
    np.testing.assert_array_equal(
        with_values(fitted, values="log").transform(data[0]), np.log1p(bag)
    )
    # what leads a difference between classes is reported as well
    table = miner().fit_transform(*data)
    np.testing.assert_array_equal(table[:, : bag.shape[1]], bag)


def test_copies_of_motifs_are_the_default(data):
    copies = PatternMiner(null=None).fit(data[0])
    table, found = copies.transform(data[0]), copies.motif_set_
    np.testing.assert_array_equal(table, found.transform(data[0]))
    # also copies that a set has no bits for
    assert (table[:, :-1].sum(axis=0) >= [one.motif.num_copies for one in found]).all()
    assert copies.get_feature_names_out().tolist() == [*found.names, "left over"]
    nodes = clone(copies).fit(data[0][0])
    assert nodes.transform(data[0]).shape == (as_csr(data[0]).num_nodes, 3)
    assert nodes.get_feature_names_out().tolist() == ["motif", "copy", "orbit"]


def test_a_pipeline_classifies_graphs_it_has_not_seen(data):
    pipeline = make_pipeline(miner(values="log"), LogisticRegression())
    pipeline.fit(*data)
    graphs, labels = rings_or_cliques(10, seed=7)
    assert (pipeline.predict(graphs) == labels).all()
    assert pipeline[:-1].get_feature_names_out().tolist() == [
        f"{number}: {one.name}" for number, one in enumerate(pipeline[0].patterns_)
    ]
    assert "clique of 5 nodes" in {one.name for one in pipeline[0].patterns_}


def test_without_patterns_there_are_no_columns():
    for graphs, number in ((nx.path_graph(3), 3), ([nx.path_graph(3)] * 2, 2)):
        nothing = miner(sources="grown", filters="none").fit(graphs)
        assert (
            nothing.transform(graphs).shape
            == with_values(nothing, values="log").transform(graphs).shape
            == (number, 0)
        )
        assert nothing.get_feature_names_out().shape == (0,)
    # null models are turned off
    assert [miner(null=one).settings.nulls for one in (None, "none", ("none",), ())] == [()] * 4


def test_names_containers_and_tags(data, fitted):
    table = with_values(fitted).set_output(transform="pandas").transform(data[0])
    assert isinstance(table, pd.DataFrame)
    assert table.columns.tolist() == fitted.get_feature_names_out().tolist()
    tags = get_tags(fitted)
    assert tags.no_validation
    assert not tags.input_tags.two_d_array
    assert not tags.target_tags.required
    assert tags.transformer_tags is not None
    assert not is_classifier(fitted)


def test_estimates_of_all_graphs_take_together_as_many_steps_as_they_may(monkeypatch):
    given = []

    def count_query(query, max_steps, **options):
        given.append(max_steps)
        return OccurrenceCount.exact(1), None

    monkeypatch.setattr(pattern_counts, "count_query", count_query)
    # all at once they take more
    graphs = [nx.complete_graph(60)] * 40
    bag_of_patterns([pattern_of(nx.complete_graph(4))], graphs, max_steps=8 * 10**6)
    assert given == [2 * 10**6] * 40
