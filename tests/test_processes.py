"""Several processes give what one gives, and go on when one of them is killed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest
import several_processes
import torch
from command_line import gomkcn

from gomkcn_dgl import InputError
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.runtime.processes import join_processes, world_size

# the compiled code as plain Python: compiling would take longer
ENVIRONMENT = {
    **os.environ,
    "OMP_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "NUMBA_DISABLE_JIT": "1",
}


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder with graphs."""
    place = tmp_path_factory.mktemp("processes")
    graphs = [nx.cycle_graph(5), nx.star_graph(4)] * 10
    labels = {"labels": torch.tensor([0, 1] * 10)}
    path = str(place / "graphs.bin")
    dgl.save_graphs(path, [dgl.from_networkx(graph) for graph in graphs], labels)
    return place


@pytest.fixture(scope="module")
def two(workplace):
    """What two processes give, one of which was killed and started again."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", "2", "--max-restarts", "1", "--monitor-interval", "0.1"]
    command += [several_processes.__file__, "outcome.pt", "run"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=ENVIRONMENT, cwd=workplace
    )
    assert done.returncode == 0, done.stderr
    return torch.load(workplace / "outcome.pt", weights_only=True)


def test_each_process_knows_its_part(two):
    assert two["size"] == 2
    first, second = two["parts"]
    assert (first["rank"], first["first"], second["rank"], second["first"]) == (0, True, 1, False)
    assert (first["shares"], second["shares"]) == ([[0, 1], [], []], [[2, 3, 4], [0], []])
    for part in (first, second):
        assert part["sum"] == [2.0, 1.0]
        assert part["broadcast"] == {"from": 0}
        assert part["reason"] == "SIGTERM"
    # each turn is one process's, whose own follow each other
    for mine, others, count in zip(first["turns"], second["turns"], (7, 2, 0), strict=True):
        assert sorted(mine + others) == list(range(count))
        assert mine == sorted(mine)
        assert others == sorted(others)


def test_norm_and_dropout_see_all_rows(two):
    expected, expected_running = several_processes.norm_and_dropout()
    found, running = two["rows"]
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(running, expected_running)
    # exactly the same places are dropped
    assert torch.equal(found[0] == 0, expected[0] == 0)


@pytest.mark.parametrize("case", several_processes.CASES)
def test_two_processes_train_as_one_does(two, case):
    """Losses agree to 1e-5, and 99 of 100 parameters to a hundredth of an Adam step.

    Where a gradient is next to nothing, its rounding decides which way Adam goes; the validation,
    whose norm remembers the first steps, sees most of it.
    """
    losses, validation, model = several_processes.train(case)
    found_losses, found_validation, found_model = two[case]
    assert found_losses == pytest.approx(losses, rel=1e-5)
    assert found_validation == pytest.approx(validation, rel=1e-3)
    value, found = (
        torch.cat([tensor.double().flatten() for tensor in state.values()])
        for state in (model, {name: found_model[name] for name in model})
    )
    close = torch.isclose(found, value, rtol=1e-4, atol=1e-4)
    assert close.double().mean() >= 0.99
    # three steps at the most
    assert (found - value).abs().max() <= 0.03


def test_one_process_is_left_as_it_is(monkeypatch):
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    with join_processes():
        assert world_size() == 1
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(InputError) as caught, join_processes():
        pass
    assert str(caught.value) == (
        "WORLD_SIZE is set in the environment but RANK is not; "
        "start with torchrun, or unset WORLD_SIZE."
    )


def test_a_killed_process_is_restarted_and_the_run_goes_on(two, workplace, monkeypatch):
    monkeypatch.chdir(workplace)
    gomkcn(f"{several_processes.COMMAND} whole")
    metrics, expected = (
        json.loads(Path(run, "metrics.json").read_text()) for run in ("run", "whole")
    )
    assert metrics["history"]["train_loss"] == pytest.approx(
        expected["history"]["train_loss"], rel=1e-5
    )
    assert metrics["accuracy"] == expected["accuracy"]
    assert metrics["epochs"] == 6
    assert sorted(path.name for path in Path("run").iterdir()) == [
        "checkpoint.pt",
        "metrics.json",
        "settings.toml",
    ]
