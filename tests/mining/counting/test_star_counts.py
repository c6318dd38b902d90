"""Stars by binomial coefficients: as many as a search finds, or no answer."""

from math import comb

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl import as_csr
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import Structure
from mining.counting.counter import count_occurrences, count_stars
from mining.counting.exact_search import count_by_graph

STARS = {leaves: Structure.of_edges(leaves + 1, [(0, k + 1) for k in range(leaves)])
         for leaves in range(2, 7)}  # fmt: skip


@pytest.mark.parametrize("leaves", STARS)
def test_as_many_as_a_search_finds(leaves):
    graphs = [
        nx.star_graph(12),
        nx.random_labeled_tree(40, seed=1),
        nx.complete_bipartite_graph(4, 5),
        nx.empty_graph(2),
        # a triangle whose corners have too few neighbours
        nx.cycle_graph(3) if leaves > 2 else nx.cycle_graph(4),
    ]
    graph = as_csr(graphs)
    assert count_stars(graph, STARS[leaves]) == count_by_graph(graph, STARS[leaves]).tolist()


def test_what_is_left_to_a_search():
    star, path = as_csr(nx.star_graph(5)), STARS[2]
    assert count_stars(star, path) == [10]
    for structure in ("triangle", "path-4", "path-2", "clique-4", "a--b, b--c, c--a, a--d"):
        assert count_stars(star, Structure.parse(structure)) is None
    assert count_stars(as_csr(nx.cycle_graph(3)), path) is None
    assert count_stars(as_csr(nx.DiGraph([(0, 1), (0, 2)])), path) is None
    assert count_stars(star, path, (np.zeros(3, int), np.zeros(6, int))) is None


def test_a_star_of_a_million_leaves():
    leaves = np.arange(1, 10**6 + 1)
    graph = csr_from_edges(0 * leaves, leaves, 10**6 + 1, undirected=True)
    assert count_stars(graph, STARS[5]) == [comb(10**6, 5)]
    assert count_occurrences(graph, STARS[2]).value == comb(10**6, 2)
    # more than 64 bits hold: to the digits of a float, and not called exact
    found = count_occurrences(graph, STARS[5])
    assert found.value == found.low == found.high == float(comb(10**6, 5))
    assert not found.is_exact
    limit = as_csr(nx.star_graph(200))
    assert count_occurrences(limit, STARS[6]).is_exact
