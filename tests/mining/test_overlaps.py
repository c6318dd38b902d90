"""Overlaps of places: disjoint ones by hand."""

import networkx as nx
import numpy as np
import pytest

from mining.overlaps import pick_disjoint


def sets(*rows):
    """Node sets of several sizes as one padded array."""
    size = max(map(len, rows))
    return np.array([[*row, *[-1] * (size - len(row))] for row in rows])


@pytest.mark.parametrize(
    ("rows", "picked"),
    [
        # the middle of three in a chain overlaps both others
        ([[1, 2], [0, 1], [2, 3]], [False, True, True]),
        # all overlap: the first
        ([[0, 1], [0, 2], [0, 3]], [True, False, False]),
        # sizes differ, and padding is no node
        ([[0, 1, 2], [3], [2, 3, 4]], [True, True, False]),
    ],
)
def test_disjoint_places_by_hand(rows, picked):
    assert pick_disjoint(sets(*rows), 6).tolist() == picked


@pytest.mark.parametrize("seed", range(3))
def test_disjoint_places_are_a_maximal_set(seed):
    rows = np.random.default_rng(seed).integers(40, size=(60, 3))
    picked = pick_disjoint(rows, 40)
    conflicts = nx.Graph()
    conflicts.add_nodes_from(range(60))
    conflicts.add_edges_from(
        (i, j) for i in range(60) for j in range(i) if set(rows[i].tolist()) & set(rows[j].tolist())
    )
    chosen = set(np.flatnonzero(picked).tolist())
    assert nx.is_dominating_set(conflicts, chosen)
    assert conflicts.subgraph(chosen).number_of_edges() == 0
