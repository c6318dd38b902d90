"""PatternMiner as a transformer: features of graphs and nodes, pipelines, grids, names, tags."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from gomkcn_dgl import as_csr
from gomkcn_dgl.errors import InputError
from mining import PatternMiner


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
    defaults = {"num_patterns": 4, "pattern_size": (5, 5), "min_occurrences": 2, "num_epochs": 0}
    defaults |= {"sources": "filters", "values": "occurrences", "level": "graph", "null": None}
    return PatternMiner(**{**defaults, **options})


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
    np.testing.assert_array_equal(miner().fit_transform(data[0], data[1]), bag)


def test_copies_of_motifs_are_the_default(data):
    copies = PatternMiner(level="graph", null=None).fit(data[0])
    table, found = copies.transform(data[0]), copies.motif_set_
    np.testing.assert_array_equal(table, found.transform(data[0]))
    # also copies that a set has no bits for
    assert (table[:, :-1].sum(axis=0) >= [one.motif.num_copies for one in found]).all()
    assert copies.get_feature_names_out().tolist() == [*found.names, "left over"]
    nodes = clone(copies).set_params(level="node").fit(data[0])
    assert nodes.transform(data[0]).shape == (as_csr(data[0]).num_nodes, 3)
    assert nodes.get_feature_names_out().tolist() == ["motif", "copy", "orbit"]


def test_similarity_of_nodes_and_of_graphs(data, fitted):
    at_nodes = with_values(fitted, level="node", values="similarity").transform(data[0])
    collection = as_csr(data[0])
    assert at_nodes.shape == (collection.num_nodes, len(fitted.patterns_))
    assert 0 <= at_nodes.min() <= at_nodes.max() <= 1
    of_graphs = with_values(fitted, values="similarity").transform(data[0])
    largest = [
        at_nodes[first:last].max(axis=0)
        for first, last in zip(collection.graph_ptr[:-1], collection.graph_ptr[1:], strict=True)
    ]
    np.testing.assert_array_equal(of_graphs, largest)
    counts = with_values(fitted, level="node", values="occurrences").transform(data[0])
    sizes = [p.num_nodes for p in fitted.patterns_]
    np.testing.assert_array_equal(counts.sum(axis=0), fitted.transform(data[0]).sum(axis=0) * sizes)


def test_a_pipeline_classifies_graphs_it_has_not_seen(data):
    pipeline = make_pipeline(miner(values="log"), LogisticRegression())
    pipeline.fit(*data)
    graphs, labels = rings_or_cliques(10, seed=7)
    assert (pipeline.predict(graphs) == labels).all()
    assert pipeline[:-1].get_feature_names_out().tolist() == [
        f"{number}: {one.name}" for number, one in enumerate(pipeline[0].patterns_)
    ]
    assert "clique of 5 nodes" in {one.name for one in pipeline[0].patterns_}


def test_a_grid_over_the_number_of_patterns(data):
    grid = GridSearchCV(
        make_pipeline(miner(values="log"), LogisticRegression()),
        {"patternminer__num_patterns": [1, 4]},
        cv=2,
        error_score="raise",
    ).fit(*data)
    assert grid.best_score_ > 0.9


def test_without_patterns_there_are_no_columns():
    graphs = [nx.path_graph(3)] * 3
    for level, number in (("node", 9), ("graph", 3)):
        nothing = miner(level=level, values="similarity", min_occurrences=50).fit(graphs)
        assert (
            nothing.transform(graphs).shape
            == with_values(nothing, values="log").transform(graphs).shape
            == (number, 0)
        )
        assert nothing.get_feature_names_out().shape == (0,)
    with pytest.raises(InputError, match=r"fit found none; lower min_occurrences\.$"):
        nothing.predict(graphs)
    # null models are turned off
    assert [miner(null=one).nulls for one in (None, "none", ("none",), ())] == [()] * 4


def test_names_containers_and_tags(data, fitted):
    table = with_values(fitted).set_output(transform="pandas").transform(data[0])
    assert isinstance(table, pd.DataFrame)
    assert table.columns.tolist() == fitted.get_feature_names_out().tolist()
    again = clone(with_values(fitted, values="log"))
    assert again.get_params() == {**fitted.get_params(), "values": "log"}
    tags = get_tags(fitted)
    assert tags.no_validation
    assert not tags.input_tags.two_d_array
    assert not tags.target_tags.required
    assert tags.transformer_tags is not None
    assert not is_classifier(fitted)
