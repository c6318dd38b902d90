"""`gomkcn train --method kernel`: its folder, predictions, page, resuming, and what it refuses."""

import json
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from command_line import gomkcn, invoke, refused
from graph_files import typed_graph, write_tu

from gomkcn.mining.classifier_explanation import explain_classifier
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.dgl_files import write_dgl_graphs
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.training.checkpoint import read_state, state_bytes
from gomkcn_dgl.training.classifier_settings import ClassifierSettings
from gomkcn_dgl.training.classifiers import TrainedMachine
from gomkcn_dgl.training.training_run import (
    load_classifier,
    predict_file,
    read_training_data,
    run_training,
)

pytestmark = pytest.mark.usefixtures("folder")

QUICK = "--method kernel --num-levels 1 --split 0.5,0.25,0.25 --num-folds 2 --quiet"
SETTINGS = {"method": "kernel", "num_levels": 1, "split": (0.5, 0.25, 0.25), "num_folds": 2}
RUN_FILES = ["checkpoint.pt", "explanation", "run.json", "settings.toml"]


def rings_and_paths(num):
    """Paths and rings of 4 to 6 nodes in turn."""
    return [(nx.path_graph, nx.cycle_graph)[k % 2](4 + k // 2 % 3) for k in range(num)]


def write_graphs(name="TU", num=24):
    return write_tu(name, rings_and_paths(num), [k % 2 for k in range(num)])


def fit(path, **options):
    """A machine that is fitted without a folder, its record, and its data."""
    settings = ClassifierSettings().override({"path": path, **SETTINGS, **options})
    data = read_training_data(settings.data)
    return *run_training(settings, data), data


def read_metrics(run):
    return json.loads(Path(run, "run.json").read_text())


def test_a_run_and_what_is_made_of_it():
    write_graphs()
    said = gomkcn(f"train TU --out run {QUICK}")
    assert sorted(path.name for path in Path("run").iterdir()) == RUN_FILES
    lines = [line.split()[:2] for line in said.splitlines()]
    # the accuracy of the settings in the cross-validation that chose them is said to be too high
    assert lines[:3] == [["part", "graphs"], ["train", "18"], ["test", "6"]]
    assert "the best of 60, with 100.0% in the cross-validation that chose them, which" in said
    assert "is likely too high for new graphs" in said
    metrics = read_metrics("run")
    assert metrics["accuracy"]["test"] == 1
    # three widths, four gammas, five costs
    assert len(metrics["tried"]) == 60
    best = max(metrics["tried"], key=lambda one: one["accuracy"])
    assert best == {**metrics["chosen"], "accuracy": metrics["accuracy"]["val"]}
    # 1. predictions, of a file of other graphs as well
    gomkcn("predict run TU --out all.csv")
    table = pd.read_csv("all.csv")
    assert list(table.columns) == [
        "graph", "predicted", "learnt", "probability 0", "probability 1"
    ]  # fmt: skip
    assert table["predicted"].tolist() == [0, 1] * 12
    # graphs of the test part are the same as some that were learnt
    assert set(table["learnt"]) == {"yes"}
    assert (
        table[["probability 0", "probability 1"]].to_numpy().argmax(axis=1) == table["predicted"]
    ).all()
    write_graphs("NEW", 4)
    assert [line.split()[1] for line in gomkcn("predict run NEW").splitlines()[1:]] == [*"0101"]
    # 2. the page of chosen graphs, beside which the same shapes are the most similar
    page = Path("run/explanation/explanation.html").read_text()
    assert "the cross-validation that chose them, which is likely too high" in page
    assert re.findall(r'<th scope="(?:col|row)">(.*?)</th>', page) == [
        "True class", "true 0", "true 1"
    ]  # fmt: skip
    assert re.search(r"graph \d+, class [01]: 1\.000", page)
    said = gomkcn("explain run --graphs 3,4 --out why")
    assert "graph 3: predicted 1, true 1 (learnt from); most like graph " in said
    classifier = load_classifier("run")
    data = read_training_data(classifier.settings.data)
    explanation = explain_classifier(classifier, data)
    known = {*classifier.compared_graphs.tolist()}
    assert np.trace(explanation.confusion) == 6
    for one in explanation.decisions:
        values = [graph.similarity for graph in one.similar]
        assert values == sorted(values, reverse=True)
        assert {graph.row for graph in one.similar} <= known
        assert values[0] == pytest.approx(1, abs=1e-5)
        assert {graph.true for graph in one.similar} == {one.predicted}
    # a graph that it learnt from is not like itself
    row = int(classifier.compared_graphs[0])
    (one,) = explain_classifier(classifier, data, [row]).decisions
    assert row not in {graph.row for graph in one.similar}
    # 3. the same settings give the same run
    gomkcn("train --settings run/settings.toml --out again --quiet")
    assert read_metrics("again")["tried"] == metrics["tried"]
    assert Path("again/settings.toml").read_text() == Path("run/settings.toml").read_text()


@pytest.mark.parametrize("options", [{}, {"most_nodes": 5}, {"num_patterns": 6}])
def test_a_machine_is_restored_as_it_was(options):
    """Bonds tell the classes here; scores depend on the attributes as well."""
    graphs, classes = [nx.cycle_graph(4)] * 24, [0, 1] * 12
    kinds = [kind if kind == 0 else int((u + v) % 4 == 1) for kind in classes
             for u, v in graphs[0].to_directed().edges]  # fmt: skip
    rows = [f"{node % 4}.5, {node % 2}" for node in range(96)]
    write_tu("TU", graphs, classes, edge_labels=kinds, node_attributes=rows)
    fitted, metrics, data = fit("TU", **options)
    assert metrics["accuracy"]["test"] == 1
    # through a file, as tensors and plain values
    Path("state.pt").write_bytes(state_bytes(fitted.state()))
    restored = read_state(
        Path("state.pt"), lambda state: TrainedMachine.restore(fitted.settings, state)
    )
    assert len(restored.compared_graphs) == 18
    predicted, scores = restored.decide(data.graph)
    np.testing.assert_array_equal(predicted, data.labels)
    np.testing.assert_array_equal(scores, fitted.decide(data.graph)[1])
    # stored once more it is the same
    first, again = fitted.state()["arrays"], restored.state()["arrays"]
    assert first.keys() == again.keys()
    assert all(torch.equal(array, again[name]) for name, array in first.items())
    # bonds that the machine does not know are refused
    write_tu("NEW", graphs, classes, edge_labels=[7] * len(kinds), node_attributes=rows)
    with pytest.raises(InputError, match="edges must be of the relations that the classifier le"):
        predict_file(restored, "NEW")


def test_a_stopped_run_goes_on(monkeypatch):
    write_graphs()
    with monkeypatch.context() as patch:
        calls = []
        reason = property(lambda self: calls.append(1) or ("SIGTERM" if len(calls) > 4 else ""))
        patch.setattr(Interrupts, "reason", reason)
        result = invoke(f"train TU --out run {QUICK}")
    assert result.exit_code == 143
    assert "to go on: gomkcn train TU " in result.stderr
    assert [path.name for path in Path("run").iterdir()] == [".progress"]
    assert "already holds an unfinished run" in refused(f"train TU --out run {QUICK}")
    # a run of the other method neither goes on with it nor removes it
    said = refused("train TU --out run --method network --split 0.5,0.25,0.25 --quiet --resume")
    assert "was made with other settings (method was 'kernel', is 'network')" in said
    assert Path("run/.progress").is_dir()
    assert "num_folds was 2, is 3" in refused(f"train TU --out run {QUICK} --num-folds 3 --resume")
    gomkcn(f"train TU --out run {QUICK} --resume")
    assert sorted(path.name for path in Path("run").iterdir()) == RUN_FILES
    assert read_metrics("run")["tried"] == fit("TU")[1]["tried"]


def test_a_time_limit_takes_the_best_so_far():
    write_graphs()
    said = gomkcn(f"train TU --out run {QUICK} --time-limit 0.001")
    assert (
        "partial: the time limit came with some kernels not tried; the run can be resumed" in said
    )
    metrics = read_metrics("run")
    assert (metrics["partial"], len(metrics["tried"])) == (True, 20)
    gomkcn("predict run TU --out classes.csv")
    # the settings that the run wrote say what it found out by itself, and go on with it
    assert "num_patterns = 0" in Path("run/settings.toml").read_text()
    kept = {path: path.stat().st_mtime_ns for path in Path("run/.progress").glob("kernel-*.zip")}
    assert kept
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gomkcn_dgl.runtime.run.remove_progress", lambda folder: None)
        gomkcn("train --settings run/settings.toml --out run --quiet --resume")
    # nothing that was there was computed again
    assert all(path.stat().st_mtime_ns == time for path, time in kept.items())
    assert (read_metrics("run")["partial"], len(read_metrics("run")["tried"])) == (False, 60)


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("", "--method kernel --num-filters 3", "--num-filters is for the method 'net"),
        # settings of one method are not those of the other
        ("[model]\nnum_filters = 3\n", "--method kernel",
         "--method must be that of the settings file, 'network', got 'kernel'"),
        ('[model]\nmethod = "kernel"\n[training]\nseed = 3\n', "",
         "table [training] of settings file 's.toml' is for the method"),
    ],
)  # fmt: skip
def test_bad_options(text, options, sentence):
    write_graphs()
    Path("s.toml").write_text(text)
    options += " --settings s.toml" if text else ""
    assert refused(f"train TU --out run --quiet {options}").startswith(sentence)
    assert not Path("run").exists()


def test_weights_of_edges_are_not_used():
    labels, tried = {"labels": np.arange(24) % 2}, []
    for factor in (0, 1):
        graphs = []
        for graph in rings_and_paths(24):
            pairs = np.array(graph.to_directed().edges)
            # both directions of an edge have one weight
            weights = 1.5 + factor * (pairs.prod(axis=1) + pairs.sum(axis=1))
            graphs.append(typed_graph(pairs, len(graph), edges={"weight": weights}))
        write_dgl_graphs("graphs.bin", graphs, labels)
        tried.append(fit("graphs.bin", tau=0.3)[1]["tried"])
    assert tried[0] == tried[1]


def test_a_graph_that_is_too_large_is_named_and_not_drawn():
    graphs = [(nx.path_graph, nx.cycle_graph)[number % 2](450) for number in range(12)]
    graphs += [(nx.path_graph, nx.cycle_graph)[number % 2](5) for number in range(12)]
    write_tu("TU", graphs, [number % 2 for number in range(24)])
    classifier, _, data = fit("TU", most_nodes=4, tau=1.0)
    explanation = explain_classifier(classifier, data)
    assert all(one.row >= 12 for one in explanation.decisions)
    for one in [other for each in explanation.decisions for other in each.similar]:
        assert (one.graph and one.graph.num_nodes) == (None if one.row < 12 else 5)
    with pytest.raises(InputError, match="graph 0 has 450 nodes; 1 to 400 can be drawn"):
        explain_classifier(classifier, data, [0])
