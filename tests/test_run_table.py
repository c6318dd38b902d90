"""The table for the terminal: every column, at most 100 wide, and harmless."""

import dataclasses

import networkx as nx
from tiny_runs import pattern_of, recovery_of, run_of, significance_of

from mining.html.run_table import format_table
from mining.records.frequency import Frequency
from mining.records.stability import Stability

PATH = nx.path_graph(4)


def test_hostile_names_do_not_steer_the_terminal():
    table = format_table(run_of([pattern_of(nx.path_graph(3))], [recovery_of("a\x1b[31m\nb")]))
    assert "\x1b" not in table
    assert "a�[31m�b × 10" in table


def test_no_patterns():
    assert format_table(run_of([])) == "pattern  what  distinct  assigned"


def test_a_table_stays_within_100_columns():
    names = ["m" * 60, "n" * 60]
    recovery = [recovery_of(name, pattern_ids=range(0, 40)) for name in names]
    pattern = pattern_of(nx.complete_bipartite_graph(5, 7), assigned=10**6)
    pattern = dataclasses.replace(pattern, frequency=Frequency(10**6, 10**9, 10**9))
    table = format_table(run_of([pattern], recovery))
    assert max(map(len, table.splitlines())) == 100
    assert "complete bipartite graph" in table
    assert "…" in table
    assert "1000000000" in table


def test_a_table_says_how_counts_compare_with_chance():
    entry = significance_of()
    patterns = [
        dataclasses.replace(
            pattern_of(PATH, number),
            significance={"degree": entry},
            stability={"restarts": Stability(2, 3)},
        )
        for number in range(2)
    ]
    header, first, _ = format_table(run_of(patterns)).splitlines()
    assert header.endswith("distinct  assigned  z degree  q degree  restarts")
    assert first.split()[-5:] == ["3", "5", "3.2", "0.077", "2/3"]


def test_a_table_without_truth_has_no_planted_column():
    table = format_table(run_of([pattern_of(PATH)]))
    assert "planted" not in table
    assert table.splitlines()[1].split() == ["0", "path", "of", "4", "nodes", "3", "5"]


def test_a_pattern_that_is_two_motifs_and_a_motif_that_is_two_patterns():
    patterns = [pattern_of(PATH, 0), pattern_of(PATH, 1)]
    table = format_table(run_of(patterns, [recovery_of("cup", (0, 1)), recovery_of("book", (0,))]))
    assert "cup × 10, book × 10" in table
    assert "yes (patterns 0, 1, planted copies found 9/10)" in table
