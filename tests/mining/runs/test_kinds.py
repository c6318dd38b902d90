"""What all kinds of run share: the folder, resuming, a time limit, settings, one reading back."""

import importlib
import json
import random
import shutil
import signal
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from command_line import gomkcn, invoke, refused
from graph_files import write_tu

import gomkcn as gomkcn_package
from gomkcn.mining.frequent.gspan import FrequentSubgraphs
from gomkcn.mining.patterns.run_comparison import RunComparison
from gomkcn.mining.runs.kinds import RUN_KINDS, kind_of
from gomkcn.mining.temporal.temporal_motifs import TemporalCensus
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.run import read_run

# a command of each kind that ends soon, and what its run is
COMMANDS = {
    "mine": ("mine small.txt --pattern-size 3 --null none --filters none", "MiningRun"),
    "filters": ("filters small.txt --num-filters 1 --filter-size 4 --no-contrast", "FiltersRun"),
    "train": ("train TU --method kernel --num-levels 1 --tau 1", "TrainedMachine"),
    "temporal": ("temporal mail.csv --window 9 --null-samples 20", "TemporalCensus"),
    "compare": ("compare small.txt large.txt", "RunComparison"),
    "frequent": (
        "frequent LABELLED --support 2 --sizes 2-4 --per-class --features labels",
        "FrequentSubgraphs",
    ),
    "blocks": ("blocks ladders.txt --null-samples 4 --most 2", "RepeatedBlocks"),
}
# the kinds that keep what they have done, and were written first as single files
LATE = ("temporal", "compare", "frequent", "blocks")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with inputs, and a finished run of each kind that no test changes."""
    place = tmp_path_factory.mktemp("kinds")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        nx.write_edgelist(nx.watts_strogatz_graph(40, 4, 0.1, seed=0), "small.txt", data=False)
        nx.write_edgelist(nx.watts_strogatz_graph(60, 4, 0.1, seed=1), "large.txt", data=False)
        ladders = nx.disjoint_union_all([nx.ladder_graph(5)] * 4)
        nx.write_edgelist(ladders, "ladders.txt", data=False)
        write_tu("TU", [nx.cycle_graph(5), nx.star_graph(4)] * 10, [0, 1] * 10)
        graphs = [nx.cycle_graph(6), nx.star_graph(5)] * 5
        labels = [node % 3 for _ in graphs for node in range(6)]
        write_tu("LABELLED", graphs, [0, 1] * 5, node_labels=labels)
        draw = random.Random(0)
        rows = [f"{draw.randrange(9)},{draw.randrange(9)},{time}" for time in range(300)]
        Path("mail.csv").write_text("\n".join(["source,target,time", *rows]))
        for name, (command, _) in COMMANDS.items():
            gomkcn(f"{command} --quiet --out {name}")
    return place


@pytest.fixture
def here(place, monkeypatch):
    monkeypatch.chdir(place)
    return place


def without_course(folder):
    """The files of a run, but for how long it took and where it lies."""
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            if path.name == "run.json":
                record = json.loads(content)
                for name in ("provenance", "seconds", "settings"):
                    record.pop(name, None)
                content = json.dumps(record).encode()
            # a page shows the settings, and how long it took
            if path.suffix != ".html":
                files[str(path.relative_to(folder))] = content
    return files


def test_a_command_of_each_kind_is_tried():
    assert set(COMMANDS) == set(RUN_KINDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_run_is_known_by_its_record_and_read_back(here, name):
    command, found = COMMANDS[name]
    kind = kind_of(name)
    record = json.loads(Path(name, "run.json").read_text())
    written = [str(path.relative_to(name)) for path in Path(name).rglob("*") if path.is_file()]
    assert (record["kind"], sorted(record["files"])) == (name, sorted(written))
    assert set(written) <= set(kind.all_files)
    assert not record["partial"] and record["command"] == ""
    assert type(gomkcn_package.load(name)).__name__ == found
    # another kind is refused by what needs one
    for command_of_kind, needed in (
        (f"export {name} --out x", "mine"),
        (f"explain {name}", "train"),
    ):
        if name != needed:
            said = f"holds a run of gomkcn {name}, and one of gomkcn {needed} is needed here"
            assert said in refused(command_of_kind)
    assert "already holds a run (run.json); choose another" in refused(f"{command} --out {name}")
    said = gomkcn(f"{command} --out {name} --resume --quiet")
    assert said == f"nothing to resume: the run is finished, {Path(name, kind.page)}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_its_page_is_made_anew_and_its_text_printed(here, tmp_path, name):
    shutil.copytree(name, tmp_path / name)
    page = tmp_path / name / kind_of(name).page
    before = page.read_text()
    page.unlink()
    said = gomkcn(f"report {tmp_path / name}")
    assert page.read_text() == before
    assert said.endswith(f"page: {page}\n")
    kind = kind_of(name)
    assert said.startswith(kind.text(read_run(kind, name)).splitlines()[0])


@pytest.mark.parametrize("name", COMMANDS)
def test_its_settings_make_it_again(here, tmp_path, name):
    gomkcn(f"{name} --settings {name}/settings.toml --out {tmp_path / 'again'} --quiet")
    again, first = without_course(tmp_path / "again"), without_course(Path(name))
    # archives have a time in them
    for files in (again, first):
        for file in [file for file in files if file.endswith((".pt", ".npz"))]:
            del files[file]
    assert again == first


@pytest.mark.parametrize(
    ("name", "most_looks"), [("temporal", 5), ("compare", 5), ("frequent", 40)]
)
def test_a_stopped_run_goes_on_where_it_was(here, tmp_path, monkeypatch, name, most_looks):
    command, _ = COMMANDS[name]
    run = tmp_path / "run"
    looks = []

    def stop_later(self):
        looks.append(self)
        return "SIGTERM" if len(looks) > most_looks else ""

    with monkeypatch.context() as patch:
        patch.setattr(Interrupts, "reason", property(stop_later))
        result = invoke(f"{command} --out {run}")
    assert result.exit_code == 128 + signal.SIGTERM
    assert f"; to go on: gomkcn {command} --out {run} --resume" in result.stderr
    assert [path.name for path in run.iterdir()] == [".progress"]
    assert "already holds an unfinished run (.progress)" in refused(f"{command} --out {run}")
    assert list((run / ".progress").glob("*.zip"))
    gomkcn(f"{command} --out {run} --resume --quiet")
    assert without_course(run) == without_course(Path(name))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("temporal", "partial: 0 of 20 random graphs were counted"),
        ("compare", "partial: it ended early: the first graph has no random graphs and the second"),
        ("frequent", "not complete: the search ended early"),
        ("blocks", "note: the time limit ended the search"),
    ],
)
def test_a_time_limit_leaves_what_is_known(here, tmp_path, name, words):
    command, _ = COMMANDS[name]
    said = gomkcn(f"{command} --out {tmp_path / 'run'} --time-limit 1e-9 --quiet")
    assert words in " ".join(said.split())
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["partial"] and record["command"].endswith(f"--out {tmp_path / 'run'} --resume")
    gomkcn_package.load(tmp_path / "run")
    gomkcn(f"{command} --out {tmp_path / 'run'} --resume --quiet")
    assert without_course(tmp_path / "run") == without_course(Path(name))


def test_results_are_read_back_as_they_were(here):
    census = gomkcn_package.load("temporal")
    again = gomkcn_package.temporal_census("mail.csv", "9", null_samples=20)
    assert isinstance(census, TemporalCensus) and census.columns() == again.columns()
    assert (census.notes, census.finding) == (again.notes, again.finding)
    found = gomkcn_package.load("frequent")
    graphs = gomkcn_package.read_graph("LABELLED", features=["labels"])
    searched = gomkcn_package.frequent_subgraphs(graphs, 2, "2-4", y=["0", "1"] * 5)
    assert isinstance(found, FrequentSubgraphs) and len(found) == len(searched) > 3
    np.testing.assert_array_equal(found.transform(graphs), searched.transform(graphs))
    assert str(found.columns()) == str(searched.columns())
    both = gomkcn_package.load("compare")
    graphs = [gomkcn_package.read_graph(f"{name}.txt") for name in ("small", "large")]
    compared = gomkcn_package.compare(*graphs)
    assert isinstance(both, RunComparison)
    # but for the names of the files
    assert repr(both).split(": ")[1] == repr(compared).split(": ")[1]
    assert str(both.columns()) == str(compared.columns())


@pytest.mark.parametrize("name", LATE)
def test_a_damaged_result_is_refused(here, tmp_path, name):
    shutil.copytree(name, tmp_path / name)
    file = tmp_path / name / "found.zip"
    for content in (b"", b"PK", file.read_bytes()[:-30]):
        file.write_bytes(content)
        with pytest.raises(InputError, match=r"found\.zip' cannot be read .*; do the run again"):
            gomkcn_package.load(tmp_path / name)
    file.unlink()
    with pytest.raises(InputError, match=r"holds no finished run: found\.zip is missing"):
        gomkcn_package.load(tmp_path / name)
    (tmp_path / name / "run.json").write_text("{}")
    with pytest.raises(InputError, match="was written by another version of gomkcn, or its run"):
        gomkcn_package.load(tmp_path / name)


def test_the_runtime_knows_no_kind_by_its_name():
    for module in ("run", "output_folder"):
        text = Path(importlib.import_module(f"gomkcn_dgl.runtime.{module}").__file__).read_text()
        for name in ("mine", "filters", "train", "temporal", "compare", "frequent", "blocks"):
            assert f'"{name}"' not in text and f"{name}.json" not in text


def test_a_file_is_no_folder_of_a_run(tmp_path):
    path = tmp_path / "miner.npz"
    path.write_bytes(b"")
    with pytest.raises(InputError, match=r"is a file; FilterMiner\.load reads a miner that was"):
        gomkcn_package.load(path)
