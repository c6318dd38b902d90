"""The experiment on interpretability, at a tiny size, and what it measures."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from paper import interpretability
from paper import response_maps as maps
from record import Bench
from sklearn.metrics import roc_auc_score

from gomkcn_dgl import GOMKCN
from synthetic import get_motif

PAPER = Path(__file__).resolve().parents[2] / "benchmarks" / "paper"


def smoke(out):
    interpretability.EXPERIMENT(Bench("interpretability", 1, 1, "", True, out, Path()))
    return [json.loads(line) for line in (out / "interpretability.jsonl").read_text().splitlines()]


@pytest.mark.slow
def test_a_tiny_version(tmp_path):
    from_classes, random_start = smoke(tmp_path)
    assert (from_classes["run"], random_start["run"]) == ("from classes", "random start")
    assert from_classes["motifs_at_start"] == from_classes["motifs"] == 4
    assert from_classes["inside"] == 1
    assert random_start["motifs"] == 0
    assert (tmp_path / "interpretability.md").stat().st_size
    # nothing is left to run
    assert smoke(tmp_path) == [from_classes, random_start]


def test_a_tie_is_outside_and_half_in_the_auc():
    response = np.array([[0.9, 0.1, 0.5], [0.5, 0.5, 0.2], [0.1, 0.3, 0.6]])
    mask = np.array([[True, False, False]] * 3)
    assert maps.points_inside(response, mask).tolist() == [True, False, False]
    assert maps.response_auc(response, mask).tolist() == [1.0, 0.75, 0.0]
    rng = np.random.default_rng(0)
    response = rng.integers(0, 4, (20, 12)).astype(float)
    mask = np.tile(np.arange(12) % 3 == 0, (20, 1))
    expected = [roc_auc_score(*pair) for pair in zip(mask, response, strict=True)]
    np.testing.assert_allclose(maps.response_auc(response, mask), expected)


def test_a_class_has_the_filter_that_its_head_weighs_most():
    motifs = [get_motif("circle"), get_motif("diamond")]
    model = GOMKCN(1, 2, hidden_feats=None, num_filters=3, pooling="max", read_input=False)
    with torch.no_grad():
        for number, motif in enumerate(motifs):
            adj = torch.from_numpy(motif.joined).float()
            model.convs[0].filters.set([number], adj.unsqueeze(0), torch.ones(1, 6, 1))
        model.convs[0].filters.set([2], torch.zeros(1, 6, 6), torch.ones(1, 6, 1))
        model.heads[1].weight.copy_(torch.tensor([[0.1, 0.5, 0.2], [0.4, 0.3, -0.9]]))
        model.norms[0].weight.copy_(torch.tensor([1.0, 1.0, -1.0]))
    assert maps.filters_of_classes(model).tolist() == [1, 2]
    assert maps.are_motifs(model, motifs).tolist() == [[True, False], [False, True], [False] * 2]


def test_committed_results_are_of_these_settings_and_meet_the_goal():
    settings = interpretability.EXPERIMENT.settings(smoke=False)
    lines = interpretability.EXPERIMENT.lines(
        PAPER / "results" / "interpretability.jsonl", settings
    )
    assert sum(line["run"] == "from classes" for line in lines) == 10
    assert interpretability.missed_goals(lines, settings) == []
