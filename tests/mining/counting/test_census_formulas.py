"""Counts by formulas: of every structure, in both readings, and at every orbit of each node.

Small graphs are compared with all of their node sets, large ones with igraph and fixed numbers.
"""

from itertools import combinations, permutations
from pathlib import Path

import igraph
import networkx as nx
import numba
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph
from mining.counting import census_formulas
from mining.counting.census_formulas import (
    choose,
    count_graphlets,
    count_orbits,
    formula_steps,
    induced_to_subgraphs,
)
from mining.counting.graphlets import NUM_ORBITS, ORBITS, graphlets, orbits_by_enumeration

SNAP = Path(__file__).parents[4] / "shared/data/snap"
SIZES = {2: 1, 3: 3, 4: 9, 5: 30}


def small_graph(seed):
    """A random graph of up to twelve nodes, sparse or dense, or two of them side by side."""
    rng = np.random.default_rng(seed)
    graph = nx.gnp_random_graph(int(rng.integers(1, 12)), rng.uniform(0.05, 1), seed=seed)
    if seed % 7 == 0:
        graph = nx.disjoint_union(graph, nx.barabasi_albert_graph(7, 2, seed=seed))
    return as_csr(graph)


def totals_of(orbits):
    """How often each structure occurs, from the counts at its first orbit."""
    return [int(orbits[:, row[0]].sum()) // row.count(row[0]) for row in ORBITS]


@pytest.mark.parametrize("first", range(0, 500, 50))
def test_small_graphs_have_what_all_their_sets_show(first):
    for seed in range(first, first + 50):
        graph = small_graph(seed)
        orbits = orbits_by_enumeration(graph)
        np.testing.assert_array_equal(count_orbits(graph), orbits)
        np.testing.assert_array_equal(count_orbits(graph, 4), orbits[:, : NUM_ORBITS[4]])
        for largest, number in SIZES.items():
            assert count_graphlets(graph, largest).tolist() == totals_of(orbits)[:number]


@pytest.mark.parametrize("seed", range(8))
def test_subgraphs_are_mappings_over_automorphisms(seed):
    graph = nx.gnp_random_graph(8, 0.2 + seed / 10, seed=seed)
    found = induced_to_subgraphs(count_graphlets(as_csr(graph), 5)).tolist()
    for one, count in zip(graphlets(), found, strict=True):
        mappings = sum(
            all(graph.has_edge(nodes[u], nodes[v]) for u, v in one.edges)
            for nodes in permutations(graph, one.num_nodes)
        )
        assert count == mappings // one.num_automorphisms


def test_graphlets_are_all_connected_graphs_and_orbits_their_automorphisms():
    keys = {one.key for one in graphlets()}
    every = [graph for graph in nx.graph_atlas_g() if 2 <= len(graph) <= 5]
    connected = [graph for graph in every if nx.is_connected(graph)]
    assert keys == {Structure.from_networkx(graph).key for graph in connected}
    assert len(keys) == len(graphlets()) == 30
    assert sorted({orbit for row in ORBITS for orbit in row}) == list(range(73))
    for one, row in zip(graphlets(), ORBITS, strict=True):
        same = {(u, v): row[u] == row[v] for u, v in combinations(range(len(row)), 2)}
        assert same == {(u, v): one.orbits[u] == one.orbits[v] for u, v in same}


@pytest.mark.parametrize(
    ("name", "expected"),
    # nodes of each orbit in the figure of Pržulj (2007), told by degree, and by neighbours
    [
        ("path of 5 nodes", {15: 1, 16: 2, 17: 2}),
        ("fork", {18: 1, 19: 1, 20: 2, 21: 3}),
        ("banner", {35: 1, 36: 2, 37: 2, 38: 3}),
        ("dart", {39: 1, 40: 2, 41: 3, 42: 4}),
        ("kite", {45: 1, 46: 2, 47: 3, 48: 3}),
        ("house", {51: 2, 52: 2, 53: 3}),
        ("K2,3 with an edge among the three", {62: 2, 63: 3, 64: 3}),
        ("clique of 5 nodes less 1 edge", {70: 3, 71: 4}),
    ],
)
def test_the_numbers_of_orbits(name, expected):
    (number,) = [k for k, one in enumerate(graphlets()) if one.name == name]
    degrees = graphlets()[number].joined.sum(axis=1).tolist()
    assert dict(zip(ORBITS[number], degrees, strict=True)) == expected


def test_graphs_without_cycles_and_without_edges():
    assert count_orbits(as_csr(nx.empty_graph(1))).tolist() == [[0] * 73]
    assert count_graphlets(as_csr(nx.empty_graph(5)), 5).tolist() == [0] * 30
    tree = as_csr(nx.balanced_tree(3, 3))
    np.testing.assert_array_equal(count_orbits(tree), orbits_by_enumeration(tree))


def test_a_star_with_more_leaves_than_64_bits_hold():
    leaves = 200_000
    counts = count_graphlets(as_csr(nx.star_graph(leaves)), 5)
    expected = {"edge": 1, "path of 3 nodes": 2, "star with 3 leaves": 3, "star with 4 leaves": 4}
    for one, count in zip(graphlets(), counts.tolist(), strict=True):
        number = expected.get(one.name)
        product = int(np.prod([leaves - k for k in range(number or 0)], dtype=object))
        assert count == (product // [1, 1, 2, 6, 24][number] if number else 0)
    assert counts.max() > 2**63


def test_wide_integers_are_the_same_numbers(monkeypatch):
    graph = small_graph(7)
    monkeypatch.setattr(census_formulas, "_INT64", 10**5)
    counts = count_orbits(graph)
    assert counts.dtype == object
    assert counts.tolist() == orbits_by_enumeration(graph).tolist()
    monkeypatch.setattr(census_formulas, "_INT64", 10)
    with pytest.raises(InputError, match="^graph must have so few edges and neighbours"):
        count_orbits(graph)


@pytest.mark.parametrize("by_node", [False, True])
def test_threads_do_not_matter(monkeypatch, by_node):
    graph = as_csr(nx.powerlaw_cluster_graph(2000, 8, 0.5, seed=1))
    count = count_orbits if by_node else count_graphlets
    # threads are used where they are kept busy
    assert formula_steps(graph, 5) > 2_000_000
    results = []
    for number in (1, 2):
        monkeypatch.setattr(numba, "get_num_threads", lambda number=number: number)
        results.append(count(graph, 5))
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("seed", range(3))
def test_larger_graphs_have_what_igraph_finds(seed):
    graph = nx.powerlaw_cluster_graph(300, 4, 0.6, seed=seed)
    counts = count_graphlets(as_csr(graph), 5).tolist()
    pairs = igraph.Graph.from_networkx(graph)
    for size in (3, 4, 5):
        numbers = pairs.motifs_randesu(size)
        own = {one.key: count for one, count in zip(graphlets(), counts, strict=True)}
        for kind, number in enumerate(numbers):
            one = igraph.Graph.Isoclass(size, kind)
            if one.is_connected():
                assert own[Structure.of_edges(size, one.get_edgelist()).key] == number


# counts of igraph and of the prototype; sums over nodes of ORCA's orbits
GRQC = [
    14484, 85087, 48260, 553322, 405750, 1115, 628366, 65717, 329297, 3568239, 7691538, 1885767,
    3911974, 3699270, 4377944, 3358, 50656, 831091, 835199, 543980, 165, 23499, 52669, 5603607,
    100024, 1573, 673850, 851, 291060, 2215500,
]  # fmt: skip


@pytest.mark.skipif(not SNAP.is_dir(), reason="needs ../shared/data/snap")
def test_collaborations_in_general_relativity():
    graph = read_graph(SNAP / "ca-GrQc.txt.gz")
    assert count_graphlets(graph, 5).tolist() == GRQC
    orbits = count_orbits(graph)
    for row, count in zip(ORBITS, GRQC, strict=True):
        for orbit in set(row):
            assert orbits[:, orbit].sum() == count * row.count(orbit)


def test_choose_of_small_and_large_numbers():
    values = np.arange(8)
    for number in range(1, 5):
        expected = [len(list(combinations(range(n), number))) for n in values]
        assert choose(values, number).tolist() == expected
    assert choose(np.array([10**6], object), 4)[0] == 10**6 * 999_999 * 999_998 * 999_997 // 24


def test_more_work_is_more_steps():
    sparse, dense = (nx.gnm_random_graph(500, m, seed=1) for m in (1000, 20_000))
    for largest in (3, 4, 5):
        assert formula_steps(as_csr(sparse), largest) < formula_steps(as_csr(dense), largest)
    steps = [formula_steps(as_csr(dense), largest) for largest in (3, 4, 5)]
    assert steps == sorted(steps)
