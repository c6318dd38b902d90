"""Relations and links, and graphs whose edges have directions and types."""

import itertools

import numpy as np
import pytest
from random_graphs import KINDS, draw

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.relations import MAX_RELATIONS, SIMPLE, relations_of


def edge_set(graph):
    names, (source, target, relation) = graph.relations.names, graph.edges()
    return {
        (u, v, names[r])
        for u, v, r in zip(source.tolist(), target.tolist(), relation.tolist(), strict=True)
    }


@pytest.mark.parametrize(("kinds", "seed"), [(kinds, seed) for seed in (0, 1) for kinds in KINDS])
def test_a_graph_keeps_each_edge_once_with_direction_and_type(kinds, seed):
    graph, source, target, relation = draw(kinds, seed)
    expected = set()
    for u, v, r in zip(source.tolist(), target.tolist(), relation.tolist(), strict=True):
        name, directed = list(kinds.items())[r]
        if u != v:
            expected.add((u, v, name) if directed else (min(u, v), max(u, v), name))
    assert edge_set(graph) == expected
    assert graph.num_edges == len(expected)
    pairs = {(min(u, v), max(u, v)) for u, v, _ in expected}
    assert set(map(tuple, graph.adjacent_pairs().tolist())) == pairs


@pytest.mark.parametrize("kinds", KINDS)
def test_links_of_both_nodes_are_each_others_reverse(kinds):
    graph, *_ = draw(kinds, 0)
    if graph.links is None:
        assert graph.relations.is_simple
        return
    dense = np.zeros((graph.num_nodes,) * 2, int)
    dense[np.repeat(np.arange(graph.num_nodes), graph.degrees), graph.indices] = graph.links
    np.testing.assert_array_equal(graph.relations.reverse[dense], dense.T)


def test_the_order_of_the_edges_does_not_matter():
    kinds = KINDS[-1]
    graph, source, target, relation = draw(kinds, 0)
    order = np.random.default_rng(0).permutation(len(source))
    again = csr_from_edges(
        source[order],
        target[order],
        8,
        relation=relation[order],
        relation_names=list(kinds),
        directed=list(kinds.values()),
    )
    np.testing.assert_array_equal(graph.links, again.links)
    assert graph.relations == again.relations


def test_an_undirected_graph_is_what_it_is_without_relations():
    source, target = np.array([0, 1, 2, 2]), np.array([1, 2, 0, 3])
    plain = csr_from_edges(source, target, 4)
    named = csr_from_edges(source, target, 4, relation_names=["binds"], directed=False)
    assert named.links is None
    assert named.relations.is_simple
    np.testing.assert_array_equal(plain.indices, named.indices)


@pytest.mark.parametrize(
    ("source", "target", "directed"),
    [([0, 1], [1, 0], False), ([0, 1, 1], [1, 0, 2], True), ([], [], False)],
)
def test_a_relation_is_undirected_when_every_edge_is_there_both_ways(source, target, directed):
    ends = np.array(source, np.int64), np.array(target, np.int64)
    assert csr_from_edges(*ends, 3, directed=None).is_directed == directed


def test_opposite_arcs_are_not_an_undirected_edge():
    arcs = csr_from_edges(np.array([0, 1]), np.array([1, 0]), 2, directed=True)
    edge = csr_from_edges(np.array([0]), np.array([1]), 2)
    assert (arcs.num_edges, edge.num_edges) == (2, 1)
    assert arcs.relations.links[arcs.links].all()


def test_each_direction_has_its_weight():
    graph = csr_from_edges(
        np.array([0, 1, 1]),
        np.array([1, 0, 2]),
        3,
        directed=True,
        weights=np.array([2.0, 5.0, 7.0]),
    )
    assert graph.indices.tolist() == [1, 0, 2, 1]
    assert graph.weights.tolist() == [2, 5, 7, 7]
    assert not any("largest" in note for note in graph.notes)


def test_of_several_weights_the_largest_stays_and_it_is_said():
    graph = csr_from_edges(
        np.array([0, 0]),
        np.array([1, 1]),
        2,
        directed=True,
        relation=np.array([0, 1]),
        relation_names=["a", "b"],
        weights=np.array([2.0, 5.0]),
    )
    assert graph.weights.tolist() == [5, 5]
    note = "kept the largest of several values of the edges of 1 ordered pairs of nodes"
    assert note in graph.notes


def test_collections_unite_their_relations():
    one, *_ = draw({"b": True, "a": False}, 0)
    two, *_ = draw({"c": True, "a": False}, 1)
    both = as_csr([one, two, csr_from_edges(np.array([0]), np.array([1]), 2)])
    assert both.relations.names == ("b", "a", "c", "edge")
    shifted = {(u + 8, v + 8, name) for u, v, name in edge_set(two)}
    assert edge_set(both) == edge_set(one) | shifted | {(16, 17, "edge")}


def test_relations_in_terms_of_others():
    graph, *_ = draw({"b": True, "a": False}, 0)
    more = relations_of(["a", "b", "c"], [False, True, True])
    assert edge_set(graph.with_relations(more)) == edge_set(graph)
    assert graph.with_relations(SIMPLE).links is None
    mirrored = graph.with_relations(relations_of(["a", "b"], [False, False]))
    assert edge_set(mirrored) == {(min(u, v), max(u, v), name) for u, v, name in edge_set(graph)}
    with pytest.raises(InputError, match="relations must include 'b'"):
        graph.with_relations(relations_of(["a", "c"], [False, True]))


def test_many_relations_and_all_their_sets():
    # every set of three relations with and without direction between its own pair of nodes
    sets = list(itertools.product([False, True], repeat=5))[1:]
    ends, kinds = [], [("a", True), ("b", True), ("c", False)]
    for number, (a_out, a_in, b_out, b_in, c) in enumerate(sets):
        u, v = 2 * number, 2 * number + 1
        ends += [(u, v, 0)] * a_out + [(v, u, 0)] * a_in + [(u, v, 1)] * b_out
        ends += [(v, u, 1)] * b_in + [(u, v, 2)] * c
    source, target, relation = np.array(ends).T
    graph = csr_from_edges(
        source,
        target,
        2 * len(sets),
        relation=relation,
        relation_names=[name for name, _ in kinds],
        directed=[directed for _, directed in kinds],
    )
    assert len(graph.relations.links) == 2**5
    assert graph.relations.links[graph.links[::2]].tolist() == [list(one) for one in sets]


def test_wrong_relations_are_refused():
    with pytest.raises(InputError, match="relation must be one number for each of the 2 edges"):
        csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3, relation=np.array([0]))
    with pytest.raises(InputError, match=f"up to {MAX_RELATIONS} relations"):
        relations_of([f"r{i}" for i in range(MAX_RELATIONS + 1)], [True] * (MAX_RELATIONS + 1))
