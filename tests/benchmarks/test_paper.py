"""The paper's experiments: their committed results and tables, and that no test part leaks."""

import itertools
import math
import signal
from pathlib import Path

import numpy as np
import pytest
from paper import accuracy, interpretability, isomorphic
from paper.accuracy import BudgetSpentError, processor_limit, run_trial, run_trials
from paper.data import stratified_splits
from paper.protocol import Experiment, Family, Trial, TrialOutcome, read_experiment, select_trial
from paper.records import read_records
from paper.table import HERE, TABLES, accuracy_table, cell_text, cells, write_tables
from paper.tiny_data import tiny_graph_data

RESULTS = Path("results.jsonl")


@pytest.mark.parametrize(
    ("module", "column", "value", "number"),
    [(interpretability, "run", "from classes", 10), (isomorphic, "kernel", "GOMK", 18)],
)
def test_committed_results_are_of_these_settings_and_meet_the_goals(module, column, value, number):
    experiment = module.EXPERIMENT
    settings = experiment.settings(smoke=False)
    lines = experiment.lines(HERE / "results" / f"{experiment.name}.jsonl", settings)
    assert sum(line[column] == value for line in lines) == number
    assert module.missed_goals(lines, settings) == []


def test_the_committed_tables_are_of_the_committed_results(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text((HERE / "README.md").read_text())
    write_tables(readme, HERE / "results")
    assert readme.read_text() == (HERE / "README.md").read_text()
    for name in TABLES:
        experiment = read_experiment(HERE / f"{name}.toml")
        assert set(experiment.printed) <= set(experiment.models)


def test_a_trial_is_selected_by_validation_and_never_by_test():
    low, high, level, unknown = (
        {"trial": trial, "val": val, "val_loss": loss, "test": test}
        for trial, (val, loss, test) in enumerate(
            [(0.5, 1.0, 1.0), (0.6, 1.0, 0.0), (0.6, 0.9, 1.0), (0.6, None, 1.0)]
        )
    )
    assert select_trial([low, high]) is high
    assert select_trial([low, high, level, unknown]) is level


def test_splits_are_disjoint_and_features_are_scaled_over_training_graphs_alone():
    labels = np.repeat([0, 1, 2], [50, 30, 21])
    for split in stratified_splits(labels, num_splits=4):
        assert sorted(np.concatenate(split)) == list(range(len(labels)))
        counts = [np.bincount(labels[part]).tolist() for part in split]
        assert counts == [[30, 18, 13], [10, 6, 4], [10, 6, 4]]
    data = tiny_graph_data("tiny")
    split = data.splits[0]
    is_train = np.isin(data.graph.graph_of(np.arange(data.graph.num_nodes)), split.train)
    features = data.split_features(split)
    np.testing.assert_allclose(features[is_train, :2].mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(features[is_train, :2].std(axis=0), 1, atol=1e-6)


def experiment_with(budgets, **changed):
    return Experiment(
        **{"name": "x", "title": "Title", "kind": "graph", "data_sets": ["cora", "other"],
           "models": ["slow", "fast"], "splits": 2, "trials": 30, "ours": ["slow"],
           "budgets": budgets, **changed}
    )  # fmt: skip


def searched(monkeypatch, experiment, seconds, points=100):
    """The trials of fake models, each of so many seconds, in the order in which they ran."""
    validations = itertools.count(1)

    def fake_trial(family, data, trial, epochs, left):
        is_cut = seconds[trial.model] > left
        return {
            "val": None if is_cut else next(validations) / 1000,
            "val_loss": None,
            "test": None if is_cut else 0.5,
            "points": points,
            "cpu_seconds": min(seconds[trial.model], left),
        }

    monkeypatch.setattr(accuracy, "run_trial", fake_trial)
    monkeypatch.setattr(accuracy, "describe_run", dict)
    families = {name: Family(name, {"p": range(points)}, None) for name in experiment.models}
    assert run_trials(experiment, RESULTS, str, families) == []
    return read_records(RESULTS)


@pytest.mark.usefixtures("folder")
def test_every_model_has_the_same_processor_time(monkeypatch):
    experiment = experiment_with({"cora": 10.0}, data_sets=["cora"])
    records = searched(monkeypatch, experiment, {"slow": 4.0, "fast": 2.0})
    # a split to its end, the models in turn
    assert [record["split"] for record in records] == [0] * 8 + [1] * 8
    first = [(record["model"], record["trial"]) for record in records[:8]]
    assert first[:4] == [("slow", 0), ("fast", 0), ("slow", 1), ("fast", 1)]
    spent = {
        key: sum(r["cpu_seconds"] for r in records if (r["model"], r["split"]) == key)
        for key in itertools.product(experiment.models, range(2))
    }
    assert set(spent.values()) == {10.0}
    # the third trial of the slow one is cut: it counts as time, and not as a trial
    table = cells(experiment, records)
    assert table["slow", "cora"].trials == (2, 2) and table["fast", "cora"].trials == (5, 5)
    assert {cell.seconds for cell in table.values()} == {10.0}
    # what is finished is not run again
    assert searched(monkeypatch, experiment, {"slow": 4.0, "fast": 2.0}) == records


@pytest.mark.usefixtures("folder")
def test_a_search_ends_with_its_last_trial_or_the_last_point_of_its_grid(monkeypatch):
    seconds = {"slow": 0.5, "fast": 0.25}
    experiment = experiment_with({"cora": 100.0}, data_sets=["cora"])
    records = searched(monkeypatch, experiment, seconds)
    assert {cell.trials for cell in cells(experiment, records).values()} == {(30, 30)}
    RESULTS.unlink()
    records = searched(monkeypatch, experiment, seconds, points=7)
    table = cells(experiment, records)
    assert {cell.trials for cell in table.values()} == {(7, 7)}
    assert table["slow", "cora"].seconds == 3.5
    assert "unfinished" not in accuracy_table(experiment, records)


@pytest.mark.usefixtures("folder")
def test_a_split_that_was_not_searched_to_its_end_does_not_count(monkeypatch):
    experiment = experiment_with({"cora": 10.0, "other": 6.0})
    records = searched(monkeypatch, experiment, {"slow": 4.0, "fast": 2.0})
    records = [record for record in records if record["data"] == "cora"]
    # the last trial of the second split was not reached
    del records[-1]
    table = cells(experiment, records)
    assert [len(table[model, "cora"].accuracies) for model in experiment.models] == [2, 1]
    text = accuracy_table(experiment, records)
    assert "|  | cora, 10 s | other, 6 s |" in text
    assert "| fast | 50.0; 1 split, 5 trials, 10 s | – |" in text
    assert "- cora is unfinished: all models have spent their budget on 1 of 2 splits;" in text
    assert "- other is unfinished: all models have spent their budget on 0 of 2 splits;" in text
    # no trial of the slow one ends within a shorter budget, and none within a longer one is lost
    RESULTS.unlink()
    short = experiment_with({"cora": 3.0}, data_sets=["cora"])
    assert ("slow", "cora") not in cells(
        short, searched(monkeypatch, short, {"slow": 4, "fast": 2})
    )
    longer = experiment_with({"cora": 8.0}, data_sets=["cora"])
    records = searched(monkeypatch, longer, {"slow": 4.0, "fast": 2.0})
    assert cells(longer, records)["slow", "cora"].trials == (1, 1)


def test_a_budget_cuts_a_trial_that_would_not_end():
    def endless(data, split, params, seed):
        for _ in itertools.repeat(None):
            pass

    def short(data, split, params, seed):
        return TrialOutcome(0.75, 0.5, 0.25, 1, 1)

    data, trial = tiny_graph_data("tiny"), Trial("tiny", "m", 0, 0)
    before = signal.getsignal(signal.SIGPROF)
    cut = run_trial(Family("m", {"p": [1, 2, 3]}, endless), data, trial, None, 0.05)
    assert (cut["val"], cut["test"], cut["points"]) == (None, None, 3)
    # the clock that ends a trial ticks some milliseconds apart
    assert cut["cpu_seconds"] > 0.02
    whole = run_trial(Family("m", {"p": [1, 2, 3]}, short), data, trial, None, 60.0)
    assert (whole["val"], whole["test"]) == (0.75, 0.25)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) == before
    # an error of a model is not taken for the end of its budget
    with pytest.raises(ZeroDivisionError), processor_limit(60.0):
        raise ZeroDivisionError
    with pytest.raises(BudgetSpentError), processor_limit(0.01):
        endless(None, None, None, None)


def test_what_a_cell_says_of_its_search():
    experiment = experiment_with({}, trials=4)
    (cell,) = cells(
        experiment,
        [
            {"model": "slow", "data": "cora", "split": split, "trial": trial, "val": 0.5,
             "val_loss": None, "test": 0.8 + 0.1 * split, "cpu_seconds": 4.0 + split}
            for split, trial in [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (1, 4), (2, 0)]
        ],
    ).values()  # fmt: skip
    # the fifth trial and the third split are past the settings
    assert (cell.trials, cell.seconds) == ((2, 3), 11.5)
    assert cell_text(experiment, cell, None) == "85.0 ± 7.1; 2 to 3 trials, 12 s"
    assert cell_text(experiment, cell, [90.72, 0.3]).startswith("85.0 ± 7.1 (90.7 ± 0.3); ")
    assert cell_text(experiment, None, [90.72, 0.3]) == "– (90.7 ± 0.3)"
    one = {"model": "slow", "data": "cora", "split": 0, "trial": 0, "val": 0.5, "val_loss": None,
           "test": 0.8, "cpu_seconds": 0.26}  # fmt: skip
    assert cell_text(experiment, *cells(experiment, [one]).values(), None) == (
        "80.0; 1 split, 1 trial, 0.3 s"
    )
    assert math.isinf(experiment.seconds_left("cora", [one]))


def test_budgets_are_those_of_all_sets_of_a_table():
    for name in ("node_budget", "graph_budget"):
        experiment = read_experiment(HERE / f"{name}.toml")
        assert list(experiment.budgets) == experiment.data_sets
        assert experiment.trials == 30
        paper = read_experiment(HERE / f"{name.replace('budget', 'classification')}.toml")
        assert experiment.models == list(paper.printed)
