"""Trained filters as patterns: each structure once, with the features that they learnt for it."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.candidates.trained_filters import patterns_of_filters
from mining.learning.discrete_filters import DiscreteFilters
from mining.learning.rooted_subgraphs import FeatureScaling
from mining.mined_graph import MinedGraph
from mining.pattern import Pattern, merge

RING, PATH, STAR = nx.cycle_graph(5), nx.path_graph(4), nx.star_graph(3)
# a path of four with a branch at its second node
FORK = nx.Graph([(0, 1), (1, 2), (2, 3), (1, 4)])
MINED = MinedGraph.of(as_csr(RING, features=np.linspace(0, 1, 5)))
SCALING = FeatureScaling.fit(MINED.graph.features, 1.0)


def filters_of(*rows, width=5):
    """Filters from graphs and the scaled features of their nodes; the weight of an edge tells it.

    Of edge (i, j) it is .9 - (i + j) / 100.
    """
    adj, feat = torch.zeros(len(rows), width, width), None
    for number, (graph, values) in enumerate(rows):
        values = torch.as_tensor(values, dtype=torch.float32).reshape(len(graph), -1)
        feat = torch.zeros(len(rows), width, values.shape[1]) if feat is None else feat
        adj[number, : len(graph), : len(graph)] = torch.from_numpy(
            nx.to_numpy_array(graph, nodelist=range(len(graph)))
        ).float()
        feat[number, : len(graph)] = values
    number = torch.arange(width)
    weights = adj * (0.9 - (number[:, None] + number) / 100)
    return DiscreteFilters(adj, feat, weights, tuple(len(graph) for graph, _ in rows))


def patterns_of(*rows, sizes=range(3, 6), mined=MINED, scaling=SCALING):
    return patterns_of_filters(filters_of(*rows), mined, scaling, sizes)


def test_filters_of_one_structure_are_one_pattern_in_one_order_of_nodes():
    features = [0.1, 0.2, 0.3, 0.4, 0.5]
    new_number = {0: 4, 1: 0, 2: 3, 3: 1, 4: 2}
    turned = nx.relabel_nodes(FORK, new_number)
    turned_features = [0.0] * 5
    for old, new in new_number.items():
        turned_features[new] = features[old] + 0.05
    (one,) = patterns_of((FORK, features), (turned, turned_features))
    assert one.sources == ("filters",) and one.num_filters == 2
    first, second = one.profiles
    np.testing.assert_allclose(first.features[:, 0], features, atol=1e-6)
    # the fork has one symmetry, which swaps nodes 0 and 4
    other = second.features[:, 0]
    swapped = other[[4, 1, 2, 3, 0]]
    assert min(np.abs(row - features - np.float32(0.05)).max() for row in (other, swapped)) < 1e-6
    # weights go with their nodes, and are those of the edges
    number = [new_number[round(10 * value - 1.5)] for value in other.tolist()]
    for i, j, _ in np.argwhere(one.structure.channels):
        expected = 0.9 - (number[i] + number[j]) / 100
        assert second.weights[i, j, 0] == pytest.approx(expected, abs=1e-6)
    assert (second.weights[~one.structure.channels] == 0).all()


def test_what_is_smaller_than_asked_for_is_a_last_resort():
    rows = (PATH, [0.5] * 4), (RING, [0.5] * 5)
    (ring,) = patterns_of(*rows, sizes=range(5, 6))
    assert ring.key == Structure.from_networkx(RING).key
    (path,) = patterns_of(rows[0], sizes=range(5, 6))
    assert path.key == Structure.from_networkx(PATH).key


def test_structures_with_other_categories_are_others():
    # category a or b in the first two columns; no node has c
    seen = np.array([[1, 0, 0], [0, 1, 0]], np.float32)
    csr = replace(as_csr(nx.path_graph(2)), features=seen, feature_names=("a", "b", "c"))
    mined, scaling = MinedGraph.of(csr), FeatureScaling.fit(seen, 0.3)
    a, b = scaling.scale(seen)
    rows = [[a, a, a, b], [b, a, a, a], [a, a, a, a], [0.6 * a + 0.4 * b] * 4]
    found = patterns_of(*((PATH, np.stack(row)) for row in rows), mined=mined, scaling=scaling)
    # the mean of both is neither c nor nothing
    assert [sorted(name for (name,) in one.categories) for one in found] == [
        ["a", "a", "a", "b"], ["a"] * 4
    ]  # fmt: skip
    assert [len(one.profiles) for one in found] == [2, 2]


def test_patterns_of_several_sources_are_joined_by_their_structure():
    grown = [
        Pattern(Structure.from_networkx(one), sources=("grown",)) for one in (STAR, PATH, STAR)
    ]
    found = merge([*grown, *patterns_of((RING, [0.5] * 5), (PATH, [0.1, 0.2, 0.3, 0.4]))])
    assert [one.sources for one in found] == [("grown",), ("grown", "filters"), ("filters",)]
    assert [one.num_filters for one in found] == [0, 1, 1]
    assert found[1].structure is grown[1].structure
    path = found[1].profiles[0].features[:, 0]
    assert sorted(path.round(6).tolist()) in ([0.1, 0.2, 0.3, 0.4],)
    assert np.abs(np.diff(path)).max() < 0.15
    # also what is not located has the names of its features, and none without a filter
    assert [set(one.to_networkx().nodes[0]) for one in found] == [set(), {"x0"}, {"x0"}]
