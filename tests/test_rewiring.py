"""The loop of edge swaps: what a swap keeps, which swaps are refused, and how they are undone."""

import itertools

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from mining.null_models.edge_ends import NO_CHANNELS
from mining.null_models.rewiring import swap_edges, undo_swaps

GRAPHS = {
    "tree": nx.random_labeled_tree(40, seed=1),
    "hubs": nx.barabasi_albert_graph(50, 2, seed=1),
    "parts": nx.disjoint_union(nx.cycle_graph(6), nx.barabasi_albert_graph(20, 2, seed=1)),
}


def arrays_of(graph):
    """The arrays of the loop; the ends of edges in one component are one group."""
    csr = as_csr(graph)
    edges = csr.adjacent_pairs()
    component = np.empty(csr.num_nodes, np.int64)
    for number, part in enumerate(nx.connected_components(graph)):
        component[list(part)] = number
    # end 2 e leads to the second node of edge e, end 2 e + 1 to the first
    group_of = component[edges[:, ::-1].reshape(-1)]
    group_ptr = np.concatenate([[0], np.cumsum(np.bincount(group_of))])
    members = np.argsort(group_of, kind="stable")
    ends = csr.indptr, csr.indices.astype(np.int64), group_of, group_ptr, members
    return edges, *ends, *NO_CHANNELS


def rewired(graph, seed, *, num_swaps=1000, max_visits=100):
    """The graph after the loop, its rows of neighbours, and the counts of the loop."""
    arrays = edges, indptr, neighbors, *_ = arrays_of(graph)
    made = np.empty((num_swaps, 2), np.int64)
    counts = swap_edges(*arrays, 1000, np.random.default_rng(seed), max_visits, made)
    after = nx.empty_graph(len(graph))
    after.add_edges_from(edges.tolist())
    return after, rows_of(neighbors, indptr), counts


def rows_of(neighbors, indptr):
    return [sorted(neighbors[a:b].tolist()) for a, b in itertools.pairwise(indptr)]


def components(graph):
    return set(map(frozenset, nx.connected_components(graph)))


@pytest.mark.parametrize("name", GRAPHS)
def test_what_the_loop_keeps(name):
    graph = GRAPHS[name]
    after, rows, (count, attempts, num_unsure) = rewired(graph, 2)
    assert 0 < count <= attempts == 1000
    assert num_unsure == 0
    # simple, and the rows of neighbours agree with the edges
    assert after.number_of_edges() == graph.number_of_edges()
    assert not list(nx.selfloop_edges(after))
    assert rows == [sorted(after[node]) for node in after]
    assert dict(after.degree) == dict(graph.degree)
    assert components(after) == components(graph)
    assert not nx.utils.graphs_equal(after, graph)
    after, _, (count, *_) = rewired(graph, 0, num_swaps=5)
    assert count == 5
    assert 1 <= nx.difference(after, graph).number_of_edges() <= 10


def test_swaps_are_undone():
    arrays = edges, indptr, neighbors, *_ = arrays_of(GRAPHS["hubs"])
    before = edges.copy(), rows_of(neighbors, indptr)
    made = np.empty((30, 2), np.int64)
    count, _, _ = swap_edges(*arrays, 1000, np.random.default_rng(0), 50, made)
    assert count == 30
    assert not np.array_equal(edges, before[0])
    undo_swaps(edges, indptr, neighbors, *NO_CHANNELS[:2], made)
    np.testing.assert_array_equal(edges, before[0])
    assert rows_of(neighbors, indptr) == before[1]


def test_a_search_that_is_given_up_is_counted():
    after, _, (_, _, num_unsure) = rewired(GRAPHS["tree"], 0, max_visits=3)
    assert num_unsure > 0
    assert not nx.is_connected(after)
