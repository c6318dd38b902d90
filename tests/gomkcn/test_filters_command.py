"""`gomkcn filters`: what it prints and writes, how it is resumed, what it refuses."""

import json
import re
from pathlib import Path

import networkx as nx
import pyarrow.parquet as pq
import pytest
from command_line import gomkcn, invoke, refused

from gomkcn.mining import FilterLearning, load
from gomkcn.mining.filters.filters_settings import FiltersSettings
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.output_folder import lock_folder

pytestmark = pytest.mark.usefixtures("folder")

QUICK = "--num-filters 2 --filter-size 5 --no-contrast --num-epochs 2"
FILES = ["drawn.json", "filters.html", "filters.json", "filters.npz", "map.json", "nodes.parquet",
         "run.json", "settings.toml"]  # fmt: skip


def write_edges(path="graph.txt"):
    """Six rings and three cliques; a file beside it says that the rings were planted."""
    graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 3)
    Path(path).write_text("".join(f"{u} {v}\n" for u, v in graph.edges))
    return path


def write_truth(path="graph.truth.json"):
    edges = [list(edge) for edge in nx.cycle_graph(5).edges]
    copies = [[*range(at, at + 5)] for at in range(0, 30, 5)]
    ring = {"name": "ring", "num_nodes": 5, "edges": edges, "copies": 6, "instances": copies}
    Path(path).write_text(json.dumps({"motifs": [ring]}))


def test_a_run_is_printed_and_written_and_its_page_made_anew():
    write_truth()
    said = gomkcn(f"filters {write_edges()} --out run {QUICK} --quiet")
    lines = said.splitlines()
    assert lines[0].startswith("2 filters: cycle of 5 nodes (6 instances); ")
    row = next(line for line in lines if line.split()[:2] == ["0", "cycle"])
    head, second = (lines[lines.index(row) + step] for step in (-1, 1))
    assert re.split("  +", head) == ["filter", "structure", "nodes", "instances", "nearest nodes",
                                     "similarity", "occurrences", "planted"]  # fmt: skip
    assert row.split() == ["0", "cycle", "of", "5", "nodes", "5", "6", "30", "1.00", "6", "ring"]
    assert second.split()[-6:] == ["5", "3", "15", "1.00", "3", "-"]
    planted = "1 of 1 planted motif is the structure of a filter: ring (6 instances, 6 planted)."
    assert planted in said
    assert re.fullmatch(r"done in \d+\.\d s; page: run/filters\.html", said.splitlines()[-1])
    assert sorted(path.name for path in Path("run").iterdir()) == FILES
    table = pq.read_table("run/nodes.parquet").to_pydict()
    assert table["node"] == [*range(45)] and table["filter"] == [0] * 30 + [1] * 15
    # the folder is not overwritten without being asked, and its page can be made again
    again = f"filters graph.txt --out run {QUICK}"
    assert "already holds a run (run.json); choose another" in refused(again)
    page = Path("run/filters.html").read_text("utf-8")
    Path("run/filters.html").write_text("old")
    said = gomkcn("report run")
    assert row in said and said.endswith("page: run/filters.html\n")
    assert Path("run/filters.html").read_text("utf-8") == page
    assert "and one of gomkcn mine is needed here" in refused("compare run run")
    # settings of a run make the same run
    gomkcn("filters --settings run/settings.toml --out again --quiet")
    first, second = (Path(name, "filters.json").read_text() for name in ("run", "again"))
    assert first == second
    # where the folder is not named it is told
    assert "folder of this run: runs/graph\n" in gomkcn(f"filters graph.txt {QUICK} --quiet")


def test_paper_is_what_the_paper_prints_but_for_what_is_given_beside_it():
    write_edges()
    gomkcn(
        "filters graph.txt --out run --filter-size 5 --paper --num-epochs 3 "
        "--feature-contrast 0.5 --quiet"
    )
    settings = FiltersSettings().read("run/settings.toml")
    assert settings.filters.contrast is False
    learning = settings.learning
    paper = FilterLearning.paper()
    assert (learning.num_epochs, learning.feature_contrast) == (3, 0.5)
    for name in ("policy", "init", "learning_rate", "num_hops", "relocate", "kernel"):
        assert getattr(learning, name) == getattr(paper, name) != getattr(FilterLearning(), name), (
            name
        )
    assert len(load("run").loss_curve) == 4


def test_each_option_reaches_the_settings():
    write_edges()
    gomkcn(
        "filters graph.txt --out run --num-filters 3 --filter-size 4 "
        "--num-hops 2 --num-epochs 1 --device cpu "
        "--num-levels 2 --tau 0.7 --matching greedy --learning-rate 0.2 --init random --policy bfs "
        "--feature-contrast 0.4 --no-contrast --max-assigned 40 --count-seconds 0.5 "
        "--random-state 3 --quiet"
    )
    given = {
        "path": "graph.txt", "num_filters": 3, "filter_size": "4", "num_hops": 2, "num_epochs": 1,
        "contrast": False,
        "device": "cpu", "num_levels": 2, "tau": 0.7, "matching": "greedy", "learning_rate": 0.2,
        "init": "random", "policy": "bfs", "feature_contrast": 0.4, "max_assigned": 40,
        "count_seconds": 0.5, "random_state": 3,
    }  # fmt: skip
    settings = FiltersSettings().read("run/settings.toml")
    assert settings == FiltersSettings().override(given)
    assert json.loads(Path("run/run.json").read_text())["provenance"]["seed"] == 3
    run = load("run")
    assert run.num_assigned == 40 and 0 < len(run.filters) <= 3


def test_a_stopped_run_is_resumed_and_not_mixed_with_another(monkeypatch):
    write_edges()
    command = f"filters graph.txt --out run {QUICK}"
    whole = gomkcn(f"filters graph.txt --out whole {QUICK} --quiet")
    # 1. a signal after the filters are learnt
    learnt = []

    def reason(self):
        learnt.append(True)
        return "SIGTERM" if len(learnt) > 3 else ""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Interrupts, "reason", property(reason))
        result = invoke(f"{command} --quiet")
    assert result.exit_code == 143
    resumed = f"gomkcn {command.replace(' --out run', '')} --quiet --out run --resume"
    assert result.stderr.endswith(f"kept; to go on: {resumed}\n")
    assert 'stopped by SIGTERM in the step "' in result.stderr
    assert [path.name for path in Path("run").iterdir()] == [".progress"]
    kept = {path.name for path in Path("run/.progress").iterdir()}
    assert "learning-filters.zip" in kept
    assert "already holds an unfinished run" in refused(command)
    assert "(num_filters was 2, is 3); give" in refused(
        f"{command.replace('--num-filters 2', '--num-filters 3')} --resume"
    )
    with lock_folder("run"):
        assert "is in use by process" in refused(command)
    # 2. what was learnt is not learnt again, and the run is that which was not stopped
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gomkcn.mining.filters.filter_learner.FilterLearner.learn", None)
        said = gomkcn(f"{command} --resume --quiet")
    assert said.splitlines()[:-1] == whole.splitlines()[:-1]
    assert sorted(path.name for path in Path("run").iterdir()) == FILES
    said = gomkcn(f"{command} --resume --quiet")
    assert said == "nothing to resume: the run is finished, run/filters.html\n"
    # 3. a time limit leaves what is there, and more is made of it later
    said = gomkcn(f"{command} --force --time-limit 0.000001 --quiet")
    assert f"The time limit ended the run. To continue it:\n{resumed}\n" in said
    assert load("run").is_partial
    gomkcn(f"{command} --resume --quiet")
    assert not load("run").is_partial


def test_what_cannot_be_mined_is_refused():
    write_edges()
    for options, words in (
        ("", "GRAPH must be given, here or in the settings file."),
        ("none.txt", "GRAPH must name a file or a folder that exists, got 'none.txt'"),
        ("graph.txt --filter-size 1", "--filter-size must be at least 2, got 1"),
        ("graph.txt --num-filters 0", "--num-filters must be at least 1, got 0"),
        ("graph.txt --filter-size 65", "--filter-size must be at most 64, got 65"),
        (
            "graph.txt --init best",
            "--init must be one of 'facility_location', 'random', got",
        ),
        ("graph.txt --feature-contrast 2", "--feature-contrast must be at most 1, got 2"),
        ("graph.txt --contrast --no-contrast", "--contrast must not come with --no-contrast"),
        ("graph.txt --count-seconds 0", "--count-seconds must be greater than 0, got 0"),
        ("graph.txt --device gpu", "--device must be 'auto', 'cpu', 'cuda'"),
        ("graph.txt --truth none.json", "truth file 'none.json' cannot be read"),
        ("graph.txt --out run --force --resume", "--resume must not come with --force"),
    ):
        sentence = refused(f"filters {options}")
        assert words in sentence, sentence


def test_without_anything_beyond_chance_the_way_out_is_an_option():
    graph = nx.gnm_random_graph(150, 240, seed=3)
    Path("er.txt").write_text("".join(f"{u} {v}\n" for u, v in graph.edges))
    said = " ".join(gomkcn("filters er.txt --out run --quiet").split())
    assert said.startswith("The graph has no structure of 3 to 8 nodes more often than ")
    assert "; without this contrast, filters are the most frequent ones. done in" in said
    assert "filter structure" not in said and "contrast=False" not in said
    page = Path("run/filters.html").read_text("utf-8")
    assert "without this contrast, filters are" in page
    assert gomkcn("report run").startswith("The graph has no structure")
    # what it names
    said = gomkcn("filters er.txt --out frequent --no-contrast --quiet")
    assert said.startswith("8 filters: ")
    # mining goes on with its other answers, and says at their end that there are no filters
    said = " ".join(gomkcn("mine er.txt --pattern-size 3 --out mined --quiet").split())
    assert said.index("No set of motifs") < said.index("no structure of 3 nodes more often")
    page = Path("mined/report.html").read_text("utf-8")
    assert "no structure of 3 nodes more often" in page and '<ol class="filters">' not in page
