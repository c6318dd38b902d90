"""Connected node sets: which are drawn, and how often, beside all sets of a small graph."""

import itertools

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining.counting.connected_draws import draw_connected


def spanning_trees_of_sets(graph, size):
    """Connected node sets, and the spanning trees of each by Kirchhoff's theorem."""
    found = {}
    for nodes in itertools.combinations(sorted(graph), size):
        part = graph.subgraph(nodes)
        if nx.is_connected(part):
            laplacian = nx.laplacian_matrix(part).toarray()
            found[nodes] = round(np.linalg.det(laplacian[1:, 1:]))
    return found


@pytest.mark.parametrize("size", [2, 4, 5])
def test_sets_are_drawn_in_proportion_to_their_spanning_trees(size):
    graph = nx.gnp_random_graph(9, 0.35, seed=3)
    trees = spanning_trees_of_sets(graph, size)
    drawn = draw_connected(as_csr(graph), size, 20_000, seed=1)
    assert drawn.shape == (20_000, size)
    sets, counts = np.unique(drawn, axis=0, return_counts=True)
    assert {tuple(nodes) for nodes in sets.tolist()} == set(trees)
    expected = np.array([trees[tuple(nodes)] for nodes in sets.tolist()], dtype=float)
    expected *= len(drawn) / expected.sum()
    # about the number of sets, give or take some standard deviations
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert abs(chi_square - len(sets)) < 5 * np.sqrt(2 * len(sets))


def test_sets_around_roots():
    graph = nx.disjoint_union(nx.star_graph(5), nx.path_graph(3))
    drawn = draw_connected(as_csr(graph), 4, 3, roots=np.array([2, 7]))
    # the path has too few nodes
    assert len(drawn) == 3
    assert all({0, 2} < set(nodes) for nodes in drawn.tolist())
    assert draw_connected(as_csr(nx.path_graph(3)), 4, 5).shape == (0, 4)
    assert draw_connected(as_csr(graph), 1, 2, roots=np.array([8])).tolist() == [[8], [8]]


def test_refusals():
    graph = as_csr(nx.path_graph(3))
    with pytest.raises(InputError, match="^num_nodes must be at least 1"):
        draw_connected(graph, 0, 1)
    with pytest.raises(InputError, match="^roots must be nodes of the graph, from 0 to 2"):
        draw_connected(graph, 2, 1, roots=np.array([3]))
