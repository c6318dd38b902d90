"""The folder of a run: what it holds, how it is read back, what it refuses."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from tiny_runs import assert_numbers

from gomkcn_dgl.errors import InputError
from mining import MiningRun, MotifRecovery, PatternMiner, load_miner, read_run
from mining.results.run_folder import prepare_folder, write_report, write_run
from mining.results.schema import load_schema
from mining.runs.drawings import RunDrawings
from mining.settings import GraphSettings, RunSettings, read_settings


def rings_and_cliques():
    graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 3)
    for node in graph:
        graph.nodes[node].update(weight=float(node < 30), größe=2.0 * (node % 2))
    return nx.relabel_nodes(graph, {0: "zero <&>"})


FEATURES = ("weight", "größe")
GRAPH = rings_and_cliques()


def as_graph():
    from gomkcn_dgl.graph import as_csr

    return as_csr(GRAPH, features=FEATURES)


@pytest.fixture(scope="module")
def miner():
    return PatternMiner(num_patterns=2, pattern_size=5, num_epochs=2, min_support=2).fit(as_graph())


@pytest.fixture(scope="module")
def settings(miner):
    graph = GraphSettings("some/graph.graphml", features=FEATURES)
    return RunSettings(graph).override({}, miner.get_params())


@pytest.fixture(scope="module")
def run(miner, settings):
    return MiningRun.of(
        miner,
        as_graph(),
        settings=settings,
        seconds=1.5,
        recovery=[
            MotifRecovery("ring", 5, 5, 6, (0,), 6, 6),
            MotifRecovery("star", 5, 4, 1, (), 0, 0),
        ],
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory, run, settings, miner):
    """A finished run that no test changes."""
    folder = tmp_path_factory.mktemp("run") / "a" / "b"
    assert prepare_folder(folder) == folder / ".progress"
    write_run(folder, run, settings, miner)
    return folder


@pytest.fixture
def copied(written, tmp_path):
    """The same run, to be damaged, without its drawings."""
    folder = tmp_path / "copy"
    prepare_folder(folder)
    for file in written.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    (folder / "patterns").mkdir()
    return folder


def files_of(folder):
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


# ---------------------------------------------------------------- what it holds


def test_the_files_are_those_of_the_contract_and_no_others(written):
    assert files_of(written) == [
        "checkpoint.pt",
        "drawings.json",
        "figures/frequencies.svg",
        "figures/loss.svg",
        "figures/map.svg",
        "figures/patterns.svg",
        "figures/similarities.svg",
        "occurrences.parquet",
        "patterns.json",
        "patterns/pattern_00.graphml",
        "patterns/pattern_01.graphml",
        "report.html",
        "run.json",
        "settings.toml",
    ]


def test_patterns_json_holds_the_patterns_and_fits_the_schema(written, run):
    record = json.loads((written / "patterns.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(load_schema()).validate(record)
    assert record["schema"] == 2
    assert record["feature_names"] == list(FEATURES)
    assert record["patterns"] == [pattern.to_dict() for pattern in run.patterns]
    counts = [entry["frequency"]["distinct"] for entry in record["patterns"]]
    assert counts == [6, 3] == [len(entry["occurrences"]) for entry in record["patterns"]]


def test_graphml_holds_the_same_patterns(written, run):
    for pattern in run.patterns:
        graph = nx.read_graphml(written / "patterns" / f"pattern_{pattern.id:02d}.graphml", int)
        expected = pattern.to_networkx()
        assert graph.graph.items() >= expected.graph.items()
        assert dict(graph.nodes(data=True)) == dict(expected.nodes(data=True))
        assert nx.utils.edges_equal(graph.edges(data=True), expected.edges(data=True))


def test_occurrences_parquet_has_a_row_for_each(written, run):
    table = pd.read_parquet(written / "occurrences.parquet")
    assert list(table.columns) == ["pattern", "occurrence", "graph", "similarity", "nodes"]
    found = [
        (row.pattern, row.occurrence, row.graph, tuple(row.nodes))
        for row in table.itertuples(index=False)
    ]
    assert found == [
        (pattern.id, number, place.graph, tuple(map(str, place.nodes)))
        for pattern in run.patterns
        for number, place in enumerate(pattern.occurrences)
    ]
    assert len(found) == 9
    assert "zero <&>" in {node for row in found for node in row[3]}


def test_the_settings_are_read_back(written, settings):
    assert read_settings(written / "settings.toml", PatternMiner().get_params()) == settings


def test_the_report_has_the_numbers_of_the_files_and_needs_nothing_else(written):
    page = (written / "report.html").read_text(encoding="utf-8")
    files = {
        name: json.loads((written / name).read_text(encoding="utf-8"))
        for name in ("patterns.json", "drawings.json", "run.json")
    }
    assert_numbers(page, files)
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:|//)""", page)
    assert "<script" not in page
    # an id of the input is no markup
    assert "zero <&>" not in page
    assert "größe" in page


def test_figures_are_svg(written):
    for name in ("patterns", "frequencies", "loss", "map", "similarities"):
        content = (written / "figures" / f"{name}.svg").read_text(encoding="utf-8")
        assert "<svg" in content


def test_a_checkpoint_holds_no_code(written):
    state = torch.load(written / "checkpoint.pt", weights_only=True)
    assert set(state) >= {"params", "adj", "feat", "weights", "num_nodes"}


# ---------------------------------------------------------------- reading back


def test_a_run_comes_back(written, run):
    back = read_run(written)
    assert [p.to_dict() for p in back.patterns] == [p.to_dict() for p in run.patterns]
    assert back.graph == run.graph
    assert back.recovery == run.recovery
    assert back.provenance == run.provenance
    assert back.loss_curve == run.loss_curve
    assert back.settings["miner"] == run.settings["miner"]
    assert back.drawings.to_dict() == run.drawings.to_dict()
    assert len(back.drawings.patterns) == 2


def test_a_miner_comes_back(written, miner):
    back = load_miner(written)
    graph = as_graph()
    np.testing.assert_array_equal(back.transform(graph), miner.transform(graph))
    assert back.predict(graph).tolist() == miner.predict(graph).tolist()
    assert back.get_params() == miner.get_params()
    for name in ("n_features_in_", "num_subgraphs_", "truncated_share_", "loss_curve_"):
        assert getattr(back, name) == getattr(miner, name), name
    without_words = [replace(pattern, words="").to_dict() for pattern in back.patterns_]
    assert without_words == [pattern.to_dict() for pattern in miner.patterns_]


def test_the_report_is_written_anew_from_what_was_read(written, copied):
    (copied / "report.html").unlink()
    page = write_report(copied, read_run(copied))
    assert page == copied / "report.html"
    # patterns.json keeps six digits, which shows in the drawings alone
    anew, before = (
        re.sub(r"<svg.*?</svg>", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        for file in (page, written / "report.html")
    )
    assert anew == before


def test_a_run_without_truth_and_without_patterns(tmp_path, run, settings, miner):
    empty = PatternMiner(num_patterns=2, pattern_size=5, num_epochs=0, min_support=99)
    empty.fit(as_graph())
    folder = tmp_path / "run"
    prepare_folder(folder)
    nothing = MiningRun.of(empty, as_graph())
    write_run(folder, nothing, settings, empty)
    back = read_run(folder)
    assert back.patterns == []
    assert back.recovery is None
    assert load_miner(folder).transform(as_graph()).shape == (45, 0)
    assert not (folder / "patterns").exists()


# ---------------------------------------------------------------- overwriting


def test_a_folder_with_a_run_is_refused(copied):
    before = {name: (copied / name).read_bytes() for name in files_of(copied)}
    with pytest.raises(
        InputError,
        match=r"^out folder '.*copy' already holds a run .* overwrite it with --force\.$",
    ):
        prepare_folder(copied, force=False)
    assert {name: (copied / name).read_bytes() for name in files_of(copied)} == before


@pytest.mark.parametrize("name", ["patterns.json", "run.json", "settings.toml", "report.html"])
def test_one_file_of_a_run_is_enough_to_be_refused(name, tmp_path):
    (tmp_path / name).write_text("")
    with pytest.raises(InputError, match=re.escape(name)):
        prepare_folder(tmp_path, force=False)


def test_a_folder_with_other_files_is_taken(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    assert prepare_folder(tmp_path) == tmp_path / ".progress"
    assert files_of(tmp_path) == ["notes.txt"]


def test_force_replaces_a_run_and_what_is_left_of_it(copied, run, settings, miner):
    stale = copied / "patterns" / "pattern_17.graphml"
    stale.write_text("old")
    (copied / "figures").mkdir()
    (copied / "figures" / "map.svg").write_text("old")
    own = copied / "patterns" / "my_own.graphml"
    own.write_text("kept")
    prepare_folder(copied, force=True)
    small = replace(run, patterns=run.patterns[:1], drawings=RunDrawings())
    write_run(copied, small, settings, miner)
    assert not (copied / "figures" / "map.svg").exists()
    assert sorted(file.name for file in (copied / "patterns").iterdir()) == [
        "my_own.graphml",
        "pattern_00.graphml",
    ]
    assert len(read_run(copied).patterns) == 1


def test_a_run_that_is_cut_short_is_not_complete(tmp_path, run, settings, miner, monkeypatch):
    folder = tmp_path / "run"
    prepare_folder(folder)

    def stop_at_report(temporary, path, replace=os.replace):
        if path.name == "report.html":
            raise KeyboardInterrupt
        replace(temporary, path)

    monkeypatch.setattr("gomkcn_dgl.runtime.atomic_files.os.replace", stop_at_report)
    with pytest.raises(KeyboardInterrupt):
        write_run(folder, run, settings, miner)
    assert (folder / "patterns.json").exists()
    assert not any(".tmp" in name for name in files_of(folder))
    with pytest.raises(InputError, match=r"holds no finished run: run\.json is missing\.$"):
        read_run(folder)


def test_a_run_that_cannot_be_drawn_leaves_the_one_before(
    copied, run, settings, miner, monkeypatch
):
    before = {name: (copied / name).read_bytes() for name in files_of(copied)}

    def fail(*arguments):
        raise RuntimeError

    monkeypatch.setattr("mining.results.run_folder.render_report", fail)
    with pytest.raises(RuntimeError):
        write_run(copied, replace(run, patterns=run.patterns[:1]), settings, miner)
    assert {name: (copied / name).read_bytes() for name in files_of(copied)} == before


# ---------------------------------------------------------------- folders that cannot be


@pytest.mark.parametrize(
    "below", ["sub", "sub/sub", "a" * 300, "."], ids=["below", "far below", "long name", "itself"]
)
@pytest.mark.parametrize("force", [False, True])
def test_a_folder_that_cannot_be_made(below, force, tmp_path):
    # root may write anywhere, but not below a file
    file = tmp_path / "file"
    file.write_text("kept")
    with pytest.raises(InputError, match=r"^out folder '.*' cannot be written \(.+\)\.$"):
        prepare_folder(file / below, force)
    assert file.read_text() == "kept"


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    def refuse(self, data):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(InputError, match=r"cannot be written \(Permission denied\)\.$"):
        prepare_folder(tmp_path / "run", force=False)


# ---------------------------------------------------------------- damage


@pytest.mark.parametrize("name", ["run.json", "patterns.json", "drawings.json"])
def test_a_missing_file_is_named(name, copied):
    (copied / name).unlink()
    with pytest.raises(
        InputError, match=rf"holds no finished run: {re.escape(name)} is missing\.$"
    ):
        read_run(copied)


@pytest.mark.parametrize("name", ["run.json", "patterns.json", "drawings.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe"], ids=["empty", "cut", "binary"])
def test_a_file_that_is_no_json_is_named(name, content, copied):
    (copied / name).write_bytes(content)
    with pytest.raises(InputError, match=rf"^'.*{re.escape(name)}' cannot be read \(.+\)\.$"):
        read_run(copied)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("run.json", lambda record: []),
        ("run.json", lambda record: {}),
        ("run.json", lambda record: {**record, "graph": {"nodes": 3}}),
        ("run.json", lambda record: {**record, "recovery": [{"name": "ring"}]}),
        ("run.json", lambda record: {**record, "recovery": [3]}),
        ("patterns.json", lambda record: {"schema": 1}),
        ("patterns.json", lambda record: {**record, "patterns": [{"id": 0}]}),
        ("patterns.json", lambda record: {**record, "patterns": [7]}),
        ("patterns.json", lambda record: {**record, "patterns": 7}),
        ("patterns.json", lambda record: {**record, "feature_names": ["one"] * 7}),
        ("drawings.json", lambda record: []),
        ("drawings.json", lambda record: {**record, "patterns": [{"faces": []}]}),
        ("drawings.json", lambda record: {**record, "legend": [["C", "red;}"]]}),
        ("drawings.json", lambda record: {**record, "map": {"edges": [[0, 9]], "pattern_of": [0]}}),
    ],
)
def test_a_record_that_does_not_fit_is_one_sentence(name, change, copied):
    record = json.loads((copied / name).read_text(encoding="utf-8"))
    (copied / name).write_text(json.dumps(change(record)))
    with pytest.raises(
        InputError,
        match=r"^run folder '.*' holds a damaged run\.json, patterns\.json or .*again\.$",
    ) as error:
        read_run(copied)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [None, b"", b"no archive", b"PK\x03\x04"], ids=str)
def test_a_checkpoint_that_cannot_be_read(content, copied):
    checkpoint = copied / "checkpoint.pt"
    checkpoint.unlink()
    if content is not None:
        checkpoint.write_bytes(content)
    with pytest.raises(InputError, match=r"^checkpoint '.*checkpoint\.pt' cannot be read"):
        load_miner(copied)


def test_a_checkpoint_with_code_is_refused(copied):
    class Bomb:
        def __reduce__(self):
            return (Path.touch, (copied / "exploded",))

    torch.save({"params": Bomb()}, copied / "checkpoint.pt")
    with pytest.raises(InputError, match="cannot be read") as error:
        load_miner(copied)
    assert "\n" not in str(error.value)
    assert not (copied / "exploded").exists()
