"""How often a pattern occurs: readings counted by hand, intervals against drawn graphs."""

import collections
import types

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from mining import PatternMiner, add_exact_counts
from mining.locating.frequencies import _count_kinds, measure_frequency
from mining.records.frequency import Frequency
from mining.structures.overlaps import best_of_each_set, pick_disjoint, units_by_overlap


def graph_of(num_nodes):
    return as_csr(nx.empty_graph(num_nodes))


def sets(*rows):
    """Node sets of several sizes as one padded array."""
    size = max(map(len, rows))
    return np.array([[*row, *[-1] * (size - len(row))] for row in rows])


@pytest.mark.parametrize("seed", range(2))
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


def reference_units(num_nodes, assigned, rows, picked):
    """The units in plain Python: the definition."""
    owner = {node: i for i, row in enumerate(rows[picked].tolist()) for node in row if node >= 0}
    claimed = dict(owner)
    units = [[0, 1, 1] for _ in rows[picked]]
    for row in rows[~picked].tolist():
        shared = collections.Counter(owner[node] for node in row if node in owner)
        unit = min(shared, key=lambda unit: (-shared[unit], unit))
        units[unit][1] += 1
        for node in row:
            if node >= 0:
                claimed.setdefault(node, unit)
    num_units = len(units) + num_nodes - len(claimed)
    for root in assigned:
        if root in claimed:
            units[claimed[root]][0] += 1
        else:
            units.append([1, 0, 0])
    return units, num_units


@pytest.mark.parametrize("seed", range(2))
def test_units_are_those_of_the_reference(seed):
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.permutation(60)[:4] for _ in range(50)] + [[7, 9, -1, -1]])
    rows = np.concatenate([rows, np.arange(30, 50)[:, None] + np.arange(4)])
    picked = pick_disjoint(rows, 60)
    # no two that are picked overlap, and each of the others overlaps one
    members = rows[picked][rows[picked] >= 0]
    assert len(set(members.tolist())) == len(members)
    assert np.isin(rows[~picked], members).any(axis=1).all()
    assigned = np.flatnonzero(rng.random(60) < 0.5)
    units, num_units = units_by_overlap(60, assigned, rows, picked)
    assert (units.tolist(), num_units) == reference_units(60, assigned.tolist(), rows, picked)


@pytest.mark.parametrize("largest", [3, 2**40])
def test_kinds_of_units_are_different_rows_in_order(largest):
    units = np.random.default_rng(0).choice([0, 1, largest], (50, 3))
    expected = np.unique(units, axis=0, return_counts=True)
    for actual, column in zip(_count_kinds(units), expected, strict=True):
        np.testing.assert_array_equal(actual, column)
    assert [len(part) for part in _count_kinds(units[:0])] == [0, 0]


def test_the_readings_of_one_graph():
    rows = sets([0, 1, 2], [2, 3, 4], [6, 7, 8])
    frequency = measure_frequency(graph_of(12), np.array([0, 1, 2, 3, 10]), rows)
    expected = Frequency(5, 3, 2, num_graphs=1, intervals=frequency.intervals)
    assert frequency == expected
    assert set(frequency.intervals) == {"assigned", "distinct", "disjoint"}
    none = measure_frequency(graph_of(4), np.empty(0, int), np.empty((0, 3), int))
    zero = dict.fromkeys(frequency.intervals, (0, 0))
    assert none == Frequency(0, 0, 0, num_graphs=0, intervals=zero)


ROWS = np.arange(60).reshape(20, 3)


def test_an_interval_depends_on_its_seed_and_contains_the_count():
    first, again, other = (
        measure_frequency(graph_of(1000), np.arange(60), ROWS, seed).intervals for seed in (1, 1, 2)
    )
    assert first == again
    for intervals in (first, other):
        low, high = intervals["distinct"]
        # about 20 ± 1.96 √20; the three roots of an occurrence are drawn together
        assert 10 <= low <= 13
        assert 27 <= high <= 30
        assert intervals["assigned"] == (3 * low, 3 * high)
    # roots outside of occurrences are independent
    low, high = measure_frequency(graph_of(1000), np.arange(60), ROWS[:0]).intervals["assigned"]
    assert high - low < 0.75 * (first["assigned"][1] - first["assigned"][0])


def test_overlapping_occurrences_are_drawn_together():
    # 4 hubs with 10 occurrences each that share the hub, and 40 disjoint ones
    hubs = np.array([[11 * hub, 11 * hub + 1 + i] for hub in range(4) for i in range(10)])
    none = np.empty(0, int)
    wide, narrow = (
        measure_frequency(graph_of(500), none, rows)
        for rows in (hubs, np.arange(80).reshape(40, 2))
    )
    assert (wide.disjoint, narrow.disjoint) == (4, 40)
    low, high = wide.intervals["distinct"]
    assert low % 10 == high % 10 == 0
    assert high - low > 2 * (narrow.intervals["distinct"][1] - narrow.intervals["distinct"][0])


def test_graphs_are_the_units_of_a_large_collection():
    collection = as_csr([nx.empty_graph(4)] * 40)
    # half of the graphs contain two occurrences each
    rows = np.array([[4 * g + 2 * i, 4 * g + 2 * i + 1] for g in range(20) for i in range(2)])
    frequency = measure_frequency(collection, np.arange(80), rows)
    assert (frequency.distinct, frequency.num_graphs) == (40, 20)
    assert frequency.intervals == {
        "num_graphs": (14, 26), "distinct": (28, 52), "assigned": (56, 104), "disjoint": (28, 52)
    }  # fmt: skip


def test_intervals_cover_the_mean_over_drawn_graphs():
    # 300 triples of roots, each an occurrence with probability 0.1
    covered = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        rows = 3 * np.flatnonzero(rng.random(300) < 0.1)[:, None] + np.arange(3)
        low, high = measure_frequency(graph_of(900), rows.ravel(), rows).intervals["distinct"]
        covered += low <= 30 <= high
    # 95 % of 200, within three standard deviations
    assert 181 <= covered <= 199


def test_exact_counts_include_occurrences_that_no_subgraph_covers(monkeypatch):
    # a clique of seven contains 35 triangles, and the subgraph of each root is one of them
    graph = nx.complete_graph(7)
    miner = PatternMiner(num_patterns=1, pattern_size=3, num_epochs=0, min_support=1).fit(graph)
    assert miner.patterns_[0].frequency.exact_state == "not asked"
    assert miner.patterns_[0].frequency.distinct <= 7
    (counted,) = add_exact_counts(miner.patterns_, graph, seconds=None)
    assert (counted.frequency.exact, counted.frequency.exact_state) == (35, "counted")
    no_count = types.SimpleNamespace(count=None)
    monkeypatch.setattr("mining.locating.build_patterns.count_exact", lambda *_: no_count)
    (late,) = add_exact_counts(miner.patterns_, graph, seconds=1.0)
    assert (late.frequency.exact, late.frequency.exact_state) == (None, "not finished")
