"""The experiments on isomorphic graphs and frequent patterns, at a tiny size."""

import json
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from paper import isomorphic
from paper import isomorphic_learning as learning
from paper.results_file import ResultsFile

PAPER = Path(__file__).resolve().parents[1] / "benchmarks" / "paper"


def smoke(name, out, *options):
    done = subprocess.run(
        [sys.executable, str(PAPER / f"{name}.py"), "--smoke", "--out", str(out), *options],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.slow
def test_isomorphic_smoke_goes_on_where_it_stopped(tmp_path):
    results = tmp_path / "isomorphic.jsonl"
    smoke("isomorphic", tmp_path, "--only", "GOMK", "--only", "RWK+")
    lines = read(results)
    rows = [line for line in lines if "kernel" in line]
    assert len(rows) == 8
    assert {line["made"]["seed"] for line in lines} == {0}
    gomk = [line for line in rows if line["kernel"] == "GOMK"]
    assert all(line["isomorphic"] >= line["targets"] - line["ambiguous"] for line in gomk)
    films = [line for line in lines if "film" in line]
    assert [film["film"] for film in films] == ["GOMK", "RWK+"]
    for name in ("isomorphic.md", "isomorphic_film.svg", "isomorphic_results.svg"):
        assert (tmp_path / name).stat().st_size
    # a line that a killed run cut short is run again, the others stay
    whole = results.read_text()
    results.write_text(whole[:-20])
    smoke("isomorphic", tmp_path, "--only", "GOMK", "--only", "RWK+")
    again = read(results)
    assert again[:-1] == lines[:-1]
    assert again[-1]["scores"] == lines[-1]["scores"]


def test_committed_results_are_of_these_settings_and_meet_the_goals():
    settings = isomorphic.EXPERIMENT.settings(smoke=False)
    results = ResultsFile(PAPER / "results" / "isomorphic.jsonl")
    lines = isomorphic.EXPERIMENT.lines(results, settings)
    goal = [line for line in lines if line.get("kernel") == isomorphic.GOAL_KERNEL]
    assert len(goal) == 18
    assert isomorphic.missed_goals(lines, settings) == []


def test_best_isomorphism_aligns_features():
    # a path 1 - 0 - 2 and the path 0 - 1 - 2, which lies the other way round
    adj = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    other = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    feat, other_feat = np.array([[0.5], [0.1], [0.9]]), np.array([[0.8], [0.5], [0.1]])
    order = learning.best_isomorphism(adj, feat, other, other_feat)
    assert order.tolist() == [1, 2, 0]
    assert learning.best_isomorphism(adj, feat, other * 0, other_feat) is None


def test_eight_graphs_of_six_nodes_are_ambiguous():
    graphs = [nx.to_numpy_array(graph) for graph in nx.graph_atlas_g() if len(graph) == 6]
    adj = torch.from_numpy(np.stack(graphs)).float()
    targets = learning.Targets(adj, torch.ones(156, 6, 1))
    assert learning.find_ambiguous(targets, num_levels=3).sum() == 8
