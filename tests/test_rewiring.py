"""The loop that rewires edges: what a swap keeps, what it may not do, and where many swaps lead."""

import collections
import itertools

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from mining.null_models.rewiring import swap_edges, undo_swaps


def wires(graph, by_degree=False):
    """The arrays of the loop."""
    csr = as_csr(graph)
    edges = csr.undirected_edges()
    neighbors = csr.indices.astype(np.int64)
    component = np.empty(csr.num_nodes, np.int64)
    for number, part in enumerate(nx.connected_components(graph)):
        component[list(part)] = number
    # end 2 e leads to the second node of edge e, end 2 e + 1 to the first
    target = edges[:, ::-1].reshape(-1)
    key = component[target] * csr.num_nodes + by_degree * csr.degrees[target]
    group_of = np.unique(key, return_inverse=True)[1].reshape(-1)
    group_ptr = np.concatenate([[0], np.cumsum(np.bincount(group_of))])
    members = np.argsort(group_of, kind="stable")
    return edges, csr.indptr, neighbors, group_of, group_ptr, members


def rewired(graph, seed, *, by_degree=False, num_swaps=1000, num_attempts=200):
    """Edges ``[E, 2]`` and rows of neighbours after the loop, and how many swaps it made."""
    arrays = edges, indptr, neighbors, *_ = wires(graph, by_degree)
    made, attempts, unsure = swap_edges(
        *arrays,
        num_attempts,
        np.random.default_rng(seed),
        len(graph),
        np.empty((num_swaps, 2), np.int64),
    )
    assert made <= attempts <= num_attempts
    assert unsure == 0
    rows = [neighbors[a:b].tolist() for a, b in itertools.pairwise(indptr)]
    return edges, rows, made


def as_sets(edges):
    return frozenset(frozenset(edge) for edge in edges.tolist())


def degrees_at_both_ends(graph, edges):
    return collections.Counter(
        tuple(sorted((graph.degree[u], graph.degree[v]))) for u, v in edges.tolist()
    )


GRAPHS = {
    "tree": nx.random_labeled_tree(40, seed=1),
    "hubs": nx.barabasi_albert_graph(50, 2, seed=1),
    "dense": nx.gnp_random_graph(20, 0.5, seed=1),
    "ring": nx.cycle_graph(12),
    "parts": nx.disjoint_union_all(
        [nx.barabasi_albert_graph(20, 1, seed=1), nx.cycle_graph(7), nx.empty_graph(2)]
    ),
}


@pytest.mark.parametrize("by_degree", [False, True])
@pytest.mark.parametrize("name", GRAPHS)
def test_what_the_loop_keeps(name, by_degree):
    graph = GRAPHS[name]
    edges, rows, made = rewired(graph, seed=2, by_degree=by_degree, num_attempts=2000)
    assert made > 0
    # simple: no self-loop, no edge twice
    assert (edges[:, 0] != edges[:, 1]).all()
    assert len(as_sets(edges)) == len(edges) == graph.number_of_edges()
    # the rows of neighbours say the same
    after = nx.empty_graph(len(graph))
    after.add_edges_from(edges.tolist())
    assert [sorted(row) for row in rows] == [sorted(after[node]) for node in after]
    assert dict(after.degree) == dict(graph.degree)
    parts, before = (set(map(frozenset, nx.connected_components(g))) for g in (after, graph))
    assert parts == before
    assert as_sets(edges) != frozenset(map(frozenset, graph.edges))


@pytest.mark.parametrize("name", GRAPHS)
def test_groups_of_one_degree_keep_the_degrees_at_both_ends(name):
    graph = GRAPHS[name]
    before = degrees_at_both_ends(graph, np.array(graph.edges))
    kept, _, _ = rewired(graph, seed=3, by_degree=True, num_attempts=2000)
    assert degrees_at_both_ends(graph, kept) == before
    if name in ("tree", "hubs", "dense"):
        lost, _, _ = rewired(graph, seed=3, by_degree=False, num_attempts=2000)
        assert degrees_at_both_ends(graph, lost) != before


def test_a_path_of_four_has_one_other_form():
    # 0-3 and 1-2 would leave the middle edge twice; 0-2 and 1-3 is the only swap
    forms = {as_sets(rewired(nx.path_graph(4), seed, num_attempts=9)[0]) for seed in range(30)}
    assert forms == {
        frozenset(map(frozenset, path))
        for path in ([(0, 1), (1, 2), (2, 3)], [(0, 2), (2, 1), (1, 3)])
    }


def test_no_swap_cuts_a_component_in_two():
    # two triangles joined by an edge: swapping a side of each would often leave two parts
    barbell = nx.barbell_graph(3, 0)
    for seed in range(100):
        edges, _, _ = rewired(barbell, seed, num_attempts=30)
        assert nx.is_connected(nx.Graph(edges.tolist()))


def test_no_edge_leaves_its_component():
    rings = nx.disjoint_union(nx.cycle_graph(6), nx.cycle_graph(6))
    for seed in range(20):
        edges, _, made = rewired(rings, seed)
        assert made > 0
        assert ((edges < 6).sum(axis=1) != 1).all()


@pytest.mark.parametrize("num_swaps", [0, 1, 5])
def test_as_many_swaps_as_asked_for(num_swaps):
    graph = GRAPHS["hubs"]
    edges, _, made = rewired(graph, 0, num_swaps=num_swaps, num_attempts=1000)
    assert made == num_swaps
    changed = as_sets(edges) - frozenset(map(frozenset, graph.edges))
    assert len(changed) <= 2 * num_swaps
    assert (len(changed) == 0) == (num_swaps == 0)


def test_attempts_are_bounded_where_no_swap_is_possible():
    edges, _, made = rewired(nx.star_graph(5), 0, num_attempts=50)
    assert made == 0
    assert as_sets(edges) == frozenset(map(frozenset, nx.star_graph(5).edges))


def test_the_loop_follows_its_seed():
    graph = GRAPHS["hubs"]
    first, again, other = (rewired(graph, seed)[0].tolist() for seed in (4, 4, 5))
    assert first == again != other


def test_swaps_can_be_taken_back():
    arrays = wires(GRAPHS["hubs"])
    edges, indptr, neighbors = arrays[:3]
    before = edges.copy(), neighbors.copy()
    made = np.empty((30, 2), np.int64)
    count, _, _ = swap_edges(*arrays, 1000, np.random.default_rng(0), 50, made)
    assert count == 30
    assert not np.array_equal(edges, before[0])
    undo_swaps(edges, indptr, neighbors, made)
    np.testing.assert_array_equal(edges, before[0])
    # each row holds the same, in another order
    rows = [
        [sorted(some[a:b].tolist()) for a, b in itertools.pairwise(indptr)]
        for some in (neighbors, before[1])
    ]
    assert rows[0] == rows[1]


def test_a_search_that_is_given_up_is_counted():
    arrays = wires(GRAPHS["tree"])
    made = np.empty((200, 2), np.int64)
    _, _, unsure = swap_edges(*arrays, 1000, np.random.default_rng(0), 3, made)
    assert unsure > 0
    assert not nx.is_connected(nx.Graph(arrays[0].tolist()))


def test_many_swaps_reach_every_ring_alike():
    # the connected graphs of five nodes with two edges each are the 12 rings
    seen = collections.Counter(
        as_sets(rewired(nx.cycle_graph(5), seed, num_attempts=60)[0]) for seed in range(1200)
    )
    assert len(seen) == 12
    # 100 each; chi-square with 11 degrees of freedom, over 31.3 once in a thousand
    assert sum((count - 100) ** 2 / 100 for count in seen.values()) < 31.3
