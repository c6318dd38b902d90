"""Explanations by leaving out nodes and edges: what they are, and that they find planted motifs."""

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from gomkcn import GOMKClassifier, MotifClassificationDataset, PlantingSettings, as_csr
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.occlusion import explain_graph
from gomkcn_dgl.training.classifier_settings import ClassifierSettings
from gomkcn_dgl.training.labelled_data import LabelledData
from gomkcn_dgl.training.training_run import run_training


def triangles_and_edges(graphs):
    """A classifier whose log odds of class 1 are known: triangles less a tenth of the nodes."""
    odds = []
    for graph in graphs:
        plain = nx.Graph(graph.adjacent_pairs().tolist())
        odds.append(sum(nx.triangles(plain).values()) / 3 - graph.num_nodes / 10)
    return np.array([np.zeros(len(odds)), odds]).T


def test_scores_are_what_the_log_odds_lose():
    # two triangles that share an edge, and a pendant node
    graph = nx.Graph([(3, 4), (0, 1), (1, 2), (2, 0), (1, 3), (3, 2)])
    names, edges = list(graph), list(graph.edges)
    found = explain_graph(triangles_and_edges, graph, as_csr(graph), 1)
    assert found.class_index == 1 and found.log_odds == pytest.approx(2 - 0.5)
    lost = {0: 1, 1: 2, 2: 2, 3: 1, 4: 0}
    np.testing.assert_allclose(found.node_scores, [lost[name] - 0.1 for name in names])
    shared = [2 if {u, v} == {1, 2} else 0 if 4 in (u, v) else 1 for u, v in edges]
    np.testing.assert_allclose(found.edge_scores, shared)
    # of the other class the opposite, and by default the class that is decided for
    other = explain_graph(triangles_and_edges, graph, as_csr(graph), 0)
    np.testing.assert_allclose(other.edge_scores, -found.edge_scores)
    assert explain_graph(triangles_and_edges, graph, as_csr(graph)).class_index == 1


def test_edges_are_in_the_order_of_the_input():
    ends = np.array([[2, 0, 0, 1, 1, 2, 2, 3], [0, 2, 0, 0, 2, 1, 3, 2]])
    found = explain_graph(triangles_and_edges, (ends, 4), as_csr((ends, 4)), 1)
    # the loop is no edge, and 0 -> 1 is there in one direction alone
    assert found.edge_scores.tolist() == [1, 1, 0, 1, 1, 1, 0, 0]
    np.testing.assert_allclose(found.node_scores, [0.9, 0.9, 0.9, -0.1])


def test_a_graph_of_one_node_has_scores():
    graph = nx.empty_graph(1)
    found = explain_graph(triangles_and_edges, graph, as_csr(graph))
    assert found.node_scores.tolist() == [0] and found.edge_scores.shape == (0,)


@pytest.fixture(scope="module")
def planted():
    data = MotifClassificationDataset(120, settings=PlantingSettings("constant"))
    return data, data.to_pyg()


def areas(explain, data, graphs):
    """Mean areas under the curves of nodes and edges of motifs in some test graphs."""
    found = []
    for number in data.test_idx.tolist()[:6]:
        graph = graphs[number]
        explanation = explain(graph)
        assert explanation.edge_scores.shape == (graph.num_edges,)
        nodes = roc_auc_score(graph.node_mask, explanation.node_scores)
        found.append((nodes, roc_auc_score(graph.edge_mask, explanation.edge_scores)))
    return np.mean(found, axis=0)


def test_a_machine_points_at_planted_motifs(planted):
    data, graphs = planted
    names = np.array(data.motif_names)[data.labels]
    machine = GOMKClassifier(2, 0.3, gamma=3.0, C=10.0)
    machine.fit([graphs[number] for number in data.train_idx], names[data.train_idx])
    assert min(areas(machine.explain, data, graphs)) > 0.85
    graph = graphs[0]
    predicted = machine.predict([graph])[0]
    assert machine.classes_[machine.explain(graph).class_index] == predicted
    with pytest.raises(InputError, match=r"^label must be one of \['book', 'circle', .* got 'cup'"):
        machine.explain(graph, "cup")
    with pytest.raises(InputError, match="^graph must be a single graph, got 2 graphs"):
        machine.explain([graph, graph])


def test_a_network_points_at_planted_motifs(planted):
    data, graphs = planted
    settings = ClassifierSettings.of_options({"preset": "tuned", "num_epochs": 30})
    labelled = LabelledData(as_csr(list(graphs)), data.labels.numpy(), data.motif_names, False)
    network, _ = run_training(settings, labelled, device="cpu")
    assert min(areas(network.explain, data, graphs)) > 0.75
    with pytest.raises(InputError, match="^label must be at most 3, got 4"):
        network.explain(graphs[0], 4)
