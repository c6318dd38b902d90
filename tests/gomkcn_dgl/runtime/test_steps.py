"""Steps of a job: computed once, kept, found again, refused where they are of another job."""

import os
import signal
import subprocess
import sys
import threading
import time
import zipfile

import joblib
import numba
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime import compiled
from gomkcn_dgl.runtime import steps as module
from gomkcn_dgl.runtime.job import Interrupts, JobProgress, RunInterruptedError, TimeUpError
from gomkcn_dgl.runtime.processes import LostProcessError
from gomkcn_dgl.runtime.steps import Steps, digest_of, identity_of_job

LATE = Interrupts(time_limit=1e-9)
# of the results of these tests
Kind = dict[str, int | str]


def refuse(*items):
    raise AssertionError("a result that is kept is not computed again")


def make_number():
    """A function that goes to workers whole: they may not find this file."""

    def number(value):
        return {"value": value}

    return number


number = make_number()


def values(results):
    return [one["value"] for one in results]


@pytest.fixture
def job(tmp_path):
    return lambda **options: Steps(tmp_path / "job", {"data": "a"}, **options)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_result_is_computed_once_and_found_wherever_its_item_stands(job, tmp_path):
    assert job().once("adding", Kind, lambda a, b: number(a + b), 1, 2) == number(3)
    assert job().once("adding", Kind, refuse) == number(3)
    assert values(job().each("squaring", Kind, lambda i: number(i * i), [1, 2, 3])) == [1, 4, 9]
    by_name = {"key": lambda one: one.encode()}
    assert values(job().each("naming", Kind, number, ["b", "a"], **by_name)) == ["b", "a"]
    assert values(job().each("squaring", Kind, refuse, [3, 1])) == [9, 1]
    assert values(job().each("naming", Kind, refuse, ["a", "b", "a"], **by_name)) == ["a", "b", "a"]
    with pytest.raises(AssertionError):
        job().each("squaring", Kind, refuse, [4])
    assert len(files(tmp_path / "job")) == 1 + 1 + 3 + 2
    # without a folder nothing is kept
    steps = Steps()
    assert [steps.once("adding", Kind, number, i)["value"] for i in (1, 2)] == [1, 2]


def test_results_of_another_job_are_refused(job, tmp_path):
    settings = {"seed": 0, "size": (3, 4)}
    first, same = (identity_of_job(settings, np.arange(3)) for _ in range(2))
    Steps(tmp_path / "job", first)
    # a job that was refused before its first result leaves nothing
    assert files(tmp_path) == []
    Steps(tmp_path / "job", first).once("adding", Kind, number, 1)
    Steps(tmp_path / "job", same).once("adding", Kind, refuse)
    for other, what in [
        (identity_of_job(settings, np.arange(4)), "data; give the same"),
        (identity_of_job({**settings, "seed": 1}, np.arange(3)), r"settings \(seed was 0, is 1\)"),
    ]:
        with pytest.raises(InputError, match=f"identity.json' was made with other {what}"):
            Steps(tmp_path / "job", other)
    (tmp_path / "job" / "identity.json").write_text("{")
    with pytest.raises(InputError, match=r"identity.json' cannot be read \(.*; start anew"):
        Steps(tmp_path / "job", first)


def test_damaged_files_and_objects_are_computed_anew(job, tmp_path):
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "first.zip").write_bytes(b"PK\x03\x04 and no more")
    with zipfile.ZipFile(tmp_path / "job" / "second.zip", "w") as archive:
        archive.writestr("value.json", '{"value": [3]}')
    for name in ("first", "second"):
        assert job().once(name, Kind, number, 3) == number(3)
        assert job().once(name, Kind, refuse) == number(3)


def test_what_is_not_there_when_time_is_up_is_left_out(job, tmp_path):
    job().each("squaring", Kind, number, [0, 2])
    late = job(interrupts=LATE)
    # what must be done is done, and kept: nothing was left out yet
    assert len(late.each("counting", Kind, number, [5])) == 1 and not late.is_partial
    assert values(late.each("squaring", Kind, refuse, range(4), in_time=True)) == [0, 2]
    assert late.is_partial
    # what follows is made of what was there, and a job that goes on computes it anew
    assert late.once("adding", Kind, number, 1) == number(1)
    assert values(late.each("doubling", Kind, number, [1, 2])) == [1, 2]
    assert not {path for path in files(tmp_path / "job") if path[:3] in ("add", "dou")}
    steps = job()
    assert values(steps.each("squaring", Kind, number, range(4), in_time=True)) == [0, 1, 2, 3]
    assert values(steps.each("counting", Kind, refuse, [5])) == [5]
    assert not (steps.is_partial or steps.is_late()) and job(interrupts=LATE).is_late()


def test_a_signal_ends_the_job_between_two_items(job, tmp_path):
    def stop(i):
        os.kill(os.getpid(), signal.SIGTERM)
        return number(i)

    with Interrupts() as interrupts, pytest.raises(RunInterruptedError) as error:
        job(interrupts=interrupts).each("squaring", Kind, stop, range(4))
    so_far = 'in the step "squaring"; what was done before is kept'
    assert str(error.value) == f"stopped by SIGTERM {so_far}; go on with resume=True."
    assert error.value.exit_code == 143
    assert files(tmp_path / "job") == ["identity.json", "squaring-0.zip"]


@pytest.mark.parametrize("command", ["", "gomkcn mine graph.csv --resume"])
@pytest.mark.parametrize("is_folder", [True, False])
def test_where_nothing_is_kept_there_is_nothing_to_resume(tmp_path, command, is_folder):
    with Interrupts() as interrupts:
        interrupts.command = command
        folder = tmp_path / "job" if is_folder else None
        steps = Steps(folder, {"data": "a"}, interrupts=interrupts)

        def stop():
            os.kill(os.getpid(), signal.SIGTERM)
            steps.is_late()

        with pytest.raises(RunInterruptedError) as error:
            steps.once("adding", Kind, stop)
    said = 'stopped by SIGTERM in the step "adding"; nothing is kept; start again.'
    assert str(error.value) == said and error.value.exit_code == 143


def test_digests_tell_arrays_apart(tmp_path):
    arrays = [np.arange(6), np.arange(6.0), np.arange(6).reshape(2, 3), np.arange(7), None]
    assert len({digest_of(array) for array in arrays}) == 5
    np.save(tmp_path / "a.npy", arrays[0])
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert digest_of(mapped) == digest_of(arrays[0])
    assert digest_of(arrays[2].T) != digest_of(arrays[2])


def test_results_of_another_version_are_refused(tmp_path, monkeypatch):
    Steps(tmp_path, identity_of_job({})).once("adding", Kind, number, 1)
    monkeypatch.setattr(module, "version", lambda name: "99")
    with pytest.raises(InputError, match="was made with other versions of gomkcn-dgl"):
        Steps(tmp_path, identity_of_job({}))


def squares(*, pause=0.0, kills=None, fails=False):
    """What squares a number, in which process; the fourth one may kill its worker once, or fail."""

    def square(i):
        time.sleep(pause)
        if i == 4 and kills is not None and not kills.exists():
            kills.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if i == 4 and fails:
            raise ZeroDivisionError("four")
        return {"value": i * i, "process": os.getpid()}

    # made here, so that workers need not find this file
    return square


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="plain Python runs on one thread")
def test_threads_share_items_and_leave_out_those_for_which_time_was_up(job, monkeypatch):
    monkeypatch.setattr(compiled, "num_threads", lambda: 2)
    both = threading.Barrier(2, timeout=60)

    def square(i):
        both.wait()
        if i == 4:
            raise TimeUpError
        return {"value": i * i, "thread": threading.get_ident()}

    found = job().each("a", Kind, square, range(12), in_time=True, threads=2)
    assert values(found) == [i * i for i in range(12) if i != 4]
    # two at a time, which need not be the same two each time
    assert len({one["thread"] for one in found}) > 1
    # what is kept is found again, and errors are raised
    again = job().each("a", Kind, lambda i: {"value": 99}, range(12), threads=2)
    assert values(again) == [99 if i == 4 else i * i for i in range(12)]
    with pytest.raises(ZeroDivisionError):
        job().each("b", Kind, squares(fails=True), range(9), threads=2)


def test_workers_give_what_one_process_gives_and_only_this_one_keeps_it(job, tmp_path):
    found = job(n_jobs=2).each("squaring", Kind, squares(), range(30))
    assert values(found) == [i * i for i in range(30)]
    assert os.getpid() not in [one["process"] for one in found]
    assert len(files(tmp_path / "job")) == 1 + 30
    again = job(n_jobs=2).each("squaring", Kind, squares(fails=True), range(30))
    assert [one["process"] for one in again] == [one["process"] for one in found]


def test_how_many_workers_is_what_joblib_says():
    alone = {"process": os.getpid()}
    # one process, where nothing is said or a single item is missing
    for steps, number in ((Steps(), 4), (Steps(n_jobs=1), 4), (Steps(n_jobs=2), 1)):
        (*_, last) = steps.each("squaring", Kind, squares(), range(number))
        assert last["process"] == alone["process"]
    with joblib.parallel_config(n_jobs=2):
        found = Steps().each("squaring", Kind, squares(), range(4))
        inside = Steps(n_jobs=1).each("squaring", Kind, squares(), range(4))
    assert alone["process"] not in [one["process"] for one in found]
    assert alone["process"] == inside[0]["process"]
    for wrong in (0, True, "2"):
        with pytest.raises(InputError, match="n_jobs must be a number of processes, or -1 for"):
            Steps(n_jobs=wrong)


@pytest.mark.parametrize(("asked", "items", "cores", "started"), [
    (24, [3], 8, [3]), (24, [30, 2], 8, [8, 8]), (24, [1], 8, []),
    (2, [2, 9], 8, [2, 2]), (4, [2, 9, 3], 8, [2, 4, 4]), (-1, [30], 8, [8]),
])  # fmt: skip
def test_no_more_workers_are_started_than_there_are_items_or_cores(
    asked, items, cores, started, monkeypatch, caplog
):
    seen = []

    def share(self, parallel, do, items, in_time):
        seen.append(parallel.n_jobs)
        return [do(item) for item in items.values()]

    monkeypatch.setattr(Steps, "_shared", share)
    monkeypatch.setattr(joblib, "cpu_count", lambda: cores)
    monkeypatch.setattr(joblib, "effective_n_jobs", lambda n: n if n > 0 else cores)
    monkeypatch.setattr(Steps, "_in_time", lambda self, names, jobs, in_time: [names])
    steps = Steps(n_jobs=asked)
    for number in items:
        steps.each("squaring", Kind, squares(), range(number))
    assert seen == started
    # it is said once
    said = [one for one in caplog.messages if "in place of 24: there are 8 cores" in one]
    assert len(said) == (asked == 24)


def test_an_error_of_an_item_is_itself_and_says_where_it_was(job):
    with pytest.raises(ZeroDivisionError, match="four") as error:
        job(n_jobs=2).each("squaring", Kind, squares(fails=True), range(30))
    assert 'raise ZeroDivisionError("four")' in str(error.value.__cause__)
    # the workers are still there
    assert values(job(n_jobs=2).each("squaring", Kind, squares(), range(6))) == [0, 1, 4, 9, 16, 25]


def test_a_killed_worker_is_one_sentence_and_the_job_goes_on(job, tmp_path):
    square = squares(kills=tmp_path / "killed")
    with pytest.raises(LostProcessError, match=r"^a worker .* was killed .* with resume=True\.$"):
        job(n_jobs=2).each("squaring", Kind, square, range(9))
    # the first items came back before
    assert {"squaring-0.zip", "squaring-1.zip"} <= set(files(tmp_path / "job"))
    assert values(job(n_jobs=2).each("squaring", Kind, square, range(9))) == [
        i * i for i in range(9)
    ]


GROWING = """
from joblib.externals.loky import process_executor
from gomkcn_dgl.runtime.steps import Steps

def grow(i):
    # joblib looks at once, and takes any size for too much
    process_executor._MEMORY_LEAK_CHECK_DELAY = 0
    process_executor._MAX_MEMORY_LEAK_SIZE = -(1 << 40)
    return i

print(Steps(n_jobs=2).each("growing", int, lambda i: grow(i), range(4)))
"""


def test_a_worker_that_has_grown_is_replaced_where_warnings_are_errors():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", GROWING],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert done.stdout.split("\n")[-2] == str(list(range(4)))


def test_workers_know_when_time_is_up(job, tmp_path):
    with Interrupts(time_limit=0.3) as interrupts:
        steps = job(n_jobs=2, interrupts=interrupts)
        found = values(steps.each("squaring", Kind, squares(pause=0.02), range(2000), in_time=True))
    assert steps.is_partial and found == sorted(found) and len(found) < 2000
    # a step that looks at the clock itself was cut, and is not kept
    steps = job(n_jobs=2, interrupts=LATE)
    cut = steps.each("asking", Kind, lambda i: number(steps.is_late()), range(3))
    assert values(cut) == [True] * 3 and steps.is_partial
    assert not [path for path in files(tmp_path / "job") if path.startswith("asking")]
    # one that does not is whole
    steps = job(n_jobs=2, interrupts=LATE)
    assert (
        values(steps.each("doubling", Kind, number, range(3))) == [0, 1, 2] and not steps.is_partial
    )


@pytest.mark.parametrize("is_noted", [True, False])
def test_a_signal_ends_a_shared_job(job, is_noted):
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    square = squares(pause=0.1)
    if is_noted:
        with Interrupts() as interrupts, pytest.raises(RunInterruptedError, match="by SIGINT"):
            timer.start()
            job(n_jobs=2, interrupts=interrupts, seconds_apart=0.2).each(
                "a", Kind, square, range(2000)
            )
    else:
        # a process that a shell put into the background ignores SIGINT
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            job(n_jobs=2, seconds_apart=0.2).each("a", Kind, square, range(2000))
        signal.signal(signal.SIGINT, before)
    assert values(job(n_jobs=2).each("b", Kind, squares(), range(9))) == [i * i for i in range(9)]


def test_workers_leave_ctrl_c_to_the_process_that_waits(job):
    def interrupt(i):
        os.kill(os.getpid(), signal.SIGINT)
        return number(i)

    assert values(job(n_jobs=2).each("a", Kind, interrupt, range(4))) == [0, 1, 2, 3]


class KilledError(Exception):
    """In the place of a signal that ends the process at once."""


def count_up(steps, last, killed_at=None):
    """Count to a number, which keeps how far it has come; the numbers that it went through."""
    number, gone_through = steps.kept(tuple[int, list[int]]) or (0, [])
    while number < last:
        number += 1
        gone_through = [*gone_through, number]
        steps.keep((number, gone_through))
        if number == killed_at:
            raise KilledError
    return gone_through


def test_a_long_item_goes_on_where_its_job_was_killed(job, tmp_path):
    def count(steps, killed_at=None):
        return steps.each("counting", list[int], lambda last: count_up(steps, last, killed_at), [9])

    with pytest.raises(KilledError):
        count(job(seconds_apart=0.0), killed_at=4)
    assert files(tmp_path / "job") == ["counting-9-so-far.zip", "identity.json"]
    steps = job(seconds_apart=0.0)
    went_on = []
    steps.keep = lambda value: went_on.append(value[0])
    assert count(steps) == [list(range(1, 10))] and went_on == [5, 6, 7, 8, 9]
    # what is done keeps its result alone
    assert files(tmp_path / "job") == ["counting-9.zip", "identity.json"]
    # it is written every so many seconds, and not each time; without a folder, never
    steps = job(seconds_apart=1000.0)
    with pytest.raises(KilledError):
        steps.once("adding", list[int], count_up, steps, 9, 4)
    assert "adding-so-far.zip" not in files(tmp_path / "job")
    steps = Steps(seconds_apart=0.0)
    assert steps.once("adding", list[int], count_up, steps, 3) == [1, 2, 3]


def test_what_is_damaged_or_of_another_type_is_begun_anew(job, tmp_path):
    (tmp_path / "job").mkdir()
    for name, content in [("first", b"PK\x03\x04 and no more"), ("second", None)]:
        path = tmp_path / "job" / f"{name}-so-far.zip"
        if content is None:
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("value.json", '["three", []]')
        else:
            path.write_bytes(content)
        steps = job()
        assert steps.once(name, list[int], count_up, steps, 2) == [1, 2]


def test_items_of_workers_keep_how_far_they_have_come(job, tmp_path):
    def count(last):
        number = steps.kept(int) or 0
        steps.keep(number + 1)
        if last == 4 and number == 0:
            raise ZeroDivisionError
        return number

    steps = job(n_jobs=2, seconds_apart=0.0)
    with pytest.raises(ZeroDivisionError):
        steps.each("counting", int, count, [3, 4])
    assert "counting-4-so-far.zip" in files(tmp_path / "job")
    steps = job(n_jobs=2, seconds_apart=0.0)
    assert steps.each("counting", int, count, [3, 4])[1] == 1


def test_a_stage_shows_what_share_is_done():
    moves = []

    class Bar(JobProgress):
        def begin(self, stage, total=None, is_steady=True):
            moves.append((stage, total))

        def move(self, count, said=""):
            moves.append(count)

    report = Steps(progress=Bar()).stage("searching")
    for share in (0.25, 0.125, 0.5, 2.0):
        report(share)
    assert moves == [("searching", 1.0), 0.25, 0.25, 0.5]
    # items may be of several that a user counts
    moves.clear()
    steps = Steps(progress=Bar())
    steps.each("drawing", list[int], list, [range(3), range(2)], key=len, weight=len)
    assert moves == [("drawing", 5), 0, 3, 2] and steps.name == "drawing"


def test_workers_outlive_the_folder_that_they_stand_in(tmp_path):
    def move(number):
        os.chdir(tmp_path / "gone")
        time.sleep(0.1)
        return number

    def where(number):
        return number if os.getcwd() else -1

    (tmp_path / "gone").mkdir()
    Steps(n_jobs=2).each("moving", int, move, range(4))
    (tmp_path / "gone").rmdir()
    assert Steps(n_jobs=2).each("asking", int, where, range(4)) == [0, 1, 2, 3]
