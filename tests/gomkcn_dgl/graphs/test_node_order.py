"""NodeOrder: a graph is the same in its order, however its nodes and graphs were numbered."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from graph_files import assert_same

from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.node_order import NodeOrder


def renumber(graph: CSRGraph, seed: int) -> tuple[CSRGraph, np.ndarray]:
    """The graph with its nodes in a random order, and the new number of each."""
    number = np.random.default_rng(seed).permutation(graph.num_nodes)
    source, target, relation = graph.edges()
    renumbered = csr_from_edges(
        number[source],
        number[target],
        graph.num_nodes,
        features=graph.features[np.argsort(number)],
        feature_names=graph.feature_names,
        directed=graph.relations.directed,
        relation=relation,
        relation_names=graph.relations.names,
    )
    return renumbered, number


def ring_of_arcs() -> CSRGraph:
    """A ring whose edges are of two types, one with a direction, which alone tell nodes apart."""
    kind, nodes = np.random.default_rng(2).integers(2, size=40), np.arange(40)
    options = {"directed": [True, False], "relation": kind, "relation_names": ["to", "by"]}
    return csr_from_edges(nodes, (nodes + 1) % 40, 40, **options)


# in these, colours tell all nodes apart
ASYMMETRIC = {
    "hubs": as_csr(nx.barabasi_albert_graph(600, 4, seed=1)),
    "types and directions": ring_of_arcs(),
    "features": as_csr(nx.cycle_graph(30), features=np.random.default_rng(0).integers(5, size=30)),
}
SYMMETRIC = {
    "triangles at a hub": as_csr(nx.windmill_graph(6, 3)),
    "equal components": as_csr(nx.disjoint_union_all([nx.star_graph(4), *[nx.house_graph()] * 4])),
    "tree": as_csr(nx.balanced_tree(3, 4)),
    "cube": as_csr(nx.cubical_graph()),
    "large ring": as_csr(nx.cycle_graph(600)),
}


@pytest.mark.parametrize("name", [*ASYMMETRIC, *SYMMETRIC])
def test_renumbering_changes_nothing(name):
    graph = {**ASYMMETRIC, **SYMMETRIC}[name]
    first = NodeOrder.of(graph)
    # it is the same graph
    pairs = {frozenset(pair) for pair in graph.adjacent_pairs().tolist()}
    moved = first.given(first.graph.adjacent_pairs())
    assert {frozenset(pair) for pair in moved.tolist()} == pairs
    np.testing.assert_array_equal(first.graph.features, graph.features[first.nodes])
    for seed in range(3):
        other, number = renumber(graph, seed)
        order = NodeOrder.of(other)
        assert_same(order.graph, first.graph)
        if name in ASYMMETRIC:
            np.testing.assert_array_equal(order.nodes, number[first.nodes])


def test_weights_go_with_their_edges():
    ends = np.array(nx.gnp_random_graph(20, 0.3, seed=1).edges)
    graph = csr_from_edges(*ends.T, 20, weights=1.0 + np.arange(len(ends)))
    order = NodeOrder.of(graph)
    row = np.repeat(order.nodes, order.graph.degrees)
    pairs = np.sort([row, order.nodes[order.graph.indices]], axis=0).T.tolist()
    weight_of = {tuple(pair): 1.0 + number for number, pair in enumerate(np.sort(ends).tolist())}
    assert order.graph.weights.tolist() == [weight_of[tuple(pair)] for pair in pairs]


def test_a_large_graph_keeps_its_numbers():
    graph = ring_of_arcs()
    order = NodeOrder.of(graph, most_entries=len(graph.indices) - 1)
    assert order.graph is graph
    assert order.given(np.array([2, -1])).tolist() == [2, -1]
    assert order.position.tolist() == list(range(graph.num_nodes))


def test_a_collection_in_its_order_holds_the_graphs_as_each_is_alone():
    rng = np.random.default_rng(5)
    graphs = [nx.gnm_random_graph(12, 20, seed=seed) for seed in range(6)]
    given = as_csr([*graphs, nx.cycle_graph(7)], features=rng.integers(3, size=79))
    order = NodeOrder.of(given)
    np.testing.assert_array_equal(order.nodes[order.position], np.arange(79))
    alone = [NodeOrder.of(one).graph for one in list(given)]
    for new, old in enumerate(order.graphs.tolist()):
        nodes = order.nodes[slice(*order.graph.graph_ptr[new : new + 2])]
        assert set(given.graph_of(nodes)) == {old}
        assert_same(list(order.graph)[new], alone[old])


def shuffle(graphs: list[nx.Graph], seed: int) -> CSRGraph:
    """The graphs in a random order, each with its nodes in a random order; node 0 is marked."""
    rng = np.random.default_rng(seed)
    shuffled, marks = [], []
    for number in rng.permutation(len(graphs)).tolist():
        names = rng.permutation(len(graphs[number]))
        one = nx.empty_graph(len(names))
        one.add_edges_from((names[u], names[v]) for u, v in graphs[number].edges)
        shuffled.append(one)
        marks.append(names[0] == np.arange(len(names)))
    return as_csr(shuffled, features=np.concatenate(marks).astype(np.float32))


@pytest.mark.parametrize("is_marked", [False, True])
def test_all_small_graphs_and_some_molecules_have_one_order(is_marked):
    # decalin and bicyclopentyl look alike from every atom, and each has symmetries
    decalin = nx.cycle_graph(10)
    decalin.add_edge(0, 5)
    pentagons = nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(5))
    pentagons.add_edge(0, 5)
    # all nodes of a triangle and a square look alike, and of the complement, yet they are not equal
    atlas = [one for one in nx.graph_atlas_g()[1:] if one.name not in ("G354", "G1171")]
    graphs = [decalin, pentagons, *atlas]
    one, other = (shuffle(graphs, seed) for seed in range(2))
    if not is_marked:
        one, other = (replace(each, features=each.features * 0) for each in (one, other))
    assert_same(NodeOrder.of(other).graph, NodeOrder.of(one).graph)
