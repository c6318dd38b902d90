"""`gomkcn explain` and `predict`: responses, classes and truth of small runs, and their pages."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from command_line import gomkcn, refused
from graph_files import write_tu
from self_contained import Page

from gomkcn_dgl import GOMKConv
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.training.labelled_data import LabelledData, read_labelled
from gomkcn_dgl.training.train_settings import TrainSettings
from gomkcn_dgl.training.training_run import load_classifier, read_training_data, run_training
from mining.classifier_explanation import explain_classifier
from mining.html.explanation_page import render_explanation
from synthetic import MotifClassificationDataset, PlantingSettings


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with a classifier of graphs, `graphs`, and one of nodes, `nodes`."""
    folder = tmp_path_factory.mktemp("runs")
    motifs = MotifClassificationDataset(
        settings=PlantingSettings("constant"), num_graphs=40, num_base_nodes=8
    )
    dgl.save_graphs(str(folder / "graphs.bin"), [g for g, _ in motifs], {"labels": motifs.labels})
    ring, star = dgl.from_networkx(nx.cycle_graph(5)), dgl.from_networkx(nx.star_graph(4))
    graph = dgl.batch([ring, star] * 10)
    graph.ndata["label"] = torch.tensor([0, 1] * 10).repeat_interleave(5)
    graph.ndata["node_mask"] = graph.ndata["label"] == 0
    graph.set_batch_num_nodes(torch.tensor([graph.num_nodes()]))
    graph.set_batch_num_edges(torch.tensor([graph.num_edges()]))
    dgl.save_graphs(str(folder / "nodes.bin"), [graph])
    gomkcn(
        f"train {folder}/graphs.bin --out {folder}/graphs --hops 3 --filters 4 --epochs 2 --quiet"
    )
    gomkcn(f"train {folder}/nodes.bin --out {folder}/nodes --hops 2 --size 5 --epochs 2 --quiet")
    return folder


@pytest.fixture(scope="module")
def explained(runs):
    """Explanation, classifier, data and what was printed, of both runs."""
    results = {}
    for name in ("graphs", "nodes"):
        classifier, data = load_classifier(runs / name), read_labelled(runs / f"{name}.bin")
        printed = gomkcn(f"explain {runs / name}")
        results[name] = explain_classifier(classifier, data), classifier, data, printed
    return results


def test_responses_are_the_scores_of_the_first_layer(explained):
    """Against a layer that extracts the subgraphs of the graph itself."""
    explanation, classifier, _, printed = explained["graphs"]
    plain = GOMKConv(1, 4, 6, 3, bounded_feats=True)
    plain.load_state_dict(classifier.model.convs[0].state_dict())
    graphs, _ = dgl.load_graphs(classifier.settings.data.path)
    for line, response in zip(printed.splitlines(), explanation.decisions, strict=False):
        assert response.row in classifier.split.test and response.predicted == response.true
        assert line.startswith(f"graph {response.row}: predicted {response.true}, true ")
        assert line.endswith(f"to filter {response.highest.argmax()}")
        graph = graphs[response.row]
        with torch.no_grad():
            scores = plain(graph, classifier.model.input(graph.ndata["feat"])).numpy()
        # which nodes of a large ball are dropped depends on the number of the root
        undirected = nx.Graph(graph.to_networkx())
        small = np.array([len(nx.ego_graph(undirected, v, 3)) <= 6 for v in undirected])
        assert small.any()
        np.testing.assert_allclose(response.scores[small], scores[small], atol=1e-6)
        assert set(response.graph.edges) == {tuple(sorted(edge)) for edge in undirected.edges}


@pytest.mark.parametrize("name", ["graphs", "nodes"])
def test_class_means_are_those_of_the_test_part(explained, name):
    explanation, classifier, data, _ = explained[name]
    collection = classifier.collection(data.graph)
    with torch.no_grad():
        hidden = classifier.model.input(collection.feat)
        scores = classifier.model.first_conv(collection.subgraphs, hidden).numpy()
    ends = data.graph.graph_ptr
    found = {}
    for row in classifier.split.test.tolist():
        own = scores[row] if name == "nodes" else scores[ends[row] : ends[row + 1]].max(axis=0)
        found.setdefault(int(data.labels[row]), []).append(own)
    for number, one in enumerate(explanation.filters):
        expected = [
            np.mean([own[number] for own in found[label]]) if label in found else np.nan
            for label in range(data.num_classes)
        ]
        np.testing.assert_allclose(one.class_means, expected, rtol=1e-4)


def test_nodes_have_their_subgraphs(explained):
    for response in explained["nodes"][0].decisions:
        assert response.graph.num_nodes == 5
        assert len(response.graph.edges) == (5 if response.true == 0 else 4)
        assert response.highest.tolist() == response.scores[0].tolist()


@pytest.mark.parametrize("name", ["graphs", "nodes"])
def test_the_folder_and_its_page(runs, explained, name):
    explanation = explained[name][0]
    folder = runs / name / "explanation"
    assert sorted(path.name for path in folder.iterdir()) == [
        "explanation.html",
        "explanation.json",
    ]
    page = Page((folder / "explanation.html").read_text())
    # one file, no network, no script
    assert "script" not in page.tags and "link" not in page.tags
    assert page.tags.count("svg") == len(explanation.filters) + len(explanation.decisions)
    record = json.loads((folder / "explanation.json").read_text())
    assert len(record["decisions"]) == len(explanation.decisions)


def test_selected_graphs_replace_earlier_ones_and_other_data_are_refused(runs, tmp_path):
    printed = gomkcn(f"explain {runs}/graphs --graphs 5,0 --out {tmp_path}/why")
    assert [line.split(":")[0] for line in printed.splitlines()[:2]] == ["graph 5", "graph 0"]
    moved = tmp_path / "elsewhere.bin"
    moved.write_bytes((runs / "graphs.bin").read_bytes())
    gomkcn(f"explain {runs}/graphs --data {moved} --graphs 7 --out {tmp_path}/why")
    record = json.loads((tmp_path / "why/explanation.json").read_text())
    assert [one["row"] for one in record["decisions"]] == [7]
    motifs = MotifClassificationDataset(num_graphs=50, num_base_nodes=8)
    dgl.save_graphs(str(moved), [g for g, _ in motifs], {"labels": motifs.labels})
    assert "with num_graphs 40, got 50" in refused(f"explain {runs}/graphs --data {moved}")


def test_refusals(runs, tmp_path):
    for options, message in {
        "graphs --graphs 40": "a graph must be one of 0 to 39",
        "graphs --nodes 1": "--graphs must be given",
        "nodes --nodes 100": "a node must be one of 0 to 99",
    }.items():
        assert message in refused(f"explain {runs}/{options}")
    assert "holds no finished run" in refused(f"explain {runs}")
    # a damaged run
    for name in ("metrics.json", "settings.toml"):
        (tmp_path / name).write_bytes((runs / "graphs" / name).read_bytes())
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
    data = LabelledData(graph, labels, "graph", ("0", "1"))
    settings = TrainSettings().override({"num_filters": 2, "num_epochs": 2, "filter_size": 3})
    classifier, metrics = run_training(settings, data)
    explanation = explain_classifier(classifier, data, rows=[0, 1])
    assert explanation.relations == (("edge", True),)
    assert [set(one.graph.edges) for one in explanation.decisions] == [known[0], known[1]]
    for learnt in explanation.filters:
        assert len(learnt.edge_weights) == len(learnt.graph.edges)
        assert all(0.5 < weight <= 1 for weight in learnt.edge_weights)
    settings = classifier.settings.override({"path": str(tmp_path)})
    page = render_explanation(explanation, metrics, settings.to_dict())
    # three arrows in the drawing of each graph, whose heads are filled triangles
    assert page[page.index("Filter responses") :].count('<path fill="var(--c)"') == 2 * 3


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
