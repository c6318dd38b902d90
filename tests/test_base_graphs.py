"""Background graphs against networkx and against what their definitions promise."""

import math

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError, InputTypeError
from synthetic import (
    BASE_GRAPHS,
    barabasi_albert,
    barabasi_albert_batch,
    erdos_renyi,
    random_regular,
    random_tree,
    watts_strogatz,
)
from synthetic.random_state import as_generator, draw_state, next_index, next_uint32, next_uniform

# Name, arguments before the seed, number of nodes.
CASES = [
    ("ba", (60, 1), 60),
    ("ba", (60, 3), 60),
    ("er", (60, 0.1), 60),
    ("ws", (60, 4, 0.3), 60),
    ("regular", (60, 3), 60),
    ("tree", (60,), 60),
]


BA_6_2_SEED_5 = [[0, 1], [0, 2], [1, 3], [0, 3], [0, 4], [3, 4], [4, 5], [0, 5]]
WS_6_2_SEED_5 = [[0, 3], [1, 2], [2, 3], [3, 4], [0, 4], [0, 5]]
ER_6_03_SEED_5 = [[0, 2], [1, 3], [3, 4]]


def to_graph(edges, num_nodes):
    graph = nx.empty_graph(num_nodes)
    graph.add_edges_from(edges.tolist())
    return graph


def degrees(edges, num_nodes):
    return np.bincount(edges.ravel(), minlength=num_nodes)


def test_the_registry_names_every_generator():
    expected = {
        "ba": barabasi_albert,
        "er": erdos_renyi,
        "ws": watts_strogatz,
        "regular": random_regular,
        "tree": random_tree,
    }
    assert expected == BASE_GRAPHS


@pytest.mark.parametrize(("name", "arguments", "num_nodes"), CASES)
def test_rows_are_unique_edges_with_u_below_v(name, arguments, num_nodes):
    edges = BASE_GRAPHS[name](*arguments, seed=3)
    assert edges.dtype == np.int64
    assert edges.ndim == 2 and edges.shape[1] == 2
    assert edges.min() >= 0 and edges.max() < num_nodes
    assert (edges[:, 0] < edges[:, 1]).all()
    assert len(np.unique(edges, axis=0)) == len(edges) > 0


@pytest.mark.parametrize(("name", "arguments", "num_nodes"), CASES)
def test_a_seed_repeats_and_another_differs(name, arguments, num_nodes):
    draw = BASE_GRAPHS[name]
    first = draw(*arguments, seed=7)
    assert np.array_equal(first, draw(*arguments, seed=7))
    assert np.array_equal(first, draw(*arguments, seed=np.random.default_rng(7)))
    assert not np.array_equal(first, draw(*arguments, seed=8))


@pytest.mark.parametrize(("name", "arguments", "num_nodes"), CASES)
def test_a_generator_advances_and_the_global_one_does_not(name, arguments, num_nodes):
    rng = np.random.default_rng(7)
    before = np.random.get_state()[1].copy()
    first = BASE_GRAPHS[name](*arguments, seed=rng)
    assert not np.array_equal(first, BASE_GRAPHS[name](*arguments, seed=rng))
    assert np.array_equal(before, np.random.get_state()[1])


def test_compiled_and_plain_python_give_the_same_graph():
    # Written down once with Numba; the nojit environment must find the same.
    assert barabasi_albert(6, 2, seed=5).tolist() == BA_6_2_SEED_5
    assert watts_strogatz(6, 2, 0.5, seed=5).tolist() == WS_6_2_SEED_5
    assert erdos_renyi(6, 0.3, seed=5).tolist() == ER_6_03_SEED_5


def test_mrg32k3a_gives_the_published_first_numbers():
    # The first two uniforms that L'Ecuyer's package prints for its default state.
    state = np.full(6, 12345, dtype=np.int64)
    first, second = (next_uint32(state) / 4294967088.0 for _ in range(2))
    assert (first, second) == pytest.approx((0.127011122046577, 0.318527565396794), abs=1e-14)


def test_a_uniform_is_two_draws_in_53_bits():
    first, again = (np.full(6, 12345, dtype=np.int64) for _ in range(2))
    high, low = int(next_uint32(first)), int(next_uint32(first))
    assert next_uniform(again) == (high * 2**21 + low // 2**11) / 2**53


def test_draws_are_uniform():
    state = draw_state(np.random.default_rng(0))
    draws = np.array([next_uniform(state) for _ in range(4000)])
    assert draws.min() >= 0
    assert draws.max() < 1
    # Five standard errors of the mean and of the share under a quarter.
    assert abs(draws.mean() - 0.5) < 5 * math.sqrt(1 / 12 / 4000)
    assert abs((draws < 0.25).mean() - 0.25) < 5 * math.sqrt(0.25 * 0.75 / 4000)
    counts = np.bincount([next_index(state, 5) for _ in range(4000)], minlength=5)
    assert len(counts) == 5
    assert np.abs(counts - 800).max() < 5 * math.sqrt(4000 * 0.2 * 0.8)


@pytest.mark.parametrize("per_node", [1, 2, 5])
def test_barabasi_albert_has_the_size_and_degrees_of_its_definition(per_node):
    edges = barabasi_albert(200, per_node, seed=1)
    assert len(edges) == per_node * (200 - per_node)
    assert degrees(edges, 200)[per_node + 1 :].min() == per_node
    # Each node after the first star brings its own edges, to older nodes.
    newer = np.bincount(edges[:, 1], minlength=200)
    assert (newer[per_node + 1 :] == per_node).all()
    assert nx.is_connected(to_graph(edges, 200))


def test_barabasi_albert_with_one_edge_is_a_tree():
    assert nx.is_tree(to_graph(barabasi_albert(300, 1, seed=2), 300))


def test_barabasi_albert_at_its_smallest_is_a_star():
    assert barabasi_albert(4, 3, seed=0).tolist() == [[0, 1], [0, 2], [0, 3]]


@pytest.mark.parametrize("per_node", [1, 3])
def test_barabasi_albert_has_the_degree_distribution_of_networkx(per_node):
    num_nodes, num_graphs = 100, 60
    ours = np.concatenate(
        [
            degrees(barabasi_albert(num_nodes, per_node, seed), num_nodes)
            for seed in range(num_graphs)
        ]
    )
    theirs = np.concatenate(
        [
            [d for _, d in nx.barabasi_albert_graph(num_nodes, per_node, seed=seed).degree]
            for seed in range(num_graphs)
        ]
    )
    # Kolmogorov–Smirnov distance under its critical value at 0.1 %, 1.95 sqrt(2 / n).
    values = np.arange(max(ours.max(), theirs.max()) + 1)
    distance = np.abs(
        (ours[:, None] <= values).mean(axis=0) - (theirs[:, None] <= values).mean(axis=0)
    ).max()
    assert distance < 1.95 * math.sqrt(2 / (num_nodes * num_graphs))


def test_barabasi_albert_prefers_nodes_of_high_degree():
    # The first node of a star on 3 holds half of the edge ends: the fourth node takes it half the
    # time, a leaf a quarter of the time.
    edges = barabasi_albert_batch(2000, 3, 1, seed=4).reshape(2000, 2, 2)
    share = (edges[:, 1, 0] % 3 == 0).mean()
    assert abs(share - 0.5) < 5 * math.sqrt(0.25 / 2000)
    third = barabasi_albert_batch(2000, 4, 1, seed=4).reshape(2000, 3, 2)
    center = np.where(third[:, 1, 0] % 4 == 0, 0, 1)
    share = (third[:, 2, 0] % 4 == center).mean()
    assert abs(share - 0.5) < 5 * math.sqrt(0.25 / 2000)


def test_a_batch_holds_separate_graphs():
    edges = barabasi_albert_batch(5, 10, 2, seed=0).reshape(5, 16, 2)
    for g in range(5):
        assert (edges[g] // 10 == g).all()
        assert nx.is_connected(to_graph(edges[g] - 10 * g, 10))
    assert not np.array_equal(edges[0], edges[1] - 10)


@pytest.mark.parametrize("edge_prob", [0.02, 0.3, 0.9])
def test_erdos_renyi_has_binomial_edges_and_degrees(edge_prob):
    num_nodes, num_graphs = 40, 40
    draws = [erdos_renyi(num_nodes, edge_prob, seed) for seed in range(num_graphs)]
    num_pairs = num_graphs * 780
    count = sum(len(edges) for edges in draws)
    assert abs(count - edge_prob * num_pairs) < 5 * math.sqrt(
        num_pairs * edge_prob * (1 - edge_prob)
    )
    # Every node is alike, the first and the last included.
    per_node = sum(degrees(edges, num_nodes) for edges in draws)
    trials = num_graphs * 39
    spread = math.sqrt(trials * edge_prob * (1 - edge_prob))
    assert np.abs(per_node - edge_prob * trials).max() < 5 * spread


@pytest.mark.parametrize("num_nodes", [1, 2, 7])
def test_erdos_renyi_at_the_ends(num_nodes):
    assert erdos_renyi(num_nodes, 0.0, seed=0).shape == (0, 2)
    complete = erdos_renyi(num_nodes, 1.0, seed=0)
    assert complete.tolist() == [[u, v] for v in range(num_nodes) for u in range(v)]
    assert erdos_renyi(num_nodes, 1e-300, seed=0).shape == (0, 2)


def test_watts_strogatz_without_rewiring_is_the_ring():
    edges = watts_strogatz(12, 4, 0.0, seed=0)
    assert nx.utils.graphs_equal(to_graph(edges, 12), nx.watts_strogatz_graph(12, 4, 0.0))


@pytest.mark.parametrize("rewire_prob", [0.2, 1.0])
def test_watts_strogatz_rewires_at_the_rate_asked_for(rewire_prob):
    num_nodes, reach = 200, 2
    edges = watts_strogatz(num_nodes, 2 * reach, rewire_prob, seed=1)
    assert len(edges) == num_nodes * reach
    gap = edges[:, 1] - edges[:, 0]
    moved = (np.minimum(gap, num_nodes - gap) > reach).sum()
    # A rewired edge lands back on the ring's places about 2 % of the time.
    expected, spread = rewire_prob * 400 * 0.98, math.sqrt(400 * max(rewire_prob * 0.8, 0.02))
    assert abs(moved - expected) < 5 * spread


def test_watts_strogatz_rewires_a_dense_ring_as_networkx_does():
    # Nearly complete, so that nodes with nowhere to go are met often.
    ring = set(map(tuple, watts_strogatz(7, 4, 0.0, seed=0).tolist()))
    ours = [len(ring & set(map(tuple, watts_strogatz(7, 4, 1.0, s).tolist()))) for s in range(600)]
    theirs = [
        len(ring & {tuple(sorted(e)) for e in nx.watts_strogatz_graph(7, 4, 1.0, seed=s).edges})
        for s in range(600)
    ]
    spread = math.sqrt((np.var(ours) + np.var(theirs)) / 600)
    assert abs(np.mean(ours) - np.mean(theirs)) < 4 * spread


def test_watts_strogatz_leaves_a_complete_graph_alone():
    assert len(watts_strogatz(5, 4, 1.0, seed=0)) == 10


@pytest.mark.parametrize("num_nodes", range(1, 9))
def test_every_regular_graph_that_exists_can_be_drawn(num_nodes):
    for degree in range(num_nodes):
        if num_nodes * degree % 2 == 0:
            for seed in range(3):
                edges = random_regular(num_nodes, degree, seed)
                assert len(np.unique(edges, axis=0)) == num_nodes * degree // 2
                assert (degrees(edges, num_nodes) == degree).all()


def test_regular_graphs_start_again_at_a_dead_end():
    # On 6 nodes, degree 3, about half of the draws meet one; both cubic graphs must appear.
    kinds = {nx.is_bipartite(to_graph(random_regular(6, 3, seed), 6)) for seed in range(200)}
    assert kinds == {True, False}


@pytest.mark.parametrize("num_nodes", [1, 2, 3, 50])
def test_random_trees_are_trees(num_nodes):
    assert nx.is_tree(to_graph(random_tree(num_nodes, seed=6), num_nodes))


def test_random_trees_are_uniform():
    # Cayley: 16 labelled trees on 4 nodes, each equally likely.
    counts: dict[tuple, int] = {}
    rng = np.random.default_rng(0)
    for _ in range(1600):
        tree = tuple(sorted(map(tuple, random_tree(4, rng).tolist())))
        counts[tree] = counts.get(tree, 0) + 1
    assert len(counts) == 16
    assert max(abs(count - 100) for count in counts.values()) < 5 * math.sqrt(100 * 15 / 16)


def test_prufer_decoding_agrees_with_networkx():
    rng = np.random.default_rng(9)
    sequence = np.random.default_rng(9).integers(0, 30, size=28).tolist()
    ours = to_graph(random_tree(30, rng), 30)
    assert nx.utils.graphs_equal(ours, nx.from_prufer_sequence(sequence))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: barabasi_albert(3, 3, 0), "num_nodes must be at least 4, got 3"),
        (lambda: barabasi_albert(3, 0, 0), "num_edges_per_node must be at least 1, got 0"),
        (lambda: barabasi_albert_batch(0, 3, 1, 0), "num_graphs must be at least 1, got 0"),
        (lambda: erdos_renyi(0, 0.5, 0), "num_nodes must be at least 1, got 0"),
        (lambda: erdos_renyi(5, 1.5, 0), "edge_prob must be at most 1, got 1.5"),
        (lambda: watts_strogatz(5, 3, 0.1, 0), "num_neighbors must be even.*got 3"),
        (lambda: watts_strogatz(4, 4, 0.1, 0), "num_nodes must be at least 5, got 4"),
        (lambda: watts_strogatz(5, 2, -0.1, 0), "rewire_prob must be at least 0, got -0.1"),
        (lambda: random_regular(5, 3, 0), r"num_nodes \* degree must be even, got 5 \* 3"),
        (lambda: random_regular(3, 3, 0), "num_nodes must be at least 4, got 3"),
        (lambda: random_tree(0, 0), "num_nodes must be at least 1, got 0"),
        (lambda: random_tree(3, -1), "seed must be at least 0, got -1"),
    ],
)
def test_values_out_of_range_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.parametrize("seed", [None, 1.5, "1", True])
def test_a_seed_is_an_integer_or_a_generator(seed):
    with pytest.raises(InputTypeError, match="seed must be an integer"):
        as_generator(seed)
