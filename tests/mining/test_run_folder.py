"""The folder of a run: what it holds, how it is read back, what is refused."""

import json
import os
from dataclasses import replace

import jsonschema
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from tiny_runs import assert_numbers, change, signed_loops, small_patterns_record

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining import MiningRun, MotifRecovery, Pattern, PatternMiner, load_miner, read_run
from mining.run_folder import (
    SCHEMA_VERSION,
    prepare_folder,
    write_report,
    write_run,
)
from mining.schemas import load_schema
from mining.settings import GraphSettings, RunSettings, read_settings

FEATURES = ("weight", "größe")
JSON_FILES = ("run", "patterns", "map")


@pytest.fixture(scope="module")
def graph():
    graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 3)
    for node in graph:
        graph.nodes[node].update(weight=float(node < 30), größe=2.0 * (node % 2))
    return as_csr(nx.relabel_nodes(graph, {0: "zero <&>"}), features=FEATURES)


@pytest.fixture(scope="module")
def miner(graph):
    options = {"num_epochs": 2, "min_occurrences": 2, "null_samples": 99}
    return PatternMiner(num_patterns=2, pattern_size="5-5", **options).fit(graph)


@pytest.fixture(scope="module")
def settings(miner):
    graph = GraphSettings("some/graph.graphml", features=FEATURES)
    return replace(RunSettings.of(miner), graph=graph)


@pytest.fixture(scope="module")
def run(graph, miner, settings):
    recovery = [
        MotifRecovery("ring", 5, 5, 6, (0,), 6, 6),
        MotifRecovery("star", 5, 4, 1, (), 0, 0),
    ]
    return MiningRun.of(miner, graph, settings=settings, seconds=1.5, recovery=recovery)


@pytest.fixture(scope="module")
def written(tmp_path_factory, run, settings, miner):
    """A finished run that no test changes."""
    folder = tmp_path_factory.mktemp("run") / "a" / "b"
    assert prepare_folder(folder) == folder / ".progress"
    write_run(folder, run, settings, miner)
    return folder


@pytest.fixture
def copied(written, tmp_path):
    """The files of the same run, without its folders, to be damaged."""
    folder = tmp_path / "copy"
    (folder / "patterns").mkdir(parents=True)
    for file in written.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    return folder


def files_of(folder):
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_the_files_of_a_run(written, run, settings):
    assert sorted(files_of(written)) == [
        "checkpoint.pt",
        "copies.parquet",
        "map.json",
        "occurrences.parquet",
        "patterns.json",
        "report.html",
        "run.json",
        "settings.toml",
    ]
    records = {name: json.loads((written / f"{name}.json").read_bytes()) for name in JSON_FILES}
    for name, record in records.items():
        jsonschema.Draft202012Validator(load_schema(name)).validate(record)
    assert records["patterns"]["patterns"] == [pattern.to_dict() for pattern in run.patterns]
    assert read_settings(written / "settings.toml") == settings
    page = (written / "report.html").read_text("utf-8")
    assert_numbers(page, {f"{name}.json": record for name, record in records.items()})
    assert "zero <&>" not in page and "largest adjusted" not in page
    state = torch.load(written / "checkpoint.pt", weights_only=True)
    assert set(state) >= {"params", "categories"}


def test_a_run_is_read_back(written, copied, run):
    back = read_run(written)
    assert [p.to_dict() for p in back.patterns] == [p.to_dict() for p in run.patterns]
    for name in ("graph", "recovery", "provenance", "loss_curve"):
        assert getattr(back, name) == getattr(run, name), name
    assert back.settings == json.loads(json.dumps(run.settings))
    assert back.map.to_dict() == run.map.to_dict()
    (copied / "report.html").unlink()
    page = write_report(copied, back)
    assert page.read_text("utf-8") == (written / "report.html").read_text("utf-8")


def test_relations_and_notes_are_read_back(tmp_path):
    graph = signed_loops(30)
    miner = PatternMiner(pattern_size=3, null="none").fit(graph)
    run = MiningRun.of(miner, graph)
    prepare_folder(tmp_path)
    write_run(tmp_path, run, RunSettings.of(miner), miner)
    back = read_run(tmp_path)
    assert back.graph == run.graph and back.notes == run.notes
    assert [p.to_dict() for p in back.patterns] == [p.to_dict() for p in run.patterns]
    assert back.map.to_dict() == run.map.to_dict()
    for name in JSON_FILES:
        record = json.loads((tmp_path / f"{name}.json").read_bytes())
        jsonschema.Draft202012Validator(load_schema(name)).validate(record)
    assert [p.to_dict() for p in back.others] == [p.to_dict() for p in run.others] != []


def test_a_miner_is_read_back(written, graph, miner):
    back = load_miner(written)
    np.testing.assert_array_equal(back.transform(graph), miner.transform(graph))
    assert back.predict(graph).tolist() == miner.predict(graph).tolist()
    assert RunSettings.of(back) == RunSettings.of(miner)
    for name in ("n_features_in_", "loss_curve_", "null_models_", "notes_"):
        assert getattr(back, name) == getattr(miner, name), name
    described = MiningRun.of(back, graph)
    assert [p.description for p in described.patterns] == [p.name for p in back.patterns_]


def test_a_run_without_truth_and_without_patterns(tmp_path, graph, settings):
    empty = PatternMiner(pattern_size=5, null="none").fit(nx.path_graph(9))
    folder = tmp_path / "run"
    prepare_folder(folder)
    write_run(folder, MiningRun.of(empty, nx.path_graph(9)), settings, empty)
    back = read_run(folder)
    assert back.patterns == []
    assert back.recovery is None


def test_force_replaces_a_run_and_what_is_left_of_it(copied, run, settings, miner):
    for name in ("copies_other.parquet", "my_own.txt"):
        (copied / name).write_text("old")
    prepare_folder(copied, force=True)
    small = replace(run, patterns=run.patterns[:1], map=None, loss_curve=[])
    write_run(copied, small, settings, miner)
    left = files_of(copied)
    assert left["my_own.txt"] == b"old"
    assert "copies_other.parquet" not in left
    assert len(read_run(copied).patterns) == 1


def test_a_run_that_is_killed_while_it_is_written_is_not_complete(
    tmp_path, run, settings, miner, monkeypatch
):
    prepare_folder(tmp_path)

    def stop_at_report(temporary, path, replace=os.replace):
        if path.name == "report.html":
            raise KeyboardInterrupt
        replace(temporary, path)

    monkeypatch.setattr("gomkcn_dgl.runtime.files.os.replace", stop_at_report)
    with pytest.raises(KeyboardInterrupt):
        write_run(tmp_path, run, settings, miner)
    assert (tmp_path / "patterns.json").exists()
    assert not any(".tmp" in name for name in files_of(tmp_path))
    with pytest.raises(InputError, match=r"holds no finished run: run\.json is missing\.$"):
        read_run(tmp_path)


VALIDATOR = jsonschema.Draft202012Validator(load_schema("patterns"))


def test_parquet_holds_the_occurrences(written, run):
    table = pd.read_parquet(written / "occurrences.parquet")
    rows = table[["pattern", "occurrence", "pattern_node", "node"]].itertuples(index=False)
    assert [tuple(row) for row in rows] == [
        (pattern.id, number, slot, str(node))
        for pattern in run.patterns
        for number, occurrence in enumerate(pattern.occurrences)
        for slot, node in enumerate(occurrence.nodes)
    ]


@pytest.mark.parametrize("name", JSON_FILES)
def test_a_missing_or_cut_file_is_named(name, copied):
    file = copied / f"{name}.json"
    file.write_bytes(b"{")
    with pytest.raises(InputError, match=rf"^'.*{name}\.json' cannot be read \(.+\)\.$"):
        read_run(copied)
    file.unlink()
    with pytest.raises(InputError, match=rf"holds no finished run: {name}\.json is missing\.$"):
        read_run(copied)


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("run", ("graph",), {"nodes": 3}),
        ("run", ("recovery",), [{"name": "ring"}]),
        ("patterns", ("schema",), "4"),
        ("patterns", ("feature_names",), ["one"] * 7),
        ("patterns", ("patterns", 0, "profiles", 0, "edge_weights"), [1.0]),
        ("patterns", ("patterns", 0, "edge_relations"), [0]),
        ("patterns", ("patterns", 0, "frequency", "occurrences", "high"), 1e300),
        ("map", ("edges", 0), [0, 45]),
        ("map", ("edge_relations", 0), 1),
        ("map", ("names",), ["a"]),
        ("map", ("positions", 0), [0]),
        ("map", ("kind_of", 0), 99),
        ("map", ("degrees",), [1]),
    ],
)
def test_a_damaged_record_is_refused(name, path, value, copied):
    file = copied / f"{name}.json"
    file.write_text(json.dumps(change(json.loads(file.read_bytes()), path, value)))
    with pytest.raises(InputError, match=r"^run folder .* holds a damaged .* mine again\.$"):
        read_run(copied)


def test_a_run_of_another_version_is_named(copied):
    file = copied / "patterns.json"
    file.write_text(json.dumps(change(json.loads(file.read_bytes()), ("schema",), 3)))
    # which had other files
    (copied / "map.json").unlink()
    message = rf"written by another version .* in format 3, .* format {SCHEMA_VERSION}; mine again"
    with pytest.raises(InputError, match=message):
        read_run(copied)


def test_patterns_fit_the_schema():
    record = small_patterns_record()
    VALIDATOR.validate(record)
    (entry,) = record["patterns"]
    assert Pattern.from_dict(entry, ["x0"]).to_dict() == entry
    for name in entry:
        shorter = {key: value for key, value in entry.items() if key != name}
        with pytest.raises(jsonschema.ValidationError, match=name):
            VALIDATOR.validate(record | {"patterns": [shorter]})
