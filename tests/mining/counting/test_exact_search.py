"""Exact counts: against every node set of small graphs, igraph, and binomial coefficients."""

import itertools

import igraph
import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.counting.exact_search import ExactSearch, count_by_graph, find_graphs
from mining.counting.sought import join_by_graph

GRAPHS = [g for g in nx.graph_atlas_g()[1:] if len(g) <= 6 and nx.is_connected(g)]
CLIQUE = {size: Structure(1 - np.eye(size)) for size in range(1, 9)}


def counts_by_class(graph, size):
    """Key → how many node sets of the graph induce it, one by one."""
    counts = {}
    for nodes in itertools.combinations(graph, size):
        part = graph.subgraph(nodes)
        if nx.is_connected(part):
            key = Structure.from_networkx(part).key
            counts[key] = counts.get(key, 0) + 1
    return counts


@pytest.mark.parametrize(("edge_prob", "seed"), [(0.3, 0), (0.6, 1)])
def test_every_structure_of_up_to_six_nodes(edge_prob, seed):
    graph = nx.gnp_random_graph(9, edge_prob, seed=seed)
    rng = np.random.default_rng(seed)
    truth = {size: counts_by_class(graph, size) for size in range(1, 7)}
    for small in GRAPHS:
        size = len(small)
        order = rng.permutation(size)
        structure = Structure(nx.to_numpy_array(small)[np.ix_(order, order)])
        count = count_by_graph(as_csr(graph), structure).sum()
        assert count == truth[size].get(structure.key, 0), small.edges
        assert join_by_graph(as_csr(graph), structure).tolist() == [count]


def test_igraph_lists_as_many_in_a_larger_graph():
    graph = nx.barabasi_albert_graph(200, 2, seed=1)
    whole = igraph.Graph(n=200, edges=list(graph.edges))
    for one in (nx.cycle_graph(6), nx.ladder_graph(4), nx.path_graph(5)):
        small = igraph.Graph(n=len(one), edges=list(one.edges))
        mappings = whole.get_subisomorphisms_lad(small, induced=True)
        count = count_by_graph(as_csr(graph), Structure.from_networkx(one)).sum()
        assert count == len({frozenset(nodes) for nodes in mappings}) > 0


def test_cliques_and_stars_by_binomial_coefficients():
    # the symmetries of 8 equal nodes, 40320, are all broken
    assert count_by_graph(as_csr(nx.complete_graph(12)), CLIQUE[8]).sum() == 495
    star = Structure.parse("star-8")
    assert count_by_graph(as_csr(nx.star_graph(30)), star).sum() == 2_035_800
    assert count_by_graph(as_csr(nx.complete_graph(5)), star).sum() == 0


def test_a_collection_of_weighted_graphs():
    parts = [nx.cycle_graph(3), nx.path_graph(3), nx.complete_graph(4), nx.empty_graph(2)]
    for part in parts:
        nx.set_edge_attributes(part, 0.5, "weight")
    graph = as_csr(parts, edge_weight="weight")
    assert count_by_graph(graph, CLIQUE[1]).tolist() == [3, 3, 4, 2]
    for clique, count in ((CLIQUE[2], (11, 3)), (CLIQUE[3], (5, 2))):
        exact = count_by_graph(graph, clique)
        assert (exact.sum(), (exact > 0).sum()) == count
        found, is_complete = find_graphs(graph, clique)
        assert (found.sum(), is_complete) == (count[1], True)
    assert count_by_graph(graph, CLIQUE[3]).tolist() == [1, 0, 4, 0]
    assert find_graphs(graph, CLIQUE[3])[0].tolist() == [True, False, True, False]
    assert find_graphs(graph, CLIQUE[1])[0].all()


@pytest.mark.parametrize("directed", [False, True])
def test_graphs_that_hold_an_occurrence(directed):
    rng = np.random.default_rng(3)
    graphs = [nx.gnp_random_graph(9, 0.25, seed=seed, directed=directed) for seed in range(40)]
    graph, some = as_csr(graphs), 0
    colors = rng.integers(0, 2, graph.num_nodes)
    for seed in range(12):
        part = nx.gnp_random_graph(4, 0.5, seed=seed, directed=directed)
        if not nx.is_connected(part.to_undirected()):
            continue
        structure = Structure.from_networkx(part)
        for own in (None, (rng.integers(0, 2, 4), colors)):
            counts = count_by_graph(graph, structure, own)
            assert join_by_graph(graph, structure, own).tolist() == counts.tolist()
            assert find_graphs(graph, structure, own)[0].tolist() == (counts > 0).tolist()
            some += 0 < (counts > 0).sum() < 40
    assert some > 3


def test_a_join_stays_small(monkeypatch):
    # a table of 3 numbers for each neighbour of each edge's smaller node
    graph = as_csr([nx.star_graph(9), nx.empty_graph(2)])
    join, path, empty = join_by_graph, Structure.parse("path-3"), as_csr(nx.empty_graph(2))
    assert (join(graph, path).tolist(), join(empty, path).tolist()) == ([36, 0], [0])
    for most, found in ((36, None), (3 * (9 + 9 * 8 + 9), [36, 0]), (3 * (9 + 81) - 1, None)):
        monkeypatch.setattr("mining.counting.sought._MOST_NUMBERS", most)
        counts = join(graph, path)
        assert (counts if counts is None else counts.tolist()) == found, most
    # the rows of a triangle grow by the neighbours of the leaf, and not by those of the hub: from
    # 20 entries of two numbers to 13 rows of three
    hub = as_csr(nx.compose(nx.star_graph(9), nx.path_graph(3)))
    monkeypatch.setattr("mining.counting.sought._MOST_NUMBERS", 40)
    assert join(hub, CLIQUE[3]).tolist() == [1]


def test_graphs_that_are_not_decided_in_so_many_steps(monkeypatch):
    graph = as_csr([nx.complete_graph(3), nx.gnp_random_graph(40, 0.5, seed=0)])
    # a clique of 8 is in neither, which takes many steps to see in the second
    monkeypatch.setattr("mining.counting.exact_search._FEW_STEPS", 10)
    found, is_complete = find_graphs(graph, CLIQUE[8], max_steps=30)
    assert (found.tolist(), is_complete) == ([False, False], False)


def test_a_count_that_is_not_finished():
    # C(200, 8) cliques
    search = ExactSearch(as_csr(nx.complete_graph(200)), CLIQUE[8])
    search.run(max_steps=10_000_000)
    assert search.unfinished and 1_000_000 < search.count.sum() < 100_000_000
    assert count_by_graph(search.graph, CLIQUE[8], max_steps=10_000_000) is None
