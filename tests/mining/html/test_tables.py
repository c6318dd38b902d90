"""The terminal: the set, then what is called, within 100 columns, true by its numbers."""

from dataclasses import replace

import networkx as nx
import numpy as np
from tiny_runs import difference_of, pattern_of, recovery_of, run_of, significance_of

from mining.html.tables import EDITS_NOTE, Table, format_comparison, format_run
from mining.pattern import LESS, MORE

RING, PATH = nx.cycle_graph(6), nx.path_graph(4)


def test_the_set_comes_first_then_what_is_called():
    ring = pattern_of(RING, 0)
    called = [
        replace(pattern_of(PATH, 1, count=1000),
                significance={"degree": significance_of(verdict=MORE, z=12.34, p_adjusted=0.005)}),
        replace(pattern_of(nx.star_graph(3), 2),
                significance={"degree": significance_of(verdict=LESS, z=-4.0, p_adjusted=0.02)}),
    ]  # fmt: skip
    called[0] = replace(called[0], inside=(2,))
    run = run_of([ring, *called], [recovery_of("b\x1b\nk", (0,))],
                 motifs=[(ring, [[0, 1, 2, 3, 4, 5]])])  # fmt: skip
    text = format_run(run)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0].startswith("1 motif with 1 copies shortens") or "1 motif" in lines[0]
    motif = next(line for line in lines if line.strip().startswith("0  "))
    assert motif.split() == ["0", "cycle", "of", "6", "nodes", "6", "1", "100", "b��k"]
    assert "2 structures compared with random graphs: 1 over-represented, 1 under-" in text
    row = next(line for line in lines if line.startswith("path of 4 nodes"))
    assert row.split()[4:] == ["1,000", "0.50", "±", "0.75", "+12.3", "0.005", "0%"]
    assert text.index("motif") < text.index("path of 4 nodes") < text.index("planted motif")


def test_copies_that_differ_are_said_and_others_are_not():
    ring = pattern_of(RING, 0)
    rows, edits = np.arange(30).reshape(5, 6), np.array([[3, 0, 1, -1], [3, 0, 3, 1]])
    text = format_run(run_of([ring], motifs=[(ring, rows, {"edits": edits})]))
    assert "5 (4 exact)" in text and EDITS_NOTE in text.replace("\n", " ")
    text = format_run(run_of([ring], motifs=[(ring, rows)]))
    assert "exact" not in text


def test_classes_and_a_run_that_was_cut():
    one = replace(pattern_of(PATH), classes=difference_of("toxic", "harmless"))
    text = format_run(replace(run_of([one], num_graphs=30), is_partial=True))
    assert "1 of 1 structure differs between the classes" in text
    assert "9 of 10" in text and "2 of 20" in text
    assert text.endswith("The time limit ended the run; gomkcn mine --resume continues it.")


def test_tables_fit_the_terminal():
    table = Table({"name": ["word " * 60, "short"], "n": ["1", "2"]}, {"name"})
    lines = str(table).splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[-1].split() == ["short", "2"]
    endless = str(Table({"name": ["word " * 999]}, {"name"})).splitlines()
    assert len(endless) == 1 + 6 and endless[-1].endswith("…")


def test_rows_of_different_structures_read_differently():
    ring = [(i, (i + 1) % 6) for i in range(6)] + [(0, 6)]
    one, other = (pattern_of(nx.Graph([*ring, (node, 7)]), node) for node in (1, 2))
    text = format_comparison(run_of([one]), run_of([other]))
    name = "cycle of 6 nodes with 2 pendant nodes"
    assert all(f"{name} (attached at distance {far})" in text for far in (1, 2))
    assert text.endswith("0 of 1 patterns in both runs")
