"""The training loop: it learns, repeats itself, keeps its best epoch, stops and resumes."""

import os
import signal
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from gomkcn_dgl import (
    GOMKCN,
    GOMKKernel,
    GraphCollection,
    InputError,
    SubgraphSettings,
    TrainingSettings,
    as_csr,
    evaluate_classifier,
    layer,
    train_classifier,
)
from gomkcn_dgl import model as model_module
from gomkcn_dgl.errors import GomkcnError
from gomkcn_dgl.runtime.job import Interrupts, JobProgress, RunInterruptedError
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.training import training_loop
from gomkcn_dgl.training.checkpoint import read_state, state_bytes
from gomkcn_dgl.training.training_loop import predict_logits

GRAPHS = [nx.cycle_graph(5), nx.star_graph(4)] * 8
LABELS = torch.tensor([0, 1] * 8)
ROWS = np.arange(16)
PARTS = ROWS[:8], ROWS[8:]
EPOCHS = 5


@pytest.fixture(scope="module")
def data():
    return GraphCollection(as_csr(GRAPHS), SubgraphSettings(1, 4))


def classifier(**options):
    torch.manual_seed(0)
    options = {"kernel": GOMKKernel(1), "pooling": "mean", **options}
    return GOMKCN(1, 2, filter_size=4, num_filters=4, **options)


@pytest.fixture(scope="module")
def whole(data):
    """A training that nothing stopped: the model and its history."""
    return train(data)


class AfterEpochs(JobProgress):
    """Calls a function with the number of each epoch that this process trains, from 1."""

    def __init__(self, do):
        super().__init__()
        self.do, self.epochs = do, []

    def move(self, count=None, said=""):
        self.epochs.append(len(self.epochs) + 1)
        self.do(self.epochs[-1])


def train(data, steps=None):
    """Train with dropout and batches of two sizes; the model and its history."""
    model = classifier(dropout=0.3, input_dropout=0.2)
    settings = TrainingSettings(EPOCHS, learning_rate=0.05, batch_size=5)
    return model, train_classifier(model, data, LABELS, *PARTS, settings, steps=steps)


def assert_equal_models(one, other):
    states = one.state_dict(), other.state_dict()
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def assert_same(one, other):
    assert one[1] == other[1]
    assert_equal_models(one[0], other[0])


# ---------------------------------------------------------------- learning


def test_cycles_and_stars_are_told_apart(data):
    model = classifier(kernel=None)
    before = torch.random.get_rng_state()
    history = train_classifier(model, data, LABELS, *PARTS, TrainingSettings(12, batch_size=2))
    # the random numbers of the caller are not touched
    assert torch.equal(torch.random.get_rng_state(), before)
    assert history.best.accuracy == 1.0
    assert evaluate_classifier(model, data, LABELS, PARTS[1]) == history.best


def test_predictions_depend_on_no_other_graph_and_on_no_dropout(data):
    model = classifier(dropout=0.5, input_dropout=0.5)
    together = predict_logits(model, data, ROWS)
    torch.testing.assert_close(predict_logits(model, data, ROWS, batch_size=1), together)
    assert_equal_models(model, classifier(dropout=0.5, input_dropout=0.5))


def test_a_batch_of_one_node_is_joined_or_refused():
    """Batch norm has no deviation of one node."""
    data = GraphCollection(as_csr([nx.empty_graph(1)] * 16), SubgraphSettings(1, 4))
    labels, rows = LABELS, ROWS[:9]
    # 4, 4 and 1 of them
    settings = TrainingSettings(2, batch_size=4)
    assert train_classifier(classifier(), data, labels, rows, rows, settings).epochs == 2
    with pytest.raises(InputError, match="batch_size must give batches of two nodes at least, an"):
        settings = TrainingSettings(2, batch_size=1)
        train_classifier(classifier(), data, labels, rows, rows, settings)


# ---------------------------------------------------------------- weights of classes

RARE = torch.tensor([0, 1, 1, 1] * 4)


def losses_of(class_weight, labels, num_epochs=3, **options):
    """Train by the whole part at once; the model and its history."""
    data = GraphCollection(as_csr(GRAPHS), SubgraphSettings(1, 4))
    settings = TrainingSettings(num_epochs, None, 0.05, class_weight=class_weight, **options)
    model = classifier()
    return model, train_classifier(model, data, labels, ROWS, ROWS[:6], settings)


@pytest.mark.parametrize(
    ("class_weight", "of_class"),
    [("balanced", [2, 2 / 3]), ({0: 5}, [5, 1]), ({0: 10, 1: 2}, [5, 1]), ("0=3", None)],
)
def test_a_weight_of_a_class_is_that_many_graphs(class_weight, of_class):
    if of_class is None:
        # names of a text are no numbers, which classes have here
        with pytest.raises(InputError, match=r"^class_weight must name classes, \[0, 1\], got '0'"):
            losses_of(class_weight, RARE)
        return
    model, history = losses_of(class_weight, RARE, num_epochs=1)
    # the loss of the first epoch is that of the new model, with its batch norms in training
    data = GraphCollection(as_csr(GRAPHS), SubgraphSettings(1, 4))
    with torch.no_grad():
        logits = classifier().train()(data.batch(ROWS))
    weight = torch.tensor(of_class).float()
    expected = torch.nn.functional.cross_entropy(logits, RARE, weight=weight)
    assert history.train_loss[0] == pytest.approx(expected.item(), rel=1e-5)
    # and so are the accuracy and the loss that choose the epoch
    logits, classes = predict_logits(model, data, ROWS[:6]), RARE[:6]
    shares = weight[classes] / weight[classes].sum()
    accuracy = (shares * (logits.argmax(1) == classes)).sum().item()
    loss = torch.nn.functional.cross_entropy(logits, classes, weight=weight).item()
    assert history.validation[0] == pytest.approx((accuracy, loss), rel=1e-5)


def test_weights_of_1_change_nothing_and_others_what_is_learnt():
    plain, history = losses_of(None, RARE)
    for class_weight in ({}, {0: 2, 1: 2}):
        same, other = losses_of(class_weight, RARE)
        assert other.train_loss == pytest.approx(history.train_loss, rel=1e-6)
        torch.testing.assert_close(same.heads[0].weight, plain.heads[0].weight)
    for batch_size in (5, 128):
        balanced, _ = losses_of("balanced", RARE, batch_size=batch_size)
        assert not torch.allclose(balanced.heads[0].weight, plain.heads[0].weight, rtol=1e-3)


def test_a_rare_class_is_found_where_classes_weigh_alike():
    # graphs that do not tell their classes apart: the answer is the class that weighs most
    data = GraphCollection(as_csr([nx.cycle_graph(5)] * 16), SubgraphSettings(1, 4))
    answers = {}
    for class_weight in (None, {0: 30}):
        settings = TrainingSettings(40, None, 0.1, class_weight=class_weight)
        model = classifier()
        train_classifier(model, data, RARE, ROWS, ROWS, settings)
        answers[str(class_weight)] = predict_logits(model, data, ROWS).argmax(1).unique().tolist()
    assert answers == {"None": [1], "{0: 30}": [0]}


@pytest.mark.parametrize(
    ("class_weight", "words"),
    [
        ("even", "^class_weight must be 'balanced', or a weight for each .*, got 'even'"),
        ({0: 0}, "^class_weight of 0 must be greater than 0, got 0"),
        ({0: "much"}, "^class_weight of 0 must be a number, got 'much'"),
        ("a=1,b=x", "^class_weight of 'b' must be a number, got 'x'"),
    ],
)
def test_weights_that_are_none_are_refused(class_weight, words):
    with pytest.raises(GomkcnError, match=words):
        TrainingSettings(class_weight=class_weight)


def test_the_best_epoch_is_the_first_of_those_that_are_equal():
    epochs = [(0.5, 0.1), (0.8, 0.4), (0.8, 0.3), (0.8, 0.3)]
    history = training_loop.History(validation=[training_loop.Evaluation(*one) for one in epochs])
    assert (history.best_epoch, training_loop.History().best_epoch) == (3, 0)


def test_the_model_goes_back_to_its_best_epoch_and_patience_ends_training(data):
    model, progress = classifier(), AfterEpochs(lambda epoch: None)
    settings = TrainingSettings(60, patience=4, learning_rate=0.5)
    steps = Steps(progress=progress)
    history = train_classifier(model, data, LABELS, *PARTS, settings, steps=steps)
    assert progress.epochs == list(range(1, min(60, history.best_epoch + 4) + 1))
    best = min(history.validation, key=lambda one: (-one.accuracy, one.loss))
    assert history.best == best == evaluate_classifier(model, data, LABELS, PARTS[1])


def test_labels_outside_the_training_part_are_not_learnt_from(data):
    models = []
    for change in (0, 1):
        labels = LABELS.clone()
        labels[12:] = (labels[12:] + change) % 2
        models.append(classifier())
        train_classifier(models[-1], data, labels, ROWS[:8], ROWS[8:12], TrainingSettings(3))
    assert_equal_models(*models)


def test_filters_are_not_decayed(data):
    filters, heads = [], []
    for decay in (0.0, 10.0):
        model = classifier()
        settings = TrainingSettings(1, learning_rate=1e-3, weight_decay=decay)
        train_classifier(model, data, LABELS, *PARTS, settings)
        filters.append(model.convs[0].filters.free_adj.detach())
        heads.append(model.heads[0].weight.detach())
    torch.testing.assert_close(*filters)
    assert not torch.allclose(*heads)


def test_what_is_refused(data):
    model = classifier()
    with pytest.raises(InputError, match="validation must have at least one member"):
        train_classifier(model, data, LABELS, ROWS, ROWS[:0])
    with torch.no_grad():
        list(model.parameters())[-1].fill_(torch.inf)
    with pytest.raises(InputError, match=r"^learning_rate must be so small .* epoch 1\.$"):
        train_classifier(model, data, LABELS, *PARTS)


class Questions(TorchDispatchMode):
    """Counts what a GPU would be waited for: numbers and masks that are asked of a tensor."""

    def __init__(self):
        super().__init__()
        self.number = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        self.number += name in ("_local_scalar_dense", "nonzero", "is_nonzero", "equal")
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("weights", [None, torch.linspace(0.5, 1.5, 16)])
def test_the_device_is_asked_for_the_loss_once_an_epoch(data, monkeypatch, weights):
    """However many batches there are; what is asked on the CPU alone is left out."""
    for module in (layer, model_module):
        monkeypatch.setattr(module, "refuse_overflow", lambda *_: None)
    monkeypatch.setattr(layer, "warn_out_of_reach", lambda *_: None)
    monkeypatch.setattr(layer, "overflows", lambda *_: False)
    asked, lists, to_list = [], [], torch.Tensor.tolist
    monkeypatch.setattr(torch.Tensor, "tolist", lambda one: lists.append(one) or to_list(one))
    for batch_size in (8, 2):
        model, questions = classifier(), Questions()
        # Adam asks the CPU for the number of its steps, also where the model is on a GPU
        optimizer = torch.optim.SGD(model.parameters())
        state = training_loop._TrainingState(model, optimizer, np.random.default_rng(0))
        with questions:
            training_loop._train_epoch(model, state, data, LABELS, PARTS[0], batch_size, weights)
        asked.append(questions.number)
    # the sum of the losses and the number of graphs, together
    assert (asked, len(lists)) == ([0, 0], 2)


def test_data_stay_on_the_device_of_the_model(data):
    with torch.device("meta"):
        elsewhere = classifier()
    with pytest.raises(InputError, match="^data must be on the device of the model, meta, got cpu"):
        train_classifier(elsewhere, data, LABELS, *PARTS)


# ---------------------------------------------------------------- stopped and resumed


def kept(after_epoch=lambda epoch: None, **options):
    """Steps that keep what is done, beside what is done after each epoch."""
    bar = AfterEpochs(after_epoch)
    return Steps("run", {}, interrupts=Interrupts(), progress=bar, **options)


def terminate(epoch):
    os.kill(os.getpid(), signal.SIGTERM)


def test_stopped_after_each_epoch_and_resumed_to_the_same_bits(data, whole, folder):
    for stop in range(1, EPOCHS):
        with pytest.raises(RunInterruptedError, match=f"stopped by SIGTERM after epoch {stop}"):
            train(data, kept(terminate))
    # a signal in the last epoch changes nothing
    assert_same(train(data, kept(terminate)), whole)
    # and neither does a resume after it; the seconds before the stop count
    steps = kept()
    resumed = train(data, steps)
    assert_same(resumed, whole)
    assert steps.progress.epochs == []
    assert resumed[1].seconds_before > 0


@pytest.mark.parametrize("seconds", [0, 30])
def test_a_crash_resumes_from_what_was_kept(data, whole, folder, seconds):
    def crash(epoch):
        if epoch == 4:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train(data, kept(crash, seconds_apart=seconds))
    steps = kept(seconds_apart=seconds)
    assert_same(train(data, steps), whole)
    # after each epoch, or before the first alone
    assert len(steps.progress.epochs) == (EPOCHS if seconds else EPOCHS - 3)


def test_what_was_kept_of_another_model_is_refused(data, folder):
    kept().write("training.pt", state_bytes({"model": {}}))
    words = r"^checkpoint 'run/training.pt' cannot be read \(.*force=True\.$"
    with pytest.raises(InputError, match=words):
        train(data, kept())


def test_damaged_files_are_refused_and_run_nothing(folder):
    content = state_bytes({"step": torch.arange(1000)})
    Path("a").write_bytes(content)
    assert len(read_state(Path("a"), lambda state: state["step"])) == 1000

    class Evil:
        def __reduce__(self):
            return os.mkdir, ("evil",)

    torch.save({"step": Evil()}, "evil.pt")
    harmless = [b"", b"text", content[:-100], content[:200] + bytes(50) + content[250:]]
    for damaged in [*harmless, Path("evil.pt").read_bytes()]:
        Path("a").write_bytes(damaged)
        with pytest.raises(InputError, match=r"^checkpoint 'a' cannot be read \(.*train again\.$"):
            read_state(Path("a"), dict)
    # whatever a reader finds missing
    for other in ({}, [1], {"step": "no"}):
        torch.save(other, "a")
        with pytest.raises(InputError, match=r"^checkpoint 'a' cannot be read \(.*; go\.$"):
            read_state(Path("a"), lambda state: state["step"] + 1, "go")
    assert not Path("evil").exists()
