"""The tables for the terminal and for the page."""

from dataclasses import replace

import networkx as nx
from tiny_runs import pattern_of, recovery_of, run_of, significance_of

from mining.html.tables import format_run, pattern_table
from mining.records.stability import Stability

PATH = nx.path_graph(4)


def test_no_patterns():
    assert format_run(run_of([])) == "pattern  what  distinct  assigned"


def test_patterns_and_planted_motifs():
    patterns = [pattern_of(PATH, 0), pattern_of(nx.star_graph(5), 1, distinct=1000)]
    recovery = [recovery_of("cup", (0, 1)), recovery_of("book", (0,)), recovery_of("ring", ())]
    assert format_run(run_of(patterns, recovery)).splitlines() == [
        "pattern  what                distinct  assigned  planted",
        "      0  path of 4 nodes            3         5  cup × 10, book × 10",
        "      1  star with 5 leaves      1000         5  cup × 10",
        "",
        "planted motif  copies  recovered",
        "cup                10  yes (patterns 0, 1, planted copies found 9/10)",
        "book               10  yes (pattern 0, planted copies found 9/10)",
        "ring               10  no",
    ]


def test_significance_and_stability_have_columns():
    patterns = [
        replace(
            pattern_of(PATH, number, features=None),
            significance={"degree": significance_of()},
            stability={"restarts": Stability(2, 3)} if number else {},
            description="path of 4 nodes: 4 carbon; x0 3 (graph mean 1) at node 0",
        )
        for number in range(2)
    ]
    table = pattern_table(run_of(patterns))
    assert list(table.columns)[4:] == ["z degree", "q degree", "restarts"]
    assert table.rows == [
        ("0", "path of 4 nodes: 4 carbon", "3", "5", "3.2", "0.077", "-"),
        ("1", "path of 4 nodes: 4 carbon", "3", "5", "3.2", "0.077", "2/3"),
    ]


def test_hostile_and_long_names():
    text = format_run(
        run_of([pattern_of(PATH)], [recovery_of("a\x1b[31m\nb"), recovery_of("c" * 99)])
    )
    assert "\x1b" not in text
    assert "a�[31m�b × 10" in text
    assert "c" * 59 + "…" in text and "c" * 60 not in text


def test_a_partial_run():
    run = replace(run_of([pattern_of(PATH)]), is_partial=True)
    assert format_run(run).splitlines()[-1].startswith("Partial: the time limit was reached")
