"""Nothing that is sampled depends on the numbers of the nodes or on the other graphs of a batch."""

import networkx as nx
import numpy as np
import pytest
import torch
from test_layer import to_dgl

from gomkcn_dgl import node_order
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_lists import concatenate
from gomkcn_dgl.kernels.bfs_reference import POLICIES, hub_degree
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.node_order import heed_features, order_by_structure, order_collection
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs

with_policies = pytest.mark.parametrize("policy", POLICIES)


def renumber(graph: CSRGraph, seed: int) -> tuple[CSRGraph, np.ndarray]:
    """The graph with its nodes in a random order, and the new number of each."""
    number = np.random.default_rng(seed).permutation(graph.num_nodes)
    source, target, relation = graph.edges()
    renumbered = csr_from_edges(
        number[source],
        number[target],
        graph.num_nodes,
        directed=graph.relations.directed,
        relation=relation,
        relation_names=graph.relations.names,
    )
    return renumbered, number


def without_symmetry() -> CSRGraph:
    """A graph with hubs, in which colours tell all nodes apart."""
    graph = nx.barabasi_albert_graph(600, 4, seed=1)
    ends = np.array(graph.edges)
    return csr_from_edges(ends[:, 0], ends[:, 1], len(graph))


def with_arcs() -> CSRGraph:
    """Edges of two types, one with a direction."""
    ends = np.random.default_rng(2).integers(120, size=(400, 2))
    kind = np.arange(400) % 2
    return csr_from_edges(
        ends[:, 0],
        ends[:, 1],
        120,
        directed=[True, False],
        relation=kind,
        relation_names=["to", "by"],
    )


def num_colors(graph: CSRGraph) -> int:
    """Number of nodes that their surroundings tell apart."""
    owner = np.zeros(graph.num_nodes, int)
    return len(np.unique(node_order._colors(graph, owner, node_order._hash_links(graph))))


@with_policies
@pytest.mark.parametrize("make", [without_symmetry, with_arcs])
def test_renumbering_changes_no_subgraph(make, policy):
    graph = make()
    assert num_colors(graph) == graph.num_nodes
    batch = extract_subgraphs(graph, SubgraphSettings(2, 6, policy))
    assert batch.truncated.any()
    if make is without_symmetry:
        assert graph.degrees.max() > hub_degree(6)
    for seed in range(3):
        other, number = renumber(graph, seed)
        moved = extract_subgraphs(other, SubgraphSettings(2, 6, policy), number)
        expected = np.where(batch.nodes < 0, -1, number[batch.nodes])
        np.testing.assert_array_equal(moved.nodes, expected)
        np.testing.assert_array_equal(moved.adjacency(), batch.adjacency())


def test_equal_nodes_alone_may_exchange_their_places():
    # two leaves of the centre are equal, the path at it is not
    graph = csr_from_edges(np.array([0, 0, 0, 3]), np.array([1, 2, 3, 4]), 5)
    for seed in range(5):
        other, number = renumber(graph, seed)
        back = np.argsort(number)
        one, moved = order_by_structure(graph).nodes, back[order_by_structure(other).nodes]
        assert [{1: 2}.get(v, v) for v in one] == [{1: 2}.get(v, v) for v in moved.tolist()]


@with_policies
def test_a_graph_shows_the_same_subgraphs_wherever_it_stands_in_a_collection(policy):
    rng = np.random.default_rng(3)
    graphs = [nx.gnp_random_graph(size, 0.3, seed=size) for size in (12, 30, 1, 21)]
    parts = [csr_from_edges(*np.array(one.edges, int).reshape(-1, 2).T, len(one)) for one in graphs]
    alone = [extract_subgraphs(part, SubgraphSettings(2, 5, policy)).nodes for part in parts]
    for _ in range(3):
        order = rng.permutation(len(parts)).tolist()
        whole = concatenate([parts[k] for k in order])
        nodes = extract_subgraphs(whole, SubgraphSettings(2, 5, policy)).nodes
        expected = [
            np.where(alone[k] < 0, -1, alone[k] + begin)
            for k, begin in zip(order, whole.graph_ptr, strict=False)
        ]
        np.testing.assert_array_equal(nodes, np.concatenate(expected))


@with_policies
def test_the_layer_maps_a_batch_as_it_maps_its_graphs(policy):
    graphs = [
        to_dgl(nx.gnp_random_graph(25, 0.25, seed=1)),
        to_dgl(nx.star_graph(30)),
        to_dgl(nx.random_regular_graph(4, 20, seed=2)),
    ]
    torch.manual_seed(0)
    conv = GOMKConv(3, 4, 4, num_hops=2, max_nodes=5, policy=policy)
    feats = [torch.rand(graph.num_nodes(), 3) for graph in graphs]
    with torch.no_grad():
        alone = torch.cat([conv(g, x) for g, x in zip(graphs, feats, strict=True)])
        order = [2, 0, 1]
        batched = conv(dgl.batch([graphs[k] for k in order]), torch.cat([feats[k] for k in order]))
    sizes = [graph.num_nodes() for graph in graphs]
    parts = torch.split(batched, [sizes[k] for k in order])
    together = torch.cat([parts[order.index(k)] for k in range(3)])
    torch.testing.assert_close(together, alone, atol=1e-6, rtol=0)


SYMMETRIC = {
    "triangles at a hub": nx.windmill_graph(6, 3),
    "equal components": nx.disjoint_union_all([nx.star_graph(4), *[nx.house_graph()] * 4]),
    "tree": nx.balanced_tree(2, 5),
}


@pytest.mark.parametrize("name", SYMMETRIC)
def test_a_symmetric_graph_is_the_same_in_its_order_however_it_was_numbered(name):
    ends = np.array(SYMMETRIC[name].edges)
    graph = csr_from_edges(ends[:, 0], ends[:, 1], len(SYMMETRIC[name]))
    assert num_colors(graph) < graph.num_nodes
    first = order_by_structure(graph).graph
    for seed in range(4):
        other = order_by_structure(renumber(graph, seed)[0]).graph
        np.testing.assert_array_equal(other.indptr, first.indptr)
        np.testing.assert_array_equal(other.indices, first.indices)


def test_weights_tell_nodes_apart_that_are_joined_alike():
    weights = np.arange(1.0, 9.0)
    star = csr_from_edges(np.zeros(8, int), np.arange(1, 9), 9, weights=weights)
    number = np.concatenate([[0], 1 + np.random.default_rng(4).permutation(8)])
    other = csr_from_edges(np.zeros(8, int), number[1:], 9, weights=weights)
    for seed in range(10):
        nodes = extract_subgraphs(star, SubgraphSettings(1, 4, seed=seed), [0]).nodes
        moved = extract_subgraphs(other, SubgraphSettings(1, 4, seed=seed), [0]).nodes
        np.testing.assert_array_equal(moved, number[nodes])


def test_a_large_graph_keeps_its_numbers(monkeypatch):
    graph = without_symmetry()
    monkeypatch.setattr(node_order, "MOST_ENTRIES", len(graph.indices) - 1)
    ordered = order_by_structure(graph)
    assert ordered.graph.indices is graph.indices
    every = np.arange(graph.num_nodes)
    for same in (ordered.given, ordered.positions, ordered.values, ordered.places):
        assert same(every).tolist() == every.tolist()
    assert order_collection(graph).given(np.array([2, -1])).tolist() == [2, -1]


def test_a_graph_is_ordered_once_and_forgotten_with_it():
    graph = with_arcs()
    assert order_by_structure(graph) is order_by_structure(graph)
    num_known = len(node_order._KNOWN)
    del graph
    assert len(node_order._KNOWN) < num_known


def test_a_collection_in_its_order_is_sampled_as_it_was_given():
    rng = np.random.default_rng(5)
    graphs = [nx.gnm_random_graph(12, 20, seed=seed) for seed in range(6)]
    features = rng.integers(3, size=72).astype(np.float32)
    given = as_csr(graphs, features=features)
    ordered = order_collection(given)
    # 1. it is the same collection
    np.testing.assert_array_equal(ordered.graph.features, given.features[ordered.nodes])
    np.testing.assert_array_equal(ordered.position[ordered.nodes], np.arange(72))
    for new, old in enumerate(ordered.graphs.tolist()):
        nodes = ordered.nodes[slice(*ordered.graph.graph_ptr[new : new + 2])]
        assert set(given.graph_of(nodes)) == {old}
    pairs = {frozenset(pair) for pair in given.adjacent_pairs().tolist()}
    moved = ordered.nodes[ordered.graph.adjacent_pairs()]
    assert {frozenset(pair) for pair in moved.tolist()} == pairs
    # 2. each root sees the same nodes
    own = extract_subgraphs(given, SubgraphSettings(2, 5))
    other = extract_subgraphs(ordered.graph, SubgraphSettings(2, 5))
    np.testing.assert_array_equal(ordered.given(other.nodes), own.nodes[ordered.nodes])


def test_molecules_that_colours_cannot_tell_apart_have_one_order():
    """Decalin and bicyclopentyl look alike from every atom, and each has symmetries."""
    decalin = nx.cycle_graph(10)
    decalin.add_edge(0, 5)
    pentagons = nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(5))
    pentagons.add_edge(0, 5)
    graphs = [decalin, pentagons, nx.path_graph(10), nx.cycle_graph(6)]
    expected = None
    for seed in range(6):
        rng = np.random.default_rng(seed)
        shuffled, labels = [], []
        for number in rng.permutation(4).tolist():
            names = rng.permutation(len(graphs[number]))
            one = nx.empty_graph(len(names))
            one.add_edges_from((names[u], names[v]) for u, v in graphs[number].edges)
            shuffled.append(one)
            # the first atom of each is of another element
            labels.append((names[0] == np.arange(len(names))).astype(np.float32))
        given = heed_features(as_csr(shuffled, features=np.concatenate(labels)))
        ordered = order_collection(given).graph
        arrays = ordered.indptr, ordered.indices, ordered.features, ordered.graph_ptr
        if expected is not None:
            for own, other in zip(arrays, expected, strict=True):
                np.testing.assert_array_equal(own, other)
        expected = arrays
