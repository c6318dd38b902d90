"""How often a pattern occurs: readings counted by hand, intervals against drawn graphs."""

import collections
import types

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from mining import PatternMiner, add_exact_counts
from mining.counting.frequencies import _count_kinds, measure_frequency
from mining.records.frequency import Frequency
from mining.structures.overlaps import best_of_each_set, pick_disjoint, units_by_overlap


def graph_of(num_nodes):
    return as_csr(nx.empty_graph(num_nodes))


def sets(*rows):
    """Node sets of several sizes as one padded array."""
    size = max(map(len, rows))
    return np.array([[*row, *[-1] * (size - len(row))] for row in rows])


@pytest.mark.parametrize("seed", range(3))
def test_the_best_of_each_set_is_that_of_a_dictionary(seed):
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.permutation([0, 1, 2, 3, 4, -1, -1])[:4] for _ in range(300)])
    similarity = rng.integers(0, 5, 300) / 4
    best = {}
    for row, nodes in enumerate(rows.tolist()):
        key = frozenset(node for node in nodes if node >= 0)
        if key not in best or similarity[row] > similarity[best[key]]:
            best[key] = row
    assert best_of_each_set(rows, similarity).tolist() == sorted(best.values())
    assert best_of_each_set(rows[:0], similarity[:0]).tolist() == []


@pytest.mark.parametrize(
    ("rows", "picked"),
    [
        ([[0, 1], [2, 3]], [True, True]),
        # the middle of three in a chain overlaps both others
        ([[1, 2], [0, 1], [2, 3]], [False, True, True]),
        # all overlap: the first, which is the most similar
        ([[0, 1], [0, 2], [0, 3]], [True, False, False]),
        # sizes differ, and padding is no node
        ([[0, 1, 2], [3], [2, 3, 4]], [True, True, False]),
    ],
)
def test_disjoint_occurrences_by_hand(rows, picked):
    assert pick_disjoint(sets(*rows), 6).tolist() == picked


def plain_pick(rows, num_nodes):
    """One by one, the definition."""
    held = np.bincount(rows[rows >= 0], minlength=num_nodes)
    conflicts = [sum(held[node] - 1 for node in row if node >= 0) for row in rows]
    taken, picked = set(), np.zeros(len(rows), bool)
    for number in np.argsort(conflicts, kind="stable"):
        nodes = {node for node in rows[number].tolist() if node >= 0}
        if not nodes & taken:
            taken |= nodes
            picked[number] = True
    return picked


def plain_units(num_nodes, assigned, rows, picked):
    """Units one by one, the definition."""
    numbers = np.flatnonzero(picked).tolist()
    owner = {node: i for i, row in enumerate(rows[picked].tolist()) for node in row if node >= 0}
    claimed = dict(owner)
    units = [[0, 1, 1] for _ in numbers]
    for row in rows[~picked].tolist():
        shared = collections.Counter(owner[node] for node in row if node in owner)
        unit = min(shared, key=lambda unit: (-shared[unit], unit))
        units[unit][1] += 1
        for node in row:
            if node >= 0:
                claimed.setdefault(node, unit)
    for root in assigned:
        if root in claimed:
            units[claimed[root]][0] += 1
        else:
            units.append([1, 0, 0])
    return units, len(numbers) + num_nodes - len(claimed)


@pytest.mark.parametrize("largest", [3, 2**40])
def test_kinds_of_units_are_different_rows_in_order(largest):
    units = np.random.default_rng(0).choice([0, 1, largest], (50, 3))
    expected = np.unique(units, axis=0, return_counts=True)
    for kinds, others in zip(_count_kinds(units), expected, strict=True):
        np.testing.assert_array_equal(kinds, others)
    assert [len(part) for part in _count_kinds(units[:0])] == [0, 0]


@pytest.mark.parametrize("seed", range(3))
def test_picks_and_units_are_those_of_one_by_one(seed):
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.permutation(60)[:4] for _ in range(50)] + [[7, 9, -1, -1]])
    rows = np.concatenate([rows, np.arange(30, 50)[:, None] + np.arange(4)])
    picked = pick_disjoint(rows, 60)
    assert picked.tolist() == plain_pick(rows, 60).tolist()
    assigned = np.flatnonzero(rng.random(60) < 0.5)
    units, num_units = units_by_overlap(60, assigned, rows, picked)
    assert (units.tolist(), num_units) == plain_units(60, assigned.tolist(), rows, picked)


def test_the_readings_of_one_graph():
    rows = sets([0, 1, 2], [2, 3, 4], [6, 7, 8])
    found = measure_frequency(graph_of(12), np.array([0, 1, 2, 3, 10]), rows)
    assert (found.assigned, found.distinct, found.disjoint, found.num_graphs) == (5, 3, 2, 1)
    assert (found.exact, found.exact_state) == (None, "not asked")
    assert set(found.intervals) == {"assigned", "distinct", "disjoint"}


def test_no_occurrence_has_intervals_of_zero():
    found = measure_frequency(graph_of(4), np.empty(0, int), np.empty((0, 3), int))
    assert found == Frequency(
        0, 0, 0, num_graphs=0, intervals=dict.fromkeys(found.intervals, (0, 0))
    )
    assert set(found.intervals) == {"assigned", "distinct", "disjoint"}


def test_an_interval_follows_its_seed_and_holds_the_count():
    rows = np.arange(60).reshape(20, 3)
    first, again, other = (
        measure_frequency(graph_of(1000), np.arange(60), rows, seed) for seed in (1, 1, 2)
    )
    assert first.intervals == again.intervals
    for found in (first, other):
        low, high = found.intervals["distinct"]
        # of about 20 ± 1.96 √20
        assert 10 <= low <= 13
        assert 27 <= high <= 30


def test_roots_of_one_occurrence_stay_together():
    # three roots an occurrence: the interval of the roots is that of the occurrences, times three
    rows = np.arange(60).reshape(20, 3)
    found = measure_frequency(graph_of(1000), np.arange(60), rows).intervals
    assert found["assigned"] == tuple(3 * bound for bound in found["distinct"])
    # roots outside of occurrences are independent
    independent = measure_frequency(graph_of(1000), np.arange(60), rows[:0]).intervals["assigned"]
    assert independent[1] - independent[0] < 0.75 * (found["assigned"][1] - found["assigned"][0])


def test_overlapping_occurrences_stay_together():
    # 4 hubs with 10 occurrences each that share the hub, and 40 apart
    around = [[0, 1 + i] for i in range(10)]
    hubs = np.array([[11 * hub + node for node in row] for hub in range(4) for row in around])
    apart = np.arange(80).reshape(40, 2)
    none = np.empty(0, int)
    wide, narrow = (measure_frequency(graph_of(500), none, rows) for rows in (hubs, apart))
    assert wide.distinct == narrow.distinct == 40
    assert (wide.disjoint, narrow.disjoint) == (4, 40)
    low, high = wide.intervals["distinct"]
    assert low % 10 == high % 10 == 0
    assert high - low > 2 * (narrow.intervals["distinct"][1] - narrow.intervals["distinct"][0])


def test_graphs_are_the_units_of_a_large_collection():
    collection = as_csr([nx.empty_graph(4)] * 40)
    # half of the graphs hold two occurrences each
    rows = np.array([[4 * g + 2 * i, 4 * g + 2 * i + 1] for g in range(20) for i in range(2)])
    found = measure_frequency(collection, np.arange(80), rows)
    assert (found.distinct, found.num_graphs) == (40, 20)
    low, high = found.intervals["num_graphs"]
    assert (low, high) == (14, 26)
    assert found.intervals["distinct"] == (2 * low, 2 * high)
    assert found.intervals["assigned"] == (4 * low, 4 * high)


def test_intervals_cover_the_mean_over_drawn_graphs():
    # 300 triples of roots, each an occurrence with this probability
    probability = 0.1
    covered = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        rows = 3 * np.flatnonzero(rng.random(300) < probability)[:, None] + np.arange(3)
        low, high = measure_frequency(graph_of(900), rows.ravel(), rows).intervals["distinct"]
        covered += low <= 300 * probability <= high
    # 95 % of 200, within three standard deviations
    assert 181 <= covered <= 199


def cliques_and_rings():
    return nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 5)


def test_exact_counts_are_added_after_mining():
    graph = cliques_and_rings()
    miner = PatternMiner(num_patterns=2, pattern_size=5, num_epochs=0).fit(graph)
    assert {p.frequency.exact_state for p in miner.patterns_} == {"not asked"}
    frequencies = [p.frequency for p in add_exact_counts(miner.patterns_, graph, 60.0)]
    assert [(f.exact_state, f.exact, f.distinct) for f in frequencies] == [
        ("counted", 6, 6),
        ("counted", 5, 5),
    ]


def test_an_exact_count_that_takes_too_long_is_not_finished(monkeypatch):
    unfinished = types.SimpleNamespace(count=None)
    monkeypatch.setattr("mining.counting.build_patterns.count_exact", lambda *arguments: unfinished)
    miner = PatternMiner(num_patterns=2, pattern_size=5, num_epochs=0).fit(cliques_and_rings())
    frequencies = [p.frequency for p in add_exact_counts(miner.patterns_, cliques_and_rings(), 1.0)]
    assert {(f.exact, f.exact_state) for f in frequencies} == {(None, "not finished")}


def test_exact_counts_include_what_no_subgraph_covers():
    # a clique of seven contains 35 triangles, and the subgraph of each root is one of them
    graph = nx.complete_graph(7)
    miner = PatternMiner(num_patterns=1, pattern_size=3, num_epochs=0, min_support=1).fit(graph)
    (triangle,) = add_exact_counts(miner.patterns_, graph, seconds=None)
    assert triangle.frequency.exact == 35
    assert triangle.frequency.distinct <= 7
    assert 1 <= triangle.frequency.disjoint <= 2
