"""One sentence about a run: true to its numbers."""

import dataclasses

import networkx as nx
import pytest
from tiny_runs import pattern_of, recovery_of, run_of, significance_of

from mining.html.summary import summary_sentence

STAR, PATH = nx.star_graph(5), nx.path_graph(4)


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (
            run_of([pattern_of(STAR, 0, 7, 3)]),
            "In the 40-node graph, 1 pattern covers the surroundings of 3 nodes (7%); it is a star "
            "with 5 leaves, found 7 times.",
        ),
        (
            run_of([pattern_of(PATH, 0, 2, 1), pattern_of(STAR, 1, 2, 0)]),
            "In the 40-node graph, 2 patterns cover the surroundings of 1 node (2%); the most "
            "frequent 2 were found 2 times each.",
        ),
        (
            run_of([pattern_of(nx.path_graph(2), 0, 1, 0)], num_subgraphs=80),
            "In the 40-node graph, 1 pattern was found; it is an edge, found once.",
        ),
        (
            run_of([pattern_of(PATH, 0, 0, 30)], num_graphs=4),
            "In 4 graphs with 40 nodes in all, 1 pattern covers the surroundings of 30 nodes "
            "(75%); none of them has an occurrence of its own.",
        ),
        (
            run_of(
                [pattern_of(nx.ladder_graph(3), 0, 5, 40)],
                [recovery_of(), recovery_of("cup", pattern_ids=())],
            ),
            "In the 40-node graph, 1 pattern covers the surroundings of 40 nodes (100%); it is a "
            "graph of 6 nodes, 7 edges, found 5 times; 1 of 2 planted motifs was recovered.",
        ),
        (
            run_of([pattern_of(PATH, 0, 3, 39)], [recovery_of(pattern_ids=())]),
            "In the 40-node graph, 1 pattern covers the surroundings of 39 nodes (97%); it is a "
            "path of 4 nodes, found 3 times; 0 of 1 planted motif were recovered.",
        ),
    ],
)
def test_summary_sentences(run, sentence):
    assert summary_sentence(run) == sentence


def test_shares_are_rounded_down():
    run = run_of([pattern_of(PATH, 0, 3, 9999)], num_nodes=10000, num_subgraphs=10000)
    assert "9999 nodes (99%)" in summary_sentence(run)
    run = run_of([pattern_of(PATH, 0, 3, 1)], num_nodes=10000, num_subgraphs=10000)
    assert "1 node (under 1%)" in summary_sentence(run)


def test_labels_are_named_and_numbers_are_not():
    ring = dataclasses.replace(pattern_of(nx.cycle_graph(6)), words="a ring of six carbons; x0 low")
    assert "; it is a ring of six carbons, found 3 times." in summary_sentence(run_of([ring]))
    bare = dataclasses.replace(pattern_of(STAR), words="star with 5 leaves; no feature stands out")
    assert "; it is a star with 5 leaves, found 3 times." in summary_sentence(run_of([bare]))


def test_what_chance_does_not_explain_is_counted():
    judged = [
        dataclasses.replace(
            pattern_of(PATH, number),
            significance={
                "degree": significance_of("degree", q=q),
                "features": significance_of("features", q=0.5),
            },
        )
        for number, q in enumerate([0.05, 0.051, 0.01])
    ]
    assert summary_sentence(run_of(judged)).endswith(
        "; 2 of 3 occur more often than in rewired graphs and 0 of 3 more often than in graphs "
        "with shuffled features."
    )
    assert summary_sentence(run_of(judged[:1])).endswith(
        "; 1 of 1 occurs more often than in rewired graphs and 0 of 1 more often than in graphs "
        "with shuffled features."
    )
