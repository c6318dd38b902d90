"""Candidates: node sets that grow."""

import networkx as nx
import numpy as np
import pytest
from random_graphs import link_matrix, random_graph

from gomkcn.mining.motif_sets.grown_sets import distinct, hash_sets, seen_structures
from gomkcn.mining.structures.pattern import Pattern, merge
from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure


@pytest.mark.parametrize("colored", [False, True])
def test_sets_are_induced_copies_of_their_structures(colored):
    graph, colors = random_graph(np.random.default_rng(1), 40, 90)
    colors = colors if colored else np.zeros(40, np.int64)
    links, free = link_matrix(graph), np.ones(len(graph.indices), bool)
    found = seen_structures(graph, colors, free, range(3, 6), seed=0)
    for size, structures in found.items():
        assert structures
        keys = set()
        for one in structures:
            sets = {tuple(sorted(row)) for row in one.copies.tolist()}
            assert len(sets) == len(one.copies)
            for row in one.copies:
                assert len(set(row.tolist())) == size
                assert (links[np.ix_(row, row)] == one.structure.links).all()
                assert (colors[row] == one.structure.colors).all()
            names = tuple((str(color),) for color in one.structure.colors)
            # a structure is connected, or it is refused
            structure = Structure.of_channels(
                graph.relations.links[one.structure.links], graph.relations, names
            )
            assert structure.num_automorphisms == one.structure.num_automorphisms
            keys.add(structure.key)
        assert len(keys) == len({one.structure.code for one in structures}) == len(structures)


def test_sets_grow_over_free_edges_alone():
    whole = nx.gnp_random_graph(60, 0.1, seed=3)
    graph = as_csr(whole)
    rows = np.repeat(np.arange(60), graph.degrees)
    free = (rows + graph.indices) % 3 > 0
    links = link_matrix(graph)
    is_free = np.zeros((60, 60), bool)
    is_free[rows, graph.indices] = free
    found = seen_structures(graph, np.zeros(60, np.int64), free, range(3, 7), seed=1)
    for structures in found.values():
        for one in structures:
            for row in one.copies:
                inside = np.ix_(row, row)
                assert (is_free[inside] == (links[inside] > 0)).all()


def test_each_ring_of_a_graph_of_rings_is_seen_before_any_tree():
    rings = nx.disjoint_union_all([nx.cycle_graph(size) for size in (4, 5, 6) for _ in range(7)])
    graph = as_csr(rings)
    free = np.ones(len(graph.indices), bool)
    found = seen_structures(graph, np.zeros(graph.num_nodes, np.int64), free, range(4, 7), seed=2)
    for ring, *_ in found.values():
        assert (ring.structure.links.sum(axis=1) == 2).all() and len(ring.copies) == 7


def test_a_hub_takes_part_of_its_neighbors():
    # of the hub's 1500 neighbours 300 are on offer to a growth, others to each
    graph = as_csr(nx.windmill_graph(500, 4))
    free = np.ones(len(graph.indices), bool)
    found = seen_structures(graph, np.zeros(1501, np.int64), free, range(4, 5), seed=0)
    (clique,) = found[4]
    assert clique.structure.links.sum() == 12
    assert len(clique.copies) == 500 and (clique.copies == 0).any(axis=1).all()


RING, PATH, STAR = nx.cycle_graph(5), nx.path_graph(4), nx.star_graph(3)


def test_patterns_of_several_sources_are_joined_by_their_structure():
    grown = [
        Pattern(Structure.from_networkx(one), sources=("grown",)) for one in (STAR, PATH, STAR)
    ]
    filters = [Pattern(Structure.from_networkx(one), sources=("filters",)) for one in (PATH, RING)]
    found = merge([*grown, *filters])
    assert [one.sources for one in found] == [("grown",), ("grown", "filters"), ("filters",)]
    assert found[1].structure is grown[1].structure


def test_nothing_grows_where_nothing_is_free():
    graph, colors = as_csr(nx.path_graph(5)), np.zeros(5, np.int64)
    free = np.ones(len(graph.indices), bool)
    nothing = seen_structures(graph, colors, ~free, range(3, 5), seed=0)
    assert nothing == {3: [], 4: []}
    # of equal sets one row is kept
    sets = hash_sets(np.array([[1, 2], [2, 1], [3, 1], [2, 3], [1, 3]]))
    assert distinct(sets[:, 1]).tolist() == [0, 2, 3]
    assert distinct(sets[:, 0]).tolist() == [0, 1, 2]


@pytest.mark.parametrize("num_bits", [2, 12, 63])
def test_the_first_of_each_hash_is_found_however_close_they_are(num_bits):
    hashes = np.random.default_rng(num_bits).integers(0, 2**num_bits, 300, dtype=np.uint64)
    hashes = np.concatenate([hashes, hashes[::-1], np.array([0, 2**64 - 1], np.uint64)])
    expected = sorted({hash_: row for row, hash_ in reversed(list(enumerate(hashes)))}.values())
    assert distinct(hashes).tolist() == expected
    assert distinct(hashes[:0]).tolist() == []
