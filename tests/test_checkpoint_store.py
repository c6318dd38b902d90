"""Steps of a long job: kept, found again, refused when they are of another job, cut short."""

import os
import signal

import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore, shared_store
from gomkcn_dgl.runtime.interrupts import Interrupts, RunInterruptedError


def refuse():
    raise AssertionError("a step that is kept is not made again")


def number(value):
    return lambda: {"value": np.array(value)}


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_step_is_made_once(tmp_path, on_disk):
    steps = CheckpointStore(tmp_path / "steps" if on_disk else None)
    assert not steps.has("first")
    assert steps.take("first", number(3))["value"] == 3
    assert steps.has("first")
    assert steps.take("first", refuse)["value"] == 3
    assert steps.take_once("first", refuse)["value"] == 3
    assert steps.take_together("first", refuse)["value"] == 3
    assert steps.take_together("second", number(4))["value"] == 4
    assert steps.take("second", refuse)["value"] == 4
    # another process finds what is on disk
    assert CheckpointStore(steps.folder).has("first") == on_disk


def test_a_step_that_fails_is_not_kept(tmp_path):
    steps = CheckpointStore(tmp_path)
    with pytest.raises(AssertionError):
        steps.take("first", refuse)
    assert not steps.has("first")
    assert list(tmp_path.iterdir()) == []


def test_steps_of_another_job_are_refused(tmp_path):
    job = {"settings": {"miner": {"seed": 0, "size": (3, 4)}}, "data": "abc"}
    steps = CheckpointStore(tmp_path)
    steps.identify(job)
    # a job that was refused before its first step leaves nothing
    assert list(tmp_path.iterdir()) == []
    steps.take("first", number(1))
    CheckpointStore(tmp_path).identify(job)
    with pytest.raises(InputError, match="other settings \\(seed was 0, is 1\\)"):
        CheckpointStore(tmp_path).identify(
            {**job, "settings": {"miner": {"seed": 1, "size": (3, 4)}}}
        )
    with pytest.raises(InputError, match="made with other data; give the same"):
        CheckpointStore(tmp_path).identify({**job, "data": "abd"})


def test_a_damaged_step_is_said_in_one_sentence(tmp_path):
    (tmp_path / "first.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(InputError, match=r"first\.npz' cannot be read \(\w+\); start anew"):
        CheckpointStore(tmp_path).take("first", refuse)


def test_objects_are_not_unpickled(tmp_path):
    np.savez(tmp_path / "first.npz", value=np.array([print], dtype=object))
    with pytest.raises(InputError, match=r"cannot be read \(ValueError\)"):
        CheckpointStore(tmp_path).take("first", refuse)


def test_all_is_done_or_what_time_allows():
    steps = CheckpointStore()
    found = steps.do_all("square", 4, lambda i: {"value": np.array(i * i)})
    assert [int(one["value"]) for one in found] == [0, 1, 4, 9]
    with Interrupts(time_limit=1e-9) as interrupts:
        late = CheckpointStore(interrupts=interrupts)
        assert late.do_all("square", 4, lambda i: refuse()) == []
        assert late.time_is_up


def test_a_signal_ends_the_job_between_two_steps(tmp_path):
    with Interrupts() as interrupts:
        steps = CheckpointStore(tmp_path, interrupts)
        assert not steps.is_over()

        def stop(i):
            os.kill(os.getpid(), signal.SIGTERM)
            return {"value": np.array(i)}

        with pytest.raises(RunInterruptedError) as error:
            steps.do_all("square", 4, stop)
    assert error.value.exit_code == 143
    assert str(error.value) == "stopped by SIGTERM between two steps; go on with --resume."
    # what was done is not lost
    assert sorted(path.name for path in tmp_path.iterdir()) == ["square-0.npz"]


def test_what_was_made_when_time_was_up_is_not_gone_on_with(tmp_path):
    first = CheckpointStore(tmp_path)
    first.identify({"data": "a"})
    first.take("early", number(1))
    with Interrupts(time_limit=1e-9) as interrupts:
        late = CheckpointStore(tmp_path, interrupts)
        assert late.is_over()
        late.take("late", number(2))
        assert late.take("late", refuse)["value"] == 2
        assert late.take("early", refuse)["value"] == 1
    again = CheckpointStore(tmp_path)
    again.identify({"data": "a"})
    assert again.take("early", refuse)["value"] == 1
    assert not again.has("late")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["early.npz", "identity.json"]


def test_steps_that_are_given_are_used():
    steps = CheckpointStore()
    with shared_store(steps) as shared:
        assert shared is steps
    with shared_store(None) as shared:
        shared.take("first", number(1))
    assert not shared.has("first")
