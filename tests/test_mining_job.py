"""A mining job in parts: sampled, stopped anywhere and gone on with, short of time, shared."""

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
    monkeypatch.setattr("mining.structures.subgraph_source.PART_SIZE", 50)


def found(miner):
    """All that a run says of its patterns."""
    return [
        (json.dumps(pattern.to_dict()), [place.nodes for place in pattern.occurrences])
        for pattern in miner.patterns_
    ]


@pytest.fixture(scope="module")
def uninterrupted(graph):
    return MiningJob(SETTINGS).run(graph)[0]


class StoppedError(Exception):
    pass


class StoppingSteps(CheckpointStore):
    """Steps of which only so many are made, as if the process had been killed then."""

    left = 0

    def _keep(self, name, arrays):
        if StoppingSteps.left == 0:
            raise StoppedError
        StoppingSteps.left -= 1
        super()._keep(name, arrays)


@pytest.mark.parametrize("steps_a_life", [2, 7])
def test_a_job_that_is_killed_again_and_again_gives_the_same(
    graph, uninterrupted, steps_a_life, tmp_path, monkeypatch
):
    monkeypatch.setattr("mining.mining_job.CheckpointStore", StoppingSteps)
    for lives in itertools.count(1):
        StoppingSteps.left = steps_a_life
        try:
            miner, _ = MiningJob(SETTINGS).run(graph, tmp_path / "steps")
            break
        except StoppedError:
            assert lives < 30
    assert lives > 15 // steps_a_life
    assert found(miner) == found(uninterrupted)
    assert not miner.is_partial_


def test_filters_are_learnt_on_a_sample_and_found_everywhere(graph, uninterrupted):
    # 2 ln(200) / 0.04 = 66.2, and 67 nodes are drawn
    assert (uninterrupted.num_sampled_, uninterrupted.num_subgraphs_) == (67, 210)
    assert len(uninterrupted.nearest_) == len(uninterrupted.nearest_similarity_) == 210
    assert {p.frequency.exact_state for p in uninterrupted.patterns_} == {"counted"}
    wheels = [p for p in uninterrupted.patterns_ if (p.num_nodes, len(p.edges)) == (5, 8)]
    assert [p.frequency.distinct for p in wheels] == [12]
    np.testing.assert_array_equal(
        uninterrupted.nearest_, uninterrupted.predict(graph).astype(np.int32)
    )


def test_parts_of_any_size_give_the_same(graph, uninterrupted, monkeypatch, tmp_path):
    settings = SETTINGS.override(
        {"null": {"models": ()}, "stability": {"restarts": 0, "bootstrap": 0}}
    )
    at_once = None
    for size in (1000, 60, 7):
        monkeypatch.setattr("mining.structures.subgraph_source.PART_SIZE", size)
        miner, _ = MiningJob(settings).run(graph, tmp_path / str(size))
        at_once = at_once or found(miner)
        assert found(miner) == at_once


def test_what_does_not_fit_goes_to_a_file(graph, uninterrupted, monkeypatch):
    monkeypatch.setattr(MemoryBudget, "table_bytes", 0.0)
    maps = []
    monkeypatch.setattr(
        "mining.counting.match_table.np.memmap",
        lambda *a, f=np.memmap, **k: maps.append(1) or f(*a, **k),
    )
    miner, _ = MiningJob(SETTINGS).run(graph)
    assert len(maps) > 0
    assert found(miner) == found(uninterrupted)


@pytest.mark.parametrize("most_rewired", [0, 10**9])
def test_the_null_graph_takes_no_more_than_is_said(most_rewired, monkeypatch):
    monkeypatch.setattr(thresholds, "_MAX_REWIRED", most_rewired)
    graph = as_csr(nx.barabasi_albert_graph(30_000, 3, seed=0))
    graph.undirected_edges()
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


def test_a_memory_limit_that_is_too_small_is_refused_before_it_is_taken(graph):
    miner = PatternMiner(**{**MINER, "memory_limit": "20KiB"})
    with pytest.raises(InputError, match=r"memory_limit must be at least .* for the patterns of "):
        miner.fit(graph)
    with pytest.raises(InputError, match="memory_limit must be a size such as"):
        PatternMiner(memory_limit="much").fit(graph)


def test_short_of_time_there_is_what_was_seen(graph, uninterrupted, tmp_path):
    with Interrupts(time_limit=1e-9) as interrupts:
        late, _ = MiningJob(SETTINGS).run(graph, tmp_path / "steps", interrupts)
    assert late.is_partial_
    # the first of five parts
    assert late.num_subgraphs_ == 50
    assert all(not p.significance and not p.stability for p in late.patterns_)
    run = MiningRun.of(late, graph)
    assert run.is_partial
    # what was left out can be made up for
    miner, _ = MiningJob(SETTINGS).run(graph, tmp_path / "steps")
    assert found(miner) == found(uninterrupted)


OPTIONS = "--patterns 3 --size 4 --epochs 1 --quiet --out run"


def test_the_command_goes_on_and_locks_its_folder(folder):
    gomkcn("generate planted --out graph.txt --nodes 60 --motif square=6")
    gomkcn(f"mine graph.txt {OPTIONS}")
    whole = Path("run/patterns.json").read_text()
    assert refused(f"mine graph.txt {OPTIONS}").startswith("--out folder 'run' already holds a run")
    assert "the run is finished" in gomkcn(f"mine graph.txt {OPTIONS} --resume")
    said = gomkcn(f"mine graph.txt {OPTIONS} --force --time-limit 0.000001")
    assert "Partial: the time limit was reached" in said
    assert json.loads(Path("run/run.json").read_text())["partial"]
    assert "Partial: the time limit was reached" in Path("run/report.html").read_text()
    assert refused(f"mine graph.txt {OPTIONS} --resume --seed 1") == (
        "checkpoint 'run/.progress/identity.json' was made with other settings "
        "(random_state was 0, is 1); give the same, or start anew with --force."
    )
    gomkcn(f"mine graph.txt {OPTIONS} --resume")
    assert Path("run/patterns.json").read_text() == whole
    assert not Path("run/.progress").exists()
    assert refused(f"mine graph.txt {OPTIONS} --force --resume") == (
        "--resume must not come with --force, which starts anew; give one."
    )


def test_two_processes_find_what_one_finds(folder):
    gomkcn("generate planted --out graph.txt --nodes 60 --motif square=6")
    more = "--null degree --null-samples 2 --null-decoys 1 --stability 1 --sample-error 0.2"
    gomkcn(f"mine graph.txt {OPTIONS} {more}")
    one = Path("run/patterns.json").read_text()
    script = Path(__file__).with_name("mining_processes.py")
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
         "--max-restarts", "1", script, *f"mine graph.txt {OPTIONS} {more} --force".split()],
        env={**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert Path("killed").exists()
    assert Path("run/patterns.json").read_text() == one
    assert sorted(path.name for path in Path().glob("run/.*")) == []
