"""Features of filters as means over the copies of their structure, beside plain loops."""

import networkx as nx
import numpy as np
import pytest

from gomkcn.mining import FilterLearning, FilterMiner
from gomkcn.mining.filters.centroids import refine_features
from gomkcn_dgl.csr import csr_from_edges

FILTERS, SUBGRAPHS, SIZE, WIDTH = 4, 60, 5, 2


def plain_refine(adj, feat, subgraph_adj, subgraph_feat, num_nodes, filter_of, matching):
    """Filter after filter: the mean of what is laid onto it, drawn together."""
    refined = feat.copy()
    for number in range(len(adj)):
        joined = adj[number].reshape(*adj[number].shape[:2], -1).any(axis=2)
        nodes = np.flatnonzero(joined.any(axis=1))
        rows = []
        for row in np.flatnonzero(filter_of == number):
            place = {
                int(node): k
                for k, node in enumerate(matching[row])
                if node >= 0 and k < num_nodes[row]
            }
            if num_nodes[row] != len(nodes) or set(place) != set(nodes.tolist()):
                continue
            order = [place[node] for node in nodes.tolist()]
            own = subgraph_adj[row][np.ix_(order, order)]
            if np.array_equal(own, adj[number][np.ix_(nodes, nodes)]):
                rows.append(subgraph_feat[row][order])
        if len(rows) < 2:
            continue
        values = np.array(rows, dtype=np.float64)
        mean = values.mean(axis=0)
        if len(nodes) >= 4:
            copies = len(rows) / len(nodes)
            chance = values.var(axis=0).mean(axis=0) / max(copies - 1, 1)
            between = mean.var(axis=0, ddof=1)
            kept = np.where(between > chance, 1 - chance / np.where(between > 0, between, 1), 0)
            mean = mean.mean(axis=0) + kept * (mean - mean.mean(axis=0))
        refined[number, nodes] = mean
    return refined


def random_case(seed, channels=0):
    """Filters, and subgraphs that are a filter in another order, with an edge flipped or not."""
    rng = np.random.default_rng(seed)
    shape = (SIZE, SIZE, channels) if channels else (SIZE, SIZE)
    adj = np.zeros((FILTERS, *shape), np.float32)
    sizes = [5, 4, 3, 5]
    for number, size in enumerate(sizes):
        for i in range(size):
            for j in range(i):
                # joined to the node before, and to others at random
                if j == i - 1 or rng.random() < 0.4:
                    code = (rng.integers(channels),) if channels else ()
                    adj[(number, i, j, *code)] = adj[(number, j, i, *code)] = 1
    feat = rng.random((FILTERS, SIZE, WIDTH)).astype(np.float32)
    filter_of = rng.integers(FILTERS - 1, size=SUBGRAPHS)
    subgraph_adj = np.zeros((SUBGRAPHS, *shape), np.float32)
    subgraph_feat = rng.random((SUBGRAPHS, SIZE, WIDTH)).astype(np.float32)
    num_nodes = np.array([sizes[number] for number in filter_of])
    matching = np.full((SUBGRAPHS, SIZE), -1)
    for row, number in enumerate(filter_of.tolist()):
        order = rng.permutation(sizes[number])
        subgraph_adj[row, : len(order), : len(order)] = adj[number][np.ix_(order, order)]
        matching[row, : len(order)] = order
        # roles matter more than noise
        subgraph_feat[row, : len(order)] = order[:, None] / 5 + 0.1 * rng.random((len(order), 2))
        kind = rng.integers(6)
        if kind == 0:  # an edge differs
            subgraph_adj[row, 0, 1] = subgraph_adj[row, 1, 0] = 1 - subgraph_adj[row, 0, 1]
        elif kind == 1:  # two nodes are matched the other way round
            matching[row, [0, 1]] = matching[row, [1, 0]]
        elif kind == 2:  # a node has no partner
            matching[row, 0] = -1
        elif kind == 3:  # padding that is matched, to padding
            matching[row, len(order) :] = np.arange(len(order), SIZE)
        elif kind == 4 and len(order) < SIZE:  # a node more, that padding is matched to
            place = len(order)
            subgraph_adj[row, 0, place] = subgraph_adj[row, place, 0] = 1
            matching[row, place] = place
            num_nodes[row] += 1
    return adj, feat, subgraph_adj, subgraph_feat, num_nodes, filter_of, matching


@pytest.mark.parametrize("dtype", [np.int64, np.int8])
@pytest.mark.parametrize(("seed", "channels"), [(0, 0), (1, 0), (2, 2), (3, 0)])
def test_refined_features_are_those_of_plain_loops(seed, channels, dtype):
    *case, matching = random_case(seed, channels)
    case.append(matching.astype(dtype))
    expected = plain_refine(*case)
    assert not np.allclose(expected[:3], case[1][:3])
    refined = refine_features(*case)
    assert refined.dtype == np.float32
    np.testing.assert_allclose(refined, expected, atol=1e-6)
    # the last filter has no subgraphs, and keeps its features, as padding does
    np.testing.assert_array_equal(refined[3], case[1][3])
    np.testing.assert_array_equal(refined[2, 3:], case[1][2, 3:])


def triangles(features):
    """A filter that is a triangle, and triangles that are matched node by node."""
    adj = np.ones((1, 3, 3)) - np.eye(3)
    feat = np.array(features)[:, :, None]
    number = len(feat)
    return (
        adj, np.zeros((1, 3, 1)), adj.repeat(number, axis=0), feat,
        np.full(number, 3), np.zeros(number, int), np.tile(np.arange(3), (number, 1)),
    )  # fmt: skip


def test_a_filter_of_exact_subgraphs_is_their_mean():
    found = refine_features(*triangles([[0.1, 0.5, 0.9], [0.3, 0.7, 0.7]]))
    np.testing.assert_allclose(found[0, :, 0], [0.2, 0.6, 0.8])
    # a single one is no mean
    assert not refine_features(*triangles([[0.1, 0.5, 0.9]])).any()


@pytest.mark.parametrize("of_roles", [True, False])
def test_nodes_are_drawn_together_unless_they_differ_by_more_than_chance(of_roles):
    rng = np.random.default_rng(0)
    adj = np.ones((1, 5, 5)) - np.eye(5)
    truth = np.linspace(0.1, 0.9, 5) if of_roles else np.full(5, 0.4)
    feat = truth + 0.05 * rng.standard_normal((50, 5))
    found = refine_features(
        adj, np.zeros((1, 5, 1)), adj.repeat(50, axis=0), feat[..., None],
        np.full(50, 5), np.zeros(50, int), np.tile(np.arange(5), (50, 1)),
    )[0, :, 0]  # fmt: skip
    if of_roles:
        np.testing.assert_allclose(found, feat.mean(axis=0), atol=2e-3)
    else:
        np.testing.assert_allclose(found, feat.mean(), atol=1e-6)


def noisy_copies(noise):
    """Twenty houses that are alone; the features of each node are its role's and noise."""
    house = nx.house_graph()
    graph = nx.disjoint_union_all([house] * 20)
    rng = np.random.default_rng(5)
    truth = rng.random((5, 2))
    feat = np.tile(truth, (20, 1)) + noise * rng.standard_normal((100, 2))
    source, target = np.array(graph.edges).T
    csr = csr_from_edges(source, target, 100, features=feat.astype(np.float32))
    return csr, house, truth


def error_of(one, house, truth):
    """Of the features of a filter, under the best isomorphism."""
    pair = nx.Graph(one.structure.edges), house
    mappings = nx.isomorphism.GraphMatcher(*pair).isomorphisms_iter()
    orders = ([mapping[node] for node in range(5)] for mapping in mappings)
    return min(np.abs(one.features - truth[order]).mean() for order in orders)


@pytest.mark.parametrize("num_epochs", [0, 5])
def test_features_of_a_filter_are_nearer_to_the_truth_than_those_of_a_copy(num_epochs):
    csr, house, truth = noisy_copies(0.2)
    learning = FilterLearning(num_epochs=num_epochs)
    (one,) = FilterMiner(1, 5, contrast=False, learning=learning).fit(csr).filters_
    assert one.exact.value == 100 and one.instances.value == 20
    copies = csr.features.reshape(20, 5, 2)
    of_a_copy = np.mean([np.abs(copy - truth).mean() for copy in copies])
    assert error_of(one, house, truth) < of_a_copy / 2


def test_features_are_means_in_filters_of_several_sizes():
    """Without noise all copies are alike, so that the means are the features of a copy."""
    parts = [nx.house_graph()] * 9 + [nx.complete_graph(4)] * 8
    graph = nx.disjoint_union_all(parts)
    values = np.concatenate([np.tile([1, 2, 3, 4, 9.0], 9), np.tile([5, 6, 7, 8.0], 8)])
    csr = csr_from_edges(*np.array(graph.edges).T, 77, features=values[:, None].astype(np.float32))
    miner = FilterMiner().fit(csr)
    assert [one.size for one in miner.filters_] in ([5, 4], [4, 5])
    for one in miner.filters_:
        expected = [1, 2, 3, 4, 9] if one.size == 5 else [5, 6, 7, 8]
        np.testing.assert_allclose(np.sort(one.features[:, 0]), expected, atol=1e-4)
    assert miner.note_.endswith("Numeric features are not compared with random graphs.")
    np.testing.assert_allclose(miner.similarities_, 1, atol=1e-4)
