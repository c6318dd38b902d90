"""Structures of grown sets: connected, induced, over free edges, grouped as by their keys."""

import networkx as nx
import numpy as np
import pytest
from random_graphs import random_graph

from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.candidates.grown_sets import distinct, seen_structures


def links_of(graph):
    """The link of each two nodes, uint16 ``[V, V]``."""
    links = np.zeros((graph.num_nodes, graph.num_nodes), np.uint16)
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    links[rows, graph.indices] = 1 if graph.links is None else graph.links
    return links


@pytest.mark.parametrize("colored", [False, True])
def test_sets_are_induced_copies_of_their_structures(colored):
    graph, colors = random_graph(np.random.default_rng(1), 40, 90)
    colors = colors if colored else np.zeros(40, np.int64)
    links, free = links_of(graph), np.ones(len(graph.indices), bool)
    found = seen_structures(graph, colors, free, range(3, 6), seed=0)
    for size, structures in found.items():
        assert structures
        keys = set()
        for one in structures:
            sets = {tuple(sorted(row)) for row in one.copies.tolist()}
            assert len(sets) == len(one.copies)
            for row in one.copies:
                assert len(set(row.tolist())) == size
                assert (links[np.ix_(row, row)] == one.shape.links).all()
                assert (colors[row] == one.shape.colors).all()
            names = tuple((str(color),) for color in one.shape.colors)
            # a structure is connected, or it is refused
            structure = Structure(graph.relations.links[one.shape.links], graph.relations, names)
            assert structure.num_automorphisms == one.shape.num_automorphisms
            keys.add(structure.key)
        assert len(keys) == len({one.shape.key for one in structures}) == len(structures)


def test_sets_grow_over_free_edges_alone():
    whole = nx.gnp_random_graph(60, 0.1, seed=3)
    graph = as_csr(whole)
    rows = np.repeat(np.arange(60), graph.degrees)
    free = (rows + graph.indices) % 3 > 0
    links = links_of(graph)
    is_free = np.zeros((60, 60), bool)
    is_free[rows, graph.indices] = free
    found = seen_structures(graph, np.zeros(60, np.int64), free, range(3, 7), seed=1)
    for structures in found.values():
        for one in structures:
            for row in one.copies:
                inside = np.ix_(row, row)
                assert (is_free[inside] == (links[inside] > 0)).all()


def test_each_ring_of_a_graph_of_rings_is_seen():
    rings = nx.disjoint_union_all([nx.cycle_graph(size) for size in (4, 5, 6) for _ in range(7)])
    graph = as_csr(rings)
    free = np.ones(len(graph.indices), bool)
    found = seen_structures(graph, np.zeros(graph.num_nodes, np.int64), free, range(4, 7), seed=2)
    for size, structures in found.items():
        (ring,) = [one for one in structures if (one.shape.links.sum(axis=1) == 2).all()]
        assert len(ring.copies) == 7
        assert ring.shape.num_automorphisms == 2 * size
        # a ring saves more than any tree
        assert structures[0] is ring


def test_the_same_seed_gives_the_same_sets():
    graph = as_csr(nx.gnp_random_graph(50, 0.1, seed=5))
    free, colors = np.ones(len(graph.indices), bool), np.zeros(50, np.int64)
    one, again, other = (
        [s.copies.tobytes() for s in seen_structures(graph, colors, free, range(4, 5), seed)[4]]
        for seed in (0, 0, 1)
    )
    assert one == again
    assert one != other


def test_a_hub_takes_part_of_its_neighbors():
    # of the hub's 1500 neighbours 300 are on offer to a growth, others to each
    graph = as_csr(nx.windmill_graph(500, 4))
    free = np.ones(len(graph.indices), bool)
    found = seen_structures(graph, np.zeros(1501, np.int64), free, range(4, 5), seed=0)
    (clique,) = found[4]
    assert clique.shape.links.sum() == 12
    assert len(clique.copies) == 500 and (clique.copies == 0).any(axis=1).all()


def test_nothing_grows_where_nothing_is_free():
    graph = as_csr(nx.path_graph(5))
    nothing = seen_structures(graph, np.zeros(5, np.int64), np.zeros(8, bool), range(3, 5), seed=0)
    assert nothing == {3: [], 4: []}


def test_one_row_of_each_set_is_kept():
    assert distinct(np.array([[1, 2], [2, 1], [3, 1], [2, 3], [1, 3]])).tolist() == [0, 2, 3]
