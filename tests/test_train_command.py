"""`gomkcn train`: data of every kind, its splits, the folder it writes, and what it refuses."""

import json
import pickle
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import torch
from command_line import gomkcn, refused

from gomkcn_dgl import as_csr
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.io.dgl_file import read_dgl_columns
from gomkcn_dgl.io.reading import write_dgl_graphs
from gomkcn_dgl.training.labelled_data import LabelledData, read_labelled
from gomkcn_dgl.training.splits import stratified_split
from gomkcn_dgl.training.train_settings import TrainSettings, read_train_settings
from gomkcn_dgl.training.training_run import load_classifier, run_training

pytestmark = pytest.mark.usefixtures("folder")

QUICK = "--epochs 2 --hops 1 --size 4 --filters 2 --levels 1 --quiet"


def rings_and_stars(count=20):
    graphs = [nx.cycle_graph(5), nx.star_graph(4)] * (count // 2)
    return [dgl.from_networkx(graph) for graph in graphs], torch.tensor([0, 1] * (count // 2))


def write_graphs(path="graphs.bin", **labels):
    graphs, classes = rings_and_stars()
    dgl.save_graphs(path, graphs, {"labels": classes, **labels})
    return path


def write_nodes(path="nodes.bin", masks=()):
    """Ten rings and ten stars in one graph; a node's class is which of both it is in."""
    graphs, classes = rings_and_stars()
    graph = dgl.batch(graphs)
    graph.ndata["label"] = classes.repeat_interleave(5)
    for name, mask in masks:
        graph.ndata[name] = mask
    graph.set_batch_num_nodes(torch.tensor([graph.num_nodes()]))
    graph.set_batch_num_edges(torch.tensor([graph.num_edges()]))
    dgl.save_graphs(path, [graph])
    return path


def write_tu(name="TU"):
    """Four rings of 3 and four chains of 3."""
    Path(name).mkdir()
    edges, owner = [], []
    for graph in range(8):
        first = 3 * graph + 1
        edges += [(first, first + 1), (first + 1, first + 2)]
        edges += [(first, first + 2)] if graph % 2 else []
        owner += [graph + 1] * 3
    lines = [f"{u}, {v}\n{v}, {u}\n" for u, v in edges]
    Path(name, f"{name}_A.txt").write_text("".join(lines))
    Path(name, f"{name}_graph_indicator.txt").write_text("".join(f"{g}\n" for g in owner))
    Path(name, f"{name}_graph_labels.txt").write_text("".join(f"{g % 2}\n" for g in range(8)))
    attributes = "".join(f"{node}.5, {node % 2}\n" for node in range(24))
    Path(name, f"{name}_node_attributes.txt").write_text(attributes)
    return name


def write_planetoid(name="planetoid", **changed):
    """A ring of 12 nodes: 4 to train, 6 more known, 2 to test; the last two test rows swapped."""
    Path(name).mkdir()
    rows = np.eye(12, 5, dtype=np.float32) + 1
    one_hot = np.eye(2, dtype=np.int32)[np.arange(12) % 2]
    parts = {
        "x": sp.csr_matrix(rows[:4]),
        "allx": sp.csr_matrix(rows[:10]),
        "tx": sp.csr_matrix(rows[[11, 10]]),
        "y": one_hot[:4],
        "ally": one_hot[:10],
        "ty": one_hot[[11, 10]],
        "graph": {node: [(node + 1) % 12, (node - 1) % 12] for node in range(12)},
    }
    for part, value in {**parts, **changed}.items():
        text = pickle.dumps(value, protocol=3)
        # the names that the real files hold, which were written long ago
        text = text.replace(b"scipy.sparse._csr", b"scipy.sparse.csr")
        text = text.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
        Path(name, f"ind.tiny.{part}").write_bytes(text)
    Path(name, "ind.tiny.test.index").write_text("11\n10\n")
    return name


# ---------------------------------------------------------------- runs


def test_a_run_of_graphs_writes_its_folder():
    said = gomkcn(f"train {write_graphs()} --out run {QUICK}")
    assert sorted(path.name for path in Path("run").iterdir()) == [
        "checkpoint.pt",
        "metrics.json",
        "settings.toml",
    ]
    metrics = json.loads(Path("run/metrics.json").read_text())
    assert metrics["size"] == {"train": 16, "val": 2, "test": 2}
    assert set(metrics["accuracy"]) == {"train", "val", "test"}
    assert metrics["data"] == {
        "task": "graph",
        "num_graphs": 20,
        "num_nodes": 100,
        "num_edges": 90,
        "num_features": 1,
        "num_classes": 2,
    }
    assert len(metrics["history"]["train_loss"]) == metrics["epochs"] == 2
    assert metrics["provenance"]["seed"] == 0
    lines = said.splitlines()
    assert lines[0].split() == ["part", "graphs", "accuracy"]
    assert [line.split()[:2] for line in lines[1:4]] == [
        ["train", "16"],
        ["validation", "2"],
        ["test", "2"],
    ]
    assert lines[5].startswith(f"best epoch {metrics['best_epoch']} of 2, ")


def test_it_learns_and_stops_early():
    gomkcn(
        f"train {write_graphs()} --out run --epochs 60 --patience 5 --lr 0.1 --hops 2 "
        "--size 5 --filters 2 --split 0.6,0.2,0.2 --quiet"
    )
    metrics = json.loads(Path("run/metrics.json").read_text())
    assert metrics["accuracy"] == {"train": 1, "val": 1, "test": 1}
    assert metrics["epochs"] in (60, metrics["best_epoch"] + 5)


def test_the_checkpoint_is_plain_and_gives_the_model_back():
    gomkcn(f"train {write_graphs()} --out run {QUICK} --kernel rwk+ --layers 2")
    state = torch.load("run/checkpoint.pt", weights_only=True)
    assert sorted(state) == ["model", "num_classes", "offset", "split", "spread"]
    classifier = load_classifier("run")
    assert classifier.settings.model.kernel == "rwk+"
    for name, value in classifier.model.state_dict().items():
        assert torch.equal(value, state["model"][name])


def test_settings_give_the_same_run_again():
    drop = "--dropout 0.1 --input-dropout 0.3 --hidden 3"
    gomkcn(f"train {write_graphs()} --out a {QUICK} --seed 3 --split 0.6,0.2,0.2 {drop}")
    gomkcn("train --settings a/settings.toml --out b --quiet")
    a, b = (json.loads(Path(run, "metrics.json").read_text()) for run in "ab")
    assert a["history"] == b["history"]
    assert Path("a/settings.toml").read_text() == Path("b/settings.toml").read_text()
    # an option wins over the file
    gomkcn("train --settings a/settings.toml --out c --quiet --seed 4")
    assert read_train_settings("c/settings.toml").training.seed == 4


def test_what_generate_classification_writes():
    gomkcn("generate classification --out motifs.bin --graphs 40 --nodes 8")
    gomkcn(f"train motifs.bin --out run {QUICK}")
    data = read_labelled("motifs.bin")
    assert (data.task, data.num_classes, len(data.labels)) == ("graph", 4, 40)
    assert data.truth.sum() == 40 * 6
    assert read_train_settings("run/settings.toml").model.hidden_feats == 3


def test_features_that_never_vary_go_past_the_input_layer():
    gomkcn("generate classification --out motifs.bin --graphs 40 --nodes 8 --features constant")
    gomkcn(f"train motifs.bin --out run {QUICK}")
    assert read_train_settings("run/settings.toml").model.hidden_feats == 0
    model = load_classifier("run").model
    assert torch.equal(model.input(torch.ones(2, 1)), torch.ones(2, 1))


@pytest.mark.parametrize("kernel", ["gomk", "random-walk", "deep-random-walk", "rwk+"])
def test_nodes_with_every_kernel(kernel):
    said = gomkcn(f"train {write_nodes()} --out run {QUICK} --kernel {kernel} --init random")
    assert said.splitlines()[0].split() == ["part", "nodes", "accuracy"]
    assert json.loads(Path("run/metrics.json").read_text())["size"]["train"] == 80


def test_a_tu_folder():
    gomkcn(f"train {write_tu()} --out run {QUICK} --split 0.5,0.25,0.25 --pooling sum")
    classifier = load_classifier("run")
    data = read_labelled("TU")
    nodes = data.nodes_of(classifier.split.train)
    # the first column is scaled over the training part; the second is 0 and 1 and stays
    scaled = classifier.collection(data.graph).feat.numpy()
    np.testing.assert_allclose(scaled[nodes, 0].mean(), 0, atol=1e-5)
    np.testing.assert_allclose(scaled[nodes, 0].std(), 1, atol=1e-5)
    assert set(scaled[:, 1].tolist()) == {0.0, 1.0}


def test_a_planetoid_folder_and_its_public_split():
    gomkcn(f"train {write_planetoid()} --out run {QUICK}")
    classifier, data = load_classifier("run"), read_labelled("planetoid")
    assert [part.tolist() for part in classifier.split] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7, 8, 9],
        [10, 11],
    ]
    assert data.labels.tolist() == [0, 1] * 6
    assert classifier.settings.data.scaling == "rows"
    sums = classifier.collection(data.graph).feat.sum(dim=1)
    torch.testing.assert_close(sums, torch.ones(12))
    gomkcn(f"train planetoid --out other {QUICK} --split 0.5,0.2,0.3")
    assert [len(part) for part in load_classifier("other").split] == [6, 2, 4]


def test_masks_in_the_file_are_the_split():
    masks = [
        (f"{part}_mask", torch.arange(100) % 3 == k) for k, part in enumerate(("train", "val"))
    ]
    masks.append(("test_mask", torch.arange(100) % 3 == 2))
    gomkcn(f"train {write_nodes(masks=masks)} --out run {QUICK}")
    split = load_classifier("run").split
    assert [set((part % 3).tolist()) for part in split] == [{0}, {1}, {2}]
    assert read_train_settings("run/settings.toml").data.split is None
    # those of graphs stand among the labels
    ours = {f"{part}_mask": torch.arange(20) // 7 == k for k, part in enumerate(("train", "val"))}
    write_graphs("masked.bin", **ours, test_mask=torch.arange(20) // 7 == 2)
    assert [part.tolist() for part in read_labelled("masked.bin").split] == [
        list(range(7)),
        list(range(7, 14)),
        list(range(14, 20)),
    ]


# ---------------------------------------------------------------- parts


def test_columns_of_a_dgl_file():
    graphs, classes = rings_and_stars(4)
    for graph in graphs:
        graph.ndata["role"] = torch.arange(5)
    graphs[0].ndata["only here"] = torch.arange(5)
    write_dgl_graphs("graphs.bin", graphs, classes)
    columns = read_dgl_columns(Path("graphs.bin"))
    assert columns.graph_labels["labels"].tolist() == [0, 1, 0, 1]
    assert list(columns.node_data) == ["role"]
    assert columns.node_data["role"].tolist() == [0, 1, 2, 3, 4] * 4


def test_a_split_keeps_the_share_of_each_class():
    labels = np.repeat([0, 1, 2], [50, 30, 20])
    split = stratified_split(labels, (0.6, 0.2, 0.2), seed=1)
    for part, share in zip(split, (0.6, 0.2, 0.2), strict=True):
        assert np.bincount(labels[part]).tolist() == [50 * share, 30 * share, 20 * share]
    assert sorted(np.concatenate(split).tolist()) == list(range(100))
    again, other = (stratified_split(labels, (0.6, 0.2, 0.2), seed) for seed in (1, 2))
    assert np.array_equal(split.train, again.train)
    assert not np.array_equal(split.train, other.train)


def test_a_run_leaves_the_global_generator_alone():
    graphs = as_csr([nx.cycle_graph(5), nx.star_graph(4)] * 10)
    data = LabelledData(graphs, np.array([0, 1] * 10), "graph")
    before = torch.random.get_rng_state()
    settings = TrainSettings().override({"num_epochs": 1, "num_hops": 1, "filter_size": 3})
    run_training(settings, data)
    assert torch.equal(before, torch.random.get_rng_state())


# ---------------------------------------------------------------- refused


def test_a_run_is_overwritten_with_force_alone():
    path = write_graphs()
    gomkcn(f"train {path} --out run {QUICK}")
    first = Path("run/metrics.json").read_bytes()
    sentence = refused(f"train {path} --out run {QUICK} --seed 1")
    assert sentence == (
        "--out folder 'run' already holds a run (metrics.json); "
        "choose another, or overwrite it with --force."
    )
    assert Path("run/metrics.json").read_bytes() == first
    gomkcn(f"train {path} --out run {QUICK} --seed 1 --force")
    assert Path("run/metrics.json").read_bytes() != first


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--kernel wl", "--kernel must be one of 'deep-random-walk', 'gomk', 'random-walk', "),
        ("--init best", "--init must be one of 'classes', 'random', got 'best'."),
        ("--pooling min", "--pooling must be one of 'max', 'mean', 'sum', got 'min'."),
        ("--scaling all", "--scaling must be one of 'none', 'rows', 'standard', got 'all'."),
        ("--split 0.8,0.1", "--split must be three shares such as 0.8,0.1,0.1, got 2."),
        ("--split most", "--split must be shares such as 0.8,0.1,0.1, got 'most'."),
        ("--split 0.8,0.1,0.2", "--split must sum to at most 1, got 1.1."),
        ("--split 0.9,0.09,0.01", "--split leaves nothing for test; give it a larger share."),
        ("--epochs -1", "--epochs must be at least 0, got -1."),
        ("--patience 0", "--patience must be at least 1, got 0."),
        ("--lr 0", "--lr must be greater than 0, got 0."),
        ("--dropout 2", "--dropout must be at most 1, got 2."),
        ("--hidden -1", "--hidden must be at least 0, got -1."),
        ("--seed -1", "--seed must be at least 0, got -1."),
        ("--task edge", "--task must be one of 'graph', 'node', got 'edge'."),
        ("--task node", "graphs.bin: there is no 'label' with a class for each node; "),
        ("--node-label kind", "graphs.bin: there is no 'kind' with a class for each node; "),
    ],
)
def test_bad_options(options, sentence):
    write_graphs()
    assert refused(f"train graphs.bin --out run --quiet {options}").startswith(sentence)
    assert not Path("run/metrics.json").exists()


def test_bad_data():
    graphs, classes = rings_and_stars()
    Path("graph.txt").write_text("0 1\n1 2\n")
    write_dgl_graphs("none.bin", graphs)
    write_dgl_graphs("one.bin", graphs, torch.zeros(20, dtype=torch.int64))
    write_dgl_graphs("half.bin", graphs, torch.full((20,), 0.5))
    for graph in graphs:
        graph.ndata["label"] = torch.arange(5)
    write_dgl_graphs("both.bin", graphs, classes)
    for path, said in {
        "graph.txt": "graph.txt: classes are read from a TU folder, a Planetoid folder or a DGL",
        "gone.bin": "gone.bin: path must name a file or a folder that exists",
        "none.bin": "none.bin: it has no classes: neither labels of graphs nor 'label' in ndata",
        "one.bin": "one.bin: there must be at least 2 classes, got 1.",
        "half.bin": "half.bin: labels must be whole numbers.",
        "both.bin": "both.bin: both its graphs and its nodes have classes; task must say which.",
    }.items():
        assert refused(f"train {path} --out run --quiet").startswith(said)
    assert refused("train --out run --quiet").startswith("PATH of a data set must be given")
    gomkcn(f"train both.bin --task graph --out run {QUICK}")


def test_bad_planetoid_folders():
    write_planetoid("short", ty=np.eye(2, dtype=np.int32))
    assert "short" not in refused("train short --task graph --out run").partition(":")[2]
    Path("short/ind.tiny.tx").write_bytes(b"not a pickle")
    assert refused("train short --out run").startswith("short: ind.tiny.tx cannot be read (")
    Path("short/ind.tiny.tx").unlink()
    assert refused("train short --out run") == (
        "short: a Planetoid folder must hold one file ind.NAME.tx, got none."
    )
    write_planetoid("apart", tx=sp.csr_matrix(np.ones((7, 5), dtype=np.float32)))
    assert refused("train apart --out run").startswith("apart: the Planetoid files do not go ")
    write_planetoid("partial")
    Path("partial/ind.tiny.allx").unlink()
    assert refused("train partial --out run").startswith("partial: the features of 6 of its 12 ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[model]\nfilters = 3\n", "[model] of settings file 's.toml' has the unknown name"),
        ("[model]\nnum_filters = 'few'\n", "--filters in settings file 's.toml' has the wrong"),
        ("[data]\nsplit = [0.8, 'rest']\n", "--split in settings file 's.toml' has the wrong type"),
        ("[miner]\n", "settings file 's.toml' has the unknown name 'miner'"),
    ],
)
def test_bad_settings_files(text, said):
    Path("s.toml").write_text(text)
    assert refused("train --settings s.toml --out run").startswith(said)
