"""The walks end where the same steps do in dictionaries: by any table, and at the same edges."""

import itertools

import networkx as nx
import numpy as np
import pytest
from random_graphs import random_graph
from walk_reference import walk_by_steps

from gomkcn.mining.significance import null_draws
from gomkcn.mining.significance.degree_walk import (
    EdgeOfPairs,
    draw_readings,
    sort_readings,
    walk,
)
from gomkcn.mining.significance.null_draws import _edges_and_kinds, _grouped, walk_from
from gomkcn.mining.significance.null_models import null_model
from gomkcn.mining.significance.pair_tables import FREE, free_slots, pair_of
from gomkcn.mining.significance.plain_walk import JoinedPairs, walk_plain
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr

PLAIN = {
    "one edge": nx.path_graph(2),
    "two edges": nx.Graph([(0, 1), (2, 3)]),
    "ring": nx.cycle_graph(6),
    "complete": nx.complete_graph(7),
    "star": nx.star_graph(9),
    "hubs": nx.barabasi_albert_graph(80, 3, seed=1),
    "dense": nx.gnp_random_graph(25, 0.6, seed=2),
    "clustered": nx.watts_strogatz_graph(60, 6, 0.1, seed=3),
    "two sides": nx.bipartite.random_graph(12, 20, 0.3, seed=4),
    "collection": [nx.gnp_random_graph(9, 0.4, seed=seed) for seed in range(5)],
}
DIRECTED = {
    "arcs": nx.gnp_random_graph(14, 0.3, seed=1, directed=True),
    "many arcs": nx.gnp_random_graph(9, 0.7, seed=2, directed=True),
    "cycles": nx.DiGraph([(k, (k + 1) % 12) for k in range(12)] + [(0, 4), (4, 8), (8, 0)]),
    "path": nx.DiGraph([(0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (6, 7)]),
}


def readings_of(graph, num_colors, seed, attempts=400):
    """What a walk of a graph with random categories takes, and its random numbers."""
    edges, kinds = _edges_and_kinds(graph)
    rng = np.random.default_rng(seed)
    colors = rng.integers(num_colors, size=graph.num_nodes) + 3 * graph.graph_of(
        np.arange(graph.num_nodes)
    )
    groups = _grouped(colors[edges.reshape(-1)], colors[edges[:, ::-1].reshape(-1)], kinds)
    reverse = graph.relations.reverse
    one_way = reverse != np.arange(len(reverse))
    return edges, kinds, one_way, groups, rng.random((attempts, 3))


def drawn(groups, numbers):
    ptr = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    readings = np.empty((len(numbers), 2), np.int64)
    draw_readings(groups, ptr, np.argsort(groups, kind="stable"), numbers, readings)
    return readings


def walked(edges, kinds, one_way, groups, numbers):
    """Edges and the number of swaps by the general walk."""
    edges = edges.astype(np.int32)
    pairs = EdgeOfPairs.of(edges)
    count = walk(edges, kinds, one_way, groups, pairs, drawn(groups, numbers), numbers)
    return edges.tolist(), count


def by_steps(edges, kinds, one_way, groups, numbers):
    lists = (part.tolist() for part in (edges, kinds, one_way, groups, numbers))
    return walk_by_steps(*lists)


@pytest.mark.parametrize("num_colors", [1, 2])
@pytest.mark.parametrize("name", [*PLAIN, *DIRECTED])
def test_a_walk_ends_where_the_same_steps_do_one_by_one(name, num_colors):
    graph = as_csr((PLAIN | DIRECTED)[name])
    for seed in range(3):
        given = readings_of(graph, num_colors, seed)
        assert walked(*given) == by_steps(*given)


def test_so_does_one_of_three_relations_whose_pairs_change_places():
    """All that a step may do is done: kinds that change places, cycles and paths that turn."""
    for seed in range(12):
        graph, _ = random_graph(np.random.default_rng(seed), 9, 30)
        given = readings_of(graph, 1 + seed % 2, seed)
        assert walked(*given) == by_steps(*given)


@pytest.mark.parametrize("most_bits", [0, 1 << 26])
@pytest.mark.parametrize("num_colors", [1, 2])
@pytest.mark.parametrize("name", PLAIN)
def test_the_walk_of_one_kind_is_the_same_walk(name, num_colors, most_bits):
    graph = as_csr(PLAIN[name])
    for seed in range(3):
        edges, kinds, one_way, groups, numbers = readings_of(graph, num_colors, seed)
        fast = edges.astype(np.int32)
        joined = JoinedPairs.of(fast, graph.num_nodes, most_bits)
        assert (len(joined.bits) == 0) == (most_bits == 0)
        count = walk_plain(fast.reshape(-1), joined, drawn(groups, numbers))
        assert (fast.tolist(), count) == walked(edges, kinds, one_way, groups, numbers)


@pytest.mark.parametrize("attempts", [1, 64, 65, 129])
def test_every_attempt_is_made_whichever_are_looked_up_together(attempts):
    graph = as_csr(PLAIN["hubs"])
    for seed in range(6):
        edges, kinds, one_way, groups, numbers = readings_of(graph, 1, seed, attempts)
        fast = edges.astype(np.int32)
        joined = JoinedPairs.of(fast, graph.num_nodes, 0)
        count = walk_plain(fast.reshape(-1), joined, drawn(groups, numbers))
        assert (fast.tolist(), count) == walked(edges, kinds, one_way, groups, numbers)


def test_pairs_of_either_table_are_those_that_the_edges_join():
    """After a long walk, which fills and frees slots and bits."""
    graph = as_csr(nx.barabasi_albert_graph(60, 5, seed=2))
    edges, _, _, groups, numbers = readings_of(graph, 1, 0, 20_000)
    for most_bits in (0, 1 << 26):
        walked_edges = edges.astype(np.int32)
        joined = JoinedPairs.of(walked_edges, graph.num_nodes, most_bits)
        assert walk_plain(walked_edges.reshape(-1), joined, drawn(groups, numbers)) > 10_000
        numbers_of_pairs = {
            int(max(u, v) * (max(u, v) - 1) // 2 + min(u, v)) for u, v in walked_edges.tolist()
        }
        if most_bits:
            bits = np.unpackbits(joined.bits.view(np.uint8), bitorder="little")
            found = np.flatnonzero(bits).tolist()
        else:
            found = sorted(joined.slots[joined.slots != FREE].tolist())
        assert found == sorted(numbers_of_pairs)


@pytest.mark.parametrize(
    ("graph", "num_kinds"),
    [
        (as_csr(PLAIN["hubs"]), 1),
        # all are joined both ways, or by one relation without direction
        (as_csr(nx.DiGraph(nx.barabasi_albert_graph(20, 2, seed=0))), 1),
        (as_csr(DIRECTED["arcs"]), 3),
    ],
    ids=["plain", "mutual", "arcs"],
)
def test_only_a_graph_of_one_kind_is_walked_by_whether_nodes_are_joined(
    graph, num_kinds, monkeypatch
):
    model = null_model("degree", graph)
    by_edges = walk_from(graph, model.colors, by_edges=True)(3)
    taken = []
    for name in ("walk", "walk_plain"):
        step = getattr(null_draws, name)
        monkeypatch.setattr(
            null_draws, name, lambda *a, step=step, name=name: taken.append(name) or step(*a)
        )
    drawn_graph, accepted = walk_from(graph, model.colors)(3)
    assert set(taken) == ({"walk_plain"} if num_kinds == 1 else {"walk"})
    assert len(set(_edges_and_kinds(graph)[1].tolist())) == num_kinds
    assert drawn_graph.indices.tolist() == by_edges[0].indices.tolist()
    assert accepted == by_edges[1]
    assert (drawn_graph.degrees == graph.degrees).all()


def test_pairs_have_different_numbers_and_few_slots_are_used():
    numbers = [pair_of.py_func(u, v) for v in range(40) for u in range(v)]
    assert numbers == list(range(len(numbers)))
    assert pair_of.py_func(39, 7) == pair_of.py_func(7, 39)
    last = 2**31 - 1
    assert pair_of.py_func(np.int32(last - 1), np.int32(last)) == last * (last - 1) // 2 + last - 1
    for number in (1, 2, 5, 1000, 1025):
        slots = free_slots(number)
        assert len(slots) >= 4 * number and len(slots).bit_count() == 1
        assert (slots == FREE).all()


def test_readings_are_in_rows_by_where_they_lead():
    graph = csr_from_edges(*np.array([*itertools.combinations(range(5), 2)]).T, 5, undirected=True)
    edges, _ = _edges_and_kinds(graph)
    edges = np.random.default_rng(0).permutation(edges)
    by_target, order = np.empty((2, 2 * len(edges)), np.int64)
    sort_readings(edges, graph.indptr, by_target, order)
    pairs = [[edges[r >> 1, r & 1].item(), edges[r >> 1, 1 - (r & 1)].item()] for r in order]
    assert pairs == sorted(map(list, itertools.permutations(range(5), 2)))


@pytest.mark.parametrize("most", [1, 3, 1 << 40, (1 << 62) - 1])
def test_groups_are_the_different_rows_in_their_order(most):
    """Whether the values are listed or sorted, and where their products fit into no number."""
    columns = np.random.default_rng(0).integers(most, size=(3, 50), endpoint=True)
    columns[:, ::4] = columns[:, :1]
    rows = sorted(set(zip(*columns.tolist(), strict=True)))
    groups = _grouped(*columns).tolist()
    assert groups == [rows.index(row) for row in zip(*columns.tolist(), strict=True)]
