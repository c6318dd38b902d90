"""A run: its settings, what its folder holds, how it is read back and compared, what is refused."""

import json
import os
from dataclasses import replace

import msgspec
import networkx as nx
import pandas as pd
import pytest
from command_line import gomkcn
from random_graphs import rings_and_cliques
from tiny_runs import assert_numbers, change, signed_loops

from gomkcn.mining import (
    FilterLearning,
    FilterMiner,
    MiningRun,
    PatternMiner,
    load,
)
from gomkcn.mining.motif_sets.motif_set_record import MotifSetRecord
from gomkcn.mining.patterns.mining_settings import GraphSettings, RunSettings
from gomkcn.mining.plots.graph_map import MapRecord
from gomkcn.mining.runs.graph_inputs import RunRecord
from gomkcn.mining.runs.mine import MINE, run_of_mining
from gomkcn.mining.runs.run_patterns import PatternsRecord
from gomkcn.mining.structures.pattern import SCHEMA_VERSION
from gomkcn.mining.structures.records import read_as
from gomkcn.mining.structures.truth import MotifRecovery
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.runtime.files import parse_toml
from gomkcn_dgl.runtime.run import prepare_folder, write_page, write_run

FEATURES = ("weight", "größe")
JSON_FILES = ("run", "patterns", "map")


def read_records(records):
    """Each file of a run has the types of its record, and their schema can be published."""
    kinds = {"run": RunRecord, "patterns": PatternsRecord, "map": MapRecord}
    for name, record in records.items():
        read_as(kinds[name], record)
        assert msgspec.json.schema(kinds[name])["$defs"][kinds[name].__name__]["properties"]
    read_as(MotifSetRecord, records["patterns"]["motif_set"])


@pytest.fixture(scope="module")
def graph():
    graph = rings_and_cliques()
    for node in graph:
        graph.nodes[node].update(weight=float(node < 30), größe=2.0 * (node % 2))
    return as_csr(nx.relabel_nodes(graph, {0: "zero <&>"}), features=FEATURES)


@pytest.fixture(scope="module")
def miner(graph):
    filters = FilterMiner(2, filter_size=5, learning=FilterLearning(num_epochs=2))
    return PatternMiner("5-5", sources="grown,filters", filters=filters, null_samples=99).fit(graph)


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
def written(tmp_path_factory, run, settings):
    """A finished run that no test changes."""
    folder = tmp_path_factory.mktemp("run") / "a" / "b"
    assert prepare_folder(MINE, folder) == folder / ".progress"
    write_run(MINE, folder, run_of_mining(run))
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
    whole = sorted(files_of(written))
    assert [name for name in whole if not name.startswith("filters/")] == [
        "copies.parquet",
        "map.json",
        "methods.txt",
        "occurrences.parquet",
        "patterns.json",
        "report.html",
        "roles.csv",
        "roles.parquet",
        "run.json",
        "settings.toml",
    ]
    assert load(written).roles.columns()["node"].tolist() == run.roles.columns()["node"].tolist()
    assert load(written).roles.to_pandas().equals(run.roles.to_pandas())
    # the filters are a whole run of their own
    assert len(load(written / "filters").filters) == len(run.filters.filters)
    records = {name: json.loads((written / f"{name}.json").read_bytes()) for name in JSON_FILES}
    read_records(records)
    assert records["patterns"]["patterns"] == [pattern.to_dict() for pattern in run.patterns]
    assert RunSettings().read(written / "settings.toml").to_dict() == settings.to_dict()
    page = (written / "report.html").read_text("utf-8")
    files = {f"{name}.json": record for name, record in records.items()}
    files["filters/filters.json"] = json.loads((written / "filters/filters.json").read_bytes())
    assert_numbers(page, files)
    assert "zero <&>" not in page and "largest adjusted" not in page


def test_a_run_is_read_back(written, copied, run):
    back = load(written)
    assert [p.to_dict() for p in back.patterns] == [p.to_dict() for p in run.patterns]
    for name in ("graph", "recovery", "provenance"):
        assert getattr(back, name) == getattr(run, name), name
    assert back.settings == json.loads(json.dumps(run.settings))
    assert back.map.to_dict() == run.map.to_dict()
    assert json.dumps(back.motif_set.to_dict()) == json.dumps(run.motif_set.to_dict())
    assert repr(back.motif_set) == repr(run.motif_set) and len(run.motif_set)
    (copied / "report.html").unlink()
    page = write_page(MINE, copied, run_of_mining(back))
    assert page.read_text("utf-8") == (written / "report.html").read_text("utf-8")


def test_force_replaces_a_run_and_what_is_what_is_left_of_it(copied, run, settings):
    for name in ("copies_other.parquet", "my_own.txt"):
        (copied / name).write_text("old")
    with pytest.raises(InputError, match=r"holds 'copies_other\.parquet', which no run of gomkcn"):
        prepare_folder(MINE, copied, force=True)
    record = json.loads((copied / "run.json").read_text())
    record["files"].append("copies_other.parquet")
    (copied / "run.json").write_text(json.dumps(record))
    prepare_folder(MINE, copied, force=True)
    small = replace(run, patterns=run.patterns[:1], map=None, filters=None)
    write_run(MINE, copied, run_of_mining(small))
    left = files_of(copied)
    assert left["my_own.txt"] == b"old"
    assert "copies_other.parquet" not in left
    assert len(load(copied).patterns) == 1


def test_a_run_that_is_killed_while_it_is_written_is_not_complete(
    tmp_path, run, settings, monkeypatch
):
    prepare_folder(MINE, tmp_path)

    def stop_at_report(temporary, path, replace=os.replace):
        if path.name == "report.html":
            raise KeyboardInterrupt
        replace(temporary, path)

    monkeypatch.setattr("gomkcn_dgl.runtime.files.os.replace", stop_at_report)
    with pytest.raises(KeyboardInterrupt):
        write_run(MINE, tmp_path, run_of_mining(run))
    assert (tmp_path / "patterns.json").exists()
    assert not any(".tmp" in name for name in files_of(tmp_path))
    with pytest.raises(InputError, match=r"holds no finished run: run\.json is missing\.$"):
        load(tmp_path)


# none, or one of each table and a kernel that is not the default one
GIVEN = [
    {},
    {"path": 'a "quoted" größe.csv', "features": ("x 0", "größe"), "pattern_size": "4-6",
     "null": ("degree",), "given": ("ring-6",), "num_filters": 7, "num_levels": 1,
     "tau": (1.0, 0.5)},
]  # fmt: skip


@pytest.mark.parametrize("given", GIVEN, ids=["default", "given"])
def test_settings_are_read_back(given, write):
    settings = RunSettings().override(given)
    tables = settings.to_dict()
    assert RunSettings().read(write("settings.toml", settings.to_toml())).to_dict() == tables
    # no name is in two tables
    values = {name: value for table in tables.values() for name, value in table.items()}
    assert len(values) == sum(map(len, tables.values()))
    assert values.items() >= given.items() and values["values"] == "copies"


def test_what_a_file_leaves_out_has_its_default_and_what_is_not_set_is_left_out(write):
    assert RunSettings().read(write("settings.toml", "")).to_dict() == RunSettings().to_dict()
    # an integer is read as a float
    tau = (
        RunSettings().read(write("settings.toml", "[kernel]\ntau = 2\n")).to_dict()["kernel"]["tau"]
    )
    assert (tau, type(tau)) == (2.0, float)
    tables = parse_toml(RunSettings(GraphSettings("g.csv", features=("x0",))).to_toml().encode())
    assert set(tables) == {"graph", "miner", "filters", "kernel", "learning"}
    assert tables["graph"] == {"path": "g.csv", "features": ["x0"]}
    assert "num_hops" not in tables["learning"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[graf]\n", "a table must have a known name, got 'graf'; did you mean 'graph'"),
        (
            "[graph]\npth = 'x'\n",
            r"a setting of \[graph\] must have a known name, got 'pth'; did you mean 'path'",
        ),
        (
            "[miner]\nnull = 3\n",
            "null must be a name, a function of a graph .* got int",
        ),
        ("graph = 3\n", r"settings file '.*': \[graph\] must be a table, got 3\."),
        ("[learning]\nnum_epochs = 2.5\n", "num_epochs must be an integer, got 2.5"),
        ("[graph]\nfeatures = [0]\n", "features must be a text, got 0"),
        ("[kernel]\ntau = -1\n", "tau must be at least"),
        ("[miner\n", "is not valid TOML: .*line 1"),
        (b"\xff\xfe\x00", "is not valid TOML"),
    ],
)
def test_a_bad_file_is_refused(content, words, write):
    path = write("settings.toml", content)
    with pytest.raises(InputError, match=words):
        RunSettings().read(path)
    path.unlink()
    with pytest.raises(InputError, match=r"settings\.toml' cannot be read"):
        RunSettings().read(path)


def test_a_missing_or_cut_file_and_another_version_are_named(copied):
    for name in JSON_FILES:
        file = copied / f"{name}.json"
        content = file.read_bytes()
        file.write_bytes(b"{")
        with pytest.raises(InputError, match=rf"^'.*{name}\.json' cannot be read \(.+\)\.$"):
            load(copied)
        file.unlink()
        with pytest.raises(InputError, match=rf"no finished run: {name}\.json is missing\.$"):
            load(copied)
        file.write_bytes(content)
    file = copied / "patterns.json"
    file.write_text(json.dumps(change(json.loads(file.read_bytes()), ("schema",), 3)))
    # which had other files
    (copied / "map.json").unlink()
    message = rf"written by another version .* in format 3, .* format {SCHEMA_VERSION}; mine again"
    with pytest.raises(InputError, match=message):
        load(copied)


def test_a_damaged_record_is_refused(copied):
    for name, path, value in (
        ("run", ("graph",), {"nodes": 3}),
        ("run", ("recovery",), [{"name": "ring"}]),
        ("patterns", ("schema",), "4"),
        ("patterns", ("patterns", 0, "edge_relations"), [0]),
        ("patterns", ("patterns", 0, "frequency", "occurrences", "high"), 1e300),
        ("map", ("edges", 0), [0, 45]),
        ("map", ("edge_relations", 0), 1),
        ("map", ("names",), ["a"]),
        ("map", ("positions", 0), [0]),
        ("map", ("kind_of", 0), 99),
        ("map", ("degrees",), [1]),
    ):
        file = copied / f"{name}.json"
        content = file.read_bytes()
        file.write_text(json.dumps(change(json.loads(content), path, value)))
        with pytest.raises(InputError, match=r"^run folder .* holds a damaged .* mine again\.$"):
            load(copied)
        file.write_bytes(content)


def test_relations_notes_and_what_was_counted_beside_are_read_back(tmp_path):
    graph = signed_loops(30)
    miner = PatternMiner(pattern_size=3, null="none").fit(graph)
    run = MiningRun.of(miner, graph)
    prepare_folder(MINE, tmp_path)
    write_run(MINE, tmp_path, run_of_mining(run))
    back = load(tmp_path)
    assert back.graph == run.graph and back.notes == run.notes
    assert [p.to_dict() for p in back.patterns] == [p.to_dict() for p in run.patterns]
    assert back.map.to_dict() == run.map.to_dict()
    read_records(
        {name: json.loads((tmp_path / f"{name}.json").read_bytes()) for name in JSON_FILES}
    )
    assert [p.to_dict() for p in back.others] == [p.to_dict() for p in run.others] != []
    assert back.recovery is None
    gomkcn(f"export {tmp_path} --out {tmp_path / 'tables'}")
    table = pd.read_csv(tmp_path / "tables" / "structures.csv")
    counts = [one.frequency.occurrences.value for one in run.counted]
    assert table["occurrences"].tolist() == counts
    assert table["edges"].tolist() == [one.structure.to_text() for one in run.counted]
    assert table["structure"].tolist() == [one.name for one in run.counted]
    assert table["pattern"].isna().sum() == len(run.others)
