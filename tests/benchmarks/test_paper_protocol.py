"""The protocol of the paper's tables, on tiny data: nothing here needs PyG or the real sets."""

import dataclasses

import numpy as np
from paper import accuracy, node_machine
from paper.data import (
    BOND_DATA,
    FILTERED_DATA,
    GRAPH_DATA,
    NODE_DATA,
    load_graph_data,
    load_node_data,
    read_geom_gcn,
    stratified_splits,
)
from paper.motif_data import MOTIF_DATA, load_motif_data
from paper.protocol import Experiment, Family, TrialOutcome, read_experiment, select_trial
from paper.records import read_records
from paper.table import HERE, TABLES, accuracy_table, write_tables
from paper.tiny_data import tiny_graph_data, tiny_node_data

from gomkcn_dgl.relations import SIMPLE

EXPERIMENT = Experiment(
    name="tiny",
    title="Tiny",
    kind="node",
    data_sets=["a", "b"],
    models=["GOMKCN", "other"],
    ours=["GOMKCN", "whole"],
    ablations={"whole": ["part"]},
    splits=2,
    trials=2,
    printed={"GOMKCN": {"a": [90.0, 1.0]}},
)


def lucky_trial(data, split, params, seed):
    """The better in validation, the worse in test."""
    val = params["width"] / 10
    return TrialOutcome(val, 1 - val, 1 - val, best_epoch=1, epochs=params["epochs"])


def run_tiny(path):
    grid = {"width": [1, 2, 3, 4], "epochs": [200]}
    families = {name: Family(name, grid, lucky_trial) for name in ("GOMKCN", "other")}
    return accuracy.run_trials(EXPERIMENT, path, tiny_node_data, families, epochs=2)


def record(model, split, trial, val, test, val_loss=1.0):
    values = {"model": model, "data": "a", "split": split, "trial": trial, "val": val}
    return {**values, "val_loss": val_loss, "test": test}


def test_no_point_of_a_grid_is_drawn_twice():
    family = Family("x", {"a": [1, 2, 3], "b": ["u", "v"]}, lucky_trial)
    drawn = [family.params("cora", trial) for trial in range(family.num_points)]
    assert len({tuple(point.items()) for point in drawn}) == 6
    assert drawn != [family.params("actor", trial) for trial in range(6)]


def test_a_trial_is_selected_by_validation_and_never_by_test():
    low = record("m", 0, 0, val=0.5, test=1.0)
    high = record("m", 0, 1, val=0.6, test=0.0)
    level = record("m", 0, 2, val=0.6, test=1.0, val_loss=0.9)
    without_loss = record("m", 0, 3, val=0.6, test=1.0, val_loss=None)
    assert select_trial([low, high]) is high
    assert select_trial([low, high, level, without_loss]) is level
    assert select_trial([without_loss, {**without_loss, "trial": 2}])["trial"] == 2


def test_a_run_continues_where_it_was_killed(tmp_path):
    path = tmp_path / "results" / "tiny.jsonl"
    assert run_tiny(path) == []
    records = read_records(path)
    assert len(records) == 2 * 2 * 2 * 2 and records[0]["params"]["epochs"] == 2
    assert {"machine", "versions", "commit", "seed", "seconds", "threads"} <= set(records[0])
    # the same point for both models and both splits
    points = {(r["data"], r["trial"], r["params"]["width"]) for r in records}
    assert len(points) == 4
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:7]) + lines[7][:20])
    assert len(read_records(path)) == 7
    run_tiny(path)
    assert path.read_bytes().startswith(b"".join(lines[:7]))
    key = ("data", "model", "split", "trial", "params", "val", "test")
    again = [[r[name] for name in key] for r in read_records(path)]
    assert again == [[r[name] for name in key] for r in records]


def test_splits_are_disjoint_complete_and_stratified():
    labels = np.repeat([0, 1, 2], [50, 30, 21])
    splits = stratified_splits(labels, num_splits=4)
    assert len({split.test.tobytes() for split in splits}) == 4
    for split in splits:
        assert sorted(np.concatenate(split)) == list(range(len(labels)))
        counts = [np.bincount(labels[part]).tolist() for part in split]
        assert counts == [[30, 18, 13], [10, 6, 4], [10, 6, 4]]
    assert all(map(np.array_equal, stratified_splits(labels, num_splits=1)[0], splits[0]))


def test_the_machine_of_nodes_compares_their_subgraphs():
    data = tiny_node_data("tiny")
    gram = node_machine._gram(data, 1, 0.3, 8)
    np.testing.assert_allclose(np.diag(gram), 1, atol=1e-5)
    np.testing.assert_allclose(gram, gram.T, atol=1e-6)
    rooted = node_machine._rooted_graphs(data, 8)
    assert [one.num_nodes for one in rooted] == np.minimum(1 + data.graph.degrees, 8).tolist()
    outcome = node_machine.NODE_MACHINE.trial(
        data, data.splits[0], {"num_levels": 1, "tau": 0.3, "max_nodes": 8}, 0
    )
    # features tell the types
    assert outcome.val == outcome.test == 1


def test_features_are_standardised_over_training_graphs_alone():
    data = tiny_graph_data("tiny")
    split = data.splits[0]
    owner = np.repeat(np.arange(data.graph.num_graphs), np.diff(data.graph.graph_ptr))
    is_train = np.isin(owner, split.train)
    features = data.split_features(split)
    np.testing.assert_allclose(features[is_train, :2].mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(features[is_train, :2].std(axis=0), 1, atol=1e-6)
    np.testing.assert_array_equal(features[:, 2:], data.graph.features[:, 2:])


def test_only_directions_or_types_tell_the_class_of_motif_data():
    for name in MOTIF_DATA:
        data = load_motif_data(name, num_graphs=40)
        assert len(set(data.motif_keys())) == data.num_classes
        plain = data.graph.with_relations(SIMPLE)
        motif_nodes = [20 + number for number in range(4)]
        shapes = set()
        for split in data.splits[:2]:
            assert len(np.unique(np.concatenate(split))) == 40
            for row in np.concatenate(split):
                first = int(plain.graph_ptr[row])
                nodes = [first + node for node in motif_nodes]
                inside = [(u, v) for u, v in plain.adjacent_pairs().tolist() if {u, v} <= {*nodes}]
                shapes.add(len(inside))
        # the same ring in every graph
        assert shapes == {4}
        assert (data.graph.features == 1).all()


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


def test_a_table_has_the_selected_trials_and_the_printed_figures():
    records = [
        record("GOMKCN", 0, 0, val=0.5, test=1.0),
        record("GOMKCN", 0, 1, val=0.6, test=0.8),
        record("GOMKCN", 1, 0, val=0.6, test=0.6),
        record("GOMKCN", 1, 1, val=0.1, test=1.0),
        # past the settings
        record("GOMKCN", 0, 2, val=1.0, test=0.0),
        record("other", 0, 0, val=0.5, test=0.7),
        record("other", 1, 0, val=0.5, test=0.6),
    ]
    # an ablation is no peer, however good it is
    records += [record("whole", split, 0, val=0.5, test=0.9) for split in (0, 1)]
    records += [record("part", split, 0, val=0.5, test=0.95) for split in (0, 1)]
    experiment = dataclasses.replace(EXPERIMENT, models=["GOMKCN", "other", "whole", "part"])
    table = accuracy_table(experiment, records)
    assert "| GOMKCN | 70.0 ± 14.1 (90.0 ± 1.0) | – |" in table
    assert "| other | 65.0 ± 7.1, 2 splits, 1 trial | – |" in table
    assert (
        "- a: other is the best peer; GOMKCN is 5.0 ± 5.0 ahead; whole is 25.0 ± 5.0 ahead; "
        "whole is 5.0 ± 0.0 behind “part”."
    ) in table


def test_the_committed_tables_are_of_the_committed_results(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text((HERE / "README.md").read_text())
    write_tables(readme, HERE / "results")
    assert readme.read_text() == (HERE / "README.md").read_text()
    for name in TABLES:
        experiment = read_experiment(HERE / f"{name}.toml")
        assert set(experiment.printed) <= set(experiment.models)
        allowed = {
            "node": NODE_DATA + FILTERED_DATA,
            "graph": GRAPH_DATA + BOND_DATA,
            "motif": MOTIF_DATA,
        }
        assert set(experiment.data_sets) <= set(allowed[experiment.kind])


def test_real_data(shared_data):
    nodes = load_node_data("squirrel_filtered", shared_data)
    assert nodes.graph.features.shape == (2218, 2089)
    assert (nodes.graph.num_edges, nodes.num_classes) == (46837, 5)
    # the same pairs, of which few are joined both ways
    assert nodes.directed.is_directed and nodes.directed.num_edges >= 46837
    assert (nodes.directed.indices == nodes.graph.indices).all()
    data = load_graph_data("MUTAG with bonds", shared_data)
    assert (data.graph.features.shape[1], data.num_continuous) == (7, 0)
    # aromatic, single, double, triple
    assert len(data.graph.relations.names) == 4
    everything = list(range(data.graph.num_graphs))
    assert len(data.splits) == 10
    assert sorted(np.concatenate([fold.test for fold in data.splits])) == everything
    assert all(sorted(np.concatenate(fold)) == everything for fold in data.splits)
