"""`gomkcn predict`, and what a page says of a classifier: names, baseline, confusion, places."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn, refused
from graph_files import write_tu

from gomkcn_dgl.training.training_run import load_classifier, read_training_data
from mining.classifier_explanation import explain_classifier

QUICK = "--epochs 2 --hops 1 --size 4 --filters 2 --levels 1 --split 0.5,0.25,0.25 --quiet"


def write_rings(name, num, labels=(0, 1, 2), **columns):
    """Rings of four nodes; those of the second class have a node of the second label."""
    classes = [number % 2 for number in range(num)]
    nodes = [labels[kind if node == 0 else 0] for kind in classes for node in range(4)]
    return write_tu(name, [nx.cycle_graph(4)] * num, classes, node_labels=nodes, **columns)


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What a training says, and the folder that it is in."""
    place = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        # the third label is that of a last ring, which is of the first class
        write_rings("TU", 24)
        path = Path("TU/TU_node_labels.txt")
        path.write_text(path.read_text().rstrip()[:-1] + "2\n")
        Path("labels.csv").write_text("label,name\n0,C\n1,N\n2,O\n")
        Path("classes.csv").write_text("label,name\n0,harmless\n1,toxic\n")
        names = "--label-names labels.csv --class-names classes.csv"
        return gomkcn(f"train TU --out run {QUICK} {names}"), place


@pytest.fixture
def trained(said, monkeypatch):
    """The folder of the run, in which the test runs, and what the training said."""
    monkeypatch.chdir(said[1])
    return said[0]


def test_predictions_are_those_of_the_explanation(trained):
    gomkcn("predict run TU --out all.parquet")
    table = pd.read_parquet("all.parquet")
    assert list(table.columns) == [
        "graph", "predicted", "probability harmless", "probability toxic"
    ]  # fmt: skip
    assert table["graph"].tolist() == list(range(24))
    np.testing.assert_allclose(table.iloc[:, 2:].sum(axis=1), 1, atol=1e-6)
    classifier = load_classifier("run")
    data = read_training_data(classifier.settings.data)
    shown = explain_classifier(classifier, data, range(24)).decisions
    assert table["predicted"].tolist() == [
        classifier.class_names[response.predicted] for response in shown
    ]
    # without a file on the screen, with the same classes
    lines = gomkcn("predict run TU").splitlines()
    assert [line.split()[1] for line in lines[1:]] == table["predicted"].tolist()


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


def test_train_and_report_write_a_page_with_names(trained):
    page = Path("run/explanation/explanation.html")
    text = page.read_text()
    for name in ("harmless", "toxic", "carbon", "nitrogen"):
        assert name in text
    assert "baseline: always the most frequent class, " in trained
    page.unlink()
    reported = gomkcn("report run")
    assert reported.splitlines()[-1] == "report: run/explanation/explanation.html"
    assert page.read_text() == text
    # the same table
    assert reported.splitlines()[:6] == trained.splitlines()[:6]


def test_confusion_and_decisions_are_those_of_the_test_part(trained):
    record = json.loads(Path("run/explanation/explanation.json").read_text())
    metrics = json.loads(Path("run/metrics.json").read_text())
    confusion = np.array(record["confusion"])
    assert confusion.sum() == metrics["size"]["test"]
    assert np.trace(confusion) / confusion.sum() == metrics["accuracy"]["test"]
    assert {one["row"] for one in record["decisions"]} <= {
        *load_classifier("run").split.test.tolist()
    }
    assert all(one["true"] == one["row"] % 2 for one in record["decisions"])


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
