"""What null models that permute keep, and that all orders are alike."""

from collections import Counter
from dataclasses import replace
from itertools import permutations

import networkx as nx
import numpy as np
import pytest

from gomkcn.mining.significance.null_models import null_model
from gomkcn.mining.significance.permutations import (
    Groups,
    node_groups,
    strength_classes,
    weight_groups,
)
from gomkcn.mining.significance.random_graphs import sample_null
from gomkcn.mining.structures.edge_weights import EdgeWeights
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr


def weighted(*, directed, kinds=1, seed=0, num_nodes=30):
    rng = np.random.default_rng(seed)
    source, target = rng.integers(num_nodes, size=(2, 200))
    kept = source != target
    return csr_from_edges(
        source[kept],
        target[kept],
        num_nodes,
        directed=directed,
        weights=rng.permutation(200)[kept] + 1,
        relation=rng.integers(kinds, size=200)[kept],
        relation_names=[f"r{k}" for k in range(kinds)],
    )


def test_each_order_of_a_group_is_as_frequent():
    groups = Groups.of(np.array([0, 1, 0, 0, 1]))
    values = np.arange(5)
    found = Counter(tuple(groups.permute(values, seed).tolist()) for seed in range(6000))
    wanted = {
        (first, second, *others, last)
        for first, *others in permutations([0, 2, 3])
        for second, last in permutations([1, 4])
    }
    assert found.keys() == wanted
    # of 500 the standard deviation is 21
    assert all(abs(number - 500) < 110 for number in found.values())


@pytest.mark.parametrize("null", ["weights", "strength"])
@pytest.mark.parametrize(("directed", "kinds"), [(False, 1), (True, 1), (True, 3)])
def test_weights_are_permuted_and_no_edge_is(null, directed, kinds):
    graph = weighted(directed=directed, kinds=kinds)
    sample = sample_null(graph, null, 1)
    assert sample.indices is graph.indices and sample.links is graph.links
    assert (sample.weights != graph.weights).mean() > 0.5
    for one in (graph, sample):
        back = one.weights[one.opposite_entries]
        if not directed:
            assert (one.weights == back).all()
            continue
        # an edge has one weight, which the entry of its target has as well
        is_single = ~both_ways(graph)
        assert (one.weights[is_single] == back[is_single]).all()
    assert sorted(graph.weights[firsts(graph)]) == sorted(sample.weights[firsts(graph)])


def both_ways(graph):
    """Whether each entry is an edge in both directions."""
    sides = np.array([side for _, side in graph.relations.channels])
    links = graph.relations.links.astype(bool)
    out, into = (links[:, sides == side].any(axis=1)[graph.links] for side in ("out", "in"))
    return out & into


def firsts(graph):
    """The entries that are edges: of a source, or of the smaller end without directions."""
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    if graph.links is None:
        return row < graph.indices
    sides = np.array([side for _, side in graph.relations.channels])
    return graph.relations.links.astype(bool)[:, sides == "out"].any(axis=1)[graph.links]


def test_weights_stay_among_the_edges_of_their_relation_and_graph():
    owner = np.array([0, 0, 0, 1, 1, 1])
    relation = np.array([0, 0, 1, 1, 1, 1])
    ends = np.zeros((2, 6), np.int64)
    edges = EdgeWeights(*ends, relation, np.ones(6, bool), np.arange(6.0) + 1)
    groups = weight_groups(edges, owner)
    seen = {tuple(groups.permute(edges.values, seed).tolist()) for seed in range(60)}
    assert {one[:2] for one in seen} == {(1.0, 2.0), (2.0, 1.0)}
    assert {one[2] for one in seen} == {3.0}
    assert {tuple(sorted(one[3:])) for one in seen} == {(4.0, 5.0, 6.0)}
    assert len({one[3:] for one in seen}) == 6


@pytest.mark.parametrize("is_directed", [True, False])
def test_an_edge_without_others_at_its_ends_is_of_the_lowest_class_however_heavy(is_directed):
    rng = np.random.default_rng(2)
    source, target = rng.integers(40, size=(2, 200))
    source, target = np.append(source, 50), np.append(target, 51)
    flags, relation = np.full(201, is_directed), np.zeros(201, int)
    edges = EdgeWeights(source, target, relation, flags, np.append(rng.random(200) + 0.1, 1e9))
    classes = strength_classes(edges)
    assert sorted(Counter(classes.tolist())) == list(range(10))
    assert classes[200] == 0


def test_stronger_ends_are_of_a_later_class():
    # a path into a hub, and single edges: 10 edges of each class at least
    source = np.concatenate([np.arange(1, 31), np.arange(40, 70)])
    target = np.concatenate([np.zeros(30, int), np.arange(70, 100)])
    edges = EdgeWeights(source, target, np.zeros(60, int), np.zeros(60, bool), np.ones(60))
    both = EdgeWeights(*[np.append(one, one) for one in edges[:5]])
    assert (strength_classes(both)[:30].min()) > strength_classes(both)[30:60].max()


def test_categories_of_a_node_stay_together_and_other_features_stay():
    rng = np.random.default_rng(0)
    kind, side = rng.integers(3, size=40), rng.integers(2, size=40)
    features = np.column_stack([np.eye(3)[kind], np.eye(2)[side], rng.random(40)])
    names = ("kind=0", "kind=1", "kind=2", "side=l", "side=r", "size")
    graph = as_csr(nx.gnm_random_graph(40, 80, seed=0), features=features)
    graph = replace(graph, feature_names=names)
    sample = sample_null(graph, "categories", 3)
    assert sample.indices is graph.indices
    assert (sample.features[:, 5] == graph.features[:, 5]).all()
    before, after = (Counter(map(tuple, one.features[:, :5].tolist())) for one in (graph, sample))
    assert before == after
    assert (sample.features != graph.features).any()
    inside = sample_null(graph, "categories", 3, within="side")
    assert (inside.features[:, 3:] == graph.features[:, 3:]).all()
    assert (inside.features[:, :3] != graph.features[:, :3]).any()


def test_categories_stay_in_their_graph():
    graphs = [nx.path_graph(5), nx.cycle_graph(6)]
    for graph, letters in zip(graphs, ("ab", "cd"), strict=True):
        nx.set_node_attributes(graph, {v: letters[v % 2] for v in graph}, "kind")
    csr = as_csr(graphs, features=["kind"])
    for seed in range(5):
        sample = sample_null(csr, "categories", seed)
        for first, last in ((0, 5), (5, 11)):
            assert sample.features[first:last].sum(axis=0).tolist() == (
                csr.features[first:last].sum(axis=0).tolist()
            )


def test_groups_are_attributes_or_features_or_components_or_degrees():
    graph = nx.disjoint_union(nx.star_graph(4), nx.path_graph(2))
    csr = as_csr(graph)
    assert node_groups(csr, "component", {}).tolist() == [0] * 5 + [1] * 2
    assert node_groups(csr, "degree", {}).tolist() == [1, 0, 0, 0, 0, 0, 0]
    assert node_groups(csr, "lab", {"lab": list("xxyyxxy")}).tolist() == [0, 0, 1, 1, 0, 0, 1]
    # a name of the user's goes before a word
    assert node_groups(csr, "degree", {"degree": [3] * 7}).tolist() == [0] * 7
    with pytest.raises(InputError, match="'lab' is not one, got none at 2 nodes"):
        node_groups(csr, "lab", {"lab": ["x", None, "y", "y", float("nan"), "x", "x"]})
    with pytest.raises(InputError, match="which are lab, or 'component' or 'degree', got 'lap'"):
        node_groups(csr, "lap", {"lab": list("xxyyxxy")})


def test_what_there_is_nothing_to_permute_of_is_refused_with_the_way_out():
    plain = as_csr(nx.path_graph(3))
    for null in ("weights", "strength"):
        with pytest.raises(InputError, match=f"'{null}' permutes the weights.*; weight names"):
            null_model(null, plain)
    with pytest.raises(InputError, match="'categories' permutes.*; features names"):
        null_model("categories", plain)
    with pytest.raises(InputError, match="within must be left out, but for 'categories'"):
        sample_null(plain, "degree", within="component")
