"""Copies of a structure: all are listed, and their bits are those of the code."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from random_graphs import random_graph

from gomkcn_dgl import as_csr
from mining.candidates.shapes import find_shapes
from mining.mined_graph import MinedGraph
from mining.motif_sets.code_length import CodedGraph, GraphCode
from mining.motif_sets.copy_loops import choose_disjoint
from mining.motif_sets.listed_copies import list_structure, plan_of
from mining.motif_sets.search import Cover


def coded(kind):
    """A small random graph: plain, or with directions, relations and categories."""
    if kind == "plain":
        return CodedGraph.of(MinedGraph.of(nx.gnp_random_graph(24, 0.2, seed=1)))
    graph, colors = random_graph(np.random.default_rng(3), 22, 90)
    categories = np.eye(2, dtype=np.float32)[colors]
    graph = as_csr(graph)
    object.__setattr__(graph, "features", categories)
    object.__setattr__(graph, "feature_names", ("kind=a", "kind=b"))
    return CodedGraph.of(MinedGraph.of(graph))


def links_of(graph):
    links = np.zeros((len(graph.colors),) * 2, np.int64)
    places = np.repeat(np.arange(len(links)), graph.num_neighbors), graph.rows.indices
    links[places] = graph.rows.links
    return links


def shape_at(graph, nodes):
    """The induced structure of some nodes, in canonical order."""
    links, colors = links_of(graph)[np.ix_(nodes, nodes)], graph.colors[nodes]
    return find_shapes(links[None].astype(np.uint16), colors[None]).shapes[0]


def shapes_of(graph, size):
    """At most four structures of connected sets of a size, each once."""
    joined, found = nx.Graph(graph.edges.tolist()), {}
    for root in sorted(joined):
        nodes = np.array(list(nx.bfs_tree(joined, root))[:size])
        shape = shape_at(graph, nodes)
        found.setdefault(shape.key, shape)
    return [*found.values()][:4]


def copies_by_brute_force(graph, shape):
    """All sets of nodes with the canonical form of a structure."""
    sets = np.array(list(combinations(range(len(graph.colors)), shape.num_nodes)))
    links = links_of(graph)[sets[:, :, None], sets[:, None, :]]
    found = find_shapes(links.astype(np.uint16), graph.colors[sets])
    same = np.array([one.key == shape.key for one in found.shapes])[found.number]
    return {frozenset(row) for row in sets[same].tolist()}


def list_all(graph, shape):
    code = GraphCode(graph)
    left = Cover(code).left()
    none = np.zeros((0, shape.num_nodes), np.int32)
    return list_structure(code, shape, none, ("given",), left, 0), left


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("kind", ["plain", "typed"])
def test_all_copies_are_listed_once(kind, size):
    graph = coded(kind)
    links = links_of(graph)
    for shape in shapes_of(graph, size) if size > 2 else [shape_at(graph, graph.edges[0])]:
        listed = list_all(graph, shape)[0]
        sets = [frozenset(row) for row in listed.copies.tolist()]
        assert listed.is_complete
        assert len(set(sets)) == len(sets)
        assert set(sets) == copies_by_brute_force(graph, shape)
        for row in listed.copies:
            assert (links[np.ix_(row, row)] == shape.links).all()
        assert (listed.edges == graph.edge_numbers(shape, listed.copies)).all()


@pytest.mark.parametrize("whole", [nx.cycle_graph(6), nx.complete_graph(5), nx.petersen_graph()])
def test_symmetry_leaves_one_mapping_of_each_copy(whole):
    graph = CodedGraph.of(MinedGraph.of(whole))
    shape = shape_at(graph, np.arange(len(whole)))
    assert len(list_all(graph, shape)[0].copies) == 1
    order, plan = plan_of(shape)
    assert sorted(order.tolist()) == list(range(len(whole)))
    # each node but the first is joined to one before it
    assert all((plan.links[:k, k] > 0).any() for k in range(1, len(whole)))


@pytest.mark.parametrize("kind", ["plain", "typed"])
def test_bits_of_the_best_copies_are_those_of_the_code(kind):
    graph = coded(kind)
    code = GraphCode(graph)
    for shape in shapes_of(graph, 3):
        listed, left = list_all(graph, shape)
        everything, none = np.ones(graph.num_edges, bool), np.zeros(0, np.int64)
        found = listed.best_copies(left, none, everything, -np.inf)
        if found is None:
            assert len(listed.copies) < 2
            continue
        bits, address = code.motif_bits(shape, found.copies)
        assert abs(found.bits - bits) < 1e-9
        assert found.address == address
        saved = listed.gains(found.rows, left).sum()
        assert abs(found.gain - (saved - found.bits)) < 1e-9


def test_the_best_copies_share_no_edge_and_keeps_to_what_is_free():
    whole = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(30)])
    graph = CodedGraph.of(MinedGraph.of(whole))
    clique = next(
        np.array(one) for one in nx.find_cliques(nx.Graph(graph.edges.tolist())) if len(one) == 4
    )
    listed, left = list_all(graph, shape_at(graph, clique))
    every, none = np.ones(graph.num_edges, bool), np.zeros(0, np.int64)
    best = listed.best_copies(left, none, every)
    assert len(best.rows) == 6
    assert best.address == "without replacement"
    left.used[listed.edges[0]] = True
    assert set(listed.best_copies(left, none, every).rows) == {1, 2, 3, 4, 5}
    # nothing new, and not enough
    assert listed.best_copies(left, none, ~every) is None
    left.used[listed.edges[1:5]] = True
    assert listed.best_copies(left, none, every) is None
    assert listed.best_copies(left, np.array([0]), every).rows.tolist() == [0, 5]


def test_disjoint_rows_are_chosen_in_order():
    members = np.array([[0, 1, -1], [1, 2, -1], [2, 3, -1], [4, 5, -1]], np.int32)
    for order, chosen in (([0, 1, 2, 3], [0, 2, 3]), ([1, 0, 2, 3], [1, 3])):
        found = choose_disjoint(np.array(order), members, np.zeros(6, bool))
        assert found.tolist() == chosen
