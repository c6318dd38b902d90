"""A mining job: sampled, interrupted and resumed, in parts, short of time, by workers."""

import itertools
import json
import os
import re
import signal
from pathlib import Path

import joblib
import numpy as np
import pytest
from command_line import gomkcn, invoke, refused

from gomkcn.mining import MiningRun
from gomkcn.mining.counting.pattern_counts import bag_of_patterns
from gomkcn.mining.patterns import choice, random_censuses
from gomkcn.mining.patterns.mining_settings import RunSettings
from gomkcn.mining.runs.graph_inputs import GraphInputs
from gomkcn.mining.runs.mine import fit_and_collect
from gomkcn.synthetic import plant_motifs
from gomkcn.synthetic.base_graphs import barabasi_albert
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.run import Work
from gomkcn_dgl.runtime.steps import Steps

# so many seconds that every count is exact, however busy the machine is
MINER = {"pattern_size": "4-5", "sources": "grown,filters", "count_seconds": 60.0}
LEARNING = {"num_filters": 4, "num_epochs": 2, "backend": "reference"}
SETTINGS = RunSettings().override({**MINER, **LEARNING, "null": "degree", "null_samples": 99})


@pytest.fixture(scope="module")
def graph():
    planted = plant_motifs(barabasi_albert(70, 1, 0), 70, {"wheel5": 8}, seed=0)
    source, target = planted.edges.T
    return csr_from_edges(
        source, target, planted.num_nodes, features=planted.features, undirected=True
    )


def content(miner):
    """The records of the patterns with all of their occurrences, and the set with its copies."""
    patterns = [
        (json.dumps(pattern.to_dict()), [one.nodes for one in pattern.occurrences])
        for pattern in miner.patterns_
    ]
    copies = [one.motif.copies.nodes.tolist() for one in miner.motif_set_]
    return patterns, json.dumps(miner.motif_set_.to_dict()), copies


def mine(settings, graph, folder=None, interrupts=None):
    """The fitted miner and the run of a graph."""
    return fit_and_collect(settings, GraphInputs(graph), Work(folder, interrupts))


@pytest.fixture(scope="module")
def uninterrupted(graph):
    return mine(SETTINGS, graph)[0]


class StoppedError(Exception):
    pass


def test_a_resumed_job_gives_what_an_uninterrupted_one_gives(
    graph, uninterrupted, tmp_path, monkeypatch
):
    keep, kept, most = Steps._write, [], 3

    def keep_some(*result):
        """Stop the job after so many results, as if the process had been killed."""
        if len(kept) == most:
            raise StoppedError
        kept.append(1)
        keep(*result)

    monkeypatch.setattr(Steps, "_write", keep_some)
    for num_runs in itertools.count(1):
        kept.clear()
        try:
            miner, _ = mine(SETTINGS, graph, tmp_path / "progress")
            break
        except StoppedError:
            assert num_runs < 120
    assert num_runs > 15 // most
    assert content(miner) == content(uninterrupted)
    assert not miner.is_partial_


def test_the_copies_of_a_planted_wheel_are_counted_and_listed(uninterrupted):
    assert {p.frequency.occurrences.state for p in uninterrupted.patterns_} == {"exact"}
    (wheel,) = [p for p in uninterrupted.patterns_ if (p.num_nodes, len(p.edges)) == (5, 8)]
    assert (wheel.frequency.count, wheel.frequency.listed, wheel.frequency.disjoint) == (8,) * 3


def test_a_job_short_of_time_gives_partial_results_and_is_resumed(graph, uninterrupted, tmp_path):
    with Interrupts(time_limit=1e-9) as interrupts:
        late, run = mine(SETTINGS, graph, tmp_path / "progress", interrupts)
    # a map is drawn where there is time for it
    assert run.map is None and MiningRun.of(late, graph).map is not None
    assert late.is_partial_ and not late.motif_set_.complete
    assert all(not p.significance for p in late.patterns_)
    assert all(p.frequency.occurrences.is_exact for p in late.patterns_)
    assert MiningRun.of(late, graph).is_partial
    miner, _ = mine(SETTINGS, graph, tmp_path / "progress")
    assert content(miner) == content(uninterrupted)


OPTIONS = "--pattern-size 3-4 --quiet --out run --count-seconds 60"


def test_the_command_resumes_and_refuses_other_settings(folder):
    gomkcn("generate planted --out graph.csv --nodes 60 --motif square=6")
    gomkcn(f"mine graph.csv {OPTIONS}")
    complete = Path("run/patterns.json").read_text()
    assert refused(f"mine graph.csv {OPTIONS}").startswith("--out folder 'run' already holds a run")
    assert "the run is finished" in gomkcn(f"mine graph.csv {OPTIONS} --resume")
    output = gomkcn(f"mine graph.csv {OPTIONS} --force --time-limit 0.000001")
    assert "The search was cut before it found motifs" in output.replace("\n", " ")
    resumed = f"gomkcn mine graph.csv {OPTIONS.replace(' --out run', '')} --out run --resume"
    assert f"The time limit ended the run. To continue it:\n{resumed}\n" in output
    assert json.loads(Path("run/run.json").read_text())["partial"]
    for page in ("report.html", "filters/filters.html"):
        assert f"ended the run. To continue it: {resumed}" in Path("run", page).read_text()
    message = refused(f"mine graph.csv {OPTIONS} --resume --random-state 1")
    assert "was made with other settings (random_state was 0, is 1)" in message
    # as it was printed
    gomkcn(resumed.removeprefix("gomkcn "))
    assert Path("run/patterns.json").read_text() == complete
    assert not Path("run/.progress").exists()
    assert "--resume must not come with --force" in refused(
        f"mine graph.csv {OPTIONS} --force --resume"
    )


def test_workers_give_what_one_process_gives(graph, uninterrupted):
    shared, _ = mine(SETTINGS.override({"n_jobs": 2}), graph)
    assert content(shared) == content(uninterrupted)
    one, two = (
        bag_of_patterns(miner.patterns_, graph, level="node", n_jobs=miner.n_jobs)
        for miner in (uninterrupted, shared)
    )
    assert np.array_equal(one, two)


def kill_a_worker(monkeypatch, mark, kept=None):
    """Let the first worker that takes a census end at once; ``mark`` says that it did.

    With the folder ``kept`` it is the first one after a result is kept there.
    """
    take, own = random_censuses.take_censuses, os.getpid()

    def take_or_die(*graphs_and_sizes):
        is_time = kept is None or any(kept.glob("*.zip"))
        if os.getpid() != own and is_time and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return take(*graphs_and_sizes)

    for module in (choice, random_censuses):
        monkeypatch.setattr(module, "take_censuses", take_or_die)


@pytest.mark.slow
def test_dask_gives_the_same_though_a_worker_is_killed(graph, uninterrupted, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    kill_a_worker(monkeypatch, tmp_path / "killed")
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        miner, _ = mine(SETTINGS, graph)
    assert content(miner) == content(uninterrupted) and (tmp_path / "killed").exists()


def test_a_killed_worker_ends_in_one_sentence_and_the_run_is_resumed(folder, monkeypatch):
    gomkcn("generate planted --out graph.csv --nodes 60 --motif square=6")
    command = f"mine graph.csv {OPTIONS} --null degree --null-samples 99"
    gomkcn(command)
    tables = [path for path in Path("run").iterdir() if path.suffix in (".parquet", ".graphml")]
    tables.append(Path("run/patterns.json"))
    expected = [path.read_bytes() for path in tables]
    # 1. before anything is kept, when the run that was there is there
    with monkeypatch.context() as patch:
        kill_a_worker(patch, Path("first").resolve())
        killed = invoke(f"{command} --force --n-jobs 2")
    assert killed.exit_code == 1 and not Path("run/.progress").exists()
    assert re.fullmatch(r"gomkcn: a worker .* was killed .*; start again.\n", killed.stderr)
    # 2. when something is
    kill_a_worker(monkeypatch, Path("second").resolve(), Path("run/.progress").resolve())
    killed = invoke(f"{command} --force --n-jobs 2")
    assert killed.exit_code == 1
    assert re.fullmatch(r"gomkcn: a worker .* was killed .* go on with --resume.\n", killed.stderr)
    # by whom it is done is no other setting
    assert "nothing to resume" not in gomkcn(f"{command} --resume")
    assert [path.read_bytes() for path in tables] == expected
    assert "the run is finished" in gomkcn(f"{command} --resume")
    assert sorted(path.name for path in Path("run").glob(".*")) == []
