"""Patterns of events: counts and rows are those of the definition, conditions, command and page."""

import numpy as np
import pandas as pd
import pytest
from events_reference import find_occurrences

from gomkcn.mining.temporal.temporal_motifs import motif_events, temporal_census
from gomkcn.mining.temporal.temporal_occurrences import temporal_occurrences

CYCLE = "A -> B as x, B -> C as y, C -> A as z"
CYCLE_EDGES = ["AB", "BC", "CA"]

# text, edges, symmetries, and what the reference is told beside the edges
PATTERNS = {
    "pair": ("A -> B, A -> B", ["AB", "AB"], 1, {}),
    "answer": ("A -> B, B -> A", ["AB", "BA"], 1, {}),
    "cycle": (CYCLE, CYCLE_EDGES, 1, {}),
    "path back": ("A -> B, C -> A", ["AB", "CA"], 1, {}),
    "square": ("A -> B, B -> C, C -> D, D -> A", ["AB", "BC", "CD", "DA"], 1, {}),
    "fan": ("A -> B, C -> B, D -> B", ["AB", "CB", "DB"], 1, {}),
    "repeated": ("A -> B, A -> B, B -> C, A -> B", ["AB", "AB", "BC", "AB"], 1, {}),
    "other order": (
        f"{CYCLE}, y.time < x.time",
        CYCLE_EDGES,
        1,
        {"in_order": False, "times": [(1, "<", 0)]},
    ),
    "before or with": (
        f"{CYCLE}, x.time <= y.time, z.time >= y.time",
        CYCLE_EDGES,
        1,
        {"in_order": False, "times": [(0, "<=", 1), (2, ">=", 1)]},
    ),
    "at once": (
        "A -> B as x, A -> C as y, x.time = y.time",
        ["AB", "AC"],
        2,
        {"in_order": False, "times": [(0, "=", 1)]},
    ),
    "not at once": (
        "A -> B as x, B -> A as y, A -> B as z, x.time != z.time, y.time != x.time",
        ["AB", "BA", "AB"],
        1,
        {"in_order": False, "times": [(0, "!=", 2), (1, "!=", 0)]},
    ),
    "three at once": (
        "A -> B as x, A -> C as y, A -> D as z, x.time = y.time, y.time = z.time, x.time = z.time",
        ["AB", "AC", "AD"],
        6,
        {"in_order": False, "times": [(0, "=", 1), (1, "=", 2)]},
    ),
    "any turn of a cycle": (
        f"{CYCLE}, x.time <= x.time",
        CYCLE_EDGES,
        3,
        {"in_order": False},
    ),
    "most of it": (
        f"{CYCLE}, y.value >= .9 * x.value, z.value >= .9 * y.value",
        CYCLE_EDGES,
        1,
        {"compared": [(1, ">=", ".9", 0), (2, ">=", ".9", 1)]},
    ),
    "exact": (
        "A -> B as x, B -> C as y, x.value = 1.1 * y.value",
        ["AB", "BC"],
        1,
        {"compared": [(0, "=", "1.1", 1)]},
    ),
    "other values": (
        "A -> B as x, B -> C as y, x.value != y.value",
        ["AB", "BC"],
        1,
        {"compared": [(0, "!=", "1", 1)]},
    ),
    "a test": (
        "A -[value > 2]-> B, B -> C as y, y.value <= 3.3",
        ["AB", "BC"],
        1,
        {"tests": [(0, ">", 2), (1, "<=", 3.3)]},
    ),
    "negative": (
        "A -> B as x, B -> C as y, -1 * x.value < y.value, y.value < x.value",
        ["AB", "BC"],
        1,
        {"compared": [(1, ">", "-1", 0), (1, "<", "1", 0)]},
    ),
}


def random_rows(seed, number, nodes=4, moments=12):
    """A multigraph with equal times, self-loops and missing values."""
    rng = np.random.default_rng(seed)
    rows = rng.integers([nodes, nodes, moments], size=(number, 3)).tolist()
    values = rng.choice(np.array([1, 1.1, 2, 2.2, 3, 3.3, None], object), number).tolist()
    return [(*row, value) for row, value in zip(rows, values, strict=True)]


def table(rows):
    return pd.DataFrame(rows, columns=["source", "target", "time", "value"]).astype(
        {"value": float}
    )


@pytest.mark.parametrize("name", PATTERNS)
def test_counts_and_rows_are_those_of_all_assignments(name):
    text, edges, symmetries, options = PATTERNS[name]
    found_some = 0
    for seed in range(6):
        moments = 3 if "at once" in name else 12
        rows = random_rows(seed, 24 if len(edges) < 4 else 18, moments=moments)
        for window in (0, 3, 12):
            right = find_occurrences(rows, edges, window, **options)
            found = temporal_occurrences(table(rows), text, window, null_samples=0)
            assert found.count.is_exact and found.count.value * symmetries == len(right)
            listed = [*map(tuple, found.rows.tolist())]
            assert len(listed) == len({*listed}) == found.count.value
            assert {*listed} <= {*right}
            # of those that differ by a symmetry one is listed
            assert {*map(frozenset, listed)} == {*map(frozenset, right)}
            found_some += len(right)
    assert found_some > 0


@pytest.mark.parametrize("seed", range(3))
def test_patterns_of_three_edges_are_counted_as_the_census_does(seed):
    rng = np.random.default_rng(seed)
    rows = [(*row, 0) for row in rng.integers([6, 6, 200], size=(300, 3)).tolist()]
    census = temporal_census(table(rows), 40, null_samples=0).counts
    for row, column in np.ndindex(6, 6):
        text = ", ".join(f"{u} -> {v}" for u, v in motif_events(row, column))
        found = temporal_occurrences(table(rows), text, 40, most=0, null_samples=0)
        assert found.count.value == census[row, column]


def test_many_edges_are_counted(seed=0):
    rows = random_rows(seed, 11, nodes=3, moments=30)
    text, edges = "A -> B, B -> A, A -> B, C -> A, B -> C", ["AB", "BA", "AB", "CA", "BC"]
    right = find_occurrences(rows, edges, 40)
    assert temporal_occurrences(table(rows), text, 40, null_samples=0).count.value == len(right)
