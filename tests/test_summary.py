"""One sentence about a run: true by its numbers."""

from dataclasses import replace

import networkx as nx
import pytest
from tiny_runs import pattern_of, recovery_of, run_of, significance_of

from mining.html.summary import summary_sentence

STAR, PATH = nx.star_graph(5), nx.path_graph(4)


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
