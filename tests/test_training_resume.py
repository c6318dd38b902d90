"""Training that is stopped and goes on gives the same bits as training that is not."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from command_line import gomkcn, invoke, refused

from gomkcn_dgl import (
    GOMKCN,
    GraphCollection,
    InputError,
    RandomWalkKernel,
    TrainingSettings,
    as_csr,
    train_classifier,
)
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.runtime.checkpoint import Checkpoint, digest_of
from gomkcn_dgl.runtime.interrupts import Interrupts, RunInterruptedError
from gomkcn_dgl.runtime.run_lock import lock_folder

pytestmark = pytest.mark.usefixtures("folder")

GRAPHS = [nx.cycle_graph(6), nx.star_graph(5)] * 8
LABELS = torch.tensor([0, 1] * 8)
ROWS = np.arange(16)
EPOCHS = 5
QUICK = "--hops 1 --size 3 --filters 2 --levels 1 --kernel random-walk --quiet --dropout 0.3"


@pytest.fixture(scope="module")
def data():
    return GraphCollection(as_csr(GRAPHS), 1, 3)


def train(data, *, on_epoch=None, num_epochs=EPOCHS, patience=None, **options):
    """Train a new model with dropout and batches of two sizes; the model and its history."""
    torch.manual_seed(3)
    model = GOMKCN(
        1,
        2,
        filter_size=3,
        num_filters=3,
        kernel=RandomWalkKernel(1),
        pooling="mean",
        dropout=0.3,
        input_dropout=0.2,
    )
    settings = TrainingSettings(num_epochs, patience, learning_rate=0.05, batch_size=5)
    parts = ROWS[:12], ROWS[12:]
    history = train_classifier(model, data, LABELS, *parts, settings, on_epoch, **options)
    return model, history


def assert_same(one, other):
    (model, history), (other_model, other_history) = one, other
    assert history == other_history
    states = model.state_dict(), other_model.state_dict()
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def kill_after(stop, number=signal.SIGTERM):
    def on_epoch(epoch, history):
        if epoch == stop:
            os.kill(os.getpid(), number)

    return on_epoch


# ---------------------------------------------------------------- the loop


def test_stopped_after_every_epoch_in_turn(data):
    whole = train(data)
    for stop in range(1, EPOCHS):
        path = Path(f"{stop}.pt")
        with pytest.raises(RunInterruptedError) as caught:
            train(
                data,
                on_epoch=kill_after(stop),
                checkpoint=Checkpoint(path),
                interrupts=Interrupts(),
            )
        assert str(caught.value) == f"stopped by SIGTERM after epoch {stop}; go on with --resume."
        seen = []
        resumed = train(
            data,
            on_epoch=lambda epoch, history, seen=seen: seen.append(epoch),
            checkpoint=Checkpoint(path, resume=True),
        )
        assert seen == list(range(stop + 1, EPOCHS + 1))
        assert_same(resumed, whole)


def test_stopped_after_each_epoch_of_one_run(data):
    whole = train(data)
    for stop in range(1, EPOCHS):
        with pytest.raises(RunInterruptedError):
            train(
                data,
                on_epoch=kill_after(stop, signal.SIGINT),
                checkpoint=Checkpoint("state.pt", resume=True),
                interrupts=Interrupts(),
            )
    assert_same(train(data, checkpoint=Checkpoint("state.pt", resume=True)), whole)


def test_a_crash_goes_on_from_the_last_checkpoint(data):
    whole = train(data)

    def crash(epoch, history):
        if epoch == 4:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train(data, on_epoch=crash, checkpoint=Checkpoint("state.pt", every=2))
    saved = Checkpoint("state.pt", resume=True).read()
    assert len(saved["train_loss"]) == 2
    assert_same(train(data, checkpoint=Checkpoint("state.pt", resume=True)), whole)


def test_a_signal_in_the_last_epoch_and_a_resume_after_it(data):
    whole = train(data)
    checkpoint = Checkpoint("state.pt")
    done = train(data, on_epoch=kill_after(EPOCHS), checkpoint=checkpoint, interrupts=Interrupts())
    assert_same(done, whole)
    assert_same(train(data, checkpoint=Checkpoint("state.pt", resume=True)), whole)


def test_patience_counts_the_epochs_before_the_stop(data):
    whole = train(data, num_epochs=40, patience=3)
    epochs = whole[1].epochs
    assert epochs < 40
    with pytest.raises(RunInterruptedError):
        train(
            data,
            num_epochs=40,
            patience=3,
            on_epoch=kill_after(epochs - 1),
            checkpoint=Checkpoint("state.pt"),
            interrupts=Interrupts(),
        )
    checkpoint = Checkpoint("state.pt", resume=True)
    assert_same(train(data, num_epochs=40, patience=3, checkpoint=checkpoint), whole)


def test_a_time_limit_ends_with_what_there_is(data):
    whole = train(data)
    _, history = train(
        data, checkpoint=Checkpoint("state.pt"), interrupts=Interrupts(time_limit=1e-9)
    )
    assert (history.partial, history.epochs, history.best_epoch) == (True, 1, 1)
    assert history.train_loss == whole[1].train_loss[:1]
    assert_same(train(data, checkpoint=Checkpoint("state.pt", resume=True)), whole)


def test_the_callers_random_numbers_are_left_alone(data):
    train(data, num_epochs=1, checkpoint=Checkpoint("state.pt"))
    torch.manual_seed(5)
    expected = torch.get_rng_state()
    train(data, checkpoint=Checkpoint("state.pt", resume=True))
    # train() itself seeds
    torch.manual_seed(5)
    assert torch.equal(torch.get_rng_state(), expected)


# ---------------------------------------------------------------- the file


def test_when_a_checkpoint_is_due(monkeypatch):
    now = 0.0
    monkeypatch.setattr("gomkcn_dgl.runtime.checkpoint.time.monotonic", lambda: now)
    assert [Checkpoint("a", every=3).is_due(step) for step in range(1, 7)] == [
        *(False, False, True),
        *(False, False, True),
    ]
    checkpoint = Checkpoint("a")
    now = 29.9
    assert not checkpoint.is_due(1000)
    now = 30.0
    assert checkpoint.is_due(1001)
    checkpoint.write({})
    assert not checkpoint.is_due(1002)
    now = 60.0
    assert checkpoint.is_due(1003)


def test_seconds_count_those_before(monkeypatch):
    now = 0.0
    monkeypatch.setattr("gomkcn_dgl.runtime.checkpoint.time.monotonic", lambda: now)
    first = Checkpoint("a")
    now = 7.0
    first.write({})
    now = 100.0
    second = Checkpoint("a", resume=True)
    second.read()
    now = 102.0
    assert second.seconds == 9.0


def test_a_file_is_read_when_asked_to_and_when_it_is_there():
    assert Checkpoint("a", resume=True).read() is None
    Checkpoint("a").write({"step": torch.tensor(3)})
    assert Checkpoint("a").read() is None
    assert Checkpoint("a", resume=True).read() == {"step": 3}
    Checkpoint("a").remove()
    Checkpoint("a").remove()
    assert Checkpoint("a", resume=True).read() is None


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"data": "b"}, "data"),
        ({"settings": {"training": {"seed": 1, "rate": 0.1}}}, "settings (seed was 0, is 1)"),
        ({"settings": {"training": {"seed": 0}}}, "settings (rate was 0.1, is None)"),
    ],
)
def test_a_file_of_another_run_is_refused(changed, what):
    identity = {"settings": {"training": {"seed": 0, "rate": 0.1}}, "data": "a"}
    first = Checkpoint("a.pt")
    first.identity = identity
    first.write({})
    second = Checkpoint("a.pt", resume=True)
    second.identity = {**identity, **changed}
    with pytest.raises(InputError) as caught:
        second.read()
    assert str(caught.value) == (
        f"checkpoint 'a.pt' was made with other {what}; give the same, or start anew with --force."
    )


def test_damaged_files_get_one_sentence_and_run_nothing(data):
    Checkpoint("a").write({"step": torch.arange(1000)})
    content = Path("a").read_bytes()

    class Evil:
        def __reduce__(self):
            return os.mkdir, ("evil",)

    torch.save({"identity": {}, "seconds": 0.0, "state": Evil()}, "evil.pt")
    harmless = [b"", b"text", content[:-100], content[:200] + bytes(50) + content[250:]]
    for damaged in [*harmless, Path("evil.pt").read_bytes()]:
        Path("a").write_bytes(damaged)
        with pytest.raises(InputError, match=r"^checkpoint 'a' cannot be read \(.*--force\.$"):
            Checkpoint("a", resume=True).read()
    for other in ({}, [1], {"identity": {}, "seconds": "no", "state": {}}):
        torch.save(other, "a")
        with pytest.raises(InputError, match=r"^checkpoint 'a' cannot be read \("):
            Checkpoint("a", resume=True).read()
    assert not Path("evil").exists()
    # whole, and of another model
    Checkpoint("a").write({"model": {}})
    with pytest.raises(InputError, match=r"^checkpoint 'a' cannot be read \(.*--force\.$"):
        train(data, checkpoint=Checkpoint("a", resume=True))


def test_digests_tell_arrays_apart(tmp_path):
    arrays = [np.arange(6), np.arange(6.0), np.arange(6).reshape(2, 3), np.arange(7), None]
    assert len({digest_of(array) for array in arrays}) == 5
    np.save(tmp_path / "a.npy", arrays[0])
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert digest_of(mapped) == digest_of(arrays[0])
    assert digest_of(arrays[2].T) != digest_of(arrays[2])


# ---------------------------------------------------------------- the command


def write_graphs(path="graphs.bin", count=20):
    graphs = [nx.cycle_graph(5), nx.star_graph(4)] * (count // 2)
    classes = torch.tensor([0, 1] * (count // 2))
    dgl.save_graphs(path, [dgl.from_networkx(graph) for graph in graphs], {"labels": classes})
    return path


def results(run):
    """What must be the same: all but times and where it ran."""
    metrics = json.loads(Path(run, "metrics.json").read_text())
    for name in ("seconds", "provenance"):
        del metrics[name]
    return metrics, torch.load(Path(run, "checkpoint.pt"), weights_only=True)


def assert_same_run(one, other):
    (metrics, state), (other_metrics, other_state) = results(one), results(other)
    assert metrics == other_metrics
    assert all(
        torch.equal(state["model"][key], other_state["model"][key]) for key in state["model"]
    )
    assert not Path(one, "unfinished.pt").exists()


def interrupted(command):
    """Run a command line that a signal stops after its first epoch."""
    patch = pytest.MonkeyPatch()
    patch.setattr(Interrupts, "agree", lambda self: "SIGTERM")
    with patch.context():
        result = invoke(command)
    patch.undo()
    assert result.exit_code == 143
    return result.stderr


def test_a_stopped_command_goes_on():
    command = f"train {write_graphs()} --epochs 4 {QUICK}"
    gomkcn(f"{command} --out whole")
    for epoch in (1, 2, 3):
        said = interrupted(f"{command} --out run --resume")
        assert said == f"gomkcn: stopped by SIGTERM after epoch {epoch}; go on with --resume.\n"
        assert [path.name for path in Path("run").iterdir()] == ["unfinished.pt"]
    gomkcn(f"{command} --out run --resume")
    assert_same_run("run", "whole")
    # a job that is started again and again says so
    said = gomkcn(f"{command} --out run --resume")
    assert said == "nothing to go on with: the run is finished, run/metrics.json\n"


def test_an_unfinished_run_is_neither_lost_nor_mixed_with_another():
    path = write_graphs()
    command = f"train {path} --out run --epochs 4 {QUICK}"
    interrupted(command)
    assert refused(command) == (
        "--out folder 'run' already holds an unfinished run (unfinished.pt); "
        "go on with --resume, choose another, or overwrite it with --force."
    )
    assert refused(f"{command} --lr 0.5 --resume") == (
        "checkpoint 'run/unfinished.pt' was made with other settings "
        "(learning_rate was 0.01, is 0.5); give the same, or start anew with --force."
    )
    other = write_graphs("more.bin", count=24)
    assert refused(f"train {other} --out run --epochs 4 {QUICK} --resume") == (
        "checkpoint 'run/unfinished.pt' was made with other data; "
        "give the same, or start anew with --force."
    )
    assert refused(f"{command} --resume --force") == (
        "--resume must not come with --force, which starts anew; give one."
    )
    # the same data elsewhere are the same data
    Path(path).rename("moved.bin")
    gomkcn(f"train moved.bin --out run --epochs 4 {QUICK} --resume")
    gomkcn(f"train moved.bin --out run --epochs 4 {QUICK} --lr 0.5 --force")


def test_a_time_limit_marks_the_run_as_partial():
    command = f"train {write_graphs()} --epochs 3 {QUICK}"
    gomkcn(f"{command} --out whole")
    said = gomkcn(f"{command} --out run --time-limit 0.001")
    assert said.splitlines()[6] == (
        "partial: the time limit came before the last epoch; go on with --resume"
    )
    metrics = json.loads(Path("run/metrics.json").read_text())
    assert (metrics["partial"], metrics["epochs"]) == (True, 1)
    assert results("whole")[0]["partial"] is False
    gomkcn(f"{command} --out run --resume")
    assert_same_run("run", "whole")


def test_two_runs_into_one_folder():
    command = f"train {write_graphs()} --out run --epochs 1 {QUICK}"
    with lock_folder("run"):
        assert refused(command).startswith(f"--out folder 'run' is in use by process {os.getpid()}")
    gomkcn(command)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--time-limit 0", "--time-limit must be greater than 0, got 0."),
        ("--checkpoint-every 0", "--checkpoint-every must be at least 1, got 0."),
    ],
)
def test_bad_options(options, sentence):
    assert refused(f"train {write_graphs()} --out run --quiet {options}") == sentence


KILLS = """
import json, os, random, signal, sys, time
from pathlib import Path
import torch
from gomkcn.commands.main import main

def start(*more):
    child = os.fork()
    if child == 0:
        main([*sys.argv[1:], *more, "--quiet"], standalone_mode=False)
        os._exit(0)
    return child

began = time.monotonic()
assert os.waitpid(start("--out", "whole"), 0)[1] == 0
seconds = time.monotonic() - began
rng, kills, ended = random.Random(4), 0, None
while ended != 0:
    child = start("--out", "run", "--resume", "--checkpoint-every", "1")
    # at last it may run to its end
    if kills < 5:
        time.sleep(rng.uniform(0.05, 0.4) * seconds)
        os.kill(child, signal.SIGKILL)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended in (0, -signal.SIGKILL)
    kills += ended != 0
    # what can be seen is whole
    for path in Path("run").glob("[!.]*"):
        if path.suffix == ".pt":
            torch.load(path, weights_only=True)
        elif path.suffix == ".json":
            json.loads(path.read_text())
print(kills)
"""


def test_a_command_that_is_killed_again_and_again():
    arguments = f"train {write_graphs()} --epochs 40 {QUICK}".split()
    done = subprocess.run(
        [sys.executable, "-c", KILLS, *arguments],
        capture_output=True,
        text=True,
        check=False,
        # plain Python in place of compiled code, which would have to be compiled
        env={
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "NUMBA_NUM_THREADS": "1",
            "NUMBA_DISABLE_JIT": "1",
        },
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.splitlines()[-1]) > 0
    assert_same_run("run", "whole")
    # the last one cleared up after those that were killed
    assert sorted(path.name for path in Path("run").iterdir()) == [
        "checkpoint.pt",
        "metrics.json",
        "settings.toml",
    ]
