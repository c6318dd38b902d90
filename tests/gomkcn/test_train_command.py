"""`gomkcn train` and `run_training`: data of every kind, splits, the folder, resuming, refusals."""

import json
import os
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from command_line import gomkcn, invoke, refused
from graph_files import typed_graph, write_tu

from gomkcn_dgl import GOMKKernel, as_csr
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.dgl_files import write_dgl_graphs
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.output_folder import lock_folder
from gomkcn_dgl.runtime.run import Work
from gomkcn_dgl.training.classifier_settings import ClassifierSettings
from gomkcn_dgl.training.classifiers import TrainedNetwork
from gomkcn_dgl.training.labelled_data import (
    LabelledData,
    Split,
    baseline_of,
    read_labelled,
    stratified_split,
)
from gomkcn_dgl.training.training_loop import TrainingSettings
from gomkcn_dgl.training.training_run import (
    load_classifier,
    predict_file,
    read_training_data,
    run_training,
)

pytestmark = pytest.mark.usefixtures("folder")
QUICK = "--num-epochs 2 --num-hops 1 --filter-size 4 --num-filters 2 --num-levels 1 --quiet"
SETTINGS = {"num_epochs": 2, "num_hops": 1, "filter_size": 4, "num_levels": 1}
RUN_FILES = ["checkpoint.pt", "explanation", "run.json", "settings.toml"]


def trained(path, settings=None, **options):
    """What is trained, without a folder, from a file or what a settings file names."""
    settings = settings or ClassifierSettings().override({"path": path, **SETTINGS})
    settings = settings.override(options)
    return run_training(settings, read_training_data(settings.data))[0]


def write_graphs(name="TU", **columns):
    graphs = [nx.cycle_graph(5), nx.star_graph(4)] * 10
    return write_tu(name, graphs, [0, 1] * 10, **columns)


def metrics_of(run):
    return json.loads(Path(run, "run.json").read_text())


def test_a_run_of_graphs_and_its_settings_once_more():
    options = "--num-layers 2 --dropout 0.1 --input-dropout 0.3 --hidden-feats 3 --tau 0.7 --seed 3"
    said = gomkcn(f"train {write_graphs()} --out run {QUICK} --split 0.6,0.2,0.2 {options}")
    assert sorted(path.name for path in Path("run").iterdir()) == RUN_FILES
    metrics = metrics_of("run")
    assert metrics["size"] == {"train": 12, "val": 4, "test": 4}
    assert set(metrics["accuracy"]) == {"train", "val", "test"}
    assert list(metrics["data"].values()) == [20, 100, 90, 1, 2]
    assert len(metrics["history"]["train_loss"]) == metrics["epochs"] == 2
    lines = [line.split()[:2] for line in said.splitlines()]
    assert lines[:3] == [["part", "graphs"], ["train", "12"], ["validation", "4"]]
    state = torch.load("run/checkpoint.pt", weights_only=True)
    for name, value in load_classifier("run").model.state_dict().items():
        assert torch.equal(value, state["model"][name])
    gomkcn("train --settings run/settings.toml --out again --quiet")
    assert metrics["history"] == metrics_of("again")["history"]
    assert Path("run/settings.toml").read_text() == Path("again/settings.toml").read_text()
    # an option wins over the file
    settings = ClassifierSettings().read("run/settings.toml").override({"seed": 4, "num_levels": 2})
    assert (settings.training.seed, settings.training.num_epochs) == (4, 2)
    assert settings.model.make_kernel() == GOMKKernel(2, tau=0.7)


@pytest.mark.parametrize("method", ["network", "kernel"])
def test_classes_weigh_what_they_are_given(method):
    graphs = [nx.cycle_graph(5), nx.star_graph(4)] * 10
    write_tu("TU", graphs, [0, 1] * 6 + [1] * 8)
    Path("names.csv").write_text("label,name\n0,rare\n1,usual\n")
    options = f"--method {method} --class-names names.csv --seed 3"
    quick = QUICK if method == "network" else "--num-levels 1 --tau 0.3 --num-folds 2 --quiet"
    table = "training" if method == "network" else "machine"
    learnt = {}
    for name, given, stored in (
        ("plain", "", None),
        ("balanced", "--class-weight balanced", "balanced"),
        ("given", "--class-weight rare=9,usual=1", {"rare": 9.0, "usual": 1.0}),
    ):
        said = gomkcn(f"train TU --out {name} {quick} {options} {given}")
        assert metrics_of(name)["settings"][table].get("class_weight") == stored
        line = "weights of classes in training: "
        words = {"plain": None, "balanced": "balanced", "given": "rare 9, usual 1"}[name]
        assert (line in said) == (stored is not None)
        assert words is None or f"{line}{words}; in accuracies all graphs count alike" in said
        classifier = load_classifier(name)
        learnt[name] = classifier.decide(read_labelled("TU").graph)[1]
        # the settings that were stored give the same again
        gomkcn(f"train --settings {name}/settings.toml --out {name}2 --quiet")
        again = load_classifier(f"{name}2").decide(read_labelled("TU").graph)[1]
        np.testing.assert_array_equal(again, learnt[name])
    # the more a class weighs, the more probable it is
    assert learnt["given"][:, 0].mean() > learnt["plain"][:, 0].mean() + 0.05
    assert not np.allclose(learnt["balanced"], learnt["plain"])
    command = f"train TU --out other {quick} {options} --class-weight"
    sentence = "--class-weight must name classes, ['rare', 'usual'], got 'seldom'."
    assert refused(f"{command} seldom=2") == sentence
    assert refused(f"{command} even").startswith("--class-weight must be 'balanced', or a weight")
    assert not Path("other").exists()


def test_bonds_of_a_tu_folder():
    """Filters tell bonds apart, unless these are left out."""
    graphs, classes = [nx.cycle_graph(4)] * 12, [0, 1] * 6
    # of each ring, edges in the order that the folder has; all alike, or one of each two
    kinds = [kind if kind == 0 else int((u + v) % 4 == 1) for kind in classes
             for u, v in graphs[0].to_directed().edges]  # fmt: skip
    write_tu("TU", graphs, classes, edge_labels=kinds)
    split = (0.5, 0.25, 0.25)
    assert trained("TU", split=split).settings.model.relations == {"edge=0": False, "edge=1": False}
    without = trained("TU", split=split, relation="none")
    assert (without.settings.model.relations, without.settings.data.relation) == (None, "none")
    predicted, _ = without.decide(read_labelled("TU", relation="none").graph)
    # all graphs are one and the same
    assert len(set(predicted.tolist())) == 1


@pytest.mark.parametrize(
    ("options", "contrast"),
    [({}, 1.0), ({"hidden_feats": 0}, 0.3), ({"feature_contrast": 0.5}, 0.5)],
)
def test_columns_are_scaled_over_the_training_part(options, contrast):
    """Behind an input layer they fill the unit interval; where filters see them, a part of it."""
    graphs, labels = [nx.path_graph(3), nx.cycle_graph(3)] * 4, [0, 1] * 4
    given = {"split": (0.5, 0.25, 0.25), "pooling": "sum", **options}
    plain = [f"{node}, {node % 2}" for node in range(24)]
    write_tu("PLAIN", graphs, labels, node_attributes=plain)
    part = trained("PLAIN", **given).split.train
    # the split does not look at features: now the smallest and the largest are in no training part
    rows = [
        f"{node if node // 3 in part else 99 * (-1) ** node}.5, {node % 2}" for node in range(24)
    ]
    write_tu("TU", graphs, labels, node_attributes=rows)
    classifier = trained("TU", **given)
    assert classifier.split.train.tolist() == part.tolist()
    data = read_labelled("TU")
    owner = data.graph.graph_of(np.arange(data.graph.num_nodes))
    nodes = np.isin(owner, classifier.split.train)
    ends = 0.5 - contrast / 2, 0.5 + contrast / 2
    scaled = classifier.collection(data.graph).feat.numpy()
    np.testing.assert_allclose((scaled[nodes, 0].min(), scaled[nodes, 0].max()), ends, rtol=1e-6)
    np.testing.assert_allclose(np.unique(scaled[:, 1]), ends, rtol=1e-6)
    # other graphs are scaled as these were, after the run was stored as well
    classifier = TrainedNetwork.restore(classifier.settings, classifier.state(), "cpu")
    np.testing.assert_array_equal(classifier.collection(data.graph).feat.numpy(), scaled)


def test_a_contrast_is_for_filters_that_see_the_features():
    write_graphs()
    assert refused("train TU --hidden-feats 2 --feature-contrast 0.5 --out run --quiet").startswith(
        "--feature-contrast is for filters that see the features as they are, and --hidden-feats 2"
    )
    # a run's own settings with an input layer are without the contrast that they had
    settings = ClassifierSettings().override({"hidden_feats": 0, "feature_contrast": 0.5})
    assert settings.override({"hidden_feats": 4}).model.feature_contrast is None
    assert settings.override({"num_filters": 4}).model.feature_contrast == 0.5


# section VI-C of the paper, whatever of it a network has
PRINTED = {
    "num_filters": 4, "filter_size": 6, "hidden_feats": 0, "feature_contrast": 1.0, "num_hops": 3,
    "policy": "bfs", "init": "random", "pooling": "max", "read_input": False, "num_layers": 1,
    "dropout": 0.0, "input_dropout": 0.0, "max_nodes": None,
}  # fmt: skip


def test_tuned_settings_find_the_motifs():
    """Section VI-C: features per node, and only the planted motif tells the class."""
    gomkcn("generate classification --out m.bin --num-graphs 120 --features per_node --seed 7")
    said = gomkcn(
        "train m.bin --preset tuned --num-epochs 15 --batch-size 32 --seed 7 --out run --quiet"
    )
    metrics = metrics_of("run")
    assert metrics["accuracy"]["test"] == metrics["accuracy"]["val"] == 1.0
    settings = ClassifierSettings().read("run/settings.toml")
    tuned = {"feature_contrast": 0.3, "init": "classes"}
    assert vars(settings.model).items() >= {**PRINTED, **tuned}.items()
    assert settings.model.make_kernel() == GOMKKernel(2, tau=0.5)
    # options win, and are named where the accuracy is
    assert (settings.training.num_epochs, settings.training.batch_size) == (15, 32)
    assert settings.training.learning_rate == 0.1
    assert metrics["epochs"] == 15 and len(load_classifier("run").model.convs) == 1
    named = (
        "ettings: those of section VI-C of the GOMKCN paper with our start, contrast and matching "
        "(preset tuned), but for num_epochs 15, batch_size 32"
    )
    assert f"s{named}\n" in said
    assert f"S{named}.</p>" in Path("run/explanation/explanation.html").read_text("utf-8")
    # the responses alone are read out
    assert not load_classifier("run").model.read_input
    # classes have the names of the motifs, that were written beside the graphs
    assert metrics["baseline"]["answer"] == "book"
    assert set(predict_file(load_classifier("run"), "m.bin").table().columns()["predicted"]) == {
        "book", "diamond6", "circle", "email"
    }  # fmt: skip


def test_paper_is_what_the_paper_prints_and_nothing_else():
    """Section VI-C with the greedy matching and the random start of algorithm 1."""
    gomkcn("generate classification --out m.bin --num-graphs 40 --features per_node --seed 7")
    gomkcn("train m.bin --preset paper --quiet --out run --num-epochs 1")
    settings = ClassifierSettings().read("run/settings.toml").override({"num_epochs": 200})
    assert vars(settings.model).items() >= PRINTED.items()
    assert settings.model.make_kernel() == GOMKKernel(2, tau=0.5, matching="greedy")
    assert settings.data.split == (0.8, 0.1, 0.1)
    assert settings.training == TrainingSettings(200, 200, 0.1, batch_size=512)
    assert load_classifier("run").model.first_conv.kernel.matching == "greedy"
    named = "what section VI-C of the GOMKCN paper prints (preset paper)"
    assert settings.describe_preset() == named
    assert metrics_of("run")["preset"] == f"{named}, but for num_epochs 1"
    # features fill the whole interval, as they were drawn
    filled = load_classifier("run").collection(read_labelled("m.bin").graph).feat
    assert filled.min() < 0.01 and filled.max() > 0.99


def test_tuned_and_paper_differ_in_start_contrast_and_matching_alone():
    paper, tuned = (
        ClassifierSettings.of_options({"preset": preset}) for preset in ("paper", "tuned")
    )
    assert (paper.training, paper.data) == (tuned.training, tuned.data)
    differing = {
        name for name, value in vars(paper.model).items() if value != vars(tuned.model)[name]
    }
    assert differing == {"preset", "init", "feature_contrast", "kernel"}
    by_hand = ClassifierSettings.of_options(
        {"preset": "paper", "init": "classes", "feature_contrast": 0.3, "matching": "optimal"}
    )
    kernel = {"kernel": by_hand.model.make_kernel(), "preset": "tuned"}
    assert vars(tuned.model) | kernel == vars(by_hand.model) | kernel
    assert by_hand.describe_preset().endswith(
        "(preset paper), but for feature_contrast 0.3, init classes, matching optimal"
    )
    # whatever else is given is named as well
    given = {"preset": "tuned", "dropout": 0.5, "tau": 0.25, "seed": 3}
    more = ClassifierSettings.of_options(given)
    assert more.describe_preset().endswith("(preset tuned), but for dropout 0.5, tau 0.25")
    assert ClassifierSettings().describe_preset() == ""


def test_a_preset_in_a_settings_file():
    """It stands for its settings, and what the file has beside it wins."""
    Path("own.toml").write_text(
        '[model]\npreset = "paper"\nnum_filters = 5\n[kernel]\ntau = 0.25\n'
    )
    model = ClassifierSettings().read("own.toml").model
    assert (model.num_filters, model.num_hops, model.init) == (5, 3, "random")
    assert model.make_kernel() == GOMKKernel(2, tau=0.25, matching="greedy")
    Path("own.toml").write_text('[model]\npreset = "printed"\n')
    with pytest.raises(InputError, match="preset must be one of 'paper', 'tuned', got"):
        ClassifierSettings().read("own.toml")


def test_the_matching_of_a_network():
    write_graphs()
    gomkcn(f"train TU --out run {QUICK} --matching greedy")
    assert load_classifier("run").model.first_conv.kernel.matching == "greedy"
    assert "preset" not in metrics_of("run")
    assert "Settings:" not in Path("run/explanation/explanation.html").read_text("utf-8")
    plain = ClassifierSettings.of_options({"num_levels": 1})
    assert plain.model.make_kernel().matching == "optimal"
    for options, sentence in {
        "--matching best": "--matching must be one of 'greedy', 'optimal', got 'best'",
        "--matching greedy --method kernel": "--matching is for the method 'network', got",
    }.items():
        assert refused(f"train TU {options} --out other --quiet").startswith(sentence)


def test_presets_that_contradict_what_is_given():
    for options, sentence in {
        "--preset paper --method kernel": (
            "--preset paper has the settings of a network of graphs; leave it out, or leave out "
            "--method kernel."
        ),
        "--preset tuned --nodes": (
            "--preset tuned has the settings of a network of graphs; leave it out, or leave out "
            "--nodes."
        ),
        "--preset paper --settings own.toml": (
            "--preset has all settings, and so has a settings file; give one of both."
        ),
    }.items():
        assert refused(f"train TU {options} --out run --quiet").startswith(sentence)


def test_names_of_classes_beside_the_graphs():
    graphs = [typed_graph([(0, 1), (1, 2), (2, 3), (3, 0)], 4)] * 20
    write_dgl_graphs("g.bin", graphs, {"labels": np.array([0, 1] * 10)})
    assert read_labelled("g.bin").class_names == ("0", "1")
    Path("g.classes.csv").write_text("label,name\n1,toxic\n0,harmless\n")
    assert read_labelled("g.bin").class_names == ("harmless", "toxic")
    assert read_labelled("g.bin", class_names={"1": "bad"}).class_names == ("0", "bad")
    Path("g.classes.csv").write_text("label,name\n7,toxic\n")
    with pytest.raises(InputError, match=r"names of classes must be for 0, 1, got '7'\.$"):
        read_labelled("g.bin")


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
        as_csr([nx.path_graph(2)] * 20), (labels == "many") * 1, class_names=("few", "many")
    )
    # 3 of 5, 1 of 5 and none of 10
    split = Split(np.r_[0:3, 4:6], np.r_[3, 6:10], np.r_[10:20])
    shares = {"train": 3 / 5, "val": 1 / 5, "test": 0.0}
    assert baseline_of(data, split) == {"answer": "few", "accuracy": shares}


def test_a_stopped_run_is_neither_lost_nor_mixed_with_another():
    options = f"--out run --num-epochs 3 --dropout 0.3 {QUICK[len('--num-epochs 2 ') :]}"
    command = f"train {write_graphs()} {options}"
    # 1. a signal after each epoch stops the command
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Interrupts, "agree", lambda self: "SIGTERM")
        for epoch in (1, 2):
            result = invoke(f"{command} --resume")
            said = f"gomkcn: stopped by SIGTERM after epoch {epoch}; to go on: gomkcn train TU "
            assert result.exit_code == 143 and result.stderr.startswith(said)
            assert result.stderr.endswith(" --quiet --out run --resume\n")
    assert [path.name for path in Path("run").iterdir()] == [".progress"]
    assert "already holds an unfinished run" in refused(command)
    assert "(learning_rate was 0.01, is 0.5); give" in refused(
        f"{command} --learning-rate 0.5 --resume"
    )
    with lock_folder("run"):
        assert refused(command).startswith(f"--out folder 'run' is in use by process {os.getpid()}")
    # 2. the same data elsewhere are the same data, and the run is that which was not stopped
    Path("TU").rename("MOVED")
    gomkcn(f"train MOVED {options} --resume")
    assert sorted(path.name for path in Path("run").iterdir()) == RUN_FILES
    whole = trained(None, ClassifierSettings().read("run/settings.toml")).model.state_dict()
    for name, value in load_classifier("run").model.state_dict().items():
        assert torch.equal(value, whole[name])
    said = gomkcn(f"train MOVED {options} --resume")
    assert said == "nothing to resume: the run is finished, run/explanation/explanation.html\n"
    # 3. it is overwritten if that is asked for; a time limit marks what is there as partial
    assert "already holds a run (run.json); choose another" in refused(f"train MOVED {options}")
    said = gomkcn(f"train MOVED {options} --force --time-limit 0.001")
    assert said.splitlines()[7].startswith("partial: the time limit came before the last epoch")
    assert (metrics_of("run")["partial"], metrics_of("run")["epochs"]) == (True, 1)
    gomkcn(f"train MOVED {options} --resume")
    assert (metrics_of("run")["partial"], metrics_of("run")["epochs"]) == (False, 3)


def test_what_cannot_be_learnt_from_is_refused():
    Path("graph.txt").write_text("0 1\n1 2\n")
    write_graphs()
    write_tu("ONE", [nx.path_graph(3)] * 4, [5] * 4)
    for command, sentence in {
        "TU --split 0.8,0.1": "--split must be three shares ",
        "TU --split 0.8,0.1,0.2": "--split must sum to at most 1",
        "TU --split 0.9,0.09,0.01": "--split leaves nothing for test",
        "graph.txt": "graph.txt: its graphs have no classes; those of a TU folder,",
        "graph.txt --nodes": "graph.txt: its nodes have no classes; an attribute of nodes,",
        "graph.txt --class-column a": "graph.txt: --class-column is for molecules, and for",
        "ONE": "ONE: its graphs must have two or more classes, names or integers that several "
        "graphs have, and there is one class only, '5'.",
        "": "PATH of a data set must be given",
    }.items():
        assert refused(f"train {command} --out run --quiet").startswith(sentence)
        assert not Path("run/run.json").exists()
    # options are named as they are typed
    assert "; --class-column names another, and --nodes reads" in refused("train graph.txt")


def test_what_follows_from_the_data_follows_from_it_anew():
    graphs = [typed_graph([(0, 1), (1, 2), (2, 3), (3, 0)], 4)] * 20
    write_dgl_graphs("directed.bin", graphs, {"labels": np.array([0, 1] * 10)})
    first = trained("directed.bin")
    assert first.settings.model.relations == {"edge": True}
    other = trained(None, first.settings, directed=False, filter_size=5)
    assert (other.settings.model.relations, other.model.first_conv.settings.max_nodes) == (None, 5)
    assert len(predict_file(other, "directed.bin").table().columns()["predicted"]) == 20
    # relations that a settings file names stay, whatever the path
    Path("own.toml").write_text("[model.relations]\nedge = true\nlater = false\n")
    own = ClassifierSettings().read("own.toml").override({"path": "directed.bin", **SETTINGS})
    assert trained(None, own).settings.model.relations == {"edge": True, "later": False}


def test_molecules_with_classes_are_learnt_from():
    pytest.importorskip("rdkit", reason="RDKit is not installed")
    rows = "".join(f"{'C' * size}{end},{end}\n" for size in range(2, 12) for end in "ON")
    Path("drugs.csv").write_text(f"smiles,class\n{rows}")
    classifier = trained("drugs.csv", split=(0.5, 0.25, 0.25))
    assert classifier.class_names == ("N", "O")
    every = predict_file(classifier, "drugs.csv").table().columns()["predicted"]
    assert len(every) == 20
    # molecules without nitrogen lack its column, and are classified as they were
    Path("alcohols.csv").write_text("smiles\n" + "".join(f"{'C' * n}O\n" for n in range(2, 12)))
    alcohols = predict_file(classifier, "alcohols.csv").table().columns()["predicted"]
    assert alcohols.tolist() == every[::2].tolist()


def test_compounds_are_named_and_left_out_and_those_without_a_class_are_not_learnt_from():
    pytest.importorskip("rdkit", reason="RDKit is not installed")
    rows = "".join(
        f"m{size}{end},{'C' * size}{end},{end}\n" for size in range(2, 14) for end in "ON"
    )
    Path("drugs.csv").write_text(f"name,smiles,class\n{rows}ethane,CC,\n")
    said = gomkcn("train drugs.csv --out run --method kernel --split .5,.25,.25 --num-folds 2")
    assert "Always answering “N” is correct for 50.0%." in " ".join(said.split())
    sizes = json.loads(Path("run/run.json").read_text())
    assert (sizes["data"]["num_graphs"], sum(sizes["size"].values())) == (24, 18 + 18 + 6)
    # by name
    said = gomkcn("explain run --graphs m3O,5 --out why").splitlines()
    assert said[0].startswith("m3O: predicted ") and said[1].startswith("m4N: predicted ")
    assert re.search(r"most like m\d+[ON] of class [ON], ", said[0])
    assert "must be a number, or the name of a graph, got 'aspirin'" in refused(
        "explain run --graphs aspirin --out why --force"
    )
    assert "got 'ethane'" in refused("explain run --graphs ethane --out why --force")
    # what cannot be read, and what was not learnt
    Path("new.csv").write_text("name,smiles\na,CC(\nb,CCO\nc,C[Se]C\nd,CN\n")
    assert "line 2: RDKit cannot read the molecule" in refused("predict run new.csv")
    gomkcn("predict run new.csv --skip-invalid --out new_classes.csv")
    table = pd.read_csv("new_classes.csv")
    assert table["name"].tolist() == ["b", "d"] and table["predicted"].tolist() == ["O", "N"]
    assert table["graph"].tolist() == [0, 2]
    Path("new.csv").write_text("name,smiles\nb,CCO\nc,C[Se]C\n")
    assert "new.csv: line 3: c has element=Se, which no graph has" in refused("predict run new.csv")


def test_a_run_of_other_edges_is_not_gone_on_with():
    """The same graphs with other types of their edges."""
    graphs, classes = [nx.cycle_graph(4)] * 12, [0, 1] * 6
    settings = ClassifierSettings().override({"path": "TU", **SETTINGS, "split": (0.5, 0.25, 0.25)})
    write_tu("TU", graphs, classes, edge_labels=[edge % 2 for edge in range(96)])
    run_training(settings, read_training_data(settings.data), Work(Path("unfinished")))
    rows = [int(edge % 3 == 0) for edge in range(96)]
    Path("TU/TU_edge_labels.txt").write_text("".join(f"{row}\n" for row in rows))
    with pytest.raises(InputError, match=r"made with other data; .* start anew"):
        run_training(settings, read_training_data(settings.data), Work(Path("unfinished")))
