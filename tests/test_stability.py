"""Which patterns come back from other starts and on resampled roots."""

import json

import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.exceptions import NotFittedError

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining import PatternMiner, Stability, add_stability
from mining.assessment.stability import _draw
from synthetic import barabasi_albert, plant_motifs


def small_miner(**settings):
    return PatternMiner(**{"num_patterns": 8, "pattern_size": 5, "num_epochs": 2, **settings})


def planted(copies=12, seed=0, features="constant"):
    """A tree with wheels of five nodes in it."""
    base = barabasi_albert(120, 1, seed)
    graph = plant_motifs(base, 120, {"wheel5": copies}, features=features, seed=seed)
    return as_csr(graph.to_dgl())


@pytest.mark.parametrize("features", ["constant", "per_type"])
def test_a_planted_motif_always_comes_back(features):
    graph = planted(features=features)
    miner = small_miner().fit(graph)
    add_stability(miner, graph, num_restarts=6, num_bootstrap=7)
    (wheel,) = [p for p in miner.patterns_ if len(p.edges) == 8]
    assert wheel.stability == {"restarts": Stability(6, 6), "bootstrap": Stability(7, 7)}


def test_noise_does_not():
    # edges at random: hardly a structure is more frequent than the next
    graph = as_csr(nx.gnm_random_graph(60, 150, seed=0))
    miner = small_miner(pattern_size=7, min_support=1).fit(graph)
    add_stability(miner, graph, num_restarts=8, num_bootstrap=8)
    for name in ("restarts", "bootstrap"):
        assert np.mean([p.stability[name].share for p in miner.patterns_]) < 0.6


def test_a_filter_without_a_rival_always_comes_back():
    # one type of subgraph, whatever is drawn
    miner = small_miner(num_patterns=1, pattern_size=4).fit(nx.cycle_graph(20))
    add_stability(miner, nx.cycle_graph(20), num_restarts=2, num_bootstrap=3)
    assert [p.stability for p in miner.patterns_] == [
        {"restarts": Stability(2, 2), "bootstrap": Stability(3, 3)}
    ]


def test_with_one_filter_for_two_kinds_a_pattern_comes_back_at_times():
    # as many rings as cliques: which of them the only filter becomes is up to the draw
    graph = nx.disjoint_union_all([nx.cycle_graph(5), nx.complete_graph(5)] * 6)
    miner = small_miner(num_patterns=1, num_epochs=0).fit(graph)
    add_stability(miner, graph, num_restarts=20, num_bootstrap=20)
    for entry in miner.patterns_[0].stability.values():
        assert 3 <= entry.returned <= 17


def test_nothing_else_of_the_run_changes():
    graph = planted()
    miner = small_miner().fit(graph)
    before = [pattern.to_dict() for pattern in miner.patterns_]
    params, curve, adj = miner.get_params(), list(miner.loss_curve_), miner.filters_.adj.clone()
    state = torch.random.get_rng_state()
    add_stability(miner, graph, num_restarts=2, num_bootstrap=1)
    after = [pattern.to_dict() for pattern in miner.patterns_]
    for record, old in zip(after, before, strict=True):
        assert set(record.pop("stability")) == {"restarts", "bootstrap"}
        assert old.pop("stability") == {}
        assert record == old
    assert miner.get_params() == params
    assert miner.loss_curve_ == curve
    assert torch.equal(miner.filters_.adj, adj)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_the_same_seed_gives_the_same_numbers():
    graph = as_csr(nx.gnm_random_graph(60, 150, seed=1))
    records = []
    for seed in (0, 0, 1):
        miner = small_miner(pattern_size=7, min_support=1, random_state=seed).fit(graph)
        add_stability(miner, graph, num_restarts=6, num_bootstrap=6)
        records.append([pattern.to_dict()["stability"] for pattern in miner.patterns_])
    assert records[0] == records[1] != records[2]


@pytest.mark.parametrize(
    ("left_out", "kept"), [("restarts", "bootstrap"), ("bootstrap", "restarts")]
)
def test_a_kind_can_be_left_out(left_out, kept):
    graph = planted()
    miner = small_miner().fit(graph)
    add_stability(miner, graph, **{"num_restarts": 1, "num_bootstrap": 1, f"num_{left_out}": 0})
    assert all(list(p.stability) == [kept] for p in miner.patterns_)


def test_graphs_of_a_collection_are_drawn_whole_and_views_stay_together():
    graphs = [nx.cycle_graph(3), nx.path_graph(4), nx.complete_graph(5)] * 4
    finder = small_miner(num_patterns=2).fit(graphs).source_.subgraphs_around(graphs)
    drawn = _draw(finder, np.random.default_rng(0))
    graph_of = finder.graph.graph_of(finder.batch.roots)
    per_graph = [np.unique(drawn[graph_of == number]) for number in range(12)]
    assert all(len(times) == 1 for times in per_graph)
    assert sum(int(times[0]) for times in per_graph) == 12
    assert 0 in drawn
    single = small_miner(num_patterns=2, num_views=3, policy="random")
    star = nx.star_graph(30)
    drawn = _draw(single.fit(star).source_.subgraphs_around(star), np.random.default_rng(0))
    assert (drawn.reshape(31, 3) == drawn[::3, None]).all()
    assert drawn.sum() == 93


def test_a_record_comes_back_from_json():
    entry = Stability(9, 10)
    assert entry.share == 0.9
    assert Stability.from_dict(json.loads(json.dumps(entry.to_dict()))) == entry


def test_a_miner_that_found_nothing_has_nothing_to_judge():
    miner = small_miner(num_patterns=1).fit(nx.path_graph(4))
    add_stability(miner, nx.path_graph(4))
    assert miner.patterns_ == []


def test_progress_is_shown_only_if_asked(capsys):
    miner = small_miner(num_patterns=1, pattern_size=4).fit(nx.cycle_graph(20))
    add_stability(miner, nx.cycle_graph(20), num_restarts=1, num_bootstrap=1)
    assert capsys.readouterr().err == ""
    add_stability(miner, nx.cycle_graph(20), num_restarts=1, num_bootstrap=1, progress=True)
    said = capsys.readouterr().err
    assert "stability: 100%" in said
    assert "mining" not in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"num_restarts": -1}, r"num_restarts must be at least 0, got -1\."),
        ({"num_bootstrap": 1.5}, r"num_bootstrap must be an integer, got 1\.5\."),
    ],
)
def test_bad_input_is_one_sentence(arguments, sentence):
    miner = small_miner(num_patterns=1).fit(nx.cycle_graph(6))
    with pytest.raises(
        ValueError if "restarts" in str(arguments) else TypeError, match=f"^{sentence}$"
    ):
        add_stability(miner, nx.cycle_graph(6), **arguments)


def test_another_graph_is_refused():
    miner = small_miner(num_patterns=1).fit(nx.cycle_graph(6))
    other = as_csr(nx.cycle_graph(6), features=np.ones((6, 3)))
    with pytest.raises(InputError, match="the 1 features that the miner was fitted on, got 3"):
        add_stability(miner, other)


def test_an_unfitted_miner_says_so():
    with pytest.raises(NotFittedError):
        add_stability(PatternMiner(), nx.cycle_graph(6))
