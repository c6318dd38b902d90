"""A job: signals and time limits as a reason to stop; the bar, and what is logged above it."""

import contextlib
import io
import logging
import math
import os
import pickle
import re
import signal
import sys
import threading
import time

import pytest
from forked import exit_code, start, wait_for

from gomkcn_dgl import InputError
from gomkcn_dgl.runtime import job
from gomkcn_dgl.runtime.job import Interrupts, JobProgress, RunInterruptedError

SIGNALS = [signal.SIGTERM, signal.SIGINT]


def handlers():
    return [signal.getsignal(each) for each in SIGNALS]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_noted_and_the_old_handlers_come_back(number):
    before = handlers()
    with Interrupts() as interrupts:
        assert interrupts.reason == ""
        os.kill(os.getpid(), number)
        # the next one kills
        assert (interrupts.reason, handlers()) == (number.name, [signal.SIG_DFL] * 2)
    assert (interrupts.agree(), handlers()) == (number.name, before)
    assert RunInterruptedError(number.name, "after epoch 3").exit_code == 128 + number


def test_a_second_signal_kills(tmp_path):
    def work():
        with Interrupts() as interrupts:
            (tmp_path / "ready").touch()
            while interrupts.reason != "SIGTERM":
                time.sleep(0.005)
            (tmp_path / "noted").touch()
            time.sleep(60)

    child = start(work)
    for name in ("ready", "noted"):
        wait_for(tmp_path / name)
        os.kill(child, signal.SIGTERM)
    assert exit_code(child) == -signal.SIGTERM


def test_a_time_limit_and_a_signal_which_counts_more(monkeypatch):
    now = 100.0
    with pytest.raises(InputError, match="^time_limit must be "):
        Interrupts(time_limit=float("nan"))
    monkeypatch.setattr("gomkcn_dgl.runtime.job.time.monotonic", lambda: now)
    interrupts = Interrupts(time_limit=5)
    now = 104.9
    assert interrupts.reason == ""
    now = 105.0
    assert interrupts.reason == interrupts.agree() == "time limit"
    # that of another process as well
    monkeypatch.setattr("gomkcn_dgl.runtime.job.gather_objects", lambda own: [own, "SIGINT", ""])
    assert interrupts.agree() == "SIGINT"
    with interrupts:
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupts.reason == "SIGTERM"


def test_a_part_of_the_time_limit_is_kept_for_the_end(monkeypatch):
    now = 100.0
    monkeypatch.setattr("gomkcn_dgl.runtime.job.time.monotonic", lambda: now)
    short, long = (Interrupts(limit, has_end=True) for limit in (9, 600))
    now = 105.9
    assert (short.reason, long.reason) == ("", "")
    now = 106.1
    assert (short.reason, long.reason) == ("time limit", "")
    assert short.seconds_left == pytest.approx(2.9)
    now = 689.9
    assert long.reason == ""
    now = 690.1
    # a worker has the same time
    worker = pickle.loads(pickle.dumps(long))
    assert (worker.reason, worker.seconds_left) == ("time limit", pytest.approx(9.9))
    assert math.isinf(Interrupts(has_end=True).seconds_left)


def test_a_signal_may_be_as_if_time_were_up():
    with Interrupts(is_partial_at_signal=True) as interrupts:
        os.kill(os.getpid(), signal.SIGINT)
        assert (interrupts.reason, interrupts.signal) == ("time limit", "SIGINT")


@pytest.mark.parametrize("is_steady", [True, False])
def test_a_share_that_is_not_steady_claims_no_time_that_is_left(is_steady, capsys):
    with JobProgress("bar") as bar:
        bar.begin("searching", 1.0, is_steady=is_steady)
        bar.move(0.25)
        bar._bar.refresh()
    shown = capsys.readouterr().err.split("\r")
    (told,) = (line for line in shown if " 25%" in line)
    assert ("<" in told) == is_steady and "00:0" in told


@pytest.mark.parametrize("name", ["no handler", "gomkcn_dgl", None])
def test_the_bar_shows_each_stage_and_what_is_logged_once_above_it(name, capsys, monkeypatch):
    own, log = logging.getLogger("gomkcn_dgl"), logging.getLogger(name)
    monkeypatch.setattr(own, "propagate", name is None)
    handler = logging.StreamHandler(sys.stderr)
    log.addHandler(handler)
    with JobProgress("bar") as progress, JobProgress() as hidden:
        for bar, stage in ((progress, "counting"), (hidden, "hiding")):
            bar.begin("preparing")
            bar.begin(stage, 2)
            bar.move(1)
        own.warning("a structure was left out")
        assert progress._bar.n == 1
    log.removeHandler(handler)
    shown = capsys.readouterr().err
    assert "preparing …" in shown and "counting: 0/2" in shown and "hiding" not in shown
    lines = shown.replace("\r", "\n").split("\n")
    assert [line for line in lines if "structure" in line] == ["a structure was left out"]


def test_a_note_stays_behind_the_bar_and_in_lines_until_its_stage_is_over(capsys):
    for form in ("bar", "lines"):
        with JobProgress(form) as progress:
            progress.begin("counting", 1.0)
            progress.move(0, "so far 7")
            progress.move(0.25)
            if form == "lines":
                assert progress._lines.due(time.monotonic()).endswith(" 25%, 0 s, so far 7")
                continue
            progress._bar.refresh()
            told = capsys.readouterr().err.split("\r")[-1]
            assert " 25%" in told and told.endswith("so far 7")
            progress.move(0.25, "")
            progress._bar.refresh()
            assert "so far" not in capsys.readouterr().err.split("\r")[-1]
            progress.move(0, "so far 8")
            progress.begin("listing", 1.0)
            progress.move(0.5)
            progress._bar.refresh()
            told = capsys.readouterr().err.split("\r")[-1]
            assert "listing:  50%" in told and "so far" not in told


def test_blocks_within_each_other_leave_the_handlers_as_they_were():
    before = signal.getsignal(signal.SIGTERM)
    interrupts = Interrupts()
    with interrupts:
        with interrupts:
            pass
        # the outer block still notes a signal, and nothing ends this process
        signal.raise_signal(signal.SIGTERM)
        assert interrupts.reason == "SIGTERM"
    assert signal.getsignal(signal.SIGTERM) == before


def test_lines_come_after_a_while_and_then_ever_further_apart():
    lines = job._Lines()
    assert lines.due(99.0) == ""
    lines.begin("preparing", None, now=100.0)
    assert lines.due(109.0) == ""
    assert lines.due(110.0) == "gomkcn: preparing: 10 s"
    # many short stages are told of as well, and the time is that of the stage
    lines.begin("counting", 199, now=115.0)
    lines.done += 45
    assert lines.due(119.0) == ""
    assert lines.due(120.0) == "gomkcn: counting: 45 of 199, 5 s"
    # what is noted first is news, in each stage
    lines.note = "so far 7"
    assert lines.due(121.0) == "gomkcn: counting: 45 of 199, 6 s, so far 7" != lines.due(122.0)
    lines.begin("drawing", 10, now=123.0)
    lines.note = "so far 8"
    assert lines.due(124.0) == "gomkcn: drawing: 0 of 10, 1 s, so far 8"
    # for five minutes there is one each ten seconds
    lines.begin("searching", 1.0, now=380.0)
    assert lines.due(390.0) == "gomkcn: searching: 0%, 10 s"
    assert lines.due(399.0) == "" != lines.due(400.0)
    # of an hour each line is two minutes behind the one before
    lines.begin("searching", 1.0, now=3690.0)
    lines.done += 0.25
    assert lines.due(3700.0) == "gomkcn: searching: 25%, 10 s"
    assert lines.due(3700.0 + 119.0) == "" != lines.due(3700.0 + 130.0)


def test_a_stage_that_tells_nothing_is_told_of_where_no_terminal_is(capsys, monkeypatch):
    monkeypatch.setattr(job, "SECONDS_BETWEEN_LINES", 0.0)
    with (
        JobProgress.of_command(quiet=False) as progress,
        JobProgress.of_command(quiet=True) as quiet,
    ):
        quiet.begin("hiding")
        progress.begin("sorting")
        told, end = "", time.monotonic() + 60
        # a part of the job has another stderr, where no line of it belongs
        with contextlib.redirect_stderr(io.StringIO()) as elsewhere:
            while "sorting" not in told and time.monotonic() < end:
                time.sleep(0.1)
                told += capsys.readouterr().err
    assert elsewhere.getvalue() == ""
    assert re.fullmatch(r"(gomkcn: sorting: \d+ s\n)+", told)
    progress_threads = [each for each in threading.enumerate() if each.name == "progress"]
    assert not progress_threads
