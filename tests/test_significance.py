"""Significance: p, q and z by hand, planted motifs, and graphs drawn from the null model."""

import logging

import networkx as nx
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining import PatternMiner
from mining.assessment.significance import (
    PatternCounter,
    add_significance,
    compute_significance,
    count_all,
)
from mining.null_models.null_models import sample_null
from synthetic import barabasi_albert, orient_edges, plant_motifs


def test_significance_by_hand():
    # two patterns and three decoys in four samples
    counts = np.array([[2, 0, 5, 5, 5], [4, 0, 5, 5, 5], [2, 0, 5, 5, 5], [4, 0, 5, 5, 5]])
    observed = np.array([4, 6, 6, 11, 5])
    first, second = compute_significance("degree", observed, counts, num_mined=2, num_patterns=2)
    assert (first.observed, first.mean, first.num_samples) == (4, 3.0, 4)
    assert first.std == pytest.approx(np.sqrt(4 / 3))
    assert first.z == pytest.approx(1 / np.sqrt(4 / 3))
    # decoys: z of 1, 6 and 0, where a count that never varies has a standard deviation of 1
    assert first.p == 3 / 4
    assert (second.mean, second.std, second.z) == (0, 0, 6)
    assert second.p == 2 / 4
    # Benjamini–Hochberg: .5 · 2 / 1 and .75 · 2 / 2, made monotone
    assert (first.q, second.q) == (0.75, 0.75)
    # where fewer decoys than samples were found, the samples count
    counts = np.array([[0], [0], [1]])
    (one,) = compute_significance("degree", np.array([9]), counts, num_mined=19, num_patterns=1)
    assert one.p == 1 / 20
    assert compute_significance("degree", np.array([3]), counts, 1, num_patterns=0) == []


def test_permuted_features_change_a_count_only_where_features_differ():
    for features in ("per_type", "constant"):
        graph = planted(features)
        miner = small_miner().fit(graph)
        add_significance(miner, graph, ["features"], num_samples=5, num_decoys=1)
        (wheel,) = (p.significance["features"] for p in miner.patterns_ if len(p.edges) == 8)
        if features == "per_type":
            assert wheel.mean < 0.2 * wheel.observed
        else:
            assert (wheel.mean, wheel.std) == (wheel.observed, 0)
            assert (wheel.z, wheel.p) == (0, 1)


def small_miner(**settings):
    return PatternMiner(**{"num_patterns": 6, "pattern_size": 5, "num_epochs": 2, **settings})


def planted(features="constant", copies=12):
    """A tree with wheels of five nodes in it."""
    base = barabasi_albert(120, 1, 0)
    graph = plant_motifs(base, 120, {"wheel5": copies}, features=features, seed=0)
    return as_csr(graph.to_dgl())


@pytest.mark.parametrize("rule", ["isomorphic", "similar"])
def test_the_graph_itself_is_counted_as_it_was_mined(rule):
    graph = planted("per_type")
    miner = small_miner(occurrence_rule=rule).fit(graph)
    counter = PatternCounter.of(miner)
    counts = count_all(miner, graph, [counter])
    for pattern, count, typical in zip(miner.patterns_, counts, counter.typical, strict=True):
        assert count == sum(one.similarity >= typical - 1e-5 for one in pattern.occurrences)
        assert 0.9 * pattern.frequency.distinct <= count <= pattern.frequency.distinct


def test_planted_motifs_are_significant_and_trees_are_not():
    graph = planted()
    miner = small_miner().fit(graph)
    add_significance(miner, graph, ["degree"], num_samples=20, num_decoys=5)
    (wheel,) = (p.significance["degree"] for p in miner.patterns_ if len(p.edges) == 8)
    assert (wheel.null, wheel.num_samples) == ("degree", 20)
    assert wheel.observed >= 11
    assert wheel.mean < 1
    assert wheel.p < 0.08
    trees = [p for p in miner.patterns_ if len(p.edges) == p.num_nodes - 1]
    assert wheel.z > 9 > max(p.significance["degree"].z for p in trees)


def test_structures_are_compared_by_their_exact_counts():
    # each arc of the background and of 8 feed-forward loops, a tree apart from them
    base = orient_edges(barabasi_albert(80, 2, 0), 0)
    graph = plant_motifs(
        base, 80, {"feed-forward-loop": 8}, features="constant", directed=True, seed=0
    ).to_csr()
    # subgraphs of three nodes miss some loops
    miner = small_miner(pattern_size=3, num_patterns=4).fit(graph)
    add_significance(
        miner, graph, ["configuration"], num_samples=20, num_decoys=2, exact_seconds=10
    )
    (loop,) = (p for p in miner.patterns_ if len(p.edges) == 3)
    found = loop.significance["configuration"]
    expected = [feed_forward_loops(sample_null(graph, "configuration", s)) for s in range(40)]
    assert found.observed == loop.frequency.exact == feed_forward_loops(graph)
    assert found.observed > loop.frequency.distinct
    assert abs(found.mean - np.mean(expected)) < 4 * np.std(expected) / np.sqrt(20)
    # where features differ, what is typical counts
    for features, nulls in (("per_node", ["configuration"]), ("constant", ["features"])):
        graph = plant_motifs(base, 80, {"wheel5": 8}, features=features, directed=True, seed=0)
        miner = small_miner(pattern_size=3, num_patterns=2).fit(graph.to_csr())
        options = {"num_samples": 2, "num_decoys": 1}
        add_significance(miner, graph.to_csr(), nulls, **options)
        sampled = [pattern.to_dict()["significance"] for pattern in miner.patterns_]
        add_significance(miner, graph.to_csr(), nulls, exact_seconds=10, **options)
        assert [pattern.to_dict()["significance"] for pattern in miner.patterns_] == sampled


def feed_forward_loops(graph):
    source, target, _ = (column.tolist() for column in graph.edges())
    return nx.triadic_census(nx.DiGraph(zip(source, target, strict=True)))["030T"]


def test_p_is_uniform_under_the_null_model():
    means = []
    for seed in range(6):
        base = barabasi_albert(100, 2, seed)
        graph = sample_null(as_csr((base.T, 100)), "degree", seed)
        miner = small_miner(num_epochs=0).fit(graph)
        add_significance(miner, graph, ["degree"], num_samples=8, num_decoys=5)
        means.append(np.mean([p.significance["degree"].p for p in miner.patterns_]))
    # the mean of a uniform variable, within three standard deviations of six graphs
    assert abs(np.mean(means) - 0.5) < 0.2


def test_messages_about_decoys_are_not_logged(caplog, capsys):
    graph = planted(copies=6)
    miner = small_miner(min_support=6).fit(graph)
    caplog.clear()
    with caplog.at_level("INFO", "gomkcn_dgl"):
        add_significance(miner, graph, ["degree"], num_samples=2, num_decoys=2)
        assert caplog.messages == []
        assert capsys.readouterr().err == ""
        small_miner(min_support=6).fit(sample_null(graph, "degree", 0))
        assert caplog.messages != []
    assert not logging.getLogger("gomkcn_dgl").disabled
    add_significance(miner, graph, ["degree"], num_samples=2, num_decoys=1, progress=True)
    assert "null models: 100%" in capsys.readouterr().err


def test_the_same_seed_gives_the_same_significance():
    graph = planted(copies=6)
    records = []
    for seed in (0, 0, 1):
        miner = small_miner(random_state=seed).fit(graph)
        add_significance(miner, graph, ["degree", "features"], num_samples=3, num_decoys=1)
        records.append([pattern.to_dict()["significance"] for pattern in miner.patterns_])
    assert records[0] == records[1] != records[2]


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({"nulls": ["chance"]}, "null must be one of"),
        ({"num_samples": 1}, "num_samples must be at least 2"),
        ({"num_decoys": 0}, "num_decoys must be at least 1"),
    ],
)
def test_bad_arguments_are_refused(arguments, rule):
    miner = small_miner(num_patterns=1).fit(nx.cycle_graph(6))
    with pytest.raises(InputError, match=rule):
        add_significance(miner, nx.cycle_graph(6), **{"nulls": ["degree"], **arguments})
    with pytest.raises(NotFittedError):
        add_significance(PatternMiner(), nx.cycle_graph(6), ["degree"])
