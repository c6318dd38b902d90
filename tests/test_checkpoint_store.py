"""Results of tasks: kept, read again, refused when they are of another job, cut short by time."""

import contextlib
import os
import signal

import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime import checkpoint_store
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from gomkcn_dgl.runtime.interrupts import Interrupts, RunInterruptedError


def refuse():
    raise AssertionError("a result that is kept is not computed again")


def number(value):
    return lambda: {"value": np.array(value)}


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_task_is_computed_once(tmp_path, on_disk):
    store = CheckpointStore(tmp_path / "store" if on_disk else None)
    assert not store.has("first")
    assert store.take("first", number(3))["value"] == 3
    assert store.has("first")
    for take in (store.take, store.take_once, store.take_together):
        assert take("first", refuse)["value"] == 3
    assert store.take_together("second", number(4))["value"] == 4
    assert store.take("second", refuse)["value"] == 4
    # another process reads what is on disk
    assert CheckpointStore(store.folder).has("first") == on_disk
    with pytest.raises(AssertionError):
        store.take("third", refuse)
    assert not store.has("third")


def test_results_of_another_job_are_refused(tmp_path):
    job = {"settings": {"seed": 0, "size": (3, 4)}, "data": "abc"}
    store = CheckpointStore(tmp_path)
    store.identify(job)
    # a job that was refused before its first result leaves nothing
    assert list(tmp_path.iterdir()) == []
    store.take("first", number(1))
    CheckpointStore(tmp_path).identify(job)
    with pytest.raises(InputError, match="made with other data; give the same"):
        CheckpointStore(tmp_path).identify({**job, "data": "abd"})


def test_damaged_files_and_objects_are_refused(tmp_path):
    (tmp_path / "first.npz").write_bytes(b"PK\x03\x04 and no more")
    np.savez(tmp_path / "second.npz", value=np.array([print], dtype=object))
    for name in ("first", "second"):
        with pytest.raises(InputError, match=rf"{name}\.npz' cannot be read \(\w+\); start anew"):
            CheckpointStore(tmp_path).take(name, refuse)


def test_all_tasks_are_computed_or_those_in_time():
    store = CheckpointStore()
    results = store.do_all("square", range(4), lambda i: number(i * i)())
    assert [int(one["value"]) for one in results] == [0, 1, 4, 9]
    late = CheckpointStore(interrupts=Interrupts(time_limit=1e-9))
    assert late.do_all("square", range(4), lambda i: refuse()) == []
    assert late.time_is_up
    assert len(late.finish({name: number(1) for name in "ab"})) == 2
    # what was there before is a result
    assert len(late.share(dict.fromkeys("bc", refuse))) == 1


def test_a_result_of_another_process_that_is_not_seen_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint_store, "take_turns", lambda number: [1])
    store = CheckpointStore(tmp_path)
    for together in (store.finish, lambda makers: store.do_all("", (0, 1), number)):
        with pytest.raises(InputError, match="all processes must see one folder. Go on with --res"):
            together({"-0": number(0), "-1": number(1)})


def test_each_task_is_computed_by_the_process_whose_turn_it_is(tmp_path, monkeypatch):
    for rank, turns in enumerate(([0, 2, 4, 3], [1])):
        monkeypatch.setattr(checkpoint_store, "take_turns", lambda number, turns=turns: turns)
        # the other one, which computes task 1, comes later
        with pytest.raises(InputError) if rank == 0 else contextlib.nullcontext():
            CheckpointStore(tmp_path).share({name: number(rank) for name in "abcde"})
    store = CheckpointStore(tmp_path)
    assert [int(store.take(name, refuse)["value"]) for name in "abcde"] == [0, 1, 0, 0, 0]


def test_a_signal_ends_the_job_between_two_tasks(tmp_path):
    def stop(i):
        os.kill(os.getpid(), signal.SIGTERM)
        return {"value": np.array(i)}

    with Interrupts() as interrupts:
        store = CheckpointStore(tmp_path, interrupts)
        assert not store.is_over()
        with pytest.raises(RunInterruptedError, match="SIGTERM between two tasks; go on") as error:
            store.do_all("square", range(4), stop)
    assert error.value.exit_code == 143
    assert [path.name for path in tmp_path.iterdir()] == ["square-0.npz"]


def test_partial_results_are_not_resumed_from(tmp_path):
    first = CheckpointStore(tmp_path)
    first.identify({"data": "a"})
    first.take("early", number(1))
    late = CheckpointStore(tmp_path, Interrupts(time_limit=1e-9))
    assert late.is_over()
    late.take("late", number(2))
    assert late.take("late", refuse)["value"] == 2
    assert late.take("early", refuse)["value"] == 1
    again = CheckpointStore(tmp_path)
    again.identify({"data": "a"})
    assert again.take("early", refuse)["value"] == 1
    assert not again.has("late")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["early.npz", "identity.json"]
