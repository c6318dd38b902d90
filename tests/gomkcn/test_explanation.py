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
from graph_files import typed_graph, write_tu
from self_contained import Page

import gomkcn as gomkcn_package
from gomkcn.mining.classifier_explanation import count_pointed, explain_classifier, weigh_filters
from gomkcn.mining.filters.discrete_filters import discretize
from gomkcn.mining.plots.filter_drawing import edge_weights, viridis
from gomkcn.mining.show.explanation_page import judge_accuracy, render_explanation
from gomkcn.synthetic import MotifClassificationDataset, PlantingSettings
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.dgl_files import write_dgl_graphs
from gomkcn_dgl.io.graph_classes import read_node_mask
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.training.classifier_settings import ClassifierSettings
from gomkcn_dgl.training.labelled_data import LabelledData
from gomkcn_dgl.training.training_loop import predict_logits
from gomkcn_dgl.training.training_run import load_classifier, read_training_data, run_training

QUICK = (
    "--num-epochs 2 --num-hops 1 --filter-size 4 --num-filters 2 --num-levels 1 "
    "--split 0.5,0.25,0.25 --quiet"
)


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


def test_responses_are_those_of_the_first_layer(explained):
    """Against a layer that extracts the subgraphs of each graph itself; all graphs differ."""
    classifier, data, _ = explained
    features = np.random.default_rng(0).random(data.graph.features.shape, dtype=np.float32)
    data = replace(data, graph=replace(data.graph, features=features))
    explanation = explain_classifier(classifier, data, range(24))
    conv, found, nodes = classifier.model.first_conv, {}, []
    for number, graph in enumerate(list(data.graph)):
        with torch.no_grad():
            feat = torch.from_numpy(classifier.scaling.scale(graph.features))
            scores = conv(graph, classifier.model.input(feat)).numpy()
        decision = explanation.decisions[number]
        assert (decision.row, decision.true) == (number, number % 2)
        np.testing.assert_allclose(decision.scores, scores, atol=1e-6)
        np.testing.assert_array_equal(decision.features, graph.features)
        assert set(decision.graph.edges) == {(0, 1), (1, 2), (2, 3), (0, 3)}
        if number in classifier.split.test:
            found.setdefault(number % 2, []).append(scores.max(axis=0))
            nodes.append(scores)
    contributions, nodes = explanation.contributions, np.concatenate(nodes)
    for label in (0, 1):
        np.testing.assert_allclose(
            contributions.of_class[label], np.mean(found[label], axis=0), rtol=1e-4
        )
        others = np.mean(found[1 - label], axis=0)
        np.testing.assert_allclose(contributions.of_others[label], others, rtol=1e-4)
    # the scale of a filter is over all nodes of the test part
    ends = [(one.low, one.high) for one in explanation.filters]
    np.testing.assert_allclose(ends, list(zip(nodes.min(axis=0), nodes.max(axis=0), strict=True)),
                               atol=1e-6)  # fmt: skip
    # of the test part
    confusion = explanation.confusion
    right = sum(one.row in classifier.split.test and one.predicted == one.true
                for one in explanation.decisions)  # fmt: skip
    assert (confusion.sum(), np.trace(confusion)) == (6, right)


def test_predictions_are_those_of_the_explanation(explained):
    gomkcn("predict run TU --out all.parquet")
    table = pd.read_parquet("all.parquet")
    assert list(table.columns) == [
        "graph", "predicted", "learnt", "probability harmless", "probability toxic"
    ]  # fmt: skip
    assert table["graph"].tolist() == list(range(24))
    np.testing.assert_allclose(table.iloc[:, 3:].sum(axis=1), 1, atol=1e-6)
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
    # one file, no network, no script
    tags = Page(text).tags
    assert "script" not in tags and "link" not in tags
    # of each class a graph and, for both filters, a drawing and the responses; the loss
    assert text.count(": predicted ") == 2
    assert text.count("<details><summary>All 2 filters") == 2
    explained = explain_classifier(load_classifier("run"), read_training_data(
        load_classifier("run").settings.data))  # fmt: skip
    speaking = [explained.contributions.speaker(one.label) for one in explained.decisions]
    assert tags.count("svg") == 1 + 2 * (1 + 2 * 2) + 2 * sum(one is not None for one in speaking)
    assert "baseline: always the most frequent class, " in trained
    page.unlink()
    reported = gomkcn("report run")
    assert reported.splitlines()[-1] == "page: run/explanation/explanation.html"
    assert page.read_text() == text
    # the same table
    assert reported.splitlines()[:6] == trained.splitlines()[:6]
    printed = gomkcn("explain run --graphs 5,0 --out why").splitlines()
    assert [line.split(":")[0] for line in printed] == ["graph 5", "graph 0", "page"]
    assert Path("why/explanation.html").read_text().count(": predicted ") == 2
    # data elsewhere, and others
    shutil.copytree("TU", "MOVED/TU")
    assert "graph 7: " in gomkcn("explain run --data MOVED --graphs 7 --out why --force")
    write_rings("OTHER", 30)
    assert "with num_graphs 24, got 30" in refused("explain run --data OTHER --out other")
    assert "a graph must be one of 0 to 23, got 24" in refused("explain run --graphs 24")


def test_a_damaged_run_is_refused(trained, tmp_path):
    for name in ("run.json", "settings.toml"):
        (tmp_path / name).write_bytes(Path("run", name).read_bytes())
    (tmp_path / "checkpoint.pt").write_bytes(b"no archive")
    assert "checkpoint.pt' cannot be read" in refused(f"explain {tmp_path}")
    (tmp_path / "run.json").write_text("[]")
    assert "damaged" in refused(f"explain {tmp_path}")


def test_filters_and_responses_keep_directions(tmp_path):
    """Feed-forward loops against three-cycles: the same graphs but for one arc."""
    known = {0: {(0, 1), (0, 2), (1, 2)}, 1: {(0, 1), (1, 2), (2, 0)}}
    arcs = [(3 * i + u, 3 * i + v) for i in range(40) for u, v in known[i % 2]]
    ends, labels = np.arange(0, 121, 3), np.tile([0, 1], 20)
    graph = csr_from_edges(*np.array(arcs).T, 120, graph_ptr=ends, directed=True)
    data = LabelledData(graph, labels, ("0", "1"))
    settings = ClassifierSettings().override({"num_filters": 2, "num_epochs": 2, "filter_size": 3})
    classifier, metrics = run_training(settings, data)
    explanation = explain_classifier(classifier, data, rows=[0, 1])
    assert explanation.decisions[0].graph.relations.kinds == [("edge", True)]
    assert [set(one.graph.edges) for one in explanation.decisions] == [known[0], known[1]]
    settings = classifier.settings.override({"path": str(tmp_path)})
    # nodes have the colours of their responses to the filter that speaks for the class
    scores = np.array([[0.5, 1], [0.1, 3], [0.9, 2]])
    shown = [replace(one, scores=scores, label=one.true, ringed=(2,))
             for one in explanation.decisions]  # fmt: skip
    contributions = weigh_filters(np.array([[0, 1.0], [0, -1]]), np.array([[0, 1.0], [0, 0]]),
                             np.array([0, 1]))  # fmt: skip
    filters = [replace(one, low=0.0, high=4.0) for one in explanation.filters]
    changed = replace(
        explanation, decisions=shown, contributions=contributions, filters=tuple(filters)
    )
    page = render_explanation(changed, metrics, settings.to_dict())
    drawn = re.findall(r'<div class="plain-pic response">(<svg.*?</svg>)', page)
    assert len(drawn) == 2
    for one in drawn:
        expected = [viridis(share) for share in (0.25, 0.75, 0.5)]
        assert re.findall(r'fill="(#[0-9a-f]{6})" stroke', one) == expected
        # three arrows, whose heads are filled triangles, and the ring of a marked node
        assert one.count('<path fill="var(--c)"') == 3
        assert one.count('class="ring"') == 1
    # what is absent is said to be
    assert page.count("its absence speaks for the class") == 1
    assert "Nodes with a ring are marked in the data" in page


def test_graphs_that_lack_a_label_are_classified_and_others_refused(trained):
    write_rings("FEW", 4, labels=(0, 1))
    said = gomkcn("predict run FEW --out few.csv")
    assert said == "few.csv: the classes of 4 graphs\n"
    assert len(pd.read_csv("few.csv")) == 4
    write_rings("NEW", 4, labels=(0, 7))
    said = refused("predict run NEW")
    assert said.startswith(
        "NEW: graph 1 has label=7, which no graph has that the classifier learnt from; leave it out"
    )
    write_rings("BONDS", 4, edge_labels=[number % 2 for number in range(32)])
    assert "edges must be of the relations that the classifier learnt, " in refused(
        "predict run BONDS"
    )
    assert refused("predict run FEW --out few.txt").startswith(
        "--out must end in .csv, .parquet, .json"
    )
    assert "holds no finished run" in refused("predict none FEW")
    Path("mined").mkdir()
    Path("mined/run.json").write_text('{"kind": "mine"}')
    said = refused("predict mined FEW")
    assert "'mined' holds a run of gomkcn mine, and one of gomkcn train is needed here" in said
    assert "'run' holds a run of gomkcn train, and one of gomkcn mine" in refused("compare run run")
    Path("mined/run.json").write_text('{"kind": "mend"}')
    with pytest.raises(InputError, match="a run of gomkcn mend, which this version does not know"):
        gomkcn_package.load("mined")
    classifier = gomkcn_package.load("run")
    predicted, _ = classifier.decide(read_graph("FEW", label_names={"0": "C", "1": "N"}))
    table = pd.read_csv("few.csv")["predicted"]
    assert [classifier.class_names[label] for label in predicted] == table.tolist()


def test_the_page_has_the_interval_of_the_accuracy(trained):
    record = json.loads(Path("run/run.json").read_text())
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


def plain_contributions(weights, read, labels):
    """The definition, number by number."""
    num_classes, num_filters = weights.shape
    found = np.zeros((num_classes, num_filters))
    for label in range(num_classes):
        for number in range(num_filters):
            own = [read[g][number] for g in range(len(labels)) if labels[g] == label]
            others = [read[g][number] for g in range(len(labels)) if labels[g] != label]
            mean = sum(weights[c][number] for c in range(num_classes)) / num_classes
            difference = sum(own) / len(own) - sum(others) / len(others)
            found[label][number] = (weights[label][number] - mean) * difference
    return found


def test_a_contribution_is_weight_times_difference():
    rng = np.random.default_rng(3)
    weights, read = rng.normal(size=(3, 5)), rng.normal(size=(20, 5))
    labels = np.arange(20) % 3
    contributions = weigh_filters(weights, read, labels)
    np.testing.assert_allclose(contributions.values, plain_contributions(weights, read, labels))
    # what all classes have in common decides nothing
    shifted = weigh_filters(weights + rng.normal(size=5), read + rng.normal(size=5), labels)
    np.testing.assert_allclose(shifted.values, contributions.values)
    rest = weigh_filters(weights, read, labels, rest={"more": (weights, read)}).rest["more"]
    np.testing.assert_allclose(rest, contributions.values.sum(axis=1))


def test_the_filter_that_speaks_is_not_the_one_of_the_highest_mean():
    """A circle that is as like a book as a circle is: the raw mean explains the book by it."""
    #               circle, book
    responses = np.array(
        [
            [0.95, 0.60],
            [0.95, 0.60],  # circles
            [0.93, 0.90],
            [0.93, 0.90],
        ]
    )  # books, fmt: skip
    labels = np.array([0, 0, 1, 1])
    weights = np.array([[4.0, -3.0], [-4.0, 3.0]])
    contributions = weigh_filters(weights, responses, labels)
    # the highest mean of both classes is that of the circle
    assert contributions.of_class.argmax(axis=1).tolist() == [0, 0]
    assert [contributions.speaker(label) for label in (0, 1)] == [0, 1]
    # the absence of the book contributes more to a circle, and yet no filter of circles
    np.testing.assert_allclose(contributions.values[0], [0.08, 0.9])
    assert contributions.is_absent(0, 1) and not contributions.is_absent(0, 0)
    # without any filter that responds to it, the absence speaks
    only = weigh_filters(weights[:, 1:], responses[:, 1:], labels)
    assert only.speaker(0) == 0 and only.is_absent(0, 0)
    # and where nothing differs nothing does, nor for a class without graphs
    assert weigh_filters(weights, np.ones((4, 2)), labels).speaker(0) is None
    assert weigh_filters(weights, responses, np.zeros(4, int)).speaker(1) is None


def trained_on_motifs(tmp_path, features="per_node", **options):
    """A network that was trained for a moment on graphs of a square, with a diagonal or none."""
    planting = PlantingSettings(features)
    dataset = MotifClassificationDataset(40, 6, motifs=("diamond", "square"), settings=planting)
    path = tmp_path / "motifs.bin"
    write_dgl_graphs(path, dataset.to_typed(), {"labels": dataset.labels.numpy()})
    settings = ClassifierSettings().override(
        {"path": str(path), "num_filters": 3, "num_epochs": 3, "filter_size": 4, "num_hops": 2,
         "split": (0.4, 0.1, 0.5), **options}
    )  # fmt: skip
    data = read_training_data(settings.data)
    return (*run_training(settings, data), data, dataset)


@pytest.mark.parametrize(
    "options",
    [{"pooling": "max"}, {"pooling": "mean", "num_layers": 2}, {"pooling": "sum"},
     {"pooling": "max", "hidden_feats": 0, "read_input": False}],
)  # fmt: skip
def test_all_contributions_add_up_to_what_sets_a_class_apart(tmp_path, options):
    classifier, _, data, _ = trained_on_motifs(tmp_path, **options)
    # batch norm may have a negative factor
    with torch.no_grad():
        classifier.model.norms[0].weight[0] *= -1
    contributions = explain_classifier(classifier, data).contributions
    test = classifier.split.test
    graphs = list(data.graph)
    collection = classifier.collection(as_csr([graphs[row] for row in test]))
    logits = predict_logits(classifier.model, collection, np.arange(len(test)), 7).numpy()
    logits -= logits.mean(axis=1, keepdims=True)
    labels = data.labels[test]
    for label in (0, 1):
        apart = logits[labels == label].mean(axis=0) - logits[labels != label].mean(axis=0)
        assert contributions.total[label] == pytest.approx(apart[label], abs=1e-4)
    names = {"node features"} if options.get("read_input", True) else set()
    names |= {"filters of later layers"} if "num_layers" in options else set()
    assert set(contributions.rest) == names


def test_where_batch_norm_turns_the_sign_the_lowest_response_is_read(tmp_path):
    classifier, _, data, _ = trained_on_motifs(tmp_path)
    with torch.no_grad():
        classifier.model.norms[0].weight.copy_(torch.tensor([-1.0, 1.0, 2.0]))
    rows = classifier.split.test
    explanation = explain_classifier(classifier, data, rows.tolist())
    found = [[one.scores[:, 0].min(), one.scores[:, 1].max(), one.scores[:, 2].max()]
             for one in explanation.decisions]  # fmt: skip
    for label in (0, 1):
        own = np.mean([row for row, one in zip(found, rows, strict=True)
                       if data.labels[one] == label], axis=0)  # fmt: skip
        np.testing.assert_allclose(explanation.contributions.of_class[label], own, rtol=1e-5)


def test_planted_nodes_are_read_and_ringed_and_responses_point_at_them(tmp_path):
    classifier, metrics, data, dataset = trained_on_motifs(tmp_path)
    marked = read_node_mask(tmp_path / "motifs.bin")
    np.testing.assert_array_equal(marked, dataset.planted.node_mask)
    rows = classifier.split.test.tolist()
    explanation = explain_classifier(classifier, data, rows, marked)
    counts = [[0, 0], [0, 0]]
    for one in explanation.decisions:
        own = dataset.planted.node_mask[slice(*data.graph.graph_ptr[one.row : one.row + 2])]
        assert one.ringed == tuple(np.flatnonzero(own).tolist())
        assert explanation.rings_are(one, 0) == (
            explanation.filters[0].structure.key == dataset.planted.motifs[one.true].key
        )
        number = explanation.contributions.speaker(one.true)
        response = one.scores[:, number]
        best = [node for node in range(len(own)) if response[node] == response.max()]
        counts[one.true][0] += all(own[node] for node in best)
        counts[one.true][1] += 1
    assert explanation.pointed == tuple(map(tuple, counts))
    page = render_explanation(explanation, metrics, classifier.settings.to_dict())
    assert page.count('class="ring"') > 0
    for inside, size in explanation.pointed:
        assert f"node with a ring in {inside} of {size} test graphs of the class" in page
    # by default one graph of each class, that is right if one is
    by_class = explain_classifier(classifier, data).decisions
    assert [one.true for one in by_class] == [one.label for one in by_class] == [0, 1]
    predicted = {one.row: one.predicted for one in explanation.decisions}
    for one in by_class:
        own = [row for row in rows if data.labels[row] == one.true]
        right = [row for row in own if predicted[row] == one.true]
        assert one.row == (right or own)[0]


def test_a_response_that_is_as_high_elsewhere_does_not_point():
    """Four graphs of three nodes, two of a class, of which the first node is marked; one is not."""
    graph = as_csr([nx.path_graph(3)] * 4)
    data = LabelledData(graph, np.array([0, 0, 1, 1]), ("a", "b"))
    contributions = weigh_filters(
        np.eye(2), np.array([[1, 0], [1, 0], [0, 1], [0, 1.0]]), data.labels
    )
    assert [contributions.speaker(label) for label in (0, 1)] == [0, 1]
    scores = np.zeros((12, 2))
    scores[:3, 0] = 0.9, 0.9, 0.1
    scores[3:6, 0] = 0.9, 0.8, 0.1
    scores[6:9, 1] = 0.1, 0.8, 0.1
    marked = np.tile([True, False, False], 4)
    marked[9] = False
    found = count_pointed(contributions, scores, np.arange(4), data, marked)
    assert found == ((1, 2), (0, 1))


def test_a_mask_that_is_none_is_not_read(tmp_path):
    for values, expected in (([1, 0], [True, False]), ([0, 0], None), ([2, 0], None)):
        graph = typed_graph([(0, 1), (1, 0)], 2, {"node_mask": np.array(values)})
        write_dgl_graphs(tmp_path / "one.bin", [graph])
        found = read_node_mask(tmp_path / "one.bin")
        assert (None if found is None else found.tolist()) == expected
    write_rings(str(tmp_path / "TU"), 4)
    assert read_node_mask(tmp_path / "TU") is None


def test_filters_have_the_features_of_the_data(tmp_path):
    """Those of the filters, or where they are mixed those of the node that they are most like."""
    classifier, metrics, data, _ = trained_on_motifs(
        tmp_path,
        hidden_feats=0,
    )
    (one, *_) = explanation_filters = explain_classifier(classifier, data).filters
    assert all(own.features.shape[1] == 3 for own in explanation_filters)
    kept = discretize(classifier.model.first_conv.filters)
    expected = classifier.scaling.restore(kept.feat[0, : kept.num_nodes[0]])
    np.testing.assert_allclose(one.features, expected, rtol=1e-5)
    np.testing.assert_allclose(
        edge_weights(one.structure, one.weights),
        [kept.weights[0, u, v] for u, v in one.structure.edges],
    )
    page = render_explanation(
        explain_classifier(classifier, data), metrics, classifier.settings.to_dict()
    )
    assert "Colour of a node: " in page and "mixes features" not in page
    classifier, metrics, data, _ = trained_on_motifs(tmp_path, hidden_feats=2)
    explanation = explain_classifier(classifier, data)
    known = {tuple(row) for row in data.graph.features.tolist()}
    assert all(tuple(row) in known for one in explanation.filters for row in one.features.tolist())
    page = render_explanation(explanation, metrics, classifier.settings.to_dict())
    assert "The input layer mixes features" in page


def test_nodes_that_are_classified_have_a_page(tmp_path, monkeypatch):
    """Each shows its neighbourhood, with a ring around itself, and its own response."""
    monkeypatch.chdir(tmp_path)
    graph = nx.disjoint_union_all([nx.cycle_graph(4), nx.complete_graph(4)] * 8)
    for node in graph:
        graph.nodes[node]["class"] = "ring" if node % 8 < 4 else "clique"
        graph.nodes[node]["size"] = node % 3
    nx.write_graphml(graph, "graph.graphml")
    said = gomkcn("train graph.graphml --nodes --features size --out run --num-epochs 3 "
                  "--filter-size 4 --num-hops 2 --num-filters 2 --split 0.4,0.2,0.4 "
                  "--quiet")  # fmt: skip
    assert "page: run/explanation/explanation.html" in said
    classifier = load_classifier("run")
    data = read_training_data(classifier.settings.data)
    explanation = explain_classifier(classifier, data, [0, 13])
    assert [one.name for one in explanation.decisions] == ["node 0", "node 13"]
    model, whole = classifier.model, classifier.collection(data.graph).whole()
    with torch.no_grad():
        scores = model.first_conv(whole.subgraphs, model.input(whole.feat)).numpy()
    ring, clique = explanation.decisions
    # the classified node is the first, with the others of its piece
    assert ring.ringed == clique.ringed == (0,)
    assert (len(ring.graph.edges), len(clique.graph.edges)) == (4, 6)
    np.testing.assert_allclose(ring.scores[0], scores[0], atol=1e-6)
    np.testing.assert_allclose(clique.scores[0], scores[13], atol=1e-6)
    labels, test = data.labels, classifier.split.test
    own = scores[test][labels[test] == 1].mean(axis=0)
    np.testing.assert_allclose(explanation.contributions.of_class[1], own, rtol=1e-5)
    page = Path("run/explanation/explanation.html").read_text()
    assert "test nodes (95% CI" in page and "The node with the ring is the one" in page
    assert "test graphs" not in page and "highest response" not in page
    said = gomkcn("explain run --graphs 3")
    assert said.startswith("node 3: predicted ")
    assert "a node must be one of 0 to 63, got 64" in refused("explain run --graphs 64")


def test_names_of_classes_do_not_run(tmp_path):
    classifier, metrics, data, _ = trained_on_motifs(tmp_path)
    classifier = replace(classifier, class_names=("<script>alert(1)</script>", "b"))
    explanation = explain_classifier(classifier, data)
    page = render_explanation(explanation, metrics, classifier.settings.to_dict())
    assert "<script" not in page and "&lt;script&gt;" in page


def test_of_many_filters_and_large_graphs_not_all_responses_are_drawn(tmp_path):
    classifier, metrics, data, _ = trained_on_motifs(tmp_path, num_filters=20)
    explanation = explain_classifier(classifier, data)
    settings = classifier.settings.to_dict()
    page = render_explanation(explanation, metrics, settings)
    lists = page.split('<ul class="maps">')[1:]
    for one in lists:
        own = one[: one.index("</ul>")]
        assert own.count("<li>") == 20 and own.count('class="plain-pic"') == 16
    assert len(page) < 2e6
