"""`gomkcn train`: data of every kind, its splits, its folder, resuming, and what it refuses."""

import json
import os
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from command_line import gomkcn, invoke, refused
from graph_files import write_tu

from gomkcn_dgl import GOMKKernel, as_csr
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.io.dgl_file import write_dgl_graphs
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.output_folder import lock_folder
from gomkcn_dgl.training.labelled_data import (
    PARTS,
    LabelledData,
    Split,
    baseline_of,
    read_labelled,
    stratified_split,
)
from gomkcn_dgl.training.train_settings import read_train_settings
from gomkcn_dgl.training.training_run import load_classifier

pytestmark = pytest.mark.usefixtures("folder")

QUICK = "--epochs 2 --hops 1 --size 4 --filters 2 --levels 1 --quiet"
# the filters of nodes are the classes
NODES = QUICK.replace("--filters 2 ", "")
WALKS = "--hops 1 --size 3 --filters 2 --levels 1 --quiet --dropout 0.3"
RUN_FILES = ["checkpoint.pt", "explanation", "metrics.json", "settings.toml"]


def rings_and_stars():
    graphs = [nx.cycle_graph(5), nx.star_graph(4)] * 10
    return [dgl.from_networkx(graph) for graph in graphs], torch.tensor([0, 1] * 10)


def write_graphs(path="graphs.bin", **labels):
    graphs, classes = rings_and_stars()
    dgl.save_graphs(path, graphs, {"labels": classes, **labels})
    return path


def write_nodes(path="nodes.bin", **masks):
    """Ten rings and ten stars in one graph; a node's class is which of both it is in."""
    graphs, classes = rings_and_stars()
    graph = dgl.batch(graphs)
    graph.ndata["label"] = classes.repeat_interleave(5)
    graph.ndata.update(masks)
    graph.set_batch_num_nodes(torch.tensor([graph.num_nodes()]))
    graph.set_batch_num_edges(torch.tensor([graph.num_edges()]))
    dgl.save_graphs(path, [graph])
    return path


def metrics_of(run):
    return json.loads(Path(run, "metrics.json").read_text())


def assert_same_run(one, other):
    """All but times and machine are equal, and no checkpoint is left."""
    metrics = metrics_of(one), metrics_of(other)
    for record in metrics:
        del record["seconds"], record["provenance"]
    assert metrics[0] == metrics[1]
    states = [torch.load(Path(run, "checkpoint.pt"), weights_only=True) for run in (one, other)]
    for name, value in states[0]["model"].items():
        assert torch.equal(value, states[1]["model"][name])
    assert sorted(path.name for path in Path(one).iterdir()) == RUN_FILES


def test_a_run_of_graphs_writes_its_folder():
    said = gomkcn(f"train {write_graphs()} --out run {QUICK} --layers 2")
    assert sorted(path.name for path in Path("run").iterdir()) == RUN_FILES
    metrics = metrics_of("run")
    assert metrics["size"] == {"train": 16, "val": 2, "test": 2}
    assert set(metrics["accuracy"]) == {"train", "val", "test"}
    assert list(metrics["data"].values()) == ["graph", 20, 100, 90, 1, 2]
    assert len(metrics["history"]["train_loss"]) == metrics["epochs"] == 2
    lines = [line.split()[:2] for line in said.splitlines()]
    assert lines[:3] == [["part", "graphs"], ["train", "16"], ["validation", "2"]]
    state = torch.load("run/checkpoint.pt", weights_only=True)
    classifier = load_classifier("run")
    for name, value in classifier.model.state_dict().items():
        assert torch.equal(value, state["model"][name])


def test_settings_give_the_same_run_again():
    options = "--dropout 0.1 --input-dropout 0.3 --hidden 3 --tau 0.7"
    gomkcn(f"train {write_graphs()} --out a {QUICK} --seed 3 --split 0.6,0.2,0.2 {options}")
    gomkcn("train --settings a/settings.toml --out b --quiet")
    assert metrics_of("a")["history"] == metrics_of("b")["history"]
    assert Path("a/settings.toml").read_text() == Path("b/settings.toml").read_text()
    # an option wins over the file
    gomkcn("train --settings a/settings.toml --out c --quiet --seed 4 --levels 2")
    settings = read_train_settings("c/settings.toml")
    assert settings.training.seed == 4
    assert settings.model.make_kernel() == GOMKKernel(2, tau=0.7)


def test_a_run_of_nodes():
    said = gomkcn(f"train {write_nodes()} --out run {NODES} --init random")
    assert said.splitlines()[0].split() == ["part", "nodes", "accuracy", "baseline"]
    assert metrics_of("run")["size"]["train"] == 80
    classifier = load_classifier("run")
    assert classifier.settings.model.make_kernel() == GOMKKernel(1, padding="mask")
    # features that never vary bypass the input layer
    assert torch.equal(classifier.model.input(torch.ones(2, 1)), torch.ones(2, 1))


def test_bonds_of_a_tu_folder():
    """Filters tell bonds apart, unless these are left out."""
    graphs, classes = [nx.cycle_graph(4)] * 12, [0, 1] * 6
    # of each ring, edges in the order that the folder has; all alike, or one of each two
    kinds = [kind if kind == 0 else int((u + v) % 4 == 1) for kind in classes
             for u, v in graphs[0].to_directed().edges]  # fmt: skip
    write_tu("TU", graphs, classes, edge_labels=kinds)
    gomkcn(f"train TU --out run {QUICK} --split 0.5,0.25,0.25")
    classifier = load_classifier("run")
    assert classifier.settings.model.relations == {"edge=0": False, "edge=1": False}
    gomkcn(f"train TU --out none {QUICK} --split 0.5,0.25,0.25 --relation none")
    classifier = load_classifier("none")
    assert (classifier.settings.model.relations, classifier.settings.data.relation) == ({}, "none")
    assert metrics_of("none")["accuracy"]["train"] == 0.5


def test_a_tu_folder():
    rows = [f"{node}.5, {node % 2}" for node in range(24)]
    write_tu("TU", [nx.path_graph(3), nx.cycle_graph(3)] * 4, [0, 1] * 4, node_attributes=rows)
    gomkcn(f"train TU --out run {QUICK} --split 0.5,0.25,0.25 --pooling sum")
    classifier, data = load_classifier("run"), read_labelled("TU")
    nodes = data.nodes_of(classifier.split.train)
    # the first column is scaled over the training part; the second is 0 and 1 and stays
    scaled = classifier.collection(data.graph).feat.numpy()
    np.testing.assert_allclose(scaled[nodes, 0].mean(), 0, atol=1e-5)
    np.testing.assert_allclose(scaled[nodes, 0].std(), 1, atol=1e-5)
    assert set(scaled[:, 1].tolist()) == {0.0, 1.0}


def test_rows_may_be_scaled_to_a_sum_of_one():
    gomkcn(f"train {write_nodes()} --out run {NODES} --scaling rows")
    classifier, graph = load_classifier("run"), read_labelled("nodes.bin").graph
    words = replace(graph, features=np.eye(100, 1, dtype=np.float32) * 3)
    assert classifier.collection(words).feat.sum(dim=1).tolist() == [1.0, *[0.0] * 99]


@pytest.mark.parametrize(("write", "count"), [(write_nodes, 100), (write_graphs, 20)])
def test_masks_in_the_file_are_the_split(write, count):
    parts = enumerate(("train", "val", "test"))
    path = write(**{f"{part}_mask": torch.arange(count) % 3 == k for k, part in parts})
    split = read_labelled(path).split
    assert [set((part % 3).tolist()) for part in split] == [{0}, {1}, {2}]


def test_a_split_has_the_same_share_of_each_class():
    labels = np.repeat([0, 1, 2], [50, 30, 20])
    split = stratified_split(labels, (0.6, 0.2, 0.2), seed=1)
    for part, share in zip(split, (0.6, 0.2, 0.2), strict=True):
        assert np.bincount(labels[part]).tolist() == [50 * share, 30 * share, 20 * share]
    assert sorted(np.concatenate(split).tolist()) == list(range(100))
    again, other = (stratified_split(labels, (0.6, 0.2, 0.2), seed) for seed in (1, 2))
    assert np.array_equal(split.train, again.train)
    assert not np.array_equal(split.train, other.train)


def test_the_baseline_answers_what_is_most_frequent_in_training():
    labels = np.repeat(["few", "many"], [4, 16])
    data = LabelledData(
        as_csr([nx.path_graph(2)] * 20),
        (labels == "many") * 1,
        "graph",
        class_names=("few", "many"),
    )
    # 3 of 5, 1 of 5 and none of 10
    split = Split(np.r_[0:3, 4:6], np.r_[3, 6:10], np.r_[10:20])
    shares = {"train": 3 / 5, "val": 1 / 5, "test": 0.0}
    assert baseline_of(data, split) == {"answer": "few", "accuracy": shares}


def interrupted(command):
    """Run a command line that a signal stops after its first epoch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Interrupts, "agree", lambda self: "SIGTERM")
        result = invoke(command)
    assert result.exit_code == 143
    return result.stderr


def test_a_stopped_command_is_resumed():
    command = f"train {write_graphs()} --epochs 3 {WALKS}"
    gomkcn(f"{command} --out whole")
    for epoch in (1, 2):
        said = interrupted(f"{command} --out run --resume")
        assert said == f"gomkcn: stopped by SIGTERM after epoch {epoch}; go on with --resume.\n"
        assert [path.name for path in Path("run").iterdir()] == ["unfinished"]
    gomkcn(f"{command} --out run --resume")
    assert_same_run("run", "whole")
    # a job that is started again and again reports that
    said = gomkcn(f"{command} --out run --resume")
    assert said == "nothing to resume: the run is finished, run/metrics.json\n"


def test_an_unfinished_run_is_neither_lost_nor_mixed_with_another():
    path = write_graphs()
    command = f"train {path} --out run --epochs 3 {WALKS}"
    interrupted(command)
    assert "already holds an unfinished run" in refused(command)
    assert "(learning_rate was 0.01, is 0.5); give" in refused(f"{command} --lr 0.5 --resume")
    with lock_folder("run"):
        assert refused(command).startswith(f"--out folder 'run' is in use by process {os.getpid()}")
    # the same data elsewhere are the same data
    Path(path).rename("moved.bin")
    again = f"train moved.bin --out run --epochs 3 {WALKS}"
    gomkcn(f"{again} --resume")
    assert "already holds a run (metrics.json); choose another" in refused(again)
    first = Path("run/metrics.json").read_bytes()
    gomkcn(f"{again} --lr 0.5 --force")
    assert Path("run/metrics.json").read_bytes() != first


def test_a_time_limit_marks_the_run_as_partial():
    command = f"train {write_graphs()} --epochs 3 {WALKS}"
    gomkcn(f"{command} --out whole")
    said = gomkcn(f"{command} --out run --time-limit 0.001")
    assert said.splitlines()[7].startswith("partial: the time limit came before the last epoch")
    metrics = metrics_of("run")
    assert (metrics["partial"], metrics["epochs"]) == (True, 1)
    gomkcn(f"{command} --out run --resume")
    assert_same_run("run", "whole")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("graphs.bin --split 0.8,0.1", "--split must be three shares "),
        ("graphs.bin --split 0.8,0.1,0.2", "--split must sum to at most 1"),
        ("graphs.bin --split 0.9,0.09,0.01", "--split leaves nothing for test"),
        ("graphs.bin --lr 1e7", "--lr must be at most 1e+06"),
        ("graphs.bin --task node", "graphs.bin: there is no 'label' with a class for each node; "),
        (f"nodes.bin {NODES} --pooling sum", "--pooling is for classifiers of graphs"),
        (f"nodes.bin {NODES} --batch-size 3", "--batch-size is for classifiers of graphs"),
        (f"nodes.bin {NODES} --filters 9", "--filters must be left out where the only layer has"),
        (f"nodes.bin {NODES} --dropout 0.5", "--dropout must be left out where the only layer"),
    ],
)
def test_bad_options(command, sentence):
    write_graphs()
    write_nodes()
    assert refused(f"train {command} --out run --quiet").startswith(sentence)
    assert not Path("run/metrics.json").exists()


def test_bad_data():
    graphs, classes = rings_and_stars()
    Path("graph.txt").write_text("0 1\n1 2\n")
    write_dgl_graphs("none.bin", graphs)
    write_dgl_graphs("one.bin", graphs, torch.zeros(20, dtype=torch.int64))
    for graph in graphs:
        graph.ndata["label"] = torch.arange(5)
    write_dgl_graphs("both.bin", graphs, classes)
    for path, said in {
        "graph.txt": "graph.txt: classes are read from a TU folder or a DGL .bin.",
        "none.bin": "none.bin: it has no classes",
        "one.bin": "one.bin: there must be at least 2 classes, got 1.",
        "both.bin": "both.bin: both its graphs and its nodes have classes; task must say which.",
    }.items():
        assert refused(f"train {path} --out run --quiet").startswith(said)
    assert refused("train --out run --quiet").startswith("PATH of a data set must be given")
    Path("s.toml").write_text("[model.kernel]\ntau = {a = 1}\n")
    said = refused("train --settings s.toml --out run")
    assert said.startswith("--tau in settings file 's.toml' must be")


def write_directed(path="directed.bin"):
    graphs = [dgl.graph(([0, 1, 2, 3], [1, 2, 3, 0])) for _ in range(20)]
    dgl.save_graphs(path, graphs, {"labels": torch.tensor([0, 1] * 10)})
    return path


def test_what_follows_from_the_data_follows_from_it_anew():
    gomkcn(f"train {write_directed()} --out run {QUICK}")
    assert load_classifier("run").settings.model.relations == {"edge": True}
    gomkcn("train --settings run/settings.toml --undirected --size 5 --out other --quiet")
    model = load_classifier("other").settings.model
    assert (model.relations, model.max_nodes) == ({}, 5)
    gomkcn("predict other directed.bin")
    # relations that a settings file names stay, whatever the path
    Path("own.toml").write_text("[model.relations]\nedge = true\nlater = false\n")
    gomkcn(f"train directed.bin --settings own.toml --out third {QUICK}")
    relations = load_classifier("third").settings.model.relations
    assert relations == {"edge": True, "later": False}


def test_masks_of_another_length_are_refused():
    masks = {f"{part}_mask": torch.arange(40) % 3 == k for k, part in enumerate(PARTS)}
    said = refused(f"train {write_graphs(**masks)} --out run {QUICK}")
    assert "train_mask must have 20 rows, as the classes, got 40" in said


def test_a_graph_without_nodes_is_not_drawn():
    graphs, classes = rings_and_stars()
    dgl.save_graphs(
        "graphs.bin", [dgl.graph(([], []), num_nodes=0), *graphs[1:]], {"labels": classes}
    )
    gomkcn(f"train graphs.bin --out run {QUICK}")
    said = refused("explain run --graphs 0")
    assert said == "graph 0 has 0 nodes; 1 to 400 can be drawn."


def test_a_run_of_other_edges_is_not_gone_on_with():
    """The same graphs with other types of their edges."""
    graphs, classes = [nx.cycle_graph(4)] * 12, [0, 1] * 6
    own = " --split 0.5,0.25,0.25"
    write_tu("TU", graphs, classes, edge_labels=[edge % 2 for edge in range(96)])
    gomkcn(f"train TU --out run {QUICK}{own} --time-limit 0.001")
    assert metrics_of("run")["partial"]
    rows = [int(edge % 3 == 0) for edge in range(96)]
    Path("TU/TU_edge_labels.txt").write_text("".join(f"{row}\n" for row in rows))
    said = refused(f"train TU --out run {QUICK}{own} --resume")
    assert "data" in said and "start anew" in said
