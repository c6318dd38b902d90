"""The number of graphs with given degrees, beside exact counts of small ones."""

from functools import cache
from itertools import combinations, combinations_with_replacement
from math import log2

import numpy as np
import pytest

from mining.motif_sets import graph_count
from mining.motif_sets.graph_count import (
    count_graphs,
    count_graphs_of_blocks,
    count_two_sided_graphs,
)


@cache
def number_of_graphs(degrees):
    """Simple graphs with these degrees of their nodes: the last node takes its neighbours."""
    if not degrees:
        return 1
    *rest, last = degrees
    total = 0
    for chosen in combinations(range(len(rest)), last):
        left = [degree - (node in chosen) for node, degree in enumerate(rest)]
        if min(left, default=0) >= 0:
            total += number_of_graphs(tuple(sorted(left)))
    return total


@cache
def number_of_two_sided(rows, columns):
    """0/1 matrices with these sums of rows and columns."""
    if not rows:
        return int(not any(columns))
    total = 0
    for chosen in combinations(range(len(columns)), rows[0]):
        left = tuple(sum_ - (place in chosen) for place, sum_ in enumerate(columns))
        if min(left) >= 0:
            total += number_of_two_sided(rows[1:], left)
    return total


def test_all_sequences_of_seven_nodes():
    errors = []
    for degrees in combinations_with_replacement(range(7), 7):
        exact = number_of_graphs(degrees)
        if exact:
            errors.append(count_graphs(np.array(degrees)).bits - log2(exact))
    assert len(errors) == 342
    assert abs(np.mean(errors)) <= 0.1 and np.std(errors) <= 0.5


@pytest.mark.parametrize(
    ("degrees", "bits"),
    [
        ([3] * 8, 14.050527),
        ([2] * 10, 17.848152),
        ([1, 1, 2, 2, 3, 3, 4, 4], 8.995170),
        ([1, 1, 1, 1, 4], 0.0),
        ([5] * 6, 0.0),
        ([0, 0, 0], 0.0),
    ],
)
def test_known_numbers(degrees, bits):
    assert count_graphs(np.array(degrees), tolerance=1e-9).bits == pytest.approx(bits, abs=1e-6)


@pytest.mark.parametrize("degrees", [[5] * 6, [1, 1, 2], [0, 0, 0], [2, 2, 3, 3, 4, 4]])
def test_a_near_graph_changes_nothing(degrees):
    """Whether the other has classes that this one lacks, or this one has nothing left to count."""
    alone, other = count_graphs(np.array(degrees)), count_graphs(np.array([3] * 8 + [1, 1]))
    assert count_graphs(np.array(degrees), other).bits == pytest.approx(alone.bits, abs=1e-4)


def test_two_sides():
    one = np.ones(6, int)
    assert count_two_sided_graphs(one, one, True).bits == pytest.approx(8.895300, abs=1e-6)
    errors, rng = [], np.random.default_rng(0)
    for _ in range(60):
        matrix = rng.random((7, 6)) < rng.uniform(0.2, 0.6)
        rows, columns = matrix.sum(axis=1), matrix.sum(axis=0)
        exact = number_of_two_sided(tuple(sorted(rows.tolist())), tuple(columns.tolist()))
        errors.append(count_two_sided_graphs(rows, columns, False).bits - log2(exact))
    # too many by a bit or two in small ones, hardly ever too few
    assert 0 <= np.mean(errors) <= 2 and np.std(errors) <= 0.6


def test_multipliers_give_the_degrees():
    degrees = np.random.default_rng(0).integers(1, 9, 60)
    degrees[0] += degrees.sum() % 2
    x = np.exp2(count_graphs(degrees, tolerance=1e-9).sides[0].of(degrees, 0))
    p = np.outer(x, x) / (1 + np.outer(x, x))
    np.fill_diagonal(p, 0)
    np.testing.assert_allclose(p.sum(axis=1), degrees, rtol=1e-3)


def test_blocks_divide_the_graphs():
    """Summed over the numbers of edges between blocks, the graphs are those of the degrees."""
    degrees, blocks = np.full(12, 3), np.repeat([0, 1], 6)
    whole = log2(number_of_graphs(tuple(degrees.tolist())))
    bits = []
    for between in range(2, 18, 2):
        inside = (18 - between) // 2
        edges = np.array([[inside, between], [between, inside]])
        bits.append(count_graphs_of_blocks(degrees, blocks, edges).bits)
    assert log2(np.exp2(bits).sum()) == pytest.approx(whole, abs=0.5)
    # most have as many between the blocks as in them
    assert np.argmax(bits) == 4
    one = count_graphs_of_blocks(degrees, np.zeros(12, int), np.array([[18]])).bits
    assert one == pytest.approx(whole, abs=0.3)


def test_many_degrees_are_grouped_and_the_error_is_bounded(monkeypatch):
    # of a graph in which i and j are joined with a probability of about w_i w_j
    weights = np.random.default_rng(0).pareto(1.2, 1500) + 0.5
    odds = np.outer(weights, weights) / 20
    joined = np.triu(np.random.default_rng(1).random(odds.shape) < odds / (1 + odds), 1)
    degrees = (joined | joined.T).sum(axis=0)
    number = len(np.unique(degrees))
    own, arcs = count_graphs(degrees), count_two_sided_graphs(degrees, degrees[::-1], True)
    monkeypatch.setattr(graph_count, "MOST_CLASSES", number // 2)
    for each, grouped in (
        (own, count_graphs(degrees)),
        (arcs, count_two_sided_graphs(degrees, degrees[::-1], True)),
    ):
        assert each.error == 0
        # a step of Newton's method for each degree takes off nearly all of it
        assert 0 < abs(grouped.bits - each.bits) < 0.05 * grouped.error
        assert grouped.error < 1e-4 * each.bits
        # and each degree keeps a multiplier of its own
        logs = [one.sides[0].of(np.unique(degrees)) for one in (each, grouped)]
        assert (np.diff(logs[1]) > 0).all()
        np.testing.assert_allclose(*logs, atol=0.05)
    # degrees of which only a few are too many keep nearly all an unknown
    monkeypatch.setattr(graph_count, "MOST_CLASSES", number - 10)
    assert abs(count_graphs(degrees).bits - own.bits) < 0.01
