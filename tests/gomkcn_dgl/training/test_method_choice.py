"""`gomkcn train` without a method: both are compared, and the test part is not looked at."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from command_line import gomkcn, invoke, refused
from graph_files import write_tu

from gomkcn_dgl import as_csr
from gomkcn_dgl._torch import torch
from gomkcn_dgl.kernel_settings import KernelSettings
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.training import method_choice
from gomkcn_dgl.training.classifier_settings import ClassifierSettings
from gomkcn_dgl.training.labelled_data import LabelledData, stratified_split
from gomkcn_dgl.training.method_choice import KINDS, ComparisonLimits, choose_method
from gomkcn_dgl.training.training_run import load_classifier

pytestmark = pytest.mark.usefixtures("folder")

# both methods at their smallest
QUICK = (
    "--method auto --num-epochs 2 --num-filters 2 --num-hops 1 --num-levels 1 "
    "--tau 1 --num-folds 2 --quiet"
)
CPU = torch.device("cpu")


def paths_and_rings(num=40):
    """Paths and rings of 4 to 6 nodes in turn."""
    return [(nx.path_graph, nx.cycle_graph)[k % 2](4 + k // 2 % 3) for k in range(num)]


def write_graphs():
    write_tu("TU", paths_and_rings(), [0, 1] * 20)


def interrupt(*_):
    raise KeyboardInterrupt


def metrics_of(run):
    return json.loads(Path(run, "run.json").read_text())


@pytest.fixture
def compared(monkeypatch):
    """Let methods have given accuracies in all folds; returns these, and what they were given."""
    accuracy, seen = {"kernel": 0.5, "network": 0.5}, []

    def judge(settings, data, splits, interrupts, device, item):
        seen.append((settings, splits[item[1]], interrupts.seconds_left))
        return accuracy[item[0]]

    monkeypatch.setattr(method_choice, "judge_method", judge)
    return accuracy, seen


def choose(num=40, limits=None, time_limit=None):
    labels = np.arange(num) % 2
    data = LabelledData(as_csr(paths_and_rings(num)), labels, ("path", "ring"))
    steps = Steps(interrupts=Interrupts(time_limit))
    split = stratified_split(labels)
    return choose_method(ClassifierSettings(), data, split, steps, CPU, limits), split


def test_the_better_method_is_taken_and_what_was_tried_is_told():
    write_graphs()
    said = gomkcn(f"train TU --out run {QUICK}")
    choice = metrics_of("run")["method_choice"]
    # in two epochs a network does not learn to tell rings
    assert choice["method"] == metrics_of("run")["method"] == "kernel"
    assert choice["accuracy"]["kernel"] == [1.0, 1.0, 1.0]
    assert max(choice["accuracy"]["network"]) < 1
    assert (choice["num_graphs"], choice["num_known"]) == (36, 36)
    assert "method: kernel 100.0 ± 0.0%, against network " in said
    assert "in 3 folds of 36 graphs without the test part" in said
    # the accuracy of the folds stands in the table, and not that of the best of many settings
    lines = [line.split() for line in said.splitlines()[:4]]
    assert [line[0] for line in lines] == ["part", "train", "nested", "test"]
    assert lines[2] == ["nested", "cross-validation", "36", "100.0%", "50.0%"]
    page = Path("run/explanation/explanation.html").read_text()
    assert "Method: kernel 100.0 ± 0.0%, against network " in page
    assert load_classifier("run").settings.method == "kernel"
    # the settings that were written are those of the method, and give the same classifier
    gomkcn("train --settings run/settings.toml --out again --quiet")
    assert metrics_of("again")["tried"] == metrics_of("run")["tried"]
    assert "method_choice" not in metrics_of("again")


def test_no_fold_sees_a_graph_of_the_test_part(compared):
    _, seen = compared
    choice, split = choose()
    assert choice.num_graphs == 36 and len(seen) == 6
    held_out = []
    for settings, parts, _ in seen:
        assert not np.isin(split.test, np.concatenate(parts)).any()
        assert len(np.unique(np.concatenate(parts))) == 36
        assert (len(parts.train), len(parts.val), len(parts.test)) == (21, 3, 12)
        held_out.append(parts.test)
        assert settings.keys() == KINDS.keys()
    # each known graph is held out once for each method
    assert sorted(np.concatenate(held_out)) == sorted([*split.train, *split.val] * 2)


def test_the_network_is_taken_where_it_is_better(compared):
    accuracy, _ = compared
    # of equal ones it is the kernel machine
    assert choose()[0].method == "kernel"
    accuracy["network"] = 0.75
    choice, _ = choose()
    assert choice.method == "network"
    said = (
        "method: network 75.0 ± 0.0%, against kernel 50.0 ± 0.0%, in 3 folds of 36 graphs without"
    )
    assert str(choice).startswith(said)


def test_of_large_data_a_sample_is_compared_and_of_many_graphs_none(compared):
    _, seen = compared
    choice, split = choose(120, ComparisonLimits(most_nodes=270))
    # 108 graphs of 5 nodes on average
    assert (choice.num_graphs, choice.num_known) == (54, 108)
    assert "of 54 of the 108 graphs" in str(choice)
    sample = np.unique(np.concatenate([np.concatenate(parts) for _, parts, _ in seen]))
    assert len(sample) == 54 and not np.isin(sample, split.test).any()
    assert np.bincount(sample % 2).tolist() == [27, 27]
    choice, _ = choose(120, ComparisonLimits(most_graphs=107))
    assert (choice.method, choice.accuracy) == ("network", None)
    assert str(choice) == (
        "method: network; for more than 107 graphs both methods are not compared"
    )


def test_a_class_of_few_graphs_is_not_compared(compared):
    # of 9 graphs of each class 6 are in each fold, of which 5 folds of the machine need 5
    assert choose(20)[0].accuracy is not None
    choice, _ = choose(16)
    assert (choice.method, choice.accuracy) == ("network", None)
    assert choice.reason == "both methods are not compared where a class has 7 graphs"


def test_options_of_one_method_ask_for_it():
    def method(**options):
        return ClassifierSettings().override(options).method

    assert method() == method(seed=3) == method(n_jobs=2) == method(tau=0.5) == "auto"
    assert method(num_epochs=3) == method(num_filters=3) == method(nodes=True) == "network"
    assert method(num_folds=3) == method(most_nodes=9) == "kernel"
    settings = ClassifierSettings().override({"tau": 0.5, "num_levels": 1, "seed": 4})
    assert (settings.machine.tau, settings.machine.num_levels) == ((0.5,), (1,))
    assert settings.model.kernel == KernelSettings(1, tau=0.5)
    assert (settings.machine.seed, settings.training.seed) == (4, 4)
    for name in KINDS:
        assert settings.override({"method": name}).seed == 4
    # who asks for the comparison may set both
    both = {"method": "auto", "num_epochs": 3, "num_folds": 4}
    assert ClassifierSettings().override(both).method == "auto"
    write_graphs()
    assert refused("train TU --out run --quiet --num-epochs 3 --num-folds 4").startswith(
        "--num-folds is for the method 'kernel', and --num-epochs for the method 'network'; "
    )


def test_a_stopped_comparison_goes_on_and_so_does_the_training(monkeypatch):
    write_graphs()
    command = f"train TU --out run {QUICK}"
    done, fit = [], KINDS["network"].fit

    def stopped(*args):
        if len(done) == 1:
            raise KeyboardInterrupt
        done.append(1)
        return fit(*args)

    with monkeypatch.context() as patch:
        patch.setattr(KINDS["network"], "fit", stopped)
        assert "start again with --resume" in invoke(command).stderr
    # three folds of the machine, and one of the network
    kept = sorted(path.stem for path in Path("run/.progress").glob("comparison*.zip"))
    folds = ["kernel-0", "kernel-1", "kernel-2", "network-0"]
    assert kept == [f"comparison-of-both-methods-{fold}" for fold in folds]
    with monkeypatch.context() as patch:
        # the training of the machine that was chosen, which looks at the time before each kernel
        patch.setattr(
            KINDS["kernel"], "fit", lambda *args: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        assert invoke(f"{command} --resume").exit_code == 130
    with monkeypatch.context() as patch:
        patch.setattr(method_choice, "judge_method", None)
        gomkcn(f"{command} --resume")
    choice = metrics_of("run")["method_choice"]
    assert choice["accuracy"]["kernel"] == [1.0, 1.0, 1.0]
    assert not Path("run/.progress").exists()


def test_a_time_limit_leaves_time_for_the_machine():
    write_graphs()
    said = gomkcn(f"train TU --out run {QUICK} --time-limit 0.001")
    assert "method: kernel; the time limit came before both methods were compared" in said
    assert metrics_of("run")["accuracy"]["test"] == 1


def test_half_of_a_time_limit_is_for_the_comparison(compared):
    _, seen = compared
    choose(time_limit=600)
    assert all(left == pytest.approx(300, abs=5) for _, _, left in seen)
    seen.clear()
    choose()
    assert [left for _, _, left in seen] == [np.inf] * 6
