"""The tables for the terminal and the page, and one sentence about a run: true by its numbers."""

from dataclasses import replace

import networkx as nx
import pytest
from tiny_runs import frequency_of, pattern_of, recovery_of, run_of

from mining import export
from mining.html.report import patterns_html
from mining.html.tables import (
    Table,
    comparison_table,
    format_run,
    others_table,
    pattern_table,
    summary_sentence,
)
from mining.mining_run import compare_runs
from mining.pattern import OccurrenceCount

STAR, PATH = nx.star_graph(5), nx.path_graph(4)


def test_patterns_and_planted_motifs():
    assert format_run(run_of([])) == "No patterns were found."
    patterns = [pattern_of(PATH, 0), pattern_of(STAR, 1, count=1000)]
    recovery = [recovery_of("cup", (0, 1)), recovery_of("b\x1b\nk", (0,)), recovery_of("c" * 99)]
    run = replace(run_of(patterns, [*recovery[:2], recovery_of("ring", ())]), is_partial=True)
    assert format_run(run).splitlines()[:-1] == [
        "pattern  what                occurrences  planted",
        "      0  path of 4 nodes               3  cup × 10, b��k × 10",
        "      1  star with 5 leaves        1,000  cup × 10",
        "",
        "planted motif  copies  recovered",
        "cup                10  yes (patterns 0, 1, planted copies found 9/10)",
        "b��k               10  yes (pattern 0, planted copies found 9/10)",
        "ring               10  no",
        "",
    ]
    assert format_run(run).splitlines()[-1].startswith("Partial: the time limit was reached")
    # a long name goes on in the next line, up to six of them
    table = str(Table({"name": ["c" * 50 + "d" * 49, "short"], "n": ["1", "2"]}, {"name"}))
    assert table.splitlines() == [
        f"{'name':<60}  n",
        f"{'c' * 50}{'d' * 10}  1",
        "d" * 39,
        f"{'short':<60}  2",
    ]
    endless = str(Table({"name": ["word " * 999]}, {"name"})).splitlines()
    assert len(endless) == 1 + 6 and endless[-1].endswith("…")


def test_rows_of_different_structures_read_differently():
    ring = [(i, (i + 1) % 6) for i in range(6)] + [(0, 6)]
    patterns = [pattern_of(nx.Graph([*ring, (node, 7)]), node) for node in (1, 2, 3)]
    run = replace(run_of(patterns[:2]), others=tuple(patterns[1:]))
    name = "cycle of 6 nodes with 2 pendant nodes"
    first, second, third = (f"{name} (attached at distance {far})" for far in (1, 2, 3))
    assert pattern_table(run).columns["what"] == [first, second]
    assert others_table(run).columns["what"] == [second, third]
    assert export.pattern_table(patterns)["shape"].tolist() == [first, second, third]
    comparison = compare_runs(run, run_of(patterns[1:]))
    assert comparison_table(comparison).columns["shape"] == [second, first, third]
    page = patterns_html(patterns)
    assert all(text in page for text in (first, second, third))


def test_counts_say_how_they_are_known():
    """An estimate has its interval, and what no draw found a bound."""
    counts = [OccurrenceCount.exact(30004668), OccurrenceCount(7.807e9, 7.79e9, 7.824e9, False),
              OccurrenceCount(0, 0, 31.5, False)]  # fmt: skip
    patterns = [
        replace(pattern_of(PATH, number), frequency=replace(frequency_of(3), occurrences=count))
        for number, count in enumerate(counts)
    ]
    assert pattern_table(run_of(patterns)).columns["occurrences"] == [
        "30,004,668",
        "7.807 (7.79 to 7.824) · 10⁹",
        "fewer than 31.5",
    ]
    sentence = "the most frequent has 7.807 (7.79 to 7.824) · 10⁹ occurrences ("
    assert sentence in summary_sentence(run_of(patterns))
    assert "has fewer than 31.5 occurrences (" in summary_sentence(run_of(patterns[2:]))


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (
            run_of([pattern_of(PATH, 0, 1, 0)], num_nodes=4000, num_graphs=1234),
            "1 pattern in 1,234 graphs with 4,000 nodes in all; the most frequent has 1 "
            "occurrence (path of 4 nodes).",
        ),
        (
            run_of([pattern_of(PATH, 0, 3, 1)], [recovery_of(), recovery_of("cup", ())]),
            "1 pattern in a graph of 40 nodes; the most frequent has 3 occurrences (path of 4 "
            "nodes); 1 of 2 planted motifs recovered.",
        ),
    ],
)
def test_summary_sentences(run, sentence):
    assert summary_sentence(run) == sentence
