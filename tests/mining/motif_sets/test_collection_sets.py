"""The connected node sets of a collection, against NetworkX and by hand."""

from itertools import combinations, permutations
from math import factorial

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl import as_csr
from gomkcn_dgl.csr import csr_from_edges
from mining.candidates.shapes import Shape, links_of
from mining.motif_sets.collection_code import CollectionCode
from mining.motif_sets.collection_copies import (
    Least,
    gather,
    grow,
    parts_of,
    sightings,
    thin,
)

GRAPHS = [nx.gnp_random_graph(9, 0.3, seed=seed) for seed in range(6)]
ONCE = Least(1, 1)


def grown(code, size):
    """All connected sets of a size."""
    sets = np.arange(code.graph.num_nodes, dtype=np.int32)[:, None]
    while sets.shape[1] < size:
        sets = grow(code.rows, sets)
    return sets


def connected_sets(graphs, size):
    union = nx.disjoint_union_all(graphs)
    sets, first = [], 0
    for graph in graphs:
        nodes = range(first, first + len(graph))
        sets += [one for one in combinations(nodes, size) if nx.is_connected(union.subgraph(one))]
        first += len(graph)
    return union, sets


@pytest.mark.parametrize("size", [2, 3, 4])
def test_all_connected_sets_are_there_once(size):
    code = CollectionCode(as_csr(GRAPHS), None, "total")
    found = list(map(tuple, grown(code, size).tolist()))
    _, expected = connected_sets(GRAPHS, size)
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("size", [3, 4])
def test_sets_of_one_structure_are_isomorphic_in_their_order(size):
    code = CollectionCode(as_csr(GRAPHS), None, "total")
    seen, _ = sightings(code, grown(code, size), ONCE)
    union, sets = connected_sets(GRAPHS, size)
    assert sum(len(one.copies) for one in seen) == len(sets)
    for one in seen:
        for nodes in one.copies.tolist():
            joined = nx.to_numpy_array(union, nodelist=nodes)
            np.testing.assert_array_equal(joined, one.shape.links)
    # no structure stands twice
    shapes = [nx.from_numpy_array(one.shape.links) for one in seen]
    for first, second in combinations(shapes, 2):
        assert not nx.is_isomorphic(first, second)


def shapes_of(code, sets):
    return [Shape.of(*one) for one in zip(*links_of(code.rows, sets), strict=True)]


def symmetries(links, colors):
    """All automorphisms, by trying each order."""
    orders = map(list, permutations(range(len(colors))))
    return [
        one
        for one in orders
        if (links[np.ix_(one, one)] == links).all() and (colors[one] == colors).all()
    ]


def test_orbits_and_automorphisms_of_directed_structures_with_categories():
    rng = np.random.default_rng(4)
    joined = np.triu(rng.random((60, 60)) < 0.6, 1)
    joined &= np.arange(60)[:, None] // 5 == np.arange(60) // 5
    source, target = np.nonzero(joined)
    turned = rng.random(len(source)) < 0.3
    graph = csr_from_edges(
        np.where(turned, target, source), np.where(turned, source, target), 60,
        directed=True, graph_ptr=np.arange(0, 61, 5),
    )  # fmt: skip
    code = CollectionCode(graph, rng.integers(2, size=60), "typed")
    for one in shapes_of(code, np.arange(60).reshape(-1, 5)):
        own = symmetries(one.links, one.colors)
        assert 2**one.automorphism_bits == pytest.approx(len(own))
        reached = np.array(own).T
        for u, v in combinations(range(5), 2):
            assert (one.orbits[u] == one.orbits[v]) == (v in reached[u])


def test_cliques_have_all_orders():
    code = CollectionCode(as_csr([nx.complete_graph(10)]), None, "total")
    (clique,) = shapes_of(code, np.arange(10)[None])
    assert 2**clique.automorphism_bits == pytest.approx(factorial(10))
    assert clique.num_orbits == 1


def test_parts_have_one_or_two_nodes_less():
    code = CollectionCode(as_csr([nx.cycle_graph(5)]), None, "total")
    (ring,) = shapes_of(code, np.arange(5)[None])
    # four nodes of it are a path; three a path, or an edge and a node
    assert len(parts_of(ring)) == 3
    (path,) = sightings(code, grown(code, 4), ONCE)[0]
    assert path.shape.key in parts_of(ring)
    # of one structure the parts are those of any of its orders
    turned = shapes_of(code, np.array([[2, 0, 4, 1, 3]]))[0]
    assert parts_of(turned) == parts_of(ring)


def test_sets_of_structures_in_too_few_graphs_do_not_grow():
    graphs = [nx.cycle_graph(3), nx.path_graph(3), nx.path_graph(3), nx.path_graph(3)]
    code = CollectionCode(as_csr(graphs), None, "total")
    sets = grown(code, 3)
    seen, goes_on = sightings(code, sets, Least(1, 2))
    assert len(seen) == 1
    assert sets[~goes_on].tolist() == [[0, 1, 2]]


def test_thinning_leaves_so_many_of_each_graph():
    sets, graph_of = np.arange(20)[:, None], np.repeat([0, 1, 2], [3, 7, 10])
    left = thin(sets, graph_of, 5, np.random.default_rng(0))
    assert np.bincount(graph_of[left[:, 0]]).tolist() == [3, 5, 5]
    assert len(np.unique(left)) == len(left)


def test_time_that_is_up_is_said():
    code = CollectionCode(as_csr(GRAPHS), None, "total")
    found = gather([code.without_motifs()], range(2, 6), 0, lambda: True)
    assert "2 nodes" in found.cut
    assert not gather([code.without_motifs()], range(2, 4), 0, lambda: False).cut
