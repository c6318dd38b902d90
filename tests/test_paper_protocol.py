"""The protocol of the paper's tables, on tiny data: nothing here needs PyG or the real sets."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from paper.data import (
    FILTERED_DATA,
    GRAPH_DATA,
    NODE_DATA,
    load_graph_data,
    load_node_data,
    stratified_splits,
)
from paper.experiment import Experiment, read_experiment
from paper.protocol import Family, TrialOutcome, choose_trial
from paper.readers import read_geom_gcn
from paper.results_file import ResultsFile
from paper.runner import Source, run_trials
from paper.smoke import tiny_graph_data
from paper.table import accuracy_table, cells, compare
from peers.adjacency import edge_list, sparse_rows
from peers.graph_batches import make_batch

from gomkcn_dgl.errors import InputError

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
TABLES = ("node_classification", "graph_classification")
EXPERIMENT = Experiment(
    name="tiny",
    title="Tiny",
    kind="node",
    data_sets=["a", "b"],
    models=["GOMKCN", "other"],
    splits=2,
    trials=3,
    limit=60.0,
    printed={"GOMKCN": {"a": [90.0, 1.0]}},
)


def lucky_trial(data, split, params, seed):
    """The better in validation, the worse in test."""
    val = params["width"] / 10
    return TrialOutcome(val, 1 - val, 1 - val, best_epoch=1, epochs=params["epochs"])


GRID = {"width": [1, 2, 3, 4], "epochs": [200]}


def two_families(kind):
    return {name: Family(name, GRID, lucky_trial, kind) for name in ("GOMKCN", "other")}


def run(path, experiment=EXPERIMENT, known=two_families, **options):
    said = []
    failed = run_trials(
        experiment, ResultsFile(path), Source(None), known=known, say=said.append, **options
    )
    return failed, said


def made_record(model, data, split, trial, val, test, val_loss=1.0, **more):
    return {
        "model": model,
        "data": data,
        "split": split,
        "trial": trial,
        "val": val,
        "val_loss": val_loss,
        "test": test,
        "unfinished": None,
        **more,
    }


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results" / "tiny.jsonl"


def test_a_data_set_draws_each_point_once_and_alike_for_all_splits():
    family = Family("x", {"a": [1, 2, 3], "b": ["u", "v"]}, lucky_trial, "node")
    drawn = [family.params("cora", trial) for trial in range(6)]
    assert len({tuple(point.items()) for point in drawn}) == 6
    assert family.params("cora", 6) is None
    assert drawn != [family.params("actor", trial) for trial in range(6)]


def test_a_trial_is_chosen_by_validation_and_never_by_test():
    low = made_record("m", "a", 0, 0, val=0.5, test=1.0)
    high = made_record("m", "a", 0, 1, val=0.6, test=0.0)
    level = made_record("m", "a", 0, 2, val=0.6, test=1.0, val_loss=0.9)
    without_loss = made_record("m", "a", 0, 3, val=0.6, test=1.0, val_loss=None)
    assert choose_trial([low, high]) is high
    assert choose_trial([low, high, level, without_loss]) is level
    assert choose_trial([without_loss, {**without_loss, "trial": 2}])["trial"] == 2


def test_every_trial_is_written_with_what_made_it(results):
    failed, said = run(results)
    records = ResultsFile(results).read()
    assert failed == [] and len(said) == len(records) == 2 * 2 * 2 * 3
    first = records[0]
    assert first["experiment"] == "tiny" and first["params"]["epochs"] == 2
    assert {"machine", "versions", "commit", "seed", "seconds", "threads"} <= set(first)
    # the same point for both models and both splits
    points = {(r["data"], r["trial"]): set() for r in records}
    for record in records:
        points[record["data"], record["trial"]].add(record["params"]["width"])
    assert {len(widths) for widths in points.values()} == {1}


def test_a_run_goes_on_where_it_was_killed(results):
    run(results)
    whole = results.read_bytes()
    lines = whole.splitlines(keepends=True)
    results.write_bytes(b"".join(lines[:7]) + lines[7][:20])
    assert len(ResultsFile(results).read()) == 7
    _, said = run(results)
    assert len(said) == len(lines) - 7
    assert results.read_bytes().startswith(b"".join(lines[:7]))

    def without_times(data):
        changing = ("seconds", "cpu_seconds", "started")
        records = [json.loads(line) for line in data.splitlines()]
        return [{k: v for k, v in record.items() if k not in changing} for record in records]

    assert without_times(results.read_bytes()) == without_times(whole)
    assert run(results)[1] == []


def test_splits_are_disjoint_complete_and_stratified():
    labels = np.repeat([0, 1, 2], [50, 30, 21])
    splits = stratified_splits(labels, num_splits=4)
    assert len({split.test.tobytes() for split in splits}) == 4
    for split in splits:
        assert sorted(np.concatenate(split)) == list(range(len(labels)))
        assert [np.bincount(labels[part]).tolist() for part in split] == [
            [30, 18, 13],
            [10, 6, 4],
            [10, 6, 4],
        ]
    first = stratified_splits(labels, num_splits=1)[0]
    assert all(map(np.array_equal, first, splits[0]))


def test_features_are_standardised_over_training_graphs_alone():
    data = tiny_graph_data("tiny")
    split = data.splits[0]
    owner = np.repeat(np.arange(data.graph.num_graphs), np.diff(data.graph.graph_ptr))
    is_train = np.isin(owner, split.train)
    features = data.split_features(split)
    np.testing.assert_allclose(features[is_train, :2].mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(features[is_train, :2].std(axis=0), 1, atol=1e-6)
    np.testing.assert_array_equal(features[:, 2:], data.graph.features[:, 2:])
    changed = data.graph.features.copy()
    changed[~is_train] = 1000
    other = dataclasses.replace(
        data, graph=dataclasses.replace(data.graph, features=changed)
    ).split_features(split)
    np.testing.assert_array_equal(other[is_train], features[is_train])


def test_geom_gcn_files(tmp_path):
    nodes = tmp_path / "out1_node_feature_label.txt"
    (tmp_path / "out1_graph_edges.txt").write_text("a\tb\n0\t1\n1\t0\n2\t2\n")
    nodes.write_text("id\tfeature\tlabel\n1\t0,1\t2\n0\t1,0\t0\n2\t1,1\t1\n")
    files = read_geom_gcn(tmp_path)
    assert files.features.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert files.labels.tolist() == [0, 2, 1] and len(files.edges) == 3
    # columns that are 1, as Actor lists them
    nodes.write_text("id\tfeature\tlabel\n0\t3\t0\n1\t0,1\t1\n2\t2\t0\n")
    assert read_geom_gcn(tmp_path).features.tolist() == [[0, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 0]]


def test_a_batch_is_the_chosen_graphs():
    data = tiny_graph_data("tiny")
    features = torch.from_numpy(data.graph.features)
    batch = make_batch(data.graph, features, np.array([5, 2]), edge_list)
    ends = data.graph.graph_ptr
    rows = [*range(ends[5], ends[6]), *range(ends[2], ends[3])]
    assert torch.equal(batch.features, features[rows])
    assert batch.graph_of.tolist() == [0] * int(ends[6] - ends[5]) + [1] * int(ends[3] - ends[2])
    whole = {tuple(edge) for edge in edge_list(data.graph.indptr, data.graph.indices).T.tolist()}
    found = [(rows[u], rows[v]) for u, v in batch.edges.T.tolist()]
    assert set(found) <= whole
    assert len(found) == sum(data.graph.degrees[rows])
    dense = make_batch(data.graph, features, np.array([5, 2]), sparse_rows).edges.to_dense()
    assert sorted(map(tuple, dense.nonzero().tolist())) == sorted(
        map(tuple, batch.edges.T.tolist())
    )


def test_a_table_has_the_chosen_trials_and_the_printed_figures():
    records = [
        made_record("GOMKCN", "a", 0, 0, val=0.5, test=1.0),
        made_record("GOMKCN", "a", 0, 1, val=0.6, test=0.8),
        made_record("GOMKCN", "a", 1, 0, val=0.6, test=0.6),
        made_record("GOMKCN", "a", 1, 1, val=0.1, test=1.0),
        # past the settings
        made_record("GOMKCN", "a", 0, 2, val=1.0, test=0.0),
        made_record("other", "a", 0, 0, val=0.5, test=0.7),
        made_record("other", "a", 1, 0, val=0.5, test=0.6),
    ]
    experiment = dataclasses.replace(EXPERIMENT, trials=2)
    found = cells(experiment, records)
    assert found["GOMKCN", "a"].accuracies == {0: pytest.approx(80), 1: pytest.approx(60)}
    difference, error, splits = compare(found["GOMKCN", "a"], found["other", "a"])
    assert (difference, error, splits) == (pytest.approx(5), pytest.approx(5), 2)
    table = accuracy_table(experiment, records)
    assert "| GOMKCN | 70.0 ± 14.1 (90.0 ± 1.0) | – |" in table
    assert "| other | 65.0 ± 7.1, 2 splits, 1 trial | – |" in table
    assert "GOMKCN is 5.0 ± 5.0 ahead of other" in table
    assert "within one standard error: other" in table


@pytest.mark.parametrize("name", TABLES)
def test_settings_are_complete_and_known(name, tmp_path):
    path = BENCHMARKS / "paper" / f"{name}.toml"
    experiment = read_experiment(path)
    assert set(experiment.printed) <= set(experiment.models)
    allowed = NODE_DATA + FILTERED_DATA if experiment.kind == "node" else GRAPH_DATA
    assert set(experiment.data_sets) <= set(allowed)
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("colour = 1\n" + path.read_text())
    with pytest.raises(InputError, match="unknown: colour"):
        read_experiment(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_every_model_runs_on_tiny_data(name):
    """Ours always; a peer that is not installed is named."""
    before = set((BENCHMARKS / "paper" / "results").glob("*"))
    command = [sys.executable, str(BENCHMARKS / "paper" / "run.py")]
    done = subprocess.run(
        [*command, str(BENCHMARKS / "paper" / f"{name}.toml"), "--smoke"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for model in read_experiment(BENCHMARKS / "paper" / f"{name}.toml").models:
        assert f"{model}: not installed" in done.stdout or f", {model}, split 0" in done.stdout
    assert set((BENCHMARKS / "paper" / "results").glob("*")) == before


@pytest.mark.parametrize(
    ("name", "nodes", "edges", "width", "classes"),
    [
        ("cora", 2708, 5278, 1433, 7),
        ("citeseer", 3327, 4552, 3703, 6),
        ("chameleon", 2277, 31371, 2325, 5),
        ("squirrel", 5201, 198353, 2089, 5),
        ("actor", 7600, 26659, 932, 5),
        ("chameleon_filtered", 881, 8482, 2325, 5),
        ("squirrel_filtered", 2218, 46837, 2089, 5),
    ],
)
def test_real_node_data(shared_data, name, nodes, edges, width, classes):
    data = load_node_data(name, shared_data)
    assert data.graph.features.shape == (nodes, width)
    assert (data.graph.num_edges, data.num_classes) == (edges, classes)
    sums = data.graph.features.sum(axis=1)
    if name in ("cora", "citeseer"):
        np.testing.assert_allclose(sums[sums > 0], 1, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "width", "continuous"),
    [
        ("ENZYMES", 21, 18),
        ("PROTEINS", 32, 29),
        ("DD", 82, 0),
        ("IMDB-BINARY", 136, 0),
        ("IMDB-MULTI", 89, 0),
        ("REDDIT-BINARY", 5, 5),
    ],
)
def test_real_folds_are_disjoint_and_complete(shared_data, name, width, continuous):
    data = load_graph_data(name, shared_data)
    assert data.graph.features.shape[1] == width and data.num_continuous == continuous
    everything = list(range(data.graph.num_graphs))
    assert len(data.splits) == 10
    assert sorted(np.concatenate([fold.test for fold in data.splits])) == everything
    for fold in data.splits:
        assert sorted(np.concatenate(fold)) == everything
