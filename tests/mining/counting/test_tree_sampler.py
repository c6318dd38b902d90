"""Spanning trees, their mappings counted one by one, and draws of them from long rows."""

import itertools

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.counting.exact_search import find_candidates
from mining.counting.sought import Sought
from mining.counting.tree_sampler import STRIDE, TreeSampler, spanning_trees


def sought_in(graph, pattern):
    return Sought.of(graph, Structure.from_networkx(pattern), None)


@pytest.mark.parametrize(
    ("pattern", "number"),
    # trees that differ by more than a symmetry: those of four, five nodes; a ring less an edge
    [(nx.complete_graph(4), 2), (nx.complete_graph(5), 3), (nx.cycle_graph(6), 1)],
)
def test_each_spanning_tree_once(pattern, number):
    graph = as_csr(nx.barabasi_albert_graph(30, 3, seed=1))
    trees = list(spanning_trees(Structure.from_networkx(pattern), graph.degrees))
    assert len(trees) == number
    for tree in trees:
        assert sorted(tree.nodes.tolist()) == sorted(pattern)
        assert all(parent < place for place, parent in enumerate(tree.parents.tolist()))
        edges = [(tree.nodes[p], tree.nodes[k]) for k, p in enumerate(tree.parents) if k]
        assert all(pattern.has_edge(u, v) for u, v in edges)
    # a star has more mappings than a path where a graph has hubs
    assert np.bincount(trees[0].parents[1:]).max() <= np.bincount(trees[-1].parents[1:]).max()


def test_mappings_are_counted():
    whole = nx.gnp_random_graph(7, 0.6, seed=4)
    graph = as_csr(whole)
    sought = sought_in(graph, nx.house_graph())
    candidates = find_candidates(graph, sought)
    for tree in itertools.islice(spanning_trees(sought.structure, graph.degrees), 4):
        edges = [(p, k) for k, p in enumerate(tree.parents.tolist()) if k]
        expected = sum(
            all(whole.has_edge(image[p], image[k]) for p, k in edges)
            and all(candidates[image[k]] >> tree.nodes[k] & 1 for k in range(5))
            for image in itertools.product(whole, repeat=5)
        )
        assert TreeSampler(graph, sought, candidates, tree).num_ways == expected


def test_draws_from_long_rows_are_uniform():
    whole = nx.gnp_random_graph(2 * STRIDE, 0.8, seed=1)
    # leaves without a third neighbour are not candidates of a clique
    whole.add_edges_from((v, len(whole)) for v in range(40))
    whole.add_edges_from((v, 2 * STRIDE + 1 + v) for v in range(40))
    graph = as_csr(whole)
    assert max(graph.degrees) > 2 * STRIDE * 0.8
    sought = sought_in(graph, nx.complete_graph(3))
    candidates = find_candidates(graph, sought)
    tree = next(spanning_trees(sought.structure, graph.degrees))
    drawn = TreeSampler(graph, sought, candidates, tree).draw_places(0, 400, 7)
    _, counts = np.unique(np.sort(drawn, axis=1), axis=0, return_counts=True)
    number = sum(nx.triangles(whole).values()) // 3
    expected = len(drawn) / number
    assert expected > 5
    chi_square = ((counts - expected) ** 2 / expected).sum() + (number - len(counts)) * expected
    assert abs(chi_square - number) < 5 * np.sqrt(2 * number)


def test_a_tree_without_mappings_is_not_drawn():
    # the last node has no neighbours at all
    graph = as_csr([nx.path_graph(4), nx.empty_graph(1)])
    sought = sought_in(graph, nx.complete_graph(3))
    candidates = find_candidates(graph, sought)
    tree = next(spanning_trees(sought.structure, graph.degrees))
    sampler = TreeSampler(graph, sought, candidates, tree)
    assert sampler.num_ways == 0
    assert not sampler.draw_shares(0, 2, 0).any()
    assert sampler.draw_places(0, 1, 0).shape == (0, 3)
