"""A layer says the same of a node however the nodes of its graph are numbered."""

import numpy as np
import pytest
import torch
from colors_reference import plain_colored_rows
from renumbered_graphs import GRAPHS, numbered
from sampled_graphs import GRAPHS as SAMPLED
from sampled_graphs import build

from gomkcn_dgl import csr as csr_module
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.kernels.colors_numba import MARK
from gomkcn_dgl.layer import GOMKConv

# of the rows of a graph
MOST = 0.01


def changed_rows(name, features, size, **options):
    """The share of the rows of a layer that change with the numbers of nodes."""
    rows = []
    for seed in (None, 7):
        graph, nodes = numbered(name, seed, features)
        torch.manual_seed(0)
        relations = None if graph.relations.is_simple else graph.relations
        conv = GOMKConv(max(1, features), 8, size, relations=relations, **options)
        with torch.no_grad():
            rows.append((nodes, conv(graph, torch.from_numpy(graph.features)).numpy()))
    (_, expected), (nodes, found) = rows
    return np.mean(np.abs(expected[nodes] - found).max(axis=1) > 1e-4)


def test_there_are_thirty_graphs():
    assert len(GRAPHS) == 30


@pytest.mark.parametrize("policy", ["bfs", "dense"])
@pytest.mark.parametrize("features", [0, 3])
@pytest.mark.parametrize("name", GRAPHS)
def test_numbers_of_nodes_change_no_row(name, features, policy):
    assert changed_rows(name, features, 6, policy=policy) <= MOST


@pytest.mark.parametrize("size", [4, 9])
@pytest.mark.parametrize("name", GRAPHS)
def test_nor_those_of_other_sizes(name, size):
    assert changed_rows(name, 0, size) <= MOST


@pytest.mark.parametrize("policy", ["bfs", "dense"])
def test_a_hub_of_leaves_with_labels_has_the_same_rows(policy):
    # draws from its row meet the root itself, wherever it stands among leaves of its label
    rng = np.random.default_rng(0)
    labels, order = np.eye(3, dtype=np.float32)[rng.integers(3, size=200)], rng.permutation(200)
    rows = []
    for nodes in (np.arange(200), order):
        place = np.argsort(nodes)
        star = csr_from_edges(np.full(199, place[0]), place[1:], 200, features=labels[nodes])
        torch.manual_seed(0)
        rows.append(GOMKConv(3, 8, policy=policy)(star, torch.from_numpy(star.features)))
    torch.testing.assert_close(rows[0][order], rows[1], rtol=0, atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_another_seed_takes_other_nodes(seed):
    graph, _ = numbered("ba0")
    taken = [GOMKConv(1, 2, seed=one).subgraphs(graph).nodes for one in (seed, seed + 1)]
    assert not torch.equal(*taken)


def test_features_beside_a_graph_tell_nodes_apart_that_structure_does_not():
    # leaves of a star, of which a subgraph has three
    star = dgl.to_bidirected(dgl.graph((torch.zeros(20).long(), torch.arange(1, 21))))
    feat, order = torch.rand(21, 2), torch.randperm(21)
    conv = GOMKConv(2, 3, 4, 1)
    other = dgl.reorder_graph(
        star, node_permute_algo="custom", permute_config={"nodes_perm": order}, store_ids=False
    )
    assert torch.allclose(conv(star, feat)[order], conv(other, feat[order]), atol=1e-5)
    # and wherever subgraphs are taken from, where the graph keeps them
    star.ndata["feat"] = feat
    expected = conv(star, feat)
    assert torch.equal(conv(conv.transform()(star), feat), expected)
    assert torch.equal(conv(conv.subgraphs(star), feat), expected)
    sampled = conv.sampler().sample(star, star.nodes())
    assert torch.equal(conv(sampled, sampled.ndata["feat"]), expected)


def test_rounding_errors_of_features_change_nothing():
    graph, _ = numbered("tree0", features=3)
    feat = torch.from_numpy(graph.features)
    bare = csr_from_edges(*graph.edges()[:2], graph.num_nodes)
    conv = GOMKConv(3, 4)
    nodes = conv.subgraphs(bare, feat=feat).nodes
    assert torch.equal(conv.subgraphs(bare, feat=feat * (1 + 1e-7)).nodes, nodes)
    assert not torch.equal(conv.subgraphs(bare, feat=1 - feat).nodes, nodes)


def test_a_graph_that_is_too_large_is_sampled_by_its_numbers(monkeypatch):
    graph, _ = numbered("ba0")
    monkeypatch.setattr(csr_module, "MOST_COLORED", len(graph.indices) - 1)
    colored = graph.colored_rows
    assert (colored.rows == graph.indices).all()
    assert (colored.colors >> np.uint64(16) == np.arange(300)).all()


# ---------------------------------------------------------------- colours


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("name", ["barabasi_albert", "two_hubs", "edgeless", "disconnected"])
def test_colors_equal_their_plain_definition(name, linked, weighted):
    graph = build(SAMPLED[name], linked=linked, weighted=weighted)
    assert_as_defined(graph)


@pytest.mark.parametrize("name", ["grid", "typed", "tree0", "directed_hubs"])
@pytest.mark.parametrize("features", [0, 2])
def test_colors_of_features_equal_their_plain_definition(name, features):
    assert_as_defined(numbered(name, features=features)[0])


def assert_as_defined(graph):
    expected = plain_colored_rows(graph)
    np.testing.assert_array_equal(graph.colored_rows.colors, expected.colors)
    np.testing.assert_array_equal(graph.colored_rows.rows, expected.rows)


def test_nodes_that_are_alike_are_marked_and_twins_are_not():
    def marks(graph):
        return int((graph.colored_rows.rows >= MARK).sum())

    leaves, path = np.arange(1, 6), np.arange(5)
    star = csr_from_edges(np.zeros(5, int), leaves, 6)
    # twins that are joined to each other
    clique = csr_from_edges(*np.triu_indices(5, 1), 5)
    # the two halves of a path are alike, at its middle
    assert (marks(star), marks(clique), marks(csr_from_edges(path[:-1], path[1:], 5))) == (0, 0, 1)
    # a cycle of arcs: two nodes have the third in common, but an arc leads from one to the other
    around = np.arange(3), (np.arange(3) + 1) % 3
    assert marks(csr_from_edges(*around, 3, directed=True)) == 3
    assert marks(csr_from_edges(*around, 3)) == 0


def test_colors_do_not_depend_on_what_stands_beside():
    one, _ = numbered("tree0")
    two = as_csr([numbered("grid")[0], one])
    np.testing.assert_array_equal(
        two.colored_rows.colors[-one.num_nodes :], one.colored_rows.colors
    )
