"""Classes of nodes: read as a column of any format, learnt by a command, predicted and refused."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from command_line import gomkcn, refused
from graph_files import typed_graph

from gomkcn_dgl import read_graph, write_graph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.dgl_files import write_dgl_graphs
from gomkcn_dgl.io.graph_classes import read_node_classes
from gomkcn_dgl.training.classifier_settings import ClassifierSettings
from gomkcn_dgl.training.labelled_data import read_labelled, stratified_split
from gomkcn_dgl.training.training_run import load_classifier, predict_file

pytestmark = pytest.mark.usefixtures("folder")
QUICK = (
    "--num-epochs 40 --num-hops 1 --filter-size 4 --num-filters 4 --num-levels 1 "
    "--learning-rate 0.05 --dropout 0 --quiet"
)


def rings_and_stars(copies=10):
    """Nodes of rings of five are of one class, those of stars of five of the other."""
    graph = nx.disjoint_union_all([nx.cycle_graph(5), nx.star_graph(4)] * copies)
    return graph, ["ring" if node // 5 % 2 == 0 else "star" for node in graph]


def write_edges(name="g.csv", copies=10, unknown=(), column="class"):
    """A table of edges, and one of nodes with a numeric feature and the classes."""
    graph, classes = rings_and_stars(copies)
    edges = "".join(f"{u},{v}\n" for u, v in graph.edges)
    Path(name).write_text(f"node_1,node_2\n{edges}")
    rows = (
        f"{node},{node % 3},{'' if node in unknown else one}\n" for node, one in enumerate(classes)
    )
    stem = name.removesuffix(".csv")
    Path(f"{stem}.features.csv").write_text(f"id,size,{column}\n{''.join(rows)}")
    return classes


def test_a_run_of_nodes_and_what_it_predicts():
    classes = write_edges(unknown=(3, 7))
    said = gomkcn(f"train g.csv --nodes --out run {QUICK}")
    assert said.splitlines()[0].split() == ["part", "nodes", "accuracy", "baseline"]
    metrics = json.loads(Path("run/run.json").read_text())
    # 98 nodes have a class; 3 is in a ring, 7 in a star
    assert metrics["size"] == {"train": 58, "val": 20, "test": 20}
    assert metrics["classes_of"] == "nodes"
    assert metrics["data"]["num_features"] == 1 and metrics["data"]["num_classes"] == 2
    assert metrics["accuracy"]["test"] == 1.0
    # the settings tell it again, without what is for graphs
    text = Path("run/settings.toml").read_text()
    assert "nodes = true" in text and "pooling" not in text and "batch_size" not in text
    gomkcn("train --settings run/settings.toml --out again --quiet")
    assert Path("again/settings.toml").read_text() == text
    # 1. the classes of all nodes, also where none was given
    gomkcn("predict run g.csv --out predicted.csv")
    table = predict_file(load_classifier("run"), "g.csv").table().columns()
    assert table["node"].tolist() == list(range(100))
    assert table["predicted"].tolist() == classes
    np.testing.assert_allclose(table["probability ring"] + table["probability star"], 1, rtol=1e-5)
    assert Path("predicted.csv").read_text().startswith("node,predicted,probability ring,")
    assert "\n   0  ring  " in gomkcn("predict run g.csv")
    # 2. another graph, with classes or without
    other = write_edges("other.csv", copies=3)
    assert (
        predict_file(load_classifier("run"), "other.csv").table().columns()["predicted"].tolist()
        == other
    )
    Path("other.features.csv").write_text(
        "id,size\n" + "".join(f"{node},{node % 3}\n" for node in range(30))
    )
    assert (
        predict_file(load_classifier("run"), "other.csv").table().columns()["predicted"].tolist()
        == other
    )


def test_nodes_of_several_graphs():
    graphs = []
    for shape in (nx.cycle_graph(5), nx.star_graph(4)) * 6:
        label = np.full(5, int(shape.degree(0) > 2))
        graphs.append(typed_graph(list(shape.to_directed().edges), 5, {"label": label}))
    write_dgl_graphs("several.bin", graphs)
    gomkcn(f"train several.bin --nodes --out run {QUICK}")
    table = predict_file(load_classifier("run"), "several.bin").table().columns()
    assert list(table)[:3] == ["graph", "node", "predicted"]
    assert table["graph"].tolist() == [node // 5 for node in range(60)]
    assert table["predicted"].tolist() == [str(node // 5 % 2) for node in range(60)]


def test_a_run_of_nodes_has_a_page():
    write_edges()
    gomkcn(f"train g.csv --nodes --out run {QUICK} --num-epochs 1")
    assert gomkcn("explain run").splitlines()[0].startswith("node ")
    said = gomkcn("report run")
    assert "nodes" in said and "page: run/explanation/explanation.html" in said


def dgl_file():
    graph, classes = rings_and_stars(4)
    numbers = np.array([["ring", "star"].index(one) for one in classes])
    nodes = {"feat": np.random.default_rng(0).random((len(graph), 2)), "label": numbers}
    pairs = list(nx.convert_node_labels_to_integers(graph).to_directed().edges)
    write_dgl_graphs("g.bin", [typed_graph(pairs, len(graph), nodes)])
    return "g.bin", "label", ("0", "1"), ("feat0", "feat1")


def graphml_file():
    graph, classes = rings_and_stars(4)
    nx.set_node_attributes(graph, dict(enumerate(classes)), "team")
    nx.write_graphml(graph, "g.graphml")
    return "g.graphml", "team", ("ring", "star"), ("constant",)


def graph_folder():
    write_edges(copies=4)
    write_graph("g.graph", read_graph("g.csv"))
    return "g.graph", "class", ("ring", "star"), ("size",)


def node_table():
    write_edges(copies=4, column="kind")
    return "g.csv", "kind", ("ring", "star"), ("size",)


@pytest.mark.parametrize("made", [dgl_file, graphml_file, graph_folder, node_table])
def test_classes_are_a_column_and_no_feature(made):
    path, column, names, features = made()
    graph, classes = read_node_classes(path, class_column=column)
    assert (classes.names, len(classes.labels)) == (names, 40)
    assert classes.labels.tolist() == [int(node // 5 % 2) for node in range(40)]
    assert graph.feature_names == features or len(features) == graph.features.shape[1]
    assert not any(column in note for note in graph.notes)


def test_usual_columns_are_found_and_names_are_given():
    write_edges(column="label")
    Path("g.classes.csv").write_text("label,name\nring,round\n")
    assert read_labelled("g.csv", nodes=True).class_names == ("round", "star")
    # a column of numbers may have gaps, too
    Path("g.features.csv").write_text(
        "id,y\n" + "".join(f"{node},{'' if node < 3 else node % 4}\n" for node in range(100))
    )
    Path("g.classes.csv").unlink()
    data = read_labelled("g.csv", nodes=True)
    assert data.class_names == ("0", "1", "2", "3")
    assert data.labels[:5].tolist() == [-1, -1, -1, 3, 0]
    assert data.graph.feature_names == ("constant",)
    split = stratified_split(data.labels)
    assert len(np.concatenate(split)) == 97 and min(map(min, split)) == 3


def test_what_cannot_be_learnt_of_nodes_is_refused():
    Path("plain.txt").write_text("0 1\n1 2\n")
    write_edges(column="team")
    named = "g.csv --class-column team"
    for options, sentence in {
        "plain.txt": "plain.txt: its nodes have no classes; an attribute of nodes, or a column",
        "g.csv": "g.csv: its nodes have no classes; an attribute of nodes,",
        "g.csv --class-column weight": "g.csv: --class-column must be an attribute of its nodes",
        f"{named} --pooling sum": "--pooling is for the classes of graphs; leave it out for nodes",
        f"{named} --batch-size 4": "--batch-size is for the classes of graphs; leave it out for",
        f"{named} --method kernel": "--method must be 'network' for the classes of nodes, got",
        f"{named} --features size,team": "g.csv: --features must not name the column",
    }.items():
        assert refused(f"train {options} --nodes --out run --quiet").startswith(sentence), options
    for row, reason in {
        "0.5": "there are real numbers, such as 0.5",
        "a": "there is one class only, 'a'",
        "n{node}": "each has one of its own, such as 'n0'",
    }.items():
        every = "".join(f"{node},{row.format(node=node)}\n" for node in range(100))
        Path("g.features.csv").write_text(f"id,class\n{every}")
        with pytest.raises(InputError, match=f"its nodes must have two or more .*, and {reason}"):
            read_labelled("g.csv", nodes=True)


def test_nodes_have_settings_of_their_own():
    write_edges()
    gomkcn(f"train g.csv --nodes --out run {QUICK} --num-epochs 1")
    settings = ClassifierSettings().read("run/settings.toml")
    assert settings.data.split == (0.6, 0.2, 0.2)
    assert load_classifier("run").model.pooling is None
