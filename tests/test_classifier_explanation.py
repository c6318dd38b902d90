"""`gomkcn explain`: filters, responses and truth of small runs, and the page that shows them."""

import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import networkx as nx
import numpy as np
import pytest
import torch
from command_line import gomkcn, refused

from gomkcn_dgl import GOMKConv
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.training.labelled_data import read_labelled
from gomkcn_dgl.training.training_run import load_classifier
from mining.explanation.classifier_explanation import LearntFilter, Response, explain_classifier
from mining.html.explanation_report import describe_truth, favoured_class
from mining.plots.explanation_plots import draw_filters, draw_response, draw_root, filter_colors
from mining.plots.plots import figure_to_svg
from synthetic import MotifClassificationDataset


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with a classifier of graphs, `graphs`, and one of nodes, `nodes`."""
    folder = tmp_path_factory.mktemp("runs")
    motifs = MotifClassificationDataset(num_graphs=80, num_base_nodes=8, features="constant")
    dgl.save_graphs(str(folder / "motifs.bin"), [g for g, _ in motifs], {"labels": motifs.labels})
    ring, star = dgl.from_networkx(nx.cycle_graph(5)), dgl.from_networkx(nx.star_graph(4))
    graph = dgl.batch([ring, star] * 10)
    graph.ndata["label"] = torch.tensor([0, 1] * 10).repeat_interleave(5)
    graph.ndata["node_mask"] = graph.ndata["label"] == 0
    graph.set_batch_num_nodes(torch.tensor([graph.num_nodes()]))
    graph.set_batch_num_edges(torch.tensor([graph.num_edges()]))
    dgl.save_graphs(str(folder / "nodes.bin"), [graph])
    gomkcn(
        f"train {folder}/motifs.bin --out {folder}/graphs --hops 3 --filters 4 --epochs 3 --quiet"
    )
    gomkcn(f"train {folder}/nodes.bin --out {folder}/nodes --hops 2 --size 5 --epochs 2 --quiet")
    return folder


@pytest.fixture(scope="module")
def explained(runs):
    """Both explanations, the page and what was printed, by name."""
    found = {}
    for name in ("graphs", "nodes"):
        data_file = runs / ("motifs.bin" if name == "graphs" else "nodes.bin")
        classifier, data = load_classifier(runs / name), read_labelled(data_file)
        said = gomkcn(f"explain {runs / name}")
        found[name] = (explain_classifier(classifier, data), classifier, data, said)
    return found


def test_the_first_right_graph_of_each_class_is_shown(explained):
    explanation, classifier, _, said = explained["graphs"]
    test = classifier.split.test
    assert all(response.row in test for response in explanation.responses)
    assert all(response.predicted == response.true for response in explanation.responses)
    classes = [response.true for response in explanation.responses]
    assert classes == sorted(set(classes))
    lines = said.splitlines()
    assert len(lines) == len(explanation.responses) + 3
    for line, response in zip(lines, explanation.responses, strict=False):
        assert line.startswith(f"graph {response.row}: predicted {response.true}, true ")
        assert line.endswith(f"to filter {response.best_filter}")


def test_responses_are_the_scores_of_the_first_layer(explained):
    """Against a layer that extracts the subgraphs of the graph itself."""
    explanation, classifier, _, _ = explained["graphs"]
    conv = classifier.model.convs[0]
    plain = GOMKConv(1, 4, 6, 3, 2, bounded_feats=True)
    plain.load_state_dict(conv.state_dict())
    graphs, _ = dgl.load_graphs(classifier.settings.data.path)
    for response in explanation.responses:
        graph = graphs[response.row]
        with torch.no_grad():
            hidden = classifier.model.input(graph.ndata["feat"])
            scores = plain(graph, hidden).numpy()
        # which nodes of a large ball are dropped depends on the number of the root
        small = np.array(
            [
                len(nx.ego_graph(nx.Graph(graph.to_networkx()), v, 3)) <= 6
                for v in graph.nodes().tolist()
            ]
        )
        assert small.any()
        np.testing.assert_allclose(response.scores[small], scores[small], atol=1e-6)
        assert response.is_planted.tolist() == graph.ndata["node_mask"].tolist()
        u, v = graph.edges()
        assert set(response.edges) == {
            (a, b) for a, b in zip(u.tolist(), v.tolist(), strict=True) if a < b
        }
    values = np.concatenate([response.scores.ravel() for response in explanation.responses])
    assert explanation.scale == (values.min(), values.max())


def test_filters_started_from_classes_are_motifs(explained):
    explanation = explained["graphs"][0]
    assert len(explanation.filters) == 4
    for one in explanation.filters:
        assert all(0.5 < weight <= 1 for weight in one.edge_weights)
        assert len(one.class_means) == 4
        graph = nx.Graph(one.edges)
        assert nx.is_connected(graph) and len(graph) == len(one.features)


def test_truth_agreement_is_an_auc(explained):
    explanation, classifier, data, said = explained["nodes"]
    assert explanation.truth.share_inside is None
    collection = classifier.collection(data.graph)
    whole = collection.whole()
    with torch.no_grad():
        conv = classifier.model.eval().convs[0]
        high = conv(whole.subgraphs, classifier.model.input(whole.feat)).amax(dim=1).numpy()
    test = classifier.split.test
    inside, outside = (high[test[data.truth[test] == flag]] for flag in (True, False))
    above = (inside[:, None] > outside).mean() + (inside[:, None] == outside).mean() / 2
    assert explanation.truth.auc == pytest.approx(above)
    assert f"against the truth: {above:.3f}" in said
    graphs = explained["graphs"][0]
    assert 0 <= graphs.truth.share_inside <= 1
    assert len(describe_truth(graphs)) == 2


def test_a_node_is_shown_with_its_subgraph(explained):
    explanation = explained["nodes"][0]
    for response in explanation.responses:
        assert response.nodes[0] == response.row
        assert len(response.nodes) == 5
        assert len(response.edges) == (5 if response.true == 0 else 4)
        assert response.best_filter == response.scores[0].argmax()


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links, self.ids = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [v for k, v in attrs if k in ("src", "href", "xlink:href") and v]
        self.ids += [v for k, v in attrs if k == "id"]


@pytest.mark.parametrize("name", ["graphs", "nodes"])
def test_the_folder_and_its_page(runs, explained, name):
    explanation = explained[name][0]
    folder = runs / name / "explanation"
    kind = name.removesuffix("s")
    drawings = [f"{kind}_{response.row:05d}.svg" for response in explanation.responses]
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["explanation.html", "explanation.json", "filters.svg", *drawings]
    )
    for drawing in ["filters.svg", *drawings]:
        ET.parse(folder / drawing)
    text = (folder / "explanation.html").read_text()
    page = _Page()
    page.feed(text)
    # one file, no network, no script
    assert "script" not in page.tags
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in page.links)
    assert "@import" not in text and not re.search(r"url\((?!#)", text)
    assert len(page.ids) == len(set(page.ids))
    assert page.tags.count("svg") == len(explanation.filters) + len(explanation.responses)
    assert "prefers-color-scheme: dark" in text
    record = json.loads((folder / "explanation.json").read_text())
    assert record["truth"]["auc"] == explanation.truth.auc
    assert len(record["responses"]) == len(explanation.responses)


def test_chosen_graphs_go_where_they_are_asked_for(runs, tmp_path):
    said = gomkcn(f"explain {runs}/graphs --graphs 5,0,9 --out {tmp_path}/why")
    assert [line.split(":")[0] for line in said.splitlines()[:3]] == [
        "graph 5",
        "graph 0",
        "graph 9",
    ]
    gomkcn(f"explain {runs}/graphs --graphs 7 --out {tmp_path}/why")
    assert [path.name for path in (tmp_path / "why").glob("graph_*.svg")] == ["graph_00007.svg"]


def test_data_that_moved(runs, tmp_path):
    moved = tmp_path / "elsewhere.bin"
    moved.write_bytes((runs / "motifs.bin").read_bytes())
    gomkcn(f"explain {runs}/graphs --data {moved} --graphs 1 --out {tmp_path}/why")
    assert "elsewhere.bin" in (tmp_path / "why" / "explanation.html").read_text()
    said = refused(f"explain {runs}/graphs --data {runs}/nodes.bin")
    assert said.endswith("there is no 'labels' with a class for each graph; its labels are none.")
    motifs = MotifClassificationDataset(num_graphs=40, num_base_nodes=8)
    dgl.save_graphs(str(moved), [g for g, _ in motifs], {"labels": motifs.labels})
    said = refused(f"explain {runs}/graphs --data {moved}")
    assert said == "the data set must be the one of the run, with num_graphs 80, got 40."


@pytest.mark.parametrize(
    ("run", "options", "said"),
    [
        ("graphs", "--graphs 80", "a graph must be one of 0 to 79, got 80."),
        ("graphs", "--graphs one", "--graphs must be numbers such as 0,5,9, got 'one'."),
        ("graphs", "--nodes 1", "--graphs must be given for this run, which classifies graphs."),
        ("nodes", "--graphs 1", "--nodes must be given for this run, which classifies nodes."),
        ("nodes", "--nodes 100", "a node must be one of 0 to 99, got 100."),
    ],
)
def test_bad_choices(runs, run, options, said):
    assert refused(f"explain {runs / run} {options}") == said


def test_bad_runs(runs, tmp_path):
    said = refused(f"explain {tmp_path}")
    assert said.endswith("holds no finished run: metrics.json is missing.")
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for name in ("metrics.json", "settings.toml"):
        (damaged / name).write_bytes((runs / "graphs" / name).read_bytes())
    (damaged / "checkpoint.pt").write_bytes(b"no archive")
    said = refused(f"explain {damaged}")
    assert said.startswith(f"checkpoint '{damaged}/checkpoint.pt' cannot be read (")
    (damaged / "metrics.json").write_text("[]")
    assert refused(f"explain {damaged}").endswith("is damaged; train again.")


# ---------------------------------------------------------------- drawings


def made_filter(features, means=(0.1, 0.9)):
    return LearntFilter(((0, 1), (1, 2)), (0.9, 1.0), np.array(features, dtype=float), means)


def test_colours_of_filters():
    alike = filter_colors([made_filter([[0.5], [0.51], [0.5]])])
    assert len(set(alike.faces[0])) == 1 and "alike" in alike.meaning
    three = filter_colors([made_filter([[1, 0, 0], [0, 1, 0], [0, 0, 1]])])
    assert three.faces == [["#ff0000", "#00ff00", "#0000ff"]]
    columns = filter_colors([made_filter(np.eye(5)[[0, 4, 0]]), made_filter(np.eye(5)[[2, 2, 4]])])
    first, second = columns.faces
    assert first[0] == first[2] != first[1] == second[2] != second[0]
    assert [name for name, _ in columns.legend] == ["column 0", "column 2", "column 4"]
    many = filter_colors([made_filter(np.eye(30)[k : k + 3]) for k in range(0, 30, 3)])
    assert len(many.legend) == 10 and many.legend[-1][0] == "another"


def test_the_favoured_class():
    assert favoured_class(made_filter(np.eye(3), (0.1, 0.9, 0.3))) == 1
    assert favoured_class(made_filter(np.eye(3), (0.5, 0.5))) is None
    assert favoured_class(made_filter(np.eye(3), (np.nan, 0.2))) is None


@pytest.mark.parametrize("num_filters", [1, 3, 9])
@pytest.mark.parametrize("task", ["graph", "node"])
def test_drawings_of_every_size(num_filters, task):
    """One node, and responses that are all the same, draw without a warning."""
    for edges, num_nodes in (((), 1), (((0, 1), (1, 2)), 3)):
        scores = np.full((num_nodes, num_filters), 0.5)
        nodes = tuple(range(num_nodes))
        response = Response(4, nodes, edges, scores, 0, 1, None, task)
        draw = draw_response if task == "graph" else draw_root
        svg = figure_to_svg(draw(response, (0.5, 0.5)))
        assert "kernel response" in svg
    assert "Filter 0" in figure_to_svg(draw_filters([made_filter(np.eye(3))] * num_filters))
