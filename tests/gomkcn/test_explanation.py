"""`gomkcn explain` and `predict`: responses, classes and truth of small runs, and their pages."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from command_line import gomkcn, refused
from graph_files import write_tu
from self_contained import Page

from gomkcn_dgl.csr import csr_from_edges, split_graphs
from gomkcn_dgl.training.labelled_data import LabelledData
from gomkcn_dgl.training.train_settings import TrainSettings
from gomkcn_dgl.training.training_run import load_classifier, read_training_data, run_training
from mining.classifier_explanation import explain_classifier
from mining.html.explanation_page import judge_accuracy, render_explanation
from mining.plots.filter_drawing import viridis

QUICK = "--epochs 2 --hops 1 --size 4 --filters 2 --levels 1 --split 0.5,0.25,0.25 --quiet"


def write_rings(name, num, labels=(0, 1, 2), **columns):
    """Rings of four nodes; those of the second class have a node of the second label.

    A third label is that of the last node of all.
    """
    classes = [number % 2 for number in range(num)]
    nodes = [labels[kind if node == 0 else 0] for kind in classes for node in range(4)]
    nodes[-1:] = labels[2:] or nodes[-1:]
    return write_tu(name, [nx.cycle_graph(4)] * num, classes, node_labels=nodes, **columns)


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What a training says, and the folder that it is in."""
    place = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        write_rings("TU", 24)
        Path("labels.csv").write_text("label,name\n0,C\n1,N\n2,O\n")
        Path("classes.csv").write_text("label,name\n0,harmless\n1,toxic\n")
        names = "--label-names labels.csv --class-names classes.csv"
        return gomkcn(f"train TU --out run {QUICK} {names}"), place


@pytest.fixture
def trained(said, monkeypatch):
    """The folder of the run, in which the test runs, and what the training said."""
    monkeypatch.chdir(said[1])
    return said[0]


@pytest.fixture
def explained(trained):
    """The classifier, its data, and the explanation of all graphs."""
    classifier = load_classifier("run")
    data = read_training_data(classifier.settings.data)
    return classifier, data, explain_classifier(classifier, data, range(24))


def test_responses_and_their_means_are_those_of_the_first_layer(explained):
    """Against a layer that extracts the subgraphs of each graph itself; all graphs differ."""
    classifier, data, _ = explained
    features = np.random.default_rng(0).random(data.graph.features.shape, dtype=np.float32)
    data = replace(data, graph=replace(data.graph, features=features))
    explanation = explain_classifier(classifier, data, range(24))
    conv, found = classifier.model.first_conv, {}
    for number, graph in enumerate(split_graphs(data.graph)):
        with torch.no_grad():
            feat = torch.from_numpy((graph.features - classifier.offset) / classifier.spread)
            scores = conv(graph, classifier.model.input(feat)).numpy()
        decision = explanation.decisions[number]
        assert (decision.row, decision.true) == (number, number % 2)
        np.testing.assert_allclose(decision.scores, scores, atol=1e-6)
        assert set(decision.graph.edges) == {(0, 1), (1, 2), (2, 3), (0, 3)}
        if number in classifier.split.test:
            found.setdefault(number % 2, []).append(scores.max(axis=0))
    for number, one in enumerate(explanation.filters):
        expected = [np.mean([own[number] for own in found[label]]) for label in (0, 1)]
        np.testing.assert_allclose(one.class_means, expected, rtol=1e-4)
    # of the test part
    confusion = explanation.confusion
    right = sum(one.row in classifier.split.test and one.predicted == one.true
                for one in explanation.decisions)  # fmt: skip
    assert (confusion.sum(), np.trace(confusion)) == (6, right)


def test_predictions_are_those_of_the_explanation(explained):
    gomkcn("predict run TU --out all.parquet")
    table = pd.read_parquet("all.parquet")
    assert list(table.columns) == [
        "graph", "predicted", "probability harmless", "probability toxic"
    ]  # fmt: skip
    assert table["graph"].tolist() == list(range(24))
    np.testing.assert_allclose(table.iloc[:, 2:].sum(axis=1), 1, atol=1e-6)
    classifier, _, explanation = explained
    names = [classifier.class_names[one.predicted] for one in explanation.decisions]
    assert table["predicted"].tolist() == names
    # without a file on the screen, with the same classes
    lines = gomkcn("predict run TU").splitlines()
    assert [line.split()[1] for line in lines[1:]] == names


def test_the_page_of_a_run_and_of_chosen_graphs(trained):
    page = Path("run/explanation/explanation.html")
    text = page.read_text()
    for name in ("harmless", "toxic", "carbon", "nitrogen"):
        assert name in text
    # one file, no network, no script; two filters, and a graph of each class that is right
    tags = Page(text).tags
    assert "script" not in tags and "link" not in tags
    assert tags.count("svg") == 2 + text.count(": predicted ")
    assert "baseline: always the most frequent class, " in trained
    page.unlink()
    reported = gomkcn("report run")
    assert reported.splitlines()[-1] == "report: run/explanation/explanation.html"
    assert page.read_text() == text
    # the same table
    assert reported.splitlines()[:6] == trained.splitlines()[:6]
    printed = gomkcn("explain run --graphs 5,0 --out why").splitlines()
    assert [line.split(":")[0] for line in printed] == ["graph 5", "graph 0", "page"]
    assert Path("why/explanation.html").read_text().count(": predicted ") == 2
    # data elsewhere, and others
    shutil.copytree("TU", "MOVED/TU")
    assert "graph 7: " in gomkcn("explain run --data MOVED --graphs 7 --out why")
    write_rings("OTHER", 30)
    assert "with num_graphs 24, got 30" in refused("explain run --data OTHER --out why")
    assert "a graph must be one of 0 to 23, got 24" in refused("explain run --graphs 24")


def test_a_damaged_run_is_refused(trained, tmp_path):
    for name in ("metrics.json", "settings.toml"):
        (tmp_path / name).write_bytes(Path("run", name).read_bytes())
    (tmp_path / "checkpoint.pt").write_bytes(b"no archive")
    assert "checkpoint.pt' cannot be read" in refused(f"explain {tmp_path}")
    (tmp_path / "metrics.json").write_text("[]")
    assert "damaged" in refused(f"explain {tmp_path}")


def test_filters_and_responses_keep_directions(tmp_path):
    """Feed-forward loops against three-cycles: the same graphs but for one arc."""
    known = {0: {(0, 1), (0, 2), (1, 2)}, 1: {(0, 1), (1, 2), (2, 0)}}
    arcs = [(3 * i + u, 3 * i + v) for i in range(40) for u, v in known[i % 2]]
    ends, labels = np.arange(0, 121, 3), np.tile([0, 1], 20)
    graph = csr_from_edges(*np.array(arcs).T, 120, graph_ptr=ends, directed=True)
    data = LabelledData(graph, labels, ("0", "1"))
    settings = TrainSettings().override({"num_filters": 2, "num_epochs": 2, "filter_size": 3})
    classifier, metrics = run_training(settings, data)
    explanation = explain_classifier(classifier, data, rows=[0, 1])
    assert explanation.decisions[0].graph.relations.kinds == [("edge", True)]
    assert [set(one.graph.edges) for one in explanation.decisions] == [known[0], known[1]]
    settings = classifier.settings.override({"path": str(tmp_path)})
    # nodes have the colours of their responses to the filter that responds most, here the second
    scores = np.array([[0.5, 1], [0.1, 3], [0.9, 2]])
    shown = [replace(one, scores=scores) for one in explanation.decisions]
    page = render_explanation(replace(explanation, decisions=shown), metrics, settings.to_dict())
    expected = [viridis(share) for share in (0, 1, 0.5)]
    assert re.findall(r'fill="(#[0-9a-f]{6})" stroke', page) == expected * 2
    # three arrows in the drawing of each graph, whose heads are filled triangles
    assert page[page.index("Filter responses") :].count('<path fill="var(--c)"') == 2 * 3


def test_graphs_that_lack_a_label_are_classified_and_others_refused(trained):
    write_rings("FEW", 4, labels=(0, 1))
    said = gomkcn("predict run FEW --out few.csv")
    assert said == "few.csv: the classes of 4 graphs\n"
    assert len(pd.read_csv("few.csv")) == 4
    write_rings("NEW", 4, labels=(0, 7))
    said = refused("predict run NEW")
    assert said.startswith("NEW: features must be those that the classifier learnt from, label=C,")
    write_rings("BONDS", 4, edge_labels=[number % 2 for number in range(32)])
    assert "edges must be of the relations that the classifier learnt, " in refused(
        "predict run BONDS"
    )
    assert refused("predict run FEW --out few.txt").startswith(
        "--out must end in .csv, .parquet, .json"
    )
    assert "holds no finished run" in refused("predict none FEW")
    Path("mined").mkdir()
    Path("mined/run.json").write_text("{}")
    said = refused("predict mined FEW")
    assert "'mined' holds a run of gomkcn mine, and another kind is needed here" in said


def test_the_page_has_the_interval_of_the_accuracy(trained):
    record = json.loads(Path("run/metrics.json").read_text())
    right, size = round(record["accuracy"]["test"] * 6), record["size"]["test"]
    assert size == 6
    # Wilson's, by its formula
    share, z = right / size, 1.959964
    middle = (share + z**2 / 2 / size) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * (share * (1 - share) / size + z**2 / 4 / size**2) ** 0.5
    words = f"95% CI {100 * (middle - half):.1f} to {100 * (middle + half):.1f}%"
    assert words in Path("run/explanation/explanation.html").read_text()


@pytest.mark.parametrize(
    ("accuracy", "size", "words"),
    [(0.5, 10, "no better"), (0.6, 10, "within the error"), (0.9, 1000, "is correct for 50.0%.")],
)
def test_a_classifier_is_judged_beside_the_answer_that_needs_no_learning(accuracy, size, words):
    baseline = {"answer": "toxic", "accuracy": {"test": 0.5}}
    metrics = {"accuracy": {"test": accuracy}, "size": {"test": size}, "baseline": baseline}
    assert words in judge_accuracy(metrics)
    assert ("no better" in judge_accuracy(metrics)) == (accuracy <= 0.5)
