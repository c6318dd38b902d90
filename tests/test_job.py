"""A job: signals and time limits as a reason to stop; the bar, and what is logged above it."""

import logging
import os
import signal
import sys
import time

import pytest
from forked import exit_code, start, wait_for

from gomkcn_dgl import InputError
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
        assert interrupts.reason == number.name
        # the next one kills
        assert handlers() == [signal.SIG_DFL] * 2
    assert handlers() == before
    assert interrupts.agree() == number.name
    assert RunInterruptedError(number.name, "after epoch 3").exit_code == 128 + number
    with pytest.raises(ZeroDivisionError), Interrupts():
        raise ZeroDivisionError
    assert handlers() == before


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


def test_a_time_limit(monkeypatch):
    now = 100.0
    with pytest.raises(InputError, match="^time_limit must be "):
        Interrupts(time_limit=float("nan"))
    monkeypatch.setattr("gomkcn_dgl.runtime.job.time.monotonic", lambda: now)
    interrupts = Interrupts(time_limit=5)
    now = 104.9
    assert interrupts.reason == ""
    now = 105.0
    assert interrupts.reason == interrupts.agree() == "time limit"
    with interrupts:
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupts.reason == "SIGTERM"


def test_the_processes_agree_on_a_signal_rather_than_a_time_limit(monkeypatch):
    reasons = ["time limit", "", "SIGINT"]
    monkeypatch.setattr("gomkcn_dgl.runtime.job.gather_objects", lambda own: [*reasons, own])
    assert Interrupts().agree() == "SIGINT"


def test_the_bar_shows_each_stage_and_goes(capsys):
    with JobProgress(show=True) as progress:
        progress.begin("preparing")
        progress.begin("counting", 3)
        for _ in range(3):
            progress.move()
        assert progress._bar.n == 3
    shown = capsys.readouterr().err
    assert "preparing …" in shown and "counting: 0/3" in shown and shown.endswith("\r")
    with JobProgress() as progress:
        progress.begin("counting", 3)
        progress.move()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["no handler", "gomkcn_dgl", None])
def test_what_is_logged_is_written_once_above_the_bar(name, capsys, monkeypatch):
    own, log = logging.getLogger("gomkcn_dgl"), logging.getLogger(name)
    monkeypatch.setattr(own, "propagate", name is None)
    handler = logging.StreamHandler(sys.stderr)
    log.addHandler(handler)
    with JobProgress(show=True) as progress:
        progress.begin("counting")
        own.warning("a structure was left out")
    log.removeHandler(handler)
    lines = capsys.readouterr().err.replace("\r", "\n").split("\n")
    assert [line for line in lines if "structure" in line] == ["a structure was left out"]
