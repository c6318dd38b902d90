"""A mining job: sampled, interrupted and resumed, in parts, short of time, in two processes."""

import itertools
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from command_line import gomkcn, refused

from gomkcn_dgl import as_csr
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from gomkcn_dgl.runtime.interrupts import Interrupts
from mining import MiningRun, PatternMiner
from mining.counting import similarity_thresholds as thresholds
from mining.mining_job import MiningJob
from mining.settings import RunSettings
from mining.structures.memory_budget import MemoryBudget
from synthetic import barabasi_albert, plant_motifs

MINER = {"num_patterns": 4, "pattern_size": 5, "num_epochs": 2, "n_init": 2}
TABLES = {"miner": {**MINER, "backend": "reference"}, "exact": {"seconds": 60.0}}
TABLES |= {"learning": {"sample_size": 50, "sample_error": 0.2}}
TABLES |= {"null": {"models": ("degree",), "samples": 2, "decoys": 1}}
TABLES |= {"stability": {"restarts": 1, "bootstrap": 1}}
SETTINGS = RunSettings().override(TABLES)


@pytest.fixture(scope="module")
def graph():
    planted = plant_motifs(barabasi_albert(150, 1, 0), 150, {"wheel5": 12}, seed=0)
    source, target = planted.edges.T
    return csr_from_edges(
        source, target, planted.num_nodes, features=planted.features, undirected=True
    )


@pytest.fixture(autouse=True)
def parts(monkeypatch):
    # 210 nodes in five parts
    monkeypatch.setattr("mining.structures.memory_budget.PART_SIZE", 50)


def content(miner):
    """The records of the patterns, and all of their occurrences."""
    return [
        (json.dumps(pattern.to_dict()), [one.nodes for one in pattern.occurrences])
        for pattern in miner.patterns_
    ]


@pytest.fixture(scope="module")
def uninterrupted(graph):
    return MiningJob(SETTINGS).run(graph)[0]


class StoppedError(Exception):
    pass


class StoppingStore(CheckpointStore):
    """A store that stops the job after so many checkpoints, as if the process had been killed."""

    left = 0

    def _keep(self, name, arrays):
        if StoppingStore.left == 0:
            raise StoppedError
        StoppingStore.left -= 1
        super()._keep(name, arrays)


@pytest.mark.parametrize("num_checkpoints", [2, 7])
def test_a_resumed_job_gives_what_an_uninterrupted_one_gives(
    graph, uninterrupted, num_checkpoints, tmp_path, monkeypatch
):
    monkeypatch.setattr("mining.mining_job.CheckpointStore", StoppingStore)
    for num_runs in itertools.count(1):
        StoppingStore.left = num_checkpoints
        try:
            miner, _ = MiningJob(SETTINGS).run(graph, tmp_path / "progress")
            break
        except StoppedError:
            assert num_runs < 30
    assert num_runs > 15 // num_checkpoints
    assert content(miner) == content(uninterrupted)
    assert not miner.is_partial_


def test_filters_are_learnt_on_a_sample_and_located_everywhere(graph, uninterrupted):
    # 2 ln(200) / 0.04 = 66.2, and 67 nodes are drawn
    assert (uninterrupted.num_sampled_, uninterrupted.num_subgraphs_) == (67, 210)
    assert {p.frequency.exact_state for p in uninterrupted.patterns_} == {"counted"}
    wheels = [p for p in uninterrupted.patterns_ if (p.num_nodes, len(p.edges)) == (5, 8)]
    assert [p.frequency.distinct for p in wheels] == [12]
    np.testing.assert_array_equal(uninterrupted.nearest_, uninterrupted.predict(graph))


def test_parts_of_any_size_give_the_same(graph, monkeypatch, tmp_path):
    settings = SETTINGS.override(
        {"null": {"models": ()}, "stability": {"restarts": 0, "bootstrap": 0}}
    )
    contents = []
    for size in (1000, 60, 7):
        monkeypatch.setattr("mining.structures.memory_budget.PART_SIZE", size)
        contents.append(content(MiningJob(settings).run(graph, tmp_path / str(size))[0]))
    assert contents[0] == contents[1] == contents[2]


def test_a_table_larger_than_memory_is_in_a_file(graph, uninterrupted, monkeypatch):
    monkeypatch.setattr(MemoryBudget, "table_bytes", 0.0)
    maps, memmap = [], np.memmap
    monkeypatch.setattr(
        "mining.locating.match_table.np.memmap",
        lambda *args, **kwargs: maps.append(1) or memmap(*args, **kwargs),
    )
    miner, _ = MiningJob(SETTINGS).run(graph)
    assert len(maps) > 0
    assert content(miner) == content(uninterrupted)


@pytest.mark.parametrize("most_rewired", [0, 10**9])
def test_the_null_graph_takes_at_most_its_estimate(most_rewired, monkeypatch):
    monkeypatch.setattr(thresholds, "_MAX_REWIRED", most_rewired)
    graph = as_csr(nx.barabasi_albert_graph(30_000, 3, seed=0))
    graph.adjacent_pairs()
    thresholds.draw_null_graph(as_csr(nx.barabasi_albert_graph(30, 3, seed=0)), 0)
    tracemalloc.start()
    try:
        thresholds.draw_null_graph(graph, 0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < thresholds.null_graph_bytes(graph)
    miner = PatternMiner(memory_limit=thresholds.null_graph_bytes(graph) - 1)
    with pytest.raises(InputError, match="for the null-model graph for thresholds"):
        miner.fit(graph)


@pytest.mark.parametrize(
    ("limit", "words"),
    [("20KiB", "at least .* for the patterns of "), ("much", "a size such as"), (0, "at least 1")],
)
def test_a_bad_memory_limit_is_refused(graph, limit, words):
    with pytest.raises(InputError, match=f"memory_limit must be {words}"):
        PatternMiner(**MINER, memory_limit=limit).fit(graph)


@pytest.mark.parametrize(
    ("tables", "words"),
    [({"stability": {"restarts": -1}}, "restarts must be at least 0"),
     ({"exact": {"seconds": 0.0}}, "seconds must be greater than 0"),
     ({"exact": {"seconds": 1.0}, "miner": {"pattern_size": 63}}, "exact counts are for patterns")],
)  # fmt: skip
def test_bad_settings_of_a_job_are_refused(tables, words):
    with pytest.raises(InputError, match=words):
        MiningJob(RunSettings().override(tables))


def test_a_job_short_of_time_gives_partial_results_and_is_resumed(graph, uninterrupted, tmp_path):
    with Interrupts(time_limit=1e-9) as interrupts:
        late, _ = MiningJob(SETTINGS).run(graph, tmp_path / "progress", interrupts)
    # the first of five parts
    assert (late.is_partial_, late.num_subgraphs_) == (True, 50)
    assert all(not p.significance and not p.stability for p in late.patterns_)
    assert MiningRun.of(late, graph).is_partial
    miner, _ = MiningJob(SETTINGS).run(graph, tmp_path / "progress")
    assert content(miner) == content(uninterrupted)


# the processes import the package of this folder, whatever is installed
ROOT = str(Path(__file__).parents[1])
OPTIONS = "--patterns 3 --size 4 --epochs 1 --quiet --out run"


def test_the_command_resumes_and_refuses_other_settings(folder):
    gomkcn("generate planted --out graph.txt --nodes 60 --motif square=6")
    gomkcn(f"mine graph.txt {OPTIONS}")
    complete = Path("run/patterns.json").read_text()
    assert refused(f"mine graph.txt {OPTIONS}").startswith("--out folder 'run' already holds a run")
    assert "the run is finished" in gomkcn(f"mine graph.txt {OPTIONS} --resume")
    output = gomkcn(f"mine graph.txt {OPTIONS} --force --time-limit 0.000001")
    assert "Partial: the time limit was reached" in output
    assert json.loads(Path("run/run.json").read_text())["partial"]
    assert "Partial: the time limit was reached" in Path("run/report.html").read_text()
    message = refused(f"mine graph.txt {OPTIONS} --resume --seed 1")
    assert "was made with other settings (random_state was 0, is 1)" in message
    gomkcn(f"mine graph.txt {OPTIONS} --resume")
    assert Path("run/patterns.json").read_text() == complete
    assert not Path("run/.progress").exists()
    assert "--resume must not come with --force" in refused(
        f"mine graph.txt {OPTIONS} --force --resume"
    )


def test_two_processes_give_what_one_gives(folder):
    gomkcn("generate planted --out graph.txt --nodes 60 --motif square=6")
    more = "--null degree --null-samples 2 --null-decoys 1 --stability 1 --sample-error 0.2"
    gomkcn(f"mine graph.txt {OPTIONS} {more}")
    one = Path("run/patterns.json").read_text()
    script = Path(__file__).with_name("mining_processes.py")
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
         "--max-restarts", "1", script, *f"mine graph.txt {OPTIONS} {more} --force".split()],
        env={**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "PYTHONPATH": ROOT},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert Path("killed").exists()
    assert Path("run/patterns.json").read_text() == one
    assert sorted(path.name for path in Path("run").glob(".*")) == []
