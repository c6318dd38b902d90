"""Signals and time limits as a reason to stop."""

import os
import signal
import time

import pytest
from forked import exit_code, start, wait_for

from gomkcn_dgl import InputError
from gomkcn_dgl.runtime.interrupts import Interrupts, RunInterruptedError

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
    monkeypatch.setattr("gomkcn_dgl.runtime.interrupts.time.monotonic", lambda: now)
    interrupts = Interrupts(time_limit=5)
    now = 104.9
    assert interrupts.reason == ""
    now = 105.0
    assert interrupts.reason == interrupts.agree() == "time limit"
    with interrupts:
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupts.reason == "SIGTERM"


def test_the_processes_agree_on_a_signal_rather_than_a_time_limit(monkeypatch):
    monkeypatch.setattr(
        "gomkcn_dgl.runtime.interrupts.gather_objects",
        lambda mine: ["time limit", mine, "SIGINT", ""],
    )
    assert Interrupts().agree() == "SIGINT"
