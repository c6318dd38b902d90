"""The paper's experiments: their committed results and tables, and that no test part leaks."""

import numpy as np
import pytest
from paper import interpretability, isomorphic
from paper.data import stratified_splits
from paper.protocol import read_experiment, select_trial
from paper.table import HERE, TABLES, write_tables
from paper.tiny_data import tiny_graph_data


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
