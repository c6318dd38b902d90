"""The tables for the terminal and the page, and one sentence about a run: true by its numbers."""

from dataclasses import replace

import networkx as nx
import pytest
from tiny_runs import pattern_of, recovery_of, run_of, significance_of

from mining.html.tables import format_run, pattern_table, summary_sentence
from mining.records.stability import Stability

STAR, PATH = nx.star_graph(5), nx.path_graph(4)


def test_patterns_and_planted_motifs():
    assert format_run(run_of([])) == "pattern  what  distinct  assigned"
    patterns = [pattern_of(PATH, 0), pattern_of(STAR, 1, count=1000)]
    recovery = [recovery_of("cup", (0, 1)), recovery_of("b\x1b\nk", (0,)), recovery_of("c" * 99)]
    run = replace(run_of(patterns, [*recovery[:2], recovery_of("ring", ())]), is_partial=True)
    assert format_run(run).splitlines()[:-1] == [
        "pattern  what                distinct  assigned  planted",
        "      0  path of 4 nodes            3         5  cup × 10, b��k × 10",
        "      1  star with 5 leaves      1000         5  cup × 10",
        "",
        "planted motif  copies  recovered",
        "cup                10  yes (patterns 0, 1, planted copies found 9/10)",
        "b��k               10  yes (pattern 0, planted copies found 9/10)",
        "ring               10  no",
        "",
    ]
    assert format_run(run).splitlines()[-1].startswith("Partial: the time limit was reached")
    long_name = format_run(run_of(patterns, recovery))
    assert "c" * 59 + "…" in long_name and "c" * 60 not in long_name


def test_significance_and_stability_have_columns():
    patterns = [
        replace(
            pattern_of(PATH, number),
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


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (run_of([]), "0 patterns in a graph of 40 nodes."),
        (
            run_of([pattern_of(STAR, 0, 7, 3), pattern_of(PATH, 1, 1, 1)]),
            "2 patterns in a graph of 40 nodes; the largest count is 7 distinct occurrences "
            "(star with 5 leaves); 4 nodes (10%) assigned to a pattern.",
        ),
        (
            run_of([pattern_of(PATH, 0, 1, 0)], num_subgraphs=80, num_graphs=4),
            "1 pattern in 4 graphs with 40 nodes in all; the largest count is 1 distinct "
            "occurrence (path of 4 nodes).",
        ),
        (
            run_of([pattern_of(PATH, 0, 3, 1)], [recovery_of(), recovery_of("cup", ())]),
            "1 pattern in a graph of 40 nodes; the largest count is 3 distinct occurrences (path "
            "of 4 nodes); 1 node (2%) assigned to a pattern; 1 of 2 planted motifs recovered.",
        ),
    ],
)
def test_summary_sentences(run, sentence):
    assert summary_sentence(run) == sentence


@pytest.mark.parametrize(("assigned", "share"), [(9999, "99%"), (10000, "100%"), (1, "under 1%")])
def test_shares_are_rounded_down(assigned, share):
    run = run_of([pattern_of(PATH, 0, 3, assigned)], num_nodes=10000, num_subgraphs=10000)
    assert f"({share})" in summary_sentence(run)


def test_over_represented_patterns_are_counted():
    patterns = [
        replace(pattern_of(PATH, number), significance={"degree": significance_of(q=q)})
        for number, q in enumerate([0.05, 0.051, 0.01])
    ]
    sentence = "2 of 3 more frequent than in the null model “degree” (q at most 0.05)."
    assert summary_sentence(run_of(patterns)).endswith(sentence)
