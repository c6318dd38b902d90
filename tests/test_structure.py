"""Structures: equal up to isomorphism with directions, relations and categories, and mapped."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from mining.structures.categories import Categories
from mining.structures.structure import Structure

PATH = nx.to_numpy_array(nx.path_graph(4)) > 0


def turned(adjacency, colors, order):
    """The same structure with node ``order[i]`` in place i."""
    return Structure(adjacency[np.ix_(order, order)], None if colors is None else colors[order])


def random_structures(channels, num_colors, count=12, size=5):
    """Connected structures; channel 1 is channel 0 read backwards."""
    rng, made = np.random.default_rng(0), []
    while len(made) < count:
        arcs = rng.random((size, size)) < 0.3
        np.fill_diagonal(arcs, False)
        adjacency = np.stack([arcs, arcs.T], axis=2) if channels == 2 else arcs | arcs.T
        colors = rng.integers(num_colors, size=size) if num_colors else None
        one = Structure(adjacency, colors)
        if nx.is_connected(nx.from_numpy_array(one.joined)):
            made.append(one)
    return made


@pytest.mark.parametrize(("channels", "num_colors"), [(1, 0), (1, 2), (2, 0), (2, 2)])
def test_an_isomorphism_takes_edges_to_edges_and_colours_to_colours(channels, num_colors):
    rng = np.random.default_rng(1)
    for one in random_structures(channels, num_colors):
        other = turned(one.adjacency, one.colors, rng.permutation(5))
        assert one.certificate == other.certificate
        mapped = one.isomorphism(other)
        assert sorted(mapped.tolist()) == list(range(5))
        np.testing.assert_array_equal(other.adjacency[np.ix_(mapped, mapped)], one.adjacency)
        if one.colors is not None:
            np.testing.assert_array_equal(other.colors[mapped], one.colors)
        # and so does each automorphism
        for symmetry in one.automorphisms():
            again = turned(one.adjacency, one.colors, symmetry)
            np.testing.assert_array_equal(again.adjacency, one.adjacency)
            assert one.colors is None or again.colors.tolist() == one.colors.tolist()


def test_certificates_agree_exactly_where_networkx_finds_an_isomorphism():
    made = random_structures(2, 2, count=25, size=3)
    graphs = [nx.from_numpy_array(one.adjacency[..., 0], create_using=nx.DiGraph) for one in made]
    for graph, one in zip(graphs, made, strict=True):
        nx.set_node_attributes(graph, dict(enumerate(one.colors.tolist())), "color")
    num_equal = 0
    for i, one in enumerate(made):
        for j in range(i):
            same = nx.is_isomorphic(
                graphs[i], graphs[j], node_match=lambda a, b: a["color"] == b["color"]
            )
            assert (one.certificate == made[j].certificate) == same
            num_equal += same
    assert num_equal > 0


def test_sizes_and_symmetries_by_hand():
    path = Structure(PATH)
    assert (path.num_nodes, path.num_edges) == (4, 3)
    assert path.automorphisms().tolist() == [[0, 1, 2, 3], [3, 2, 1, 0]]
    # a colour at one end breaks the symmetry
    assert len(Structure(PATH, np.array([1, 0, 0, 0])).automorphisms()) == 1
    # a pair joined both ways is one pair
    both = np.zeros((2, 2, 2), bool)
    both[0, 1] = both[1, 0] = True
    assert Structure(both).num_edges == 1
    # of more than 1000 symmetries the identity only
    star = Structure(nx.to_numpy_array(nx.star_graph(8)) > 0)
    assert star.automorphisms().tolist() == [list(range(9))]


def test_colours_of_a_graph_are_those_of_its_features():
    features = np.array([[1, 0, 7], [0, 1, 8], [0, 1, 9]], np.float32)
    graph = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3, features=features)
    categories = Categories(((0, 1),))
    own, other = Structure(PATH[:3, :3], np.array([1, 0, 1])).colors_in(graph, categories)
    assert (own.tolist(), other.tolist()) == ([1, 0, 1], [0, 1, 1])
    assert Structure(PATH).colors_in(graph, categories) is None
