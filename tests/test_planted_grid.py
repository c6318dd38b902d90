"""The grid of planted graphs: what its lines add up to, what it misses, and how it goes on."""

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


MATCHED = [
    f"{prefix}{name}_{kind}"
    for prefix in ("", "together_")
    for name in ("same", "near")
    for kind in ("occurring", "planted")
]


@pytest.fixture
def grid(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    before = set(sys.modules)
    import planted_grid

    yield planted_grid
    for name in set(sys.modules) - before:
        # those of the folder of benchmarks, whose names are not the package's
        if str(BENCHMARKS) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def said(**change):
    """What a miner said of two motifs with 10 true occurrences each, both found without error."""
    return {
        "patterns": 5,
        "with_cycle": 3,
        "isomorphic_patterns": [1, 1],
        "noisy": [False, False],
        "together": [10, 10],
        **{name: [10, 10] for name in MATCHED},
        "assigned": [60, 60],
        "distinct": [10, 10],
        "disjoint": [10, 10],
        "exact": [10, 10],
        "distinct_interval": [[5, 16], [5, 16]],
        "disjoint_interval": [[5, 16], [5, 16]],
        "seconds": 2.0,
    } | change


def line(copies=10, noise=0.0, flipped=0.0, seed=0, occurring=(10, 10), **rules):
    return {
        "copies": copies,
        "noise": noise,
        "flipped": flipped,
        "seed": seed,
        "intact": list(occurring),
        "occurring": list(occurring),
        "occurring_disjoint": list(occurring),
        "isomorphic": said(),
        "similar": said(),
    } | rules


def test_a_perfect_run(grid):
    row, similar = grid.summarise([line()])
    assert (row.cell, row.rule, row.asked, row.found) == ((10, 0.0, 0.0), "isomorphic", 2, 2)
    assert (row.f1, row.f1_together, row.f1_near) == (1, 1, 1)
    assert row.error == row.bias == {"distinct": 0, "disjoint": 0}
    assert row.covered == {"distinct": 1, "disjoint": 1}
    assert (row.exact_error, row.exact_to_planted, row.covered_expected) == (0, 1, 1)
    assert (row.others, row.seconds) == (1, 2)
    assert similar.rule == "similar"
    assert grid.unmet([row, similar]) == []


def test_a_run_with_errors_by_hand(grid):
    # the first motif is not found; of the second 12 are reported, 9 of them right
    wrong = said(
        isomorphic_patterns=[0, 2],
        together=[0, 14],
        same_occurring=[0, 9],
        together_same_occurring=[0, 10],
        together_near_occurring=[0, 12],
        together_near_planted=[0, 8],
        distinct=[0, 12],
        disjoint=[0, 11],
        exact=[0, 10],
        distinct_interval=[None, [11, 19]],
        disjoint_interval=[None, [6, 17]],
    )
    row = grid.summarise([line(isomorphic=wrong)])[0]
    assert (row.asked, row.found) == (2, 1)
    # of 20 true and 12 (14 together) reported ones
    assert row.f1 == pytest.approx(2 * 9 / 32)
    assert row.f1_together == pytest.approx(2 * 10 / 34)
    assert row.f1_near == pytest.approx(2 * 12 / 34)
    assert row.of_planted == pytest.approx(8 / 20)
    assert row.error == pytest.approx({"distinct": 0.6, "disjoint": 0.55})
    assert row.bias == pytest.approx({"distinct": -0.4, "disjoint": -0.45})
    assert row.covered == {"distinct": 0, "disjoint": 0.5}
    assert row.others == 1
    assert grid.unmet([row]) == [
        "10 copies, noise 0: F1 0.562, not .95",
        "10 copies, noise 0: distinct is 60% off, more than 10 %",
        "10 copies, noise 0: disjoint is 55% off, more than 10 %",
        "10 copies, noise 0: 0% of the intervals of distinct cover, not 90 %",
        "10 copies, noise 0: 50% of the intervals of disjoint cover, not 90 %",
    ]


def test_most_sets_without_a_common_node(grid):
    sets = {frozenset(nodes) for nodes in [(1, 2), (2, 3), (3, 4), (4, 5), (8, 9), (9, 10), (20,)]}
    assert grid.largest_disjoint(sets) == 4
    assert grid.largest_disjoint(set()) == 0


def test_the_figure_has_a_map_for_each_measure_and_share_flipped(grid, tmp_path):
    lines = [line(copies=copies, flipped=flipped) for flipped in (0.0, 0.05) for copies in (5, 10)]
    grid.draw_grid(grid.summarise(lines), tmp_path / "grid.svg")
    text = (tmp_path / "grid.svg").read_text()
    assert text.count("isomorphic, 5 % flipped") == text.count("similar, 0 % flipped") == 3
