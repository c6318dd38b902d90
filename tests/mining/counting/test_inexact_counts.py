"""Inexact occurrences: against every set of nodes and every mapping, and counted by hand."""

import itertools

import networkx as nx
import numpy as np
import pytest
from random_graphs import KINDS, draw

from gomkcn.mining import count
from gomkcn.mining.counting.inexact_counts import count_inexact
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure


def edges_at(kinds, rows, nodes):
    """Edges ``(i, j, name)`` among nodes, by their places; those without direction from i < j."""
    place = {node: i for i, node in enumerate(nodes)}
    inside = [(place[u], place[v], k) for u, v, k in rows if u in place and v in place and u != v]
    return {(u, v, k) if kinds[k] else (min(u, v), max(u, v), k) for u, v, k in inside}


def is_connected(edges, size):
    graph = nx.Graph([(u, v) for u, v, _ in edges])
    return len(graph) == size and nx.is_connected(graph)


def draw_pattern(kinds, rows, rng, size):
    """A connected part of a graph with an edge or two more or fewer: its edges and its nodes."""
    every = [(u, v, k) for u, v in itertools.permutations(range(size), 2) for k in kinds]
    while True:
        nodes = rng.permutation(8)[:size].tolist()
        edges = edges_at(kinds, rows, nodes)
        others = [every[k] for k in rng.choice(len(every), int(rng.integers(3)), replace=False)]
        changed = edges ^ edges_at(kinds, others, range(size))
        if is_connected(edges, size) and is_connected(changed, size):
            return sorted(changed), nodes


def every_set(kinds, rows, pattern, size, colors):
    """The fewest edits of each connected set of nodes to which the pattern can be mapped."""
    found = {}
    for nodes in itertools.combinations(range(8), size):
        if is_connected(edges_at(kinds, rows, nodes), size):
            orders = [
                order
                for order in itertools.permutations(nodes)
                if colors is None or colors[1][list(order)].tolist() == colors[0].tolist()
            ]
            costs = [len(pattern ^ edges_at(kinds, rows, order)) for order in orders]
            found |= {frozenset(nodes): min(costs)} if costs else {}
    return found


def in_words(kinds, edge):
    # nodes are called by letters
    u, v = ("ABCDEFGH"[node] for node in edge[:2])
    name = edge[2]
    if list(kinds) == ["edge"]:
        return f"{u}->{v}" if kinds[name] else f"{u}--{v}"
    return f"{u}-[{name}]-{'>' * kinds[name]}{v}"


@pytest.mark.parametrize("kinds", [{"edge": False}, *KINDS], ids="-".join)
@pytest.mark.parametrize("with_colors", [False, True], ids=["plain", "categories"])
def test_every_set_of_nodes_and_every_mapping(kinds, with_colors):
    totals = np.zeros(3, np.int64)
    for seed in range(6):
        rng, size = np.random.default_rng(seed), 3 + seed % 2
        graph, *columns = draw(kinds, seed, num_edges=int(rng.integers(12, 24)))
        source, target, relation = (column.tolist() for column in columns)
        rows = list(zip(source, target, [list(kinds)[k] for k in relation], strict=True))
        edges, nodes = draw_pattern(kinds, rows, rng, size)
        structure = Structure.of_edges(
            size,
            [edge[:2] for edge in edges],
            [edge[2] for edge in edges],
            {k for *_, k in edges if kinds[k]},
        )
        kinds_of_nodes = rng.integers(2, size=8)
        colors = (kinds_of_nodes[nodes], kinds_of_nodes) if with_colors else None
        truth = every_set(kinds, rows, set(edges), size, colors)
        for errors in range(3):
            # 1. their numbers
            found = count_inexact(graph, structure, colors, errors=errors)
            numbers = [list(truth.values()).count(k) for k in range(errors + 1)]
            assert [one.value for one in found.counts] == numbers
            assert all(one.is_exact for one in found.counts)
            # 2. their nodes, each set once
            places, variant, complete = found.places()
            edits = [found.variants[number].edits for number in variant]
            listed = dict(zip(map(frozenset, places.tolist()), map(len, edits), strict=True))
            assert complete
            assert len(listed) == len(places)
            assert listed == {one: k for one, k in truth.items() if k <= errors}
            # 3. the edits turn the pattern into what is there, at nodes of the same categories
            for order, own in zip(places.tolist(), edits, strict=True):
                there = edges_at(kinds, rows, order)
                lost = {f"missing {in_words(kinds, edge)}" for edge in {*edges} - there}
                assert {*own} == lost | {
                    f"added {in_words(kinds, edge)}" for edge in there - {*edges}
                }
                assert colors is None or (colors[1][order] == colors[0]).all()
        totals += numbers
    assert (totals > 1).all()


@pytest.mark.parametrize(
    ("graph", "pattern", "numbers"),
    [
        (nx.path_graph(8), "ring-8", [0, 1, 0]),
        # the rim; three of its nodes with the hub
        (nx.wheel_graph(5), "ring-4", [1, 4, 0]),
        # one edge joins both, but they are in two pieces
        (nx.Graph([(0, 1), (2, 3)]), "path-4", [0, 0, 0]),
        # a star of three is a path of four with an edge moved
        (nx.star_graph(3), "path-4", [0, 0, 1]),
        # stars around a hub of 100: of one leaf less and a chord there are none
        (nx.star_graph(100), "star-4", [161700, 0, 0]),
        # an arc is turned round
        (nx.DiGraph([(0, 1), (2, 1)]), "a->b, b->c", [0, 0, 1]),
        # one arc is missing
        (nx.DiGraph([(0, 1)]), "a->b, b->a", [0, 1, 0]),
        (nx.empty_graph(5), "path-3", [0, 0, 0]),
    ],
)
def test_counts_by_hand(graph, pattern, numbers):
    found = count(graph, pattern, errors=2)
    assert [one.value for one in found.counts] == numbers


def test_graphs_of_a_collection():
    graphs = as_csr([nx.path_graph(4), nx.cycle_graph(4), nx.star_graph(3), nx.complete_graph(4)])
    found = count_inexact(graphs, Structure.parse("ring-4"), errors=1)
    assert [one.value for one in found.counts] == [1, 1]
    assert [one.graphs.tolist() for one in found.variants if one.count.value] == [
        [False, True, False, False],
        [True, False, False, False],
    ]


def test_estimates_hold_the_truth_and_say_what_they_are():
    graph, house = as_csr(nx.gnp_random_graph(60, 0.3, seed=1)), Structure.parse("house")
    truth = count_inexact(graph, house, errors=2, max_steps=10**9)
    found = count_inexact(graph, house, errors=2, max_steps=10**6, seed=2)
    for one, exact in zip(found.counts, truth.counts, strict=True):
        assert exact.is_exact and not one.is_exact
        assert one.low < exact.value < one.high < 1.4 * one.low
    nodes, variant, complete = found.places(50, seed=1)
    assert not complete and len({frozenset(row) for row in nodes.tolist()}) == len(nodes) == 50
    for row, number in zip(nodes, variant, strict=True):
        part = nx.Graph(found.variants[number].structure.edges)
        own = graph.indices[graph.indptr[row[0]] : graph.indptr[row[0] + 1]]
        assert set(np.flatnonzero(np.isin(row, own))) == set(part[0])


def test_a_list_without_what_no_draw_has_hit_is_not_complete():
    graph = as_csr(nx.gnp_random_graph(60, 0.2, seed=1))
    found = count_inexact(graph, Structure.parse("clique-7"), errors=0, max_steps=1)
    assert [one.state for one in found.counts] == ["bounded"]
    nodes, variant, complete = found.places()
    assert (nodes.shape, variant.shape, complete) == ((0, 7), (0,), False)
    # what no two nodes can show is listed completely
    found = count(nx.DiGraph([(0, 1)]), "a->b, b->a", errors=0)
    assert (found.variants, found.places()[2]) == ([], True)


def test_a_sample_is_uniform():
    graph = as_csr(nx.gnp_random_graph(9, 0.4, seed=4))
    found = count_inexact(graph, Structure.parse("ring-4"), errors=2)
    every, _, complete = found.places()
    assert complete and len(found.variants) > 3
    number, drawn = dict.fromkeys(map(frozenset, every.tolist()), 0), 0
    for seed in range(400):
        nodes, variant, complete = found.places(10, seed=seed)
        assert len(nodes) == 10 and not complete
        assert (np.diff(variant) >= 0).all()
        for row in nodes.tolist():
            number[frozenset(row)] += 1
            drawn += 1
    # each is in a sample with the same probability
    share = 10 / len(every)
    deviations = (np.array(list(number.values())) - 400 * share) / np.sqrt(
        400 * share * (1 - share)
    )
    assert len(every) > 30 and np.abs(deviations).max() < 4
    assert 0.6 < np.var(deviations) < 1.5


def test_more_edits_than_a_pattern_has_pairs_are_refused():
    triangle = Structure.parse("triangle")
    assert len(count(nx.path_graph(4), triangle, errors=3).counts) == 4
    for graph, structure, most in (
        (nx.path_graph(4), triangle, 3),
        (nx.DiGraph([(0, 1)]), Structure.parse("a->b"), 2),
    ):
        with pytest.raises(InputError, match=f"^errors must be at most {most}, got {2**64}"):
            count(graph, structure, errors=2**64)
