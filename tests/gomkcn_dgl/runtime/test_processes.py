"""Several processes: their shares, a training close to that of one, a restart after a kill."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest
import several_processes
import torch
from command_line import gomkcn
from graph_files import write_tu

from gomkcn.mining.runs.train import TRAIN
from gomkcn_dgl import InputError
from gomkcn_dgl.runtime.processes import join_processes, world_size

# the compiled code as plain Python, because compiling would take longer
ENVIRONMENT = {
    **os.environ,
    "OMP_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "NUMBA_DISABLE_JIT": "1",
}


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder with graphs, and with what two processes give, one of which was killed once."""
    place = tmp_path_factory.mktemp("processes")
    graphs = [nx.cycle_graph(5), nx.star_graph(4)] * 10
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        write_tu("TU", graphs, [0, 1] * 10)
    command = [sys.executable, several_processes.__file__, "outcome.pt", "run"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=ENVIRONMENT, cwd=place
    )
    assert done.returncode == 0, done.stderr
    return place


@pytest.fixture(scope="module")
def two(workplace):
    return torch.load(workplace / "outcome.pt", weights_only=True)


def test_each_process_knows_its_part(two):
    assert two["size"] == 2
    first, second = two["parts"]
    assert (first["rank"], first["first"], second["rank"], second["first"]) == (0, True, 1, False)
    for part in (first, second):
        assert part["sum"] == [2.0, 1.0]
        assert part["broadcast"] == {"from": 0}
        assert part["reason"] == "SIGTERM"


def test_two_processes_with_equal_shares_train_as_one_does(two):
    losses, parameters = several_processes.train_twins()
    losses_of_two, parameters_of_two = two["twins"]
    assert losses_of_two == pytest.approx(losses, rel=1e-4)
    for name, value in parameters.items():
        torch.testing.assert_close(parameters_of_two[name], value, rtol=1e-3, atol=1e-3)
    assert two["equal"]


def test_a_killed_process_is_restarted_and_the_run_goes_on(workplace, monkeypatch):
    monkeypatch.chdir(workplace)
    kind = replace(TRAIN, render=several_processes.draw_no_page)
    monkeypatch.setattr("gomkcn.mining.runs.train.TRAIN", kind)
    gomkcn(f"{several_processes.COMMAND} whole")
    metrics, expected = (json.loads(Path(run, "run.json").read_text()) for run in ("run", "whole"))
    # batch norm sees the share of a process only
    losses = metrics["history"]["train_loss"]
    assert losses == pytest.approx(expected["history"]["train_loss"], rel=0.2)
    assert metrics["epochs"] == 4
    assert not Path("run/.progress").exists()


def test_a_single_process_and_an_incomplete_environment(monkeypatch):
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    with join_processes():
        assert world_size() == 1
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(InputError, match="but RANK is not; start with torchrun"), join_processes():
        pass
