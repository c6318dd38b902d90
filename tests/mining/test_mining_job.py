"""A mining job: sampled, interrupted and resumed, in parts, short of time, in two processes."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import gomkcn, refused

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.steps import Steps
from mining import MiningRun
from mining.mining_job import run_job
from mining.settings import RunSettings
from synthetic import barabasi_albert, plant_motifs

# so many seconds that every count is exact, however busy the machine is
MINER = {"num_patterns": 4, "pattern_size": "4-5", "num_epochs": 2, "count_seconds": 60.0}
MINER["sources"] = "grown,filters"
TABLES = {"miner": {**MINER, "null": "degree", "null_samples": 99, "backend": "reference"}}
SETTINGS = RunSettings().override(TABLES)


@pytest.fixture(scope="module")
def graph():
    planted = plant_motifs(barabasi_albert(150, 1, 0), 150, {"wheel5": 12}, seed=0)
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


@pytest.fixture(scope="module")
def uninterrupted(graph):
    return run_job(SETTINGS, graph)[0]


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("most", [2, 7])
def test_a_resumed_job_gives_what_an_uninterrupted_one_gives(
    graph, uninterrupted, most, tmp_path, monkeypatch
):
    keep, kept = Steps._keep, []

    def keep_some(*result):
        """Stop the job after so many results, as if the process had been killed."""
        if len(kept) == most:
            raise StoppedError
        kept.append(1)
        keep(*result)

    monkeypatch.setattr(Steps, "_keep", keep_some)
    for num_runs in itertools.count(1):
        kept.clear()
        try:
            miner, _ = run_job(SETTINGS, graph, tmp_path / "progress")
            break
        except StoppedError:
            assert num_runs < 120
    assert num_runs > 15 // most
    assert content(miner) == content(uninterrupted)
    assert not miner.is_partial_


def test_the_copies_of_a_planted_wheel_are_counted_and_listed(uninterrupted):
    assert {p.frequency.occurrences.state for p in uninterrupted.patterns_} == {"exact"}
    (wheel,) = [p for p in uninterrupted.patterns_ if (p.num_nodes, len(p.edges)) == (5, 8)]
    assert (wheel.frequency.count, wheel.frequency.listed, wheel.frequency.disjoint) == (12,) * 3


def test_a_job_short_of_time_gives_partial_results_and_is_resumed(graph, uninterrupted, tmp_path):
    with Interrupts(time_limit=1e-9) as interrupts:
        late, _ = run_job(SETTINGS, graph, tmp_path / "progress", interrupts)
    assert late.is_partial_ and not late.motif_set_.complete
    assert all(not p.significance for p in late.patterns_)
    assert all(p.frequency.occurrences.is_exact for p in late.patterns_)
    assert MiningRun.of(late, graph).is_partial
    miner, _ = run_job(SETTINGS, graph, tmp_path / "progress")
    assert content(miner) == content(uninterrupted)


# the processes import the package of this folder, whatever is installed
ROOT = str(Path(__file__).parents[2])
OPTIONS = "--patterns 3 --size 3-4 --epochs 1 --quiet --out run --count-seconds 60"


def test_the_command_resumes_and_refuses_other_settings(folder):
    gomkcn("generate planted --out graph.csv --nodes 60 --motif square=6")
    gomkcn(f"mine graph.csv {OPTIONS}")
    complete = Path("run/patterns.json").read_text()
    assert refused(f"mine graph.csv {OPTIONS}").startswith("--out folder 'run' already holds a run")
    assert "the run is finished" in gomkcn(f"mine graph.csv {OPTIONS} --resume")
    output = gomkcn(f"mine graph.csv {OPTIONS} --force --time-limit 0.000001")
    assert "Time was up before the search ended." in output
    assert "The time limit ended the run; gomkcn mine --resume continues it." in output
    assert json.loads(Path("run/run.json").read_text())["partial"]
    assert "The time limit ended the run" in Path("run/report.html").read_text()
    message = refused(f"mine graph.csv {OPTIONS} --resume --seed 1")
    assert "was made with other settings (random_state was 0, is 1)" in message
    gomkcn(f"mine graph.csv {OPTIONS} --resume")
    assert Path("run/patterns.json").read_text() == complete
    assert not Path("run/.progress").exists()
    assert "--resume must not come with --force" in refused(
        f"mine graph.csv {OPTIONS} --force --resume"
    )


def test_two_processes_give_what_one_gives(folder):
    gomkcn("generate planted --out graph.csv --nodes 60 --motif square=6")
    more = "--null degree --null-samples 99 --sources grown,filters"
    gomkcn(f"mine graph.csv {OPTIONS} {more}")
    one = Path("run/patterns.json").read_text()
    copies = Path("run/copies.parquet").read_bytes()
    script = Path(__file__).parents[1] / "helpers" / "mining_processes.py"
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
         "--max-restarts", "1", script, *f"mine graph.csv {OPTIONS} {more} --force".split()],
        env={**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "PYTHONPATH": ROOT},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert Path("killed").exists()
    assert Path("run/patterns.json").read_text() == one
    assert Path("run/copies.parquet").read_bytes() == copies
    # both have all of the result
    fitted = [json.loads(Path(f"fitted-{rank}.json").read_text()) for rank in range(2)]
    assert fitted[0] == fitted[1]
    keys = [[p["edges"], p["frequency"], p["significance"]] for p in json.loads(one)["patterns"]]
    assert [[p["edges"], p["frequency"], p["significance"]] for p in fitted[0][:-1]] == keys
    assert sorted(path.name for path in Path("run").glob(".*")) == []
