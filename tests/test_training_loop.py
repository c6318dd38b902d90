"""The training loop: it learns, repeats itself, keeps its best epoch and stops."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl import (
    GOMKCN,
    GraphCollection,
    InputError,
    TrainingSettings,
    as_csr,
    evaluate_classifier,
    predict_logits,
    train_classifier,
)

GRAPHS = [nx.cycle_graph(6), nx.star_graph(5)] * 12
LABELS = torch.tensor([0, 1] * 12)
ROWS = np.arange(24)


def graphs():
    return GraphCollection(as_csr(GRAPHS), 1, 4)


def classifier(seed=0, **settings):
    torch.manual_seed(seed)
    return GOMKCN(1, 2, filter_size=4, num_filters=4, pooling="mean", **settings)


def test_cycles_and_stars_are_told_apart():
    model, data = classifier(), graphs()
    history = train_classifier(model, data, LABELS, ROWS[:12], ROWS[12:], TrainingSettings(40))
    assert history.best.accuracy == 1.0
    assert evaluate_classifier(model, data, LABELS, ROWS[12:]) == history.best


def test_nodes_are_classified():
    graph = nx.barbell_graph(6, 8)
    labels = torch.tensor([int(6 <= node < 14) for node in sorted(graph)])
    data = GraphCollection(as_csr(graph), 1, 4)
    torch.manual_seed(0)
    model = GOMKCN(1, 2, filter_size=4, num_filters=4)
    rows = np.arange(20)
    train_classifier(model, data, labels, rows[::2], rows[1::2], TrainingSettings(40))
    assert evaluate_classifier(model, data, labels, rows[1::2]).accuracy == 1.0


def test_the_same_seed_gives_the_same_model_whatever_was_drawn_before():
    states = []
    for drawn in (0, 7):
        model = classifier(dropout=0.3)
        torch.manual_seed(drawn)
        settings = TrainingSettings(3, batch_size=5, seed=2)
        train_classifier(model, graphs(), LABELS, ROWS[:12], ROWS[12:], settings)
        states.append(model.state_dict())
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_the_callers_random_numbers_are_left_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    model = classifier()
    torch.manual_seed(5)
    train_classifier(model, graphs(), LABELS, ROWS[:12], ROWS[12:], TrainingSettings(2))
    assert torch.equal(torch.rand(3), expected)


def test_the_model_goes_back_to_its_best_epoch_and_patience_ends_training():
    model, data, seen = classifier(), graphs(), []
    settings = TrainingSettings(60, patience=4, learning_rate=0.5)

    def look(epoch, history):
        seen.append((epoch, history.best_epoch))

    history = train_classifier(model, data, LABELS, ROWS[:12], ROWS[12:], settings, look)
    assert [epoch for epoch, _ in seen] == list(range(1, len(history.validation) + 1))
    assert len(seen) == min(60, history.best_epoch + 4)
    best = min(history.validation, key=lambda one: (-one.accuracy, one.loss))
    assert history.best == best == evaluate_classifier(model, data, LABELS, ROWS[12:])


def test_a_loss_that_is_not_finite_ends_training():
    model = classifier()
    with torch.no_grad():
        list(model.parameters())[-1].fill_(torch.inf)
    sentence = (
        r"^learning_rate must be so small that the loss stays finite, got 0.01 and .* epoch 1.$"
    )
    with pytest.raises(InputError, match=sentence):
        train_classifier(model, graphs(), LABELS, ROWS[:12], ROWS[12:])
    with pytest.raises(InputError, match=r"^learning_rate must be at most 1e\+06, got 1e\+30.$"):
        TrainingSettings(learning_rate=1e30)


def test_labels_outside_the_training_part_are_not_learnt_from():
    states = []
    for change in (0, 1):
        model, labels = classifier(), LABELS.clone()
        labels[20:] = (labels[20:] + change) % 2
        train_classifier(model, graphs(), labels, ROWS[:12], ROWS[12:20], TrainingSettings(3))
        states.append(model.state_dict())
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def test_filters_are_not_decayed():
    moved = []
    for decay in (0.0, 10.0):
        model = classifier()
        # a rate so small that only the decay could move anything much, were it there
        before = model.convs[0].filters.free_adj.detach().clone()
        settings = TrainingSettings(1, learning_rate=1e-3, weight_decay=decay)
        train_classifier(model, graphs(), LABELS, ROWS[:12], ROWS[12:], settings)
        moved.append(model.convs[0].filters.free_adj.detach() - before)
    torch.testing.assert_close(moved[0], moved[1])


def test_predictions_do_not_depend_on_the_batch_size():
    model, data = classifier(), graphs()
    whole = predict_logits(model, data, ROWS, batch_size=24)
    torch.testing.assert_close(predict_logits(model, data, ROWS, batch_size=5), whole)


def test_an_empty_part_gets_one_sentence():
    with pytest.raises(InputError, match="validation must have at least one member"):
        train_classifier(classifier(), graphs(), LABELS, ROWS, ROWS[:0])
