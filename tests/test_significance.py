"""Would chance have made the patterns? Counts by hand, planted motifs, and graphs of the null."""

import json

import networkx as nx
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining import PatternMiner
from mining.assessment.significance import (
    CountedPatterns,
    Significance,
    add_significance,
    count_in,
    judge,
)
from mining.null_models.null_models import sample_null
from synthetic import barabasi_albert, plant_motifs

# ---------------------------------------------------------------- counts → numbers


def test_significance_by_hand():
    # two patterns and three decoys in four samples
    counts = np.array([[2, 0, 5, 5, 5], [4, 0, 5, 5, 5], [2, 0, 5, 5, 5], [4, 0, 5, 5, 5]])
    observed = np.array([4, 6, 6, 11, 5])
    first, second = judge("degree", observed, counts, num_patterns=2, num_mined=2)
    assert (first.observed, first.mean, first.num_samples, first.num_decoys) == (4, 3.0, 4, 3)
    assert first.std == pytest.approx(np.sqrt(4 / 3))
    assert first.z == pytest.approx(1 / np.sqrt(4 / 3))
    # two of four samples have as many
    assert first.p_count == 3 / 5
    # decoys: z of 1, 6 and 0, where a count that never varies varies by one
    assert first.p == 3 / 4
    assert (second.mean, second.std, second.z, second.p_count) == (0, 0, 6, 1 / 5)
    assert second.p == 2 / 4
    # Benjamini-Hochberg: .5 × 2 / 1 and .75 × 2 / 2, made monotone
    assert (first.q, second.q) == (0.75, 0.75)


def test_where_fewer_decoys_than_samples_were_found_the_samples_count():
    counts = np.array([[0], [0], [1]])
    (alone,) = judge("degree", np.array([9]), counts, num_patterns=1, num_mined=19)
    assert (alone.num_decoys, alone.p) == (19, 1 / 20)


def test_no_patterns_have_no_significance():
    assert judge("degree", np.array([3]), np.array([[1], [2]]), num_patterns=0, num_mined=1) == []


def test_a_record_comes_back_from_json():
    (entry,) = judge("features", np.array([3]), np.array([[1], [2]]), num_patterns=1, num_mined=1)
    assert Significance.from_dict(json.loads(json.dumps(entry.to_dict()))).to_dict() == (
        entry.to_dict()
    )


# ---------------------------------------------------------------- counting


def small_miner(**settings):
    return PatternMiner(**{"num_patterns": 6, "pattern_size": 5, "num_epochs": 2, **settings})


def planted(features="constant", copies=12, seed=0):
    """A tree with wheels of five nodes, or nothing, in it."""
    base = barabasi_albert(120, 1, seed)
    return plant_motifs(base, 120, {"wheel5": copies}, features=features, seed=seed)


@pytest.mark.parametrize("rule", ["isomorphic", "similar"])
def test_the_graph_itself_is_counted_as_it_was_mined(rule):
    graph = as_csr(planted("per_type").to_dgl())
    miner = small_miner(occurrence_rule=rule).fit(graph)
    patterns = CountedPatterns.of(miner)
    counts = count_in(miner, graph, [patterns])
    for pattern, count, typical in zip(miner.patterns_, counts, patterns.typical, strict=True):
        reached = [place.similarity >= typical - 1e-5 for place in pattern.occurrences]
        assert count == sum(reached)
        assert 0.9 * pattern.frequency.distinct <= count <= pattern.frequency.distinct


def test_planted_motifs_are_significant_and_trees_are_not():
    graph = as_csr(planted().to_dgl())
    miner = small_miner().fit(graph)
    add_significance(miner, graph, ["degree"], num_samples=30, num_decoys=8)
    for pattern in miner.patterns_:
        entry = pattern.significance["degree"]
        assert (entry.null, entry.num_samples) == ("degree", 30)
        if len(pattern.edges) == 8:
            assert entry.observed >= 11
            assert entry.mean < 1
            assert entry.z > 9
            assert entry.p_count == 1 / 31
            assert entry.p < 0.06
    wheels = [p for p in miner.patterns_ if len(p.edges) == 8]
    trees = [p for p in miner.patterns_ if len(p.edges) == p.num_nodes - 1]
    assert len(wheels) == 1
    assert trees
    assert wheels[0].significance["degree"].z > max(p.significance["degree"].z for p in trees)


def test_shuffled_features_tell_features_from_structure():
    telling, constant = planted("per_type"), planted("constant")
    entries = []
    for graph in (telling, constant):
        miner = small_miner().fit(as_csr(graph.to_dgl()))
        add_significance(miner, as_csr(graph.to_dgl()), ["features"], num_samples=20, num_decoys=4)
        (wheel,) = [p for p in miner.patterns_ if len(p.edges) == 8]
        entries.append(wheel.significance["features"])
    # with features of its own the motif does not come back; without, nothing can change
    assert entries[0].mean < 0.2 * entries[0].observed
    assert entries[0].p_count == 1 / 21
    assert (entries[1].mean, entries[1].std) == (entries[1].observed, 0)
    assert (entries[1].z, entries[1].p_count, entries[1].p) == (0, 1, 1)


def test_the_patterns_of_a_null_sample_stand_out_no_more_than_decoys():
    shares = []
    for seed in range(8):
        base = barabasi_albert(150, 2, seed)
        graph = sample_null(as_csr((base.T, 150)), "degree", seed)
        miner = small_miner(num_epochs=0).fit(graph)
        add_significance(miner, graph, ["degree"], num_samples=20, num_decoys=10)
        shares.append(np.mean([p.significance["degree"].p for p in miner.patterns_]))
    # the mean of a uniform number, within four standard deviations of eight graphs
    assert abs(np.mean(shares) - 0.5) < 0.2


def test_the_same_seed_gives_the_same_significance():
    graph = as_csr(planted(copies=6).to_dgl())
    records = []
    for seed in (0, 0, 1):
        miner = small_miner(random_state=seed).fit(graph)
        add_significance(miner, graph, ["degree", "features"], num_samples=5, num_decoys=2)
        assert set(miner.patterns_[0].significance) == {"degree", "features"}
        records.append([pattern.to_dict()["significance"] for pattern in miner.patterns_])
    assert records[0] == records[1] != records[2]


def test_a_miner_that_found_nothing_has_nothing_to_compare():
    graph = nx.path_graph(4)
    miner = small_miner(num_patterns=1).fit(graph)
    add_significance(miner, graph, ["degree"], num_samples=2, num_decoys=1)
    assert miner.patterns_ == []


def test_a_collection_is_compared_graph_by_graph():
    graphs = [nx.cycle_graph(5), nx.complete_graph(5)] * 6
    miner = small_miner(num_patterns=2).fit(graphs)
    add_significance(miner, graphs, ["degree"], num_samples=3, num_decoys=2)
    # degrees leave no choice in a ring or a clique
    for pattern in miner.patterns_:
        entry = pattern.significance["degree"]
        assert (entry.observed, entry.mean, entry.std, entry.p) == (6, 6, 0, 1)


def test_what_is_said_about_decoys_is_kept_back(caplog):
    graph = as_csr(planted(copies=6).to_dgl())
    miner = small_miner(min_support=6).fit(graph)
    caplog.clear()
    with caplog.at_level("INFO", "gomkcn_dgl"):
        add_significance(miner, graph, ["degree"], num_samples=2, num_decoys=3)
        assert caplog.messages == []
        small_miner(min_support=6).fit(sample_null(graph, "degree", 0))
        assert caplog.messages != []


def test_progress_is_shown_only_if_asked(capsys):
    graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6)
    miner = small_miner(num_patterns=1).fit(graph)
    add_significance(miner, graph, ["degree"], num_samples=2, num_decoys=1)
    assert capsys.readouterr().err == ""
    add_significance(miner, graph, ["degree"], num_samples=2, num_decoys=1, progress=True)
    assert "null models: 100%" in capsys.readouterr().err


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"nulls": ["chance"]},
            r"null must be one of 'configuration', 'degree', 'features', got 'chance'\.",
        ),
        ({"num_samples": 1}, r"num_samples must be at least 2, got 1\."),
        ({"num_decoys": 0}, r"num_decoys must be at least 1, got 0\."),
    ],
)
def test_bad_input_is_one_sentence(arguments, sentence):
    miner = small_miner(num_patterns=1).fit(nx.cycle_graph(6))
    with pytest.raises(InputError, match=f"^{sentence}$"):
        add_significance(miner, nx.cycle_graph(6), **{"nulls": ["degree"], **arguments})


def test_an_unfitted_miner_says_so():
    with pytest.raises(NotFittedError):
        add_significance(PatternMiner(), nx.cycle_graph(6), ["degree"])
