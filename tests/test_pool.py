"""The pool: filters and candidates of one structure are one, and counted alike everywhere."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl import as_csr
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.steps import Steps
from mining.candidates.candidates import Candidate
from mining.choosing.pool import StructureCounter, count_together, pool_structures
from mining.structures.categories import NO_CATEGORIES, Categories
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import FeatureScaling
from mining.structures.memory_budget import MemoryBudget
from mining.structures.subgraph_source import SubgraphSource

RING, PATH, STAR = nx.cycle_graph(5), nx.path_graph(4), nx.star_graph(3)
# a path of four with a branch at its second node
FORK = nx.Graph([(0, 1), (1, 2), (2, 3), (1, 4)])


def matrix(graph):
    return nx.to_numpy_array(graph, nodelist=range(len(graph))) > 0


def source_of(features, categories=NO_CATEGORIES):
    scaling = FeatureScaling.fit(np.asarray(features, np.float32), 0.3)
    budget = MemoryBudget(2**30, 5, 4, scaling.offset.size, 1)
    return SubgraphSource(GOMKKernel(3), scaling, budget, 5, categories=categories)


PLAIN = source_of([[0.0], [1.0]])


def filters_of(*rows, width=5, noisy=None):
    """Filters from graphs and the scaled features of their nodes; the weight of an edge tells it.

    Of edge (i, j) it is .9 - (i + j) / 100.
    """
    adj, feat = torch.zeros(len(rows), width, width), None
    for number, (graph, values) in enumerate(rows):
        values = torch.as_tensor(values, dtype=torch.float32).reshape(len(graph), -1)
        feat = torch.zeros(len(rows), width, values.shape[1]) if feat is None else feat
        adj[number, : len(graph), : len(graph)] = torch.from_numpy(matrix(graph)).float()
        feat[number, : len(graph)] = values
    number = torch.arange(width)
    weights = adj * (0.9 - (number[:, None] + number) / 100)
    sizes = tuple(len(graph) for graph, _ in rows)
    return DiscreteFilters(adj, feat, weights, sizes, (), () if noisy is None else noisy)


def candidate(graph, colors=None):
    return Candidate(matrix(graph), colors, 9, np.arange(len(graph), dtype=np.int32), 9, 0.0)


def same(pooled, graph):
    return nx.is_isomorphic(nx.from_numpy_array(pooled.structure.joined), graph)


def test_candidates_come_first_and_each_structure_once():
    turned = nx.relabel_nodes(PATH, {0: 1, 1: 3, 2: 0, 3: 2})
    filters = filters_of((RING, [0.5] * 5), (PATH, [0.5] * 4), noisy=(True, False))
    pool = pool_structures(
        [candidate(STAR), candidate(turned), candidate(STAR)], filters, PLAIN, range(3, 6), ["x"]
    )
    for one, graph in zip(pool, (STAR, PATH, RING), strict=True):
        assert same(one, graph)
    assert [one.noisy for one in pool] == [False, False, True]
    assert [one.filters is None for one in pool] == [True, False, False]
    assert pool[1].filters.num_nodes == (4,)


def test_filters_of_one_structure_are_joined_in_one_order_of_nodes():
    features = [0.1, 0.2, 0.3, 0.4, 0.5]
    new_number = {0: 4, 1: 0, 2: 3, 3: 1, 4: 2}
    turned = nx.relabel_nodes(FORK, new_number)
    turned_features = [0.0] * 5
    for old, new in new_number.items():
        turned_features[new] = features[old] + 0.05
    (one,) = pool_structures(
        [], filters_of((FORK, features), (turned, turned_features)), PLAIN, range(3, 6), ["x"]
    )
    first, second = one.filters.adj
    assert torch.equal(first, second)
    np.testing.assert_array_equal(one.structure.joined, first.numpy() > 0)
    # the fork has one symmetry, which swaps nodes 0 and 4
    learnt, other = one.filters.feat[:, :, 0].numpy()
    swapped = other[[4, 1, 2, 3, 0]]
    assert min(np.abs(row - learnt - 0.05).max() for row in (other, swapped)) < 1e-6
    # weights go with their nodes
    number = [new_number[round(10 * value - 1.5)] for value in other.tolist()]
    for i, j in np.argwhere(second.numpy() > 0):
        expected = 0.9 - (number[i] + number[j]) / 100
        assert float(one.filters.weights[1, i, j]) == pytest.approx(expected, abs=1e-6)


def test_what_is_smaller_than_asked_for_is_a_last_resort():
    filters = filters_of((PATH, [0.5] * 4), (RING, [0.5] * 5))
    (ring,) = pool_structures([], filters, PLAIN, range(5, 6), ["x"])
    assert same(ring, RING)
    (path,) = pool_structures([], filters.take([0]), PLAIN, range(5, 6), ["x"])
    assert same(path, PATH)
    assert pool_structures([], filters.take([]), PLAIN, range(3, 6), ["x"]) == []


def test_structures_with_other_categories_are_others():
    # category a or b in the first two columns; no node has c
    seen = np.array([[1, 0, 0], [0, 1, 0]])
    source = source_of(seen, Categories(((0, 1, 2),)))
    a, b = source.scaling.scale(seen)
    filters = filters_of((PATH, np.stack([a, a, a, b])), (PATH, np.stack([b, a, a, a])),
                         (PATH, np.stack([a, a, a, a])))  # fmt: skip
    pool = pool_structures(
        [candidate(PATH, np.array([0, 0, 0, 1])), candidate(PATH, np.array([1, 1, 1, 1]))],
        filters, source, range(3, 6), "abc",
    )  # fmt: skip
    assert [sorted(name for (name,) in one.structure.categories) for one in pool] == [
        ["a", "a", "a", "b"], ["b"] * 4, ["a"] * 4
    ]  # fmt: skip
    assert [one.filters and len(one.filters.adj) for one in pool] == [2, None, 1]
    # the mean of both is neither c nor nothing
    mixed = filters_of((PATH, np.stack([0.6 * a + 0.4 * b] * 4)))
    (one,) = pool_structures([], mixed, source, range(3, 6), "abc")
    assert one.structure.categories == (("a",),) * 4


def test_all_structures_are_counted_as_one_by_one(tmp_path):
    graph = nx.gnm_random_graph(30, 60, seed=0)
    csr = as_csr(graph)
    structures = [Structure.from_networkx(one) for one in (PATH, STAR, RING)]
    counter = StructureCounter(NO_CATEGORIES, 0.05, seed=0)
    counts = counter.count(csr, structures)
    expected = [
        len(
            {
                frozenset(found)
                for found in nx.algorithms.isomorphism.GraphMatcher(
                    graph, one
                ).subgraph_isomorphisms_iter()
            }
        )
        for one in (PATH, STAR, RING)
    ]
    assert [one.value for one in counts] == expected
    for count in (lambda one: counter.count(csr, [one])[0], lambda one: 1 / 0):
        assert count_together("counting", count, structures, Steps(tmp_path, {})) == counts
        # whatever their order
        structures, counts = structures[::-1], counts[::-1]


def test_categories_are_counted():
    features = np.array([[1, 0]] * 3 + [[0, 1]] * 3)
    ends = np.array(nx.cycle_graph(6).edges).T
    csr = csr_from_edges(*ends, 6, features=features, feature_names=["a", "b"])
    counter = StructureCounter(Categories(((0, 1),)), 0.05, seed=0)
    texts = ("0:a--1:a, 1--2:a", "0:a--1:a, 1--2:b", "0:a--1:b, 1--2:a")
    counts = counter.count(csr, [Structure.parse(text) for text in texts])
    assert [one.value for one in counts] == [1, 2, 0]
