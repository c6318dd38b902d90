"""Steps of a job: computed once, kept, found again, refused where they are of another job."""

import os
import signal

import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime import steps as module
from gomkcn_dgl.runtime.job import Interrupts, RunInterruptedError
from gomkcn_dgl.runtime.steps import Steps, digest_of, identity_of_job

LATE = Interrupts(time_limit=1e-9)


def refuse(*items):
    raise AssertionError("a result that is kept is not computed again")


def number(value):
    return {"value": np.array(value)}


def values(results):
    return [one["value"].item() for one in results]


@pytest.fixture
def job(tmp_path):
    return lambda **options: Steps(tmp_path / "job", {"data": "a"}, **options)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_result_is_computed_once_and_found_wherever_its_item_stands(job, tmp_path):
    assert job().once("adding", lambda a, b: number(a + b), 1, 2) == number(3)
    assert job().once("adding", refuse) == number(3)
    assert values(job().each("squaring", lambda i: number(i * i), [1, 2, 3])) == [1, 4, 9]
    by_name = {"key": lambda one: one.encode()}
    assert values(job().each("naming", number, ["b", "a"], **by_name)) == ["b", "a"]
    assert values(job().each("squaring", refuse, [3, 1])) == [9, 1]
    assert values(job().each("naming", refuse, ["a", "b", "a"], **by_name)) == ["a", "b", "a"]
    with pytest.raises(AssertionError):
        job().each("squaring", refuse, [4])
    assert len(files(tmp_path / "job")) == 1 + 1 + 3 + 2
    # without a folder nothing is kept
    steps = Steps()
    assert [steps.once("adding", number, i)["value"] for i in (1, 2)] == [1, 2]


def test_results_of_another_job_are_refused(job, tmp_path):
    settings = {"seed": 0, "size": (3, 4)}
    first, same = (identity_of_job(settings, np.arange(3)) for _ in range(2))
    Steps(tmp_path / "job", first)
    # a job that was refused before its first result leaves nothing
    assert files(tmp_path) == []
    Steps(tmp_path / "job", first).once("adding", number, 1)
    Steps(tmp_path / "job", same).once("adding", refuse)
    for other, what in [
        (identity_of_job(settings, np.arange(4)), "data; give the same"),
        (identity_of_job({**settings, "seed": 1}, np.arange(3)), r"settings \(seed was 0, is 1\)"),
        ({**first, "program": "0.0"}, "versions of gomkcn-dgl, "),
    ]:
        with pytest.raises(InputError, match=f"identity.json' was made with other {what}"):
            Steps(tmp_path / "job", other)
    (tmp_path / "job" / "identity.json").write_text("{")
    with pytest.raises(InputError, match=r"identity.json' cannot be read \(.*; start anew"):
        Steps(tmp_path / "job", first)


def test_damaged_files_and_objects_are_computed_anew(job, tmp_path):
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "first.npz").write_bytes(b"PK\x03\x04 and no more")
    np.savez(tmp_path / "job" / "second.npz", value=np.array([print], dtype=object))
    for name in ("first", "second"):
        assert job().once(name, number, 3) == number(3)
        assert job().once(name, refuse) == number(3)


def test_what_is_not_there_when_time_is_up_is_left_out(job, tmp_path):
    job().each("squaring", number, [0, 2])
    late = job(interrupts=LATE)
    # what must be done is done, and kept: nothing was left out yet
    assert len(late.each("counting", number, [5])) == 1 and not late.is_partial
    assert values(late.each("squaring", refuse, range(4), in_time=True)) == [0, 2]
    assert late.is_partial
    # what follows is made of what was there, and a job that goes on computes it anew
    assert late.once("adding", number, 1) == number(1)
    assert values(late.each("doubling", number, [1, 2])) == [1, 2]
    assert not {path for path in files(tmp_path / "job") if path[:3] in ("add", "dou")}
    steps = job()
    assert values(steps.each("squaring", number, range(4), in_time=True)) == [0, 1, 2, 3]
    assert values(steps.each("counting", refuse, [5])) == [5]
    assert not (steps.is_partial or steps.is_over()) and job(interrupts=LATE).is_over()


def test_of_two_processes_each_computes_every_second_item(tmp_path, monkeypatch):
    # the first process sees what the second one has computed
    theirs = {"a-1.npz": number(7)}
    monkeypatch.setattr(module, "world_size", lambda: 2)
    monkeypatch.setattr(module, "gather_objects", lambda own: [own, (theirs, True)])
    steps = Steps(tmp_path, {})
    assert values(steps.each("a", number, range(3))) == [0, 7, 2]
    assert steps.is_partial
    assert files(tmp_path) == ["a-0.npz", "a-2.npz", "identity.json"]
    # the second one computes nothing of what is done once
    monkeypatch.setattr(module, "is_first", lambda: False)
    monkeypatch.setattr(module, "broadcast_object", lambda own: (number(1), False))
    assert Steps().once("b", refuse) == number(1)


def test_a_signal_ends_the_job_between_two_items(job, tmp_path):
    def stop(i):
        os.kill(os.getpid(), signal.SIGTERM)
        return number(i)

    with Interrupts() as interrupts, pytest.raises(RunInterruptedError) as error:
        job(interrupts=interrupts).each("squaring", stop, range(4))
    assert str(error.value) == "stopped by SIGTERM between two steps; go on with --resume."
    assert error.value.exit_code == 143
    assert files(tmp_path / "job") == ["identity.json", "squaring-0.npz"]


def test_digests_tell_arrays_apart(tmp_path):
    arrays = [np.arange(6), np.arange(6.0), np.arange(6).reshape(2, 3), np.arange(7), None]
    assert len({digest_of(array) for array in arrays}) == 5
    np.save(tmp_path / "a.npy", arrays[0])
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert digest_of(mapped) == digest_of(arrays[0])
    assert digest_of(arrays[2].T) != digest_of(arrays[2])


def test_results_of_another_version_are_refused(tmp_path, monkeypatch):
    Steps(tmp_path, identity_of_job({})).once("adding", number, 1)
    monkeypatch.setattr(module, "version", lambda name: "99")
    with pytest.raises(InputError, match="was made with other versions of gomkcn-dgl"):
        Steps(tmp_path, identity_of_job({}))
