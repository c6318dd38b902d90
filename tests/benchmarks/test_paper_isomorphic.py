"""The experiment on isomorphic graphs, at a tiny size: a filter becomes its target."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from paper import isomorphic
from paper import isomorphic_learning as learning
from record import Bench

from gomkcn_dgl.matching import GOMKKernel, gomk

PAPER = Path(isomorphic.__file__).parent


def smoke(out):
    isomorphic.EXPERIMENT(Bench("isomorphic", 1, 1, "", True, out, Path()))
    return [json.loads(line) for line in (out / "isomorphic.jsonl").read_text().splitlines()]


@pytest.mark.slow
def test_a_run_continues_where_it_stopped(tmp_path):
    lines = smoke(tmp_path)
    assert {line["made"]["seed"] for line in lines} == {0}
    gomk_lines = [line for line in lines if line["kernel"] == "GOMK"]
    assert len(gomk_lines) == 4
    assert all(line["isomorphic"] >= line["targets"] - line["ambiguous"] for line in gomk_lines)
    assert (tmp_path / "isomorphic.md").stat().st_size
    # a line that a killed run cut short is run again, the others stay
    results = tmp_path / "isomorphic.jsonl"
    results.write_text(results.read_text()[:-20])
    again = smoke(tmp_path)
    assert again[:-1] == lines[:-1]
    assert again[-1]["isomorphic"] == lines[-1]["isomorphic"]


def test_committed_results_are_of_these_settings_and_meet_the_goals():
    settings = isomorphic.EXPERIMENT.settings(smoke=False)
    lines = isomorphic.EXPERIMENT.lines(PAPER / "results" / "isomorphic.jsonl", settings)
    assert sum(line["kernel"] == isomorphic.GOAL_KERNEL for line in lines) == 18
    assert isomorphic.missed_goals(lines, settings) == []
    # fewer isomorphic filters miss it
    lines[0]["mean_error_near"] = 0
    assert len(isomorphic.missed_goals(lines, settings)) == 1


def test_filters_become_isomorphic_to_their_targets():
    rng = np.random.default_rng(0)
    draws = [learning.draw_targets(1, 6, 3, p / 10, False, rng) for p in range(1, 10, 2)]
    targets = learning.Targets(
        torch.cat([one.adj for one in draws]), torch.cat([one.feat for one in draws])
    )
    score = learning.pair_score("gomk", num_levels=3, level_scale=3.0)
    filters = learning.learn(
        score,
        targets,
        num_restarts=1,
        num_epochs=300,
        learning_rate=0.5,
        generator=torch.Generator().manual_seed(0),
    )
    learnt = learning.threshold(score, targets, filters, constant=False)
    errors = learning.feature_errors(targets, learnt, learnt.best())
    assert max(error.max() for error in errors) < 0.1


def test_best_isomorphism_aligns_features():
    # a path 1 - 0 - 2 and the path 0 - 1 - 2, which lies the other way round
    adj = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    other = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    feat, other_feat = np.array([[0.5], [0.1], [0.9]]), np.array([[0.8], [0.5], [0.1]])
    order = learning.best_isomorphism(adj, feat, other, other_feat)
    assert order.tolist() == [1, 2, 0]
    assert learning.best_isomorphism(adj, feat, other * 0, other_feat) is None


def test_walk_counts_tell_all_graphs_of_six_nodes_but_four_pairs_apart():
    graphs = [nx.to_numpy_array(graph) for graph in nx.graph_atlas_g() if len(graph) == 6]
    adj, ones = torch.from_numpy(np.stack(graphs)).float(), torch.ones(156, 6, 1)
    scores = gomk(adj, ones, adj, ones, kernel=GOMKKernel(3, level_scale=3.0), normalize=True)
    assert len((scores > 1 - 1e-6).triu(1).nonzero()) == 4
    assert learning.find_ambiguous(learning.Targets(adj, ones), num_levels=3).sum() == 8
