"""Stability: which patterns return from other initializations and on resampled roots."""

import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.exceptions import NotFittedError

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from gomkcn_dgl.runtime.job_progress import JobProgress
from mining import PatternMiner, Stability, add_stability
from mining.assessment.stability import _bootstrap
from synthetic import barabasi_albert, plant_motifs


def small_miner(**settings):
    defaults = {"num_patterns": 8, "pattern_size": (5, 5), "num_epochs": 2, "null": "none"}
    return PatternMiner(**{**defaults, **settings})


def test_a_planted_motif_always_returns():
    base = barabasi_albert(120, 1, 0)
    planted = plant_motifs(base, 120, {"wheel5": 12}, features="per_type", seed=0)
    graph = as_csr(planted.to_dgl())
    miner = small_miner().fit(graph)
    before = [pattern.to_dict() for pattern in miner.patterns_]
    params, adj, state = miner.get_params(), miner.filters_.adj, torch.random.get_rng_state()
    add_stability(miner, graph, num_restarts=4, num_bootstrap=5)
    (wheel,) = [p for p in miner.patterns_ if len(p.edges) == 8]
    assert wheel.stability == {"restarts": Stability(4, 4), "bootstrap": Stability(5, 5)}
    # nothing else changes
    after = [{**pattern.to_dict(), "stability": {}} for pattern in miner.patterns_]
    assert after == before
    assert miner.get_params() == params
    assert miner.filters_.adj is adj
    assert torch.equal(torch.random.get_rng_state(), state)


def test_the_patterns_of_a_random_graph_do_not():
    # hardly a structure is more frequent than the next
    graph = as_csr(nx.gnm_random_graph(40, 80, seed=0))
    records = []
    for seed in (0, 0, 1):
        miner = small_miner(num_patterns=16, pattern_size=(6, 6), min_support=1, random_state=seed)
        miner.fit(graph)
        add_stability(miner, graph, num_restarts=4, num_bootstrap=4)
        assert all((p.num_filters > 0) == bool(p.stability) for p in miner.patterns_)
        records.append([p.stability for p in miner.patterns_ if p.num_filters])
        assert len(records[-1]) > 3
    assert records[0] == records[1] != records[2]
    for kind in ("restarts", "bootstrap"):
        shares = [record[kind].share for record in records[0]]
        assert np.mean(shares) < 0.95


@pytest.mark.parametrize(
    ("left_out", "kind"), [("restarts", "bootstrap"), ("bootstrap", "restarts")]
)
def test_a_kind_can_be_left_out(left_out, kind, capsys):
    # the only class of subgraphs returns whatever is drawn
    miner = small_miner(num_patterns=1, pattern_size=(4, 4)).fit(nx.cycle_graph(20))
    assert capsys.readouterr().err == ""
    num_runs = {"num_restarts": 2, "num_bootstrap": 2, f"num_{left_out}": 0}
    store = CheckpointStore(progress=JobProgress(show=True))
    store.progress.plan({f"mining again: {kind}": 1})
    add_stability(miner, nx.cycle_graph(20), checkpoints=store, **num_runs)
    assert [p.stability for p in miner.patterns_] == [{kind: Stability(2, 2)}]
    assert f"mining again: {kind}: 100%" in capsys.readouterr().err


def test_the_nodes_of_a_graph_of_a_collection_are_drawn_together():
    graphs = [nx.cycle_graph(3), nx.path_graph(4), nx.complete_graph(5)] * 4
    subgraphs = small_miner(num_patterns=2).fit(graphs).source_.subgraphs_around(graphs)
    drawn = _bootstrap(subgraphs, np.random.default_rng(0))
    graph_of = subgraphs.graph.graph_of(subgraphs.batch.roots)
    per_graph = [np.unique(drawn[graph_of == number]) for number in range(12)]
    assert all(len(times) == 1 for times in per_graph)
    assert sum(int(times[0]) for times in per_graph) == 12
    assert 0 in drawn
    # those of a single graph each by itself
    star = nx.star_graph(30)
    miner = small_miner(num_patterns=2).fit(star)
    drawn = _bootstrap(miner.source_.subgraphs_around(star), np.random.default_rng(0))
    assert drawn.sum() == 31 and len(np.unique(drawn[1:])) > 1


def test_bad_arguments_are_refused():
    ring = nx.cycle_graph(6)
    miner = small_miner(num_patterns=1).fit(ring)
    with pytest.raises(ValueError, match="num_restarts must be at least 0"):
        add_stability(miner, ring, num_restarts=-1)
    with pytest.raises(TypeError, match="num_bootstrap must be an integer"):
        add_stability(miner, ring, num_bootstrap=1.5)
    with pytest.raises(ValueError, match="graph must have the 1 features"):
        add_stability(miner, as_csr(ring, features=np.ones((6, 3))))
    with pytest.raises(NotFittedError):
        add_stability(PatternMiner(), ring)
